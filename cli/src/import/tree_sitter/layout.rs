//! The layout of a grammar: its extras.

use std::collections::HashSet;

use super::super::class::CharacterClass;
use super::super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, by_name,
};
use super::super::regular::Automaton;
use super::convert::Converter;
use super::json::Json;

/// The signs at the beginning of comments that end with the line.
const LINE_COMMENTS: [&str; 6] = ["//", "#", "--", "%", ";", "!"];

/// The signs at the beginning and the end of comments.
const BLOCK_COMMENTS: [(&str, &str); 5] = [
    ("/*", "*/"),
    ("(*", "*)"),
    ("{-", "-}"),
    ("<!--", "-->"),
    ("#=", "=#"),
];

/// Converts the extras to layout.
pub fn add(
    grammar: &mut ForeignGrammar,
    source: &Json,
    converter: &mut Converter,
) -> Result<(), Finding> {
    let has_scanner = !source
        .get("externals")
        .map(Json::elements)
        .unwrap_or_default()
        .is_empty();
    for extra in source.get("extras").map(Json::elements).unwrap_or_default() {
        if let Some(name) = extra.text_of("name") {
            // Comments of another language, which values can be taken for.
            if name.starts_with("js_") {
                continue;
            }
            // Where lines are tokens, the comments are in their ends.
            let has_lines = grammar
                .rules
                .iter()
                .any(|rule| rule.kind == ForeignKind::Line);
            if has_lines && line_comment(grammar, name).is_some() {
                continue;
            }
            let blanks = || Some(repeated(white_space(grammar, name)?, has_scanner));
            let layout = comment(grammar, name).or_else(blanks);
            let at = grammar.rules.iter().position(|rule| rule.name == name);
            if let (Some(layout), Some(at)) = (layout, at) {
                let rule = &mut grammar.rules[at];
                rule.body = layout;
                rule.kind = ForeignKind::Layout(0);
            }
            continue;
        }
        let name = converter.unused("layout");
        for mut rule in converter.rule(&name, extra)? {
            if rule.name == name {
                rule.kind = ForeignKind::Layout(0);
                rule.body = repeated(rule.body, has_scanner);
            }
            grammar.rules.push(rule);
        }
    }
    Ok(())
}

/// Returns white space, once or more; without the rare characters if the grammar has a scanner.
fn repeated(mut body: Expression, has_scanner: bool) -> Expression {
    if has_scanner {
        ascii(&mut body);
    }
    match body {
        Expression::Repeat { .. } => body,
        body => body.repeat(1, None),
    }
}

/// Returns the body of a rule that derives a blank. [`None`] if the rule derives none.
fn white_space(grammar: &ForeignGrammar, name: &str) -> Option<Expression> {
    let rules = by_name(&grammar.rules);
    let body = *rules.get(name)?;
    let automaton = Automaton::new(body, &rules).ok()?;
    automaton.accepts(" ").then(|| body.clone())
}

/// Returns the sign at the beginning of the comments of a rule, if they end with the line.
pub fn line_comment(grammar: &ForeignGrammar, name: &str) -> Option<&'static str> {
    let rules = by_name(&grammar.rules);
    let automaton = Automaton::new(rules.get(name)?, &rules).ok()?;
    let is_sign = |sign: &&&str| {
        let accepts = |text: &str| automaton.accepts(&format!("{sign}{text}"));
        accepts("") && accepts("a ( b") && !accepts(" a\nb")
    };
    LINE_COMMENTS.iter().find(is_sign).copied()
}

/// Leaves out rare white space: external scanners often do not know it.
fn ascii(layout: &mut Expression) {
    let common = CharacterClass::of(" \t\r\n");
    layout.visit_mut(&mut |part| {
        if let Expression::Class(class) = part {
            let rest = class.minus(&class.minus(&common));
            if !rest.is_empty() {
                *class = rest;
            }
        }
    });
}

/// Returns the comments of a rule that have a blank after their sign: no other token has these
/// texts. [`None`] if the rule derives no such comments.
fn comment(grammar: &ForeignGrammar, name: &str) -> Option<Expression> {
    let rules = by_name(&grammar.rules);
    let automaton = Automaton::new(rules.get(name)?, &rules).ok()?;
    let mut all = Vec::new();
    for sign in LINE_COMMENTS {
        let accepts = |text: &str| automaton.accepts(&format!("{sign}{text}"));
        if accepts("") && accepts(" a ( b") && !accepts(" a\nb") {
            let character = CharacterClass::any().minus(&CharacterClass::of("\\\n\r"));
            let text = [
                Expression::literal(" "),
                Expression::Class(character).repeat(0, None),
            ];
            all.push(Expression::sequence([
                Expression::literal(sign),
                Expression::sequence(text).optional(),
                Expression::literal("\n"),
            ]));
        }
    }
    for (open, close) in BLOCK_COMMENTS {
        // A line may also begin with the sign, as `#=` with `#`.
        let is_line = automaton.accepts(&format!("{open} a"));
        if !is_line && automaton.accepts(&format!("{open} a ( b {close}")) {
            let class = CharacterClass::any().minus(&CharacterClass::of("*-{(=\\"));
            let text = Expression::Class(class).repeat(0, None);
            all.push(Expression::sequence([
                Expression::literal(format!("{open} ")),
                text,
                Expression::literal(format!(" {close}")),
            ]));
        }
    }
    (!all.is_empty()).then(|| Expression::choice(all))
}

