//! A lowered grammar: flat, immutable tables, and what is known about them.
//!
//! A [`Grammar`] is a value. Everything in it is indexed by newtypes ([`SymbolId`], [`ClassId`], …), nothing in it is ever
//! changed, and it knows no notation: [`crate::notation`] makes grammars, everything else reads them. What holds: every
//! repetition's element derives at least one byte, no nonterminal derives itself alone, every alternative can be completed,
//! and the alternatives of a nonterminal are ordered by the least size of what they derive, then by source order.

mod alphabet;
mod automaton;
mod class;
mod describe;
mod follow;
mod glue;
mod graph;
mod least;
mod role;
pub(crate) mod sets;
mod terminal;
mod words;

use std::ops::{Index, Range};
use std::sync::OnceLock;

pub(crate) use automaton::{Excess, Inexact, Nfa, PASS_WORK};
pub use class::Class;
pub(crate) use class::{ESCAPE, SLOW, first_character};
pub use glue::Boundaries;
pub(crate) use glue::{Row, is_word};
pub(crate) use graph::{Graph, components, parts};
pub use least::Size;
pub(crate) use least::{least, reserve};
pub use role::Role;
pub(crate) use role::{roles, syntax};
pub(crate) use terminal::LAYOUT;
pub use terminal::{PlaceId, TerminalId};
pub(crate) use words::{is_closed, words};

/// Which symbol of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// Which character class of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// What a symbol derives, and therefore which choice it makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of some alternatives, each a sequence of children. With one alternative there is no choice.
    Nonterminal {
        /// The alternatives, as a range of [`Grammar::alternatives`].
        alternatives: Range<u32>,
        /// Whether the depth bound counts it: a named syntax rule that may come again inside itself.
        counted: bool,
    },
    /// A fixed text: `"let"`.
    Literal {
        /// Its bytes, as a range of the grammar's pool of texts.
        text: Range<u32>,
    },
    /// A fixed text in any mixture of cases: `"select"i`.
    Insensitive {
        /// Its bytes as written in the grammar.
        text: Range<u32>,
        /// How many of them are ASCII letters; at least 1.
        letters: u32,
    },
    /// One character of a class: `[a-z]`.
    Class(ClassId),
    /// A run of characters of a class: `[a-z]*`, one count and one code a character.
    Run {
        /// The class.
        class: ClassId,
        /// The lower limit of the count.
        at_least: u32,
        /// The upper limit of the count; `u32::MAX` if there is none.
        at_most: u32,
    },
    /// A repetition of an element: `statement*`, one count.
    Repeat {
        /// The repeated symbol; never derives the empty text.
        element: Child,
        /// The lower limit of the count.
        at_least: u32,
        /// The upper limit of the count; `u32::MAX` if there is none.
        at_most: u32,
        /// Whether the items bound limits it: a repetition in a syntax rule.
        items: bool,
    },
    /// A user-defined name: one of a fixed sequence of names, or, as an escape, any text that the rule derives.
    Identifier {
        /// The fixed sequence, as a range of the grammar's names; 1 to 64 of them.
        names: Range<u32>,
        /// What spells any other name.
        escape: SymbolId,
    },
    /// A token at its place in a syntax rule, with the layout before it.
    Lexeme {
        /// The token: a symbol without lexemes of its own.
        body: SymbolId,
        /// Where in the grammar this is.
        place: PlaceId,
        /// Whether the grammar lets layout stand before it.
        layout: bool,
    },
}

/// A symbol: what it derives, and the least size of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it derives.
    pub kind: Kind,
    /// The least that it derives.
    pub least: Size,
    /// The least bytes it derives, separators left out.
    pub shortest: u32,
    /// The most bytes it derives (`u32::MAX` if there is no limit), separators, layout and names that are spelled out left
    /// out.
    pub most: u32,
}

/// One alternative of a nonterminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The sequence, as a range of [`Grammar::children`].
    pub children: Range<u32>,
    /// The least that it derives, the nonterminal's own node included.
    pub least: Size,
    /// The least bytes that it derives, separators left out.
    pub shortest: u32,
    /// Its place among the alternatives as written, from 0; none for a state of an exclusion, which nobody wrote.
    pub source: Option<u32>,
    /// The static weight, positive and finite. Steers what is generated, never how bytes decode.
    pub weight: f64,
}

/// A symbol as it stands in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The symbol.
    pub symbol: SymbolId,
    /// Whether no layout may stand before it (`~`).
    pub adjoins: bool,
}

/// What may stand between tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// One piece of layout; never empty.
    pub element: SymbolId,
    /// Texts that separate two tokens, simplest first; at least one.
    pub separators: Box<[Box<[u8]>]>,
    /// The length of the longest of them.
    pub longest: u32,
}

/// A grammar, lowered: see the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    pub(crate) symbols: Box<[Symbol]>,
    pub(crate) alternatives: Box<[Alternative]>,
    pub(crate) children: Box<[Child]>,
    pub(crate) classes: Box<[Class]>,
    pub(crate) texts: Box<[u8]>,
    pub(crate) names: Box<[Range<u32>]>,
    pub(crate) labels: Box<[Box<str>]>,
    pub(crate) start: SymbolId,
    pub(crate) layout: Option<Layout>,
    pub(crate) boundaries: Boundaries,
    /// What the parser wants instead if there is no layout.
    pub(crate) unseparated: OnceLock<Boundaries>,
    pub(crate) roles: Box<[Role]>,
    pub(crate) bytes: bool,
    pub(crate) utf8: bool,
    pub(crate) fingerprint: u64,
}

