//! libzester: zester's hooks for libFuzzer harnesses in C and C++. What they see is `zester.h`; here is what is behind it.
//!
//! What holds: any order of calls works, as the first one of all makes zester ready; nothing unwinds into C; nothing here is
//! instrumented, so nothing of it counts as coverage.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};

use hooks::Validity;
use hooks::hooks::{self as zester, Arguments, Crossing, Target};
use hooks::language::Source;

unsafe extern "C" {
    fn zester_entry_grammar(name: *mut *const c_char, text: *mut *const u8, size: *mut usize) -> c_int;
    fn zester_entry_mutate(data: *mut u8, size: usize, max_size: usize) -> usize;
    fn zester_entry_run(text: *const u8, length: usize) -> c_int;
    fn zester_entry_validity(text: *const u8, length: usize, result: c_int) -> c_int;
}

static TARGET: OnceLock<Target> = OnceLock::new();

/// What a wrapped harness returns for what is valid, if that says so.
static VALID_RESULT: OnceLock<Option<c_int>> = OnceLock::new();

/// What the wrapped harness returned last.
static RESULT: AtomicI32 = AtomicI32::new(0);

/// The target; the first call makes zester ready.
fn target(arguments: impl FnOnce() -> Arguments) -> &'static Target {
    if let Some(target) = TARGET.get() {
        return target;
    }
    let _ = VALID_RESULT.set(valid_result().unwrap_or_else(|problem| zester::give_up(&problem)));
    let source = grammar().unwrap_or_else(|problem| zester::give_up(&problem));
    let target = TARGET.get_or_init(|| Target::sentence(source, false, run));
    zester::initialize(target, arguments());
    target
}

/// The same, in a call that has no arguments of `main` to hand on.
fn ready() -> &'static Target {
    // SAFETY: null pointers, which nobody follows.
    target(|| unsafe { Arguments::new(std::ptr::null(), std::ptr::null()) })
}

/// The grammar of a file that the user names, or the one that is linked. It is read once and lives as long as the process.
fn grammar() -> Result<&'static Source, String> {
    if let Some(source) = zester::named_grammar()? {
        return Ok(source);
    }
    let (mut name, mut text, mut size) = (std::ptr::null(), std::ptr::null(), 0);
    // SAFETY: room for all three; what they point to is linked and constant.
    let (name, text): (String, &'static [u8]) = unsafe {
        if zester_entry_grammar(&raw mut name, &raw mut text, &raw mut size) == 0 {
            return Err("zester: no grammar; name one by --zester_grammar=FILE or ZESTER_GRAMMAR=FILE, or link what \
                        `zester embed GRAMMAR -o grammar.c` writes\n"
                .into());
        }
        (CStr::from_ptr(name).to_string_lossy().into_owned(), from_raw_parts(text, size))
    };
    Ok(Box::leak(Box::new(Source::new(name.leak(), text))))
}

fn valid_result() -> Result<Option<c_int>, String> {
    let Some(text) = zester::setting("ZESTER_VALID_RESULT") else { return Ok(None) };
    let number = text.to_str().and_then(|text| text.parse().ok());
    let problem = || format!("zester: ZESTER_VALID_RESULT={}: expected a whole number\n", text.to_string_lossy());
    number.map(Some).ok_or_else(problem)
}

/// Runs the wrapped harness with a sentence.
fn run(text: &[u8]) -> Validity {
    // SAFETY: the text lives as long as the run; the harness is the user's.
    let result = unsafe { zester_entry_run(text.as_ptr(), text.len()) };
    if let Some(&Some(valid)) = VALID_RESULT.get() {
        return (result == valid).into();
    }
    // SAFETY: as above.
    match unsafe { zester_entry_validity(text.as_ptr(), text.len(), result) } {
        2 => RESULT.store(result, Ordering::Relaxed),
        0 => {}
        validity => return (validity > 0).into(),
    }
    Validity::Unknown
}

#[unsafe(no_mangle)]
extern "C" fn zester_c_end() {
    TARGET.get().into_iter().for_each(zester::end);
}

/// The bytes that C hands over; a null pointer stands for none.
///
/// # Safety
/// `data` is null, or points to `size` bytes that live as long as they are used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } }
}

#[unsafe(no_mangle)]
extern "C" fn zester_c_initialize(argc: *const isize, argv: *const *const *const u8) {
    // SAFETY: libFuzzer's, or null.
    target(|| unsafe { Arguments::new(argc, argv) });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_decode(data: *const u8, size: usize, length: *mut usize) -> *const u8 {
    // SAFETY: libFuzzer's, handed through.
    let (text, count) = zester::begin(ready(), unsafe { bytes(data, size) });
    // SAFETY: the caller's variable.
    unsafe { *length = count };
    text
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_run(data: *const u8, size: usize) -> c_int {
    RESULT.store(0, Ordering::Relaxed);
    // SAFETY: libFuzzer's.
    let value = zester::run(ready(), unsafe { bytes(data, size) });
    // Where the harness's result does not tell what is valid, it is meant for libFuzzer.
    if value != 0 { value } else { RESULT.load(Ordering::Relaxed) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn zester_c_mutate(data: *mut u8, size: usize, max_size: usize, seed: c_uint) -> usize {
    // SAFETY: libFuzzer's; the buffer has room for the larger of both.
    let data = unsafe { from_raw_parts_mut(data, size.max(max_size)) };
    zester::mutate(ready(), data, size, max_size, seed, native)
}

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
    // SAFETY: libFuzzer's; the output overlaps neither input.
    let crossing = unsafe { Crossing::new((first, first_size), (second, second_size), (out, max_size)) };
    zester::cross_over(ready(), crossing, seed, native)
}

fn native(data: &mut [u8], size: usize, max_size: usize) -> usize {
    // SAFETY: the buffer is as long as the larger of both.
    unsafe { zester_entry_mutate(data.as_mut_ptr(), size, max_size.min(data.len())) }
}
