//! The contestants of the speed comparison: zester and its peers, in one process, on sentences of JSON of one size.
//!
//! zester reads `grammars/json.ebnf`. Gramatron and Nautilus (LibAFL) share [`json`], a grammar of the same language on the
//! level of single characters: the former as an automaton that its [`Automaton`](libafl::generators::Automaton) type holds,
//! the latter as rules.

pub mod gramatron;
pub mod json;
pub mod nautilus;
mod peer;
pub mod zester_side;

use std::ops::RangeInclusive;

/// Sentences that a contestant works through in a pass, of sizes at which nothing else is said.
pub const POOL: usize = 1_000;

/// The sizes of sentences in a pool, in bytes, where nothing else is said.
pub const SIZES: RangeInclusive<usize> = 80..=140;

/// What is mutated: what the table calls its size, the sizes in bytes, and how many sentences a pool has.
pub const MUTATED: [(&str, RangeInclusive<usize>, usize); 4] =
    [("30 B", 20..=40, POOL), ("100 B", SIZES, POOL), ("1 kB", 800..=1_250, 200), ("10 kB", 8_000..=12_500, 40)];

/// One way to make or read sentences.
pub struct Contestant {
    /// What the table calls it.
    pub name: String,
    /// Sentences that a pass works through.
    pub sentences: usize,
    /// Works through them; the bytes of text that they have.
    pub pass: Box<dyn FnMut() -> usize>,
}

impl Contestant {
    fn new(name: impl Into<String>, sentences: usize, pass: impl FnMut() -> usize + 'static) -> Contestant {
        Contestant { name: name.into(), sentences, pass: Box::new(pass) }
    }
}

/// All contestants, zester's two first; and what to know of the pools, in lines.
pub fn contestants() -> (Vec<Contestant>, Vec<String>) {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    zester_side::contestants(&mut all, &mut notes);
    gramatron::contestants(&mut all, &mut notes);
    nautilus::contestants(&mut all, &mut notes);
    (all, notes)
}
