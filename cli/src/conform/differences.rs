//! The differences of a parser and a grammar, in groups.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Refused,
    Accepted,
    Failed,
    Misplaced,
}

impl Kind {
    /// Returns a headline.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Refused => "sentences that the program refuses",
            Kind::Accepted => "texts outside of the language that it accepts",
            Kind::Failed => "texts for which it crashes or does not end",
            Kind::Misplaced => "errors that it reports elsewhere",
        }
    }
}

/// A text for which the parser and the grammar differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub text: Vec<u8>,
    /// What the text covers, or which edit made it.
    pub about: String,
    /// What the program says, or what would be expected.
    pub says: String,
}

/// Differences with one cause, as far as we know: one rule and one kind of edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub count: usize,
    /// The smallest text.
    pub smallest: Example,
}

/// The key of a group: the kind, the rule, and the operator of negative texts.
pub type Key = (Kind, String, String);

/// All groups of a kind.
pub struct OfKind<'a> {
    pub kind: Kind,
    /// The number of texts in all groups.
    pub count: usize,
    /// The largest group comes first.
    pub groups: Vec<(&'a Key, &'a Group)>,
}

/// The number of groups of each kind that are printed.
const SHOWN: usize = 12;

/// All differences.
#[derive(Debug, Default)]
pub struct Differences {
    groups: BTreeMap<Key, Group>,
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds a sentence.
    pub fn add(&mut self, kind: Kind, rule: &str, goal: &str, text: &[u8], says: &str) {
        self.add_edit(kind, rule, "", goal, text, says);
    }

    /// Adds a text outside of the language.
    pub fn add_edit(
        &mut self,
        kind: Kind,
        rule: &str,
        operator: &str,
        about: &str,
        text: &[u8],
        says: &str,
    ) {
        let example = || Example {
            text: text.to_vec(),
            about: about.into(),
            says: says.into(),
        };
        let group = self.groups.entry((kind, rule.into(), operator.into()));
        let group = group.or_insert_with(|| Group {
            count: 0,
            smallest: example(),
        });
        group.count += 1;
        if text.len() < group.smallest.text.len() {
            group.smallest = example();
        }
    }

    /// Returns the kinds that occur.
    pub fn kinds(&self) -> Vec<OfKind<'_>> {
        let mut kinds = Vec::new();
        for kind in [Kind::Refused, Kind::Accepted, Kind::Failed, Kind::Misplaced] {
            let mut groups: Vec<(&Key, &Group)> = self
                .groups
                .iter()
                .filter(|((found, ..), _)| *found == kind)
                .collect();
            groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
            if !groups.is_empty() {
                let count = groups.iter().map(|(_, group)| group.count).sum();
                kinds.push(OfKind {
                    kind,
                    count,
                    groups,
                });
            }
        }
        kinds
    }

    /// Describes all differences for a terminal.
    pub fn text(&self, run: &str) -> String {
        let mut text = format!("{run}\n");
        for OfKind {
            kind,
            count,
            groups,
        } in self.kinds()
        {
            _ = writeln!(text, "\n{count} {}", kind.title());
            for ((_, rule, operator), Group { count, smallest }) in groups.iter().take(SHOWN) {
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
                for line in [&smallest.about, &smallest.says] {
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
        differences.add_edit(
            Kind::Accepted,
            "list",
            "deletion",
            "\",\" removed",
            b"[1 22]",
            "1:4: expected \",\"",
        );
        differences.add_edit(
            Kind::Accepted,
            "list",
            "deletion",
            "\",\" removed",
            b"[1 2]",
            "1:4: expected \",\"",
        );
        differences.add(Kind::Refused, "number", "number = \"1\"", b"1\n", "");
        let text = differences.text("2 texts");
        assert!(
            text.contains("1 sentences that the program refuses\n\n  number: 1\n    1\\n\n"),
            "{text}"
        );
        assert!(text.contains("list, deletion: 2\n    [1 2]\n"), "{text}");
    }
}
