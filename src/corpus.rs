//! Corpora: directories with files of parameters. A marker file in a corpus names the grammar with
//! which the corpus was written.
//!
//! The marker is an empty file `.zester-grammar-v2-FINGERPRINT`, with the
//! [fingerprint](Grammar::fingerprint) of the grammar as 16 hexadecimal digits. libFuzzer ignores
//! empty files. A copy or an archive of a corpus contains the marker.
//!
//! # Guarantees
//!
//! * [`stale`] recognises a corpus with the marker of another grammar.
//! * No function changes or deletes a file of a corpus with the marker of another grammar.
//!   [`conversion::convert`] moves the files to another directory.
//!
//! # Not guaranteed
//!
//! A corpus without a marker may have been written with another grammar. zester assumes that it was
//! written with this one.

pub mod conversion;
pub mod records;
pub mod seeds;

use std::path::{Path, PathBuf};

use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parse::Parser;

/// Returns the path of the file with the words of a corpus. For the corpus `fuzz/json`, it is
/// `fuzz/json.words`. Returns [`None`] for a path without a name, such as `/`.
pub fn words_file(corpus: &Path) -> Option<PathBuf> {
    let mut name = corpus.file_name()?.to_os_string();
    name.push(".words");
    Some(corpus.with_file_name(name))
}

/// The beginning of the name of a marker, before the fingerprint.
const MARK: &str = ".zester-grammar-v2-";

/// A corpus that was written with another grammar. Its `Display` is a warning for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The marker of the other grammar.
    pub mark: PathBuf,
}

impl std::fmt::Display for Stale {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mark, directory) = (
            self.mark.display(),
            self.mark.parent().unwrap_or(Path::new(".")).display(),
        );
        write!(
            formatter,
            "{directory}: this corpus was written with another grammar, or another version of it: its files decode to other \
             sentences now.\n  To keep the sentences, run `zester convert OLD_GRAMMAR NEW_GRAMMAR {directory} -o NEW_CORPUS`.\n  \
             To start again, use another directory.\n  To use the files as they are, remove {mark}"
        )
    }
}

/// Returns the first marker in a directory that is not the marker of `grammar`. Returns [`None`] if
/// there is no such marker, or no such directory.
pub fn stale(directory: &Path, grammar: &Grammar) -> Option<Stale> {
    let own = name(grammar);
    let is_other = |mark: &PathBuf| mark.file_name().is_some_and(|name| name != own.as_str());
    let mark = marks(directory).into_iter().find(is_other)?;
    Some(Stale { mark })
}

/// Writes the marker of a grammar to a directory, unless the directory has a marker.
///
/// # Errors
/// If the directory cannot be written to.
pub fn mark(directory: &Path, grammar: &Grammar) -> std::io::Result<()> {
    if marks(directory).is_empty() {
        std::fs::write(directory.join(name(grammar)), "")?;
    }
    Ok(())
}

/// Whether a directory has a marker of any grammar.
pub fn is_marked(directory: &Path) -> bool {
    !marks(directory).is_empty()
}

/// Whether a file is the marker of a grammar.
pub fn is_mark(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(MARK.as_bytes()))
}

/// A directory of texts that is used as a corpus of parameters by mistake. Its `Display` is a
/// warning for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    directory: PathBuf,
    texts: usize,
    files: usize,
}

impl std::fmt::Display for Texts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Texts {
            directory,
            texts,
            files,
        } = self;
        let directory = directory.display();
        write!(
            formatter,
            "{directory}: files that are sentences of the grammar: {texts} of {files} examined. This directory seems to contain texts, but \
             its files are read as parameters, which decode to other sentences.\n  To make a corpus of the texts, run `zester \
             encode GRAMMAR {directory} -o CORPUS`"
        )
    }
}

/// The maximum number of files of a directory that are read to find out whether they are texts.
const SAMPLE: usize = 16;

/// The sizes in bytes of the files that are read. A shorter file may be a sentence by chance.
/// Parsing a longer file takes too much time.
const SAMPLE_SIZES: std::ops::RangeInclusive<u64> = 4..=65_536;

