//! Measures whether zester's own code counts as coverage.

use std::process::Command;

use anyhow::Result;

use zester_xtask::command::quietly;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::files;

/// Fuzzes a target that only decodes its input, without a sanitizer and with AddressSanitizer
/// (nightly Rust).
///
/// libFuzzer adds an input to the corpus only if zester's own code counts as coverage. Fails if the
/// corpus has more than 3 inputs.
#[derive(clap::Args)]
pub struct Noise {
    /// The duration of a run in seconds.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "3"))]
    seconds: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Noise {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let mut noisy = false;
        for (sanitizer, name) in [(Sanitizer::None, "none"), (Sanitizer::Address, "address")] {
            let (program, corpus) = (work.path().join("empty"), work.path().join(name));
            programs::fuzz_target("empty", sanitizer, Engine::Libfuzzer, &program)?;
            std::fs::create_dir(&corpus)?;
            let mut command = Command::new(program);
            command
                .arg(&corpus)
                .arg(format!("-max_total_time={}", self.seconds));
            quietly(command.arg(format!("-artifact_prefix={}/", work.path().display())))?;
            let count = files(&corpus)?.len();
            println!(
                "sanitizer {name:<8} {count:>3} inputs in the corpus after {} s",
                self.seconds
            );
            noisy |= count > 3;
        }
        anyhow::ensure!(!noisy, "code of zester's own counts as coverage");
        Ok(())
    }
}
