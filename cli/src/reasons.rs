//! Reasons for which programs reject sentences, and the patterns that group them.
//!
//! A program says why it rejects a sentence: `no definition in scope for identifier: x1 at 3:12`. Such
//! messages have parts that differ from sentence to sentence: numbers, quoted parts, locations and
//! names. [`pattern`] replaces these parts by placeholders: `no definition in scope for identifier:
//! ‹name› at ‹place›`. Sentences whose reasons have the same pattern were rejected by the same check.
//!
//! # Guarantees
//!
//! * The same arguments give the same pattern.
//! * A pattern has no control characters.
//! * A pattern has at least one word of the reason, if the reason has a word that is not in quotation
//!   marks or part of a location.
//!
//! # Not guaranteed
//!
//! * That two checks have different patterns. `expected ')'` and `expected ']'` have the same.
//! * That all names are found. A name that the sentence does not have stays, and so does a name that
//!   is a usual word of messages, such as `value`.

mod fixed_words;
mod location;
mod parts;
mod usual_words;

use std::collections::HashSet;
use std::fmt;

pub use self::fixed_words::FixedWords;
pub use self::location::offset;
pub use self::parts::{Detail, DetailKind};
use self::parts::{ReasonPart, WordPosition};
use crate::printable::is_control;
use regex::Regex;
use zester::known::MAX_PATTERN;

/// A reason with placeholders in place of what differs from sentence to sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern(String);

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Returns the reason in the output of a program: the first group of an expression that matches, or
/// else the whole match. White space around it is left out. Returns [`None`] if nothing is left.
pub fn in_output(expression: &Regex, output: &str) -> Option<String> {
    let captures = expression.captures(output)?;
    let group = captures.iter().skip(1).flatten().next();
    let reason = group.or(captures.get(0))?.as_str().trim();
    (!reason.is_empty()).then(|| reason.into())
}

/// Replaces numbers, quoted parts, locations and names of a reason by placeholders. Returns the pattern,
/// and the replaced parts in their order.
///
/// A name is a word of the reason that the sentence has as a whole word. It is no usual word of
/// messages, such as `expected`. A word for which `is_fixed` is true, because the grammar spells it, is
/// a name only in these positions: after a colon at the end of the reason, as in `no such table: t`,
/// after a noun, as in `table t`, and before `()`. Several parts of one kind in a list, such as `a, b or
/// c`, have one placeholder together.
///
/// Only the first line of the reason counts, and at most 300 characters of it.
pub fn pattern(
    reason: &str,
    sentence: &[u8],
    is_fixed: &dyn Fn(&str) -> bool,
) -> (Pattern, Vec<Detail>) {
    let line = first_line(reason);
    let sentence = String::from_utf8_lossy(sentence);
    let of_sentence: HashSet<&str> = parts::words(&sentence).collect();
    let is_name = |word: &str, position: WordPosition| {
        of_sentence.contains(word)
            && (position != WordPosition::Other || !is_fixed(word))
            && !usual_words::is_usual(word, position == WordPosition::Alone)
    };
    let mut parts = parts::split(&line, &is_name);
    let has_words = parts
        .iter()
        .any(|part| matches!(part, ReasonPart::Text(text) if text.contains(char::is_alphabetic)));
    if !has_words {
        for part in &mut parts {
            part.keep_name();
        }
    }
    let text = printable(&joined(&parts));
    let details = parts.into_iter().filter_map(|part| match part {
        ReasonPart::Detail(detail) => Some(detail),
        ReasonPart::Text(_) => None,
    });
    (Pattern(text), details.collect())
}

/// Returns the first line of a reason that is not blank, with at most [`MAX_PATTERN`] characters. Escape
/// sequences that colour a text are left out.
fn first_line(reason: &str) -> String {
    let reason = console::strip_ansi_codes(reason);
    let line = reason.trim_start().lines().next().unwrap_or_default();
    line.trim_end().chars().take(MAX_PATTERN).collect()
}

/// Replaces each run of blanks by one space, and escapes control characters.
fn printable(text: &str) -> String {
    let (mut printable, mut was_blank) = (String::new(), false);
    for char in text.chars() {
        let is_blank = char.is_whitespace();
        match char {
            _ if is_blank && was_blank => {}
            _ if is_blank => printable.push(' '),
            _ if is_control(char) => printable.extend(char.escape_default()),
            _ => printable.push(char),
        }
        was_blank = is_blank;
    }
    printable
}

