//! Counts which planted mutants of an interpreter fuzzing finds by an oracle, and whether triage tells
//! them apart.

use std::collections::BTreeMap;
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
    /// Runs the experiment.
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
        let groups = triaged
            .text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        let mut groups_of: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut count, mut mixed) = (0, 0);
        for group in groups {
            let group: Value = group;
            let Some(text) = group["text"].as_str() else {
                continue;
            };
            let found = shown(&zester, &program, &out, text)?;
            println!(
                "{found:?}: {} ({})",
                group["fault"],
                group["artifacts"].as_array().map_or(0, Vec::len)
            );
            count += 1;
            mixed += usize::from(found.len() != 1);
            for mutant in found {
                *groups_of.entry(mutant).or_default() += 1;
            }
        }
        ensure!(count > 0, "no disagreement was found");
        let missing: Vec<usize> = (0..MUTANTS)
            .filter(|one| !groups_of.contains_key(one))
            .collect();
        println!(
            "{} of {MUTANTS} mutants have a group, without {missing:?}; {count} groups, {mixed} of them not of one mutant",
            groups_of.len()
        );
        Ok(())
    }
}

/// Returns the mutants with which a sentence fails if each is the only one.
fn shown(zester: &Zester, program: &Path, out: &Path, text: &str) -> Result<Vec<usize>> {
    let file = out.join("sentence");
    fs::write(&file, text)?;
    let mut found = Vec::new();
    for mutant in 0..MUTANTS {
        let mut command = zester.command("run");
        command
            .args([program, &file])
            .args(["--json", "--fail-on", "none"]);
        let line = output(command.env("ZESTER_MUTANTS", mutant.to_string()))?;
        let outcome: Value = serde_json::from_slice(&line)?;
        if outcome["outcome"] == "crash" {
            found.push(mutant);
        }
    }
    Ok(found)
}
