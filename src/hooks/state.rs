//! The state of the hooks between two calls of the engine: settings, buffers, and the mutator.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::decoding::Decoding;
use super::equal_runs::EqualRuns;
use super::execute::{Decoded, ProgramCall, execute, execute_value, reject};
use super::mutation_call::MutationCall;
use super::panics::Body;
use super::settings::Options;
use super::steering::{MAX_ATTEMPTS, Steering};
use super::target::{Target, TargetInput};
use super::values::Values;
use super::words::WordsFile;
use super::{convert, outcome, statistics, text};
use crate::bounds::Caps;
use crate::feedback;
use crate::grammar::Grammar;
use crate::mutate::{MUTATORS, Mutator, OperatorCounts, RegionMutator};
use crate::parameters::{InputBuffers, decode_input};

/// The number of mutations after which the counts of mutators are added to the statistics.
const MUTATIONS_PER_REPORT: u32 = 64;

/// The exit status after Ctrl-C, as in shells: 128 plus the number of SIGINT.
const INTERRUPTED: i32 = 130;

/// The maximum length of an input in bytes, for engines without a limit of their own. It equals
/// libFuzzer's default of `-max_len` without a corpus (FuzzerDriver.cpp).
const MAX_LEN: usize = 4096;

/// For the last attempts to find a wanted mutant, `LAST_ATTEMPTS >> attempt` is the maximum size of
/// the result: 32, 16, 8 and 4 bytes.
const LAST_ATTEMPTS: usize = 512;

static STATE: Mutex<Option<Box<HookState>>> = Mutex::new(None);

pub(super) struct HookState {
    options: Options,
    /// The maximum length of a mutant in bytes; `usize::MAX` for libFuzzer, which has its own
    /// limit.
    max_len: usize,
    buffers: InputBuffers,
    /// The buffer for sentences.
    text: Vec<u8>,
    mutator: Mutator<'static>,
    /// The file of words. Without it, no words are learned.
    words: Option<WordsFile>,
    values: Values,
    /// The mutator of inputs that a generator reads, if there is a generator.
    regions: Option<Box<RegionMutator>>,
    /// The runs of equivalent sentences, if they must have equal outcomes.
    equal: Option<Box<EqualRuns>>,
    /// The grammar of the target that runs.
    grammar: Option<&'static Grammar>,
    steering: Steering,
    /// The last mutant, while it is examined for unwanted features.
    result: Vec<u8>,
    /// Whether a mutation was made. Inputs that run before the first mutation are seeds.
    mutated: bool,
    /// When the last run ended.
    last_run: Option<Instant>,
    /// The number of mutations since the counts of mutators were added to the statistics.
    unreported: u32,
    /// Whether the first run has begun.
    started: bool,
    /// Whether sentences are printed before they run.
    prints_sentences: bool,
    /// The input of a run that [`HookState::begin`] began and [`HookState::end`] has not ended.
    input: Option<Vec<u8>>,
    /// The buffer for the input of the next run that [`HookState::begin`] begins.
    spare: Vec<u8>,
}

/// Returns the text of an input if it is the last result of the mutator.
#[inline(always)]
fn last_result<'m>(mutator: &'m Mutator<'static>, bytes: &[u8]) -> Option<Decoded<'m>> {
    mutator.decoded(bytes).map(|input| Decoded {
        text: input.text(),
        is_edited: !input.edits().is_empty(),
    })
}

