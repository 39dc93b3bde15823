//! Rule mutation: edits of the symbols of productions.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::edit::{Edit, EditOperator, EditPosition};
use super::negative::{Breaker, EditSource, Edited, common};
use super::realise::SentenceToken;
use super::skeleton::{PathStep, Skeleton};
use super::tree::{Fragment, SkeletonNode, SkeletonTree, along, opened, with_child};
use super::turns::{Turns, ordered};

/// Edits of the symbols of productions. An edit is made if every text of the edited production has
/// a poisoned pair (see `negative.rs`). Transpositions need no poisoned pair. One text is made for
/// each edit.
pub struct RuleEdits {
    occurrences: Vec<Occurrence>,
    /// The order of the positions. A position is an occurrence and the index of a part.
    turns: Turns,
    /// The number of rules with an edit.
    rules: usize,
    /// The symbols that an edit can add.
    additions: Vec<Addition>,
    /// For each symbol, a small tree whose text is not empty.
    texts: Vec<Option<Fragment>>,
    rng: SmallRng,
}

/// A production in a sentence.
struct Occurrence {
    /// The symbol of the production.
    symbol: usize,
    /// The index of the production among those of the symbol.
    production: usize,
    /// The steps from the start symbol to the symbol.
    path: Vec<PathStep>,
    /// The tokens of the sentence.
    tokens: Vec<SentenceToken>,
    /// The index of the first token of each part, and of the token after the last part.
    begins: Vec<usize>,
}

/// A symbol that can be added: a terminal, or a nonterminal with a rule of its own. It does not
/// derive the empty text.
struct Addition {
    symbol: usize,
    /// The terminals that can come after it, as bits.
    after: Vec<u64>,
}

impl RuleEdits {
    /// Finds the positions in all productions for which a small sentence exists that our parser
    /// reads.
    pub fn new(breaker: &mut Breaker<'_, '_>, seed: u64) -> RuleEdits {
        let skeleton = breaker.skeleton;
        let paths = skeleton.paths_from(0);
        let mut occurrences = Vec::new();
        for (symbol, it) in skeleton.symbols.iter().enumerate() {
            for production in 0..it.productions.len() {
                let path = paths.to(symbol);
                let found = path.and_then(|path| occurrence(breaker, path, symbol, production));
                occurrences.extend(found);
            }
        }
        let mut all = RuleEdits {
            occurrences,
            turns: Turns::default(),
            rules: 0,
            additions: additions(breaker),
            texts: (0..skeleton.symbols.len())
                .map(|symbol| text_of(breaker, symbol))
                .collect(),
            rng: SmallRng::seed_from_u64(seed),
        };
        let mut possible = [0; EditOperator::ALL.len()];
        let mut by_rule: BTreeMap<&str, Vec<EditPosition>> = BTreeMap::new();
        for (number, it) in all.occurrences.iter().enumerate() {
            for part in 0..it.begins.len() {
                let edits = all.edits_of(breaker, (number, part));
                if !edits.is_empty() {
                    let rule = skeleton.rule(it.symbol);
                    by_rule.entry(rule).or_default().push((number, part));
                }
                for (operator, _) in edits {
                    possible[operator as usize] += 1;
                }
            }
        }
        all.rules = by_rule.len();
        all.turns = Turns::new(by_rule.into_values(), possible, &mut all.rng);
        all
    }

    pub fn rules(&self) -> usize {
        self.rules
    }

    /// Returns the possible edits of a part of a production, or of the position after the last
    /// part. After such an edit, every text of the production has a poisoned pair. A transposition
    /// exchanges the part and the next one. It needs no poisoned pair, because our parser checks
    /// whether its text is a sentence.
    fn edits_of(&self, breaker: &Breaker<'_, '_>, (number, part): EditPosition) -> Vec<Edit> {
        let Occurrence {
            symbol, production, ..
        } = self.occurrences[number];
        let (skeleton, sets) = (breaker.skeleton, breaker.sets);
        let parts = &skeleton.symbols[symbol].productions[production].parts;
        let parts: Vec<usize> = parts.iter().map(|part| part.symbol).collect();
        let before = sets.after_any(&sets.left(symbol, &parts[..part]));
        let here = sets.right(symbol, &parts[part..]);
        let after = parts
            .get(part)
            .map(|&old| (old, sets.right(symbol, &parts[part + 1..])));
        let can_follow = |one: &[u64], other: &[u64]| {
            let mut words = one.iter().zip(other);
            words.any(|(one, other)| one & other != 0)
        };
        let mut edits = Vec::new();
        if let Some((old, after)) = &after {
            if !sets.is_nullable(*old) && !can_follow(&before, after) {
                edits.push((EditOperator::Deletion, None));
            }
            let has_text = |symbol: usize| self.texts[symbol].is_some();
            if let Some(&next) = parts.get(part + 1)
                && next != *old
                && has_text(*old)
                && has_text(next)
            {
                edits.push((EditOperator::Transposition, None));
            }
        }
        for (number, addition) in self.additions.iter().enumerate() {
            let is_wrong_here = !can_follow(&before, sets.first_bits(addition.symbol));
            if is_wrong_here || !can_follow(&addition.after, &here) {
                edits.push((EditOperator::Insertion, Some(number)));
            }
            if let Some((old, after)) = &after
                && *old != addition.symbol
                && (is_wrong_here || !can_follow(&addition.after, after))
            {
                edits.push((EditOperator::Substitution, Some(number)));
            }
        }
        edits
    }

