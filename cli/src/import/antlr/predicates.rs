//! Lexer rules with semantic predicates, whose code the import does not know.

use std::collections::HashSet;

use super::element::{Element, G4Rule};

/// Returns the names of the rules that contain a predicate, or use a rule that does.
pub fn conditional_rules(tokens: &[G4Rule]) -> HashSet<String> {
    let mut found: HashSet<String> = HashSet::new();
    loop {
        let before = found.len();
        for rule in tokens {
            let mut alternatives = rule.alternatives.iter();
            if !found.contains(&rule.name) && alternatives.any(|one| has_predicate(&one.0, &found))
            {
                found.insert(rule.name.clone());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether an element contains a predicate, or uses a rule of `conditional`.
pub fn has_predicate(element: &Element, conditional: &HashSet<String>) -> bool {
    let mut all = Element::all([element]).into_iter();
    all.any(|part| match part {
        Element::Name(name) => conditional.contains(name),
        part => *part == Element::Predicate,
    })
}
