//! Imports grammars of other notations from published packages, and counts the sentences that the
//! reference parser of each notation accepts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use zester_xtask::command::{self, completed, limited, quietly};
use zester_xtask::repository::target_directory;
use zester_xtask::zester::Zester;

use crate::figures::median;

/// The grammars: notation, name, package, path in it, and the lexer grammar beside it.
const GRAMMARS: &str = include_str!("../import/grammars.tsv");

/// The reference parsers of tree-sitter and pest, and that of ANTLR.
const MANIFEST: &str = include_str!("../import/reference.toml");
const REFERENCE: &str = include_str!("../import/reference.rs");
const ANTLR: &str = include_str!("../import/AntlrReference.java");

/// Where Debian's package `antlr4` has its libraries.
const JARS: &str = "/usr/share/java/antlr3-runtime.jar:/usr/share/java/antlr4-runtime.jar:/usr/share/java/antlr4.jar:/usr/share/java/icu4j.jar:/usr/share/java/stringtemplate4.jar:/usr/share/java/treelayout.jar";

/// The maximum number of seconds that a reference takes for one grammar.
const SECONDS: u64 = 240;

/// Imports grammars of published packages, and counts accepted sentences.
///
/// The packages are fetched from crates.io, PyPI and npm. The references are tree-sitter (no error in the
/// tree), pest_vm, and ANTLR's interpreters (Debian's antlr4, and a JDK). Figures are appended to
/// target/import/figures.tsv.
#[derive(clap::Args)]
pub struct Import {
    /// The number of sentences of each grammar.
    #[arg(default_value_t = 5_000, default_value_if("quick", "true", "100"))]
    sentences: u64,
    /// Only this notation: tree-sitter, pest or antlr.
    #[arg(long)]
    notation: Option<String>,
    /// Only the grammar of this name.
    #[arg(long)]
    only: Option<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// A grammar of a published package.
struct Published<'a> {
    notation: &'a str,
    name: &'a str,
    package: &'a str,
    path: &'a str,
    lexer: Option<&'a str>,
}

impl Import {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let work = target_directory().join("import");
        fs::create_dir_all(&work)?;
        let lines = GRAMMARS.lines().filter(|line| !line.starts_with('#'));
        let mut grammars: Vec<Published> = lines.filter_map(published).collect();
        grammars.retain(|grammar| {
            self.notation
                .as_deref()
                .is_none_or(|notation| notation == grammar.notation)
                && self.only.as_deref().is_none_or(|name| name == grammar.name)
        });
        if self.quick && self.only.is_none() {
            // tree-sitter's and pest's JSON.
            grammars.retain(|grammar| grammar.name == "json");
        }
        ensure!(!grammars.is_empty(), "no grammar of that name and notation");
        let zester = Zester::build()?;
        let project = Project::build(&work)?;
        let mut figures = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(work.join("figures.tsv"))?;
        let mut shares: Vec<f64> = Vec::new();
        for grammar in &grammars {
            let row = match self.measure(grammar, &zester, &project, &work) {
                Ok((row, share)) => {
                    shares.extend(share);
                    row
                }
                Err(error) => format!("failed: {error:#}"),
            };
            println!("{:12}{:18}{row}", grammar.notation, grammar.name);
            writeln!(
                figures,
                "{}\t{}\t{}\t{row}",
                grammar.notation, grammar.name, self.sentences
            )?;
        }
        if !shares.is_empty() {
            println!(
                "median {:.1} % of {} grammars",
                100.0 * median(shares.iter().copied()),
                shares.len()
            );
        }
        Ok(())
    }

    /// Imports one grammar. Returns its figures, and the share of accepted sentences.
    fn measure(
        &self,
        grammar: &Published,
        zester: &Zester,
        project: &Project,
        work: &Path,
    ) -> Result<(String, Option<f64>)> {
        let source = project.file(grammar, work)?;
        let own = work.join(grammar.notation).join(grammar.name);
        fs::create_dir_all(&own)?;
        let (imported, sentences) = (own.join("grammar.ebnf"), own.join("sentences"));
        let start = Instant::now();
        let import = completed(
            zester
                .command("import")
                .args(["--force", "--from", grammar.notation, "-o"])
                .arg(&imported)
                .arg(&source),
        )?;
        let seconds = start.elapsed().as_secs_f64();
        let said = import.text.clone();
        fs::write(own.join("import.txt"), &said)?;
        ensure!(
            import.succeeded(),
            "{}",
            said.lines().next().unwrap_or_default()
        );
        let fact = |name: &str| {
            let line = said.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_string()
        };
        let check = completed(zester.command("check").arg("-q").arg(&imported))?;
        let complaint = check.text.clone();
        ensure!(
            check.succeeded(),
            "check: {}",
            complaint.lines().next().unwrap_or_default()
        );
        if sentences.exists() {
            fs::remove_dir_all(&sentences)?;
        }
        let count = self.sentences.to_string();
        quietly(
            limited(SECONDS, zester.path())
                .arg("generate")
                .arg(&imported)
                .args(["-n", &count, "--seed", "1", "-o"])
                .arg(&sentences),
        )?;
        let result = command::output(&mut project.reference(
            grammar,
            &source,
            &fact("start rule"),
            &sentences,
        ));
        let head = format!(
            "{:>5} rules {:>4} warnings {seconds:5.2} s ",
            fact("rules"),
            fact("warnings")
        );
        let Ok(result) = result else {
            return Ok((head + "the reference failed or took too long", None));
        };
        let result = String::from_utf8_lossy(&result).into_owned();
        let numbers = result.lines().find_map(|line| {
            let (accepted, all) = line.split_once(' ')?;
            Some((
                accepted.parse::<f64>().ok()?,
                all.trim().parse::<f64>().ok()?,
            ))
        });
        let (accepted, all) = numbers.with_context(|| format!("no figures in {result:?}"))?;
        let share = accepted / all.max(1.0);
        Ok((
            format!("{head}{accepted} of {all} accepted, {:.2} %", 100.0 * share),
            Some(share),
        ))
    }
}

