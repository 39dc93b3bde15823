//! The file of known failures of a target: finds the entry of a fault, and adds entries.
//!
//! `zester triage --accept` adds entries, and never changes what is there. The library reads the file
//! ([`zester::known`]).

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::json;
use zester::grammar::Grammar;
use zester::known::{self, FaultIdentity, KnownFailure};
use zester::shape::FailureShape;

use crate::fault::Fault;
use crate::output;
use crate::problem::{Problem, shown};

/// The beginning of a new file.
const HEAD: &str = "\
# Failures that are known, and neither reported nor a reason for the exit status 1.
#
# `zester triage --known FILE --accept` adds entries. An entry can have `link = \"…\"`, and
# `expires = 2027-01-31`, the last day on which it counts. `text` is a sentence with the fault:
# when the target does not fail on it any more, `zester run --known FILE` ends with status 1.
version = 1
";

/// The maximum length of a sentence in an entry in bytes.
const MAX_TEXT: usize = 4096;

/// Returns a new entry without a reason. `text` is a sentence that shows the fault; one that is not
/// UTF-8, or that is long, is left out. `shape` is that of a disagreement.
pub fn new_entry(fault: &Fault, text: Option<&[u8]>, shape: Option<FailureShape>) -> KnownFailure {
    let text = text.filter(|text| text.len() <= MAX_TEXT);
    KnownFailure {
        text: text.and_then(|text| String::from_utf8(text.into()).ok()),
        shape: shape.filter(|_| fault.comparison().is_some()),
        fault: fault.identity(),
        ..KnownFailure::default()
    }
}

/// Returns an entry in TOML.
fn toml(entry: &KnownFailure) -> String {
    let FaultIdentity {
        kind,
        functions,
        file,
        origin,
        message,
        line,
    } = &entry.fault;
    let mut text = format!("\n[[failure]]\nreason = {}\n", quoted(&entry.reason));
    if let Some(sentence) = &entry.text {
        let _ = writeln!(text, "text = {}", quoted(sentence));
    }
    if let Some(shape) = &entry.shape {
        let _ = writeln!(text, "shape = {}", quoted(&shape.shape.to_string()));
        if let Some(cause) = &shape.cause {
            let _ = writeln!(text, "cause = {}", quoted(&cause.to_string()));
        }
    }
    let _ = writeln!(text, "[failure.fault]\nkind = {}", quoted(kind));
    if !functions.is_empty() {
        let functions: Vec<String> = functions.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(text, "functions = [{}]", functions.join(", "));
    }
    for (name, value) in [("file", file), ("origin", origin), ("message", message)] {
        if let Some(value) = value {
            let _ = writeln!(text, "{name} = {}", quoted(value));
        }
    }
    if let Some(line) = line {
        let _ = writeln!(text, "line = {line}");
    }
    text
}

