//! The report on a grammar: its errors and warnings, each with its position in the source.
//!
//! Every printed finding begins with `FILE:LINE:COLUMN` and the message. Then an excerpt of the
//! source follows, in which the part with the error is underlined.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::{self, Files};
use codespan_reporting::term::{self, Config, DisplayStyle};

use super::lexer::SyntaxError;
use super::syntax::Span;
use crate::error::Error;

/// The maximum number of findings that a report prints. Further ones are only counted.
pub(super) const MAX_FINDINGS: usize = 50;

/// The maximum numbers of characters of a source line that are shown: before the underlined part,
/// in this part, and after it.
const BEFORE: usize = 100;
const UNDERLINED: usize = 60;
const AFTER: usize = 60;

/// The maximum number of characters of a message that are shown.
const MAX_MESSAGE: usize = 400;

/// The errors and warnings about one source.
///
/// ```
/// use zester::Grammar;
///
/// let report = Grammar::check("word.ebnf", b"word = \"a\" ; other = \"b\" ;");
/// assert_eq!(report.errors(), 0);
/// assert!(report.to_string().starts_with("word.ebnf:1:14: warning: rule `other` is never used"));
/// ```
#[derive(Clone, Default)]
pub struct Report {
    file: String,
    source: String,
    findings: Vec<(Severity, SyntaxError)>,
    /// The hashes of all findings, including those that are only counted.
    seen: BTreeSet<u64>,
    errors: usize,
    /// The number of findings beyond [`MAX_FINDINGS`].
    dropped: usize,
}

impl Report {
    fn add(&mut self, severity: Severity, mut error: SyntaxError) {
        let mut hasher = DefaultHasher::new();
        (&error.span, &error.message).hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            return;
        }
        // A span of the generated parser may include the blanks after the construct.
        let start = boundary(&self.source, error.span.start);
        let end = boundary(&self.source, error.span.end).max(start);
        error.span = start..start + self.source[start..end].trim_end().len();
        let is_error = severity == Severity::Error;
        self.errors += usize::from(is_error);
        if self.findings.len() == MAX_FINDINGS {
            self.dropped += 1;
            // Warnings must not hide errors.
            let is_warning = |(kept, _): &(Severity, _)| *kept == Severity::Warning;
            match self.findings.iter().rposition(is_warning) {
                Some(last) if is_error => self.findings.remove(last),
                _ => return,
            };
        }
        self.findings.push((severity, error));
    }

    /// The number of errors. Warnings do not count.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether further findings are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS
    }

    /// Whether there are no errors and no warnings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

/// For the programs of this workspace; not part of the interface.
#[doc(hidden)]
impl Report {
    /// Returns a report without findings. `source` is the text of the file.
    pub fn new(file: &str, source: &str) -> Report {
        Report {
            file: file.into(),
            source: source.into(),
            ..Report::default()
        }
    }

    /// Adds an error. A mistake that is found several times is reported once.
    pub fn error(&mut self, error: SyntaxError) {
        self.add(Severity::Error, error);
    }

    /// Adds a warning. A cause that is found several times is reported once.
    pub fn warning(&mut self, error: SyntaxError) {
        self.add(Severity::Warning, error);
    }

    /// The findings that the report prints.
    pub fn findings(&self) -> impl Iterator<Item = ReportedFinding<'_>> {
        self.findings
            .iter()
            .map(|(severity, error)| ReportedFinding {
                is_error: *severity == Severity::Error,
                message: &error.message,
                label: &error.label,
                start: position(&self.source, error.span.start),
                end: position(&self.source, error.span.end),
            })
    }
}

/// An error or a warning of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedFinding<'a> {
    /// Whether the finding is an error. If `false`, it is a warning.
    pub is_error: bool,
    /// The message, in one line.
    pub message: &'a str,
    /// The explanation.
    pub label: &'a str,
    /// The line and the column of the first character, from 1. Columns count characters.
    pub start: (usize, usize),
    /// The line and the column after the last character.
    pub end: (usize, usize),
}

