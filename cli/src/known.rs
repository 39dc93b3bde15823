//! The file of known failures of a target: faults that people have looked at and that nobody mends
//! today.
//!
//! The file is TOML, for people to review and to commit. `zester triage --accept` adds entries, and
//! never changes what is there. An entry identifies its fault as a [`FaultIdentity`], so that it
//! holds for later builds of the program.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use toml::{Table, Value};

use crate::date::utc;
use crate::fault::{Fault, FaultIdentity};
use crate::output;
use crate::problem::{Problem, shown};

/// The version of the format.
const VERSION: i64 = 1;

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

/// A known failure.
#[derive(Clone, Debug)]
pub struct KnownFailure {
    /// The number of the entry in the file, from 1.
    number: usize,
    /// Why the failure is accepted.
    reason: String,
    link: Option<String>,
    /// The last day on which the entry counts, such as `2027-01-31`.
    expires: Option<String>,
    /// A sentence that shows the fault.
    pub text: Option<String>,
    pub fault: FaultIdentity,
}

impl KnownFailure {
    /// Returns a new entry without a reason. `text` is a sentence that shows the fault; one that is not
    /// UTF-8, or that is long, is left out.
    pub fn new(fault: &Fault, text: Option<&[u8]>) -> KnownFailure {
        let text = text.filter(|text| text.len() <= MAX_TEXT);
        KnownFailure {
            number: 0,
            reason: String::new(),
            link: None,
            expires: None,
            text: text.and_then(|text| String::from_utf8(text.into()).ok()),
            fault: fault.identity(),
        }
    }

    /// Returns the reason and the link in one line.
    pub fn why(&self) -> String {
        let reason = match self.reason.trim() {
            "" => "no reason given",
            reason => reason,
        };
        match &self.link {
            Some(link) => format!("{reason}, {link}"),
            None => reason.into(),
        }
    }

    /// Returns the number and the fault of the entry.
    pub fn name(&self) -> String {
        format!("entry {}, {}", self.number, self.fault)
    }

    /// Returns the entry in TOML.
    fn toml(&self) -> String {
        let FaultIdentity {
            kind,
            functions,
            file,
            origin,
            message,
            line,
        } = &self.fault;
        let mut entry = format!("\n[[failure]]\nreason = {}\n", quoted(&self.reason));
        if let Some(text) = &self.text {
            let _ = writeln!(entry, "text = {}", quoted(text));
        }
        let _ = writeln!(entry, "[failure.fault]\nkind = {}", quoted(kind));
        if !functions.is_empty() {
            let functions: Vec<String> = functions.iter().map(|name| quoted(name)).collect();
            let _ = writeln!(entry, "functions = [{}]", functions.join(", "));
        }
        for (name, value) in [("file", file), ("origin", origin), ("message", message)] {
            if let Some(value) = value {
                let _ = writeln!(entry, "{name} = {}", quoted(value));
            }
        }
        if let Some(line) = line {
            let _ = writeln!(entry, "line = {line}");
        }
        entry
    }
}

