//! Counts the mutants of a parser that corpora kill, as the paper on Bonsai fuzzing does (Vikram,
//! Padhye, Sen, ICSE 2021), by cargo-mutants.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::value_parser;
use serde_json::Value;

use crate::figures::{median, percent};
use crate::results;
use zester_xtask::command::{completed, output, quietly};
use zester_xtask::repository::{root, target_directory};

/// The version that is installed from crates.io.
const CARGO_MUTANTS: &str = "27.1.0";

/// The kinds of corpora that `scripts/measure bonsai` keeps.
const SETS: [&str; 2] = ["grown", "fuzzed"];

/// Compares the shares of mutants of a parser that a corpus by `zester grow` and one by fuzzing kill.
///
/// The corpora are those that `scripts/measure bonsai --targets json,notation --out DIR` keeps: of each
/// run, the concise texts, and those that fuzzing for the same time kept. A corpus kills a mutant of
/// cargo-mutants if the parser then has another result for one of its texts than before. The parsers
/// are serde_json's and that of zester's notation. A mutant that does not end or aborts is killed by
/// all.
#[derive(clap::Args)]
pub struct MutationScore {
    /// The directory of the results of `bonsai`.
    corpora: PathBuf,
    /// The parsers.
    #[arg(long, value_delimiter = ',', default_value = "json,notation")]
    targets: Vec<String>,
    /// One of how many mutants is tried.
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    one_of: u32,
    /// The directory for copies of the parsers and the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A parser whose mutants are made.
struct Parser {
    /// The directory of its crate, a copy.
    directory: PathBuf,
    /// The files with mutants.
    files: &'static [&'static str],
    /// The features of the crate.
    features: &'static str,
    /// Rust's expression of the result for the bytes `text`.
    result: &'static str,
}

impl MutationScore {
    pub fn run(&self) -> Result<()> {
        let out = results::directory(self.out.as_deref())?;
        let tool = install()?;
        for target in &self.targets {
            let corpora = self.corpora.join(target);
            let corpora = fs::canonicalize(&corpora).with_context(|| {
                let out = self.corpora.display();
                format!(
                    "no corpora in {}; make them: scripts/measure bonsai --targets {target} --out {out}",
                    corpora.display()
                )
            })?;
            let parser = Parser::copy(target, &out)?;
            let names = parser.write_tests(&corpora)?;
            // The first run writes the results, the second must have the same.
            for _ in 0..2 {
                quietly(parser.cargo("test").args(parser.flags()))?;
            }
            let mut mutants = parser.cargo("mutants");
            mutants
                .env("PATH", path_with(&tool)?)
                .args(["--no-shuffle", "--baseline=skip", "--timeout=60"])
                .args(["--exclude", "src/notation/ebnf.rs"])
                .args([
                    "--sharding=round-robin",
                    &format!("--shard=0/{}", self.one_of),
                ]);
            for file in parser.files {
                mutants.args(["--file", file]);
            }
            for flag in parser.flags() {
                mutants.arg(format!("--cargo-arg={flag}"));
            }
            // The exit status tells whether mutants were missed.
            let run = completed(&mut mutants)?;
            report(target, &parser.directory.join("mutants.out"), &names)
                .with_context(|| run.text.clone())?;
        }
        Ok(())
    }
}

impl Parser {
    /// Copies the crate of a parser to a directory, without its tests.
    fn copy(target: &str, out: &Path) -> Result<Self> {
        let (package, files, features, result): (_, &'static [_], _, _) = match target {
            "json" => (
                published("serde_json")?,
                &["src/de.rs", "src/read.rs"],
                "std",
                r#"format!("{:?}", serde_json::from_slice::<serde_json::Value>(text))"#,
            ),
            "notation" => (
                packed("zester", out)?,
                &["src/notation/**/*.rs"],
                "subject",
                r#"match zester::notation::read("input", text, &zester::bounds::Caps { bytes: 1 << 16, nodes: 1 << 16 }) {
                    Ok((grammar, warnings)) => format!("{grammar:?} {warnings:?}"),
                    Err(report) => report.to_string(),
                }"#,
            ),
            _ => bail!("{target} is none of json and notation"),
        };
        let directory = out.join(target);
        quietly(Command::new("rm").arg("-rf").arg(&directory))?;
        quietly(Command::new("cp").arg("-r").args([&package, &directory]))?;
        for tests in ["tests", "examples", "benches"] {
            quietly(Command::new("rm").arg("-rf").arg(directory.join(tests)))?;
        }
        let manifest = directory.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        let is_needed = |section: &&str| {
            let others = [
                "dev-dependencies",
                "profile.",
                "[test]]",
                "[example]]",
                "[bench]]",
            ];
            !others.iter().any(|other| section.starts_with(other))
        };
        let kept: Vec<&str> = text.split("\n[").filter(is_needed).collect();
        fs::write(manifest, kept.join("\n[") + MANIFEST)?;
        Ok(Self {
            directory,
            files,
            features,
            result,
        })
    }

    /// Writes a test for each corpus. Returns the names of the tests: a set and the number of a run.
    fn write_tests(&self, corpora: &Path) -> Result<Vec<(&'static str, String)>> {
        let mut text = TEST.replace("RESULT", self.result);
        let mut names = Vec::new();
        for set in SETS {
            for run in 1.. {
                let corpus = corpora.join(run.to_string()).join(set);
                if !corpus.is_dir() {
                    break;
                }
                writeln!(text, "#[test]\nfn {set}_{run}() {{ check({corpus:?}); }}")?;
                names.push((set, format!("{set}_{run}")));
            }
        }
        ensure!(!names.is_empty(), "{} has no corpora", corpora.display());
        fs::create_dir(self.directory.join("tests"))?;
        fs::write(self.directory.join("tests/corpora.rs"), text)?;
        Ok(names)
    }

    fn cargo(&self, command: &str) -> Command {
        let mut cargo = Command::new("cargo");
        cargo
            .arg(command)
            .current_dir(&self.directory)
            .env_remove("CARGO_TARGET_DIR");
        cargo
    }

    /// Returns the flags of `cargo test` for the tests of the corpora.
    fn flags(&self) -> [&str; 5] {
        [
            "--no-default-features",
            "--features",
            self.features,
            "--test",
            "corpora",
        ]
    }
}

