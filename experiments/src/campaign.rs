//! Fuzzing campaigns: runs of a fuzz target that continue after crashes, several of them in
//! parallel.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use regex::Regex;

use zester_xtask::command::{end_of, logged};
use zester_xtask::statistics::Statistics;
use zester_xtask::zester::files;

/// The number of runs of a crashing target after which a campaign fails.
const MAX_RUNS: u64 = 1_000;

/// A campaign: runs a fuzz target for some time, and after each crash again with the same corpus.
///
/// Its directory contains `corpus`, `crashes`, `log`, and a file of statistics for each run:
/// `stats.0`, `stats.1`, ….
pub struct Campaign {
    pub program: PathBuf,
    /// The directory of the campaign; it is made if it is missing.
    pub directory: PathBuf,
    /// libFuzzer's seed of the first run. Each later run adds 1,000.
    pub seed: u64,
    pub seconds: u64,
    /// The number of executions at which the campaign ends, if any.
    pub executions: Option<u64>,
    /// A pattern that ends the campaign when a line of a log matches.
    pub until: Option<Regex>,
    pub environment: Vec<(String, String)>,
    pub flags: Vec<String>,
}

impl Campaign {
    /// Returns a campaign that ends only by its time.
    pub fn new(program: &Path, directory: &Path, seed: u64, seconds: u64) -> Self {
        Self {
            program: program.to_owned(),
            directory: directory.to_owned(),
            seed,
            seconds,
            executions: None,
            until: None,
            environment: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Lets only panics of one known fault (`fuzz/subjects/src/known.rs`) end a run. After another
    /// panic, the run continues, and the sentence counts as invalid. With `none`, no panic ends a
    /// run.
    pub fn hunting(mut self, fault: &str) -> Self {
        self.environment.push(("HUNT".into(), fault.into()));
        self
    }

    /// Runs the campaign. Returns the sums of its statistics.
    ///
    /// # Errors
    /// If a file cannot be read or written, if the target cannot be started, or if it ran nothing.
    pub fn run(&self) -> Result<Statistics> {
        for name in ["corpus", "crashes"] {
            fs::create_dir_all(self.path(name))
                .with_context(|| format!("cannot make {}", self.path(name).display()))?;
        }
        let end = Instant::now() + Duration::from_secs(self.seconds);
        for run in 0.. {
            // Rounded up: libFuzzer counts whole seconds, and 0 would mean no limit.
            let left = end
                .saturating_duration_since(Instant::now())
                .as_secs_f64()
                .ceil() as u64;
            let runs = match self.executions {
                Some(executions) => executions
                    .saturating_sub(Statistics::total(&self.directory)?.executions as u64)
                    as i64,
                // libFuzzer's value for no limit.
                None => -1,
            };
            if left == 0 || runs == 0 {
                break;
            }
            if run == MAX_RUNS {
                bail!(
                    "{} crashed {MAX_RUNS} times:\n{}",
                    self.program.display(),
                    end_of(&fs::read(self.path("log"))?)
                );
            }
            let mut command = Command::new(&self.program);
            command
                .arg(self.path("corpus"))
                .env("ZESTER_STATS", self.path(&format!("stats.{run}")));
            command.args([
                format!("-seed={}", self.seed + run * 1_000),
                format!("-max_total_time={left}"),
                format!("-runs={runs}"),
            ]);
            command
                .arg(format!(
                    "-artifact_prefix={}/",
                    self.path("crashes").display()
                ))
                .arg("-timeout=10")
                .args(&self.flags);
            command.envs(self.environment.iter().map(|(name, value)| (name, value)));
            // A crash ends a run, not the campaign.
            let _ = logged(&mut command, &self.path("log"))?
                .status()
                .with_context(|| format!("cannot run {}", self.program.display()))?;
            if self.found()? {
                break;
            }
        }
        let total = Statistics::total(&self.directory)?;
        // On a busy machine, a target may load its grammar for longer than the campaign lasts.
        if total.executions == 0.0
            && self.seconds > 0
            && crashes(&self.directory)? == 0
            && !self.found()?
        {
            bail!(
                "{} ran nothing in {} s:\n{}",
                self.program.display(),
                self.seconds,
                end_of(&fs::read(self.path("log"))?)
            );
        }
        Ok(total)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Returns whether the log has a line that ends the campaign.
    pub fn found(&self) -> Result<bool> {
        let Some(until) = &self.until else {
            return Ok(false);
        };
        let log = self.log()?;
        Ok(log.lines().any(|line| until.is_match(line)))
    }

    /// Returns the output of all runs.
    pub fn log(&self) -> Result<String> {
        let log = fs::read(self.path("log"))?;
        Ok(String::from_utf8_lossy(&log).into_owned())
    }

    /// Returns the file of the last crash.
    pub fn last_crash(&self) -> Result<Option<PathBuf>> {
        let log = self.log()?;
        let mut written = log
            .lines()
            .filter_map(|line| line.split_once("Test unit written to "));
        Ok(written.next_back().map(|(_, path)| PathBuf::from(path)))
    }
}

/// Returns the number of crashes of the campaign in a directory.
pub fn crashes(directory: &Path) -> Result<usize> {
    Ok(files(&directory.join("crashes"))?.len())
}

/// Calls `work` with each task, on at most `slots` threads. Returns the first error after all tasks
/// have ended.
pub fn in_parallel<T: Send>(
    slots: usize,
    tasks: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let (queue, errors) = (
        Mutex::new(tasks.into_iter().collect::<VecDeque<T>>()),
        Mutex::new(Vec::new()),
    );
    thread::scope(|scope| {
        for _ in 0..slots.max(1) {
            scope.spawn(|| {
                loop {
                    let task = queue
                        .lock()
                        .expect("no thread panics while it takes a task")
                        .pop_front();
                    let Some(task) = task else { break };
                    if let Err(error) = work(task) {
                        errors
                            .lock()
                            .expect("no thread panics while it adds an error")
                            .push(error);
                    }
                }
            });
        }
    });
    match errors
        .into_inner()
        .expect("no thread panics while it adds an error")
        .into_iter()
        .next()
    {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Writes a script that acts as a fuzz target.
    fn target(directory: &Path, script: &str) -> PathBuf {
        let program = directory.join("target");
        zester_xtask::command::script(&program, &format!("#!/bin/sh\n{script}\n")).unwrap();
        program
    }

    const LINE: &str = r#"echo '{"seconds":1,"executions":10,"valid":5,"invalid":5,"edges":1,"valid_edges":1,"mean_sentence_bytes":2}' >"$ZESTER_STATS""#;

    #[test]
    fn a_campaign_continues_after_a_crash_until_its_executions_are_done() {
        let directory = tempfile::tempdir().unwrap();
        let program = target(directory.path(), &format!("{LINE}\necho \"$@\"\nexit 77"));
        let campaign = Campaign {
            executions: Some(25),
            ..Campaign::new(&program, &directory.path().join("c"), 7, 60)
        };
        let total = campaign.run().unwrap();
        assert_eq!(
            (total.executions, total.valid, total.bytes),
            (30.0, 15.0, 60.0)
        );
        let log = campaign.log().unwrap();
        let found: Vec<bool> = [
            "-seed=7 ",
            "-seed=1007 ",
            "-seed=2007 ",
            "-runs=25 ",
            "-runs=5 ",
        ]
        .iter()
        .map(|part| log.contains(part))
        .collect();
        assert_eq!(found, [true; 5], "{log}");
        assert!(!log.contains("-seed=3007"), "{log}");
    }

    #[test]
    fn a_campaign_ends_when_a_line_matches() {
        let directory = tempfile::tempdir().unwrap();
        let program = target(
            directory.path(),
            "echo \"signature: C1\"; echo 'x; Test unit written to /tmp/crash-1'; exit 77",
        );
        let mut campaign =
            Campaign::new(&program, &directory.path().join("c"), 1, 60).hunting("C1");
        campaign.until = Some(Regex::new("^signature: C1$").unwrap());
        campaign.run().unwrap();
        assert!(campaign.found().unwrap());
        assert_eq!(campaign.log().unwrap().lines().count(), 2);
        assert_eq!(campaign.last_crash().unwrap(), Some("/tmp/crash-1".into()));
    }

    #[test]
    fn a_campaign_without_runs_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let program = target(directory.path(), "echo loading; sleep 1");
        let error = Campaign::new(&program, &directory.path().join("c"), 1, 1)
            .run()
            .unwrap_err()
            .to_string();
        assert!(error.contains("ran nothing in 1 s:\nloading"), "{error}");
    }

    #[test]
    fn tasks_share_slots_and_the_first_error_is_returned() {
        let (now, peak, done) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        let result = in_parallel(2, 0..6, |task| {
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
            if task == 3 { bail!("task 3") } else { Ok(()) }
        });
        assert_eq!(
            (
                peak.into_inner(),
                done.into_inner(),
                result.unwrap_err().to_string().as_str()
            ),
            (2, 6, "task 3")
        );
    }
}
