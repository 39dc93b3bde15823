//! The end of the process and its signals.

use std::ffi::{c_int, c_uint};
use std::fmt::Display;

unsafe extern "C" {
    fn zester_feedback_watch_signals();
    fn zester_sanitizers_watch();
    fn zester_feedback_watch_stack();
    fn zester_feedback_interrupted() -> c_int;
    fn zester_feedback_mutating(input: *const u8, length: usize, seed: c_uint);
    fn zester_feedback_print_sentence();
    fn zester_feedback_at_end(function: extern "C" fn());
    fn zester_feedback_put(text: *const u8, length: usize);
    fn zester_feedback_quit(status: c_int) -> !;
}

/// Installs signal handlers that print the sentence and then call the previous handlers.
pub fn watch_signals() {
    // SAFETY: the handlers must call only functions that are allowed in signal handlers, and they
    // do.
    unsafe {
        zester_sanitizers_watch();
        zester_feedback_watch_signals();
    }
}

/// Installs a signal handler that reports a stack overflow, unless another handler is installed.
pub fn watch_stack() {
    // SAFETY: the handler must call only functions that are allowed in signal handlers, and it
    // does.
    unsafe { zester_feedback_watch_stack() }
}

/// Returns whether Ctrl-C was pressed. Always returns `false` if the engine handles Ctrl-C itself.
pub fn interrupted() -> bool {
    // SAFETY: no precondition.
    unsafe { zester_feedback_interrupted() != 0 }
}

/// Prints the sentence of the run in progress, unless it has been printed.
pub fn print_sentence() {
    // SAFETY: the text that `enter` got must still exist. It does, because C keeps its address only
    // until `end`.
    unsafe { zester_feedback_print_sentence() }
}

/// Runs a mutator. If the process ends while the mutator runs, the mutator's input and seed are
/// printed.
pub fn while_mutating<T>(
    input: *const u8,
    length: usize,
    seed: u32,
    mutate: impl FnOnce() -> T,
) -> T {
    // SAFETY: `input` must be readable until the next call below. It is, because the caller's
    // buffer lives longer than `mutate` runs.
    unsafe { zester_feedback_mutating(input, length, seed) };
    let result = mutate();
    // SAFETY: a null pointer is not read.
    unsafe { zester_feedback_mutating(std::ptr::null(), 0, 0) };
    result
}

/// Calls a function before the process ends, whether normally, by Ctrl-C, by a crash, by a
/// time-out, or because memory exceeds the limit. The function may be called several times, and in
/// a signal handler, so it must call only functions that are allowed there.
///
/// Not guaranteed: on systems without ELF, the function is called at a normal end and at a crash
/// only.
pub fn at_end(function: extern "C" fn()) {
    // SAFETY: the function must exist until the process ends, which holds for every function of the
    // executable.
    unsafe { zester_feedback_at_end(function) }
}

/// Writes a text to standard error. May be called in a signal handler.
pub fn put(text: &[u8]) {
    // SAFETY: the pointer and the length must be those of readable memory, and they are those of a
    // slice.
    unsafe { zester_feedback_put(text.as_ptr(), text.len()) }
}

/// Prints a message about an error that is not in the program under test, and ends the process at
/// once with status 1. With an ordinary exit, libFuzzer would report a crash of the program under
/// test.
pub fn fatal(message: impl Display) -> ! {
    eprint!("{message}");
    quit(1)
}

/// Ends the process at once. No atexit handler runs, no sentence is printed, and no artifact is
/// written.
pub fn quit(status: i32) -> ! {
    // SAFETY: no precondition.
    unsafe { zester_feedback_quit(status) }
}

/// Sets an environment variable for the processes that this one will start.
///
/// # Safety
/// No other thread may read or write the environment at the same time.
pub unsafe fn set_environment(name: &str, value: &str) {
    // SAFETY: `set_var` has the same requirement, which the caller guarantees.
    unsafe { std::env::set_var(name, value) }
}
