//! Finds items that files have and no valid sentence has: parts of the grammar, pairs of parts, and
//! texts of tokens.
//!
//! An item can explain an edge if all files that reach the edge have the item, and if most files
//! that have the item reach the edge. Without the second condition, an item of all files, such as a
//! usual name, would explain all edges. The *worth* of an item is the number of edges that it can
//! explain, divided by the number of items that are in exactly the same files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use zester::derivation::{Derivation, NameRole};
use zester::grammar::{Grammar, Kind};

use super::super::parts::{Part, PartKind, Parts};
use super::super::trial::{Judgement, Trial};
use super::stop_token::{LiteralTexts, is_word};
use zester::parameters::Decoder;

/// The number of items that are listed.
pub const LISTED: usize = 20;

/// The maximum length of the text of a token in bytes. Longer texts, such as long strings, are left
/// out.
const MAX_TEXT: usize = 80;

/// The maximum number of items of one kind that are listed of those in the same files.
const MAX_OF_KIND: usize = 2;

/// The minimum number of files of a name that is listed. Most names of one file mean nothing to
/// others.
const MIN_NAME_FILES: usize = 2;

/// The maximum number of bytes that a repetition has around its element: `( element )?`.
const MAX_AROUND: usize = 5;

/// What a text can have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// A part of the grammar, by its number.
    Part(u32),
    /// A part directly inside another one: the outer part first.
    Pair(u32, u32),
    /// A text of a token: the rule of the token, and the text.
    Text(Arc<str>, Vec<u8>),
}

/// Something that files have and no valid sentence has.
#[derive(Clone, Debug)]
pub struct GapItem {
    pub kind: ItemKind,
    /// The number of edges that it can explain, divided by the number of items in the same files.
    pub worth: f64,
    /// The number of edges that it can explain.
    pub edges: usize,
    /// The number of items that are in exactly the same files, with this one.
    pub alike: usize,
    /// The number of files that have it.
    pub files: usize,
    /// The number of generated sentences that have it. None of them is valid.
    pub sentences: usize,
    /// The first of the files.
    pub example: Arc<str>,
    /// Identifies the set of files. Items of exactly the same files have the same number.
    pub set: usize,
}

/// The items of files, and those of sentences.
pub struct ItemIndex {
    literals: LiteralTexts,
    /// The items of valid sentences.
    of_valid: HashSet<ItemKind>,
    /// The items of other sentences, with the numbers of sentences.
    of_others: HashMap<ItemKind, usize>,
    /// The items of files, with the numbers of the files.
    of_files: HashMap<ItemKind, Vec<u32>>,
    /// The rules of tokens.
    rules: HashMap<u32, Arc<str>>,
}

impl ItemIndex {
    /// Returns an index with the items of the sentences of a trial.
    pub fn new(trial: &Trial<'_>, parts: &Parts<'_>) -> ItemIndex {
        let mut index = ItemIndex {
            literals: LiteralTexts::of(trial.grammar),
            of_valid: HashSet::new(),
            of_others: HashMap::new(),
            of_files: HashMap::new(),
            rules: HashMap::new(),
        };
        let mut decoder = Decoder::new(trial.grammar);
        for sentence in &trial.sentences {
            let derivation = decoder.decode(&sentence.parameters);
            let items = index.items(trial.grammar, parts, derivation);
            match sentence.judgement {
                Judgement::Valid => index.of_valid.extend(items),
                _ => items
                    .into_iter()
                    .for_each(|item| *index.of_others.entry(item).or_default() += 1),
            }
        }
        index
    }

    /// Adds the items of a file that no valid sentence has. Files must be added in their order.
    pub fn add(
        &mut self,
        file: u32,
        grammar: &Grammar,
        parts: &Parts<'_>,
        derivation: &Derivation,
    ) {
        let roles = derivation.name_roles(grammar);
        let declared: BTreeSet<&[u8]> = roles
            .iter()
            .filter(|(_, role)| matches!(role, NameRole::Declaration | NameRole::Redeclaration(_)))
            .map(|&(node, _)| &derivation.text()[derivation.text_range(node)])
            .collect();
        for item in self.items(grammar, parts, derivation) {
            let is_new = match &item {
                ItemKind::Part(_) => true,
                // A pair with a part that no sentence uses says no more than that part.
                ItemKind::Pair(outer, inner) => [outer, inner]
                    .iter()
                    .all(|&&part| self.of_valid.contains(&ItemKind::Part(part))),
                // A file chooses the names that it declares.
                ItemKind::Text(_, text) => !declared.contains(&text[..]),
            };
            if is_new && !self.of_valid.contains(&item) {
                self.of_files.entry(item).or_default().push(file);
            }
        }
    }

