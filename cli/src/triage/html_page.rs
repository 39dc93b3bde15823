//! The report as an HTML page: one file, without scripts, for light and dark screens.

use std::fmt::Write;

use super::report::{ADVICE, Report, counted, record_note};
use crate::fault::severity::Class;
use crate::html::{escaped, excerpt, head};
use crate::problem::shown;
use crate::shell::{is_visible, printf};

/// The style sheet.
const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --severe: #c22; }
@media (prefers-color-scheme: dark) { :root { --severe: #f77; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .3rem; overflow-wrap: anywhere; }
pre, code { font: 13px/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { border: 1px solid var(--line); border-radius: 4px; padding: .5rem .7rem; white-space: pre-wrap; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
td.n, th.n { text-align: right; } p { margin: .4rem 0; } .severe { color: var(--severe); font-weight: 600; }
@media print { body { margin: 0; } h2 { break-after: avoid; } }
";

/// The maximum number of artifacts that are shown without a click.
const MAX_OPEN: usize = 5;

/// Returns the page.
pub fn html(report: &Report<'_>) -> String {
    let title = format!("Faults of {}", escaped(&shown(report.target)));
    let mut page = head(&title, STYLE);
    let _ = write!(
        page,
        "<h1>{title}</h1>\n<p>{}.</p>\n",
        escaped(&report.headline())
    );
    overview(&mut page, report);
    for number in 1..=report.groups.len() {
        section(&mut page, report, number);
    }
    let passing: Vec<_> = report.passing().collect();
    if !passing.is_empty() {
        let paths = passing.iter().map(|artifact| shown(&artifact.path));
        let _ = write!(
            page,
            "<h2>Does not fail any more</h2>\n<p>{}: {}.</p>\n<p>{}</p>\n",
            counted(passing.len(), "artifact"),
            names(paths),
            escaped(ADVICE)
        );
        for note in passing.iter().filter_map(|artifact| record_note(artifact)) {
            let _ = writeln!(page, "<p>{}</p>", escaped(&note));
        }
    }
    page + "</body>\n</html>\n"
}

/// Writes a table with a row for each group.
fn overview(page: &mut String, report: &Report<'_>) {
    if report.groups.is_empty() {
        return;
    }
    page.push_str(
        "<table><tr><th></th><th>fault</th><th>severity</th><th class=\"n\">artifacts</th></tr>\n",
    );
    for (number, group) in (1..).zip(report.groups) {
        let _ = writeln!(
            page,
            "<tr><td>{number}</td><td><a href=\"#fault-{number}\"><code>{}</code></a></td><td{}>{}</td><td class=\"n\">{}</td></tr>",
            escaped(&group.heading()),
            severe(group.fault.severity.class),
            group.fault.severity.class,
            group.artifacts.len()
        );
    }
    page.push_str("</table>\n");
}

fn section(page: &mut String, report: &Report<'_>, number: usize) {
    let group = &report.groups[number - 1];
    let fault = &group.fault;
    let artifacts = report.artifacts(group);
    let _ = writeln!(
        page,
        "<h2 id=\"fault-{number}\">{number}. <code>{}</code></h2>",
        escaped(&group.heading())
    );
    let message = escaped(&fault.message);
    let _ = match fault.message.contains('\n') {
        true => writeln!(page, "<p>Message:</p>\n<pre>{message}</pre>"),
        false if message.is_empty() => Ok(()),
        false => writeln!(page, "<p>Message: <code>{message}</code></p>"),
    };
    if let Some(shape) = report.shape(group) {
        let _ = writeln!(page, "<p>Shape: <code>{}</code></p>", escaped(&shape));
    }
    if let Some(cause) = report.cause(group) {
        let _ = writeln!(page, "<p>Cause: <code>{}</code></p>", escaped(&cause));
    }
    let paths = artifacts.iter().map(|artifact| shown(&artifact.path));
    let _ = write!(
        page,
        "<p{}>Severity: {}</p>\n<details{}><summary>{}</summary>{}</details>\n",
        severe(fault.severity.class),
        escaped(&fault.severity.to_string()),
        if artifacts.len() > MAX_OPEN {
            ""
        } else {
            " open"
        },
        counted(artifacts.len(), "artifact"),
        names(paths)
    );
    if let Some(text) = &group.smallest.text {
        let shown = match is_visible(text) {
            true => excerpt(text),
            false => excerpt(printf(text).as_bytes()),
        };
        let how = escaped(&group.smallest.how);
        let _ = write!(page, "<p>Input, {how}:</p>\n<pre>{shown}</pre>\n");
    }
    let command = escaped(&report.command(number));
    let _ = write!(page, "<p>Reproduce:</p>\n<pre>{command}</pre>\n");
    let stack = report.stack(group);
    if !stack.is_empty() {
        let lines: Vec<String> = stack.iter().map(|line| escaped(line)).collect();
        let _ = write!(page, "<p>Stack:</p>\n<pre>{}</pre>\n", lines.join("\n"));
    }
    for note in report.notes(number) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&note));
    }
}

/// Returns the attribute of text about a class.
fn severe(class: Class) -> &'static str {
    match class {
        Class::Exploitable | Class::ProbablyExploitable => " class=\"severe\"",
        Class::NotExploitable | Class::Unknown => "",
    }
}

/// Returns a list of file names.
fn names(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names
        .map(|name| format!("<code>{}</code>", escaped(&name)))
        .collect();
    names.join(", ")
}
