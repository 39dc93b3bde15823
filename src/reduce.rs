//! Reduction: searches for a small sentence that is still interesting to the caller.
//!
//! The search is greedy and hierarchical, from the root to the leaves, as in HDD (Misherghi and Su,
//! ICSE 2006) and Picireny. At every node it tries splices (`src/splice.rs`) that shrink the sentence.
//! It accepts the first spliced sentence that is still interesting. The splices of a node are, in this
//! order:
//!
//! * Remove the layout before a token.
//! * Simplify: replace the subtree by the simplest one of its symbol.
//! * Hoist: replace the subtree by one of the same symbol inside it.
//! * Promote: replace the subtree by one inside it, through a unit chain.
//! * Pull: replace the subtree by one of the same symbol in an element of a later repetition, and
//!   remove that element.
//! * Inline: replace the only use of a declared name by a subtree of its declaration, and remove that
//!   declaration from a repetition.
//! * Choose an earlier alternative.
//! * Remove elements of a repetition or characters of a run (ddmin, Zeller and Hildebrandt, TSE
//!   2002).
//!
//! After all nodes, it tries to give different identifiers the same name. The search ends after a
//! round in which no splice was accepted.
//!
//! [`reduce_input`] also reduces inputs whose text is edited. It tries the sentence without edits,
//! then fewer edits, then smaller sentences with the same edits, and at last fewer characters of
//! the text.
//!
//! # Guarantees
//!
//! * The result is interesting, if the given input is. The result of [`reduce`] is a sentence of
//!   the grammar.
//! * Every sentence that [`reduce`] accepts is simpler than the one before: its text is shorter, or
//!   equally long with shorter or smaller parameters. A sentence with fewer edits may have a longer
//!   text.
//! * Equal calls pass the same sentences to the caller in the same order. [`reduce`] passes no
//!   refused text twice.
//!
//! # Not guaranteed
//!
//! The result need not be the smallest interesting sentence of the grammar. It is a local minimum:
//! none of the splices above makes it smaller.

use std::collections::HashSet;

use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::{Grammar, Kind, Role, SymbolId};
use crate::parameters::{self, Input, Settings, TextEdits, Tree};
use crate::splice::{
    ChangeAlternative, Hoist, InlineName, Promote, PullElement, RemoveLayout, Rename,
    RenameDeclaration, SetCharacters, SetElements, Simplify, Splice, SpliceBuffers, TreeView,
    characters,
};

/// The maximum number of hoist and of promote splices that are tried at a node, and the number of
/// pull splices after which no further repetition is searched.
const CANDIDATES: usize = 16;

/// The maximum number of adjacent characters that are removed from a text together.
const NEIGHBOURS: usize = 4;

/// A function of the caller that returns whether a sentence is still interesting.
pub type Interesting<'a> = &'a mut dyn FnMut(&Tree) -> bool;

/// Reduces an interesting sentence to a smaller one that is still interesting.
///
/// `input` are the parameters of the sentence. `interesting` is not called for this sentence. The
/// parameters of the result are in canonical form.
///
/// # Examples
///
/// ```
/// use zester::{Grammar, parameters, reduce::reduce};
///
/// let source = br#"list = "[" ( list | [a-z] )* "]" ;"#;
/// let grammar = Grammar::read("lists.ebnf", source).unwrap();
/// let input = grammar.encode(b"[a[b[x]c]d]").unwrap();
///
/// let mut has_x = |tree: &parameters::Tree| tree.derivation().text().contains(&b'x');
/// let smallest = reduce(&grammar, &Default::default(), &input, &mut has_x);
/// assert_eq!(smallest.derivation().text(), b"[x]");
/// ```
pub fn reduce(
    grammar: &Grammar,
    settings: &Settings,
    input: &[u8],
    interesting: Interesting<'_>,
) -> Tree {
    reduce_until(grammar, settings, input, interesting, &|| false)
}

