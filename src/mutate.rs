//! Parameters to other parameters: the table of mutators, crossover, shrinking.
//!
//! A mutation is an edit of the derivation: the canonical parameters of a subtree are a span of bytes, so every edit is a splice
//! of spans, and what follows is read as before. What holds, for any input and any seed: the result is at most `max_size` bytes
//! long, not empty unless `max_size` is 0, another sentence wherever a few attempts find one, and depends on nothing but its
//! arguments and the experience. It is canonical wherever canonical parameters fit.
//!
//! A mutator is one file, one function, one test and one line in [`MUTATORS`].

mod alternative;
mod burst;
mod crossover;
mod donate;
mod draft;
mod elements;
mod experience;
mod generate;
mod hoist;
mod literal;
mod native;
mod parent;
mod pool;
mod regenerate;
mod rename;
mod reuse;
mod scatter;
mod schedule;
mod shrink;
mod swap;
mod unroll;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::{self, Settings, Tree};
use crate::sampler::Sampler;
use crate::weights::Mix;

pub(crate) use self::draft::splice;
use self::draft::{Draft, Place};
pub use self::experience::{Experience, Figures};
use self::parent::Parent;

/// libFuzzer's own mutator, `LLVMFuzzerMutate`: changes `data[..size]` to at most `max_size` bytes; the new size.
pub type Native<'a> = &'a mut dyn FnMut(&mut [u8], usize, usize) -> usize;

/// What a mutator works with.
pub struct Mutation<'a> {
    /// The grammar that reads the parameters; none if the program under test reads them itself, and then nothing is known of
    /// what they mean, and nothing is canonical.
    grammar: Option<&'a Grammar>,
    /// What else fixes the sentence.
    settings: &'a Settings,
    /// What the campaign has taught so far.
    experience: &'a mut Experience,
    /// The only source of chance.
    rng: SmallRng,
    /// The most bytes that the result may have.
    max_size: usize,
    /// libFuzzer's own mutator.
    native: Native<'a>,
}

/// One way to change a sentence.
#[derive(Clone, Copy)]
pub struct Mutator {
    /// What settings and statistics call it.
    pub name: &'static str,
    /// How often it is taken, relative to the others.
    pub share: u32,
    /// Whether its results may be longer than their parent, however long that is.
    grows: bool,
    /// Writes changed parameters into the draft, canonical or not; whether it could.
    mutate: fn(&mut Mutation<'_>, &Parent<'_>, &mut Draft) -> bool,
}

/// All mutators.
pub const MUTATORS: [Mutator; 17] = [
    Mutator { name: "regenerate", share: 8, grows: false, mutate: regenerate::mutate },
    Mutator { name: "donate", share: 8, grows: false, mutate: donate::mutate },
    Mutator { name: "scatter", share: 16, grows: false, mutate: scatter::mutate },
    Mutator { name: "swap", share: 4, grows: false, mutate: swap::mutate },
    Mutator { name: "hoist", share: 4, grows: false, mutate: hoist::mutate },
    Mutator { name: "unroll", share: 2, grows: false, mutate: unroll::mutate },
    Mutator { name: "elements", share: 12, grows: false, mutate: elements::mutate },
    Mutator { name: "alternative", share: 8, grows: false, mutate: alternative::mutate },
    Mutator { name: "rename", share: 3, grows: false, mutate: rename::mutate },
    Mutator { name: "reuse", share: 3, grows: false, mutate: reuse::mutate },
    Mutator { name: "literal", share: 4, grows: false, mutate: literal::mutate },
    Mutator { name: "generate-small", share: 8, grows: true, mutate: generate::small },
    Mutator { name: "generate-middle", share: 12, grows: true, mutate: generate::middle },
    Mutator { name: "generate-large", share: 12, grows: true, mutate: generate::large },
    Mutator { name: "native", share: 4, grows: false, mutate: native::mutate },
    Mutator { name: "burst", share: 8, grows: true, mutate: burst::choices },
    // As in the paper, to compare with.
    Mutator { name: "burst-bytes", share: 0, grows: true, mutate: burst::bytes },
];

/// Attempts at a result that differs; and of mutators that find nothing to do, more are asked.
const ATTEMPTS: u32 = 16;
const ASKED: u32 = 64;

/// Crossovers in a hundred calls of libFuzzer's crossover hook, which comes as often as its mutator; the rest mutate.
const CROSSOVERS: u32 = 20;

/// Memory that mutators reuse.
#[derive(Debug, Default)]
pub struct Scratch {
    workspace: Workspace,
    draft: Draft,
    parent: Tree,
    other: Tree,
    result: Tree,
    /// Whether `result` is the last result.
    fresh: bool,
}

impl Scratch {
    /// Writes what is new by these from here on.
    pub fn write_by(&mut self, mix: Mix) {
        self.draft.mix = Some(mix);
    }

    /// The last result.
    pub fn result(&self) -> &Tree {
        &self.result
    }

