//! What samples choose, in words.

use std::collections::BTreeMap;

use super::file::{Names, name};
use super::question::{Aspect, Question, aspect, class, universe};
use super::{Probabilities, Weights};
use crate::grammar::{Grammar, SymbolId};

/// What is asked of a symbol, and what is answered.
#[derive(Clone, Debug)]
pub struct Table {
    /// The symbol, and what it is asked unless that is its alternative.
    pub name: String,
    /// Whether it is of the grammar's rules: alternatives and names.
    pub is_syntax: bool,
    /// How often samples were asked.
    pub times: f64,
    /// The answers, the most probable first.
    pub chosen: Vec<Chosen>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What it is.
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
        let mut tables = Vec::new();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            let asked = [aspect(&grammar[symbol].kind), class(grammar, symbol).map(|_| Aspect::Member)];
            let is_both = asked[0] == Some(Aspect::Count) && asked[1].is_some();
            for aspect in asked.into_iter().flatten().take(if is_both { 2 } else { 1 }) {
                let question = Question { symbol, aspect, context: [].into() };
                let outcomes = weights.seen(&question).unwrap_or(&nothing);
                let chosen = |outcome: u32| Chosen {
                    name: name(grammar, symbol, aspect, outcome).unwrap_or_else(|| "others".into()),
                    count: outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0)),
                    probability: self.probability(symbol, aspect, outcome),
                };
                let mut chosen: Vec<Chosen> = universe(grammar, symbol, aspect, outcomes).into_iter().map(chosen).collect();
                chosen.sort_by(|one, other| other.probability.total_cmp(&one.probability));
                let of = match aspect {
                    Aspect::Alternative | Aspect::Name => "",
                    Aspect::Count => ": how many",
                    Aspect::Member => ": which character",
                    Aspect::Case => ": in which case",
                    Aspect::Layout => ": pieces of layout before",
                };
                tables.push(Table {
                    name: format!("{}{of}", names.of(symbol)),
                    is_syntax: of.is_empty(),
                    times: chosen.iter().map(|chosen| chosen.count).sum(),
                    chosen,
                });
            }
        }
        tables
    }
}
