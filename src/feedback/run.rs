//! A run of the program under test: its sentence, its reported validity, and its coverage.

use std::ffi::c_int;

use super::layout::{INVALID, UNKNOWN, VALID};
use crate::validity::{RunFeedback, Validity};

unsafe extern "C" {
    fn zester_feedback_set_valid_only(on: c_int);
    fn zester_feedback_stack() -> usize;
    fn zester_feedback_restore_stack(stack: usize);
    fn zester_feedback_begin();
    fn zester_feedback_enter(text: *const u8, length: usize) -> *const u8;
    fn zester_feedback_end() -> c_int;
    fn zester_feedback_count_edited();
    fn zester_feedback_count_replayed();
    fn zester_feedback_exception(hash: u32);
    fn zester_feedback_failed(is_new: c_int, keeps: c_int, is_panic: c_int) -> u32;
    fn zester_feedback_repeats() -> c_int;
    fn zester_feedback_outcome(valid: *mut c_int, found: *mut c_int) -> usize;
    pub(super) fn zester_report(validity: c_int);
    fn zester_feedback_set_wants_reasons(wants: c_int);
    fn zester_wants_reasons() -> c_int;
    fn zester_feedback_set_reason(text: *const u8, length: usize);
    fn zester_feedback_reason(length: *mut usize) -> *const u8;
}

// An exception of a harness in C++ passes through this function.
unsafe extern "C-unwind" {
    fn zester_feedback_run_one(data: *const u8, size: usize) -> c_int;
}

/// Sets whether inputs that are reported invalid leave no coverage, so that libFuzzer keeps none of
/// them.
pub fn set_valid_only(on: bool) {
    // SAFETY: no precondition.
    unsafe { zester_feedback_set_valid_only(on.into()) }
}

/// Begins a run. The input is decoded next.
#[inline(always)]
pub fn begin() {
    // SAFETY: no precondition.
    unsafe { zester_feedback_begin() }
}

/// Records the text that the program under test is about to read. Returns the text, or a copy of it
/// that a sanitizer guards.
#[inline(always)]
pub fn enter(text: &[u8]) -> &[u8] {
    // SAFETY: C reads the text until the end of the run, and the text lives longer. The result must
    // be valid for the length of the text: it is the text itself, or a copy of the same length that
    // lives until the next call.
    unsafe {
        std::slice::from_raw_parts(zester_feedback_enter(text.as_ptr(), text.len()), text.len())
    }
}

/// Records that the program under test is about to read bytes that are no text, so that they are
/// not printed.
#[inline(always)]
pub fn enter_bytes(bytes: &[u8]) {
    // SAFETY: a null pointer is not read.
    unsafe { zester_feedback_enter(std::ptr::null(), bytes.len()) };
}

/// Counts the run that has begun as one of an edited sentence.
#[inline(always)]
pub fn count_edited() {
    // SAFETY: no precondition; the function checks whether there is shared memory.
    unsafe { zester_feedback_count_edited() }
}

/// Counts the run that has ended as one of an input that the engine read from a corpus.
pub fn count_replayed() {
    // SAFETY: no precondition; the function checks whether there is shared memory.
    unsafe { zester_feedback_count_replayed() }
}

/// Records an exception in the run, by a hash of its location.
pub fn exception(hash: u32) {
    // SAFETY: no precondition.
    unsafe { zester_feedback_exception(hash) }
}

/// The kind of a failed run after which the process continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedRun {
    /// It panicked.
    Panicked,
    /// It panicked, and its coverage counts nevertheless.
    PanickedButKept,
    /// An oracle reported a disagreement.
    Disagreed,
}

/// Records that the run in progress has failed and that the process continues. Writes the artifact
/// if `is_new`. Returns the number of runs in a row that panicked before this one, plus 1, or
/// [`None`] outside of a run.
pub fn failed(is_new: bool, run: FailedRun) -> Option<u32> {
    let keeps = run == FailedRun::PanickedButKept;
    let is_panic = run != FailedRun::Disagreed;
    // SAFETY: the input and the text of the run must still exist. They do, because C keeps their
    // addresses only until `end`.
    let runs = unsafe { zester_feedback_failed(is_new.into(), keeps.into(), is_panic.into()) };
    (runs > 0).then_some(runs)
}

/// Returns whether the run that has just ended took so long that it should be repeated, to measure
/// its time again.
#[inline(always)]
pub fn repeats() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_repeats() != 0 }
}

/// Reports whether the run was valid.
#[inline(always)]
pub fn report(validity: Validity) {
    let validity = match validity {
        Validity::Valid => VALID,
        Validity::Invalid => INVALID,
        Validity::Unknown => UNKNOWN,
    };
    // An unknown validity does not replace an earlier report by the harness.
    if validity != UNKNOWN {
        // SAFETY: no precondition.
        unsafe { zester_report(validity) };
    }
}

/// Sets whether the program under test should report why it rejects inputs.
pub fn set_wants_reasons(wants: bool) {
    // SAFETY: no precondition.
    unsafe { zester_feedback_set_wants_reasons(wants.into()) }
}

/// Returns whether the program under test should report why it rejects inputs.
#[inline(always)]
pub fn wants_reasons() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_wants_reasons() != 0 }
}

/// Records the reason for which the program under test rejected the input. Does nothing unless
/// [`wants_reasons`].
pub fn set_reason(reason: &str) {
    // SAFETY: the bytes must be readable until the call returns, which holds for a slice.
    unsafe { zester_feedback_set_reason(reason.as_ptr(), reason.len()) }
}

/// Returns the reason that the last run reported. It is empty if there is none.
pub fn reason() -> String {
    let mut length = 0;
    // SAFETY: `length` must be writable until the call returns. The result must be valid for
    // `length` bytes that nobody writes: it is a part of a static variable, which only a run
    // writes, and no run is in progress.
    let bytes = unsafe {
        let start = zester_feedback_reason(&raw mut length);
        std::slice::from_raw_parts(start, length)
    };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Ends a run, and collects its coverage. Returns the value that `LLVMFuzzerTestOneInput` returns.
#[inline(always)]
pub fn end() -> i32 {
    // SAFETY: the modules must be in memory. Those that `find` and `add_module` added stay there
    // until the process ends.
    unsafe { zester_feedback_end() }
}

/// Returns the outcome of the last run.
pub fn outcome() -> RunFeedback {
    let (mut valid, mut found) = (0, 0);
    // SAFETY: both variables must be writable until the call returns, and they are.
    let bytes = unsafe { zester_feedback_outcome(&raw mut valid, &raw mut found) };
    RunFeedback {
        bytes,
        valid: valid != 0,
        found: found != 0,
        time: None,
    }
}

/// Runs the harness as libFuzzer does, and returns the reported validity: 1 for valid, -1 for
/// invalid, 0 for unknown.
pub fn run_one(bytes: &[u8]) -> i8 {
    // SAFETY: `bytes` must be readable until the call returns, which holds for a slice.
    unsafe { zester_feedback_run_one(bytes.as_ptr(), bytes.len()).clamp(INVALID, VALID) as i8 }
}

/// Calls a function between a run and the time at which the engine reads the coverage of the run.
/// The stack depth that the function needs does not count as that of the program under test.
pub fn without_stack_depth(work: impl FnOnce()) {
    // SAFETY: no precondition.
    let stack = unsafe { zester_feedback_stack() };
    work();
    // SAFETY: no precondition.
    unsafe { zester_feedback_restore_stack(stack) };
}
