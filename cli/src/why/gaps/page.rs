//! The comparison of files with the sentences of a grammar, as text and as JSON.

use std::fmt::Write;

use console::Style;
use serde_json::{Value, json};

use super::Gaps;
use super::items::{GapItem, ItemKind};
use super::refused::{Construct, Stop};
use crate::numbers::counted;
use crate::why::locations::one_line;
use crate::why::page::Page;

/// The number of constructs that are listed.
pub const CONSTRUCTS: usize = 10;

/// The number of functions that are listed.
pub const FUNCTIONS: usize = 15;

/// The maximum number of texts of tokens, and of expected tokens, that are listed.
const FEW: usize = 6;

/// The maximum number of characters of a location and what is there, on one line.
const MAX_ITEM: usize = 82;

/// The maximum number of characters of a text of a token.
const MAX_TEXT: usize = 40;

/// Returns `1 file`, `2 files`.
pub fn files(count: usize) -> String {
    counted(count, "file")
}

/// Returns a list of at most [`FEW`] elements in words.
fn few(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(FEW);
    all.truncate(FEW);
    match more {
        0 => all.join(", "),
        _ => format!("{} or {}", all.join(", "), counted(more, "other")),
    }
}

/// Returns the text of a token in quotation marks, cut if it is long.
fn quoted(text: &[u8]) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("`{}…`", &line[..at]),
        None => format!("`{line}`"),
    }
}

impl Gaps {
    /// Returns the figures of the files in a line.
    pub fn headline(&self) -> String {
        let counts = &self.counts;
        let all = counts.parsed + counts.refused + counts.rejected + counts.others;
        let mut line = format!(
            "{}: {} valid and parsed by the grammar, {} valid but refused by it, {} invalid ({} of them parsed)",
            files(all),
            counts.parsed,
            counts.refused,
            counts.rejected,
            counts.rejected_parsed
        );
        for (count, what) in [
            (counts.others, "with another outcome"),
            (counts.skipped, "skipped"),
        ] {
            if count > 0 {
                let _ = write!(line, ", {count} {what}");
            }
        }
        line
    }

    /// Returns the unexpected token, and the rule in which the parser stopped.
    pub fn title(construct: &Construct) -> String {
        let found = match &construct.stop {
            Stop::Unexpected(token) => format!("found {token}"),
            Stop::UnknownToken(token) => {
                return format!("found {token}, which is no token of the grammar");
            }
            Stop::Misfit(token) => {
                format!("found {token} that does not fit the arguments of rules")
            }
            Stop::Other(problem) => problem.clone(),
        };
        match construct.rule.is_empty() {
            true => found,
            false => format!("in {}: {found}", construct.rule),
        }
    }

    /// Returns the numbers of files and edges of a construct.
    pub fn figures(construct: &Construct) -> String {
        format!(
            "{}, {} ({} in no other group)",
            files(construct.files),
            counted(construct.edges, "edge"),
            construct.own_edges
        )
    }

    /// Returns the most frequent texts of the token: "`a` in 2 files".
    pub fn texts(construct: &Construct) -> String {
        let text = |(text, count): &(String, usize)| {
            format!("{} in {}", quoted(text.as_bytes()), files(*count))
        };
        few(construct.texts.iter().map(text).collect())
    }

    /// Returns what the parser expected.
    pub fn expected(construct: &Construct) -> String {
        few(construct.expected.clone())
    }

    /// Describes an item in one or two lines, each with its location in the grammar if it is a part.
    pub fn item(page: &Page<'_>, item: &GapItem) -> Vec<(&'static str, String, String)> {
        let location = |part| page.source.location(page.parts.get(part));
        let described = |part| page.source.described(page.parts, part);
        let mut lines = match &item.kind {
            ItemKind::Part(part) => vec![("part", location(*part), described(*part))],
            ItemKind::Pair(outer, inner) => vec![
                ("part", location(*inner), described(*inner)),
                ("inside", location(*outer), described(*outer)),
            ],
            ItemKind::Text(rule, text) => {
                vec![("token", String::new(), format!("{} ({rule})", quoted(text)))]
            }
        };
        if let (Some(line), 1..) = (lines.last_mut(), item.sentences) {
            let sentences = counted(item.sentences, "invalid sentence");
            let _ = write!(line.2, "; in {sentences}");
        }
        lines
    }

    /// Returns the evidence for the items that are in the same files as an item.
    pub fn evidence(item: &GapItem) -> String {
        let alike = match item.alike {
            1 => String::new(),
            count => format!("; {count} items in these files"),
        };
        format!(
            "{} by {}{alike}; {}",
            counted(item.edges, "edge"),
            files(item.files),
            item.example
        )
    }

    /// Returns the items, grouped by the set of files that have them.
    pub fn items_by_files(&self) -> impl Iterator<Item = &[GapItem]> {
        self.items.chunk_by(|one, other| one.set == other.set)
    }

