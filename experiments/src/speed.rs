//! Measures speed: against a parser, against stock libFuzzer, and with validity feedback
//! and without.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::figures::{median, processor_seconds, range};
use zester_xtask::command::{completed, end_of, output};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::statistics::Statistics;
use zester_xtask::zester::files;

/// A part of the experiment.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Part {
    /// Decoding, mutating and parsing, beside serde_json in one process.
    Table,
    /// Fuzz targets against stock libFuzzer.
    Pairs,
    /// The cost of validity feedback.
    Feedback,
}

/// Measures speed.
///
/// Prints three tables: decoding, mutating and parsing beside serde_json in one process (fuzz/bench),
/// fuzz targets against stock libFuzzer (fuzz/bench/stock), and the cost of validity feedback. The
/// rate of a run is its executions per second of the process' processor time (user and system), so
/// that other programs on the machine disturb little. The rate by the clock is printed next to it.
#[derive(clap::Args)]
pub struct Speed {
    /// The parts to measure.
    #[arg(long, value_enum, num_args = 1.., default_values = ["table", "pairs", "feedback"])]
    parts: Vec<Part>,
    /// The number of rounds of the pairs.
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "1"))]
    rounds: u64,
    /// The duration of a run in seconds.
    #[arg(long, default_value_t = 10, default_value_if("quick", "true", "1"))]
    seconds: u64,
    /// The number of rounds of the table.
    #[arg(long, default_value_t = 11, default_value_if("quick", "true", "1"))]
    table_rounds: u64,
    /// The number of sentences in the stock target's pool.
    #[arg(
        long,
        default_value_t = 20_000,
        default_value_if("quick", "true", "500")
    )]
    pool: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The figures of a run of a target.
#[derive(Clone, Copy)]
struct Rate {
    /// Executions per second of processor time.
    busy: f64,
    /// Executions per second by the clock.
    clock: f64,
    /// The number of inputs that libFuzzer added to the corpus.
    new: f64,
    /// The mean size of a sentence in bytes, if the target has statistics.
    bytes: f64,
}

