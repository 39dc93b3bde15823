//! Cleans up when a signal ends the command: removes unfinished files, kills processes that the
//! command started, and prints where results are.
//!
//! SIGINT (Ctrl-C), SIGTERM and SIGHUP are caught. On Linux, a signal that was ignored when the
//! command started stays ignored, as with `nohup`. After cleaning up, the process ends by the same
//! signal, so that shells recognise the reason.

use std::cell::Cell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// An action for the case that a signal ends the command.
enum Cleanup {
    /// Remove a file, or a directory with its content.
    Remove(PathBuf),
    /// Kill all processes of a group.
    Kill(Pid),
    /// Print a line.
    Print(String),
    /// Call a function.
    Call(Box<dyn FnOnce() + Send>),
}

/// All registered actions, each with its number.
static CLEANUPS: Mutex<(u64, Vec<(u64, Cleanup)>)> = Mutex::new((0, Vec::new()));

/// A registered action. It is cancelled when this value is dropped.
#[must_use]
pub struct OnInterrupt(u64);

impl OnInterrupt {
    /// Registers the removal of a file or a directory.
    pub fn remove(path: &Path) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Remove(path.into()))
    }

    /// Registers killing a process group.
    pub fn kill(group: Pid) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Kill(group))
    }

    /// Registers a line to print on standard error.
    pub fn print(line: String) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Print(line))
    }

    /// Registers a function to call. It may neither register nor cancel an action.
    pub fn call(function: impl FnOnce() + Send + 'static) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Call(Box::new(function)))
    }

    fn add(cleanup: Cleanup) -> OnInterrupt {
        if CLEANS_UP.get() {
            return OnInterrupt(0);
        }
        let mut cleanups = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        cleanups.0 += 1;
        let number = cleanups.0;
        cleanups.1.push((number, cleanup));
        OnInterrupt(number)
    }
}

impl Drop for OnInterrupt {
    fn drop(&mut self) {
        if CLEANS_UP.get() {
            return;
        }
        let mut cleanups = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        cleanups.1.retain(|(number, _)| *number != self.0);
    }
}

/// Starts the thread that waits for signals.
pub fn watch() {
    let signals = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|&signal| !is_ignored(signal));
    let Ok(mut signals) = Signals::new(signals) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if IS_DEFERRED.load(Ordering::Relaxed) && !WAS_SENT.swap(true, Ordering::Relaxed) {
                continue;
            }
            clean_up();
            let _ = emulate_default_handler(signal);
        }
    });
}

/// The result of [`defer`], which says whether there was a signal.
#[derive(Debug)]
pub struct Deferred(());

/// Whether a command handles signals itself.
static IS_DEFERRED: AtomicBool = AtomicBool::new(false);

/// Whether a signal was deferred.
static WAS_SENT: AtomicBool = AtomicBool::new(false);

/// Makes this process continue after the first signal, so that the command can finish its work. A
/// second signal ends the process as usual.
pub fn defer() -> Deferred {
    IS_DEFERRED.store(true, Ordering::Relaxed);
    Deferred(())
}

impl Deferred {
    /// Returns whether there was a signal.
    pub fn is_set(&self) -> bool {
        WAS_SENT.load(Ordering::Relaxed)
    }
}

thread_local! {
    /// Whether this thread executes the registered actions. They register no further ones.
    static CLEANS_UP: Cell<bool> = const { Cell::new(false) };
}

/// Executes all registered actions, the newest first.
fn clean_up() {
    CLEANS_UP.set(true);
    // The lock is never released, because the process ends and other threads may register no action now.
    let mut cleanups =
        std::mem::ManuallyDrop::new(CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner));
    if std::io::stderr().is_terminal() {
        // Ends the line of the progress bar.
        eprintln!();
    }
    while let Some((_, cleanup)) = cleanups.1.pop() {
        match cleanup {
            Cleanup::Remove(path) if path.is_dir() => drop(std::fs::remove_dir_all(path)),
            Cleanup::Remove(path) => drop(std::fs::remove_file(path)),
            Cleanup::Kill(group) => drop(kill_process_group(group, Signal::KILL)),
            Cleanup::Print(line) => eprintln!("{line}"),
            Cleanup::Call(function) => function(),
        }
    }
}

/// Returns whether this process was started with a signal ignored. Only Linux has the file that says
/// so; elsewhere the result is false.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}
