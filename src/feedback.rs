//! Validity feedback: coverage of valid runs counts separately, and a report shows the sentence. Most of it is in C.
//!
//! Guarantees: zester's own code does not count as coverage of the program under test. Its hot paths are not instrumented (see
//! `uninstrumented`), and libFuzzer is not given the counters of the rest.
//!
//! Not guaranteed: validity as coverage, where programs are not ELF files; [`register`] returns `false` there.
//!
//! The C half has one file for each concern: `counters`, `run`, `figures` and the `memory` that processes share, `signals`,
//! `sanitizers`; and one for each engine: `libfuzzer`, `afl`, `libafl`. What both halves must agree on is in `layout`.

#![allow(unsafe_code)]

mod layout;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::path::Path;
use std::slice::{from_raw_parts, from_raw_parts_mut};

use self::layout::{INVALID, MUTATOR_FIGURES, UNKNOWN, VALID};
pub use self::layout::{MUTATORS, Totals};
use crate::validity::{RunFeedback, Validity};

/// Figures of one mutator: tried, changed the sentence, found, kept.
type MutatorFigures = [u64; MUTATOR_FIGURES];

unsafe extern "C" {
    fn zester_feedback_find() -> usize;
    fn zester_feedback_add_module(counters: *mut u8, pcs: *const c_void, count: usize);
    fn zester_feedback_pc(counter: usize) -> usize;
    fn zester_feedback_keep(from: usize, to: usize);
    fn zester_feedback_register(valid: c_int) -> c_int;
    fn zester_feedback_kept() -> usize;
    fn zester_feedback_hits(hits: *mut u32) -> usize;
    fn zester_feedback_leave();

    fn zester_feedback_is_libfuzzer() -> c_int;
    fn zester_feedback_early();
    fn zester_feedback_flag(argc: *const isize, argv: *const *const *const u8, flag: *const c_char) -> c_int;
    fn zester_feedback_hand_over(first: *const u8, out: *const u8, size: usize);

    fn zester_feedback_file(directory: *const c_char, size: usize) -> c_int;
    fn zester_feedback_identify(file: c_int, identity: *mut [u64; 2]) -> c_int;
    fn zester_feedback_shared_size() -> usize;
    fn zester_feedback_share(file: c_int) -> c_int;
    fn zester_feedback_is_first() -> c_int;
    fn zester_feedback_totals(totals: *mut Totals);
    fn zester_feedback_add_mutators(figures: *const MutatorFigures);
    fn zester_feedback_mutators(figures: *mut MutatorFigures);
    fn zester_feedback_due(interval: u64) -> c_int;

    fn zester_feedback_keep_valid_only(on: c_int);
    fn zester_feedback_stack() -> usize;
    fn zester_feedback_restore_stack(stack: usize);
    fn zester_feedback_begin();
    fn zester_feedback_forget();
    fn zester_feedback_enter(text: *const u8, length: usize) -> *const u8;
    fn zester_feedback_end() -> c_int;
    fn zester_feedback_outcome(valid: *mut c_int, found: *mut c_int) -> usize;
    fn zester_report(validity: c_int);

    fn zester_feedback_watch_signals();
    fn zester_feedback_interrupted() -> c_int;
    fn zester_feedback_mutating(input: *const u8, length: usize, seed: c_uint);
    fn zester_feedback_print_sentence();
    fn zester_feedback_at_exit(function: extern "C" fn());
    fn zester_feedback_quit(status: c_int) -> !;
}

// An exception of a harness in C++ passes through.
unsafe extern "C-unwind" {
    fn zester_feedback_run_one(data: *const u8, size: usize) -> c_int;
}

/// Finds the counters of the executable, and returns their number.
pub fn find() -> usize {
    // SAFETY: no precondition; it reads addresses that the linker defines.
    unsafe { zester_feedback_find() }
}

/// Adds the counters of a shared library to those of the program under test.
///
/// # Safety
/// `counters` is the address of `count` writable bytes and `pcs` that of `count` readable entries of 16 bytes, until the process
/// ends.
pub unsafe fn add_module(counters: usize, pcs: usize, count: usize) {
    // SAFETY: the caller promises what the function requires.
    unsafe { zester_feedback_add_module(counters as *mut u8, pcs as *const c_void, count) }
}

/// An open file without a name, in which the processes of a campaign count. Child processes inherit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedFile {
    descriptor: c_int,
    /// Device and inode.
    identity: [u64; 2],
}

impl SharedFile {
    /// Makes the file: in memory if the system has such files, else in a directory. `None` if there is no room for it. Call after
    /// [`find`] and [`add_module`].
    pub fn new(directory: &Path) -> Option<SharedFile> {
        // SAFETY: no precondition; it adds numbers.
        let size = unsafe { zester_feedback_shared_size() };
        SharedFile::make(None, size).or_else(|| SharedFile::make(Some(directory), size))
    }

