//! The boundary to libFuzzer: what [`fuzz_target!`](crate::fuzz_target!) and the C library call.
//!
//! Guarantees: the hooks are total. A wrong grammar or a wrong setting ends the process at start, with a message that names the
//! place, status 1 and no artifact. Nothing of zester counts as coverage of the program under test.
//!
//! # Settings
//!
//! Each is an environment variable, or a flag of the same name in lower case: `--zester_bounds=4,-,-`.
//!
//! | setting | meaning | default |
//! |---|---|---|
//! | `ZESTER_BOUNDS=m,n,d` | at most m identifiers, n items of a repetition, d expansions of a nonterminal on a path (Bonsai's bounds); `-` for no bound | `-,-,-` |
//! | `ZESTER_VALID_ONLY=1` | keep no input that is reported invalid, also under `-merge` | 0 |
//! | `ZESTER_FEEDBACK=0` | do not count edges that valid inputs reach as separate coverage features | 1 |
//! | `ZESTER_STATS=FILE` | append a JSON line of statistics to this file every two seconds and at the end | none |
//! | `ZESTER_MUTATORS=name,…` | use only these mutators of [`MUTATORS`](crate::mutate::MUTATORS) | all |
//! | `ZESTER_COVER=crate,…` | count the coverage of these crates although zester uses them itself, because they are under test | none |
//! | `ZESTER_SEEDS=DIR` | encode the texts in this directory, and write them to the corpus before libFuzzer reads it | none |
//! | `ZESTER_TEXT=1` | inputs are texts for the program under test; they are neither decoded nor post-processed | 0 |
//! | `ZESTER_WEIGHTS=FILE` | draw new parts of sentences by the weights that `zester learn` wrote | none |
//! | `ZESTER_MIX=m:n:o` | how often new parts are drawn by the weights, by their inverse, and by neither | `1:0:1` |
//! | `ZESTER_DECODE=DIR`, `-` | run nothing; write the decoded inputs to this directory, or to standard output | none |
//! | `ZESTER_ENCODE=DIR`, `-` | run nothing; the inputs are texts, and their parameters are written to this directory, or to standard output | none |
//! | `ZESTER_GRAMMAR_OUT=FILE`, `-` | run nothing; write the text of the target's grammar to this file, or to standard output | none |
//! | `ZESTER_SCHEDULE=adaptive`, `fixed` | whether mutators that find something are used more often | `adaptive` |
//! | `ZESTER_PAST_END=simplest`, `random` | how choices past the end of an input are made | `simplest` |

mod convert;
mod elf;
mod engine;
mod execute;
#[cfg(any(feature = "libfuzzer", feature = "libafl"))]
mod fuzz_target;
mod grammar_out;
mod libraries;
mod program;
mod seeds;
mod settings;
mod state;
mod statistics;
mod target;
mod text;
mod values;

use std::ffi::CStr;

use crate::corpus;
use crate::feedback;
use crate::fork_server;
use crate::grammar::Grammar;

pub use self::engine::{grammar_from_environment, mutator_from_environment};
use self::settings::Options;
pub use self::settings::{named_grammar, setting};
use self::state::{HookState, NativeMutator};
pub use self::target::Target;
#[doc(hidden)]
pub use self::target::{change_text, make, show, value};
#[doc(hidden)]
pub use crate::feedback::{Arguments, Crossing, early, fatal};

/// Flags of libFuzzer that have other defaults here.
///
/// The first: with libFuzzer's 255, nearly every feature of a large program is in a list that libFuzzer searches from end to end,
/// for most of its time; with 1, the list has about a hundred entries (FuzzerCorpus.h, `AddRareFeature`). The second: without it,
/// libFuzzer chooses inputs to mutate regardless of their run time, and slow inputs take over the corpus (`UpdateEnergy`).
const DEFAULTS: [&CStr; 2] = [c"-entropic_feature_frequency_threshold=1", c"-entropic_scale_per_exec_time=1"];

/// Starts zester in this process: reads the settings and the grammar, registers the coverage counters, and sets flags of libFuzzer
/// that the user left open. Ends the process if a setting or the grammar is wrong.
pub fn initialize(target: &'static Target, arguments: Arguments) {
    try_initialize(target, arguments).unwrap_or_else(|problem| feedback::fatal(&problem));
}

fn try_initialize(target: &'static Target, arguments: Arguments) -> Result<(), String> {
    let options = Options::from_environment()?;
    if let Some(to) = &options.grammar_out {
        grammar_out::write(target, to)?;
        std::process::exit(0);
    }
    let grammar = target.check()?;
    if options.texts {
        target.check_texts(&options)?;
        text::give(true);
    }
    if let Some(to) = &options.decode {
        convert::decode(target, &options, to)?;
        std::process::exit(0);
    }
    if let Some(to) = &options.encode {
        std::process::exit(convert::encode(target, &options, to)?);
    }
    let mut mutator = options.mutator(grammar)?;
    let counters = feedback::find();
    let libraries = libraries::add();
    let is_first = !options.serve && statistics::start(&options);
    if is_first {
        settings::warn_of_unknown_variables();
    }
    if let (Some(grammar), true) = (grammar, is_first && !options.texts) {
        check_corpora(grammar, &options);
        seeds::import(target, grammar, &options)?;
    }
    if let Some(grammar) = grammar {
        if let Some(mix) = target.mix(grammar, &options)? {
            mutator = mutator.with_mix(mix);
        }
    }
    feedback::set_valid_only(options.valid_only);
    if options.serve {
        feedback::share(None);
        fork_server::start_at_next_run();
    } else {
        report_panics();
    }
    register_counters(target, &options, counters, &libraries);
    for flag in DEFAULTS.into_iter().filter(|flag| arguments.set_default(flag)) {
        eprintln!("INFO: zester: {} (give libFuzzer another value to change it)", flag.to_string_lossy());
    }
    HookState::new(options, mutator).install();
    Ok(())
}

