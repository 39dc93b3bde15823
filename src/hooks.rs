//! The functions that libFuzzer calls, through [`fuzz_target!`](crate::fuzz_target!) or the C
//! library.
//!
//! # Guarantees
//!
//! * If the grammar or a setting is wrong, the process ends at start with status 1, a message, and
//!   no artifact. The message has the position of an error in a grammar.
//! * A corpus that was written with another grammar is converted at the start if it contains the text of
//!   that grammar. zester has written this text to every corpus since November 2026. The old files are
//!   kept in `CORPUS.old-FINGERPRINT`.
//! * zester's own code does not count as coverage of the program under test.
//! * On Unix, the time of a crash report is limited. If a signal handler takes more than 60
//!   seconds, or AddressSanitizer about 80 seconds with the default of `-timeout`, zester writes
//!   the artifact and ends the process.
//!
//! # Settings
//!
//! Each setting is an environment variable, or a flag of the same name in lower case, such as
//! `--zester_bounds=4,-,-`.
//!
//! `--zester_help` prints this table:
//!
#![doc = include_str!("hooks/settings/table.md")]

#[cfg(unix)]
mod artifacts;
mod convert;
mod decoding;
mod elf;
mod engine;
mod equal_runs;
mod execute;
mod failed_runs;
mod failure;
#[cfg(any(feature = "libfuzzer", feature = "libafl"))]
mod fuzz_target;
mod goals;
mod grammar_out;
mod libraries;
mod mutation_call;
mod outcome;
mod panics;
mod program;
mod seeds;
mod settings;
mod state;
mod statistics;
mod steering;
mod strings;
mod target;
mod text;
mod values;
mod verdict;
mod words;

use std::ffi::CStr;
use std::time::{Duration, Instant};

use crate::corpus::{self, conversion};
use crate::error::Error;
use crate::feedback;
use crate::fork_server;
use crate::grammar::Grammar;
use crate::mutate::Mutator;

use self::equal_runs::EqualRuns;
use self::mutation_call::NativeMutator;
pub use self::outcome::outcome;
use self::program::CounterOwners;
use self::settings::Options;
use self::state::HookState;
use self::target::TargetInput;
use self::words::WordsFile;
/// For the code that the macros generate, and for the programs of this workspace; not part of the
/// interface.
#[doc(hidden)]
pub use self::{
    engine::{grammar_from_environment, mutator_from_environment},
    failure::{DISAGREEMENT, FAILURE, disagree, fail},
    mutation_call::MutationCall,
    outcome::{ByNoValue, BySilence, ByValue, ResultToRecord},
    settings::{named_grammar, setting},
    target::{Target, change_text, drawn, make, show, show_drawn, value},
    verdict::{ByConversion, ByDebug, ByDisplay, ByError, ByNothing, Verdict, report_reason},
};
#[doc(hidden)]
pub use crate::feedback::{Arguments, Crossing, early, fatal};

/// Flags of libFuzzer whose defaults zester changes.
///
/// * `-entropic_feature_frequency_threshold`: features that are hit at most this often are in a
///   list that libFuzzer searches from end to end. With libFuzzer's default of 255, the list has
///   nearly every feature of a large program, and libFuzzer spends most of its time on the search.
///   With 1, the list has about a hundred entries (FuzzerCorpus.h, `AddRareFeature`).
/// * `-timeout`: libFuzzer ends a run that takes longer than this many seconds, and keeps its input
///   as an artifact. Its own default is 1,200 seconds. It checks `-max_total_time` only between
///   runs, so one endless run would stop a campaign for 20 minutes.
/// * `-entropic_scale_per_exec_time`: without this flag, libFuzzer chooses inputs to mutate without
///   regard to their run time, and slow inputs take over the corpus (FuzzerCorpus.h,
///   `UpdateEnergy`). This flag is the last entry, because it is omitted if time is a goal.
const DEFAULTS: [&CStr; 3] = [
    c"-entropic_feature_frequency_threshold=1",
    c"-timeout=10",
    c"-entropic_scale_per_exec_time=1",
];

/// Turns off `-only_ascii`, the flag of libFuzzer that restricts mutations to ASCII. The flag is
/// meant for inputs that are texts. If inputs are parameters, ASCII bytes cannot encode most
/// choices, and sentences stay short.
const NO_ASCII: &CStr = c"-only_ascii=0";

