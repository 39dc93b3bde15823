//! Measures the speed of parsing, against other parsers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::published;
use zester_xtask::command::{find, quietly};
use zester_xtask::programs;
use zester_xtask::repository::{self, file, target_directory};

/// Measures the speed of parsing for every grammar, against other parsers.
///
/// The others are tree-sitter for languages of which it has a grammar, and for json also
/// serde_json, lark (fetched to target/parse) and ANTLR (fetched, too, if java, javac and npm are
/// installed). Prints kB per second for texts of 1 kB, 10 kB, 100 kB and 1 MB, the growth of the
/// time per byte, the peak of memory, and ratios. Then come the largest files that people wrote
/// (test data of published packages, fetched once to target/files), and chains: lists, nesting and
/// sequences of operators of 1,000 to 100,000 elements.
#[derive(clap::Args)]
pub struct Parse {
    /// The languages [default: all in grammars/].
    #[arg(default_value_if("quick", "true", "cedar"))]
    languages: Vec<String>,
    /// The parts to measure: sizes, files, chains.
    #[arg(long, value_name = "PART", num_args = 1.., default_values_t = ["sizes", "files", "chains"].map(String::from), default_value_if("quick", "true", "sizes"))]
    parts: Vec<String>,
    /// The number of rounds of each table; parsers take turns.
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "1"))]
    rounds: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Parse {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let languages = if self.languages.is_empty() {
            repository::grammars()?
        } else {
            self.languages.clone()
        };
        let program = programs::bench("parse", &["tree-sitter"])?;
        let work = tempfile::tempdir()?;
        for language in languages {
            println!("\n== {language}");
            let mut command = Command::new(&program);
            command.arg(file("grammars").join(&language).with_extension("ebnf"));
            if language == "json" {
                for peer in peers(&target_directory().join("parse"))? {
                    command.arg("--peer").arg(peer);
                }
            }
            if self.parts.iter().any(|part| part == "files") {
                command.args(published::files(&language, true)?);
            }
            command
                .env("PARSE_PARTS", self.parts.join(" "))
                .env("PARSE_ROUNDS", self.rounds.to_string());
            let status = command.env("TMPDIR", work.path()).status()?;
            ensure!(status.success(), "{language}: parse failed ({status})");
        }
        Ok(())
    }
}

/// Returns the parsers of JSON in Python and Java as `NAME=COMMAND`, and fetches them once.
fn peers(directory: &Path) -> Result<Vec<String>> {
    let (python, antlr) = (directory.join("python"), directory.join("antlr"));
    fs::create_dir_all(directory)?;
    if !python.is_dir() {
        let part = tempfile::tempdir_in(directory)?;
        let packages = ["lark==1.3.1", "antlr4-python3-runtime==4.13.2"];
        quietly(
            Command::new("python3")
                .args(["-m", "pip", "install", "--target"])
                .arg(part.path())
                .args(packages),
        )?;
        fs::rename(part.keep(), &python)?;
    }
    if !antlr.is_dir()
        && ["java", "javac", "npm"]
            .iter()
            .all(|program| find(program).is_some())
    {
        let part = tempfile::tempdir_in(directory)?;
        antlr_parsers(part.path())?;
        fs::rename(part.keep(), &antlr)?;
    }
    let script = file("fuzz/bench/peers/json.py");
    let path = format!("{}:{}", python.display(), antlr.join("python").display());
    let lark = |name: &str, parser: &str| {
        format!(
            "{name}=env PYTHONPATH='{path}' python3 '{}' {parser}",
            script.display()
        )
    };
    let mut peers = vec![lark("lark, LALR", "lalr"), lark("lark, Earley", "earley")];
    if antlr.is_dir() {
        peers.push(lark("ANTLR, in Python", "antlr"));
        let (jar, classes) = (antlr.join("antlr.jar"), antlr.display());
        peers.push(format!(
            "ANTLR, in Java=java -cp '{}:{classes}' Json",
            jar.display()
        ));
    }
    Ok(peers)
}

/// Fetches ANTLR and generates parsers of JSON in Python and Java.
fn antlr_parsers(directory: &Path) -> Result<()> {
    let run = |program: &str, arguments: &[&str]| {
        quietly(Command::new(program).args(arguments).current_dir(directory))
    };
    let with = |extension: &str| -> Result<Option<PathBuf>> {
        Ok(zester_xtask::zester::files(directory)?
            .into_iter()
            .find(|file| file.extension().is_some_and(|found| found == extension)))
    };
    run("npm", &["pack", "antlr4ng-cli@2.0.0"])?;
    let archive = with("tgz")?
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    run("tar", &["-xzf", &archive])?;
    fs::copy(
        with("jar")?.unwrap_or_default(),
        directory.join("antlr.jar"),
    )?;
    for name in ["JSON.g4", "Json.java"] {
        fs::copy(file("fuzz/bench/peers").join(name), directory.join(name))?;
    }
    run(
        "java",
        &[
            "-jar",
            "antlr.jar",
            "-Dlanguage=Python3",
            "-o",
            "python",
            "JSON.g4",
        ],
    )?;
    run("java", &["-jar", "antlr.jar", "-o", ".", "JSON.g4"])?;
    run("sh", &["-c", "javac -cp antlr.jar -d . ./*.java"])
}
