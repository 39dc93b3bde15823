//! Speed side by side: against other generators, against libFuzzer alone, and with validity feedback and without.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::command::{end_of, output, said};
use crate::figures::{median, range};
use crate::overhead::processor_time;
use crate::programs::{self, Engine, Sanitizer};
use crate::statistics::Statistics;
use crate::zester::files;

/// A part of the measurement.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Part {
    /// Decoding and mutating against other generators, in one process.
    Table,
    /// The measurement of `table`, where serde_json reads floats exactly, as the subject json does.
    Roundtrip,
    /// Fuzz targets against libFuzzer alone.
    Pairs,
    /// What validity feedback costs.
    Feedback,
}

/// Measures speed side by side.
///
/// Prints three tables: decoding and mutating against other generators in one process (fuzz/bench), fuzz targets against libFuzzer
/// alone (fuzz/bench/stock), and what validity feedback costs. A run's rate is its executions over the processor time of the
/// process (user and system), so that other work on the machine disturbs little; the rate by the clock stands beside it.
#[derive(clap::Args)]
pub struct Speed {
    /// Which parts to measure.
    #[arg(long, value_enum, num_args = 1.., default_values = ["table", "pairs", "feedback"])]
    parts: Vec<Part>,
    /// Rounds of the pairs.
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "1"))]
    rounds: u64,
    /// Seconds of a run.
    #[arg(long, default_value_t = 10, default_value_if("quick", "true", "1"))]
    seconds: u64,
    /// Rounds of the table.
    #[arg(long, default_value_t = 11, default_value_if("quick", "true", "1"))]
    table_rounds: u64,
    /// Sentences of the stock target's pool.
    #[arg(long, default_value_t = 20_000, default_value_if("quick", "true", "500"))]
    pool: u64,
    /// A directory of built `empty` and `json` targets to measure instead [default: they are built].
    #[arg(long, value_name = "DIR")]
    targets: Option<PathBuf>,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

/// What a run of a target did.
#[derive(Clone, Copy)]
struct Rate {
    /// Executions a second of processor time.
    busy: f64,
    /// Executions a second by the clock.
    clock: f64,
    /// Inputs that were kept.
    kept: f64,
    /// The mean size of a sentence, where the target has statistics.
    bytes: f64,
}

impl Speed {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let does = |part| self.parts.contains(&part);
        let rounds = self.table_rounds.to_string();
        if does(Part::Table) {
            println!("== In one process; serde_json as it comes");
            let status = Command::new(programs::bench("speed", &[])?).arg(&rounds).status()?;
            ensure!(status.success(), "speed failed ({status})");
        }
        if does(Part::Roundtrip) {
            println!("\n== The same; serde_json with float_roundtrip, as in the subject json");
            let text = output(Command::new(programs::bench("speed", &["roundtrip"])?).arg(&rounds))?;
            print!("{}", about_reading(&String::from_utf8_lossy(&text)));
        }
        if !does(Part::Pairs) && !does(Part::Feedback) {
            return Ok(());
        }
        // In memory if possible: a run writes a file for each input that it keeps.
        let memory = Path::new("/dev/shm");
        let work = if memory.is_dir() { tempfile::tempdir_in(memory)? } else { tempfile::tempdir()? };
        let targets = match &self.targets {
            Some(targets) => targets.clone(),
            None => {
                for target in ["empty", "json"] {
                    programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &work.path().join(target))?;
                }
                work.path().to_owned()
            }
        };
        if does(Part::Pairs) {
            self.pairs(work.path(), &targets)?;
        }
        if does(Part::Feedback) {
            self.feedback(work.path(), &targets)?;
        }
        Ok(())
    }

    /// zester's targets against libFuzzer alone.
    fn pairs(&self, work: &Path, targets: &Path) -> Result<()> {
        let (stock, corpus, pool) = (programs::stock_targets()?, work.join("corpus"), work.join("pool"));
        println!("\n== Whole processes, {} rounds of {} s, taken in turns", self.rounds, self.seconds);
        // The stock target gets sentences like those that zester's executes, of the same mean size.
        let (_, first) = self.execute(&targets.join("json"), &corpus, &[])?;
        let first = first.context("the json target writes statistics")?;
        println!(
            "zester json executed: {} sentences, mean {:.1} bytes, {} valid; corpus of {}",
            first.executions,
            first.mean_bytes(),
            first.valid,
            files(&corpus)?.len()
        );
        let mut make = Command::new(programs::bench("pool", &[])?);
        make.arg(&corpus).arg(&pool).args([self.pool.to_string(), format!("{:.1}", first.mean_bytes())]);
        println!("pool of stock_json: {}", String::from_utf8_lossy(&output(&mut make)?).trim());
        let pool = pool.display().to_string();
        let mut rates = [const { Vec::new() }; 4];
        for round in 0..self.rounds {
            let sides = [
                (stock.join("stock_empty"), vec![]),
                (targets.join("empty"), vec![]),
                (stock.join("stock_json"), vec![("POOL", pool.as_str())]),
                (targets.join("json"), vec![]),
            ];
            for (index, (program, environment)) in sides.iter().enumerate() {
                rates[index].push(self.execute(program, &work.join(format!("corpus-{index}-{round}")), environment)?.0);
            }
        }
        let [stock_empty, empty, stock_json, json] = &rates;
        println!("mean bytes a sentence of zester json: {:.1} (median of rounds)", median(json.iter().map(|rate| rate.bytes)));
        print!("{}", pair(("zester_empty", empty), ("stock_empty", stock_empty)));
        print!("{}", pair(("zester_json", json), ("stock_json", stock_json)));
        Ok(())
    }

    /// Feedback by validity, on and off.
    fn feedback(&self, work: &Path, targets: &Path) -> Result<()> {
        println!("\n== ZESTER_FEEDBACK=1 and 0, {} rounds of {} s, taken in turns", self.rounds, self.seconds);
        for name in ["empty", "json"] {
            let mut rates = [Vec::new(), Vec::new()];
            for round in 0..self.rounds {
                for (rates, value) in rates.iter_mut().zip(["1", "0"]) {
                    let corpus = work.join(format!("feedback-{name}-{value}-{round}"));
                    rates.push(self.execute(&targets.join(name), &corpus, &[("ZESTER_FEEDBACK", value)])?.0);
                }
            }
            let [on, off] = &rates;
            print!("{}", pair((&format!("{name}_feedback_1"), on), (&format!("{name}_feedback_0"), off)));
            let bytes = |rates: &[Rate]| median(rates.iter().map(|rate| rate.bytes));
            let cost = median(on.iter().zip(off).map(|(on, off)| 1e9 / on.busy - 1e9 / off.busy));
            println!(
                "    mean bytes a sentence: {:.1} and {:.1}; cost of feedback: {cost:.0} ns of processor time an execution",
                bytes(on),
                bytes(off)
            );
        }
        Ok(())
    }

    /// A run of a target, on a corpus that is made: its rate, and its statistics if it writes any.
    fn execute(&self, program: &Path, corpus: &Path, environment: &[(&str, &str)]) -> Result<(Rate, Option<Statistics>)> {
        fs::create_dir_all(corpus)?;
        let statistics = corpus.with_extension("stats");
        let mut command = Command::new(program);
        command.arg(corpus).args(["-print_final_stats=1", &format!("-max_total_time={}", self.seconds)]);
        command.arg(format!("-artifact_prefix={}/", corpus.parent().unwrap_or(corpus).display()));
        command.env("ZESTER_STATS", &statistics).envs(environment.iter().copied());
        let (start, busy) = (Instant::now(), processor_time()?);
        let said = said(&mut command)?;
        let (clock, busy) = (start.elapsed().as_secs_f64(), processor_time()? - busy);
        ensure!(said.succeeded(), "{} failed:\n{}", program.display(), end_of(said.text.as_bytes()));
        let figure = |name: &str| {
            let line = said.text.lines().find_map(|line| line.strip_prefix(&format!("stat::{name}:")));
            line.and_then(|value| value.trim().parse::<f64>().ok()).with_context(|| format!("{}: no {name}", program.display()))
        };
        let executions = figure("number_of_executed_units")?;
        let told = Statistics::last(&statistics).ok();
        let bytes = told.map_or(0.0, |told| told.mean_bytes());
        Ok((Rate { busy: executions / busy, clock: executions / clock, kept: figure("new_units_added")?, bytes }, told))
    }
}