/// The time between two messages about the conversion of a corpus.
const CONVERSION_MESSAGES: Duration = Duration::from_secs(2);

/// Initializes zester in this process: reads the settings and the grammar, registers the coverage
/// counters, and adds flags of libFuzzer that the user did not pass. Ends the process if a setting
/// or the grammar is wrong.
#[doc(hidden)]
pub fn initialize(target: &'static Target, arguments: Arguments) {
    try_initialize(target, arguments).unwrap_or_else(|problem| feedback::fatal(&problem));
}

fn try_initialize(target: &'static Target, arguments: Arguments) -> Result<(), Error> {
    if settings::wants_help() {
        print!("{}", settings::help());
        std::process::exit(0);
    }
    let mut options = Options::from_environment()?;
    target.fit(&mut options);
    if let Some(to) = &options.grammar_out {
        grammar_out::write(target, to)?;
        std::process::exit(0);
    }
    let grammar = target.check()?;
    if options.texts {
        target.check_texts(&options)?;
        text::set_inputs_are_texts(true);
    }
    if let Some(to) = &options.decode {
        convert::decode(target, &options, to)?;
        std::process::exit(0);
    }
    if let Some(to) = &options.encode {
        std::process::exit(convert::encode(target, &options, to)?);
    }
    let regions = match target.input() {
        TargetInput::Value {
            make, draws: true, ..
        } => Some(options.region_mutator(*make)?),
        _ => None,
    };
    let mut mutator = match regions {
        Some(_) => Mutator::with_grammar(None),
        None => options.mutator(grammar)?,
    };
    statistics::set_names(regions.is_some());
    let counters = feedback::find();
    let libraries = libraries::add();
    let is_first = !options.is_fork_server && statistics::start(&options);
    if is_first {
        settings::warn_of_unknown_variables();
    }
    if let (Some(grammar), true) = (grammar, is_first && !options.texts) {
        convert_corpus(target, grammar, &options)?;
        check_corpora(target, grammar, &options);
        seeds::import(target, grammar, &options)?;
    }
    feedback::set_valid_only(options.valid_only);
    failure::set_end(match options.goes_on_after_disagreements() {
        true => failure::EndOfDisagreement::GoesOn,
        false => failure::EndOfDisagreement::Aborts,
    });
    if options.is_fork_server {
        feedback::share(None);
        fork_server::start_at_next_run();
    } else if options.catches_panics() {
        panics::go_on(options.goals.exceptions);
    } else {
        if options.goals.exceptions {
            eprintln!(
                "zester: WARNING: ZESTER_GOAL=exceptions has no effect, because a panic ends the process: panics abort, or the target is in C"
            );
        }
        report_panics();
    }
    register_counters(target, &options, counters, &libraries);
    // Slow inputs are wanted if time is a goal.
    let defaults = &DEFAULTS[..if options.goals.time {
        DEFAULTS.len() - 1
    } else {
        DEFAULTS.len()
    }];
    for flag in defaults.iter().filter(|flag| arguments.set_default(flag)) {
        eprintln!(
            "INFO: zester: {} (give libFuzzer another value to change it)",
            flag.to_string_lossy()
        );
    }
    if !options.texts && arguments.replace(NO_ASCII) {
        eprintln!(
            "zester: WARNING: -only_ascii is switched off, because inputs are parameters, not texts; the grammar decides which bytes a sentence has"
        );
    }
    words::merge(&options, &mut mutator);
    let words = match options.is_fork_server {
        true => None,
        false => WordsFile::open(&options, &mut mutator)?,
    };
    if words.is_some() {
        mutator.set_strings(strings::of_program());
    }
    let checkpoints = options.makes_checkpoints().then_some(options.memory_limit);
    let tries_all = options.is_fork_server || options.runs_files();
    let wants_outcomes = fork_server::wants_outcomes();
    outcome::set_wanted(wants_outcomes);
    let is_equal = options.equal.unwrap_or(target.is_equal()) && !wants_outcomes;
    let equal = grammar.filter(|_| is_equal);
    let equal = equal.map(|grammar| EqualRuns::new(grammar, tries_all));
    HookState::new(options, mutator, words)
        .regions(regions)
        .equal(equal)
        .install();
    if let Some(memory) = checkpoints {
        feedback::begin_checkpoints(memory);
    }
    Ok(())
}

