//! The libFuzzer boundary: what `fuzz_target!` calls, and the only state between calls.
//!
//! What holds: the hooks are total; a wrong grammar or a wrong setting ends the process at start, with its place, status 1 and
//! no artifact; nothing of zester counts as coverage of the program under test.
//!
//! | environment | meaning | default |
//! |---|---|---|
//! | `ZESTER_BOUNDS=m,n,d` | Bonsai's bounds; `-` for none | `-,-,-` |
//! | `ZESTER_VALID_ONLY=1` | keep inputs only if they are not reported invalid, also under `-merge` | 0 |
//! | `ZESTER_FEEDBACK=0` | do not count edges reached by valid inputs as features of their own | 1 |
//! | `ZESTER_STATS=FILE` | a JSON line every two seconds and at the end | none |
//! | `ZESTER_BURSTS=choices`, `bytes` | Zest's bursts are one choice long, or 4 bytes on average as in the paper | `choices` |
//! | `ZESTER_COVER=crate,…` | count coverage of crates that zester uses itself: they are what is tested | none |
//! | `ZESTER_PAST_END=simplest`, `random` | what choices past the end of an input are | `simplest` |

mod program;
mod settings;
mod statistics;
mod target;

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use crate::bounds::Caps;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::mutate::{Bursts, Mutation, Scratch};
use crate::parameters::{self, Settings};
use crate::sidecar;

use self::settings::Options;
pub use self::target::Target;
#[doc(hidden)]
pub use crate::sidecar::{Arguments, early};

/// All that lives from one call to the next.
struct State {
    options: Options,
    workspace: Workspace,
    text: Vec<u8>,
    scratch: Scratch,
    started: bool,
}

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);

/// libFuzzer's default of 255 keeps nearly every feature of a large program in a list that it searches from end to end, for
/// most of its time; with 1 the list is about a hundred long (FuzzerCorpus.h, `AddRareFeature`).
const ENTROPIC: &CStr = c"-entropic_feature_frequency_threshold=1";

/// The start of the process: reads the settings and the grammar, makes the sidecar ready, sets what libFuzzer's user left open.
pub fn initialize(target: &'static Target, arguments: Arguments) {
    let options = Options::from_environment().unwrap_or_else(|problem| give_up(&problem));
    let grammar = target.grammar().unwrap_or_else(|problem| give_up(&problem));
    let counters = sidecar::find();
    statistics::start(&options);
    sidecar::keep_valid_only(options.valid_only);
    report_panics();
    let kept = program::counters(counters, &options.cover);
    let valid = sidecar::register(&kept, options.feedback);
    if options.feedback && !valid {
        eprintln!("zester: WARNING: no coverage counters, so validity is counted but does not guide the search");
    }
    if options.valid_only && options.value_profile {
        eprintln!("zester: WARNING: under -merge, compares of invalid inputs count although ZESTER_VALID_ONLY=1");
    }
    eprintln!(
        "INFO: zester: {}: {} symbols; {} counters{}, {} of zester's own left out",
        target.file(),
        grammar.symbols().len(),
        kept.iter().map(ExactSizeIterator::len).sum::<usize>(),
        if valid { " and as many for valid runs" } else { "" },
        counters - kept.iter().map(ExactSizeIterator::len).sum::<usize>(),
    );
    if arguments.set_default(ENTROPIC) {
        eprintln!("INFO: zester: {} (give libFuzzer another value to change it)", ENTROPIC.to_string_lossy());
    }
    let state = State {
        options,
        // Room beforehand: a vector that grows within a run would count as coverage of the program under test.
        workspace: Workspace::with_capacity(1 << 16),
        text: Vec::with_capacity(Caps::default().bytes as usize),
        scratch: Scratch::default(),
        started: false,
    };
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(state));
}

/// A panic ends the run: the sentence that caused it and the figures are told before libFuzzer has its say.
fn report_panics() {
    let next = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        sidecar::print_sentence();
        statistics::finish();
        next(panic);
    }));
}

fn give_up(problem: &str) -> ! {
    eprint!("{problem}");
    std::process::exit(1);
}

/// One run of the program under test; the value is libFuzzer's.
pub fn run(target: &'static Target, bytes: &[u8]) -> i32 {
    let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(state), Ok(grammar)) = (guard.as_deref_mut(), target.grammar()) else { return 0 };
    if !state.started {
        state.started = true;
        if let Some(path) = std::env::var_os("RUST_LIBFUZZER_DEBUG_PATH") {
            write_sentence(grammar, &state.options.settings, bytes, path.as_ref());
            return 0;
        }
        sidecar::watch_signals();
    }
    if state.options.show {
        let sentence = parameters::sentence(grammar, &state.options.settings, bytes);
        eprintln!("zester: the sentence:\n{}", String::from_utf8_lossy(sentence.text()));
    }
    let State { options, workspace, text, scratch, .. } = state;
    let value = sidecar::execute(grammar, &options.settings, bytes, workspace, text, scratch.sentence(bytes), target.body());
    if let Some(file) = &options.statistics {
        if sidecar::due(statistics::INTERVAL) {
            statistics::report(file);
        }
    }
    value
}

