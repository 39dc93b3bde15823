//! Finds the rules for texts, such as strings with escapes, and forbids layout in them: a blank in a string is a
//! character of the string.

use std::collections::{HashMap, HashSet};

use super::super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule, by_name};
use super::super::regular::Automaton;

/// Forbids layout in the rules that use text parts. Returns the names of the tokens that are text parts.
pub fn forbid_layout_in_texts(grammar: &mut ForeignGrammar) -> HashSet<String> {
    let content = content(grammar);
    // Other tokens do not compete with text parts.
    for rule in grammar
        .rules
        .iter_mut()
        .filter(|rule| content.contains(&rule.name))
    {
        rule.kind = ForeignKind::Fragment;
    }
    // A backslash alone would begin an escape.
    let is_fragment = |rule: &&mut ForeignRule| rule.kind == ForeignKind::Fragment;
    for rule in grammar.rules.iter_mut().filter(is_fragment) {
        if rule.body == Expression::literal("\\") {
            rule.body = Expression::never();
        }
    }
    // A hidden rule is a part of the rules that use it, so these are texts, too.
    let mut parts = content.clone();
    let mut texts: HashSet<String> = HashSet::new();
    loop {
        let before = texts.len();
        for rule in grammar
            .rules
            .iter()
            .filter(|rule| rule.kind == ForeignKind::Syntax)
        {
            let mut uses = false;
            rule.body.visit(&mut |part| {
                uses |= matches!(part, Expression::Name(name) if parts.contains(name))
            });
            if uses && texts.insert(rule.name.clone()) && rule.name.starts_with('_') {
                parts.insert(rule.name.clone());
            }
        }
        if texts.len() == before {
            break;
        }
    }
    for rule in grammar
        .rules
        .iter_mut()
        .filter(|rule| texts.contains(&rule.name))
    {
        let is_part = rule.name.starts_with('_') && !begins_with_literal(&rule.body);
        forbid_layout(&mut rule.body, !is_part);
    }
    content
}

/// Returns whether an expression always begins with a literal, such as the quote of a string.
fn begins_with_literal(expression: &Expression) -> bool {
    match expression {
        Expression::Literal { .. } => true,
        Expression::Sequence(parts) => parts.first().is_some_and(begins_with_literal),
        Expression::Choice(parts) => parts.iter().all(begins_with_literal),
        _ => false,
    }
}

/// Returns the tokens that accept both `a` and a blank, except for those that compete with the tokens around them.
fn content(grammar: &ForeignGrammar) -> HashSet<String> {
    let bodies = by_name(&grammar.rules);
    let is_token = |kind| matches!(kind, ForeignKind::Token(_) | ForeignKind::Fragment);
    let tokens = grammar.rules.iter().filter(|rule| is_token(rule.kind));
    let automata = tokens.filter_map(|rule| {
        let automaton = Automaton::new(&rule.body, &bodies).ok()?;
        Some((&*rule.name, automaton))
    });
    let mut content: HashMap<&str, Automaton> = HashMap::new();
    let mut words: HashSet<&str> = HashSet::new();
    for (name, token) in automata.filter(|(_, token)| token.accepts("a")) {
        match token.accepts(" ") {
            true => drop(content.insert(name, token)),
            false => drop(words.insert(name)),
        }
    }
    let mut competing: HashSet<&str> = HashSet::new();
    let is_syntax = |rule: &&ForeignRule| rule.kind == ForeignKind::Syntax;
    for rule in grammar.rules.iter().filter(is_syntax) {
        rule.body.visit(&mut |part| {
            let Expression::Sequence(parts) = part else {
                return;
            };
            for pair in parts.windows(2) {
                match (&pair[0], &pair[1]) {
                    // A word would take the letters at the beginning of the text.
                    (Expression::Name(word), Expression::Name(text)) if words.contains(&**word) => {
                        competing.insert(text);
                    }
                    (text, Expression::Literal { text: close, .. }) => {
                        competing.extend(rivals(text, close, &content));
                    }
                    _ => {}
                }
            }
        });
    }
    let names = content.into_keys().filter(|name| !competing.contains(name));
    names.map(ToString::to_string).collect()
}