/// Returns the line and the column of an offset, from 1.
fn position(source: &str, at: usize) -> (usize, usize) {
    let line_start = source[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = 1 + source[..at].matches('\n').count();
    (line, 1 + source[line_start..at].chars().count())
}

impl std::error::Error for Report {}

impl From<Report> for Error {
    fn from(report: Report) -> Error {
        report.to_string().into()
    }
}

/// Writes the text of the report, so that `unwrap` shows the errors of the grammar.
impl fmt::Debug for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = printable(&self.file);
        let short = Config {
            display_style: DisplayStyle::Short,
            ..Config::default()
        };
        for (severity, error) in &self.findings {
            let excerpt = Excerpt::new(&file, &self.source, &error.span);
            let label =
                Label::primary((), excerpt.span.clone()).with_message(message(&error.label));
            let diagnostic = Diagnostic::new(*severity)
                .with_message(message(&error.message))
                .with_label(label);
            // The short style is one line: `FILE:LINE:COLUMN: error: …`. The rich style has a
            // similar first line, then the source.
            let head =
                term::emit_into_string(&short, &excerpt, &diagnostic).map_err(|_| fmt::Error)?;
            let body = term::emit_into_string(&Config::default(), &excerpt, &diagnostic)
                .map_err(|_| fmt::Error)?;
            f.write_str(&head)?;
            f.write_str(body.split_once('\n').map_or("", |(_, snippet)| snippet))?;
        }
        if self.dropped > 0 {
            writeln!(f, "{file}: {} more findings are not shown", self.dropped)?;
        }
        Ok(())
    }
}

/// The part of a source line that is printed under a finding, as a file of one line.
///
/// A long line is cut before and after the underlined part. Characters that a terminal would not
/// print are escaped. The line and the column refer to the whole source.
struct Excerpt<'a> {
    file: &'a str,
    text: String,
    /// The part of `text` that is underlined.
    span: Span,
    line: usize,
    column: usize,
}

impl<'a> Excerpt<'a> {
    fn new(file: &'a str, source: &str, span: &Span) -> Excerpt<'a> {
        let from = span.start;
        let start = source[..from].rfind('\n').map_or(0, |at| at + 1);
        let end = source[from..]
            .find('\n')
            .map_or(source.len(), |at| from + at);
        let to = span.end.clamp(from, end);
        let (before, underlined, after) =
            (&source[start..from], &source[from..to], &source[to..end]);
        let left = before
            .char_indices()
            .rev()
            .nth(BEFORE - 1)
            .map_or(0, |(at, _)| at);
        let width = |text: &str, max: usize| {
            text.char_indices()
                .nth(max)
                .map_or(text.len(), |(at, _)| at)
        };
        let (shown, right) = (width(underlined, UNDERLINED), width(after, AFTER));
        let mut text = String::from(if left > 0 { "…" } else { "" });
        escape(&before[left..], &mut text);
        let first = text.len();
        escape(&underlined[..shown], &mut text);
        let span = first..text.len();
        if shown < underlined.len() {
            text.push('…');
        } else {
            escape(after[..right].trim_end_matches('\r'), &mut text);
            text.push_str(if right < after.len() { "…" } else { "" });
        }
        let line = 1 + source[..start]
            .bytes()
            .filter(|&byte| byte == b'\n')
            .count();
        Excerpt {
            file,
            text,
            span,
            line,
            column: 1 + before.chars().count(),
        }
    }
}

impl<'a> Files<'a> for Excerpt<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(self.file)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, files::Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), _: usize) -> Result<usize, files::Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _: usize) -> Result<usize, files::Error> {
        Ok(self.line)
    }

    fn column_number(&'a self, (): (), _: usize, _: usize) -> Result<usize, files::Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), line: usize) -> Result<Span, files::Error> {
        let given = line;
        if line > 0 {
            Err(files::Error::LineTooLarge { given, max: 0 })
        } else {
            Ok(0..self.text.len())
        }
    }
}

