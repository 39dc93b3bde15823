//! The public interface of mutation: [`Mutator`].

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::campaign::Campaign;
use super::{CROSSOVERS, MUTATORS, Mutation, MutationBuffers, Native, OperatorCounts};
use crate::error::Error;
use crate::grammar::Grammar;
use crate::parameters::{Edits, Input, Settings};
use crate::splice::TreeView;
use crate::validity::RunFeedback;

/// A mutator of the parameters of one grammar.
///
/// A mutator owns its buffers. Once they are large enough, mutating allocates nothing. It also owns
/// a pool of subtrees. [`Mutator::learn`] adds the subtrees of an input to the pool, and they then
/// appear in mutants of other inputs.
///
/// The mutator chooses among [`Mutator::operators`]. It uses an operator more often if
/// [`Mutator::record_run`] reports that the operator's results reach new code.
///
/// # Guarantees
///
/// These hold for any input and any seed of [`Mutator::mutate`]:
///
/// * The result is at most `max_size` bytes long. It is not empty unless `max_size` is 0.
/// * The result differs from the input unless `max_size` is 0.
/// * The result decodes to another sentence than its parent, unless 16 attempts find no such
///   result. The parent is the input, or the other input that is mutated instead.
/// * The result is in canonical form if that form is at most `max_size` bytes long.
/// * Equal sequences of calls with equal arguments give equal results.
///
/// If the recorded run of an input was invalid, another input may be mutated instead: the valid parent
/// of the last result, or a valid input that was learned ([`Mutator::learn`]).
///
/// # Not guaranteed
///
/// * That the result is valid for the program under test.
/// * That two mutants of an input differ from each other.
///
/// # Examples
///
/// ```
/// use zester::{Grammar, Mutator};
///
/// let source = br#"sum = term ( "+" term )* ; term = [0-9] | "(" sum ")" ;"#;
/// let grammar = Grammar::read("sum.ebnf", source).unwrap();
/// let mut mutator = Mutator::new(&grammar);
///
/// // One mutant for each seed, of at most 100 bytes of parameters.
/// let mut input = vec![0];
/// for seed in 0..20 {
///     input = mutator.mutate(&input, 100, seed).to_vec();
///     assert!(input.len() <= 100 && !grammar.decode(&input).is_empty());
/// }
/// ```
#[derive(Debug)]
pub struct Mutator<'g> {
    grammar: Option<&'g Grammar>,
    settings: Settings,
    campaign: Campaign,
    buffers: MutationBuffers,
    /// The percentage of calls of [`Mutator::crossover_or_mutate`] that make a crossover.
    crossovers: u32,
}

impl<'g> Mutator<'g> {
    /// Returns a mutator with default settings, all mutation operators and an empty pool.
    ///
    /// Operators that call libFuzzer's own mutator change nothing outside of libFuzzer.
    pub fn new(grammar: &'g Grammar) -> Mutator<'g> {
        Mutator::with_grammar(Some(grammar))
    }

    /// Returns a mutator for inputs of a grammar, or for bytes if there is no grammar.
    pub(crate) fn with_grammar(grammar: Option<&'g Grammar>) -> Mutator<'g> {
        Mutator {
            grammar,
            settings: Settings::default(),
            campaign: Campaign::new(grammar),
            buffers: MutationBuffers::default(),
            crossovers: CROSSOVERS,
        }
    }

    /// Sets how parameters decode: bounds, caps and edits.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Mutator<'g> {
        self.set_settings(settings);
        self
    }

    /// Restricts the mutator to some of the [`Mutator::operators`]. Their names are separated by
    /// commas.
    ///
    /// # Errors
    /// If a name is unknown. The message lists the names of all operators.
    ///
    /// # Examples
    ///
    /// ```
    /// # use zester::{Grammar, Mutator};
    /// # let grammar = Grammar::read("digit.ebnf", b"digit = [0-9] ;").unwrap();
    /// assert!(Mutator::new(&grammar).only("swap,hoist").is_ok());
    /// let error = Mutator::new(&grammar).only("havoc").unwrap_err();
    /// assert!(error.to_string().starts_with("unknown mutator `havoc`"));
    /// ```
    pub fn only(mut self, names: &str) -> Result<Mutator<'g>, Error> {
        self.campaign.restrict_to(names)?;
        Ok(self)
    }

