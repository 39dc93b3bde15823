//! The report as a document. Each section is complete enough for an issue.

use super::groups::FaultGroup;
use super::report::{ADVICE, Report, record_note};
use crate::document::{
    Content, Document, code, command, details, excerpt, heading, heading_at, item, lines, link,
    number, paragraph, severe, table,
};
use crate::fault::severity::Class;
use crate::numbers::counted;
use crate::problem::shown;
use crate::shell::{is_visible, printf};

/// The maximum number of bytes of a text that is not readable.
const MAX_TEXT: usize = 4_000;

/// The maximum number of artifacts that are shown without a click.
const MAX_OPEN: usize = 8;

pub fn page(report: &Report<'_>) -> Document {
    let mut page = paragraph(format!("{}.", report.headline()));
    // A table with a row for each group.
    if report.groups.len() > 1 {
        let has_severity = |group: &FaultGroup| group.fault.comparison().is_none();
        let severities = report.groups.iter().any(has_severity);
        let rows = (1..).zip(report.groups).map(|(at, group)| {
            let class = group.fault.severity.class;
            let severity = match has_severity(group) {
                true => coloured(class, class.to_string()),
                false => Content::default(),
            };
            let row = [
                at.to_string().into(),
                link(&format!("fault-{at}"), code(group.heading())),
                number(group.artifacts.len()),
            ];
            row.into_iter().chain(severities.then_some(severity))
        });
        let titles = ["", "fault", "artifacts"];
        let titles = titles.into_iter().chain(severities.then_some("severity"));
        page += table(titles, rows);
    }
    for number in 1..=report.groups.len() {
        page += section(report, number);
    }
    let passing: Vec<_> = report.passing().collect();
    if !passing.is_empty() {
        let paths = passing.iter().map(|artifact| shown(&artifact.path));
        page += heading("Does not fail any more");
        page += item(names(paths.collect()));
        page += paragraph(ADVICE);
        let notes = passing.iter().filter_map(|artifact| record_note(artifact));
        notes.for_each(|note| page += paragraph(note));
    }
    let title = Content::from("Faults of ") + code(shown(report.target));
    Document::new(title, page)
}

fn section(report: &Report<'_>, number: usize) -> Content {
    let group = &report.groups[number - 1];
    let fault = &group.fault;
    let mut section = heading_at(
        &format!("fault-{number}"),
        Content::from(format!("{number}. ")) + code(group.heading()),
    );
    let is_block = fault.message.contains('\n');
    if !fault.message.is_empty() && !is_block {
        section += item(Content::from("Message: ") + code(&fault.message));
    }
    if let Some(why) = &group.known {
        section += item(format!("Known: {why}"));
    }
    for (name, text) in [
        ("Shape: ", report.shape(group)),
        ("Cause: ", report.cause(group)),
    ] {
        section += text.map_or(Content::default(), |text| {
            item(Content::from(name) + code(text))
        });
    }
    let variants = report.variants(group);
    if !variants.is_empty() {
        let variants = Content::joined(variants.iter().map(code), ", ");
        section += item(Content::from("Fails by this cause, too: ") + variants);
    }
    if fault.comparison().is_none() {
        let severity = fault.severity.to_string();
        section += item(Content::from("Severity: ") + coloured(fault.severity.class, severity));
    }
    let paths = report.artifacts(group).into_iter();
    section += item(names(paths.map(|artifact| shown(&artifact.path)).collect()));
    if is_block {
        section += paragraph("Message:") + lines(&*fault.message);
    }
    if let Some(text) = &group.smallest.text {
        section += paragraph(format!("Input, {}{}:", group.smallest.how, line_end(text)));
        section += input(text);
    }
    if let Some(failing) = &group.smallest.failing {
        section +=
            paragraph("The program accepts this input, and fails on an equivalent sentence:");
        section += input(failing.equivalent.as_bytes());
        section += paragraph(Content::from("The equivalence is ") + code(&failing.equivalence));
    }
    section += paragraph("Reproduce:") + command(report.command(number));
    let stack = report.stack(group);
    if !stack.is_empty() {
        section += paragraph("Stack:") + lines(stack.join("\n"));
    }
    let notes = report.notes(number).into_iter();
    notes.fold(section, |section, note| section + paragraph(note))
}

/// Returns a text about a class of severity.
fn coloured(class: Class, text: String) -> Content {
    match class {
        Class::Exploitable | Class::ProbablyExploitable => severe(text),
        Class::NotExploitable | Class::Unknown => text.into(),
    }
}

/// Says whether a text ends in a line break, which a block does not show.
fn line_end(text: &[u8]) -> &'static str {
    match text.last() {
        Some(b'\n') => ", with a line break at its end",
        _ => "",
    }
}

/// Returns an input, or the command that writes it if some of its bytes are not visible.
fn input(text: &[u8]) -> Content {
    if is_visible(text) {
        return excerpt(text);
    }
    let shown = &text[..text.len().min(MAX_TEXT)];
    let input = command(printf(shown));
    match text.len() - shown.len() {
        0 => input,
        more => input + paragraph(format!("{} more.", counted(more, "byte"))),
    }
}

/// Returns the number of artifacts and their names.
fn names(paths: Vec<String>) -> Content {
    let name = |path: &String| code(path);
    let (first, rest) = paths.split_at(paths.len().min(MAX_OPEN));
    let first = Content::joined(first.iter().map(name), ", ");
    let names = Content::from(format!("{}: ", counted(paths.len(), "artifact"))) + first;
    match rest.len() {
        0 => names,
        more => {
            let rest = Content::joined(rest.iter().map(name), ", ");
            names + ", " + details(format!("{more} more"), false, rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_are_not_readable_are_commands() {
        let shown = |text: &[u8]| Document::new("", input(text)).markdown();
        assert!(shown(b"a\x07").ends_with("\n\n```sh\nprintf 'a\\007' > FILE\n```\n"));
        assert!(shown(&[b'x'; 5_000]).ends_with("x… 1000 bytes more\n```\n"));
        assert!(shown(&[7; 5_000]).ends_with("\n1000 bytes more.\n"));
    }
}
