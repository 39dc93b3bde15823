//! Runs the subject on texts and collects the edges that they hit.
//!
//! The edges are cleared just before each call and read just after it, so that reading files and
//! parsing the command line do not count. The subject runs twice on each text, and the second run
//! counts. By then, the subject has finished its setup for the process, so a text covers the same
//! edges whatever ran before it. Panics are caught without a message; a stack overflow or an
//! endless loop in the subject is not caught.

use crate::edges;
use anyhow::{Context, Result};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::{fs, panic};

/// A subject: accepts a text, or returns the reason for its rejection. A panic is a finding.
pub type Subject = fn(&str) -> Result<(), String>;

/// The outcomes of all texts.
#[derive(Default)]
pub struct Runs {
    /// The number of files that ran.
    pub files: usize,
    /// The number of accepted files.
    pub valid: usize,
    /// The number of files on which the subject panicked.
    pub panics: usize,
    /// The number of files that did not run because they are not UTF-8.
    pub skipped: usize,
    /// The edges that any file hit.
    pub hit: Vec<u8>,
    /// The edges that accepted files hit.
    pub hit_valid: Vec<u8>,
    /// The sum of the sizes of both sets.
    covered: usize,
}

/// Returns the texts of files.
pub fn files(files: &[PathBuf]) -> impl Iterator<Item = Result<Vec<u8>>> {
    files
        .iter()
        .map(|file| fs::read(file).with_context(|| format!("cannot read {}", file.display())))
}

/// Returns the texts of a stream, each ended by a zero byte.
pub fn stream(input: impl BufRead) -> impl Iterator<Item = Result<Vec<u8>>> {
    input
        .split(0)
        .map(|text| text.context("cannot read the standard input"))
}

/// Runs the subject on each text, and calls `each` with its outcome and the hits of each edge. Writes
/// each text that adds an edge to a set to the directory `keep`. Fails if a text cannot be read or written.
pub fn all(
    subject: Subject,
    texts: impl Iterator<Item = Result<Vec<u8>>>,
    keep: Option<&Path>,
    mut each: impl FnMut(&'static str, &[u64]),
) -> Result<Runs> {
    let mut own = vec![0; edges::count()];
    let mut runs = Runs {
        hit: vec![0; edges::count()],
        hit_valid: vec![0; edges::count()],
        ..Default::default()
    };
    panic::set_hook(Box::new(|_| ()));
    for text in texts {
        match String::from_utf8(text?) {
            Ok(text) => {
                let before = runs.covered;
                let outcome = runs.one(subject, &text, &mut own);
                each(outcome, &own);
                if let Some(directory) = keep.filter(|_| runs.covered != before) {
                    // The process ID keeps the files of an earlier process.
                    let name = format!("{}-{:08}", std::process::id(), runs.files);
                    let file = directory.join(name);
                    fs::write(&file, text)
                        .with_context(|| format!("cannot write {}", file.display()))?;
                }
            }
            Err(_) => {
                runs.skipped += 1;
                each("skipped", &[]);
            }
        }
    }
    let _ = panic::take_hook();
    Ok(runs)
}

impl Runs {
    /// Runs the subject on a text and returns the outcome; `own` becomes the number of hits of each
    /// edge.
    fn one(&mut self, subject: Subject, text: &str, own: &mut [u64]) -> &'static str {
        let call = || panic::catch_unwind(|| subject(text));
        let _ = call();
        edges::clear();
        let outcome = call();
        edges::collect(own);
        self.covered += merge(&mut self.hit, own);
        self.files += 1;
        match outcome {
            Ok(Ok(())) => {
                self.covered += merge(&mut self.hit_valid, own);
                self.valid += 1;
                "valid"
            }
            Ok(Err(_)) => "invalid",
            Err(_) => {
                self.panics += 1;
                "panic"
            }
        }
    }
}

/// Adds edges to a set, and returns the number of those that were not in it.
fn merge(into: &mut [u8], own: &[u64]) -> usize {
    let mut added = 0;
    for (into, &own) in into.iter_mut().zip(own) {
        let is_new = own != 0 && *into == 0;
        *into |= u8::from(is_new);
        added += usize::from(is_new);
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted() {
        let directory = std::env::temp_dir().join(format!("coverage-run-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let files: Vec<PathBuf> = [&b"good"[..], b"bad", b"fatal", b"\xFF"]
            .iter()
            .enumerate()
            .map(|(index, bytes)| {
                let file = directory.join(index.to_string());
                fs::write(&file, bytes).unwrap();
                file
            })
            .collect();
        let subject = |text: &str| match text {
            "good" => Ok(()),
            "bad" => Err(String::new()),
            _ => panic!("found"),
        };
        let mut outcomes = Vec::new();
        let texts = stream(&b"good\0bad\0fatal\0\xFF\0"[..]);
        let streamed = all(subject, texts, None, |outcome, _| outcomes.push(outcome)).unwrap();
        assert_eq!(outcomes, ["valid", "invalid", "panic", "skipped"]);
        for runs in [
            all(subject, super::files(&files), None, |_, _| ()).unwrap(),
            streamed,
        ] {
            let figures = (runs.files, runs.valid, runs.panics, runs.skipped);
            assert_eq!(figures, (3, 1, 1, 1));
        }
        fs::remove_dir_all(&directory).unwrap();
        assert!(
            all(subject, super::files(&files), None, |_, _| ()).is_err(),
            "missing files"
        );
    }
    #[test]
    fn edges_that_are_new_are_counted() {
        let mut set = [0, 1, 0];
        assert_eq!(merge(&mut set, &[2, 2, 0]), 1);
        assert_eq!(merge(&mut set, &[2, 2, 0]), 0);
        assert_eq!(set, [1, 1, 0]);
    }
}
