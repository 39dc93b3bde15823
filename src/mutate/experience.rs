//! What a campaign teaches: which mutators' results are kept, which inputs were valid, which subtrees there are.
//!
//! libFuzzer does not say what it keeps, but what it keeps comes back as the parent of a mutant.

use super::MUTATORS;
use super::pool::Pool;
use super::schedule::Schedule;
use crate::feedback;
use crate::grammar::Grammar;
use crate::parameters::Tree;
use crate::validity::Outcome;

/// Results and runs that are remembered, each.
const REMEMBERED: usize = 1 << 16;

/// Of every mutator, in the order of the table: how often it was tried, how often that changed the sentence, how many of
/// its results reached an edge for the first time, or the first time validly, and how many libFuzzer kept.
pub type Figures = [[u64; 4]; feedback::MUTATORS];

const _: () = assert!(MUTATORS.len() <= feedback::MUTATORS);

/// See the module's text.
#[derive(Debug)]
pub struct Experience {
    pub(super) pool: Pool,
    pub(super) schedule: Schedule,
    figures: Figures,
    /// Which mutator made the last result.
    last: Option<usize>,
    /// By hash: the upper bits of the hash of a result, and which mutator made it, from 1 on.
    results: Box<[u64]>,
    /// By hash: inputs that were reported valid.
    valid: Box<[u64]>,
    /// By hash: inputs whose subtrees are in the pool.
    learned: Box<[u64]>,
}

/// The low bits of a remembered hash hold something else.
const LOW: u64 = 0xFF;

impl Experience {
    /// No experience yet; without a grammar there is none to be had.
    pub fn new<'g>(grammar: impl Into<Option<&'g Grammar>>) -> Experience {
        let remembered = || vec![0; REMEMBERED].into_boxed_slice();
        Experience {
            pool: grammar.into().map_or(Pool::default(), Pool::new),
            schedule: Schedule::new(MUTATORS.map(|mutator| mutator.share)),
            figures: Figures::default(),
            last: None,
            results: remembered(),
            valid: remembered(),
            learned: remembered(),
        }
    }

    /// Takes no mutators but these, whose names stand between commas.
    ///
    /// # Errors
    /// Which names there are, if one is wrong.
    pub fn take_only(&mut self, names: &str) -> Result<(), String> {
        let mut shares = [0; MUTATORS.len()];
        for name in names.split(',').map(str::trim) {
            let Some(at) = MUTATORS.iter().position(|mutator| mutator.name == name) else {
                let all: Vec<&str> = MUTATORS.iter().map(|mutator| mutator.name).collect();
                return Err(format!("no mutator is called `{name}`; there are {}", all.join(", ")));
            };
            shares[at] = MUTATORS[at].share.max(1);
        }
        self.schedule = Schedule::new(shares);
        Ok(())
    }

    /// Shares stay what they are.
    pub fn fix_shares(&mut self) {
        self.schedule.adapts = false;
    }

    /// An input was run.
    pub fn ran(&mut self, input: &[u8], outcome: Outcome) {
        if let Some(mutator) = self.last.take() {
            self.figures[mutator][2] += u64::from(outcome.found);
            self.schedule.ran(mutator, outcome.bytes, outcome.found);
        }
        if outcome.valid {
            let hash = hash(input);
            self.valid[place(hash)] = hash;
        }
    }

    /// The mutator that made the last result, until that was run.
    pub fn maker(&self) -> Option<&'static str> {
        self.last.map(|mutator| MUTATORS[mutator].name)
    }

    /// Whether a parent has not been learned from.
    pub(super) fn is_new(&mut self, parent: &[u8]) -> bool {
        let hash = hash(parent);
        std::mem::replace(&mut self.learned[place(hash)], hash) != hash
    }

    /// Learns from a parent: libFuzzer kept it.
    pub(super) fn learn(&mut self, input: &[u8], tree: &Tree) {
        let hash = hash(input);
        let result = &mut self.results[place(hash)];
        if *result & !LOW == hash & !LOW {
            self.figures[(*result & LOW) as usize][3] += 1;
            *result = 0;
        }
        self.pool.add(tree, self.valid[place(hash)] == hash);
    }

    /// A mutator was tried.
    #[inline(always)]
    pub(super) fn tried(&mut self, mutator: usize) {
        self.figures[mutator][0] += 1;
    }

    /// A mutator made this, which is another sentence.
    #[inline(always)]
    pub(super) fn made(&mut self, result: &[u8], mutator: usize) {
        self.figures[mutator][1] += 1;
        self.last = Some(mutator);
        let hash = hash(result);
        self.results[place(hash)] = hash & !LOW | mutator as u64;
    }

    /// The figures since this was asked last.
    pub fn take_figures(&mut self) -> Figures {
        std::mem::take(&mut self.figures)
    }
}

fn place(hash: u64) -> usize {
    (hash >> 40) as usize % REMEMBERED
}

/// A hash of bytes, eight at a time: FxHash (Firefox, rustc), its halves mixed at the end.
#[inline(always)]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash = bytes.len() as u64;
    let mut add = |word: u64| hash = (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        add(u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    add(u64::from_le_bytes(last));
    (hash ^ hash >> 32).wrapping_mul(FACTOR)
}
