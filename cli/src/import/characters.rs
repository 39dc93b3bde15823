//! Tokens of grammars that a parser reads character by character: rules that consist of characters.
//!
//! Such rules are written as tokens, and choices of characters as classes. Both make shorter
//! parameters; the sentences are the same.

use std::collections::HashMap;

use super::class::CharacterClass;
use super::expression::{Expression, ForeignGrammar, ForeignKind};

/// Finds the rules that derive one character, and those that consist of characters and literals. Both
/// become fragments. A rule of literals alone stays a syntax rule.
pub fn find_tokens(grammar: &mut ForeignGrammar) {
    let characters = characters(grammar);
    let start = grammar
        .start
        .clone()
        .or_else(|| Some(grammar.rules.first()?.name.clone()));
    for rule in &mut grammar.rules {
        if rule.kind != ForeignKind::Syntax || Some(&rule.name) == start.as_ref() {
            continue;
        }
        let (mut lexical, mut has_characters) = (true, false);
        rule.body.visit(&mut |part| match part {
            Expression::Name(name) => {
                lexical &= characters.contains_key(name);
                has_characters = true;
            }
            Expression::Class(_) => has_characters = true,
            _ => {}
        });
        if lexical && has_characters {
            rule.kind = ForeignKind::Fragment;
        }
    }
    simplify(grammar);
}

/// Writes choices of single characters in tokens as classes.
pub fn simplify(grammar: &mut ForeignGrammar) {
    let characters = characters(grammar);
    for rule in &mut grammar.rules {
        if rule.kind == ForeignKind::Syntax {
            continue;
        }
        rule.body.visit_mut(&mut |part| match part {
            Expression::Choice(parts) if parts.len() > 1 => {
                let classes: Vec<(usize, CharacterClass)> = parts
                    .iter()
                    .enumerate()
                    .filter_map(|(at, part)| Some((at, single(part, &characters)?)))
                    .collect();
                if classes.len() < 2 {
                    return;
                }
                let first = classes[0].0;
                let all = classes.iter().map(|(_, class)| class.clone());
                let Some(union) = all.reduce(|one, other| one.union(&other)) else {
                    return;
                };
                parts[first] = Expression::Class(union);
                for (at, _) in classes[1..].iter().rev() {
                    parts.remove(*at);
                }
                if parts.len() == 1 {
                    *part = parts.remove(0);
                }
            }
            Expression::Repeat { element, .. } => {
                if let (Expression::Name(_), Some(class)) =
                    (&**element, single(element, &characters))
                {
                    **element = Expression::Class(class);
                }
            }
            _ => {}
        });
    }
}

/// Returns the rules that derive one character, with their classes.
fn characters(grammar: &ForeignGrammar) -> HashMap<String, CharacterClass> {
    let mut characters = HashMap::new();
    loop {
        let before = characters.len();
        for rule in &grammar.rules {
            if !characters.contains_key(&rule.name) {
                if let Some(class) = single(&rule.body, &characters) {
                    characters.insert(rule.name.clone(), class);
                }
            }
        }
        if characters.len() == before {
            return characters;
        }
    }
}

/// Returns the class of an expression that derives one character.
fn single(
    expression: &Expression,
    characters: &HashMap<String, CharacterClass>,
) -> Option<CharacterClass> {
    match expression {
        Expression::Class(class) => Some(class.clone()),
        Expression::Literal { text, insensitive } => {
            let mut all = text.chars();
            let only = all.next().filter(|_| all.next().is_none())?;
            let class = CharacterClass::new([(only.into(), only.into())]);
            Some(if *insensitive {
                class.with_both_cases()
            } else {
                class
            })
        }
        Expression::Name(name) => characters.get(name).cloned(),
        Expression::Choice(parts) if !parts.is_empty() => {
            let classes: Option<Vec<_>> =
                parts.iter().map(|part| single(part, characters)).collect();
            classes?.into_iter().reduce(|one, other| one.union(&other))
        }
        _ => None,
    }
}
