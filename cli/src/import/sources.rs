//! The files of a grammar, and reports about them.

use std::path::{Path, PathBuf};

use zester::notation::{Report, SyntaxError};

use super::expression::Finding;
use crate::input;

/// The maximum size of a file in bytes.
pub const MAX_FILE: u64 = 32 << 20;

/// Returns the text of a file that lies beside a grammar. Returns [`None`] if it is no regular file: reading a
/// named pipe may never end.
pub fn neighbour(path: &Path) -> Option<String> {
    if !path.is_file() {
        return None;
    }
    let bytes = input::read(path, MAX_FILE).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(without_mark(text.into_owned()))
}

/// Returns a text without the byte order mark with which some editors begin a file.
pub fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.into(),
        None => text,
    }
}

/// The files that a grammar consists of, in the order in which they were opened.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<(PathBuf, String)>,
}

impl Sources {
    /// Adds a file. Returns its index.
    pub fn add(&mut self, path: &Path, text: String) -> usize {
        self.files.push((path.into(), text));
        self.files.len() - 1
    }

    pub fn text(&self, file: usize) -> &str {
        &self.files[file].1
    }

    pub fn path(&self, file: usize) -> &Path {
        &self.files[file].0
    }

    /// Returns a report with one error.
    pub fn error(&self, error: &Finding) -> Report {
        let mut report = self.report_of(error.location.file);
        report.error(syntax_error(error));
        report
    }

    /// Returns a report for each file that has warnings.
    pub fn reports(&self, warnings: &[Finding]) -> Vec<Report> {
        let of_file = |file: usize| {
            let mut report = self.report_of(file);
            for warning in warnings
                .iter()
                .filter(|warning| warning.location.file == file)
            {
                report.warning(syntax_error(warning));
            }
            report
        };
        let all = (0..self.files.len()).map(of_file);
        all.filter(|report| !report.is_empty()).collect()
    }

    fn report_of(&self, file: usize) -> Report {
        let (path, text) = &self.files[file];
        Report::new(&path.display().to_string(), text)
    }
}

fn syntax_error(finding: &Finding) -> SyntaxError {
    SyntaxError::new(
        finding.location.span.clone(),
        finding.message.clone(),
        finding.label.clone(),
    )
}
