//! Builds fuzz targets in C, for libFuzzer and for AFL++.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::cargo;
use crate::command::{self, install, quietly};
use crate::profile::{Profile, library};
use crate::repository::{Harness, file, target_directory};

/// The system's libraries that `libzester.a` needs.
pub const LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// Returns the newest clang on the search path.
pub fn newest_clang() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let directories =
        std::env::split_paths(&path).filter_map(|directory| fs::read_dir(directory).ok());
    let programs = directories.flatten().flatten().map(|entry| entry.path());
    programs
        .filter_map(|path| Some((clang_version(path.file_name()?.to_str()?)?, path)))
        .max()
        .map(|(_, path)| path)
}

/// Returns the version in the name of a clang, or 0 for `clang`, whose name has no version.
fn clang_version(name: &str) -> Option<u32> {
    match name.strip_prefix("clang")? {
        "" => Some(0),
        rest => rest.strip_prefix('-')?.parse().ok(),
    }
}

/// Returns the newest clang. On Debian, clang is installed if it is missing.
pub fn clang() -> Result<PathBuf> {
    if newest_clang().is_none() {
        install(&["clang", "llvm"], &["clang"])?;
    }
    newest_clang().context("no clang (on Debian: apt-get install clang)")
}

/// Installs AFL++ on Debian if it is missing.
pub fn install_afl() -> Result<()> {
    install(&["afl++"], &["afl-fuzz", "afl-clang-fast"])
}

/// Makes cargo compile the C code of a subject with clang and with counters of its edges, if it has
/// C code. Returns the target directory.
///
/// Without clang, only the subject's Rust code counts.
pub fn instrumented(cargo: &mut Command, subject: &str, counters: &str) -> Result<PathBuf> {
    let target = target_directory();
    if subject != "lua" {
        return Ok(target);
    }
    let Some(clang) = newest_clang() else {
        eprintln!(
            "no clang (on Debian: apt-get install clang), so the C code of {subject} does not count as coverage"
        );
        return Ok(target);
    };
    let list = file("fuzz/subjects/instrumented-c.txt");
    // A constant seed of Lua's hashes, because the order of pairs() would otherwise differ from run
    // to run.
    let flags = format!(
        "-fsanitize-coverage={counters},pc-table -fsanitize-coverage-allowlist={} -Dluai_makeseed(L)=0",
        list.display()
    );
    cargo.env("CC", clang).env("CFLAGS", flags);
    // Cargo does not notice that the compiler has changed, so this build has a target directory of
    // its own.
    Ok(target.join("clang"))
}

/// Returns the directory of a package with the sources of a program under test. Cargo downloads it.
pub fn sources_of(package: &str) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args([
        "metadata",
        "--quiet",
        "--format-version",
        "1",
        "--locked",
        "--manifest-path",
    ]);
    let metadata: Value =
        serde_json::from_slice(&command::output(cargo.arg(file("fuzz/c/Cargo.toml")))?)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists packages")?;
    let package = packages
        .iter()
        .find(|found| found["name"] == package)
        .with_context(|| format!("no package {package}"))?;
    let manifest = package["manifest_path"]
        .as_str()
        .context("a package has a manifest")?;
    Ok(Path::new(manifest)
        .parent()
        .context("a manifest is in a directory")?
        .to_owned())
}

/// Writes the grammar of a harness as a C file, and returns its path.
pub fn embedded_grammar(target: &str, zester: &Path) -> Result<PathBuf> {
    let grammar = Harness::read(target)?
        .grammar
        .with_context(|| format!("fuzz/c/{target}.c names no grammar"))?;
    let directory = target_directory().join("c");
    fs::create_dir_all(&directory)?;
    let (to, new) = (
        directory.join(format!("{target}-grammar.c")),
        directory.join(format!("{target}-grammar.new.c")),
    );
    let _ = fs::remove_file(&new);
    quietly(
        Command::new(zester)
            .arg("embed")
            .arg(file(&grammar))
            .arg("-o")
            .arg(&new),
    )?;
    // A file with the same text keeps its time, so that nothing is compiled again.
    if fs::read(&to).ok() == Some(fs::read(&new)?) {
        fs::remove_file(&new)?
    } else {
        fs::rename(&new, &to)?
    }
    Ok(to)
}

/// Returns the compiler's flags for a harness and its program, without those of an engine or a
/// sanitizer.
pub fn flags_of(harness: &Harness) -> Result<Vec<String>> {
    let mut flags = vec![
        "-g".into(),
        "-O1".into(),
        "-fno-omit-frame-pointer".into(),
        format!("-I{}", file("c").display()),
    ];
    if let Some(package) = &harness.package {
        flags.push(format!("-I{}", file("fuzz/c").display()));
        let directory = sources_of(package)?.join(harness.include.as_deref().unwrap_or_default());
        flags.extend(["-w".into(), format!("-I{}", directory.display())]);
        flags.extend(harness.flags.iter().cloned());
    }
    Ok(flags)
}

/// Compiles a target of `fuzz/c` with its grammar. Returns the objects to link, without zester's
/// library.
///
/// Objects stay in the target directory. They are compiled again if their source is newer or their
/// flags have changed.
fn compile(target: &str, compiler: &Path, flags: &[String], zester: &Path) -> Result<Vec<PathBuf>> {
    let harness = Harness::read(target)?;
    let mut sources = vec![Harness::path(target), embedded_grammar(target, zester)?];
    if let Some(package) = &harness.package {
        let directory = sources_of(package)?;
        sources.extend(harness.sources.iter().map(|source| directory.join(source)));
    }
    let flags = [flags, &flags_of(&harness)?].concat();
    sources
        .iter()
        .map(|source| object(source, compiler, &flags))
        .collect()
}