/// Reduces a sentence as [`reduce`] does, until `is_over` returns true.
fn reduce_until(
    grammar: &Grammar,
    settings: &Settings,
    input: &[u8],
    interesting: Interesting<'_>,
    is_over: &dyn Fn() -> bool,
) -> Tree {
    let mut reduction = Reduction {
        grammar,
        settings,
        interesting,
        is_over,
        best: Tree::default(),
        candidate: Tree::default(),
        workspace: Workspace::default(),
        buffers: SpliceBuffers::default(),
        bytes: Vec::new(),
        refused: HashSet::new(),
    };
    parameters::read(
        grammar,
        settings,
        input,
        &mut reduction.workspace,
        &mut reduction.best,
    );
    while reduction.round() {}
    reduction.best
}

/// The words of the grammar that a reduced sentence may have: the words of the first sentence and of the
/// simplest subtrees.
///
/// A sentence with other words may fail for another reason in the same way. If two operators of a
/// program give wrong results, a sentence with one of them must not become one with the other.
#[derive(Debug)]
pub struct ReductionWords(HashSet<SymbolId>);

impl ReductionWords {
    /// Returns the words for the first sentence.
    pub fn of(grammar: &Grammar, first: &Derivation) -> ReductionWords {
        let symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let simplest = symbols.filter_map(|symbol| grammar.alternatives(symbol).first());
        let children = simplest.flat_map(|alternative| grammar.children(alternative));
        let simple_words = children.filter_map(|child| grammar.word(child.symbol));
        ReductionWords(simple_words.chain(words(grammar, first)).collect())
    }

    /// Returns whether a sentence has no other words.
    pub fn include_all_of(&self, grammar: &Grammar, sentence: &Derivation) -> bool {
        words(grammar, sentence).all(|word| self.0.contains(&word))
    }
}

/// Returns the words of the grammar in a sentence.
fn words<'a>(
    grammar: &'a Grammar,
    sentence: &'a Derivation,
) -> impl Iterator<Item = SymbolId> + 'a {
    let nodes = sentence.nodes().iter();
    nodes.filter_map(|node| grammar.word(node.symbol))
}

/// A function of the caller that returns whether an input is still interesting.
pub type InterestingInput<'a> = &'a mut dyn FnMut(&Input) -> bool;

/// Reduces an interesting input, whose text may be edited, to a smaller one that is still
/// interesting. `interesting` is not called for the input itself.
///
/// If the sentence without edits is interesting, the result is a sentence. Otherwise characters of
/// the text are removed, too. If some can be removed, the result is the simplest sentence with one
/// edit that results in the remaining text.
pub fn reduce_input(
    grammar: &Grammar,
    settings: &Settings,
    input: &[u8],
    interesting: InterestingInput<'_>,
) -> Input {
    reduce_input_until(grammar, settings, input, interesting, &|| false)
}

/// Reduces an input as [`reduce_input`] does, until `is_over` returns true. No input is tried after
/// that.
pub fn reduce_input_until(
    grammar: &Grammar,
    settings: &Settings,
    input: &[u8],
    interesting: InterestingInput<'_>,
    is_over: &dyn Fn() -> bool,
) -> Input {
    let (mut workspace, mut best) = (Workspace::default(), Input::default());
    best.read(grammar, settings, input, &mut workspace);
    let mut edited = |tree: &Tree, edits: &TextEdits| {
        let mut candidate = Input::of(tree.clone());
        candidate.edit(grammar, settings, edits, &mut workspace);
        candidate
    };
    let mut edits = best.edits().clone();
    if !edits.is_empty() {
        let plain = edited(&best.tree, &TextEdits::default());
        if !is_over() && interesting(&plain) {
            (edits, best) = (TextEdits::default(), plain);
        }
    }
    for at in (0..edits.list().len()).rev() {
        let mut fewer = edits.clone();
        fewer.remove(at);
        let candidate = edited(&best.tree, &fewer);
        if !is_over() && interesting(&candidate) {
            (edits, best) = (fewer, candidate);
        }
    }
    let mut is_interesting = |tree: &Tree| interesting(&edited(tree, &edits));
    let parameters = best.tree.parameters();
    let tree = reduce_until(grammar, settings, parameters, &mut is_interesting, is_over);
    best = edited(&tree, &edits);
    if edits.is_empty() {
        return best;
    }
    // The text alone, as one edit of the simplest sentence.
    let simplest = parameters::Decoder::new(grammar)
        .settings(*settings)
        .tree(&[])
        .clone();
    loop {
        let text = best.text().to_vec();
        let found = minimize_text(&text, |text| {
            let mut edits = TextEdits::default();
            if is_over() || !edits.push_difference(simplest.derivation().text(), text) {
                return false;
            }
            let candidate = edited(&simplest, &edits);
            let accepted = interesting(&candidate);
            if accepted {
                best = candidate;
            }
            accepted
        });
        if !found {
            return best;
        }
    }
}

