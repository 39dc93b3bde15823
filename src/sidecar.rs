//! The boundary to C: coverage counters and validity. The only unsafe, but for the symbol names of `uninstrumented`.
//!
//! What holds: code of zester never counts as coverage of the program under test. The hot paths are not instrumented (see
//! `uninstrumented`), and libFuzzer does not see the counters of the rest. Off ELF everything works except validity as
//! coverage, and [`register`] says so.

#![allow(unsafe_code)]

mod hidden;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::path::Path;
use std::slice::{from_raw_parts, from_raw_parts_mut};

pub use self::hidden::{PostProcess, execute, execute_value, refuse};
use crate::validity::{Outcome, Validity};

unsafe extern "C" {
    fn zester_sidecar_find() -> usize;
    fn zester_sidecar_share(path: *const c_char) -> c_int;
    fn zester_sidecar_flag(argc: *const isize, argv: *const *const *const u8, flag: *const c_char) -> c_int;
    fn zester_sidecar_early();
    fn zester_sidecar_pc(counter: usize) -> usize;
    fn zester_sidecar_keep(from: usize, to: usize);
    fn zester_sidecar_register(valid: c_int) -> c_int;
    fn zester_sidecar_is_libfuzzer() -> c_int;
    fn zester_sidecar_is_first() -> c_int;
    fn zester_sidecar_leave();
    fn zester_sidecar_interrupted() -> c_int;
    fn zester_sidecar_keep_valid_only(on: c_int);
    fn zester_sidecar_stack() -> usize;
    fn zester_sidecar_restore_stack(stack: usize);
    fn zester_sidecar_begin();
    fn zester_sidecar_forget();
    fn zester_sidecar_quit(status: c_int) -> !;
    fn zester_sidecar_run_one(data: *const u8, size: usize) -> c_int;
    fn zester_sidecar_kept() -> usize;
    fn zester_sidecar_hits(hits: *mut u32) -> usize;
    fn zester_sidecar_fork() -> c_int;
    fn zester_sidecar_wait(process: c_int) -> c_int;
    fn zester_sidecar_enter(text: *const u8, length: usize) -> *const u8;
    fn zester_sidecar_add_module(counters: *mut u8, pcs: *const c_void, count: usize);
    fn zester_sidecar_end() -> c_int;
    fn zester_sidecar_hand_over(first: *const u8, out: *const u8, size: usize);
    fn zester_sidecar_mutating(input: *const u8, length: usize, seed: c_uint);
    fn zester_sidecar_figures(figures: *mut u64);
    fn zester_sidecar_outcome(valid: *mut c_int, found: *mut c_int) -> usize;
    fn zester_sidecar_add_mutators(figures: *const [u64; 4]);
    fn zester_sidecar_mutators(figures: *mut [u64; 4]);
    fn zester_sidecar_due(interval: u64) -> c_int;
    fn zester_sidecar_watch_signals();
    fn zester_sidecar_print_sentence();
    fn zester_sidecar_at_exit(function: extern "C" fn());
    fn zester_report(validity: c_int);
}

/// Finds the executable's counters; how many.
pub fn find() -> usize {
    // SAFETY: reads addresses that the linker defines.
    unsafe { zester_sidecar_find() }
}

/// The counters of a shared library count, too: where they and their table of addresses are, and how many.
pub fn add_module(counters: usize, pcs: usize, count: usize) {
    // SAFETY: sections of a library that is loaded, says the caller, which read it in its file.
    unsafe { zester_sidecar_add_module(counters as *mut u8, pcs as *const c_void, count) }
}

/// Shares the figures with other processes through a file, or keeps them in memory. Call after [`find`].
pub fn share(path: Option<&Path>) -> bool {
    let path = path.and_then(|path| CString::new(path.as_os_str().as_encoded_bytes()).ok());
    // SAFETY: null or a string that lives until the call returns.
    unsafe { zester_sidecar_share(path.as_ref().map_or(std::ptr::null(), |path| path.as_ptr())) != 0 }
}

/// Sets a variable for the processes that this one will start. Call at the start of the process.
pub fn set_environment(name: &str, value: &Path) {
    // SAFETY: the process has one thread yet; libFuzzer starts its own and its children later.
    unsafe { std::env::set_var(name, value) }
}

/// The address of the code of a counter, if it is known.
pub fn pc(counter: usize) -> Option<usize> {
    // SAFETY: checks the index.
    let pc = unsafe { zester_sidecar_pc(counter) };
    (pc != 0).then_some(pc)
}

/// Where [`pc`] finds a function that the symbol table calls `zester_report`.
pub fn anchor() -> usize {
    zester_report as *const () as usize
}

/// Counts coverage of the program under test in these counters, which are sorted, and in no others.
///
/// With `valid`, registers as many again for valid runs: `false` where they cannot be had.
pub fn register(kept: &[Range<usize>], valid: bool) -> bool {
    for range in kept {
        // SAFETY: ranges within the number that `find` returned.
        unsafe { zester_sidecar_keep(range.start, range.end) };
    }
    // SAFETY: called before the first run, when libFuzzer takes modules.
    unsafe { zester_sidecar_register(valid.into()) != 0 }
}

