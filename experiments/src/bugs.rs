//! Measures how long fuzzing takes to find known faults of old versions of programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use regex::Regex;

use crate::campaign::{Campaign, in_parallel};
use crate::results;
use zester_xtask::c;
use zester_xtask::command::{completed, limited};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Fuzzes for known faults of old versions of programs, from an empty corpus, two runs at a time.
///
/// In Rust, a fault is found if a panic has its signature (fuzz/subjects/src/known.rs: site and
/// message); other panics only reject their input. In C, it is found if AddressSanitizer reports it;
/// a run goes on after other crashes. Prints for each run the time, the executions, the sentence after
/// `zester reduce`, and the other panics or crashes. Faults and their targets: C1 cel_old, M1
/// jinja_old, L1 css, N5 wgsl_old, B1 javascript_old, T1 sql, the others in known.rs; Q1 (a
/// stack-buffer-overflow) and Q3 (a SEGV) in SQLite 3.31.0 in C.
#[derive(clap::Args)]
pub struct Bugs {
    /// The maximum duration of a run in seconds.
    #[arg(default_value_t = 600, default_value_if("quick", "true", "30"))]
    seconds: u64,
    /// The IDs of the faults.
    #[arg(default_values_t = ["C1", "M1", "L1", "N5", "B1", "T1", "Q1"].map(String::from), default_value_if("quick", "true", "M1"))]
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

/// Returns the fuzz target whose program has a fault.
fn home_of(fault: &str) -> Result<&'static str> {
    Ok(match fault.as_bytes() {
        [b'B', _] => "javascript_old",
        [b'C', _] => "cel_old",
        [b'J', _] => "jq_old",
        b"L1" => "css",
        b"M1" => "jinja_old",
        b"N5" => "wgsl_old",
        [b'N', _] => "wgsl",
        b"Q1" | b"Q3" => "sqlite",
        [b'T', _] => "sql",
        _ => bail!(
            "no fault {fault}; fuzz/subjects/src/known.rs lists them, and there are Q1 and Q3"
        ),
    })
}

/// Returns a pattern of the line in a log that reports a fault.
fn report_of(fault: &str) -> Result<Regex> {
    Ok(Regex::new(&match fault {
        "Q1" => {
            "^SUMMARY: AddressSanitizer: stack-buffer-overflow .*in sqlite3_str_vappendf".into()
        }
        "Q3" => "^SUMMARY: AddressSanitizer: SEGV .*in isAuxiliaryVtabOperator".into(),
        _ => format!("^signature: {}$", regex::escape(fault)),
    })?)
}

impl Bugs {
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        for fault in &self.faults {
            let target = home_of(fault)?;
            let program = out.join(target);
            if program.exists() {
                continue;
            }
            if target == "sqlite" {
                c::fuzz_target(target, "address", zester.path(), &program)?;
            } else {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
        }
        let with_seeds = |fault| self.seeds.iter().map(move |&seed| (fault, seed));
        let runs = self.faults.iter().flat_map(with_seeds);
        in_parallel(2, runs, |(fault, seed)| {
            println!("{}", self.hunt(fault, seed, &out, &zester)?);
            Ok(())
        })?;
        println!("results in {}", out.display());
        Ok(())
    }

    /// Fuzzes until the fault is found or the time is over. Returns the line to print.
    fn hunt(&self, fault: &str, seed: u64, out: &Path, zester: &Zester) -> Result<String> {
        let (start, program) = (Instant::now(), out.join(home_of(fault)?));
        let directory = out.join(format!("{fault}-{seed}"));
        let mut campaign = Campaign::new(&program, &directory, seed, self.seconds).hunting(fault);
        campaign.until = Some(report_of(fault)?);
        campaign.flags.push("-rss_limit_mb=2560".into());
        campaign.flags.extend(self.flags.iter().cloned());
        let executions = campaign.run()?.executions;
        let seconds = start.elapsed().as_secs();
        let result = match campaign.last_crash()? {
            Some(crash) if campaign.found()? => {
                let reduced = crash.with_extension("reduced");
                let mut reduce = limited(300, zester.path());
                reduce.arg("reduce").args([&program, &crash]).arg("-o");
                completed(reduce.arg(&reduced).env("HUNT", fault))?;
                let smallest = if reduced.exists() { reduced } else { crash };
                let text = zester.text_of(&grammar_of(home_of(fault)?)?, &smallest)?;
                format!("found: {}", text.replace('\n', " "))
            }
            _ => "not found".into(),
        };
        let others = reports(&campaign.log()?);
        Ok(format!(
            "{fault}, run {seed}: {seconds} s, {executions} executions; {result}; reported: {others}"
        ))
    }
}

/// Counts the panics and the reports of AddressSanitizer in a log. A panic is named by its known
/// fault, or by its source location without the path of cargo's registry.
fn reports(log: &str) -> String {
    let pattern = Regex::new(
        r"^(?:signature: (?:unknown, )?(?:.*/registry/src/[^/]*/)?(.*)|SUMMARY: AddressSanitizer: ([A-Za-z-]+) .*in ([A-Za-z0-9_]+).*)$",
    )
    .expect("a pattern");
    let mut counts = BTreeMap::<String, usize>::new();
    for found in log.lines().filter_map(|line| pattern.captures(line)) {
        let report = match found.get(1) {
            Some(signature) => signature.as_str().to_owned(),
            None => format!("{} in {}", &found[2], &found[3]),
        };
        *counts.entry(report).or_default() += 1;
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(report, count)| format!("{count} {report}"))
        .collect();
    counts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_targets_that_exist() {
        for fault in ["B1", "C1", "J3", "L1", "M1", "N1", "N5", "Q1", "T3"] {
            grammar_of(home_of(fault).unwrap()).unwrap();
        }
        assert!(home_of("X1").is_err() && home_of("Q2").is_err() && home_of("").is_err());
    }

    #[test]
    fn reports_are_short_and_counted() {
        let log = "signature: C1\nx\nsignature: unknown, /root/.cargo/registry/src/index-1/naga-30/src/a.rs:3\nsignature: C1\n\
                   signature: unknown, b.rs:1\nSUMMARY: AddressSanitizer: SEGV /x/sqlite3.c:1:2 in walk\n\
                   SUMMARY: AddressSanitizer: heap-use-after-free a.c in f (x+0x1)\n";
        assert_eq!(
            reports(log),
            "2 C1, 1 SEGV in walk, 1 b.rs:1, 1 heap-use-after-free in f, 1 naga-30/src/a.rs:3"
        );
        let report = |fault| report_of(fault).unwrap();
        assert!(report("C1").is_match("signature: C1") && !report("C1").is_match("signature: C10"));
        assert!(
            report("Q3")
                .is_match("SUMMARY: AddressSanitizer: SEGV s.c:1 in isAuxiliaryVtabOperator")
        );
    }
}