/// Removes ranges of characters of a text (ddmin), and then 2 to [`NEIGHBOURS`] adjacent characters
/// together, such as a pair of brackets. `accept` is called with the remaining text and returns
/// whether the characters may be removed. Returns whether some were removed.
fn minimize_text(text: &[u8], mut accept: impl FnMut(&[u8]) -> bool) -> bool {
    let mut rest: Vec<&[u8]> = match std::str::from_utf8(text) {
        Ok(text) => text
            .char_indices()
            .map(|(at, character)| &text.as_bytes()[at..at + character.len_utf8()])
            .collect(),
        Err(_) => text.chunks(1).collect(),
    };
    let mut found = minimize(rest.clone(), 0, |characters| {
        let accepted = accept(&characters.concat());
        if accepted {
            rest = characters.to_vec();
        }
        accepted
    });
    for size in 2..=NEIGHBOURS {
        let mut at = 0;
        while at + size <= rest.len() {
            let without: Vec<&[u8]> = rest[..at]
                .iter()
                .chain(&rest[at + size..])
                .copied()
                .collect();
            if accept(&without.concat()) {
                (rest, found) = (without, true);
            } else {
                at += 1;
            }
        }
    }
    found
}

/// The state of a search.
struct Reduction<'a> {
    grammar: &'a Grammar,
    settings: &'a Settings,
    interesting: Interesting<'a>,
    is_over: &'a dyn Fn() -> bool,
    /// The simplest interesting sentence so far.
    best: Tree,
    /// The spliced sentence that is being tried.
    candidate: Tree,
    workspace: Workspace,
    buffers: SpliceBuffers,
    bytes: Vec<u8>,
    /// The texts for which `interesting` returned false.
    refused: HashSet<Vec<u8>>,
}

