//! The contestants of the speed comparison: zester by `grammars/json.ebnf` and serde_json, in one
//! process, on the same sentences.

pub mod zester_side;

use std::ops::RangeInclusive;

/// The default number of sentences in a pass.
pub const POOL: usize = 1_000;

/// The default sizes in bytes of a pool's sentences.
pub const SIZES: RangeInclusive<usize> = 80..=140;

/// A pool of sentences to mutate: its label in the table, the sizes in bytes, and the number of
/// sentences.
pub const MUTATED: [(&str, RangeInclusive<usize>, usize); 4] = [
    ("30 B", 20..=40, POOL),
    ("100 B", SIZES, POOL),
    ("1 kB", 800..=1_250, 200),
    ("10 kB", 8_000..=12_500, 40),
];

/// One way to generate, mutate or read sentences.
pub struct Contestant {
    /// The name in the table.
    pub name: String,
    /// The number of sentences in a pass.
    pub sentences: usize,
    /// Works through a pass. Returns the bytes of text in it.
    pub pass: Box<dyn FnMut() -> usize>,
}

impl Contestant {
    fn new(
        name: impl Into<String>,
        sentences: usize,
        pass: impl FnMut() -> usize + 'static,
    ) -> Contestant {
        Contestant {
            name: name.into(),
            sentences,
            pass: Box::new(pass),
        }
    }
}

/// Returns all contestants, and lines with facts about the pools.
pub fn contestants() -> (Vec<Contestant>, Vec<String>) {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    zester_side::contestants(&mut all, &mut notes);
    (all, notes)
}