/// Parses up to 16 files of a directory as sentences of the grammar. Returns [`None`] if fewer than
/// half of them are sentences, if all files are too short or too long, or if there is no such
/// directory.
pub fn texts(directory: &Path, grammar: &Grammar) -> Option<Texts> {
    let entries = std::fs::read_dir(directory).ok()?.flatten();
    let plain = Plain::of(entries.map(|entry| entry.path()))?;
    let texts = plain.sentences(grammar)?;
    Some(Texts {
        directory: directory.to_path_buf(),
        texts,
        files: plain.files,
    })
}

/// The printable UTF-8 texts among up to 16 files. They are at least half of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    texts: Vec<String>,
    /// The number of files that were read.
    pub files: usize,
}

impl Plain {
    /// Reads the first 16 files that have from 4 to 65,536 bytes. Returns [`None`] if there is no
    /// such file, or if fewer than half of them are printable texts.
    pub fn of(files: impl Iterator<Item = PathBuf>) -> Option<Plain> {
        let is_sample = |path: &PathBuf| {
            path.metadata()
                .is_ok_and(|file| file.is_file() && SAMPLE_SIZES.contains(&file.len()))
        };
        let files: Vec<PathBuf> = files.filter(is_sample).take(SAMPLE).collect();
        let is_plain = |char: char| !char.is_control() || char.is_ascii_whitespace();
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .ok()
                .filter(|text| text.chars().all(is_plain))
        };
        let texts: Vec<String> = files.iter().filter_map(read).collect();
        (!texts.is_empty() && 2 * texts.len() >= files.len()).then_some(Plain {
            texts,
            files: files.len(),
        })
    }

    /// Returns how many of the files are sentences of the grammar. Returns [`None`] if fewer than
    /// half of the files are.
    pub fn sentences(&self, grammar: &Grammar) -> Option<usize> {
        let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
        let count = self
            .texts
            .iter()
            .filter(|text| parser.parse_into(text.as_bytes(), &mut derivation).is_ok())
            .count();
        (2 * count >= self.files).then_some(count)
    }
}

fn name(grammar: &Grammar) -> String {
    format!("{MARK}{:016x}", grammar.fingerprint())
}

/// All markers in a directory, in the order of their names.
fn marks(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut marks: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| is_mark(path))
        .collect();
    marks.sort_unstable();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn a_corpus_of_another_grammar_is_stale() {
        let read = |source: &str| {
            notation::read("test", source.as_bytes(), &Caps::default())
                .unwrap()
                .0
        };
        let (old, new) = (read("a = \"x\" | \"y\" ;"), read("a = \"x\" | \"z\" ;"));
        let temporary = tempfile::tempdir().unwrap();
        let directory = temporary.path();
        assert_eq!(stale(directory, &old), None);
        mark(directory, &old).unwrap();
        mark(directory, &new).unwrap();
        assert_eq!(stale(directory, &old), None);
        let found = stale(directory, &new).unwrap();
        assert!(is_mark(&found.mark) && found.to_string().contains("another grammar"));
        assert_eq!(std::fs::metadata(&found.mark).unwrap().len(), 0);
        // The fingerprint does not depend on comments and names of rules.
        assert_eq!(stale(directory, &read("b = \"x\" | \"y\" ; // why")), None);
        assert_eq!(stale(&directory.join("missing"), &new), None);
    }

    #[test]
    fn a_directory_of_texts_is_recognised() {
        let (grammar, _) =
            notation::read("test", b"a = ( \"let\" | \" \" )* ;", &Caps::default()).unwrap();
        let temporary = tempfile::tempdir().unwrap();
        let directory = temporary.path();
        let write =
            |name: &str, content: &str| std::fs::write(directory.join(name), content).unwrap();
        assert_eq!(texts(directory, &grammar), None);
        write("1", "\u{3}\u{1}\0\0");
        assert_eq!(texts(directory, &grammar), None);
        write("2", "let let");
        assert!(
            texts(directory, &grammar)
                .unwrap()
                .to_string()
                .contains("sentences of the grammar: 1 of 2 examined")
        );
        ["3", "4"]
            .iter()
            .for_each(|name| write(name, "no sentence"));
        assert_eq!(texts(directory, &grammar), None);
    }
}