    fn make(directory: Option<&Path>, size: usize) -> Option<SharedFile> {
        let directory = directory.map(|path| CString::new(path.as_os_str().as_encoded_bytes())).transpose().ok()?;
        let pointer = directory.as_ref().map_or(std::ptr::null(), |path| path.as_ptr());
        // SAFETY: the pointer is null, or that of a string that lives until the call returns.
        SharedFile::identify(unsafe { zester_feedback_file(pointer, size) })
    }

    fn identify(descriptor: c_int) -> Option<SharedFile> {
        let mut identity = [0; 2];
        // SAFETY: there is room for two numbers; the function checks the descriptor.
        let is_open = unsafe { zester_feedback_identify(descriptor, &raw mut identity) } != 0;
        is_open.then_some(SharedFile { descriptor, identity })
    }

    /// What a child process finds the file by: its descriptor, device and inode.
    pub fn name(self) -> String {
        format!("{}:{}:{}", self.descriptor, self.identity[0], self.identity[1])
    }

    /// The file that a parent process called by this name; `None` if it was not inherited.
    pub fn inherited(name: &str) -> Option<SharedFile> {
        let descriptor = name.split(':').next()?.parse().ok()?;
        // Another file may have this descriptor by now.
        SharedFile::identify(descriptor).filter(|file| file.name() == name)
    }
}

/// Counts in a file that other processes use, too, or in memory of this process and its forks; returns whether that worked. Call
/// after [`find`] and [`add_module`].
pub fn share(file: Option<SharedFile>) -> bool {
    // SAFETY: the function checks that the descriptor is open and the file long enough.
    unsafe { zester_feedback_share(file.map_or(-1, |file| file.descriptor)) != 0 }
}

/// Sets an environment variable for the processes that this one will start.
///
/// # Safety
/// No other thread reads or writes the environment meanwhile.
pub unsafe fn set_environment(name: &str, value: &str) {
    // SAFETY: the caller promises it.
    unsafe { std::env::set_var(name, value) }
}

/// The address of the code of a counter, if it is known.
pub fn pc(counter: usize) -> Option<usize> {
    // SAFETY: the function checks the index.
    let pc = unsafe { zester_feedback_pc(counter) };
    (pc != 0).then_some(pc)
}

/// The address in memory of the function that the symbol table calls `zester_report`.
pub fn anchor() -> usize {
    zester_report as *const () as usize
}

/// Makes the engine count these counters, which are sorted, and none of the other counters of the executable. If `valid` is set,
/// registers as many again for valid runs. Returns whether valid runs are counted.
pub fn register(kept: &[Range<usize>], valid: bool) -> bool {
    for range in kept {
        // SAFETY: the ranges are sorted and within the number that `find` returned.
        unsafe { zester_feedback_keep(range.start, range.end) };
    }
    // SAFETY: it must be called before the first run, because libFuzzer takes modules until then; `hooks::initialize` does.
    unsafe { zester_feedback_register(valid.into()) != 0 }
}

/// Must run before all constructors of instrumented code; [`crate::fuzz_target!`] sees to that.
pub extern "C" fn early() {
    // SAFETY: no other thread exists when constructors run.
    unsafe { zester_feedback_early() }
}

/// The arguments of `LLVMFuzzerInitialize`: the addresses of `main`'s arguments.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    argc: *const isize,
    argv: *const *const *const u8,
}

impl Arguments {
    /// Wraps the two pointers.
    ///
    /// # Safety
    /// Both are null, or those that the engine passed to `LLVMFuzzerInitialize`, which has not returned yet.
    pub unsafe fn new(argc: *const isize, argv: *const *const *const u8) -> Arguments {
        Arguments { argc, argv }
    }

    /// Adds a flag of libFuzzer, `-name=value`, unless the user gave that flag; returns whether it was added.
    pub fn set_default(self, flag: &'static CStr) -> bool {
        // SAFETY: the caller of `new` promised that the pointers are valid; the flag is static.
        unsafe { zester_feedback_flag(self.argc, self.argv, flag.as_ptr()) != 0 }
    }
}

/// Whether the engine is libFuzzer itself, and not another one with its interface.
pub fn is_libfuzzer() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_is_libfuzzer() != 0 }
}

/// Whether this process is the one that called [`share`], and not a fork of it.
pub fn is_first() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_is_first() != 0 }
}

/// Whether Ctrl-C was pressed. Always `false` if the engine handles Ctrl-C itself.
pub fn interrupted() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_interrupted() != 0 }
}

/// Clears counters that the engine must not read after a run.
pub fn leave() {
    // SAFETY: the modules are those that `find` and `add_module` added, which stay in memory.
    unsafe { zester_feedback_leave() }
}

