//! Records of artifacts. A record is the text that a file of parameters decodes to, with the
//! grammar with which the file was written.
//!
//! The record of the file `DIR/NAME` is the text file `DIR/.zester-text-v2-FINGERPRINT/NAME.txt`.
//! FINGERPRINT is the [fingerprint](Grammar::fingerprint) of the grammar as 16 hexadecimal digits.
//! libFuzzer does not read hidden directories, so it does not read the texts as parameters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::grammar::Grammar;

/// The beginning of the name of a directory of records, before the fingerprint.
const RECORDS: &str = ".zester-text-v2-";

/// Returns the directory of the records of one grammar for the files in `directory`.
pub fn directory(directory: &Path, grammar: &Grammar) -> PathBuf {
    directory.join(format!("{RECORDS}{:016x}", grammar.fingerprint()))
}

/// Returns whether a path is a directory of records.
pub fn is_directory(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(RECORDS.as_bytes()))
}

/// Writes the record of a file of parameters for a grammar. Replaces an earlier record.
///
/// # Errors
/// If the file has no name, or if the record cannot be written.
pub fn write(file: &Path, grammar: &Grammar, text: &[u8]) -> std::io::Result<()> {
    let name = record_name(file).ok_or(std::io::ErrorKind::InvalidInput)?;
    let directory = directory(parent(file), grammar);
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join(name), text)
}

/// Returns the text of the record of a file of parameters for a grammar, if there is one.
pub fn text(file: &Path, grammar: &Grammar) -> Option<Vec<u8>> {
    let name = record_name(file)?;
    std::fs::read(directory(parent(file), grammar).join(name)).ok()
}

/// Removes the record of a file of parameters for a grammar, if there is one.
pub fn remove(file: &Path, grammar: &Grammar) {
    if let Some(name) = record_name(file) {
        let _ = std::fs::remove_file(directory(parent(file), grammar).join(name));
    }
}

/// Returns the path of the record of a file of parameters for another grammar than `grammar`.
/// Returns [`None`] if the file has no record, or if it has a record for `grammar`.
pub fn other_text(file: &Path, grammar: &Grammar) -> Option<PathBuf> {
    other_text_in(&all(parent(file)), file, grammar)
}

/// Does the same as [`other_text`]. `directories` are the directories of records beside the file,
/// which [`all`] returns.
pub fn other_text_in(directories: &[PathBuf], file: &Path, grammar: &Grammar) -> Option<PathBuf> {
    let name = record_name(file)?;
    if directory(parent(file), grammar).join(&name).exists() {
        return None;
    }
    directories
        .iter()
        .map(|directory| directory.join(&name))
        .find(|text| text.exists())
}

/// Returns whether a file has a record for any grammar. For a directory, returns whether it
/// contains a directory of records.
pub fn is_recorded(path: &Path) -> bool {
    if path.is_dir() {
        return !all(path).is_empty();
    }
    is_recorded_in(&all(parent(path)), path)
}

/// As [`is_recorded`] for a file, with the directories of records beside the file, which [`all`] returns.
pub fn is_recorded_in(directories: &[PathBuf], file: &Path) -> bool {
    record_name(file).is_some_and(|name| {
        directories
            .iter()
            .any(|directory| directory.join(&name).exists())
    })
}

/// Returns the directories of records in a directory, in the order of their names.
pub fn all(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| is_directory(path))
        .collect();
    found.sort_unstable();
    found
}

fn record_name(file: &Path) -> Option<OsString> {
    let mut name = file.file_name()?.to_os_string();
    name.push(".txt");
    Some(name)
}

fn parent(file: &Path) -> &Path {
    file.parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn a_file_of_another_grammar_has_a_text() {
        let read = |source: &str| {
            notation::read("test", source.as_bytes(), &Caps::default())
                .unwrap()
                .0
        };
        let (old, new) = (read("a = \"x\" | \"y\" ;"), read("a = \"x\" | \"z\" ;"));
        let temporary = tempfile::tempdir().unwrap();
        let file = temporary.path().join("crash-1");
        assert_eq!(other_text(&file, &new), None);
        write(&file, &old, b"y").unwrap();
        assert_eq!(other_text(&file, &old), None);
        assert_eq!(
            std::fs::read(other_text(&file, &new).unwrap()).unwrap(),
            b"y"
        );
        assert_eq!(other_text(&temporary.path().join("crash-2"), &new), None);
        write(&file, &new, b"z").unwrap();
        assert_eq!(other_text(&file, &new), None);
    }
}
