//! Which grammar a directory of parameters was written with.
//!
//! An empty file `.zester-grammar-FINGERPRINT` in a corpus says so. libFuzzer passes over empty files, and copies and archives
//! keep them. What holds: a corpus that another grammar wrote is noticed, and never changed. Not promised: that a corpus
//! without the file was written with this grammar; it is taken to be.

use std::path::{Path, PathBuf};

use crate::grammar::Grammar;

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

/// Whether a file of a corpus is such a mark.
pub fn is_mark(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(MARK.as_bytes()))
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
}
