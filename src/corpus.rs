//! Which grammar a directory of parameters was written with, whether it holds parameters at all, and how texts become some.
//!
//! An empty file `.zester-grammar-FINGERPRINT` in a corpus says so. libFuzzer passes over empty files, and copies and archives
//! keep them. What holds: a corpus that another grammar wrote is noticed, and never changed. Not promised: that a corpus
//! without the file was written with this grammar; it is taken to be.

pub mod seeds;

use std::path::{Path, PathBuf};

use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parse::Parser;

/// How the name of the file begins; the fingerprint follows, in hexadecimal.
const MARK: &str = ".zester-grammar-";

/// A corpus of another grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The file that says so.
    pub mark: PathBuf,
}

impl std::fmt::Display for Stale {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mark, directory) = (self.mark.display(), self.mark.parent().unwrap_or(Path::new(".")).display());
        write!(
            formatter,
            "{directory}: this corpus was written with another grammar, or another state of it: its files mean other sentences \
             now.\n  To read them, `zester decode` with the old grammar. To begin anew, take another directory.\n  To go on with \
             what they mean now, remove {mark}"
        )
    }
}

/// Whether a directory was written with another grammar; [`None`] also for what is no directory.
pub fn stale(directory: &Path, grammar: &Grammar) -> Option<Stale> {
    let marks = marks(directory);
    let own = name(grammar);
    let other = marks.iter().find(|mark| mark.file_name().is_some_and(|name| name != own.as_str()));
    other.map(|mark| Stale { mark: mark.clone() })
}

/// Says in a directory that this grammar writes it, unless another one did.
///
/// # Errors
/// That the directory cannot be written to.
pub fn mark(directory: &Path, grammar: &Grammar) -> std::io::Result<()> {
    if marks(directory).is_empty() {
        std::fs::write(directory.join(name(grammar)), "")?;
    }
    Ok(())
}

/// Whether a directory says which grammar wrote it.
pub fn is_marked(directory: &Path) -> bool {
    !marks(directory).is_empty()
}

/// Whether a file of a corpus is such a mark.
pub fn is_mark(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(MARK.as_bytes()))
}

/// A corpus of texts where parameters should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    directory: PathBuf,
    texts: usize,
    files: usize,
}

impl std::fmt::Display for Texts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Texts { directory, texts, files } = self;
        let directory = directory.display();
        write!(
            formatter,
            "{directory}: {texts} of the first {files} files are sentences of the grammar, so they are text, it seems; here they \
             are read as parameters, which makes noise of them.\n  To make a corpus of them: `zester encode GRAMMAR {directory} \
             -o CORPUS`"
        )
    }
}

/// Files of a directory that are looked at.
const LOOKED_AT: usize = 16;

/// The least and the most bytes of files that tell whether they are text.
const TELLING: std::ops::RangeInclusive<u64> = 4..=65_536;

/// Whether most files of a directory are sentences instead of parameters; [`None`] also for what is no directory.
pub fn texts(directory: &Path, grammar: &Grammar) -> Option<Texts> {
    let entries = std::fs::read_dir(directory).ok()?.flatten();
    let is_telling = |path: &PathBuf| path.metadata().is_ok_and(|file| file.is_file() && TELLING.contains(&file.len()));
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_telling).take(LOOKED_AT).collect();
    let is_plain = |char: char| !char.is_control() || char.is_ascii_whitespace();
    let read = |path: &PathBuf| std::fs::read_to_string(path).ok().filter(|text| text.chars().all(is_plain));
    let plain: Vec<String> = files.iter().filter_map(read).collect();
    if plain.is_empty() || 2 * plain.len() < files.len() {
        return None;
    }
    let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
    let texts = plain.iter().filter(|text| parser.parse(text.as_bytes(), &mut derivation).is_ok()).count();
    let found = Texts { directory: directory.to_path_buf(), texts, files: files.len() };
    (2 * texts >= files.len()).then_some(found)
}

fn name(grammar: &Grammar) -> String {
    format!("{MARK}{:016x}", grammar.fingerprint())
}

fn marks(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut marks: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_mark(path)).collect();
    marks.sort();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn a_corpus_knows_its_grammar() {
        let read = |source: &str| notation::read("test", source.as_bytes(), &Caps::default()).unwrap().0;
        let (old, new) = (read("a = \"x\" | \"y\" ;"), read("a = \"x\" | \"z\" ;"));
        let directory = std::env::temp_dir().join(format!("zester-corpus-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        assert_eq!(stale(&directory, &old), None);
        mark(&directory, &old).unwrap();
        mark(&directory, &new).unwrap();
        assert_eq!(stale(&directory, &old), None);
        let found = stale(&directory, &new).unwrap();
        assert!(is_mark(&found.mark) && found.to_string().contains("another grammar"));
        assert_eq!(std::fs::metadata(&found.mark).unwrap().len(), 0);
        // A comment or a name changes nothing.
        assert_eq!(stale(&directory, &read("b = \"x\" | \"y\" ; // why")), None);
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(stale(&directory, &new), None);
    }

    #[test]
    fn texts_are_no_parameters() {
        let (grammar, _) = notation::read("test", b"a = ( \"let\" | \" \" )* ;", &Caps::default()).unwrap();
        let directory = std::env::temp_dir().join(format!("zester-texts-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, content: &str| std::fs::write(directory.join(name), content).unwrap();
        assert_eq!(texts(&directory, &grammar), None);
        write("1", "\u{3}\u{1}\0\0");
        assert_eq!(texts(&directory, &grammar), None);
        write("2", "let let");
        assert!(texts(&directory, &grammar).unwrap().to_string().contains("1 of the first 2 files are sentences"));
        ["3", "4"].iter().for_each(|name| write(name, "no sentence"));
        assert_eq!(texts(&directory, &grammar), None);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
