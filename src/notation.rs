//! Reads a [`Grammar`] from its source text, which is written in a form of EBNF.
//!
//! [`read`] parses the source with a parser that LALRPOP generates, and lowers the syntax tree in
//! five passes:
//!
//! | pass | task |
//! |---|---|
//! | `flatten` | resolves names, and turns groups into nonterminals |
//! | `exclude` | computes exclusions `a - b` |
//! | `nonempty` | makes captures and the elements of repetitions non-empty |
//! | `sound` | removes alternatives that derive no finite text, and reports cycles |
//! | `finish` | computes names, separators and sizes, and builds the immutable tables |
//!
//! Before the first pass, `lines` and `percentages` replace parts of the syntax tree. `flatten`
//! uses `names` to resolve domains and kinds of names. If rules take arguments, or the grammar has
//! names, `finish` makes an instance of each symbol for each combination of the values of the
//! arguments on which the symbol depends. After the last pass, `equivalences` resolves the
//! equivalences of the finished grammar.
//!
//! The rest of this page is the reference of the notation.
//!
#![doc = include_str!("notation/notation.md")]

mod builder;
mod domains;
mod equivalences;
mod exclude;
mod finish;
mod flatten;
mod joined;
mod lexer;
mod lines;
mod names;
mod nonempty;
mod percentages;
pub(crate) mod report;
mod similar;
mod sound;
mod start;
mod syntax;
#[cfg(test)]
mod testing;

// The parser that LALRPOP generates from `notation/ebnf.lalrpop`. It is checked in, so that
// building a fuzz target does not build LALRPOP. `tests/notation_parser.rs` generates it again and
// compares the two.
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, unused, missing_docs)]
mod ebnf;

use std::ops::Range;

use lalrpop_util::ParseError;

use self::builder::GrammarBuilder;
use self::equivalences::Equalities;
use self::lexer::Lexer;
#[doc(hidden)]
pub use self::{
    lexer::SyntaxError,
    report::{Report, ReportedFinding},
};
use crate::bounds::Caps;
use crate::grammar::Grammar;

/// The maximum length of a source, in bytes: 4 MiB.
#[doc(hidden)]
pub const MAX_SOURCE: usize = 4 << 20;

/// Reads a grammar from its source text. Returns the grammar and a report of the warnings, which
/// may be empty.
///
/// `file` is the name of the source in messages. The shortest sentence must not exceed `caps`.
///
/// ```
/// use zester::{Caps, notation};
///
/// let (_, report) = notation::read("bit.ebnf", br#"bit = "0" | "1" ;"#, &Caps::default()).unwrap();
/// assert!(report.is_empty());
///
/// let report = notation::read("bit.ebnf", b"bit = byte ;", &Caps::default()).unwrap_err();
/// assert!(report.to_string().starts_with("bit.ebnf:1:7: error: undefined rule `byte`"));
/// ```
///
/// # Errors
/// If the source is not a valid grammar, or if its shortest sentence exceeds `caps`. The report
/// lists all errors found.
#[doc(hidden)]
pub fn read(file: &str, source: &[u8], caps: &Caps) -> Result<(Grammar, Report), Report> {
    read_from(file, source, None, caps)
}

/// Reads a grammar as [`read`] does, but with the rule `start` as its start rule. If `start` is
/// [`None`], the source determines the start rule.
///
/// If `start` is given, the report has no warnings about unused rules.
///
/// ```
/// use zester::{Caps, notation};
///
/// let source = br#"call = name "(" number ")" ; name = "f" ; number = [0-9]+ ;"#;
/// let (grammar, _) = notation::read_from("call.ebnf", source, Some("number"), &Caps::default()).unwrap();
/// assert_eq!(grammar.decode(&[]), b"0");
/// ```
///
/// # Errors
/// If [`read`] would fail, or if the source has no rule of this name.
#[doc(hidden)]
pub fn read_from(
    file: &str,
    source: &[u8],
    start: Option<&str>,
    caps: &Caps,
) -> Result<(Grammar, Report), Report> {
    read_without(file, source, start, caps, &[])
}

