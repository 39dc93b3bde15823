//! The boundary to `process.c`: the processes of the fork server, and the memory that server and worker share.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::slice::from_raw_parts;

use super::protocol::Ran;

unsafe extern "C" {
    fn zester_fork_server_take_socket() -> c_int;
    fn zester_fork_server_prepare(counters: usize) -> c_int;
    fn zester_fork_server_fork() -> c_int;
    fn zester_fork_server_wait(process: c_int, socket: c_int, status: *mut c_int) -> c_int;
    fn zester_fork_server_has_children() -> c_int;
    fn zester_fork_server_set_running(runs: c_int);
    fn zester_fork_server_was_running() -> c_int;
    fn zester_fork_server_exit_status() -> c_int;
    fn zester_fork_server_leave(validity: c_int, nanoseconds: u64, hits: *const u32, count: usize);
    fn zester_fork_server_left(validity: *mut c_int, nanoseconds: *mut u64, count: *mut usize) -> *const u32;
}

/// Moves the socket away from descriptor 0 and opens `/dev/null` there. Nothing if descriptor 0 is no socket.
pub(super) fn take_socket() -> Option<File> {
    // SAFETY: calls that open and duplicate descriptors; nothing has been read from standard input yet, so no buffer is lost.
    let descriptor = unsafe { zester_fork_server_take_socket() };
    // SAFETY: the descriptor is new and open, and has no other owner.
    (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) })
}

/// Makes this process a server for a program with so many counters; whether there was memory for that. Call this once, before the
/// other functions of this module.
pub(super) fn prepare(counters: usize) -> bool {
    // SAFETY: the signal handler that it sets does nothing, and the handler of `exit` writes only memory that is never freed.
    unsafe { zester_fork_server_prepare(counters) != 0 }
}

/// Forks a worker: its process number, or 0 in the worker itself. Nothing if the system cannot fork.
pub(super) fn fork() -> Option<u32> {
    // SAFETY: the new process has one thread, this one. libFuzzer has started none when it runs its first input, so no lock of its
    // is held.
    u32::try_from(unsafe { zester_fork_server_fork() }).ok()
}

/// Waits until the worker ends, and kills its children: the worker's status. Nothing if the client is gone; all processes that
/// this one has started have been killed then.
pub(super) fn wait(worker: u32, socket: &File) -> Option<i32> {
    let mut status = 0;
    // SAFETY: the descriptor is open as long as the file lives, and there is room for the status.
    let ended = unsafe { zester_fork_server_wait(worker as c_int, socket.as_raw_fd(), &raw mut status) };
    (ended != 0).then_some(status)
}

/// Whether this process has child processes.
pub(super) fn has_children() -> bool {
    // SAFETY: asks the system; changes nothing.
    unsafe { zester_fork_server_has_children() != 0 }
}

/// Notes that a run of the worker begins or has ended.
pub(super) fn set_running(running: bool) {
    // SAFETY: `prepare` has made the memory that this writes.
    unsafe { zester_fork_server_set_running(running.into()) }
}

/// Whether the worker that has ended was within a run.
pub(super) fn was_running() -> bool {
    // SAFETY: `prepare` has made the memory that this reads.
    unsafe { zester_fork_server_was_running() != 0 }
}

/// The status with which the program called `exit` in the worker that has ended; nothing if it did not, or if the system does not
/// tell (only glibc does).
pub(super) fn exit_status() -> Option<u8> {
    // SAFETY: `prepare` has made the memory that this reads.
    u8::try_from(unsafe { zester_fork_server_exit_status() }).ok()
}

/// Leaves an answer for the server to send, where the worker cannot.
pub(super) fn leave(ran: Ran, hits: &[u32]) {
    // SAFETY: copies at most as many numbers as there are, and as `prepare` was told of.
    unsafe { zester_fork_server_leave(ran.validity.into(), ran.nanoseconds, hits.as_ptr(), hits.len()) }
}

/// The answer that the worker left before it ended, and the counters that its run hit.
pub(super) fn left() -> Option<(Ran, Vec<u32>)> {
    let (mut validity, mut nanoseconds, mut count) = (0, 0, 0);
    // SAFETY: there is room for all three, and `prepare` has made the memory that this reads.
    let hits = unsafe { zester_fork_server_left(&raw mut validity, &raw mut nanoseconds, &raw mut count) };
    // SAFETY: not null, it points to `count` numbers, which nobody writes: the worker has ended.
    let hits = (!hits.is_null()).then(|| unsafe { from_raw_parts(hits, count) })?;
    Some((Ran { validity: validity as i8, nanoseconds, is_last: true }, hits.to_vec()))
}