    /// Turns off the operators that edit texts. Edits of parents remain possible.
    pub(crate) fn without_text_edits(mut self) -> Mutator<'g> {
        self.campaign.exclude_text_edits();
        self
    }

    /// Sets the alternatives that new subtrees avoid, as indices in [`Grammar::erased`].
    pub(crate) fn avoid(&mut self, alternatives: &[u32]) {
        let avoided = &mut self.buffers.output.sampler.avoided;
        avoided.clear();
        avoided.extend_from_slice(alternatives);
    }

    /// Changes how parameters decode. The pool and the buffers are kept.
    pub fn set_settings(&mut self, settings: Settings) {
        if self.settings != settings {
            self.settings = settings;
            // Buffered trees were decoded by the old settings.
            self.buffers.fresh = false;
            self.buffers.parent = Input::default();
            self.campaign.allow_text_edits(settings.edits != Edits::Off);
        }
    }

    /// Adds the subtrees of an input to the pool. If the input is a result of this mutator, its
    /// operator is credited in [`OperatorCounts::kept`]. An input that was learned before is only
    /// remembered as a possible parent. Does nothing if the input is the last result of this
    /// mutator. So call it for each parent, before [`Mutator::mutate`].
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, Mutator};
    ///
    /// let grammar = Grammar::read("word.ebnf", b"word = [a-z]{8} ;").unwrap();
    /// let input = grammar.encode(b"mutation").unwrap();
    ///
    /// // The word that was learned becomes a mutant of another input.
    /// let mut mutator = Mutator::new(&grammar).only("splice").unwrap();
    /// mutator.learn(&input);
    /// let is_spliced = |seed| mutator.mutate(&[], 100, seed) == input;
    /// assert!((0..100).any(is_spliced));
    /// ```
    pub fn learn(&mut self, input: &[u8]) {
        let mut native = unchanged;
        let (mut mutation, buffers) = self.mutation(0, 0, &mut native);
        mutation.learn(input, buffers);
    }

    /// Records the outcome of running an input. The first call after [`Mutator::mutate`] credits
    /// the operator that made the result. So call this for that result first.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, Mutator, RunFeedback};
    ///
    /// let grammar = Grammar::read("digits.ebnf", b"digits = [0-9]+ ;").unwrap();
    /// let mut mutator = Mutator::new(&grammar);
    /// let input = mutator.mutate(&[0], 100, 1).to_vec();
    /// let operator = mutator.last_operator().unwrap();
    /// // Run the program under test on the sentence of `input` here.
    /// mutator.record_run(&input, RunFeedback::new(input.len(), true, true));
    /// let (_, counts) = mutator.take_counts().find(|(name, _)| *name == operator).unwrap();
    /// assert_eq!(counts.found, 1);
    /// ```
    pub fn record_run(&mut self, input: &[u8], outcome: RunFeedback) {
        if let (Some(grammar), Some(result), true) = (
            self.grammar,
            self.buffers.result_of(input),
            self.campaign.is_new_sentence(),
        ) {
            let model = &mut self.campaign.validity;
            if model.record(grammar, result, outcome.valid) {
                model.update(grammar, &mut self.buffers.output.sampler.validity);
            }
        }
        self.campaign.record_run(input, outcome);
        if let Some(grammar) = self.grammar {
            let output = &mut self.buffers.output;
            let mut part = std::mem::take(&mut output.part);
            let vocabulary = &mut self.campaign.vocabulary;
            if let Some(occurrence) = vocabulary.record_run(grammar, outcome.found, &mut part) {
                output.learn_word(grammar, occurrence, &part);
            }
            output.part = part;
        }
    }

    /// Reads a file of words, or a part of it that begins with line `first`.
    ///
    /// # Errors
    /// If a line cannot be read. The message has its number.
    pub(crate) fn read_words(&mut self, text: &str, first: usize) -> Result<(), Error> {
        let Some(grammar) = self.grammar else {
            return Ok(());
        };
        let output = &mut self.buffers.output;
        self.campaign
            .vocabulary
            .read(grammar, (text, first), |occurrence, parameters| {
                output.learn_word(grammar, occurrence, parameters);
            })
    }

    /// Returns the lines of a file of words for the words that were confirmed since the last call.
    pub(crate) fn take_words(&mut self) -> String {
        self.campaign.vocabulary.take_lines()
    }

    /// Sets the strings of the program under test.
    pub(crate) fn set_strings(&mut self, strings: Vec<Vec<u8>>) {
        self.campaign.vocabulary.set_strings(strings);
    }

    /// Returns whether the comparisons of the next run should be recorded.
    pub(crate) fn wants_comparisons(&mut self) -> bool {
        self.grammar.is_some() && self.campaign.vocabulary.wants_comparisons()
    }

    /// Learns words from the operands of a comparison in the run of an input. Learns none unless
    /// the input is the last result.
    pub(crate) fn learn_comparison(&mut self, input: &[u8], operands: [&[u8]; 2]) {
        self.campaign.vocabulary.note_comparison();
        let (Some(grammar), Some(result)) = (self.grammar, self.buffers.result_of(input)) else {
            return;
        };
        let view = TreeView {
            grammar,
            settings: &self.settings,
            tree: &result.tree,
        };
        self.campaign.vocabulary.learn(&view, operands);
    }

    /// Mutates parameters, so that they decode to another sentence if a few attempts find one.
    ///
    /// The result has at most `max_size` bytes and differs from the input unless `max_size` is 0.
    /// Parameters longer than `max_size` are shrunk by whole subtrees.
    pub fn mutate(&mut self, input: &[u8], max_size: usize, seed: u32) -> &[u8] {
        self.mutate_with(input, max_size, seed, &mut unchanged)
    }

    /// Makes a crossover: copies a part of one input into the other. Returns [`None`] if a few
    /// attempts find no child of at most `max_size` bytes whose sentence differs from the sentences
    /// of both parents.
    ///
    /// # Examples
    ///
    /// ```
    /// use zester::{Grammar, Mutator};
    ///
    /// let grammar = Grammar::read("digits.ebnf", b"list = digit* ; digit = [0-9] ;").unwrap();
    /// let first = grammar.encode(b"11").unwrap();
    /// let second = grammar.encode(b"88").unwrap();
    ///
    /// let mut mutator = Mutator::new(&grammar);
    /// let child = mutator.crossover(&first, &second, 100, 1).unwrap();
    /// let text = grammar.decode(child);
    /// assert!(text.contains(&b'1') && text.contains(&b'8'));
    /// ```
    pub fn crossover(
        &mut self,
        first: &[u8],
        second: &[u8],
        max_size: usize,
        seed: u32,
    ) -> Option<&[u8]> {
        let mut native = unchanged;
        let (mut mutation, buffers) = self.mutation(seed, max_size, &mut native);
        let fits =
            mutation.recombine(first, second, buffers) && buffers.result.bytes().len() <= max_size;
        fits.then(|| buffers.result.bytes())
    }

    /// Returns the name of the operator that made the last result of [`Mutator::mutate`]. Returns
    /// [`None`] if a run has been recorded since then.
    pub fn last_operator(&self) -> Option<&'static str> {
        self.campaign.last_operator()
    }

    /// Returns the name and the counts of every operator, and sets the counts to 0.
    pub fn take_counts(&mut self) -> impl Iterator<Item = (&'static str, OperatorCounts)> + use<> {
        let names = MUTATORS.iter().map(|operator| operator.name);
        names.zip(self.campaign.take_counts())
    }

    /// Returns the names of all operators.
    pub fn operators() -> impl Iterator<Item = &'static str> {
        MUTATORS.iter().map(|operator| operator.name)
    }

    /// Returns a mutation whose random decisions depend only on `seed`, and the buffers for it.
    pub(super) fn mutation<'a, 'b: 'a>(
        &'b mut self,
        seed: u32,
        max_size: usize,
        native: Native<'a>,
    ) -> (Mutation<'a>, &'b mut MutationBuffers) {
        let Mutator {
            grammar,
            settings,
            campaign,
            buffers,
            ..
        } = self;
        let rng = SmallRng::seed_from_u64(seed.into());
        (
            Mutation {
                grammar: *grammar,
                settings,
                campaign,
                rng,
                max_size,
                native,
            },
            buffers,
        )
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl<'g> Mutator<'g> {
    /// Fixes how often each operator is used, so that it does not depend on
    /// [`Mutator::record_run`].
    #[must_use]
    pub fn fixed_shares(mut self) -> Mutator<'g> {
        self.campaign.schedule.adapts = false;
        self
    }

    /// Mutates each input that the engine passes, even if its run was invalid.
    #[must_use]
    pub fn any_parents(mut self) -> Mutator<'g> {
        self.campaign.parents.avoids_invalid = false;
        self
    }

    /// Turns off the model that estimates which alternatives make sentences invalid.
    #[must_use]
    pub fn without_validity_model(mut self) -> Mutator<'g> {
        self.campaign.validity.is_off = true;
        self
    }

    /// Sets the probability with which a nonterminal of a new subtree gets its minimum size, from 0
    /// (the default) to 1.
    #[must_use]
    pub fn leaf_probability(mut self, probability: f64) -> Mutator<'g> {
        self.buffers.output.sampler.leaf_probability = probability.clamp(0.0, 1.0);
        self
    }

    /// Sets the percentage of calls of [`Mutator::crossover_or_mutate`] that make a crossover. The
    /// default is 20.
    #[must_use]
    pub fn crossovers(mut self, percentage: u32) -> Mutator<'g> {
        self.crossovers = percentage;
        self
    }

    /// Returns the settings by which parameters decode.
    pub fn current_settings(&self) -> &Settings {
        &self.settings
    }

    /// Mutates parameters like [`Mutator::mutate`], with `native` as a substitute for libFuzzer's
    /// own mutator. Some operators call it to change the parameters or the text of a token.
    pub fn mutate_with(
        &mut self,
        input: &[u8],
        max_size: usize,
        seed: u32,
        native: Native<'_>,
    ) -> &[u8] {
        let (mut mutation, buffers) = self.mutation(seed, max_size, native);
        mutation.mutate(input, buffers)
    }

    /// Makes a crossover of two parents, or mutates the first one, as libFuzzer's crossover hook
    /// needs it: the result has the guarantees of [`Mutator::mutate`]. The percentage of crossovers
    /// is set by [`Mutator::crossovers`].
    pub fn crossover_or_mutate(
        &mut self,
        parents: [&[u8]; 2],
        max_size: usize,
        seed: u32,
        native: Native<'_>,
    ) -> &[u8] {
        let percentage = self.crossovers;
        let (mut mutation, buffers) = self.mutation(seed, max_size, native);
        mutation.crossover_or_mutate(parents, percentage, buffers)
    }

    /// Returns the last result if its parameters are `bytes` and the mutator has decoded them. The
    /// caller then need not decode them again.
    #[inline(always)]
    pub fn decoded(&self, bytes: &[u8]) -> Option<&Input> {
        self.buffers.result_of(bytes)
    }
}

/// A substitute for libFuzzer's own mutator that changes nothing.
fn unchanged(_data: &mut [u8], size: usize, _max_size: usize) -> usize {
    size
}
