//! The part of the page about a corpus that was run again.

use std::fmt::Write;

use super::material::Shown;
use super::replay::{Replay, Usage};
use super::summary::grouped;
use crate::html::{escaped, excerpt, first_line};

/// Writes the section.
pub fn section(replay: &Replay, text: &mut String) {
    cut(replay, text);
    outcomes(replay, text);
    failures(replay, text);
    slowest(replay, text);
    unstable(replay, text);
    if let Some(usage) = &replay.usage {
        alternatives(usage, text);
    }
    sample(replay, text);
}

/// Writes a message if the time was too short for all inputs.
fn cut(replay: &Replay, text: &mut String) {
    for (what, run, all) in [
        ("inputs of the corpus", replay.run, replay.inputs),
        ("artifacts", replay.failures.run, replay.failures.artifacts),
    ] {
        if run < all {
            let _ = writeln!(
                text,
                "<p class=\"note\">The time was too short: {run} of {all} {what} were run. <code>--replay-for SECONDS</code> gives more time.</p>"
            );
        }
    }
}

fn outcomes(replay: &Replay, text: &mut String) {
    let outcomes = replay.outcomes.iter();
    let outcomes: Vec<String> = outcomes
        .map(|(outcome, count)| format!("{} {}", grouped(*count as u64), escaped(outcome)))
        .collect();
    let run = grouped(replay.run as u64);
    let list = if outcomes.is_empty() {
        String::new()
    } else {
        format!(": {}", outcomes.join(", "))
    };
    let _ = writeln!(
        text,
        "<p>{run} inputs of the corpus were run again{list}.</p>"
    );
}

fn failures(replay: &Replay, text: &mut String) {
    text.push_str("<h3>Failures</h3>\n");
    if replay.failures.groups.is_empty() {
        text.push_str("<p>None.</p>\n");
        return;
    }
    table(
        &["count", "artifacts"],
        &["signature", "sentence of the smallest artifact"],
        text,
    );
    for failure in &replay.failures.groups {
        let count = failure.count.map_or_else(|| "not counted".into(), grouped);
        let sentence = failure.smallest.as_ref().map_or_else(String::new, |shown| {
            format!("{}<small>{}</small>", folded(&shown.text), name(shown))
        });
        let _ = writeln!(
            text,
            "<tr><td class=\"number\">{count}</td><td class=\"number\">{}</td><td class=\"signature\"><code>{}</code></td><td class=\"text\">{sentence}</td></tr>",
            failure.artifacts,
            escaped(&failure.signature)
        );
    }
    text.push_str("</table></div>\n");
}

fn slowest(replay: &Replay, text: &mut String) {
    text.push_str("<h3>Slowest inputs</h3>\n");
    table(&["milliseconds", "bytes"], &["sentence"], text);
    for (time, shown) in &replay.slowest {
        let milliseconds = format!("{:.3}", 1e3 * time.as_secs_f64());
        row(
            &[milliseconds, grouped(shown.text.len() as u64)],
            shown,
            text,
        );
    }
    text.push_str("</table></div>\n");
}

fn unstable(replay: &Replay, text: &mut String) {
    text.push_str("<h3>Replay stability</h3>\n");
    let Replay {
        repeated, stable, ..
    } = *replay;
    let share = 100.0 * stable as f64 / repeated.max(1) as f64;
    let _ = writeln!(
        text,
        "<p>{stable} of {repeated} inputs ({share:.1} %) covered the same edges when they were run a second time.</p>"
    );
    if replay.unstable.is_empty() {
        return;
    }
    table(&["different edges", "bytes"], &["sentence"], text);
    for (edges, shown) in &replay.unstable {
        let numbers = [edges.to_string(), grouped(shown.text.len() as u64)];
        row(&numbers, shown, text);
    }
    text.push_str("</table></div>\n");
}

fn alternatives(usage: &Usage, text: &mut String) {
    let _ = writeln!(
        text,
        "<h3>Alternatives of the grammar</h3>\n<p>The corpus uses {} alternatives.</p>",
        usage.count
    );
    if usage.unused.is_empty() {
        return;
    }
    let number: usize = usage.unused.values().map(Vec::len).sum();
    let _ = writeln!(
        text,
        "<details><summary>{number} alternatives are never used</summary>"
    );
    table(&[], &["rule", "numbers of its alternatives"], text);
    for (rule, numbers) in &usage.unused {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let (rule, numbers) = (escaped(rule), numbers.join(", "));
        let _ = writeln!(
            text,
            "<tr><td><code>{rule}</code></td><td class=\"text\">{numbers}</td></tr>"
        );
    }
    text.push_str("</table></div></details>\n");
}

fn sample(replay: &Replay, text: &mut String) {
    if replay.sample.is_empty() {
        return;
    }
    text.push_str("<h3>Sentences of the corpus, from small to large inputs</h3>\n");
    table(&["bytes"], &["sentence"], text);
    for shown in &replay.sample {
        row(&[grouped(shown.text.len() as u64)], shown, text);
    }
    text.push_str("</table></div>\n");
}

/// Begins a table: columns of numbers, then columns of texts.
fn table(numbers: &[&str], texts: &[&str], text: &mut String) {
    text.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for title in numbers {
        let _ = write!(text, "<th class=\"number\">{title}</th>");
    }
    for title in texts {
        let _ = write!(text, "<th>{title}</th>");
    }
    text.push_str("</tr></thead>\n");
}

/// Writes a row with numbers and the sentence of an input.
fn row(numbers: &[String], shown: &Shown, text: &mut String) {
    text.push_str("<tr>");
    for number in numbers {
        let _ = write!(text, "<td class=\"number\">{number}</td>");
    }
    let _ = writeln!(
        text,
        "<td class=\"text\">{}<small>{}</small></td></tr>",
        folded(&shown.text),
        name(shown)
    );
}

/// Returns a sentence. Long ones are folded.
fn folded(sentence: &[u8]) -> String {
    let pre = format!("<pre>{}</pre>", excerpt(sentence));
    let is_short =
        sentence.len() <= 240 && sentence.iter().filter(|byte| **byte == b'\n').count() < 8;
    match is_short {
        true => pre,
        false => format!(
            "<details><summary><code>{}…</code></summary>{pre}</details>",
            first_line(sentence)
        ),
    }
}

/// Returns the escaped name of the file of an input.
fn name(shown: &Shown) -> String {
    escaped(&shown.file.file_name().unwrap_or_default().to_string_lossy())
}
