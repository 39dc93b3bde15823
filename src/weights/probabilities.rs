//! Tables of the probabilities of a grammar's choices. They are computed from weights, and outcomes
//! are drawn from them.
//!
//! Without context and transform, the probability of an outcome is its count divided by the sum of
//! the counts.
//!
//! With context, the counts of a context are mixed with the probabilities of the next shorter
//! context (Witten and Bell, "The zero-frequency problem", 1991). Let *n* be the sum of the counts
//! in a context, *t* the number of different outcomes in it, and *q* the probability of the outcome
//! in the shorter context. Then the probability is *p = (count + t q) / (n + t)*.
//!
//! The Witten-Bell estimate also decides whether a token repeats a text of the samples. If the
//! samples have *n* tokens of *t* different texts, a new token has one of these texts with
//! probability *n / (n + t)*. Otherwise it is spelled out by its choices.

mod build;

use std::collections::HashMap;
use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::choice_kind::{
    ChoiceKind, ContextKey, Enclosing, PlannedChoice, Spelled, counts, has_context,
};
use super::cost::{AVOIDED, Cost, NEVER, end_costs, first};
use super::{FORBIDDEN, Transform, Weights};
use crate::error::Error;
use crate::grammar::{Grammar, SymbolId};

/// A word of the samples: the sum of the probabilities up to and including this word, and the range
/// of its choices in `planned`.
type Word = (f64, Range<u32>);

/// The probabilities of all choices of a grammar.
#[derive(Clone, Debug)]
pub struct Probabilities {
    /// The maximum number of enclosing choices that probabilities depend on.
    context: usize,
    expansions_per_byte: f64,
    mean_expansions: f64,
    /// For every symbol, the ranges in `outcomes` of its first choice and of its characters,
    /// without context.
    plain: Vec<[Range<u32>; 2]>,
    /// Ranges in `outcomes` by the hash of a symbol and its enclosing choices.
    within: HashMap<u64, Range<u32>>,
    /// The outcomes of all choices, except those of probability 0. Each comes with a running sum:
    /// the probabilities of the outcomes of its choice up to and including this one.
    outcomes: Vec<(u32, f64)>,
    /// The minimum cost of completing each alternative of the grammar.
    pub(super) costs: Vec<Cost>,
    /// The words of the samples, by group. The probabilities of a group sum to less than 1. The
    /// rest is the probability that the token is spelled out.
    words: HashMap<Spelled, Vec<Word>>,
    pub(super) planned: Vec<PlannedChoice>,
    /// The characters of the runs in `planned`.
    pub(super) members: Vec<u32>,
    /// The symbols that have no finite derivation of probability above 0.
    endless: Vec<SymbolId>,
}

impl Probabilities {
    /// Computes the probabilities of weights.
    ///
    /// # Errors
    /// If the weights belong to another grammar or forbid every finite derivation, or if the
    /// transform is out of range.
    pub fn new(
        grammar: &Grammar,
        weights: &Weights,
        transform: Transform,
    ) -> Result<Probabilities, Error> {
        weights.check(grammar)?;
        if !transform.power.is_finite() || !(0.0..=1.0).contains(&transform.damping) {
            return Err(
                "the power must be a finite number, and the damping a number from 0 to 1".into(),
            );
        }
        let of_rules = weights.of_rules(grammar);
        let weights = of_rules.as_ref().unwrap_or(weights);
        let mut table = Probabilities {
            context: weights.context,
            expansions_per_byte: weights.expansions_per_byte(),
            mean_expansions: weights.mean_expansions(),
            plain: vec![[0..0, 0..0]; grammar.symbols().len()],
            within: HashMap::new(),
            outcomes: Vec::new(),
            costs: Vec::new(),
            words: HashMap::new(),
            planned: Vec::new(),
            members: Vec::new(),
            endless: Vec::new(),
        };
        let forbidden = |symbol: SymbolId, alternative: u32| {
            let key = ContextKey {
                symbol,
                choice_kind: ChoiceKind::Alternative,
                context: [].into(),
            };
            weights
                .seen
                .get(&key)
                .and_then(|outcomes| outcomes.get(&alternative))
                == Some(&FORBIDDEN)
        };
        // First pass, without probabilities: find the alternatives that have a finite derivation
        // that is not forbidden.
        let (costs, symbols) = end_costs(grammar, |symbol, alternative| {
            if forbidden(symbol, alternative) {
                NEVER
            } else {
                0
            }
        });
        if symbols[grammar.start().0 as usize] == NEVER {
            let endless = (0..).map(SymbolId).zip(&symbols).filter(|&(symbol, cost)| {
                *cost == NEVER
                    && (0..grammar.alternatives(symbol).len() as u32)
                        .any(|at| forbidden(symbol, at))
            });
            let names: Vec<&str> = endless
                .map(|(symbol, _)| grammar.label(symbol))
                .take(5)
                .collect();
            return Err(format!(
                "these weights forbid every finite derivation; look at {}",
                names.join(", ")
            )
            .into());
        }
        table.costs = costs;
        table.fill(grammar, weights, transform);
        table.learn_words(grammar, weights, transform);
        // Second pass, with probabilities: the cost of each alternative counts the choices of
        // probability 0.
        let (costs, symbols) = end_costs(grammar, |symbol, alternative| {
            if table.costs[first(grammar, symbol) + alternative as usize] == NEVER {
                return NEVER;
            }
            if table.probability(symbol, ChoiceKind::Alternative, alternative) > 0.0 {
                0
            } else {
                AVOIDED
            }
        });
        table.costs = costs;
        let ends_badly = |symbol: &SymbolId| {
            symbols[symbol.0 as usize] >= AVOIDED && symbols[symbol.0 as usize] != NEVER
        };
        table.endless = (0..symbols.len() as u32)
            .map(SymbolId)
            .filter(ends_badly)
            .collect();
        Ok(table)
    }

