//! The file of known failures of a target: faults that people have reviewed and do not fix for now.
//!
//! The file is TOML, for people to review and to commit. `zester triage --accept` adds entries. An
//! entry identifies its fault by a [`FaultIdentity`], so the entry also holds for later builds of
//! the program. Without the feature `known`, no file can be read.

#[cfg(feature = "known")]
pub mod date;
#[cfg(feature = "known")]
mod reader;

use std::collections::BTreeSet;
use std::fmt;

use crate::hooks::{DISAGREEMENT, FAILURE};
use crate::shape::FailureShape;

/// The maximum number of characters of a message that a pattern describes.
pub const MAX_PATTERN: usize = 300;

/// A known failure.
#[derive(Clone, Debug, Default)]
pub struct KnownFailure {
    /// The number of the entry in the file, from 1.
    pub number: usize,
    /// Why the failure is accepted.
    pub reason: String,
    pub link: Option<String>,
    /// The last day on which the entry counts, such as `2027-01-31`.
    pub expires: Option<String>,
    /// A sentence that shows the fault.
    pub text: Option<String>,
    /// The shape of the reduced sentences, if the fault is a disagreement.
    pub shape: Option<FailureShape>,
    pub fault: FaultIdentity,
}

/// Returns the name of the comparison in the key of a disagreement.
pub fn comparison(key: &str) -> Option<&str> {
    // The kind of the difference has no `: `.
    Some(key.rsplit_once(": ")?.0)
}

impl KnownFailure {
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
}

/// What identifies a fault in all builds of a program: its kind, function and source file.
/// Directories and versions of dependencies differ between builds, so they do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultIdentity {
    pub kind: String,
    /// The function at the location of the fault, or all functions of a recursion.
    pub functions: BTreeSet<String>,
    /// The name of the source file, without its directory.
    pub file: Option<String>,
    /// The name of the source file of a dependency in which the program panicked.
    pub origin: Option<String>,
    /// The message, with placeholders for values.
    pub message: Option<String>,
    /// The line of the source file, in the build that showed the fault.
    pub line: Option<u32>,
}

impl fmt::Display for FaultIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.kind)?;
        if !self.functions.is_empty() {
            let functions: Vec<&str> = self.functions.iter().map(String::as_str).collect();
            write!(formatter, " in {}", functions.join(", "))?;
        }
        match (&self.origin, &self.file, &self.message) {
            (Some(file), ..) | (None, Some(file), _) => write!(formatter, " at {file}"),
            (None, None, Some(message)) => write!(formatter, ": {message}"),
            (None, None, None) => Ok(()),
        }
    }
}

impl FaultIdentity {
    /// Returns the name of the comparison, if the fault is a disagreement.
    pub fn comparison(&self) -> Option<&str> {
        let key = self.message.as_deref()?;
        comparison(key).filter(|_| self.kind == "disagreement")
    }

    /// Returns whether two faults seem to be the same. Lines are not compared, because they differ
    /// between builds. If the function of one fault is not known, the messages are compared
    /// instead, with placeholders for values. A recursion has different functions in different
    /// runs, so one common function is enough.
    pub fn is_same(&self, other: &FaultIdentity) -> bool {
        let are_recursions = self.file.is_none() && other.file.is_none();
        let has_common = are_recursions && !self.functions.is_disjoint(&other.functions);
        let is_unknown = self.functions.is_empty() || other.functions.is_empty();
        let is_one_function = match is_unknown {
            true => self.message == other.message,
            false => self.functions == other.functions,
        };
        (&self.kind, &self.origin, &self.file) == (&other.kind, &other.origin, &other.file)
            && (has_common || is_one_function)
    }

    /// Returns whether two faults are the same and, if they have a source file, also have the same line
    /// or message. One function may have several faults of one kind.
    pub fn is_exactly(&self, other: &FaultIdentity) -> bool {
        let is_one_line = self.line.is_some() && self.line == other.line;
        let has_location = self.file.is_some();
        self.is_same(other) && (!has_location || is_one_line || self.message == other.message)
    }

    /// Returns whether a panic seems to be this fault, without a stack. A panic with a key must
    /// have the key of this fault. Any other panic must be in the same file, and the line or the
    /// message must be the same, too. `location` is the source file and the line of the panic, if
    /// they are known.
    pub fn is_panic(&self, message: &str, location: Option<(&str, u32)>) -> bool {
        for (start, kind) in [(FAILURE, "failure"), (DISAGREEMENT, "disagreement")] {
            if let Some(rest) = message.strip_prefix(start) {
                let key = rest.lines().next();
                return self.kind == kind && self.message.as_deref() == key;
            }
        }
        let Some((path, line)) = location else {
            return false;
        };
        // If the program panicked in a dependency, the entry has the line and the message from there.
        let file = self.origin.as_ref().or(self.file.as_ref());
        let has_message = |pattern: &String| fits(pattern, message);
        self.kind == "panic"
            && file.is_some_and(|file| file == file_name(path))
            && (self.line == Some(line) || self.message.as_ref().is_some_and(has_message))
    }
}