/// If more counters than this belong to zester, its hot paths are instrumented.
const OWN_COUNTERS: usize = 1_000;

/// Registers the coverage counters of the program under test, and prints a summary of the target.
/// `counters` is the number of all counters of the executable. `libraries` are the names of shared
/// libraries with counters.
fn register_counters(target: &Target, options: &Options, counters: usize, libraries: &[String]) {
    let CounterOwners {
        of_program: ranges,
        of_zester,
    } = program::counters(counters, &options.cover);
    let valid = feedback::register(&ranges, options.feedback, options.goals.bits());
    if options.feedback && !valid {
        eprintln!(
            "zester: WARNING: there are no coverage counters, so validity is counted but does not guide the search"
        );
    }
    if options.valid_only && options.value_profile {
        eprintln!(
            "zester: WARNING: -use_value_profile: under -merge, comparisons of invalid inputs count in spite of ZESTER_VALID_ONLY=1"
        );
    }
    let own = ranges.iter().map(ExactSizeIterator::len).sum::<usize>();
    eprintln!(
        "INFO: zester: {}{}; {}{} counters{}{}{}",
        target.name(),
        target.grammar().map_or(String::new(), |grammar| format!(
            ": {} symbols",
            grammar.symbols().len()
        )),
        if options.texts {
            "inputs are text; "
        } else {
            ""
        },
        feedback::counter_count(),
        if libraries.is_empty() {
            String::new()
        } else {
            format!(" ({own} here, others in {})", libraries.join(", "))
        },
        if valid {
            " and as many for valid runs"
        } else {
            ""
        },
        if own < counters {
            format!(", {} of zester's own left out", counters - own)
        } else {
            String::new()
        },
    );
    // A few counters belong to zester even if it is not instrumented, because its macros
    // instantiate functions in the crate of the target.
    if of_zester > OWN_COUNTERS {
        eprintln!(
            "INFO: zester: zester itself is instrumented, which makes it about two times slower: `zester fuzz` builds targets without that"
        );
    }
}

/// Converts the corpus to which libFuzzer writes, if it was written with another grammar and
/// contains the text of that grammar. Does nothing if single inputs are run or corpora are merged.
///
/// # Errors
/// If the conversion fails, for example because the disk is full. Then the process must end,
/// because libFuzzer would add inputs of this grammar to inputs of the other grammar.
fn convert_corpus(target: &Target, grammar: &Grammar, options: &Options) -> Result<(), Error> {
    let corpus = options.inputs.first().filter(|input| !input.is_file());
    let (Some(corpus), Some(source), false) = (corpus, target.source(), options.merges) else {
        return Ok(());
    };
    let mut last_message = Instant::now();
    let progress = |done: usize, all: usize| {
        if last_message.elapsed() > CONVERSION_MESSAGES {
            last_message = Instant::now();
            eprintln!(
                "INFO: zester: {}: {done} of {all} inputs converted",
                corpus.display()
            );
        }
    };
    let converted = conversion::convert(corpus, (grammar, source), &options.settings, progress)
        .map_err(|error| {
            format!(
                "zester: {}: the corpus cannot be converted to the changed grammar: {error}\n",
                corpus.display()
            )
        })?;
    if let Some(conversion::Converted {
        kept,
        edited,
        lost,
        old,
    }) = converted
    {
        eprintln!(
            "zester: {}: the grammar has changed. {} of {} inputs were converted{}. The old ones are in {}",
            corpus.display(),
            kept + edited,
            kept + edited + lost,
            if edited > 0 {
                format!(", {edited} of them to edited texts, because they are no sentences now")
            } else {
                String::new()
            },
            old.display()
        );
    }
    Ok(())
}

