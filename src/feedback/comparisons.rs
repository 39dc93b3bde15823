//! The operands of comparisons in a run.

use std::ffi::c_int;

unsafe extern "C" {
    fn zester_feedback_record_comparisons();
    fn zester_feedback_forget_comparisons();
    fn zester_feedback_comparison_count() -> usize;
    fn zester_feedback_operand(comparison: usize, which: c_int, length: *mut usize) -> *const u8;
}

/// Lets the next run record its comparisons.
pub fn record_comparisons() {
    // SAFETY: no precondition.
    unsafe { zester_feedback_record_comparisons() }
}

/// Forgets the comparisons of the last recorded run.
pub fn forget_comparisons() {
    // SAFETY: no precondition.
    unsafe { zester_feedback_forget_comparisons() }
}

/// Calls a function with the operands of each comparison of the last recorded run. Equal comparisons are
/// recorded once. An operand has at most 40 bytes; a longer one is cut.
pub fn for_each_comparison(mut work: impl FnMut([&[u8]; 2])) {
    // SAFETY: no precondition.
    let count = unsafe { zester_feedback_comparison_count() };
    for comparison in 0..count {
        let operand = |which| {
            let mut length = 0;
            // SAFETY: the number of the comparison must be less than their count, and `length`
            // writable. The result is a part of a static variable, which only a run writes, and no
            // run is in progress.
            unsafe {
                let start = zester_feedback_operand(comparison, which, &raw mut length);
                std::slice::from_raw_parts(start, length)
            }
        };
        work([operand(0), operand(1)]);
    }
}