impl Reduction<'_> {
    /// Tries the splices of every node, and then tries to give identifiers equal names. Returns
    /// whether a spliced sentence was accepted.
    fn round(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.best.derivation().nodes().len() && !(self.is_over)() {
            // After a splice was accepted, the splices of the same node are tried again.
            while node < self.best.derivation().nodes().len() && self.reduce_node(node) {
                found = true;
            }
            node += 1;
        }
        found | self.unify_names()
    }

    /// Tries the splices of a node until a spliced sentence is accepted. Returns whether one was
    /// accepted.
    fn reduce_node(&mut self, node: usize) -> bool {
        if self.attempt(&RemoveLayout { node }) {
            return true;
        }
        let view = view(self.grammar, self.settings, &self.best);
        if view.part(node).is_empty() || view.role(node) == Role::Fixed {
            return false;
        }
        self.attempt(&Simplify { node })
            || self.attempt_any(|view, _| Hoist::list(view, node, CANDIDATES))
            || self.attempt_any(|view, buffers| Promote::list(view, buffers, node, CANDIDATES))
            || self.attempt_any(|view, _| PullElement::list(view, node, CANDIDATES))
            || self.attempt(&InlineName { declaration: node })
            || self.reduce_choice(node)
    }

    /// Tries smaller choices of a node: earlier alternatives, fewer elements, or fewer and simpler
    /// characters.
    fn reduce_choice(&mut self, node: usize) -> bool {
        let derivation = self.best.derivation();
        let choice = derivation.nodes()[node].choice;
        match self.grammar[derivation.nodes()[node].symbol].kind {
            Kind::Nonterminal { .. } => {
                let alternatives = self.grammar.alternatives(derivation.nodes()[node].symbol);
                // Arguments of rules forbid some alternatives.
                let is_possible =
                    |alternative: &u32| alternatives[*alternative as usize].minimum.is_finite();
                let lesser = |alternative| ChangeAlternative {
                    node,
                    alternative,
                    wraps: false,
                };
                self.attempt_any(|_, _| (0..choice).filter(is_possible).map(lesser).collect())
            }
            Kind::Repeat { at_least, .. } => {
                let elements = derivation
                    .children(node)
                    .map(|element| element as u32)
                    .collect();
                self.remove_elements(node, elements, at_least as usize)
            }
            Kind::Run {
                at_least, at_most, ..
            } => self.simplify_characters(node, at_least, at_most),
            _ => false,
        }
    }

    /// Tries splices until a spliced sentence is accepted. Returns whether one was accepted.
    fn attempt_any<E: Splice>(
        &mut self,
        list: impl FnOnce(&TreeView<'_>, &mut SpliceBuffers) -> Vec<E>,
    ) -> bool {
        let splices = list(
            &view(self.grammar, self.settings, &self.best),
            &mut self.buffers,
        );
        splices.iter().any(|splice| self.attempt(splice))
    }

    /// Tries one splice. Returns whether the spliced sentence was accepted.
    fn attempt(&mut self, splice: &impl Splice) -> bool {
        if (self.is_over)() {
            return false;
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        let view = view(self.grammar, self.settings, &self.best);
        let changes =
            splice.write(&view, &mut self.buffers, &mut bytes) && bytes != self.best.parameters();
        let accepted = changes && self.try_parameters(&bytes);
        self.bytes = bytes;
        accepted
    }

    /// Decodes parameters. If their sentence is interesting and simpler than the best one, accepts
    /// it: it becomes the best one. Returns whether the sentence was accepted.
    fn try_parameters(&mut self, bytes: &[u8]) -> bool {
        parameters::read(
            self.grammar,
            self.settings,
            bytes,
            &mut self.workspace,
            &mut self.candidate,
        );
        let rank = |tree: &Tree| (tree.derivation().text().len(), tree.parameters().len());
        let order = rank(&self.candidate).cmp(&rank(&self.best));
        let is_simpler = order
            .then_with(|| self.candidate.parameters().cmp(self.best.parameters()))
            .is_lt();
        let text = self.candidate.derivation().text();
        if !is_simpler || self.refused.contains(text) {
            return false;
        }
        // A sentence with the text of the best one is interesting, so the caller is not called
        // again.
        if text != self.best.derivation().text() && !(self.interesting)(&self.candidate) {
            self.refused.insert(text.to_vec());
            return false;
        }
        std::mem::swap(&mut self.best, &mut self.candidate);
        true
    }

    /// Tries to remove elements of a repetition. Returns whether a spliced sentence was accepted.
    fn remove_elements(&mut self, node: usize, elements: Vec<u32>, at_least: usize) -> bool {
        // The nodes in `elements` belong to this sentence, even after `best` has changed.
        let before = self.best.clone();
        let (grammar, settings) = (self.grammar, self.settings);
        minimize(elements, at_least, |elements| {
            if (self.is_over)() {
                return false;
            }
            let set = SetElements {
                node,
                elements,
                new: &[],
                count: elements.len() as u32,
            };
            let mut bytes = std::mem::take(&mut self.bytes);
            let written = set.write(
                &view(grammar, settings, &before),
                &mut self.buffers,
                &mut bytes,
            );
            let accepted =
                written && bytes != self.best.parameters() && self.try_parameters(&bytes);
            self.bytes = bytes;
            accepted
        })
    }

    /// Tries to remove characters of a run, or to replace them by the simplest one. Returns whether
    /// a spliced sentence was accepted.
    fn simplify_characters(&mut self, node: usize, at_least: u32, at_most: u32) -> bool {
        let all = characters(&view(self.grammar, self.settings, &self.best), node);
        let is_fixed = at_least == at_most;
        if !is_fixed
            && minimize(all.clone(), at_least as usize, |characters| {
                self.attempt(&SetCharacters { node, characters })
            })
        {
            return true;
        }
        (0..all.len()).any(|at| {
            let mut simpler = all.clone();
            let old = std::mem::replace(&mut simpler[at], 0);
            old > 0
                && self.attempt(&SetCharacters {
                    node,
                    characters: &simpler,
                })
        })
    }

    /// Tries to rename each identifier to the first name of its terminal, or to another name in the
    /// sentence. Returns whether a spliced sentence was accepted.
    fn unify_names(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.best.derivation().nodes().len() {
            let view = view(self.grammar, self.settings, &self.best);
            let symbol = view.symbol(node);
            if let Kind::Identifier { .. } = view.kind(node) {
                let own = view.part(node).to_vec();
                let of_symbol =
                    (0..view.nodes().len()).filter(|&other| view.symbol(other) == symbol);
                let mut others: Vec<Vec<u8>> = of_symbol
                    .map(|other| view.part(other).to_vec())
                    .chain([vec![0]])
                    .collect();
                others.sort_unstable();
                others.dedup();
                let mut lesser = others.iter().take_while(|other| **other < own);
                found |= lesser.any(|new| self.rename(node, symbol, (&own, new)));
            }
            node += 1;
        }
        found
    }

    /// Tries to give an identifier another name. In a grammar with names, renames a declaration and
    /// its uses. In other grammars, renames all identifiers of the symbol that have the old name.
    fn rename(&mut self, node: usize, symbol: SymbolId, (old, new): (&[u8], &[u8])) -> bool {
        if self.grammar.has_names() {
            let declaration = node;
            return self.attempt(&RenameDeclaration { declaration, new });
        }
        self.attempt(&Rename {
            root: 0,
            symbol,
            old,
            new,
        })
    }
}

fn view<'a>(grammar: &'a Grammar, settings: &'a Settings, tree: &'a Tree) -> TreeView<'a> {
    TreeView {
        grammar,
        settings,
        tree,
    }
}

