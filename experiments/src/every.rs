//! Runs every experiment once, quickly.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use zester_xtask::command::{completed, end_of};

/// The experiments that have --quick: all but mutation-score, which needs results of bonsai.
pub const NAMES: &[&str] = &[
    "ablation",
    "bonsai",
    "bugs",
    "compare",
    "conform",
    "evolve",
    "generators",
    "import",
    "mutants",
    "samples",
    "search",
    "sentences",
    "speed",
    "subjects",
    "suites",
];

/// Runs every experiment but mutation-score once with --quick, to test that it works; prints a line for each.
#[derive(clap::Args)]
pub struct Every {
    /// The names of the experiments to run [default: all].
    names: Vec<String>,
}

impl Every {
    pub fn run(&self) -> Result<()> {
        let names = if self.names.is_empty() {
            NAMES.iter().copied().map(String::from).collect()
        } else {
            self.names.clone()
        };
        let mut failed = Vec::new();
        for name in names {
            let start = Instant::now();
            let mut command = Command::new(std::env::current_exe()?);
            command.arg(&name);
            if name == "ablation" {
                command.arg("feedback");
            }
            let completed = completed(command.arg("--quick"))?;
            let seconds = start.elapsed().as_secs();
            if completed.succeeded() {
                println!("{name:<14} ok, {seconds} s: {}", last_line(&completed.text));
            } else {
                println!(
                    "{name:<14} FAILED after {seconds} s:\n{}",
                    end_of(completed.text.as_bytes())
                );
                failed.push(name);
            }
        }
        ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
        Ok(())
    }
}

/// Returns the last line that is not empty, cut to 80 characters.
fn last_line(text: &str) -> String {
    text.lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .trim()
        .chars()
        .take(80)
        .collect()
}