/// Returns a string of TOML: the escapes of JSON mean the same there.
fn quoted(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Returns whether `fault` is the fault of an entry. If the entry has a shape, any disagreement of the
/// same comparison counts as the fault, because the kind of difference depends on how values are
/// printed.
pub fn still_fails(entry: &KnownFailure, fault: &Fault) -> bool {
    let identity = fault.identity();
    entry.fault.is_exactly(&identity) || entry.shape.is_some() && is_of_comparison(entry, &identity)
}

/// Returns whether an entry and a fault are disagreements of one comparison.
fn is_of_comparison(entry: &KnownFailure, fault: &FaultIdentity) -> bool {
    fault.comparison().is_some() && fault.comparison() == entry.fault.comparison()
}

/// The known failures of a target.
#[derive(Clone, Debug)]
pub struct KnownFailures {
    path: PathBuf,
    pub entries: Vec<KnownFailure>,
}

impl KnownFailures {
    /// Reads a file. Warns of entries that have expired, which are left out, and of those without a
    /// reason. If `may_be_missing`, a missing file counts as a file without entries.
    ///
    /// # Errors
    /// If the file cannot be read. The message has the line of a mistake in TOML, and otherwise the
    /// number of the entry.
    pub fn read(path: &Path, may_be_missing: bool) -> Result<KnownFailures, Problem> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if may_be_missing && error.kind() == ErrorKind::NotFound => {
                String::from("version = 1")
            }
            text => text.map_err(|error| Problem::with(path, error))?,
        };
        let read = known::read(&text).map_err(|error| Problem::with(path, error));
        let (entries, warnings) = read?;
        for warning in warnings {
            eprintln!("zester: warning: {}: {warning}", shown(path));
        }
        Ok(KnownFailures {
            path: path.into(),
            entries,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> String {
        shown(&self.path)
    }

    /// Returns the index of the entry of a fault. `sentence` is the reduced sentence, by which
    /// disagreements are told apart.
    pub fn find(&self, fault: &Fault, sentence: Option<(&Grammar, &[u8])>) -> Option<usize> {
        let identity = fault.identity();
        let mut entries = self.entries.iter();
        entries.position(|entry| match (&entry.shape, sentence) {
            (Some(shape), Some((grammar, text))) => {
                is_of_comparison(entry, &identity) && shape.covers(grammar, text)
            }
            _ => entry.fault.is_exactly(&identity),
        })
    }

    /// Returns the entry of a fault, as [`find`](KnownFailures::find) does.
    pub fn entry(
        &self,
        fault: &Fault,
        sentence: Option<(&Grammar, &[u8])>,
    ) -> Option<&KnownFailure> {
        self.find(fault, sentence).map(|at| &self.entries[at])
    }

    /// Returns whether an entry has a shape for disagreements of the comparison of a fault.
    pub fn has_shape_for(&self, fault: &Fault) -> bool {
        let identity = fault.identity();
        let mut entries = self.entries.iter();
        entries.any(|entry| entry.shape.is_some() && is_of_comparison(entry, &identity))
    }

    /// Appends entries to the file, which is made if it is missing. The file is replaced as a whole,
    /// so it is complete at any time.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn append(&self, entries: &[KnownFailure]) -> Result<(), Problem> {
        let new: String = entries.iter().map(toml).collect();
        let written = match std::fs::read_to_string(&self.path) {
            // A symbolic link stays, and the file that it names is replaced.
            Ok(old) => std::fs::canonicalize(&self.path)
                .and_then(|path| output::replace(&path, format!("{old}{new}").as_bytes())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let directory = self.path.parent().filter(|path| *path != Path::new(""));
                directory
                    .map_or(Ok(()), std::fs::create_dir_all)
                    .and_then(|()| output::create(&self.path, format!("{HEAD}{new}").as_bytes()))
            }
            Err(error) => Err(error),
        };
        written.map_err(|error| Problem::with(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use zester::subject::{Outcome, StackFrame};

    use super::*;
    use crate::fault::FaultLocation;

    /// Returns a fault at a location, such as `src/a.rs:3:5`.
    fn fault_at(location: &str) -> Fault {
        let mut fault = Fault::of(&Outcome::TimeOut, "", Vec::new(), b"").unwrap();
        fault.location = FaultLocation::Frame(StackFrame::at("a::parse", location));
        fault
    }

    #[test]
    fn entries_that_were_added_are_found_again() {
        let work = tempfile::tempdir().unwrap();
        let path = work.path().join("known/a.toml");
        let (one, moved, other) = (
            fault_at("src/a.rs:3:5"),
            fault_at("/build/src/a.rs:4:5"),
            fault_at("src/b.rs:3:5"),
        );
        assert!(KnownFailures::read(&path, false).is_err());
        let known = KnownFailures::read(&path, true).unwrap();
        known
            .append(&[new_entry(&one, Some(b"a\n\"\\\x01b"), None)])
            .unwrap();
        let known = KnownFailures::read(&path, false).unwrap();
        assert_eq!(known.entries[0].text.as_deref(), Some("a\n\"\\\x01b"));
        assert_eq!(
            (
                known.find(&one, None),
                known.find(&moved, None),
                known.find(&other, None)
            ),
            (Some(0), Some(0), None)
        );
        // What people wrote stays.
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(
            &path,
            text.replace("reason = \"\"", "reason = \"old\" # why"),
        )
        .unwrap();
        known
            .append(&[new_entry(&other, Some(b"\xff"), None)])
            .unwrap();
        let known = KnownFailures::read(&path, false).unwrap();
        assert_eq!(
            (known.find(&one, None), known.find(&other, None)),
            (Some(0), Some(1))
        );
        assert_eq!(known.entry(&one, None).unwrap().why(), "old");
        assert_eq!(known.entries[1].text, None);
        assert!(std::fs::read_to_string(&path).unwrap().contains("# why"));
    }

    #[test]
    fn a_link_to_the_file_stays() {
        let work = tempfile::tempdir().unwrap();
        let [file, link] = ["shared.toml", "k.toml"].map(|name| work.path().join(name));
        std::fs::write(&file, HEAD).unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("shared.toml", &link).unwrap();
        let known = KnownFailures::read(&link, false).unwrap();
        let fault = fault_at("src/a.rs:3:5");
        known.append(&[new_entry(&fault, None, None)]).unwrap();
        assert!(link.is_symlink());
        let known = KnownFailures::read(&file, false).unwrap();
        assert_eq!(known.find(&fault, None), Some(0));
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
