//! Validity feedback: reports the coverage of valid runs to the engine separately, and prints the
//! sentence when a run ends the process. Most of it is in C.
//!
//! # Guarantees
//!
//! zester's own code does not count as coverage of the program under test. Its hot paths are not
//! instrumented (see `uninstrumented`), and the counters of its other code are not registered with
//! libFuzzer.
//!
//! # Not guaranteed
//!
//! The coverage of valid runs is not reported separately if the program is not an ELF file. Then
//! [`register`] returns `false`.
//!
//! # Files in C
//!
//! There is one file for each concern: `artifact` (texts beside artifacts), `counters`, `comparisons`,
//! `run`, `goals` (features beside coverage), `figures` (statistics), `memory` (shared by processes),
//! `signals`, `checkpoint` and `sanitizers`. There is one for each engine: `libfuzzer`, `afl` and `libafl`.
//! Constants and records that Rust and C share are in `layout`.

#![allow(unsafe_code)]

mod artifact;
mod checkpoint;
mod comparisons;
mod counters;
mod engine;
pub(crate) mod layout;
mod process;
mod run;
mod statistics;

pub use self::artifact::{ArtifactPaths, set_artifacts, set_input};
pub use self::checkpoint::{begin_checkpoints, checkpoint};
pub use self::comparisons::{for_each_comparison, forget_comparisons, record_comparisons};
pub use self::counters::{
    add_module, anchor, clear_counters, clear_other_counters, counter_count, early, find, hits, pc,
    register,
};
pub use self::engine::{Arguments, Crossing, is_libfuzzer};
pub use self::layout::{MUTATOR_COUNTS, Totals};
pub use self::process::{
    at_end, fatal, interrupted, print_sentence, put, quit, set_environment, watch_signals,
    watch_stack, while_mutating,
};
pub use self::run::{
    FailedRun, begin, count_edited, count_replayed, end, enter, enter_bytes, exception, failed,
    outcome, reason, repeats, report, run_one, set_reason, set_valid_only, set_wants_reasons,
    wants_reasons, without_stack_depth,
};
pub use self::statistics::{
    SharedFile, add_mutators, is_first, is_report_due, mutators, runs_and_panics, share,
    shared_numbers, totals,
};
