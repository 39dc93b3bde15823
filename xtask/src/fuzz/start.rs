//! Starts `zester fuzz` on a target of this repository.

use std::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::shown;
use crate::repository::file;
use crate::zester::Zester;

/// What is fuzzed.
pub struct Start<'a> {
    /// The command that the user typed, without corpus and flags: `scripts/fuzz json`.
    pub called: &'a str,
    /// The built fuzz target.
    pub program: &'a Path,
    /// The name of its directory of artifacts in `fuzz/artifacts`.
    pub artifacts: &'a str,
    /// The corpus.
    pub corpus: &'a Path,
    /// Flags of `zester fuzz`.
    pub options: &'a [&'a str],
    /// Flags of libFuzzer.
    pub flags: &'a [OsString],
}

impl Start<'_> {
    fn command(&self, zester: &Zester) -> Command {
        let mut command = zester.command("fuzz");
        command
            .arg(self.program)
            .arg(self.corpus)
            .args(["--called", self.called])
            .args(self.options)
            .arg("--artifacts")
            .arg(file("fuzz/artifacts").join(self.artifacts))
            .arg("--")
            .args(self.flags);
        command
    }

    /// Replaces this process by `zester fuzz`, with more environment variables.
    pub fn run(&self, zester: &Zester, variables: &[(&str, &str)]) -> Result<Infallible> {
        let mut command = self.command(zester);
        let error = command.envs(variables.iter().copied()).exec();
        Err(error).with_context(|| format!("cannot run {}", shown(&command)))
    }
}
