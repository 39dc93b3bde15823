//! Fuzzing campaigns: runs of a fuzz target that go on after crashes, several of them in parallel.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use regex::Regex;

use crate::command::{end_of, logged};
use crate::statistics::Statistics;
use crate::zester::files;

/// Runs of a crashing target after which a campaign gives up.
const MOST_RUNS: u64 = 1_000;

/// A campaign: a fuzz target runs for some time, and runs again after each crash, with the corpus that it has.
///
/// Its directory holds `corpus`, `crashes`, `log`, and a file of statistics for each run: `stats.0`, `stats.1`, ….
pub struct Campaign {
    /// The fuzz target.
    pub program: PathBuf,
    /// The directory of the campaign, which is made if it is missing.
    pub directory: PathBuf,
    /// libFuzzer's seed of the first run; a later run adds 1,000.
    pub seed: u64,
    /// Seconds in all.
    pub seconds: u64,
    /// Executions in all, if they end it.
    pub executions: Option<u64>,
    /// It ends when a line of the log of a run matches.
    pub until: Option<Regex>,
    /// Variables of the environment.
    pub environment: Vec<(String, String)>,
    /// libFuzzer's flags.
    pub flags: Vec<String>,
}

impl Campaign {
    /// A campaign that ends by its time only.
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

    /// Has known faults of the subject (`fuzz/subjects/src/known.rs`) end a run only if they are this one; `none` is no fault.
    pub fn hunting(mut self, fault: &str) -> Self {
        self.environment.push(("HUNT".into(), fault.into()));
        self
    }

    /// Runs it: what it did in all.
    pub fn run(&self) -> Result<Statistics> {
        for name in ["corpus", "crashes"] {
            fs::create_dir_all(self.path(name)).with_context(|| format!("cannot make {}", self.path(name).display()))?;
        }
        let end = Instant::now() + Duration::from_secs(self.seconds);
        for run in 0.. {
            // Rounded up: libFuzzer counts whole seconds, and 0 would mean no limit.
            let left = end.saturating_duration_since(Instant::now()).as_secs_f64().ceil() as u64;
            let runs = match self.executions {
                Some(wanted) => wanted.saturating_sub(Statistics::total(&self.directory)?.executions as u64) as i64,
                // libFuzzer's value for no limit.
                None => -1,
            };
            if left == 0 || runs == 0 {
                break;
            }
            if run == MOST_RUNS {
                bail!("{} crashed {MOST_RUNS} times:\n{}", self.program.display(), end_of(&fs::read(self.path("log"))?));
            }
            let mut command = Command::new(&self.program);
            command.arg(self.path("corpus")).env("ZESTER_STATS", self.path(&format!("stats.{run}")));
            command.args([
                format!("-seed={}", self.seed + run * 1_000),
                format!("-max_total_time={left}"),
                format!("-runs={runs}"),
            ]);
            command.arg(format!("-artifact_prefix={}/", self.path("crashes").display())).arg("-timeout=10").args(&self.flags);
            command.envs(self.environment.iter().map(|(name, value)| (name, value)));
            // What crashes ends a run, not the campaign.
            let _ = logged(&mut command, &self.path("log"))?
                .status()
                .with_context(|| format!("cannot run {}", self.program.display()))?;
            if self.found()? {
                break;
            }
        }
        Statistics::total(&self.directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Whether the log has a line that was to end the campaign.
    pub fn found(&self) -> Result<bool> {
        let Some(until) = &self.until else { return Ok(false) };
        let log = self.log()?;
        Ok(log.lines().any(|line| until.is_match(line)))
    }

    /// What all runs said.
    pub fn log(&self) -> Result<String> {
        log(&self.directory)
    }

    /// The file of the last crash.
    pub fn last_crash(&self) -> Result<Option<PathBuf>> {
        let log = self.log()?;
        let mut written = log.lines().filter_map(|line| line.split_once("Test unit written to "));
        Ok(written.next_back().map(|(_, path)| PathBuf::from(path)))
    }
}

/// What all runs of the campaign in a directory said.
pub fn log(directory: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(directory.join("log"))?).into_owned())
}

/// How many crashes the campaign in a directory has.
pub fn crashes(directory: &Path) -> Result<usize> {
    Ok(files(&directory.join("crashes"))?.len())
}

/// Calls `work` with each task, at most so many at a time; ends when all have ended, with the first error if there is one.
pub fn in_parallel<T: Send>(
    slots: usize,
    tasks: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let (queue, errors) = (Mutex::new(tasks.into_iter().collect::<VecDeque<T>>()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..slots.max(1) {
            scope.spawn(|| {
                loop {
                    let task = queue.lock().expect("no thread panics while it takes a task").pop_front();
                    let Some(task) = task else { break };
                    if let Err(error) = work(task) {
                        errors.lock().expect("no thread panics while it adds an error").push(error);
                    }
                }
            });
        }
    });
    match errors.into_inner().expect("no thread panics while it adds an error").into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A program that stands for a fuzz target: a script.
    fn target(directory: &Path, script: &str) -> PathBuf {
        let program = directory.join("target");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    const LINE: &str = r#"echo '{"seconds":1,"executions":10,"valid":5,"invalid":5,"edges":1,"valid_edges":1,"mean_sentence_bytes":2}' >"$ZESTER_STATS""#;

    #[test]
    fn a_campaign_goes_on_after_a_crash_until_its_executions_are_done() {
        let directory = tempfile::tempdir().unwrap();
        let program = target(directory.path(), &format!("{LINE}\necho \"$@\"\nexit 77"));
        let campaign = Campaign { executions: Some(25), ..Campaign::new(&program, &directory.path().join("c"), 7, 60) };
        let total = campaign.run().unwrap();
        assert_eq!((total.executions, total.valid, total.bytes), (30.0, 15.0, 60.0));
        let log = campaign.log().unwrap();
        let told: Vec<bool> =
            ["-seed=7 ", "-seed=1007 ", "-seed=2007 ", "-runs=25 ", "-runs=5 "].iter().map(|part| log.contains(part)).collect();
        assert_eq!(told, [true; 5], "{log}");
        assert!(!log.contains("-seed=3007"), "{log}");
    }

    #[test]
    fn a_campaign_ends_with_what_it_was_to_find() {
        let directory = tempfile::tempdir().unwrap();
        let program = target(directory.path(), "echo \"signature: C1\"; echo 'x; Test unit written to /tmp/crash-1'; exit 77");
        let mut campaign = Campaign::new(&program, &directory.path().join("c"), 1, 60).hunting("C1");
        campaign.until = Some(Regex::new("^signature: C1$").unwrap());
        campaign.run().unwrap();
        assert!(campaign.found().unwrap());
        assert_eq!(campaign.log().unwrap().lines().count(), 2);
        assert_eq!(campaign.last_crash().unwrap(), Some("/tmp/crash-1".into()));
    }

    #[test]
    fn tasks_share_slots_and_the_first_error_is_told() {
        let (now, most, done) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let result = in_parallel(2, 0..6, |task| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
            if task == 3 { bail!("task 3") } else { Ok(()) }
        });
        assert_eq!((most.into_inner(), done.into_inner(), result.unwrap_err().to_string().as_str()), (2, 6, "task 3"));
    }
}
