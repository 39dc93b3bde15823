//! The counters of edges that the compiler inserts (SanitizerCoverage, inline-8bit-counters).

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

static START: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static END: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// The program calls this before `main`, with the same range for each of its parts.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    START.store(start, Relaxed);
    END.store(end, Relaxed);
}

/// C code that clang instruments calls this. The table of addresses is not used.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_pcs_init(_start: *const usize, _end: *const usize) {}

/// Instrumented code calls this before each indirect call.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_indir(_callee: usize) {}

/// Returns the number of counters.
pub fn count() -> usize {
    END.load(Relaxed).addr() - START.load(Relaxed).addr()
}

/// Sets all counters to 0.
pub fn clear() {
    // SAFETY: the program has `count()` bytes of counters there, as long as it lives.
    unsafe { ptr::write_bytes(START.load(Relaxed), 0, count()) }
}

/// Copies all counters to `to`.
///
/// # Safety
///
/// `to` has room for `count()` bytes.
pub unsafe fn copy(to: *mut u8) {
    // SAFETY: the program has `count()` bytes of counters there, and the caller has as many.
    unsafe { ptr::copy_nonoverlapping(START.load(Relaxed), to, count()) }
}