/// The first of all constructors: see [`crate::fuzz_target`].
pub extern "C" fn early() {
    // SAFETY: nothing else has run yet.
    unsafe { zester_sidecar_early() }
}

/// The addresses of `main`'s arguments, as libFuzzer hands them to `LLVMFuzzerInitialize`.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    argc: *const isize,
    argv: *const *const *const u8,
}

impl Arguments {
    /// # Safety
    /// Both are those that libFuzzer handed over, and it has not gone on yet.
    pub unsafe fn new(argc: *const isize, argv: *const *const *const u8) -> Arguments {
        Arguments { argc, argv }
    }

    /// Adds a flag of libFuzzer's, `-name=value`, unless the user gave that one; whether it was added.
    pub fn set_default(self, flag: &'static CStr) -> bool {
        // SAFETY: libFuzzer's, says `new`; the flag lives for ever.
        unsafe { zester_sidecar_flag(self.argc, self.argv, flag.as_ptr()) != 0 }
    }
}

/// Whether the engine is libFuzzer itself, and not one that is used in its place.
pub fn is_libfuzzer() -> bool {
    // SAFETY: looks whether there is a symbol.
    unsafe { zester_sidecar_is_libfuzzer() != 0 }
}

/// Whether this is the process that began, and not one that was forked from it.
pub fn is_first() -> bool {
    // SAFETY: compares numbers.
    unsafe { zester_sidecar_is_first() != 0 }
}

/// Whether Ctrl-C was pressed, and nobody else does anything about it.
pub fn interrupted() -> bool {
    // SAFETY: reads a number.
    unsafe { zester_sidecar_interrupted() != 0 }
}

/// The engine has its turn: what it should not see is forgotten.
pub fn leave() {
    // SAFETY: writes counters of this process.
    unsafe { zester_sidecar_leave() }
}

/// Whether inputs that are reported invalid are to leave no trace.
pub fn keep_valid_only(on: bool) {
    // SAFETY: sets a number.
    unsafe { zester_sidecar_keep_valid_only(on.into()) }
}

/// Executions, valid, invalid, unknown, bytes of sentences, edges, valid edges, counters, milliseconds; of all processes that
/// share them.
pub fn figures() -> [u64; 9] {
    let mut figures = [0; 9];
    // SAFETY: room for nine numbers.
    unsafe { zester_sidecar_figures(figures.as_mut_ptr()) };
    figures
}

/// How many mutators can be counted.
pub const MUTATORS: usize = 24;

/// Adds to the figures of mutators: tried, changed the sentence, found, kept.
pub fn add_mutators(figures: &[[u64; 4]; MUTATORS]) {
    // SAFETY: reads as many numbers.
    unsafe { zester_sidecar_add_mutators(figures.as_ptr()) };
}

/// The figures of mutators, of all processes that share them.
pub fn mutators() -> [[u64; 4]; MUTATORS] {
    let mut figures = [[0; 4]; MUTATORS];
    // SAFETY: room for as many numbers.
    unsafe { zester_sidecar_mutators(figures.as_mut_ptr()) };
    figures
}

/// What came of the last run.
pub fn outcome() -> Outcome {
    let (mut valid, mut found) = (0, 0);
    // SAFETY: room for both.
    let bytes = unsafe { zester_sidecar_outcome(&raw mut valid, &raw mut found) };
    Outcome { bytes, valid: valid != 0, found: found != 0 }
}

/// Whether it is this process's turn to report, `interval` milliseconds after the last one that did.
pub fn due(interval: u64) -> bool {
    // SAFETY: reads the clock and shared numbers.
    unsafe { zester_sidecar_due(interval) != 0 }
}

/// Prints the sentence of the run that is going on, unless that has been done.
pub fn print_sentence() {
    // SAFETY: the text lives as long as the run.
    unsafe { zester_sidecar_print_sentence() }
}

/// Puts handlers that print the sentence before those that are there.
pub fn watch_signals() {
    // SAFETY: the handlers only write to standard error and go on to those that were there.
    unsafe { zester_sidecar_watch_signals() }
}

/// Prints a problem that is not the program's under test, and ends the process at once with status 1: libFuzzer takes an
/// ordinary exit within a run for a finding.
pub fn give_up(problem: &str) -> ! {
    eprint!("{problem}");
    quit(1)
}

/// Ends the process at once.
pub fn quit(status: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { zester_sidecar_quit(status) }
}

/// Runs the harness, as libFuzzer does; what it reported: 1 valid, -1 invalid, 0 unknown.
pub fn run_one(bytes: &[u8]) -> i8 {
    // SAFETY: the bytes live until it comes back.
    unsafe { zester_sidecar_run_one(bytes.as_ptr(), bytes.len()).clamp(-1, 1) as i8 }
}

