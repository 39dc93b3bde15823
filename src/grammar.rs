//! Grammars as flat, immutable tables, and facts that are computed from the tables.
//!
//! [`crate::notation`] reads a [`Grammar`] from text; every other module uses it. The tables are
//! indexed by newtypes such as [`SymbolId`] and [`ClassId`].
//!
//! # Guarantees
//!
//! * The element of a repetition derives at least one byte.
//! * There are no cycles: no nonterminal derives itself with only empty texts around it.
//! * Every alternative derives at least one finite text, unless arguments forbid it.
//! * The alternatives of a nonterminal are ordered by their minimum sizes, then by their order in
//!   the source.
//!
//! A grammar with names or arguments of rules has an *erased* grammar: the same grammar without
//! names, whose rules take no arguments. Each symbol of the whole grammar is an *instance*: a
//! symbol of the erased grammar with values for its arguments. In such a grammar:
//!
//! * Alternatives that arguments forbid have an infinite minimum size. The expander never chooses
//!   them.
//! * The alternatives of an instance have the same order as in the erased grammar. After them come
//!   copies of some alternatives. The copies use undeclared names.

mod alphabet;
mod automaton;
mod class;
mod completion;
mod describe;
mod equivalence;
#[cfg(test)]
pub(crate) mod exhaustive;
mod fingerprint;
mod follow;
mod graph;
mod lines;
mod minimum;
mod names;
mod role;
mod separators;
pub(crate) mod sets;
mod sizes;
mod terminal;
mod unit_edges;
mod words;

use std::ops::{Index, Range};
use std::sync::OnceLock;

pub(crate) use automaton::{Excess, Inexact, Nfa, PASS_WORK};
pub use class::Class;
pub(crate) use class::{ESCAPE, NO_MEMBER, first_character};
use completion::Blocked;
pub use equivalence::Equivalence;
pub(crate) use equivalence::{
    BuiltInEquivalence, EquivalentChange, EquivalentSides, PartKind, RulePattern, SidePart,
};
pub(crate) use fingerprint::fingerprint;
pub(crate) use graph::parts;
pub use graph::{Graph, components};
pub(crate) use lines::{
    Brackets, LineMark, Lines, MARK_LENGTH, MAX_INDENTATION, WIDTHS, is_mark, without_marks,
};
pub use minimum::Size;
pub(crate) use minimum::{minimum_sizes, minimum_sizes_without_names, reserve};
pub(crate) use names::{
    Annotation, Annotations, Argument, Effect, NameKind, Naming, Pattern, Value, ValueTerm,
    instantiate,
};
pub(crate) use role::{Role, roles, syntax};
pub(crate) use separators::{Boundaries, Competitors, FollowSet, is_one_word, is_word};
pub(crate) use sizes::{SizeTable, Sizes};
pub use terminal::PositionId;
pub(crate) use terminal::{LAYOUT, TerminalId};
pub(crate) use unit_edges::unit_edges;
pub(crate) use words::{is_closed, is_one_token, words};

