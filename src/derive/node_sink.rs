//! Sinks for the nodes of a derivation: one that stores them in a list, and one that discards them.
//! A third one, which writes the choices as parameters, is in `parameters::tree`.

use crate::derivation::{Choice, Node};

/// Receives the nodes of a derivation in preorder.
pub(crate) trait NodeSink {
    /// Adds a node. Its size is 1, because its children are added later. `kind` says what the
    /// number in [`Node::choice`] means. `text` is the whole text of the node if it is a run of
    /// characters or a case-insensitive literal; otherwise it is empty. Returns the index of the
    /// node, which [`NodeSink::replace_choice`] takes.
    fn node(&mut self, node: Node, kind: Choice<'_>, text: &[u8]) -> u32;

    /// Replaces the choice of a repetition or a lexeme by `choice`. The expander calls this if it
    /// has expanded fewer elements or layout tokens than chosen, because the choice source has
    /// ended or because a further element lacks a name.
    fn replace_choice(&mut self, node: u32, choice: u32, kind: Choice<'_>);

    /// Returns the index that the next node will get, which [`NodeSink::shift`] takes.
    fn next_index(&self) -> u32;

    /// Adds `bytes` to the text offsets of the node `first` and of all later nodes, because a
    /// separator was inserted before them.
    fn shift(&mut self, first: u32, bytes: u32);
}

/// Ignores the nodes.
pub(super) struct Discard;

impl NodeSink for Discard {
    #[inline(always)]
    fn node(&mut self, _node: Node, _kind: Choice<'_>, _text: &[u8]) -> u32 {
        0
    }

    #[inline(always)]
    fn replace_choice(&mut self, _node: u32, _choice: u32, _kind: Choice<'_>) {}

    #[inline(always)]
    fn next_index(&self) -> u32 {
        0
    }

    #[inline(always)]
    fn shift(&mut self, _first: u32, _bytes: u32) {}
}

/// Stores the nodes. The sizes of the subtrees are set later, by
/// [`Derivation::measure`](crate::derivation::Derivation::measure).
impl NodeSink for Vec<Node> {
    #[inline(always)]
    fn node(&mut self, node: Node, _kind: Choice<'_>, _text: &[u8]) -> u32 {
        self.push(node);
        self.len() as u32 - 1
    }

    #[inline(always)]
    fn replace_choice(&mut self, node: u32, choice: u32, _kind: Choice<'_>) {
        self[node as usize].choice = choice;
    }

    #[inline(always)]
    fn next_index(&self) -> u32 {
        self.len() as u32
    }

    #[inline(always)]
    fn shift(&mut self, first: u32, bytes: u32) {
        for node in &mut self[first as usize..] {
            node.text += bytes;
        }
    }
}
