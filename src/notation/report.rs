//! What is wrong with a grammar, told with its place.
//!
//! Printed, every finding begins with `FILE:LINE:COLUMN` and then shows the source with the place underlined.

use std::fmt;

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{self, Config, DisplayStyle};

use super::lexer::Mistake;

/// Findings past this many are counted, not kept.
const MOST: usize = 50;

/// Errors and warnings about one source.
#[derive(Clone, Debug, Default)]
pub struct Report {
    file: String,
    source: String,
    findings: Vec<(Severity, Mistake)>,
    errors: usize,
    dropped: usize,
}

impl Report {
    pub(super) fn new(file: &str, source: &str) -> Report {
        Report { file: file.into(), source: source.into(), ..Report::default() }
    }

    pub(super) fn error(&mut self, mistake: Mistake) {
        self.errors += 1;
        self.add(Severity::Error, mistake);
    }

    pub(super) fn warning(&mut self, mistake: Mistake) {
        self.add(Severity::Warning, mistake);
    }

    fn add(&mut self, severity: Severity, mistake: Mistake) {
        if self.findings.len() < MOST {
            self.findings.push((severity, mistake));
        } else {
            self.dropped += 1;
        }
    }

    /// How many errors there are.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = SimpleFile::new(&self.file, &self.source);
        let short = Config { display_style: DisplayStyle::Short, ..Config::default() };
        for (severity, mistake) in &self.findings {
            let label = Label::primary((), mistake.span.clone()).with_message(&mistake.label);
            let diagnostic = Diagnostic::new(*severity).with_message(&mistake.message).with_label(label);
            // The short style is one line, `FILE:LINE:COLUMN: error: …`; the rich one adds the source under a line like it.
            let head = term::emit_into_string(&short, &source, &diagnostic).map_err(|_| fmt::Error)?;
            let body = term::emit_into_string(&Config::default(), &source, &diagnostic).map_err(|_| fmt::Error)?;
            f.write_str(&head)?;
            f.write_str(body.split_once('\n').map_or("", |(_, snippet)| snippet))?;
        }
        if self.dropped > 0 {
            writeln!(f, "{}: {} more not shown", self.file, self.dropped)?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