/// Removes ranges of a list: first the whole list, then halves, then quarters, and so on (ddmin).
/// `accept` is called with the remaining list and returns whether the range may be removed. Returns
/// whether a range was removed.
fn minimize<T: Clone>(
    mut list: Vec<T>,
    at_least: usize,
    mut accept: impl FnMut(&[T]) -> bool,
) -> bool {
    let mut found = false;
    let mut size = list.len();
    while size > 0 {
        let mut from = 0;
        while from < list.len() {
            let to = (from + size).min(list.len());
            let rest: Vec<T> = list[..from].iter().chain(&list[to..]).cloned().collect();
            if rest.len() >= at_least && accept(&rest) {
                (list, found) = (rest, true);
            } else {
                from = to;
            }
        }
        size /= 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_input_is_tried_after_the_end() {
        let source = br#"s = ( "a" | [b] )* ;"#;
        let grammar = Grammar::read("g", source).unwrap();
        let settings = Settings::default().edits(parameters::Edits::On);
        let mut workspace = Workspace::default();
        let mut tree = Tree::default();
        let input = grammar.encode("ab".repeat(50).as_bytes()).unwrap();
        parameters::read(&grammar, &settings, &input, &mut workspace, &mut tree);
        let text = "ab".repeat(48) + "xy";
        let edited = Input::with_text(tree, text.as_bytes(), &grammar, &settings, &mut workspace);
        for input in [&input, &edited.unwrap()] {
            for allowed in 0..30 {
                let tried = std::cell::Cell::new(0);
                let mut interesting = |_: &Input| {
                    tried.set(tried.get() + 1);
                    false
                };
                let is_over = || tried.get() == allowed;
                reduce_input_until(&grammar, &settings, input, &mut interesting, &is_over);
                assert_eq!(tried.get(), allowed);
            }
        }
    }

    #[test]
    fn minimize_removes_all_other_elements() {
        let needs =
            |needed: &[u32], list: &[u32]| needed.iter().all(|number| list.contains(number));
        for needed in [&[][..], &[3], &[0, 99], &[1, 2, 50]] {
            let (mut result, mut calls) = ((0..100).collect::<Vec<u32>>(), 0);
            minimize((0..100).collect(), 0, |list| {
                calls += 1;
                let accepts = needs(needed, list);
                if accepts {
                    result = list.to_vec();
                }
                accepts
            });
            assert_eq!(result, needed);
            assert!(calls < 150, "{calls} calls");
        }
        assert!(!minimize(vec![1, 2], 2, |_| true), "two elements must stay");
    }
}
