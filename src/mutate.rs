//! Mutation: changes parameters so that they decode to another sentence.
//!
//! A mutator draws an edit of a sentence at random. The canonical parameters of a subtree are a span of bytes, so an
//! edit splices spans, and what follows an edited span is read as before.
//!
//! # Guarantees
//!
//! For any input and any seed, the result is at most `max_size` bytes long, is not empty unless `max_size` is 0, and differs from
//! the input. It decodes to another sentence wherever a few attempts find one. It is in canonical form wherever a canonical form
//! fits. It depends on the arguments and the feedback alone.
//!
//! # Not guaranteed
//!
//! The result need not be valid for the program under test, and mutants of the same input may be alike.
//!
//! # Adding a mutator
//!
//! Write a function in a file of its own, with a test at its end that shows a sentence before and after, and add a line to
//! [`MUTATORS`]. The function writes changed parameters to the output, canonical or not, and returns whether it could.

mod alternative;
mod burst;
mod crossover;
mod elements;
mod feedback;
mod generate;
mod hash;
mod hoist;
mod literal;
mod multi_splice;
mod mutator;
mod native;
mod output;
mod pool;
mod regenerate;
mod rename;
mod reuse;
mod schedule;
mod shrink;
mod splice;
mod swap;
#[cfg(test)]
mod testing;
mod unroll;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derive::Workspace;
use crate::edit::TreeView;
use crate::grammar::Grammar;
use crate::parameters::{self, Settings, Tree};
use crate::sampler::Sampler;
use crate::weights::Mix;

#[doc(hidden)]
pub use self::feedback::Experience;
pub use self::feedback::Figures;
pub use self::mutator::Mutator;
use self::output::Output;

/// libFuzzer's own mutator, `LLVMFuzzerMutate`, or one like it. Called with `data`, `size` and `max_size`, it changes `data[..size]`
/// to at most `max_size` bytes and returns the new size.
pub type Native<'a> = &'a mut dyn FnMut(&mut [u8], usize, usize) -> usize;

/// One mutation of one input: all that a mutator works with.
#[doc(hidden)]
pub struct Mutation<'a> {
    /// The grammar that reads the parameters. Without one the program under test reads them itself: nothing is known of their
    /// meaning then, and nothing is canonical.
    grammar: Option<&'a Grammar>,
    /// What else fixes the meaning of parameters.
    settings: &'a Settings,
    /// What the campaign has taught so far.
    experience: &'a mut Experience,
    /// The only source of chance.
    rng: SmallRng,
    /// The most bytes that the result may have.
    max_size: usize,
    native: Native<'a>,
}

/// A mutation operator: an entry of [`MUTATORS`].
#[derive(Clone, Copy)]
pub struct Operator {
    /// The name in settings and statistics.
    pub name: &'static str,
    /// How often the operator is taken at the start of a campaign, relative to the others.
    pub share: u32,
    /// Whether results may be longer than their parent, however long that is.
    grows: bool,
    /// Writes changed parameters to the output, canonical or not. Returns whether it could.
    mutate: fn(&mut Mutation<'_>, &TreeView<'_>, &mut Output) -> bool,
}

/// All mutation operators.
pub const MUTATORS: [Operator; 17] = [
    Operator { name: "regenerate", share: 8, grows: false, mutate: regenerate::mutate },
    Operator { name: "splice", share: 8, grows: false, mutate: splice::mutate },
    Operator { name: "multi-splice", share: 16, grows: false, mutate: multi_splice::mutate },
    Operator { name: "swap", share: 4, grows: false, mutate: swap::mutate },
    Operator { name: "hoist", share: 4, grows: false, mutate: hoist::mutate },
    Operator { name: "unroll", share: 2, grows: false, mutate: unroll::mutate },
    Operator { name: "elements", share: 12, grows: false, mutate: elements::mutate },
    Operator { name: "alternative", share: 8, grows: false, mutate: alternative::mutate },
    Operator { name: "rename", share: 3, grows: false, mutate: rename::mutate },
    Operator { name: "reuse", share: 3, grows: false, mutate: reuse::mutate },
    Operator { name: "literal", share: 4, grows: false, mutate: literal::mutate },
    Operator { name: "generate-small", share: 8, grows: true, mutate: generate::small },
    Operator { name: "generate-middle", share: 12, grows: true, mutate: generate::middle },
    Operator { name: "generate-large", share: 12, grows: true, mutate: generate::large },
    Operator { name: "native", share: 4, grows: false, mutate: native::mutate },
    Operator { name: "burst", share: 8, grows: true, mutate: burst::choices },
    // Bursts as long as in Zest's paper, for comparisons.
    Operator { name: "burst-bytes", share: 0, grows: true, mutate: burst::bytes },
];

