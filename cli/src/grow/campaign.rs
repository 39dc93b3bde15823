//! Runs libFuzzer for one node of the lattice, and starts it again after each crash.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use zester::subject::Limits;

use super::lattice::Fuzzer;
use crate::interrupt::OnInterrupt;
use crate::output;
use crate::problem::Problem;

/// The time between two reads of libFuzzer's log.
const TICK: Duration = Duration::from_millis(50);

/// The maximum time that libFuzzer may take to end after SIGINT.
const GRACE: Duration = Duration::from_secs(5);

/// A disk with less free space than this number of bytes counts as full.
const MIN_SPACE: u64 = 4 << 20;

/// The maximum number of bytes of a line of libFuzzer's log that are kept.
const MAX_LINE: usize = 1_000;

/// The number of crashing inputs after which a node ends.
const MAX_CRASHES: usize = 1_000;

/// A node is saturated if less than one edge in this many was found in the second half of its time.
/// A few edges are found by chance at any time.
const EDGES_OF_GAIN: u64 = 200;

/// The wall-clock time of a node is limited to its maximum processor time, times this factor, plus
/// [`DELAY`]. A node takes longer than its processor time on a busy machine, or if the target waits.
const SLOWNESS: u32 = 20;

/// The time that a node may take to load its grammar.
const DELAY: Duration = Duration::from_secs(120);

/// The condition that ends a node. Times are processor times of libFuzzer since its first runs, so
/// that they do not depend on how busy the machine is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// After this time.
    Time(Duration),
    /// When the node is saturated, but not before `floor`, and at the latest after `ceiling`.
    Saturation { floor: Duration, ceiling: Duration },
}

impl Ending {
    /// Returns whether a node ends after the processor time `elapsed`.
    fn is_reached(self, elapsed: Duration, growth: &CoverageCurve) -> bool {
        match self {
            Ending::Time(time) => elapsed >= time,
            Ending::Saturation { floor, ceiling } => {
                elapsed >= ceiling || elapsed >= floor && growth.is_saturated(elapsed)
            }
        }
    }

    /// Returns the maximum processor time of a node.
    pub fn max(self) -> Duration {
        match self {
            Ending::Time(time) => time,
            Ending::Saturation { ceiling, .. } => ceiling,
        }
    }

    /// Returns the maximum wall-clock time of a node.
    fn limit(self) -> Duration {
        self.max() * SLOWNESS + DELAY
    }
}

/// Measures the processor time of a node. It begins when libFuzzer has run inputs, so it does not
/// include the time to load the grammar.
#[derive(Default)]
struct Budget {
    /// The measured time of the processes that have ended.
    ended: Duration,
    /// The processor time of the current process so far.
    now: Duration,
    /// The processor time at which the log of the current process showed that inputs had run.
    first_run: Option<Duration>,
}

impl Budget {
    /// Records the processor time of the current process, and whether it has run inputs.
    fn update(&mut self, now: Duration, has_run: bool) {
        self.now = now;
        if has_run {
            self.first_run.get_or_insert(now);
        }
    }

    /// Records the end of the current process. If it crashed before its log showed that inputs had
    /// run, all its time counts. Otherwise a target that crashes at once would run forever.
    fn end(&mut self) {
        self.ended += self
            .now
            .saturating_sub(self.first_run.unwrap_or_default())
            .max(TICK);
        (self.now, self.first_run) = (Duration::ZERO, None);
    }

    /// Returns the measured processor time so far.
    fn elapsed(&self) -> Duration {
        self.ended
            + self
                .first_run
                .map_or(Duration::ZERO, |first| self.now.saturating_sub(first))
    }
}

/// The number of edges over time.
#[derive(Default)]
struct CoverageCurve {
    /// The times at which the number of edges grew, with the number. They are in order.
    points: Vec<(Duration, u64)>,
}

