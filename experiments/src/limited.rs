//! Runs programs that do not end by themselves for some processor time.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, SysconfVar, sysconf};

use crate::figures::processor_seconds;
use zester_xtask::command::shown;

/// The time in seconds that a program has to end after SIGINT.
const PATIENCE: u64 = 20;

/// Runs a program until it and all processes that it starts have used `limit` seconds of processor time.
/// Then sends SIGINT to its process group, as Ctrl-C in a terminal does, and SIGKILL to all that still run
/// after the program's end or [`PATIENCE`]. Calls `watch` several times a second with the time used so far. Returns the
/// time used: less than `limit` if the program ended by itself.
pub fn run(
    command: &mut Command,
    limit: f64,
    watch: &mut dyn FnMut(f64) -> Result<()>,
) -> Result<f64> {
    let before = processor_seconds()?;
    let mut child = command
        .process_group(0)
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    let group = Pid::from_raw(child.id() as i32);
    let (mut used, mut watched) = (0.0, Ok(()));
    let mut members = Vec::new();
    while used < limit && watched.is_ok() && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(100));
        let seconds;
        (members, seconds) = processes_of(child.id())?;
        used = seconds.max(used);
        watched = watch(used);
    }
    // Signals fail if the processes have ended.
    _ = killpg(group, Signal::SIGINT);
    let asked = Instant::now();
    while child.try_wait()?.is_none() && asked.elapsed() < Duration::from_secs(PATIENCE) {
        std::thread::sleep(Duration::from_millis(50));
    }
    for member in members {
        _ = kill(Pid::from_raw(member as i32), Signal::SIGKILL);
    }
    _ = killpg(group, Signal::SIGKILL);
    child.wait()?;
    watched?;
    // The second figure has the last moments of a program that ended by itself, but not the time of processes
    // that no parent waited for.
    Ok(used.max(processor_seconds()? - before))
}

/// A process, as Linux describes it in `/proc`.
struct ProcessTimes {
    parent: u32,
    group: u32,
    /// The processor time of the process and of its children that have ended, in clock ticks.
    ticks: u64,
}

impl ProcessTimes {
    /// Reads the contents of a file `/proc/PID/stat`.
    fn read(stat: &str) -> Option<Self> {
        // The name in parentheses may have blanks. After it come the state, the parent, the group,
        // …; see proc_pid_stat(5).
        let rest = stat.rsplit(')').next()?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let times = fields.get(11..15)?.iter();
        Some(ProcessTimes {
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            ticks: times.filter_map(|time| time.parse::<u64>().ok()).sum(),
        })
    }
}

/// Returns the IDs of a group's processes and of all their descendants: AFL++ starts the program under test in
/// another group. Also returns their processor time in seconds, with that of their children that have ended.
fn processes_of(group: u32) -> Result<(Vec<u32>, f64)> {
    let mut processes = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy());
        let Some(number) = name.and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // A process may end while its file is read.
        let stat = std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        if let Some(times) = ProcessTimes::read(&stat) {
            processes.insert(number, times);
        }
    }
    let belongs = |process: &ProcessTimes| {
        let parents = std::iter::successors(Some(process), |one| processes.get(&one.parent));
        parents.take(processes.len()).any(|one| one.group == group)
    };
    let members = processes.iter().filter(|(_, process)| belongs(process));
    let (numbers, ticks): (Vec<u32>, Vec<u64>) = members
        .map(|(number, process)| (*number, process.ticks))
        .unzip();
    let per_second = sysconf(SysconfVar::CLK_TCK)?.context("no clock")?;
    Ok((
        numbers,
        ticks.iter().sum::<u64>() as f64 / per_second as f64,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_after_its_processor_time() {
        let mut calls = 0;
        let mut endless = Command::new("sh");
        endless.args(["-c", "while :; do :; done"]);
        let used = run(&mut endless, 0.3, &mut |_| {
            calls += 1;
            Ok(())
        });
        assert!(used.unwrap() >= 0.3 && calls > 0);
        // A process in a session of its own counts, too.
        let mut apart = Command::new("sh");
        apart.args(["-c", "setsid sh -c 'while :; do :; done' & wait"]);
        let used = run(&mut apart, 0.3, &mut |_| Ok(())).unwrap();
        assert!((0.3..1.5).contains(&used), "{used}");
        let short = run(Command::new("true").arg("x"), 60.0, &mut |_| Ok(()));
        assert!(short.unwrap() < 60.0);
    }
}
