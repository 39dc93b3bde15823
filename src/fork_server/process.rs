//! The boundary to `process.c`: the processes of the fork server, and the memory that server and
//! worker share.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::slice::from_raw_parts;

use super::protocol::RunReport;

unsafe extern "C" {
    fn zester_fork_server_take_socket() -> c_int;
    fn zester_fork_server_prepare(counters: usize) -> c_int;
    fn zester_fork_server_fork() -> c_int;
    fn zester_fork_server_wait(process: c_int, socket: c_int, status: *mut c_int) -> c_int;
    fn zester_fork_server_has_children() -> c_int;
    fn zester_fork_server_set_running(runs: c_int);
    fn zester_fork_server_was_running() -> c_int;
    fn zester_fork_server_exit_status() -> c_int;
    fn zester_fork_server_store_report(
        validity: c_int,
        nanoseconds: u64,
        hits: *const u32,
        count: usize,
    );
    fn zester_fork_server_stored_report(
        validity: *mut c_int,
        nanoseconds: *mut u64,
        count: *mut usize,
    ) -> *const u32;
}

/// Moves the socket from descriptor 0 to another one, and opens `/dev/null` at descriptor 0.
/// Returns [`None`] if descriptor 0 is no socket.
pub(super) fn take_socket() -> Option<File> {
    // SAFETY: no precondition; the function only opens, duplicates and closes descriptors that it
    // owns, and descriptor 0. Nothing in this process has read from standard input, so no buffered
    // input is lost.
    let descriptor = unsafe { zester_fork_server_take_socket() };
    // SAFETY: the file must be the only owner of an open descriptor. It is, because the function
    // has just made the descriptor.
    (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) })
}

/// Makes this process a server. `counters` is the number of coverage counters of the program under
/// test. Returns whether there was enough memory. Must be called once, before the functions below.
pub(super) fn prepare(counters: usize) -> bool {
    // SAFETY: the handlers that it installs must be sound at any time. The signal handler does
    // nothing, and the handler of `exit` writes only to memory that is never freed.
    unsafe { zester_fork_server_prepare(counters) != 0 }
}

/// Forks a worker. Returns its process ID, or 0 in the worker itself, or [`None`] if the system
/// cannot fork.
pub(super) fn fork() -> Option<u32> {
    // SAFETY: no lock may be held by another thread, because that thread does not exist in the new
    // process. libFuzzer has started no threads when it runs its first input. `prepare` has been
    // called before.
    u32::try_from(unsafe { zester_fork_server_fork() }).ok()
}

/// Waits until the worker ends, and kills its descendants. Returns the status of the worker. If the
/// client ends first, kills all processes that this one has started, and returns [`None`].
pub(super) fn wait(worker: u32, socket: &File) -> Option<i32> {
    let mut status = 0;
    // SAFETY: the descriptor must be open, and `status` writable, until the call returns. `socket`
    // and `status` live longer. `prepare` has been called before.
    let ended =
        unsafe { zester_fork_server_wait(worker as c_int, socket.as_raw_fd(), &raw mut status) };
    (ended != 0).then_some(status)
}

/// Returns whether this process has child processes that run, or that have ended and were not
/// waited for.
pub(super) fn has_children() -> bool {
    // SAFETY: no precondition; the function changes nothing.
    unsafe { zester_fork_server_has_children() != 0 }
}

/// Records whether the worker is in a run.
pub(super) fn set_running(running: bool) {
    // SAFETY: `prepare` must have allocated the shared memory. The server calls it before it forks
    // a worker.
    unsafe { zester_fork_server_set_running(running.into()) }
}

/// Returns whether the worker that has ended was in a run.
pub(super) fn was_running() -> bool {
    // SAFETY: `prepare` must have allocated the shared memory. The server calls it before it forks
    // a worker.
    unsafe { zester_fork_server_was_running() != 0 }
}

/// Returns the status with which the program called `exit` in the worker that has ended. Returns
/// [`None`] if it did not call `exit`, or if the C library is not glibc.
pub(super) fn exit_status() -> Option<u8> {
    // SAFETY: `prepare` must have allocated the shared memory. The server calls it before it forks
    // a worker.
    u8::try_from(unsafe { zester_fork_server_exit_status() }).ok()
}

/// Stores the report of a run in shared memory, without its reason, for the server to send. `hits` are the numbers of
/// the counters that the run hit.
pub(super) fn store_report(report: &RunReport, hits: &[u32]) {
    // SAFETY: `hits` must be readable for its length, which holds for a slice. The function copies
    // at most as many numbers as `prepare` has allocated memory for.
    unsafe {
        zester_fork_server_store_report(
            report.validity.into(),
            report.nanoseconds,
            hits.as_ptr(),
            hits.len(),
        )
    }
}

/// Returns the report that the worker stored before it ended, and the numbers of the counters that
/// its run hit.
pub(super) fn stored_report() -> Option<(RunReport, Vec<u32>)> {
    let (mut validity, mut nanoseconds, mut count) = (0, 0, 0);
    // SAFETY: the three variables must be writable until the call returns, and they are. `prepare`
    // has allocated the shared memory.
    let hits = unsafe {
        zester_fork_server_stored_report(&raw mut validity, &raw mut nanoseconds, &raw mut count)
    };
    // SAFETY: the pointer must be valid for `count` numbers that nobody writes. The function
    // guarantees that if the pointer is not null, and the only writer, the worker, has ended.
    let hits = (!hits.is_null()).then(|| unsafe { from_raw_parts(hits, count) })?;
    Some((
        RunReport {
            validity: validity as i8,
            nanoseconds,
            reason: String::new(),
            is_last: true,
        },
        hits.to_vec(),
    ))
}
