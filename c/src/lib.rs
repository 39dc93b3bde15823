//! libzester: zester for libFuzzer harnesses in C and C++. Its interface is `zester.h`.
//!
//! # Guarantees
//!
//! * The functions of the interface may be called in any order, because each function that needs the
//!   grammar initializes zester if that has not been done yet.
//! * This library is not instrumented, so it does not count as coverage.
//! * An exception that a wrapped harness in C++ throws passes through this library. So the program
//!   ends as it does without zester: by `std::terminate`, which prints `what()`. For this,
//!   functions that call a harness are `extern "C-unwind"`.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use hooks::Validity;
use hooks::hooks::{self as zester, Arguments, Crossing, MutationCall, Target};
use hooks::language::GrammarSource;

// Functions in entry.c.
unsafe extern "C" {
    fn zester_entry_grammar(
        name: *mut *const c_char,
        text: *mut *const u8,
        size: *mut usize,
    ) -> c_int;
    fn zester_entry_mutate(data: *mut u8, size: usize, max_size: usize) -> usize;
}

unsafe extern "C-unwind" {
    fn zester_entry_run(text: *const u8, length: usize) -> c_int;
    fn zester_entry_validity(text: *const u8, length: usize, result: c_int) -> c_int;
}

/// The fuzz target.
static TARGET: OnceLock<Target> = OnceLock::new();

/// The result of a wrapped harness for valid sentences, or [`None`] if results do not report
/// validity.
static VALID_RESULT: OnceLock<Option<c_int>> = OnceLock::new();

/// The result of the wrapped harness in this run. It is 0 if the harness reports validity by its
/// result or by `zester_validity`.
static RESULT: AtomicI32 = AtomicI32::new(0);

/// Whether the wrapped harness is running.
static WRAPPED_RUN: AtomicBool = AtomicBool::new(false);

/// A guard that records the end of the wrapped harness's run, even if an exception ends it.
struct EndOfWrappedRun;

impl Drop for EndOfWrappedRun {
    fn drop(&mut self) {
        WRAPPED_RUN.store(false, Ordering::Relaxed);
    }
}

/// Returns the target. The first call initializes zester.
fn target(arguments: impl FnOnce() -> Arguments) -> &'static Target {
    if let Some(target) = TARGET.get() {
        return target;
    }
    let _ = VALID_RESULT.set(valid_result().unwrap_or_else(|problem| zester::fatal(&problem)));
    let source = grammar().unwrap_or_else(|problem| zester::fatal(&problem));
    let target = TARGET.get_or_init(|| Target::sentence(source, false, run));
    zester::initialize(target, arguments());
    target
}

/// Returns the target in a function that does not have the arguments of `main`.
fn ready() -> &'static Target {
    // SAFETY: the pointers must be null or valid, and they are null.
    target(|| unsafe { Arguments::new(std::ptr::null(), std::ptr::null()) })
}

/// Returns the grammar in the file that the user names, or the embedded grammar. It lives until the
/// process ends.
///
/// # Errors
/// If there is neither, or if the file cannot be read.
fn grammar() -> Result<&'static GrammarSource, hooks::Error> {
    if let Some(source) = zester::named_grammar()? {
        return Ok(source);
    }
    let (mut name, mut text, mut size) = (std::ptr::null(), std::ptr::null(), 0);
    // SAFETY: the three variables must be writable until the call returns, and they are. If the
    // call returns 1, name and text must be valid until the process ends: they are constants of the
    // program. The name ends with a zero byte, and the text has `size` bytes.
    let (name, text): (String, &'static [u8]) = unsafe {
        if zester_entry_grammar(&raw mut name, &raw mut text, &raw mut size) == 0 {
            return Err("zester: no grammar; name one by --zester_grammar=FILE or ZESTER_GRAMMAR=FILE, or link what \
                        `zester embed GRAMMAR -o grammar.c` writes\n"
                .into());
        }
        (
            CStr::from_ptr(name).to_string_lossy().into_owned(),
            from_raw_parts(text, size),
        )
    };
    Ok(Box::leak(Box::new(GrammarSource::new(name.leak(), text))))
}

/// Returns the value of `ZESTER_VALID_RESULT`.
///
/// # Errors
/// If the value is no whole number.
fn valid_result() -> Result<Option<c_int>, hooks::Error> {
    let Some(text) = zester::setting("ZESTER_VALID_RESULT") else {
        return Ok(None);
    };
    let number = text.to_str().and_then(|text| text.parse().ok());
    let problem = || {
        format!(
            "zester: ZESTER_VALID_RESULT={}: expected a whole number\n",
            text.to_string_lossy()
        )
    };
    Ok(number.map(Some).ok_or_else(problem)?)
}

/// Calls the wrapped harness with a sentence.
fn run(text: &[u8]) -> Validity {
    WRAPPED_RUN.store(true, Ordering::Relaxed);
    let _end = EndOfWrappedRun;
    // SAFETY: the text must be readable until the call returns, which holds for a slice.
    let result = unsafe { zester_entry_run(text.as_ptr(), text.len()) };
    if let Some(&Some(valid)) = VALID_RESULT.get() {
        return (result == valid).into();
    }
    // SAFETY: the text must be readable until the call returns, which holds for a slice.
    match unsafe { zester_entry_validity(text.as_ptr(), text.len(), result) } {
        2 => RESULT.store(result, Ordering::Relaxed),
        0 => {}
        validity => return (validity > 0).into(),
    }
    Validity::Unknown
}