    /// Carries out an edit that [`RuleEdits::edits_of`] returned.
    fn edited<'g>(
        &self,
        breaker: &mut Breaker<'_, 'g>,
        (number, part): EditPosition,
        (operator, addition): Edit,
    ) -> Option<Edited<'g>> {
        let Occurrence {
            symbol,
            production,
            tokens,
            begins,
            ..
        } = &self.occurrences[number];
        let (symbol, production) = (*symbol, *production);
        let skeleton = breaker.skeleton;
        let parts = &skeleton.symbols[symbol].productions[production].parts;
        let name = |index: usize| skeleton.describe(parts[index].symbol);
        let addition = addition.map(|number| self.additions[number].symbol);
        let added = addition.map_or(String::new(), |symbol| skeleton.describe(symbol));
        let (from, to) = (begins[part], begins[(part + 1).min(parts.len())]);
        let mut yielded = addition.map_or(Vec::new(), |symbol| yielded(breaker, symbol));
        let (mut all, mut same) = (tokens.clone(), None);
        let edit = match operator {
            EditOperator::Deletion => {
                all.drain(from..to);
                format!("{} removed", name(part))
            }
            EditOperator::Insertion => {
                all.splice(from..from, yielded.drain(..));
                match part < parts.len() {
                    true => format!("{added} before {}", name(part)),
                    false => format!("{added} at the end"),
                }
            }
            EditOperator::Substitution => {
                all.splice(from..to, yielded.drain(..));
                format!("{added} instead of {}", name(part))
            }
            EditOperator::Transposition => {
                let (exchanged, count) = self.transposed(breaker, number, part)?;
                (all, same) = (exchanged, Some(count));
                format!("{} before {}", name(part + 1), name(part))
            }
        };
        Some(Edited {
            same: same.unwrap_or_else(|| common(tokens, &all)),
            tokens: all,
            operators: vec![operator],
            rule: skeleton.rule(symbol),
            edit: format!(
                "{edit} in {}",
                skeleton.describe_production(symbol, production)
            ),
        })
    }

    /// Exchanges a part of a production and the next part. Returns the tokens of the result, and
    /// the number of tokens before the first change. Both parts get texts that are not empty.
    /// Returns [`None`] if our parser refuses the original or reads the result.
    fn transposed(
        &self,
        breaker: &mut Breaker<'_, '_>,
        number: usize,
        part: usize,
    ) -> Option<(Vec<SentenceToken>, usize)> {
        let Occurrence {
            symbol,
            production,
            path,
            ..
        } = &self.occurrences[number];
        let skeleton = breaker.skeleton;
        let parts = &skeleton.symbols[*symbol].productions[*production].parts;
        let first = self.texts[parts[part].symbol].as_ref()?;
        let second = self.texts[parts[part + 1].symbol].as_ref()?;
        // Replace the later part first, so that the index of the earlier part does not change.
        let fragment = with_child(&opened(skeleton, *symbol, *production), part + 1, second);
        let fragment = with_child(&fragment, part, first);
        let (tokens, begins) = realised(breaker, path, &fragment)?;
        let (from, middle, to) = (begins[part], begins[part + 1], begins[part + 2]);
        let mut all = tokens.clone();
        all[from..to].rotate_left(middle - from);
        let is_wrong = breaker.can_read(&tokens) && !breaker.can_read(&all);
        let same = common(&tokens, &all);
        is_wrong.then_some((all, same))
    }
}

impl<'s, 'g> EditSource<'s, 'g> for RuleEdits {
    const IS_OF_RULE: bool = true;

