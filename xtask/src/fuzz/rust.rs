//! Fuzzes a program in Rust with libFuzzer.

use std::ffi::OsString;

use anyhow::Result;

use super::start::Start;
use super::{check_target, corpus, listed};
use crate::command::visibly;
use crate::programs::{Engine, Sanitizer, cargo_fuzz, host};
use crate::repository::{file, rust_targets};
use crate::zester::Zester;

const EXAMPLES: &str = "\
Examples:
  scripts/fuzz wgsl -max_total_time=60
  scripts/fuzz json my-corpus -max_len=200
";

/// Fuzzes a Rust program with libFuzzer and sentences of a grammar.
///
/// Builds the target with stable Rust and without a sanitizer, and starts `zester fuzz`, which shows
/// what is found. A run ends only with -max_total_time=SECONDS, -runs=N, or Ctrl-C, which loses
/// nothing. cargo-fuzz is installed if it is missing. The documentation (`zester::hooks`) lists the
/// settings, such as ZESTER_BOUNDS.
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
        let (mut cargo, directory) = cargo_fuzz("build", &self.target, sanitizer, engine)?;
        visibly(cargo.arg(&self.target))?;
        // These targets fuzz zester itself, so its code must count as coverage.
        let is_own = ["encode", "notation", "parse"].contains(&self.target.as_str());
        let covers = is_own && std::env::var_os("ZESTER_COVER").is_none();
        let start = Start {
            called: &format!("scripts/fuzz {}", self.target),
            program: &directory.join(host()?).join("release").join(&self.target),
            artifacts: &self.target,
            corpus: &corpus,
            // LibAFL's engine starts its own processes.
            options: if self.libafl { &["-j", "1"] } else { &[] },
            flags,
        };
        let variables: &[_] = if covers {
            &[("ZESTER_COVER", "zester,lalrpop_util")]
        } else {
            &[]
        };
        match start.run(&Zester::build()?, variables)? {}
    }
}
