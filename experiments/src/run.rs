//! Measures `zester run` with sentences that crash and sentences that hang.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use zester_xtask::c;
use zester_xtask::command::completed;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Runs sentences through naga and through SQLite 3.31.0 with AddressSanitizer: ten crash, ten
/// hang, the others are generated.
///
/// Prints the numbers of outcomes. Fails if a sentence has no outcome, or one of those twenty has a
/// wrong one.
#[derive(clap::Args)]
pub struct Run {
    /// The number of sentences.
    #[arg(default_value_t = 10_000, default_value_if("quick", "true", "100"))]
    sentences: u64,
    /// The number of copies of the target that run at the same time.
    #[arg(default_value_t = 1)]
    jobs: u64,
    /// The targets: wgsl, sqlite.
    #[arg(long, num_args = 1.., default_values_t = ["wgsl", "sqlite"].map(String::from))]
    targets: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The number of sentences that crash, and of those that hang.
const SPECIAL: u64 = 10;

impl Run {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        for target in &self.targets {
            let (program, texts) = (
                work.path().join(target),
                work.path().join(format!("texts-{target}")),
            );
            fs::create_dir(&texts)?;
            if target == "sqlite" {
                c::fuzz_target("sqlite", "address", zester.path(), &program)?;
            } else {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
            for number in 0..SPECIAL {
                let (crash, long) = if target == "sqlite" {
                    sqlite(number)
                } else {
                    wgsl(number)
                };
                fs::write(texts.join(format!("crash-{number}")), crash)?;
                fs::write(texts.join(format!("long-{number}")), long)?;
            }
            let generated = work.path().join(format!("generated-{target}"));
            let count = self.sentences.saturating_sub(2 * SPECIAL).max(1);
            zester.generate_files(&grammar_of(target)?, count, &["--seed", "1"], &generated)?;
            let mut run = zester.command("run");
            run.arg(&program).arg(&texts).arg(&generated).args([
                "--json",
                "--timeout",
                "2",
                "-j",
                &self.jobs.to_string(),
            ]);
            let text = completed(&mut run)?.text;
            let line = text
                .lines()
                .find(|line| line.contains(" a second: "))
                .with_context(|| format!("no figures:\n{text}"))?;
            println!("{target}: {line}");
            accounted(&text, count + 2 * SPECIAL).with_context(|| target.clone())?;
        }
        Ok(())
    }
}

/// Returns a module on which naga 30.0.1 panics, and one with so many functions that naga takes too
/// long.
fn wgsl(number: u64) -> (String, String) {
    let functions =
        (1..=60_000).map(|f| format!("fn f{f}_{number}(a:i32)->i32{{return a+{f};}}\n"));
    (
        format!("const h={number}u;const_assert e;const e=vec4u(firstTrailingBit(1u));\n"),
        functions.collect(),
    )
}

/// Returns a statement with the fault Q1 of SQLite 3.31.0, and one that replaces in a long text
/// until it is interrupted.
fn sqlite(number: u64) -> (String, String) {
    let much = (1..=5).fold("hex(zeroblob(99000))".to_owned(), |inner, digit| {
        format!("replace({inner},x%10,'{digit}')")
    });
    let rows = "with recursive c(x)as(select 1 union all select x+1 from c)";
    (
        format!("select {number},printf('%.2147483647G',0.01);\n"),
        format!("{rows}select {number},sum(length({much}))from c;\n"),
    )
}

/// Fails unless the output has a line of JSON for each sentence, and the special sentences have the
/// right outcomes.
fn accounted(text: &str, count: u64) -> Result<()> {
    let lines: BTreeSet<&str> = text.lines().filter(|line| line.starts_with('{')).collect();
    ensure!(
        lines.len() as u64 == count,
        "{} of {count} sentences are accounted for",
        lines.len()
    );
    for (name, outcome) in [("crash", "crash"), ("long", "time-out")] {
        let mut right = 0;
        for line in &lines {
            let value: Value = serde_json::from_str(line)?;
            let of_this_name = |value: &Value| {
                let file = value.as_str().map(Path::new).and_then(Path::file_name);
                file.is_some_and(|file| file.to_string_lossy().starts_with(&format!("{name}-")))
            };
            let object = value.as_object().context("a line is an object")?;
            right += u64::from(object.values().any(of_this_name) && value["outcome"] == outcome);
        }
        ensure!(
            right == SPECIAL,
            "{right} of {SPECIAL} sentences {name}-* are {outcome}"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_noticed() {
        let line = |file: &str, outcome: &str| {
            format!("{{\"file\":\"/x/{file}\",\"outcome\":\"{outcome}\"}}\n")
        };
        let mut text: String = (0..10)
            .map(|n| line(&format!("crash-{n}"), "crash") + &line(&format!("long-{n}"), "time-out"))
            .collect();
        text += "21 sentences in 1 s, 21 a second: ...\n";
        text += &line("a", "valid");
        accounted(&text, 21).unwrap();
        assert_eq!(
            accounted(&text, 22).unwrap_err().to_string(),
            "21 of 22 sentences are accounted for"
        );
        let wrong = text.replace(&line("crash-3", "crash"), &line("crash-3", "valid"));
        assert_eq!(
            accounted(&wrong, 21).unwrap_err().to_string(),
            "9 of 10 sentences crash-* are crash"
        );
    }
}
