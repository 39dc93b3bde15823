//! Mutation: changes parameters so that they decode to another sentence.
//!
//! A [`Mutator`] chooses among mutation operators, which are listed in [`MUTATORS`]. An operator is
//! a random change of a sentence. Many operators draw a *splice* at random (`src/splice.rs`). The
//! canonical parameters of a subtree are a span of bytes, and a splice copies and replaces such
//! spans. The bytes after a replaced span decode to the same choices as before.
//!
//! # Adding an operator
//!
//! Write a function in a file of its own, and add an entry to [`MUTATORS`]. The function writes the
//! changed parameters to the output. They need not be canonical. It returns `false` if it cannot
//! change the sentence. End the file with a test that has a sentence before and after the mutation.

mod alternative;
mod burst;
mod campaign;
mod crossover;
mod edit_bytes;
mod edit_tokens;
mod elements;
mod generate;
mod hash;
mod hoist;
mod literal;
mod multi_splice;
mod mutator;
mod native;
mod output;
mod parents;
mod pool;
mod regenerate;
mod regions;
mod rename;
mod reuse;
mod run_cost;
mod schedule;
mod shrink;
mod splice;
mod swap;
#[cfg(test)]
mod testing;
mod unroll;
mod validity_model;
mod vocabulary;
mod word;

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::parameters::{Input, Settings};
use crate::sampler::Sampler;
use crate::splice::TreeView;

use self::campaign::Campaign;
pub use self::campaign::OperatorCounts;
pub use self::mutator::Mutator;
use self::output::Output;
pub use self::regions::{Make, RegionMutator};
pub use self::vocabulary::HEADER as WORDS_HEADER;

/// A mutator of bytes, such as libFuzzer's `LLVMFuzzerMutate`. It is called with `data`, `size` and
/// `max_size`. It changes `data[..size]` to at most `max_size` bytes and returns the new size.
pub type Native<'a> = &'a mut dyn FnMut(&mut [u8], usize, usize) -> usize;

/// One mutation of one input: the arguments of all operators.
struct Mutation<'a> {
    /// The grammar by which parameters decode. Without a grammar, the program under test reads the
    /// bytes itself. Inputs are then mutated as bytes.
    grammar: Option<&'a Grammar>,
    /// The bounds and caps by which parameters decode.
    settings: &'a Settings,
    /// What was learned in the campaign so far.
    campaign: &'a mut Campaign,
    /// The random number generator. All random decisions come from it.
    rng: SmallRng,
    /// The maximum size of the result in bytes.
    max_size: usize,
    /// A mutator of bytes: libFuzzer's own or a substitute.
    native: Native<'a>,
}

/// A mutation operator: an entry of [`MUTATORS`].
#[derive(Clone, Copy)]
pub struct Operator {
    /// The name in settings and statistics.
    pub name: &'static str,
    /// How often the operator is used at the start of a campaign, relative to the other operators.
    pub share: u32,
    /// Whether the result may be longer than its parent without the random limit on growth that
    /// other operators have.
    grows: bool,
    /// Whether the result is a new sentence, which has nothing of its parent.
    is_new: bool,
    /// Whether the operator changes the edits of the parent's text. Other operators change the
    /// sentence.
    edits_text: bool,
    /// Writes the changed parameters, which need not be canonical, to the output. Returns `false`
    /// if it cannot change the sentence.
    mutate: fn(&mut Mutation<'_>, &TreeView<'_>, &mut Output) -> bool,
}

