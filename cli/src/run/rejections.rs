//! The files that a target rejected, in groups by the patterns of their reasons.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use console::Style;
use regex::Regex;
use serde_json::{Value, json};
use zester::Validity;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Edits, PastEnd, Settings};
use zester::subject::{Outcome, Run};

use crate::fuzz_target::FuzzTarget;
use crate::input::parse;
use crate::problem::shown;
use crate::reasons::{self, Detail, DetailKind, FixedWords, Pattern};

/// The maximum number of columns of a line on a terminal.
const COLUMNS: usize = 100;

/// The maximum length in bytes of a text that is printed.
const SHORT: usize = 200;

/// The number of columns before the text of a group.
const INDENT: usize = 16;

/// Finds the reasons of a target.
pub struct ReasonFinder {
    /// The expression that finds a reason in the output of a run. Without one, the target reports
    /// reasons.
    expression: Option<Regex>,
    /// The grammar of the target. A target whose inputs are Rust values (`Arbitrary`) has none.
    grammar: Option<Grammar>,
    fixed: FixedWords,
}

impl ReasonFinder {
    /// Returns a finder for a target. `name` is the target as the user wrote it.
    pub fn new(target: &FuzzTarget, name: &Path, expression: Option<Regex>) -> ReasonFinder {
        let grammar = target
            .grammar()
            .and_then(|source| parse(name, &source, None, &Caps::default()));
        let grammar = grammar.ok().map(|(grammar, _)| grammar);
        ReasonFinder {
            expression,
            fixed: grammar.as_ref().map(FixedWords::of).unwrap_or_default(),
            grammar,
        }
    }

    /// Returns whether the target reports the reasons itself.
    pub fn asks(&self) -> bool {
        self.expression.is_none()
    }

    /// Sets the reason of a run if it is found in the output of the run.
    pub fn find(&self, run: &mut Run, output: impl FnOnce() -> String) {
        let Some(expression) = &self.expression else {
            return;
        };
        if run.outcome == Outcome::Finished(Validity::Valid) {
            return;
        }
        run.reason = reasons::in_output(expression, &output());
    }

    /// Returns the rejection of a run, or [`None`] if the target did not reject the sentence. A run
    /// without a report, or one that called `exit`, is a rejection if it has a reason. `bytes` is the
    /// sentence, or its parameters.
    pub fn rejection(&self, run: &Run, bytes: &[u8], are_parameters: bool) -> Option<Rejection> {
        let is_rejected = match run.outcome {
            Outcome::Finished(Validity::Invalid) => true,
            Outcome::Finished(Validity::Unknown) | Outcome::Exit(_) => run.reason.is_some(),
            _ => false,
        };
        if !is_rejected {
            return None;
        }
        let text = match &self.grammar {
            Some(grammar) if are_parameters => {
                // A target decodes its inputs with these settings.
                let settings = Settings::default()
                    .past_end(PastEnd::Simplest)
                    .edits(Edits::On);
                Decoder::new(grammar).settings(settings).text(bytes).into()
            }
            _ => bytes.to_vec(),
        };
        let is_fixed = |word: &str| self.fixed.contains(word);
        let found = run
            .reason
            .as_ref()
            .map(|reason| reasons::pattern(reason, &text, &is_fixed));
        let (pattern, details) = found.unzip();
        let details = details.unwrap_or_default().into_iter();
        Some(Rejection {
            pattern,
            reason: run.reason.clone(),
            details: details.map(|detail| json_of(&detail, &text)).collect(),
            size: text.len(),
            text: (text.len() <= SHORT).then(|| String::from_utf8_lossy(&text).into()),
        })
    }

    /// Returns the title of the group without a reason, and advice.
    fn without_reason(&self) -> (&'static str, &'static str) {
        if self.asks() {
            let advice = "in Rust, return the error from the body; in C, call zester_report_reason";
            ("(the target reported no reason)", advice)
        } else {
            let advice = "--reason-from-stderr does not match the output of these runs";
            ("(no reason was found)", advice)
        }
    }
}