    fn next(&mut self, breaker: &mut Breaker<'s, 'g>) -> Option<Edited<'g>> {
        loop {
            // The turns are taken out, because the closure borrows the rest of `self`.
            let mut turns = std::mem::take(&mut self.turns);
            let mut rng = self.rng.clone();
            let next = turns.next(|position| {
                let edits = self.edits_of(breaker, position);
                let rank = |number: usize| breaker.rank(self.additions[number].symbol);
                ordered(edits, rank, &mut rng)
            });
            (self.turns, self.rng) = (turns, rng);
            let (position, edit) = next?;
            if let Some(edited) = self.edited(breaker, position, edit) {
                return Some(edited);
            }
        }
    }

    fn turns(&mut self) -> &mut Turns {
        &mut self.turns
    }
}

/// Makes a small sentence with a production. Returns the occurrence of the production in it, if our
/// parser reads the sentence.
fn occurrence(
    breaker: &mut Breaker<'_, '_>,
    path: Vec<PathStep>,
    symbol: usize,
    production: usize,
) -> Option<Occurrence> {
    let fragment = opened(breaker.skeleton, symbol, production);
    let (tokens, begins) = realised(breaker, &path, &fragment)?;
    breaker.can_read(&tokens).then_some(Occurrence {
        symbol,
        production,
        path,
        tokens,
        begins,
    })
}

/// Returns the tokens of a small sentence with a fragment at the end of a path, the index of the
/// first token of each child of the fragment's root, and the index of the token after the last
/// child.
fn realised(
    breaker: &mut Breaker<'_, '_>,
    path: &[PathStep],
    fragment: &[SkeletonNode],
) -> Option<(Vec<SentenceToken>, Vec<usize>)> {
    let skeleton: &Skeleton<'_> = breaker.skeleton;
    let tree = SkeletonTree::minimal(skeleton, &along(skeleton, path, fragment));
    let (_, tokens) = breaker.realiser.realise(&tree)?;
    let node = path.iter().fold(0, |node, step| {
        tree.children(node).nth(step.part).unwrap_or(node)
    });
    let index = |node: usize| {
        let found = tokens.iter().position(|token| token.node >= node);
        found.unwrap_or(tokens.len())
    };
    let mut begins: Vec<usize> = tree.children(node).map(index).collect();
    begins.push(index(tree.end(node)));
    Some((tokens, begins))
}

/// Returns the symbols that can be added: terminals, and nonterminals with a rule of their own.
fn additions(breaker: &Breaker<'_, '_>) -> Vec<Addition> {
    let (skeleton, sets) = (breaker.skeleton, breaker.sets);
    let all = (0..skeleton.symbols.len()).filter(|&symbol| skeleton.is_named(symbol));
    all.filter(|&symbol| !sets.is_nullable(symbol))
        .map(|symbol| Addition {
            symbol,
            after: sets.after_any(sets.last_bits(symbol)),
        })
        .collect()
}

/// Returns a small tree of a symbol whose text is not empty.
fn text_of(breaker: &Breaker<'_, '_>, symbol: usize) -> Option<Fragment> {
    let (skeleton, sets) = (breaker.skeleton, breaker.sets);
    let leaf = |symbol| {
        vec![SkeletonNode {
            symbol,
            production: None,
        }]
    };
    if skeleton.symbols[symbol].terminal.is_some() || !sets.is_nullable(symbol) {
        return (!sets.is_nullable(symbol)).then(|| leaf(symbol));
    }
    let paths = skeleton.paths_from(symbol);
    let tokens = (0..skeleton.symbols.len())
        .filter(|&at| skeleton.symbols[at].terminal.is_some() && !sets.is_nullable(at));
    let fragments =
        tokens.filter_map(|token| Some(along(skeleton, &paths.to(token)?, &leaf(token))));
    fragments.min_by_key(Vec::len)
}

/// Returns the tokens of the smallest tree of a symbol.
fn yielded(breaker: &Breaker<'_, '_>, symbol: usize) -> Vec<SentenceToken> {
    let skeleton = breaker.skeleton;
    let tree = match skeleton.symbols[symbol].terminal {
        Some(_) => SkeletonTree::minimal(
            skeleton,
            &[SkeletonNode {
                symbol,
                production: None,
            }],
        ),
        None => SkeletonTree::minimal(skeleton, &opened(skeleton, symbol, 0)),
    };
    let tokens = tree
        .nodes
        .iter()
        .filter_map(|node| skeleton.symbols[node.symbol].terminal);
    tokens
        .map(|terminal| breaker.token(terminal, false))
        .filter(|token| !token.text.is_empty())
        .collect()
}
