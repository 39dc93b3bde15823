//! Measures the test suites that `zester suite` writes: sizes, times, and the coverage of programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use regex::Regex;
use serde_json::Value;

use crate::figures::median;
use zester_xtask::c;
use zester_xtask::command::{completed, end_of};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::{self, Harness, c_targets, file, grammar_of};
use zester_xtask::zester::Zester;

/// Measures suites of the shipped grammars.
///
/// For each grammar and each criterion, prints the numbers of sentences and bytes with one
/// obligation in each sentence and with --pack, the numbers of obligations and of those that cannot
/// be covered, and the times. For negative suites, prints the numbers of texts by word and rule
/// mutation, and how many texts were dropped because zester's parser reads them.
///
/// With --targets, it runs each suite through a fuzz target instead, and sentences of `zester
/// generate` with the seeds 1 to 3: as many, and as many as have the same number of bytes. Prints
/// the edges and those of valid sentences, medians of the three.
#[derive(clap::Args)]
pub struct Suites {
    /// The names of grammars in grammars/ [default: all].
    #[arg(default_value_if("quick", "true", "json"))]
    grammars: Vec<String>,
    /// The fuzz targets for coverage, in Rust, or `c:NAME` for those in C.
    #[arg(long, value_delimiter = ',')]
    targets: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The criteria.
const CRITERIA: [&str; 11] = [
    "symbol", "rule", "cdrc", "cdrc2", "step:2", "bfs:4", "pll", "pair", "kpath:2", "kpath:3",
    "deriv",
];

/// A suite of a grammar.
struct Suite {
    sentences: usize,
    bytes: u64,
    obligations: u64,
    uncovered: usize,
    seconds: f64,
    record: Value,
}

impl Suites {
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        for target in &self.targets {
            self.coverage(target, &zester)?;
        }
        if self.targets.is_empty() {
            let grammars = if self.grammars.is_empty() {
                repository::grammars()?
            } else {
                self.grammars.clone()
            };
            for grammar in grammars {
                self.sizes(&grammar, &zester)?;
            }
        }
        Ok(())
    }

    fn criteria(&self) -> &'static [&'static str] {
        if self.quick {
            &CRITERIA[..2]
        } else {
            &CRITERIA
        }
    }

    /// Prints the sizes of the suites of a grammar.
    fn sizes(&self, name: &str, zester: &Zester) -> Result<()> {
        let grammar = file("grammars").join(name).with_extension("ebnf");
        println!(
            "\n{name:12} {:>9} {:>9} {:>7} | {:>9} {:>9} {:>7} | {:>11} {:>9}",
            "sentences", "bytes", "s", "packed", "bytes", "s", "obligations", "uncovered"
        );
        for criterion in self.criteria() {
            let one = suite(zester, &grammar, &["--criterion", criterion])?;
            let packed = suite(zester, &grammar, &["--criterion", criterion, "--pack"])?;
            println!(
                "{criterion:12} {:>9} {:>9} {:>7.1} | {:>9} {:>9} {:>7.1} | {:>11} {:>9}",
                one.sentences,
                one.bytes,
                one.seconds,
                packed.sentences,
                packed.bytes,
                packed.seconds,
                one.obligations,
                one.uncovered
            );
        }
        let negative = suite(zester, &grammar, &["--negative"])?;
        let of = |kind: &str| {
            negative.record["files"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|file| file["mutated"] == kind)
                .count()
        };
        let number = |key: &str| negative.record[key].as_u64().unwrap_or(0);
        println!(
            "negative: {} texts ({} by word mutation, {} by rule mutation), {:.1} s; dropped: {} that the parser reads, {} with the error \
             elsewhere, {} that take too long",
            negative.sentences,
            of("word"),
            of("rule"),
            negative.seconds,
            number("readable"),
            number("moved"),
            number("unclear"),
        );
        Ok(())
    }

    /// Prints the coverage of the suites of a target's grammar, and of as many random sentences.
    fn coverage(&self, target: &str, zester: &Zester) -> Result<()> {
        let work = tempfile::tempdir()?;
        let program = work.path().join("target");
        let grammar = match target.strip_prefix("c:") {
            Some(name) => {
                anyhow::ensure!(
                    c_targets()?.iter().any(|known| known == name),
                    "no target {name} in fuzz/c"
                );
                c::fuzz_target(name, "", zester.path(), &program)?;
                file(
                    &Harness::read(name)?
                        .grammar
                        .context("the harness names no grammar")?,
                )
            }
            None => {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
                grammar_of(target)?
            }
        };
        println!(
            "\n{target:12} {:>9} {:>9} | {:>15} | {:>15} | {:>15}",
            "sentences", "bytes", "suite", "as many", "same bytes"
        );
        for criterion in self.criteria() {
            let directory = work.path().join("suite");
            let suite = suite_in(zester, &grammar, &["--criterion", criterion], &directory)?;
            let covered = edges(zester, &program, &directory)?;
            fs::remove_dir_all(&directory)?;
            let mut row = format!(
                "{criterion:12} {:>9} {:>9} | {:>8} {:>6} |",
                suite.sentences, suite.bytes, covered[0], covered[1]
            );
            let mut count = suite.sentences as u64;
            for _ in ["as many", "same bytes"] {
                let (mut runs, mut bytes) = (Vec::new(), 0);
                for seed in 1..=if self.quick { 1 } else { 3 } {
                    let seed = format!("{seed}");
                    zester.generate_files(&grammar, count, &["--seed", &seed], &directory)?;
                    bytes = size(&directory)?;
                    runs.push(edges(zester, &program, &directory)?);
                    fs::remove_dir_all(&directory)?;
                }
                // In the second round, as many sentences as have about as many bytes as the suite.
                count = (suite.bytes * count).div_ceil(bytes.max(1)).max(1);
                let [all, valid] =
                    [0, 1].map(|which| median(runs.iter().map(|run| run[which] as f64)));
                row += &format!(" {all:>8} {valid:>6} |");
            }
            println!("{row}");
        }
        Ok(())
    }
}

