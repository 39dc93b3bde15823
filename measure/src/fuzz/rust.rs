//! Fuzzes a program in Rust with libFuzzer.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use anyhow::Result;

use super::{corpus, known, listed};
use crate::programs::{Engine, Sanitizer, cargo_fuzz};
use crate::repository::{file, rust_targets};

/// Fuzzes a program in Rust: libFuzzer on sentences of a grammar.
///
/// Stable Rust without sanitizer. Nothing stops a run but -max_total_time=SECONDS, -runs=N, a finding, or Ctrl-C, which loses nothing.
/// cargo-fuzz is installed if it is missing. README.md lists what zester reads from the environment (ZESTER_STATS,
/// ZESTER_VALID_ONLY, ZESTER_BOUNDS, …). Examples:
///
///   scripts/fuzz wgsl -max_total_time=60
///
///   ZESTER_STATS=stats.jsonl scripts/fuzz json my-corpus -fork=2
#[derive(clap::Args)]
#[command(after_help = targets())]
pub struct Fuzz {
    /// With AddressSanitizer; needs a nightly Rust.
    #[arg(long)]
    asan: bool,
    /// With LibAFL's engine in the place of libFuzzer. Its first build takes minutes; -fork=2 uses two cores; it does not know all flags.
    #[arg(long)]
    libafl: bool,
    /// The fuzz target.
    target: String,
    /// The corpus, which is made if it is missing, or one input to run and show; then flags of libFuzzer [default corpus: fuzz/corpus/TARGET].
    #[arg(value_name = "CORPUS | FLAG", allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<OsString>,
}

fn targets() -> String {
    format!("Targets:\n{}", listed("fuzz/targets", "rs", &rust_targets().unwrap_or_default()))
}

impl Fuzz {
    /// Fuzzes.
    pub fn run(&self) -> Result<()> {
        known(&self.target, &rust_targets()?)?;
        let (corpus, flags) = corpus(&self.arguments, file("fuzz/corpus").join(&self.target))?;
        let sanitizer = if self.asan { Sanitizer::Address } else { Sanitizer::None };
        let engine = if self.libafl { Engine::Libafl } else { Engine::Libfuzzer };
        let (mut cargo, _) = cargo_fuzz("run", &self.target, sanitizer, engine)?;
        // These fuzz zester itself, so that its code counts as coverage.
        if ["encode", "notation", "parse"].contains(&self.target.as_str()) && std::env::var_os("ZESTER_COVER").is_none() {
            cargo.env("ZESTER_COVER", "zester,lalrpop_util");
        }
        // Paths are the user's, but cargo-fuzz runs in the root of the repository.
        let corpus = std::path::absolute(corpus)?;
        cargo.current_dir(std::env::current_dir()?);
        Err(cargo.arg(&self.target).arg(corpus).arg("--").args(flags).exec().into())
    }
}
