//! Sinks for the nodes of a derivation: its tree, the codes of its choices, or nothing.

use crate::derivation::{Choice, Node};
use crate::grammar::SymbolId;

/// Takes the nodes of a derivation as they are made.
pub(crate) trait NodeSink {
    /// A node whose text begins at byte `from`. It chose `choice`, of this kind; `text` is what it has written so far, which for a
    /// run of characters and a case is all. The value is what [`NodeSink::recount`] knows the node by.
    fn node(&mut self, symbol: SymbolId, choice: u32, from: u32, kind: Choice<'_>, text: &[u8]) -> u32;

    /// A repetition, or the layout before a token, stopped early: its choice becomes `choice`.
    fn recount(&mut self, node: u32, choice: u32, kind: Choice<'_>);

    /// The number by which [`NodeSink::shift`] knows the next node.
    fn next(&self) -> u32;

    /// The text of the nodes from `first` on moves back by some bytes.
    fn shift(&mut self, first: u32, bytes: u32);
}

/// Keeps nothing.
pub(super) struct Discard;

impl NodeSink for Discard {
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
impl NodeSink for Vec<Node> {
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
