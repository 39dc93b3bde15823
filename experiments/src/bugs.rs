//! Measures how long fuzzing takes to find known faults of old versions of Rust programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use regex::Regex;

use crate::campaign::{Campaign, in_parallel, log};
use crate::results;
use zester_xtask::command::completed;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Fuzzes for known faults of old versions, two at a time. If the first run finds nothing, there is
/// a second one.
///
/// A fault is found if a panic has its signature (fuzz/subjects/src/known.rs: site and message).
/// Other panics only reject their input. Prints the time, the executions, and the sentence after
/// libFuzzer's minimisation. Faults and their targets: C1 cel_old, M1 jinja_old, L1 css, N5
/// wgsl_old, B1 javascript_old, T1 sql, and the others in known.rs.
#[derive(clap::Args)]
pub struct Bugs {
    /// The duration of a run in seconds.
    #[arg(default_value_t = 600, default_value_if("quick", "true", "30"))]
    seconds: u64,
    /// The IDs of the faults.
    #[arg(default_values_t = ["C1", "M1", "L1", "N5", "B1", "T1"].map(String::from), default_value_if("quick", "true", "M1"))]
    faults: Vec<String>,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// Returns the fuzz target that has a fault.
fn home_of(fault: &str) -> Result<&'static str> {
    Ok(match fault.as_bytes() {
        [b'B', _] => "javascript_old",
        [b'C', _] => "cel_old",
        [b'J', _] => "jq_old",
        b"L1" => "css",
        b"M1" => "jinja_old",
        b"N5" => "wgsl_old",
        [b'N', _] => "wgsl",
        [b'T', _] => "sql",
        _ => bail!("no fault {fault}; fuzz/subjects/src/known.rs lists them"),
    })
}

impl Bugs {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        for fault in &self.faults {
            let target = home_of(fault)?;
            if !out.join(target).exists() {
                programs::fuzz_target(
                    target,
                    Sanitizer::None,
                    Engine::Libfuzzer,
                    &out.join(target),
                )?;
            }
        }
        in_parallel(2, &self.faults, |fault| {
            println!("{}", self.hunt(fault, &out, &zester)?);
            Ok(())
        })?;
        println!("results in {}", out.display());
        Ok(())
    }

    /// Fuzzes until the fault is found or the time is over, at most twice. Returns the line to
    /// print.
    fn hunt(&self, fault: &str, out: &Path, zester: &Zester) -> Result<String> {
        let program = out.join(home_of(fault)?);
        let directory = |seed| out.join(format!("{fault}-{seed}"));
        let mut executions = 0.0;
        for seed in [1, 2] {
            let start = Instant::now();
            let mut campaign =
                Campaign::new(&program, &directory(seed), seed, self.seconds).hunting(fault);
            campaign.until = Some(signature(fault)?);
            executions = campaign.run()?.executions;
            if let (true, Some(crash)) = (campaign.found()?, campaign.last_crash()?) {
                let seconds = start.elapsed().as_secs();
                let (small, note) = match minimised(fault, &program, &crash, &directory(seed))? {
                    Some(small) => (small, ""),
                    None => (crash, "(not minimised) "),
                };
                let text = zester
                    .text_of(&grammar_of(home_of(fault)?)?, &small)?
                    .replace('\n', " ");
                return Ok(format!(
                    "{fault} found after {seconds} s, {executions} executions (run {seed}): {note}{text}"
                ));
            }
        }
        let logs = [log(&directory(1))?, log(&directory(2))?].concat();
        let others = signatures(&logs).join(" ");
        Ok(format!(
            "{fault} not found in 2 runs of {} s, {executions} executions in the last; other panics: {others}",
            self.seconds
        ))
    }
}

/// The line of a fuzz target's log that reports a known fault.
fn signature(fault: &str) -> Result<Regex> {
    Ok(Regex::new(&format!(
        "^signature: {}$",
        regex::escape(fault)
    ))?)
}

/// Returns the input that libFuzzer minimises a crash to, if it triggers the same fault.
fn minimised(
    fault: &str,
    program: &Path,
    crash: &Path,
    directory: &Path,
) -> Result<Option<PathBuf>> {
    let small = directory.join("minimised");
    let mut minimise = Command::new(program);
    minimise
        .env("HUNT", fault)
        .args(["-minimize_crash=1", "-runs=20000", "-max_total_time=60"]);
    completed(
        minimise
            .arg(format!("-exact_artifact_path={}", small.display()))
            .arg(crash),
    )?;
    if !small.exists() {
        return Ok(None);
    }
    let again = completed(Command::new(program).arg(&small))?;
    let signature = signature(fault)?;
    Ok(again
        .text
        .lines()
        .any(|line| signature.is_match(line))
        .then_some(small))
}

/// Returns the signatures of panics in a log: known faults, and the sites of unknown ones, without
/// the path of the registry.
fn signatures(log: &str) -> Vec<String> {
    let lines = log
        .lines()
        .filter_map(|line| line.strip_prefix("signature: "));
    let short = |signature: &str| {
        let signature = signature.strip_prefix("unknown, ").unwrap_or(signature);
        match signature
            .split_once("/registry/src/")
            .and_then(|(_, rest)| rest.split_once('/'))
        {
            Some((_, rest)) => rest.to_owned(),
            None => signature.to_owned(),
        }
    };
    let mut all: Vec<String> = lines.map(short).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_targets_that_exist() {
        for fault in ["B1", "C1", "J3", "L1", "M1", "N1", "N5", "T3"] {
            grammar_of(home_of(fault).unwrap()).unwrap();
        }
        assert!(home_of("X1").is_err() && home_of("").is_err());
    }

    #[test]
    fn signatures_are_short_and_listed_once() {
        let log = "signature: C1\nx\nsignature: unknown, /root/.cargo/registry/src/index-1/naga-30/src/a.rs:3\nsignature: C1\nsignature: unknown, b.rs:1\n";
        assert_eq!(signatures(log), ["C1", "b.rs:1", "naga-30/src/a.rs:3"]);
        assert!(
            signature("C1").unwrap().is_match("signature: C1")
                && !signature("C1").unwrap().is_match("signature: C10")
        );
    }
}
