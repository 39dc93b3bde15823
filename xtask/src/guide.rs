//! Runs the commands of the guide.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::command::{Completed, completed, quietly};
use crate::repository::{file, root};

/// Runs every command of the guide (src/guide.md) in an empty directory that contains a clone of
/// zester.
///
/// Fails unless the commands end with a crash of the interpreter that the guide fuzzes.
#[derive(clap::Args)]
pub struct Guide {
    /// Print the commands without running them.
    #[arg(long)]
    quick: bool,
}

impl Guide {
    /// Runs the commands.
    pub fn run(&self) -> Result<()> {
        let commands = commands(&fs::read_to_string(file("src/guide.md"))?).join("\n");
        anyhow::ensure!(!commands.is_empty(), "src/guide.md has no commands");
        if self.quick {
            println!("{commands}");
            return Ok(());
        }
        let (start, work) = (Instant::now(), tempfile::tempdir()?);
        let completed = in_clone(work.path(), &format!("set -euxo pipefail\n{commands}"))?;
        let mut lines = completed.text.lines();
        let failure = lines.find(|line| line.starts_with("failure: panic "));
        // Which bug of the interpreter is found first depends on run times, so any of them counts.
        let Some(failure) = failure.filter(|line| completed.succeeded() && line.contains("cel"))
        else {
            anyhow::bail!(
                "the guide does not end in a crash of the interpreter:\n{}",
                crate::command::end_of(completed.text.as_bytes())
            );
        };
        println!("{failure}\n{}", lines.next().unwrap_or_default());
        println!("from nothing to there in {} s", start.elapsed().as_secs());
        Ok(())
    }
}

/// Runs a script of bash in an empty directory, which gets a clone of zester and the programs that the
/// script installs.
pub fn in_clone(work: &Path, script: &str) -> Result<Completed> {
    quietly(
        Command::new("git")
            .args(["clone", "-q"])
            .arg(root())
            .arg(work.join("zester")),
    )?;
    let tools = work.join("tools");
    let path = std::env::var_os("PATH").context("no PATH")?;
    let path = std::iter::once(tools.join("bin")).chain(std::env::split_paths(&path));
    completed(
        Command::new("bash")
            .args(["-c", script])
            .current_dir(work)
            .env("CARGO_INSTALL_ROOT", &tools)
            .env("PATH", std::env::join_paths(path)?)
            .env("RUST_LIB_BACKTRACE", "0")
            .env_remove("CARGO_TARGET_DIR"),
    )
}

/// Returns the commands of a Markdown text: the lines of its `sh` code blocks.
pub fn commands(markdown: &str) -> Vec<&str> {
    let (mut inside, mut commands) = (false, Vec::new());
    for line in markdown.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside => commands.push(line),
            _ => (),
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_blocks_of_sh() {
        assert_eq!(
            commands("a\n```sh\nb\nc\n```\nd\n```rust\ne\n```\n```sh\nf\n```\n"),
            ["b", "c", "f"]
        );
    }
}
