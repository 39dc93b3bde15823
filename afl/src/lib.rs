//! libzester_afl: a custom mutator library for AFL++ with zester's mutators. AFL++ loads it if
//! `AFL_CUSTOM_MUTATOR_LIBRARY` names it.
//!
//! The queue of AFL++ holds sentences as texts, not as parameters. docs/custom_mutators.md in AFL++
//! describes the exported functions.
//!
//! # Guarantees
//!
//! * No panic unwinds into AFL++.
//! * If the grammar or a setting is wrong, afl-fuzz ends at its start with a message and status 1.
//! * AFL++ runs nothing if a mutation has no result within the size limit.
//! * Every call takes a bounded time, even if a text is no sentence or is very ambiguous.

#![allow(unsafe_code)]

mod parse_cache;
mod text_mutator;

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null;
use std::slice::from_raw_parts;

use zester::hooks::fatal;

use self::text_mutator::TextMutator;

/// The state of the mutator. AFL++ passes a pointer to it to every call.
struct State {
    mutator: TextMutator,
    /// The description of the last result, with a zero byte at its end.
    description: Vec<u8>,
}

/// Calls `work` with the state. Returns `otherwise` if `work` panics.
///
/// # Safety
/// `data` must be the pointer that [`afl_custom_init`] returned. No other call may use it at the
/// same time.
unsafe fn with<T>(data: *mut c_void, otherwise: T, work: impl FnOnce(&mut State) -> T) -> T {
    // SAFETY: the caller guarantees that `data` points to a state, and that this is the only
    // reference to it.
    let state = unsafe { &mut *data.cast::<State>() };
    // Every call overwrites the buffers that it reads, so a state that a panic left incomplete is
    // not used.
    catch_unwind(AssertUnwindSafe(|| work(state))).unwrap_or(otherwise)
}

/// Returns a buffer of AFL++ as a slice. The slice is empty if the pointer is null.
///
/// # Safety
/// `data` must be null or point to `size` bytes that live as long as the slice.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: the caller guarantees that a pointer which is not null points to `size` bytes.
    if data.is_null() {
        &[]
    } else {
        unsafe { from_raw_parts(data, size) }
    }
}

/// Sets `out` to a text and returns the length of the text. The text must live until the next call
/// of AFL++.
///
/// # Safety
/// `out` must point to a variable that can be written.
unsafe fn give(text: &[u8], out: *mut *const u8) -> usize {
    // SAFETY: the caller guarantees that `out` can be written.
    unsafe { *out = text.as_ptr() };
    text.len()
}

/// Makes a mutator and returns a pointer to its state. Ends the process if the grammar or a setting
/// is wrong.
#[unsafe(no_mangle)]
extern "C" fn afl_custom_init(_afl: *mut c_void, seed: c_uint) -> *mut c_void {
    let made = catch_unwind(|| TextMutator::from_environment(seed.into()));
    let made = made.unwrap_or_else(|_| Err("zester: cannot start\n".into()));
    let mutator = made.unwrap_or_else(|problem| fatal(&problem));
    Box::into_raw(Box::new(State {
        mutator,
        description: Vec::new(),
    }))
    .cast()
}

/// Frees the state.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_deinit(data: *mut c_void) {
    // SAFETY: `afl_custom_init` made `data` with `Box::into_raw`, and AFL++ does not use it after
    // this call.
    drop(unsafe { Box::from_raw(data.cast::<State>()) });
}

/// Mutates a text and returns the size of the result. If the size is 0, AFL++ runs nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_fuzz(
    data: *mut c_void,
    text: *const u8,
    size: usize,
    out: *mut *const u8,
    other: *const u8,
    other_size: usize,
    max: usize,
) -> usize {
    // SAFETY: AFL++ passes its state, two buffers with their sizes, and a variable for the result.
    unsafe {
        with(data, 0, |state| {
            give(
                state
                    .mutator
                    .mutate(bytes(text, size), bytes(other, other_size), max),
                out,
            )
        })
    }
}

/// Returns a description of the last mutation, such as `op:zester-splice`. AFL++ adds it to the
/// name of the file in its queue.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_describe(data: *mut c_void, max: usize) -> *const c_char {
    let describe = |state: &mut State| {
        let State {
            mutator,
            description,
        } = state;
        description.clear();
        description.extend_from_slice(b"op:zester-");
        description.extend_from_slice(mutator.last_operator().unwrap_or("crossover").as_bytes());
        description.truncate(max);
        description.push(0);
        description.as_ptr().cast()
    };
    // SAFETY: AFL++ passes its state. The string lives until the next call.
    unsafe { with(data, null(), describe) }
}

/// Records that AFL++ added a file to its queue. Returns 0, because the file was not changed.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_queue_new_entry(
    data: *mut c_void,
    file: *const c_char,
    _origin: *const c_char,
) -> u8 {
    let learn = |state: &mut State| {
        // SAFETY: AFL++ passes a string that ends with a zero byte and lives during this call.
        let path = Path::new(OsStr::from_bytes(
            unsafe { CStr::from_ptr(file) }.to_bytes(),
        ));
        // A file that cannot be read is ignored.
        if let Ok(text) = std::fs::read(path) {
            state.mutator.queued(&text);
        }
        0
    };
    // SAFETY: AFL++ passes its state.
    unsafe { with(data, 0, learn) }
}

/// Begins to trim a text. Returns the maximum number of steps.
///
/// Without this function and the next two, AFL++ would remove arbitrary ranges of bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_init_trim(
    data: *mut c_void,
    text: *const u8,
    size: usize,
) -> c_int {
    // SAFETY: AFL++ passes its state, and a buffer with its size.
    unsafe {
        with(data, 0, |state| {
            state.mutator.begin_trim(bytes(text, size)) as c_int
        })
    }
}

/// Makes a step of the trimming. Returns the size of a shorter text, or 0 if none was found.
///
/// `out` never becomes null, because AFL++ aborts on a null pointer.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_trim(data: *mut c_void, out: *mut *const u8) -> usize {
    // SAFETY: AFL++ passes its state and a variable for the result.
    unsafe {
        give(&[], out);
        with(data, 0, |state| give(state.mutator.trimmed(), out))
    }
}

/// Ends a step of the trimming. `as_good` is not 0 if the shorter text covers the same edges.
/// Returns the number of the next step.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_post_trim(data: *mut c_void, as_good: u8) -> c_int {
    // SAFETY: AFL++ passes its state.
    unsafe {
        with(data, c_int::MAX, |state| {
            state.mutator.end_trim_step(as_good != 0) as c_int
        })
    }
}

#[cfg(test)]
mod tests;