/// Returns the text of a pattern. Details of one kind with a comma, `or` or the like between them
/// have one placeholder.
fn joined(parts: &[ReasonPart]) -> String {
    let mut text = String::new();
    let mut last: Option<DetailKind> = None;
    let mut separator = "";
    for part in parts {
        match part {
            ReasonPart::Text(part) => {
                text.push_str(separator);
                if is_separator(part) && last.is_some() {
                    separator = part;
                } else {
                    text.push_str(part);
                    (separator, last) = ("", None);
                }
            }
            ReasonPart::Detail(detail) => {
                let is_listed = last == Some(detail.kind)
                    && !separator.is_empty()
                    && (detail.kind == DetailKind::Name || !is_path_separator(separator));
                if !is_listed {
                    text.push_str(separator);
                    text.push_str(detail.kind.placeholder());
                }
                (separator, last) = ("", Some(detail.kind));
            }
        }
    }
    text + separator
}

/// Returns whether a text stands between the elements of a list, or between the parts of a name such
/// as `table.column`.
fn is_separator(text: &str) -> bool {
    matches!(text.trim(), "," | ", or" | ", and" | "or" | "|") || is_path_separator(text)
}

/// Returns whether a text stands between the parts of a name.
fn is_path_separator(text: &str) -> bool {
    matches!(text, "." | "::")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the pattern of a reason, in a language with the keywords `let` and `number`.
    fn of(reason: &str, sentence: &str) -> String {
        pattern(reason, sentence.as_bytes(), &|word| {
            ["let", "number"].contains(&word)
        })
        .0
        .to_string()
    }

    #[test]
    fn a_reason_is_the_first_group_that_matches() {
        let expression = Regex::new("(?m)^error: (.*)|^fatal: (.*)|^bad.*").unwrap();
        let found = |output| in_output(&expression, output);
        assert_eq!(found("x\nfatal:  b \n").as_deref(), Some("b"));
        assert_eq!(found("bad c ").as_deref(), Some("bad c"));
        assert_eq!((found("x"), found("error:  ")), (None, None));
    }

    #[test]
    fn what_differs_from_sentence_to_sentence_becomes_a_placeholder() {
        let cases = [
            // naga
            (
                "no definition in scope for identifier: `foo` at 3:12",
                "",
                "no definition in scope for identifier: ‹quoted› at ‹place›",
            ),
            (
                "no definition in scope for identifier: foo",
                "let x = foo;",
                "no definition in scope for identifier: ‹name›",
            ),
            (
                "validation: Function [2] 'f' is invalid: Expression [5] is invalid: Type [0] does not match",
                "fn f() {}",
                "validation: Function [‹number›] ‹quoted› is invalid: Expression [‹number›] is invalid: Type [‹number›] does not match",
            ),
            (
                "the type of x_1 is vec3<f32>",
                "x_1",
                "the type of ‹name› is vec3<f32>",
            ),
            // SQLite
            ("no such column: a1", "select a1;", "no such column: ‹name›"),
            ("no such column: a", "select a;", "no such column: ‹name›"),
            ("no such table: let", "let", "no such table: ‹name›"),
            (
                "no such column: t.b",
                "select t.b;",
                "no such column: ‹name›",
            ),
            (
                "no such table: main.let",
                "let",
                "no such table: main.‹name›",
            ),
            (
                "wrong number of arguments to function let()",
                "let",
                "wrong number of arguments to function ‹name›()",
            ),
            (
                "wrong use of number() and let",
                "number let",
                "wrong use of number() and let",
            ),
            (
                "table let already exists",
                "let already",
                "table ‹name› already exists",
            ),
            (
                "near \"x\": syntax error",
                "",
                "near ‹quoted›: syntax error",
            ),
            (
                "near \"\"\": syntax error",
                "",
                "near ‹quoted›: syntax error",
            ),
            ("near \"a \nb\": syntax error", "", "near ‹quoted›"),
            (
                "table t has 3 columns but 2 values were supplied",
                "insert into t values (1, 2);",
                "table ‹name› has ‹number› columns but ‹number› values were supplied",
            ),
            // Lua
            (
                "z:3: attempt to index a nil value (global 'x')",
                "x.y = a",
                "‹place›: attempt to index a nil value (global ‹quoted›)",
            ),
            (
                "[string \"x = 'a'\"]:1: unfinished string near ''a'",
                "",
                "‹place›: unfinished string near ‹quoted›",
            ),
            // tcc, gcc
            (
                "<string>:3: error: 'x' undeclared",
                "",
                "‹place›: error: ‹quoted› undeclared",
            ),
            (
                "main.c:3:17: error: `x' undeclared",
                "",
                "‹place›: error: ‹quoted› undeclared",
            ),
            (
                "/tmp/a-1/b.c:12: redefinition of ‘f1’ as «x» or “y”",
                "",
                "‹place›: redefinition of ‹quoted› as ‹quoted›",
            ),
            // rustc
            (
                "expected one of `!`, `.`, `::`, or an operator, found `x`",
                "x",
                "expected one of ‹quoted›, or an operator, found ‹quoted›",
            ),
            (
                "can't find value `x` in this scope --> src/main.rs:2:5",
                "can t",
                "can't find value ‹quoted› in this scope --> ‹place›",
            ),
            // serde_json
            (
                "expected value at line 1 column 2",
                "value",
                "expected value at ‹place›",
            ),
            (
                "expected `,` or `]` at line 3, column 17",
                "",
                "expected ‹quoted› at ‹place›",
            ),
            // evalexpr
            (
                r"Illegal escape sequence: \t",
                "",
                "Illegal escape sequence: ‹quoted›",
            ),
            // Others
            ("unknown name b", "b", "unknown name ‹name›"),
            (
                "expected 2 or 3 arguments, found -1",
                "",
                "expected ‹number› arguments, found ‹number›",
            ),
            ("bad char at 12..15", "", "bad char at ‹place›"),
            ("bad char at offset 12", "", "bad char at ‹place›"),
            ("bad char at 12", "", "bad char at ‹place›"),
            ("bad char (line 3)", "", "bad char (‹place›)"),
            (
                "wants 0..3 of 0x1F, 1.5e3",
                "",
                "wants ‹number› of ‹number›",
            ),
            (
                "23:51:47 failed in 10ms",
                "",
                "‹number› failed in ‹number›ms",
            ),
            (
                "cannot open ../a/b.txt or x and/or y",
                "",
                "cannot open ‹place› or x and/or y",
            ),
            (
                "doesn't have the dogs' 'x'",
                "",
                "doesn't have the dogs' ‹quoted›",
            ),
            (
                "unknown names b, c, and d here",
                "b c d",
                "unknown names ‹name› here",
            ),
            (
                "\u{1b}[31merror\u{1b}[0m:\tin  f1\nmore",
                "f1",
                "error: in ‹name›",
            ),
            ("a\u{7}b", "", "a\\u{7}b"),
            ("", "", ""),
            ("\n \n", "", ""),
        ];
        let wrong: Vec<String> = cases
            .iter()
            .filter(|(reason, sentence, expected)| of(reason, sentence) != *expected)
            .map(|(reason, sentence, _)| format!("{reason}: {}", of(reason, sentence)))
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn words_of_the_message_stay() {
        for (reason, sentence) in [
            // Words that are usual in messages.
            ("expected a value in a list", "a in list value expected"),
            ("Unknown type", "Unknown type"),
            // Words of the grammar.
            ("let needs a number", "let number needs"),
            // Parts of words of the sentence.
            ("unknown flavour", "unknown_flavour flavours"),
            // All words of the message.
            ("quux corge", "quux corge"),
        ] {
            assert_eq!(of(reason, sentence), reason);
        }
        // Messages of the same shape have different patterns.
        let sentence = "quux corge grault";
        assert_ne!(of("quux 1", sentence), of("corge 2", sentence));
    }

    #[test]
    fn details_have_their_kinds_and_texts() {
        let reason = "no type 'a b' for x1, x2 of 7 at line 3 column 4";
        let (_, details) = pattern(reason, b"x1+x2", &|_| false);
        let found: Vec<(DetailKind, &str)> = details
            .iter()
            .map(|detail| (detail.kind, &*detail.text))
            .collect();
        assert_eq!(
            found,
            [
                (DetailKind::Quoted, "a b"),
                (DetailKind::Name, "x1"),
                (DetailKind::Name, "x2"),
                (DetailKind::Number, "7"),
                (DetailKind::Location, "line 3 column 4"),
            ]
        );
    }

    #[test]
    fn long_reasons_are_cut() {
        let long = format!("unexpected {}", "é ".repeat(MAX_PATTERN));
        assert_eq!(of(&long, "").chars().count(), MAX_PATTERN);
        assert!(of(&format!("near '{}'", "x ".repeat(MAX_PATTERN)), "").starts_with("near "));
    }
}