/// Reads a grammar as [`read_from`] does, but omits some alternatives and repetitions. `omissions`
/// are their spans in the source ([`Grammar::alternative_span`], [`Grammar::span_of`]). The maximum
/// of an omitted repetition becomes 1, or 0 if it was 1, but never less than its minimum.
/// Experiments use this function to measure the value of a part of a grammar.
///
/// Alternatives that use a rule without any remaining alternative are omitted, too.
///
/// ```
/// use zester::{Caps, notation};
///
/// let source = br#"bits = bit+ ; bit = "0" | "1" ;"#;
/// let one = source.iter().position(|&byte| byte == b'1').unwrap();
/// let (grammar, _) =
///     notation::read_without("bits.ebnf", source, None, &Caps::default(), &[one - 1..one + 2]).unwrap();
/// assert!((0..=255).all(|byte| !grammar.decode(&[byte, byte]).contains(&b'1')));
/// ```
///
/// # Errors
/// If [`read_from`] would fail, or if the rest derives no sentence.
#[doc(hidden)]
pub fn read_without(
    file: &str,
    source: &[u8],
    start: Option<&str>,
    caps: &Caps,
    omissions: &[Range<usize>],
) -> Result<(Grammar, Report), Report> {
    let text = match std::str::from_utf8(source) {
        _ if source.len() > MAX_SOURCE => {
            let message = format!("the grammar is too long: {} bytes", source.len());
            return refuse(
                file,
                "",
                SyntaxError::new(0..0, message, format!("at most {MAX_SOURCE}")),
            );
        }
        Err(error) => {
            let text = String::from_utf8_lossy(source);
            let at = error.valid_up_to();
            let label = "write such a byte as \\xNN in a literal or class";
            return refuse(
                file,
                &text,
                SyntaxError::new(at..at + 3, "this byte is not valid UTF-8", label),
            );
        }
        Ok(text) => text,
    };
    let mut tree = match ebnf::FileParser::new().parse(Lexer::new(text)) {
        Ok(tree) if tree.is_empty() => {
            return refuse(
                file,
                text,
                SyntaxError::new(
                    0..0,
                    "empty grammar",
                    "a grammar has at least one rule: name = \"text\" ;",
                ),
            );
        }
        Ok(tree) => tree,
        Err(error) => return refuse(file, text, parser_error(text, error)),
    };
    if let Some(error) = start.and_then(|start| start::start_from(&mut tree, start).err()) {
        return refuse(file, text, error);
    }
    let is_whole = start.is_none();
    let mut report = Report::new(file, text);
    let mut builder = GrammarBuilder::default();
    builder.omissions.extend_from_slice(omissions);
    let equalities = Equalities::take(&mut tree);
    builder.brackets = lines::lower(&mut tree, &mut report);
    percentages::lower(&mut tree, &mut report);
    flatten::flatten(&tree, &mut builder, &mut report);
    drop(tree);
    if report.errors() == 0 {
        exclude::exclude(&mut builder, &mut report);
    }
    if report.errors() == 0 {
        if let (Some(start), true) = (builder.start, is_whole) {
            sound::unused(&builder, start, &mut report);
            joined::joined(&builder, &mut report);
        }
        nonempty::nonempty(&mut builder, &mut report);
    }
    if builder.is_too_large() {
        let label = format!("more than {} symbols", builder::MAX_ENTRIES);
        report.error(SyntaxError::new(0..0, "the grammar is too large", label));
    }
    let root = builder.root.filter(|_| report.errors() == 0);
    if let Some(start) = builder.start.filter(|_| root.is_some()) {
        sound::sound(&mut builder, start, &mut report);
    }
    let root = root.filter(|_| report.errors() == 0);
    let rules = std::mem::take(&mut builder.rules);
    let grammar = root.and_then(|root| finish::finish(builder, root, caps, &mut report));
    let Some(mut grammar) = grammar else {
        return Err(report);
    };
    equalities.resolve(&mut grammar, &rules, &mut report);
    match report.errors() {
        0 => Ok((grammar, report)),
        _ => Err(report),
    }
}

/// Returns a report of the syntax error in a source. Returns [`None`] if the source is
/// syntactically correct or is not UTF-8.
///
/// The rules are not checked, so names may be undefined. Tests of a grammar that derives grammars
/// use this function.
#[doc(hidden)]
pub fn syntax_error(file: &str, source: &[u8]) -> Option<Report> {
    let text = std::str::from_utf8(source).ok()?;
    let error = ebnf::FileParser::new().parse(Lexer::new(text)).err()?;
    refuse::<()>(file, text, parser_error(text, error)).err()
}

