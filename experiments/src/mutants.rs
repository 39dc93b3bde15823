//! The mutation score of corpora on the reader of our own notation.
//!
//! cargo-mutants makes the mutants: small changes of the source code, one at a time. A corpus kills
//! a mutant if the mutant does something else with one of its files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde_json::Value;

use zester_xtask::command::{Completed, completed, limited, output, quietly};
use zester_xtask::repository::{file, root, target_directory};
use zester_xtask::zester::files;

/// The version of cargo-mutants that is installed from crates.io.
const VERSION: &str = "26.0.0";

/// The time in seconds after which a mutant has another outcome, because it does not end.
const SECONDS: u64 = 30;

const MANIFEST: &str = r#"
[package]
name = "reader"
version = "0.0.0"
edition = "2024"

[dependencies]
zester = { path = "..", default-features = false }

[profile.dev]
debug = 0

[workspace]
"#;

/// Prints what the reader does with each file of a directory: its name, the outcome, and the
/// details.
const PROGRAM: &str = r#"
use zester::{bounds::Caps, notation};

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let directory = std::env::args_os().nth(1).expect("a directory");
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read(&file).unwrap();
        let caps = Caps { bytes: 1 << 16, nodes: 1 << 16 };
        let result = match std::panic::catch_unwind(|| notation::read("input", &text, &caps)) {
            Ok(Ok((grammar, warnings))) => format!("valid\t{:016x} {:?}", grammar.fingerprint(), warnings.to_string()),
            Ok(Err(report)) => format!("invalid\t{:?}", report.to_string()),
            Err(_) => "panic\t".to_string(),
        };
        println!("{}\t{result}", file.file_name().unwrap().display());
    }
}
"#;

/// Counts the mutants of the reader of our notation (src/notation) that corpora kill.
///
/// A mutant is killed by outcome if a file is valid for it and not for the original, or the other
/// way round, or if it panics or does directory are compared, too. The last lines are the mutants
/// that no corpus kills.
#[derive(clap::Args)]
pub struct Mutants {
    /// The corpora: directories of texts.
    #[arg(value_name = "DIR", default_value = "corpus/ebnf")]
    corpora: Vec<PathBuf>,
    /// Use this many mutants, drawn at random, instead of all.
    #[arg(long, value_name = "N", default_value_if("quick", "true", "5"))]
    sample: Option<usize>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// A small change of a source file.
struct Mutant {
    /// What is changed, with its place.
    name: String,
    file: String,
    /// The range of bytes that is replaced.
    range: std::ops::Range<usize>,
    replacement: String,
}

/// What a program did with a corpus: an outcome and the details for each file. A program that does
/// not end has fewer.
type Behaviour = Vec<(String, String)>;

/// How a corpus fares.
#[derive(Default)]
struct Score {
    by_outcome: usize,
    by_output: usize,
}

impl Mutants {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let mut mutants = list()?;
        if let Some(sample) = self.sample {
            mutants.shuffle(&mut SmallRng::seed_from_u64(1));
            mutants.truncate(sample);
        }
        let work = tempfile::tempdir()?;
        let (project, corpora) = (
            Project::copy(&work.path().join("project"))?,
            self.corpora(work.path())?,
        );
        let built = project.build()?;
        ensure!(
            built.succeeded(),
            "the copy of the library does not build:\n{}",
            built.text
        );
        let originals = corpora
            .iter()
            .map(|corpus| project.behaviour(corpus))
            .collect::<Result<Vec<_>>>()?;
        for (corpus, behaviour) in self.corpora.iter().zip(&originals) {
            ensure!(!behaviour.is_empty(), "{} has no files", corpus.display());
        }
        let mut scores: Vec<Score> = corpora.iter().map(|_| Score::default()).collect();
        let (mut unbuilt, mut survivors) = (0, Vec::new());
        let bar = indicatif::ProgressBar::new(mutants.len() as u64);
        for mutant in &mutants {
            bar.inc(1);
            let path = project.directory.join(&mutant.file);
            let source = fs::read_to_string(&path)?;
            let mut changed = source.clone();
            changed.replace_range(mutant.range.clone(), &mutant.replacement);
            fs::write(&path, changed)?;
            let builds = project.build()?.succeeded();
            let mut is_killed = false;
            for ((corpus, original), score) in corpora.iter().zip(&originals).zip(&mut scores) {
                if builds {
                    let behaviour = project.behaviour(corpus)?;
                    let outcomes = |behaviour: &Behaviour| {
                        behaviour
                            .iter()
                            .map(|(outcome, _)| outcome.clone())
                            .collect::<Vec<_>>()
                    };
                    score.by_outcome += usize::from(outcomes(&behaviour) != outcomes(original));
                    score.by_output += usize::from(behaviour != *original);
                    is_killed |= behaviour != *original;
                }
            }
            match (builds, is_killed) {
                (false, _) => unbuilt += 1,
                (true, false) => survivors.push(&mutant.name),
                (true, true) => {}
            }
            fs::write(&path, source)?;
        }
        bar.finish_and_clear();
        let built = mutants.len() - unbuilt;
        println!("{built} mutants; {unbuilt} others do not compile");
        println!(
            "{:>6} {:>10} {:>12} {:>12}  corpus",
            "files", "bytes", "by outcome", "by output"
        );
        for ((corpus, score), original) in self.corpora.iter().zip(&scores).zip(&originals) {
            let mut bytes = 0;
            for file in files(corpus)? {
                bytes += fs::metadata(file)?.len();
            }
            let percent =
                |killed: usize| format!("{:.1} %", 100.0 * killed as f64 / built.max(1) as f64);
            println!(
                "{:6} {bytes:10} {:>12} {:>12}  {}",
                original.len(),
                percent(score.by_outcome),
                percent(score.by_output),
                corpus.display()
            );
        }
        println!("Killed by no corpus:");
        survivors.iter().for_each(|name| println!("  {name}"));
        Ok(())
    }

