//! Measures how programs judge sentences of the shipped grammars.

mod compilers;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use zester_xtask::c;
use zester_xtask::cargo::cargo;
use zester_xtask::command::{self, in_memory, quietly};
use zester_xtask::programs;
use zester_xtask::repository::{self, Harness, file, grammar_of};
use zester_xtask::zester::{self, Zester};

/// The maximum number of programs in C, because each is compiled by a process of its own.
const MAX_PROGRAMS: u64 = 10_000;

/// The memory limit of a subject in bytes, so that an allocation without limit fails in the subject
/// only.
const MEMORY: u64 = 8_000_000 << 10;

/// Runs sentences of the shipped grammars through the programs under test.
///
/// Sizes are log-uniform. From 10,000 sentences on, every alternative must be used. serde_json must accept all sentences
/// of json, except for the causes that the grammar names. zester must parse all of ebnf. Of the
/// other languages, at least 99.9 % must have no syntax error. There is no program for expr and
/// stlc. The subject of sqlite is fuzz/c/sqlite.c. At least 95 % of the programs of c must compile
/// without errors; there are at most 10,000.
#[derive(clap::Args)]
pub struct Sentences {
    /// The number of sentences of each grammar.
    #[arg(
        short,
        default_value_t = 100_000,
        default_value_if("quick", "true", "1000")
    )]
    n: u64,
    /// The seed for drawing the sentences.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The names of grammars in grammars/ [default: all].
    #[arg(default_value_if("quick", "true", "json"))]
    grammars: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Sentences {
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        let grammars = if self.grammars.is_empty() {
            repository::grammars()?
        } else {
            self.grammars.clone()
        };
        let mut failed = Vec::new();
        for grammar in grammars {
            println!("\n== {grammar}");
            if let Err(error) = self.judge(&grammar, &zester) {
                eprintln!("{error:#}");
                failed.push(grammar);
            }
        }
        ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
        Ok(())
    }

    fn judge(&self, grammar: &str, zester: &Zester) -> Result<()> {
        let (work, all) = (tempfile::tempdir()?, self.n >= 10_000);
        if grammar == "c" {
            return compilers::judge(zester, self.n.min(MAX_PROGRAMS), self.seed, work.path());
        }
        let texts = work.path().join("texts");
        // With few sentences, some alternatives may be unused.
        let flags: &[&str] = if all { &["--coverage"] } else { &[] };
        let sentences = zester::Sentences {
            grammar: &file("grammars").join(grammar).with_extension("ebnf"),
            count: self.n,
            seed: self.seed,
            flags,
        };
        zester.generate(&sentences, &texts)?;
        match grammar {
            "expr" | "stlc" => {
                println!("{} sentences; nothing reads them", self.n);
                Ok(())
            }
            "ebnf" => self.read_back(),
            "sqlite" => run_on(&mut Command::new(c_judge(work.path())?), &texts),
            _ => {
                let share = if grammar == "json" { "100" } else { "99.9" };
                let mut judge = in_memory(MEMORY, programs::sentences(grammar)?);
                run_on(judge.args([grammar, "--at-least", share]), &texts)
            }
        }
    }

    /// Makes zester parse sentences of its own notation.
    fn read_back(&self) -> Result<()> {
        let mut test = cargo();
        test.env("ZESTER_SENTENCES", self.n.to_string());
        quietly(test.args([
            "test",
            "--no-default-features",
            "--test",
            "notation",
            "sentences_of_the_notations_grammar_are_read",
        ]))?;
        println!("zester reads {} sentences of its notation", self.n);
        Ok(())
    }
}

fn run_on(judge: &mut Command, texts: &Path) -> Result<()> {
    let status = judge
        .stdin(File::open(texts)?)
        .stdout(Stdio::inherit())
        .status()?;
    ensure!(
        status.success(),
        "{} failed ({status})",
        command::shown(judge)
    );
    Ok(())
}

/// Builds the program that judges SQL statements with SQLite, whose messages identify syntax
/// errors.
fn c_judge(work: &Path) -> Result<std::path::PathBuf> {
    let harness = Harness::read("sqlite")?;
    grammar_of("sqlite")?;
    let directory = c::sources_of(harness.package.as_deref().unwrap_or_default())?;
    let program = work.join("judge");
    let mut clang = Command::new(c::clang()?);
    clang
        .args(["-w", "-O2", "-fno-sanitize=all"])
        .args(c::flags_of(&harness)?)
        .arg("-O2");
    clang
        .arg(format!("-I{}", file("fuzz/c").display()))
        .arg(file("experiments/c/judge.c"));
    clang.args(harness.sources.iter().map(|source| directory.join(source)));
    c::link(&mut clang, &program)?;
    Ok(program)
}
