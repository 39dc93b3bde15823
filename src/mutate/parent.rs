//! The sentence that is changed: its nodes, and ways to draw some.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::derivation::Node;
use crate::grammar::{Grammar, Kind, Role, SymbolId};
use crate::parameters::Tree;
use crate::weights::Enclosing;

/// Draws from all nodes before they are searched from a random place on.
const DRAWS: usize = 16;

/// A sentence, and the grammar that it is of.
#[derive(Clone, Copy)]
pub struct Parent<'a> {
    pub grammar: &'a Grammar,
    pub tree: &'a Tree,
}

impl<'a> Parent<'a> {
    #[inline(always)]
    pub fn nodes(&self) -> &'a [Node] {
        self.tree.derivation().nodes()
    }

    /// The canonical parameters.
    #[inline(always)]
    pub fn bytes(&self) -> &'a [u8] {
        self.tree.parameters()
    }

    #[inline(always)]
    pub fn span(&self, node: usize) -> Range<usize> {
        self.tree.span(node)
    }

    /// The parameters of a node and its subtree.
    #[inline(always)]
    pub fn part(&self, node: usize) -> &'a [u8] {
        &self.bytes()[self.span(node)]
    }

    #[inline(always)]
    pub fn text(&self, node: usize) -> &'a [u8] {
        &self.tree.derivation().text()[self.tree.derivation().text_range(node)]
    }

    #[inline(always)]
    pub fn symbol(&self, node: usize) -> SymbolId {
        self.nodes()[node].symbol
    }

    #[inline(always)]
    pub fn kind(&self, node: usize) -> &'a Kind {
        &self.grammar[self.symbol(node)].kind
    }

    #[inline(always)]
    pub fn role(&self, node: usize) -> Role {
        self.grammar.role(self.symbol(node))
    }

    /// The node and all below it.
    #[inline(always)]
    pub fn subtree(&self, node: usize) -> Range<usize> {
        node..node + self.nodes()[node].size as usize
    }

    /// The choices of nonterminals around a node, the outermost first.
    pub fn around(&self, node: usize) -> impl Iterator<Item = Enclosing> {
        let child_of =
            move |outer: usize| self.tree.derivation().children(outer).find(|&child| self.subtree(child).contains(&node));
        let from = (node > 0).then_some(0);
        let outers = std::iter::successors(from, move |&outer| child_of(outer).filter(|&child| child < node));
        let has_choice = |kind: &Kind| matches!(kind, Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1);
        outers.filter(move |&outer| has_choice(self.kind(outer))).map(|outer| (self.symbol(outer), self.nodes()[outer].choice))
    }

    /// Whether what a node derives can be exchanged as a whole: a part of the syntax or a token, with something to choose.
    #[inline(always)]
    pub fn is_unit(&self, node: usize) -> bool {
        matches!(self.role(node), Role::Syntax | Role::Token)
    }

    /// A node that fits, drawn from all; none if there is none.
    #[inline(always)]
    pub fn draw(&self, rng: &mut SmallRng, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let count = self.nodes().len();
        for _ in 0..DRAWS {
            let node = rng.random_range(0..count);
            if fits(node) {
                return Some(node);
            }
        }
        let from = rng.random_range(0..count);
        (from..count).chain(0..from).find(|&node| fits(node))
    }

    /// A node of these that fits, drawn evenly.
    #[inline(always)]
    pub fn draw_of(&self, rng: &mut SmallRng, nodes: Range<usize>, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let (mut chosen, mut seen) = (None, 0_u32);
        for node in nodes {
            if fits(node) {
                seen += 1;
                if rng.random_range(0..seen) == 0 {
                    chosen = Some(node);
                }
            }
        }
        chosen
    }

    /// A node and one like it inside it: a recursion.
    #[inline(always)]
    pub fn draw_recursion(&self, rng: &mut SmallRng) -> Option<(usize, usize)> {
        for _ in 0..DRAWS {
            let outer = self.draw(rng, |node| self.role(node) == Role::Syntax && self.nodes()[node].size > 1)?;
            let Range { start, end } = self.subtree(outer);
            if let Some(inner) = self.draw_of(rng, start + 1..end, |node| self.symbol(node) == self.symbol(outer)) {
                return Some((outer, inner));
            }
        }
        None
    }
}
