//! The diagnosis as a page of text and as JSON.

use std::fmt::Write;

use console::Style;
use serde_json::{Value, json};

use super::diagnosis::{Cause, DiagnosedGroup, Diagnosis, kind_name};
use super::experiment::Measured;
use super::listing::{ListedCause, listed};
use super::parts::Parts;
use super::places::{Source, one_line};

/// The number of causes that are shown for each group.
pub const SHOWN: usize = 3;

/// The maximum number of characters of an example and of its reason on the page.
const MAX_LINE: usize = 160;

/// The maximum number of characters of a line of the second column.
const WIDTH: usize = 87;

/// A diagnosis with the grammar that it is of.
pub struct Page<'a> {
    pub source: &'a Source<'a>,
    pub parts: &'a Parts<'a>,
    pub diagnosis: &'a Diagnosis,
}

/// Returns a share in percent: `23.1 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Returns a text that is cut after [`MAX_LINE`] characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

/// Returns a text in lines of at most [`WIDTH`] characters, as far as its words allow. The lines
/// after the first one are indented as the second column of the page.
fn wrapped(text: &str) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            lines.push_str("\n             ");
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines
}

impl Page<'_> {
    /// Returns the first line: the grammar and its figures.
    pub fn headline(&self) -> String {
        let Diagnosis {
            sentences,
            valid,
            valid_edges,
            others,
            ..
        } = self.diagnosis;
        let share = percent(*valid as f64 / (*sentences).max(1) as f64);
        let others: String = others
            .iter()
            .map(|(word, other)| format!(", {} {word}", other.count))
            .collect();
        format!(
            "{}: {sentences} sentences, {share} valid{others}, {valid_edges} edges by valid sentences",
            self.source.name
        )
    }

    /// Returns the page. Colours are left out if standard output is no terminal.
    pub fn text(&self) -> String {
        let (bold, dim) = (Style::new().bold(), Style::new().dim());
        let mut text = format!("{}\n", bold.apply_to(self.headline()));
        if self.diagnosis.groups.is_empty() && self.diagnosis.rest.0 == 0 {
            text.push_str("\nNo sentence was rejected.\n");
        }
        for (word, other) in &self.diagnosis.others {
            let count = other.count;
            let title = format!("{count} with the outcome {word}");
            let _ = writeln!(text, "\n{}", bold.apply_to(title));
            let _ = writeln!(text, "   example   {}", cut(&one_line(&other.example)));
        }
        if !self.diagnosis.groups.is_empty() {
            let Measured {
                sentences, valid, ..
            } = &self.diagnosis.whole;
            let _ = writeln!(
                text,
                "{}",
                dim.apply_to(format!(
                    "Each experiment has {sentences} sentences; of as many sentences of the whole grammar, {} are valid.",
                    percent(*valid)
                ))
            );
        }
        for (number, group) in (1..).zip(&self.diagnosis.groups) {
            let share = percent(group.share);
            let pattern = match group.pattern.to_string() {
                pattern if pattern.is_empty() => "rejected without a reason".into(),
                pattern => pattern,
            };
            let _ = writeln!(
                text,
                "\n{}",
                bold.apply_to(format!("{number}. {share:>7}  {}", cut(&pattern)))
            );
            let _ = writeln!(text, "   example   {}", cut(&one_line(&group.example)));
            if !group.reason.is_empty() {
                let reason = cut(&one_line(group.reason.as_bytes()));
                let _ = writeln!(text, "   reason    {}", dim.apply_to(reason));
            }
            let listed = listed(group, &self.diagnosis.whole, SHOWN);
            for (
                at,
                ListedCause {
                    cause,
                    is_clear,
                    same,
                },
            ) in listed.iter().enumerate()
            {
                let title = if at == 0 { "suspects" } else { "" };
                let place = self.source.place(self.parts.get(cause.suspect.part));
                let described = self.source.described(self.parts, cause.suspect.part);
                let _ = writeln!(text, "   {title:<9} {}  {described}", bold.apply_to(place));
                let _ = writeln!(
                    text,
                    "             {}",
                    dim.apply_to(wrapped(&self.evidence(group, cause, *is_clear)))
                );
                if !same.is_empty() {
                    let same = format!("the same effect: {}", self.folded(same));
                    let _ = writeln!(text, "             {}", dim.apply_to(wrapped(&same)));
                }
            }
            if let Some(mend) = &group.mend {
                let _ = writeln!(text, "   to mend   {}", wrapped(&mend.to_string()));
            }
        }
        if let (1.., count) = self.diagnosis.rest {
            let share = percent(count as f64 / self.diagnosis.sentences.max(1) as f64);
            let _ = writeln!(
                text,
                "\n{} {}reasons of rejections, together {share} of the sentences; --groups N shows more",
                self.diagnosis.rest.0,
                if self.diagnosis.groups.is_empty() {
                    ""
                } else {
                    "more "
                }
            );
        }
        let first = self.diagnosis.groups.first();
        if first.is_some_and(|group| group.pattern.to_string().is_empty()) {
            text.push_str(
                "\nThe target gives no reasons. Return a Result whose error can be displayed, or call zester::report_reason; in C, call\n\
                 zester_report_reason. --reason-from-stderr REGEX takes reasons from what the target prints.\n",
            );
        }
        text
    }

    /// Returns causes with their places, as one line.
    pub fn folded(&self, causes: &[&Cause]) -> String {
        let one = |cause: &&Cause| {
            let part = self.parts.get(cause.suspect.part);
            let (line, column) = self.source.position(part.start);
            let described = self.source.described(self.parts, cause.suspect.part);
            format!("{line}:{column} {described}")
        };
        causes.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    /// Returns what speaks against a part. `is_clear` is whether the experiment does.
    fn evidence(&self, group: &DiagnosedGroup, cause: &Cause, is_clear: bool) -> String {
        let whole = &self.diagnosis.whole;
        let Some(without) = &cause.without else {
            return format!(
                "cannot be left out, because no sentence is left; association {:.2}",
                cause.suspect.ochiai
            );
        };
        if !is_clear {
            return format!(
                "association {:.2}; the experiment shows no clear effect: without it {} instead of {} are rejected for this reason",
                cause.suspect.ochiai,
                percent(without.share_of(&group.pattern)),
                percent(whole.share_of(&group.pattern)),
            );
        }
        let lost = whole.valid_edges as i64 - without.valid_edges as i64;
        let edges = match lost {
            1 => "1 edge fewer".into(),
            2.. => format!("{lost} edges fewer"),
            0 => "as many edges".into(),
            -1 => "1 edge more".into(),
            _ => format!("{} edges more", -lost),
        };
        format!(
            "without it {} instead of {} are rejected for this reason, {} instead of {} are valid, {edges}",
            percent(without.share_of(&group.pattern)),
            percent(whole.share_of(&group.pattern)),
            percent(without.valid),
            percent(whole.valid),
        )
    }

    /// Returns the diagnosis as JSON.
    pub fn json(&self) -> Value {
        let Diagnosis {
            sentences,
            valid,
            valid_edges,
            others,
            whole,
            groups,
            ..
        } = self.diagnosis;
        let groups: Vec<Value> = groups.iter().map(|group| self.group(group)).collect();
        let causes: Vec<Value> = self
            .diagnosis
            .causes()
            .into_iter()
            .map(|(at, cause)| {
                let mut value = self.cause(&self.diagnosis.groups[at], cause);
                value["group"] = json!(at);
                value
            })
            .collect();
        json!({
            "version": 1,
            "grammar": self.source.name,
            "sentences": sentences,
            "valid": valid,
            "valid_edges": valid_edges,
            "others": others.iter().map(|(word, other)| {
                let example = String::from_utf8_lossy(&other.example);
                (word.clone(), json!({"count": other.count, "example": example}))
            }).collect::<serde_json::Map<_, _>>(),
            "experiment": {"sentences": whole.sentences, "valid": whole.valid, "valid_edges": whole.valid_edges},
            "groups": groups,
            "suspects": causes,
        })
    }

    fn group(&self, group: &DiagnosedGroup) -> Value {
        let causes: Vec<Value> = group
            .causes
            .iter()
            .map(|cause| self.cause(group, cause))
            .collect();
        json!({
            "reason": group.pattern.to_string(),
            "count": group.count,
            "share": group.share,
            "example": {"text": String::from_utf8_lossy(&group.example), "reason": group.reason},
            "suspects": causes,
            "mend": group.mend.as_ref().map(ToString::to_string),
        })
    }

    fn cause(&self, group: &DiagnosedGroup, cause: &Cause) -> Value {
        let part = self.parts.get(cause.suspect.part);
        let (line, column) = self.source.position(part.start);
        let without = cause.without.as_ref().map(|without| {
            json!({
                "valid": without.valid,
                "rejected_so": without.share_of(&group.pattern),
                "valid_edges": without.valid_edges,
            })
        });
        json!({
            "rule": self.parts.rule(cause.suspect.part),
            "kind": kind_name(part.kind),
            "line": line,
            "column": column,
            "bytes": [part.start, part.end],
            "source": self.source.excerpt(part),
            "association": cause.suspect.ochiai,
            "named": cause.suspect.named,
            "without": without,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_wrapped_between_words() {
        let text = "word ".repeat(40);
        let wrapped = wrapped(text.trim_end());
        let lines: Vec<&str> = wrapped.lines().collect();
        assert!(lines.len() == 3 && lines.iter().all(|line| line.trim_start().len() <= WIDTH));
        assert_eq!(wrapped.split_whitespace().count(), 40);
        assert_eq!(super::wrapped("short"), "short");
    }
}