/// A rejected sentence.
pub struct Rejection {
    pattern: Option<Pattern>,
    reason: Option<String>,
    /// The parts of the reason that the pattern has placeholders for, in JSON.
    details: Vec<Value>,
    /// The length of the sentence in bytes.
    size: usize,
    /// The sentence, if it is short.
    text: Option<String>,
}

/// The rejections with one pattern. `file` has the smallest sentence.
struct RejectionGroup {
    count: usize,
    file: PathBuf,
    /// The rejection of the smallest sentence.
    smallest: Rejection,
}

/// All rejections, grouped by the patterns of their reasons.
#[derive(Default)]
pub struct Rejections(BTreeMap<Option<Pattern>, RejectionGroup>);

impl Rejections {
    pub fn add(&mut self, file: &Path, rejection: Rejection) {
        let Some(group) = self.0.get_mut(&rejection.pattern) else {
            let group = RejectionGroup {
                count: 1,
                file: file.into(),
                smallest: rejection,
            };
            self.0.insert(group.smallest.pattern.clone(), group);
            return;
        };
        group.count += 1;
        if rejection.size < group.smallest.size {
            (group.file, group.smallest) = (file.into(), rejection);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the groups, the one with the most files first.
    fn groups(&self) -> Vec<&RejectionGroup> {
        let mut groups: Vec<&RejectionGroup> = self.0.values().collect();
        groups.sort_by_key(|group| (Reverse(group.count), group.smallest.pattern.is_none()));
        groups
    }

    /// Returns a JSON object for each group, in one line each. `all` is the number of all files.
    pub fn json(&self, all: usize) -> String {
        let object = |group: &RejectionGroup| {
            let smallest = &group.smallest;
            json!({
                "group": smallest.pattern.as_ref().map(ToString::to_string),
                "count": group.count,
                "share": group.count as f64 / all.max(1) as f64,
                "smallest": group.file.to_string_lossy(),
                "bytes": smallest.size,
                "reason": smallest.reason,
                "details": smallest.details,
                "text": smallest.text,
            })
        };
        let groups = self.groups();
        groups
            .into_iter()
            .map(|group| format!("{}\n", object(group)))
            .collect()
    }

    /// Returns the groups for people. `all` is the number of all files. On a terminal, long lines are
    /// cut.
    pub fn text(&self, all: usize, finder: &ReasonFinder) -> String {
        let columns = std::io::stdout().is_terminal().then_some(COLUMNS - INDENT);
        let groups = self.groups();
        let text = |group| group_text(group, all, finder, columns);
        groups.into_iter().map(text).collect()
    }
}

/// Returns the lines of a group, each with at most `columns` columns after the indentation.
fn group_text(
    group: &RejectionGroup,
    all: usize,
    finder: &ReasonFinder,
    columns: Option<usize>,
) -> String {
    let RejectionGroup {
        count,
        file,
        smallest,
    } = group;
    let share = 100.0 * *count as f64 / all.max(1) as f64;
    let pattern = match &smallest.pattern {
        Some(pattern) => cut(&pattern.to_string(), columns),
        None => finder.without_reason().0.to_string(),
    };
    let pattern = Style::new().bold().apply_to(pattern);
    let mut text = format!("{count:>6} {share:>5.1} %  {pattern}\n");
    let mut add = |name: &str, value: &str| {
        let line = cut(&format!("{name:<9}{value}"), columns);
        text.push_str(&format!("{:INDENT$}{line}\n", ""));
    };
    add(
        "smallest",
        &format!("{} ({} B)", shown(file), smallest.size),
    );
    match &smallest.reason {
        Some(reason) => add("reason", &one_line(reason)),
        None => add("help", finder.without_reason().1),
    }
    if let Some(short) = &smallest.text {
        add("text", &one_line(short));
    }
    text + "\n"
}

/// Returns a detail in JSON. A location inside the sentence has an offset.
fn json_of(detail: &Detail, sentence: &[u8]) -> Value {
    let mut object = json!({ "kind": detail.kind.name(), "text": detail.text });
    let is_location = detail.kind == DetailKind::Location;
    if let Some(offset) = reasons::offset(&detail.text, sentence).filter(|_| is_location) {
        object["offset"] = json!(offset);
    }
    object
}

/// Returns a text in one line. Control characters and backslashes are escaped.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for char in text.chars() {
        match char.is_control() || char == '\\' {
            true => line.extend(char.escape_default()),
            false => line.push(char),
        }
    }
    line
}

