//! Tokens side by side that a lexer reads as another token.

use std::collections::HashMap;

use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, SourceLocation, Tokenization, by_name,
};
use super::pairs;
use super::regular::Automaton;

/// The maximum number of texts that are tried.
const WORK: usize = 200_000;

/// The maximum number of characters of a second token.
const LENGTH: usize = 8;

/// Returns how many characters of the token `second` a lexer reads as a part of another token, if it stands directly
/// after `first`.
pub fn joins(first: &str, second: &str, tokens: &[&Automaton]) -> Option<usize> {
    let mut text = first.to_string();
    for (at, character) in second.chars().take(LENGTH).enumerate() {
        text.push(character);
        if tokens.iter().any(|token| token.accepts(&text)) {
            return Some(at + 1);
        }
    }
    None
}

/// Adds a warning if the grammar has no layout, and tokens that a lexer reads as another token may stand side by
/// side.
pub fn warn(grammar: &mut ForeignGrammar) {
    let is_layout = |kind| matches!(kind, ForeignKind::Layout(_) | ForeignKind::Line);
    if grammar.tokenization != Tokenization::Longest
        || grammar.rules.iter().any(|rule| is_layout(rule.kind))
    {
        return;
    }
    if let Some((first, second)) = find(grammar) {
        grammar.warnings.push(Finding::new(SourceLocation::default(), format!(
                "the grammar has no layout between `{first}` and `{second}`, which a lexer reads as another token"
            ), "such tokens are written side by side, and a parser refuses them"));
    }
}

/// Returns two texts of tokens side by side that a lexer joins.
fn find(grammar: &ForeignGrammar) -> Option<(String, String)> {
    let rules = by_name(&grammar.rules);
    let pairs = pairs::find(&grammar.rules)?;
    let mut automata: HashMap<&Expression, Automaton> = HashMap::new();
    for &token in pairs.iter().flat_map(|(one, other)| [one, other]) {
        if !automata.contains_key(token) {
            automata.insert(token, Automaton::new(token, &rules).ok()?);
        }
    }
    let texts: HashMap<&Expression, String> = automata
        .iter()
        .filter_map(|(token, automaton)| Some((*token, automaton.shortest()?)))
        .collect();
    let tokens: Vec<&Automaton> = automata.values().collect();
    let tried = WORK / tokens.len().max(1);
    pairs.into_iter().take(tried).find_map(|(one, other)| {
        let (first, second) = (texts.get(one)?, texts.get(other)?);
        joins(first, second, &tokens)?;
        Some((first.clone(), second.clone()))
    })
}