impl CoverageCurve {
    /// Adds a point if the number of edges is larger than before.
    fn add(&mut self, time: Duration, edges: u64) {
        if self.points.last().map_or(0, |&(_, edges)| edges) < edges {
            self.points.push((time, edges));
        }
    }

    /// Returns whether the second half of the time gave few edges: see [`EDGES_OF_GAIN`].
    fn is_saturated(&self, elapsed: Duration) -> bool {
        let last = self.points.last().map_or(0, |&(_, edges)| edges);
        let half = self
            .points
            .iter()
            .rev()
            .find(|&&(time, _)| time <= elapsed / 2)
            .map_or(0, |&(_, edges)| edges);
        (last - half) * EDGES_OF_GAIN < last || last == 0
    }
}

/// The settings for running libFuzzer for one node.
pub struct Campaign<'a> {
    /// The fuzz target.
    pub target: &'a Path,
    pub fuzzer: Fuzzer,
    pub ending: Ending,
    /// The seed of libFuzzer's random numbers.
    pub seed: u32,
    /// Further arguments for libFuzzer.
    pub arguments: &'a [String],
    /// Holds the directories `seeds`, `found` and `crashes`, and the file `log`.
    pub directory: PathBuf,
}

/// The result of running libFuzzer for one node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CampaignResult {
    /// The processor time.
    pub time: Duration,
    /// The number of crashes, time-outs and runs out of memory.
    pub crashes: usize,
}

