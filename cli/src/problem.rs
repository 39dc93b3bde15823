//! The reason why a command failed, with its message and its exit status.

use std::fmt::Display;
use std::path::Path;

use zester::notation::Report;

use crate::printable::printable;

/// Returns a path for messages. Control characters are escaped, so that a file name cannot write
/// more lines or control the terminal.
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The reason why a command failed.
#[derive(Debug)]
pub enum Problem {
    /// The grammar has errors: status 1.
    Grammar(Report),
    /// The grammar is in another notation: status 1.
    Foreign(String),
    /// The command failed for another reason: status 2.
    Work(String),
    /// The reader of standard output has closed it: no message, status 0.
    Closed,
}

impl Problem {
    /// Returns a problem with a file.
    pub fn with(path: &Path, what: impl Display) -> Problem {
        Problem::Work(format!("zester: {}: {what}\n", shown(path)))
    }

    /// Returns a problem that concerns no file.
    pub fn new(what: impl Display) -> Problem {
        Problem::Work(format!("zester: {what}\n"))
    }

    /// Returns the text for standard error.
    pub fn message(&self) -> String {
        match self {
            Problem::Grammar(report) => report.to_string(),
            Problem::Foreign(message) | Problem::Work(message) => message.clone(),
            Problem::Closed => String::new(),
        }
    }

    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        match self {
            Problem::Grammar(_) | Problem::Foreign(_) => 1,
            Problem::Work(_) => 2,
            Problem::Closed => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_have_no_control_characters_in_messages() {
        assert_eq!(shown(Path::new("a\n\u{1b}[31mé b")), "a\\n\\u{1b}[31mé b");
    }
}
