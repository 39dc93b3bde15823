//! Sinks for the nodes of a derivation: a list of nodes, the codes of their choices, or nothing.

use crate::derivation::{Choice, Node};
use crate::grammar::SymbolId;

/// Receives the nodes of a derivation in preorder.
pub(crate) trait NodeSink {
    /// Adds a node that chose `choice`, a choice of the kind `kind`. Its text begins at byte `text_start` of the sentence. `text`
    /// is its whole text if `kind` is a run of characters or a case; otherwise it is empty. Returns a number for
    /// [`NodeSink::recount`].
    fn node(&mut self, symbol: SymbolId, choice: u32, text_start: u32, kind: Choice<'_>, text: &[u8]) -> u32;

    /// Changes the choice of a node: a repetition, or the layout before a token, that ended early.
    fn recount(&mut self, node: u32, choice: u32, kind: Choice<'_>);

    /// Returns a number of the next node for [`NodeSink::shift`].
    fn next(&self) -> u32;

    /// Moves the texts of the node `first` and of all later nodes back by a number of bytes.
    fn shift(&mut self, first: u32, bytes: u32);
}

/// Ignores the nodes.
pub(super) struct Discard;

impl NodeSink for Discard {
    #[inline(always)]
    fn node(&mut self, _symbol: SymbolId, _choice: u32, _text_start: u32, _kind: Choice<'_>, _text: &[u8]) -> u32 {
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

/// Stores the nodes. The sizes of the subtrees are set later, by [`Derivation::measure`](crate::derivation::Derivation::measure).
impl NodeSink for Vec<Node> {
    #[inline(always)]
    fn node(&mut self, symbol: SymbolId, choice: u32, text_start: u32, _kind: Choice<'_>, _text: &[u8]) -> u32 {
        self.push(Node { symbol, choice, size: 1, text: text_start });
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
