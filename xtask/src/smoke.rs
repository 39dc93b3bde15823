//! Tests of whole programs from outside: fuzz targets and the command line together. `scripts/check
//! --all` runs all four.

pub mod afl;
pub mod c;
pub mod crates;
pub mod rust;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
use regex::Regex;
use tempfile::TempDir;

use crate::command::{Completed, completed, end_of, shown};

/// A temporary directory for a test.
struct Test {
    directory: TempDir,
}

impl Test {
    fn new() -> Result<Self> {
        Ok(Self {
            directory: tempfile::tempdir()?,
        })
    }

    /// Returns a path in the directory.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file in the directory.
    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<PathBuf> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text)?;
        Ok(path)
    }

    /// Makes a new directory in the directory.
    fn directory(&self, name: &str) -> Result<PathBuf> {
        std::fs::create_dir(self.path(name))?;
        Ok(self.path(name))
    }

    /// Returns libFuzzer's flag for writing crashes to the directory. Their names begin with the
    /// name of the program.
    fn artifacts(&self, program: &str) -> String {
        format!(
            "-artifact_prefix={}/{program}-",
            self.directory.path().display()
        )
    }

    /// Returns the only crash of a program.
    fn crash(&self, program: &str) -> Result<PathBuf> {
        let prefix = format!("{program}-crash-");
        let mut crashes = Vec::new();
        for entry in std::fs::read_dir(self.directory.path())? {
            let entry = entry?;
            crashes.extend(
                entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with(&prefix)
                    .then(|| entry.path()),
            );
        }
        match &crashes[..] {
            [crash] => Ok(crash.clone()),
            others => bail!("{program}: {} crashes instead of one", others.len()),
        }
    }
}

/// Runs a command that must succeed.
fn must(command: &mut Command) -> Result<Completed> {
    let completed = completed(command)?;
    if !completed.succeeded() {
        bail!(
            "{} failed (status {}):\n{}",
            shown(command),
            completed.shell_status(),
            end_of(completed.text.as_bytes())
        );
    }
    Ok(completed)
}

/// Runs a command that must fail.
fn must_not(command: &mut Command) -> Result<Completed> {
    let completed = completed(command)?;
    if completed.succeeded() {
        bail!(
            "{} does not fail:\n{}",
            shown(command),
            end_of(completed.text.as_bytes())
        );
    }
    Ok(completed)
}

impl Completed {
    /// Fails with this message unless a line matches.
    fn says(&self, pattern: &str, otherwise: &str) -> Result<()> {
        self.line(pattern, otherwise).map(|_| ())
    }

    /// Returns the first line that matches; fails with this message if none does.
    fn line(&self, pattern: &str, otherwise: &str) -> Result<&str> {
        let regex = Regex::new(pattern)?;
        match self.text.lines().find(|line| regex.is_match(line)) {
            Some(line) => Ok(line),
            None => bail!(
                "{otherwise}: nothing matches `{pattern}` in:\n{}",
                end_of(self.text.as_bytes())
            ),
        }
    }

    /// Returns the number of lines that match.
    fn count(&self, pattern: &str) -> Result<usize> {
        let regex = Regex::new(pattern)?;
        Ok(self
            .text
            .lines()
            .filter(|line| regex.is_match(line))
            .count())
    }

    /// Returns at most this number of lines after the first one that matches.
    fn after(&self, pattern: &str, lines: usize) -> Result<String> {
        let regex = Regex::new(pattern)?;
        let after = self
            .text
            .lines()
            .skip_while(|line| !regex.is_match(line))
            .skip(1)
            .take(lines);
        Ok(after.collect::<Vec<_>>().join("\n"))
    }
}

/// Returns the number of regular files of a directory that are not empty.
fn file_count(directory: &Path) -> Result<usize> {
    Ok(crate::zester::files(directory)?.len())
}
