//! Fuzzes a program in Rust with libFuzzer.

use std::ffi::OsString;

use anyhow::Result;

use super::ending::Ending;
use super::{check_target, corpus, listed};
use crate::programs::{Engine, Sanitizer, cargo_fuzz, host};
use crate::repository::{file, rust_targets};

const EXAMPLES: &str = "\
Examples:
  scripts/fuzz wgsl -max_total_time=60
  ZESTER_STATS=stats.jsonl scripts/fuzz json my-corpus -fork=2
";

/// Fuzzes a Rust program with libFuzzer and sentences of a grammar.
///
/// Uses stable Rust, without a sanitizer. A run ends only with -max_total_time=SECONDS, -runs=N, a
/// crash, or Ctrl-C, which loses nothing. cargo-fuzz is installed if it is missing. The
/// documentation (`zester::hooks`) lists the settings, such as ZESTER_STATS.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Fuzz {
    /// Use AddressSanitizer, which needs a nightly Rust.
    #[arg(long)]
    asan: bool,
    /// Use LibAFL's engine instead of libFuzzer's. Its first build takes minutes, -fork=2 uses two
    /// cores, and it supports only some flags.
    #[arg(long)]
    libafl: bool,
    /// The fuzz target.
    target: String,
    /// The corpus, which is made if it is missing, or one input to run and show; then flags of
    /// libFuzzer [default corpus: fuzz/corpus/TARGET].
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
        listed("fuzz/targets", "rs", &rust_targets().unwrap_or_default())
    )
}

impl Fuzz {
    /// Builds the target and fuzzes.
    pub fn run(&self) -> Result<()> {
        check_target(&self.target, &rust_targets()?)?;
        let (corpus, flags) = corpus(&self.arguments, file("fuzz/corpus").join(&self.target))?;
        let sanitizer = if self.asan {
            Sanitizer::Address
        } else {
            Sanitizer::None
        };
        let engine = if self.libafl {
            Engine::Libafl
        } else {
            Engine::Libfuzzer
        };
        let (mut cargo, directory) = cargo_fuzz("run", &self.target, sanitizer, engine)?;
        // These targets fuzz zester itself, so its code must count as coverage.
        if ["encode", "notation", "parse"].contains(&self.target.as_str())
            && std::env::var_os("ZESTER_COVER").is_none()
        {
            cargo.env("ZESTER_COVER", "zester,lalrpop_util");
        }
        // Paths are relative to the user's directory, but cargo-fuzz runs in the root of the
        // repository.
        let corpus = std::path::absolute(corpus)?;
        cargo.current_dir(std::env::current_dir()?);
        cargo.arg(&self.target).arg(corpus).arg("--").args(flags);
        let ending = Ending {
            artifacts: &file("fuzz/artifacts").join(&self.target),
            prefix: "",
            script: &format!("scripts/fuzz {}", self.target),
            program: &directory.join(host()?).join("release").join(&self.target),
        };
        ending.run(&mut cargo)
    }
}
