//! Finds the texts that the syntax is about, such as strings with escapes, and forbids layout in them:
//! a blank in a string is a character of it.

use std::collections::{HashMap, HashSet};

use super::super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule};
use super::super::regular::Automaton;

/// Forbids layout in the rules that consist of pieces of text. Returns the names of tokens that are
/// such pieces.
pub fn adjoin(grammar: &mut ForeignGrammar) -> HashSet<String> {
    let content = content(grammar);
    // Other tokens do not compete with pieces of text.
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
    // Rules that are hidden are parts of others, which then are texts, too.
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
        glue(&mut rule.body, !is_part);
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

/// Returns the tokens that a blank is a text of.
fn content(grammar: &ForeignGrammar) -> HashSet<String> {
    let rules: HashMap<&str, &Expression> = grammar
        .rules
        .iter()
        .map(|rule| (&*rule.name, &rule.body))
        .collect();
    let is_token = |kind| matches!(kind, ForeignKind::Token(_) | ForeignKind::Fragment);
    let is_content = |body: &Expression| {
        Automaton::new(body, &rules)
            .is_ok_and(|automaton| automaton.accepts(" ") && automaton.accepts("a"))
    };
    grammar
        .rules
        .iter()
        .filter(|rule| is_token(rule.kind) && is_content(&rule.body))
        .map(|rule| rule.name.clone())
        .collect()
}

/// Forbids layout before the symbols of an expression, except before the first one if `is_first`.
pub fn glue(expression: &mut Expression, is_first: bool) {
    match expression {
        Expression::Sequence(parts) => {
            for (at, part) in parts.iter_mut().enumerate() {
                glue(part, is_first && at == 0);
            }
        }
        Expression::Choice(parts) => parts.iter_mut().for_each(|part| glue(part, is_first)),
        Expression::Repeat {
            element, at_most, ..
        } => {
            glue(element, is_first && *at_most == Some(1));
        }
        Expression::Name(_) | Expression::Literal { .. } | Expression::Class(_) if !is_first => {
            *expression = expression.clone().adjacent();
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_parts_of_texts_are_glued_but_not_the_literal_that_begins_a_text() {
        let content = || Expression::name("content");
        let raw = [
            Expression::literal("r("),
            content(),
            Expression::literal(")"),
        ];
        let any = Expression::Class(super::super::super::class::CharacterClass::any());
        let mut grammar = ForeignGrammar {
            rules: vec![
                ForeignRule::new("_raw", ForeignKind::Syntax, Expression::sequence(raw)),
                ForeignRule::new("_piece", ForeignKind::Syntax, content()),
                ForeignRule::new("content", ForeignKind::Token(0), any.repeat(1, None)),
            ],
            ..ForeignGrammar::default()
        };
        assert_eq!(adjoin(&mut grammar), HashSet::from(["content".to_string()]));
        let glued = Expression::sequence([
            Expression::literal("r("),
            content().adjacent(),
            Expression::literal(")").adjacent(),
        ]);
        assert_eq!(grammar.rules[0].body, glued);
        assert_eq!(grammar.rules[1].body, content().adjacent());
    }
}