/// The number of a symbol of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// The number of a character class of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// The kind of a symbol: what it derives, and which choice a node of the symbol makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of several alternatives, each a sequence of children. If there is only one alternative,
    /// there is no choice.
    Nonterminal {
        /// The alternatives, as a range of [`Grammar::alternatives`].
        alternatives: Range<u32>,
        /// Whether the depth bound counts nodes of this nonterminal: it is a syntax rule with a
        /// name that can contain itself.
        counted: bool,
    },
    /// A fixed text: `"let"`.
    Literal {
        /// The bytes, as a range of the grammar's pool of texts.
        text: Range<u32>,
    },
    /// A fixed text in any mixture of cases: `"select"i`.
    Insensitive {
        /// The bytes as they are written in the grammar, as a range of the grammar's pool of texts.
        text: Range<u32>,
        /// The number of ASCII letters among these bytes, at least 1.
        letters: u32,
    },
    /// One character of a class: `[a-z]`.
    Class(ClassId),
    /// A run of characters of a class: `[a-z]*`. Its choices are the number of characters, and a
    /// member of the class for each.
    Run {
        /// The class.
        class: ClassId,
        /// The minimum number of characters.
        at_least: u32,
        /// The maximum number of characters; `u32::MAX` if there is none.
        at_most: u32,
    },
    /// A repetition of an element: `statement*`. Its choice is the number of elements.
    Repeat {
        /// The repeated symbol, which never derives the empty text.
        element: Child,
        /// The minimum number of elements.
        at_least: u32,
        /// The maximum number of elements; `u32::MAX` if there is none.
        at_most: u32,
        /// Whether the items bound limits the number of elements. It limits repetitions in syntax
        /// rules.
        items: bool,
    },
    /// A user-defined name: one of a fixed sequence of names, or any other text that the rule
    /// derives.
    Identifier {
        /// The fixed sequence of 1 to 64 names, as a range of the grammar's names.
        names: Range<u32>,
        /// The symbol that derives any other name.
        escape: SymbolId,
    },
    /// The text of a capture again. The capture is the last node of the symbol `of` that must still
    /// be repeated.
    Same {
        /// The captured symbol.
        of: SymbolId,
        /// Whether this is the last repetition of the capture.
        is_last: bool,
    },
    /// An occurrence of a token in a syntax rule, with the layout before it.
    Lexeme {
        /// The token, a symbol that contains no lexemes.
        body: SymbolId,
        /// The position of the occurrence.
        position: PositionId,
        /// Whether layout is allowed before the token.
        layout: bool,
    },
}

/// A symbol: what it derives, and the size of its derivations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it derives.
    pub kind: Kind,
    /// The minimum size of a derivation.
    pub minimum: Size,
    /// The minimum length of its text in bytes, without separators. In a grammar with names, only
    /// texts that use no names count, if there are any.
    pub min_bytes: u32,
    /// The maximum length of its text in bytes; `u32::MAX` if there is no limit. Separators and
    /// layout are not included. For an identifier, only the names of its fixed sequence count.
    pub max_bytes: u32,
}

/// One alternative of a nonterminal.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The symbols of the alternative, as a range in the table of all children.
    pub children: Range<u32>,
    /// The minimum size of a derivation, including the nonterminal's own node.
    pub minimum: Size,
    /// The minimum length of its text in bytes, without separators.
    pub min_bytes: u32,
    /// The index of the alternative in its rule or group in the source. [`None`] if the alternative
    /// is not in the source, as in rules that are made for an exclusion.
    pub source: Option<u32>,
    /// The weight of the alternative in the source: finite, at least 0, and 1 by default. Weights
    /// influence which sentences are generated, never how bytes decode. There is one exception: in
    /// a grammar with names, an alternative of weight 0 does not count as a way to complete its
    /// rule.
    pub weight: f64,
    /// The index of the alternative's source span in the grammar's table of spans. `NO_SPAN` if the
    /// alternative is empty or not in the source.
    pub span: u32,
}

/// The `span` of an alternative that has none.
pub(crate) const NO_SPAN: u32 = u32::MAX;

/// An occurrence of a symbol in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child {
    /// The symbol.
    pub symbol: SymbolId,
    /// Whether layout is forbidden before it (`~` in the notation).
    pub is_adjacent: bool,
}

/// The layout of a grammar: the texts that are allowed between tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The symbol that derives one layout token, such as whitespace or a comment. It never derives
    /// the empty text.
    pub token: SymbolId,
    /// Texts that can separate two tokens, the simplest first. There is at least one.
    pub separators: Box<[Box<[u8]>]>,
    /// The length of the longest separator in bytes.
    pub longest: u32,
}