/// Returns the tokens of an expression that can be the beginning of the delimiter after it. Quotes do not count: a
/// string with three quotes may contain one.
fn rivals<'a>(
    expression: &'a Expression,
    close: &str,
    content: &HashMap<&str, Automaton>,
) -> Vec<&'a str> {
    let begin: String = close.chars().take(1).collect();
    let mut found = Vec::new();
    if close.len() == begin.len() || "'\"`".contains(&begin) {
        return found;
    }
    let begins = |name: &&str| content.get(name).is_some_and(|token| token.accepts(&begin));
    found.extend(expression.names().into_iter().filter(begins));
    found
}

/// Forbids layout before the symbols of an expression, except before the first one if `is_first`.
pub fn forbid_layout(expression: &mut Expression, is_first: bool) {
    match expression {
        Expression::Sequence(parts) => {
            for (at, part) in parts.iter_mut().enumerate() {
                forbid_layout(part, is_first && at == 0);
            }
        }
        Expression::Choice(parts) => parts
            .iter_mut()
            .for_each(|part| forbid_layout(part, is_first)),
        Expression::Repeat {
            element, at_most, ..
        } => {
            forbid_layout(element, is_first && *at_most == Some(1));
        }
        Expression::Name(_) | Expression::Literal { .. } | Expression::Class(_) if !is_first => {
            *expression = expression.clone().adjacent();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::class::CharacterClass;
    use super::*;

    #[test]
    fn hidden_parts_of_texts_are_adjacent_but_not_the_literal_that_begins_a_text() {
        let content = || Expression::name("content");
        let raw = [
            Expression::literal("r("),
            content(),
            Expression::literal(")"),
        ];
        let any = Expression::Class(CharacterClass::any());
        let mut grammar = ForeignGrammar {
            rules: vec![
                ForeignRule::new("_raw", ForeignKind::Syntax, Expression::sequence(raw)),
                ForeignRule::new("_part", ForeignKind::Syntax, content()),
                ForeignRule::new("content", ForeignKind::Token(0), any.repeat(1, None)),
            ],
            ..ForeignGrammar::default()
        };
        assert_eq!(
            forbid_layout_in_texts(&mut grammar),
            HashSet::from(["content".to_string()])
        );
        let adjacent = Expression::sequence([
            Expression::literal("r("),
            content().adjacent(),
            Expression::literal(")").adjacent(),
        ]);
        assert_eq!(grammar.rules[0].body, adjacent);
        assert_eq!(grammar.rules[1].body, content().adjacent());
    }

    #[test]
    fn texts_that_compete_with_their_neighbours_are_no_texts() {
        let class = |without: &str| {
            let without = CharacterClass::of(without);
            Expression::Class(CharacterClass::any().minus(&without))
        };
        let name = Expression::name;
        let sequence = |rule: &str, parts: &[Expression]| {
            let body = Expression::sequence(parts.iter().cloned());
            ForeignRule::new(rule, ForeignKind::Syntax, body)
        };
        let token = |rule: &str, body: Expression| {
            ForeignRule::new(rule, ForeignKind::Token(0), body.repeat(1, None))
        };
        let close = Expression::literal;
        let grammar = ForeignGrammar {
            rules: vec![
                sequence("pragma", &[name("word"), name("value"), close(";")]),
                sequence("code", &[name("part"), close("%>")]),
                sequence("string", &[name("character"), close("\"\"\"")]),
                token("word", class(" ;")),
                token("value", class(";")),
                token("part", class("")),
                token("character", class("\\")),
            ],
            ..ForeignGrammar::default()
        };
        assert_eq!(content(&grammar), HashSet::from(["character".to_string()]));
    }
}