/// Appended to the manifest of the copied crate.
const MANIFEST: &str = r#"
[[test]]
name = "corpora"
path = "tests/corpora.rs"

[profile.dev]
debug = false

[workspace]
"#;

/// The tests of all corpora: a text has the result that the first run wrote beside the corpus.
const TEST: &str = r#"
fn result(text: &[u8]) -> String {
    RESULT
}

fn check(corpus: &str) {
    let mut files: Vec<_> = std::fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let results: Vec<String> = files.iter().map(|file| result(&std::fs::read(file).unwrap())).collect();
    let (results, expected) = (results.join("\n"), format!("{corpus}.results"));
    match std::fs::read_to_string(&expected) {
        Ok(expected) => assert!(results == expected, "another result"),
        Err(_) => std::fs::write(expected, results).unwrap(),
    }
}
"#;

/// Installs cargo-mutants, unless it is there. Returns the directory of the program.
fn install() -> Result<PathBuf> {
    let tool = target_directory().join("cargo-mutants");
    if !tool.join("bin/cargo-mutants").exists() {
        let mut cargo = Command::new("cargo");
        cargo.args(["install", "--quiet", "--locked", "cargo-mutants"]);
        quietly(
            cargo
                .args(["--version", CARGO_MUTANTS, "--root"])
                .arg(&tool),
        )?;
    }
    Ok(tool.join("bin"))
}

/// Returns the search path for programs with one more directory.
fn path_with(directory: &Path) -> Result<OsString> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(directory.to_owned()).chain(std::env::split_paths(&paths));
    Ok(std::env::join_paths(all)?)
}

/// Returns the directory of a published package that the subjects depend on.
fn published(name: &str) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version=1", "--manifest-path"]);
    let metadata: Value = serde_json::from_slice(&output(cargo.arg(root().join("Cargo.toml")))?)?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .find(|package| package["name"] == name)
        .and_then(|package| package["manifest_path"].as_str())
        .with_context(|| format!("no package depends on {name}"))?;
    Ok(Path::new(manifest)
        .parent()
        .context("no directory")?
        .to_owned())
}

/// Makes the package of a crate of this repository. Returns its unpacked directory.
fn packed(name: &str, out: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "package",
            "--quiet",
            "--no-verify",
            "--allow-dirty",
            "-p",
            name,
            "--target-dir",
        ])
        .arg(out)
        .current_dir(root());
    quietly(&mut cargo)?;
    let archive = format!("{name}-{}", env!("CARGO_PKG_VERSION"));
    let mut tar = Command::new("tar");
    tar.arg("-xzmf")
        .arg(out.join(format!("package/{archive}.crate")));
    quietly(tar.arg("-C").arg(out.join("package")))?;
    Ok(out.join("package").join(archive))
}

/// Prints how many mutants the corpora of each set killed.
fn report(target: &str, directory: &Path, names: &[(&str, String)]) -> Result<()> {
    let outcomes = fs::read(directory.join("outcomes.json"))?;
    let outcomes: Value = serde_json::from_slice(&outcomes)?;
    let mut logs = Vec::new();
    for outcome in outcomes["outcomes"].as_array().into_iter().flatten() {
        // A mutant that does not compile does not count.
        if outcome["summary"] != "Unviable" {
            let log = outcome["log_path"].as_str().context("no log_path")?;
            logs.push(fs::read_to_string(directory.join(log))?);
        }
    }
    for set in SETS {
        let killed = names.iter().filter(|(of, _)| *of == set).map(|(_, name)| {
            let passed = format!("test {name} ... ok");
            logs.iter().filter(|log| !log.contains(&passed)).count() as f64
        });
        let killed: Vec<f64> = killed.collect();
        let count = logs.len() as f64;
        println!(
            "{target}, {set}: of {count} mutants {killed:?} are killed, median {:.1} %",
            percent(median(killed.iter().copied()), count)
        );
    }
    Ok(())
}