/// Returns the state, or [`None`] before `initialize`. A panic of the program under test leaves the
/// state intact, so a poisoned lock is ignored.
pub(super) fn lock() -> MutexGuard<'static, Option<Box<HookState>>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HookState {
    /// Returns the state before the first run.
    pub fn new(options: Options, mutator: Mutator<'static>, words: Option<WordsFile>) -> HookState {
        HookState {
            max_len: if feedback::is_libfuzzer() {
                usize::MAX
            } else {
                options.max_len.unwrap_or(MAX_LEN)
            },
            grammar: None,
            steering: Steering::new(options.steers()),
            result: Vec::new(),
            options,
            // The buffers are large from the start, because code that enlarges a vector during a
            // run would count as coverage.
            buffers: InputBuffers::with_capacity(1 << 16),
            text: Vec::with_capacity(Caps::default().bytes as usize),
            mutator,
            words,
            values: Values::default(),
            regions: None,
            equal: None,
            mutated: false,
            last_run: None,
            unreported: 0,
            started: false,
            prints_sentences: false,
            input: None,
            spare: Vec::new(),
        }
    }

    /// Sets the mutator of inputs that a generator reads.
    pub fn regions(mut self, regions: Option<RegionMutator>) -> HookState {
        self.regions = regions.map(Box::new);
        self
    }

    /// Sets the runs of equivalent sentences.
    pub fn equal(mut self, equal: Option<EqualRuns>) -> HookState {
        self.equal = equal.map(Box::new);
        self
    }

    /// Makes this the state of the process.
    pub fn install(self) {
        *lock() = Some(Box::new(self));
    }

    /// Runs the program under test. Returns the value for libFuzzer.
    pub fn run(&mut self, target: &'static Target, bytes: &[u8]) -> i32 {
        if !self.prepare(target, bytes) {
            return 0;
        }
        let HookState {
            options,
            buffers,
            text,
            mutator,
            equal,
            ..
        } = self;
        let equal = equal.as_deref_mut();
        let catches = options.catches_panics();
        let value = match (target.input(), target.grammar()) {
            (TargetInput::Sentence { .. }, _)
                if text::inputs_are_texts() && !target.takes(bytes) =>
            {
                reject(bytes)
            }
            (
                TargetInput::Sentence {
                    post_process, body, ..
                },
                Some(grammar),
            ) => {
                let decoding = Decoding {
                    grammar,
                    settings: &options.settings,
                    buffers,
                    text,
                };
                let body = Body {
                    function: *body,
                    catches,
                };
                // The program reads a given text without changes. It is not post-processed.
                let post_process = post_process.filter(|_| !text::inputs_are_final());
                match text::inputs_are_texts() {
                    true => execute(
                        decoding,
                        bytes,
                        Some(Decoded {
                            text: bytes,
                            is_edited: false,
                        }),
                        ProgramCall {
                            post_process,
                            body,
                            equal,
                        },
                    ),
                    false => execute(
                        decoding,
                        bytes,
                        last_result(mutator, bytes),
                        ProgramCall {
                            post_process,
                            body,
                            equal,
                        },
                    ),
                }
            }
            (TargetInput::Value { body, .. }, _) => execute_value(
                bytes,
                Body {
                    function: *body,
                    catches,
                },
            ),
            (TargetInput::Sentence { .. }, None) => 0,
        };
        self.after_run(bytes);
        feedback::clear_other_counters();
        value
    }

    /// Begins a run in which the caller calls the program under test. Returns the address and the
    /// length of the sentence.
    pub fn begin(&mut self, target: &'static Target, bytes: &[u8]) -> (*const u8, usize) {
        let Some(grammar) = target.grammar() else {
            return (std::ptr::null(), 0);
        };
        self.end();
        self.prepare(target, bytes);
        let mut input = std::mem::take(&mut self.spare);
        input.clear();
        input.extend_from_slice(bytes);
        self.input = Some(input);
        feedback::begin();
        let HookState {
            options,
            buffers,
            text,
            mutator,
            ..
        } = self;
        let sentence = match last_result(mutator, bytes) {
            _ if text::inputs_are_texts() => Decoded {
                text: bytes,
                is_edited: false,
            },
            Some(decoded) => decoded,
            None => {
                let is_edited = decode_input(grammar, &options.settings, bytes, buffers, text);
                Decoded { text, is_edited }
            }
        };
        if sentence.is_edited {
            feedback::count_edited();
        }
        let sentence = feedback::enter(sentence.text);
        (sentence.as_ptr(), sentence.len())
    }

    /// Ends the run that [`HookState::begin`] began, if it has not ended.
    pub fn end(&mut self) {
        if let Some(input) = self.input.take() {
            feedback::end();
            self.after_run(&input);
            self.spare = input;
        }
    }

    /// Prepares a run. Returns `false` if the input must not run.
    fn prepare(&mut self, target: &'static Target, bytes: &[u8]) -> bool {
        if !self.started {
            self.started = true;
            if let Some(path) = std::env::var_os("RUST_LIBFUZZER_DEBUG_PATH") {
                convert::write(target, &self.options, bytes, Path::new(&path));
                return false;
            }
            if self.options.is_fork_server {
                feedback::watch_stack();
                return true;
            }
            feedback::watch_signals();
            #[cfg(unix)]
            {
                let grammar = target.grammar().filter(|_| !text::inputs_are_texts());
                super::artifacts::write_artifacts(grammar, &self.options);
            }
            self.prints_sentences = self.options.runs_files();
        }
        // libFuzzer does not see the comparisons of a recorded run. With -use_value_profile it
        // needs them as features, so no run is recorded.
        let is_recorded = self.words.is_some() && !self.options.value_profile;
        feedback::without_stack_depth(|| {
            if is_recorded && self.mutator.wants_comparisons() {
                feedback::record_comparisons();
            }
        });
        self.grammar = target.grammar();
        if let (Some(grammar), Some(input)) = (self.grammar, self.mutator.decoded(bytes)) {
            self.steering.before_run(grammar, input);
        }
        feedback::set_input(bytes);
        if feedback::interrupted() {
            std::process::exit(INTERRUPTED);
        }
        if self.prints_sentences {
            let text = target.show(&self.options.settings, bytes);
            eprintln!(
                "zester: the {}:\n{}",
                target.noun(),
                String::from_utf8_lossy(&text)
            );
        }
        true
    }

    /// Records the outcome of the last run for the mutator, and writes statistics if they are due.
    fn after_run(&mut self, bytes: &[u8]) {
        if self.options.is_fork_server {
            outcome::send();
            return;
        }
        if let Some(grammar) = self.grammar {
            self.steering.after_run(grammar);
        }
        let HookState {
            options,
            mutator,
            words,
            regions,
            mutated,
            last_run,
            ..
        } = self;
        let now = Instant::now();
        let mut outcome = feedback::outcome();
        outcome.time = last_run.replace(now).map(|before| now - before);
        feedback::without_stack_depth(|| {
            feedback::for_each_comparison(|operands| mutator.learn_comparison(bytes, operands));
            feedback::forget_comparisons();
            mutator.record_run(bytes, outcome);
            if let Some(words) = words {
                words.after_run(mutator);
            }
            if let Some(regions) = regions {
                regions.record_run(bytes, outcome);
            }
            if !*mutated {
                feedback::count_replayed();
                if let Some(regions) = regions {
                    regions.learn(bytes);
                } else if !text::inputs_are_texts() {
                    mutator.learn(bytes);
                }
            }
            if let Some(path) = options
                .statistics
                .as_ref()
                .filter(|_| feedback::is_report_due(statistics::INTERVAL))
            {
                statistics::report(path);
            }
        });
    }

    /// Records the number of failures that have ended the process so far.
    #[inline(always)]
    pub fn after_end(&mut self, target: &'static Target, ended: u32) {
        if let Some(grammar) = target.grammar() {
            self.steering.after_end(grammar, ended);
        }
    }

    /// Mutates an input. If there is a second input, may make a crossover of the two instead.
    pub fn mutate(
        &mut self,
        target: &'static Target,
        inputs: (&[u8], Option<&[u8]>),
        call: MutationCall,
    ) -> &[u8] {
        self.end();
        let (first, second) = inputs;
        let HookState {
            options,
            mutator,
            values,
            regions,
            steering,
            result,
            mutated,
            unreported,
            ..
        } = self;
        let max_size = call.max_size.min(self.max_len);
        let call = MutationCall { max_size, ..call };
        *mutated = true;
        *unreported += 1;
        if *unreported == MUTATIONS_PER_REPORT {
            *unreported = 0;
            let mut counts = [[0; 4]; MUTATORS.len()];
            let numbers =
                |taken: OperatorCounts| [taken.tried, taken.changed, taken.found, taken.kept];
            match regions {
                Some(regions) => {
                    let taken = regions.take_counts().map(numbers);
                    counts.iter_mut().zip(taken).for_each(|(to, of)| *to = of);
                }
                None => {
                    let taken = mutator.take_counts().map(|(_, taken)| numbers(taken));
                    counts.iter_mut().zip(taken).for_each(|(to, of)| *to = of);
                }
            }
            feedback::add_mutators(&counts);
        }
        if let Some(regions) = regions {
            let MutationCall {
                seed, mut native, ..
            } = call;
            regions.learn(first);
            return match second {
                None => regions.mutate(first, max_size, seed, &mut native),
                Some(second) => regions.cross_over([first, second], max_size, seed, &mut native),
            };
        }
        if let TargetInput::Value { make, .. } = target.input() {
            let mutators = options.mutators.as_deref();
            if let Some(result) = values.mutate(*make, mutators, first, call) {
                return result;
            }
        }
        let seed = call.seed;
        mutator.learn(first);
        let grammar = target
            .grammar()
            .filter(|_| steering.is_steering() && !steering.is_canary(seed));
        if steering.is_steering() {
            mutator.avoid(grammar.map_or(&[], |_| steering.alternatives()));
        }
        let Some(grammar) = grammar else {
            return mutant(mutator, inputs, call);
        };
        for attempt in 0..MAX_ATTEMPTS {
            let seed = seed.wrapping_add(attempt.wrapping_mul(0x9E37_79B9));
            // If the parent has an unwanted feature, many of its mutants have it, too. Most large
            // sentences also have it. Small mutants of the empty input are cheap, and rarely have
            // it.
            let (inputs, max_size) = match 2 * attempt >= MAX_ATTEMPTS {
                true => ((&[][..], None), max_size.min(LAST_ATTEMPTS >> attempt)),
                false => (inputs, max_size),
            };
            let call = MutationCall {
                max_size,
                seed,
                ..call
            };
            result.clear();
            result.extend_from_slice(mutant(mutator, inputs, call));
            let input = mutator.decoded(result);
            if !input.is_some_and(|input| steering.is_rare(grammar, input)) {
                break;
            }
        }
        result
    }
}