/// Returns a string of TOML: the escapes of JSON mean the same there.
fn quoted(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

/// The known failures of a target.
#[derive(Clone, Debug)]
pub struct KnownFailures {
    path: PathBuf,
    pub entries: Vec<KnownFailure>,
}

impl KnownFailures {
    /// Reads a file. Warns of entries that have expired, which are left out, and of those without a
    /// reason. `may_be_missing` is whether a file that does not exist has no entries.
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let today = utc(now.unwrap_or_default().as_secs());
        let parsed = parse(&text, &today[..10]);
        let (entries, warnings) = parsed.map_err(|error| Problem::with(path, error.trim_end()))?;
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

    /// Returns the index of the entry of a fault.
    pub fn find(&self, fault: &Fault) -> Option<usize> {
        let identity = fault.identity();
        let mut entries = self.entries.iter();
        entries.position(|entry| entry.fault.is_exactly(&identity))
    }

    /// Returns the entry of a fault.
    pub fn entry(&self, fault: &Fault) -> Option<&KnownFailure> {
        self.find(fault).map(|at| &self.entries[at])
    }

    /// Appends entries to the file, which is made if it is missing. The file is complete at any time.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn append(&self, entries: &[KnownFailure]) -> Result<(), Problem> {
        let new: String = entries.iter().map(KnownFailure::toml).collect();
        let written = match std::fs::read_to_string(&self.path) {
            Ok(old) => output::replace(&self.path, format!("{old}{new}").as_bytes()),
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

/// Reads the text of a file. Returns the entries that count on the day `today`, such as `2026-11-27`,
/// and warnings.
fn parse(text: &str, today: &str) -> Result<(Vec<KnownFailure>, Vec<String>), String> {
    let file: Table = toml::from_str(text).map_err(|error| error.to_string())?;
    check_keys("the file", &file, &["version", "failure"])?;
    match file.get("version").and_then(Value::as_integer) {
        Some(VERSION) => {}
        Some(other) => {
            return Err(format!(
                "has the version {other}, and this zester reads version {VERSION}"
            ));
        }
        None => return Err(format!("has no version; expected version = {VERSION}")),
    }
    let all = match file.get("failure") {
        None => &[][..],
        Some(Value::Array(all)) => all,
        Some(_) => return Err("expected entries that begin with [[failure]]".into()),
    };
    let (mut entries, mut warnings, mut unreasoned) = (Vec::new(), Vec::new(), 0);
    for (at, entry) in all.iter().enumerate() {
        let name = format!("entry {}", at + 1);
        let entry = entry.as_table().ok_or(format!("{name}: expected keys"))?;
        let entry = KnownFailure {
            number: at + 1,
            ..parse_entry(&name, entry)?
        };
        match &entry.expires {
            Some(expires) if **expires < *today => warnings.push(format!(
                "{name} does not count, because it expired on {expires}: {}",
                entry.why()
            )),
            _ => {
                unreasoned += usize::from(entry.reason.trim().is_empty());
                entries.push(entry);
            }
        }
    }
    if unreasoned > 0 {
        warnings.push(format!("entries without a reason: {unreasoned}"));
    }
    Ok((entries, warnings))
}

/// Reads an entry, which has this name in messages.
fn parse_entry(name: &str, entry: &Table) -> Result<KnownFailure, String> {
    check_keys(name, entry, &["reason", "link", "expires", "text", "fault"])?;
    let Some(Value::Table(fault)) = entry.get("fault") else {
        return Err(format!("{name}: expected a table [failure.fault]"));
    };
    let of_fault = format!("{name}, fault");
    let keys = ["kind", "functions", "file", "origin", "message", "line"];
    check_keys(&of_fault, fault, &keys)?;
    let functions = match fault.get("functions") {
        None => Some(BTreeSet::new()),
        Some(Value::Array(all)) => all.iter().map(|name| Some(name.as_str()?.into())).collect(),
        Some(_) => None,
    };
    let expires = match entry.get("expires") {
        None => None,
        Some(Value::Datetime(time)) if time.date.is_some() => time.date,
        Some(_) => {
            return Err(format!(
                "{name}: expires: expected a date such as 2027-01-31"
            ));
        }
    };
    Ok(KnownFailure {
        number: 0,
        reason: text_of(name, entry, "reason")?.unwrap_or_default(),
        link: text_of(name, entry, "link")?,
        expires: expires.map(|date| date.to_string()),
        text: text_of(name, entry, "text")?,
        fault: FaultIdentity {
            kind: text_of(&of_fault, fault, "kind")?.ok_or(format!("{of_fault}: has no kind"))?,
            functions: functions.ok_or(format!("{of_fault}: functions: expected strings"))?,
            file: text_of(&of_fault, fault, "file")?,
            origin: text_of(&of_fault, fault, "origin")?,
            message: text_of(&of_fault, fault, "message")?,
            line: match fault.get("line") {
                None => None,
                Some(line) => Some(
                    line.as_integer()
                        .and_then(|line| line.try_into().ok())
                        .ok_or(format!("{of_fault}: line: expected a number"))?,
                ),
            },
        },
    })
}

/// Returns the text of a key, if it is there.
fn text_of(name: &str, table: &Table, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{name}: {key}: expected a string")),
    }
}

/// Checks that a table has no other keys than these.
fn check_keys(name: &str, table: &Table, keys: &[&str]) -> Result<(), String> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!(
            "{name}: no key {key:?}; the keys are {}",
            keys.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use zester::subject::{Outcome, StackFrame};

    use super::*;
    use crate::fault::Place;

    /// Returns a fault at a place, such as `src/a.rs:3:5`.
    fn fault_at(place: &str) -> Fault {
        let mut fault = Fault::of(&Outcome::TimeOut, "", Vec::new(), b"").unwrap();
        fault.place = Place::Frame(StackFrame::at("a::parse", place));
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
            .append(&[KnownFailure::new(&one, Some(b"a\n\"\\\x01b"))])
            .unwrap();
        let known = KnownFailures::read(&path, false).unwrap();
        assert_eq!(known.entries[0].text.as_deref(), Some("a\n\"\\\x01b"));
        assert_eq!(
            (known.find(&one), known.find(&moved), known.find(&other)),
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
            .append(&[KnownFailure::new(&other, Some(b"\xff"))])
            .unwrap();
        let known = KnownFailures::read(&path, false).unwrap();
        assert_eq!((known.find(&one), known.find(&other)), (Some(0), Some(1)));
        assert_eq!(known.entry(&one).unwrap().why(), "old");
        assert_eq!(known.entries[1].text, None);
        assert!(std::fs::read_to_string(&path).unwrap().contains("# why"));
    }

    #[test]
    fn expired_entries_and_mistakes_are_named() {
        let entry = |more: &str| {
            format!(
                "version = 1\n[[failure]]\nreason = \"r\"\n{more}\n[failure.fault]\nkind = \"panic\"\n"
            )
        };
        let count = |text: &str, today| {
            let (entries, warnings) = parse(text, today).unwrap();
            (entries.len(), warnings.len())
        };
        let dated = entry("expires = 2026-11-27");
        assert_eq!(count(&dated, "2026-11-27"), (1, 0));
        assert_eq!(count(&dated, "2026-11-28"), (0, 1));
        assert_eq!(count(&dated.replace("\"r\"", "\"\""), "2026-11-26"), (1, 1));
        for (text, expected) in [
            (
                entry("resaon = 1"),
                "entry 1: no key \"resaon\"; the keys are reason,",
            ),
            (entry("link = "), "line 4, column 8"),
            ("version = 2".into(), "this zester reads version 1"),
            ("[[failure]]\n".into(), "has no version"),
            (
                "version = 1\n[[failure]]\n".into(),
                "entry 1: expected a table [failure.fault]",
            ),
            (entry("expires = 3"), "entry 1: expires: expected a date"),
        ] {
            let error = parse(&text, "2026-11-27").unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
