//! Mutates and trims sentences that are given as texts.
//!
//! A text is parsed, its parameters are mutated, and the result is the text that they decode to.
//! The queue of AFL++ holds texts instead of parameters, so that other programs and people can read
//! the queue and add to it.
//!
//! # Guarantees
//!
//! * Every text is accepted, and every result is a sentence, an edited sentence (unless
//!   `ZESTER_NEGATIVE=0`) or empty.
//! * If a text of at most 8 kB is no sentence, a part of it that is a sentence is mutated
//!   ([`Parser::recover`](zester::parse::Parser::recover)). If there is no such part, or if the
//!   text is longer or too ambiguous, the simplest sentence is mutated.
//! * Equal sequences of calls with equal seeds give equal results.
//! * Texts in the cache of parses cost no allocation, once the buffers are large enough.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::RunFeedback;
use zester::grammar::Grammar;
use zester::hooks;
use zester::mutate::{MUTATORS, Mutator};
use zester::parameters::{self, InputBuffers, Settings};

use crate::parse_cache::{Parse, ParseCache};

/// The maximum size in bytes of the parameters of a result, unless those of its parent are longer.
/// It is libFuzzer's default for `-max_len`.
const MAX_PARAMETERS: usize = 4_096;

/// The percentage of results that are crossovers, if AFL++ passes a second text. With libFuzzer, as
/// many results are crossovers: a fifth of those of the crossover hook, which libFuzzer calls half
/// of the time.
const CROSSOVERS: u32 = 10;

/// The number of steps in which AFL++ tries to trim a text.
const TRIM_STEPS: u32 = 32;

/// A mutator of texts.
pub struct TextMutator {
    grammar: &'static Grammar,
    /// The settings from the environment. Each result has its own cap of bytes, which AFL++ passes.
    settings: Settings,
    mutator: Mutator<'static>,
    buffers: InputBuffers,
    cache: ParseCache,
    rng: SmallRng,
    first: Parse,
    second: Parse,
    /// The text of the last result.
    text: Vec<u8>,
    /// The parameters of the last result.
    parameters: Vec<u8>,
    /// Whether the outcome of the last result still has to be recorded in `mutator`.
    is_pending: bool,
    /// Whether AFL++ has put the last result into its queue.
    is_queued: bool,
    trim: Trim,
}

/// A text that is being trimmed.
#[derive(Default)]
struct Trim {
    /// The parameters of the shortest text so far that covers the same edges.
    parameters: Vec<u8>,
    /// The length of that text in bytes.
    length: usize,
    /// The number of steps that have ended.
    step: u32,
    /// The maximum number of steps.
    steps: u32,
}

impl TextMutator {
    /// Returns a mutator with the grammar and the settings in the environment variables.
    ///
    /// # Errors
    /// If the grammar or a setting is wrong. The error is a message to print.
    pub fn from_environment(seed: u64) -> Result<TextMutator, zester::Error> {
        TextMutator::new(hooks::grammar_from_environment()?, seed)
    }

    fn new(grammar: &'static Grammar, seed: u64) -> Result<TextMutator, zester::Error> {
        // `TextMutator::mutate` draws whether to make a crossover before it parses the second text.
        // So all calls of `crossover_or_mutate` try to make one.
        let mut mutator = hooks::mutator_from_environment(grammar)?.crossovers(100);
        if !names_mutators() {
            // These operators call libFuzzer's own mutator, which AFL++ does not have.
            let needs_libfuzzer = |name: &str| ["native", "edit-bytes"].contains(&name);
            let others = MUTATORS
                .iter()
                .filter(|mutator| mutator.share > 0 && !needs_libfuzzer(mutator.name));
            mutator = mutator.only(
                &others
                    .map(|mutator| mutator.name)
                    .collect::<Vec<_>>()
                    .join(","),
            )?;
        }
        Ok(TextMutator {
            grammar,
            settings: *mutator.current_settings(),
            mutator,
            buffers: InputBuffers::default(),
            cache: ParseCache::new(grammar),
            rng: SmallRng::seed_from_u64(seed),
            first: Parse::default(),
            second: Parse::default(),
            text: Vec::new(),
            parameters: Vec::new(),
            is_pending: false,
            is_queued: false,
            trim: Trim::default(),
        })
    }

