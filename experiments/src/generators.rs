//! Compares ways to mutate the bytes of random generators, with a known or planted fault behind a check that
//! few inputs pass.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::value_parser;
use serde_json::{Value, json};

use crate::campaign::in_parallel;
use crate::figures::{a12, mean, median, percent};
use crate::results::{self, append_job, jobs};
use zester_xtask::command::{end_of, logged};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::statistics::Statistics;

/// Measures how soon the fault of a random generator's target is found, in six ways.
///
/// Each target has one fault: a known one of the published crate im in `vector`, a planted one in the
/// others. The inputs of `strategy` and `vector` come from strategies of proptest. Those of the other targets
/// are drawn by functions: expressions in `drawn`, JSON in `json_drawn`, terms with types in `stlc_drawn`.
///
/// A run begins with an empty corpus, and ends at the fault or at a limit. Its number is libFuzzer's seed.
/// Prints for each target and way: the number of runs that find the fault, the mean time until then of these
/// runs, the median of the executions until then, A12 of them against plain bytes, executions a second, the
/// share of valid inputs, and the edges of valid inputs at the end. A12 is the probability that a run of the
/// way needs fewer executions. Runs without the fault are ties, and need more than all others. With the same
/// --out, an interrupted experiment goes on.
#[derive(clap::Args)]
pub struct Generators {
    /// The fuzz targets.
    #[arg(default_values_t = ["strategy", "drawn", "vector", "json_drawn", "stlc_drawn"].map(String::from))]
    targets: Vec<String>,
    /// The number of runs of each way.
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "1"), value_parser = value_parser!(u64).range(1..))]
    runs: u64,
    /// The maximum duration of a run in seconds.
    #[arg(long, default_value_t = 20, default_value_if("quick", "true", "2"), value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// The number of runs at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The maximum number of executions of a run.
    #[arg(long, default_value_t = 100_000, value_parser = value_parser!(u64).range(1..))]
    executions: u64,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// A way to make inputs.
struct WayOfMutation {
    name: &'static str,
    /// The value of ZESTER_EXPERIMENT.
    setting: Option<&'static str>,
    /// Whether libFuzzer calls zester's crossover hook, which may use other mutators than those of `setting`.
    crosses: bool,
}

const WAYS: [WayOfMutation; 6] = [
    WayOfMutation {
        name: "all",
        setting: None,
        crosses: true,
    },
    WayOfMutation {
        name: "all, no validity feedback",
        setting: Some("feedback=0"),
        crosses: true,
    },
    WayOfMutation {
        name: "bursts",
        setting: Some("mutators=burst,parents=any"),
        crosses: false,
    },
    WayOfMutation {
        name: "regions and generation",
        // The first input is empty and may have no region to mutate, so `generate` makes the first values.
        setting: Some("mutators=regenerate+splice+reuse+hoist+elements+generate,parents=any"),
        crosses: false,
    },
    WayOfMutation {
        name: "random generation",
        setting: Some("mutators=generate,schedule=fixed,parents=any"),
        crosses: false,
    },
    PLAIN,
];

/// The way that all others are compared with.
const PLAIN: WayOfMutation = WayOfMutation {
    name: "plain bytes",
    setting: Some("mutators=native,parents=any"),
    crosses: false,
};

/// What the messages of the targets' faults contain. The last one is an assertion of im.
const FAULTS: [&str; 3] = ["the planted fault", "the known fault", "nodes/rrb.rs"];

/// The results of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GeneratorRun {
    /// Whether the fault ended the run.
    found: bool,
    seconds: f64,
    executions: f64,
    valid: f64,
    valid_edges: f64,
}

impl GeneratorRun {
    fn json(&self) -> Value {
        json!({
            "found": self.found,
            "seconds": self.seconds,
            "executions": self.executions,
            "valid": self.valid,
            "valid_edges": self.valid_edges,
        })
    }

    fn parse(value: &Value) -> Option<GeneratorRun> {
        Some(GeneratorRun {
            found: value["found"].as_bool()?,
            seconds: value["seconds"].as_f64()?,
            executions: value["executions"].as_f64()?,
            valid: value["valid"].as_f64()?,
            valid_edges: value["valid_edges"].as_f64()?,
        })
    }

    /// Returns the number of executions until the fault, or infinity if it was not found.
    fn until_fault(&self) -> f64 {
        match self.found {
            true => self.executions,
            false => f64::INFINITY,
        }
    }
}

