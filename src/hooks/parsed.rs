//! A cache of the parameters of texts. An engine mutates the texts of its queue many times, and parsing a text takes longer than
//! mutating it.
//!
//! Guarantees: memory is bounded, and a text in the cache costs no allocation.
//!
//! Not guaranteed: that a text stays in the cache; another text may take its slot.

use std::hash::{DefaultHasher, Hasher};

use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parameters;
use crate::parse::Parser;

/// Number of slots in the cache.
const SLOTS: usize = 1 << 12;

/// The maximal length of parameters in the cache, in bytes.
const LONGEST: usize = 1 << 14;

/// The maximal length of a text of which the part that is a sentence is looked for, in bytes. That takes a second for 60 kB.
const RECOVERED: usize = 1 << 13;

/// The result of parsing a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The parameters of the sentence; of the part that is a sentence, if the text is none; empty if there is no such part.
    pub parameters: Vec<u8>,
    /// Whether the whole text is a sentence.
    pub is_sentence: bool,
}

impl Meaning {
    fn set(&mut self, parameters: &[u8], is_sentence: bool) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.is_sentence = is_sentence;
    }
}

#[derive(Clone, Debug, Default)]
struct Slot {
    hash: u64,
    meaning: Meaning,
}

/// The cache, and the parser that fills it.
#[derive(Debug)]
pub struct Parsed {
    grammar: &'static Grammar,
    parser: Parser<'static>,
    derivation: Derivation,
    slots: Box<[Slot]>,
}

impl Parsed {
    /// An empty cache.
    pub fn new(grammar: &'static Grammar) -> Parsed {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        Parsed { grammar, parser: Parser::new(grammar), derivation: Derivation::default(), slots }
    }

    /// Writes the parameters of a text to `meaning`. Parses the text unless it is in the cache.
    pub fn read(&mut self, text: &[u8], meaning: &mut Meaning) {
        let hash = hash(text);
        let slot = &self.slots[place(hash)];
        if slot.hash == hash {
            meaning.set(&slot.meaning.parameters, slot.meaning.is_sentence);
            return;
        }
        meaning.set(&[], self.parser.parse(text, &mut self.derivation).is_ok());
        let parser = &mut self.parser;
        if meaning.is_sentence || text.len() <= RECOVERED && parser.recover(text, &mut self.derivation).is_ok() {
            parameters::encode(self.grammar, &self.derivation, &mut meaning.parameters);
        }
        self.remember(hash, &meaning.parameters, meaning.is_sentence);
    }

    /// Puts a text into the cache that is the sentence of these parameters.
    pub fn know(&mut self, text: &[u8], parameters: &[u8]) {
        self.remember(hash(text), parameters, true);
    }

    fn remember(&mut self, hash: u64, parameters: &[u8], is_sentence: bool) {
        if parameters.len() <= LONGEST {
            let slot = &mut self.slots[place(hash)];
            slot.hash = hash;
            slot.meaning.set(parameters, is_sentence);
        }
    }
}

fn place(hash: u64) -> usize {
    hash as usize % SLOTS
}

/// The hash of a text. It is never 0, which marks an empty slot.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish() | 1 << 63
}
