//! Imports grammars of other notations from published packages, and counts the sentences that the
//! reference parser of each notation accepts.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use zester_xtask::command::{self, completed, install, limited, quietly};
use zester_xtask::repository::{file, target_directory};
use zester_xtask::zester::Zester;

use crate::figures::median;
use crate::packages;

mod programs;

/// The grammars. The first line of the table explains its columns.
const GRAMMARS: &str = include_str!("../import/grammars.tsv");

/// The reference parsers of tree-sitter and pest, and that of ANTLR.
const MANIFEST: &str = include_str!("../import/reference.toml");
const REFERENCE: &str = include_str!("../import/reference.rs");
const ANTLR: &str = include_str!("../import/AntlrReference.java");

/// The crates that read the formats of grammars in ABNF and LALRPOP.
const CRATES_MANIFEST: &str = include_str!("../import/crates.toml");
const CRATES: &str = include_str!("../import/crates.rs");

/// Where Debian's package `antlr4` has its libraries.
const JARS: &str = "/usr/share/java/antlr3-runtime.jar:/usr/share/java/antlr4-runtime.jar:/usr/share/java/antlr4.jar:/usr/share/java/icu4j.jar:/usr/share/java/stringtemplate4.jar:/usr/share/java/treelayout.jar";

/// The time limit in seconds for generating the sentences of a grammar, and for reading them by a reference.
const SECONDS: u64 = 240;

/// Imports grammars of published packages, and counts accepted sentences.
///
/// The packages are fetched from crates.io, PyPI, npm and Debian. The references are tree-sitter (no error in
/// the tree), pest_vm, ANTLR's interpreters (Debian's antlr4, and a JDK), crates that read the format (ABNF and
/// LALRPOP), and the installed programs (Yacc). Figures are appended to target/import/figures.tsv.
#[derive(clap::Args)]
pub struct Import {
    /// The number of sentences of each grammar.
    #[arg(default_value_t = 5_000, default_value_if("quick", "true", "100"))]
    sentences: u64,
    /// Only this notation: tree-sitter, pest, antlr, abnf, lalrpop or yacc.
    #[arg(long)]
    notation: Option<String>,
    /// Only the grammars of these names, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
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
    start: Option<&'a str>,
}

impl Import {
    pub fn run(&self) -> Result<()> {
        let work = target_directory().join("import");
        fs::create_dir_all(&work)?;
        let lines = GRAMMARS.lines().filter(|line| !line.starts_with('#'));
        let mut grammars: Vec<Published> = lines.filter_map(published).collect();
        grammars.retain(|grammar| {
            self.notation
                .as_deref()
                .is_none_or(|notation| notation == grammar.notation)
                && (self.only.is_empty() || self.only.iter().any(|name| name == grammar.name))
        });
        if self.quick && self.only.is_empty() {
            // tree-sitter's and pest's JSON.
            grammars.retain(|grammar| grammar.name == "json");
        }
        ensure!(!grammars.is_empty(), "no grammar of that name and notation");
        let zester = Zester::build()?;
        let project = Project::build(&work, &grammars)?;
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
        let import = completed(&mut import_command(grammar, zester, &imported, &source))?;
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
        let result = project.result(grammar, &source, &fact("start rule"), &sentences);
        let head = format!(
            "{:>5} rules {:>4} warnings {seconds:5.2} s ",
            fact("rules"),
            fact("warnings")
        );
        let Ok(result) = result else {
            return Ok((head + "the reference failed or took too long", None));
        };
        fs::write(own.join("result.txt"), &result)?;
        let (counted, share) = counts(&result)?;
        Ok((head + &counted, Some(share)))
    }
}

/// Parses the output of a reference: the number of accepted sentences, the number of all, and optionally the
/// number of those that only code in the grammar refuses. Returns a description, and the share of accepted sentences.
fn counts(result: &str) -> Result<(String, f64)> {
    let numbers = result.lines().find_map(|line| {
        let numbers: Result<Vec<f64>, _> = line.split(' ').map(str::parse).collect();
        numbers.ok().filter(|numbers| numbers.len() >= 2)
    });
    let numbers = numbers.with_context(|| format!("no figures in {result:?}"))?;
    let (accepted, all) = (numbers[0], numbers[1]);
    let refused = numbers.get(2).copied().unwrap_or(0.0);
    let share = accepted / all.max(1.0);
    let mut words = format!("{accepted} of {all} accepted, {:.2} %", 100.0 * share);
    if refused > 0.0 {
        let others = 100.0 * accepted / (all - refused).max(1.0);
        words += &format!("; {refused} refused by actions, of the others {others:.2} %");
    }
    Ok((words, share))
}

