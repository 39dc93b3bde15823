//! Fuzzes a program in C with libFuzzer.

use std::ffi::OsString;

use anyhow::Result;

use super::start::Start;
use super::{check_target, corpus, listed};
use crate::c::fuzz_target;
use crate::repository::{c_targets, file, target_directory};
use crate::zester::Zester;

const EXAMPLES: &str = "\
Examples:
  scripts/fuzz-c sqlite -max_total_time=60
  scripts/fuzz-c --sanitizer none lua my-corpus -max_len=200
  scripts/fuzz-c sqlite -use_value_profile=1          also collects unusual numbers; a sixth fewer executions
";

/// Fuzzes a C program with libFuzzer, AddressSanitizer and sentences of a grammar.
///
/// The newest clang compiles it; on Debian, clang is installed if it is missing. `zester fuzz` runs it
/// and shows what is found. A run ends only with -max_total_time=SECONDS, -runs=N, or Ctrl-C, which
/// loses nothing. The
/// documentation (`zester::hooks`) lists the settings, such as ZESTER_STATS. Each is also a flag: --zester_stats=FILE.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct FuzzC {
    /// The sanitizers, separated by commas: address, undefined, memory, or none.
    #[arg(long, default_value = "address", value_name = "NAME")]
    sanitizer: String,
    /// The fuzz target.
    target: String,
    /// The corpus, which is made if it is missing, or one input to run and show; then flags of
    /// libFuzzer [default corpus: fuzz/corpus/TARGET-c].
    #[arg(
        value_name = "CORPUS | FLAG",
        allow_hyphen_values = true,
        trailing_var_arg = true
    )]
    arguments: Vec<OsString>,
}

fn after_help() -> String {
    format!(
        "{EXAMPLES}\nTargets:\n{}",
        listed("fuzz/c", "c", &c_targets().unwrap_or_default())
    )
}

impl FuzzC {
    /// Builds the target and fuzzes.
    pub fn run(&self) -> Result<()> {
        check_target(&self.target, &c_targets()?)?;
        let (corpus, flags) = corpus(
            &self.arguments,
            file("fuzz/corpus").join(format!("{}-c", self.target)),
        )?;
        let sanitizer = if self.sanitizer == "none" {
            ""
        } else {
            &self.sanitizer
        };
        let program = target_directory().join("c").join(&self.target);
        let zester = Zester::build()?;
        fuzz_target(&self.target, sanitizer, zester.path(), &program)?;
        let start = Start {
            called: &format!("scripts/fuzz-c {}", self.target),
            program: &program,
            artifacts: &format!("{}-c", self.target),
            corpus: &corpus,
            options: &[],
            flags,
        };
        match start.run(&zester, &[])? {}
    }
}
