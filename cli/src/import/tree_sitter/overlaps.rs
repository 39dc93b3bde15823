//! Finds the texts of patterns that the parser reads as other tokens.
//!
//! Where a literal and a pattern with the same text can both follow, the lexer takes the literal. So in a grammar of
//! regular expressions, `{` after `a` begins a count, although a pattern of characters has `{`, too. Such a text is
//! left out of the pattern.
// NOTE: The text is left out everywhere, because a token has the same texts at all positions.

use std::collections::{HashMap, HashSet};

use super::super::class::CharacterClass;
use super::super::expression::{Expression, ForeignGrammar, ForeignKind};
use super::first_tokens::{self, FirstTokens};
use super::json::Json;
use super::operands::nodes::{can_be_empty, children, elements, type_of};
use super::pattern;
use super::tails::TailTokens;

/// A character that a pattern must lack.
pub type Overlap = (Expression, char);

pub fn find(members: &[(String, Json)]) -> Vec<Overlap> {
    let first = first_tokens::of(members);
    let tails = TailTokens::new(members, &first, &HashSet::new());
    let patterns = patterns(members);
    let mut found: Vec<Overlap> = Vec::new();
    let mut open: Vec<&Json> = members.iter().map(|(_, body)| body).collect();
    while let Some(node) = open.pop() {
        if type_of(node).ends_with("TOKEN") {
            continue;
        }
        for (part, next) in neighbors(node, &first) {
            let literals = tails.of_node(part);
            let signs = literals.iter().filter_map(|text| sign(text));
            let signs: Vec<char> = signs.collect();
            for body in next.iter().filter_map(|text| patterns.get(&**text)) {
                let has = |sign: &&char| matches!(body, Expression::Class(class) if class.contains(**sign));
                for &sign in signs.iter().filter(has) {
                    let overlap = (body.clone(), sign);
                    if !found.contains(&overlap) {
                        found.push(overlap);
                    }
                }
            }
        }
        open.extend(children(node));
    }
    found
}

/// Leaves the characters out of the tokens.
pub fn remove(grammar: &mut ForeignGrammar, overlaps: &[Overlap]) {
    let is_token = |kind| matches!(kind, ForeignKind::Token(_) | ForeignKind::Fragment);
    for rule in grammar.rules.iter_mut().filter(|rule| is_token(rule.kind)) {
        let signs: String = overlaps
            .iter()
            .filter(|(body, _)| *body == rule.body)
            .map(|(_, sign)| *sign)
            .collect();
        if let Expression::Class(class) = &mut rule.body {
            *class = class.minus(&CharacterClass::of(&signs));
        }
    }
}

/// The parts of a node, each with the tokens that can follow it.
fn neighbors<'a>(node: &'a Json, first: &FirstTokens) -> Vec<(&'a Json, HashSet<String>)> {
    if let Some(content) = node.get("content") {
        return match type_of(node).starts_with("REPEAT") {
            true => vec![(content, first.of_node(content))],
            false => Vec::new(),
        };
    }
    let parts = elements(node);
    if type_of(node) != "SEQ" {
        return Vec::new();
    }
    let of = |(at, part): (usize, &'a Json)| {
        let mut next = HashSet::new();
        for one in &parts[at + 1..] {
            next.extend(first.of_node(one));
            if !can_be_empty(one) {
                break;
            }
        }
        (part, next)
    };
    parts.iter().enumerate().map(of).collect()
}

/// The character of a text of one character, unless it is a letter or a digit.
fn sign(text: &str) -> Option<char> {
    let mut characters = text.chars();
    let sign = characters.next().filter(|sign| !sign.is_alphanumeric())?;
    characters.next().is_none().then_some(sign)
}

/// The expressions of the patterns in the rules, by their texts.
fn patterns(members: &[(String, Json)]) -> HashMap<&str, Expression> {
    let mut open: Vec<&Json> = members.iter().map(|(_, body)| body).collect();
    let mut found = HashMap::new();
    while let Some(node) = open.pop() {
        if type_of(node) == "PATTERN" {
            let text = node.text_of("value").unwrap_or_default();
            let flags = node.text_of("flags").unwrap_or_default();
            if let Ok((body, _)) = pattern::read(text, flags) {
                found.insert(text, body);
            }
        }
        open.extend(children(node));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    #[test]
    fn a_character_that_begins_an_optional_end_is_found() {
        let symbol = |name: &str| format!(r#"{{"type": "SYMBOL", "name": "{name}"}}"#);
        let text = |text: &str| format!(r#"{{"type": "STRING", "value": "{text}"}}"#);
        let list = |kind: &str, parts: &[String]| {
            format!(r#"{{"type": "{kind}", "members": [{}]}}"#, parts.join(","))
        };
        let count = list("SEQ", &[text("{"), text("}")]);
        let count = list("CHOICE", &[count, r#"{"type": "BLANK"}"#.into()]);
        let term = list("SEQ", &[symbol("character"), count]);
        let rules = format!(
            r#"{{"term": {{"type": "REPEAT1", "content": {term}}},
                "character": {{"type": "PATTERN", "value": "[a{{}}]"}}}}"#
        );
        let rules = json::parse(&rules).unwrap();
        let found = find(rules.members());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, '{');
    }
}
