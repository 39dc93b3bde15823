//! A cache of parses: maps texts to their parameters.
//!
//! AFL++ mutates each text of its queue many times, and parsing a text takes longer than mutating
//! it.
//!
//! # Guarantees
//!
//! * Memory is bounded.
//! * A text in the cache costs no allocation.
//! * Parsing a text takes at most the number of steps in [`EFFORT`], so that no text of the queue
//!   blocks AFL++.
//!
//! # Not guaranteed
//!
//! A text that was parsed may be no longer in the cache, because another text may have replaced it.

use std::hash::{DefaultHasher, Hasher};

use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters;
use zester::parse::{Effort, Failure, Parser};

/// The limit of the work to parse one text: about 0.1 seconds for 4 kB. Real texts take 5 to 60
/// steps for each byte.
const EFFORT: Effort = Effort::DEFAULT
    .steps(1 << 20)
    .steps_per_byte(1 << 8)
    .memory(256 << 20);

/// The number of texts in the cache.
const SLOTS: usize = 1 << 12;

/// The maximum size in bytes of the parameters of a text in the cache.
const MAX_PARAMETERS: usize = 1 << 14;

/// The maximum length in bytes of a text that is no sentence and is searched for a part that is
/// one. For 60 kB the search would take a second.
const MAX_RECOVERED: usize = 1 << 13;

/// The result of parsing a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parse {
    /// If `is_whole`, the parameters of the text. Otherwise the parameters of a sentence that is
    /// left after parts of the text are removed. Empty if no such sentence was found.
    pub parameters: Vec<u8>,
    /// Whether the parameters decode to the whole text. The text is then a sentence, or an edited
    /// sentence that was added with [`ParseCache::insert`].
    pub is_whole: bool,
}

impl Parse {
    fn set(&mut self, parameters: &[u8], is_whole: bool) {
        self.parameters.clear();
        self.parameters.extend_from_slice(parameters);
        self.is_whole = is_whole;
    }
}

/// An entry of the cache: the hash of a text, and its parse.
#[derive(Clone, Debug, Default)]
struct Slot {
    hash: u64,
    parse: Parse,
}

/// A parser with a cache.
#[derive(Debug)]
pub struct ParseCache {
    grammar: &'static Grammar,
    parser: Parser<'static>,
    derivation: Derivation,
    slots: Box<[Slot]>,
}

impl ParseCache {
    /// Returns an empty cache.
    pub fn new(grammar: &'static Grammar) -> ParseCache {
        let slots = vec![Slot::default(); SLOTS].into_boxed_slice();
        ParseCache {
            grammar,
            parser: Parser::new(grammar).effort(EFFORT),
            derivation: Derivation::default(),
            slots,
        }
    }

    /// Sets `parse` to the parse of a text, from the cache or by parsing the text.
    pub fn parse(&mut self, text: &[u8], parse: &mut Parse) {
        let hash = hash(text);
        let slot = &self.slots[slot(hash)];
        if slot.hash == hash {
            parse.set(&slot.parse.parameters, slot.parse.is_whole);
            return;
        }
        let result = self.parser.parse_into(text, &mut self.derivation);
        parse.set(&[], result.is_ok());
        // The search for a part that is a sentence takes longer than parsing the text.
        let is_quick = text.len() <= MAX_RECOVERED
            && !matches!(result, Err(Failure::TooAmbiguous(_) | Failure::TooLarge(_)));
        if parse.is_whole || is_quick && self.parser.recover(text, &mut self.derivation).is_ok() {
            parameters::encode(self.grammar, &self.derivation, &mut parse.parameters);
        }
        self.remember(hash, &parse.parameters, parse.is_whole);
    }

    /// Adds a text and the parameters that decode to it. The text may be an edited sentence.
    pub fn insert(&mut self, text: &[u8], parameters: &[u8]) {
        self.remember(hash(text), parameters, true);
    }

    fn remember(&mut self, hash: u64, parameters: &[u8], is_whole: bool) {
        if parameters.len() <= MAX_PARAMETERS {
            let slot = &mut self.slots[slot(hash)];
            slot.hash = hash;
            slot.parse.set(parameters, is_whole);
        }
    }
}

/// Returns the index of the slot for a hash.
fn slot(hash: u64) -> usize {
    hash as usize % SLOTS
}

/// Returns the hash of a text. It is never 0, because 0 marks an empty slot.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text);
    hasher.finish() | 1 << 63
}
