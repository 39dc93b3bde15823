//! Fuzzes a program in C with libFuzzer.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::Result;

use super::{corpus, known, listed};
use crate::c::fuzz_target;
use crate::repository::{c_targets, file, target_directory};
use crate::zester::Zester;

/// Fuzzes a program in C: libFuzzer, AddressSanitizer, and sentences of a grammar.
///
/// The newest clang is taken, and on Debian installed if there is none. Nothing stops a run but -max_total_time=SECONDS, -runs=N, a
/// finding, or Ctrl-C, which loses nothing. README.md lists what zester reads from the environment (ZESTER_STATS,
/// ZESTER_VALID_ONLY, …); --zester_stats=FILE does the same. Examples:
///
///   scripts/fuzz-c sqlite -max_total_time=60
///
///   scripts/fuzz-c --sanitizer none lua my-corpus -fork=2
///
///   scripts/fuzz-c sqlite -use_value_profile=1       keeps unusual numbers, too; a sixth fewer executions
#[derive(clap::Args)]
#[command(after_help = targets())]
pub struct FuzzC {
    /// address, undefined, memory, several of them between commas, or none.
    #[arg(long, default_value = "address", value_name = "NAME")]
    sanitizer: String,
    /// The fuzz target.
    target: String,
    /// The corpus, which is made if it is missing, or one input to run and show; then flags of libFuzzer [default corpus: fuzz/corpus/TARGET-c].
    #[arg(value_name = "CORPUS | FLAG", allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<OsString>,
}

fn targets() -> String {
    format!("Targets:\n{}", listed("fuzz/c", "c", &c_targets().unwrap_or_default()))
}

impl FuzzC {
    /// Fuzzes.
    pub fn run(&self) -> Result<()> {
        known(&self.target, &c_targets()?)?;
        let (corpus, flags) = corpus(&self.arguments, file("fuzz/corpus").join(format!("{}-c", self.target)))?;
        let sanitizer = if self.sanitizer == "none" { "" } else { &self.sanitizer };
        let (artifacts, program) = (file("fuzz/artifacts"), target_directory().join("c").join(&self.target));
        fs::create_dir_all(&artifacts)?;
        fuzz_target(&self.target, sanitizer, Zester::build()?.path(), &program)?;
        let mut command = Command::new(program);
        command.arg(format!("-artifact_prefix={}/{}-c-", artifacts.display(), self.target));
        Err(command.args(flags).arg(corpus).exec().into())
    }
}