/// Writes a suite to a temporary directory.
fn suite(zester: &Zester, grammar: &Path, flags: &[&str]) -> Result<Suite> {
    let work = tempfile::tempdir()?;
    suite_in(zester, grammar, flags, &work.path().join("suite"))
}

/// Writes a suite to a directory.
fn suite_in(zester: &Zester, grammar: &Path, flags: &[&str], directory: &Path) -> Result<Suite> {
    let mut command = zester.command("suite");
    command.arg(grammar).args(flags).arg("-o").arg(directory);
    let start = Instant::now();
    zester_xtask::command::quietly(&mut command)?;
    let seconds = start.elapsed().as_secs_f64();
    let record: Value = serde_json::from_slice(&fs::read(directory.join("suite.json"))?)?;
    // `zester run` would run this file as an input.
    fs::remove_file(directory.join("suite.json"))?;
    let bytes = size(directory)?;
    Ok(Suite {
        sentences: record["files"].as_array().map_or(0, Vec::len),
        bytes,
        obligations: record["obligations"].as_u64().unwrap_or(0),
        uncovered: record["uncovered"].as_array().map_or(0, Vec::len),
        seconds,
        record,
    })
}

/// Returns the number of bytes in the files of a directory.
fn size(directory: &Path) -> Result<u64> {
    let files: Vec<PathBuf> = zester_xtask::zester::files(directory)?;
    files.iter().map(|file| Ok(fs::metadata(file)?.len())).sum()
}

/// Returns the numbers of edges that the texts in a directory reach, and that valid ones reach.
fn edges(zester: &Zester, program: &Path, directory: &Path) -> Result<[u64; 2]> {
    let text = completed(
        zester
            .command("run")
            .arg(program)
            .arg(directory)
            .args(["-j", "1"]),
    )?
    .text;
    let pattern = Regex::new("(?m)^[0-9]+ sentences, .*; ([0-9]+) edges, ([0-9]+) by valid ones$")?;
    let found = pattern
        .captures(&text)
        .with_context(|| format!("no line of edges:\n{}", end_of(text.as_bytes())))?;
    Ok([found[1].parse()?, found[2].parse()?])
}