    /// Mutates a text, or makes a crossover of two texts. Returns a sentence or an edited sentence.
    /// Returns an empty text if the result has more than `max` bytes.
    pub fn mutate(&mut self, text: &[u8], other: &[u8], max: usize) -> &[u8] {
        self.learn_outcome();
        self.cache.parse(text, &mut self.first);
        let crosses = !other.is_empty() && self.rng.random_range(0..100) < CROSSOVERS;
        self.second.parameters.clear();
        if crosses {
            self.cache.parse(other, &mut self.second);
        }
        let TextMutator {
            settings,
            mutator,
            rng,
            first,
            second,
            parameters,
            ..
        } = self;
        let (first, second, seed) = (&first.parameters[..], &second.parameters[..], rng.random());
        let max_parameters = MAX_PARAMETERS.max(first.len());
        mutator.set_settings(within(*settings, max));
        mutator.learn(first);
        let result = if second.is_empty() {
            mutator.mutate(first, max_parameters, seed)
        } else {
            mutator.crossover_or_mutate([first, second], max_parameters, seed, &mut |_, size, _| {
                size
            })
        };
        parameters.clear();
        parameters.extend_from_slice(result);
        self.decode();
        if self.text.len() > max {
            self.text.clear();
        }
        self.is_pending = true;
        &self.text
    }

    /// Returns the name of the operator that made the last result of [`TextMutator::mutate`].
    /// Returns [`None`] if the result is a crossover, or if its outcome has been recorded.
    pub fn last_operator(&self) -> Option<&'static str> {
        self.mutator.last_operator().filter(|_| self.is_pending)
    }

    /// Records that AFL++ added a text to its queue. If the text is the last result, its operator
    /// is credited.
    pub fn queued(&mut self, text: &[u8]) {
        if self.is_pending && text == self.text {
            self.is_queued = true;
            self.cache.insert(&self.text, &self.parameters);
        }
    }

    /// Begins to trim a text. Returns the maximum number of steps. It is 0 if nothing can be
    /// trimmed: the text is neither a sentence nor a cached edited sentence, or has at most one
    /// byte of parameters.
    pub fn begin_trim(&mut self, text: &[u8]) -> u32 {
        self.learn_outcome();
        self.cache.parse(text, &mut self.first);
        let Trim {
            parameters,
            length,
            step,
            steps,
        } = &mut self.trim;
        parameters.clear();
        parameters.extend_from_slice(&self.first.parameters);
        (*length, *step) = (text.len(), 0);
        *steps = if self.first.is_whole && parameters.len() > 1 {
            TRIM_STEPS
        } else {
            0
        };
        *steps
    }

    /// Tries one step of trimming. Returns a text that is shorter than the shortest one so far, or
    /// an empty text if this step finds none.
    pub fn trimmed(&mut self) -> &[u8] {
        let TextMutator {
            settings,
            mutator,
            rng,
            parameters,
            trim,
            ..
        } = self;
        mutator.set_settings(*settings);
        parameters.clear();
        parameters.extend_from_slice(mutator.mutate(
            &trim.parameters,
            trim.parameters.len().saturating_sub(1),
            rng.random(),
        ));
        self.decode();
        if self.text.len() >= self.trim.length {
            self.text.clear();
        }
        &self.text
    }

    /// Ends a step of trimming. `is_as_good` is whether its result covers the same edges. Returns
    /// the number of steps that have ended, or the maximum number of steps if nothing more can be
    /// trimmed.
    pub fn end_trim_step(&mut self, is_as_good: bool) -> u32 {
        let Trim {
            parameters,
            length,
            step,
            steps,
        } = &mut self.trim;
        *step += 1;
        if is_as_good && !self.text.is_empty() {
            parameters.clone_from(&self.parameters);
            *length = self.text.len();
            self.cache.insert(&self.text, &self.parameters);
            if parameters.len() < 2 {
                *step = *steps;
            }
        }
        *step
    }

    /// Decodes the parameters of the last result into its text.
    fn decode(&mut self) {
        let TextMutator {
            grammar,
            mutator,
            buffers,
            parameters,
            text,
            ..
        } = self;
        text.clear();
        match mutator.decoded(parameters) {
            Some(input) => text.extend_from_slice(input.text()),
            None => {
                _ = parameters::decode_input(
                    grammar,
                    mutator.current_settings(),
                    parameters,
                    buffers,
                    text,
                )
            }
        }
    }

    /// Records whether AFL++ added the last result to its queue.
    fn learn_outcome(&mut self) {
        if std::mem::take(&mut self.is_pending) {
            let outcome =
                RunFeedback::new(self.text.len(), false, std::mem::take(&mut self.is_queued));
            self.mutator.record_run(&self.parameters, outcome);
        }
    }
}