/// Leaves the line feeds out of the layout if they are tokens, which the layout would change.
pub fn without_line_feeds(grammar: &mut ForeignGrammar, content: &HashSet<String>) {
    let has_lines = grammar
        .rules
        .iter()
        .any(|rule| rule.kind == ForeignKind::Line);
    if !has_lines && !has_line_feeds(grammar, content) {
        return;
    }
    let line_feeds = CharacterClass::of("\n\r");
    let is_token = |rule: &&mut ForeignRule| {
        matches!(rule.kind, ForeignKind::Token(_) | ForeignKind::Fragment)
    };
    for rule in grammar.rules.iter_mut().filter(is_token) {
        end_line(&mut rule.body);
    }
    let is_layout = |rule: &&mut ForeignRule| matches!(rule.kind, ForeignKind::Layout(_));
    for rule in grammar.rules.iter_mut().filter(is_layout) {
        rule.body.visit_mut(&mut |part| match part {
            Expression::Class(class) => *class = class.minus(&line_feeds),
            Expression::Literal { text, .. } if text.contains(['\n', '\r']) => {
                *part = Expression::never();
            }
            _ => {}
        });
    }
}

/// Adds the line feed to a token that has `#!` and the rest of the line.
fn end_line(body: &mut Expression) {
    let Expression::Sequence(parts) = body else {
        return;
    };
    let begins =
        matches!(parts.first(), Some(Expression::Literal { text, .. }) if text.starts_with("#!"));
    let Some(Expression::Repeat {
        element,
        at_most: None,
        ..
    }) = parts.last()
    else {
        return;
    };
    if begins && matches!(&**element, Expression::Class(class) if !class.contains('\n')) {
        parts.push(Expression::literal("\n"));
    }
}

/// Whether a token of the syntax is a line feed.
fn has_line_feeds(grammar: &ForeignGrammar, content: &HashSet<String>) -> bool {
    let rules = by_name(&grammar.rules);
    let is_line_feed = |name: &str| {
        let body = rules.get(name)?;
        let automaton = Automaton::new(body, &rules).ok()?;
        Some(automaton.accepts("\n") && !automaton.accepts("\na"))
    };
    let is_token =
        |rule: &&ForeignRule| !matches!(rule.kind, ForeignKind::Syntax | ForeignKind::Layout(_));
    let tokens = grammar.rules.iter().filter(is_token);
    let tokens: HashSet<&str> = tokens.map(|rule| &*rule.name).collect();
    let mut has = false;
    for rule in grammar
        .rules
        .iter()
        .filter(|rule| rule.kind == ForeignKind::Syntax)
    {
        rule.body.visit(&mut |part| match part {
            Expression::Literal { text, .. } => has |= text == "\n",
            Expression::Name(name) if !has && !content.contains(name) => {
                has |= tokens.contains(&**name) && is_line_feed(name) == Some(true);
            }
            _ => {}
        });
    }
    has
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn white_space_may_be_a_rule() {
        let blanks = Expression::Class(CharacterClass::of(" \t")).repeat(1, None);
        let grammar = ForeignGrammar {
            rules: vec![
                ForeignRule::new("_space", ForeignKind::Token(0), blanks.clone()),
                ForeignRule::new("a", ForeignKind::Token(0), Expression::literal("a")),
            ],
            ..ForeignGrammar::default()
        };
        assert_eq!(white_space(&grammar, "_space"), Some(blanks));
        assert_eq!(white_space(&grammar, "a"), None);
    }

    #[test]
    fn comments_end_with_the_line() {
        let line = Expression::Class(CharacterClass::parse("[^\n]").unwrap()).repeat(0, None);
        let body = Expression::sequence([Expression::literal("#"), line]);
        let grammar = ForeignGrammar {
            rules: vec![ForeignRule::new("comment", ForeignKind::Token(0), body)],
            ..ForeignGrammar::default()
        };
        let comment = comment(&grammar, "comment").unwrap();
        let automaton = Automaton::new(&comment, &HashMap::new()).unwrap();
        assert!(automaton.accepts("#\n") && automaton.accepts("# a\n"));
        assert!(!automaton.accepts("#a\n") && !automaton.accepts("# a"));
    }

    #[test]
    fn layout_has_no_line_feeds_if_they_are_tokens() {
        let blank = Expression::Class(CharacterClass::of(" \n")).repeat(1, None);
        let mut grammar = ForeignGrammar {
            rules: vec![
                ForeignRule::new("a", ForeignKind::Syntax, Expression::literal("\n")),
                ForeignRule::new("blank", ForeignKind::Layout(0), blank),
            ],
            ..ForeignGrammar::default()
        };
        without_line_feeds(&mut grammar, &HashSet::new());
        assert_eq!(
            grammar.rules[1].body,
            Expression::Class(CharacterClass::of(" ")).repeat(1, None)
        );
    }
}
