//! Builds programs: the command line, fuzz targets in Rust, programs that count edges, and the
//! peers of the speed comparison.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::c;
use crate::cargo::cargo;
use crate::command::{self, quietly};
use crate::profile::Profile;
use crate::repository::{self, file, target_directory};

/// Returns the target triple of this machine.
pub fn host() -> Result<String> {
    host_of(&mut Command::new("rustc"))
}

fn host_of(rustc: &mut Command) -> Result<String> {
    let text = String::from_utf8(command::output(rustc.arg("-vV"))?)?;
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("rustc -vV does not say its host")?;
    Ok(host.to_owned())
}

/// Builds the command line, `zester`. A build for release, which takes minutes, shows cargo's progress.
pub fn zester(profile: Profile) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--profile", profile.name(), "-p", "zester-cli"]);
    match profile {
        Profile::Release => command::visibly(&mut build)?,
        Profile::Test => quietly(&mut build)?,
    }
    Ok(profile.directory().join("zester"))
}

/// Builds the command line with the strategies that `zester evolve` is compared with, and copies it
/// to `to`, because the next build may replace the original.
pub fn zester_with_baselines(to: &Path) -> Result<()> {
    quietly(cargo().args([
        "build",
        "--release",
        "-p",
        "zester-cli",
        "--features",
        "baselines",
    ]))?;
    // A program that runs cannot be written to.
    let _ = fs::remove_file(to);
    fs::copy(Profile::Release.directory().join("zester"), to)
        .with_context(|| format!("cannot write {}", to.display()))?;
    Ok(())
}

/// Builds zester's mutators for AFL++, `libzester_afl.so`.
pub fn afl_library() -> Result<PathBuf> {
    quietly(cargo().args(["build", "--release", "-p", "zester-afl"]))?;
    Ok(target_directory().join("release/libzester_afl.so"))
}

/// Builds the program that runs sentences through a subject and reports why it rejects them.
pub fn sentences(subject: &str) -> Result<PathBuf> {
    quietly(cargo().args([
        "build",
        "--release",
        "-p",
        "zester-subjects",
        "--features",
        subject,
        "--bin",
        "sentences",
    ]))?;
    Ok(target_directory().join("release/sentences"))
}

/// Builds a program of `fuzz/bench`, which has a workspace of its own.
pub fn bench(program: &str) -> Result<PathBuf> {
    let target = target_directory().join("bench");
    quietly(
        cargo()
            .args(["build", "--release", "--bin", program])
            .arg("--manifest-path")
            .arg(file("fuzz/bench/Cargo.toml"))
            .arg("--target-dir")
            .arg(&target),
    )?;
    Ok(target.join("release").join(program))
}

/// The sanitizer of a Rust fuzz target.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Sanitizer {
    /// No sanitizer, with stable Rust.
    None,
    /// AddressSanitizer, which needs a nightly Rust.
    Address,
}

/// The fuzzing engine.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Engine {
    /// libFuzzer.
    Libfuzzer,
    /// LibAFL, through libFuzzer's interface (libafl_libfuzzer).
    Libafl,
}

impl Engine {
    /// Returns the feature of the fuzz crate, which is also the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libfuzzer => "libfuzzer",
            Self::Libafl => "libafl",
        }
    }
}

/// Returns a command of cargo-fuzz for a fuzz target, and the target directory that it uses.
/// Installs cargo-fuzz if it is missing.
///
/// Comparisons are not traced: libFuzzer learns bytes of text from them, but inputs are parameters.
pub fn cargo_fuzz(
    verb: &str,
    target: &str,
    sanitizer: Sanitizer,
    engine: Engine,
) -> Result<(Command, PathBuf)> {
    have_cargo_fuzz()?;
    let mut features = engine.name().to_owned();
    if repository::has_feature(target)? {
        features += &format!(",{target}");
    }
    let mut cargo = cargo();
    let directory = c::instrumented(&mut cargo, target, "inline-8bit-counters")?;
    let sanitizer = match sanitizer {
        Sanitizer::None => "none",
        Sanitizer::Address => {
            cargo.arg("+nightly");
            "address"
        }
    };
    if engine == Engine::Libafl {
        have_llvm_tools()?;
    }
    cargo
        .args(["fuzz", verb, "--fuzz-dir"])
        .arg(repository::fuzz_crate(target));
    cargo.args([
        "--sanitizer",
        sanitizer,
        "--no-trace-compares",
        "--no-default-features",
        "--features",
        &features,
    ]);
    cargo.arg("--target-dir").arg(&directory);
    Ok((cargo, directory))
}