    /// Copies the texts of each corpus into a directory without other files.
    fn corpora(&self, work: &Path) -> Result<Vec<PathBuf>> {
        let mut copies = Vec::new();
        for (number, corpus) in self.corpora.iter().enumerate() {
            let copy = work.join(number.to_string());
            fs::create_dir(&copy)?;
            let is_text = |path: &PathBuf| {
                !path
                    .extension()
                    .is_some_and(|extension| extension == "json" || extension == "html")
            };
            for text in files(corpus)?.into_iter().filter(is_text) {
                fs::copy(&text, copy.join(text.file_name().context("no file name")?))?;
            }
            copies.push(copy);
        }
        Ok(copies)
    }
}

/// A copy of the library with a program that reads grammars.
struct Project {
    directory: PathBuf,
}

impl Project {
    /// Copies all files that git knows.
    fn copy(directory: &Path) -> Result<Project> {
        let names = output(Command::new("git").current_dir(root()).args([
            "ls-files",
            "-z",
            "Cargo.toml",
            "build.rs",
            "src",
            "grammars",
            "tests",
        ]))?;
        for name in String::from_utf8(names)?.split_terminator('\0') {
            let copy = directory.join(name);
            fs::create_dir_all(copy.parent().context("no directory")?)?;
            fs::copy(file(name), copy).with_context(|| format!("cannot copy {name}"))?;
        }
        let manifest = directory.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        let without_members = text
            .lines()
            .filter(|line| !line.starts_with("members") && !line.starts_with("default-members"));
        fs::write(
            &manifest,
            without_members
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        )?;
        fs::create_dir_all(directory.join("reader/src"))?;
        fs::write(directory.join("reader/Cargo.toml"), MANIFEST)?;
        fs::write(directory.join("reader/src/main.rs"), PROGRAM)?;
        Ok(Project {
            directory: directory.into(),
        })
    }

    /// Builds the program.
    fn build(&self) -> Result<Completed> {
        let mut cargo = Command::new("cargo");
        cargo
            .args(["build", "--quiet"])
            .current_dir(self.directory.join("reader"))
            .env_remove("CARGO_TARGET_DIR");
        completed(&mut cargo)
    }

    /// Runs the program on a corpus.
    fn behaviour(&self, corpus: &Path) -> Result<Behaviour> {
        let text = completed(
            limited(SECONDS, self.directory.join("reader/target/debug/reader")).arg(corpus),
        )?
        .text;
        let fields = |line: &str| {
            Some(line.split_once('\t')?.1.split_once('\t')?)
                .map(|(outcome, details)| (outcome.into(), details.into()))
        };
        Ok(text.lines().filter_map(fields).collect())
    }
}

/// Lists the mutants of the reader. cargo-mutants is installed into the target directory, unless it
/// is there.
fn list() -> Result<Vec<Mutant>> {
    let tools = target_directory().join("mutants");
    if !tools.join("bin/cargo-mutants").exists() {
        eprintln!("installing cargo-mutants");
        let mut cargo = Command::new("cargo");
        quietly(
            cargo
                .args([
                    "install",
                    "--quiet",
                    "--locked",
                    "cargo-mutants",
                    "--version",
                    VERSION,
                    "--root",
                ])
                .arg(&tools),
        )?;
    }
    let mut command = Command::new(tools.join("bin/cargo-mutants"));
    command.args([
        "mutants",
        "--list",
        "--json",
        "--package",
        "zester",
        "--file",
        "src/notation/**",
        "--exclude",
        "src/notation/ebnf.rs",
    ]);
    let listed: Value = serde_json::from_slice(&output(command.current_dir(root()))?)?;
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    let mut mutants = Vec::new();
    for mutant in listed.as_array().context("no list of mutants")? {
        let text = |name: &str| {
            mutant[name]
                .as_str()
                .map(String::from)
                .with_context(|| format!("a mutant without {name}: {mutant}"))
        };
        let path = text("file")?;
        let source = match sources.get(&path) {
            Some(source) => source,
            None => sources
                .entry(path.clone())
                .or_insert(fs::read_to_string(file(&path))?),
        };
        let place = |end: &str| {
            let number = |name: &str| {
                mutant["span"][end][name]
                    .as_u64()
                    .with_context(|| format!("a mutant without a place: {mutant}"))
            };
            Ok::<usize, anyhow::Error>(offset(
                source,
                number("line")? as usize,
                number("column")? as usize,
            ))
        };
        let (start, end) = (place("start")?, place("end")?);
        let replacement = text("replacement")?;
        let (line, function) = (
            &mutant["span"]["start"]["line"],
            &mutant["function"]["function_name"],
        );
        let original: String = source[start..end]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let name = format!(
            "{path}:{line}: {}: {original} -> {replacement}",
            function.as_str().unwrap_or_default()
        );
        mutants.push(Mutant {
            name,
            range: start..end,
            replacement,
            file: path,
        });
    }
    Ok(mutants)
}

/// Returns the offset in bytes of a line and a column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(str::len)
        .sum();
    start
        + text[start..]
            .chars()
            .take(column - 1)
            .map(char::len_utf8)
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn offsets_count_bytes() {
        assert_eq!(super::offset("a\nä+b\n", 2, 2), 4);
        assert_eq!(super::offset("a\n", 1, 1), 0);
    }
}
