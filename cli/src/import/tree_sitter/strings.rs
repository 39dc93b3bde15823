//! Strings of grammars with lines. The external scanner knows which quotes end a string. Here, one token is a whole
//! string, so that a text can be split into tokens to find the ends of its lines.

use std::collections::HashSet;

use super::super::class::CharacterClass;
use super::super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule};
use super::convert::Converter;
use super::text;

/// The text that [`super::externals`] returns for the beginning of a string.
const START: &str = "f\"";

/// Adds a token for whole strings as an alternative to the rules for strings with interpolations. Strings with
/// interpolations get both kinds of quotes.
pub fn complete(grammar: &mut ForeignGrammar, converter: &mut Converter) {
    let is_string = |rule: &ForeignRule| {
        let Expression::Sequence(parts) = &rule.body else {
            return false;
        };
        let ends = |at: Option<&Expression>, text: &str| at.is_some_and(|part| begins(part, text));
        rule.kind == ForeignKind::Syntax && ends(parts.first(), START) && ends(parts.last(), "\"")
    };
    let strings: Vec<usize> = (0..grammar.rules.len())
        .filter(|&at| is_string(&grammar.rules[at]))
        .collect();
    let Some(&first) = strings.first() else {
        return;
    };
    let name = converter.unused("string_text");
    let location = grammar.rules[first].location.clone();
    for at in strings {
        let body = &mut grammar.rules[at].body;
        if let Expression::Sequence(parts) = body {
            not_empty(parts);
        }
        text::forbid_layout(body, true);
        let mut single = body.clone();
        single.visit_mut(&mut |part| match part {
            Expression::Literal { text, .. } if text == START => *part = Expression::literal("f'"),
            Expression::Literal { text, .. } if text == "\"" => *part = Expression::literal("'"),
            _ => {}
        });
        let whole = Expression::name(name.clone());
        *body = Expression::choice([whole, body.clone(), single]);
    }
    grammar.rules.push(ForeignRule {
        comments: vec!["A string without interpolations.".into()],
        location,
        ..ForeignRule::new(name, ForeignKind::Token(0), whole_strings())
    });
}

/// Whether an expression is the literal `text`, with or without layout before it.
fn begins(expression: &Expression, text: &str) -> bool {
    match expression {
        Expression::Literal { text: literal, .. } => literal == text,
        Expression::Adjacent(part) => begins(part, text),
        _ => false,
    }
}

/// Requires a part in a string: the quotes of an empty string and of the next string could be read as three quotes.
fn not_empty(parts: &mut [Expression]) {
    for part in parts {
        if let Expression::Repeat {
            at_least: at_least @ 0,
            at_most: None,
            ..
        } = part
        {
            *at_least = 1;
        }
    }
}

/// The strings with single and triple quotes.
fn whole_strings() -> Expression {
    let class = |text: &str| Expression::Class(CharacterClass::of(text));
    let without =
        |text: &str| Expression::Class(CharacterClass::any().minus(&CharacterClass::of(text)));
    let quoted = |excluded: &str| {
        let escaped = without(&format!("\0{excluded}"));
        let escape = || Expression::sequence([Expression::literal("\\"), escaped.clone()]);
        let all = ["\"", "'"].map(|quote| {
            let one = || {
                let character = without(&format!("\0\\{quote}{excluded}"));
                Expression::choice([character, escape()])
            };
            let line = Expression::choice([without(&format!("\0\n\\{quote}{excluded}")), escape()]);
            // Fewer than three quotes do not end a string with three.
            let quotes = Expression::literal(quote).repeat(0, Some(2));
            let three = || Expression::literal(quote.repeat(3));
            let lines = Expression::sequence([quotes, one()]).repeat(0, None);
            [
                Expression::sequence([
                    Expression::literal(quote),
                    line.repeat(0, None),
                    Expression::literal(quote),
                ]),
                Expression::sequence([three(), lines, three()]),
            ]
        });
        Expression::choice(all.into_iter().flatten())
    };
    let raw = || class("rR").optional();
    let bytes = Expression::sequence([class("bBuU"), raw()]);
    let raw_bytes = Expression::sequence([class("rR"), class("bB").optional()]);
    let prefix = Expression::choice([bytes, raw_bytes]).optional();
    let format = Expression::choice([
        Expression::sequence([class("fF"), raw()]),
        Expression::sequence([class("rR"), class("fF")]),
    ]);
    Expression::choice([
        Expression::sequence([prefix, quoted("")]),
        // Braces would be an interpolation.
        Expression::sequence([format, quoted("{}")]),
    ])
}

/// Leaves the characters that begin other tokens out of the text parts: brackets, quotes and signs of comments.
pub fn narrow(grammar: &mut ForeignGrammar, content: &HashSet<String>) {
    let special = CharacterClass::of("()[]{}\"'#\\\r\n");
    let is_content = |rule: &&mut ForeignRule| content.contains(&rule.name);
    for rule in grammar.rules.iter_mut().filter(is_content) {
        rule.body.visit_mut(&mut |part| {
            if let Expression::Class(class) = part {
                *class = class.minus(&special);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::super::regular::Automaton;
    use super::*;

    #[test]
    fn a_token_has_a_whole_string() {
        let automaton = Automaton::new(&whole_strings(), &HashMap::new()).unwrap();
        let strings = [
            "''",
            "\"a'\"",
            "'\\''",
            "rb'\\d'",
            "f'a'",
            "\"\"\"a\"\nb\"\"\"",
            "''''''",
            "'a\\\nb'",
        ];
        for text in strings {
            assert!(automaton.accepts(text), "{text}");
        }
        for text in [
            "'", "'a\nb'", "'a'b'", "f'{a}'", "f'\\{a'", "'''a''", "'a\"", "x'a'",
        ] {
            assert!(!automaton.accepts(text), "{text}");
        }
    }
}
