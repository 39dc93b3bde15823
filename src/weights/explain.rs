//! What samples choose, in words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::exclusions::Exclusions;
use super::file::{Names, name, shown};
use super::question::{Aspect, Question, Spelled, aspect, class, universe};
use super::{Probabilities, Weights};
use crate::grammar::{Grammar, Kind, SymbolId};

/// Words of samples that are told.
const WORDS: usize = 5;

/// What is asked of a symbol, and what is answered.
#[derive(Clone, Debug)]
pub struct Table {
    /// The symbol, and what it is asked unless that is its alternative.
    pub name: String,
    /// Whether it is of the grammar's rules: alternatives and names.
    pub is_syntax: bool,
    /// Whether the answers are a rule's alternatives.
    pub is_rule: bool,
    /// How often samples were asked.
    pub times: f64,
    /// The answers, the most probable first.
    pub chosen: Vec<Chosen>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What it is; characters and names are quoted.
    pub name: String,
    /// How often samples gave it; 0 if it is forbidden.
    pub count: f64,
    /// How probable it is.
    pub probability: f64,
}

impl Probabilities {
    /// All that is asked, whatever is around.
    pub fn explain(&self, grammar: &Grammar, weights: &Weights) -> Vec<Table> {
        let names = Names::new(grammar);
        let nothing = BTreeMap::new();
        let exclusions = Exclusions::new(grammar);
        let mut tables = Vec::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            if exclusions.contains(symbol) {
                let seen = |symbol| weights.seen(&Question { symbol, aspect: Aspect::Alternative, context: [].into() });
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
            let asked = [aspect(&grammar[symbol].kind), class(grammar, symbol).map(|_| Aspect::Member)];
            let is_both = asked[0] == Some(Aspect::Count) && asked[1].is_some();
            for aspect in asked.into_iter().flatten().take(if is_both { 2 } else { 1 }) {
                let question = Question { symbol, aspect, context: [].into() };
                let outcomes = weights.seen(&question).unwrap_or(&nothing);
                let said = |name: String| match aspect {
                    Aspect::Member | Aspect::Name => format!("{name:?}"),
                    _ => name,
                };
                let chosen = |outcome: u32| Chosen {
                    name: name(grammar, symbol, aspect, outcome)
                        .map_or_else(|| others(grammar, weights, (symbol, outcome)), said),
                    count: outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0)),
                    probability: self.probability(symbol, aspect, outcome),
                };
                let mut chosen: Vec<Chosen> = universe(grammar, symbol, aspect, outcomes).into_iter().map(chosen).collect();
                // What differs by rounding alone stays in the grammar's order.
                chosen.sort_by_key(|chosen| Reverse((1e12 * chosen.probability).round() as u64));
                let of = match (aspect, &grammar[symbol].kind) {
                    (Aspect::Alternative | Aspect::Name, _) => "".into(),
                    (Aspect::Count, Kind::Repeat { at_least: least @ 1.., .. } | Kind::Run { at_least: least @ 1.., .. }) => {
                        format!(": how many beyond {least}")
                    }
                    (Aspect::Count, _) => ": how many".into(),
                    (Aspect::Member, _) => ": which character".into(),
                    (Aspect::Case, _) => ": in which case".into(),
                    (Aspect::Layout, _) => ": pieces of layout before".into(),
                };
                tables.push(Table {
                    name: format!("{}{of}", names.of(symbol)),
                    is_syntax: of.is_empty(),
                    is_rule: aspect == Aspect::Alternative,
                    times: chosen.iter().map(|chosen| chosen.count).sum(),
                    chosen,
                });
            }
        }
        tables
    }
}

/// What the answer is called that stands for all without a name of their own: of words of samples, the most common ones.
fn others(grammar: &Grammar, weights: &Weights, of: Spelled) -> String {
    let Some(words) = weights.words.get(&of) else { return "others".into() };
    let mut words: Vec<_> = words.iter().collect();
    words.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let told: Vec<String> = words.iter().take(WORDS).map(|(word, _)| format!("{:?}", shown(grammar, word))).collect();
    format!("others: {}{}", told.join(", "), if words.len() > WORDS { ", …" } else { "" })
}
