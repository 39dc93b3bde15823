//! libzester_afl: zester's mutators for AFL++, which loads this library if `AFL_CUSTOM_MUTATOR_LIBRARY` names it. The queue of AFL++
//! holds sentences as texts.
//!
//! The functions are those of docs/custom_mutators.md in AFL++.
//!
//! # Guarantees
//!
//! * No panic unwinds into AFL++.
//! * A wrong grammar or a wrong setting ends afl-fuzz at its start, with a message and status 1.
//! * A text from which no sentence can be made is skipped.
//! * Every call takes a bounded time, also with a text that is no sentence or has very many derivations.

#![allow(unsafe_code)]

mod parse_cache;
mod text_mutator;

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null;
use std::slice::from_raw_parts;

use zester::hooks::give_up;

use self::text_mutator::TextMutator;

/// What AFL++ passes to every call.
struct State {
    mutator: TextMutator,
    /// The description of the last result, with a zero byte at its end.
    description: Vec<u8>,
}

/// Calls `work` with the state; returns `otherwise` if that panics.
///
/// # Safety
/// `data` is what [`afl_custom_init`] returned, and no other call uses it at the same time.
unsafe fn with<T>(data: *mut c_void, otherwise: T, work: impl FnOnce(&mut State) -> T) -> T {
    // SAFETY: the caller guarantees that `data` points to a state, and that this is the only reference to it.
    let state = unsafe { &mut *data.cast::<State>() };
    // Every call sets what it reads, so a state that a panic has left half-way does no harm.
    catch_unwind(AssertUnwindSafe(|| work(state))).unwrap_or(otherwise)
}

/// A slice of the bytes that AFL++ passes; a null pointer stands for none.
///
/// # Safety
/// `data` is null, or points to `size` bytes that live as long as they are used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: the caller guarantees that a pointer which is not null points to `size` bytes.
    if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } }
}

/// Gives AFL++ a text, which must live until the next call: its length.
///
/// # Safety
/// `out` is the caller's variable.
unsafe fn give(text: &[u8], out: *mut *const u8) -> usize {
    // SAFETY: the caller guarantees that `out` can be written.
    unsafe { *out = text.as_ptr() };
    text.len()
}

#[unsafe(no_mangle)]
extern "C" fn afl_custom_init(_afl: *mut c_void, seed: c_uint) -> *mut c_void {
    let made = catch_unwind(|| TextMutator::from_environment(seed.into()));
    let made = made.unwrap_or_else(|_| Err("zester: cannot start\n".into()));
    let mutator = made.unwrap_or_else(|problem| give_up(&problem));
    Box::into_raw(Box::new(State { mutator, description: Vec::new() })).cast()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_deinit(data: *mut c_void) {
    // SAFETY: `afl_custom_init` made it as a box, and AFL++ calls nothing with it after this.
    drop(unsafe { Box::from_raw(data.cast::<State>()) });
}

/// Mutates a text: the size of the result. AFL++ runs nothing if it is 0.
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
    unsafe { with(data, 0, |state| give(state.mutator.mutate(bytes(text, size), bytes(other, other_size), max), out)) }
}

/// A part of the name of the file in the queue, such as `op:zester-donate`.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_describe(data: *mut c_void, max: usize) -> *const c_char {
    let describe = |state: &mut State| {
        let State { mutator, description } = state;
        description.clear();
        description.extend_from_slice(b"op:zester-");
        description.extend_from_slice(mutator.maker().unwrap_or("crossover").as_bytes());
        description.truncate(max);
        description.push(0);
        description.as_ptr().cast()
    };
    // SAFETY: AFL++ passes its state. The string lives until the next call.
    unsafe { with(data, null(), describe) }
}

/// AFL++ has added a file to its queue. 0: the file stays as it is.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_queue_new_entry(data: *mut c_void, file: *const c_char, _origin: *const c_char) -> u8 {
    let learn = |state: &mut State| {
        // SAFETY: AFL++ passes a string that ends with a zero byte and lives during this call.
        let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(file) }.to_bytes()));
        // A file that cannot be read is none of the results.
        if let Ok(text) = std::fs::read(path) {
            state.mutator.queued(&text);
        }
        0
    };
    // SAFETY: AFL++ passes its state.
    unsafe { with(data, 0, learn) }
}

/// Begins to trim a text: the number of steps. Without this function and the next two, AFL++ would cut sentences anywhere.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_init_trim(data: *mut c_void, text: *const u8, size: usize) -> c_int {
    // SAFETY: AFL++ passes its state, and a buffer with its size.
    unsafe { with(data, 0, |state| state.mutator.begin_trim(bytes(text, size)) as c_int) }
}

/// A step: the size of a shorter text, or 0 if the step fails. `out` is never null, which would end AFL++.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_trim(data: *mut c_void, out: *mut *const u8) -> usize {
    // SAFETY: AFL++ passes its state and a variable for the result.
    unsafe {
        give(&[], out);
        with(data, 0, |state| give(state.mutator.trimmed(), out))
    }
}

/// Ends a step: the number of the next one.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_post_trim(data: *mut c_void, as_good: u8) -> c_int {
    // SAFETY: AFL++ passes its state.
    unsafe { with(data, c_int::MAX, |state| state.mutator.end_trim_step(as_good != 0) as c_int) }
}

#[cfg(test)]
mod tests;