/// The last boundary of a character in `text` at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Appends a text to `escaped`. Unprintable characters are written as escapes such as `\u{202e}`.
fn escape(text: &str, escaped: &mut String) {
    for character in text.chars() {
        if character != '\t' && is_unprintable(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
}

/// Whether a character must be escaped, because a terminal would not print it visibly: control
/// characters, line ends, characters without width, and characters that change the direction of
/// text.
fn is_unprintable(character: char) -> bool {
    let invisible = matches!(
        character,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    );
    invisible || character.is_control()
}

/// A text in which tabs are spaces and unprintable characters are escaped.
fn printable(text: &str) -> String {
    let mut escaped = String::new();
    escape(&text.replace('\t', " "), &mut escaped);
    escaped
}

/// A message in which unprintable characters are escaped, cut to [`MAX_MESSAGE`] characters.
fn message(text: &str) -> String {
    let end = text.char_indices().nth(MAX_MESSAGE).map(|(at, _)| at);
    printable(&text[..end.unwrap_or(text.len())]) + if end.is_some() { "…" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(source: &str, span: Span) -> String {
        let mut report = Report::new("g\u{1b}.ebnf", source);
        report.error(SyntaxError::new(span, "wrong\u{202e}", "here"));
        report.to_string()
    }

    #[test]
    fn a_finding_shows_file_line_column_and_an_excerpt() {
        let text = report("a = \"x\" ;\r\nb = oops ;\r\n", 15..19);
        assert!(
            text.starts_with("g\\u{1b}.ebnf:2:5: error: wrong\\u{202e}\n"),
            "{text}"
        );
        assert!(text.contains("2 │ b = oops ;\n"), "{text}");
        assert!(text.contains("  │     ^^^^ here"), "{text}");
        let text = report("b = oops ;", 4..9);
        assert!(text.contains("  │     ^^^^ here"), "{text}");
    }

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        let text = report("a = \"\u{202e}\u{1b}[31m\u{2066}\" oops ;", 18..22);
        assert!(
            text.contains(r#"a = "\u{202e}\u{1b}[31m\u{2066}" oops ;"#),
            "{text}"
        );
        assert!(
            text.chars()
                .all(|character| character == '\n' || !is_unprintable(character)),
            "{text}"
        );
    }

    #[test]
    fn what_is_found_twice_is_reported_once() {
        let mut report = Report::new("g", "a = \"x\" ;");
        for _ in 0..2 {
            report.warning(SyntaxError::new(0..1, "never used", "here"));
            report.error(SyntaxError::new(0..1, "wrong", "here"));
        }
        assert_eq!((report.findings().count(), report.errors()), (2, 1));
    }

    #[test]
    fn a_finding_past_the_limit_is_counted_once() {
        let mut report = Report::new("g", "");
        for at in 0..MAX_FINDINGS + 1 {
            report.error(SyntaxError::new(at..at, "e", ""));
        }
        let text = report.to_string();
        report.error(SyntaxError::new(MAX_FINDINGS..MAX_FINDINGS, "e", ""));
        assert_eq!(
            (report.to_string(), report.errors()),
            (text, MAX_FINDINGS + 1)
        );
    }

    #[test]
    fn long_lines_and_long_messages_are_cut() {
        let source = "x ".repeat(1_000_000);
        let text = report(&source, 1_000_000..1_000_001);
        assert!(text.starts_with("g\\u{1b}.ebnf:1:1000001: error"), "{text}");
        assert!(
            text.contains("│ …") && text.contains("…\n") && text.len() < 1_000,
            "{text}"
        );
        let text = report(&source, 0..source.len());
        assert!(text.len() < 1_000, "{text}");
        assert_eq!(
            message(&"y".repeat(1_000_000)).chars().count(),
            MAX_MESSAGE + 1
        );
    }

    #[test]
    fn findings_past_the_limit_are_counted() {
        let mut report = Report::new("g", "");
        let warnings = (0..MAX_FINDINGS + 3).map(|at| SyntaxError::new(at..at, "w", ""));
        warnings.for_each(|warning| report.warning(warning));
        assert_eq!((report.errors(), report.findings.len()), (0, MAX_FINDINGS));
        assert!(
            report
                .to_string()
                .ends_with("g: 3 more findings are not shown\n")
        );
        // Warnings hide no errors, but errors may hide other errors.
        for at in 0..MAX_FINDINGS + 1 {
            report.error(SyntaxError::new(at..at, "e", ""));
            let text = report.to_string();
            let shown = text.matches("error: e").count();
            assert_eq!(shown, (at + 1).min(MAX_FINDINGS), "{text}");
            assert_eq!(report.findings.len(), MAX_FINDINGS);
        }
    }
}