/// Installs cargo-fuzz if it is missing.
fn have_cargo_fuzz() -> Result<()> {
    if command::find("cargo-fuzz").is_none() {
        eprintln!("installing cargo-fuzz");
        quietly(cargo().args(["install", "cargo-fuzz", "--locked"]))?;
    }
    Ok(())
}

/// Installs llvm-tools if they are missing. libafl_libfuzzer renames the symbols of a Rust library
/// with tools of the compiler's version.
fn have_llvm_tools() -> Result<()> {
    let libraries = command::line(Command::new("rustc").args(["--print", "target-libdir"]))?;
    if !Path::new(&libraries).join("../bin/llvm-objcopy").exists() {
        quietly(Command::new("rustup").args(["component", "add", "llvm-tools"]))?;
    }
    Ok(())
}

/// Builds a Rust fuzz target and copies its program to `to`, because the next build may replace the
/// original.
pub fn fuzz_target(target: &str, sanitizer: Sanitizer, engine: Engine, to: &Path) -> Result<()> {
    let (mut cargo, directory) = cargo_fuzz("build", target, sanitizer, engine)?;
    quietly(cargo.arg(target))?;
    copy(&directory.join(host()?).join("release").join(target), to)
}

/// Builds the fuzz targets on stock libFuzzer, for comparison. Returns the directory of the
/// programs.
pub fn stock_targets() -> Result<PathBuf> {
    let (mut cargo, target) = (cargo(), target_directory());
    quietly(stock_build(&mut cargo, "json", &target)?.arg("--no-trace-compares"))?;
    Ok(target.join(host()?).join("release"))
}

/// Builds a program of fuzz/bench/stock for a subject on stock libFuzzer, with traced comparisons, and copies it to `to`.
pub fn stock_target(subject: &str, program: &str, to: &Path) -> Result<()> {
    let mut cargo = cargo();
    // A directory of its own, because other programs are built with other flags.
    let target = c::instrumented(&mut cargo, subject, "inline-8bit-counters")?.join("stock");
    quietly(stock_build(&mut cargo, subject, &target)?.arg(program))?;
    copy(&target.join(host()?).join("release").join(program), to)
}

/// Adds the arguments that build fuzz/bench/stock for a subject.
fn stock_build<'c>(
    cargo: &'c mut Command,
    subject: &str,
    target: &Path,
) -> Result<&'c mut Command> {
    have_cargo_fuzz()?;
    cargo
        .args(["fuzz", "build", "-s", "none", "--features", subject])
        .arg("--fuzz-dir")
        .arg(file("fuzz/bench/stock"))
        .arg("--target-dir")
        .arg(target);
    Ok(cargo)
}

/// Builds the target of a subject as an AFL++ program, without code of zester, and copies it to `to`.
pub fn stock_afl_target(subject: &str, to: &Path) -> Result<()> {
    let mut cargo = cargo();
    let counters = "trace-pc-guard";
    let directory = c::instrumented(&mut cargo, subject, counters)?.join("stock-afl");
    cargo.args([
        "build",
        "--release",
        "--bin",
        "stock_text",
        "--manifest-path",
    ]);
    cargo.arg(file("fuzz/bench/stock/Cargo.toml"));
    afl_program(
        cargo.args(["--features", subject]),
        &directory,
        "stock_text",
        to,
    )
}

/// A wrapper of rustc that compiles LibAFL and the program of its loop without instrumentation.
const UNINSTRUMENTED_LIBAFL: &str = r#"#!/usr/bin/env bash
case " $* " in
*" --crate-name libafl"* | *" --crate-name zester_bench_nautilus "*)
    for argument; do
        shift
        case $argument in
        -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-*) ;;
        *) set -- "$@" "$argument" ;;
        esac
    done
    ;;
esac
exec "$@"
"#;

/// Builds the program that runs a subject under LibAFL's Nautilus, without code of zester, and copies it
/// to `to`. The subject has the instrumentation of [`coverage`], but with 8-bit counters. LibAFL has none.
pub fn nautilus_target(subject: &str, to: &Path) -> Result<()> {
    let (mut cargo, host) = (cargo(), host()?);
    let directory = c::instrumented(&mut cargo, subject, "inline-8bit-counters")?.join("nautilus");
    let wrapper = directory.join("rustc-wrapper");
    fs::create_dir_all(&directory)?;
    fs::write(&wrapper, UNINSTRUMENTED_LIBAFL)?;
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
    cargo.env("RUSTC_WRAPPER", wrapper);
    let flags = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                 -Cllvm-args=-simplifycfg-branch-fold-threshold=0 -Ccodegen-units=1";
    cargo.env("RUSTFLAGS", flags);
    cargo.args([
        "build",
        "--release",
        "--features",
        subject,
        "--manifest-path",
    ]);
    cargo.arg(file("fuzz/bench/nautilus/Cargo.toml"));
    quietly(
        cargo
            .args(["--target", &host, "--target-dir"])
            .arg(&directory),
    )?;
    let name = "zester-bench-nautilus";
    copy(&directory.join(host).join("release").join(name), to)
}

