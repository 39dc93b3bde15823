//! The contestants of the speed comparison: zester and its peers, in one process, on sentences of JSON of one size.
//!
//! zester reads `grammars/json.ebnf`. Gramatron and Nautilus (LibAFL) share [`json`], a grammar of the same language on the
//! level of single characters: the former as an automaton that its [`Automaton`](libafl::generators::Automaton) type holds,
//! the latter as rules.

pub mod gramatron;
pub mod json;
pub mod nautilus;
pub mod zester_side;

/// Sentences that a contestant works through in a pass.
pub const POOL: usize = 1_000;

/// The sizes of sentences in a pool, in bytes.
pub const SIZES: std::ops::RangeInclusive<usize> = 80..=140;

/// One way to make or read sentences.
pub struct Contestant {
    /// What the table calls it.
    pub name: &'static str,
    /// Works through [`POOL`] sentences; the bytes of text that they have.
    pub pass: Box<dyn FnMut() -> usize>,
}

impl Contestant {
    fn new(name: &'static str, pass: impl FnMut() -> usize + 'static) -> Contestant {
        Contestant { name, pass: Box::new(pass) }
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
