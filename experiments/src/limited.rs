//! Runs programs that do not end by themselves for some processor time.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, SysconfVar, sysconf};

use crate::figures::processor_seconds;
use zester_xtask::command::shown;

/// The time in seconds that a program has to end after SIGINT.
const PATIENCE: u64 = 20;

/// Runs a program with all processes that it starts until they have used this processor time in seconds.
/// Then it gets SIGINT, as by Ctrl-C in a terminal. Calls `watch` several times a second with the time
/// used so far. Returns the time that they have used: less than `limit` if the program ended by itself.
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
    let mut used = 0.0;
    let mut watched = Ok(());
    while used < limit && watched.is_ok() && child.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_millis(100));
        used = group_seconds(child.id())?.max(used);
        watched = watch(used);
    }
    // Fails if all processes have ended.
    _ = killpg(group, Signal::SIGINT);
    let asked = Instant::now();
    while child.try_wait()?.is_none() && asked.elapsed() < Duration::from_secs(PATIENCE) {
        std::thread::sleep(Duration::from_millis(50));
    }
    _ = killpg(group, Signal::SIGKILL);
    child.wait()?;
    watched?;
    // With the last moments of a program that ended by itself. Processes that nobody waited for are missing.
    Ok(used.max(processor_seconds()? - before))
}

/// Returns the processor time in seconds of a process group, with the processes that have ended.
fn group_seconds(group: u32) -> Result<f64> {
    let mut ticks = 0;
    for entry in std::fs::read_dir("/proc")? {
        // A process may end while its file is read.
        let Ok(stat) = std::fs::read_to_string(entry?.path().join("stat")) else {
            continue;
        };
        // The name in parentheses may have blanks. After it come the state, the parent, the group,
        // …; see proc_pid_stat(5).
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        if fields
            .get(2)
            .is_some_and(|found| *found == group.to_string())
        {
            ticks += fields[11..15]
                .iter()
                .filter_map(|ticks| ticks.parse::<u64>().ok())
                .sum::<u64>();
        }
    }
    let per_second = sysconf(SysconfVar::CLK_TCK)?.context("no clock")?;
    Ok(ticks as f64 / per_second as f64)
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
        let short = run(Command::new("true").arg("x"), 60.0, &mut |_| Ok(()));
        assert!(short.unwrap() < 60.0);
    }
}