/// Says which of the `counters` of the executable belong to the program under test, and prints what is fuzzed. `libraries` are the
/// names of shared libraries with counters.
fn register_counters(target: &Target, options: &Options, counters: usize, libraries: &[String]) {
    let kept = program::counters(counters, &options.cover);
    let valid = feedback::register(&kept, options.feedback);
    if options.feedback && !valid {
        eprintln!("zester: WARNING: no coverage counters, so validity is counted but does not guide the search");
    }
    if options.valid_only && options.value_profile {
        eprintln!("zester: WARNING: under -merge, compares of invalid inputs count although ZESTER_VALID_ONLY=1");
    }
    let kept = kept.iter().map(ExactSizeIterator::len).sum::<usize>();
    eprintln!(
        "INFO: zester: {}{}; {}{} counters{}{}{}",
        target.name(),
        target.grammar().map_or(String::new(), |grammar| format!(": {} symbols", grammar.symbols().len())),
        if options.texts { "inputs are text; " } else { "" },
        feedback::counter_count(),
        if libraries.is_empty() { String::new() } else { format!(" ({kept} here, others in {})", libraries.join(", ")) },
        if valid { " and as many for valid runs" } else { "" },
        if kept < counters { format!(", {} of zester's own left out", counters - kept) } else { String::new() },
    );
}

/// Warns of corpora that another grammar wrote or that hold texts, and notes in the corpus that libFuzzer writes to which grammar
/// writes it.
fn check_corpora(grammar: &Grammar, options: &Options) {
    for stale in options.inputs.iter().filter_map(|input| corpus::stale(input, grammar)) {
        eprintln!("zester: WARNING: {stale}");
    }
    for input in &options.inputs {
        if let Some(texts) = corpus::texts(input, grammar) {
            eprintln!("zester: WARNING: {texts}");
        }
    }
    let Some(first) = options.inputs.first().filter(|input| input.is_dir()) else { return };
    if let Err(error) = corpus::mark(first, grammar) {
        eprintln!("zester: WARNING: {}: cannot note there which grammar writes it: {error}", first.display());
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

/// `LLVMFuzzerTestOneInput`: runs the program under test once. The value is libFuzzer's.
pub fn run(target: &'static Target, bytes: &[u8]) -> i32 {
    fork_server::before_run(text::give);
    state::lock().as_deref_mut().map_or(0, |state| state.run(target, bytes))
}

/// Begins a run in which the caller calls the program under test. Returns the address and the length of the sentence, which lives
/// until the next call. A report ends the run, or [`end`], or the next call.
pub fn begin(target: &'static Target, bytes: &[u8]) -> (*const u8, usize) {
    fork_server::before_run(text::give);
    state::lock().as_deref_mut().map_or((std::ptr::null(), 0), |state| state.begin(target, bytes))
}

/// Ends the run that [`begin`] began, if it has not ended.
pub fn end() {
    state::lock().iter_mut().for_each(|state| state.end());
}

/// `LLVMFuzzerCustomMutator`: changes `data[..size]` to at most `max_size` bytes; returns the new size.
pub fn mutate(target: &'static Target, data: &mut [u8], size: usize, max_size: usize, seed: u32, native: NativeMutator) -> usize {
    if text::given() {
        return native(data, size, max_size);
    }
    let input = data[..size].as_ptr();
    feedback::while_mutating(input, size, seed, || {
        let mut guard = state::lock();
        let Some(state) = guard.as_deref_mut() else { return 0 };
        let result = state.mutate(target, (&data[..size], None), max_size.min(data.len()), seed, native);
        data[..result.len()].copy_from_slice(result);
        result.len()
    })
}

/// `LLVMFuzzerCustomCrossOver`: makes one input of two; returns its size.
pub fn cross_over(target: &'static Target, crossing: Crossing, seed: u32, native: NativeMutator) -> usize {
    crossing.make(seed, |first, second, out| {
        if text::given() {
            let size = first.len().min(out.len());
            out[..size].copy_from_slice(&first[..size]);
            return native(out, size, out.len());
        }
        let mut guard = state::lock();
        let Some(state) = guard.as_deref_mut() else { return 0 };
        let result = state.mutate(target, (first, Some(second)), out.len(), seed, native);
        out[..result.len()].copy_from_slice(result);
        result.len()
    })
}
