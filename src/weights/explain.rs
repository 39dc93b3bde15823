//! Readable tables of the choices in samples, with counts and probabilities.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::choice_kind::{ChoiceKind, ContextKey, Spelled, choice_kind, class, support};
use super::exclusions::Exclusions;
use super::file::{SymbolNames, name, shown};
use super::{Probabilities, Weights};
use crate::grammar::{Grammar, Kind, SymbolId};

/// The maximum number of words of samples that a table lists.
const WORDS: usize = 5;

/// The outcomes of one choice of a symbol.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name of the symbol. For choices other than those of alternatives and names, a
    /// description of the choice follows.
    pub name: String,
    /// Whether the choice is that of an alternative or of a name.
    pub is_syntax: bool,
    /// Whether the choice is that of an alternative.
    pub is_rule: bool,
    /// How often samples make the choice.
    pub times: f64,
    /// The outcomes, the most probable first.
    pub chosen: Vec<Chosen>,
}

/// An outcome of a choice.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The name of the outcome; characters and names are quoted.
    pub name: String,
    /// How often samples have the outcome; 0 if it is forbidden.
    pub count: f64,
    /// The probability of the outcome.
    pub probability: f64,
}

impl Probabilities {
    /// Returns the tables of all choices, without context. Alternatives that arguments forbid are
    /// omitted. The copy of an alternative for undeclared names counts as the alternative.
    pub fn explain(&self, grammar: &Grammar, weights: &Weights) -> Vec<Table> {
        let names = SymbolNames::new(grammar);
        let empty = BTreeMap::new();
        let exclusions = Exclusions::new(grammar);
        let mut tables = Vec::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            if exclusions.contains(symbol) {
                let seen = |symbol| {
                    weights.seen(&ContextKey {
                        symbol,
                        choice_kind: ChoiceKind::Alternative,
                        context: [].into(),
                    })
                };
                let count = |symbol, choice| {
                    seen(symbol)
                        .and_then(|seen| seen.get(&choice).copied())
                        .unwrap_or(0.0)
                };
                tables.extend(
                    exclusions
                        .token(grammar, symbol, &count)
                        .map(|(name, times)| Table {
                            name: name.into(),
                            is_syntax: true,
                            is_rule: false,
                            times,
                            chosen: vec![Chosen {
                                name: "a text that the exclusion allows".into(),
                                count: times,
                                probability: 1.0,
                            }],
                        }),
                );
                continue;
            }
            let kinds = [
                choice_kind(grammar, symbol),
                class(grammar, symbol).map(|_| ChoiceKind::Member),
            ];
            let is_both = kinds[0] == Some(ChoiceKind::Count) && kinds[1].is_some();
            for choice_kind in kinds
                .into_iter()
                .flatten()
                .take(if is_both { 2 } else { 1 })
            {
                let key = ContextKey {
                    symbol,
                    choice_kind,
                    context: [].into(),
                };
                let outcomes = weights.seen(&key).unwrap_or(&empty);
                let quoted = |name: String| match choice_kind {
                    ChoiceKind::Member | ChoiceKind::Name => format!("{name:?}"),
                    _ => name,
                };
                let count =
                    |outcome: u32| outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0));
                let chosen = |outcome: u32| Chosen {
                    name: name(grammar, symbol, choice_kind, outcome)
                        .map_or_else(|| others(grammar, weights, (symbol, outcome)), quoted),
                    count: count(outcome),
                    probability: self.probability(symbol, choice_kind, outcome),
                };
                let copy = |outcome: u32| match choice_kind {
                    ChoiceKind::Alternative => grammar.copy(symbol, outcome),
                    _ => None,
                };
                let mut chosen: Vec<Chosen> = possible(grammar, symbol, choice_kind, outcomes)
                    .into_iter()
                    .map(|outcome| {
                        let mut chosen = chosen(outcome);
                        if let Some(other) = copy(outcome) {
                            chosen.count += count(other);
                            chosen.probability += self.probability(symbol, choice_kind, other);
                        }
                        chosen
                    })
                    .collect();
                // If arguments leave fewer than two alternatives, there is no choice.
                if choice_kind == ChoiceKind::Alternative && chosen.len() < 2 {
                    continue;
                }
                // Outcomes whose probabilities differ only by rounding keep the order of the
                // grammar.
                chosen.sort_by_key(|chosen| Reverse((1e12 * chosen.probability).round() as u64));
                let of = match (choice_kind, &grammar[symbol].kind) {
                    (ChoiceKind::Alternative | ChoiceKind::Name, _) => "".into(),
                    (
                        ChoiceKind::Count,
                        Kind::Repeat {
                            at_least: min @ 1..,
                            ..
                        }
                        | Kind::Run {
                            at_least: min @ 1..,
                            ..
                        },
                    ) => {
                        format!(": how many beyond {min}")
                    }
                    (ChoiceKind::Count, _) => ": how many".into(),
                    (ChoiceKind::Member, _) => ": which character".into(),
                    (ChoiceKind::Recency, _) => ": how many names are more recent".into(),
                    (ChoiceKind::Case, _) => ": in which case".into(),
                    (ChoiceKind::Layout, _) => ": number of layout tokens before it".into(),
                };
                tables.push(Table {
                    name: format!("{}{of}", names.of(symbol)),
                    is_syntax: of.is_empty(),
                    is_rule: choice_kind == ChoiceKind::Alternative,
                    times: chosen.iter().map(|chosen| chosen.count).sum(),
                    chosen,
                });
            }
        }
        tables
    }
}

/// Returns the outcomes that a table lists. A table omits alternatives that arguments forbid. It
/// also omits copies for undeclared names, because a copy counts as the alternative itself.
fn possible(
    grammar: &Grammar,
    symbol: SymbolId,
    choice_kind: ChoiceKind,
    seen: &BTreeMap<u32, f64>,
) -> Vec<u32> {
    match choice_kind {
        ChoiceKind::Alternative => grammar.listed(symbol).map(|(index, _)| index).collect(),
        _ => support(grammar, symbol, choice_kind, seen),
    }
}

/// Returns the name of the outcome that stands for all outcomes without an entry. The name lists
/// the most common words of the samples, if there are any.
fn others(grammar: &Grammar, weights: &Weights, of: Spelled) -> String {
    let Some(words) = weights.words.get(&of) else {
        return "others".into();
    };
    let mut words: Vec<_> = words.iter().collect();
    words.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let listed: Vec<String> = words
        .iter()
        .take(WORDS)
        .map(|(word, _)| format!("{:?}", shown(grammar, word)))
        .collect();
    format!(
        "others: {}{}",
        listed.join(", "),
        if words.len() > WORDS { ", …" } else { "" }
    )
}