/// Compares two byte strings for an oracle of the harness. Returns whether they are equal.
///
/// # Safety
/// `name` must end with a zero byte. `left` must be null or point to `left_size` bytes, and `right`
/// must be null or point to `right_size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_same(
    name: *const c_char,
    left: *const u8,
    left_size: usize,
    right: *const u8,
    right_size: usize,
) -> c_int {
    // SAFETY: the caller guarantees both, and nothing is kept after this call.
    let (name, left, right) = unsafe {
        (
            CStr::from_ptr(name).to_string_lossy(),
            bytes(left, left_size),
            bytes(right, right_size),
        )
    };
    hooks::oracle::same_bytes(&name, left, right).into()
}

/// Implements `zester_outcome`.
///
/// # Safety
/// `value` must be null or point to `size` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_outcome(value: *const u8, size: usize) {
    // SAFETY: the caller guarantees it, and nothing is kept after this call.
    let value = unsafe { bytes(value, size) };
    hooks::outcome(&String::from_utf8_lossy(value));
}

/// Ends a run after a report.
#[unsafe(no_mangle)]
extern "C" fn zester_c_end() {
    zester::end();
}

/// Returns bytes that C passes as a slice. The slice is empty if the pointer is null.
///
/// # Safety
/// `data` must be null or point to `size` bytes that live and do not change as long as the slice is
/// used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: the caller guarantees that a pointer which is not null points to `size` bytes.
    if data.is_null() {
        &[]
    } else {
        unsafe { from_raw_parts(data, size) }
    }
}

/// Implements `zester_initialize`.
#[unsafe(no_mangle)]
extern "C" fn zester_c_initialize(argc: *const isize, argv: *const *const *const u8) {
    // SAFETY: the pointers must be null, or those that the engine passed to LLVMFuzzerInitialize,
    // which has not returned. A harness passes these pointers, as zester.h requires.
    target(|| unsafe { Arguments::new(argc, argv) });
}

/// Implements `zester_decode`. Returns the address of the sentence, and writes its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_decode(
    data: *const u8,
    size: usize,
    length: *mut usize,
) -> *const u8 {
    if WRAPPED_RUN.load(Ordering::Relaxed) {
        zester::fatal(
            "zester: LLVMFuzzerTestOneInput calls zester_decode, but it is linked with --wrap, so its input is already a sentence; \
             link it without --wrap\n",
        );
    }
    // SAFETY: `data` must point to `size` bytes until this call returns. The caller of
    // zester_decode guarantees it.
    let (text, count) = zester::begin(ready(), unsafe { bytes(data, size) });
    // SAFETY: `length` must be writable. The caller of zester_decode passes the address of a
    // variable.
    unsafe { *length = count };
    text
}

/// Implements `LLVMFuzzerTestOneInput` for a wrapped harness.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn zester_c_run(data: *const u8, size: usize) -> c_int {
    RESULT.store(0, Ordering::Relaxed);
    // SAFETY: `data` must point to `size` bytes until this call returns. The engine guarantees it.
    let value = zester::run(ready(), unsafe { bytes(data, size) });
    // A result of the harness that does not report validity is returned to the engine.
    if value != 0 {
        value
    } else {
        RESULT.load(Ordering::Relaxed)
    }
}

/// Implements `LLVMFuzzerCustomMutator`.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_mutate(
    data: *mut u8,
    size: usize,
    max_size: usize,
    seed: c_uint,
) -> usize {
    // SAFETY: the buffer must have room for the larger of the two sizes, and nobody else may use it
    // until this call returns. The engine guarantees both.
    let data = unsafe { from_raw_parts_mut(data, size.max(max_size)) };
    let call = MutationCall {
        max_size,
        seed,
        native,
    };
    zester::mutate(ready(), data, size, call)
}

/// Implements `LLVMFuzzerCustomCrossOver`.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_cross_over(
    first: *const u8,
    first_size: usize,
    second: *const u8,
    second_size: usize,
    out: *mut u8,
    max_size: usize,
    seed: c_uint,
) -> usize {
    // SAFETY: the buffers must have these sizes, and `out` must overlap neither input. The engine
    // guarantees it until this call returns.
    let crossing =
        unsafe { Crossing::new((first, first_size), (second, second_size), (out, max_size)) };
    zester::cross_over(ready(), crossing, seed, native)
}

/// Calls libFuzzer's own mutator.
fn native(data: &mut [u8], size: usize, max_size: usize) -> usize {
    // SAFETY: the buffer must have room for `size` bytes and for the maximum that is passed. `size`
    // is at most the length of `data`, because it counts the bytes in it, and the maximum is
    // limited to that length.
    unsafe { zester_entry_mutate(data.as_mut_ptr(), size, max_size.min(data.len())) }
}
