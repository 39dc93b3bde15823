//! Whether a corpus survives kill -9.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::command::{self, end_of, logged, said};
use crate::programs::{self, Engine, Sanitizer};

/// Kills runs of the json target on one corpus with SIGKILL, after 0.2 to 2 s each, and looks for damage.
///
/// No file of the corpus that is there after a run may be missing or changed after a later one. libFuzzer names a file by the
/// SHA-1 of its bytes; this tells a file that was cut short, because the kill came while it was written: at most one a
/// run. Then the panics target runs under -fork=2 -ignore_crashes=1 and must go on to the end.
#[derive(clap::Args)]
pub struct Kill {
    /// Runs.
    #[arg(default_value_t = 50, default_value_if("quick", "true", "3"))]
    runs: u64,
    /// Seconds of the run with -fork.
    #[arg(long, default_value_t = 30, default_value_if("quick", "true", "5"))]
    fork_seconds: u64,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

impl Kill {
    /// Measures.
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
        let (runs, kept) = (self.runs, before.len());
        println!(
            "{runs} runs killed: {kept} files in the corpus, {faults} missing or changed, {torn} cut short while they were written"
        );
        ensure!(kept > 0, "the runs kept nothing");
        ensure!(faults == 0 && torn as u64 <= runs, "the corpus is damaged");
        self.fork(work)
    }

    /// Crashes do not end a run with -fork.
    fn fork(&self, work: &Path) -> Result<()> {
        let (program, corpus, crashes) = (work.join("panics"), work.join("sentences"), work.join("crashes"));
        programs::fuzz_target("panics", Sanitizer::None, Engine::Libfuzzer, &program)?;
        fs::create_dir(&corpus)?;
        fs::create_dir(&crashes)?;
        let mut fork = Command::new(&program);
        fork.arg(&corpus).args(["-fork=2", "-ignore_crashes=1"]).arg(format!("-max_total_time={}", self.fork_seconds));
        let text = said(fork.arg(format!("-artifact_prefix={}/", crashes.display())))?.text;
        println!("{}", text.lines().rfind(|line| line.starts_with('#')).unwrap_or_default());
        ensure!(text.contains("fuzzed for "), "-fork did not go on to the end:\n{}", end_of(text.as_bytes()));
        Ok(())
    }
}

/// The SHA-1 of each file of a directory.
fn sums(directory: &Path) -> Result<BTreeMap<String, String>> {
    // Empty files count, too: they were cut short.
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

/// The files of the first set that the second lacks, or has with another content.
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