impl Generators {
    pub fn run(&self) -> Result<()> {
        let out = results::directory(self.out.as_deref())?;
        for target in &self.targets {
            let program = out.join(target);
            if !program.exists() {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
        }
        let file = out.join("runs.json");
        let known = jobs(&file)?;
        let mut tasks = Vec::new();
        for run in 1..=self.runs {
            for target in &self.targets {
                tasks.extend(WAYS.iter().map(|way| (target, way, run)));
            }
        }
        tasks.retain(|(target, way, run)| !known.contains_key(&self.job(target, way, *run)));
        in_parallel(self.jobs, tasks, |(target, way, run)| {
            let figures = self.fuzz(&out.join(target), way, run)?;
            let job = self.job(target, way, run);
            println!("{job}: {figures:?}");
            append_job(&file, &job, figures.json())
        })?;
        let known = jobs(&file)?;
        for target in &self.targets {
            let runs = WAYS.each_ref().map(|way| {
                (1..=self.runs)
                    .filter_map(|run| GeneratorRun::parse(known.get(&self.job(target, way, run))?))
                    .collect::<Vec<_>>()
            });
            println!("\n== {target}\n{}", table(&runs));
        }
        println!("results in {}", out.display());
        Ok(())
    }

    /// Returns the name of a run.
    fn job(&self, target: &str, way: &WayOfMutation, run: u64) -> String {
        let limits = format!("{} s, {}", self.seconds, self.executions);
        format!("{target}, {}, {limits}, {run}", way.name)
    }

    /// Fuzzes once.
    fn fuzz(&self, program: &Path, way: &WayOfMutation, run: u64) -> Result<GeneratorRun> {
        let work = tempfile::tempdir()?;
        let [corpus, statistics, log] =
            ["corpus", "stats", "log"].map(|name| work.path().join(name));
        fs::create_dir(&corpus)?;
        let mut command = Command::new(program);
        command
            .arg(&corpus)
            .arg(format!("-seed={run}"))
            .arg(format!("-max_total_time={}", self.seconds))
            .arg(format!("-runs={}", self.executions))
            .arg(format!("-artifact_prefix={}/", work.path().display()))
            .env("ZESTER_STATS", &statistics);
        if !way.crosses {
            command.arg("-cross_over=0");
        }
        if let Some(setting) = way.setting {
            command.env("ZESTER_EXPERIMENT", setting);
        }
        let status = logged(&mut command, &log)?
            .status()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let text = fs::read(&log)?;
        let messages = String::from_utf8_lossy(&text);
        let found = FAULTS.iter().any(|fault| messages.contains(fault));
        ensure!(
            found || status.success(),
            "{}: {status}:\n{}",
            program.display(),
            end_of(&text)
        );
        let last = Statistics::last(&statistics)?;
        Ok(GeneratorRun {
            found,
            seconds: last.seconds,
            executions: last.executions,
            valid: last.valid,
            valid_edges: last.valid_edges,
        })
    }
}

/// Returns a table of Markdown with a row for each way. The last way is the one of plain bytes.
fn table(runs: &[Vec<GeneratorRun>; WAYS.len()]) -> String {
    let mut table = String::from(
        "| way | found | seconds to the fault | executions to the fault | A12 | executions a second | valid | valid edges |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let until = |runs: &[GeneratorRun]| -> Vec<f64> {
        runs.iter().map(GeneratorRun::until_fault).collect()
    };
    let plain = until(&runs[WAYS.len() - 1]);
    for (way, runs) in WAYS.iter().zip(runs) {
        if runs.is_empty() {
            continue;
        }
        let middle = median(until(runs));
        let middle = match middle.is_finite() {
            true => format!("{middle:.0}"),
            false => "not found".into(),
        };
        let times = runs.iter().filter(|run| run.found).map(|run| run.seconds);
        let time = match times.clone().next() {
            Some(_) => format!("{:.1}", mean(times)),
            None => "-".into(),
        };
        let of = |figure: fn(&GeneratorRun) -> f64| mean(runs.iter().map(figure));
        table += &format!(
            "| {} | {} of {} | {time} | {middle} | {:.2} | {:.0} | {:.0} % | {:.0} |\n",
            way.name,
            runs.iter().filter(|run| run.found).count(),
            runs.len(),
            a12(&plain, &until(runs)),
            of(|run| run.executions) / of(|run| run.seconds),
            percent(of(|run| run.valid), of(|run| run.executions)),
            median(runs.iter().map(|run| run.valid_edges)),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_the_fault_are_ties() {
        let run = |found, executions| GeneratorRun {
            found,
            seconds: 2.0,
            executions,
            valid: 5.0,
            valid_edges: 7.0,
        };
        let missed = run(false, 10.0);
        let mut runs = [(); WAYS.len()].map(|()| vec![missed]);
        runs[0] = vec![run(true, 20.0)];
        let table = table(&runs);
        let first = "| all | 1 of 1 | 2.0 | 20 | 1.00 | 10 | 25 % | 7 |";
        assert!(table.contains(first), "{table}");
        let plain = "| plain bytes | 0 of 1 | - | not found | 0.50 | 5 | 50 % | 7 |";
        assert!(table.contains(plain), "{table}");
        assert_eq!(GeneratorRun::parse(&missed.json()), Some(missed));
    }
}
