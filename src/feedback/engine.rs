//! Arguments that the engine passes to the hooks.

use std::ffi::{CStr, c_char, c_int};
use std::slice::{from_raw_parts, from_raw_parts_mut};

use super::process::while_mutating;

unsafe extern "C" {
    fn zester_feedback_is_libfuzzer() -> c_int;
    fn zester_feedback_flag(
        argc: *const isize,
        argv: *const *const *const u8,
        flag: *const c_char,
    ) -> c_int;
    fn zester_feedback_replace_flag(
        argc: *const isize,
        argv: *const *const *const u8,
        flag: *const c_char,
    ) -> c_int;
    fn zester_feedback_hand_over(first: *const u8, out: *const u8, size: usize);
}

/// Returns whether the engine is libFuzzer, and not another engine with the same interface.
pub fn is_libfuzzer() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_is_libfuzzer() != 0 }
}

/// The arguments of `LLVMFuzzerInitialize`: the addresses of the arguments of `main`.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    argc: *const isize,
    argv: *const *const *const u8,
}

impl Arguments {
    /// Wraps the two pointers.
    ///
    /// # Safety
    /// Both must be null, or those that the engine passed to `LLVMFuzzerInitialize`, which has not
    /// returned yet.
    pub unsafe fn new(argc: *const isize, argv: *const *const *const u8) -> Arguments {
        Arguments { argc, argv }
    }

    /// Adds a flag of libFuzzer, `-name=value`, unless the user passed that flag. Returns whether
    /// it was added.
    pub fn set_default(self, flag: &'static CStr) -> bool {
        // SAFETY: the pointers must be null or valid, which the caller of `new` guarantees. `flag`
        // must live until the process ends, and it is static.
        unsafe { zester_feedback_flag(self.argc, self.argv, flag.as_ptr()) != 0 }
    }

    /// Replaces a flag of libFuzzer by `-name=value` if the user passed the flag with another
    /// value. Returns whether a flag was replaced.
    pub fn replace(self, flag: &'static CStr) -> bool {
        // SAFETY: as for `set_default`.
        unsafe { zester_feedback_replace_flag(self.argc, self.argv, flag.as_ptr()) != 0 }
    }
}

/// The buffers of `LLVMFuzzerCustomCrossOver`: two inputs, and room for the result.
#[derive(Debug)]
pub struct Crossing {
    first: (*const u8, usize),
    second: (*const u8, usize),
    out: (*mut u8, usize),
}

impl Crossing {
    /// Wraps the addresses and sizes of the buffers. A null pointer is an empty input.
    ///
    /// # Safety
    /// As long as the value exists, each input must be null or readable for its size, and `out`
    /// must be writable for its size. `out` must overlap neither input.
    pub unsafe fn new(
        first: (*const u8, usize),
        second: (*const u8, usize),
        out: (*mut u8, usize),
    ) -> Crossing {
        Crossing { first, second, out }
    }

    /// Calls `cross` with the buffers. `cross` writes the result to the third buffer and returns
    /// its size, which `make` returns.
    pub fn make(self, seed: u32, cross: impl FnOnce(&[u8], &[u8], &mut [u8]) -> usize) -> usize {
        // SAFETY: a pointer that is not null must be readable for its size, which the caller of
        // `new` guarantees.
        let bytes = |(data, size): (*const u8, usize)| {
            if data.is_null() {
                &[]
            } else {
                unsafe { from_raw_parts(data, size) }
            }
        };
        let size = while_mutating(self.first.0, self.first.1, seed, || {
            // SAFETY: `out` must be writable for its size and overlap neither input, which the
            // caller of `new` guarantees.
            cross(bytes(self.first), bytes(self.second), unsafe {
                from_raw_parts_mut(self.out.0, self.out.1)
            })
        });
        // SAFETY: the first `size` bytes of `out` must be readable, and `cross` has written them. C
        // writes to `first` only with LibAFL, which gives that buffer as much room as `out`.
        unsafe { zester_feedback_hand_over(self.first.0, self.out.0, size) };
        size
    }
}
