//! Reduction: searches the smallest sentence that a caller still finds interesting.
//!
//! The search is greedy and hierarchical, from the root to the leaves, as in HDD (Misherghi and Su, ICSE 2006) and Picireny. At
//! every node it tries edits that shrink the sentence, and keeps the first that is still interesting:
//!
//! * remove layout,
//! * replace a subtree by the simplest of its symbol,
//! * hoist a subtree of the same symbol from inside it,
//! * promote a subtree from inside it through a unit chain,
//! * pull a subtree of the same symbol from a later list, and remove the element that it stood in,
//! * take an earlier alternative,
//! * remove elements of a repetition and characters of a run (ddmin, Zeller and Hildebrandt, TSE 2002),
//! * and, after all nodes, give several names the same spelling.
//!
//! Rounds over the sentence end when a whole round finds nothing.
//!
//! # Guarantees
//!
//! Every result is a sentence of the grammar, is interesting, and is simpler than the one before: its text is shorter, or as long
//! with lesser parameters. The same calls ask about the same sentences in the same order, and about no text twice.
//!
//! # Not guaranteed
//!
//! The result need not be the smallest interesting sentence of the grammar: no single edit makes it smaller.

use std::collections::HashSet;

use crate::derive::Workspace;
use crate::edit::{
    ChangeAlternative, Edit, EditBuffers, Hoist, Promote, PullElement, RemoveLayout, Rename, SetCharacters, SetElements,
    Simplify, TreeView, characters,
};
use crate::grammar::{Grammar, Kind, Role, SymbolId};
use crate::parameters::{self, Settings, Tree};

/// How many subtrees are tried in the place of one.
const CANDIDATES: usize = 16;

/// Decides whether a sentence is still interesting.
pub type Interesting<'a> = &'a mut dyn FnMut(&Tree) -> bool;

/// Reduces a sentence as long as `interesting` says that the smaller one will do.
///
/// `input` are the parameters of a sentence that is interesting; it is not asked about. The result is in canonical form.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, derivation::Derivation, notation, parameters, parse::Parser, reduce::reduce};
///
/// let source = br#"list = "[" ( list | [a-z] )* "]" ;"#;
/// let (grammar, _warnings) = notation::read("lists.ebnf", source, &Caps::default()).unwrap();
/// let (mut sentence, mut input) = (Derivation::default(), Vec::new());
/// Parser::new(&grammar).parse(b"[a[b[x]c]d]", &mut sentence).unwrap();
/// parameters::encode(&grammar, &sentence, &mut input);
///
/// let mut has_x = |tree: &parameters::Tree| tree.derivation().text().contains(&b'x');
/// let smallest = reduce(&grammar, &Default::default(), &input, &mut has_x);
/// assert_eq!(smallest.derivation().text(), b"[x]");
/// ```
pub fn reduce(grammar: &Grammar, settings: &Settings, input: &[u8], interesting: Interesting<'_>) -> Tree {
    let mut reduction = Reduction {
        grammar,
        settings,
        interesting,
        best: Tree::default(),
        candidate: Tree::default(),
        workspace: Workspace::default(),
        buffers: EditBuffers::default(),
        bytes: Vec::new(),
        refused: HashSet::new(),
    };
    parameters::read(grammar, settings, input, &mut reduction.workspace, &mut reduction.best);
    while reduction.round() {}
    reduction.best
}

struct Reduction<'a> {
    grammar: &'a Grammar,
    settings: &'a Settings,
    interesting: Interesting<'a>,
    /// The simplest interesting sentence so far.
    best: Tree,
    candidate: Tree,
    workspace: Workspace,
    buffers: EditBuffers,
    bytes: Vec<u8>,
    /// Texts that are not interesting.
    refused: HashSet<Vec<u8>>,
}