/// Sets whether inputs that are reported invalid are to leave no coverage.
pub fn keep_valid_only(on: bool) {
    // SAFETY: no precondition.
    unsafe { zester_feedback_keep_valid_only(on.into()) }
}

/// What all processes of the campaign have counted.
pub fn totals() -> Totals {
    let mut totals = Totals::default();
    // SAFETY: the record is `repr(C)`, and build.rs wrote its declaration in C.
    unsafe { zester_feedback_totals(&raw mut totals) };
    totals
}

/// Adds to the figures of mutators of this process.
pub fn add_mutators(figures: &[MutatorFigures]) {
    let mut all = [[0; MUTATOR_FIGURES]; MUTATORS];
    all[..figures.len()].copy_from_slice(figures);
    // SAFETY: C reads MUTATORS times MUTATOR_FIGURES numbers, which build.rs wrote to its header.
    unsafe { zester_feedback_add_mutators(all.as_ptr()) };
}

/// The figures of mutators of all processes of the campaign.
pub fn mutators() -> [MutatorFigures; MUTATORS] {
    let mut figures = [[0; MUTATOR_FIGURES]; MUTATORS];
    // SAFETY: C writes MUTATORS times MUTATOR_FIGURES numbers, which build.rs wrote to its header.
    unsafe { zester_feedback_mutators(figures.as_mut_ptr()) };
    figures
}

/// The outcome of the last run.
pub fn outcome() -> RunFeedback {
    let (mut valid, mut found) = (0, 0);
    // SAFETY: both variables are valid until the call returns.
    let bytes = unsafe { zester_feedback_outcome(&raw mut valid, &raw mut found) };
    RunFeedback { bytes, valid: valid != 0, found: found != 0 }
}

/// Whether this process is to report, because no process did in the last `interval` milliseconds.
pub fn due(interval: u64) -> bool {
    // SAFETY: no precondition; the function checks whether there is shared memory.
    unsafe { zester_feedback_due(interval) != 0 }
}

/// Prints the sentence of the run in progress, unless it has been printed.
pub fn print_sentence() {
    // SAFETY: the text that `enter` was called with lives until `end`, which forgets it.
    unsafe { zester_feedback_print_sentence() }
}

/// Installs signal handlers that print the sentence and then call the handlers that were there.
pub fn watch_signals() {
    // SAFETY: the handlers call only functions that are allowed in signal handlers.
    unsafe { zester_feedback_watch_signals() }
}

/// Prints a problem that is not one of the program under test, and ends the process at once with status 1. An ordinary exit would
/// be a finding for libFuzzer.
pub fn give_up(problem: &str) -> ! {
    eprint!("{problem}");
    quit(1)
}

/// Ends the process at once: no atexit handlers, no sentence, no artifact.
pub fn quit(status: i32) -> ! {
    // SAFETY: no precondition.
    unsafe { zester_feedback_quit(status) }
}

/// Runs the harness as libFuzzer does, and returns what it reported: 1 valid, -1 invalid, 0 unknown.
pub fn run_one(bytes: &[u8]) -> i8 {
    // SAFETY: the bytes live until the call returns.
    unsafe { zester_feedback_run_one(bytes.as_ptr(), bytes.len()).clamp(INVALID, VALID) as i8 }
}

/// The number of counters of the program under test.
pub fn kept() -> usize {
    // SAFETY: no precondition.
    unsafe { zester_feedback_kept() }
}

/// Writes the numbers of the counters that are not zero, in order.
pub fn hits(hits: &mut Vec<u32>) {
    hits.resize(kept(), 0);
    // SAFETY: there is room for the numbers of all counters that are kept.
    let count = unsafe { zester_feedback_hits(hits.as_mut_ptr()) };
    hits.truncate(count);
}

/// Clears all counters, because what ran until now was not the program under test.
pub fn forget() {
    // SAFETY: the modules are those that `find` and `add_module` added, which stay in memory.
    unsafe { zester_feedback_forget() }
}

/// Works between a run and the engine's look at its coverage. The depth of the stack that `work` uses does not count as the
/// program's.
pub fn aside(work: impl FnOnce()) {
    // SAFETY: no precondition.
    let stack = unsafe { zester_feedback_stack() };
    work();
    // SAFETY: no precondition.
    unsafe { zester_feedback_restore_stack(stack) };
}

/// Calls a function at the normal end of the process.
pub fn at_exit(function: extern "C" fn()) {
    // SAFETY: a function is there until the process ends.
    unsafe { zester_feedback_at_exit(function) }
}

