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
//! | `ZESTER_MUTATORS=name,…` | mutate by no other mutators than these of [`MUTATORS`](crate::mutate::MUTATORS) | all |
//! | `ZESTER_COVER=crate,…` | count coverage of crates that zester uses itself: they are what is tested | none |
//! | `ZESTER_SEEDS=DIR` | write the parameters of the texts in this directory to the corpus before libFuzzer reads it | none |
//! | `ZESTER_TEXT=1` | inputs are sentences as they are, not parameters; nothing is decoded | 0 |
//! | `ZESTER_WEIGHTS=FILE` | write what is new by the weights that `zester learn` wrote | none |
//! | `ZESTER_MIX=m:n:o` | shares of the weights, their inverse, and neither, in what is new | `1:0:1` |
//! | `ZESTER_DECODE=DIR`, `-` | run nothing; write what the inputs decode to into this directory, or to standard output | none |
//! | `ZESTER_SCHEDULE=adaptive`, `fixed` | whether mutators are taken more often while they pay | `adaptive` |
//! | `ZESTER_PAST_END=simplest`, `random` | what choices past the end of an input are | `simplest` |

mod decode;
mod elf;
#[cfg(any(feature = "libfuzzer", feature = "libafl"))]
mod fuzz_target;
mod libraries;
mod parsed;
mod program;
mod seeds;
mod sentences;
mod serve;
mod settings;
mod statistics;
mod target;
mod text;
mod values;
#[cfg_attr(not(feature = "subject"), allow(dead_code))]
pub(crate) mod wire;

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use crate::bounds::Caps;
use crate::corpus;
use crate::derive::Workspace;
use crate::grammar::Grammar;
use crate::mutate::{Experience, Mutation, Scratch};
use crate::parameters;
use crate::sidecar;

pub use self::sentences::Sentences;
use self::settings::Options;
pub use self::settings::{named_grammar, setting};
use self::target::Input;
pub use self::target::Target;
#[doc(hidden)]
pub use self::target::{make, post_process_text, show, value};
use self::values::Values;
#[doc(hidden)]
pub use crate::sidecar::{Arguments, Crossing, early, give_up};

/// Mutations whose figures are told to the sidecar at once.
const TOLD: u32 = 64;

/// All that lives from one call to the next.
struct State {
    options: Options,
    /// The most bytes of a mutant; libFuzzer sees to that itself.
    most: usize,
    workspace: Workspace,
    text: Vec<u8>,
    scratch: Scratch,
    experience: Experience,
    values: Values,
    /// Whether there was a mutation: until then, what is run are seeds.
    mutated: bool,
    /// Mutations since their figures were told to the sidecar.
    untold: u32,
    started: bool,
    /// Whether what inputs decode to is printed before they are run.
    shows: bool,
    /// The input of a run that the caller has begun and not ended.
    open: Option<Vec<u8>>,
    /// Room for the next one.
    spare: Vec<u8>,
}

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);

/// libFuzzer's `-max_len` where there is no corpus (FuzzerDriver.cpp), for engines that do not know it.
const MAX_LEN: usize = 4096;

/// The status of a process that Ctrl-C ends, as shells have it.
const INTERRUPTED: i32 = 130;

/// Flags of libFuzzer's that have other defaults here.
///
/// Its 255 keeps nearly every feature of a large program in a list that it searches from end to end, for most of its time;
/// with 1 the list is about a hundred long (FuzzerCorpus.h, `AddRareFeature`). Its choice of what to mutate is blind to time,
/// and a sentence that runs for a second has children that do (`UpdateEnergy`).
const DEFAULTS: [&CStr; 2] = [c"-entropic_feature_frequency_threshold=1", c"-entropic_scale_per_exec_time=1"];