/// The rates of both sides, and their ratio round by round.
fn pair(first: (&str, &[Rate]), second: (&str, &[Rate])) -> String {
    let mut text = String::new();
    for (name, rates) in [first, second] {
        let of = |figure: fn(&Rate) -> f64| median(rates.iter().map(figure));
        let (busy, clock, kept) = (of(|rate| rate.busy), of(|rate| rate.clock), of(|rate| rate.kept));
        text += &format!(
            "{name:<20} {busy:10.0} executions a second of processor time, {clock:10.0} by the clock; {kept:5.0} new units\n"
        );
    }
    let ratios: Vec<f64> = first.1.iter().zip(second.1).map(|(first, second)| first.busy / second.busy).collect();
    let (least, greatest) = range(&ratios);
    let middle = median(ratios);
    text + &format!("    {} / {}: median {middle:.3}, min {least:.3}, max {greatest:.3}\n", first.0, second.0)
}

/// Of the table of `speed`, the notes and the lines on reading.
fn about_reading(table: &str) -> String {
    let notes = table.lines().take_while(|line| !line.is_empty()).chain([""]);
    let words = ["zester decode", "serde_json"];
    let rest = table.lines().skip_while(|line| !line.is_empty());
    let reading = rest
        .filter(|line| words.iter().any(|word| line.contains(word)) || line.starts_with("median") || line.starts_with("ratio"));
    notes.chain(reading).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        let rates = |busy: &[f64]| busy.iter().map(|&busy| Rate { busy, clock: 1.0, kept: 2.0, bytes: 3.0 }).collect::<Vec<_>>();
        let text = pair(("a", &rates(&[10.0, 30.0, 20.0])), ("b", &rates(&[10.0, 10.0, 40.0])));
        assert!(text.ends_with("    a / b: median 1.000, min 0.500, max 3.000\n"), "{text}");
        assert!(text.starts_with("a                            20 executions a second of processor time,"), "{text}");
    }

    #[test]
    fn the_lines_on_reading_are_chosen() {
        let table = "note\n\nmedian of rounds\nzester decode 1\nGramatron 2\n\nratio\nzester decode / serde_json 3\n";
        assert_eq!(about_reading(table), "note\n\nmedian of rounds\nzester decode 1\nratio\nzester decode / serde_json 3\n");
    }
}
