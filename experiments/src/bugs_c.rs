//! Measures how long fuzzing takes to find known faults of C programs.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use regex::Regex;

use crate::campaign::{Campaign, in_parallel};
use crate::results;
use zester_xtask::c;
use zester_xtask::command::{completed, limited};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Fuzzes for known faults of SQLite 3.31.0 with AddressSanitizer, from an empty corpus, two runs
/// at a time; ignores other crashes.
///
/// Faults: Q1, a stack-buffer-overflow in sqlite3_str_vappendf, and Q3, a SEGV in
/// isAuxiliaryVtabOperator. Prints the result of each run, its executions, and the sentence after
/// `zester reduce`.
#[derive(clap::Args)]
pub struct BugsC {
    /// The duration of a run in seconds.
    #[arg(default_value_t = 1800, default_value_if("quick", "true", "10"))]
    seconds: u64,
    /// The IDs of the faults: Q1, Q3.
    #[arg(default_values_t = ["Q1".to_owned()])]
    faults: Vec<String>,
    /// The seeds of libFuzzer, one for each run.
    #[arg(long, value_name = "SEED", num_args = 1.., value_delimiter = ',', default_values_t = [1, 2], default_value_if("quick", "true", "1"))]
    seeds: Vec<u64>,
    /// Another flag of libFuzzer, such as --flag=-use_value_profile=1; may be repeated.
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// Returns a part of AddressSanitizer's report of a fault: the kind of the error, and the function.
fn report_of(fault: &str) -> Result<(&'static str, &'static str)> {
    match fault {
        "Q1" => Ok(("stack-buffer-overflow", "sqlite3_str_vappendf")),
        "Q3" => Ok(("SEGV", "isAuxiliaryVtabOperator")),
        _ => bail!("no fault {fault}; there are Q1 and Q3"),
    }
}

impl BugsC {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        for fault in &self.faults {
            report_of(fault)?;
        }
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        let program = out.join("sqlite");
        c::fuzz_target("sqlite", "address", zester.path(), &program)?;
        for fault in &self.faults {
            in_parallel(2, &self.seeds, |&seed| {
                println!("{}", self.hunt(fault, seed, &program, &zester)?);
                Ok(())
            })?;
        }
        println!("results in {}", out.display());
        Ok(())
    }

    /// Does one run. Returns the line to print.
    fn hunt(&self, fault: &str, seed: u64, program: &Path, zester: &Zester) -> Result<String> {
        let (kind, function) = report_of(fault)?;
        let (start, directory) = (
            Instant::now(),
            program.with_file_name(format!("{fault}-{seed}")),
        );
        let mut campaign = Campaign::new(program, &directory, seed, self.seconds);
        campaign.until = Some(Regex::new(&format!(
            "^SUMMARY: AddressSanitizer: {kind} .*in {function}"
        ))?);
        campaign.flags.push("-rss_limit_mb=2560".into());
        campaign.flags.extend(self.flags.iter().cloned());
        let total = campaign.run()?;
        let seconds = start.elapsed().as_secs();
        let result = match campaign.last_crash()? {
            Some(crash) if campaign.found()? => {
                let reduced = reduced(zester, program, &crash, &format!("{kind} in {function}"))?;
                format!(
                    "found: {}",
                    zester.text_of(&grammar_of("sqlite")?, &reduced)?
                )
            }
            _ => "not found".into(),
        };
        let (executions, valid, others) =
            (total.executions, total.valid, summaries(&campaign.log()?));
        Ok(format!(
            "{fault}, run {seed}: {seconds} s, {executions} executions, {valid} valid; {result}; crashes: {others}"
        ))
    }
}

/// Returns the sentence of a crash, reduced while `zester run` reports the same signature, or
/// unreduced if that takes over five minutes.
fn reduced(zester: &Zester, program: &Path, crash: &Path, signature: &str) -> Result<PathBuf> {
    let (still, reduced) = (
        crash.with_extension("still"),
        crash.with_extension("reduced"),
    );
    fs::write(
        &still,
        format!(
            "#!/bin/sh\n'{}' run '{}' \"$1\" 2>&1 | grep -q '{signature}'\n",
            zester.path().display(),
            program.display()
        ),
    )?;
    fs::set_permissions(&still, fs::Permissions::from_mode(0o755))?;
    let mut reduce = limited(300, zester.path());
    reduce
        .arg("reduce")
        .arg(grammar_of("sqlite")?)
        .arg(crash)
        .arg("-o")
        .arg(&reduced)
        .arg("--")
        .arg(&still)
        .arg("{}");
    completed(&mut reduce)?;
    Ok(if fs::metadata(&reduced).is_ok_and(|file| file.len() > 0) {
        reduced
    } else {
        crash.to_owned()
    })
}

/// Returns the crashes that AddressSanitizer reported in a log, each with its number.
fn summaries(log: &str) -> String {
    let pattern = Regex::new(r"^SUMMARY: AddressSanitizer: ([A-Za-z-]+) .*in ([A-Za-z0-9_]+)")
        .expect("a pattern");
    let mut counts = BTreeMap::<String, usize>::new();
    for found in log.lines().filter_map(|line| pattern.captures(line)) {
        *counts
            .entry(format!("{} in {}", &found[1], &found[2]))
            .or_default() += 1;
    }
    counts
        .iter()
        .map(|(crash, count)| format!("{count} {crash}"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_counted() {
        let log = "SUMMARY: AddressSanitizer: SEGV /x/sqlite3.c:1 in walk\nx\nSUMMARY: AddressSanitizer: SEGV /x/sqlite3.c:1:2 in walk\n\
                   SUMMARY: AddressSanitizer: heap-use-after-free a.c in f (x+0x1)\n";
        assert_eq!(summaries(log), "2 SEGV in walk, 1 heap-use-after-free in f");
        assert!(report_of("Q2").is_err());
    }
}
