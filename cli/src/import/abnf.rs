//! Reads ABNF (RFC 5234, with the case-sensitive strings of RFC 7405).
//!
//! The crate `abnf` reads one rule at a time, so that errors and comments have a location.

use std::collections::{HashMap, HashSet};

use abnf::types::{Kind, Node, TerminalValues};

use super::characters;
use super::class::CharacterClass;
use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, MAX_NESTING, SourceLocation,
};
use super::sources::Sources;
use super::start;

/// The rules of RFC 5234, appendix B.1, which every grammar can use.
const CORE: &str = "ALPHA = %x41-5A / %x61-7A
BIT = \"0\" / \"1\"
CHAR = %x01-7F
CR = %x0D
CRLF = %x0D.0A
CTL = %x00-1F / %x7F
DIGIT = %x30-39
DQUOTE = %x22
HEXDIG = %x30-39 / %x41-46 / %x61-66
HTAB = %x09
LF = %x0A
LWSP = *( WSP / CRLF WSP )
OCTET = %x00-FF
SP = %x20
VCHAR = %x21-7E
WSP = %x20 / %x09
";

/// Reads a grammar.
pub fn read(sources: &mut Sources, file: usize) -> Result<ForeignGrammar, Finding> {
    let mut grammar = ForeignGrammar::default();
    read_rules(sources.text(file), file, &mut grammar)?;
    let mut core = ForeignGrammar::default();
    read_rules(CORE, file, &mut core)?;
    // A rule of the appendix is added if it is used.
    while let Some(missing) = undefined(&grammar) {
        let Some(at) = core.rules.iter().position(|rule| rule.name == missing) else {
            break;
        };
        let mut rule = core.rules.swap_remove(at);
        rule.comments = vec!["From RFC 5234, appendix B.1.".into()];
        rule.location.span = 0..0;
        grammar.rules.push(rule);
    }
    restore_case(&mut grammar);
    start::choose(&mut grammar);
    grammar.bytes = is_of_bytes(&grammar);
    characters::find_tokens(&mut grammar);
    Ok(grammar)
}

/// A rule's lines, before they are read.
struct RuleText {
    from: usize,
    text: String,
    comments: Vec<String>,
}

/// Reads the rules of a text. Writes their names in upper case, because ABNF ignores the case of names.
fn read_rules(text: &str, file: usize, grammar: &mut ForeignGrammar) -> Result<(), Finding> {
    let names = grammar.rules.iter().enumerate();
    let mut index: HashMap<String, usize> =
        names.map(|(at, rule)| (rule.name.clone(), at)).collect();
    for rule in split(text, &mut grammar.comments) {
        let location = |from: usize, to: usize| {
            SourceLocation::new(file, rule.from + from..rule.from + to.max(from))
        };
        let name_end = rule.text.find([' ', '\t', '=']).unwrap_or(0);
        nesting(&rule.text).map_err(|at| {
            Finding::new(
                location(at, at + 1),
                "too many groups inside each other",
                format!("at most {MAX_NESTING}"),
            )
        })?;
        let parsed = abnf::rule(&marks_in_lower_case(&rule.text)).map_err(|error| {
            let (at, end) = error_range(&rule.text, &error.to_string());
            Finding::new(
                location(at, end),
                "not a rule of ABNF",
                "the rule cannot be read from here on",
            )
        })?;
        let body = expression(parsed.node());
        let name = parsed.name().to_ascii_uppercase();
        let location = location(0, name_end);
        let known = index.get(&name).map(|at| &mut grammar.rules[*at]);
        match (parsed.kind(), known) {
            (Kind::Incremental, Some(known)) => {
                let first = std::mem::replace(&mut known.body, Expression::empty());
                known.body = Expression::choice([first, body]);
            }
            (Kind::Basic, Some(known)) => {
                known.warnings.push(Finding::new(
                    location,
                    format!("a second rule `{}`", parsed.name()),
                    "it was left out",
                ));
            }
            (_, None) => {
                index.insert(name.clone(), grammar.rules.len());
                grammar.rules.push(ForeignRule {
                    comments: rule.comments,
                    location,
                    ..ForeignRule::new(name, ForeignKind::Syntax, body)
                });
            }
        }
    }
    Ok(())
}