/// Compiles a source file if its object is not up to date.
fn object(source: &Path, compiler: &Path, flags: &[String]) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (source, compiler, flags).hash(&mut hasher);
    let name = source
        .file_stem()
        .context("a source file has a name")?
        .to_string_lossy();
    let directory = target_directory().join("c");
    fs::create_dir_all(&directory)?;
    let object = directory.join(format!("{name}-{:016x}.o", hasher.finish()));
    let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
    let built = time(&object).ok();
    let is_newer = |path: &Path| built < time(path).ok();
    if built.is_none() || is_newer(source) || headers()?.iter().any(|header| is_newer(header)) {
        let part = tempfile::Builder::new()
            .suffix(".o")
            .tempfile_in(&directory)?
            .into_temp_path();
        quietly(
            Command::new(compiler)
                .env("AFL_QUIET", "1")
                .args(flags)
                .arg("-c")
                .arg(source)
                .arg("-o")
                .arg(&part),
        )?;
        part.persist(&object)?;
    }
    Ok(object)
}

/// Returns the headers that a harness may include.
fn headers() -> Result<Vec<PathBuf>> {
    let mut headers = vec![file("c/zester.h")];
    for entry in fs::read_dir(file("fuzz/c"))? {
        headers.push(entry?.path());
    }
    headers.retain(|path| path.extension().is_some_and(|extension| extension == "h"));
    Ok(headers)
}

/// A C fuzz target that was built.
pub struct Built {
    /// The compiler.
    pub clang: PathBuf,
    /// The objects of the harness, its grammar and the program under test.
    pub objects: Vec<PathBuf>,
    /// zester's library.
    pub library: PathBuf,
}

/// Builds a target for libFuzzer as the program `to`. `sanitizer` is clang's name of one or several
/// sanitizers, or empty. `zester` is the path of the command line; zester's library is compiled
/// with the same profile.
pub fn fuzz_target(target: &str, sanitizer: &str, zester: &Path, to: &Path) -> Result<Built> {
    let (clang, library) = (clang()?, library(Profile::of(zester))?);
    let instrument = format!("-fsanitize={}", with("fuzzer-no-link", sanitizer));
    let objects = compile(target, &clang, &[instrument], zester)?;
    link(
        Command::new(&clang)
            .arg(format!("-fsanitize={}", with("fuzzer", sanitizer)))
            .args(&objects)
            .arg(&library)
            .args(wrap_flags_of(target)?),
        to,
    )?;
    Ok(Built {
        clang,
        objects,
        library,
    })
}

/// Builds a target for AFL++ as the program `to`, with AFL++'s driver for libFuzzer harnesses.
pub fn afl_target(target: &str, sanitizer: &str, zester: &Path, to: &Path) -> Result<()> {
    install_afl()?;
    let Some(compiler) = command::find("afl-clang-fast") else {
        bail!("no afl-clang-fast")
    };
    let instrument = if sanitizer.is_empty() {
        Vec::new()
    } else {
        vec![format!("-fsanitize={sanitizer}")]
    };
    let objects = compile(target, &compiler, &instrument, zester)?;
    let library = library(Profile::of(zester))?;
    let mut linker = Command::new(compiler);
    linker
        .env("AFL_QUIET", "1")
        .arg(format!("-fsanitize={}", with("fuzzer", sanitizer)));
    linker
        .args(&objects)
        .arg(&library)
        .args(wrap_flags_of(target)?);
    link(&mut linker, to)
}

/// Links a program. The file `to` appears only when it is complete.
pub fn link(linker: &mut Command, to: &Path) -> Result<()> {
    let part = to.with_extension("part");
    quietly(linker.args(LIBRARIES).arg("-o").arg(&part))?;
    fs::rename(&part, to).with_context(|| format!("cannot write {}", to.display()))
}

fn with(engine: &str, sanitizer: &str) -> String {
    if sanitizer.is_empty() {
        engine.into()
    } else {
        format!("{engine},{sanitizer}")
    }
}

/// Returns the linker's flags for a target of `fuzz/c`, if its harness is wrapped.
fn wrap_flags_of(target: &str) -> Result<Vec<String>> {
    if Harness::read(target)?.is_wrapped {
        wrap_flags()
    } else {
        Ok(Vec::new())
    }
}

/// Returns the linker's flags for a harness that does not use zester: the variable `wrap` of
/// `c/zester.pc`.
pub fn wrap_flags() -> Result<Vec<String>> {
    let text = fs::read_to_string(file("c/zester.pc"))?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("wrap="))
        .context("c/zester.pc has no variable wrap")?;
    Ok(line.split_whitespace().map(str::to_owned).collect())
}

/// Returns the path of a C source file of the smoke tests, in `xtask/c`.
pub fn own_source(name: &str) -> PathBuf {
    file("xtask/c").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_clang() {
        let versions = [
            "clang",
            "clang-9",
            "clang-19",
            "clang++-19",
            "clangd",
            "clang-format-19",
            "gcc",
        ]
        .map(clang_version);
        assert_eq!(
            versions,
            [Some(0), Some(9), Some(19), None, None, None, None]
        );
    }

    #[test]
    fn sanitizers_are_joined() {
        assert_eq!(
            (
                with("fuzzer", "").as_str(),
                with("fuzzer", "address,undefined").as_str()
            ),
            ("fuzzer", "fuzzer,address,undefined")
        );
    }

    #[test]
    fn harnesses_can_be_wrapped() {
        assert!(
            wrap_flags()
                .unwrap()
                .contains(&"-Wl,--wrap=LLVMFuzzerTestOneInput".to_owned())
        );
    }
}
