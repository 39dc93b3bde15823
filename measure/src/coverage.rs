//! Runs the program that counts the edges of texts in a subject.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Result, bail};

use crate::programs;
use crate::repository::coverage_subjects;

/// Counts the edges that text files cover in a subject, without any code of zester's.
///
/// Builds fuzz/coverage with SanitizerCoverage into target/coverage if it is not up to date, on stable Rust (COVERAGE_TOOLCHAIN names
/// another rustup toolchain), then runs it where you are. For example:
///
///   scripts/coverage wgsl --json corpus/wgsl
///
///   find out -name '*.json' | scripts/coverage json --functions --list -
#[derive(clap::Args)]
pub struct Coverage {
    /// The program under test: a name in fuzz/coverage/src/bin.
    subject: String,
    /// Options, files and directories; `scripts/coverage SUBJECT -- --help` lists the options.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<OsString>,
}

impl Coverage {
    /// Counts.
    pub fn run(&self) -> Result<()> {
        let subjects = coverage_subjects()?;
        if !subjects.contains(&self.subject) {
            bail!("no subject {}; there are: {}", self.subject, subjects.join(" "));
        }
        let mut command = Command::new(programs::coverage(&self.subject)?);
        Err(command.args(&self.arguments).exec().into())
    }
}
