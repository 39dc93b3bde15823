//! Converts weights of instances to weights of rules.
//!
//! In a grammar with arguments of rules, `expression<int>` and `expression<bool>` are two symbols.
//! Samples rarely have all instances of a rule. So the probabilities of each instance come from the
//! counts of all instances of the rule together. Alternatives that the values of the instance
//! forbid are omitted.
//!
//! An alternative of weight 0 is for texts that the rules with names and types do not derive. Its
//! counts give no information about the other alternatives. So they are divided among the other
//! alternatives by the weights in the grammar.

use std::collections::BTreeMap;

use super::Weights;
use super::choice_kind::{ChoiceKind, ContextKey, Spelled, choice_kind, class};
use crate::grammar::{Alternative, Grammar, Kind, SymbolId};

/// Counts of a rule: each outcome of a choice, or each text of a token.
type Counts<K> = BTreeMap<K, f64>;

impl Weights {
    /// Returns weights in which each instance of a rule has the counts of all instances. Counts
    /// with context, and the counts of the arguments of calls, do not change. Returns [`None`] if
    /// the grammar has no names.
    pub(super) fn of_rules(&self, grammar: &Grammar) -> Option<Weights> {
        if !grammar.has_names() {
            return None;
        }
        let mut counts: BTreeMap<(SymbolId, ChoiceKind), Counts<usize>> = BTreeMap::new();
        for (key, outcomes) in &self.seen {
            if key.context.is_empty() && !grammar.is_call(key.symbol) {
                let of = (grammar.origin(key.symbol), key.choice_kind);
                let all = counts.entry(of).or_default();
                for (&outcome, weight) in outcomes {
                    let outcome = rule_outcome(grammar, key.symbol, key.choice_kind, outcome);
                    *all.entry(outcome).or_default() += weight;
                }
            }
        }
        let mut texts: BTreeMap<(SymbolId, usize), Counts<Box<[u8]>>> = BTreeMap::new();
        for (&(symbol, choice), words) in &self.words {
            let of = (grammar.origin(symbol), rule_choice(grammar, symbol, choice));
            let all = texts.entry(of).or_default();
            for (word, weight) in words {
                *all.entry(word.clone()).or_default() += weight;
            }
        }
        let mut weights = self.clone();
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            let kinds = [
                choice_kind(grammar, symbol),
                class(grammar, symbol).map(|_| ChoiceKind::Member),
            ];
            for choice_kind in kinds.into_iter().flatten() {
                let of_rule = counts.get(&(grammar.origin(symbol), choice_kind));
                let Some(of_rule) = of_rule.filter(|_| !grammar.is_call(symbol)) else {
                    continue;
                };
                let outcomes = of_instance(grammar, symbol, choice_kind, of_rule);
                let key = ContextKey {
                    symbol,
                    choice_kind,
                    context: [].into(),
                };
                // If the samples have no alternative of an instance, the instance gets the weights
                // in the grammar.
                if outcomes.values().all(|&weight| weight == 0.0) {
                    weights.seen.remove(&key);
                } else {
                    weights.seen.insert(key, outcomes);
                }
            }
            let choices = match &grammar[symbol].kind {
                Kind::Nonterminal { .. } => 0..grammar.alternatives(symbol).len() as u32,
                Kind::Identifier { names, .. } => {
                    names.end - names.start..names.end - names.start + 1
                }
                Kind::Run { .. } | Kind::Repeat { .. } => 0..1,
                _ => 0..0,
            };
            for choice in choices {
                let of = (grammar.origin(symbol), rule_choice(grammar, symbol, choice));
                if let Some(words) = texts.get(&of) {
                    weights
                        .words
                        .insert(Spelled::from((symbol, choice)), words.clone());
                }
            }
        }
        Some(weights)
    }
}

/// Converts an outcome of an instance to an outcome of its rule. A copy for undeclared names counts
/// as the alternative itself.
fn rule_outcome(grammar: &Grammar, symbol: SymbolId, kind: ChoiceKind, outcome: u32) -> usize {
    match kind {
        ChoiceKind::Alternative => grammar.erased_alternative(symbol, outcome),
        _ => outcome as usize,
    }
}

/// Converts the first choice of a token of an instance to a choice of its rule.
fn rule_choice(grammar: &Grammar, symbol: SymbolId, choice: u32) -> usize {
    match &grammar[symbol].kind {
        Kind::Nonterminal { .. } => grammar.erased_alternative(symbol, choice),
        _ => choice as usize,
    }
}

/// Returns the outcomes of an instance, with the counts of its rule.
fn of_instance(
    grammar: &Grammar,
    symbol: SymbolId,
    kind: ChoiceKind,
    of_rule: &Counts<usize>,
) -> Counts<u32> {
    match kind {
        ChoiceKind::Alternative => {
            let count = |index| {
                let of = rule_outcome(grammar, symbol, kind, index);
                of_rule.get(&of).copied().unwrap_or(0.0)
            };
            let (mut texts, mut all) = (0.0, 0.0);
            for (index, alternative) in grammar.listed(symbol) {
                match alternative.weight {
                    0.0 => texts += count(index).max(0.0),
                    weight => all += weight,
                }
            }
            let share = |(index, alternative): (u32, &Alternative)| {
                let outcome = match (count(index), alternative.weight) {
                    (count, _) if all == 0.0 || count < 0.0 => count,
                    (_, 0.0) => 0.0,
                    (count, weight) => count + texts * weight / all,
                };
                (index, outcome)
            };
            grammar.listed(symbol).map(share).collect()
        }
        _ => of_rule
            .iter()
            .map(|(&outcome, &weight)| (outcome as u32, weight))
            .collect(),
    }
}