    /// What parameters decode to, if they are the last result: they need not be decoded again.
    #[inline(always)]
    pub fn sentence(&self, parameters: &[u8]) -> Option<&[u8]> {
        (self.fresh && self.result.parameters() == parameters).then(|| self.result.derivation().text())
    }

    /// Reads the parent, unless it is the last result or the last parent.
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
    /// Chance comes from `seed` alone.
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

    /// Learns from an input that libFuzzer kept, if it has not yet: its subtrees, and whose result it was.
    pub fn learn(&mut self, input: &[u8], scratch: &mut Scratch) {
        let Some(grammar) = self.grammar else { return };
        let is_result = scratch.fresh && scratch.result.parameters() == input;
        if !is_result && self.experience.is_new(input) {
            scratch.load(grammar, self.settings, input);
            self.experience.learn(input, &scratch.parent);
        }
    }

    /// A changed input, in the scratch memory. An input longer than `max_size` is shrunk, by whole subtrees.
    pub fn mutate<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let Some(grammar) = self.grammar else { return self.mutate_bytes(input, scratch) };
        scratch.load(grammar, self.settings, input);
        // What is longer than its parent has to be shorter than this: so the length of a corpus settles.
        let longest = Sampler::log_uniform(&mut self.rng, self.max_size as f64) as usize;
        let mut attempt = 1;
        for _ in 0..ASKED {
            if input.len() > self.max_size {
                shrink::shrink(self, grammar, scratch);
                break;
            }
            let at = self.pick();
            let Scratch { draft, parent, .. } = scratch;
            self.experience.tried(at);
            let done = (MUTATORS[at].mutate)(self, &Parent { grammar, tree: parent }, draft);
            if !done {
                continue;
            }
            let (length, last) = (draft.bytes.len(), attempt == ATTEMPTS);
            let grown = length > longest && length > parent.parameters().len();
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
        self.settle(input, scratch)
    }

    /// One input made of two, or a changed first one.
    pub fn cross_over<'s>(&mut self, first: &[u8], second: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        if self.rng.random_range(0..100) >= CROSSOVERS {
            return self.mutate(first, scratch);
        }
        if self.grammar.is_none() {
            crossover::bytes(self, first, second, &mut scratch.draft.bytes);
            return self.settle_bytes(first, scratch);
        }
        if self.recombine(first, second, scratch) { self.settle(first, scratch) } else { self.mutate(first, scratch) }
    }

    /// A sentence that has something of another; whether it is neither of the two. It is [`Scratch::result`] then.
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

    /// The place of a mutator in the table, by shares.
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

    /// The result becomes what the draft means, or what a beginning of it does that is short enough.
    fn read_result(&self, grammar: &Grammar, scratch: &mut Scratch) {
        let Scratch { workspace, draft, parent, result, .. } = scratch;
        // A whole sentence that was sampled is there already.
        if draft.bytes.len() <= self.max_size && draft.made.is(grammar.start(), &draft.bytes) {
            std::mem::swap(result, &mut draft.made);
            scratch.fresh = true;
            return;
        }
        let mut length = draft.bytes.len().min(self.max_size);
        loop {
            parameters::reread(grammar, self.settings, parent, &draft.bytes[..length], workspace, result);
            // What a cut leaves open costs bytes of its own.
            if result.parameters().len() <= self.max_size || length < 2 {
                break;
            }
            length = length * 3 / 4;
        }
        scratch.fresh = result.parameters().len() <= self.max_size;
    }

    /// Changes bytes of which nothing is known.
    fn mutate_bytes<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let bytes = &mut scratch.draft.bytes;
        if input.len() > self.max_size {
            shrink::bytes(self, input, bytes);
        } else {
            bytes.clear();
            bytes.extend_from_slice(input);
            if self.rng.random() { burst::burst(self, bytes, burst::Length::Choice) } else { native::native(self, bytes) }
        }
        self.settle_bytes(input, scratch)
    }

    /// The last word on a sentence: never empty where libFuzzer has room for a byte, never the input again.
    fn settle<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        let result = scratch.result.parameters();
        if scratch.fresh && !result.is_empty() && result != input {
            return scratch.result.parameters();
        }
        scratch.draft.bytes.clear();
        scratch.draft.bytes.extend_from_slice(if scratch.fresh { result } else { input });
        self.settle_bytes(input, scratch)
    }

    /// The same on bytes.
    fn settle_bytes<'s>(&mut self, input: &[u8], scratch: &'s mut Scratch) -> &'s [u8] {
        scratch.fresh = false;
        let result = &mut scratch.draft.bytes;
        result.truncate(self.max_size);
        if result.is_empty() && self.max_size > 0 {
            result.push(0);
        }
        if *result == input && self.max_size > 0 {
            // There is one sentence, or chance was unkind: change a byte, wherever that leads.
            let at = self.rng.random_range(0..result.len());
            result[at] ^= self.rng.random_range(1..=255_u8);
        }
        result
    }
}
