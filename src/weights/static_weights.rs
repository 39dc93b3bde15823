//! The weights and percentages that are written in a grammar. They are the probabilities of the
//! rules of which samples have no alternative.

use super::{Transform, Weights};
use crate::grammar::{Grammar, SymbolId};

/// Returns the probability of each alternative of a nonterminal by the weights in the grammar.
///
/// The transform applies to the alternatives with a weight above 0. The others have the probability
/// 0, whatever the transform: they are for texts only. The copy of an alternative for undeclared
/// names keeps its relation to the alternative.
pub fn probabilities(grammar: &Grammar, symbol: SymbolId, transform: Transform) -> Vec<f64> {
    let alternatives = grammar.alternatives(symbol);
    let mut weights: Vec<f64> = alternatives.iter().map(|one| one.weight).collect();
    let listed: Vec<usize> = (grammar.listed(symbol))
        .filter(|(_, alternative)| alternative.weight > 0.0)
        .map(|(index, _)| index as usize)
        .collect();
    let total: f64 = listed.iter().map(|&index| weights[index]).sum();
    let even = 1.0 / listed.len() as f64;
    let mut transformed: Vec<f64> = listed
        .iter()
        .map(|&index| (1.0 - transform.damping) * weights[index] / total + transform.damping * even)
        .collect();
    // The extremes come last, so that a large power leaves finite numbers.
    let largest = |all: &[f64]| all.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let smallest = transformed.iter().copied().fold(f64::MAX, f64::min);
    let unit = if transform.power < 0.0 { smallest } else { largest(&transformed) };
    for probability in &mut transformed {
        *probability = (*probability / unit).powf(transform.power);
    }
    for (&index, probability) in listed.iter().zip(transformed) {
        let ratio = probability / weights[index];
        if let Some(copy) = grammar.copy(symbol, index as u32) {
            weights[copy as usize] *= ratio;
        }
        weights[index] = probability;
    }
    let (sum, count) = (weights.iter().sum::<f64>(), weights.len() as f64);
    let of = |weight: f64| if sum > 0.0 { weight / sum } else { 1.0 / count };
    weights.into_iter().map(of).collect()
}

