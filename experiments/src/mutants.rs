//! Counts which planted mutants of an interpreter fuzzing finds by an oracle, and whether triage tells
//! them apart.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::value_parser;
use serde_json::Value;

use crate::results;
use zester_xtask::command::{completed, output};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::Zester;

/// The number of mutants in fuzz/targets/interpreter.
const MUTANTS: usize = 20;

/// Measures how many of 20 planted mutants of an interpreter the oracle `agree` finds, all switched on
/// at once, and whether triage tells them apart.
///
/// Fuzzes fuzz/targets/interpreter.rs with one process from an empty corpus, then runs `zester triage`.
/// The reduced sentence of each group then runs with each mutant alone: the group shows those with which
/// it fails. Prints the mutants of each group with its shape, and at the end how many mutants have a group.
#[derive(clap::Args)]
pub struct MutantsExperiment {
    /// The duration of the campaign in seconds.
    #[arg(long, default_value_t = 120, default_value_if("quick", "true", "5"), value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// libFuzzer's seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The directory for the corpus and the artifacts [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl MutantsExperiment {
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        let program = out.join("interpreter");
        programs::fuzz_target("interpreter", Sanitizer::None, Engine::Libfuzzer, &program)?;
        let artifacts = out.join("artifacts");
        let campaign = completed(
            zester
                .command("fuzz")
                .args([&program, &out.join("corpus")])
                .args(["-j", "1", "--artifacts"])
                .arg(&artifacts)
                .arg("--")
                .arg(format!("-max_total_time={}", self.seconds))
                .arg(format!("-seed={}", self.seed)),
        )?;
        println!("{}", campaign.text.trim_end());
        // The exit status is 1, because there are faults.
        let triaged = completed(
            zester
                .command("triage")
                .args([&program, &artifacts])
                .args(["--json", "-j", "1"]),
        )?;
        let lines = triaged.text.lines();
        let groups: Vec<Value> = lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter(|group: &Value| group["kind"] == "disagreement")
            .collect();
        ensure!(!groups.is_empty(), "no disagreement was found");
        let sentences = out.join("sentences");
        fs::create_dir_all(&sentences)?;
        for (at, group) in groups.iter().enumerate() {
            let text = group["text"].as_str().unwrap_or_default();
            fs::write(sentences.join(format!("{at:04}")), text)?;
        }
        let mut mutants_of = vec![Vec::new(); groups.len()];
        for mutant in 0..MUTANTS {
            for at in failing(&zester, &program, &sentences, mutant)? {
                mutants_of[at].push(mutant);
            }
        }
        for (group, mutants) in groups.iter().zip(&mutants_of) {
            let artifacts = group["artifacts"].as_array().map_or(0, Vec::len);
            println!("{mutants:?}: {artifacts} x {}", group["fault"]);
        }
        let mixed = mutants_of.iter().filter(|of| of.len() != 1).count();
        let found: BTreeSet<usize> = mutants_of.into_iter().flatten().collect();
        let missing: Vec<usize> = (0..MUTANTS).filter(|one| !found.contains(one)).collect();
        println!(
            "{} of {MUTANTS} mutants have a group, without {missing:?}; {} groups, {mixed} of them not of one mutant",
            found.len(),
            groups.len()
        );
        Ok(())
    }
}

/// Returns the numbers of the sentences that fail with one mutant alone.
fn failing(zester: &Zester, program: &Path, sentences: &Path, mutant: usize) -> Result<Vec<usize>> {
    let mut command = zester.command("run");
    command
        .args([program, sentences])
        .args(["--json", "--fail-on", "none"]);
    let lines = output(command.env("ZESTER_MUTANTS", mutant.to_string()))?;
    let lines = lines.split(|&byte| byte == b'\n');
    let mut found = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let run: Value = serde_json::from_slice(line)?;
        let file = run["file"].as_str().unwrap_or_default();
        if run["outcome"] == "crash" {
            let name = file.rsplit('/').next().unwrap_or_default();
            found.push(name.parse()?);
        }
    }
    Ok(found)
}
