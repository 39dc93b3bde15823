//! What is kept of a derivation besides its text: its nodes, what can be made of its choices, or nothing.

use crate::derivation::{Choice, Node};
use crate::grammar::SymbolId;

/// Keeps something of a derivation.
pub(crate) trait Keep {
    /// A node whose text begins at byte `from`. It chose `choice`, of this kind; `text` is what it has written so far, which for a
    /// run of characters and a case is all. The value is what [`Keep::recount`] knows the node by.
    fn node(&mut self, symbol: SymbolId, choice: u32, from: u32, kind: Choice<'_>, text: &[u8]) -> u32;

    /// A repetition, or layout, stopped early, at `choice`.
    fn recount(&mut self, node: u32, choice: u32, kind: Choice<'_>);

    /// What [`Keep::shift`] knows the next node by.
    fn next(&self) -> u32;

    /// The text of the nodes from `first` on moves.
    fn shift(&mut self, first: u32, bytes: u32);
}

/// Keeps nothing.
pub(super) struct Nothing;

impl Keep for Nothing {
    #[inline(always)]
    fn node(&mut self, _symbol: SymbolId, _choice: u32, _from: u32, _kind: Choice<'_>, _text: &[u8]) -> u32 {
        0
    }

    #[inline(always)]
    fn recount(&mut self, _node: u32, _choice: u32, _kind: Choice<'_>) {}

    #[inline(always)]
    fn next(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn shift(&mut self, _first: u32, _bytes: u32) {}
}

/// Keeps the tree, but for the sizes of its subtrees.
impl Keep for Vec<Node> {
    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32, from: u32, _kind: Choice<'_>, _text: &[u8]) -> u32 {
        self.push(Node { symbol, choice, size: 1, text: from });
        self.len() as u32 - 1
    }

    #[inline(always)]
    fn recount(&mut self, node: u32, choice: u32, _kind: Choice<'_>) {
        self[node as usize].choice = choice;
    }

    #[inline(always)]
    fn next(&self) -> u32 {
        self.len() as u32
    }

    #[inline(always)]
    fn shift(&mut self, first: u32, bytes: u32) {
        for node in &mut self[first as usize..] {
            node.text += bytes;
        }
    }
}
