//! Records the functions or edges of texts in a subject one by one, even if texts end the program.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::edges::each;
use zester_xtask::command::in_memory;
use zester_xtask::zester::joined;

/// The memory limit of the program in bytes, so that an allocation without limit fails for one text
/// only.
const MEMORY: u64 = 8_000_000 << 10;

/// The seconds after which a text counts as one that ends the program.
const LONGEST: Duration = Duration::from_secs(60);

/// The unit that counts.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum CountedUnit {
    /// Functions of the subject's own crates.
    Functions,
    /// All edges of the program.
    Edges,
}

impl CountedUnit {
    /// Returns the member in the program's lines, and the heading in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Edges => "edges",
        }
    }
}

/// The outcome of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    /// The subject's outcome, or `ended` if the text ended the program or took a minute.
    pub outcome: String,
    /// The functions that the text entered, or the edges that it covered.
    pub numbers: Vec<u64>,
    /// How often the text called each of these functions, or hit each of these edges.
    pub hits: Vec<u64>,
}

/// Runs texts through a program of `fuzz/coverage`. If a text ends the program, it starts again
/// with the next text.
pub fn run(program: &Path, texts: &[Vec<u8>], what: CountedUnit) -> Result<Vec<Entered>> {
    let mut runs: Vec<Entered> = Vec::new();
    while runs.len() < texts.len() {
        let left = &texts[runs.len()..];
        runs.extend(once(program, left, what)?);
        if runs.len() < texts.len() {
            runs.push(Entered {
                outcome: "ended".into(),
                numbers: Vec::new(),
                hits: Vec::new(),
            });
        }
    }
    Ok(runs)
}

/// Runs the program once. Returns the outcomes of texts, up to the first one that ends it.
fn once(program: &Path, texts: &[Vec<u8>], what: CountedUnit) -> Result<Vec<Entered>> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), joined(texts))?;
    let mut command = in_memory(MEMORY, program);
    command.args(["--each", "--json", "--null"]);
    if what == CountedUnit::Functions {
        command.arg("--functions");
    }
    let mut process = command
        .stdin(file.reopen()?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (out, mut errors) = (
        process.stdout.take().context("a pipe")?,
        process.stderr.take().context("a pipe")?,
    );
    let (send, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let errors_reader = thread::spawn(move || {
        let mut text = Vec::new();
        let _ = std::io::Read::read_to_end(&mut errors, &mut text);
        text
    });
    let mut runs = Vec::new();
    while runs.len() < texts.len() {
        let Ok(line) = lines.recv_timeout(LONGEST) else {
            break;
        };
        if !line.starts_with("{\"outcome\"") || !line.ends_with("]}") {
            break;
        }
        let (outcome, numbers, hits) = each(&line, what.name())?;
        runs.push(Entered {
            outcome,
            numbers,
            hits,
        });
    }
    if runs.len() < texts.len() {
        let _ = process.kill();
    }
    drop(lines);
    let status = process.wait()?;
    let errors = errors_reader
        .join()
        .expect("a thread that reads does not panic");
    reader.join().expect("a thread that reads does not panic");
    // A signal is a failure of the text. A status is a failure of the command.
    if status.code().is_some_and(|code| code > 0 && code < 128) && runs.is_empty() {
        bail!(
            "{}:\n{}",
            program.display(),
            String::from_utf8_lossy(&errors)
        );
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_ends_the_program_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        // Prints `valid` for each text, and dies of the text `die`.
        let script = "#!/bin/bash\nwhile IFS= read -rd '' text; do [[ $text != die ]] || kill -9 $$; \
                      echo '{\"outcome\":\"valid\",\"edges\":[1],\"hits\":[1]}'; done\n";
        zester_xtask::command::script(&program, script).unwrap();
        let texts = ["a", "die", "b", "die"].map(|text| text.as_bytes().to_vec());
        let outcomes: Vec<String> = run(&program, &texts, CountedUnit::Edges)
            .unwrap()
            .into_iter()
            .map(|run| run.outcome)
            .collect();
        assert_eq!(outcomes, ["valid", "ended", "valid", "ended"]);
        fs::write(&program, "#!/bin/sh\necho no such option >&2; exit 2\n").unwrap();
        assert!(
            run(&program, &texts, CountedUnit::Edges)
                .unwrap_err()
                .to_string()
                .contains("no such option")
        );
    }
}