/// Warns of corpora that were written with another grammar or that contain texts. Writes the
/// fingerprint and the text of the grammar to the corpus that libFuzzer writes to.
fn check_corpora(target: &Target, grammar: &Grammar, options: &Options) {
    for stale in options
        .inputs
        .iter()
        .filter_map(|input| corpus::stale(input, grammar))
    {
        eprintln!("zester: WARNING: {stale}");
    }
    for input in &options.inputs {
        if let Some(texts) = corpus::texts(input, grammar) {
            eprintln!("zester: WARNING: {texts}");
        }
    }
    let Some(first) = options.inputs.first().filter(|input| input.is_dir()) else {
        return;
    };
    let marked = match target
        .source()
        .filter(|_| corpus::stale(first, grammar).is_none())
    {
        Some(source) => conversion::mark_with_source(first, grammar, source),
        None => corpus::mark(first, grammar),
    };
    if let Err(error) = marked {
        eprintln!(
            "zester: WARNING: {}: cannot write the fingerprint of the grammar: {error}",
            first.display()
        );
    }
}

/// Makes a panic print the sentence and the statistics before libFuzzer ends the process.
fn report_panics() {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        feedback::print_sentence();
        statistics::finish();
        next(panic);
    }));
}

/// Runs the program under test once, for `LLVMFuzzerTestOneInput`. Returns the value for libFuzzer.
#[doc(hidden)]
pub fn run(target: &'static Target, bytes: &[u8]) -> i32 {
    fork_server::before_run(text::announce);
    state::lock()
        .as_deref_mut()
        .map_or(0, |state| state.run(target, bytes))
}

/// Begins a run in which the caller calls the program under test. Returns the address and the
/// length of the sentence, which lives until the next call. The run ends when its validity is
/// reported, when [`end`] is called, or when the next run begins.
#[doc(hidden)]
pub fn begin(target: &'static Target, bytes: &[u8]) -> (*const u8, usize) {
    fork_server::before_run(text::announce);
    state::lock()
        .as_deref_mut()
        .map_or((std::ptr::null(), 0), |state| state.begin(target, bytes))
}

/// Ends the run that [`begin`] began, if it has not ended.
#[doc(hidden)]
pub fn end() {
    state::lock().iter_mut().for_each(|state| state.end());
}

/// Makes a checkpoint if one is due. Returns the number of failures that ended the process so far, and
/// the seed of a mutation. The seed depends on this number, so that a copy of the process does not
/// repeat the run that ended the process.
fn checkpoint(seed: u32) -> (u32, u32) {
    let ended = feedback::checkpoint();
    (ended, seed ^ ended.wrapping_mul(0x9E37_79B9))
}

/// Mutates an input, for `LLVMFuzzerCustomMutator`: changes `data[..size]`, and returns the new
/// size.
#[doc(hidden)]
pub fn mutate(target: &'static Target, data: &mut [u8], size: usize, call: MutationCall) -> usize {
    let (ended, seed) = checkpoint(call.seed);
    let call = MutationCall { seed, ..call };
    if text::inputs_are_texts() {
        return (call.native)(data, size, call.max_size);
    }
    let input = data[..size].as_ptr();
    feedback::while_mutating(input, size, call.seed, || {
        let mut guard = state::lock();
        let Some(state) = guard.as_deref_mut() else {
            return 0;
        };
        let max_size = call.max_size.min(data.len());
        let call = MutationCall { max_size, ..call };
        state.after_end(target, ended);
        let result = state.mutate(target, (&data[..size], None), call);
        data[..result.len()].copy_from_slice(result);
        result.len()
    })
}

/// Crosses two inputs, for `LLVMFuzzerCustomCrossOver`. Returns the size of the result.
#[doc(hidden)]
pub fn cross_over(
    target: &'static Target,
    crossing: Crossing,
    seed: u32,
    native: NativeMutator,
) -> usize {
    let (ended, seed) = checkpoint(seed);
    crossing.make(seed, |first, second, out| {
        if text::inputs_are_texts() {
            let size = first.len().min(out.len());
            out[..size].copy_from_slice(&first[..size]);
            return native(out, size, out.len());
        }
        let mut guard = state::lock();
        let Some(state) = guard.as_deref_mut() else {
            return 0;
        };
        let call = MutationCall {
            max_size: out.len(),
            seed,
            native,
        };
        state.after_end(target, ended);
        let result = state.mutate(target, (first, Some(second)), call);
        out[..result.len()].copy_from_slice(result);
        result.len()
    })
}
