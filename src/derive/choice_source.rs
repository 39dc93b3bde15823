//! The interface of choice sources: parameters, samplers, weights, coverage.
//!
//! A choice source is asked for every choice to which the grammar gives two or more options, and for no other, in the order of
//! the sentence. It need not know bounds or caps: if they forbid an answer, the generator takes an option that they allow.

use std::ops::Range;

use crate::grammar::{Child, Class, Grammar, SymbolId, span};

/// In which case a case-insensitive literal is written. A node keeps the variant's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// 0: as the grammar writes it.
    AsWritten,
    /// 1: small letters.
    Lower,
    /// 2: capitals.
    Upper,
    /// 3: bit *i* says whether letter *i* is a capital; letters from 64 on are as written.
    Mask(u64),
}

impl Case {
    /// The number that a node keeps.
    pub fn number(self) -> u32 {
        match self {
            Case::AsWritten => 0,
            Case::Lower => 1,
            Case::Upper => 2,
            Case::Mask(_) => 3,
        }
    }

    /// Writes a literal in this case.
    #[inline(always)]
    pub(crate) fn write(self, literal: &[u8], text: &mut Vec<u8>) {
        let mut letter = 0;
        for &byte in literal {
            let capital = match self {
                _ if !byte.is_ascii_alphabetic() => byte.is_ascii_uppercase(),
                Case::AsWritten => byte.is_ascii_uppercase(),
                Case::Lower => false,
                Case::Upper => true,
                Case::Mask(_) if letter >= 64 => byte.is_ascii_uppercase(),
                Case::Mask(mask) => mask >> letter & 1 != 0,
            };
            letter += u32::from(byte.is_ascii_alphabetic());
            text.push(if capital { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() });
        }
    }

    /// The mask that a text is written by.
    pub(crate) fn mask(text: &[u8]) -> u64 {
        let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).take(64);
        letters.enumerate().fold(0, |mask, (at, letter)| mask | u64::from(letter.is_ascii_uppercase()) << at)
    }
}

/// The place where a symbol is about to be expanded. A choice source can use it to divide a budget among symbols.
#[derive(Clone, Debug)]
pub struct At {
    /// How many expansions are open.
    pub depth: usize,
    /// The symbol.
    pub symbol: SymbolId,
    /// What stands after it in its sequence: see [`At::later`].
    pub(crate) later: Range<u32>,
    /// How many more elements its repetition wants.
    pub again: u32,
    /// How many bytes of text are written.
    pub written: usize,
}

impl At {
    /// What stands after the symbol in its sequence.
    pub fn later<'g>(&self, grammar: &'g Grammar) -> &'g [Child] {
        &grammar.children[span(&self.later)]
    }
}

/// A choice source: it answers each choice of a derivation.
pub trait ChoiceSource {
    /// A symbol with parts is about to be expanded.
    #[inline(always)]
    fn enter(&mut self, _grammar: &Grammar, _at: At) {}

    /// Which of the alternatives of a nonterminal; `options` is at least 2, the answer less.
    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32;

    /// How many elements of a repetition or a run beyond its lower limit; the answer is at most `spread`, which is at least 1.
    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32;

    /// Which member of the class of a symbol, which has at least 2.
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32;

    /// An ASCII member of a class of at least 2: a faster way to answer [`ChoiceSource::member`], which is asked if the answer is
    /// `None`.
    #[inline(always)]
    fn ascii(&mut self, _class: &Class) -> Option<u8> {
        None
    }

    /// Appends up to `most` of what [`ChoiceSource::ascii`] answers to a text; how many. [`ChoiceSource::ended`] does not change by it.
    #[inline(always)]
    fn many_ascii(&mut self, _class: &Class, _most: u32, _text: &mut Vec<u8>) -> u32 {
        0
    }

    /// Which of an identifier terminal's names; `names` for another name, spelled out.
    fn name(&mut self, symbol: SymbolId, names: u32) -> u32;

    /// The case of a literal with this many letters, at least 1.
    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case;

    /// How many pieces of layout before a lexeme's token, and whether they are [`WITHOUT_LAYOUT`](crate::derivation::WITHOUT_LAYOUT).
    fn layout(&mut self, symbol: SymbolId) -> u32;

    /// Whether nothing is left to choose: then open repetitions stop.
    #[inline(always)]
    fn ended(&self) -> bool {
        false
    }
}