impl Campaign<'_> {
    /// Runs libFuzzer until the node ends. After a crash, libFuzzer is started again.
    ///
    /// # Errors
    /// If a file cannot be written, if the disk is full, if libFuzzer ends by itself without a crash,
    /// or if no input has run when the time is over.
    pub fn run(&self) -> Result<CampaignResult, Problem> {
        let found = self.directory.join("found");
        for name in ["seeds", "found", "crashes"] {
            output::make_directory(&self.directory.join(name))?;
        }
        let (start, mut budget, mut growth, mut starts) = (
            Instant::now(),
            Budget::default(),
            CoverageCurve::default(),
            0,
        );
        let limit = self.ending.limit();
        loop {
            let before = Instant::now();
            let (mut child, mut log) = self.start(starts, limit.saturating_sub(start.elapsed()))?;
            starts += 1;
            let group = Pid::from_child(&child);
            let kill = OnInterrupt::kill(group);
            let mut asked = None;
            let status = loop {
                if let Some(status) = child
                    .try_wait()
                    .map_err(|error| Problem::with(self.target, error))?
                {
                    break status;
                }
                std::thread::sleep(TICK);
                // libFuzzer does not report an error if it cannot write an input.
                if is_full(&found) {
                    _ = kill_process_group(group, Signal::KILL);
                    _ = child.wait();
                    return Err(Problem::with(&found, "the disk is full"));
                }
                log.read();
                budget.update(
                    processor_time(&child).unwrap_or_else(|| before.elapsed()),
                    log.has_run,
                );
                growth.add(budget.elapsed(), log.edges);
                let is_over = self.ending.is_reached(budget.elapsed(), &growth) && log.has_run
                    || start.elapsed() >= limit;
                match asked {
                    None if is_over => {
                        asked = Some(Instant::now());
                        stop(&child);
                    }
                    Some(asked) if asked.elapsed() > GRACE => {
                        _ = kill_process_group(group, Signal::KILL)
                    }
                    _ => {}
                }
            };
            // An error means that all processes of the group have ended.
            _ = kill_process_group(group, Signal::KILL);
            drop(kill);
            log.read();
            budget.end();
            let crashes = files(&self.directory.join("crashes")).len();
            if asked.is_some()
                || self.ending.is_reached(budget.elapsed(), &growth) && (log.has_run || crashes > 0)
            {
                if !log.has_run && crashes == 0 {
                    let seconds = start.elapsed().as_secs();
                    let what = format!(
                        "no input has run after {seconds} s, which is the limit of a fuzzer{}",
                        self.end_of_log()
                    );
                    return Err(Problem::with(self.target, what));
                }
                return Ok(CampaignResult {
                    time: budget.elapsed(),
                    crashes,
                });
            }
            // libFuzzer has ended by itself. It is started again if a crash was the reason. It is not
            // started again if there was no crash, or if it repeatedly ends at once with success.
            if status.success() && before.elapsed() < Duration::from_secs(1) && starts > 3
                || crashes == 0
            {
                return Err(Problem::with(
                    self.target,
                    format!("libFuzzer ended with {status}{}", self.end_of_log()),
                ));
            }
            if crashes >= MAX_CRASHES {
                return Ok(CampaignResult {
                    time: budget.elapsed(),
                    crashes,
                });
            }
        }
    }

    /// Returns the last lines of libFuzzer's log, each after a line end.
    fn end_of_log(&self) -> String {
        let log = fs::read(self.directory.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..]
            .iter()
            .map(|line| format!("\n{line}"))
            .collect()
    }

    /// Starts libFuzzer in a process group of its own. Returns the process and its log.
    fn start(&self, starts: u32, left: Duration) -> Result<(Child, Log), Problem> {
        let at = |name: &str| self.directory.join(name);
        let problem = |error| Problem::with(&at("log"), error);
        let log = File::create(at("log")).map_err(problem)?;
        let Fuzzer {
            identifiers,
            items,
            depth,
            keeps_all,
        } = self.fuzzer;
        let mut command = Command::new(self.target);
        command
            .args([at("found"), at("seeds")])
            .arg(format!("-artifact_prefix={}/", at("crashes").display()))
            // libFuzzer ends by itself at the wall-clock limit if this command no longer runs.
            .arg(format!("-max_total_time={}", left.as_secs() + 10))
            .arg(format!("-seed={}", self.seed.wrapping_add(starts)))
            // libFuzzer keeps inputs for new edges, and not for other hit counts of an edge.
            .arg("-use_counters=0")
            .arg(format!("-timeout={}", Limits::default().timeout.as_secs()))
            .args(self.arguments)
            .env("ZESTER_BOUNDS", format!("{identifiers},{items},{depth}"))
            .env("ZESTER_VALID_ONLY", if keeps_all { "0" } else { "1" })
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0);
        kill_with_parent(&mut command);
        let child = command
            .spawn()
            .map_err(|error| Problem::with(self.target, error))?;
        Ok((
            child,
            Log {
                file: File::open(at("log")).map_err(problem)?,
                line: Vec::new(),
                edges: 0,
                has_run: false,
            },
        ))
    }
}

/// Returns whether the file system of a directory has less than [`MIN_SPACE`] left. Returns false for
/// a file system that does not report its size.
fn is_full(directory: &Path) -> bool {
    let statistics = rustix::fs::statvfs(directory);
    statistics.is_ok_and(|system| {
        system.f_blocks > 0 && system.f_bavail.saturating_mul(system.f_frsize) < MIN_SPACE
    })
}

/// Makes the kernel kill a process when the thread that started it ends, even if `kill -9` ends the
/// thread. This works only on Linux.
fn kill_with_parent(command: &mut Command) {
    #[cfg(target_os = "linux")]
    // SAFETY: between `fork` and `exec` only functions that are safe in signal handlers may be
    // called, and `prctl` is one.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            Ok(rustix::process::set_parent_process_death_signal(Some(
                Signal::KILL,
            ))?)
        });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = command;
}

/// Returns the processor time of a process and of those of its child processes that have ended.
/// Returns [`None`] if the process has ended, or on other systems than Linux.
fn processor_time(child: &Child) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // Linux reports times in hundredths of a second: `USER_HZ` is 100 on every architecture that
    // Rust's standard library supports.
    Some(Duration::from_millis(10 * ticks(&stat)?))
}

