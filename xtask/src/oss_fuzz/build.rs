//! Builds a target as base-builder does: with the build.sh of a project, into `$OUT`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::OssFuzzSanitizer;
use crate::command::{end_of, find, line, logged};
use crate::repository::{file, root, target_directory};

/// The checks of UndefinedBehaviorSanitizer on OSS-Fuzz.
const CHECKS: &str = "array-bounds,bool,builtin,enum,integer-divide-by-zero,null,object-size,return,returns-nonnull-attribute,shift,\
                      signed-integer-overflow,unreachable,vla-bound,vptr";

/// Builds a target to `build` in a directory that is otherwise empty. Returns the names of the
/// files.
///
/// The log is `build.log`.
pub fn build(target: &str, sanitizer: OssFuzzSanitizer, directory: &Path) -> Result<String> {
    let (is_rust, log) = (
        file("fuzz/targets")
            .join(target)
            .with_extension("rs")
            .is_file(),
        directory.join("build.log"),
    );
    let (source, work, out) = (
        directory.join("src"),
        directory.join("work"),
        directory.join("out"),
    );
    for directory in [&source, &work, &out] {
        fs::create_dir_all(directory)?;
    }
    symlink(root(), source.join("zester"))?;
    let project = if is_rust { "wgsl" } else { "sqlite" };
    fs::copy(
        file("fuzz/oss-fuzz").join(project).join("build.sh"),
        source.join("build.sh"),
    )?;
    fs::copy(
        find("llvm-symbolizer").context("no llvm-symbolizer")?,
        out.join("llvm-symbolizer"),
    )?;
    // On OSS-Fuzz, the engine is a copy at /usr/lib/libFuzzingEngine.a, and
    // CUSTOM_LIBFUZZER_STD_CXX is c++.
    let engine = work.join("libFuzzingEngine.a");
    let runtime = line(Command::new("clang").arg("-print-runtime-dir"))?;
    fs::copy(
        Path::new(&runtime).join("libclang_rt.fuzzer-x86_64.a"),
        &engine,
    )?;
    // This directory is outside of $WORK, because otherwise everything would be compiled again each
    // time. There is one for each sanitizer, because Rust's flags differ.
    let cargo_target = target_directory().join("oss-fuzz").join(name(sanitizer));
    fs::create_dir_all(&cargo_target)?;
    let (c_flags, rust_flags) = flags(sanitizer);
    let mut bash = Command::new("bash");
    bash.current_dir(&source).args(["-eux", "build.sh", target]);
    bash.env("SRC", &source)
        .env("WORK", &work)
        .env("OUT", &out)
        .env("CARGO_TARGET_DIR", cargo_target);
    bash.env("CFLAGS", &c_flags)
        .env("CXXFLAGS", &c_flags)
        .env("RUSTFLAGS", rust_flags)
        .env("CUSTOM_LIBFUZZER_PATH", engine);
    bash.envs([
        ("FUZZING_ENGINE", "libfuzzer"),
        ("ARCHITECTURE", "x86_64"),
        ("SANITIZER", name(sanitizer)),
        ("FUZZING_LANGUAGE", if is_rust { "rust" } else { "c" }),
        ("CC", "clang"),
        ("CXX", "clang++"),
        ("CCC", "clang++"),
        ("LIB_FUZZING_ENGINE", "-fsanitize=fuzzer"),
        ("RUSTUP_TOOLCHAIN", "nightly"),
        ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER", "clang"),
    ]);
    File::create(&log)?;
    let status = logged(&mut bash, &log)?.status()?;
    if !status.success() {
        bail!("{}", end_of(&fs::read(log)?));
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(&out)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.starts_with(target).then_some(name));
    }
    ensure!(!names.is_empty(), "build.sh leaves nothing in $OUT");
    names.sort();
    fs::rename(out, directory.join("build"))?;
    fs::remove_dir_all(work)?;
    Ok(names.join(" "))
}

fn name(sanitizer: OssFuzzSanitizer) -> &'static str {
    match sanitizer {
        OssFuzzSanitizer::Address => "address",
        OssFuzzSanitizer::Coverage => "coverage",
        OssFuzzSanitizer::Memory => "memory",
        OssFuzzSanitizer::Undefined => "undefined",
    }
}

/// Returns CFLAGS and RUSTFLAGS.
fn flags(sanitizer: OssFuzzSanitizer) -> (String, String) {
    let fuzzer = "-fsanitize=fuzzer-no-link";
    let (c, rust) = match sanitizer {
        OssFuzzSanitizer::Address => (
            format!("-fsanitize=address -fsanitize-address-use-after-scope {fuzzer}"),
            " -Zsanitizer=address",
        ),
        OssFuzzSanitizer::Memory => (
            format!("-fsanitize=memory -fsanitize-memory-track-origins {fuzzer}"),
            " -Zsanitizer=memory",
        ),
        OssFuzzSanitizer::Undefined => (
            format!(
                "-fsanitize={CHECKS},unsigned-integer-overflow -fno-sanitize-recover={CHECKS} {fuzzer}"
            ),
            "",
        ),
        OssFuzzSanitizer::Coverage => (
            "-fprofile-instr-generate -fcoverage-mapping -pthread".to_owned(),
            " -Cinstrument-coverage",
        ),
    };
    (
        format!(
            "-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION {c}"
        ),
        format!("--cfg fuzzing -Cdebuginfo=1 -Cforce-frame-pointers{rust}"),
    )
}