/// How many counters are the program's.
pub fn kept() -> usize {
    // SAFETY: reads a number.
    unsafe { zester_sidecar_kept() }
}

/// The counters that the last run hit, in order.
pub fn hits(hits: &mut Vec<u32>) {
    hits.resize(kept(), 0);
    // SAFETY: room for all that are kept.
    let count = unsafe { zester_sidecar_hits(hits.as_mut_ptr()) };
    hits.truncate(count);
}

/// Copies the process: the number of the copy, and 0 in it. Ends the process if that cannot be done.
pub fn fork() -> u32 {
    // SAFETY: libFuzzer has started no thread when it runs its first input.
    let process = unsafe { zester_sidecar_fork() };
    u32::try_from(process).unwrap_or_else(|_| give_up("zester: cannot fork\n"))
}

/// Waits for the end of a process; its status.
pub fn wait(process: u32) -> i32 {
    // SAFETY: waits.
    unsafe { zester_sidecar_wait(process as c_int) }
}

/// What ran until now was not the program under test: its coverage is forgotten.
pub fn forget() {
    // SAFETY: writes counters of this process.
    unsafe { zester_sidecar_forget() }
}

/// Works after a run, before libFuzzer looks at what it covered: the depth of the stack is forgotten.
pub fn aside(work: impl FnOnce()) {
    // SAFETY: reads and writes a number.
    let stack = unsafe { zester_sidecar_stack() };
    work();
    // SAFETY: as above.
    unsafe { zester_sidecar_restore_stack(stack) };
}

/// Runs a function at the normal end of the process.
pub fn at_exit(function: extern "C" fn()) {
    // SAFETY: a function pointer is valid for ever.
    unsafe { zester_sidecar_at_exit(function) }
}

/// Runs a mutator; if it does not come back, what it was doing is printed.
pub fn mutating<T>(input: *const u8, length: usize, seed: u32, mutate: impl FnOnce() -> T) -> T {
    // SAFETY: the pointer is only read while `mutate` runs, when the caller's buffer is there.
    unsafe { zester_sidecar_mutating(input, length, seed) };
    let result = mutate();
    // SAFETY: forgets the pointer.
    unsafe { zester_sidecar_mutating(std::ptr::null(), 0, 0) };
    result
}

/// Two inputs and the room for one, as libFuzzer hands them to `LLVMFuzzerCustomCrossOver`.
#[derive(Debug)]
pub struct Crossing {
    first: (*const u8, usize),
    second: (*const u8, usize),
    out: (*mut u8, usize),
}

impl Crossing {
    /// Addresses and sizes; null stands for an empty input.
    ///
    /// # Safety
    /// All three are there as long as the value is; `out` overlaps neither input.
    pub unsafe fn new(first: (*const u8, usize), second: (*const u8, usize), out: (*mut u8, usize)) -> Crossing {
        Crossing { first, second, out }
    }

    /// Makes the one of the two; its size.
    pub fn make(self, seed: u32, cross: impl FnOnce(&[u8], &[u8], &mut [u8]) -> usize) -> usize {
        // SAFETY: says `new`; null pointers are taken out.
        let bytes = |(data, size): (*const u8, usize)| if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } };
        let size = mutating(self.first.0, self.first.1, seed, || {
            // SAFETY: says `new`.
            cross(bytes(self.first), bytes(self.second), unsafe { from_raw_parts_mut(self.out.0, self.out.1) })
        });
        // SAFETY: the first `size` bytes have been written.
        unsafe { zester_sidecar_hand_over(self.first.0, self.out.0, size) };
        size
    }
}

/// The program under test is about to see this text, or a copy of it that AddressSanitizer guards.
#[inline(always)]
pub fn enter(text: &[u8]) -> &[u8] {
    // SAFETY: the text lives until the run ends, and is forgotten then; a copy is as long, and lives until the next one.
    unsafe { std::slice::from_raw_parts(zester_sidecar_enter(text.as_ptr(), text.len()), text.len()) }
}

/// The program under test is about to see bytes that are no text: there is none to print.
#[inline(always)]
fn enter_bytes(bytes: &[u8]) {
    // SAFETY: a length without a text.
    unsafe { zester_sidecar_enter(std::ptr::null(), bytes.len()) };
}

/// A run begins, with decoding.
#[inline(always)]
pub fn begin() {
    // SAFETY: saves a number.
    unsafe { zester_sidecar_begin() }
}

/// A run has ended: collects what it covered. The value is libFuzzer's.
#[inline(always)]
pub fn end() -> i32 {
    // SAFETY: reads and writes counters of this process.
    unsafe { zester_sidecar_end() }
}

/// What the program under test made of it.
#[inline(always)]
fn report(validity: Validity) {
    let validity = match validity {
        Validity::Valid => 1,
        Validity::Invalid => -1,
        Validity::Unknown => return,
    };
    // SAFETY: sets a number.
    unsafe { zester_report(validity) };
}