    /// Returns the mean number of expansions for each byte of the samples' text.
    pub fn expansions_per_byte(&self) -> f64 {
        self.expansions_per_byte
    }

    /// Returns the mean number of expansions in a sample.
    pub fn mean_expansions(&self) -> f64 {
        self.mean_expansions
    }

    /// Returns the symbols that have no finite derivation of probability above 0. Their derivations
    /// contain outcomes of probability 0, because otherwise they would not end.
    pub fn endless(&self) -> &[SymbolId] {
        &self.endless
    }

    /// Returns the probability of an outcome without context.
    pub fn probability(&self, symbol: SymbolId, choice_kind: ChoiceKind, outcome: u32) -> f64 {
        if choice_kind == ChoiceKind::Alternative && self.plain[symbol.0 as usize][0].is_empty() {
            return 1.0;
        }
        let range = &self.plain[symbol.0 as usize][usize::from(choice_kind == ChoiceKind::Member)];
        let outcomes = &self.outcomes[range.start as usize..range.end as usize];
        let before = |at: usize| at.checked_sub(1).map_or(0.0, |at| outcomes[at].1);
        outcomes
            .binary_search_by_key(&outcome, |(outcome, _)| *outcome)
            .map_or(0.0, |at| outcomes[at].1 - before(at))
    }

    /// Draws a word of the samples, and returns the range of its choices in `planned`. Returns
    /// [`None`] if the token should be spelled out instead.
    pub(super) fn word(&self, of: Spelled, rng: &mut SmallRng) -> Option<Range<u32>> {
        let words = self.words.get(&of)?;
        let drawn = rng.random_range(0.0..1.0);
        words
            .get(words.partition_point(|(sum, _)| *sum <= drawn))
            .map(|(_, planned)| planned.clone())
    }

    /// Draws an outcome of a choice in its context. `enclosing` lists the enclosing choices, the
    /// nearest first.
    pub(super) fn draw(
        &self,
        symbol: SymbolId,
        choice_kind: ChoiceKind,
        enclosing: impl Iterator<Item = Enclosing> + Clone,
        rng: &mut SmallRng,
    ) -> u32 {
        let outcomes = self.outcomes(symbol, choice_kind, enclosing);
        let Some(&(last, total)) = outcomes.last() else {
            return 0;
        };
        let drawn = rng.random_range(0.0..total);
        outcomes
            .get(outcomes.partition_point(|(_, sum)| *sum <= drawn))
            .map_or(last, |&(outcome, _)| outcome)
    }

    /// Draws one of the alternatives of minimum cost, by their probabilities. `enclosing` lists the
    /// enclosing choices, the nearest first.
    pub(super) fn draw_cheapest(
        &self,
        grammar: &Grammar,
        symbol: SymbolId,
        enclosing: impl Iterator<Item = Enclosing> + Clone,
        rng: &mut SmallRng,
    ) -> u32 {
        let first = first(grammar, symbol);
        let costs = &self.costs[first..first + grammar.alternatives(symbol).len()];
        let min = costs.iter().copied().min().unwrap_or(0);
        let (mut chosen, mut total, mut before) = (None, 0.0, 0.0);
        for &(outcome, sum) in self.outcomes(symbol, ChoiceKind::Alternative, enclosing) {
            let probability = sum - before;
            before = sum;
            // The running sum is a floating-point number. After a very probable alternative,
            // rounding may give an improbable one the probability 0.
            if costs[outcome as usize] == min && probability > 0.0 {
                total += probability;
                if rng.random_range(0.0..total) < probability {
                    chosen = Some(outcome);
                }
            }
        }
        chosen.unwrap_or_else(|| {
            let count = costs.iter().filter(|cost| **cost == min).count().max(1);
            let drawn = rng.random_range(0..count);
            (0..)
                .zip(costs)
                .filter(|(_, cost)| **cost == min)
                .nth(drawn)
                .map_or(0, |(outcome, _)| outcome)
        })
    }

    /// Draws one of the counts of an outcome, uniformly. The result is at most `spread`.
    pub(super) fn draw_count(outcome: u32, spread: u32, rng: &mut SmallRng) -> u32 {
        let (min, max) = counts(outcome);
        rng.random_range(min.min(spread)..=max.min(spread))
    }

    /// Returns the outcomes of a choice in the longest recorded context.
    pub(super) fn outcomes(
        &self,
        symbol: SymbolId,
        choice_kind: ChoiceKind,
        enclosing: impl Iterator<Item = Enclosing> + Clone,
    ) -> &[(u32, f64)] {
        let mut range =
            &self.plain[symbol.0 as usize][usize::from(choice_kind == ChoiceKind::Member)];
        if self.context > 0 && has_context(choice_kind) {
            for length in 1..=self.context {
                let Some(longer) = self
                    .within
                    .get(&hash(symbol, enclosing.clone().take(length)))
                else {
                    break;
                };
                range = longer;
            }
        }
        &self.outcomes[range.start as usize..range.end as usize]
    }
}

/// Returns a hash of a symbol and its enclosing choices.
fn hash(symbol: SymbolId, enclosing: impl Iterator<Item = Enclosing>) -> u64 {
    let mix = |hash: u64, number: u32| {
        (hash ^ u64::from(number))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    enclosing.fold(mix(1, symbol.0), |hash, (symbol, choice)| {
        mix(mix(hash, symbol.0), choice + 1)
    })
}