fn published(line: &'static str) -> Option<Published<'static>> {
    let mut columns = line.split('\t');
    Some(Published {
        notation: columns.next()?,
        name: columns.next()?,
        package: columns.next()?,
        path: columns.next()?,
        lexer: columns.next().filter(|lexer| *lexer != "-"),
    })
}

/// The built references, and where cargo has the packages.
struct Project {
    program: PathBuf,
    metadata: Value,
    /// The directory of the compiled reference of ANTLR.
    antlr: PathBuf,
}

impl Project {
    fn build(work: &Path) -> Result<Project> {
        let directory = work.join("reference");
        fs::create_dir_all(directory.join("src"))?;
        fs::write(directory.join("Cargo.toml"), MANIFEST)?;
        fs::write(directory.join("src/main.rs"), REFERENCE)?;
        let cargo = |subcommand: &str| {
            let mut cargo = Command::new("cargo");
            cargo
                .arg(subcommand)
                .current_dir(&directory)
                .env("CARGO_TARGET_DIR", directory.join("target"));
            cargo
        };
        quietly(cargo("build").arg("--release"))?;
        let metadata = command::output(cargo("metadata").args(["--format-version", "1"]))?;
        let antlr = work.join("antlr-reference");
        fs::create_dir_all(&antlr)?;
        fs::write(antlr.join("AntlrReference.java"), ANTLR)?;
        Ok(Project {
            program: directory.join("target/release/reference"),
            metadata: serde_json::from_slice(&metadata)?,
            antlr,
        })
    }

    /// Returns the file of a grammar; fetches its package if it is not one of cargo's.
    fn file(&self, grammar: &Published, work: &Path) -> Result<PathBuf> {
        let (registry, package) = grammar.package.split_once(':').context("no registry")?;
        let root = match registry {
            "crate" => {
                let packages = self.metadata["packages"]
                    .as_array()
                    .context("no packages")?;
                let found = packages
                    .iter()
                    .find(|one| one["name"] == package)
                    .context("no such crate")?;
                let manifest = found["manifest_path"].as_str().context("no manifest")?;
                Path::new(manifest)
                    .parent()
                    .context("no directory")?
                    .to_path_buf()
            }
            "npm" | "pypi" => fetch(registry, package, &work.join("packages").join(package))?,
            _ => bail!("unknown registry {registry}"),
        };
        let path = root.join(grammar.path);
        ensure!(path.is_file(), "{} is not in the package", grammar.path);
        Ok(path)
    }

    /// Returns the command of the reference parser.
    fn reference(
        &self,
        grammar: &Published,
        source: &Path,
        start: &str,
        sentences: &Path,
    ) -> Command {
        match grammar.notation {
            "antlr" => {
                let lexer = grammar.lexer.map(|lexer| source.with_file_name(lexer));
                let mut java = limited(SECONDS, "java");
                java.args(["-Xmx1500m", "-cp", JARS])
                    .arg(self.antlr.join("AntlrReference.java"))
                    .arg(source)
                    .arg(lexer.unwrap_or("-".into()))
                    .arg(start)
                    .arg(sentences)
                    .arg("0");
                java
            }
            "pest" => {
                let mut command = limited(SECONDS, &self.program);
                command.arg("pest").arg(source).arg(start).arg(sentences);
                command
            }
            notation => {
                let mut command = limited(SECONDS, &self.program);
                command.arg(notation).arg(grammar.name).arg(sentences);
                command
            }
        }
    }
}

/// Fetches a package of npm or PyPI. Returns the directory of its files.
fn fetch(registry: &str, package: &str, to: &Path) -> Result<PathBuf> {
    let content = to.join("content");
    if !content.exists() {
        fs::create_dir_all(to)?;
        let archives = || -> Result<Vec<PathBuf>> {
            let files = fs::read_dir(to)?.flatten().map(|entry| entry.path());
            Ok(files.filter(|path| path.is_file()).collect())
        };
        let mut download = match registry {
            "npm" => Command::new("npm"),
            _ => Command::new("python3"),
        };
        match registry {
            "npm" => download.args(["pack", "--silent", package]),
            _ => download.args(["-m", "pip", "download", "--no-deps", "--quiet", package]),
        };
        quietly(download.current_dir(to))?;
        let archive = archives()?.pop().context("no archive")?;
        let unpacked = to.join("unpacking");
        fs::create_dir_all(&unpacked)?;
        let is_wheel = archive
            .extension()
            .is_some_and(|extension| extension == "whl" || extension == "zip");
        let mut unpack = match is_wheel {
            true => Command::new("python3"),
            false => Command::new("tar"),
        };
        match is_wheel {
            true => unpack
                .args(["-m", "zipfile", "-e"])
                .arg(&archive)
                .arg(&unpacked),
            false => unpack.arg("xzf").arg(&archive).arg("-C").arg(&unpacked),
        };
        quietly(&mut unpack)?;
        fs::rename(&unpacked, &content)?;
    }
    // Archives of sources have one directory at the top.
    let inside: Vec<PathBuf> = fs::read_dir(&content)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    match &inside[..] {
        [only] if only.is_dir() => Ok(only.clone()),
        _ => Ok(content),
    }
}
