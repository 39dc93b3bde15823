//! Validity feedback on and off, on a fault planted behind a check that few inputs pass.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::command::said;
use crate::figures::comparison;
use crate::programs::{self, Engine, Sanitizer};
use crate::statistics::Statistics;

/// When is a planted fault found, with validity feedback and without?
///
/// The target is `planted`, whose inputs are values of an `Arbitrary` type. The sides take turns; each run has an empty corpus and
/// libFuzzer's seed RUN. A run that does not find the fault counts with all that it executed. Prints medians and A12 of executions and of seconds.
#[derive(clap::Args)]
pub struct Arbitrary {
    /// Runs of a side.
    #[arg(default_value_t = 10, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The longest that a run takes, in seconds.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "5"))]
    seconds: u64,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

impl Arbitrary {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let (program, corpus, statistics) = (work.path().join("planted"), work.path().join("corpus"), work.path().join("stats"));
        programs::fuzz_target("planted", Sanitizer::None, Engine::Libfuzzer, &program)?;
        let mut sides = [Vec::new(), Vec::new()];
        for run in 1..=self.runs {
            for ((side, feedback), figures) in [("on", "1"), ("off", "0")].iter().zip(&mut sides) {
                let _ = fs::remove_dir_all(&corpus);
                let _ = fs::remove_file(&statistics);
                fs::create_dir(&corpus)?;
                let mut command = Command::new(&program);
                command.arg(&corpus).env("ZESTER_STATS", &statistics).env("ZESTER_FEEDBACK", feedback);
                command.args([format!("-seed={run}"), format!("-max_total_time={}", self.seconds)]);
                command.arg(format!("-artifact_prefix={}/", work.path().display()));
                let found = if said(&mut command)?.succeeded() { "not found" } else { "found" };
                let last = Statistics::last(&statistics)?;
                println!("run {run}, feedback {side}: {found}, {last}");
                figures.push(last);
            }
        }
        type Figure = fn(&Statistics) -> f64;
        for (name, figure) in [("executions", (|run| run.executions) as Figure), ("seconds", |run| run.seconds)] {
            let [on, off] = sides.each_ref().map(|side| side.iter().map(figure).collect::<Vec<_>>());
            println!("\n== {name}; first: feedback on, second: off");
            print!("{}", comparison(&on, &off));
        }
        Ok(())
    }
}