impl Speed {
    pub fn run(&self) -> Result<()> {
        let does = |part| self.parts.contains(&part);
        if does(Part::Table) {
            println!("== In one process; serde_json with its default features");
            let status = Command::new(programs::bench("speed")?)
                .arg(self.table_rounds.to_string())
                .status()?;
            ensure!(status.success(), "speed failed ({status})");
        }
        if !does(Part::Pairs) && !does(Part::Feedback) {
            return Ok(());
        }
        // The work is in memory if possible, because a run writes a file for each input of the
        // corpus.
        let memory = Path::new("/dev/shm");
        let work = if memory.is_dir() {
            tempfile::tempdir_in(memory)?
        } else {
            tempfile::tempdir()?
        };
        for target in ["empty", "json"] {
            let to = work.path().join(target);
            programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &to)?;
        }
        if does(Part::Pairs) {
            self.pairs(work.path())?;
        }
        if does(Part::Feedback) {
            self.feedback(work.path())?;
        }
        Ok(())
    }

    /// Compares zester's targets with stock libFuzzer.
    fn pairs(&self, work: &Path) -> Result<()> {
        let (stock, corpus, pool) = (
            programs::stock_targets()?,
            work.join("corpus"),
            work.join("pool"),
        );
        println!(
            "\n== Whole processes, {} rounds of {} s, taken in turns",
            self.rounds, self.seconds
        );
        // The stock target gets sentences of the same kind and mean size as those that zester's
        // target executes.
        let (_, first) = self.execute(&work.join("json"), &corpus, &[])?;
        let first = first.context("the json target writes statistics")?;
        println!(
            "zester json executed: {} sentences, mean {:.1} bytes, {} valid; corpus of {}",
            first.executions,
            first.mean_bytes(),
            first.valid,
            files(&corpus)?.len()
        );
        let mut make = Command::new(programs::bench("pool")?);
        make.arg(&corpus)
            .arg(&pool)
            .args([self.pool.to_string(), format!("{:.1}", first.mean_bytes())]);
        println!(
            "pool of stock_json: {}",
            String::from_utf8_lossy(&output(&mut make)?).trim()
        );
        let pool = pool.display().to_string();
        let mut rates = [const { Vec::new() }; 4];
        for round in 0..self.rounds {
            let sides = [
                (stock.join("stock_empty"), vec![]),
                (work.join("empty"), vec![]),
                (stock.join("stock_json"), vec![("POOL", pool.as_str())]),
                (work.join("json"), vec![]),
            ];
            for (index, (program, environment)) in sides.iter().enumerate() {
                rates[index].push(
                    self.execute(
                        program,
                        &work.join(format!("corpus-{index}-{round}")),
                        environment,
                    )?
                    .0,
                );
            }
        }
        let [stock_empty, empty, stock_json, json] = &rates;
        println!(
            "mean bytes a sentence of zester json: {:.1} (median of rounds)",
            median(json.iter().map(|rate| rate.bytes))
        );
        print!(
            "{}",
            pair(("zester_empty", empty), ("stock_empty", stock_empty))
        );
        print!(
            "{}",
            pair(("zester_json", json), ("stock_json", stock_json))
        );
        Ok(())
    }

    /// Compares validity feedback on and off.
    fn feedback(&self, work: &Path) -> Result<()> {
        println!(
            "\n== feedback=1 and 0 in ZESTER_EXPERIMENT, {} rounds of {} s, taken in turns",
            self.rounds, self.seconds
        );
        for name in ["empty", "json"] {
            let mut rates = [Vec::new(), Vec::new()];
            for round in 0..self.rounds {
                for (rates, value) in rates.iter_mut().zip(["1", "0"]) {
                    let corpus = work.join(format!("feedback-{name}-{value}-{round}"));
                    rates.push(
                        self.execute(
                            &work.join(name),
                            &corpus,
                            &[("ZESTER_EXPERIMENT", &format!("feedback={value}"))],
                        )?
                        .0,
                    );
                }
            }
            let [on, off] = &rates;
            print!(
                "{}",
                pair(
                    (&format!("{name}_feedback_1"), on),
                    (&format!("{name}_feedback_0"), off)
                )
            );
            let bytes = |rates: &[Rate]| median(rates.iter().map(|rate| rate.bytes));
            let cost = median(
                on.iter()
                    .zip(off)
                    .map(|(on, off)| 1e9 / on.busy - 1e9 / off.busy),
            );
            println!(
                "    mean bytes a sentence: {:.1} and {:.1}; cost of feedback: {cost:.0} ns of processor time an execution",
                bytes(on),
                bytes(off)
            );
        }
        Ok(())
    }

    /// Runs a target on a new corpus. Returns its rate, and its statistics if it writes any.
    fn execute(
        &self,
        program: &Path,
        corpus: &Path,
        environment: &[(&str, &str)],
    ) -> Result<(Rate, Option<Statistics>)> {
        fs::create_dir_all(corpus)?;
        let statistics = corpus.with_extension("stats");
        let mut command = Command::new(program);
        command.arg(corpus).args([
            "-print_final_stats=1",
            &format!("-max_total_time={}", self.seconds),
        ]);
        command.arg(format!(
            "-artifact_prefix={}/",
            corpus.parent().unwrap_or(corpus).display()
        ));
        command
            .env("ZESTER_STATS", &statistics)
            .envs(environment.iter().copied());
        let (start, busy) = (Instant::now(), processor_seconds()?);
        let completed = completed(&mut command)?;
        let (clock, busy) = (start.elapsed().as_secs_f64(), processor_seconds()? - busy);
        ensure!(
            completed.succeeded(),
            "{} failed:\n{}",
            program.display(),
            end_of(completed.text.as_bytes())
        );
        let figure = |name: &str| {
            let line = completed
                .text
                .lines()
                .find_map(|line| line.strip_prefix(&format!("stat::{name}:")));
            line.and_then(|value| value.trim().parse::<f64>().ok())
                .with_context(|| format!("{}: no {name}", program.display()))
        };
        let executions = figure("number_of_executed_units")?;
        let last = Statistics::last(&statistics).ok();
        let bytes = last.map_or(0.0, |last| last.mean_bytes());
        Ok((
            Rate {
                busy: executions / busy,
                clock: executions / clock,
                new: figure("new_units_added")?,
                bytes,
            },
            last,
        ))
    }
}

/// Formats the rates of both sides, and their ratio round by round.
fn pair(first: (&str, &[Rate]), second: (&str, &[Rate])) -> String {
    let mut text = String::new();
    for (name, rates) in [first, second] {
        let of = |figure: fn(&Rate) -> f64| median(rates.iter().map(figure));
        let (busy, clock, new) = (
            of(|rate| rate.busy),
            of(|rate| rate.clock),
            of(|rate| rate.new),
        );
        text += &format!(
            "{name:<20} {busy:10.0} executions a second of processor time, {clock:10.0} by the clock; {new:5.0} new units\n"
        );
    }
    let ratios: Vec<f64> = first
        .1
        .iter()
        .zip(second.1)
        .map(|(first, second)| first.busy / second.busy)
        .collect();
    let (minimum, maximum) = range(&ratios);
    let middle = median(ratios);
    text + &format!(
        "    {} / {}: median {middle:.3}, min {minimum:.3}, max {maximum:.3}\n",
        first.0, second.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        let rates = |busy: &[f64]| {
            busy.iter()
                .map(|&busy| Rate {
                    busy,
                    clock: 1.0,
                    new: 2.0,
                    bytes: 3.0,
                })
                .collect::<Vec<_>>()
        };
        let text = pair(
            ("a", &rates(&[10.0, 30.0, 20.0])),
            ("b", &rates(&[10.0, 10.0, 40.0])),
        );
        assert!(
            text.ends_with("    a / b: median 1.000, min 0.500, max 3.000\n"),
            "{text}"
        );
        assert!(
            text.starts_with(
                "a                            20 executions a second of processor time,"
            ),
            "{text}"
        );
    }
}
