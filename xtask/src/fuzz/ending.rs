//! Runs a fuzzer to its end, and says what to do with what it found.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::shown;

/// The maximum number of new artifacts that are named.
const NAMED: usize = 3;

/// What a run leaves, and how the user goes on with it.
pub struct Ending<'a> {
    /// The directory of the artifacts.
    pub artifacts: &'a Path,
    /// The beginning of their names.
    pub prefix: &'a str,
    /// The command that the user typed, without arguments: `scripts/fuzz json`.
    pub script: &'a str,
    /// The program that was fuzzed.
    pub program: &'a Path,
}

impl Ending<'_> {
    /// Runs a fuzzer, prints what to do with new artifacts, and ends this process with the
    /// fuzzer's status. Ctrl-C ends the fuzzer, which then prints its statistics.
    pub fn run(&self, command: &mut Command) -> Result<()> {
        let ignored = std::sync::Arc::default();
        signal_hook::flag::register(signal_hook::consts::SIGINT, ignored)?;
        let before = self.found();
        // A failing target is not a failure of cargo-fuzz, so its own backtrace says nothing.
        let status = command
            .env("RUST_LIB_BACKTRACE", "0")
            .status()
            .with_context(|| format!("cannot run {}", shown(command)))?;
        let new: Vec<PathBuf> = self.found().difference(&before).cloned().collect();
        eprint!("{}", self.advice(&new));
        let signal = || 128 + status.signal().unwrap_or(0);
        std::process::exit(status.code().unwrap_or_else(signal))
    }

    /// Returns the artifacts: crashes, time-outs, leaks and cases of too much memory.
    fn found(&self) -> BTreeSet<PathBuf> {
        let is_artifact = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.strip_prefix(self.prefix).unwrap_or_default();
            let kinds = ["crash-", "timeout-", "oom-", "leak-"];
            kinds.iter().any(|kind| name.starts_with(kind)) && path.extension().is_none()
        };
        let files = fs::read_dir(self.artifacts).into_iter().flatten().flatten();
        files.map(|file| file.path()).filter(is_artifact).collect()
    }

    /// Returns what to do with new artifacts.
    fn advice(&self, new: &[PathBuf]) -> String {
        let Ending {
            script, program, ..
        } = self;
        let mut text = String::new();
        for artifact in new.iter().take(NAMED) {
            let (artifact, program) = (artifact.display(), program.display());
            text += &format!(
                "\nThe program under test failed. The sentence stands above, after \"the sentence of \
                 this run\".\n  run it again:  {script} {artifact}\n  make it small: zester reduce \
                 {program} {artifact}\n"
            );
        }
        if new.len() > NAMED {
            text += &format!(
                "\n{} more artifacts are in the same directory.\n",
                new.len() - NAMED
            );
        }
        if !new.is_empty() {
            text += &format!(
                "  go on:         {script} -fork=1 -ignore_crashes=1\n(cargo install --path cli \
                 installs zester.)\n"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_artifacts_are_found_and_named() {
        let work = tempfile::tempdir().unwrap();
        let ending = Ending {
            artifacts: work.path(),
            prefix: "calc-c-",
            script: "scripts/fuzz-c calc",
            program: Path::new("target/c/calc"),
        };
        for name in [
            "calc-c-crash-1",
            "calc-c-crash-1.reduced",
            "calc-c-slow-unit-2",
            "lua-c-crash-3",
        ] {
            fs::write(work.path().join(name), "").unwrap();
        }
        let found: Vec<PathBuf> = ending.found().into_iter().collect();
        assert_eq!(found, [work.path().join("calc-c-crash-1")]);
        let advice = ending.advice(&found);
        assert!(advice.contains("scripts/fuzz-c calc -fork=1"), "{advice}");
        assert!(advice.contains("zester reduce target/c/calc "), "{advice}");
        assert_eq!(ending.advice(&[]), "");
        fs::write(work.path().join("oom-4"), "").unwrap();
        let all = Ending {
            prefix: "",
            ..ending
        };
        assert_eq!(
            all.found().into_iter().collect::<Vec<_>>(),
            [work.path().join("oom-4")]
        );
    }
}
