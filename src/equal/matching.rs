//! Finds a side of an equivalence in the subtree of a node. The search walks through the subtree in
//! the order of the text. If a node fits the next part of the side, the search takes the node for
//! this part. Otherwise it goes on with the children of the node. The side is found if its parts
//! and the text of the subtree end together.

use std::ops::Range;

use super::visible;
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, PartKind, SidePart};

/// The maximum number of nodes that are examined for one match.
const STEPS: usize = 4_096;

/// For each hole, the text and the nodes that it stands for.
#[derive(Debug, Default)]
pub(super) struct HoleBindings {
    holes: Vec<Option<Bound>>,
    steps: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub text: Range<usize>,
    pub nodes: Range<usize>,
}

impl HoleBindings {
    pub fn get(&self, hole: usize) -> Option<&Bound> {
        self.holes.get(hole)?.as_ref()
    }

    pub fn all(&self) -> impl Iterator<Item = (usize, &Bound)> {
        let holes = self.holes.iter().enumerate();
        holes.filter_map(|(hole, bound)| Some((hole, bound.as_ref()?)))
    }
}

/// A side of an equivalence that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Match<'a> {
    pub grammar: &'a Grammar,
    pub derivation: &'a Derivation,
    pub parts: &'a [SidePart],
}

impl Match<'_> {
    /// Matches all parts with the text of a node, and binds the holes. Returns whether they match.
    pub fn find(self, node: usize, holes: usize, bindings: &mut HoleBindings) -> bool {
        bindings.holes.clear();
        bindings.holes.resize(holes, None);
        bindings.steps = STEPS;
        let end = node + self.derivation.nodes()[node].size as usize;
        self.rest(0, node, end, bindings)
    }

    /// Matches the parts from `part` on with the nodes from `at` to `end`.
    fn rest(self, part: usize, mut at: usize, end: usize, bindings: &mut HoleBindings) -> bool {
        let nodes = self.derivation.nodes();
        let text_end = self.offset(end);
        loop {
            let Some(steps) = bindings.steps.checked_sub(1) else {
                return false;
            };
            bindings.steps = steps;
            let Some(next) = self.parts.get(part) else {
                return self.offset(at) == text_end;
            };
            if let PartKind::Hole { is_list: true, .. } = next.kind {
                return self.list(part, at, end, bindings);
            }
            if at >= end {
                return false;
            }
            let after = at + nodes[at].size as usize;
            match &next.kind {
                PartKind::Text(text) if self.is_leaf(at) && self.is_text(at, text) => {
                    return self.rest(part + 1, after, end, bindings);
                }
                &PartKind::Hole { hole, .. } if self.fits(&next.kind, at) => {
                    let bound = Bound {
                        text: visible(self.grammar, self.derivation, at),
                        nodes: at..after,
                    };
                    if self.bind(hole, bound, bindings) {
                        let before = bindings.holes[hole].clone();
                        if self.rest(part + 1, after, end, bindings) {
                            return true;
                        }
                        bindings.holes[hole] = before.filter(|_| self.is_earlier(hole, part));
                    }
                }
                _ => {}
            }
            match self.is_leaf(at) {
                true if self.derivation.text_range(at).is_empty() => at = after,
                true => return false,
                false => at += 1,
            }
        }
    }

    /// Matches the parts from `part` on. The first of these parts is a hole for a list of nodes.
    /// The hole takes as few nodes as possible.
    fn list(self, part: usize, mut at: usize, end: usize, bindings: &mut HoleBindings) -> bool {
        let PartKind::Hole { hole, .. } = self.parts[part].kind else {
            return false;
        };
        let start = self.offset(at);
        let mut bound = Bound {
            text: start..start,
            nodes: at..at,
        };
        loop {
            let before = bindings.holes[hole].clone();
            if self.bind(hole, bound.clone(), bindings) && self.rest(part + 1, at, end, bindings) {
                return true;
            }
            bindings.holes[hole] = before;
            if bindings.steps == 0 || at >= end {
                return false;
            }
            bindings.steps -= 1;
            let after = at + self.derivation.nodes()[at].size as usize;
            if self.fits(&self.parts[part].kind, at) {
                let text = visible(self.grammar, self.derivation, at);
                if bound.text.is_empty() {
                    bound.text.start = text.start;
                }
                bound.text.end = text.end;
                bound.nodes.end = after;
                at = after;
            } else if self.is_leaf(at) {
                if !self.derivation.text_range(at).is_empty() {
                    return false;
                }
                at = after;
            } else {
                at += 1;
            }
        }
    }

    /// Returns whether an earlier part has the same hole.
    fn is_earlier(self, hole: usize, part: usize) -> bool {
        let is_hole =
            |part: &SidePart| matches!(part.kind, PartKind::Hole { hole: one, .. } if one == hole);
        self.parts[..part].iter().any(is_hole)
    }

    /// Binds a hole. Returns false if it is bound to another text.
    fn bind(self, hole: usize, bound: Bound, bindings: &mut HoleBindings) -> bool {
        let text = self.derivation.text();
        match &bindings.holes[hole] {
            Some(known) => text[known.text.clone()] == text[bound.text],
            None => {
                bindings.holes[hole] = Some(bound);
                true
            }
        }
    }

    /// Returns whether a node belongs to the rule of a hole, and contains no node that the hole
    /// excludes.
    fn fits(self, kind: &PartKind, node: usize) -> bool {
        let PartKind::Hole { rule, without, .. } = kind else {
            return false;
        };
        let nodes = self.derivation.nodes();
        let (grammar, symbol) = (self.grammar, nodes[node].symbol);
        let is_of = match grammar[symbol].kind {
            Kind::Lexeme { body, .. } => grammar.is_of(body, rule),
            _ => grammar.is_of(symbol, rule),
        };
        let all = &nodes[node..node + nodes[node].size as usize];
        let is_excluded = |symbol| without.contains(&grammar.origin(symbol));
        is_of && (without.is_empty() || !all.iter().any(|node| is_excluded(node.symbol)))
    }

    /// Returns whether a node is a token, or a part of a token that has no parts.
    fn is_leaf(self, node: usize) -> bool {
        let kind = &self.grammar[self.derivation.nodes()[node].symbol].kind;
        !matches!(kind, Kind::Nonterminal { .. } | Kind::Repeat { .. })
    }

    fn is_text(self, leaf: usize, text: &[u8]) -> bool {
        let range = visible(self.grammar, self.derivation, leaf);
        let found = &self.derivation.text()[range];
        found == text || self.ignores_case(leaf) && found.eq_ignore_ascii_case(text)
    }

    /// Returns whether a leaf is a literal whose case does not matter.
    fn ignores_case(self, leaf: usize) -> bool {
        let symbol = self.derivation.nodes()[leaf].symbol;
        let body = match self.grammar[symbol].kind {
            Kind::Lexeme { body, .. } => body,
            _ => symbol,
        };
        matches!(self.grammar[body].kind, Kind::Insensitive { .. })
    }

    /// Returns the offset at which the text of a node begins, or the end of the text.
    fn offset(self, node: usize) -> usize {
        let nodes = self.derivation.nodes();
        nodes
            .get(node)
            .map_or(self.derivation.text().len(), |node| node.text as usize)
    }
}
