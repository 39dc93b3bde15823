//! The interface of choice sources. A choice source makes the choices of a derivation. For example,
//! it reads them from a parameter sequence, samples them, draws them by learned weights, or follows
//! a route to an unused alternative.
//!
//! The expander calls a choice source once for every choice to which the grammar gives two or more
//! options, in the order of the sentence. A choice source can ignore bounds and caps. If they
//! forbid an answer, the expander takes an option that they allow.

use std::ops::Range;

use super::visible_names::{AlternativesInScope, VisibleNames};
use crate::bounds::Bounds;
use crate::grammar::{Child, Class, Grammar, Naming, SizeTable, Symbol, SymbolId, span};

/// The case in which a case-insensitive literal is written. A node stores the number of the
/// variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// 0: as in the grammar.
    AsWritten,
    /// 1: lower case.
    Lower,
    /// 2: upper case.
    Upper,
    /// 3: letter *i* is in upper case if bit *i* is set, otherwise in lower case. Letters from
    /// number 64 on are as in the grammar.
    Mask(u64),
}

impl Case {
    /// Returns the number that a node stores.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::derive::Case;
    ///
    /// assert_eq!(Case::Upper.number(), 2);
    /// ```
    pub fn number(self) -> u32 {
        match self {
            Case::AsWritten => 0,
            Case::Lower => 1,
            Case::Upper => 2,
            Case::Mask(_) => 3,
        }
    }

    /// Appends a literal in this case to a text.
    #[inline(always)]
    pub(crate) fn write(self, literal: &[u8], text: &mut Vec<u8>) {
        let mut letter = 0;
        for &byte in literal {
            let is_upper = match self {
                _ if !byte.is_ascii_alphabetic() => byte.is_ascii_uppercase(),
                Case::AsWritten => byte.is_ascii_uppercase(),
                Case::Lower => false,
                Case::Upper => true,
                Case::Mask(_) if letter >= 64 => byte.is_ascii_uppercase(),
                Case::Mask(mask) => mask >> letter & 1 != 0,
            };
            letter += u32::from(byte.is_ascii_alphabetic());
            text.push(if is_upper {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            });
        }
    }

    /// Returns the mask of a text, for [`Case::Mask`].
    pub(crate) fn mask(text: &[u8]) -> u64 {
        let letters = text
            .iter()
            .filter(|byte| byte.is_ascii_alphabetic())
            .take(64);
        letters.enumerate().fold(0, |mask, (at, letter)| {
            mask | u64::from(letter.is_ascii_uppercase()) << at
        })
    }
}

/// A symbol that is about to be expanded, and what is around it. A choice source can use this to
/// divide a budget among symbols.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// The number of open expansions around the symbol.
    pub depth: usize,
    /// The symbol that is about to be expanded.
    pub symbol: SymbolId,
    /// The children after the symbol in its sequence, as a range of the children of the grammar.
    pub(crate) later: Range<u32>,
    /// The number of elements after the symbol if it is an element of a repetition, otherwise 0.
    pub again: u32,
    /// The number of bytes written so far.
    pub written: usize,
    /// The number of bytes left under the cap, minus the minimum size of the rest of the sentence.
    pub(crate) left: u32,
    /// In a grammar with names, the minimum sizes of symbols if only visible names are used.
    pub(crate) sizes: Option<&'a SizeTable>,
}

impl At<'_> {
    /// Returns the children after the symbol in its sequence.
    #[inline]
    pub fn later<'g>(&self, grammar: &'g Grammar) -> &'g [Child] {
        &grammar.children[span(&self.later)]
    }

    /// Returns the minimum number of bytes of the text of a symbol at this position. If the symbol can
    /// be completed with visible names, this is the minimum of the texts that use visible names
    /// only. `id` is the number of the symbol.
    #[inline(always)]
    pub(crate) fn min_bytes(&self, id: SymbolId, symbol: &Symbol) -> u32 {
        let size = self
            .sizes
            .map(|sizes| sizes.vertex(id.0))
            .filter(|size| size.is_finite());
        size.map_or(symbol.min_bytes, |size| size.bytes)
    }
}

