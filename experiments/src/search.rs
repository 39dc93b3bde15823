//! Compares ways to search in equal processor time.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::value_parser;

use crate::figures::{mean, percent, processor_seconds};
use crate::results;
use zester_xtask::c;
use zester_xtask::command::{end_of, logged};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::statistics::Statistics;
use zester_xtask::zester::Zester;

/// Fuzzes in several ways, side by side: edges by valid sentences, and distinct locations of panics.
///
/// Each run begins with an empty corpus, and ends after its processor time. A panic only rejects its
/// sentence; the locations of panics are counted. After another crash or a time-out, a run goes on with its
/// corpus. The ways take turns. Prints a line for each run, and at the end the means for each subject and way. With
/// the same --out, an interrupted experiment goes on with the first run that is not complete.
#[derive(clap::Args)]
pub struct Search {
    /// The subjects: a fuzz target, or TARGET=GRAMMAR for another grammar. A name that begins with c/
    /// is a target of fuzz/c.
    #[arg(default_values_t = ["wgsl", "jinja_old", "jq_old", "javascript_old"].map(String::from), default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// The number of runs of each way. The number of a run is libFuzzer's seed.
    #[arg(long, default_value_t = 2, default_value_if("quick", "true", "1"), value_parser = value_parser!(u64).range(1..))]
    runs: u64,
    /// The processor time of a run in seconds.
    #[arg(long, default_value_t = 60, default_value_if("quick", "true", "3"), value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// The ways: default; former (without words and valid parents); generation (new sentences alone).
    #[arg(long, num_args = 1.., value_enum, default_values_t = [Way::Default, Way::Former, Way::Generation])]
    ways: Vec<Way>,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The number of crashes after which a run fails.
const MAX_PARTS: u64 = 100;

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Way {
    /// The defaults.
    Default,
    /// Without words that the program compares with, and without valid parents.
    Former,
    /// Generation alone.
    Generation,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Default => "default",
            Way::Former => "former",
            Way::Generation => "generation",
        }
    }

    /// Returns the value of ZESTER_EXPERIMENT.
    fn setting(self) -> Option<&'static str> {
        match self {
            Way::Default => None,
            Way::Former => Some("parents=any,mutators=-word+-string"),
            Way::Generation => {
                Some("mutators=generate-small+generate-middle+generate-large,schedule=fixed")
            }
        }
    }
}

/// What is fuzzed.
struct Subject {
    program: PathBuf,
    /// The grammar, if it is not the one of the program.
    grammar: Option<PathBuf>,
}

/// The results of a run.
struct SearchRun {
    /// The sums of all processes of the run.
    total: Statistics,
    /// The distinct locations of panics.
    locations: BTreeSet<String>,
}

impl SearchRun {
    /// Reads the results of a run.
    fn of(directory: &Path) -> Result<SearchRun> {
        let log = fs::read(directory.join("log"))?;
        let mut total = Statistics::total(directory)?;
        // The last process may have ended before it had replayed the corpus, with fewer edges than an earlier one.
        for file in Statistics::files(directory)? {
            if let Ok(last) = Statistics::last(&file) {
                total.edges = total.edges.max(last.edges);
                total.valid_edges = total.valid_edges.max(last.valid_edges);
            }
        }
        ensure!(
            total.executions > 0.0,
            "{} has no statistics:\n{}",
            directory.display(),
            end_of(&log)
        );
        let log = String::from_utf8_lossy(&log);
        let locations = log
            .lines()
            .filter_map(|line| line.strip_prefix("signature: "));
        Ok(SearchRun {
            total,
            locations: locations.map(String::from).collect(),
        })
    }
}

impl Search {
    pub fn run(&self) -> Result<()> {
        let out = fs::canonicalize(results::directory(self.out.as_deref())?)?;
        let mut locations = vec![0; self.ways.len()];
        for name in &self.subjects {
            let file = name.replace(['/', '='], "-");
            let subject = subject(name, &out.join(format!("{file}.program")))?;
            let mut found: Vec<Vec<SearchRun>> = self.ways.iter().map(|_| Vec::new()).collect();
            for run in 1..=self.runs {
                for (way, found) in self.ways.iter().zip(&mut found) {
                    let name_of_run = format!("{file}-{}-{}s-{run}", way.name(), self.seconds);
                    let directory = out.join(name_of_run);
                    if !directory.join("complete").exists() {
                        self.fuzz(&subject, *way, run, &directory)?;
                    }
                    let reached = SearchRun::of(&directory)?;
                    println!(
                        "{name}, run {run}, {}",
                        row(*way, std::slice::from_ref(&reached))
                    );
                    found.push(reached);
                }
            }
            println!("\n== {name}, means of {} runs", self.runs);
            for ((way, found), locations) in self.ways.iter().zip(&found).zip(&mut locations) {
                println!("{}", row(*way, found));
                *locations += found.iter().map(|run| run.locations.len()).sum::<usize>();
            }
            println!();
        }
        for (way, locations) in self.ways.iter().zip(locations) {
            println!(
                "{:<11} {locations:4} locations of panics in all runs",
                way.name()
            );
        }
        println!("results in {}", out.display());
        Ok(())
    }

