//! The differences between a parser and a grammar, in groups.

use crate::numbers::counted;
use std::collections::BTreeMap;
use std::fmt::Write;

use zester::suite::PositiveText;

use super::parser_under_test::Verdict;

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// The parser refuses a sentence.
    Refused,
    /// The parser accepts a text that is not a sentence.
    Accepted,
    /// The parser crashes or exceeds the time limit.
    Failed,
    /// The parser refuses a text, but reports the error at another position than the grammar.
    Misplaced,
}

impl DifferenceKind {
    /// Returns the headline of this number of differences of this kind.
    pub fn title(self, count: usize) -> String {
        let (noun, what) = match self {
            DifferenceKind::Refused => ("sentence", "that the program refuses"),
            DifferenceKind::Accepted => {
                ("text", "outside of the language that the program accepts")
            }
            DifferenceKind::Failed => ("text", "for which the program crashes or does not end"),
            DifferenceKind::Misplaced => ("error", "that the program reports at another position"),
        };
        format!("{} {what}", counted(count, noun))
    }
}

/// A text for which the parser and the grammar differ.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferingText {
    pub text: Vec<u8>,
    /// What a sentence covers, or the edit of a negative text.
    pub origin: String,
    /// The output of the parser. For a text that it accepts by mistake, the error that it should
    /// report. For an error at another position, both positions.
    pub detail: String,
}

/// The differences with one key. They probably have one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The number of texts.
    pub count: usize,
    pub smallest: DifferingText,
}

/// The properties by which differences are grouped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey {
    pub kind: DifferenceKind,
    /// The name of the rule that a sentence was made for, or in which a negative text was edited.
    pub rule: String,
    /// The name of the operator that edited a negative text. It is empty for a sentence.
    pub operator: String,
}

/// All groups of a kind.
pub struct DifferencesOfKind<'a> {
    pub kind: DifferenceKind,
    /// The number of texts in all groups.
    pub count: usize,
    /// The groups. The one with the most texts comes first.
    pub groups: Vec<(&'a GroupKey, &'a Group)>,
}

/// The maximum number of groups of each kind that are printed.
const SHOWN: usize = 12;

/// All differences.
#[derive(Debug, Default)]
pub struct Differences {
    groups: BTreeMap<GroupKey, Group>,
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds a text to the group with a key.
    pub fn add(&mut self, key: GroupKey, text: DifferingText) {
        let group = self.groups.entry(key).or_insert_with(|| Group {
            count: 0,
            smallest: text.clone(),
        });
        group.count += 1;
        if text.text.len() < group.smallest.text.len() {
            group.smallest = text;
        }
    }

    /// Adds a sentence, unless the program accepts it.
    pub fn add_sentence(&mut self, sentence: &PositiveText, verdict: Verdict) {
        let (kind, detail) = match verdict {
            Verdict::Accepts => return,
            Verdict::Refuses { message, .. } => (DifferenceKind::Refused, message),
            Verdict::Fails(what) => (DifferenceKind::Failed, what),
        };
        let key = GroupKey {
            kind,
            rule: sentence.rule.clone(),
            operator: String::new(),
        };
        let text = DifferingText {
            text: sentence.text.clone(),
            origin: sentence.goals.first().cloned().unwrap_or_default(),
            detail,
        };
        self.add(key, text);
    }

    /// Returns the kinds of which there are differences, each with its groups.
    pub fn kinds(&self) -> Vec<DifferencesOfKind<'_>> {
        let mut kinds = Vec::new();
        for kind in [
            DifferenceKind::Refused,
            DifferenceKind::Accepted,
            DifferenceKind::Failed,
            DifferenceKind::Misplaced,
        ] {
            let mut groups: Vec<(&GroupKey, &Group)> = self
                .groups
                .iter()
                .filter(|(key, _)| key.kind == kind)
                .collect();
            groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
            if !groups.is_empty() {
                let count = groups.iter().map(|(_, group)| group.count).sum();
                kinds.push(DifferencesOfKind {
                    kind,
                    count,
                    groups,
                });
            }
        }
        kinds
    }

    /// Describes the differences for a terminal. `run` says how many texts were run.
    pub fn text(&self, run: &str) -> String {
        let mut text = format!("{run}\n");
        for DifferencesOfKind {
            kind,
            count,
            groups,
        } in self.kinds()
        {
            _ = writeln!(text, "\n{}", kind.title(count));
            for (GroupKey { rule, operator, .. }, Group { count, smallest }) in
                groups.iter().take(SHOWN)
            {
                let operator = if operator.is_empty() {
                    String::new()
                } else {
                    format!(", {operator}")
                };
                _ = writeln!(text, "\n  {rule}{operator}: {count}");
                _ = writeln!(
                    text,
                    "    {}",
                    String::from_utf8_lossy(&smallest.text).escape_debug()
                );
                for line in [&smallest.origin, &smallest.detail] {
                    if !line.is_empty() {
                        _ = writeln!(text, "    {}", line.escape_debug());
                    }
                }
            }
            if groups.len() > SHOWN {
                _ = writeln!(
                    text,
                    "\n  and {} more groups; --html writes all",
                    groups.len() - SHOWN
                );
            }
        }
        if self.is_empty() {
            text.push_str("no differences\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_show_their_smallest_text() {
        let mut differences = Differences::default();
        let mut add = |kind, rule: &str, operator: &str, text: &str| {
            let key = GroupKey {
                kind,
                rule: rule.into(),
                operator: operator.into(),
            };
            let text = DifferingText {
                text: text.into(),
                origin: String::new(),
                detail: String::new(),
            };
            differences.add(key, text);
        };
        add(DifferenceKind::Accepted, "list", "deletion", "[1 22]");
        add(DifferenceKind::Accepted, "list", "deletion", "[1 2]");
        add(DifferenceKind::Refused, "number", "", "1\n");
        let text = differences.text("2 texts");
        assert!(
            text.contains("1 sentence that the program refuses\n\n  number: 1\n    1\\n\n"),
            "{text}"
        );
        assert!(text.contains("list, deletion: 2\n    [1 2]\n"), "{text}");
    }
}