/// Lowers the cap of bytes in settings to `max`, unless it is lower already.
fn within(mut settings: Settings, max: usize) -> Settings {
    settings.caps.bytes = settings
        .caps
        .bytes
        .min(u32::try_from(max).unwrap_or(u32::MAX));
    settings
}

/// Returns whether the user chose mutators.
fn names_mutators() -> bool {
    let experiment = hooks::setting("ZESTER_EXPERIMENT").unwrap_or_default();
    experiment.to_string_lossy().contains("mutators=")
}

#[cfg(test)]
mod tests {
    use super::*;
    use zester::bounds::Caps;
    use zester::derivation::Derivation;
    use zester::notation;
    use zester::parameters::Edits;
    use zester::parse::Parser;

    fn grammar(source: &str) -> &'static Grammar {
        Box::leak(Box::new(
            notation::read("test", source.as_bytes(), &Caps::default())
                .unwrap()
                .0,
        ))
    }

    /// Returns a mutator that makes no edited sentences.
    fn mutator(grammar: &'static Grammar, seed: u64) -> TextMutator {
        let mut mutator = editing(grammar, seed);
        mutator.settings.edits = Edits::Off;
        mutator
    }

    /// Returns a mutator with the default settings. It also makes edited sentences.
    fn editing(grammar: &'static Grammar, seed: u64) -> TextMutator {
        TextMutator::new(grammar, seed).unwrap()
    }

    fn shipped() -> [&'static Grammar; 3] {
        [
            include_str!("../../grammars/json.ebnf"),
            include_str!("../../grammars/sqlite.ebnf"),
            include_str!("../../grammars/css.ebnf"),
        ]
        .map(grammar)
    }

    #[test]
    fn every_text_becomes_another_sentence() {
        let junk: [&[u8]; 4] = [b"", b"\xFF\xFE", b"{\"a\": [1, }", b")))"];
        for grammar in shipped() {
            let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
            let mut mutator = mutator(grammar, 1);
            let mut queue: Vec<Vec<u8>> = junk.iter().map(|text| text.to_vec()).collect();
            let mut changed = 0;
            for round in 0..2_000_usize {
                let text = queue[round % queue.len()].clone();
                let other = queue[round * 7 % queue.len()].clone();
                let result = mutator.mutate(&text, &other, 1 << 20).to_vec();
                parser
                    .parse_into(&result, &mut derivation)
                    .unwrap_or_else(|error| {
                        panic!(
                            "{}: {}",
                            parser.explain(&result, error),
                            String::from_utf8_lossy(&result)
                        );
                    });
                changed += usize::from(result != text);
                if round % 10 == 0 && queue.len() < 100 {
                    mutator.queued(&result);
                    queue.push(result);
                }
            }
            assert!(changed > 1_990, "{changed}");
        }
    }

    #[test]
    fn some_texts_become_edited_sentences_and_keep_their_parameters() {
        let grammar = shipped()[0];
        let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
        let (mut mutator, mut text, mut edited, mut children) =
            (editing(grammar, 1), b"{\"a\": [1, 2]}".to_vec(), 0, 0);
        for _ in 0..2_000 {
            let result = mutator.mutate(&text, b"", 1 << 20).to_vec();
            let is_edited = parser.parse_into(&result, &mut derivation).is_err();
            edited += u32::from(is_edited);
            // As if AFL++ added every result to its queue, and then mutated the edited sentences.
            mutator.queued(&result);
            if is_edited && !result.is_empty() {
                let child = mutator.mutate(&result, b"", 1 << 20).to_vec();
                children += u32::from(parser.parse_into(&child, &mut derivation).is_ok());
            } else {
                text = result;
            }
        }
        assert!(
            edited > 10,
            "only {edited} of 2,000 texts are edited sentences"
        );
        assert!(
            children > edited / 4,
            "only {children} of {edited} edited sentences have a sentence as a child"
        );
    }

    /// The number of derivations grows exponentially with the length of the text. Without a limit,
    /// parsing 6,000 bytes takes minutes.
    #[test]
    fn a_text_with_very_many_derivations_takes_a_bounded_time() {
        let mut mutator = mutator(grammar(r#"e = e e | "a" | "b" ;"#), 4);
        let text: Vec<u8> = b"abbabaab".repeat(750);
        for _ in 0..3 {
            let start = std::time::Instant::now();
            let result = mutator.mutate(&text, &text[1..], 1 << 20);
            assert!(!result.is_empty() && result.iter().all(|byte| b"ab".contains(byte)));
            assert_eq!(mutator.begin_trim(&text[2..]), 0);
            assert!(
                start.elapsed() < std::time::Duration::from_secs(10),
                "{:?}",
                start.elapsed()
            );
        }
        // A short text of the same grammar is parsed within the limit.
        assert!(mutator.begin_trim(b"abba") > 0);
    }

    #[test]
    fn a_large_text_that_is_no_sentence_takes_a_bounded_time() {
        let mut mutator = mutator(shipped()[0], 5);
        let start = std::time::Instant::now();
        for text in [
            b"[".repeat(1 << 20),
            b"[1,".repeat(1 << 18),
            b"\"\\".repeat(1 << 19),
            vec![0xFF; 1 << 20],
        ] {
            assert!(!mutator.mutate(&text, &text[1..], 1 << 20).is_empty());
            assert_eq!(mutator.begin_trim(&text), 0);
        }
        assert!(
            start.elapsed() < std::time::Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
    }

    #[test]
    fn a_part_of_a_text_is_mutated_if_only_that_part_is_a_sentence() {
        let mut mutator = mutator(shipped()[1], 2);
        let text = b"SELECT unheard_of FROM nowhere; SELECT FROM FROM; SELECT 7;";
        let count = (0..200)
            .filter(|_| {
                mutator
                    .mutate(text, b"", 1 << 20)
                    .windows(10)
                    .any(|part| part == b"unheard_of")
            })
            .count();
        assert!(count > 20, "{count}");
    }

    #[test]
    fn results_are_within_the_size_limit() {
        for grammar in shipped() {
            let mut mutator = mutator(grammar, 3);
            let text = mutator.mutate(b"", b"", 1 << 20).to_vec();
            for max in (0..40).chain([100, 1_000]) {
                for _ in 0..20 {
                    assert!(mutator.mutate(&text, &text, max).len() <= max);
                }
            }
        }
    }

    #[test]
    fn equal_seeds_give_equal_results() {
        let run = |seed| {
            let mut mutator = mutator(shipped()[0], seed);
            let mut all = vec![b"[1, 2]".to_vec()];
            for at in 0..300 {
                all.push(mutator.mutate(&all[at], b"{\"a\": null}", 300).to_vec());
            }
            all
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }

    #[test]
    fn trimming_keeps_the_needed_part_of_a_text() {
        let grammar = shipped()[0];
        let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
        let mut mutator = mutator(grammar, 7);
        let mut text =
            br#"{"some": [1, 2, 3, {"more": null}], "needle": [[[["long"]]]], "other": 1.25e7}"#
                .to_vec();
        let is_good = |text: &[u8]| text.windows(8).any(|part| part == b"\"needle\"");
        for _ in 0..4 {
            let steps = mutator.begin_trim(&text);
            let mut step = 0;
            while step < steps {
                let shorter = mutator.trimmed().to_vec();
                let is_as_good = is_good(&shorter);
                if !shorter.is_empty() {
                    assert!(shorter.len() < text.len());
                    parser.parse_into(&shorter, &mut derivation).unwrap();
                }
                if is_as_good {
                    text = shorter;
                }
                let next = mutator.end_trim_step(is_as_good);
                assert!(next > step);
                step = next;
            }
        }
        assert!(
            is_good(&text) && text.len() < 30,
            "{}",
            String::from_utf8_lossy(&text)
        );
        assert_eq!(mutator.begin_trim(b"no sentence"), 0);
    }

    #[test]
    fn the_operator_of_a_queued_result_is_credited() {
        let mut mutator = mutator(shipped()[0], 8);
        let mut operators = std::collections::HashSet::new();
        for _ in 0..300 {
            let result = mutator
                .mutate(b"[1, 2, {\"a\": 3}]", b"[null]", 1 << 20)
                .to_vec();
            operators.insert(mutator.last_operator());
            mutator.queued(b"what another program found");
            assert!(!mutator.is_queued);
            mutator.queued(&result);
            assert!(mutator.is_queued);
        }
        assert!(
            operators.contains(&None)
                && operators.len() > 8
                && !operators.contains(&Some("native")),
            "{operators:?}"
        );
        let found: u64 = mutator
            .mutator
            .take_counts()
            .map(|(_, counts)| counts.found)
            .sum();
        assert!(found > 200, "{found}");
    }
}
