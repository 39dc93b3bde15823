//! libzester: zester for libFuzzer harnesses in C and C++. Its interface is `zester.h`.
//!
//! Guarantees: the functions of the interface may be called in any order, because the first call starts zester. Nothing here is
//! instrumented, so nothing of it counts as coverage. An exception that a wrapped harness in C++ throws passes through, so that the
//! program ends as it does without zester: by `std::terminate`, which prints `what()`, at the place of the `throw`.
//!
//! Functions that call a harness, or that a harness calls, are `extern "C-unwind"` for that reason.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use hooks::Validity;
use hooks::hooks::{self as zester, Arguments, Crossing, Target};
use hooks::language::GrammarSource;

// In entry.c.
unsafe extern "C" {
    fn zester_entry_grammar(name: *mut *const c_char, text: *mut *const u8, size: *mut usize) -> c_int;
    fn zester_entry_mutate(data: *mut u8, size: usize, max_size: usize) -> usize;
}

unsafe extern "C-unwind" {
    fn zester_entry_run(text: *const u8, length: usize) -> c_int;
    fn zester_entry_validity(text: *const u8, length: usize, result: c_int) -> c_int;
}

static TARGET: OnceLock<Target> = OnceLock::new();

/// The result by which a wrapped harness says that the sentence was valid; `None` if results do not say that.
static VALID_RESULT: OnceLock<Option<c_int>> = OnceLock::new();

/// The last result of the wrapped harness.
static RESULT: AtomicI32 = AtomicI32::new(0);

/// Whether the wrapped harness is running.
static WRAPPED_RUN: AtomicBool = AtomicBool::new(false);

/// Ends the wrapped harness's run, even if that ends by an exception.
struct EndOfWrappedRun;

impl Drop for EndOfWrappedRun {
    fn drop(&mut self) {
        WRAPPED_RUN.store(false, Ordering::Relaxed);
    }
}

/// The target. The first call starts zester.
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

/// The target, in a function that does not have the arguments of `main`.
fn ready() -> &'static Target {
    // SAFETY: null pointers are allowed.
    target(|| unsafe { Arguments::new(std::ptr::null(), std::ptr::null()) })
}

/// The grammar in the file that the user names, or the embedded one. It lives until the process ends.
fn grammar() -> Result<&'static GrammarSource, String> {
    if let Some(source) = zester::named_grammar()? {
        return Ok(source);
    }
    let (mut name, mut text, mut size) = (std::ptr::null(), std::ptr::null(), 0);
    // SAFETY: the three variables are valid until the call returns. If it returns 1, name and text are constants of the program:
    // the name ends in a zero, and the text has `size` bytes.
    let (name, text): (String, &'static [u8]) = unsafe {
        if zester_entry_grammar(&raw mut name, &raw mut text, &raw mut size) == 0 {
            return Err("zester: no grammar; name one by --zester_grammar=FILE or ZESTER_GRAMMAR=FILE, or link what \
                        `zester embed GRAMMAR -o grammar.c` writes\n"
                .into());
        }
        (CStr::from_ptr(name).to_string_lossy().into_owned(), from_raw_parts(text, size))
    };
    Ok(Box::leak(Box::new(GrammarSource::new(name.leak(), text))))
}

fn valid_result() -> Result<Option<c_int>, String> {
    let Some(text) = zester::setting("ZESTER_VALID_RESULT") else { return Ok(None) };
    let number = text.to_str().and_then(|text| text.parse().ok());
    let problem = || format!("zester: ZESTER_VALID_RESULT={}: expected a whole number\n", text.to_string_lossy());
    number.map(Some).ok_or_else(problem)
}

/// Calls the wrapped harness with a sentence.
fn run(text: &[u8]) -> Validity {
    WRAPPED_RUN.store(true, Ordering::Relaxed);
    let _end = EndOfWrappedRun;
    // SAFETY: the text lives until the call returns.
    let result = unsafe { zester_entry_run(text.as_ptr(), text.len()) };
    if let Some(&Some(valid)) = VALID_RESULT.get() {
        return (result == valid).into();
    }
    // SAFETY: the text lives until the call returns.
    match unsafe { zester_entry_validity(text.as_ptr(), text.len(), result) } {
        2 => RESULT.store(result, Ordering::Relaxed),
        0 => {}
        validity => return (validity > 0).into(),
    }
    Validity::Unknown
}

/// A report has ended a run.
#[unsafe(no_mangle)]
extern "C" fn zester_c_end() {
    zester::end();
}

/// Bytes that C passes. A null pointer stands for no bytes.
///
/// # Safety
/// `data` is null, or points to `size` bytes that live and do not change as long as the result is used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: the caller promises it for pointers that are not null.
    if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } }
}

/// `zester_initialize`.
#[unsafe(no_mangle)]
extern "C" fn zester_c_initialize(argc: *const isize, argv: *const *const *const u8) {
    // SAFETY: null, or what the engine passed to LLVMFuzzerInitialize, which waits for this call.
    target(|| unsafe { Arguments::new(argc, argv) });
}

/// `zester_decode`: returns the address of the sentence, and writes its length.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_decode(data: *const u8, size: usize, length: *mut usize) -> *const u8 {
    if WRAPPED_RUN.load(Ordering::Relaxed) {
        zester::fatal(
            "zester: LLVMFuzzerTestOneInput calls zester_decode, and is linked with --wrap, too, so that its input is a sentence \
             already; link it without --wrap\n",
        );
    }
    // SAFETY: the caller of zester_decode passes `size` bytes that live until it returns.
    let (text, count) = zester::begin(ready(), unsafe { bytes(data, size) });
    // SAFETY: the caller of zester_decode passes the address of its variable.
    unsafe { *length = count };
    text
}

/// `LLVMFuzzerTestOneInput` of a wrapped harness.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn zester_c_run(data: *const u8, size: usize) -> c_int {
    RESULT.store(0, Ordering::Relaxed);
    // SAFETY: the engine passes `size` bytes that live until this returns.
    let value = zester::run(ready(), unsafe { bytes(data, size) });
    // If the harness's result does not say what is valid, it is meant for the engine.
    if value != 0 { value } else { RESULT.load(Ordering::Relaxed) }
}

/// `LLVMFuzzerCustomMutator`.
#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_mutate(data: *mut u8, size: usize, max_size: usize, seed: c_uint) -> usize {
    // SAFETY: the engine passes a buffer that has room for the larger of the two sizes, and does not use it until this returns.
    let data = unsafe { from_raw_parts_mut(data, size.max(max_size)) };
    zester::mutate(ready(), data, size, max_size, seed, native)
}

/// `LLVMFuzzerCustomCrossOver`.
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
    // SAFETY: the engine passes buffers of these sizes, and does not use them until this returns. The output overlaps neither input.
    let crossing = unsafe { Crossing::new((first, first_size), (second, second_size), (out, max_size)) };
    zester::cross_over(ready(), crossing, seed, native)
}

/// libFuzzer's own mutator.
fn native(data: &mut [u8], size: usize, max_size: usize) -> usize {
    // SAFETY: the caller's buffer has room for `size` bytes, and for the maximum that is passed.
    unsafe { zester_entry_mutate(data.as_mut_ptr(), size, max_size.min(data.len())) }
}