/// Returns whether the first line of a message fits a pattern, in which a placeholder such as
/// `‹name›` stands for any text.
fn fits(pattern: &str, message: &str) -> bool {
    let line = message.trim_start().lines().next().unwrap_or_default();
    let line: String = line.chars().take(MAX_PATTERN).collect();
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let mut parts = pattern.split('‹');
    let first = parts.next().unwrap_or_default();
    let after = |part: &'_ str| part.find('›').map_or(0, |end| end + '›'.len_utf8());
    let mut parts: Vec<&str> = parts.map(|part| &part[after(part)..]).collect();
    let Some(last) = parts.pop() else {
        return line == first;
    };
    let rest = line.strip_prefix(first);
    let rest = parts.iter().try_fold(rest, |rest, part| {
        let rest = rest?;
        Some(rest.find(part).map(|at| &rest[at + part.len()..]))
    });
    rest.flatten().is_some_and(|rest| rest.ends_with(last))
}

/// Returns the last component of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Reads the text of a file. Returns the entries that count today, and warnings. The warnings name
/// each entry that has expired, and the number of entries without a reason. Expired entries are not
/// returned.
///
/// # Errors
/// If the text is no file of known failures. The message contains the line of a mistake in TOML, or
/// the number of a wrong entry.
#[cfg(feature = "known")]
pub fn read(text: &str) -> Result<(Vec<KnownFailure>, Vec<String>), String> {
    use std::time::{SystemTime, UNIX_EPOCH};
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let today = date::utc(now.unwrap_or_default().as_secs());
    reader::parse(text, &today[..10]).map_err(|error| error.trim_end().into())
}

/// Returns an error: the feature is off.
#[cfg(not(feature = "known"))]
pub fn read(_: &str) -> Result<(Vec<KnownFailure>, Vec<String>), String> {
    Err("the feature `known` of zester, which reads this file, is off".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_known_by_its_location_and_message_or_by_its_key() {
        let fault = FaultIdentity {
            kind: "panic".into(),
            functions: ["a::parse".into()].into(),
            file: Some("a.rs".into()),
            message: Some("no ‹name› at ‹number›: end".into()),
            line: Some(7),
            ..FaultIdentity::default()
        };
        let is_known = |message, location| fault.is_panic(message, location);
        for (message, location, expected) in [
            ("moved", Some(("src/a.rs", 7)), true),
            ("no  x: y at 12: end\nmore", Some(("/b/a.rs", 8)), true),
            ("no x at 12: ends", Some(("a.rs", 8)), false),
            ("no x: end", Some(("a.rs", 8)), false),
            ("no x at 12: end", Some(("b.rs", 7)), false),
            ("no x at 12: end", None, false),
            ("zester: failure: no x at 12: end", Some(("a.rs", 7)), false),
        ] {
            assert_eq!(
                is_known(message, location),
                expected,
                "{message} {location:?}"
            );
        }
        let of_dependency = FaultIdentity {
            origin: Some("lib.rs".into()),
            ..fault.clone()
        };
        let is_known = |path| of_dependency.is_panic("", Some((path, 7)));
        assert!(is_known("/registry/b-1.0/src/lib.rs") && !is_known("src/a.rs"));
        let of_oracle = FaultIdentity {
            kind: "failure".into(),
            message: Some("a = 1".into()),
            ..FaultIdentity::default()
        };
        assert!(of_oracle.is_panic("zester: failure: a = 1\nvalues", None));
        assert!(!of_oracle.is_panic("zester: failure: a = 2", None));
        assert!(!of_oracle.is_panic("a = 1", None));
        let disagreement = FaultIdentity {
            kind: "disagreement".into(),
            message: Some("a: b: one against two".into()),
            ..FaultIdentity::default()
        };
        assert_eq!(disagreement.comparison(), Some("a: b"));
        let message = "zester: disagreement: a: b: one against two\nvalues";
        assert!(disagreement.is_panic(message, None) && !of_oracle.is_panic(message, None));
    }

    #[test]
    fn a_message_fits_a_pattern_with_placeholders() {
        for (pattern, message, expected) in [
            ("", "", true),
            ("a b", "a  b", true),
            ("a", "a b", false),
            ("a ‹name›", "a b", true),
            ("‹quoted› a", "a a a", true),
            ("‹name› a ‹name› b", "x a b", false),
            ("‹name›", "", true),
        ] {
            assert_eq!(fits(pattern, message), expected, "{pattern}: {message}");
        }
        assert!(fits(&"a".repeat(MAX_PATTERN), &"a".repeat(MAX_PATTERN + 1)));
    }
}
