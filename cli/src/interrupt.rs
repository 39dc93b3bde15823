//! Cleans up when a signal ends the command: removes unfinished files, kills processes that were started, says what is kept.
//!
//! SIGINT (Ctrl-C), SIGTERM and SIGHUP are caught, except those that the caller of this command had ignored, as `nohup` does. After
//! the cleaning the process ends by the signal itself, so that shells see why.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// What there is to do if the command is ended now.
enum Cleanup {
    /// Remove a file, or a directory with all that is in it.
    Remove(PathBuf),
    /// Kill all processes of a group.
    Kill(Pid),
    /// Print a line.
    Say(String),
}

/// All that there is to do, each with its number.
static CLEANUPS: Mutex<(u64, Vec<(u64, Cleanup)>)> = Mutex::new((0, Vec::new()));

/// Something to do if a signal ends the command, until this is dropped.
#[must_use]
pub struct OnInterrupt(u64);

impl OnInterrupt {
    /// Removes a file or a directory.
    pub fn remove(path: &Path) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Remove(path.into()))
    }

    /// Kills a group of processes.
    pub fn kill(group: Pid) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Kill(group))
    }

    /// Prints a line on standard error.
    pub fn say(line: String) -> OnInterrupt {
        OnInterrupt::add(Cleanup::Say(line))
    }

    fn add(cleanup: Cleanup) -> OnInterrupt {
        let mut cleanups = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        cleanups.0 += 1;
        let number = cleanups.0;
        cleanups.1.push((number, cleanup));
        OnInterrupt(number)
    }
}

impl Drop for OnInterrupt {
    fn drop(&mut self) {
        let mut cleanups = CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner);
        cleanups.1.retain(|(number, _)| *number != self.0);
    }
}

/// Starts the thread that waits for signals.
pub fn watch() {
    let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    let Ok(mut signals) = Signals::new(signals) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            clean_up();
            let _ = emulate_default_handler(signal);
        }
    });
}

/// Does all that there is to do, the newest first.
fn clean_up() {
    // The lock is never given back: the process ends, and nothing new is to begin.
    let mut cleanups = std::mem::ManuallyDrop::new(CLEANUPS.lock().unwrap_or_else(PoisonError::into_inner));
    if std::io::stderr().is_terminal() {
        // Below the progress.
        eprintln!();
    }
    while let Some((_, cleanup)) = cleanups.1.pop() {
        match cleanup {
            Cleanup::Remove(path) if path.is_dir() => drop(std::fs::remove_dir_all(path)),
            Cleanup::Remove(path) => drop(std::fs::remove_file(path)),
            Cleanup::Kill(group) => drop(kill_process_group(group, Signal::KILL)),
            Cleanup::Say(line) => eprintln!("{line}"),
        }
    }
}

/// Whether this process was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored >> (signal - 1) & 1 == 1
}