    /// Returns the section of the page. Colours are left out if standard output is no terminal.
    pub fn text(&self, page: &Page<'_>) -> String {
        let (bold, dim) = (Style::new().bold(), Style::new().dim());
        let mut text = format!("\n{}\n", bold.apply_to(self.headline()));
        if !self.constructs.is_empty() {
            let title = format!(
                "Constructs that the grammar refuses in valid files ({} that only such files reach)",
                counted(self.counts.refused_edges, "edge")
            );
            let _ = writeln!(text, "\n{}", bold.apply_to(title));
        }
        for (number, construct) in (1..).zip(&self.constructs).take(CONSTRUCTS) {
            let figures = Gaps::figures(construct);
            let title = bold.apply_to(Gaps::title(construct));
            let _ = writeln!(text, "{number:>3}. {title}\n     {figures}");
            if !construct.rule.is_empty() {
                let (line, column) = page.source.position(construct.span.start);
                let _ = writeln!(
                    text,
                    "     grammar   {}:{line}:{column}  {}",
                    page.source.name, construct.rule
                );
            }
            if !construct.expected.is_empty() {
                let _ = writeln!(text, "     expected  {}", Gaps::expected(construct));
            }
            if !construct.texts.is_empty() {
                let _ = writeln!(text, "     found     {}", Gaps::texts(construct));
            }
            let example = &construct.example;
            let before = one_line(example.before.as_bytes());
            let _ = writeln!(
                text,
                "     example   {}\n       {before}{}\n       {}{}",
                example.location(),
                one_line(example.after.trim_end().as_bytes()),
                " ".repeat(before.chars().count()),
                bold.apply_to("^")
            );
        }
        let more = self.constructs.len().saturating_sub(CONSTRUCTS);
        if more > 0 {
            let _ = writeln!(text, "     {more} more; --json has all");
        }
        if self.counts.parsed > 0 {
            let title = format!(
                "{} that parsed files reach and no valid sentence does",
                counted(self.counts.edges, "edge")
            );
            let _ = writeln!(text, "\n{}", bold.apply_to(title));
        }
        for (function, count) in self.functions.named.iter().take(FUNCTIONS) {
            let _ = writeln!(text, "{count:>6}  {function}");
        }
        if let Some(rest) = self.other_functions() {
            let _ = writeln!(text, "        {}", dim.apply_to(rest));
        }
        if !self.items.is_empty() {
            let title = "What parsed files have and no valid sentence has, with its worth in edges";
            let _ = writeln!(text, "\n{}", bold.apply_to(title));
        }
        for items in self.items_by_files() {
            let first = &items[0];
            let _ = writeln!(
                text,
                "{:>6.1}  {}",
                first.worth,
                dim.apply_to(Gaps::evidence(first))
            );
            for (title, location, what) in items.iter().flat_map(|item| Gaps::item(page, item)) {
                let length = location.chars().count() + what.chars().count();
                let space = match length {
                    _ if location.is_empty() => "",
                    ..MAX_ITEM => "  ",
                    _ => "\n                ",
                };
                let location = bold.apply_to(location);
                let _ = writeln!(text, "        {title:<6}  {location}{space}{what}");
            }
        }
        text
    }

    /// Returns how many edges are in functions that are not listed.
    pub fn other_functions(&self) -> Option<String> {
        let rest = self.functions.named.iter().skip(FUNCTIONS);
        let (count, edges) = rest.fold((0, 0), |(count, sum), (_, edges)| (count + 1, sum + edges));
        let parts = [
            (edges, format!("in {}", counted(count, "other function"))),
            (self.functions.standard, "in the standard library".into()),
            (
                self.functions.unnamed,
                "in functions without a known name".into(),
            ),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(edges, _)| *edges > 0)
            .map(|(edges, functions)| format!("{edges} {functions}"))
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns the section of the JSON object.
    pub fn json(&self, page: &Page<'_>) -> Value {
        let counts = &self.counts;
        let part = |number: u32| {
            let part = page.parts.get(number);
            let (line, column) = page.source.position(part.start);
            json!({
                "rule": page.parts.rule(number),
                "line": line,
                "column": column,
                "bytes": [part.start, part.end],
                "source": page.source.excerpt(part),
            })
        };
        let construct = |construct: &Construct| {
            let (line, column) = page.source.position(construct.span.start);
            let texts: Vec<Value> = construct
                .texts
                .iter()
                .map(|(text, files)| json!({"text": text, "files": files}))
                .collect();
            let rule = (!construct.rule.is_empty()).then(
                || json!({"rule": construct.rule, "line": line, "column": column, "bytes": [construct.span.start, construct.span.end]}),
            );
            let example = &construct.example;
            json!({
                "title": Gaps::title(construct),
                "rule": rule,
                "expected": construct.expected,
                "texts": texts,
                "files": construct.files,
                "edges": construct.edges,
                "own_edges": construct.own_edges,
                "example": {
                    "file": example.file,
                    "line": example.line,
                    "column": example.column,
                    "before": example.before,
                    "after": example.after,
                },
            })
        };
        let item = |item: &GapItem| {
            let what = match &item.kind {
                ItemKind::Part(number) => json!({"part": part(*number)}),
                ItemKind::Pair(outer, inner) => {
                    json!({"pair": {"outer": part(*outer), "inner": part(*inner)}})
                }
                ItemKind::Text(rule, text) => {
                    json!({"token": {"rule": **rule, "text": String::from_utf8_lossy(text)}})
                }
            };
            let mut value = json!({
                "worth": item.worth,
                "edges": item.edges,
                "alike": item.alike,
                "files": item.files,
                "sentences": item.sentences,
                "example": *item.example,
            });
            if let (Value::Object(value), Value::Object(what)) = (&mut value, what) {
                value.extend(what);
            }
            value
        };
        let functions: Vec<Value> = self
            .functions
            .named
            .iter()
            .take(FUNCTIONS)
            .map(|(function, edges)| json!({"function": function, "edges": edges}))
            .collect();
        json!({
            "accepted_by_both": counts.parsed,
            "accepted_by_target_only": counts.refused,
            "rejected": counts.rejected,
            "rejected_and_accepted_by_grammar": counts.rejected_parsed,
            "others": counts.others,
            "skipped": counts.skipped,
            "edges": counts.edges,
            "edges_of_target_only": counts.refused_edges,
            "constructs": self.constructs.iter().map(construct).collect::<Vec<_>>(),
            "functions": functions,
            "items": self.items.iter().map(item).collect::<Vec<_>>(),
        })
    }
}