fn published(line: &'static str) -> Option<Published<'static>> {
    let mut columns = line.split('\t');
    Some(Published {
        notation: columns.next()?,
        name: columns.next()?,
        package: columns.next()?,
        path: columns.next()?,
        lexer: columns.next().filter(|lexer| *lexer != "-"),
        start: columns.next(),
    })
}

/// Imports the published grammar of tree-sitter for a language to a file, unless it is there.
///
/// # Errors
/// If the table has no such grammar, if its package cannot be fetched, or if `zester import` fails.
pub fn imported(language: &str, zester: &Zester, to: &Path) -> Result<()> {
    if to.exists() {
        return Ok(());
    }
    let grammar = GRAMMARS
        .lines()
        .filter_map(published)
        .find(|grammar| (grammar.notation, grammar.name) == ("tree-sitter", language));
    let grammar = grammar.with_context(|| format!("no grammar of tree-sitter for {language}"))?;
    let (registry, package) = grammar.package.split_once(':').context("no registry")?;
    let directory = target_directory().join("import/packages").join(package);
    let source = packages::fetch(registry, package, &directory)?.join(grammar.path);
    // The start of tree-sitter's grammars is their first rule.
    let grammar = Published {
        start: None,
        ..grammar
    };
    quietly(&mut import_command(&grammar, zester, to, &source))
}

/// Returns the command that imports a grammar.
fn import_command(grammar: &Published, zester: &Zester, to: &Path, source: &Path) -> Command {
    let mut command = zester.command("import");
    command.args(["--force", "--from", grammar.notation, "-o"]);
    command.arg(to).arg(source);
    let tokens = file("experiments/import/tokens").join(format!("{}.txt", grammar.name));
    if matches!(grammar.notation, "lalrpop" | "yacc") && tokens.is_file() {
        command.arg("--tokens").arg(tokens);
    }
    if let Some(start) = grammar.start {
        command.args(["--start", start]);
    }
    command
}

/// Returns the name and the version of the crate of a grammar of tree-sitter.
fn parser_crate<'a>(grammar: &Published<'a>) -> Option<Result<(&'a str, &'a str)>> {
    let package = grammar.package.strip_prefix("crate:")?;
    let version = || package.split_once('@').context("a crate without a version");
    (grammar.notation == "tree-sitter").then(version)
}

/// Returns the manifest of the references, with the crates of these grammars of tree-sitter.
fn manifest(grammars: &[Published]) -> Result<String> {
    let mut crates = BTreeSet::new();
    for parser in grammars.iter().filter_map(parser_crate) {
        let (name, version) = parser?;
        crates.insert(format!("{name} = \"={version}\"\n"));
    }
    let crates: String = crates.into_iter().collect();
    Ok(MANIFEST.replace("# LANGUAGES\n", &crates))
}

/// Returns the source of the references, with the languages of these grammars of tree-sitter.
fn languages(grammars: &[Published]) -> Result<String> {
    let mut arms = String::new();
    for grammar in grammars {
        let Some(parser) = parser_crate(grammar) else {
            continue;
        };
        let (name, module) = (grammar.name, parser?.0.replace('-', "_"));
        let constant = grammar.lexer.unwrap_or("LANGUAGE");
        arms += &format!("{name:?} => {module}::{constant}.into(),\n");
    }
    Ok(REFERENCE.replace("// LANGUAGES\n", &arms))
}

/// The built references.
struct Project {
    /// The references of tree-sitter and pest. Its dependencies also have grammars of ANTLR.
    reference: Option<BuiltPackage>,
    /// The crates that read the formats of grammars in ABNF and LALRPOP.
    crates: Option<BuiltPackage>,
    /// The directory of the compiled reference of ANTLR.
    antlr: PathBuf,
}

/// A built crate, and its cargo metadata with the directories of its dependencies.
struct BuiltPackage {
    program: PathBuf,
    metadata: Value,
}

impl BuiltPackage {
    fn build(name: &str, manifest: &str, source: &str, work: &Path) -> Result<Self> {
        let directory = work.join(name);
        fs::create_dir_all(directory.join("src"))?;
        fs::write(directory.join("Cargo.toml"), manifest)?;
        fs::write(directory.join("src/main.rs"), source)?;
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
        Ok(Self {
            program: directory.join("target/release").join(name),
            metadata: serde_json::from_slice(&metadata)?,
        })
    }

