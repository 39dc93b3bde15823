//! Waits for a child process with a time limit.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::interrupt::OnInterrupt;

/// The maximum pause between two checks for the end of the process.
const MAX_PAUSE: Duration = Duration::from_millis(10);

/// Waits until a process has ended or has run for `timeout`, then kills its process group. Returns
/// [`None`] if the time was over first.
///
/// The process must be the leader of a process group: start it with `process_group(0)`. A signal
/// that ends this command while it waits kills the group, too.
pub fn wait(child: &mut Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let process = Pid::from_child(child);
    let kill = OnInterrupt::kill(process);
    let (start, mut pause) = (Instant::now(), Duration::from_micros(100));
    let has_ended = loop {
        match has_ended(process) {
            Ok(false) if start.elapsed() < timeout => std::thread::sleep(pause),
            result => break result.unwrap_or(false),
        }
        pause = (pause * 2).min(MAX_PAUSE);
    };
    signal_group(process, Signal::KILL);
    drop(kill);
    let status = child.wait()?;
    Ok(has_ended.then_some(status))
}

/// Returns whether a child process has ended. It stays a zombie until it is waited for, so that no
/// other process can have its number when its group is killed.
pub fn has_ended(process: Pid) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    Ok(waitid(WaitId::Pid(process), options)?.is_some())
}

/// Sends a signal to all processes of a group.
pub fn signal_group(leader: Pid, signal: Signal) {
    // An error means that the group has no process that can get the signal.
    let _ = kill_process_group(leader, signal);
}