/// Returns a report of a single error.
fn refuse<T>(file: &str, source: &str, error: SyntaxError) -> Result<T, Report> {
    let mut report = Report::new(file, source);
    report.error(error);
    Err(report)
}

/// The label of a weight or percentage that is not expected.
const WEIGHTS: &str = "an alternative has one weight, before its first part; for a part of a sequence, write alternatives in \
                       parentheses, such as ( @3 \"a\" | \"b\" )";

/// Converts an error of the generated parser for a source.
fn parser_error(source: &str, error: ParseError<usize, lexer::Token, SyntaxError>) -> SyntaxError {
    // Punctuation is quoted, because commas separate the expected tokens.
    let shown = |token: &String| match token.trim_matches('"') {
        word if word.starts_with(|char: char| char.is_alphabetic() || char == '@') => word.into(),
        mark => format!("`{mark}`"),
    };
    // Every position that allows a case-insensitive literal also allows a literal, so only the
    // literal is shown.
    let is_shown = |token: &&String| *token != "\"insensitive\"";
    let expectation = |expected: Vec<String>| {
        let all: Vec<String> = expected.iter().filter(is_shown).map(shown).collect();
        match &all[..] {
            [] => "not expected here".to_string(),
            [only] => format!("expected {only}"),
            all => format!("expected one of {}", all.join(", ")),
        }
    };
    match error {
        ParseError::User { error } => error,
        ParseError::InvalidToken { location } => {
            SyntaxError::new(location..location, "invalid token", "here")
        }
        ParseError::UnrecognizedEof { location, expected } => SyntaxError::new(
            location..location,
            "the grammar ends in the middle of a rule",
            expectation(expected),
        ),
        ParseError::UnrecognizedToken {
            token: (from, lexer::Token::Weight(_), to),
            ..
        } => SyntaxError::new(from..to, "unexpected token", WEIGHTS),
        ParseError::UnrecognizedToken {
            token: (from, _, to),
            expected,
        } => {
            let end = expected
                .iter()
                .any(|token| token == "\";\"")
                .then(|| end_of_rule(source, from))
                .flatten();
            match end {
                Some(end) => {
                    let message = match next_rule(&source[end..]) {
                        Some(rule) => format!("expected `;` before the rule `{rule}`"),
                        None => "expected `;`".into(),
                    };
                    SyntaxError::new(end..end, message, "a rule ends with `;`")
                }
                None if begins_comment(source, from) => {
                    SyntaxError::new(from..to, "unexpected token", lexer::COMMENTS)
                }
                None => SyntaxError::new(from..to, "unexpected token", expectation(expected)),
            }
        }
        ParseError::ExtraToken {
            token: (from, _, to),
        } => SyntaxError::new(from..to, "unexpected token", "not expected here"),
    }
}

/// Returns whether the first token of a line begins a comment in other notations. `at` is the
/// offset of the token.
fn begins_comment(source: &str, at: usize) -> bool {
    let line = source[..at].rsplit('\n').next().unwrap_or_default();
    let marks = ["(*", "--", ";"];
    line.trim().is_empty() && marks.iter().any(|mark| source[at..].starts_with(mark))
}

/// Returns the name of the rule with which a text begins.
fn next_rule(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let end = text.find(|char| !is_of_name(char))?;
    let is_rule = end > 0 && text[end..].trim_start().starts_with('=');
    is_rule.then(|| &text[..end])
}

/// Returns the offset where a `;` is probably missing. If the unexpected token begins a line, this
/// is the end of the token before it. If the unexpected token is the `=` of a rule, this is the end
/// of the token before the rule.
fn end_of_rule(source: &str, unexpected: usize) -> Option<usize> {
    let before: Vec<(usize, usize)> = Lexer::new(source)
        .map_while(Result::ok)
        .map(|(from, _, to)| (from, to))
        .take_while(|token| token.0 < unexpected)
        .collect();
    let begins_line =
        |at: &usize| *at > 0 && source[before[at - 1].1..before[*at].0].contains('\n');
    let last = before.last()?.1;
    if source[last..unexpected].contains('\n') {
        return Some(last);
    }
    let is_definition = source[unexpected..].starts_with('=');
    let name = is_definition.then(|| {
        (0..before.len())
            .rev()
            .find(begins_line)
            .unwrap_or(before.len() - 1)
    })?;
    Some(before[name.checked_sub(1)?].1)
}
