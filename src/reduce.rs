//! Reduction: the least that is still interesting, by whoever is asked.
//!
//! Hierarchical, as HDD (Misherghi and Su, ICSE 2006) and Picireny do it, from the root to the leaves: a subtree becomes the
//! simplest of its symbol, or a smaller alternative with the children that fit, or one like it inside it (hoisting), or what
//! inside it can stand in its place by a unit chain; layout goes; of repetitions, elements go (ddmin, Zeller and Hildebrandt, TSE 2002); and names become other names. It goes round until a
//! whole round finds nothing. What holds: every result is a sentence, interesting, and simpler than the one before: shorter text,
//! or as short with lesser parameters; the same questions are asked in the same order every time, and none twice.

use std::collections::HashSet;

use crate::derivation::Derivation;
use crate::derive::{Choice, Workspace};
use crate::grammar::{ClassId, Grammar, Kind, Role, SymbolId};
use crate::mutate::splice;
use crate::parameters::{self, Settings, Tree};
use crate::units::Units;

/// Subtrees that are tried in the place of one.
const HOISTS: usize = 16;

/// What is asked whether a sentence is still interesting.
pub type Interesting<'a> = &'a mut dyn FnMut(&Tree) -> bool;

/// Reduces parameters, whose sentence is taken to be interesting; what is left, in canonical form.
pub fn reduce(grammar: &Grammar, settings: &Settings, input: &[u8], interesting: Interesting<'_>) -> Tree {
    let mut reduction = Reduction {
        grammar,
        settings,
        interesting,
        tree: Tree::default(),
        candidate: Tree::default(),
        workspace: Workspace::default(),
        units: Units::new(grammar),
        asked: HashSet::new(),
    };
    parameters::read(grammar, settings, input, &mut reduction.workspace, &mut reduction.tree);
    while reduction.round() {}
    reduction.tree
}

struct Reduction<'a> {
    grammar: &'a Grammar,
    settings: &'a Settings,
    interesting: Interesting<'a>,
    /// The best so far.
    tree: Tree,
    candidate: Tree,
    workspace: Workspace,
    units: Units,
    /// Texts that were not interesting.
    asked: HashSet<Vec<u8>>,
}