/// Names that mutation operators had before, each with its name now.
const ALIASES: [(&str, &str); 2] = [("donate", "splice"), ("scatter", "multi-splice")];

/// How many results of operators are looked at before one that does not differ is taken.
const ATTEMPTS: u32 = 16;

/// How many operators are tried, those included that find nothing to do.
const TRIES: u32 = 64;

/// How many of a hundred calls of libFuzzer's crossover hook make crossovers; the rest mutate. libFuzzer calls the hook as often as
/// its mutator.
const CROSSOVERS: u32 = 20;

/// Buffers that mutations reuse.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Scratch {
    workspace: Workspace,
    output: Output,
    parent: Tree,
    other: Tree,
    result: Tree,
    /// Whether `result` holds the last result.
    fresh: bool,
}

impl Scratch {
    /// Samples new parts by these probabilities from here on.
    pub fn write_by(&mut self, mix: Mix) {
        self.output.mix = Some(mix);
    }

    /// The last result, if it was not made of bytes alone.
    pub fn result(&self) -> &Tree {
        &self.result
    }

    /// The sentence of `parameters` if they are the last result, which so need not be decoded again.
    #[inline(always)]
    pub fn sentence(&self, parameters: &[u8]) -> Option<&[u8]> {
        (self.fresh && self.result.parameters() == parameters).then(|| self.result.derivation().text())
    }

    /// Reads the parent, unless it is the last result or the last parent and so was read before.
    fn load(&mut self, grammar: &Grammar, settings: &Settings, input: &[u8]) {
        if self.fresh && self.result.parameters() == input {
            std::mem::swap(&mut self.parent, &mut self.result);
        } else if self.parent.parameters() != input || input.is_empty() {
            parameters::read(grammar, settings, input, &mut self.workspace, &mut self.parent);
        }
        self.fresh = false;
    }
}

