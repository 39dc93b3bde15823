//! Tokens of grammars that a parser reads character by character: rules that consist of characters.
//!
//! Such rules are written as tokens, and choices of characters as classes. Both make shorter
//! parameters; the sentences are the same.

use std::collections::{HashMap, HashSet};

use super::class::CharacterClass;
use super::expression::{Expression, ForeignGrammar, ForeignKind, ForeignRule};
use super::fixed_point;

/// Finds the rules that derive one character, and those that consist of characters and literals. Both
/// become fragments. A rule of literals alone stays a syntax rule.
pub fn find_tokens(grammar: &mut ForeignGrammar) {
    let characters = characters(&grammar.rules);
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

/// Writes choices and repetitions of single characters in tokens as classes.
pub fn simplify(grammar: &mut ForeignGrammar) {
    merge_choices(&mut grammar.rules);
    let characters = characters(&grammar.rules);
    for rule in &mut grammar.rules {
        if rule.kind == ForeignKind::Syntax {
            continue;
        }
        rule.body.visit_mut(&mut |part| {
            let Expression::Repeat { element, .. } = part else {
                return;
            };
            if let (Expression::Name(_), Some(class)) = (&**element, single(element, &characters)) {
                **element = Expression::Class(class);
            }
        });
    }
}

/// Writes choices of single characters in tokens as classes.
pub fn merge_choices(rules: &mut [ForeignRule]) {
    let characters = characters(rules);
    for rule in rules {
        if rule.kind == ForeignKind::Syntax {
            continue;
        }
        rule.body.visit_mut(&mut |part| {
            let Expression::Choice(parts) = part else {
                return;
            };
            let classes: Vec<(usize, CharacterClass)> = parts
                .iter()
                .enumerate()
                .filter_map(|(at, part)| Some((at, single(part, &characters)?)))
                .collect();
            if classes.len() < 2 {
                return;
            }
            let first = classes[0].0;
            let all: Vec<CharacterClass> = classes.iter().map(|(_, class)| class.clone()).collect();
            parts[first] = Expression::Class(CharacterClass::union_of(&all));
            let merged: HashSet<usize> = classes[1..].iter().map(|(at, _)| *at).collect();
            let mut at = 0..;
            parts.retain(|_| at.next().is_none_or(|at| !merged.contains(&at)));
            if parts.len() == 1 {
                *part = parts.remove(0);
            }
        });
    }
}

/// Returns the rules that derive one character, with their classes.
fn characters(rules: &[ForeignRule]) -> HashMap<String, CharacterClass> {
    let names = fixed_point::rules_with(rules, is_single);
    let mut characters = HashMap::new();
    let single_rules = rules.iter().filter(|rule| names.contains(&rule.name));
    let index: HashMap<&str, &ForeignRule> = single_rules.map(|rule| (&*rule.name, rule)).collect();
    // Each rule is ready after the rules that it uses. None of them uses itself.
    let mut open: Vec<(&ForeignRule, bool)> = index.values().map(|rule| (*rule, false)).collect();
    while let Some((rule, is_ready)) = open.pop() {
        if characters.contains_key(&rule.name) {
            continue;
        }
        if is_ready {
            let class = single(&rule.body, &characters);
            characters.extend(class.map(|class| (rule.name.clone(), class)));
            continue;
        }
        open.push((rule, true));
        let used = rule.body.names().into_iter();
        open.extend(used.filter_map(|name| Some((*index.get(name)?, false))));
    }
    characters
}

/// Whether an expression derives one character, if the rules in `single` do.
fn is_single(expression: &Expression, single: &HashSet<String>) -> bool {
    match expression {
        Expression::Class(_) => true,
        Expression::Literal { text, .. } => text.chars().count() == 1,
        Expression::Name(name) => single.contains(name),
        Expression::Choice(parts) => {
            !parts.is_empty() && parts.iter().all(|part| is_single(part, single))
        }
        _ => false,
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
            Some(CharacterClass::union_of(&classes?))
        }
        _ => None,
    }
}
