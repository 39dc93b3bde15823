//! The coverage counters of the program under test.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use super::run::zester_report;

unsafe extern "C" {
    fn zester_feedback_find() -> usize;
    fn zester_feedback_add_module(counters: *mut u8, pcs: *const c_void, count: usize);
    fn zester_feedback_pc(counter: usize) -> usize;
    fn zester_feedback_add_range(from: usize, to: usize);
    fn zester_feedback_register(valid: c_int, goals: c_int) -> c_int;
    fn zester_feedback_early();
    fn zester_feedback_counter_count() -> usize;
    fn zester_feedback_hits(hits: *mut u32) -> usize;
    fn zester_feedback_clear_counters();
    fn zester_feedback_clear_other_counters();
}

/// Finds the counters of the executable, and returns their number.
pub fn find() -> usize {
    // SAFETY: no precondition; it reads addresses that the linker defines.
    unsafe { zester_feedback_find() }
}

/// Adds the counters of a shared library to those of the program under test.
///
/// # Safety
/// Until the process ends, `counters` must be the address of `count` writable bytes, and `pcs` the
/// address of `count` readable entries of 16 bytes.
pub unsafe fn add_module(counters: usize, pcs: usize, count: usize) {
    // SAFETY: the C function has the same requirements, which the caller guarantees.
    unsafe { zester_feedback_add_module(counters as *mut u8, pcs as *const c_void, count) }
}

/// Returns the address of the code of a counter, if it is known.
pub fn pc(counter: usize) -> Option<usize> {
    // SAFETY: no precondition; the function checks the index.
    let pc = unsafe { zester_feedback_pc(counter) };
    (pc != 0).then_some(pc)
}

/// Returns the address in memory of the function that the symbol table calls `zester_report`.
pub fn anchor() -> usize {
    zester_report as *const () as usize
}

/// Registers ranges of counters with the engine. The other counters of the executable do not count
/// as coverage. If `valid` is set, registers as many counters again for valid runs. `goals` is a
/// sum of bits in `layout`. Returns whether valid runs are counted.
pub fn register(ranges: &[Range<usize>], valid: bool, goals: i32) -> bool {
    for range in ranges {
        // SAFETY: the ranges must be sorted and below the number that `find` returned. `hooks`
        // computes them from that number.
        unsafe { zester_feedback_add_range(range.start, range.end) };
    }
    // SAFETY: it must be called before the first run, because libFuzzer accepts modules until then.
    // `hooks::initialize` calls it.
    unsafe { zester_feedback_register(valid.into(), goals) != 0 }
}

/// Registers the first counter of the executable. Must run before all constructors of instrumented
/// code, which [`crate::fuzz_target!`] ensures.
pub extern "C" fn early() {
    // SAFETY: no other thread may exist. Constructors run before the program starts threads.
    unsafe { zester_feedback_early() }
}

/// Returns the number of counters of the program under test.
pub fn counter_count() -> usize {
    // SAFETY: no precondition.
    unsafe { zester_feedback_counter_count() }
}

/// Writes the numbers of the counters that are not zero to `hits`, in increasing order.
pub fn hits(hits: &mut Vec<u32>) {
    hits.resize(counter_count(), 0);
    // SAFETY: `hits` must have room for the numbers of all counters of the program under test. It
    // was resized to their number.
    let count = unsafe { zester_feedback_hits(hits.as_mut_ptr()) };
    hits.truncate(count);
}

/// Clears all counters, because they were hit by other code than the program under test.
pub fn clear_counters() {
    // SAFETY: the modules must be in memory. Those that `find` and `add_module` added stay there
    // until the process ends.
    unsafe { zester_feedback_clear_counters() }
}

/// Clears the counters that do not belong to the program under test, if the engine would read them
/// after a run.
pub fn clear_other_counters() {
    // SAFETY: the modules must be in memory. Those that `find` and `add_module` added stay there
    // until the process ends.
    unsafe { zester_feedback_clear_other_counters() }
}
