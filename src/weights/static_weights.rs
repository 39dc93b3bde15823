//! The weights and percentages that are written in a grammar. They are used for nonterminals that
//! occur in no sample.

use super::{Transform, Weights};
use crate::grammar::{Grammar, SymbolId};

/// Returns the probability of each alternative of a nonterminal by the weights in the grammar.
///
/// The transform applies to the alternatives with a weight above 0. The others have the probability
/// 0, because they are for parsing only. If all weights are 0, all alternatives are equally
/// probable. If an alternative has a copy for undeclared names, the ratio of the two probabilities
/// does not change.
pub fn probabilities(grammar: &Grammar, symbol: SymbolId, transform: Transform) -> Vec<f64> {
    let alternatives = grammar.alternatives(symbol);
    let mut weights: Vec<f64> = alternatives.iter().map(|one| one.weight).collect();
    let listed: Vec<usize> = (grammar.listed(symbol))
        .filter(|(_, alternative)| alternative.weight > 0.0)
        .map(|(index, _)| index as usize)
        .collect();
    let total: f64 = listed.iter().map(|&index| weights[index]).sum();
    let mut transformed: Vec<f64> = listed
        .iter()
        .map(|&index| transform.damped_share(weights[index], total, listed.len()))
        .collect();
    // Each share is divided by the best one first. So every power is at most 1, and never infinite.
    let best = match transform.power {
        power if power < 0.0 => transformed.iter().copied().fold(f64::MAX, f64::min),
        _ => transformed
            .iter()
            .copied()
            .fold(f64::MIN_POSITIVE, f64::max),
    };
    for probability in &mut transformed {
        *probability = (*probability / best).powf(transform.power);
    }
    let scale = total / transformed.iter().sum::<f64>();
    for (&index, probability) in listed.iter().zip(transformed) {
        let new = probability * scale;
        if let Some(copy) = grammar.copy(symbol, index as u32) {
            weights[copy as usize] *= new / weights[index];
        }
        weights[index] = new;
    }
    let (sum, count) = (weights.iter().sum::<f64>(), weights.len() as f64);
    let of = |weight: f64| if sum > 0.0 { weight / sum } else { 1.0 / count };
    weights.into_iter().map(of).collect()
}

/// Returns whether two alternatives of a rule have different weights above 0.
pub fn are_in(grammar: &Grammar) -> bool {
    Weights::rules(grammar).any(|rule| {
        // The weights of symbols that `@line` adds are not written in the grammar.
        let mut weights = (grammar.listed(rule))
            .map(|(_, alternative)| alternative.weight)
            .filter(|weight| *weight > 0.0 && !grammar.label(rule).starts_with('@'));
        let first = weights.next();
        weights.any(|weight| Some(weight) != first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grammar(source: &str) -> Grammar {
        crate::notation::read("g", source.as_bytes(), &Default::default())
            .unwrap()
            .0
    }

    #[test]
    fn the_transform_applies_to_alternatives_with_a_weight() {
        let grammar = grammar("r = @50% 'a' | @25% 'b' | 'c' | @0% 'd' ;");
        let rule = Weights::rules(&grammar).next().unwrap();
        for (power, damping, expected) in [
            (1.0, 0.0, [50, 25, 25, 0]),
            (2.0, 0.0, [67, 17, 17, 0]),
            (0.0, 0.0, [33, 33, 33, 0]),
            (-1.0, 0.0, [20, 40, 40, 0]),
            (1.0, 1.0, [33, 33, 33, 0]),
            (-1e6, 0.0, [0, 50, 50, 0]),
            (1e6, 0.0, [100, 0, 0, 0]),
        ] {
            let transform = Transform { power, damping };
            let all = probabilities(&grammar, rule, transform);
            let mut all: Vec<(Option<u32>, f64)> = (grammar.alternatives(rule).iter())
                .map(|alternative| alternative.source)
                .zip(all)
                .collect();
            all.sort_by_key(|(source, _)| *source);
            let per_cent = all.iter().map(|(_, one)| (100.0 * one).round() as i32);
            assert_eq!(per_cent.collect::<Vec<_>>(), expected, "{power} {damping}");
        }
    }

    #[test]
    fn a_grammar_has_weights_if_they_differ() {
        for (source, expected) in [
            ("r = 'a' | 'b' ;", false),
            ("r = 'a' | @0 'b' ;", false),
            ("r = @50% 'a' | 'b' ;", false),
            ("r = @50% 'a' | 'b' | 'c' ;", true),
            ("r = 'x' ( @2 'a' | 'b' )* ;", true),
        ] {
            assert_eq!(are_in(&grammar(source)), expected, "{source}");
        }
    }
}