    /// Returns the directory of a dependency.
    fn directory(&self, name: &str) -> Result<PathBuf> {
        let packages = self.metadata["packages"]
            .as_array()
            .context("no packages")?;
        let found = packages.iter().find(|one| one["name"] == name);
        let manifest = found.context("no such crate")?["manifest_path"].as_str();
        let manifest = Path::new(manifest.context("no manifest")?);
        Ok(manifest.parent().context("no directory")?.to_path_buf())
    }
}

impl Project {
    /// Builds the references that some grammars need.
    fn build(work: &Path, grammars: &[Published]) -> Result<Self> {
        let has = |notations: &[&str]| grammars.iter().any(|one| notations.contains(&one.notation));
        let build =
            |name, manifest: &str, source: &str| BuiltPackage::build(name, manifest, source, work);
        if has(&["antlr"]) {
            install(&["antlr4", "default-jdk-headless"], &["antlr4", "java"])?;
        }
        if has(&["yacc"]) {
            let programs = ["bc", "bison", "gawk", "jq", "mruby", "nop", "php"];
            let packages = ["bc", "bison", "gawk", "graphviz", "jq", "mruby", "php-cli"];
            install(&packages, &programs)?;
        }
        let antlr = work.join("antlr-reference");
        fs::create_dir_all(&antlr)?;
        fs::write(antlr.join("AntlrReference.java"), ANTLR)?;
        let reference = has(&["tree-sitter", "pest", "antlr"]);
        let crates = has(&["abnf", "lalrpop"]);
        Ok(Self {
            reference: reference
                .then(|| build("reference", &manifest(grammars)?, &languages(grammars)?))
                .transpose()?,
            crates: crates
                .then(|| build("crates", CRATES_MANIFEST, CRATES))
                .transpose()?,
            antlr,
        })
    }

    /// Returns the package that reads a notation.
    fn package(&self, notation: &str) -> Result<&BuiltPackage> {
        let package = match notation {
            "abnf" | "lalrpop" => &self.crates,
            _ => &self.reference,
        };
        package.as_ref().context("the reference is not built")
    }

    /// Returns the file of a grammar. Fetches its package, unless cargo has fetched it as a dependency.
    fn file(&self, grammar: &Published, work: &Path) -> Result<PathBuf> {
        let (registry, package) = grammar.package.split_once(':').context("no registry")?;
        let root = match registry {
            "crate" => {
                let name = package.split('@').next().unwrap_or(package);
                self.package(grammar.notation)?.directory(name)?
            }
            _ => packages::fetch(registry, package, &work.join("packages").join(package))?,
        };
        let path = root.join(grammar.path);
        ensure!(path.is_file(), "{} is not in the package", grammar.path);
        Ok(path)
    }

    /// Runs the reference parser. Returns what it has printed.
    fn result(
        &self,
        grammar: &Published,
        source: &Path,
        start: &str,
        sentences: &Path,
    ) -> Result<String> {
        if grammar.notation == "yacc" {
            let scratch = tempfile::tempdir()?;
            return programs::accepted(grammar.name, sentences, scratch.path());
        }
        let mut command = match grammar.notation {
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
            notation => {
                let mut command = limited(SECONDS, &self.package(notation)?.program);
                match notation {
                    "pest" => command.arg("pest").arg(source).arg(start),
                    "tree-sitter" => command.arg(notation).arg(grammar.name),
                    _ => command.arg(grammar.name),
                };
                command.arg(sentences);
                command
            }
        };
        let printed = command::output(&mut command)?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_by_actions_are_counted_apart() {
        let (words, share) = counts("a message\n50 100 40\nfile: 1 2\n").unwrap();
        assert_eq!(share, 0.5);
        assert!(words.ends_with("; 40 refused by actions, of the others 83.33 %"));
        assert_eq!(counts("9 10\n").unwrap().0, "9 of 10 accepted, 90.00 %");
        assert!(counts("no numbers\n").is_err());
    }

    #[test]
    fn each_line_is_a_grammar() {
        let lines = GRAMMARS.lines().filter(|line| !line.starts_with('#'));
        assert!(lines.clone().count() > 50);
        assert!(lines.map(published).all(|grammar| grammar.is_some()));
    }
}
