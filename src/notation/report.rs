//! Errors and warnings about a grammar, with their places.
//!
//! Every finding begins with `FILE:LINE:COLUMN` and then shows the line of the source with the place underlined. A long line is cut
//! around the place. Characters that a terminal would not show, or that change the direction of text, are written as `\u{…}`.

use std::fmt;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config};

use super::lexer::Mistake;

/// The most findings that are kept. Further ones are counted.
const MAX_FINDINGS: usize = 50;

/// The most characters of a line that are shown before the place of a finding, and from the place on.
const BEFORE: usize = 80;
const AFTER: usize = 120;

/// Errors and warnings about one source. Its `Display` is for people.
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
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push((severity, mistake));
        } else {
            self.dropped += 1;
        }
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there are no errors and no warnings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = visible(&self.file);
        for (severity, mistake) in &self.findings {
            let excerpt = Excerpt::new(&file, &self.source, &mistake.span);
            let label = Label::primary((), excerpt.marked.clone()).with_message(visible(&mistake.label));
            let diagnostic = Diagnostic::new(*severity).with_label(label);
            let body = term::emit_into_string(&Config::default(), &excerpt, &diagnostic).map_err(|_| fmt::Error)?;
            let kind = if *severity == Severity::Error { "error" } else { "warning" };
            let Excerpt { line, column, .. } = excerpt;
            writeln!(f, "{file}:{line}:{column}: {kind}: {}", visible(&mistake.message))?;
            f.write_str(body.split_once('\n').map_or("", |(_, snippet)| snippet))?;
        }
        if self.dropped > 0 {
            writeln!(f, "{file}: {} more not shown", self.dropped)?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

/// A text with everything escaped that a terminal would not show as it is.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        push_visible(character, &mut shown);
    }
    shown
}

/// Appends a character, or its escape if it is a control character or one that is not printed, such as a change of direction.
fn push_visible(character: char, shown: &mut String) {
    match character {
        '\t' | '\\' | '"' | '\'' => shown.push(character),
        _ => shown.extend(character.escape_debug()),
    }
}

/// The line of a finding, as it is shown.
struct Excerpt<'a> {
    file: &'a str,
    /// The line and the column of the finding, from 1, in characters.
    line: usize,
    column: usize,
    /// The part of the line that is shown, and where the finding is in it.
    text: String,
    marked: Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn new(file: &'a str, source: &str, span: &Range<usize>) -> Excerpt<'a> {
        let boundary = |at: usize| (0..=at.min(source.len())).rev().find(|&at| source.is_char_boundary(at)).unwrap_or(0);
        let from = boundary(span.start);
        let before = &source[..from];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[from..].find('\n').map_or(source.len(), |at| from + at);
        let to = boundary(span.end.clamp(from, line_end));
        let (head, rest) = (&source[line_start..from], source[from..line_end].trim_end_matches('\r'));
        let cut = head.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        let mut text = String::new();
        if cut > 0 {
            text.push('…');
        }
        text.push_str(&visible(&head[cut..]));
        let mut marked = text.len()..text.len();
        for (shown, (at, character)) in rest.char_indices().enumerate() {
            if shown == AFTER {
                text.push('…');
                break;
            }
            push_visible(character, &mut text);
            if from + at < to {
                marked.end = text.len();
            }
        }
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        Excerpt { file, line, column: head.chars().count() + 1, text, marked }
    }
}

/// A file of one line, which has the number that it has in the source.
impl<'a> Files<'a> for Excerpt<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.file)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), _byte: usize) -> Result<usize, Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _line: usize) -> Result<usize, Error> {
        Ok(self.line)
    }

    fn column_number(&'a self, (): (), _line: usize, _byte: usize) -> Result<usize, Error> {
        Ok(self.column)
    }

    fn line_range(&'a self, (): (), _line: usize) -> Result<Range<usize>, Error> {
        Ok(0..self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(file: &str, source: &str, span: Range<usize>) -> String {
        let mut report = Report::new(file, source);
        report.error(Mistake::new(span, "wrong", "here"));
        report.to_string()
    }

    #[test]
    fn the_place_is_underlined() {
        let expected = "a.ebnf:2:3: error: wrong\n  ┌─ a.ebnf:2:3\n  │\n2 │ b = c ;\n  │   ^ here\n\n";
        assert_eq!(report("a.ebnf", "a = b ;\nb = c ;\n", 10..11), expected);
    }

    #[test]
    fn spans_of_several_lines_are_shown_by_their_first_line() {
        let shown = report("a", "a = b\n| c ;", 4..11);
        assert!(shown.contains("1 │ a = b\n  │     ^ here"), "{shown}");
    }

    #[test]
    fn places_at_the_end_of_the_source_are_shown() {
        assert!(report("a", "a = é", 6..9).starts_with("a:1:6: error"));
        assert!(report("a", "", 0..0).starts_with("a:1:1: error"));
    }

    #[test]
    fn a_line_of_a_megabyte_is_cut_around_the_place() {
        let source = format!("{}?{}", "a".repeat(1 << 20), "b".repeat(1 << 20));
        let shown = report("a", &source, 1 << 20..(1 << 20) + 1);
        assert!(shown.starts_with("a:1:1048577: error"), "{shown}");
        assert!(shown.contains("…aaa") && shown.contains("a?b") && shown.contains("bbb…"), "{shown}");
        assert!(shown.len() < 2_000, "{}", shown.len());
    }

    #[test]
    fn characters_that_a_terminal_would_obey_are_escaped() {
        let shown = report("a\x1b[31m", "a = \"\u{202e}x\x07\" é ;", 4..5);
        assert!(shown.contains(r#"a = "\u{202e}x\u{7}" é ;"#), "{shown}");
        assert!(shown.starts_with(r"a\u{1b}[31m:1:5: error"), "{shown}");
    }
}
