//! Inputs of a corpus that fail. Every process of libFuzzer would fail when it reads the corpus, so
//! a campaign moves them to a hidden directory in the corpus, which libFuzzer does not read.
//!
//! # Guarantees
//!
//! * Only inputs that libFuzzer reads are moved: no hidden files, and no files in hidden directories.
//! * No input is lost. The next campaign runs the inputs again, for at most 30 seconds, and moves
//!   those back that do not fail any more. If the grammar has changed, it moves all of them back, so
//!   that they are converted with the corpus.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zester::bounds::Caps;
use zester::corpus;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::problem::{Problem, shown};

/// The name of the directory.
const DIRECTORY: &str = ".zester-failing-v1";

/// The maximum time in which inputs are tried again.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Moves all inputs of a corpus with this content away. Returns where they were.
pub fn set_aside(corpus: &Path, content: &[u8]) -> io::Result<Vec<PathBuf>> {
    let found = files_with(corpus, content)?;
    for file in &found {
        move_away(corpus, file)?;
    }
    Ok(found)
}

/// Runs all inputs of a corpus, and moves those that fail away. Returns three numbers: the inputs that
/// ran, all inputs, and the inputs that were moved. Ends after [`MAX_TIME`], or if `is_over`.
pub fn set_all_aside(
    corpus: &Path,
    program: &Path,
    timeout: Duration,
    is_over: &dyn Fn() -> bool,
) -> Result<[usize; 3], Problem> {
    let failed = |error| Problem::with(corpus, error);
    let files = files_where(corpus, |_, _| true).map_err(failed)?;
    let limits = Limits::default().timeout(timeout);
    let mut subject = Subject::start(program, limits).map_err(Problem::new)?;
    let (start, mut ran, mut moved) = (Instant::now(), 0, 0);
    for file in &files {
        if start.elapsed() > MAX_TIME || is_over() {
            break;
        }
        // Another process may remove a file at any time.
        let Ok(bytes) = std::fs::read(file) else {
            continue;
        };
        ran += 1;
        let run = subject.run(Request::Parameters(&bytes));
        if !matches!(run.map_err(Problem::new)?.outcome, Outcome::Finished(_)) {
            move_away(corpus, file).map_err(failed)?;
            moved += 1;
        }
    }
    Ok([ran, files.len(), moved])
}

/// Moves an input of a corpus away.
fn move_away(corpus: &Path, file: &Path) -> io::Result<()> {
    std::fs::create_dir_all(corpus.join(DIRECTORY))?;
    move_to(file, &corpus.join(DIRECTORY))
}

/// Returns the inputs of a corpus with this content.
pub fn files_with(corpus: &Path, content: &[u8]) -> io::Result<Vec<PathBuf>> {
    files_where(corpus, |path, length| {
        length == content.len() as u64 && std::fs::read(path).is_ok_and(|bytes| bytes == content)
    })
}

/// Returns the inputs of a corpus, at any depth, for whose path and length `is_wanted` returns true.
fn files_where(corpus: &Path, is_wanted: impl Fn(&Path, u64) -> bool) -> io::Result<Vec<PathBuf>> {
    let (mut open, mut found) = (vec![corpus.to_owned()], Vec::new());
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // Another process may remove a file at any time.
            let (path, about) = (entry.path(), entry.path().metadata());
            match about {
                Ok(about) if about.is_dir() => open.push(path),
                Ok(about) if about.is_file() && is_wanted(&path, about.len()) => found.push(path),
                _ => (),
            }
        }
    }
    Ok(found)
}

/// Runs the inputs of a corpus that failed in earlier campaigns, and puts those back that do not
/// fail any more. Returns a message, or [`None`] if there are no such inputs. `timeout` is the
/// maximum time of a run.
pub fn put_back(
    corpus: &Path,
    program: &Path,
    timeout: Duration,
) -> Result<Option<String>, Problem> {
    let directory = corpus.join(DIRECTORY);
    let Ok(entries) = std::fs::read_dir(&directory) else {
        return Ok(None);
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut back = 0;
    let is_stale = is_stale(corpus, program);
    let mut subject = match is_stale || files.is_empty() {
        true => None,
        false => {
            let limits = Limits::default().timeout(timeout);
            Some(Subject::start(program, limits).map_err(Problem::new)?)
        }
    };
    let start = Instant::now();
    for file in &files {
        if let Some(subject) = &mut subject {
            if start.elapsed() > MAX_TIME {
                break;
            }
            let run = subject.run(Request::Parameters(&input::parameters(file)?));
            if !matches!(run.map_err(Problem::new)?.outcome, Outcome::Finished(_)) {
                continue;
            }
        }
        move_to(file, corpus).map_err(|error| Problem::with(file, error))?;
        back += 1;
    }
    // The directory stays if it is not empty.
    let _ = std::fs::remove_dir(&directory);
    let all = files.len();
    Ok((all > 0).then(|| match is_stale {
        true => format!(
            "zester: {}: the grammar has changed, so the {all} inputs that failed before are in the corpus again\n",
            shown(corpus)
        ),
        false => {
            let others = match all - back {
                0 => String::new(),
                _ => format!("; the others are in {}", shown(&directory)),
            };
            format!(
                "zester: {}: of {all} inputs that failed before, {back} do not fail any more and are in the corpus again{others}\n",
                shown(corpus)
            )
        }
    }))
}

/// Returns whether the corpus was written with another grammar than that of the target.
fn is_stale(corpus: &Path, program: &Path) -> bool {
    let grammar = FuzzTarget::must_be(program)
        .and_then(|target| target.grammar())
        .and_then(|text| input::parse(program, &text, None, &Caps::default()));
    // A target whose inputs are values of Rust has no grammar.
    grammar.is_ok_and(|(grammar, _)| corpus::stale(corpus, &grammar).is_some())
}

/// Moves a file to a directory. Its name gets a number if the name is taken.
fn move_to(file: &Path, directory: &Path) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number| directory.join(format!("{name}-{number}")));
    let free = std::iter::once(directory.join(&*name))
        .chain(numbered)
        .find(|path| path.symlink_metadata().is_err());
    std::fs::rename(file, free.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inputs_are_set_aside() {
        let work = tempfile::tempdir().unwrap();
        let corpus = work.path();
        std::fs::create_dir_all(corpus.join("deep")).unwrap();
        std::fs::create_dir_all(corpus.join(".hidden")).unwrap();
        for name in [".mark", "a", "deep/a", ".hidden/a"] {
            std::fs::write(corpus.join(name), "").unwrap();
        }
        std::fs::write(corpus.join("b"), "x").unwrap();
        let mut moved = set_aside(corpus, b"").unwrap();
        moved.sort();
        assert_eq!(moved, [corpus.join("a"), corpus.join("deep/a")]);
        let exists = |name: &str| corpus.join(name).exists();
        assert!(exists(".mark") && exists(".hidden/a") && exists("b"));
        assert!(!exists("a") && !exists("deep/a"));
        assert!(exists(".zester-failing-v1/a") && exists(".zester-failing-v1/a-2"));
        assert_eq!(set_aside(corpus, b"y").unwrap(), Vec::<PathBuf>::new());
    }
}