/// All mutation operators.
pub const MUTATORS: [Operator; 21] = [
    Operator {
        name: "regenerate",
        share: 8,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: regenerate::mutate,
    },
    Operator {
        name: "splice",
        share: 8,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: splice::mutate,
    },
    Operator {
        name: "multi-splice",
        share: 16,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: multi_splice::mutate,
    },
    Operator {
        name: "swap",
        share: 4,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: swap::mutate,
    },
    Operator {
        name: "hoist",
        share: 4,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: hoist::mutate,
    },
    Operator {
        name: "unroll",
        share: 2,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: unroll::mutate,
    },
    Operator {
        name: "elements",
        share: 12,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: elements::mutate,
    },
    Operator {
        name: "alternative",
        share: 8,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: alternative::mutate,
    },
    Operator {
        name: "rename",
        share: 3,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: rename::mutate,
    },
    Operator {
        name: "reuse",
        share: 3,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: reuse::mutate,
    },
    Operator {
        name: "literal",
        share: 4,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: literal::mutate,
    },
    Operator {
        name: "word",
        share: 16,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: word::mutate,
    },
    Operator {
        name: "string",
        share: 8,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: word::string,
    },
    Operator {
        name: "generate-small",
        share: 8,
        grows: true,
        is_new: true,
        edits_text: false,
        mutate: generate::small,
    },
    Operator {
        name: "generate-middle",
        share: 12,
        grows: true,
        is_new: true,
        edits_text: false,
        mutate: generate::middle,
    },
    Operator {
        name: "generate-large",
        share: 12,
        grows: true,
        is_new: true,
        edits_text: false,
        mutate: generate::large,
    },
    Operator {
        name: "native",
        share: 4,
        grows: false,
        is_new: false,
        edits_text: false,
        mutate: native::mutate,
    },
    Operator {
        name: "burst",
        share: 8,
        grows: true,
        is_new: false,
        edits_text: false,
        mutate: burst::choices,
    },
    Operator {
        name: "edit-tokens",
        share: 6,
        grows: true,
        is_new: false,
        edits_text: true,
        mutate: edit_tokens::mutate,
    },
    Operator {
        name: "edit-bytes",
        share: 6,
        grows: true,
        is_new: false,
        edits_text: true,
        mutate: edit_bytes::mutate,
    },
    // Bursts as long as in Zest's paper. The operator is for comparisons, so its share is 0.
    Operator {
        name: "burst-bytes",
        share: 0,
        grows: true,
        is_new: false,
        edits_text: false,
        mutate: burst::bytes,
    },
];

/// The maximum number of results that operators write in one call. A result that is too long, or
/// whose text is that of the parent, is discarded unless it is the last.
const ATTEMPTS: u32 = 16;

/// The maximum number of operators that are tried in one call. Operators that are not applicable
/// count too.
const TRIES: u32 = 64;

/// The percentage of tries in which an operator that does not edit texts keeps the edits of the
/// parent's text.
const KEPT_EDITS: u32 = 25;

/// The percentage of calls of libFuzzer's crossover hook that make a crossover. The other calls
/// mutate, because libFuzzer calls the crossover hook as often as the mutation hook.
const CROSSOVERS: u32 = 20;

/// Buffers that mutations reuse.
#[derive(Debug, Default)]
struct MutationBuffers {
    workspace: Workspace,
    output: Output,
    /// The decoded input.
    parent: Input,
    /// The decoded second input of a crossover.
    other: Input,
    /// The decoded result.
    result: Input,
    /// Whether `result` is the last result. `false` if the last result was mutated as bytes.
    fresh: bool,
}

impl MutationBuffers {
    /// Returns the result if its parameters are `bytes`. The caller then need not decode them.
    #[inline(always)]
    fn result_of(&self, bytes: &[u8]) -> Option<&Input> {
        (self.fresh && self.result.bytes() == bytes).then_some(&self.result)
    }

    /// Decodes an input as the parent. The last result and the last parent are already decoded, so
    /// they are not decoded again.
    fn load(&mut self, grammar: &Grammar, settings: &Settings, input: &[u8]) {
        if self.fresh && self.result.bytes() == input {
            std::mem::swap(&mut self.parent, &mut self.result);
        } else if self.parent.bytes() != input || input.is_empty() {
            self.parent
                .read(grammar, settings, input, &mut self.workspace);
        }
        self.fresh = false;
    }
}