impl Reduction<'_> {
    /// Tries all edits once. Returns whether one was kept.
    fn round(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.best.derivation().nodes().len() {
            // A node that became smaller may become smaller still.
            while node < self.best.derivation().nodes().len() && self.reduce_node(node) {
                found = true;
            }
            node += 1;
        }
        found | self.unify_names()
    }

    /// Tries the edits of a node. Returns whether one was kept.
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
            || self.reduce_choice(node)
    }

    /// Tries lesser choices of a node itself.
    fn reduce_choice(&mut self, node: usize) -> bool {
        let derivation = self.best.derivation();
        let choice = derivation.nodes()[node].choice;
        match self.grammar[derivation.nodes()[node].symbol].kind {
            Kind::Nonterminal { .. } => {
                let lesser = |alternative| ChangeAlternative { node, alternative, wraps: false };
                self.attempt_any(|_, _| (0..choice).map(lesser).collect())
            }
            Kind::Repeat { at_least, .. } => {
                let elements = derivation.children(node).map(|element| element as u32).collect();
                self.remove_elements(node, elements, at_least as usize)
            }
            Kind::Run { at_least, at_most, .. } => self.simplify_characters(node, at_least, at_most),
            _ => false,
        }
    }

    /// Tries edits until one is kept.
    fn attempt_any<E: Edit>(&mut self, list: impl FnOnce(&TreeView<'_>, &mut EditBuffers) -> Vec<E>) -> bool {
        let edits = list(&view(self.grammar, self.settings, &self.best), &mut self.buffers);
        edits.iter().any(|edit| self.attempt(edit))
    }

    /// Keeps the edited sentence if it is simpler and interesting.
    fn attempt(&mut self, edit: &impl Edit) -> bool {
        let mut bytes = std::mem::take(&mut self.bytes);
        let view = view(self.grammar, self.settings, &self.best);
        let changes = edit.write(&view, &mut self.buffers, &mut bytes) && bytes != self.best.parameters();
        let kept = changes && self.keep(&bytes);
        self.bytes = bytes;
        kept
    }

    fn keep(&mut self, bytes: &[u8]) -> bool {
        parameters::read(self.grammar, self.settings, bytes, &mut self.workspace, &mut self.candidate);
        let rank = |tree: &Tree| (tree.derivation().text().len(), tree.parameters().len());
        let order = rank(&self.candidate).cmp(&rank(&self.best));
        let is_simpler = order.then_with(|| self.candidate.parameters().cmp(self.best.parameters())).is_lt();
        let text = self.candidate.derivation().text();
        if !is_simpler || self.refused.contains(text) {
            return false;
        }
        // The text is interesting if it is that of the best sentence, with lesser parameters.
        if text != self.best.derivation().text() && !(self.interesting)(&self.candidate) {
            self.refused.insert(text.to_vec());
            return false;
        }
        std::mem::swap(&mut self.best, &mut self.candidate);
        true
    }

    /// Tries fewer elements of a repetition.
    fn remove_elements(&mut self, node: usize, elements: Vec<u32>, at_least: usize) -> bool {
        // The elements stay nodes of this sentence while `best` changes.
        let before = self.best.clone();
        let (grammar, settings) = (self.grammar, self.settings);
        minimize(elements, at_least, |elements| {
            let set = SetElements { node, elements, new: &[], count: elements.len() as u32 };
            let mut bytes = std::mem::take(&mut self.bytes);
            let written = set.write(&view(grammar, settings, &before), &mut self.buffers, &mut bytes);
            let kept = written && bytes != self.best.parameters() && self.keep(&bytes);
            self.bytes = bytes;
            kept
        })
    }

    /// Tries fewer characters of a run, and simpler ones.
    fn simplify_characters(&mut self, node: usize, at_least: u32, at_most: u32) -> bool {
        let all = characters(&view(self.grammar, self.settings, &self.best), node);
        let is_fixed = at_least == at_most;
        if !is_fixed && minimize(all.clone(), at_least as usize, |characters| self.attempt(&SetCharacters { node, characters })) {
            return true;
        }
        (0..all.len()).any(|at| {
            let mut simpler = all.clone();
            let old = std::mem::replace(&mut simpler[at], 0);
            old > 0 && self.attempt(&SetCharacters { node, characters: &simpler })
        })
    }

    /// Tries to give all occurrences of a name the first name of its symbol, or another name of the sentence.
    fn unify_names(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.best.derivation().nodes().len() {
            let view = view(self.grammar, self.settings, &self.best);
            let symbol = view.symbol(node);
            if let Kind::Identifier { .. } = view.kind(node) {
                let own = view.part(node).to_vec();
                let of_symbol = (0..view.nodes().len()).filter(|&other| view.symbol(other) == symbol);
                let mut others: Vec<Vec<u8>> = of_symbol.map(|other| view.part(other).to_vec()).chain([vec![0]]).collect();
                others.sort();
                others.dedup();
                let mut lesser = others.iter().take_while(|other| **other < own);
                found |= lesser.any(|new| self.rename(symbol, &own, new));
            }
            node += 1;
        }
        found
    }

    fn rename(&mut self, symbol: SymbolId, old: &[u8], new: &[u8]) -> bool {
        self.attempt(&Rename { root: 0, symbol, old, new })
    }
}

fn view<'a>(grammar: &'a Grammar, settings: &'a Settings, tree: &'a Tree) -> TreeView<'a> {
    TreeView { grammar, settings, tree }
}

/// Removes stretches of a list: halves, then quarters, and so on (ddmin). `keep` decides about the rest of a list. Returns whether
/// anything was removed.
fn minimize<T: Clone>(mut list: Vec<T>, at_least: usize, mut keep: impl FnMut(&[T]) -> bool) -> bool {
    let mut found = false;
    let mut size = list.len();
    while size > 0 {
        let mut from = 0;
        while from < list.len() {
            let to = (from + size).min(list.len());
            let rest: Vec<T> = list[..from].iter().chain(&list[to..]).cloned().collect();
            if rest.len() >= at_least && keep(&rest) {
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
    fn minimize_finds_scattered_elements() {
        let needs = |wanted: &[u32], list: &[u32]| wanted.iter().all(|number| list.contains(number));
        for wanted in [&[][..], &[3], &[0, 99], &[1, 2, 50]] {
            let (mut kept, mut calls) = ((0..100).collect::<Vec<u32>>(), 0);
            minimize((0..100).collect(), 0, |list| {
                calls += 1;
                let keeps = needs(wanted, list);
                if keeps {
                    kept = list.to_vec();
                }
                keeps
            });
            assert_eq!(kept, wanted);
            assert!(calls < 150, "{calls} calls");
        }
        assert!(!minimize(vec![1, 2], 2, |_| true), "two elements must stay");
    }
}
