//! Finds the tokens whose texts are user-defined names.

use std::collections::HashSet;

use super::expression::{Expression, ForeignGrammar, ForeignKind, by_name};
use super::regular::Automaton;

/// What a name may begin with, before its first letter.
const SIGILS: [&str; 9] = ["", "$", "@", "%", "?", ":", "#", "_", "&"];

/// Texts that are no names: a token with one of them is a string, a number or a part of a text.
const OTHERS: [&str; 9] = ["1", "12", "a b", "a+b", "a\"b", "a(b", "a\nb", "a,b", "0x1"];

/// Returns the names of the tokens that look like identifiers: they have the texts `a`, `ab` and
/// `xyz`, perhaps after a sign, and no texts with other characters.
pub fn find(grammar: &ForeignGrammar) -> Vec<String> {
    let rules = by_name(&grammar.rules);
    let mut used = HashSet::new();
    for rule in grammar
        .rules
        .iter()
        .filter(|rule| rule.kind == ForeignKind::Syntax)
    {
        used.extend(rule.body.names().into_iter().map(String::from));
    }
    let looks_like_a_name = |body: &Expression| {
        let Ok(automaton) = Automaton::new(body, &rules) else {
            return false;
        };
        let accepts = |sigil: &str, text: &str| {
            let upper = text.to_ascii_uppercase();
            automaton.accepts(&format!("{sigil}{text}"))
                || automaton.accepts(&format!("{sigil}{upper}"))
        };
        let is_name = |sigil: &&str| {
            ["a", "q", "ab", "xyz", "qqq"]
                .iter()
                .all(|text| accepts(sigil, text))
        };
        SIGILS.iter().any(is_name) && !OTHERS.iter().any(|text| automaton.accepts(text))
    };
    let is_token = |kind| matches!(kind, ForeignKind::Token(_));
    let candidates = grammar.rules.iter().filter(|rule| is_token(rule.kind));
    candidates
        .filter(|rule| used.contains(&rule.name) && looks_like_a_name(&rule.body))
        .map(|rule| rule.name.clone())
        .collect()
}

/// Leaves out identifiers that are not regular or that can be empty, with a warning at their rules.
pub fn check(grammar: &mut ForeignGrammar) {
    let rules = by_name(&grammar.rules);
    let is_fit = |name: &String| {
        let body = rules.get(&**name);
        let automaton = body.map(|body| Automaton::new(body, &rules));
        matches!(automaton, Some(Ok(automaton)) if !automaton.accepts(""))
    };
    let (fit, other): (Vec<String>, Vec<String>) = grammar.identifiers.drain(..).partition(is_fit);
    grammar.identifiers = fit;
    for rule in grammar
        .rules
        .iter_mut()
        .filter(|rule| other.contains(&rule.name))
    {
        rule.warn(
            format!("`{}` is not written as an identifier", rule.name),
            "its texts are not regular, or can be empty",
        );
    }
}