impl Reduction<'_> {
    /// Tries everything once; whether anything came of it.
    fn round(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.nodes() {
            // What is smaller now may be smaller yet.
            while node < self.nodes() && self.at(node) {
                found = true;
            }
            node += 1;
        }
        found | self.names()
    }

    fn nodes(&self) -> usize {
        self.tree.derivation().nodes().len()
    }

    fn symbol(&self, node: usize) -> SymbolId {
        self.tree.derivation().nodes()[node].symbol
    }

    /// Tries what there is to try at a node; whether anything came of it.
    fn at(&mut self, node: usize) -> bool {
        let symbol = self.symbol(node);
        if self.layout(node) {
            return true;
        }
        if self.tree.span(node).is_empty() || self.grammar.role(symbol) == Role::Fixed {
            return false;
        }
        if self.replace(node, &self.simplest(symbol)) || self.hoist(node) || self.lift(node) || self.pull(node) {
            return true;
        }
        match self.grammar[symbol].kind {
            Kind::Nonterminal { .. } => self.alternatives(node),
            Kind::Repeat { at_least, .. } => self.elements(node, at_least),
            Kind::Run { class, at_least, at_most } => self.characters(node, class, at_least, at_most),
            _ => false,
        }
    }

    /// Asks whether the tree may have these parameters; if so, it has.
    fn try_out(&mut self, bytes: &[u8]) -> bool {
        parameters::read(self.grammar, self.settings, bytes, &mut self.workspace, &mut self.candidate);
        let rank = |tree: &Tree| (tree.derivation().text().len(), tree.parameters().len());
        let order = rank(&self.candidate).cmp(&rank(&self.tree));
        let is_simpler = order.then_with(|| self.candidate.parameters().cmp(self.tree.parameters())).is_lt();
        let text = self.candidate.derivation().text();
        if !is_simpler || self.asked.contains(text) {
            return false;
        }
        // The same text, spelled with lesser parameters, needs no asking.
        if text != self.tree.derivation().text() && !(self.interesting)(&self.candidate) {
            self.asked.insert(text.to_vec());
            return false;
        }
        std::mem::swap(&mut self.tree, &mut self.candidate);
        true
    }

    /// Tries other parameters for a subtree.
    fn replace(&mut self, node: usize, part: &[u8]) -> bool {
        let span = self.tree.span(node);
        if self.tree.parameters()[span.clone()] == *part {
            return false;
        }
        let mut bytes = Vec::new();
        splice(self.tree.parameters(), span, part, &mut bytes);
        self.try_out(&bytes)
    }

    fn simplest(&self, symbol: SymbolId) -> Vec<u8> {
        let (mut derivation, mut bytes) = (Derivation::default(), Vec::new());
        parameters::write_simplest(self.grammar, symbol, self.settings, &mut Workspace::default(), &mut derivation, &mut bytes);
        bytes
    }

    /// Tries the like of a subtree that are inside it, the smallest first.
    fn hoist(&mut self, node: usize) -> bool {
        let end = node + self.tree.derivation().nodes()[node].size as usize;
        let mut inside: Vec<usize> = (node + 1..end).filter(|&inner| self.symbol(inner) == self.symbol(node)).collect();
        inside.sort_by_key(|&inner| self.tree.span(inner).len());
        let parts = inside.iter().take(HOISTS).map(|&inner| self.tree.parameters()[self.tree.span(inner)].to_vec());
        let parts: Vec<Vec<u8>> = parts.collect();
        parts.iter().any(|part| self.replace(node, part))
    }

    /// Tries what is inside a subtree and can stand in its place, the largest first.
    fn lift(&mut self, node: usize) -> bool {
        let (symbol, derivation) = (self.symbol(node), self.tree.derivation());
        if self.grammar.role(symbol) != Role::Syntax {
            return false;
        }
        let length = |node: usize| derivation.text_range(node).len();
        let end = node + derivation.nodes()[node].size as usize;
        let is_part = |inner: &usize| {
            self.grammar.role(self.symbol(*inner)) == Role::Syntax
                && self.symbol(*inner) != symbol
                && length(*inner) < length(node)
        };
        let mut inside: Vec<usize> = (node + 1..end).filter(is_part).collect();
        inside.sort_by_key(|&inner| std::cmp::Reverse(length(inner)));
        let mut parts = Vec::new();
        for inner in inside {
            let (mut bytes, part) = (Vec::new(), &self.tree.parameters()[self.tree.span(inner)]);
            if self.units.wrap(
                self.grammar,
                self.settings,
                symbol,
                self.tree.derivation().nodes()[inner].symbol,
                part,
                &mut bytes,
            ) {
                parts.push(bytes);
            }
            if parts.len() == HOISTS {
                break;
            }
        }
        parts.iter().any(|part| self.replace(node, part))
    }

    /// Tries a token without the layout before it.
    fn layout(&mut self, node: usize) -> bool {
        let lexeme = self.tree.derivation().nodes()[node];
        if !matches!(self.grammar[self.symbol(node)].kind, Kind::Lexeme { layout: true, .. }) || lexeme.choice == 0 {
            return false;
        }
        let pieces = lexeme.pieces() as usize;
        let mut part = Vec::new();
        parameters::write_choice(Choice::Layout, 0, &mut part);
        let body = self.tree.derivation().children(node).nth(pieces);
        part.extend_from_slice(body.map_or(&[], |body| &self.tree.parameters()[self.tree.span(body)]));
        self.replace(node, &part)
    }

    /// Tries the like of a subtree that are in elements of later repetitions, and leaves these elements out: so the first of a
    /// list can go that is written `first ( "," other )*`.
    fn pull(&mut self, node: usize) -> bool {
        let symbol = self.symbol(node);
        let derivation = self.tree.derivation();
        let end = node + derivation.nodes()[node].size as usize;
        let mut candidates = Vec::new();
        for repeat in end..self.nodes() {
            let Kind::Repeat { at_least, .. } = self.grammar[self.symbol(repeat)].kind else { continue };
            let count = derivation.nodes()[repeat].choice;
            if count <= at_least {
                continue;
            }
            for element in derivation.children(repeat) {
                let inside = element..element + derivation.nodes()[element].size as usize;
                if let Some(like) = inside.into_iter().find(|&inner| self.symbol(inner) == symbol) {
                    let parameters = self.tree.parameters();
                    let (own, list, element) = (self.tree.span(node), self.tree.span(repeat), self.tree.span(element));
                    let mut bytes =
                        [&parameters[..own.start], &parameters[self.tree.span(like)], &parameters[own.end..list.start]].concat();
                    parameters::write_choice(Choice::Count { at_least }, count - 1, &mut bytes);
                    let first = derivation.children(repeat).next().map_or(list.end, |first| self.tree.span(first).start);
                    bytes.extend_from_slice(&parameters[first..element.start]);
                    bytes.extend_from_slice(&parameters[element.end..]);
                    candidates.push(bytes);
                }
            }
            if candidates.len() >= HOISTS {
                break;
            }
        }
        candidates.iter().any(|bytes| self.try_out(bytes))
    }

    /// Tries the alternatives before the one that is there, with the children that fit and else the simplest.
    fn alternatives(&mut self, node: usize) -> bool {
        let grammar = self.grammar;
        let (symbol, choice) = (self.symbol(node), self.tree.derivation().nodes()[node].choice);
        let alternatives = grammar.alternatives(symbol);
        (0..choice).any(|index| {
            let mut part = Vec::new();
            parameters::write_choice(Choice::Alternative { options: alternatives.len() as u32 }, index, &mut part);
            let mut old: Vec<usize> = self.tree.derivation().children(node).collect();
            for child in grammar.children(&alternatives[index as usize]) {
                match old.iter().position(|&old| grammar.is_like(self.symbol(old), child.symbol)) {
                    Some(at) => part.extend_from_slice(&self.tree.parameters()[self.tree.span(old.remove(at))]),
                    None => part.extend(self.simplest(child.symbol)),
                }
            }
            self.replace(node, &part)
        })
    }

    /// Tries fewer elements of a repetition.
    fn elements(&mut self, node: usize, at_least: u32) -> bool {
        let elements = self.tree.derivation().children(node);
        let parts: Vec<Vec<u8>> = elements.map(|element| self.tree.parameters()[self.tree.span(element)].to_vec()).collect();
        fewer(parts, at_least as usize, |left| {
            let mut part = Vec::new();
            parameters::write_choice(Choice::Count { at_least }, left.len() as u32, &mut part);
            left.iter().for_each(|element| part.extend_from_slice(element));
            self.replace(node, &part)
        })
    }

    /// Tries fewer characters of a run, and simpler ones.
    fn characters(&mut self, node: usize, class: ClassId, at_least: u32, at_most: u32) -> bool {
        let class = &self.grammar[class];
        let mut text = &self.tree.derivation().text()[self.tree.derivation().text_range(node)];
        let mut characters = Vec::new();
        while !text.is_empty() {
            let (character, length) = class.read(text);
            characters.push(class.index_of(character).unwrap_or(0));
            text = &text[length..];
        }
        let write = |indices: &[u32]| {
            let mut part = Vec::new();
            if at_most > at_least {
                parameters::write_choice(Choice::Count { at_least }, indices.len() as u32, &mut part);
            }
            indices.iter().for_each(|&index| parameters::write_choice(Choice::Member(class), index, &mut part));
            part
        };
        let fixed = at_least == at_most;
        if !fixed && fewer(characters.clone(), at_least as usize, |left| self.replace(node, &write(left))) {
            return true;
        }
        (0..characters.len()).any(|at| {
            let mut simpler = characters.clone();
            let old = std::mem::replace(&mut simpler[at], 0);
            old > 0 && self.replace(node, &write(&simpler))
        })
    }

    /// Tries the first names of the sequence, and names that the sentence has, in the place of others.
    fn names(&mut self) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.nodes() {
            let symbol = self.symbol(node);
            if let Kind::Identifier { .. } = self.grammar[symbol].kind {
                let own = self.tree.parameters()[self.tree.span(node)].to_vec();
                let mut others: Vec<Vec<u8>> = (0..self.nodes())
                    .filter(|&other| self.symbol(other) == symbol)
                    .map(|other| self.tree.parameters()[self.tree.span(other)].to_vec())
                    .chain([vec![0]])
                    .collect();
                others.sort();
                others.dedup();
                found |= others.iter().take_while(|other| **other < own).any(|other| self.rename(symbol, &own, other));
            }
            node += 1;
        }
        found
    }

    /// Tries another name for all of one name.
    fn rename(&mut self, symbol: SymbolId, old: &[u8], new: &[u8]) -> bool {
        let (mut bytes, mut done) = (Vec::new(), 0);
        for node in 0..self.nodes() {
            let span = self.tree.span(node);
            if self.symbol(node) == symbol && self.tree.parameters()[span.clone()] == *old {
                bytes.extend_from_slice(&self.tree.parameters()[done..span.start]);
                bytes.extend_from_slice(new);
                done = span.end;
            }
        }
        bytes.extend_from_slice(&self.tree.parameters()[done..]);
        self.try_out(&bytes)
    }
}

/// ddmin: tries to leave out halves of a list, then quarters, and so on; whether anything could go. `left` is told what would be
/// left.
fn fewer<T: Clone>(mut list: Vec<T>, at_least: usize, mut left: impl FnMut(&[T]) -> bool) -> bool {
    let mut found = false;
    let mut size = list.len();
    while size > 0 {
        let mut from = 0;
        while from < list.len() {
            let to = (from + size).min(list.len());
            let rest: Vec<T> = list[..from].iter().chain(&list[to..]).cloned().collect();
            if rest.len() >= at_least && left(&rest) {
                (list, found) = (rest, true);
            } else {
                from = to;
            }
        }
        size /= 2;
    }
    found
}
