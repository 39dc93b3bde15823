//! Words that the sampler draws for tokens. A word is a text that the program under test is known
//! to look for.

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::grammar::{Grammar, SymbolId};
use crate::parameters::{Parameters, PastEnd};

/// If a token has this many words, half of its texts are words. With more words, words are drawn
/// more often.
const EQUAL: u32 = 8;

/// At most this share of the texts of a token are words.
const MAX_SHARE: f64 = 0.75;

/// The canonical parameters of words, by lexeme. In a grammar without layout, by token.
#[derive(Debug, Default)]
pub struct SampledWords {
    rows: Vec<Vec<Box<[u8]>>>,
}

impl SampledWords {
    /// Adds a word by its canonical parameters.
    pub fn add(&mut self, grammar: &Grammar, symbol: SymbolId, parameters: &[u8]) {
        if self.rows.is_empty() {
            self.rows.resize_with(grammar.symbols().len(), Vec::new);
        }
        self.rows[symbol.0 as usize].push(parameters.into());
    }

    /// Draws a word. Returns [`None`] if the token should be derived by its rule instead.
    #[inline(always)]
    pub fn draw(&self, rng: &mut SmallRng, symbol: SymbolId) -> Option<&[u8]> {
        let words = self.rows.get(symbol.0 as usize)?;
        if words.is_empty() {
            return None;
        }
        let count = words.len() as u32;
        let share = f64::from(count) / f64::from(count + EQUAL);
        let drawn = rng.random_bool(share.min(MAX_SHARE));
        drawn.then(|| &*words[rng.random_range(0..words.len())])
    }
}

/// The parameters of a word that are being read.
#[derive(Debug, Default)]
pub struct WordReplay {
    parameters: Vec<u8>,
    read: usize,
}

impl WordReplay {
    /// Begins to read the parameters of a word.
    pub fn begin(&mut self, parameters: &[u8]) {
        self.read = 0;
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
    }

    /// Drops the parameters that were not read.
    #[inline(always)]
    pub fn end(&mut self) {
        self.read = self.parameters.len();
    }

    /// Returns whether all parameters were read.
    #[inline(always)]
    pub fn is_done(&self) -> bool {
        self.read == self.parameters.len()
    }

    /// Makes a choice by the next parameters. Returns [`None`] if all were read.
    #[inline(always)]
    pub fn choose<T>(&mut self, choice: impl FnOnce(&mut Parameters<'_>) -> T) -> Option<T> {
        if self.is_done() {
            return None;
        }
        let mut parameters = Parameters::new(&self.parameters[self.read..], PastEnd::Simplest);
        let chosen = choice(&mut parameters);
        self.read += parameters.read();
        Some(chosen)
    }
}
