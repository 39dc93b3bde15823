//! A mutator for use without libFuzzer: it owns its feedback and its buffers.

use super::{Mutation, MutationBuffers, MutatorFeedback, Native};
use crate::grammar::Grammar;
use crate::parameters::{Settings, Tree};
use crate::weights::Mix;

/// A mutator of the parameters of one grammar.
///
/// A mutator owns its buffers, so that mutating allocates nothing once the buffers are large enough. It also owns a pool of
/// subtrees, to which [`Mutator::learn`] adds those of an input. Subtrees of one input then appear in mutants of another.
///
/// # Examples
///
/// ```
/// use zester::{bounds::Caps, mutate::Mutator, notation, parameters};
///
/// let source = br#"sum = term ( "+" term )* ; term = [0-9] | "(" sum ")" ;"#;
/// let (grammar, _warnings) = notation::read("sum.ebnf", source, &Caps::default()).unwrap();
/// let mut mutator = Mutator::new(&grammar);
///
/// // One mutant for each seed, of at most 100 bytes of parameters.
/// let mut input = vec![0];
/// for seed in 0..20 {
///     input = mutator.mutate(&input, 100, seed).to_vec();
///     let sentence = parameters::sentence(&grammar, &Default::default(), &input);
///     assert!(input.len() <= 100 && !sentence.text().is_empty());
/// }
/// ```
pub struct Mutator<'g> {
    grammar: &'g Grammar,
    settings: Settings,
    feedback: MutatorFeedback,
    buffers: MutationBuffers,
}

impl<'g> Mutator<'g> {
    /// Returns a mutator with default settings, all mutation operators and an empty pool.
    ///
    /// Operators that call libFuzzer's own mutator change nothing, unless [`Mutator::mutate_with`] passes a substitute.
    pub fn new(grammar: &'g Grammar) -> Mutator<'g> {
        Mutator {
            grammar,
            settings: Settings::default(),
            feedback: MutatorFeedback::new(grammar),
            buffers: MutationBuffers::default(),
        }
    }

    /// Sets the bounds and caps by which parameters decode.
    pub fn with_settings(mut self, settings: Settings) -> Mutator<'g> {
        self.settings = settings;
        // Buffered trees were decoded by the old settings.
        self.buffers.fresh = false;
        self.buffers.parent = Tree::default();
        self
    }

    /// Sets the probabilities by which new subtrees are sampled.
    pub fn with_mix(mut self, mix: Mix) -> Mutator<'g> {
        self.buffers.write_by(mix);
        self
    }

    /// Restricts the mutator to some operators of [`MUTATORS`](super::MUTATORS). Their names are separated by commas.
    ///
    /// # Errors
    /// If a name is unknown. The message lists the names of all operators.
    pub fn with_only(mut self, names: &str) -> Result<Mutator<'g>, String> {
        self.feedback.take_only(names)?;
        Ok(self)
    }

    /// Adds the subtrees of an input to the pool. Does nothing for an input that was learned before.
    pub fn learn(&mut self, input: &[u8]) {
        mutation(self.grammar, &self.settings, &mut self.feedback, (0, 0), &mut unchanged).learn(input, &mut self.buffers);
    }

    /// Mutates parameters, so that they decode to another sentence if a few attempts find one.
    ///
    /// The result has at most `max_size` bytes and differs from the input unless `max_size` is 0. Parameters longer than
    /// `max_size` are shrunk by whole subtrees. Equal sequences of calls with equal seeds give equal results.
    pub fn mutate(&mut self, input: &[u8], max_size: usize, seed: u32) -> &[u8] {
        self.mutate_with(input, max_size, seed, &mut unchanged)
    }

    /// Mutates parameters like [`Mutator::mutate`], with `native` as a substitute for libFuzzer's own mutator. Some operators
    /// call it to change the parameters or the text of a token.
    pub fn mutate_with(&mut self, input: &[u8], max_size: usize, seed: u32, native: Native<'_>) -> &[u8] {
        let Mutator { grammar, settings, feedback, buffers } = self;
        mutation(grammar, settings, feedback, (seed, max_size), native).mutate(input, buffers)
    }

    /// Makes a crossover: copies a part of one input into the other. Returns [`None`] if a few attempts find no child of at most
    /// `max_size` bytes whose sentence differs from both.
    pub fn crossover(&mut self, first: &[u8], second: &[u8], max_size: usize, seed: u32) -> Option<&[u8]> {
        let Mutator { grammar, settings, feedback, buffers } = self;
        let mut native = unchanged;
        let mut mutation = mutation(grammar, settings, feedback, (seed, max_size), &mut native);
        let fits = mutation.recombine(first, second, buffers) && buffers.result.parameters().len() <= max_size;
        fits.then(|| buffers.result.parameters())
    }

    /// Returns the text of `parameters` if they are the last result. The caller then need not decode them.
    pub fn sentence(&self, parameters: &[u8]) -> Option<&[u8]> {
        self.buffers.sentence(parameters)
    }
}

/// A substitute for libFuzzer's own mutator that changes nothing.
fn unchanged(_data: &mut [u8], size: usize, _max_size: usize) -> usize {
    size
}

fn mutation<'a>(
    grammar: &'a Grammar,
    settings: &'a Settings,
    feedback: &'a mut MutatorFeedback,
    (seed, max_size): (u32, usize),
    native: Native<'a>,
) -> Mutation<'a> {
    Mutation::new(grammar, settings, feedback, seed, max_size, native)
}
