//! Finds the lexer rules and elements that derive exactly one character, and makes expressions of literals.

use std::collections::{HashMap, HashSet};

use super::element::{Element, G4Rule};
use crate::import::class::CharacterClass;
use crate::import::expression::Expression;

/// Returns the classes of the rules that derive exactly one character.
pub fn of_rules(
    rules: &HashMap<String, G4Rule>,
    insensitive: bool,
) -> HashMap<String, CharacterClass> {
    let mut classes = HashMap::new();
    let mut seen: HashSet<&str> = HashSet::new();
    // Each rule is ready after the rules that it uses. Of a cycle of rules, none is one character.
    let mut open: Vec<(&G4Rule, bool)> = rules.values().map(|rule| (rule, false)).collect();
    while let Some((rule, is_ready)) = open.pop() {
        let alternatives = || rule.alternatives.iter().map(|one| &one.0);
        if is_ready {
            let insensitive = rule.case_insensitive.unwrap_or(insensitive);
            let all: Option<Vec<_>> = alternatives()
                .map(|one| of(one, insensitive, &classes))
                .collect();
            classes.extend(all.map(|all| (rule.name.clone(), CharacterClass::union_of(&all))));
        } else if seen.insert(&rule.name) {
            open.push((rule, true));
            let mut elements: Vec<&Element> = alternatives().collect();
            while let Some(element) = elements.pop() {
                match element {
                    Element::Name(name) => open.extend(rules.get(name).map(|rule| (rule, false))),
                    Element::Choice(parts) => elements.extend(parts),
                    Element::Not(inner) => elements.push(inner),
                    _ => {}
                }
            }
        }
    }
    classes
}

/// Returns the class of an element that derives exactly one character. `rules` has the classes of rules.
pub fn of(
    element: &Element,
    insensitive: bool,
    rules: &HashMap<String, CharacterClass>,
) -> Option<CharacterClass> {
    let in_cases = |class: CharacterClass| match insensitive {
        true => class.with_all_cases(),
        false => class,
    };
    match element {
        Element::Literal(text) if text.chars().count() == 1 => {
            Some(in_cases(CharacterClass::of(text)))
        }
        Element::Set(class) => Some(in_cases(class.clone())),
        Element::Any => Some(CharacterClass::any()),
        Element::Not(inner) => Some(of(inner, insensitive, rules)?.complement()),
        Element::Choice(parts) => {
            let all: Option<Vec<_>> = parts
                .iter()
                .map(|part| of(part, insensitive, rules))
                .collect();
            Some(CharacterClass::union_of(&all?))
        }
        Element::Name(name) => rules.get(name).cloned(),
        _ => None,
    }
}

/// Returns the expression of a literal. Letters beyond ASCII that have another case become classes, which follow
/// each other without layout.
pub fn literal(text: &str, insensitive: bool) -> Expression {
    let plain = |text: String| Expression::Literal { text, insensitive };
    if !insensitive || text.is_ascii() {
        return plain(text.into());
    }
    let mut parts = Vec::new();
    let mut run = String::new();
    for character in text.chars() {
        let class = CharacterClass::of(&character.to_string()).with_all_cases();
        if character.is_ascii() || class.only().is_some() {
            run.push(character);
            continue;
        }
        if !run.is_empty() {
            parts.push(plain(std::mem::take(&mut run)));
        }
        parts.push(Expression::Class(class));
    }
    if !run.is_empty() {
        parts.push(plain(run));
    }
    let mut first = true;
    Expression::sequence(
        parts
            .into_iter()
            .map(|part| match std::mem::replace(&mut first, false) {
                true => part,
                false => part.adjacent(),
            }),
    )
}