/// A grammar: the rules by which bytes decode to sentences.
///
/// [`Grammar::read`] makes it from a text in the [notation](mod@crate::notation) of zester. It is
/// immutable, so threads can share it.
///
/// # Examples
///
/// ```
/// use zester::Grammar;
///
/// let source = br#"call = name "(" call? ")" ; name = [a-z]+ ;"#;
/// let grammar = Grammar::read("call.ebnf", source).unwrap();
///
/// let parameters = grammar.encode(b"f(g())").unwrap();
/// assert_eq!(grammar.decode(&parameters), b"f(g())");
/// ```
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
    /// The separator tables that the parser uses if there is no layout.
    pub(crate) unseparated: OnceLock<Boundaries>,
    pub(crate) roles: Box<[Role]>,
    pub(crate) bytes: bool,
    pub(crate) utf8: bool,
    pub(crate) fingerprint: u64,
    /// The spans of alternatives in the source.
    pub(crate) alternative_spans: Box<[Range<u32>]>,
    /// By symbol: its span in the source. In a grammar with names, only the erased grammar has
    /// these spans.
    pub(crate) spans: Box<[Range<u32>]>,
    /// The tables for lines and indentation, if the grammar has them.
    pub(crate) lines: Option<Box<Lines>>,
    /// By symbol: whether it is a capture, whose text is repeated. [`None`] if there is no capture.
    pub(crate) captures: Option<Box<[bool]>>,
    /// The tables for names and arguments of rules, if the grammar has them.
    pub(crate) naming: Option<Box<Naming>>,
    /// The equivalences, in the order of the source.
    pub(crate) equivalences: Box<[Equivalence]>,
    /// The built-in equivalences that the grammar switches off.
    pub(crate) unequal: Vec<BuiltInEquivalence>,
}

impl Grammar {
    /// The name of a symbol in messages: the name of its rule, or `rule/2` for the second group of
    /// a rule.
    pub fn label(&self, symbol: SymbolId) -> &str {
        &self.labels[symbol.0 as usize]
    }

    /// Returns the literal that a lexeme consists of. Returns [`None`] for other lexemes and symbols.
    pub(crate) fn word(&self, lexeme: SymbolId) -> Option<SymbolId> {
        let Kind::Lexeme { body, .. } = self[lexeme].kind else {
            return None;
        };
        let literal = matches!(
            self[body].kind,
            Kind::Literal { .. } | Kind::Insensitive { .. }
        );
        literal.then_some(body)
    }

    #[inline(always)]
    pub(crate) fn role(&self, symbol: SymbolId) -> Role {
        self.roles[symbol.0 as usize]
    }

    /// The tables that say which tokens need a separator between them.
    pub(crate) fn boundaries(&self) -> &Boundaries {
        if self.layout.is_some() {
            return &self.boundaries;
        }
        // Only the parser needs these tables. They are computed at the first use, because this may
        // take seconds.
        self.unseparated.get_or_init(|| {
            let terminals = self.boundaries.terminals_by_position().to_vec();
            let follow = (self.start, Competitors::Allowed);
            Boundaries::new(self.tables(), self.bytes, follow, None, terminals)
        })
    }

    /// Whether one byte alone is a separator of the grammar.
    #[inline(always)]
    pub(crate) fn is_blank(&self, byte: u8) -> bool {
        let Some(layout) = &self.layout else {
            return false;
        };
        let mut blank = false;
        for separator in &layout.separators {
            blank |= separator.len() == 1 && separator[0] == byte;
        }
        blank
    }

    /// A separator for two tokens that need one. `last` is the first token: the terminals that are
    /// allowed at its position, its terminal and its text. `next` is the second token: the
    /// terminals that are allowed at its position, and its text.
    #[inline(always)]
    pub(crate) fn separator(
        &self,
        last: (FollowSet, TerminalId, &[u8]),
        next: (FollowSet, &[u8]),
    ) -> &[u8] {
        let Some(layout) = &self.layout else {
            return &[];
        };
        let ((allowed, terminal, before), (allowed_next, after)) = (last, next);
        let mut separator = &layout.separators[0];
        for candidate in &layout.separators {
            if !self
                .boundaries
                .needs_separator(allowed, terminal, before, candidate)
                && !self
                    .boundaries
                    .needs_separator(allowed_next, LAYOUT, candidate, after)
            {
                separator = candidate;
                break;
            }
        }
        separator
    }

