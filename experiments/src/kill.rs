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

use zester_xtask::command::{self, completed, end_of, logged, quietly};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::Zester;

/// Kills runs of the json target on one corpus with SIGKILL, after 0.2 to 2 s each, and checks the
/// corpus.
///
/// A later run must neither remove nor change a file of the corpus. libFuzzer names a file by the
/// SHA-1 of its bytes, which identifies a file that was cut short because the kill came while it
/// was written. There may be at most one such file for each run. Then the panics target runs under -fork=2 -ignore_crashes=1
/// and must continue to the end of its time. Last, `zester grow` is killed ten times while it grows
/// a corpus of the json target. It must go on each time, and change no fuzzer that was finished. On
/// a disk that becomes full it must end with a message and without a result. That part needs the
/// right to mount a file system.
#[derive(clap::Args)]
pub struct Kill {
    /// The number of runs.
    #[arg(default_value_t = 50, default_value_if("quick", "true", "3"))]
    runs: u64,
    /// The duration of the run with -fork in seconds.
    #[arg(long, default_value_t = 30, default_value_if("quick", "true", "5"))]
    fork_seconds: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Kill {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let work = work.path();
        let (program, corpus, log) = (work.join("json"), work.join("corpus"), work.join("log"));
        programs::fuzz_target("json", Sanitizer::None, Engine::Libfuzzer, &program)?;
        fs::create_dir(&corpus)?;
        let (mut rng, mut before, mut faults) = (SmallRng::seed_from_u64(1), BTreeMap::new(), 0);
        for run in 1..=self.runs {
            let mut target = Command::new(&program);
            target
                .arg(&corpus)
                .arg(format!("-seed={run}"))
                .arg(format!("-artifact_prefix={}/", work.display()));
            let mut process = logged(&mut target, &log)?.spawn()?;
            sleep(Duration::from_millis(rng.random_range(200..2_000)));
            if process.try_wait()?.is_some() {
                bail!(
                    "the run ended before it was killed:\n{}",
                    end_of(&fs::read(&log)?)
                );
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
        self.fork(work)?;
        self.grow(work)?;
        full_disk(work)
    }

    /// Kills `zester grow` at random moments, and checks that no finished fuzzer changes and that
    /// the command ends at last.
    fn grow(&self, work: &Path) -> Result<()> {
        let (zester, program, suite) = (Zester::build()?, work.join("json"), work.join("suite"));
        let grow = || {
            let mut grow = zester.command("grow");
            grow.arg(&program)
                .arg("-o")
                .arg(&suite)
                .args(["--bounds", "2,2,2", "--time", "1"]);
            grow
        };
        let (mut rng, mut before, mut kills) = (SmallRng::seed_from_u64(2), BTreeMap::new(), 0);
        for _ in 0..self.runs.min(10) {
            let mut process = logged(&mut grow(), &work.join("log"))?.spawn()?;
            sleep(Duration::from_millis(rng.random_range(200..3_000)));
            if process.try_wait()?.is_some() {
                break;
            }
            process.kill()?;
            process.wait()?;
            kills += 1;
            let after = finished(&work.join("suite.grow"))?;
            let changed: Vec<&String> = before
                .iter()
                .filter(|&(name, node)| after.get(name) != Some(node))
                .map(|(name, _)| name)
                .collect();
            ensure!(
                changed.is_empty(),
                "finished fuzzers are missing or changed: {changed:?}"
            );
            before = after;
        }
        let text = completed(&mut grow())?.text;
        ensure!(
            suite.join("suite.json").exists(),
            "the corpus did not grow to the end:\n{text}"
        );
        println!(
            "grow: killed {kills} times, {} fuzzers had finished before the last run, none was lost",
            before.len()
        );
        Ok(())
    }

    /// Checks that crashes do not end a run with -fork.
    fn fork(&self, work: &Path) -> Result<()> {
        let (program, corpus, crashes) = (
            work.join("panics"),
            work.join("sentences"),
            work.join("crashes"),
        );
        programs::fuzz_target("panics", Sanitizer::None, Engine::Libfuzzer, &program)?;
        fs::create_dir(&corpus)?;
        fs::create_dir(&crashes)?;
        let mut fork = Command::new(&program);
        fork.arg(&corpus)
            .args(["-fork=2", "-ignore_crashes=1"])
            .arg(format!("-max_total_time={}", self.fork_seconds));
        let text = completed(fork.arg(format!("-artifact_prefix={}/", crashes.display())))?.text;
        println!(
            "{}",
            text.lines()
                .rfind(|line| line.starts_with('#'))
                .unwrap_or_default()
        );
        ensure!(
            text.contains("fuzzed for "),
            "-fork did not go on to the end:\n{}",
            end_of(text.as_bytes())
        );
        Ok(())
    }
}

/// Grows a corpus on a disk of 7 MB, of which `zester grow` leaves 4 MB free.
fn full_disk(work: &Path) -> Result<()> {
    let disk = work.join("disk");
    fs::create_dir(&disk)?;
    let mounted = completed(
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=7m", "tmpfs"])
            .arg(&disk),
    )?;
    if !mounted.succeeded() {
        println!(
            "grow on a full disk: not tested, because no file system can be mounted: {}",
            mounted.text.trim()
        );
        return Ok(());
    }
    let (zester, suite) = (Zester::build()?, disk.join("suite"));
    let grown = completed(
        zester
            .command("grow")
            .arg(work.join("json"))
            .arg("-o")
            .arg(&suite)
            .args(["--bounds", "3,3,3", "--time", "5"]),
    );
    let is_there = suite.exists();
    quietly(Command::new("umount").arg(&disk))?;
    let grown = grown?;
    ensure!(
        grown.status == Some(2) && grown.text.contains("the disk is full") && !is_there,
        "grow on a full disk: {grown:?}"
    );
    println!("grow on a full disk: ended with a message and without a result");
    Ok(())
}

/// Returns the content of `node.json` and the names in the corpus of each finished fuzzer.
fn finished(directory: &Path) -> Result<BTreeMap<String, String>> {
    let mut nodes = BTreeMap::new();
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && !name.ends_with(".partial") {
            let node = fs::read_to_string(path.join("node.json"))?;
            nodes.insert(name, format!("{node}{:?}", sums(&path.join("corpus"))?));
        }
    }
    Ok(nodes)
}

/// Returns the SHA-1 of each file of a directory.
fn sums(directory: &Path) -> Result<BTreeMap<String, String>> {
    // Empty files count, too, because they were cut short.
    let files: Vec<_> = fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    if files.is_empty() {
        return Ok(BTreeMap::new());
    }
    let text = command::output(Command::new("sha1sum").args(&files).stdin(Stdio::null()))?;
    let sum = |line: &str| {
        let (sum, path) = line.split_once("  ")?;
        Some((
            Path::new(path).file_name()?.to_string_lossy().into_owned(),
            sum.to_owned(),
        ))
    };
    Ok(String::from_utf8_lossy(&text)
        .lines()
        .filter_map(sum)
        .collect())
}

/// Returns the files of the first set that the second one lacks or has with other content.
fn damaged(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    before
        .iter()
        .filter(|(name, sum)| after.get(*name) != Some(*sum))
        .map(|(name, _)| name.clone())
        .collect()
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
        assert_eq!(
            before.iter().filter(|(name, sum)| name != sum).count(),
            2,
            "{before:?}"
        );
        write("b", "changed");
        write("d", "new");
        fs::remove_file(directory.path().join("c")).unwrap();
        assert_eq!(
            damaged(&before, &sums(directory.path()).unwrap()),
            ["b", "c"]
        );
    }
}
