//! Runs tests as cargo does, but several programs at a time: cargo runs one after another, and most
//! of them end with one slow test on one core.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::command;
use crate::repository::root;

/// The program whose tests take longest. It begins first, so that the others run beside it.
const SLOWEST: &str = "cli test command";

/// Builds all tests by one call of `cargo test`, and runs them, as many programs at a time as there
/// are processors.
///
/// Shows the result of each program, and the whole output of those that fail.
#[derive(clap::Args)]
pub struct Tests {
    /// Arguments of `cargo test`, such as packages and features.
    #[arg(last = true, required = true)]
    arguments: Vec<String>,
}

/// A program with tests, or the tests in the documentation.
struct Job {
    name: String,
    command: Command,
}

impl Tests {
    /// Builds and runs the tests.
    pub fn run(&self) -> Result<()> {
        let mut build = self.cargo(&["--no-run", "--message-format=json"]);
        let built = command::output(&mut build)?;
        let mut jobs: VecDeque<Job> = VecDeque::new();
        // cargo compiles each example in the documentation, which takes long, so this job begins early.
        jobs.push_back(Job {
            name: "documentation".into(),
            command: self.cargo(&["--doc"]),
        });
        for line in String::from_utf8_lossy(&built).lines() {
            if let Some(job) = program(line)? {
                match job.name == SLOWEST {
                    true => jobs.push_front(job),
                    false => jobs.push_back(job),
                }
            }
        }
        ensure!(jobs.len() > 1, "cargo built no tests");
        let (jobs, failed) = (Mutex::new(jobs), Mutex::new(Vec::new()));
        let next = || {
            jobs.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front()
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..processors {
                scope.spawn(|| {
                    while let Some(job) = next() {
                        let name = job.name.clone();
                        if let Err(error) = job.run() {
                            eprintln!("{error:#}");
                            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            failed.push(name);
                        }
                    }
                });
            }
        });
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        ensure!(failed.is_empty(), "tests failed: {}", failed.join(", "));
        Ok(())
    }

    fn cargo(&self, flags: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo
            .args(["test", "--quiet"])
            .args(flags)
            .args(&self.arguments)
            .current_dir(root());
        cargo
    }
}

impl Job {
    fn run(mut self) -> Result<()> {
        let started = Instant::now();
        let output = self
            .command
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", command::shown(&self.command)))?;
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        if !output.status.success() {
            bail!("{} failed ({}):\n{out}{err}", self.name, output.status);
        }
        let results = out
            .lines()
            .filter_map(|line| line.strip_prefix("test result: "));
        let results: Vec<&str> = results
            .map(|line| line.split("; 0 measured").next().unwrap_or(line))
            .collect();
        let seconds = started.elapsed().as_secs();
        println!("{}: {} ({seconds} s)", self.name, results.join(", "));
        Ok(())
    }
}

/// Returns the program that a message of cargo is about, if there is one.
fn program(line: &str) -> Result<Option<Job>> {
    let message: Value = serde_json::from_str(line).context("cargo wrote no JSON")?;
    let text = |value: &Value| value.as_str().map(PathBuf::from);
    let is_test = message["profile"]["test"] == true;
    let (Some(executable), Some(manifest), true) = (
        text(&message["executable"]),
        text(&message["manifest_path"]),
        is_test,
    ) else {
        return Ok(None);
    };
    let directory = manifest.parent().unwrap_or(Path::new("/"));
    let package = directory.strip_prefix(root()).unwrap_or(directory);
    let target = message["target"]["name"].as_str().unwrap_or_default();
    let kind = message["target"]["kind"][0].as_str().unwrap_or_default();
    let mut command = Command::new(executable);
    command
        .arg("--quiet")
        .current_dir(directory)
        .env("CARGO_MANIFEST_DIR", directory);
    let name: [String; 3] = [package.to_string_lossy().into(), kind.into(), target.into()];
    let name: Vec<String> = name.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(Some(Job {
        name: name.join(" "),
        command,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_those_that_cargo_says_are_tests() {
        let manifest = root().join("cli/Cargo.toml");
        let line = |is_test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact",
                "manifest_path": manifest,
                "target": { "name": "run", "kind": ["test"] },
                "profile": { "test": is_test },
                "executable": "/target/run-1",
            })
            .to_string()
        };
        let job = program(&line(true)).unwrap().unwrap();
        assert_eq!(job.name, "cli test run");
        assert_eq!(job.command.get_current_dir(), manifest.parent());
        assert!(program(&line(false)).unwrap().is_none());
        assert!(program(r#"{"reason":"build-finished"}"#).unwrap().is_none());
        assert!(program("no JSON").is_err());
    }

    #[test]
    fn a_program_that_fails_is_an_error_with_its_output() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo test result: FAILED; exit 3"]);
        let job = Job {
            name: "sh".into(),
            command,
        };
        let error = job.run().unwrap_err().to_string();
        assert!(
            error.contains("FAILED") && error.contains("exit status: 3"),
            "{error}"
        );
    }
}