    /// The index of an alternative of a nonterminal in the erased grammar's table of all
    /// alternatives. 0 for other symbols.
    #[inline(always)]
    pub(crate) fn erased_alternative(&self, symbol: SymbolId, choice: u32) -> usize {
        let Kind::Nonterminal { alternatives, .. } = &self[symbol].kind else {
            return 0;
        };
        let at = alternatives.start + choice;
        let Some(naming) = &self.naming else {
            return at as usize;
        };
        let Kind::Nonterminal { alternatives, .. } = &self.erased()[self.origin(symbol)].kind
        else {
            return 0;
        };
        (alternatives.start + naming.sources[at as usize]) as usize
    }

    /// The index of an alternative of a nonterminal among those of the same nonterminal in the
    /// erased grammar.
    #[cfg(feature = "suite")]
    pub(crate) fn erased_choice(&self, symbol: SymbolId, choice: u32) -> u32 {
        let (Some(naming), Kind::Nonterminal { alternatives, .. }) =
            (&self.naming, &self[symbol].kind)
        else {
            return choice;
        };
        naming.sources[(alternatives.start + choice) as usize]
    }

    /// Whether an alternative of a nonterminal needs visible names and has a copy, which needs
    /// none.
    pub(crate) fn has_copy(&self, symbol: SymbolId, choice: u32) -> bool {
        let (Some(naming), Kind::Nonterminal { alternatives, .. }) =
            (&self.naming, &self[symbol].kind)
        else {
            return false;
        };
        let at = (alternatives.start + choice) as usize;
        naming.needs_names(at as u32) && naming.copies[at] > 0
    }

    /// Whether a node with this choice ignores scopes and types. It is an alternative for
    /// undeclared names, a use of a name that need not be visible, or a declaration of a name that
    /// the scope may already declare.
    pub(crate) fn breaks_scopes(&self, symbol: SymbolId, choice: u32) -> bool {
        let Some(naming) = &self.naming else {
            return false;
        };
        match &self[symbol].kind {
            Kind::Nonterminal { .. } => choice >= naming.regular[symbol.0 as usize],
            Kind::Identifier { names, .. } => match naming.effects[symbol.0 as usize] {
                Effect::Use { .. } => choice >= names.end - names.start,
                Effect::Declare { .. } => choice > names.end - names.start,
                _ => false,
            },
            _ => false,
        }
    }

    /// The alternatives of a nonterminal with their indices, without those that arguments forbid,
    /// and without copies for undeclared names.
    pub(crate) fn listed(&self, symbol: SymbolId) -> impl Iterator<Item = (u32, &Alternative)> {
        let is_listed = move |&(choice, alternative): &(u32, &Alternative)| {
            alternative.minimum.is_finite() && !self.is_for_undeclared_names(symbol, choice)
        };
        (0..).zip(self.alternatives(symbol)).filter(is_listed)
    }

    /// The index of the copy of an alternative for undeclared names, if it has one.
    pub(crate) fn copy(&self, symbol: SymbolId, choice: u32) -> Option<u32> {
        let (Some(naming), Kind::Nonterminal { alternatives, .. }) =
            (&self.naming, &self[symbol].kind)
        else {
            return None;
        };
        let copy = naming.copies[(alternatives.start + choice) as usize];
        (copy > 0).then_some(copy)
    }

    /// Whether a symbol is an instance of a call. Each alternative of a call is the called rule
    /// with other values of its arguments.
    pub(crate) fn is_call(&self, symbol: SymbolId) -> bool {
        self.naming
            .as_ref()
            .is_some_and(|naming| naming.calls[naming.origins[symbol.0 as usize].0 as usize])
    }

    /// Whether a symbol of the erased grammar is a call, which derives only another rule.
    #[cfg(feature = "suite")]
    pub(crate) fn is_call_of_erased(&self, symbol: SymbolId) -> bool {
        let naming = self.naming.as_ref();
        naming.is_some_and(|naming| naming.calls[symbol.0 as usize])
    }

    /// Whether an alternative of a nonterminal needs visible names, or is the copy of one that
    /// does.
    pub(crate) fn needs_names(&self, symbol: SymbolId, choice: u32) -> bool {
        let (Some(naming), Kind::Nonterminal { alternatives, .. }) =
            (&self.naming, &self[symbol].kind)
        else {
            return false;
        };
        let is_copy = choice >= naming.regular[symbol.0 as usize];
        is_copy || naming.needs_names(alternatives.start + choice)
    }