/// The start of the process: reads the settings and the grammar, makes the sidecar ready, sets what libFuzzer's user left open.
pub fn initialize(target: &'static Target, arguments: Arguments) {
    let options = Options::from_environment().unwrap_or_else(|problem| sidecar::give_up(&problem));
    let grammar = target.check().unwrap_or_else(|problem| sidecar::give_up(&problem));
    if options.texts {
        target.check_texts(&options).unwrap_or_else(|problem| sidecar::give_up(&problem));
        text::give(true);
    }
    if let Some(to) = &options.decode {
        decode::decode(target, &options, to).unwrap_or_else(|problem| sidecar::give_up(&problem));
        std::process::exit(0);
    }
    let experience = options.experience(grammar).unwrap_or_else(|problem| sidecar::give_up(&problem));
    let counters = sidecar::find();
    let libraries = libraries::add();
    let is_first = !options.serve && statistics::start(&options);
    if let (Some(grammar), true) = (grammar, is_first && !options.texts) {
        look_at_corpora(grammar, &options);
        seeds::import(target, grammar, &options).unwrap_or_else(|problem| sidecar::give_up(&problem));
    }
    let mut scratch = Scratch::default();
    if let Some(grammar) = grammar {
        let mix = target.mix(grammar, &options).unwrap_or_else(|problem| sidecar::give_up(&problem));
        mix.into_iter().for_each(|mix| scratch.write_by(mix));
    }
    sidecar::keep_valid_only(options.valid_only);
    if options.serve {
        sidecar::share(None);
        serve::ask();
    } else {
        report_panics();
    }
    let kept = program::counters(counters, &options.cover);
    let valid = sidecar::register(&kept, options.feedback);
    if options.feedback && !valid {
        eprintln!("zester: WARNING: no coverage counters, so validity is counted but does not guide the search");
    }
    if options.valid_only && options.value_profile {
        eprintln!("zester: WARNING: under -merge, compares of invalid inputs count although ZESTER_VALID_ONLY=1");
    }
    let (all, kept) = (counters, kept.iter().map(ExactSizeIterator::len).sum::<usize>());
    eprintln!(
        "INFO: zester: {}{}; {}{} counters{}{}{}",
        target.name(),
        grammar.map_or(String::new(), |grammar| format!(": {} symbols", grammar.symbols().len())),
        if options.texts { "inputs are text; " } else { "" },
        sidecar::kept(),
        if libraries.is_empty() { String::new() } else { format!(" ({kept} here, others in {})", libraries.join(", ")) },
        if valid { " and as many for valid runs" } else { "" },
        if kept < all { format!(", {} of zester's own left out", all - kept) } else { String::new() },
    );
    for flag in DEFAULTS.into_iter().filter(|flag| arguments.set_default(flag)) {
        eprintln!("INFO: zester: {} (give libFuzzer another value to change it)", flag.to_string_lossy());
    }
    let most = if sidecar::is_libfuzzer() { usize::MAX } else { options.max_len.unwrap_or(MAX_LEN) };
    let state = State {
        options,
        most,
        // Room beforehand: a vector that grows within a run would count as coverage of the program under test.
        workspace: Workspace::with_capacity(1 << 16),
        text: Vec::with_capacity(Caps::default().bytes as usize),
        scratch,
        experience,
        values: Values::default(),
        mutated: false,
        untold: 0,
        started: false,
        shows: false,
        open: None,
        spare: Vec::new(),
    };
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(state));
}

/// Warns of corpora that another grammar wrote, and says in the one that is written to which grammar does.
fn look_at_corpora(grammar: &Grammar, options: &Options) {
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
        eprintln!("zester: WARNING: {}: cannot say in it which grammar writes it: {error}", first.display());
    }
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

/// One run of the program under test; the value is libFuzzer's.
pub fn run(target: &'static Target, bytes: &[u8]) -> i32 {
    serve::begin();
    let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(state) = guard.as_deref_mut() else { return 0 };
    if !state.prepare(target, bytes) {
        return 0;
    }
    let State { options, workspace, text, scratch, .. } = state;
    let value = match (target.input(), target.grammar()) {
        (Input::Sentence { .. }, _) if text::given() && !target.takes(bytes) => sidecar::refuse(bytes),
        (Input::Sentence { post_process, body, .. }, Some(grammar)) => {
            let known = if text::given() { Some(bytes) } else { scratch.sentence(bytes) };
            sidecar::execute(grammar, &options.settings, bytes, workspace, text, known, *post_process, *body)
        }
        (Input::Value { body, .. }, _) => sidecar::execute_value(bytes, *body),
        (Input::Sentence { .. }, None) => 0,
    };
    state.look_back(target, bytes);
    sidecar::leave();
    value
}

/// A run begins in which the caller sees to the program under test: where the sentence is, until the next call, and how long.
/// A report ends it, or [`end`], or whatever is called next.
pub fn begin(target: &'static Target, bytes: &[u8]) -> (*const u8, usize) {
    serve::begin();
    let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let (Some(state), Some(grammar)) = (guard.as_deref_mut(), target.grammar()) else { return (std::ptr::null(), 0) };
    state.end(target);
    state.prepare(target, bytes);
    let mut input = std::mem::take(&mut state.spare);
    input.clear();
    input.extend_from_slice(bytes);
    state.open = Some(input);
    sidecar::begin();
    let State { options, workspace, text, scratch, .. } = state;
    let sentence = match scratch.sentence(bytes) {
        _ if text::given() => bytes,
        Some(known) => known,
        None => {
            parameters::decode_text(grammar, &options.settings, bytes, workspace, text);
            text
        }
    };
    let sentence = sidecar::enter(sentence);
    (sentence.as_ptr(), sentence.len())
}

