//! Parameters of texts, remembered: an engine comes back to the texts of its queue again and again, and to parse one takes longer
//! than to mutate it.
//!
//! What holds: memory is bounded, and a text that is remembered costs no allocation. Not promised: that a text is remembered; another
//! one may have its place.

use std::hash::{DefaultHasher, Hasher};

use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parameters;
use crate::parse::Parser;

/// Texts that are remembered.
const SLOTS: usize = 1 << 12;

/// Bytes of parameters of a text that is remembered.
const LONGEST: usize = 1 << 14;

/// Bytes of a text that is no sentence, of which the part is looked for that is one: that takes a second for 60 kB.
const RECOVERED: usize = 1 << 13;

/// What is known of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    /// The parameters of the sentence that it is; else of what is left of it when other parts are cut out; else none.
    pub parameters: Vec<u8>,
    /// Whether it is a sentence.
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

/// What is known of texts.
#[derive(Debug)]
pub struct Parsed {
    grammar: &'static Grammar,
    parser: Parser<'static>,
    derivation: Derivation,
    slots: Box<[Slot]>,
}

impl Parsed {
    /// Nothing is known yet.
    pub fn new(grammar: &'static Grammar) -> Parsed {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        Parsed { grammar, parser: Parser::new(grammar), derivation: Derivation::default(), slots }
    }

    /// What a text means; parses it unless it is remembered.
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

    /// A text is the sentence of these parameters.
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

/// Never 0, which stands for nothing.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish() | 1 << 63
}
