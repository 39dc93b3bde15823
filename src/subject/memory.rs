//! The memory of a program's processes, read from `/proc`. On systems other than Linux it counts as 0.

use std::fs::{read_dir, read_to_string};

/// Returns whether all descendants of a process together take more than `max` bytes of memory.
pub(super) fn exceeds(parent: u32, max: u64) -> bool {
    let processes = descendants(parent);
    if processes
        .iter()
        .map(|&process| resident(process))
        .sum::<u64>()
        <= max
    {
        return false;
    }
    // A forked process shares pages with its parent. The proportional size counts each page once,
    // but is slow to read.
    processes.len() < 2
        || processes
            .iter()
            .map(|&process| proportional(process))
            .sum::<u64>()
            > max
}

/// Returns the descendants of a process: its child processes, their child processes, and so on.
fn descendants(parent: u32) -> Vec<u32> {
    let (mut all, mut at) = (children(parent), 0);
    while let Some(&process) = all.get(at) {
        all.extend(children(process));
        at += 1;
    }
    all
}

/// Returns the child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let Ok(threads) = read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let children = threads
        .flatten()
        .map(|thread| read_to_string(thread.path().join("children")).unwrap_or_default());
    children
        .flat_map(|numbers| {
            numbers
                .split(' ')
                .filter_map(|number| number.parse().ok())
                .collect::<Vec<u32>>()
        })
        .collect()
}

/// Returns the resident memory of a process in bytes. It includes memory that the process shares
/// with others.
fn resident(process: u32) -> u64 {
    let pages = read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages: u64 = pages
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// Returns the proportional memory of a process in bytes: a page that `n` processes share counts as
/// `1/n` of a page.
fn proportional(process: u32) -> u64 {
    let rollup = read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let pss = rollup
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix(" kB"));
    pss.and_then(|kilobytes| kilobytes.parse::<u64>().ok())
        .map_or_else(|| resident(process), |kilobytes| kilobytes << 10)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_memory_of_this_process_is_read() {
        let process = std::process::id();
        assert!(resident(process) > 1 << 20);
        assert!(proportional(process) > 1 << 19 && proportional(process) <= resident(process));
        assert_eq!((resident(u32::MAX), proportional(u32::MAX)), (0, 0));
    }

    #[test]
    fn the_memory_of_all_descendants_counts() {
        // The first shell starts a second one, and that starts `cat`. All three wait until standard
        // input ends.
        let script = "sh -c 'cat; true'; true";
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let processes = (0..1_000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            Some(descendants(shell.id())).filter(|processes| processes.len() == 2)
        });
        let all = processes.as_ref().map_or(0, |processes| {
            processes.iter().map(|&process| resident(process)).sum()
        });
        let limits = [0, 1 << 40].map(|limit| exceeds(shell.id(), limit));
        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert!(processes.is_some() && all > 0);
        assert_eq!(limits, [true, false]);
    }
}
