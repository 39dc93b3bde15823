//! Runs README's commands from nothing to the first crash, and draws the run.

mod picture;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use self::picture::{Line, draw};
use crate::command::end_of;
use crate::guide::{commands, in_clone};
use crate::repository::file;

/// Runs README's commands from nothing to the first crash, in an empty directory that contains a
/// clone of zester, and prints how long each takes.
///
/// Fails unless they end in a crash.
#[derive(clap::Args)]
pub struct Door {
    /// Draw the run as an SVG file, as README shows it (scripts/run.svg).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

/// Before each command, bash prints this mark, the time in seconds, and the command.
const MARK: &str = "@@";

/// The commands after README's, as README's text describes them.
const AFTER: [&str; 2] = [
    "zester generate fuzz/grammars/rules.ebnf -n 4 --size 40",
    "zester triage rules fuzz/artifacts/rules --reduce-for 5",
];

/// The commands that the picture shows, in its order.
const DRAWN: [&str; 3] = ["zester new", "zester generate", "zester fuzz"];

/// The picture shows the lines of a command's output that contain one of these texts, each with this
/// number of lines after it.
const SHOWN: [(&str, usize); 8] = [
    ("made ", 0),
    ("failure: ", 2),
    ("rules, ", 0),
    ("  executions ", 0),
    ("  valid ", 0),
    ("  edges ", 0),
    ("  failures ", 1),
    ("  failures, with stacks", 0),
];

/// A command that was run, when it began, and what it printed.
#[derive(Debug)]
struct Step<'a> {
    command: &'a str,
    began: f64,
    output: Vec<&'a str>,
}

impl Door {
    /// Runs the commands.
    pub fn run(&self) -> Result<()> {
        if let Some(picture) = &self.picture {
            // The run takes minutes, so a path that cannot be written is an error before it.
            let opened = fs::File::options().append(true).create(true).open(picture);
            opened.with_context(|| format!("cannot write {}", picture.display()))?;
        }
        let work = tempfile::tempdir()?;
        let readme = fs::read_to_string(file("README.md"))?;
        let script = [&commands(&readme)[..], &AFTER].concat().join("\n");
        // Bash ignores PS4 in the environment if the user is root.
        let mark = format!("PS4='{MARK}$EPOCHREALTIME '");
        let script = format!("exec 2>&1\n{mark}\nset -x\n{script}");
        let text = in_clone(work.path(), &script)?.text;
        let steps = steps(&text);
        for (step, next) in steps.iter().zip(steps.iter().skip(1)) {
            println!("{:6.1} s  {}", next.began - step.began, step.command);
        }
        let of = |name: &str| {
            let found = steps.iter().find(|step| step.command.starts_with(name));
            found.with_context(|| format!("{name} did not run:\n{}", end_of(text.as_bytes())))
        };
        let is_failure = |line: &&str| line.starts_with("failure: panic ");
        if !of("zester fuzz")?.output.iter().any(is_failure) {
            bail!(
                "README's commands do not end in a crash:\n{}",
                end_of(text.as_bytes())
            );
        }
        let Some(picture) = &self.picture else {
            return Ok(());
        };
        let mut lines = Vec::new();
        for name in DRAWN {
            lines.extend(drawn(of(name)?));
        }
        // The directory has another name in each run.
        let work = work.path().display().to_string();
        let lines: Vec<Line> = lines.into_iter().map(|line| line.without(&work)).collect();
        fs::write(picture, draw(&lines)).with_context(|| picture.display().to_string())
    }
}

/// Splits the output of marked commands.
fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for line in text.lines() {
        // In a subshell, bash repeats the first character of PS4.
        let marked = line.trim_start_matches('@').split_once(' ');
        match marked.filter(|_| line.starts_with(MARK)) {
            Some((time, command)) => steps.push(Step {
                command,
                began: time.parse().unwrap_or_default(),
                output: Vec::new(),
            }),
            None => steps
                .iter_mut()
                .rev()
                .take(1)
                .for_each(|step| step.output.push(line)),
        }
    }
    steps
}

/// Returns the lines of the picture for a command.
fn drawn(step: &Step<'_>) -> Vec<Line> {
    let mut lines = vec![Line::command(step.command)];
    let all = step.command.starts_with("zester generate");
    for (at, line) in step.output.iter().enumerate() {
        let is_shown = |(text, after): &(&str, usize)| {
            step.output[at.saturating_sub(*after)..=at]
                .iter()
                .any(|line| line.contains(text))
        };
        if all || SHOWN.iter().any(is_shown) {
            lines.push(Line::output(line));
        }
    }
    lines.push(Line::output(""));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_belongs_to_the_command_before_it() {
        let text = "x\n@@10.5 zester new\nmade a\nNext:\n@@@12.5 zester fuzz rules\nfailure: \
                    panic\n7\n  run it\nmore";
        let steps = steps(text);
        assert_eq!((steps[0].command, steps[1].began), ("zester new", 12.5));
        let lines = |step| {
            drawn(step)
                .iter()
                .map(|line| line.text.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(lines(&steps[0]), ["$ zester new", "made a", ""]);
        let run = ["$ zester fuzz rules", "failure: panic", "7", "  run it", ""];
        assert_eq!(lines(&steps[1]), run);
    }
}