/// Builds a Rust fuzz target as an AFL++ program, without a sanitizer, and copies it to `to`.
///
/// zester's code is instrumented, too, but it decodes nothing with ZESTER_TEXT=1.
pub fn afl_target(target: &str, to: &Path) -> Result<()> {
    let mut cargo = cargo();
    cargo.args(["build", "--release", "-p", "zester-fuzz", "--bin", target]);
    if repository::has_feature(target)? {
        cargo.args(["--features", target]);
    }
    afl_program(&mut cargo, &target_directory().join("afl-rust"), target, to)
}

/// Builds a fuzz target by this command as an AFL++ program, and copies it to `to`.
///
/// AFL++'s runtime replaces libFuzzer. Build scripts are not instrumented, because of `--target`.
fn afl_program(cargo: &mut Command, directory: &Path, name: &str, to: &Path) -> Result<()> {
    c::install_afl()?;
    let host = host()?;
    let flags = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
                 -Cllvm-args=-sanitizer-coverage-trace-pc-guard -Clink-arg=/usr/lib/afl/afl-compiler-rt.o";
    cargo
        .env("CARGO_TARGET_DIR", directory)
        .env("RUSTFLAGS", flags);
    cargo
        .env("CUSTOM_LIBFUZZER_PATH", "/usr/lib/afl/libAFLDriver.a")
        .env("CUSTOM_LIBFUZZER_STD_CXX", "none");
    quietly(cargo.args(["--target", &host]))?;
    copy(&directory.join(host).join("release").join(name), to)
}

/// Copies a program, because the next build may replace the original.
fn copy(program: &Path, to: &Path) -> Result<()> {
    fs::copy(program, to)
        .with_context(|| format!("cannot copy {} to {}", program.display(), to.display()))?;
    Ok(())
}

/// Builds the program that counts the edges of texts in a subject. It contains no code of zester.
///
/// It has the instrumentation of cargo-fuzz, without its sanitizer and its traced comparisons, and
/// with a flag for each edge, because an 8-bit counter is 0 again after 256 hits.
/// COVERAGE_TOOLCHAIN names a toolchain other than stable.
pub fn coverage(subject: &str) -> Result<PathBuf> {
    let flags = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                 -Cllvm-args=-sanitizer-coverage-trace-pc-guard -Cllvm-args=-sanitizer-coverage-pc-table \
                 -Cllvm-args=-simplifycfg-branch-fold-threshold=0";
    let toolchain = std::env::var("COVERAGE_TOOLCHAIN").unwrap_or_else(|_| "stable".into());
    let host = host_of(Command::new("rustc").env("RUSTUP_TOOLCHAIN", &toolchain))?;
    let mut cargo = cargo();
    let directory = c::instrumented(&mut cargo, subject, "trace-pc-guard")?.join("coverage");
    cargo
        .env("RUSTUP_TOOLCHAIN", toolchain)
        .env("RUSTFLAGS", flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    // The figures depend on the generated code, so the profile is fixed here.
    for (setting, value) in [
        ("OPT_LEVEL", "3"),
        ("CODEGEN_UNITS", "1"),
        ("DEBUG", "line-tables-only"),
        ("DEBUG_ASSERTIONS", "false"),
        ("OVERFLOW_CHECKS", "false"),
        ("INCREMENTAL", "false"),
        ("LTO", "off"),
        ("PANIC", "unwind"),
        ("SPLIT_DEBUGINFO", "off"),
        ("STRIP", "none"),
    ] {
        cargo.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
    }
    let name = format!("coverage-{subject}");
    // With --target, the flags do not apply to build scripts and procedural macros.
    cargo.args([
        "build",
        "--release",
        "--target",
        &host,
        "-p",
        "zester-coverage",
        "--features",
        subject,
        "--bin",
        &name,
    ]);
    quietly(cargo.arg("--target-dir").arg(&directory))?;
    Ok(directory.join(host).join("release").join(name))
}
