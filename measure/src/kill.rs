//! Measures whether a corpus survives kill -9.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::command::{self, completed, end_of, logged};
use crate::programs::{self, Engine, Sanitizer};

/// Kills runs of the json target on one corpus with SIGKILL, after 0.2 to 2 s each, and checks the corpus.
///
/// A later run must neither remove nor change a file of the corpus. libFuzzer names a file by the SHA-1 of its bytes, which
/// identifies a file that was cut short because the kill came while it was written. There may be at most one such file for each
/// run. Then the panics target runs under -fork=2 -ignore_crashes=1 and must continue to the end of its time.
#[derive(clap::Args)]
pub struct Kill {
    /// The number of runs.
    #[arg(default_value_t = 50, default_value_if("quick", "true", "3"))]
    runs: u64,
    /// The duration of the run with -fork in seconds.
    #[arg(long, default_value_t = 30, default_value_if("quick", "true", "5"))]
    fork_seconds: u64,
    /// Reduce all numbers, to test quickly that the measurement works.
    #[arg(long)]
    quick: bool,
}

impl Kill {
    /// Runs the measurement.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let work = work.path();
        let (program, corpus, log) = (work.join("json"), work.join("corpus"), work.join("log"));
        programs::fuzz_target("json", Sanitizer::None, Engine::Libfuzzer, &program)?;
        fs::create_dir(&corpus)?;
        let (mut rng, mut before, mut faults) = (SmallRng::seed_from_u64(1), BTreeMap::new(), 0);
        for run in 1..=self.runs {
            let mut target = Command::new(&program);
            target.arg(&corpus).arg(format!("-seed={run}")).arg(format!("-artifact_prefix={}/", work.display()));
            let mut process = logged(&mut target, &log)?.spawn()?;
            sleep(Duration::from_millis(rng.random_range(200..2_000)));
            if process.try_wait()?.is_some() {
                bail!("the run ended before it was killed:\n{}", end_of(&fs::read(&log)?));
            }
            process.kill()?;
            process.wait()?;
            let after = sums(&corpus)?;
            for name in damaged(&before, &after) {
                println!("missing or changed: {name}");
                faults += 1;
            }
            before = after;
        }
        let torn = before.iter().filter(|(name, sum)| name != sum).count();
        let (runs, count) = (self.runs, before.len());
        println!(
            "{runs} runs killed: {count} files in the corpus, {faults} missing or changed, {torn} cut short while they were written"
        );
        ensure!(count > 0, "the corpus is empty");
        ensure!(faults == 0 && torn as u64 <= runs, "the corpus is damaged");
        self.fork(work)
    }

    /// Checks that crashes do not end a run with -fork.
    fn fork(&self, work: &Path) -> Result<()> {
        let (program, corpus, crashes) = (work.join("panics"), work.join("sentences"), work.join("crashes"));
        programs::fuzz_target("panics", Sanitizer::None, Engine::Libfuzzer, &program)?;
        fs::create_dir(&corpus)?;
        fs::create_dir(&crashes)?;
        let mut fork = Command::new(&program);
        fork.arg(&corpus).args(["-fork=2", "-ignore_crashes=1"]).arg(format!("-max_total_time={}", self.fork_seconds));
        let text = completed(fork.arg(format!("-artifact_prefix={}/", crashes.display())))?.text;
        println!("{}", text.lines().rfind(|line| line.starts_with('#')).unwrap_or_default());
        ensure!(text.contains("fuzzed for "), "-fork did not go on to the end:\n{}", end_of(text.as_bytes()));
        Ok(())
    }
}

/// Returns the SHA-1 of each file of a directory.
fn sums(directory: &Path) -> Result<BTreeMap<String, String>> {
    // Empty files count, too, because they were cut short.
    let files: Vec<_> = fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    if files.is_empty() {
        return Ok(BTreeMap::new());
    }
    let text = command::output(Command::new("sha1sum").args(&files).stdin(Stdio::null()))?;
    let sum = |line: &str| {
        let (sum, path) = line.split_once("  ")?;
        Some((Path::new(path).file_name()?.to_string_lossy().into_owned(), sum.to_owned()))
    };
    Ok(String::from_utf8_lossy(&text).lines().filter_map(sum).collect())
}

/// Returns the files of the first set that the second one lacks or has with other content.
fn damaged(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    before.iter().filter(|(name, sum)| after.get(*name) != Some(*sum)).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", "a");
        write("b", "b");
        write("c", "c");
        let before = sums(directory.path()).unwrap();
        assert_eq!(before.iter().filter(|(name, sum)| name != sum).count(), 2, "{before:?}");
        write("b", "changed");
        write("d", "new");
        fs::remove_file(directory.path().join("c")).unwrap();
        assert_eq!(damaged(&before, &sums(directory.path()).unwrap()), ["b", "c"]);
    }
}
