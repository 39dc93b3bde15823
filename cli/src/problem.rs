//! Why a command failed: its message and its exit status.

use std::fmt::Display;
use std::path::Path;

use zester::notation::Report;

/// Why a command failed.
pub enum Problem {
    /// The grammar has errors: status 1.
    Grammar(Report),
    /// The command could not do its work: status 2.
    Work(String),
    /// The reader of standard output has closed it: no message, status 0.
    Closed,
}

impl Problem {
    /// A problem with a file.
    pub fn with(path: &Path, what: impl Display) -> Problem {
        Problem::Work(format!("zester: {}: {what}\n", path.display()))
    }

    /// A problem that concerns no file.
    pub fn new(what: impl Display) -> Problem {
        Problem::Work(format!("zester: {what}\n"))
    }

    /// What to print on standard error.
    pub fn message(&self) -> String {
        match self {
            Problem::Grammar(report) => report.to_string(),
            Problem::Work(message) => message.clone(),
            Problem::Closed => String::new(),
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Problem::Grammar(_) => 1,
            Problem::Work(_) => 2,
            Problem::Closed => 0,
        }
    }
}
