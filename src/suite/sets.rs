//! Computes the terminals with which derivations begin and end, and the pairs that can be adjacent.
//!
//! Besides terminals, the sets can contain the [edge](TokenSets::edge) of a sentence. In a set of
//! preceding terminals, it stands for the beginning of the sentence. In a set of following
//! terminals, it stands for the end.

use std::collections::{HashMap, HashSet};

use super::skeleton::{PathStep, Skeleton};
use super::tree::{Fragment, SkeletonNode, SkeletonTree, opened, with_child};
use crate::grammar::sets::{Sets, join, numbers};

pub struct TokenSets {
    /// For each symbol, whether it derives the empty text.
    nullable: Vec<bool>,
    /// For each symbol, the terminals that its texts begin with.
    first: Sets,
    /// For each symbol, the terminals that its texts end with.
    last: Sets,
    /// For each symbol, the terminals that come after it in sentences.
    follow: Sets,
    /// For each symbol, the terminals that come before it in sentences.
    precede: Sets,
    /// For each terminal, and for the edge: the terminals that come directly after it in sentences.
    after: Sets,
    edge: usize,
}

/// The side of a symbol on which a token stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl TokenSets {
    pub fn new(skeleton: &Skeleton<'_>) -> TokenSets {
        let (count, edge) = (skeleton.symbols.len(), skeleton.terminals.len());
        let sets = |count| Sets::new(count, edge + 1);
        let nullable = skeleton
            .symbols
            .iter()
            .map(|symbol| skeleton.grammar[symbol.id].min_bytes == 0)
            .collect();
        let (first, last, follow, precede) = (sets(count), sets(count), sets(count), sets(count));
        let mut all = TokenSets {
            nullable,
            first,
            last,
            follow,
            precede,
            after: sets(edge + 1),
            edge,
        };
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            if let Some(terminal) = symbol.terminal {
                all.first.add(at, terminal);
                all.last.add(at, terminal);
            }
        }
        while all.grow_inner(skeleton) {}
        all.follow.add(0, edge);
        all.precede.add(0, edge);
        while all.grow_outer(skeleton) {}
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            if let Some(terminal) = symbol.terminal {
                all.after.join_of(terminal, &all.follow, at);
                if all.precede.has(at, edge) {
                    all.after.add(edge, terminal);
                }
            }
        }
        if all.nullable[0] {
            all.after.add(edge, edge);
        }
        all
    }

    /// Makes one pass over all productions that extends the sets of first and last terminals.
    /// Returns whether any set grew.
    fn grow_inner(&mut self, skeleton: &Skeleton<'_>) -> bool {
        let mut grew = false;
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            for production in &symbol.productions {
                for part in &production.parts {
                    grew |= self.first.join(at, part.symbol);
                    if !self.nullable[part.symbol] {
                        break;
                    }
                }
                for part in production.parts.iter().rev() {
                    grew |= self.last.join(at, part.symbol);
                    if !self.nullable[part.symbol] {
                        break;
                    }
                }
            }
        }
        grew
    }

    /// Makes one pass over all productions that extends the sets of following and preceding
    /// terminals. Returns whether any set grew.
    fn grow_outer(&mut self, skeleton: &Skeleton<'_>) -> bool {
        let mut grew = false;
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            for production in &symbol.productions {
                let parts = &production.parts;
                for (index, part) in parts.iter().enumerate() {
                    let after = parts[index + 1..].iter();
                    let before = parts[..index].iter().rev();
                    let is_open = |mut siblings: std::slice::Iter<'_, _>| {
                        siblings.all(|it: &super::skeleton::SkeletonPart| self.nullable[it.symbol])
                    };
                    let (ends, begins) = (
                        is_open(parts[index + 1..].iter()),
                        is_open(parts[..index].iter()),
                    );
                    for sibling in after {
                        grew |= self
                            .follow
                            .join_of(part.symbol, &self.first, sibling.symbol);
                        if !self.nullable[sibling.symbol] {
                            break;
                        }
                    }
                    for sibling in before {
                        grew |= self
                            .precede
                            .join_of(part.symbol, &self.last, sibling.symbol);
                        if !self.nullable[sibling.symbol] {
                            break;
                        }
                    }
                    grew |= ends && self.follow.join(part.symbol, at);
                    grew |= begins && self.precede.join(part.symbol, at);
                }
            }
        }
        grew
    }

    /// Returns the number of the edge of a sentence. Terminals have smaller numbers.
    pub fn edge(&self) -> usize {
        self.edge
    }

    /// Returns whether two terminals are a poisoned pair: no sentence has `one` directly before
    /// `other`. If `one` is the edge, it stands for the beginning of a sentence. If `other` is the
    /// edge, it stands for the end.
    pub fn is_poisoned(&self, one: usize, other: usize) -> bool {
        !self.after.has(one, other)
    }

    /// Returns whether a symbol derives the empty text.
    pub fn is_nullable(&self, symbol: usize) -> bool {
        self.nullable[symbol]
    }

    /// Returns the terminals that a symbol begins with.
    pub fn first(&self, symbol: usize) -> impl Iterator<Item = usize> + '_ {
        numbers(self.first.get(symbol))
    }

    /// Returns the terminals that a symbol ends with.
    pub fn last(&self, symbol: usize) -> impl Iterator<Item = usize> + '_ {
        numbers(self.last.get(symbol))
    }

    /// Returns the terminals directly before a position in a production, as bits: the left set of an
    /// item. `parts` are the symbols before the position.
    pub fn left(&self, symbol: usize, parts: &[usize]) -> Vec<u64> {
        self.beside(parts.iter().rev(), &self.last, self.precede.get(symbol))
    }

    /// Returns the terminals directly after a position in a production, as bits: the right set of an
    /// item. `parts` are the symbols after the position.
    pub fn right(&self, symbol: usize, parts: &[usize]) -> Vec<u64> {
        self.beside(parts.iter(), &self.first, self.follow.get(symbol))
    }

    fn beside<'a>(
        &self,
        parts: impl Iterator<Item = &'a usize>,
        inner: &Sets,
        outer: &[u64],
    ) -> Vec<u64> {
        let mut found = vec![0; outer.len()];
        for &part in parts {
            join(&mut found, inner.get(part));
            if !self.nullable[part] {
                return found;
            }
        }
        join(&mut found, outer);
        found
    }

    /// Returns the terminals that a symbol begins with, as bits.
    pub fn first_bits(&self, symbol: usize) -> &[u64] {
        self.first.get(symbol)
    }

    /// Returns the terminals that a symbol ends with, as bits.
    pub fn last_bits(&self, symbol: usize) -> &[u64] {
        self.last.get(symbol)
    }

    /// Returns the terminals that can come directly after one of these terminals, as bits.
    pub fn after_any(&self, terminals: &[u64]) -> Vec<u64> {
        let mut found = vec![0; terminals.len()];
        numbers(terminals).for_each(|terminal| _ = join(&mut found, self.after.get(terminal)));
        found
    }

    /// Returns the terminals with which texts of a symbol begin. Each comes with a tree with open
    /// leaves whose text begins with the terminal.
    pub fn beginnings(&self, skeleton: &Skeleton<'_>, symbol: usize) -> Vec<(usize, Fragment)> {
        self.first(symbol)
            .filter_map(|terminal| {
                Some((
                    terminal,
                    self.reach(skeleton, symbol, terminal, Side::Left)?,
                ))
            })
            .collect()
    }

    /// Calls `add` for each pair of [named](Skeleton::is_named) symbols that are neighbours in a
    /// sentential form, with a tree that contains the pair. Stops when `add` returns `false`.
    pub fn pairs(
        &self,
        skeleton: &Skeleton<'_>,
        add: &mut dyn FnMut(usize, usize, Fragment) -> bool,
    ) {
        let mut seen: HashSet<(usize, usize)> = HashSet::new();
        for (at, symbol) in skeleton.symbols.iter().enumerate() {
            for (production, it) in symbol.productions.iter().enumerate() {
                let beside =
                    |part: usize, side| self.beside_of(skeleton, it.parts[part].symbol, side);
                let lefts: Vec<Beside> = (0..it.parts.len())
                    .map(|part| beside(part, Side::Right))
                    .collect();
                let rights: Vec<Beside> = (0..it.parts.len())
                    .map(|part| beside(part, Side::Left))
                    .collect();
                for (one, lefts) in lefts.iter().enumerate() {
                    for (other, rights) in rights.iter().enumerate().skip(one + 1) {
                        for (left, right) in lefts.pairs_with(rights) {
                            let pair = (skeleton.same(left), skeleton.same(right));
                            if !skeleton.is_named(pair.0)
                                || !skeleton.is_named(pair.1)
                                || !seen.insert(pair)
                            {
                                continue;
                            }
                            let ends = lefts.tree(skeleton, left);
                            let begins = rights.tree(skeleton, right);
                            let (Some(ends), Some(begins)) = (ends, begins) else {
                                continue;
                            };
                            // Replace the last part first: so the indices of earlier parts stay.
                            let mut fragment =
                                with_child(&opened(skeleton, at, production), other, &begins);
                            for between in (one + 1..other).rev() {
                                fragment = with_child(
                                    &fragment,
                                    between,
                                    &smallest(skeleton, it.parts[between].symbol),
                                );
                            }
                            let fragment = with_child(&fragment, one, &ends);
                            if !add(pair.0, pair.1, fragment) {
                                return;
                            }
                        }
                        if !self.nullable[it.parts[other].symbol] {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Returns a tree of a symbol whose text begins or ends with a terminal.
    fn reach(
        &self,
        skeleton: &Skeleton<'_>,
        symbol: usize,
        terminal: usize,
        side: Side,
    ) -> Option<Fragment> {
        let beside = self.beside_of(skeleton, symbol, side);
        let is_it = |&&at: &&usize| skeleton.symbols[at].terminal == Some(terminal);
        let found = *beside.symbols.iter().find(is_it)?;
        beside.tree(skeleton, found)
    }

    /// Finds the symbols that a symbol can derive at its left or right end, by a breadth-first search.
    fn beside_of(&self, skeleton: &Skeleton<'_>, symbol: usize, side: Side) -> Beside {
        let mut by: HashMap<usize, PathStep> = HashMap::new();
        let mut symbols = vec![symbol];
        let mut next = 0;
        while let Some(&at) = symbols.get(next) {
            next += 1;
            for (production, it) in skeleton.symbols[at].productions.iter().enumerate() {
                let mut parts: Vec<usize> = (0..it.parts.len()).collect();
                if side == Side::Right {
                    parts.reverse();
                }
                for part in parts {
                    let child = it.parts[part].symbol;
                    if child != symbol && !by.contains_key(&child) {
                        let step = PathStep {
                            symbol: at,
                            production,
                            part,
                        };
                        by.insert(child, step);
                        symbols.push(child);
                    }
                    if !self.nullable[child] {
                        break;
                    }
                }
            }
        }
        Beside { symbols, by, side }
    }
}

/// The symbols that a symbol can derive at its left or right end.
struct Beside {
    /// The symbol itself, and then the other symbols in the order of their distance.
    symbols: Vec<usize>,
    /// The last step of the path to each symbol.
    by: HashMap<usize, PathStep>,
    side: Side,
}

impl Beside {
    /// Returns all pairs of a symbol of `self` and a symbol of `other`.
    fn pairs_with<'a>(&'a self, other: &'a Beside) -> impl Iterator<Item = (usize, usize)> + 'a {
        let all = self.symbols.iter();
        all.flat_map(|&one| other.symbols.iter().map(move |&other| (one, other)))
    }

    /// Returns a tree whose first leaf is this symbol. For the right side, the last leaf is.
    fn tree(&self, skeleton: &Skeleton<'_>, symbol: usize) -> Option<Fragment> {
        let mut fragment = vec![SkeletonNode {
            symbol,
            production: None,
        }];
        let mut below = symbol;
        while below != self.symbols[0] {
            let step = *self.by.get(&below)?;
            fragment = at_the_side(skeleton, step, &fragment, self.side);
            below = step.symbol;
        }
        Some(fragment)
    }
}

/// Returns the smallest tree of a symbol.
fn smallest(skeleton: &Skeleton<'_>, symbol: usize) -> Fragment {
    let leaf = SkeletonNode {
        symbol,
        production: None,
    };
    let root = if skeleton.symbols[symbol].terminal.is_some() {
        vec![leaf]
    } else {
        opened(skeleton, symbol, 0)
    };
    SkeletonTree::minimal(skeleton, &root).nodes
}

/// Puts a fragment in place of a part. The parts between this part and the given side get their
/// smallest trees, whose texts are empty.
fn at_the_side(
    skeleton: &Skeleton<'_>,
    step: PathStep,
    fragment: &[SkeletonNode],
    side: Side,
) -> Fragment {
    let mut all = opened(skeleton, step.symbol, step.production);
    let parts = &skeleton.symbols[step.symbol].productions[step.production].parts;
    // Replace the last part first: so the indices of earlier parts stay.
    for (index, part) in parts.iter().enumerate().rev() {
        if index == step.part {
            all = with_child(&all, index, fragment);
        } else if (index < step.part) == (side == Side::Left) {
            all = with_child(&all, index, &smallest(skeleton, part.symbol));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poisoned_pairs_are_those_that_no_sentence_has() {
        let source = r#"s = "a" t? "b" ; t = "c" | "d" t ;"#;
        let (grammar, _) =
            crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
        let skeleton = Skeleton::new(&grammar);
        let sets = TokenSets::new(&skeleton);
        let name = |at: usize| match skeleton.terminals.get(at) {
            Some(&symbol) => skeleton.describe(symbol).replace('"', ""),
            None => "|".into(),
        };
        let mut fine = Vec::new();
        for (one, other) in
            (0..=sets.edge()).flat_map(|one| (0..=sets.edge()).map(move |other| (one, other)))
        {
            if !sets.is_poisoned(one, other) {
                fine.push(name(one) + &name(other));
            }
        }
        fine.sort();
        assert_eq!(fine, ["ab", "ac", "ad", "b|", "cb", "dc", "dd", "|a"]);
    }
}
