//! Records which functions of a subject each text calls, even if texts end the program.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use zester_xtask::command::in_memory;
use zester_xtask::zester::joined;

/// The memory limit of the program in bytes, so that an allocation without limit fails for one text
/// only.
const MEMORY: u64 = 8_000_000 << 10;

/// The seconds after which a text counts as one that ends the program.
const LONGEST: Duration = Duration::from_secs(60);

/// The outcome of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Entered {
    /// The subject's outcome, or `ended` if the text ended the program or took a minute.
    pub outcome: String,
    /// The functions that the text entered.
    pub numbers: Vec<u64>,
    /// How often the text called each of these functions.
    pub hits: Vec<u64>,
}

/// Runs texts through a program of `fuzz/coverage`. If a text ends the program, it starts again
/// with the next text.
pub fn run(program: &Path, texts: &[Vec<u8>]) -> Result<Vec<Entered>> {
    let mut runs: Vec<Entered> = Vec::new();
    while runs.len() < texts.len() {
        let left = &texts[runs.len()..];
        runs.extend(once(program, left)?);
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
fn once(program: &Path, texts: &[Vec<u8>]) -> Result<Vec<Entered>> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), joined(texts))?;
    let mut command = in_memory(MEMORY, program);
    command.args(["--each", "--json", "--null", "--functions"]);
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
        runs.push(parsed(&line)?);
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
    // A signal means that the text ended the program. A status means that the command line is wrong.
    if status.code().is_some_and(|code| code > 0 && code < 128) && runs.is_empty() {
        bail!(
            "{}:\n{}",
            program.display(),
            String::from_utf8_lossy(&errors)
        );
    }
    Ok(runs)
}

/// Parses a line that `--each` prints: the outcome, the numbers of functions, and how often each was
/// called.
fn parsed(line: &str) -> Result<Entered> {
    let value: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
    let outcome = value["outcome"].as_str();
    let list = |name: &str| -> Result<Vec<u64>> {
        let numbers = value[name]
            .as_array()
            .with_context(|| format!("no {name} in {line}"))?;
        Ok(numbers.iter().filter_map(Value::as_u64).collect())
    };
    let (numbers, hits) = (list("functions")?, list("hits")?);
    ensure!(
        numbers.len() == hits.len(),
        "not one number of hits for each of the functions in {line}"
    );
    Ok(Entered {
        outcome: outcome
            .with_context(|| format!("no outcome in {line}"))?
            .to_owned(),
        numbers,
        hits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parsed() {
        let run = parsed(r#"{"outcome":"valid","functions":[1,5],"hits":[3,300]}"#).unwrap();
        let expected = ("valid", &[1, 5][..], &[3, 300][..]);
        assert_eq!(
            (&run.outcome[..], &run.numbers[..], &run.hits[..]),
            expected
        );
        assert!(parsed(r#"{"outcome":"valid","edges":[1],"hits":[3]}"#).is_err());
        assert!(parsed(r#"{"outcome":"valid","functions":[1,5],"hits":[3]}"#).is_err());
    }

    #[test]
    fn a_text_that_ends_the_program_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        // Prints `valid` for each text, and dies of the text `die`.
        let script = "#!/bin/bash\nwhile IFS= read -rd '' text; do [[ $text != die ]] || kill -9 $$; \
                      echo '{\"outcome\":\"valid\",\"functions\":[1],\"hits\":[1]}'; done\n";
        zester_xtask::command::script(&program, script).unwrap();
        let texts = ["a", "die", "b", "die"].map(|text| text.as_bytes().to_vec());
        let outcomes: Vec<String> = run(&program, &texts)
            .unwrap()
            .into_iter()
            .map(|run| run.outcome)
            .collect();
        assert_eq!(outcomes, ["valid", "ended", "valid", "ended"]);
        fs::write(&program, "#!/bin/sh\necho no such option >&2; exit 2\n").unwrap();
        assert!(
            run(&program, &texts)
                .unwrap_err()
                .to_string()
                .contains("no such option")
        );
    }
}
