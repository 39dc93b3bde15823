//! Changes a grammar under a corpus, and counts what survives.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use zester_xtask::command::completed;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::file;
use zester_xtask::zester::{Zester, files};

/// Changes a grammar under a corpus, and counts the inputs that survive.
///
/// The corpus has sentences of wgsl.ebnf. The changed grammar has a new alternative, a renamed rule,
/// and no alternative for `loop` in the typed rules. Another run kills the conversion after half of
/// the time, and starts it again.
#[derive(clap::Args)]
pub struct Conversion {
    /// The number of inputs.
    #[arg(default_value_t = 5_000, default_value_if("quick", "true", "200"))]
    inputs: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Conversion {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        let (program, corpus) = (work.path().join("wgsl"), work.path().join("corpus"));
        programs::fuzz_target("wgsl", Sanitizer::None, Engine::Libfuzzer, &program)?;
        let (grammar, changed) = (file("grammars/wgsl.ebnf"), work.path().join("changed.ebnf"));
        fs::write(&changed, change(&fs::read_to_string(&grammar)?)?)?;
        let flags = ["--parameters", "--seed", "1"];
        zester.generate_files(&grammar, self.inputs, &flags, &corpus)?;
        // The first start writes the text of the grammar to the corpus.
        run(&program, &grammar, &corpus)?;
        let start = Instant::now();
        let said = run(&program, &changed, &corpus)?;
        let time = start.elapsed();
        println!("{:.1} s: {said}", time.as_secs_f64());
        let mut killed = command(&program, &grammar, &corpus)
            .stderr(Stdio::null())
            .spawn()?;
        std::thread::sleep(Duration::from_secs_f64(0.5 * time.as_secs_f64()));
        killed.kill()?;
        killed.wait()?;
        let said = run(&program, &grammar, &corpus)?;
        let left = files(&corpus)?.len();
        println!("killed after half of the time, and started again: {said}");
        ensure!(
            left as u64 >= self.inputs,
            "{left} files instead of {}",
            self.inputs
        );
        println!("{left} files are left");
        Ok(())
    }
}

/// Returns a changed grammar.
fn change(text: &str) -> Result<String> {
    let (before, rest) = text.split_at(text.find("    | \"loop\" @scope(").unwrap_or(0));
    let next = rest[4..].find("\n    | ").map_or(0, |at| at + 5);
    ensure!(next > 0, "wgsl.ebnf has no loop where it is expected");
    let without = format!("{before}{}", &rest[next..]);
    let changed = without
        .replace("call_statement", "called_statement")
        .replacen("\nstatement = ", "\nstatement = \"nop\" \";\" | ", 1);
    ensure!(
        changed.contains("\"nop\""),
        "wgsl.ebnf has no rule `statement`"
    );
    Ok(changed)
}

/// Returns a command that starts the target with a grammar, and runs nothing.
fn command(program: &Path, grammar: &Path, corpus: &Path) -> Command {
    let mut command = Command::new(program);
    let prefix = format!(
        "-artifact_prefix={}/",
        corpus.with_extension("artifacts").display()
    );
    command
        .env("ZESTER_GRAMMAR", grammar)
        .args(["-runs=0", &prefix])
        .arg(corpus);
    command
}

/// Starts the target. Returns what it says about the conversion.
fn run(program: &Path, grammar: &Path, corpus: &Path) -> Result<String> {
    fs::create_dir_all(corpus.with_extension("artifacts"))?;
    // Some of the sentences make the program panic, after the conversion.
    let text = completed(&mut command(program, grammar, corpus))?.text;
    let said = text.lines().find(|line| line.contains("were converted"));
    Ok(said
        .and_then(|line| line.split("changed. ").nth(1))
        .unwrap_or_default()
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_can_be_changed() {
        let text = fs::read_to_string(file("grammars/wgsl.ebnf")).unwrap();
        let changed = change(&text).unwrap();
        assert!(!changed.contains("    | \"loop\" @scope(") && changed.len() < text.len());
    }
}