    /// The symbol of the erased grammar of which a symbol is an instance.
    pub(crate) fn origin(&self, symbol: SymbolId) -> SymbolId {
        self.naming
            .as_ref()
            .map_or(symbol, |naming| naming.origins[symbol.0 as usize])
    }

    /// Returns a symbol of the erased grammar before which declarations do not count, because the
    /// limit of vertices was reached. See [`completion`].
    pub(crate) fn left_out(&self) -> Option<SymbolId> {
        let symbol = self.naming.as_deref()?.completion.left_out?;
        Some(self.origin(symbol))
    }

    /// Returns the alternatives and repetitions that are never completed because of an `@hide`. The
    /// result has symbols of the erased grammar.
    pub(crate) fn blocked(&self) -> Vec<Blocked> {
        let all = (self.naming.iter()).flat_map(|naming| &naming.completion.blocked);
        let of_erased = |blocked: &Blocked| Blocked {
            owner: self.origin(blocked.owner),
            needs: self.origin(blocked.needs),
            hide: self.origin(blocked.hide),
        };
        all.map(of_erased).collect()
    }

    /// The minimum sizes of all symbols and of all alternatives in the grammar without the `banned`
    /// nonterminals.
    pub(crate) fn minimum_sizes_without(
        &self,
        banned: &dyn Fn(SymbolId) -> bool,
    ) -> (Vec<Size>, Vec<Size>) {
        match &self.naming {
            None => minimum_sizes(self.tables(), banned),
            Some(naming) => minimum_sizes(self.tables(), &|symbol| {
                banned(symbol) || symbol == naming.nothing()
            }),
        }
    }

    pub(crate) fn tables(&self) -> GrammarTables<'_> {
        GrammarTables {
            symbols: &self.symbols,
            alternatives: &self.alternatives,
            children: &self.children,
            classes: &self.classes,
            names: &self.names,
            texts: &self.texts,
            separator: self.layout.as_ref().map_or(0, |layout| layout.longest),
            indentation: match self.lines {
                Some(_) => MAX_INDENTATION as u32,
                None => 0,
            },
            capture: MAX_CAPTURE,
        }
    }

    /// A 64-bit hash that identifies how parameters decode. If two grammars have equal
    /// fingerprints, they decode parameters to the same sentences, unless the hashes collide. Every
    /// release of zester that decodes in the same way computes the same number.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl Grammar {
    /// Returns the equivalences of the grammar, in the order of its source.
    pub fn equivalences(&self) -> &[Equivalence] {
        &self.equivalences
    }

    /// The symbol of a whole sentence: the start rule, then the layout after the last token.
    pub fn start(&self) -> SymbolId {
        self.start
    }

    /// All symbols, by [`SymbolId`].
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The alternatives of a nonterminal, in the order of their codes. Empty for every other
    /// symbol.
    #[inline]
    pub fn alternatives(&self, symbol: SymbolId) -> &[Alternative] {
        match &self[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => &self.alternatives[span(alternatives)],
            _ => &[],
        }
    }

    /// The symbols of an alternative.
    #[inline]
    pub fn children(&self, alternative: &Alternative) -> &[Child] {
        &self.children[span(&alternative.children)]
    }

    /// A text of the grammar, such as the text of a literal.
    #[inline(always)]
    pub fn text(&self, text: &Range<u32>) -> &[u8] {
        &self.texts[span(text)]
    }

    /// The name of this index in the fixed sequence of an identifier terminal.
    #[inline(always)]
    pub fn name(&self, names: &Range<u32>, index: u32) -> &[u8] {
        self.text(&self.names[(names.start + index) as usize])
    }

    /// The span in the source of the alternative with this index of a nonterminal, as a range of
    /// bytes. [`None`] if the alternative is empty, or is not written in the source.
    pub fn alternative_span(&self, symbol: SymbolId, choice: u32) -> Option<Range<u32>> {
        let alternative = self.alternatives(symbol).get(choice as usize)?;
        self.alternative_spans
            .get(alternative.span as usize)
            .cloned()
    }

    /// The span in the source of the definition of a symbol, as a range of bytes.
    pub fn span_of(&self, symbol: SymbolId) -> Range<u32> {
        self.erased().spans[self.origin(symbol).0 as usize].clone()
    }

    /// The layout, if the grammar has any.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// Whether equal parameters decode to equal texts for both symbols. This is true if they are
    /// one symbol, or lexemes of one token that both allow or both forbid layout.
    pub fn is_like(&self, one: SymbolId, other: SymbolId) -> bool {
        let token = |symbol: SymbolId| match self[symbol].kind {
            Kind::Lexeme { body, layout, .. } => Some((body, layout)),
            _ => None,
        };
        one == other || token(one).is_some() && token(one) == token(other)
    }

    /// Whether every boundary between tokens gets a separator, because the tables of separators
    /// would be too large.
    pub fn separates_all(&self) -> bool {
        self.boundaries().separates_all()
    }

    /// Whether the grammar has `@bytes`, so that its classes are sets of bytes.
    pub fn derives_bytes(&self) -> bool {
        self.bytes
    }

    /// Whether every sentence is valid UTF-8.
    pub fn derives_utf8(&self) -> bool {
        self.utf8
    }

    /// Whether the grammar declares or uses names, or has rules that take arguments.
    pub fn has_names(&self) -> bool {
        self.naming.is_some()
    }

    /// Whether the grammar has lines and indentation.
    pub fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// The erased grammar, which the parser uses. It has no names, and its rules take no arguments.
    pub fn erased(&self) -> &Grammar {
        self.naming
            .as_ref()
            .and_then(|naming| naming.erased.as_deref())
            .unwrap_or(self)
    }

    /// Returns whether an alternative is a copy for undeclared names. A copy stands in for an
    /// alternative that needs a name, at places where no such name is visible.
    pub fn is_for_undeclared_names(&self, nonterminal: SymbolId, alternative: u32) -> bool {
        let regular = |naming: &Naming| naming.regular[nonterminal.0 as usize];
        (self.naming.as_deref()).is_some_and(|naming| alternative >= regular(naming))
            && self.alternatives(nonterminal).len() > 1
    }
}

