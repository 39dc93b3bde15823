//! Counts the edges that texts cover in a subject.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Result, bail};

use crate::programs;
use crate::repository::coverage_subjects;

const EXAMPLES: &str = "\
Examples:
  scripts/coverage wgsl --json corpus/wgsl
  find out -name '*.json' | scripts/coverage json --functions --list -";

/// Counts the edges that text files cover in a subject, with a program that contains no code of
/// zester.
///
/// If necessary, builds fuzz/coverage with SanitizerCoverage into target/coverage, with stable
/// Rust. The variable COVERAGE_TOOLCHAIN names another rustup toolchain. Then runs the program in
/// the current directory.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Coverage {
    /// The program under test, a name in fuzz/coverage/src/bin.
    subject: String,
    /// Options, files and directories; `scripts/coverage SUBJECT -- --help` lists the options.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<OsString>,
}

impl Coverage {
    /// Runs the program.
    pub fn run(&self) -> Result<()> {
        let subjects = coverage_subjects()?;
        if !subjects.contains(&self.subject) {
            bail!(
                "no subject {}; there are: {}",
                self.subject,
                subjects.join(" ")
            );
        }
        let mut command = Command::new(programs::coverage(&self.subject)?);
        Err(command.args(&self.arguments).exec().into())
    }
}
