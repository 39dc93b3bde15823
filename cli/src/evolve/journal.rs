//! The journal of `zester evolve`: the observation of each input that was run.
//!
//! If the command is killed, the next command makes the same inputs again. It takes the recorded
//! observations from the journal, and runs only the later inputs.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fixedbitset::FixedBitSet;
use serde_json::{Value, json};

use super::observer::Observation;
use crate::problem::Problem;

/// The version of the format.
const VERSION: u64 = 2;

/// A journal. The first line is a JSON object with the settings. Each further line is a JSON object
/// for a run.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The runs of earlier commands that have not been taken, in reverse order.
    earlier: Vec<Value>,
}

impl Journal {
    /// Opens a journal, or makes it. `settings` are the settings that must not change.
    ///
    /// # Errors
    /// If it was made with other settings or by another version, or if the file is not a journal.
    pub fn open(path: &Path, settings: &Value) -> Result<Journal, Problem> {
        let problem = |error: std::io::Error| Problem::with(path, error);
        let header = json!({ "version": VERSION, "settings": settings });
        let mut earlier = match File::open(path) {
            Ok(file) => lines(file).map_err(problem)?,
            Err(error) if error.kind() == ErrorKind::NotFound => (Vec::new(), 0),
            Err(error) => return Err(problem(error)),
        };
        if let Some(found) = earlier.0.first().filter(|found| **found != header) {
            let why = format!(
                "made with other settings ({found} instead of {header}); name another directory"
            );
            return Err(Problem::with(path, why));
        }
        // A killed command may leave an incomplete first line, which is replaced. A file with any
        // other text is not a journal.
        let is_journal = !earlier.0.is_empty()
            || std::fs::read(path).map_or(true, |text| {
                format!("{header}\n").as_bytes().starts_with(&text)
            });
        if !is_journal {
            return Err(Problem::with(
                path,
                "is no journal of zester; move it, or name another directory",
            ));
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(problem)?;
        // The incomplete last line of a killed command is removed.
        file.set_len(earlier.1).map_err(problem)?;
        let is_new = earlier.0.is_empty();
        earlier.0.reverse();
        earlier.0.pop();
        let mut journal = Journal {
            path: path.into(),
            file,
            earlier: earlier.0,
        };
        if is_new {
            journal.write(&header)?;
        }
        Ok(journal)
    }

    /// Returns the number of runs that earlier commands have recorded and that have not been taken.
    pub fn earlier(&self) -> usize {
        self.earlier.len()
    }

    /// Takes the next run of earlier commands. Returns [`None`] if all are taken. `functions` is
    /// the number of functions of the program.
    ///
    /// # Errors
    /// If the run was of another input, or if its line is not in the format.
    pub fn take(&mut self, input: &[u8], functions: usize) -> Result<Option<Observation>, Problem> {
        let Some(line) = self.earlier.pop() else {
            return Ok(None);
        };
        let observation = read(&line, functions).filter(|_| line["input"] == hash(input));
        match observation {
            Some(observation) => Ok(Some(observation)),
            None => {
                let why = "has runs of other inputs, perhaps of another program or other samples; remove it or name another directory";
                Err(Problem::with(&self.path, why))
            }
        }
    }

    /// Records a run.
    pub fn add(&mut self, input: &[u8], run: &Observation) -> Result<(), Problem> {
        let functions: Vec<usize> = run.functions.ones().collect();
        self.write(&json!({
            "input": hash(input),
            "outcome": run.outcome,
            "exception": run.exception,
            "nanoseconds": run.time.as_nanos() as u64,
            "functions": functions,
        }))
    }

    fn write(&mut self, line: &Value) -> Result<(), Problem> {
        self.file
            .write_all(format!("{line}\n").as_bytes())
            .map_err(|error| Problem::with(&self.path, error))
    }
}

/// Returns the complete lines of a journal, up to the first that is not JSON, and their length in
/// bytes.
fn lines(file: File) -> std::io::Result<(Vec<Value>, u64)> {
    let (mut reader, mut all, mut length) = (BufReader::new(file), Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        let read = reader.read_until(b'\n', &mut line)?;
        let Some(value) = line
            .ends_with(b"\n")
            .then(|| serde_json::from_slice(&line).ok())
            .flatten()
        else {
            return Ok((all, length));
        };
        all.push(value);
        length += read as u64;
    }
}

/// Reads the observation in a line.
fn read(line: &Value, functions: usize) -> Option<Observation> {
    let mut reached = FixedBitSet::with_capacity(functions);
    for function in line["functions"].as_array()? {
        let function = function.as_u64()? as usize;
        if function >= functions {
            return None;
        }
        reached.insert(function);
    }
    Some(Observation {
        outcome: line["outcome"].as_str()?.into(),
        exception: line["exception"].as_str().map(String::from),
        time: Duration::from_nanos(line["nanoseconds"].as_u64()?),
        functions: reached,
    })
}

/// Returns the CRC-32 of an input.
fn hash(input: &[u8]) -> u32 {
    rawzip::crc32(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(functions: &[usize]) -> Observation {
        let mut reached = FixedBitSet::with_capacity(9);
        functions
            .iter()
            .for_each(|&function| reached.insert(function));
        Observation {
            outcome: "crash".into(),
            exception: Some("panic at x.rs:1".into()),
            time: Duration::from_nanos(1234),
            functions: reached,
        }
    }

    #[test]
    fn an_interrupted_run_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.jsonl");
        let settings = json!({ "seed": 1 });
        let open = |settings: &Value| Journal::open(&path, settings);
        let mut journal = open(&settings).ok().unwrap();
        journal.add(b"one", &observation(&[1, 8])).ok().unwrap();
        journal.add(b"two", &observation(&[])).ok().unwrap();
        drop(journal);
        // A part of a line, as a killed command leaves it.
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut journal = open(&settings).ok().unwrap();
        assert_eq!(journal.earlier(), 1);
        assert_eq!(
            journal.take(b"one", 9).ok().unwrap(),
            Some(observation(&[1, 8]))
        );
        assert_eq!(journal.take(b"two", 9).ok().unwrap(), None);
        journal.add(b"two", &observation(&[2])).ok().unwrap();
        drop(journal);
        let mut journal = open(&settings).ok().unwrap();
        assert_eq!(journal.earlier(), 2);
        assert!(journal.take(b"another", 9).is_err());
        assert!(
            journal.take(b"two", 1).is_err(),
            "a function beyond their number"
        );
        std::fs::write(&path, "my journal\n").unwrap();
        assert!(
            open(&settings)
                .err()
                .unwrap()
                .message()
                .contains("no journal of zester")
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"my journal\n");
        std::fs::remove_file(&path).unwrap();
        drop(open(&settings));
        assert!(
            open(&json!({ "seed": 2 }))
                .err()
                .unwrap()
                .message()
                .contains("other settings")
        );
    }
}