/// Runs a mutator. If the process ends meanwhile, the mutator's input and seed are printed.
pub fn mutating<T>(input: *const u8, length: usize, seed: u32, mutate: impl FnOnce() -> T) -> T {
    // SAFETY: the pointer is read only until the next call below; the caller's buffer lives as long as `mutate` runs.
    unsafe { zester_feedback_mutating(input, length, seed) };
    let result = mutate();
    // SAFETY: a null pointer is not read.
    unsafe { zester_feedback_mutating(std::ptr::null(), 0, 0) };
    result
}

/// The buffers of `LLVMFuzzerCustomCrossOver`: two inputs and room for one.
#[derive(Debug)]
pub struct Crossing {
    first: (*const u8, usize),
    second: (*const u8, usize),
    out: (*mut u8, usize),
}

impl Crossing {
    /// Wraps addresses and sizes; a null pointer stands for an empty input.
    ///
    /// # Safety
    /// The inputs are null or readable, `out` is writable, each for its size and as long as the value exists. `out` overlaps neither
    /// input.
    pub unsafe fn new(first: (*const u8, usize), second: (*const u8, usize), out: (*mut u8, usize)) -> Crossing {
        Crossing { first, second, out }
    }

    /// Calls `cross` with the buffers; returns the size of the result.
    pub fn make(self, seed: u32, cross: impl FnOnce(&[u8], &[u8], &mut [u8]) -> usize) -> usize {
        // SAFETY: the caller of `new` promised that pointers that are not null are readable for their sizes.
        let bytes = |(data, size): (*const u8, usize)| if data.is_null() { &[] } else { unsafe { from_raw_parts(data, size) } };
        let size = mutating(self.first.0, self.first.1, seed, || {
            // SAFETY: the caller of `new` promised that `out` is writable for its size and overlaps neither input.
            cross(bytes(self.first), bytes(self.second), unsafe { from_raw_parts_mut(self.out.0, self.out.1) })
        });
        // SAFETY: `cross` has written `size` bytes of `out`. C writes to `first` only with LibAFL, which gives it as much room.
        unsafe { zester_feedback_hand_over(self.first.0, self.out.0, size) };
        size
    }
}

/// Says that the program under test is about to read this text; returns the text, or a copy of it that a sanitizer guards.
#[inline(always)]
pub fn enter(text: &[u8]) -> &[u8] {
    // SAFETY: the text lives until the run ends, when C forgets it. A copy has the same length, and lives until the next call.
    unsafe { std::slice::from_raw_parts(zester_feedback_enter(text.as_ptr(), text.len()), text.len()) }
}

/// Says that the program under test is about to read bytes that are no text, so that nothing is printed.
#[inline(always)]
pub fn enter_bytes(bytes: &[u8]) {
    // SAFETY: a null pointer is not read.
    unsafe { zester_feedback_enter(std::ptr::null(), bytes.len()) };
}

/// Begins a run. Decoding comes next.
#[inline(always)]
pub fn begin() {
    // SAFETY: no precondition.
    unsafe { zester_feedback_begin() }
}

/// Ends a run, and collects its coverage. Returns the value for libFuzzer.
#[inline(always)]
pub fn end() -> i32 {
    // SAFETY: the modules are those that `find` and `add_module` added, which stay in memory.
    unsafe { zester_feedback_end() }
}

/// Reports whether the run was valid.
#[inline(always)]
pub fn report(validity: Validity) {
    let validity = match validity {
        Validity::Valid => VALID,
        Validity::Invalid => INVALID,
        Validity::Unknown => UNKNOWN,
    };
    // An earlier report by the harness itself stands.
    if validity != UNKNOWN {
        // SAFETY: no precondition.
        unsafe { zester_report(validity) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn shared_files_have_no_name_and_are_found_again() {
        let directory = tempfile::tempdir().unwrap();
        for place in [None, Some(directory.path())] {
            let file = SharedFile::make(place, 1 << 16).unwrap();
            assert_eq!(SharedFile::inherited(&file.name()), Some(file));
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the file has a name");
        }
        for name in ["", "none", "9999:1:1", "0:0:0", "-1:0:0"] {
            assert_eq!(SharedFile::inherited(name), None, "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_room_for_its_blocks_is_refused() {
        assert_eq!(SharedFile::make(Some(Path::new("/none/such")), 1), None);
        let directory = tempfile::tempdir().unwrap();
        let mount =
            std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(directory.path()).output();
        if !mount.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: cannot mount a file system");
            return;
        }
        let (small, large) =
            (SharedFile::make(Some(directory.path()), 1 << 12), SharedFile::make(Some(directory.path()), 1 << 20));
        // The small file is open, so only a lazy unmount works.
        let unmount = std::process::Command::new("umount").arg("-l").arg(directory.path()).status();
        assert!(unmount.unwrap().success());
        assert!(small.is_some());
        assert_eq!(large, None);
    }
}
