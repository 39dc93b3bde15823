//! A derivation: the tree of the choices that make a sentence, and the text of the sentence.
//!
//! Nodes are stored in preorder, each with the size of its subtree. So the first child of node *i*
//! is node *i + 1*. The next sibling of node *i* is node *i + size*.
//!
//! # Guarantees
//!
//! These hold for derivations that [`crate::derive`] made:
//!
//! * Node 0 is the root. For the start symbol of a grammar, its child is the node of the start
//!   rule, and layout may follow.
//! * The texts of siblings follow each other without a gap.
//! * The text of a node begins with the layout and the separators before its first token.

mod choice;
mod indentation;
mod line_writer;
mod name_roles;
mod node_children;

use std::ops::Range;

pub(crate) use self::choice::Choice;
pub(crate) use self::indentation::{Indentation, wider};
pub(crate) use self::line_writer::LineWriter;
pub use self::name_roles::NameRole;
pub(crate) use self::node_children::NodeChildren;
use crate::grammar::{Grammar, Kind, SymbolId};

/// A bit of the choice of a lexeme. If it is set, no separators are written before the lexeme and
/// between its layout tokens, except where two tokens would otherwise be read as a longer one.
pub const WITHOUT_LAYOUT: u32 = 1 << 31;

/// A node of a derivation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// The grammar symbol that this node expands.
    pub symbol: SymbolId,
    /// The choice of the node. Its meaning depends on the kind of the symbol:
    ///
    /// * nonterminal: the index of the alternative,
    /// * class: the index of the character,
    /// * repetition or run: the number of elements or characters,
    /// * identifier: the index of the name, the number of names if another name is spelled out, or a
    ///   larger number for a name that breaks scopes,
    /// * lexeme: the number of layout tokens, plus [`WITHOUT_LAYOUT`] if separators are omitted,
    /// * case-insensitive literal: the [case](crate::derive::Case),
    /// * literal: 0.
    pub choice: u32,
    /// The number of nodes in the subtree, this node included.
    pub size: u32,
    /// The byte offset in the sentence at which the text of this node begins.
    pub text: u32,
}

impl Node {
    /// Returns a node without children, whose text begins at a byte offset.
    #[inline(always)]
    pub(crate) fn new(symbol: SymbolId, choice: u32, text: usize) -> Node {
        Node {
            symbol,
            choice,
            size: 1,
            text: text as u32,
        }
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl Node {
    /// Returns the number of layout tokens of a lexeme.
    #[inline(always)]
    pub fn layout_tokens(&self) -> u32 {
        self.choice & !WITHOUT_LAYOUT
    }
}

/// A tree of nodes and its text. A [`Decoder`](crate::parameters::Decoder) and a
/// [`Parser`](crate::parse::Parser) make derivations.
///
/// # Examples
///
/// ```
/// use zester::{Decoder, Grammar};
///
/// let source = br#"pair = item "," item ; item = [0-9] ;"#;
/// let grammar = Grammar::read("pair.ebnf", source).unwrap();
/// let mut decoder = Decoder::new(&grammar);
/// let derivation = decoder.decode(&[7, 1]);
/// assert_eq!(derivation.text(), b"7,1");
/// // Node 0 is the whole sentence, node 1 is its `pair`.
/// let parts: Vec<&[u8]> = derivation.children(1).map(|child| &derivation.text()[derivation.text_range(child)]).collect();
/// assert_eq!(parts, [b"7", b",", b"1"]);
/// assert_eq!(derivation.choices(&grammar), 2);
/// ```
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
        let end = if end < self.nodes.len() {
            self.nodes[end].text as usize
        } else {
            self.text.len()
        };
        self.nodes[node].text as usize..end
    }

    /// Returns the indices of a node's children, from left to right.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let end = node + self.nodes[node].size as usize;
        let within = move |child: usize| (child < end).then_some(child);
        std::iter::successors(within(node + 1), move |&child| {
            within(child + self.nodes[child].size as usize)
        })
    }

    /// Writes for each node whether no layout is allowed before its first token (`~` in the notation).
    pub(crate) fn adjacent(&self, grammar: &Grammar, adjacent: &mut Vec<bool>) {
        adjacent.clear();
        adjacent.resize(self.nodes.len(), false);
        for (at, node) in self.nodes.iter().enumerate() {
            let children = NodeChildren::new(grammar, node.symbol, node.choice);
            for (index, child) in (0..).zip(self.children(at)) {
                let is_first = index == 0 && adjacent[at];
                adjacent[child] = is_first || children.get(index).is_adjacent;
            }
        }
    }

    /// Returns the node and the recency of each use of a declared name. The recency is the number
    /// of names of the same kind that became visible after the used name.
    pub(crate) fn recencies(&self, grammar: &Grammar) -> Vec<(usize, u32)> {
        name_roles::recencies(grammar, self)
    }

    /// Sets the subtree size of every node. The number of a node's children follows from its
    /// choice.
    #[inline(always)]
    pub(crate) fn measure(&mut self, grammar: &Grammar) {
        for at in (0..self.nodes.len()).rev() {
            let node = self.nodes[at];
            let children = NodeChildren::new(grammar, node.symbol, node.choice).len();
            let mut end = at + 1;
            for _ in 0..children {
                end += self.nodes[end].size as usize;
            }
            self.nodes[at].size = (end - at) as u32;
        }
    }

    /// Removes all nodes and the text. Keeps the memory.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl Derivation {
    /// Returns the byte range of the token of a lexeme, without the layout before it. Returns
    /// [`None`] for another node.
    #[inline(always)]
    pub fn token_range(&self, grammar: &Grammar, node: usize) -> Option<Range<usize>> {
        let Kind::Lexeme { body, .. } = grammar[self.nodes[node].symbol].kind else {
            return None;
        };
        let end = self.text_range(node).end;
        let mut start = end;
        match &grammar[body].kind {
            // A literal has no node of its own.
            Kind::Literal { text } => start -= (text.end - text.start) as usize,
            _ => {
                let mut child = node + 1;
                for _ in 0..self.nodes[node].layout_tokens() {
                    child += self.nodes[child].size as usize;
                }
                start = self.nodes[child].text as usize;
            }
        }
        Some(start..end)
    }

    /// Returns the role of each name in a grammar with names, with its node.
    pub fn name_roles(&self, grammar: &Grammar) -> Vec<(usize, NameRole)> {
        name_roles::name_roles(grammar, self)
    }

    /// Returns the number of choices in the derivation: decisions where the grammar gives two or
    /// more options.
    pub fn choices(&self, grammar: &Grammar) -> usize {
        let count =
            |node: &Node| Choice::of(grammar, &grammar[node.symbol].kind).decisions(node.choice);
        self.nodes.iter().map(count).sum()
    }

    /// Returns whether the sentence uses or declares a name without regard to scopes and types. The
    /// generator does so rarely. In a grammar without names, the result is `false`.
    pub fn breaks_scopes(&self, grammar: &Grammar) -> bool {
        let breaks = |node: &Node| grammar.breaks_scopes(node.symbol, node.choice);
        self.nodes.iter().any(breaks)
    }
}