impl Grammar {
    /// The symbol that a whole sentence is derived from: the start rule, then the layout after the last token.
    pub fn start(&self) -> SymbolId {
        self.start
    }

    /// All symbols, by [`SymbolId`].
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The alternatives of a nonterminal, in the order of their codes; empty for every other symbol.
    pub fn alternatives(&self, symbol: SymbolId) -> &[Alternative] {
        match &self[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => &self.alternatives[span(alternatives)],
            _ => &[],
        }
    }

    /// The sequence of an alternative.
    pub fn children(&self, alternative: &Alternative) -> &[Child] {
        &self.children[span(&alternative.children)]
    }

    /// Bytes of the pool of texts.
    #[inline(always)]
    pub fn text(&self, text: &Range<u32>) -> &[u8] {
        &self.texts[span(text)]
    }

    /// Name number `index` of an identifier terminal's fixed sequence.
    #[inline(always)]
    pub fn name(&self, names: &Range<u32>, index: u32) -> &[u8] {
        self.text(&self.names[(names.start + index) as usize])
    }

    /// What to call a symbol when talking to people: its rule's name, or `rule/2` for the second group of a rule.
    pub fn label(&self, symbol: SymbolId) -> &str {
        &self.labels[symbol.0 as usize]
    }

    /// What may stand between tokens, if anything.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// What there is to change in what a symbol derives.
    #[inline(always)]
    pub fn role(&self, symbol: SymbolId) -> Role {
        self.roles[symbol.0 as usize]
    }

    /// Whether parameters of one symbol mean the same for the other: they are one, or the same token at different places.
    pub fn is_like(&self, one: SymbolId, other: SymbolId) -> bool {
        let token = |symbol: SymbolId| match self[symbol].kind {
            Kind::Lexeme { body, layout, .. } => Some((body, layout)),
            _ => None,
        };
        one == other || token(one).is_some() && token(one) == token(other)
    }

    /// Which tokens need a separator between them, and where tokens end.
    pub fn boundaries(&self) -> &Boundaries {
        if self.layout.is_some() {
            return &self.boundaries;
        }
        // Nothing but the parser asks, and it may take seconds.
        self.unseparated.get_or_init(|| {
            let terminals = self.boundaries.places().to_vec();
            Boundaries::new(self.tables(), self.bytes, self.start, None, terminals)
        })
    }

    /// Whether a byte alone is a separator.
    #[inline(always)]
    pub(crate) fn is_blank(&self, byte: u8) -> bool {
        let Some(layout) = &self.layout else { return false };
        let mut blank = false;
        for separator in &layout.separators {
            blank |= separator.len() == 1 && separator[0] == byte;
        }
        blank
    }

    /// What separates two tokens that glue: what is allowed where the first stands, its terminal and text; what is allowed where
    /// the second stands, and its text.
    #[inline(always)]
    pub(crate) fn separator(&self, last: (Row, TerminalId, &[u8]), next: (Row, &[u8])) -> &[u8] {
        let Some(layout) = &self.layout else { return &[] };
        let ((row, terminal, before), (next_row, after)) = (last, next);
        let mut separator = &layout.separators[0];
        for candidate in &layout.separators {
            if !self.boundaries.glues(row, terminal, before, candidate)
                && !self.boundaries.glues(next_row, LAYOUT, candidate, after)
            {
                separator = candidate;
                break;
            }
        }
        separator
    }

    /// Whether the grammar says that it derives bytes (`@bytes`), so that classes are sets of bytes.
    pub fn derives_bytes(&self) -> bool {
        self.bytes
    }

    /// Whether every sentence is UTF-8.
    pub fn derives_utf8(&self) -> bool {
        self.utf8
    }

    pub(crate) fn tables(&self) -> Tables<'_> {
        Tables {
            symbols: &self.symbols,
            alternatives: &self.alternatives,
            children: &self.children,
            classes: &self.classes,
            names: &self.names,
            texts: &self.texts,
            separator: self.layout.as_ref().map_or(0, |layout| layout.longest),
        }
    }

    /// A number that changes when what bytes decode to may change.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// FNV-1a over the tables.
    pub(crate) fn hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        add(format!("{:?}{:?}{:?}", self.start, self.layout, self.bytes).as_bytes());
        for symbol in &self.symbols {
            add(format!("{:?}", symbol.kind).as_bytes());
        }
        for alternative in &self.alternatives {
            add(format!("{:?}", alternative.children).as_bytes());
        }
        for child in &self.children {
            add(format!("{child:?}").as_bytes());
        }
        for class in &self.classes {
            add(format!("{:?}", class.ranges()).as_bytes());
        }
        add(&self.texts);
        hash
    }
}

/// The tables of a grammar, finished or in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tables<'a> {
    pub symbols: &'a [Symbol],
    pub alternatives: &'a [Alternative],
    pub children: &'a [Child],
    pub classes: &'a [Class],
    pub names: &'a [Range<u32>],
    pub texts: &'a [u8],
    /// The length of the longest separator.
    pub separator: u32,
}

impl Index<SymbolId> for Grammar {
    type Output = Symbol;
    #[inline(always)]
    fn index(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }
}

impl Index<ClassId> for Grammar {
    type Output = Class;
    #[inline(always)]
    fn index(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }
}

/// The range as the standard library's slices want it.
#[inline(always)]
pub(crate) fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