/// Returns the sum of the fields utime, stime, cutime and cstime of `/proc/PID/stat`.
fn ticks(stat: &str) -> Option<u64> {
    // The second field is the name in parentheses, which may contain blanks and parentheses. utime
    // is the field 14.
    let (_, rest) = stat.rsplit_once(')')?;
    let times = rest
        .split_whitespace()
        .skip(11)
        .take(4)
        .map(|field| field.parse::<u64>());
    times
        .collect::<Result<Vec<_>, _>>()
        .ok()
        .filter(|times| times.len() == 4)
        .map(|times| times.iter().sum())
}

/// Sends SIGINT to libFuzzer, so that it ends as after Ctrl-C.
fn stop(child: &Child) {
    _ = rustix::process::kill_process(Pid::from_child(child), Signal::INT);
}

/// Reads libFuzzer's log while libFuzzer writes it.
struct Log {
    file: File,
    /// The beginning of a line whose end was not written yet.
    line: Vec<u8>,
    /// The largest number of edges in lines such as `#8192 NEW cov: 609 ft: 1012 corp: …`. It is
    /// the sum of the edges of all runs and of those of valid runs.
    edges: u64,
    /// Whether a line showed that inputs have run: see [`is_status`].
    has_run: bool,
}

impl Log {
    /// Reads what was written since the last call.
    fn read(&mut self) {
        let mut buffer = [0; 1 << 16];
        while let Ok(count @ 1..) = self.file.read(&mut buffer) {
            for &byte in &buffer[..count] {
                if byte == b'\n' {
                    self.has_run |= is_status(&self.line);
                    self.edges = self.edges.max(edges(&self.line).unwrap_or(0));
                    self.line.clear();
                } else if self.line.len() < MAX_LINE {
                    self.line.push(byte);
                }
            }
        }
    }
}

/// Returns whether a line of libFuzzer's log begins with a number of inputs that have run, which is
/// not 0: `#0 READ units: 3` comes before the first run.
fn is_status(line: &[u8]) -> bool {
    line.strip_prefix(b"#")
        .and_then(|rest| rest.first())
        .is_some_and(|digit| (b'1'..=b'9').contains(digit))
}

/// Returns the number of edges in a line of libFuzzer's log.
fn edges(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line)
        .ok()
        .filter(|line| line.starts_with('#'))?;
    line.split_once("cov: ")?.1.split(' ').next()?.parse().ok()
}

/// Returns the files of a directory, sorted by name. Returns none if the directory does not exist.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