    /// Fuzzes once. A signal ends the run, so the last line of the statistics may be two seconds old.
    fn fuzz(&self, subject: &Subject, way: Way, run: u64, directory: &Path) -> Result<()> {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory.join("corpus"))?;
        let start = processor_seconds()?;
        for part in 0.. {
            let left = self.seconds as f64 - (processor_seconds()? - start);
            if left < 1.0 {
                break;
            }
            if part == MAX_PARTS {
                let log = fs::read(directory.join("log"))?;
                bail!(
                    "{} crashed {MAX_PARTS} times:\n{}",
                    directory.display(),
                    end_of(&log)
                );
            }
            let mut command = Command::new("prlimit");
            command
                .arg(format!("--cpu={left:.0}"))
                .arg("--")
                .arg(&subject.program)
                .arg(directory.join("corpus"))
                .args([&format!("-seed={}", run + 1_000 * part), "-timeout=10"])
                .arg("-max_len=4096")
                .env("HUNT", "none")
                .env("ZESTER_STATS", directory.join(format!("stats.{part}")));
            if let Some(grammar) = &subject.grammar {
                command.env("ZESTER_GRAMMAR", grammar);
            }
            if let Some(setting) = way.setting() {
                command.env("ZESTER_EXPERIMENT", setting);
            }
            logged(command.current_dir(directory), &directory.join("log"))?
                .status()
                .context("cannot run prlimit")?;
        }
        SearchRun::of(directory)?;
        fs::write(directory.join("complete"), "")?;
        Ok(())
    }
}

/// Returns a subject by its name, and builds it if `program` does not exist.
fn subject(name: &str, program: &Path) -> Result<Subject> {
    let (target, grammar) = match name.split_once('=') {
        Some((target, grammar)) => (target, Some(grammar)),
        None => (name, None),
    };
    let grammar = grammar
        .map(|grammar| fs::canonicalize(grammar).with_context(|| format!("no grammar {grammar}")))
        .transpose()?;
    if !program.exists() {
        eprintln!("building {target}");
        match target.strip_prefix("c/") {
            Some(target) => drop(c::fuzz_target(
                target,
                "",
                Zester::build()?.path(),
                program,
            )?),
            None => programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, program)?,
        }
    }
    Ok(Subject {
        program: program.to_owned(),
        grammar,
    })
}

/// Returns a line with the means of a way's runs.
fn row(way: Way, found: &[SearchRun]) -> String {
    let of = |figure: fn(&Statistics) -> f64| mean(found.iter().map(|run| figure(&run.total)));
    format!(
        "{:<11} {:9.0} executions, {:4.1} % valid, {:6.0} edges, {:6.0} by valid sentences, {:.1} locations of panics",
        way.name(),
        of(|last| last.executions),
        percent(of(|last| last.valid), of(|last| last.executions)),
        of(|last| last.edges),
        of(|last| last.valid_edges),
        mean(found.iter().map(|run| run.locations.len() as f64)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let line = |seconds, valid_edges| {
            format!(
                "{{\"seconds\":{seconds},\"executions\":10,\"valid\":5,\"invalid\":5,\"edges\":1,\"valid_edges\":{valid_edges},\"mean_sentence_bytes\":2}}\n"
            )
        };
        let first = line(2, 7) + &line(8, 9);
        fs::write(directory.path().join("stats.0"), first).unwrap();
        fs::write(
            directory.path().join("log"),
            "signature: a\nINFO: x\nsignature: b\nsignature: a\n",
        )
        .unwrap();
        let found = SearchRun::of(directory.path()).unwrap();
        assert_eq!(found.locations.len(), 2);
        fs::write(directory.path().join("stats.1"), line(2, 5)).unwrap();
        let both = SearchRun::of(directory.path()).unwrap().total;
        assert_eq!((both.seconds, both.executions), (10.0, 20.0));
        assert_eq!(both.valid_edges, 9.0);
        fs::remove_file(directory.path().join("stats.1")).unwrap();
        fs::write(directory.path().join("stats.0"), "").unwrap();
        assert!(SearchRun::of(directory.path()).is_err());
    }
}
