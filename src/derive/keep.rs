//! What is kept of a derivation besides its text: its nodes, what can be made of its choices, or nothing.

use crate::derivation::Node;
use crate::grammar::{Class, SymbolId};

/// What kind of choice a node makes.
#[derive(Clone, Copy)]
pub(crate) enum Choice<'a> {
    /// There is no choice.
    None,
    /// One of some alternatives.
    Alternative { options: u32 },
    /// A count beyond the lower limit.
    Count { at_least: u32 },
    /// A run of characters: its count, unless that is fixed, and what begins with its text.
    Run { class: &'a Class, at_least: u32, counted: bool, text: &'a [u8] },
    /// A character of a class.
    Member(&'a Class),
    /// A name, or one that is spelled out.
    Name { names: u32 },
    /// A case, and the text in it.
    Case { letters: u32, text: &'a [u8] },
    /// Pieces of layout.
    Layout,
}

/// Keeps something of a derivation.
pub(crate) trait Keep {
    /// A node with its choice, whose text begins at byte `text`; what [`Keep::recount`] knows it by.
    fn node(&mut self, symbol: SymbolId, choice: u32, text: u32, kind: Choice<'_>) -> u32;

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
    fn node(&mut self, _symbol: SymbolId, _choice: u32, _text: u32, _kind: Choice<'_>) -> u32 {
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
    fn node(&mut self, symbol: SymbolId, choice: u32, text: u32, _kind: Choice<'_>) -> u32 {
        self.push(Node { symbol, choice, size: 1, text });
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