/// Cuts a line after a number of columns, with an ellipsis.
fn cut(line: &str, columns: Option<usize>) -> String {
    match columns {
        Some(columns) if line.chars().count() > columns => {
            line.chars().take(columns - 1).chain(['…']).collect()
        }
        _ => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn finder(expression: Option<&str>) -> ReasonFinder {
        ReasonFinder {
            expression: expression.map(|text| Regex::new(text).unwrap()),
            grammar: None,
            fixed: FixedWords::default(),
        }
    }

    fn run(validity: Validity, reason: Option<&str>) -> Run {
        let mut run = Run::new(Outcome::Finished(validity), Duration::ZERO);
        run.reason = reason.map(Into::into);
        run
    }

    #[test]
    fn the_largest_group_is_first_and_has_its_smallest_sentence() {
        let (finder, mut rejections) = (finder(None), Rejections::default());
        for (file, reason, text) in [
            ("1", None, "?"),
            ("2", Some("unknown name x1"), "f(x1)\n"),
            ("3", Some("unknown name y"), "y\\"),
        ] {
            let run = run(Validity::Invalid, reason);
            let rejection = finder.rejection(&run, text.as_bytes(), false);
            rejections.add(Path::new(file), rejection.unwrap());
        }
        let text = rejections.text(4, &finder);
        let expected = "     2  50.0 %  unknown name ‹name›
                smallest 3 (2 B)
                reason   unknown name y
                text     y\\\\

     1  25.0 %  (the target reported no reason)
                smallest 1 (1 B)
                help     in Rust, return";
        assert!(text.starts_with(expected), "{text}");
        let json = rejections.json(4);
        let first: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        assert_eq!(
            first,
            json!({
                "group": "unknown name ‹name›", "count": 2, "share": 0.5, "smallest": "3",
                "bytes": 2, "reason": "unknown name y", "text": "y\\",
                "details": [{ "kind": "name", "text": "y" }],
            })
        );
    }

    #[test]
    fn valid_sentences_and_runs_without_a_report_are_no_rejections() {
        let is_rejected = |run: &Run| finder(None).rejection(run, b"", false).is_some();
        assert!(is_rejected(&run(Validity::Invalid, None)));
        assert!(!is_rejected(&run(Validity::Valid, Some("a reason"))));
        assert!(!is_rejected(&run(Validity::Unknown, None)));
        assert!(is_rejected(&run(Validity::Unknown, Some("a reason"))));
    }

    #[test]
    fn the_reason_is_the_first_match_or_its_first_group() {
        for (expression, output, expected) in [
            ("error: .*", "a\nerror: b\nerror: c", Some("error: b")),
            ("error: (.*)", "error: b", Some("b")),
            ("x(a)?(b)?", "xb", Some("b")),
            ("(?m)^error: *(.*)$", "error: ", None),
            ("error", "fine", None),
        ] {
            let mut run = run(Validity::Invalid, None);
            finder(Some(expression)).find(&mut run, || output.into());
            assert_eq!(run.reason.as_deref(), expected, "{expression}");
        }
    }

    #[test]
    fn long_lines_are_cut_on_a_terminal() {
        assert_eq!(cut("abcd", Some(3)), "ab…");
        assert_eq!(cut("abc", Some(3)), "abc");
        assert_eq!(cut("abcd", None), "abcd");
    }
}
