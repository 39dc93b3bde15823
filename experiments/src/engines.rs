//! Compares libFuzzer and LibAFL as engines.

use std::process::Command;

use anyhow::Result;

use crate::edges::Edges;
use crate::figures::{median, percent};
use crate::results::Reached;
use zester_xtask::command::logged;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::Zester;

/// Fuzzes a target with libFuzzer and with LibAFL in turn, both on two cores (-fork=2) and from an
/// empty corpus.
///
/// Prints for each run, as a line of JSON, the number of executions, of valid ones and of inputs in
/// the corpus, the edges that the corpus covers, and the edges that its valid sentences cover. At
/// the end, prints a table of the medians. A panic does not end a run; the sentence counts as
/// invalid. LibAFL's first build takes minutes.
#[derive(clap::Args)]
pub struct Engines {
    /// The number of runs of each engine.
    #[arg(default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The duration of a run in seconds.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "10"))]
    seconds: u64,
    /// The fuzz target.
    #[arg(default_value = "wgsl", default_value_if("quick", "true", "json"))]
    target: String,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Engines {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        const ENGINES: [Engine; 2] = [Engine::Libfuzzer, Engine::Libafl];
        let (work, zester, edges) = (
            tempfile::tempdir()?,
            Zester::build()?,
            Edges::build(&self.target)?,
        );
        let (work, grammar) = (work.path(), grammar_of(&self.target)?);
        for engine in ENGINES {
            programs::fuzz_target(
                &self.target,
                Sanitizer::None,
                engine,
                &work.join(engine.name()),
            )?;
        }
        let mut reached = ENGINES.map(|_| Vec::new());
        for run in 1..=self.runs {
            for (engine, reached) in ENGINES.iter().zip(&mut reached) {
                let directory = work.join(format!("{}-{run}", engine.name()));
                for name in ["corpus", "crashes"] {
                    std::fs::create_dir_all(directory.join(name))?;
                }
                // LibAFL does not support -max_total_time.
                let mut command = Command::new("timeout");
                command
                    .args(["-s", "INT", &self.seconds.to_string()])
                    .arg(work.join(engine.name()))
                    .arg(directory.join("corpus"));
                command.args(["-fork=2", "-ignore_crashes=1", "-ignore_timeouts=1"]);
                command.arg(format!(
                    "-artifact_prefix={}/",
                    directory.join("crashes").display()
                ));
                command
                    .env("HUNT", "none")
                    .env("ZESTER_STATS", directory.join("stats.0"));
                let _ = logged(&mut command, &directory.join("log"))?.status()?;
                let figures = Reached::by(&zester, &edges, &grammar, &directory)?;
                anyhow::ensure!(
                    figures.executions > 0.0,
                    "{} executed nothing",
                    engine.name()
                );
                println!("{}, run {run}: {}", engine.name(), figures.json());
                reached.push(figures);
            }
        }
        println!(
            "{:10} {:>10} {:>7} {:>6} {:>6} {:>8}",
            "engine", "executions", "valid", "corpus", "edges", "valid e."
        );
        for (engine, runs) in ENGINES.iter().zip(&reached) {
            let of = |figure: fn(&Reached) -> f64| median(runs.iter().map(figure));
            println!(
                "{:10} {:10.0} {:5.1} % {:6.0} {:6.0} {:8.0}",
                engine.name(),
                of(|run| run.executions),
                percent(of(|run| run.valid_executions), of(|run| run.executions)),
                of(|run| run.corpus),
                of(|run| run.edges),
                of(|run| run.edges_valid)
            );
        }
        Ok(())
    }
}
