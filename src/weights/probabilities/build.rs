//! Computes the tables of [`Probabilities`] from weights.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::{Probabilities, hash};
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, SymbolId};
use crate::parse::Matcher;
use crate::weights::choice_kind::{
    ChoiceKind, ContextKey, PlannedChoice, choice_kind, class, is_visited, members, support,
};
use crate::weights::cost::{NEVER, first};
use crate::weights::{Transform, Weights, static_weights};

/// The maximum number of different names that are drawn for an identifier terminal that is in no
/// sample.
const NAMES: u32 = 8;

/// The number of different counts that are drawn for a repetition or a run that is in no sample.
const COUNTS: u32 = 3;

struct Distribution<'a> {
    support: &'a [u32],
    /// The probability of each outcome in `support`.
    probabilities: Vec<f64>,
    /// The power to which the probabilities are raised.
    power: f64,
}

impl Probabilities {
    pub(super) fn fill(&mut self, grammar: &Grammar, weights: &Weights, transform: Transform) {
        // Shorter contexts come first, because the tables of longer contexts are computed from
        // them.
        let mut keys: Vec<(&ContextKey, &BTreeMap<u32, f64>)> = weights.seen.iter().collect();
        keys.sort_by_key(|(key, _)| key.context.len());
        let mut computed: HashMap<ContextKey, Vec<f64>> = HashMap::new();
        for (key, outcomes) in keys {
            let &ContextKey {
                symbol,
                choice_kind,
                ref context,
            } = key;
            let shorter = context.split_last().map(|(_, shorter)| ContextKey {
                symbol,
                choice_kind,
                context: shorter.into(),
            });
            let shorter = shorter.and_then(|shorter| computed.get(&shorter));
            let support = match shorter {
                Some(shorter) => (0..shorter.len() as u32).collect(),
                None => support(grammar, symbol, choice_kind, outcomes),
            };
            let of = |outcome: u32| outcomes.get(&outcome).map_or(0.0, |weight| weight.max(0.0));
            let total: f64 = support.iter().map(|&outcome| of(outcome)).sum();
            let seen = support.iter().filter(|&&outcome| of(outcome) > 0.0).count() as f64;
            let even = 1.0 / support.len() as f64;
            let probabilities: Vec<f64> = support
                .iter()
                .map(|&outcome| match shorter {
                    // Here an outcome is an index into the table of the shorter context. All
                    // outcomes are numbered from 0, except members of classes, and these have no
                    // context.
                    Some(shorter) => {
                        (of(outcome) + seen * shorter[outcome as usize])
                            / (total + seen).max(f64::MIN_POSITIVE)
                    }
                    None if total == 0.0 => even,
                    None => transform.damped_share(of(outcome), total, support.len()),
                })
                .collect();
            let distribution = Distribution {
                support: &support,
                probabilities: probabilities.clone(),
                power: transform.power,
            };
            let range = self.add(grammar, symbol, choice_kind, distribution);
            if context.is_empty() {
                self.plain[symbol.0 as usize][usize::from(choice_kind == ChoiceKind::Member)] =
                    range;
            } else {
                self.within
                    .insert(hash(symbol, context.iter().copied()), range);
            }
            computed.insert(key.clone(), probabilities);
        }
        for symbol in (0..grammar.symbols().len() as u32).map(SymbolId) {
            let kinds = [
                choice_kind(grammar, symbol),
                class(grammar, symbol).map(|_| ChoiceKind::Member),
            ];
            for choice_kind in kinds.into_iter().flatten() {
                if self.plain[symbol.0 as usize][usize::from(choice_kind == ChoiceKind::Member)]
                    .is_empty()
                {
                    let probabilities = unseen(grammar, symbol, choice_kind, transform);
                    let support: Vec<u32> = (0..probabilities.len() as u32).collect();
                    let distribution = Distribution {
                        support: &support,
                        probabilities,
                        power: 1.0,
                    };
                    let range = self.add(grammar, symbol, choice_kind, distribution);
                    self.plain[symbol.0 as usize][usize::from(choice_kind == ChoiceKind::Member)] =
                        range;
                }
            }
        }
    }

