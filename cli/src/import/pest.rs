//! Reads pest's parsing expression grammars.
//!
//! The crate `pest_meta` reads the file. A PEG takes the first alternative that matches, and never tries another one
//! afterwards. The module `lower` says how much of that is carried over.

mod beginnings;
mod builtin;
mod greedy;
mod lower;
mod prefixes;
mod stack;

use std::num::NonZeroUsize;

use pest::error::{Error, InputLocation};
use pest_meta::ast::Rule as PestRule;
use pest_meta::parser::{self, Rule as Part};

use super::characters;
use super::expression::{Finding, ForeignGrammar, MAX_NESTING, SourceLocation};
use super::sources::Sources;

/// The stack of the thread that reads a grammar. `pest_meta` is recursive in the length of sequences.
const STACK: usize = 512 << 20;

/// The maximum number of operators in a rule, and of escapes in a literal.
const OPERATORS: usize = 2_000;

/// The maximum of a rule's bytes times its operators. `pest_meta` holds a copy of the rest of a choice for each of its
/// alternatives.
const COPIES: usize = 100 << 20;

/// The maximum number of steps of pest's parser. Nested comments without an end take exponentially many. Each byte of
/// a grammar allows 500 more.
const STEPS: usize = 5_000_000;

/// The maximum number of operators in a row, as in `!&!a` and `a?*`. Each is a group.
const ROW: usize = 20;

/// A rule with the location of its name and with its comment lines.
struct LocatedRule {
    rule: PestRule,
    location: SourceLocation,
    comments: Vec<String>,
}

/// Reads a grammar. The result has the rules that are reachable from the start rule: `start`, or else the one that
/// `lower` finds.
pub fn read(
    sources: &mut Sources,
    file: usize,
    start: Option<&str>,
) -> Result<ForeignGrammar, Finding> {
    let text = sources.text(file);
    limits(text).map_err(|(at, label)| {
        Finding::new(
            SourceLocation::new(file, at..at + 1),
            "the grammar is too large",
            label,
        )
    })?;
    let blanked = without_leading_bars(text);
    pest::set_call_limit(NonZeroUsize::new(STEPS + 500 * text.len()));
    let text = &*blanked;
    let (rules, comments) = std::thread::scope(|scope| {
        let read = || rules(text, file);
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, read);
        let result = thread.map(|thread| thread.join());
        match result {
            Ok(Ok(result)) => result,
            _ => Err(Finding::new(
                SourceLocation::new(file, 0..0),
                "the grammar cannot be read",
                "pest_meta failed",
            )),
        }
    })?;
    let mut grammar = lower::lower(&rules, start);
    greedy::exclude(&mut grammar);
    grammar.comments = comments;
    characters::find_tokens(&mut grammar);
    Ok(grammar)
}

/// Checks the limits that keep the recursion of `pest_meta` bounded.
fn limits(text: &str) -> Result<(), (usize, String)> {
    let (mut depth, mut operators, mut escapes, mut row) = (0, 0, 0, 0);
    let mut from = 0;
    for (at, c) in text.char_indices() {
        match c {
            '!' | '&' | '*' | '+' | '?' => row += 1,
            c if c.is_whitespace() => {}
            _ => row = 0,
        }
        if row > ROW {
            return Err((at, format!("more than {ROW} operators in a row")));
        }
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | ']' => depth = usize::saturating_sub(depth, 1),
            '}' => (depth, operators, escapes) = (usize::saturating_sub(depth, 1), 0, 0),
            '~' | '|' | '!' | '&' | '*' => operators += 1,
            '\\' => escapes += 1,
            _ => {}
        }
        if operators == 0 {
            from = at;
        }
        if operators * (at - from) > COPIES {
            let label = format!(
                "a rule of more than {} bytes with {operators} operators",
                at - from
            );
            return Err((at, label));
        }
        // Literals may have brackets, so twice as many are allowed as groups.
        if depth > 2 * MAX_NESTING {
            return Err((
                at,
                format!("more than {} brackets inside each other", 2 * MAX_NESTING),
            ));
        }
        if operators > OPERATORS || escapes > OPERATORS {
            return Err((
                at,
                format!("more than {OPERATORS} operators or escapes in a rule"),
            ));
        }
    }
    Ok(())
}