/// Splits a text into rules. A rule begins in the column in which the first rule begins, and goes on in
/// lines that are indented more.
fn split(text: &str, header: &mut Vec<String>) -> Vec<RuleText> {
    let mut rules: Vec<RuleText> = Vec::new();
    let mut margin = None;
    let mut comments: Vec<String> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indentation = content.len() - content.trim_start().len();
        let from = at;
        at += line.len();
        let body = content.trim_start();
        if let Some(comment) = body.strip_prefix(';') {
            comments.push(comment.trim().into());
            continue;
        }
        if body.is_empty() {
            // The comment at the beginning of the file ends with an empty line.
            if rules.is_empty() && header.is_empty() {
                *header = std::mem::take(&mut comments);
            }
            continue;
        }
        let margin = *margin.get_or_insert(indentation);
        match rules.last_mut() {
            Some(rule) if indentation > margin => {
                // Comments in the middle of a rule go to the next rule.
                let gap = from - (rule.from + rule.text.len());
                rule.text.push_str(&blank(&text[from - gap..from]));
                rule.text.push_str(&text[from..from + content.len()]);
                rule.text.push('\n');
            }
            _ => rules.push(RuleText {
                from: from + indentation,
                text: format!("{body}\n"),
                comments: std::mem::take(&mut comments),
            }),
        }
    }
    rules
}

/// Returns as many spaces as the text has bytes.
fn blank(text: &str) -> String {
    text.chars()
        .flat_map(|c| std::iter::repeat_n(' ', c.len_utf8()))
        .collect()
}

/// Checks the nesting depth of groups. The error is the offset at which it is too large.
fn nesting(text: &str) -> Result<(), usize> {
    let (mut depth, mut quoted, mut comment) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => (quoted, comment) = (false, false),
            ';' if !quoted => comment = true,
            _ if comment => {}
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted && depth > 0 => depth -= 1,
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(at);
        }
    }
    Ok(())
}

/// Writes the letters of marks such as `%X` and `%D` in lower case, because the crate `abnf` reads no
/// others.
fn marks_in_lower_case(text: &str) -> String {
    let (mut end, mut after_mark) = (None, false);
    text.chars()
        .map(|c| {
            let is_mark = std::mem::replace(&mut after_mark, c == '%' && end.is_none());
            match (end, c) {
                (None, '"') => end = Some('"'),
                (None, ';') => end = Some('\n'),
                (None, '<') => end = Some('>'),
                (Some(last), _) if c == last || c == '\n' => end = None,
                _ => {}
            }
            if is_mark { c.to_ascii_lowercase() } else { c }
        })
        .collect()
}

/// Returns the part of a rule's text that a message of the crate names by its line and a caret.
fn error_range(text: &str, message: &str) -> (usize, usize) {
    let number = message.split("at line ").nth(1).unwrap_or_default();
    let number: usize = number
        .split(',')
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1);
    let column = message
        .lines()
        .find_map(|line| line.find('^').filter(|_| line.trim() == "^"));
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines
        .by_ref()
        .take(number.saturating_sub(1))
        .map(str::len)
        .sum();
    let line = lines.next().unwrap_or_default().trim_end().len();
    let at = start + column.unwrap_or(0).min(line);
    (at.min(text.len()), (start + line).min(text.len()))
}

fn expression(node: &Node) -> Expression {
    match node {
        Node::Alternatives(nodes) => Expression::choice(nodes.iter().map(expression)),
        Node::Concatenation(nodes) => Expression::sequence(nodes.iter().map(expression)),
        Node::Repetition { repeat, node } => {
            let limit = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let (min, max) = repeat.min_max();
            expression(node).repeat(min.map_or(0, limit), max.map(limit))
        }
        Node::Rulename(name) => Expression::name(name.to_ascii_uppercase()),
        Node::Group(node) => expression(node),
        Node::Optional(node) => expression(node).optional(),
        Node::String(literal) => Expression::Literal {
            text: literal.value().into(),
            insensitive: !literal.is_case_sensitive(),
        },
        Node::TerminalValues(TerminalValues::Range(from, to)) => {
            Expression::Class(CharacterClass::new([(*from, *to)]))
        }
        Node::TerminalValues(TerminalValues::Concatenation(values)) => {
            let one = |&value: &u32| Expression::Class(CharacterClass::new([(value, value)]));
            match values
                .iter()
                .map(|&value| char::from_u32(value))
                .collect::<Option<String>>()
            {
                Some(text) => Expression::literal(text),
                None => Expression::sequence(values.iter().map(one)),
            }
        }
        Node::Prose(text) => Expression::name(text.to_ascii_uppercase()),
    }
}

