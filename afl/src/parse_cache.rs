//! Remembers the parameters of texts. AFL++ comes back to the texts of its queue again and again, and parsing a text takes longer
//! than mutating it.
//!
//! # Guarantees
//!
//! Memory is bounded. A text that is remembered costs no allocation. Parsing a text takes at most as many steps as [`EFFORT`]
//! says, so no text of the queue stops AFL++.
//!
//! # Not guaranteed
//!
//! That a text is remembered: another one may have taken its place.

use std::hash::{DefaultHasher, Hasher};

use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters;
use zester::parse::{Effort, Error, Parser};

/// The work that parsing one text may take: a tenth of a second for 4 kB. Real texts take 5 to 60 steps for each byte.
const EFFORT: Effort = Effort { steps: 1 << 20, steps_per_byte: 1 << 8, memory: 256 << 20 };

/// How many texts are remembered.
const SLOTS: usize = 1 << 12;

/// The most bytes of parameters that are remembered of a text.
const MAX_PARAMETERS: usize = 1 << 14;

/// The most bytes of a text that is no sentence, and of which a part that is one is looked for: that takes a second for 60 kB.
const MAX_RECOVERED: usize = 1 << 13;

/// The parameters that stand for a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parse {
    /// The parameters of the sentence that the text is. Otherwise those of what is left of the text when other parts are cut out.
    /// Otherwise none.
    pub parameters: Vec<u8>,
    /// Whether the whole text is a sentence.
    pub is_sentence: bool,
}

impl Parse {
    fn set(&mut self, parameters: &[u8], is_sentence: bool) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.is_sentence = is_sentence;
    }
}

/// A text, by its hash, and its parse.
#[derive(Clone, Debug, Default)]
struct Slot {
    hash: u64,
    parse: Parse,
}

/// A parser that remembers.
#[derive(Debug)]
pub struct ParseCache {
    grammar: &'static Grammar,
    parser: Parser<'static>,
    derivation: Derivation,
    slots: Box<[Slot]>,
}

impl ParseCache {
    /// A cache that remembers nothing yet.
    pub fn new(grammar: &'static Grammar) -> ParseCache {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        ParseCache { grammar, parser: Parser::new(grammar).with_effort(EFFORT), derivation: Derivation::default(), slots }
    }

    /// The parse of a text: remembered, or made now.
    pub fn parse(&mut self, text: &[u8], parse: &mut Parse) {
        let hash = hash(text);
        let slot = &self.slots[place(hash)];
        if slot.hash == hash {
            parse.set(&slot.parse.parameters, slot.parse.is_sentence);
            return;
        }
        let result = self.parser.parse(text, &mut self.derivation);
        parse.set(&[], result.is_ok());
        // To look for a part of a text takes longer than to parse the text.
        let is_quick = text.len() <= MAX_RECOVERED && !matches!(result, Err(Error::TooAmbiguous(_) | Error::TooLarge(_)));
        if parse.is_sentence || is_quick && self.parser.recover(text, &mut self.derivation).is_ok() {
            parameters::encode(self.grammar, &self.derivation, &mut parse.parameters);
        }
        self.remember(hash, &parse.parameters, parse.is_sentence);
    }

    /// Remembers that a text is the sentence of these parameters.
    pub fn insert(&mut self, text: &[u8], parameters: &[u8]) {
        self.remember(hash(text), parameters, true);
    }

    fn remember(&mut self, hash: u64, parameters: &[u8], is_sentence: bool) {
        if parameters.len() <= MAX_PARAMETERS {
            let slot = &mut self.slots[place(hash)];
            slot.hash = hash;
            slot.parse.set(parameters, is_sentence);
        }
    }
}

fn place(hash: u64) -> usize {
    hash as usize % SLOTS
}

/// The hash of a text. It is never 0, the hash of a slot that is empty.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish() | 1 << 63
}