impl Mutation<'_> {
    /// Learns from an input that libFuzzer kept. Remembers the input as a parent if its run was
    /// valid, adds its subtrees to the pool, and credits the operator that made it. An input that
    /// was learned before is only remembered as a parent. Ignores the last result, because
    /// libFuzzer also mutates results that it does not keep.
    fn learn(&mut self, input: &[u8], buffers: &mut MutationBuffers) {
        let Some(grammar) = self.grammar else { return };
        if buffers.result_of(input).is_some() {
            return;
        }
        self.campaign.remember_parent(input);
        if self.campaign.is_new(input) {
            buffers.load(grammar, self.settings, input);
            self.campaign.learn(input, &buffers.parent.tree);
        }
    }

    /// Mutates an input. An input longer than `max_size` is shrunk by whole subtrees instead.
    fn mutate<'s>(&mut self, input: &[u8], buffers: &'s mut MutationBuffers) -> &'s [u8] {
        let Some(grammar) = self.grammar else {
            return self.mutate_bytes(input, buffers);
        };
        self.load_parent(grammar, input, buffers);
        // The random limit for a result that is longer than its parent. Without it, the inputs of a
        // corpus would grow without end.
        let longest = Sampler::log_uniform(&mut self.rng, self.max_size as f64) as usize;
        let mut attempt = 1;
        for _ in 0..TRIES {
            if input.len() > self.max_size {
                shrink::shrink(self, grammar, buffers);
                break;
            }
            let at = self.campaign.schedule.draw(&mut self.rng);
            let MutationBuffers { output, parent, .. } = buffers;
            self.campaign.count_try(at);
            self.campaign.vocabulary.forget();
            output.text_edits.copy(parent.edits());
            if !parent.edits().is_empty()
                && !MUTATORS[at].edits_text
                && self.rng.random_range(0..100) >= KEPT_EDITS
            {
                output.text_edits.clear();
            }
            let view = TreeView {
                grammar,
                settings: self.settings,
                tree: &parent.tree,
            };
            if !(MUTATORS[at].mutate)(self, &view, output) {
                continue;
            }
            let (length, last) = (
                output.bytes.len() + output.text_edits.code_length(),
                attempt == ATTEMPTS,
            );
            let grown = length > longest && length > parent.bytes().len();
            attempt += 1;
            if !last && (length > self.max_size || grown && !MUTATORS[at].grows) {
                continue;
            }
            self.read_result(grammar, buffers);
            if buffers.result.text() != buffers.parent.text() {
                self.campaign.record_result(buffers.result.bytes(), at);
                break;
            }
            if last {
                break;
            }
        }
        self.finish(input, buffers)
    }

    /// Decodes the parent. The parent is the input. If the run of the input was invalid, the parent
    /// is sometimes a valid input instead.
    fn load_parent(&mut self, grammar: &Grammar, input: &[u8], buffers: &mut MutationBuffers) {
        if buffers.result_of(input).is_none() {
            let is_kept = !self.campaign.was_invalid(input) || input.len() > self.max_size;
            let parents = &mut self.campaign.parents;
            let chosen = parents.choose(&mut self.rng, is_kept, self.max_size);
            buffers.load(grammar, self.settings, chosen.unwrap_or(input));
        } else if self.campaign.parents.avoids_invalid
            && !self.campaign.was_valid(input)
            && self.campaign.was_valid(buffers.parent.bytes())
        {
            buffers.fresh = false;
        } else {
            buffers.load(grammar, self.settings, input);
        }
    }

    /// Makes a crossover of two parents, or mutates the first one. `percentage` of the calls make a
    /// crossover.
    fn crossover_or_mutate<'s>(
        &mut self,
        parents: [&[u8]; 2],
        percentage: u32,
        buffers: &'s mut MutationBuffers,
    ) -> &'s [u8] {
        let [first, second] = parents;
        if percentage < 100 && self.rng.random_range(0..100) >= percentage {
            return self.mutate(first, buffers);
        }
        if self.grammar.is_none() {
            crossover::bytes(self, first, second, &mut buffers.output.bytes);
            return self.finish_bytes(first, buffers);
        }
        if self.recombine(first, second, buffers) {
            self.finish(first, buffers)
        } else {
            self.mutate(first, buffers)
        }
    }

    /// Copies a part of one sentence into the other. The child is in [`MutationBuffers::result`].
    /// Returns whether the sentence of the child differs from the sentences of both parents.
    fn recombine(&mut self, first: &[u8], second: &[u8], buffers: &mut MutationBuffers) -> bool {
        let Some(grammar) = self.grammar else {
            return false;
        };
        buffers.load(grammar, self.settings, first);
        buffers
            .other
            .read(grammar, self.settings, second, &mut buffers.workspace);
        buffers.output.text_edits.clear();
        self.campaign.last = None;
        if !crossover::cross_over(self, grammar, buffers) {
            return false;
        }
        self.read_result(grammar, buffers);
        let text = buffers.result.text();
        text != buffers.parent.text() && text != buffers.other.text()
    }

    /// Decodes the output into the result. If its canonical form is too long, the edits of the text
    /// are dropped first. Then shorter and shorter prefixes are decoded.
    fn read_result(&self, grammar: &Grammar, buffers: &mut MutationBuffers) {
        let MutationBuffers {
            workspace,
            output,
            result,
            ..
        } = buffers;
        if output.bytes.len() + output.text_edits.code_length() > self.max_size {
            output.text_edits.clear();
        }
        let mut length = output.bytes.len().min(self.max_size);
        // If the output is a sampled sentence, it is already decoded.
        if length == output.bytes.len() && output.sampled.is(grammar.start(), &output.bytes) {
            std::mem::swap(&mut result.tree, &mut output.sampled);
            result.edit(grammar, self.settings, &output.text_edits, workspace);
        } else {
            let bytes = &output.bytes[..length];
            result.read_edited(
                grammar,
                self.settings,
                (bytes, &output.text_edits),
                workspace,
            );
        }
        // The canonical form may be longer than the prefix, because it also has bytes for the
        // choices past the end of the prefix.
        while result.bytes().len() > self.max_size && length >= 2 {
            output.text_edits.clear();
            length = if result.tree.parameters().len() > self.max_size {
                length * 3 / 4
            } else {
                length
            };
            let bytes = &output.bytes[..length];
            result.read_edited(
                grammar,
                self.settings,
                (bytes, &output.text_edits),
                workspace,
            );
        }
        buffers.fresh = result.bytes().len() <= self.max_size;
    }

    /// Mutates an input as bytes, without a grammar.
    fn mutate_bytes<'s>(&mut self, input: &[u8], buffers: &'s mut MutationBuffers) -> &'s [u8] {
        let bytes = &mut buffers.output.bytes;
        if input.len() > self.max_size {
            shrink::bytes(self, input, bytes);
        } else {
            bytes.clear();
            bytes.extend_from_slice(input);
            if self.rng.random() {
                burst::burst(self, bytes, burst::Length::Choice)
            } else {
                native::native(self, bytes)
            }
        }
        self.finish_bytes(input, buffers)
    }

    /// Final fix-up of a decoded result. The result is not empty and differs from the input if
    /// `max_size > 0`.
    fn finish<'s>(&mut self, input: &[u8], buffers: &'s mut MutationBuffers) -> &'s [u8] {
        let result = buffers.result.bytes();
        if buffers.fresh && !result.is_empty() && result != input {
            return buffers.result.bytes();
        }
        buffers.output.bytes.clear();
        buffers
            .output
            .bytes
            .extend_from_slice(if buffers.fresh { result } else { input });
        self.finish_bytes(input, buffers)
    }

    fn finish_bytes<'s>(&mut self, input: &[u8], buffers: &'s mut MutationBuffers) -> &'s [u8] {
        buffers.fresh = false;
        fix_up(
            &mut buffers.output.bytes,
            input,
            self.max_size,
            &mut self.rng,
        );
        &buffers.output.bytes
    }
}

/// Final fix-up of bytes. The result is at most `max_size` bytes long. If `max_size > 0`, it is not
/// empty and differs from the input. Before the fix-up, the bytes can equal the input if the
/// grammar has only one sentence, or if no attempt found another one. The changed byte may decode
/// to the same sentence.
fn fix_up(result: &mut Vec<u8>, input: &[u8], max_size: usize, rng: &mut SmallRng) {
    result.truncate(max_size);
    if result.is_empty() && max_size > 0 {
        result.push(0);
    }
    if result == input && max_size > 0 {
        let at = rng.random_range(0..result.len());
        result[at] ^= rng.random_range(1..=255_u8);
    }
}