/// Returns a text in which a `|` before the first alternative of a group is a blank. It means nothing, and
/// `pest_meta` panics at `!(| a)`.
fn without_leading_bars(text: &str) -> String {
    let mut blanked = String::with_capacity(text.len());
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let skipped = match c {
            '"' => end_of_literal(rest),
            '\'' if rest[1..].starts_with('\\') => rest[2..].find('\'').map_or(2, |end| end + 3),
            '\'' => rest.char_indices().nth(2).map_or(1, |(at, _)| at),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ => 0,
        };
        if skipped > 0 {
            blanked.push_str(&rest[..skipped]);
            rest = &rest[skipped..];
            if c != '/' {
                last = c;
            }
            continue;
        }
        blanked.push(if c == '|' && matches!(last, '(' | '{') {
            ' '
        } else {
            c
        });
        if !c.is_whitespace() {
            last = c;
        }
        rest = &rest[c.len_utf8()..];
    }
    blanked
}

/// The length of the literal at the beginning of a text.
fn end_of_literal(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Reads the rules and the comment of the file.
fn rules(text: &str, file: usize) -> Result<(Vec<LocatedRule>, Vec<String>), Finding> {
    let failed = |error: &Error<Part>| {
        let span = match error.location {
            InputLocation::Pos(at) => at..at,
            InputLocation::Span((from, to)) => from..to,
        };
        Finding::new(
            SourceLocation::new(file, span),
            "not a grammar of pest",
            error
                .clone()
                .renamed_rules(parser::rename_meta_rule)
                .variant
                .message(),
        )
    };
    let pairs = parser::parse(Part::grammar_rules, text).map_err(|error| failed(&error))?;
    let mut locations = Vec::new();
    let (mut header, mut comments) = (Vec::new(), Vec::new());
    for pair in pairs.clone() {
        match pair.as_rule() {
            Part::grammar_doc => header.push(doc(pair.as_str())),
            Part::grammar_rule => {
                let Some(first) = pair.clone().into_inner().next() else {
                    continue;
                };
                if first.as_rule() == Part::line_doc {
                    comments.push(doc(first.as_str()));
                    continue;
                }
                let span = first.as_span();
                let before = comments_before(&text[..span.start()]);
                let comments = if comments.is_empty() {
                    before
                } else {
                    std::mem::take(&mut comments)
                };
                let location = SourceLocation::new(file, span.start()..span.end());
                locations.push((location, comments));
            }
            _ => {}
        }
    }
    parser_errors(pest_meta::validator::validate_pairs(pairs.clone()), failed)?;
    let all = parser_errors(parser::consume_rules(pairs), failed)?;
    let located = all.into_iter().zip(locations);
    let located = located.map(|(rule, (location, comments))| LocatedRule {
        rule,
        location,
        comments,
    });
    Ok((located.collect(), header))
}

/// Returns the first error.
fn parser_errors<T>(
    result: Result<T, Vec<Error<Part>>>,
    failed: impl Fn(&Error<Part>) -> Finding,
) -> Result<T, Finding> {
    result.map_err(|errors| match errors.first() {
        Some(error) => failed(error),
        None => Finding::new(
            SourceLocation::default(),
            "not a grammar of pest",
            String::new(),
        ),
    })
}

/// Returns the text of a documentation comment.
fn doc(text: &str) -> String {
    text.trim_start_matches(['/', '!']).trim().into()
}

/// Returns the comment lines directly before the end of a text.
fn comments_before(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .rev()
        .map(str::trim)
        .take_while(|line| line.starts_with("//"))
        .map(doc)
        .collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::import::expression::ForeignKind;

    fn imported(text: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.pest"), text.into());
        read(&mut sources, file, None)
    }

    /// Returns the rules as they are written.
    fn written(text: &str) -> String {
        let mut written = String::new();
        for rule in imported(text).unwrap().rules {
            let annotation = crate::import::write::annotation(rule.kind);
            crate::import::write::rule(&rule, annotation, false, &mut written);
        }
        written
    }

    #[test]
    fn rules_of_pest_become_rules() {
        let text = r#"//! About.
/// A list.
list = { SOI ~ item ~ ("," ~ item)* ~ EOI }
// An item.
item = _{ name | number | string | "nil" }
name = @{ !keyword ~ ASCII_ALPHA ~ (ASCII_ALPHANUMERIC | "_")* }
keyword = { "if" | "else" }
number = @{ ASCII_DIGIT+ ~ !ASCII_ALPHA }
string = ${ "\"" ~ (!"\"" ~ ANY)* ~ "\"" }
WHITESPACE = _{ " " | "\n" }
COMMENT = _{ "/*" ~ (!"*/" ~ ANY)* ~ "*/" }
"#;
        assert_eq!(
            written(text),
            r#"// A list.
list = item ("," item)* ;
// An item.
item = name | number | string | "nil" ;
@token name = ([A-Za-z] [0-9A-Z_a-z]*) - (keyword [\x00-\u{10FFFF}]*) ;
@token keyword = "if" | "else" ;
@token number = [0-9]+ ;
@token string = "\"" [^"]* "\"" ;
@skip WHITESPACE = [\n ] ;
@skip COMMENT = "/*" ([^*]+ | "*"+ [^*/])* "*"+ "/" ;
"#
        );
        assert_eq!(imported(text).unwrap().comments, ["About."]);
    }

    #[test]
    fn rules_in_atomic_rules_have_no_layout_there() {
        let text = r#"
s = { pair ~ path ~ t }
pair = { "a" ~ "b" }
path = @{ pair ~ "/" ~ pair }
t = ${ "<" ~ inner ~ ">" }
inner = !{ s }
WHITESPACE = _{ " " }
"#;
        assert_eq!(
            written(text),
            r#"s = pair path t ;
pair = "a" "b" ;
@token path = pair_atomic "/" pair_atomic ;
t = "<" ~ inner ~ ">" ;
inner = s ;
@skip WHITESPACE = " " ;
@token pair_atomic = "a" "b" ;
"#
        );
    }

    #[test]
    fn an_earlier_alternative_takes_what_begins_like_it() {
        let text = "s = { \"<\" | \"<=\" | v }\nv = { \"no\" | n }\nn = @{ ('a'..'z')+ }\n";
        assert_eq!(
            written(text),
            "// NOTE: an alternative that is never taken: an earlier alternative matches the beginning of every text of it\n\
             s = \"<\" | v ;\nv = \"no\" | n_without ;\n@token n = [a-z]+ ;\n@token n_without = n - (\"no\" [\\x00-\\u{10FFFF}]*) ;\n"
        );
        let grammar = imported(text).unwrap();
        assert_eq!(grammar.rules.last().unwrap().kind, ForeignKind::Token(0));
    }

    #[test]
    fn bars_before_the_first_alternative_mean_nothing() {
        assert_eq!(
            written("s = { | \"(|\" ~ !(| \"a\") ~ '|'..'}' }\n"),
            "s = \"(|\" [|}] ;\n"
        );
        assert_eq!(
            without_leading_bars("a = { \"(|\\\"\" ~ (|'|'|b) }"),
            "a = { \"(|\\\"\" ~ ( '|'|b) }"
        );
    }

    #[test]
    fn a_predicate_before_a_token_leaves_the_texts_that_begin_so() {
        let text = r#"
s = { key ~ ":" ~ &("0x" | "1") ~ number }
key = _{ name | string }
name = @{ start ~ part* }
start = _{ &(ASCII_ALPHA | "_") ~ any }
part = _{ start | &ASCII_DIGIT ~ any }
any = _{ !NEWLINE ~ ANY }
string = @{ "\"" ~ (!"\"" ~ ANY)* ~ "\"" }
number = @{ ASCII_ALPHANUMERIC+ }
"#;
        let grammar = imported(text).unwrap();
        assert!(grammar.rules.iter().all(|rule| rule.warnings.is_empty()));
        let written = written(text);
        assert!(written.contains("key = name | string"), "{written}");
        assert!(
            written.contains(
                r#"number - ( | [^01] [\x00-\u{10FFFF}]* | "0" ( | [^x] [\x00-\u{10FFFF}]*))"#
            ),
            "{written}"
        );
    }

    #[test]
    fn a_text_of_the_stack_in_the_same_sequence_is_the_same_text() {
        let text = r##"
s = { (raw | element)* }
raw = ${ PUSH("#"*) ~ "\"" ~ inner ~ "\"" ~ POP }
inner = @{ (!("\"" ~ PEEK) ~ ANY)* }
element = { open ~ s ~ close }
open = { "<" ~ PUSH(name) ~ ">" }
close = { "</" ~ POP ~ ">" }
name = @{ ASCII_ALPHA+ }
WHITESPACE = _{ " " }
"##;
        let written = written(text);
        for rule in [
            "@token raw = @capture text1( \"#\"* ) \"\\\"\" inner \"\\\"\" @same text1 ;",
            "element = \"<\" @capture text2( name ) \">\" s \"</\" @same text2 \">\" ;",
        ] {
            assert!(written.contains(rule), "{rule}\n{written}");
        }
        assert!(!written.contains("NOTE"), "{written}");
        let elsewhere = "s = { PUSH(\"a\"+) ~ (\",\" ~ PEEK)* ~ DROP }";
        assert_eq!(imported(elsewhere).unwrap().rules[0].warnings.len(), 1);
    }

    #[test]
    fn explicit_layout_after_implicit_layout_is_never_taken() {
        let text = r#"
file = { SOI ~ (l ~ WHITESPACE+ ~ r | l ~ WHITESPACE* ~ r | l ~ (COMMENT | "x") | l ~ " " ~ r)* ~ EOI }
l = { "left" }
r = { "right" }
WHITESPACE = _{ " " }
COMMENT = _{ "/*" ~ "*/" }
"#;
        let mut grammar = imported(text).unwrap();
        assert_eq!(
            grammar.rules[0].warnings[0].message,
            "an alternative that is never taken"
        );
        crate::import::productive::prune(&mut grammar);
        let mut written = String::new();
        crate::import::write::rule(
            &grammar.rules[0],
            crate::import::write::Annotation::None,
            false,
            &mut written,
        );
        assert!(
            written.ends_with("file = (l r | l \"x\")* ;\n"),
            "{written}"
        );
    }

    #[test]
    fn errors_have_a_location() {
        let text = "a = { b }\nb = { \"x\" ~ }\n";
        assert_eq!(imported(text).unwrap_err().location.span.start, 22);
        assert_eq!(imported("a = { b }").unwrap_err().location.span.start, 6);
        let deep = format!("a = {{ {}", "(".repeat(1_000_000));
        assert_eq!(
            imported(&deep).unwrap_err().message,
            "the grammar is too large"
        );
        let comments = format!("a = {{ \"x {}", "/* }}\n".repeat(40));
        assert!(imported(&comments).is_err());
        let row = format!("a = {{ {}\"a\" }}", "!".repeat(1_000));
        assert_eq!(
            imported(&row).unwrap_err().label,
            "more than 20 operators in a row"
        );
        let prefixes = (1..1_500)
            .rev()
            .map(|length| format!("\"{}\"", "a".repeat(length)));
        let prefixes = format!("a = {{ {} }}", prefixes.collect::<Vec<_>>().join(" | "));
        let label = imported(&prefixes).unwrap_err().label;
        assert!(label.starts_with("a rule of more than"), "{label}");
        let long = format!("a = {{ \"a\"{} }}", " ~ \"a\"".repeat(300));
        assert!(imported(&long).is_ok());
    }

    #[test]
    fn texts_up_to_literals_do_not_end_with_a_beginning_that_makes_another_literal() {
        let text = r#"
text = ${ (!("{{" | "{%") ~ ANY)+ }
comment = ${ "/*" ~ (!("*/") ~ ANY)+ ~ "*/" }
"#;
        let text = written(text);
        assert!(text.contains(r#"[\x00-\u{10FFFF}]* "{""#), "{text}");
        assert!(!text.contains(r#"]* "*""#), "{text}");
    }
}
