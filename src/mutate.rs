//! Parameters to other parameters: the table of mutators, crossover, shrinking.
//!
//! What holds, for any input and any seed: the result is at most `max_size` bytes long, not empty unless `max_size` is 0,
//! differs from the input wherever the grammar has another sentence to offer within reach, and depends on nothing but its
//! arguments. It is canonical wherever canonical parameters fit.
//!
//! A mutator is one file, one function, one test and one line in [`MUTATORS`].

mod burst;
mod crossover;
mod native;
mod shrink;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derivation::Derivation;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::Settings;
use crate::sidecar;

pub use self::burst::Bursts;

/// libFuzzer's own mutator, `LLVMFuzzerMutate`: changes `data[..size]` to at most `max_size` bytes; the new size.
pub type Native<'a> = &'a mut dyn FnMut(&mut [u8], usize, usize) -> usize;

/// What a mutator works with.
pub struct Mutation<'a> {
    /// The grammar that reads the parameters; none if the program under test reads them itself, and then nothing is known of
    /// what they mean, and nothing is canonical.
    pub grammar: Option<&'a Grammar>,
    /// What else fixes the sentence.
    pub settings: &'a Settings,
    /// How Zest's bursts are measured.
    pub bursts: Bursts,
    /// The only source of chance.
    pub rng: SmallRng,
    /// The most bytes that the result may have.
    pub max_size: usize,
    /// libFuzzer's own mutator.
    pub native: Native<'a>,
}

/// One way to change parameters.
pub struct Mutator {
    /// What statistics call it.
    pub name: &'static str,
    /// How often it is taken, relative to the others.
    pub share: u32,
    /// Changes the bytes in place; what it leaves is read through the grammar and written back canonically.
    pub mutate: fn(&mut Mutation<'_>, &mut Vec<u8>),
}

/// All mutators.
pub const MUTATORS: &[Mutator] =
    &[Mutator { name: "burst", share: 1, mutate: burst::mutate }, Mutator { name: "native", share: 1, mutate: native::mutate }];

/// Attempts at a result that differs.
const ATTEMPTS: u32 = 8;

/// Crossovers in a hundred calls of libFuzzer's crossover hook, which comes as often as its mutator; the rest mutate.
const CROSSOVERS: u32 = 20;

/// Memory that mutators reuse.
#[derive(Debug, Default)]
pub struct Scratch {
    workspace: Workspace,
    derivation: Derivation,
    bytes: Vec<u8>,
    canonical: Vec<u8>,
    other: Vec<u8>,
    spans: Vec<u32>,
    /// Whether the text of `derivation` is what `canonical` decodes to.
    fresh: bool,
}

impl Scratch {
    /// What parameters decode to, if they are the last result: they need not be decoded again.
    #[inline(always)]
    pub fn sentence(&self, parameters: &[u8]) -> Option<&[u8]> {
        (self.fresh && self.canonical == parameters).then(|| self.derivation.text())
    }
}

impl<'a> Mutation<'a> {
    /// Chance comes from `seed` alone.
    pub fn new(
        grammar: impl Into<Option<&'a Grammar>>,
        settings: &'a Settings,
        bursts: Bursts,
        seed: u32,
        max_size: usize,
        native: Native<'a>,
    ) -> Mutation<'a> {
        Mutation { grammar: grammar.into(), settings, bursts, rng: SmallRng::seed_from_u64(seed.into()), max_size, native }
    }

    /// A changed input, in the scratch memory. An input longer than `max_size` is shrunk, by whole subtrees.
    pub fn mutate<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        scratch.fresh = false;
        for _ in 0..ATTEMPTS {
            if input.len() > self.max_size {
                shrink::shrink(self, input, scratch);
            } else {
                scratch.bytes.clear();
                scratch.bytes.extend_from_slice(input);
                let mutator = self.pick();
                (mutator.mutate)(self, &mut scratch.bytes);
                self.canonical(scratch);
            }
            if scratch.canonical != input {
                break;
            }
        }
        self.settle(input, scratch)
    }

    /// One input made of two, or a changed first one.
    pub fn cross_over<'s>(&mut self, first: &[u8], second: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        if self.rng.random_range(0..100) >= CROSSOVERS {
            return self.mutate(first, scratch);
        }
        scratch.fresh = false;
        crossover::cross_over(self, first, second, scratch);
        self.canonical(scratch);
        if scratch.canonical == first || scratch.canonical == second {
            return self.mutate(first, scratch);
        }
        self.settle(first, scratch)
    }

    fn pick(&mut self) -> &'static Mutator {
        let total = MUTATORS.iter().map(|mutator| mutator.share).sum();
        let mut at = self.rng.random_range(0..total);
        for mutator in MUTATORS {
            match at.checked_sub(mutator.share) {
                None => return mutator,
                Some(rest) => at = rest,
            }
        }
        &MUTATORS[0]
    }

    /// `scratch.canonical` becomes the canonical form of `scratch.bytes`, or of a beginning of it that is short enough.
    fn canonical(&self, scratch: &mut Scratch) {
        let Some(grammar) = self.grammar else {
            std::mem::swap(&mut scratch.canonical, &mut scratch.bytes);
            scratch.canonical.truncate(self.max_size);
            return;
        };
        let mut length = scratch.bytes.len().min(self.max_size);
        loop {
            let Scratch { workspace, derivation, bytes, canonical, .. } = scratch;
            sidecar::canonicalize(grammar, self.settings, &bytes[..length], workspace, derivation, canonical);
            if canonical.len() <= self.max_size {
                scratch.fresh = true;
                return;
            }
            // What a cut leaves open costs bytes of its own.
            if length < 2 {
                canonical.truncate(self.max_size);
                return;
            }
            length = length * 3 / 4;
        }
    }

    /// The last word: never empty where libFuzzer has room for a byte, never the input again.
    fn settle<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let result = &mut scratch.canonical;
        result.truncate(self.max_size);
        if result.is_empty() && self.max_size > 0 {
            scratch.fresh = false;
            result.push(0);
        }
        if *result == input && self.max_size > 0 {
            // The grammar has one sentence, or chance was unkind: change a byte, wherever that leads.
            let at = self.rng.random_range(0..result.len());
            result[at] ^= self.rng.random_range(1..=255_u8);
            scratch.fresh = false;
        }
        result
    }
}