impl<'a> Mutation<'a> {
    /// A mutation whose source of chance is `seed` alone.
    pub fn new(
        grammar: impl Into<Option<&'a Grammar>>,
        settings: &'a Settings,
        experience: &'a mut Experience,
        seed: u32,
        max_size: usize,
        native: Native<'a>,
    ) -> Mutation<'a> {
        Mutation { grammar: grammar.into(), settings, experience, rng: SmallRng::seed_from_u64(seed.into()), max_size, native }
    }

    /// Learns from an input that libFuzzer kept, once: adds its subtrees to the pool and credits the mutator that made it.
    pub fn learn(&mut self, input: &[u8], scratch: &mut Scratch) {
        let Some(grammar) = self.grammar else { return };
        let is_result = scratch.fresh && scratch.result.parameters() == input;
        if !is_result && self.experience.is_new(input) {
            scratch.load(grammar, self.settings, input);
            self.experience.learn(input, &scratch.parent);
        }
    }

    /// Changes an input. An input longer than `max_size` is shrunk, by whole subtrees.
    pub fn mutate<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let Some(grammar) = self.grammar else { return self.mutate_bytes(input, scratch) };
        scratch.load(grammar, self.settings, input);
        // A result that is longer than its parent must be shorter than this, so that the inputs of a corpus do not grow forever.
        let longest = Sampler::log_uniform(&mut self.rng, self.max_size as f64) as usize;
        let mut attempt = 1;
        for _ in 0..TRIES {
            if input.len() > self.max_size {
                shrink::shrink(self, grammar, scratch);
                break;
            }
            let at = self.pick();
            let Scratch { output, parent, .. } = scratch;
            self.experience.tried(at);
            let parent = TreeView { grammar, settings: self.settings, tree: parent };
            if !(MUTATORS[at].mutate)(self, &parent, output) {
                continue;
            }
            let (length, last) = (output.bytes.len(), attempt == ATTEMPTS);
            let grown = length > longest && length > parent.bytes().len();
            attempt += 1;
            if !last && (length > self.max_size || grown && !MUTATORS[at].grows) {
                continue;
            }
            self.read_result(grammar, scratch);
            if scratch.result.derivation().text() != scratch.parent.derivation().text() {
                self.experience.made(scratch.result.parameters(), at);
                break;
            }
            if last {
                break;
            }
        }
        self.finish(input, scratch)
    }

    /// Makes one input of two, or changes the first one.
    pub fn cross_over<'s>(&mut self, first: &[u8], second: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        if self.rng.random_range(0..100) >= CROSSOVERS {
            return self.mutate(first, scratch);
        }
        if self.grammar.is_none() {
            crossover::bytes(self, first, second, &mut scratch.output.bytes);
            return self.finish_bytes(first, scratch);
        }
        if self.recombine(first, second, scratch) { self.finish(first, scratch) } else { self.mutate(first, scratch) }
    }

    /// Puts a part of one sentence into another. Returns whether the child, [`Scratch::result`], differs from both.
    pub fn recombine(&mut self, first: &[u8], second: &[u8], scratch: &mut Scratch) -> bool {
        let Some(grammar) = self.grammar else { return false };
        scratch.load(grammar, self.settings, first);
        parameters::read(grammar, self.settings, second, &mut scratch.workspace, &mut scratch.other);
        if !crossover::cross_over(self, grammar, scratch) {
            return false;
        }
        self.read_result(grammar, scratch);
        let text = scratch.result.derivation().text();
        text != scratch.parent.derivation().text() && text != scratch.other.derivation().text()
    }

    /// Draws the number of an operator by the shares.
    fn pick(&mut self) -> usize {
        let shares = self.experience.schedule.shares();
        let mut at = self.rng.random_range(0..shares.iter().sum::<u32>().max(1));
        let found = shares.iter().position(|&share| match at.checked_sub(share) {
            None => true,
            Some(rest) => {
                at = rest;
                false
            }
        });
        found.unwrap_or(0)
    }

    /// Reads the output into the result, or the longest beginning of it whose canonical form is short enough.
    fn read_result(&self, grammar: &Grammar, scratch: &mut Scratch) {
        let Scratch { workspace, output, parent, result, .. } = scratch;
        // A whole sentence that was sampled need not be read again.
        if output.bytes.len() <= self.max_size && output.sampled.is(grammar.start(), &output.bytes) {
            std::mem::swap(result, &mut output.sampled);
            scratch.fresh = true;
            return;
        }
        let mut length = output.bytes.len().min(self.max_size);
        loop {
            parameters::reread(grammar, self.settings, parent, &output.bytes[..length], workspace, result);
            // Choices that the cut leaves open take bytes of their own.
            if result.parameters().len() <= self.max_size || length < 2 {
                break;
            }
            length = length * 3 / 4;
        }
        scratch.fresh = result.parameters().len() <= self.max_size;
    }

    /// Changes bytes without a grammar.
    fn mutate_bytes<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let bytes = &mut scratch.output.bytes;
        if input.len() > self.max_size {
            shrink::bytes(self, input, bytes);
        } else {
            bytes.clear();
            bytes.extend_from_slice(input);
            if self.rng.random() { burst::burst(self, bytes, burst::Length::Choice) } else { native::native(self, bytes) }
        }
        self.finish_bytes(input, scratch)
    }

    /// Final fix-up of a sentence: the result is not empty (if `max_size > 0`) and differs from the input.
    fn finish<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let result = scratch.result.parameters();
        if scratch.fresh && !result.is_empty() && result != input {
            return scratch.result.parameters();
        }
        scratch.output.bytes.clear();
        scratch.output.bytes.extend_from_slice(if scratch.fresh { result } else { input });
        self.finish_bytes(input, scratch)
    }

    /// Final fix-up of bytes: the result is at most `max_size` bytes long, not empty (if `max_size > 0`), and differs from the input.
    fn finish_bytes<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        scratch.fresh = false;
        let result = &mut scratch.output.bytes;
        result.truncate(self.max_size);
        if result.is_empty() && self.max_size > 0 {
            result.push(0);
        }
        if *result == input && self.max_size > 0 {
            // The grammar has one sentence, or no attempt found another: change a byte, which may decode to the same sentence.
            let at = self.rng.random_range(0..result.len());
            result[at] ^= self.rng.random_range(1..=255_u8);
        }
        result
    }
}
