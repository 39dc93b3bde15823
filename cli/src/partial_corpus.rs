//! An unfinished corpus, and the names of its files.
//!
//! It is a directory next to the path of the corpus. When it is complete, it is moved to that path,
//! or its files are added to an existing corpus. If the command fails or a signal ends it, the
//! directory is removed.

use std::collections::BTreeSet;
use std::iter::once;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use zester::corpus;
use zester::grammar::Grammar;

use crate::interrupt::OnInterrupt;
use crate::output::{self, Found};
use crate::problem::Problem;

/// The maximum length of a file name in bytes on common file systems.
const MAX_NAME: usize = 255;

/// An unfinished corpus.
pub struct PartialCorpus {
    directory: TempDir,
    names: BTreeSet<String>,
    _remove: OnInterrupt,
}

impl PartialCorpus {
    /// Makes the directory. `corpus` is the path of the finished corpus.
    pub fn new(corpus: &Path) -> Result<PartialCorpus, Problem> {
        if corpus.exists() && !corpus.is_dir() {
            return Err(Problem::with(
                corpus,
                "is there already, and is no directory",
            ));
        }
        if corpus == Path::new("-") {
            return Err(Problem::with(corpus, output::IS_OUTPUT));
        }
        let path = output::with_suffix(corpus, "").map_err(|error| Problem::with(corpus, error))?;
        if let Some(parent) = path.parent().filter(|parent| *parent != Path::new("")) {
            output::make_directory(parent)?;
        }
        let (directory, _remove) =
            output::directory_beside(&path).map_err(|error| Problem::with(corpus, error))?;
        Ok(PartialCorpus {
            directory,
            names: BTreeSet::new(),
            _remove,
        })
    }

    /// Adds a file. If the name is taken or is not possible, the file gets a similar name. Returns
    /// the name of the file.
    pub fn add(&mut self, wanted: &str, bytes: &[u8]) -> Result<String, Problem> {
        let mut name = self.unused(&plain(wanted));
        let path = self.directory.path().join(&name);
        if let Err(error) = std::fs::write(&path, bytes) {
            // This file system may allow only shorter names.
            name = self.unused(&format!("text-{}", self.names.len() + 1));
            std::fs::write(self.directory.path().join(&name), bytes)
                .map_err(|_| Problem::with(&path, error))?;
        }
        self.names.insert(name.clone());
        Ok(name)
    }

    /// Returns a name, with a number if it is taken.
    fn unused(&self, name: &str) -> String {
        let mut names = once(name.to_string()).chain((2..).map(|number| numbered(name, number)));
        names
            .find(|name| !self.names.contains(name))
            .expect("there are more numbers than names")
    }

    /// Moves the directory to the path of the corpus. If there is a corpus, copies the files to it.
    /// If that fails, the files that were added are removed.
    pub fn finish(self, grammar: &Grammar, corpus: &Path) -> Result<(), Problem> {
        let problem = |error| Problem::with(corpus, error);
        if !corpus.exists() {
            corpus::mark(self.directory.path(), grammar).map_err(problem)?;
            let path = output::with_suffix(corpus, "").map_err(problem)?;
            std::fs::rename(self.directory.path(), path).map_err(problem)?;
            // The directory has been moved, so that nothing is to be removed.
            let _ = self.directory.keep();
            return Ok(());
        }
        let mut added = Vec::new();
        let result = self.names.iter().try_for_each(|name| {
            let bytes = std::fs::read(self.directory.path().join(name)).map_err(problem)?;
            added.extend(add_to(corpus, name, &bytes)?);
            Ok(())
        });
        if result.is_err() {
            added
                .iter()
                .for_each(|path| drop(std::fs::remove_file(path)));
            return result;
        }
        corpus::mark(corpus, grammar).map_err(problem)
    }
}

/// Writes a file to an existing corpus. If the corpus has another file of this name, a number is
/// added to the name. Returns the path, or [`None`] if the corpus has a file with this name and
/// content.
fn add_to(corpus: &Path, name: &str, bytes: &[u8]) -> Result<Option<PathBuf>, Problem> {
    let names = once(name.to_string()).chain((2..).map(|number| numbered(name, number)));
    for path in names.map(|name| corpus.join(name)) {
        match output::examine(&path, bytes).map_err(|error| Problem::with(&path, error))? {
            Found::Nothing => {
                output::create(&path, bytes).map_err(|error| Problem::with(&path, error))?;
                return Ok(Some(path));
            }
            Found::Same => return Ok(None),
            Found::Other | Found::NoFile(_) => {}
        }
    }
    Ok(None)
}

/// Returns a name that a file of a corpus can have. Slashes, backslashes, control characters and
/// bytes that are not UTF-8 are replaced, long names are cut, and the name of a marker gets a prefix.
fn plain(name: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '/' | '\\' | char::REPLACEMENT_CHARACTER);
    let name: String = name
        .chars()
        .map(|c| if is_odd(c) { '_' } else { c })
        .collect();
    match cut(&name, MAX_NAME) {
        "" | "." | ".." => "unnamed".into(),
        name if corpus::is_mark(name.as_ref()) => format!("_{}", cut(name, MAX_NAME - 1)),
        name => name.into(),
    }
}

/// Returns a name with a number at its end, cut so that it is not too long.
fn numbered(name: &str, number: usize) -> String {
    let suffix = format!("-{number}");
    format!("{}{suffix}", cut(name, MAX_NAME - suffix.len()))
}

/// Returns the first characters of a text, in at most `bytes` bytes.
fn cut(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use zester::bounds::Caps;

    use super::*;

    #[test]
    fn names_that_cannot_be_written_are_replaced() {
        let work = tempfile::tempdir().unwrap();
        let mut corpus = PartialCorpus::new(&work.path().join("corpus")).unwrap();
        corpus.add("text-2", b"1").unwrap();
        // A directory makes its name impossible.
        std::fs::create_dir(corpus.directory.path().join("a")).unwrap();
        let name = corpus.add("a", b"2").unwrap();
        let old = work.path().join("old");
        std::fs::create_dir(&old).unwrap();
        let (grammar, _) = zester::notation::read("g", b"s = \"a\" ;", &Caps::default()).unwrap();
        corpus.finish(&grammar, &old).unwrap();
        assert_eq!(std::fs::read(old.join("text-2")).unwrap(), b"1");
        assert_eq!(std::fs::read(old.join(name)).unwrap(), b"2");
    }

    #[test]
    fn odd_names_become_plain_ones() {
        let long = "ä".repeat(200);
        assert_eq!(plain(&long), "ä".repeat(127));
        assert_eq!(numbered(&plain(&long), 12), "ä".repeat(126) + "-12");
        for (name, expected) in [
            ("a\0b", "a_b"),
            ("a/b", "a_b"),
            ("", "unnamed"),
            ("..", "unnamed"),
            ("a\u{FFFD}", "a_"),
            ("a b", "a b"),
        ] {
            assert_eq!(plain(name), expected, "{name:?}");
        }
    }
}
