//! Builds fuzz targets as OSS-Fuzz does, and does with them what ClusterFuzz will, without docker.
//!
//! The variables and flags are those of google/oss-fuzz, infra/base-images (base-clang/Dockerfile, base-builder/Dockerfile,
//! base-builder/compile, base-runner/Dockerfile, base-runner/bad_build_check), and of google/clusterfuzz,
//! src/clusterfuzz/_internal/bot/fuzzers (libfuzzer.py, libFuzzer/engine.py, libFuzzer/constants.py, engine_common.py). The clang, the
//! nightly and the C++ library differ: they are this machine's.

mod build;
mod bytes;
mod execute;
mod modes;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail, ensure};

use crate::command::install;
use crate::programs;
use crate::repository::{c_targets, rust_targets};
use execute::Target;

/// Builds fuzz targets as OSS-Fuzz does, and does with them what ClusterFuzz will, without docker.
///
/// A target is one of fuzz/targets, built by fuzz/oss-fuzz/wgsl/build.sh, or one of fuzz/c, built by fuzz/oss-fuzz/sqlite/build.sh. For Rust
/// and for C each, a target with a planted fault follows: panics and calc. Each mode is one line: `ok` or `FAILED: why`. A fault of the
/// program under test is no failure. If anything failed, the logs are left. Once built, a target takes about five minutes.
#[derive(clap::Args)]
pub struct OssFuzz {
    /// Fuzz targets.
    #[arg(default_values_t = ["wgsl", "sqlite"].map(String::from))]
    targets: Vec<String>,
    /// Seconds of a run.
    #[arg(long, default_value_t = 10)]
    round: u64,
    /// How targets are built.
    #[arg(long, value_enum, default_value = "address")]
    sanitizer: Sanitizer,
}

/// What OSS-Fuzz calls a sanitizer.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Sanitizer {
    /// AddressSanitizer.
    Address,
    /// A build for a report of covered lines.
    Coverage,
    /// MemorySanitizer; for C alone.
    Memory,
    /// UndefinedBehaviorSanitizer; for C alone.
    Undefined,
}

impl OssFuzz {
    /// Builds and runs all.
    pub fn run(&self) -> Result<()> {
        let (rust, c) = (rust_targets()?, c_targets()?);
        for target in &self.targets {
            if !rust.contains(target) && !c.contains(target) {
                bail!("no fuzz/targets/{target}.rs and no fuzz/c/{target}.c");
            }
        }
        install(
            &["clang", "zip", "unzip", "jq", "llvm", "binutils"],
            &["clang", "zip", "unzip", "jq", "llvm-symbolizer", "objdump"],
        )?;
        programs::cargo_fuzz("--version", "empty", programs::Sanitizer::None, programs::Engine::Libfuzzer)?;
        let work = tempfile::Builder::new().prefix("zester-oss-fuzz-").tempdir()?;
        let mut failed = false;
        let mut planted = Vec::new();
        for target in &self.targets {
            failed |= !self.of_target(target, work.path(), modes::ALL)?;
            let fault = if rust.contains(target) { "panics" } else { "calc" };
            if !planted.contains(&fault) {
                planted.push(fault);
            }
        }
        if self.sanitizer != Sanitizer::Coverage {
            for target in planted {
                failed |= !self.of_target(target, work.path(), modes::PLANTED)?;
            }
        }
        if failed {
            println!("logs are in {}", work.keep().display());
        }
        ensure!(!failed, "not every mode works");
        Ok(())
    }

    /// Builds a target, if it is not built yet, and goes through the modes: whether all work.
    fn of_target(&self, name: &str, work: &Path, modes: &[modes::Mode]) -> Result<bool> {
        let (start, directory) = (Instant::now(), work.join(name));
        if !directory.join("build").exists() {
            match build::build(name, self.sanitizer, &directory) {
                Ok(files) => println!("{name:<8} {:<34} ok: {} s, {files}", "build", start.elapsed().as_secs()),
                Err(error) => {
                    println!("{name:<8} {:<34} FAILED\n{error:#}", "build");
                    return Ok(false);
                }
            }
        }
        let mut target = Target::new(name, &directory, self.sanitizer, self.round)?;
        let modes = if self.sanitizer == Sanitizer::Coverage { modes::COVERAGE } else { modes };
        let mut right = true;
        for mode in modes {
            target.begin(mode.name)?;
            match (mode.run)(&mut target) {
                Ok(said) => println!("{name:<8} {:<34} ok{}", mode.name, target.told(&said)),
                Err(error) => {
                    println!("{name:<8} {:<34} FAILED: {error:#}\n{:8} see {}", mode.name, "", target.log.display());
                    right = false;
                    if mode.needed {
                        break;
                    }
                }
            }
        }
        Ok(right)
    }
}
