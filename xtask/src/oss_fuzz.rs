//! Builds fuzz targets as OSS-Fuzz does, and runs them as ClusterFuzz does, without docker.
//!
//! The variables and flags are those of google/oss-fuzz, infra/base-images (base-clang/Dockerfile,
//! base-builder/Dockerfile, base-builder/compile, base-runner/Dockerfile,
//! base-runner/bad_build_check), and of google/clusterfuzz, src/clusterfuzz/_internal/bot/fuzzers
//! (libfuzzer.py, libFuzzer/engine.py, libFuzzer/constants.py, engine_common.py). The clang, the
//! nightly Rust and the C++ library are those of this machine.

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

/// Builds fuzz targets as OSS-Fuzz does, and runs them as ClusterFuzz does, without docker.
///
/// A target is one of fuzz/targets, which fuzz/oss-fuzz/wgsl/build.sh builds, or one of fuzz/c,
/// which fuzz/oss-fuzz/sqlite/build.sh builds. A target with a planted fault is added for each
/// language: panics for Rust, calc for C. Prints a line for each mode, with `ok` or `FAILED: why`.
/// A fault of the program under test is not a failure. If a mode fails, the logs are preserved. A
/// target that is built takes about five minutes.
#[derive(clap::Args)]
pub struct OssFuzz {
    /// The fuzz targets.
    #[arg(default_values_t = ["wgsl", "sqlite"].map(String::from))]
    targets: Vec<String>,
    /// The duration of a run in seconds.
    #[arg(long, default_value_t = 10)]
    round: u64,
    /// How the targets are built.
    #[arg(long, value_enum, default_value = "address")]
    sanitizer: OssFuzzSanitizer,
}

/// OSS-Fuzz's name of a kind of build.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum OssFuzzSanitizer {
    /// AddressSanitizer.
    Address,
    /// A build for a report of covered lines.
    Coverage,
    /// MemorySanitizer; only for C.
    Memory,
    /// UndefinedBehaviorSanitizer; only for C.
    Undefined,
}

impl OssFuzz {
    /// Builds the targets and runs all modes.
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
        programs::cargo_fuzz(
            "--version",
            "empty",
            programs::Sanitizer::None,
            programs::Engine::Libfuzzer,
        )?;
        let work = tempfile::Builder::new()
            .prefix("zester-oss-fuzz-")
            .tempdir()?;
        let mut failed = false;
        let mut planted = Vec::new();
        for target in &self.targets {
            failed |= !self.of_target(target, work.path(), modes::ALL)?;
            let fault = if rust.contains(target) {
                "panics"
            } else {
                "calc"
            };
            if !planted.contains(&fault) {
                planted.push(fault);
            }
        }
        if self.sanitizer != OssFuzzSanitizer::Coverage {
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

    /// Builds a target if it is not built yet, and runs its modes. Returns whether all work.
    fn of_target(&self, name: &str, work: &Path, modes: &[modes::Mode]) -> Result<bool> {
        let (start, directory) = (Instant::now(), work.join(name));
        if !directory.join("build").exists() {
            match build::build(name, self.sanitizer, &directory) {
                Ok(files) => println!(
                    "{name:<8} {:<34} ok: {} s, {files}",
                    "build",
                    start.elapsed().as_secs()
                ),
                Err(error) => {
                    println!("{name:<8} {:<34} FAILED\n{error:#}", "build");
                    return Ok(false);
                }
            }
        }
        let mut target = Target::new(name, &directory, self.sanitizer, self.round)?;
        let modes = if self.sanitizer == OssFuzzSanitizer::Coverage {
            modes::COVERAGE
        } else {
            modes
        };
        let mut succeeded = true;
        for mode in modes {
            target.begin(mode.name)?;
            match (mode.run)(&mut target) {
                Ok(result) => {
                    println!("{name:<8} {:<34} ok{}", mode.name, target.line_end(&result))
                }
                Err(error) => {
                    println!(
                        "{name:<8} {:<34} FAILED: {error:#}\n{:8} see {}",
                        mode.name,
                        "",
                        target.log.display()
                    );
                    succeeded = false;
                    if mode.needed {
                        break;
                    }
                }
            }
        }
        Ok(succeeded)
    }
}