/// The maximum length of a captured text, in bytes. The budget reserves this many bytes for each
/// repetition of a capture until the repetition is written.
pub(crate) const MAX_CAPTURE: u32 = 200;

/// By symbol of a grammar: whether it is a capture, whose text is repeated. [`None`] if there is no
/// capture.
pub(crate) fn captures(grammar: &Grammar) -> Option<Box<[bool]>> {
    let mut captures = vec![false; grammar.symbols.len()];
    for symbol in &grammar.symbols {
        if let Kind::Same { of, .. } = symbol.kind {
            captures[of.0 as usize] = true;
        }
    }
    captures.contains(&true).then(|| captures.into())
}

/// Borrowed tables of a grammar. They are incomplete while the grammar is built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrammarTables<'a> {
    pub symbols: &'a [Symbol],
    pub alternatives: &'a [Alternative],
    pub children: &'a [Child],
    pub classes: &'a [Class],
    pub names: &'a [Range<u32>],
    pub texts: &'a [u8],
    /// The length of the longest separator, in bytes.
    pub separator: u32,
    /// The number of bytes that are reserved for the indentation of a line.
    pub indentation: u32,
    /// The number of bytes that are reserved for a text that repeats a capture.
    pub capture: u32,
}

impl GrammarTables<'_> {
    /// Returns tables that reserve no bytes for separators, indentation and captures. Sizes
    /// computed from them are lengths of texts alone.
    pub(crate) fn for_texts(self) -> Self {
        GrammarTables {
            separator: 0,
            indentation: 0,
            capture: 0,
            ..self
        }
    }
}

#[doc(hidden)]
impl Index<SymbolId> for Grammar {
    type Output = Symbol;
    #[inline(always)]
    fn index(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }
}

#[doc(hidden)]
impl Index<ClassId> for Grammar {
    type Output = Class;
    #[inline(always)]
    fn index(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }
}

/// Converts a range of `u32` to a range of `usize`, which indexes slices.
#[inline(always)]
pub(crate) fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