#[cfg(test)]
#[path = "../../tests/common/script.rs"]
mod script;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn edges_are_read_from_complete_lines_of_the_log() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log {
            file: File::open(file.path()).unwrap(),
            line: Vec::new(),
            edges: 0,
            has_run: false,
        };
        for (written, edges) in [
            ("INFO: seed corpus\n#0\tREAD units: 3\n", 0),
            (
                "INFO: cov: 99 lines\n#2\tINITED cov: 12 ft: 13 corp: 1/1b\n#3\tNEW    co",
                12,
            ),
            ("v: 15 ft: 16\n", 15),
            ("#4\tREDUCE cov: 14 ft: 16\n#5\tpulse\nä", 15),
        ] {
            file.write_all(written.as_bytes()).unwrap();
            log.read();
            assert_eq!((log.edges, log.has_run), (edges, edges > 0), "{written}");
        }
    }

    #[test]
    fn budgets_begin_with_the_first_run_and_span_processes() {
        let millis = Duration::from_millis;
        let mut budget = Budget::default();
        budget.update(millis(5_000), false);
        assert_eq!(budget.elapsed(), millis(0), "loading does not count");
        budget.update(millis(6_000), true);
        budget.update(millis(6_700), true);
        assert_eq!(budget.elapsed(), millis(700));
        budget.end();
        budget.update(millis(6_000), false);
        assert_eq!(budget.elapsed(), millis(700));
        budget.update(millis(6_500), true);
        budget.update(millis(6_600), true);
        assert_eq!(budget.elapsed(), millis(800));
        budget.end();
        budget.update(millis(200), false);
        budget.end();
        assert_eq!(
            budget.elapsed(),
            millis(1_000),
            "a crash in the first run counts as a whole"
        );
    }

    #[test]
    fn processor_times_are_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 5000";
        assert_eq!(ticks(stat), Some(110));
        assert_eq!((ticks("7 (a) S 1"), ticks("")), (None, None));
    }

    /// Writes a script that acts as a fuzz target.
    fn fuzz_target(directory: &Path, lines: &str) -> PathBuf {
        let program = directory.join("target");
        script::write(&program, &format!("#!/bin/sh\n{lines}\n"));
        program
    }

    fn run(lines: &str, time: Duration) -> Result<CampaignResult, Problem> {
        let directory = tempfile::tempdir().unwrap();
        let target = fuzz_target(directory.path(), lines);
        let fuzzer = "1-1-1-all".parse().unwrap();
        Campaign {
            target: &target,
            fuzzer,
            ending: Ending::Time(time),
            seed: 1,
            arguments: &[],
            directory: directory.path().into(),
        }
        .run()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn time_before_the_first_run_and_time_without_the_processor_do_not_count() {
        // Loads for one second, waits for one second, then runs.
        let busy = "end=$(($(date +%s%N) / 1000000 + 1000)); while [ $(($(date +%s%N) / 1000000)) -lt $end ]; do :; done";
        let lines = format!(
            "{busy}\necho '#2 INITED cov: 5 ft: 6' >&2\nsleep 1\necho '#9 NEW cov: 7 ft: 9' >&2\nwhile :; do :; done"
        );
        let start = Instant::now();
        let finished = run(&lines, Duration::from_millis(300))
            .unwrap_or_else(|problem| panic!("{}", problem.message()));
        // On a busy machine the campaign may end late, but the two seconds never count.
        let not_counted = start.elapsed().saturating_sub(finished.time);
        assert!(
            finished.time >= Duration::from_millis(300)
                && not_counted >= Duration::from_millis(1900),
            "{finished:?}, {not_counted:?}"
        );
    }

    #[test]
    fn a_target_that_runs_nothing_is_an_error() {
        let problem = run(
            "echo 'INFO: seed corpus' >&2; exit 0",
            Duration::from_millis(100),
        )
        .err()
        .unwrap();
        let message = problem.message();
        assert!(
            message.contains("libFuzzer ended with exit status: 0\nINFO: seed corpus"),
            "{message}"
        );
    }

    #[test]
    fn a_node_is_saturated_when_the_second_half_of_its_time_brings_little() {
        let seconds = Duration::from_secs;
        let ending = Ending::Saturation {
            floor: seconds(2),
            ceiling: seconds(60),
        };
        let mut growth = CoverageCurve::default();
        assert!(!ending.is_reached(seconds(1), &growth) && ending.is_reached(seconds(2), &growth));
        for (time, edges) in [(1, 900), (4, 1000), (5, 1000), (10, 1004), (50, 1100)] {
            growth.add(seconds(time), edges);
        }
        for (elapsed, is_reached) in [(1, false), (3, false), (7, false), (59, false), (60, true)] {
            assert_eq!(
                ending.is_reached(seconds(elapsed), &growth),
                is_reached,
                "{elapsed} s"
            );
        }
        growth.points.pop();
        for (elapsed, is_reached) in [(7, false), (8, true), (11, true), (30, true)] {
            assert_eq!(
                ending.is_reached(seconds(elapsed), &growth),
                is_reached,
                "{elapsed} s"
            );
        }
        assert!(!Ending::Time(seconds(5)).is_reached(seconds(4), &growth));
        assert!(Ending::Time(seconds(5)).is_reached(seconds(5), &growth));
    }
}