/// For `cargo fuzz fmt`, `run` and `tmin`, which show what a file holds.
fn write_sentence(grammar: &Grammar, settings: &Settings, bytes: &[u8], path: &std::path::Path) {
    let mut text = parameters::sentence(grammar, settings, bytes).text().to_vec();
    text.push(b'\n');
    if let Err(error) = std::fs::write(path, text) {
        eprintln!("zester: {}: {error}", path.display());
    }
}

/// `LLVMFuzzerCustomMutator`: changes `data[..size]` to at most `max_size` bytes; the new size.
pub fn mutate(
    target: &'static Target,
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    native: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    let input = data[..size].as_ptr();
    sidecar::mutating(input, size, seed, || {
        with_mutation(target, max_size.min(data.len()), seed, native, |mutation, scratch| {
            let result = mutation.mutate(&data[..size], scratch);
            data[..result.len()].copy_from_slice(result);
            result.len()
        })
    })
}

/// `LLVMFuzzerCustomCrossOver`: one input of two; its size.
pub fn cross_over(
    target: &'static Target,
    first: &[u8],
    second: &[u8],
    out: &mut [u8],
    seed: u32,
    native: fn(&mut [u8], usize, usize) -> usize,
) -> usize {
    sidecar::mutating(first.as_ptr(), first.len(), seed, || {
        with_mutation(target, out.len(), seed, native, |mutation, scratch| {
            let result = mutation.cross_over(first, second, scratch);
            out[..result.len()].copy_from_slice(result);
            result.len()
        })
    })
}

fn with_mutation(
    target: &'static Target,
    max_size: usize,
    seed: u32,
    native: fn(&mut [u8], usize, usize) -> usize,
    work: impl FnOnce(&mut Mutation<'_>, &mut Scratch) -> usize,
) -> usize {
    let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(state), Ok(grammar)) = (guard.as_deref_mut(), target.grammar()) else { return 0 };
    let State { options, scratch, .. } = state;
    let bursts: Bursts = options.bursts;
    let mut native = native;
    let mut mutation = Mutation::new(grammar, &options.settings, bursts, seed, max_size, &mut native);
    work(&mut mutation, scratch)
}

/// Defines a fuzz target whose inputs are sentences of a grammar.
///
/// The path is relative to the file that holds the macro. The body returns [`Validity`](crate::Validity), `bool`, a `Result`
/// (`Ok` is valid) or nothing (unknown).
///
/// ```ignore
/// #![no_main]
/// zester::fuzz_target!(grammar: "../grammars/json.ebnf", |text: &str| {
///     serde_json::from_str::<serde_json::Value>(text)
/// });
/// ```
///
/// With `|bytes: &[u8]|` the grammar may derive any bytes; with `&str` one that can derive other than UTF-8 is refused at start.
#[macro_export]
macro_rules! fuzz_target {
    (grammar: $grammar:literal, |$text:ident: &str| $body:expr) => {
        $crate::fuzz_target!(@define $grammar, true, sentence, {
            let $text: &str = ::core::str::from_utf8(sentence).expect("a grammar of text derives UTF-8");
            $body
        });
    };
    (grammar: $grammar:literal, |$bytes:ident: &[u8]| $body:expr) => {
        $crate::fuzz_target!(@define $grammar, false, sentence, {
            let $bytes: &[u8] = sentence;
            $body
        });
    };
    (@define $grammar:literal, $text:literal, $sentence:ident, $body:expr) => {
        const _: () = {
            static TARGET: $crate::hooks::Target =
                $crate::hooks::Target::new($grammar, include_bytes!($grammar), $text, body);

            #[cfg(target_os = "linux")]
            #[used]
            #[unsafe(link_section = ".init_array.00001")]
            static EARLY: extern "C" fn() = $crate::hooks::early;

            #[inline(never)]
            fn body($sentence: &[u8]) -> $crate::Validity {
                $crate::Validity::from($body)
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn LLVMFuzzerInitialize(argc: *const isize, argv: *const *const *const u8) -> isize {
                $crate::libfuzzer_sys::initialize(argc, argv);
                // SAFETY: libFuzzer calls this once, with its own.
                let arguments = unsafe { $crate::hooks::Arguments::new(argc, argv) };
                $crate::hooks::initialize(&TARGET, arguments);
                0
            }

            #[unsafe(no_mangle)]
            pub extern "C" fn rust_fuzzer_test_input(bytes: &[u8]) -> i32 {
                $crate::hooks::run(&TARGET, bytes)
            }

            $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
                $crate::hooks::mutate(&TARGET, data, size, max_size, seed, $crate::libfuzzer_sys::fuzzer_mutate)
            });

            $crate::libfuzzer_sys::fuzz_crossover!(|first: &[u8], second: &[u8], out: &mut [u8], seed: u32| {
                $crate::hooks::cross_over(&TARGET, first, second, out, seed, $crate::libfuzzer_sys::fuzzer_mutate)
            });
        };
    };
}
