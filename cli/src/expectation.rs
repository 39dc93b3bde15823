//! `suite.json`: the files of a test suite with their expected outcomes. `zester grow` and `zester
//! suite` write it, and `zester run` reads it.

use std::path::Path;

use serde_json::{Value, json};
use zester::subject::Outcome;

use crate::printable::printable;
use crate::problem::Problem;

/// The words for outcomes: all that [`Outcome`] writes.
const OUTCOMES: [&str; 7] = [
    "valid",
    "invalid",
    "unknown",
    "crash",
    "exit",
    "time-out",
    "out-of-memory",
];

/// The version of the format.
pub const VERSION: u64 = 1;

/// The name of the file.
pub const FILE: &str = "suite.json";

/// The name of the HTML page that `zester grow` writes.
pub const PAGE: &str = "suite.html";

/// Returns whether a file has the form of `suite.json`, in this or another version.
pub fn is_suite(path: &Path) -> bool {
    let suite = std::fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    suite.is_some_and(|suite| suite["version"].is_u64() && suite["files"].is_array())
}

/// The expected outcome of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The path of the file, relative to `suite.json`.
    pub file: String,
    /// The outcome as one word, such as `valid`.
    pub outcome: String,
    /// The signature of a crash.
    pub signature: Option<String>,
}

impl Expectation {
    /// Returns the expectation that `file` has this outcome.
    pub fn new(file: String, outcome: &Outcome) -> Expectation {
        let signature = match outcome {
            Outcome::Crash(signature) => Some(signature.to_string()),
            _ => None,
        };
        Expectation {
            file,
            outcome: outcome.to_string(),
            signature,
        }
    }

    /// Returns whether an outcome is the expected one.
    pub fn is_met(&self, outcome: &Outcome) -> bool {
        *self == Expectation::new(self.file.clone(), outcome)
    }

    /// Describes the expected outcome, with the signature of a crash.
    pub fn describe(&self) -> String {
        self.signature.as_ref().map_or_else(
            || self.outcome.clone(),
            |signature| format!("{}: {signature}", self.outcome),
        )
    }

    /// Returns the object that `suite.json` has for the file.
    pub fn json(&self) -> Value {
        let mut object = json!({ "file": self.file, "outcome": self.outcome });
        if let Some(signature) = &self.signature {
            object["signature"] = json!(signature);
        }
        object
    }

    /// Reads the object that `suite.json` has for a file.
    fn of(object: &Value) -> Result<Expectation, String> {
        let text = |name: &str| object[name].as_str().map(String::from);
        let (Some(file), Some(outcome)) = (text("file"), text("outcome")) else {
            return Err("no file or no outcome".into());
        };
        if !OUTCOMES.contains(&&*outcome) {
            return Err(format!(
                "{}: no outcome is called `{}`; the outcomes are {}",
                printable(&file),
                printable(&outcome),
                OUTCOMES.join(", ")
            ));
        }
        Ok(Expectation {
            file,
            outcome,
            signature: text("signature"),
        })
    }
}

/// Describes an outcome, with the signature of a crash.
pub fn describe(outcome: &Outcome) -> String {
    Expectation::new(String::new(), outcome).describe()
}

/// Reads `suite.json`. Returns the expectations of its files, then those of its crashes.
///
/// # Errors
/// If it cannot be read, or has another version or form.
pub fn read(path: &Path) -> Result<Vec<Expectation>, Problem> {
    let problem = |what: String| Problem::with(path, what);
    let bytes = std::fs::read(path).map_err(|error| Problem::with(path, error))?;
    let suite: Value = serde_json::from_slice(&bytes)
        .map_err(|error| problem(format!("is no suite.json: {error}")))?;
    if suite["version"] != VERSION {
        return Err(problem(format!(
            "version {} of suite.json; this program reads version {VERSION}",
            suite["version"]
        )));
    }
    let mut all = Vec::new();
    for list in ["files", "crashes"] {
        for (number, object) in (1..).zip(suite[list].as_array().into_iter().flatten()) {
            let expectation = Expectation::of(object);
            all.push(
                expectation.map_err(|what| problem(format!("entry {number} of {list}: {what}")))?,
            );
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use zester::Validity;

    use super::*;

    #[test]
    fn suites_are_read_as_they_were_written() {
        let valid = Expectation::new("1.json".into(), &Outcome::Finished(Validity::Valid));
        assert!(
            valid.is_met(&Outcome::Finished(Validity::Valid))
                && !valid.is_met(&Outcome::Finished(Validity::Invalid))
        );
        let late = Expectation::new("crashes/1.json".into(), &Outcome::TimeOut);
        let crash = Expectation {
            signature: Some("panic at src/lib.rs:1".into()),
            outcome: "crash".into(),
            ..late.clone()
        };
        assert_eq!(crash.describe(), "crash: panic at src/lib.rs:1");
        assert!(!crash.is_met(&Outcome::TimeOut));
        let file = tempfile::NamedTempFile::new().unwrap();
        let suite = json!({ "version": VERSION, "files": [valid.json()], "crashes": [late.json(), crash.json()] });
        std::fs::write(file.path(), suite.to_string()).unwrap();
        assert_eq!(read(file.path()).ok().unwrap(), [valid, late, crash]);
    }

    #[test]
    fn all_outcomes_have_their_word() {
        let finished = [Validity::Valid, Validity::Invalid, Validity::Unknown];
        let mut outcomes = finished.map(Outcome::Finished).to_vec();
        outcomes.extend([Outcome::Exit(1), Outcome::TimeOut, Outcome::OutOfMemory]);
        for outcome in outcomes {
            assert!(OUTCOMES.contains(&&*outcome.to_string()), "{outcome}");
        }
    }

    #[test]
    fn other_files_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, problem) in [
            ("", "no suite.json"),
            ("[", "no suite.json"),
            ("{}", "version null"),
            (r#"{"version": 99}"#, "version 99"),
            (
                r#"{"version": 1, "files": [{"file": 3}]}"#,
                "entry 1 of files: no file or no outcome",
            ),
            (
                r#"{"version": 1, "crashes": [{"file": "1", "outcome": "crash"}, {"file": "2", "outcome": "valdi"}]}"#,
                "entry 2 of crashes: 2: no outcome is called `valdi`; the outcomes are valid, invalid, unknown, crash,",
            ),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let message = read(file.path()).unwrap_err().message();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
