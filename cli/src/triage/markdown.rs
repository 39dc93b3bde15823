//! The report in Markdown. Each section is complete enough for an issue.

use std::fmt::Write;

use super::report::{ADVICE, Report, counted, record_note};
use crate::problem::shown;
use crate::shell::{is_visible, printf};

/// The maximum number of bytes of a text that the page shows.
const MAX_TEXT: usize = 4_000;

/// The maximum number of artifacts that a section names.
const MAX_NAMES: usize = 20;

/// Returns the report.
pub fn markdown(report: &Report<'_>) -> String {
    let mut page = format!(
        "# Faults of {}\n\n{}.\n",
        code(&shown(report.target)),
        report.headline()
    );
    for number in 1..=report.groups.len() {
        section(&mut page, report, number);
    }
    let passing: Vec<_> = report.passing().collect();
    if !passing.is_empty() {
        let _ = write!(
            page,
            "\n## Does not fail any more\n\n{}: {}.\n\n{ADVICE}\n",
            counted(passing.len(), "artifact"),
            names(passing.iter().map(|artifact| shown(&artifact.path)))
        );
        for note in passing.iter().filter_map(|artifact| record_note(artifact)) {
            let _ = write!(page, "\n{}\n", plain(&note));
        }
    }
    page
}

fn section(page: &mut String, report: &Report<'_>, number: usize) {
    let group = &report.groups[number - 1];
    let fault = &group.fault;
    let artifacts = report.artifacts(group);
    let _ = write!(page, "\n## {number}. {}\n\n", code(&group.heading()));
    let is_block = fault.message.contains('\n');
    if !fault.message.is_empty() && !is_block {
        let _ = writeln!(page, "- Message: {}", code(&fault.message));
    }
    if let Some(why) = &group.known {
        let _ = writeln!(page, "- Known: {}", plain(why));
    }
    if let Some(shape) = report.shape(group) {
        let _ = writeln!(page, "- Shape: {}", code(&shape));
    }
    if let Some(cause) = report.cause(group) {
        let _ = writeln!(page, "- Cause: {}", code(&cause));
    }
    let paths = artifacts.iter().map(|artifact| shown(&artifact.path));
    if fault.comparison().is_none() {
        let _ = writeln!(page, "- Severity: {}", fault.severity);
    }
    let _ = write!(
        page,
        "- {}: {}\n\n",
        counted(artifacts.len(), "artifact"),
        names(paths)
    );
    if is_block {
        let _ = writeln!(page, "Message:\n\n{}", fenced("text", &fault.message));
    }
    if let Some(text) = &group.smallest.text {
        let _ = write!(page, "Input, {}{}:\n\n", group.smallest.how, line_end(text));
        page.push_str(&input(text));
    }
    let _ = write!(
        page,
        "\nReproduce:\n\n{}",
        fenced("sh", &report.command(number))
    );
    let stack = report.stack(group);
    if !stack.is_empty() {
        let _ = write!(page, "\nStack:\n\n{}", fenced("text", &stack.join("\n")));
    }
    for note in report.notes(number) {
        let _ = write!(page, "\n{}\n", plain(&note));
    }
}

/// Says whether a text ends in a line break, which a block does not show.
fn line_end(text: &[u8]) -> &'static str {
    match text.last() {
        Some(b'\n') => ", with a line break at its end",
        _ => "",
    }
}

/// Returns a block with an input, or with the command that makes it if not all of its bytes show.
fn input(text: &[u8]) -> String {
    let shown = &text[..text.len().min(MAX_TEXT)];
    let more = match text.len() - shown.len() {
        0 => String::new(),
        more => format!("\n{} more.\n", counted(more, "byte")),
    };
    match std::str::from_utf8(shown) {
        Ok(shown) if is_visible(text) => {
            fenced("text", shown.strip_suffix('\n').unwrap_or(shown)) + &more
        }
        _ => fenced("sh", &printf(shown)) + &more,
    }
}

/// Returns a list of file names.
fn names(names: impl ExactSizeIterator<Item = String>) -> String {
    let count = names.len();
    let mut list: Vec<String> = names.take(MAX_NAMES).map(|name| code(&name)).collect();
    if count > MAX_NAMES {
        list.push(format!("{} more", count - MAX_NAMES));
    }
    list.join(", ")
}

/// Returns the length of the longest run of backquotes.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|char| char != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Returns a block whose fence is longer than every run of backquotes in the content.
fn fenced(language: &str, content: &str) -> String {
    let fence = "`".repeat(3.max(longest_run(content) + 1));
    format!("{fence}{language}\n{content}\n{fence}\n")
}

/// Returns text as code in a line.
fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect();
    let ticks = "`".repeat(longest_run(&text) + 1);
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{ticks} {text} {ticks}"),
        false => format!("{ticks}{text}{ticks}"),
    }
}

/// Returns text in which Markdown has no meaning.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for char in text.chars() {
        if "\\`*_[]<>#|".contains(char) {
            plain.push('\\');
        }
        plain.push(char);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_closes_its_block() {
        assert_eq!(fenced("text", "a"), "```text\na\n```\n");
        assert_eq!(fenced("", "x\n````\ny"), "`````\nx\n````\ny\n`````\n");
        assert_eq!((code("a"), code("`a")), ("`a`".into(), "`` `a ``".into()));
        assert_eq!(input(b"a\x07"), "```sh\nprintf 'a\\007' > FILE\n```\n");
        assert!(input(&[b'x'; 5_000]).ends_with("1000 bytes more.\n"));
        assert_eq!(plain("a_b <c>"), "a\\_b \\<c\\>");
    }
}
