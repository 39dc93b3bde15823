//! A view of a sentence for splices, with functions that draw random nodes.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::derivation::Node;
use crate::grammar::{Effect, Kind, Role, SymbolId};
use crate::parameters::TreeView;

/// The number of random draws before all nodes are searched in order.
const DRAWS: usize = 16;

impl<'a> TreeView<'a> {
    /// Returns the nodes in preorder.
    #[inline(always)]
    pub(crate) fn nodes(&self) -> &'a [Node] {
        self.tree.derivation().nodes()
    }

    /// Returns the canonical parameters of the whole sentence.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.tree.parameters()
    }

    /// Returns the range of the parameters of a node's subtree.
    #[inline(always)]
    pub(crate) fn span(&self, node: usize) -> Range<usize> {
        self.tree.span(node)
    }

    /// Returns the parameters of a node's subtree.
    #[inline(always)]
    pub(crate) fn part(&self, node: usize) -> &'a [u8] {
        &self.bytes()[self.span(node)]
    }

    /// Returns the text that a node derives.
    #[inline(always)]
    pub(crate) fn text(&self, node: usize) -> &'a [u8] {
        &self.tree.derivation().text()[self.tree.derivation().text_range(node)]
    }

    #[inline(always)]
    pub(crate) fn symbol(&self, node: usize) -> SymbolId {
        self.nodes()[node].symbol
    }

    #[inline(always)]
    pub(crate) fn kind(&self, node: usize) -> &'a Kind {
        &self.grammar[self.symbol(node)].kind
    }

    /// Returns the role of a node's symbol in the grammar.
    #[inline(always)]
    pub(crate) fn role(&self, node: usize) -> Role {
        self.grammar.role(self.symbol(node))
    }

    /// Returns the effect of a node on names, if the grammar has names.
    #[inline(always)]
    pub(crate) fn effect(&self, node: usize) -> Option<&'a Effect> {
        let naming = self.grammar.naming.as_deref()?;
        Some(&naming.effects[self.symbol(node).0 as usize])
    }

    /// Returns the indices of a node and of all nodes below it.
    #[inline(always)]
    pub(crate) fn subtree(&self, node: usize) -> Range<usize> {
        node..node + self.nodes()[node].size as usize
    }

    /// Returns whether a subtree can be replaced as a whole: it is of a syntax rule or a token, and
    /// has a choice.
    #[inline(always)]
    pub(crate) fn is_unit(&self, node: usize) -> bool {
        matches!(self.role(node), Role::Syntax | Role::Token)
    }

    /// Draws a node for which `fits` holds. Returns [`None`] if there is none.
    ///
    /// If such nodes are rare, they are not equally likely: a node is drawn more often if many
    /// nodes before it do not fit.
    #[inline(always)]
    pub(crate) fn draw(&self, rng: &mut SmallRng, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let count = self.nodes().len();
        for _ in 0..DRAWS {
            let node = rng.random_range(0..count as u32) as usize;
            if fits(node) {
                return Some(node);
            }
        }
        let from = rng.random_range(0..count);
        (from..count).chain(0..from).find(|&node| fits(node))
    }

    /// Draws one of `nodes` for which `fits` holds, each with equal probability. Returns [`None`]
    /// if there is none.
    #[inline(always)]
    pub(crate) fn draw_of(
        &self,
        rng: &mut SmallRng,
        nodes: Range<usize>,
        fits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
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

    /// Draws a node and a node of the same symbol inside it. Returns [`None`] if a few draws find
    /// none.
    #[inline(always)]
    pub(crate) fn draw_recursion(&self, rng: &mut SmallRng) -> Option<(usize, usize)> {
        for _ in 0..DRAWS {
            let outer = self.draw(rng, |node| {
                self.role(node) == Role::Syntax && self.nodes()[node].size > 1
            })?;
            let Range { start, end } = self.subtree(outer);
            if let Some(inner) = self.draw_of(rng, start + 1..end, |node| {
                self.symbol(node) == self.symbol(outer)
            }) {
                return Some((outer, inner));
            }
        }
        None
    }
}