    /// Appends the outcomes of a choice with their probabilities raised to a power. Returns their
    /// range.
    fn add(
        &mut self,
        grammar: &Grammar,
        symbol: SymbolId,
        choice_kind: ChoiceKind,
        distribution: Distribution<'_>,
    ) -> Range<u32> {
        let Distribution {
            support,
            mut probabilities,
            power,
        } = distribution;
        let first = first(grammar, symbol);
        let is_possible = |outcome: usize| {
            choice_kind != ChoiceKind::Alternative || self.costs[first + outcome] != NEVER
        };
        // An alternative of weight 0 in the grammar is for parsing only. It is drawn only if
        // samples have it, or if no other alternative is possible.
        let is_unwritten: Vec<bool> = (probabilities.iter().enumerate())
            .map(|(outcome, probability)| {
                choice_kind == ChoiceKind::Alternative
                    && *probability == 0.0
                    && grammar.alternatives(symbol)[outcome].weight == 0.0
            })
            .collect();
        let has_written =
            (0..support.len()).any(|outcome| is_possible(outcome) && !is_unwritten[outcome]);
        let allowed =
            |outcome: usize| is_possible(outcome) && !(has_written && is_unwritten[outcome]);
        let is_unseen =
            |(outcome, probability): (usize, &f64)| *probability == 0.0 && allowed(outcome);
        let some_unseen = probabilities.iter().enumerate().any(is_unseen);
        for (outcome, probability) in probabilities.iter_mut().enumerate() {
            *probability = match power {
                _ if !allowed(outcome) => 0.0,
                power if power < 0.0 && some_unseen => f64::from(*probability == 0.0),
                power => probability.powf(power),
            };
        }
        if !probabilities.iter().any(|probability| *probability > 0.0) {
            probabilities
                .iter_mut()
                .enumerate()
                .for_each(|(outcome, probability)| *probability = f64::from(allowed(outcome)));
        }
        // A negative power of a small number may be infinite.
        let max = probabilities
            .iter()
            .copied()
            .fold(0.0, f64::max)
            .min(f64::MAX);
        let total: f64 = probabilities
            .iter()
            .map(|probability| probability.min(f64::MAX) / max.max(f64::MIN_POSITIVE))
            .sum();
        let (from, mut sum) = (self.outcomes.len() as u32, 0.0);
        for (&outcome, probability) in support.iter().zip(probabilities) {
            if probability > 0.0 {
                sum += probability.min(f64::MAX) / max / total;
                self.outcomes.push((outcome, sum));
            }
        }
        from..self.outcomes.len() as u32
    }

    /// Adds the words of the samples. Does nothing if the power is 0 or negative, because then
    /// sentences must not resemble the samples.
    pub(super) fn learn_words(
        &mut self,
        grammar: &Grammar,
        weights: &Weights,
        transform: Transform,
    ) {
        if transform.power <= 0.0 {
            return;
        }
        let (mut matcher, mut derivation) = (Matcher::default(), Derivation::default());
        for (&of, words) in &weights.words {
            let (mut entries, mut sum) = (Vec::new(), 0.0);
            for (word, &weight) in words {
                if weight > 0.0 && matcher.read(grammar, of.0, word, &mut derivation).is_ok() {
                    let from = self.planned.len() as u32;
                    self.read_word(grammar, &derivation);
                    sum += weight.powf(transform.power).min(f64::MAX / 1e6);
                    entries.push((sum, from..self.planned.len() as u32));
                }
            }
            if sum > 0.0 {
                let seen: f64 = words.values().filter(|weight| **weight > 0.0).sum();
                let share = seen / (seen + entries.len() as f64) * (1.0 - transform.damping);
                entries
                    .iter_mut()
                    .for_each(|(entry, _)| *entry *= share / sum);
                self.words.insert(of, entries);
            }
        }
    }

    fn read_word(&mut self, grammar: &Grammar, word: &Derivation) {
        let mut enclosing: Vec<usize> = Vec::new();
        for (at, node) in word.nodes.iter().enumerate() {
            while enclosing.pop_if(|end| *end <= at).is_some() {}
            let from = self.members.len() as u32;
            if let Kind::Run { class, .. } = &grammar[node.symbol].kind {
                let text = &word.text[word.text_range(at)];
                members(&grammar[*class], text, |member| self.members.push(member));
            }
            let choice = match &grammar[node.symbol].kind {
                Kind::Repeat { at_least, .. } | Kind::Run { at_least, .. } => {
                    node.choice - at_least
                }
                _ => node.choice,
            };
            let members = from..self.members.len() as u32;
            if is_visited(grammar, node.symbol) {
                self.planned.push(PlannedChoice {
                    symbol: node.symbol,
                    level: enclosing.len() as u32,
                    choice,
                    members,
                });
            }
            enclosing.push(at + node.size as usize);
        }
    }
}

/// Returns the probabilities of a choice that no sample makes. Alternatives have the probabilities
/// of the weights in the grammar, transformed. For other choices, a few simple outcomes are equally
/// probable.
fn unseen(
    grammar: &Grammar,
    symbol: SymbolId,
    choice_kind: ChoiceKind,
    transform: Transform,
) -> Vec<f64> {
    let plain = match choice_kind {
        ChoiceKind::Alternative => {
            return static_weights::probabilities(grammar, symbol, transform);
        }
        ChoiceKind::Count => (support(grammar, symbol, choice_kind, &[(COUNTS, 1.0)].into()).len()
            as u32)
            .min(COUNTS),
        // Without outcomes, any visible name is drawn.
        ChoiceKind::Recency => return Vec::new(),
        ChoiceKind::Member => {
            class(grammar, symbol).map_or(1, |class| class.plain().min(class.count()))
        }
        ChoiceKind::Name => (support(grammar, symbol, choice_kind, &BTreeMap::new()).len() as u32
            - 1)
        .clamp(1, NAMES),
        ChoiceKind::Case | ChoiceKind::Layout => 1,
    };
    vec![1.0 / f64::from(plain); plain as usize]
}
