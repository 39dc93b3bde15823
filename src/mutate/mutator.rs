//! An object that mutates and owns all buffers that this takes.

use super::{Experience, Mutation, Native, Scratch};
use crate::grammar::Grammar;
use crate::parameters::{Settings, Tree};
use crate::weights::Mix;

/// Mutates parameters of one grammar.
///
/// A mutator owns its buffers, so mutating allocates nothing once they have grown. It also owns the pool of subtrees that
/// [`Mutator::learn`] fills: parts of one input then appear in mutants of another.
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
/// // Parameters of at most 100 bytes, one mutant for each seed.
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
    experience: Experience,
    scratch: Scratch,
}

impl<'g> Mutator<'g> {
    /// A mutator with default settings, all mutation operators and an empty pool. The operators that need libFuzzer's own mutator
    /// do nothing, unless [`Mutator::mutate_with`] gives one.
    pub fn new(grammar: &'g Grammar) -> Mutator<'g> {
        Mutator { grammar, settings: Settings::default(), experience: Experience::new(grammar), scratch: Scratch::default() }
    }

    /// Reads parameters by these settings.
    pub fn with_settings(mut self, settings: Settings) -> Mutator<'g> {
        self.settings = settings;
        // A parent that was read by other settings must be read again.
        self.scratch.fresh = false;
        self.scratch.parent = Tree::default();
        self
    }

    /// Samples new parts by the probabilities of a mix.
    pub fn with_mix(mut self, mix: Mix) -> Mutator<'g> {
        self.scratch.write_by(mix);
        self
    }

    /// Uses only these operators of [`MUTATORS`](super::MUTATORS). Names are separated by commas.
    ///
    /// # Errors
    /// The names of all operators, if one of the given names is unknown.
    pub fn with_only(mut self, names: &str) -> Result<Mutator<'g>, String> {
        self.experience.take_only(names)?;
        Ok(self)
    }

    /// Adds the subtrees of an input to the pool, once.
    pub fn learn(&mut self, input: &[u8]) {
        mutation(self.grammar, &self.settings, &mut self.experience, (0, 0), &mut unchanged).learn(input, &mut self.scratch);
    }

    /// Changes parameters, so that they decode to another sentence if a few attempts find one.
    ///
    /// The result has at most `max_size` bytes and differs from the input. Parameters longer than `max_size` are shrunk by whole
    /// subtrees. The same calls with the same seeds give the same results.
    pub fn mutate(&mut self, input: &[u8], max_size: usize, seed: u32) -> &[u8] {
        self.mutate_with(input, max_size, seed, &mut unchanged)
    }

    /// [`Mutator::mutate`], with `native` in the place of libFuzzer's own mutator: it changes bytes, and the text of tokens.
    pub fn mutate_with(&mut self, input: &[u8], max_size: usize, seed: u32, native: Native<'_>) -> &[u8] {
        let Mutator { grammar, settings, experience, scratch } = self;
        mutation(grammar, settings, experience, (seed, max_size), native).mutate(input, scratch)
    }

    /// Puts a part of one input into the other. Returns none if a few attempts find no child of at most `max_size` bytes whose
    /// sentence differs from both.
    pub fn crossover(&mut self, first: &[u8], second: &[u8], max_size: usize, seed: u32) -> Option<&[u8]> {
        let Mutator { grammar, settings, experience, scratch } = self;
        let mut native = unchanged;
        let mut mutation = mutation(grammar, settings, experience, (seed, max_size), &mut native);
        let fits = mutation.recombine(first, second, scratch) && scratch.result.parameters().len() <= max_size;
        fits.then(|| scratch.result.parameters())
    }

    /// The text of `parameters` if they are the last result, which so need not be decoded again.
    pub fn sentence(&self, parameters: &[u8]) -> Option<&[u8]> {
        self.scratch.sentence(parameters)
    }
}

/// Stands for libFuzzer's own mutator where there is none.
fn unchanged(_data: &mut [u8], size: usize, _max_size: usize) -> usize {
    size
}

fn mutation<'a>(
    grammar: &'a Grammar,
    settings: &'a Settings,
    experience: &'a mut Experience,
    (seed, max_size): (u32, usize),
    native: Native<'a>,
) -> Mutation<'a> {
    Mutation::new(grammar, settings, experience, seed, max_size, native)
}
