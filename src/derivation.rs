//! A derivation: the tree of choices that made a sentence, and the sentence.
//!
//! Nodes are stored in preorder, each with the size of its subtree. So the first child of node *i* is node *i + 1*, and its next
//! sibling is node *i + size*.
//!
//! Guarantees for derivations that [`crate::derive`] made: node 0 is the root. The texts of siblings follow each other without a
//! gap. The text of a node begins with the layout and the separators before its first token.

mod choice;

use std::ops::Range;

pub(crate) use self::choice::Choice;
use crate::grammar::{Grammar, Kind, SymbolId};

/// A bit of a lexeme's choice. If it is set, no separators are written before the lexeme nor within its layout, except where
/// two tokens would otherwise be read as a longer one.
pub const WITHOUT_LAYOUT: u32 = 1 << 31;

/// One node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The grammar symbol that this node expands.
    pub symbol: SymbolId,
    /// The choice made, by the symbol's kind: the index of an alternative, of a class's member or of a name (the number of
    /// names for the escape); the count of a repetition, a run or a lexeme's pieces of layout (see [`WITHOUT_LAYOUT`]); a literal's
    /// [`case`]. 0 where there is no choice.
    ///
    /// [`case`]: crate::derive::Case
    pub choice: u32,
    /// The number of nodes in the subtree, this node included.
    pub size: u32,
    /// The byte offset in the sentence at which the text of this node begins.
    pub text: u32,
}

impl Node {
    /// Returns the number of layout elements before the token of a lexeme node.
    #[inline(always)]
    pub fn pieces(&self) -> u32 {
        self.choice & !WITHOUT_LAYOUT
    }
}

/// A tree of nodes and its text. Made by [`crate::derive::derive`]; reused, it allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    pub(crate) nodes: Vec<Node>,
    pub(crate) text: Vec<u8>,
}

impl Derivation {
    /// Returns the bytes of the sentence.
    #[inline(always)]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns all nodes in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the byte range of a node's text in the sentence.
    #[inline(always)]
    pub fn text_range(&self, node: usize) -> Range<usize> {
        let end = node + self.nodes[node].size as usize;
        let end = if end < self.nodes.len() { self.nodes[end].text as usize } else { self.text.len() };
        self.nodes[node].text as usize..end
    }

    /// Returns the indices of a node's children, from left to right.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = node + self.nodes[node].size as usize;
        let within = move |child: usize| (child < end).then_some(child);
        std::iter::successors(within(node + 1), move |&child| within(child + self.nodes[child].size as usize))
    }

    /// Returns the number of choices in the derivation: decisions where the grammar gives two or more options.
    pub fn choices(&self, grammar: &Grammar) -> usize {
        let count = |node: &Node| Choice::of(grammar, &grammar[node.symbol].kind).decisions(node.choice);
        self.nodes.iter().map(count).sum()
    }

    /// Sets the subtree size of every node. The number of a node's children follows from its choice.
    #[inline(always)]
    pub(crate) fn measure(&mut self, grammar: &Grammar) {
        self.measure_part(grammar, 0..self.nodes.len());
    }

    /// Sets the subtree sizes of the nodes in a range. Their descendants after the range must already have their sizes.
    #[inline(always)]
    pub(crate) fn measure_part(&mut self, grammar: &Grammar, nodes: Range<usize>) {
        for at in nodes.rev() {
            let node = self.nodes[at];
            let children = match &grammar[node.symbol].kind {
                Kind::Nonterminal { alternatives, .. } => {
                    let children = &grammar.alternatives[(alternatives.start + node.choice) as usize].children;
                    children.end - children.start
                }
                Kind::Repeat { .. } => node.choice,
                Kind::Lexeme { body, .. } => node.pieces() + u32::from(!matches!(grammar[*body].kind, Kind::Literal { .. })),
                Kind::Identifier { names, .. } => u32::from(node.choice == names.end - names.start),
                Kind::Literal { .. } | Kind::Insensitive { .. } | Kind::Class(_) | Kind::Run { .. } => continue,
            };
            let mut end = at + 1;
            for _ in 0..children {
                end += self.nodes[end].size as usize;
            }
            self.nodes[at].size = (end - at) as u32;
        }
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
    }
}