    /// Returns the items of a text.
    fn items(
        &mut self,
        grammar: &Grammar,
        parts: &Parts<'_>,
        derivation: &Derivation,
    ) -> BTreeSet<ItemKind> {
        let used = parts.used(derivation);
        let of_parts = used.parts.into_iter().map(ItemKind::Part);
        let of_pairs = used.pairs.into_iter();
        let of_pairs = of_pairs.map(|(outer, inner)| ItemKind::Pair(outer, inner));
        let mut items: BTreeSet<ItemKind> = of_parts.chain(of_pairs).collect();
        for (at, node) in derivation.nodes().iter().enumerate() {
            let Kind::Lexeme { body, .. } = grammar.symbols()[node.symbol.0 as usize].kind else {
                continue;
            };
            let is_literal = matches!(
                grammar.symbols()[body.0 as usize].kind,
                Kind::Literal { .. } | Kind::Insensitive { .. }
            );
            let range = derivation.token_range(grammar, at).unwrap_or_default();
            let text = &derivation.text()[range];
            if is_literal || text.len() > MAX_TEXT || self.literals.contains(text) {
                continue;
            }
            let rule = self.rules.entry(body.0).or_insert_with(|| {
                let label = grammar.label(body);
                label.split(['/', '<']).next().unwrap_or(label).into()
            });
            items.insert(ItemKind::Text(rule.clone(), text.to_vec()));
        }
        items
    }

    /// Returns the most worthwhile items. `of_edges` has for each edge the files that reach it, in
    /// their order. `names` are the names of the files.
    pub fn worthwhile(
        self,
        of_edges: &BTreeMap<u32, Vec<u32>>,
        names: &[Arc<str>],
        parts: &Parts<'_>,
    ) -> Vec<GapItem> {
        let mut edge_sets = HashMap::<&[u32], usize>::new();
        for files in of_edges.values() {
            *edge_sets.entry(files).or_default() += 1;
        }
        let mut item_sets = BTreeMap::<Vec<u32>, Vec<ItemKind>>::new();
        for (item, files) in self.of_files {
            item_sets.entry(files).or_default().push(item);
        }
        let mut found = Vec::new();
        for (set, (files, items)) in item_sets.into_iter().enumerate() {
            let mut has = vec![false; names.len()];
            files.iter().for_each(|&file| has[file as usize] = true);
            let is_inside = |other: &[u32]| other.iter().all(|&file| has[file as usize]);
            let edges: usize = edge_sets
                .iter()
                .filter(|(reached, _)| 2 * reached.len() > files.len() && is_inside(reached))
                .map(|(_, count)| count)
                .sum();
            if edges == 0 {
                continue;
            }
            let mut items = without_doubles(items, parts);
            let alike = items.len();
            items.retain(|item| files.len() >= MIN_NAME_FILES || !is_name(item));
            let items = few_of_each_kind(items);
            found.extend(items.into_iter().map(|kind| GapItem {
                worth: edges as f64 / alike as f64,
                edges,
                alike,
                files: files.len(),
                sentences: self.of_others.get(&kind).copied().unwrap_or(0),
                example: names[files[0] as usize].clone(),
                set,
                kind,
            }));
        }
        // Items of the same files stay together.
        found.sort_by(|one: &GapItem, other| {
            let by_worth = other.worth.total_cmp(&one.worth);
            let by_files = || one.files.cmp(&other.files);
            by_worth
                .then_with(by_files)
                .then_with(|| one.set.cmp(&other.set))
                .then_with(|| one.kind.cmp(&other.kind))
        });
        found.truncate(LISTED);
        found
    }
}

/// Removes repetitions whose element is also an item: `( "=" value )?` adds nothing to `"=" value`.
/// All items must have the same files.
fn without_doubles(mut items: Vec<ItemKind>, parts: &Parts<'_>) -> Vec<ItemKind> {
    let alternatives: Vec<Part> = items
        .iter()
        .filter_map(|item| match item {
            ItemKind::Part(part) => Some(parts.get(*part).clone()),
            _ => None,
        })
        .filter(|part| part.kind == PartKind::Alternative)
        .collect();
    // The parentheses, the operator and the blanks are around the element.
    let is_around = |outer: &Part, inner: &Part| {
        outer.start <= inner.start
            && inner.end <= outer.end
            && outer.span().len() <= inner.span().len() + MAX_AROUND
    };
    items.retain(|item| match item {
        ItemKind::Part(part) => {
            let part = parts.get(*part);
            let is_double = |inner: &Part| is_around(part, inner);
            part.kind == PartKind::Alternative || !alternatives.iter().any(is_double)
        }
        _ => true,
    });
    items
}

/// Returns whether an item is the text of a token that looks like a name.
fn is_name(item: &ItemKind) -> bool {
    let ItemKind::Text(_, text) = item else {
        return false;
    };
    std::str::from_utf8(text).is_ok_and(|text| {
        text.chars().all(is_word) && !text.starts_with(|char: char| char.is_ascii_digit())
    })
}

/// Returns at most [`MAX_OF_KIND`] items of each kind, in their order.
fn few_of_each_kind(mut items: Vec<ItemKind>) -> Vec<ItemKind> {
    items.sort();
    let mut counts = HashMap::new();
    items.retain(|item| {
        let count = counts.entry(std::mem::discriminant(item)).or_insert(0);
        *count += 1;
        *count <= MAX_OF_KIND
    });
    items
}
