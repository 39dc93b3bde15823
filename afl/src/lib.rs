//! libzester_afl: zester's mutators as AFL++ calls them, in AFL_CUSTOM_MUTATOR_LIBRARY. The queue holds sentences.
//!
//! What holds: nothing unwinds into AFL++; what is wrong with the grammar or a setting ends afl-fuzz at start, with a message and
//! status 1; a text of which nothing can be made is passed over. What the functions are for: docs/custom_mutators.md of AFL++.

#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null;
use std::slice::from_raw_parts;

use zester::hooks::{Sentences, give_up};

/// What AFL++ hands to every call.
struct State {
    sentences: Sentences,
    /// What the last result is called, with a zero at the end.
    description: Vec<u8>,
}

/// The state, in a call that comes back whatever happens.
///
/// # Safety
/// `data` is what [`afl_custom_init`] returned, and nobody else uses it meanwhile.
unsafe fn with<T>(data: *mut c_void, otherwise: T, work: impl FnOnce(&mut State) -> T) -> T {
    // SAFETY: says the caller.
    let state = unsafe { &mut *data.cast::<State>() };
    // Every call begins with what it is given, so a state that was left halfway does no harm.
    catch_unwind(AssertUnwindSafe(|| work(state))).unwrap_or(otherwise)
}

/// The bytes that AFL++ hands over; a null pointer stands for none.
///
/// # Safety
/// `data` is null, or points to `size` bytes that live as long as they are used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } }
}

/// Hands a text back, which lives until the next call; how long it is.
///
/// # Safety
/// `out` is the caller's variable.
unsafe fn hand(text: &[u8], out: *mut *const u8) -> usize {
    unsafe { *out = text.as_ptr() };
    text.len()
}

#[unsafe(no_mangle)]
extern "C" fn afl_custom_init(_afl: *mut c_void, seed: c_uint) -> *mut c_void {
    let made = catch_unwind(|| Sentences::from_environment(seed.into()));
    let made = made.unwrap_or_else(|_| Err("zester: cannot start\n".into()));
    let sentences = made.unwrap_or_else(|problem| give_up(&problem));
    Box::into_raw(Box::new(State { sentences, description: Vec::new() })).cast()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_deinit(data: *mut c_void) {
    // SAFETY: made by `afl_custom_init`; the last call.
    drop(unsafe { Box::from_raw(data.cast::<State>()) });
}

/// 0 is passed over: nothing is run.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_fuzz(
    data: *mut c_void,
    text: *const u8,
    size: usize,
    out: *mut *const u8,
    other: *const u8,
    other_size: usize,
    most: usize,
) -> usize {
    // SAFETY: AFL++'s, handed through.
    unsafe { with(data, 0, |state| hand(state.sentences.mutate(bytes(text, size), bytes(other, other_size), most), out)) }
}

/// A part of the names of files: `op:zester-donate`.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_describe(data: *mut c_void, most: usize) -> *const c_char {
    let describe = |state: &mut State| {
        let State { sentences, description } = state;
        description.clear();
        description.extend_from_slice(b"op:zester-");
        description.extend_from_slice(sentences.maker().unwrap_or("crossover").as_bytes());
        description.truncate(most);
        description.push(0);
        description.as_ptr().cast()
    };
    // SAFETY: AFL++'s; the string lives until the next call.
    unsafe { with(data, null(), describe) }
}

/// A file is in the queue now; it stays as it is.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_queue_new_entry(data: *mut c_void, file: *const c_char, _origin: *const c_char) -> u8 {
    let learn = |state: &mut State| {
        // SAFETY: AFL++'s string.
        let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(file) }.to_bytes()));
        // If it cannot be read, it is not ours.
        if let Ok(text) = std::fs::read(path) {
            state.sentences.kept(&text);
        }
        0
    };
    // SAFETY: AFL++'s.
    unsafe { with(data, 0, learn) }
}

/// How many steps there will be; without these three, AFL++ would cut sentences anywhere.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_init_trim(data: *mut c_void, text: *const u8, size: usize) -> c_int {
    // SAFETY: AFL++'s.
    unsafe { with(data, 0, |state| state.sentences.shorten(bytes(text, size)) as c_int) }
}

/// 0 is a step that fails; the pointer is not null even then, which would end AFL++.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_trim(data: *mut c_void, out: *mut *const u8) -> usize {
    // SAFETY: AFL++'s.
    unsafe {
        hand(&[], out);
        with(data, 0, |state| hand(state.sentences.shorter(), out))
    }
}

/// The number of the next step.
#[unsafe(no_mangle)]
unsafe extern "C" fn afl_custom_post_trim(data: *mut c_void, as_good: u8) -> c_int {
    // SAFETY: AFL++'s.
    unsafe { with(data, c_int::MAX, |state| state.sentences.shortened(as_good != 0) as c_int) }
}

#[cfg(test)]
mod tests;