/// Returns the first name that has no rule.
fn undefined(grammar: &ForeignGrammar) -> Option<String> {
    let mut missing = None;
    let defined: HashSet<&str> = grammar.rules.iter().map(|rule| &*rule.name).collect();
    for rule in &grammar.rules {
        rule.body.visit(&mut |part| {
            if let Expression::Name(name) = part {
                let is_missing = !defined.contains(&**name);
                // Names that are not of the appendix stay undefined.
                let is_core = CORE
                    .lines()
                    .any(|line| line.split(' ').next() == Some(&**name));
                if missing.is_none() && is_missing && is_core {
                    missing = Some(name.clone());
                }
            }
        });
    }
    missing
}

/// Writes names in lower case, unless they are names of the appendix.
fn restore_case(grammar: &mut ForeignGrammar) {
    let is_core = |name: &str| {
        CORE.lines()
            .any(|line| line.split(' ').next() == Some(name))
    };
    let restored = |name: &mut String| {
        if !is_core(name) {
            name.make_ascii_lowercase();
        }
    };
    for rule in &mut grammar.rules {
        restored(&mut rule.name);
        rule.body.visit_mut(&mut |part| {
            if let Expression::Name(name) = part {
                restored(name);
            }
        });
    }
}

/// Whether a grammar has bytes above 7F and no characters above FF.
fn is_of_bytes(grammar: &ForeignGrammar) -> bool {
    let mut last = 0;
    for rule in &grammar.rules {
        rule.body.visit(&mut |part| match part {
            Expression::Class(class) => {
                last = class
                    .ranges()
                    .last()
                    .map_or(last, |range| last.max(range.1));
            }
            Expression::Literal { text, .. } => {
                last = text.chars().map(u32::from).fold(last, u32::max);
            }
            _ => {}
        });
    }
    (0x80..=0xFF).contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn imported(text: &str) -> Result<ForeignGrammar, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("g.abnf"), text.into());
        read(&mut sources, file)
    }

    #[test]
    fn rules_of_abnf_become_rules() {
        let grammar = imported(
            "; About.\n\n; The list.\nList = item *(\",\" item)  ; one or more\n        ; more\n       / %x0D.0A\nITEM = 1*2DIGIT [%s\"aB\"]\nitem =/ \"x\"\n",
        )
        .unwrap();
        assert_eq!(grammar.comments, ["About."]);
        let names: Vec<&str> = grammar.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["list", "item", "DIGIT"]);
        assert_eq!(grammar.rules[0].comments, ["The list."]);
        let item = || Expression::name("item");
        let comma = Expression::Literal {
            text: ",".into(),
            insensitive: true,
        };
        let more = Expression::sequence([comma, item()]).repeat(0, None);
        let list = Expression::choice([
            Expression::sequence([item(), more]),
            Expression::literal("\r\n"),
        ]);
        assert_eq!(grammar.rules[0].body, list);
        assert_eq!(grammar.rules[1].kind, ForeignKind::Fragment);
        assert!(!grammar.bytes);
    }

    #[test]
    fn marks_are_read_in_any_case() {
        let rules = imported("a = %X41 %D66 %S\"%X\" ; %X\n").unwrap().rules;
        let literals = ["A", "B", "%X"].map(Expression::literal);
        assert_eq!(rules[0].body, Expression::sequence(literals));
    }

    #[test]
    fn errors_have_a_location() {
        let text = "a = \"x\"\nb = *a]\n";
        let error = imported(text).unwrap_err();
        assert!(
            text[error.location.span.start..].starts_with(']'),
            "{error:?}"
        );
        let deep = format!("a = {}\"x\"{}\n", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(
            imported(&deep).unwrap_err().message,
            "too many groups inside each other"
        );
    }
}