/// A choice source: it answers every choice of a derivation.
///
/// # Examples
///
/// ```
/// use zester::{Bounds, Caps, Derivation, derive::{Case, ChoiceSource, DerivationGoal, Workspace, derive}, grammar::{Class, Grammar, SymbolId}};
///
/// /// Takes the last alternative, and two elements of each repetition.
/// struct Last;
///
/// impl ChoiceSource for Last {
///     fn alternative(&mut self, _: &Grammar, _: SymbolId, options: u32) -> u32 {
///         options - 1
///     }
///     fn count(&mut self, _: &Grammar, _: SymbolId, spread: u32) -> u32 {
///         spread.min(2)
///     }
///     fn member(&mut self, _: SymbolId, class: &Class) -> u32 {
///         class.count() - 1
///     }
///     fn name(&mut self, _: SymbolId, _: u32) -> u32 {
///         0
///     }
///     fn case(&mut self, _: SymbolId, _: u32) -> Case {
///         Case::AsWritten
///     }
///     fn layout(&mut self, _: SymbolId) -> u32 {
///         0
///     }
/// }
///
/// let grammar = Grammar::read("x.ebnf", br#"s = [a-c] ( "," ( "x" | "y" ) )* ;"#).unwrap();
/// let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
/// let caps = Caps::default();
/// let goal = DerivationGoal::start(&grammar, &Bounds::UNBOUNDED, &caps);
/// derive(goal, &mut Last, &mut workspace, &mut derivation);
/// assert_eq!(derivation.text(), b"c,y,y");
/// ```
pub trait ChoiceSource {
    /// Called before a symbol that contains other symbols, or a run of characters, is expanded.
    #[inline(always)]
    fn enter(&mut self, _grammar: &Grammar, _at: At<'_>) {}

    /// Chooses an alternative of a nonterminal. Returns its index, which is less than `options`.
    /// `options` is at least 2.
    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32;

    /// Chooses an alternative as [`ChoiceSource::alternative`] does, in a grammar with names.
    /// `in_scope` says which alternatives can be completed with visible names. If the returned
    /// alternative cannot, the expander takes one that can. If there is none, it takes an
    /// alternative with an undeclared name.
    #[inline(always)]
    fn alternative_in_scope(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        options: u32,
        _in_scope: &AlternativesInScope<'_>,
    ) -> u32 {
        self.alternative(grammar, symbol, options)
    }

    /// Chooses the number of elements of a repetition, or of characters of a run, beyond its lower
    /// limit. Returns at most `spread`. `spread` is at least 1.
    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32;

    /// Chooses a member of a class. Returns its index. The class has at least 2 members.
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32;

    /// Chooses an ASCII member of a class of at least 2 members, and returns it. This is faster
    /// than [`ChoiceSource::member`]. If the result is [`None`], the expander calls that method
    /// instead.
    #[inline(always)]
    fn ascii(&mut self, _class: &Class) -> Option<u8> {
        None
    }

    /// Appends up to `max` results of [`ChoiceSource::ascii`] to a text. Returns their number. Must
    /// not change the result of [`ChoiceSource::ended`].
    #[inline(always)]
    fn many_ascii(&mut self, _class: &Class, _max: u32, _text: &mut Vec<u8>) -> u32 {
        0
    }

    /// Chooses a name of an identifier terminal. Returns its index, or `names` for another name,
    /// which is spelled out.
    fn name(&mut self, symbol: SymbolId, names: u32) -> u32;

    /// Chooses a name as [`ChoiceSource::name`] does, for a use or a declaration of a name.
    ///
    /// May also return `names + 1 + index`. Then the expander takes the name with this index and
    /// ignores scopes: a use may take a name that is not visible, and a declaration may take a name
    /// that the scope already declares.
    #[inline(always)]
    fn name_in_scope(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.name(symbol, names)
    }

    /// Chooses the name of a use by its recency: 0 is the name of its kind that became visible
    /// last, 1 the one before it, and so on. Larger numbers mean the name that became visible
    /// first. If the result is [`None`] or no name is visible, [`ChoiceSource::name_in_scope`] is
    /// called.
    #[inline(always)]
    fn recency(&mut self, _symbol: SymbolId) -> Option<u32> {
        None
    }

    /// Chooses the case of a literal with this number of letters, which is at least 1.
    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case;

    /// Chooses the layout before a lexeme: the number of layout tokens, plus
    /// [`WITHOUT_LAYOUT`](crate::derivation::WITHOUT_LAYOUT) if separators are to be omitted.
    fn layout(&mut self, symbol: SymbolId) -> u32;

    /// Returns whether repetitions end when names run out. If `true`, a repetition whose elements
    /// declare a name ends when the innermost scope has declared all names, and a repetition whose
    /// elements need a name ends when no such name is visible any more. If `false`, such a
    /// repetition goes on: a name is declared again, or an undeclared name is used.
    #[inline(always)]
    fn wants_free_names(&self) -> bool {
        false
    }

    /// Returns whether the choice source has no more answers. Then open repetitions end when they
    /// have reached their lower limits.
    #[inline(always)]
    fn ended(&self) -> bool {
        false
    }
}

/// Returns whether a repetition can go on with another element. If
/// [`ChoiceSource::wants_free_names`] is true, a repetition must end in two cases. The element
/// declares a name, but the innermost scope has already declared all names. Or the element needs a
/// name, but none is visible.
#[inline(always)]
pub(super) fn can_repeat<C: ChoiceSource + ?Sized>(
    naming: &Naming,
    names: &VisibleNames,
    choice_source: &C,
    bounds: &Bounds,
    element: SymbolId,
) -> bool {
    let declares = naming.symbol_declares[element.0 as usize];
    !choice_source.wants_free_names()
        || names.sizes().vertex(element.0).is_finite()
            && (declares == 0 || names.has_free_names(naming, declares, bounds.identifiers))
}
