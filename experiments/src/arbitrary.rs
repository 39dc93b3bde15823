//! Compares validity feedback on and off, with a planted fault behind a check that few inputs pass.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::figures::comparison;
use zester_xtask::command::completed;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::statistics::Statistics;

/// Measures how soon a planted fault is found, with validity feedback and without.
///
/// The target is `planted`, whose inputs are values of an `Arbitrary` type. The sides take turns.
/// Each run begins with an empty corpus and uses its number as libFuzzer's seed. A run that does
/// not find the fault counts with all its executions. Prints medians and A12 of executions and of
/// seconds.
#[derive(clap::Args)]
pub struct Arbitrary {
    /// The number of runs of each side.
    #[arg(default_value_t = 10, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The maximum duration of a run in seconds.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "5"))]
    seconds: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Arbitrary {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let (program, corpus, statistics) = (
            work.path().join("planted"),
            work.path().join("corpus"),
            work.path().join("stats"),
        );
        programs::fuzz_target("planted", Sanitizer::None, Engine::Libfuzzer, &program)?;
        let mut sides = [Vec::new(), Vec::new()];
        for run in 1..=self.runs {
            for ((side, feedback), figures) in [("on", "1"), ("off", "0")].iter().zip(&mut sides) {
                let _ = fs::remove_dir_all(&corpus);
                let _ = fs::remove_file(&statistics);
                fs::create_dir(&corpus)?;
                let mut command = Command::new(&program);
                command
                    .arg(&corpus)
                    .env("ZESTER_STATS", &statistics)
                    .env("ZESTER_EXPERIMENT", format!("feedback={feedback}"));
                command.args([
                    format!("-seed={run}"),
                    format!("-max_total_time={}", self.seconds),
                ]);
                command.arg(format!("-artifact_prefix={}/", work.path().display()));
                let found = if completed(&mut command)?.succeeded() {
                    "not found"
                } else {
                    "found"
                };
                let last = Statistics::last(&statistics)?;
                println!("run {run}, feedback {side}: {found}, {last}");
                figures.push(last);
            }
        }
        type Figure = fn(&Statistics) -> f64;
        for (name, figure) in [
            ("executions", (|run| run.executions) as Figure),
            ("seconds", |run| run.seconds),
        ] {
            let [on, off] = sides
                .each_ref()
                .map(|side| side.iter().map(figure).collect::<Vec<_>>());
            println!("\n== {name}; first: feedback on, second: off");
            print!("{}", comparison(&on, &off));
        }
        Ok(())
    }
}
