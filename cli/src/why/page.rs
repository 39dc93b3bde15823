//! The diagnosis as a page of text and as JSON.

use std::fmt::Write;

use console::Style;
use serde_json::{Value, json};

use super::diagnosis::{DiagnosedGroup, Diagnosis, kind_name};
use super::experiment::{Cause, Measured};
use super::locations::{Source, one_line};
use super::parts::Parts;
use super::trial::Symptom;
use crate::numbers::counted;

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

/// Returns the title of a group.
pub fn title(symptom: &Symptom) -> String {
    match symptom.to_string() {
        title if title.is_empty() => "rejected without a reason".into(),
        title => title,
    }
}

/// Returns a text that is cut after [`MAX_LINE`] characters.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

/// Returns an example on one line, cut if it is long. It is in quotation marks if it begins or ends
/// with a blank.
pub fn example_line(text: &[u8]) -> String {
    let line = cut(&one_line(text));
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    match is_blank(text.first()) || is_blank(text.last()) {
        true => format!("\"{line}\""),
        false => line,
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
        let count_of = |is_failure: bool, word: &str| {
            let is_wanted =
                |what: &String| Symptom::Outcome(what.clone()).is_failure() == is_failure;
            let wanted = others.iter().filter(|(what, _)| is_wanted(what));
            match wanted.map(|(_, other)| other.count).sum::<usize>() {
                0 => String::new(),
                count => format!(", {count} {word}"),
            }
        };
        let (failed, unknown) = (count_of(true, "failed"), count_of(false, "unknown"));
        format!(
            "{}: {}, {share} valid{failed}{unknown}, {} by valid sentences",
            self.source.name,
            counted(sentences, "sentence"),
            counted(valid_edges, "edge")
        )
    }

    /// Returns the page. Colours are left out if standard output is no terminal.
    pub fn text(&self) -> String {
        let (bold, dim) = (Style::new().bold(), Style::new().dim());
        let mut text = format!("{}\n", bold.apply_to(self.headline()));
        if let (1.., count) = self.diagnosis.left_out {
            let _ = writeln!(
                text,
                "{} of {count} generated sentences have a wrong name on purpose. They are left out here, and count in `zester generate` and `zester run`",
                self.diagnosis.left_out.0
            );
        }
        if self.diagnosis.groups.is_empty() && self.diagnosis.rest.0 == 0 {
            text.push_str("\nNo sentence was rejected.\n");
        }
        if self.diagnosis.is_whole_separate && !self.diagnosis.groups.is_empty() {
            let Measured {
                sentences, valid, ..
            } = self.diagnosis.whole;
            let _ = writeln!(
                text,
                "Experiments are compared with {sentences} other generated sentences of the whole grammar: {} are valid",
                percent(valid)
            );
        }
        let is_examined = |word: &String| {
            let symptom = Symptom::Outcome(word.clone());
            let mut groups = self.diagnosis.groups.iter();
            groups.any(|group| group.symptom == symptom)
        };
        let others = self.diagnosis.others.iter();
        for (word, other) in others.filter(|(word, _)| !is_examined(word)) {
            let count = other.count;
            let title = format!("{count} with the outcome {word}");
            let _ = writeln!(text, "\n{}", bold.apply_to(title));
            let _ = writeln!(text, "   example   {}", example_line(&other.example));
        }
        for (number, group) in (1..).zip(&self.diagnosis.groups) {
            let share = percent(group.share);
            let title = title(&group.symptom);
            let _ = writeln!(
                text,
                "\n{}",
                bold.apply_to(format!("{number}. {share:>7}  {}", cut(&title)))
            );
            let _ = writeln!(text, "   example   {}", example_line(&group.example));
            if !group.reason.is_empty() {
                let reason = cut(&one_line(group.reason.as_bytes()));
                let name = match group.symptom.is_outcome() {
                    true => "message",
                    false => "reason",
                };
                let _ = writeln!(text, "   {name:<9} {}", dim.apply_to(reason));
            }
            for (at, cause) in group.causes.iter().take(SHOWN).enumerate() {
                let title = if at == 0 { "suspects" } else { "" };
                let location = self.source.location(self.parts.get(cause.suspect.part));
                let described = self.source.described(self.parts, cause.suspect.part);
                let _ = writeln!(
                    text,
                    "   {title:<9} {}  {described}",
                    bold.apply_to(location)
                );
                let _ = writeln!(
                    text,
                    "             {}",
                    dim.apply_to(wrapped(&self.evidence(group, cause)))
                );
            }
            if let Some(mend) = &group.mend {
                let _ = writeln!(text, "   to mend   {}", wrapped(&mend.to_string()));
            }
        }
        if let (1.., count) = self.diagnosis.rest {
            let share = percent(count as f64 / self.diagnosis.sentences.max(1) as f64);
            let _ = writeln!(
                text,
                "\n{} {}reasons of rejections, together {share} of the sentences; --groups N shows more, if they have 0.2 % each.\n`zester run --reasons` lists all reasons of files, also of longer sentences",
                self.diagnosis.rest.0,
                if self.diagnosis.groups.is_empty() {
                    ""
                } else {
                    "more "
                }
            );
        }
        let mut groups = self.diagnosis.groups.iter();
        let first = groups.find(|group| !group.symptom.is_outcome());
        if first.is_some_and(|group| group.symptom.to_string().is_empty()) {
            text.push_str(
                "\nThe target gives no reasons. Return a Result whose error can be displayed, or call zester::report_reason; in C, call\n\
                 zester_report_reason. --reason-from-stderr REGEX takes reasons from what the target prints.\n",
            );
        }
        text
    }

    /// Returns the evidence against a part.
    pub fn evidence(&self, group: &DiagnosedGroup, cause: &Cause) -> String {
        let whole = &self.diagnosis.whole;
        let Some(without) = &cause.without else {
            return format!(
                "cannot be left out, because no sentence is left; association {:.2}",
                cause.suspect.ochiai
            );
        };
        let lost = whole.valid_edges as i64 - without.valid_edges as i64;
        let edges = match lost {
            1.. => format!("{} fewer", counted(lost, "edge")),
            0 => "as many edges".into(),
            _ => format!("{} more", counted(-lost, "edge")),
        };
        let failed = match &group.symptom {
            Symptom::Outcome(_) => "have this outcome",
            Symptom::Rejection(_) => "are rejected for this reason",
        };
        let chance = match cause.is_clear {
            true => "",
            false => "; the difference may be due to chance",
        };
        format!(
            "without it {} instead of {} {failed}, {} instead of {} are valid, {edges}{chance}",
            percent(without.share_of(&group.symptom)),
            percent(whole.share_of(&group.symptom)),
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
            "left_out": self.diagnosis.left_out.0,
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
            "outcome": match &group.symptom {
                Symptom::Outcome(word) => word,
                Symptom::Rejection(_) => "invalid",
            },
            "reason": match &group.symptom {
                Symptom::Outcome(_) => String::new(),
                Symptom::Rejection(pattern) => pattern.to_string(),
            },
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
                "rejected_so": without.share_of(&group.symptom),
                "is_clear": cause.is_clear,
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
    fn examples_with_blanks_at_an_end_are_quoted() {
        assert_eq!(example_line(b"a b"), "a b");
        assert_eq!(example_line(b"a \"b\" "), "\"a \"b\" \"");
        assert_eq!(example_line(b"\na"), "\"\\na\"");
        assert_eq!(example_line(b""), "\"\"");
    }

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
