//! Measures what `zester fuzz` costs, against the same program without it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::figures::median;
use crate::overhead::processor_time;
use zester_xtask::command::quietly;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::Zester;

/// Measures what `zester fuzz` costs: its screen, its statistics and its supervision of one process.
///
/// Both sides run the same number of executions from an empty corpus with the same seed, in turns.
/// Times are processor times of all processes.
#[derive(clap::Args)]
pub struct Screen {
    /// The number of runs of each side.
    #[arg(default_value_t = 5, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The number of executions of a run.
    #[arg(
        default_value_t = 1_000_000,
        default_value_if("quick", "true", "20000")
    )]
    executions: u64,
    /// The fuzz target in Rust.
    #[arg(default_value = "json")]
    target: String,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Screen {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        let program = work.path().join(&self.target);
        programs::fuzz_target(&self.target, Sanitizer::None, Engine::Libfuzzer, &program)?;
        let mut overheads = Vec::new();
        for run in 1..=self.runs {
            let flags = [format!("-runs={}", self.executions), format!("-seed={run}")];
            let bare = self.time(work.path(), run, |corpus| {
                let mut command = Command::new(&program);
                command.args(&flags).arg(corpus);
                command
            })?;
            let watched = self.time(work.path(), run, |corpus| {
                let mut command = zester.command("fuzz");
                command
                    .arg(&program)
                    .arg(corpus)
                    .args(["-j", "1", "--artifacts"])
                    .arg(corpus.with_extension("artifacts"))
                    .arg("--")
                    .args(&flags);
                command
            })?;
            let overhead = 100.0 * (watched / bare - 1.0);
            println!(
                "run {run}: {bare:.2} s without, {watched:.2} s with zester fuzz: {overhead:+.1} %"
            );
            overheads.push(overhead);
        }
        println!("zester fuzz costs {:+.1} % (median)", median(overheads));
        Ok(())
    }

    /// Returns the processor seconds of a command with an empty corpus.
    fn time(&self, work: &Path, run: u64, command: impl Fn(&Path) -> Command) -> Result<f64> {
        let corpus = work.join(format!("corpus-{run}"));
        let _ = fs::remove_dir_all(&corpus);
        fs::create_dir(&corpus)?;
        let before = processor_time()?;
        quietly(&mut command(&corpus))?;
        Ok(processor_time()? - before)
    }
}