/// The run that [`begin`] began has ended, if it has not already.
pub fn end(target: &'static Target) {
    let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    guard.iter_mut().for_each(|state| state.end(target));
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
    if text::given() {
        return native(data, size, max_size);
    }
    let input = data[..size].as_ptr();
    sidecar::mutating(input, size, seed, || {
        let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(state) = guard.as_deref_mut() else { return 0 };
        let result = state.mutant(target, &data[..size], None, max_size.min(data.len()), seed, native);
        data[..result.len()].copy_from_slice(result);
        result.len()
    })
}

/// `LLVMFuzzerCustomCrossOver`: one input of two; its size.
pub fn cross_over(target: &'static Target, crossing: Crossing, seed: u32, native: fn(&mut [u8], usize, usize) -> usize) -> usize {
    crossing.make(seed, |first, second, out| {
        if text::given() {
            let size = first.len().min(out.len());
            out[..size].copy_from_slice(&first[..size]);
            return native(out, size, out.len());
        }
        let mut guard = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(state) = guard.as_deref_mut() else { return 0 };
        let result = state.mutant(target, first, Some(second), out.len(), seed, native);
        out[..result.len()].copy_from_slice(result);
        result.len()
    })
}

impl State {
    /// Before a run: whether there is to be one.
    fn prepare(&mut self, target: &'static Target, bytes: &[u8]) -> bool {
        if !self.started {
            self.started = true;
            if let Some(path) = std::env::var_os("RUST_LIBFUZZER_DEBUG_PATH") {
                decode::write(target, &self.options, bytes, path.as_ref());
                return false;
            }
            if self.options.serve {
                return true;
            }
            sidecar::watch_signals();
            self.shows = self.options.shows();
        }
        if sidecar::interrupted() {
            std::process::exit(INTERRUPTED);
        }
        if self.shows {
            let text = target.show(&self.options.settings, bytes);
            eprintln!("zester: the {}:\n{}", target.noun(), String::from_utf8_lossy(&text));
        }
        true
    }

    /// After a run: learns from it.
    fn look_back(&mut self, target: &'static Target, bytes: &[u8]) {
        if self.options.serve {
            return;
        }
        let State { options, scratch, experience, mutated, .. } = self;
        sidecar::aside(|| {
            experience.ran(bytes, sidecar::outcome());
            if !*mutated && !text::given() {
                let mut native = |_: &mut [u8], size: usize, _: usize| size;
                Mutation::new(target.grammar(), &options.settings, experience, 0, 0, &mut native).learn(bytes, scratch);
            }
            if let Some(file) = options.statistics.as_ref().filter(|_| sidecar::due(statistics::INTERVAL)) {
                statistics::report(file);
            }
        });
    }

    /// The end of a run that the caller began.
    fn end(&mut self, target: &'static Target) {
        if let Some(input) = self.open.take() {
            sidecar::end();
            self.look_back(target, &input);
            self.spare = input;
        }
    }

    /// What becomes of an input, by itself or with another one.
    fn mutant(
        &mut self,
        target: &'static Target,
        first: &[u8],
        second: Option<&[u8]>,
        max_size: usize,
        seed: u32,
        mut native: fn(&mut [u8], usize, usize) -> usize,
    ) -> &[u8] {
        self.end(target);
        let State { options, scratch, experience, values, mutated, untold, .. } = self;
        let max_size = max_size.min(self.most);
        *mutated = true;
        *untold += 1;
        if *untold == TOLD {
            *untold = 0;
            sidecar::add_mutators(&experience.take_figures());
        }
        if let Input::Value { make, .. } = target.input() {
            let mutators = options.mutators.as_deref();
            if let Some(result) = values.mutate(*make, mutators, first, max_size, seed, &mut native) {
                return result;
            }
        }
        let mut mutation = Mutation::new(target.grammar(), &options.settings, experience, seed, max_size, &mut native);
        mutation.learn(first, scratch);
        match second {
            None => mutation.mutate(first, scratch),
            Some(second) => mutation.cross_over(first, second, scratch),
        }
    }
}