/// Returns a mutant of the first input, or a crossover if there is a second one.
fn mutant<'m>(
    mutator: &'m mut Mutator<'static>,
    (first, second): (&[u8], Option<&[u8]>),
    call: MutationCall,
) -> &'m [u8] {
    let MutationCall {
        max_size,
        seed,
        mut native,
    } = call;
    match second {
        None => mutator.mutate_with(first, max_size, seed, &mut native),
        Some(second) => mutator.crossover_or_mutate([first, second], max_size, seed, &mut native),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derive::Workspace;
    use crate::fork_server::protocol::Request;
    use crate::language::GrammarSource;
    use crate::parameters::Input;
    use crate::validity::Validity;

    static SOURCE: GrammarSource =
        GrammarSource::new("expr.ebnf", include_bytes!("../../grammars/expr.ebnf"));
    static TARGET: Target = Target::sentence(&SOURCE, true, body)
        .post_process(|text| text.splice(0..0, *b"seal:").for_each(drop))
        .pre_process(|text| {
            if text.starts_with(b"seal:") {
                _ = text.drain(..5)
            }
        });

    static READ: Mutex<Vec<u8>> = Mutex::new(Vec::new());

    fn body(text: &[u8]) -> Validity {
        *READ.lock().unwrap() = text.to_vec();
        text.starts_with(b"seal:").into()
    }

    #[test]
    fn sentences_are_post_processed_and_given_texts_are_not() {
        let options = Options::from_environment().unwrap();
        let settings = options.settings;
        let grammar = SOURCE.grammar().unwrap();
        let mut state = HookState::new(options, Mutator::new(grammar), None);
        // The first run would install signal handlers, which would stay after the test.
        state.started = true;
        let (bytes, given) = ([7, 1, 4, 1, 2, 0], b"seal:1 + 2;");

        state.run(&TARGET, &bytes);
        let sentence = crate::parameters::sentence(grammar, &settings, &bytes)
            .text()
            .to_vec();
        assert_eq!(*READ.lock().unwrap(), [&b"seal:"[..], &sentence].concat());
        assert_eq!(
            TARGET.show(&settings, &bytes),
            [&b"seal:"[..], &sentence].concat()
        );

        text::set_inputs_are_texts(true);
        state.run(&TARGET, given);
        let shown = TARGET.show(&settings, given);
        text::set_inputs_are_texts(false);
        assert_eq!(
            *READ.lock().unwrap(),
            given,
            "the body did not read the given text"
        );
        assert_eq!(shown, given);

        text::announce(&Request::Sentence(b"1 + 2;"));
        state.run(&TARGET, b"1 + 2;");
        text::set_inputs_are_texts(false);
        assert_eq!(*READ.lock().unwrap(), b"seal:1 + 2;");
    }

    #[test]
    fn mutants_are_not_as_large_if_most_large_sentences_are_unwanted() {
        let grammar = SOURCE.grammar().unwrap();
        let options = Options::from_environment().unwrap();
        let mut state = HookState::new(options, Mutator::new(grammar), None);
        state.steering.write_repeated_rarely(30);
        let parent = grammar.encode(b"let a = 1; b + 2 ** (c - 3) * a;").unwrap();
        let seeds = (0..200).filter(|&seed| !state.steering.is_canary(seed));
        let (mut unwanted, mut all) = (0, 0);
        for seed in Vec::from_iter(seeds) {
            let call = MutationCall {
                max_size: 4096,
                seed,
                native: |_, size, _| size,
            };
            let mutant = state.mutate(&TARGET, (&parent, None), call).to_vec();
            let mut input = Input::default();
            input.read(
                grammar,
                &state.options.settings,
                &mutant,
                &mut Workspace::default(),
            );
            unwanted += u32::from(state.steering.is_rare(grammar, &input));
            all += 1;
        }
        assert!(2 * unwanted < all, "{unwanted} of {all}");
    }

    #[test]
    fn texts_are_pre_processed_before_they_are_encoded() {
        let (grammar, settings) = (
            SOURCE.grammar().unwrap(),
            crate::parameters::Settings::default(),
        );
        let mut encoder = TARGET.encoder(grammar, settings, false);
        for text in [&b"seal:1 + 2;"[..], b"1 + 2;"] {
            let seed = encoder.encode(text).unwrap();
            assert_eq!(
                crate::parameters::sentence(grammar, &settings, &seed.parameters).text(),
                b"1 + 2;"
            );
        }
        assert!(encoder.encode(b"seal: 1 + ;").is_err());
    }
}
