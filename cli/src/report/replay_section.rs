//! The part of the page about a corpus that was run again.

use super::material::Shown;
use super::replay::{Replay, Usage};
use super::summary::grouped;
use crate::document::{
    Content, code, details, folded, note, number, paragraph, small, subheading, table,
};
use crate::numbers::counted;

pub fn section(replay: &Replay) -> Content {
    let mut section = cut(replay) + outcomes(replay) + failures(replay);
    let rows = replay.slowest.iter().map(|(time, shown)| {
        let milliseconds = format!("{:.3}", 1e3 * time.as_secs_f64());
        [number(milliseconds), length(shown), sentence(shown)]
    });
    section += subheading("Slowest inputs");
    section += table(["milliseconds", "bytes", "sentence"], rows);
    section += unstable(replay);
    if let Some(usage) = &replay.usage {
        section += alternatives(usage);
    }
    if !replay.sample.is_empty() {
        let sample = replay.sample.iter();
        section += subheading("Sentences of the corpus, from small to large inputs")
            + table(
                ["bytes", "sentence"],
                sample.map(|shown| [length(shown), sentence(shown)]),
            );
    }
    section
}

/// Returns a message if the time was too short for all inputs.
fn cut(replay: &Replay) -> Content {
    let mut messages = Content::default();
    for (what, run, all) in [
        ("inputs of the corpus", replay.run, replay.inputs),
        ("artifacts", replay.failures.run, replay.failures.artifacts),
    ] {
        if run < all {
            let message = format!("The time was too short: {run} of {all} {what} were run. ");
            messages +=
                note(Content::from(message) + code("--replay-for SECONDS") + " gives more time.");
        }
    }
    messages
}

fn outcomes(replay: &Replay) -> Content {
    let outcomes = replay.outcomes.iter();
    let outcomes: Vec<String> = outcomes
        .map(|(outcome, count)| format!("{} {outcome}", grouped(*count as u64)))
        .collect();
    let colon = if outcomes.is_empty() { "" } else { ": " };
    paragraph(format!(
        "inputs of the corpus that were run again: {}{colon}{}.",
        grouped(replay.run as u64),
        outcomes.join(", ")
    ))
}

fn failures(replay: &Replay) -> Content {
    if replay.failures.groups.is_empty() {
        return subheading("Failures") + paragraph("None.");
    }
    let rows = replay.failures.groups.iter().map(|failure| {
        [
            number(failure.count.map_or("not counted".into(), grouped)),
            number(failure.artifacts),
            code(&failure.signature),
            failure
                .smallest
                .as_ref()
                .map_or(Content::default(), sentence),
        ]
    });
    let smallest = "sentence of the smallest artifact";
    subheading("Failures") + table(["count", "artifacts", "signature", smallest], rows)
}

fn unstable(replay: &Replay) -> Content {
    let Replay {
        repeated, stable, ..
    } = *replay;
    let share = 100.0 * stable as f64 / repeated.max(1) as f64;
    let section = subheading("Replay stability")
        + paragraph(format!(
            "{stable} of {repeated} inputs ({share:.1} %) covered the same edges when they were run a second time."
        ));
    if replay.unstable.is_empty() {
        return section;
    }
    let rows = replay.unstable.iter();
    let rows = rows.map(|(edges, shown)| [number(edges), length(shown), sentence(shown)]);
    section + table(["different edges", "bytes", "sentence"], rows)
}

fn alternatives(usage: &Usage) -> Content {
    let section = subheading("Alternatives of the grammar")
        + paragraph(format!("The corpus uses {} alternatives.", usage.count));
    if usage.unused.is_empty() {
        return section;
    }
    let count: usize = usage.unused.values().map(Vec::len).sum();
    let rows = usage.unused.iter().map(|(rule, numbers)| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        [code(rule), numbers.join(", ").into()]
    });
    section
        + details(
            format!("never used: {}", counted(count, "alternative")),
            false,
            table(["rule", "numbers of its alternatives"], rows),
        )
}

/// Returns the length of an input in bytes.
fn length(shown: &Shown) -> Content {
    number(grouped(shown.text.len() as u64))
}

/// Returns a sentence and the name of its file. A long sentence is folded.
fn sentence(shown: &Shown) -> Content {
    let name = shown.file.file_name().unwrap_or_default();
    folded(&shown.text) + small(name.to_string_lossy().into_owned())
}
