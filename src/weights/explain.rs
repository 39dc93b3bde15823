//! Tables of what samples choose, for people to read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::choice_kind::{ChoiceKind, ContextKey, Spelled, choice_kind, class, support};
use super::exclusions::Exclusions;
use super::file::{Names, name, shown};
use super::{Probabilities, Weights};
use crate::grammar::{Grammar, Kind, SymbolId};

/// How many words of samples are listed.
const WORDS: usize = 5;

/// The outcomes of one choice of a symbol.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name of the symbol and, unless it chooses an alternative or a name, what it chooses.
    pub name: String,
    /// Whether it is a choice of an alternative or of a name.
    pub is_syntax: bool,
    /// Whether it is a choice of an alternative.
    pub is_rule: bool,
    /// How often samples made the choice.
    pub times: f64,
    /// The outcomes, the most probable first.
    pub chosen: Vec<Chosen>,
}

/// An outcome of a choice.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The name of the outcome; characters and names are quoted.
    pub name: String,
    /// How often samples chose it; 0 if it is forbidden.
    pub count: f64,
    /// Its probability.
    pub probability: f64,
}

impl Probabilities {
    /// The tables of all choices, without regard to the context.
    pub fn explain(&self, grammar: &Grammar, weights: &Weights) -> Vec<Table> {
        let names = Names::new(grammar);
        let nothing = BTreeMap::new();
        let exclusions = Exclusions::new(grammar);
        let mut tables = Vec::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            if exclusions.contains(symbol) {
                let seen =
                    |symbol| weights.seen(&ContextKey { symbol, choice_kind: ChoiceKind::Alternative, context: [].into() });
                let count = |symbol, choice| seen(symbol).and_then(|seen| seen.get(&choice).copied()).unwrap_or(0.0);
                tables.extend(exclusions.token(grammar, symbol, &count).map(|(name, times)| Table {
                    name: name.into(),
                    is_syntax: true,
                    is_rule: false,
                    times,
                    chosen: vec![Chosen { name: "a text that the exclusion allows".into(), count: times, probability: 1.0 }],
                }));
                continue;
            }
            let asked = [choice_kind(grammar, symbol), class(grammar, symbol).map(|_| ChoiceKind::Member)];
            let is_both = asked[0] == Some(ChoiceKind::Count) && asked[1].is_some();
            for choice_kind in asked.into_iter().flatten().take(if is_both { 2 } else { 1 }) {
                let key = ContextKey { symbol, choice_kind, context: [].into() };
                let outcomes = weights.seen(&key).unwrap_or(&nothing);
                let said = |name: String| match choice_kind {
                    ChoiceKind::Member | ChoiceKind::Name => format!("{name:?}"),
                    _ => name,
                };
                let chosen = |outcome: u32| Chosen {
                    name: name(grammar, symbol, choice_kind, outcome)
                        .map_or_else(|| others(grammar, weights, (symbol, outcome)), said),
                    count: outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0)),
                    probability: self.probability(symbol, choice_kind, outcome),
                };
                let mut chosen: Vec<Chosen> = support(grammar, symbol, choice_kind, outcomes).into_iter().map(chosen).collect();
                // Outcomes that differ by rounding alone stay in the grammar's order.
                chosen.sort_by_key(|chosen| Reverse((1e12 * chosen.probability).round() as u64));
                let of = match (choice_kind, &grammar[symbol].kind) {
                    (ChoiceKind::Alternative | ChoiceKind::Name, _) => "".into(),
                    (ChoiceKind::Count, Kind::Repeat { at_least: least @ 1.., .. } | Kind::Run { at_least: least @ 1.., .. }) => {
                        format!(": how many beyond {least}")
                    }
                    (ChoiceKind::Count, _) => ": how many".into(),
                    (ChoiceKind::Member, _) => ": which character".into(),
                    (ChoiceKind::Case, _) => ": in which case".into(),
                    (ChoiceKind::Layout, _) => ": pieces of layout before".into(),
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

/// The name of the outcome that stands for all others; with the most common words of samples, if there are such.
fn others(grammar: &Grammar, weights: &Weights, of: Spelled) -> String {
    let Some(words) = weights.words.get(&of) else { return "others".into() };
    let mut words: Vec<_> = words.iter().collect();
    words.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let told: Vec<String> = words.iter().take(WORDS).map(|(word, _)| format!("{:?}", shown(grammar, word))).collect();
    format!("others: {}{}", told.join(", "), if words.len() > WORDS { ", …" } else { "" })
}
