//! Weights by which the sampler prefers alternatives whose sentences are often valid.
//! `mutate/validity_model.rs` estimates them. Without estimates, the sampler draws by the weights of the
//! grammar alone.

use rand::rngs::SmallRng;

use super::Sampler;
use crate::grammar::{Grammar, SymbolId};

/// An element whose cost is not above this value does not limit the number of elements.
const NEGLIGIBLE: f64 = 1e-3;

/// The weights of alternatives, and the costs of elements.
#[derive(Debug, Default)]
pub struct ValidityWeights {
    /// By alternative of the whole grammar (not the erased one): a factor from 0 to 1. Empty if
    /// nothing is preferred.
    alternatives: Vec<f32>,
    /// By symbol of the whole grammar: its cost if it is a repetition. The cost is the negative
    /// logarithm of the probability that a sentence stays valid with one more element.
    elements: Vec<f32>,
    /// How often the factors are squared for this sentence. With more squarings, more sentences are
    /// valid, but they are more alike. [`None`] if the factors are not used.
    pub squarings: Option<u32>,
}

impl ValidityWeights {
    /// Returns whether no weights are set.
    pub fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Sets the factor of an alternative.
    pub fn set_alternative(&mut self, grammar: &Grammar, alternative: u32, factor: f32) {
        self.alternatives.resize(grammar.alternatives.len(), 1.0);
        self.alternatives[alternative as usize] = factor;
    }

    /// Sets the cost of an element of a repetition.
    pub fn set_element(&mut self, grammar: &Grammar, symbol: SymbolId, cost: f32) {
        self.elements.resize(grammar.symbols().len(), 0.0);
        self.elements[symbol.0 as usize] = cost;
    }

    /// Returns the factor of an alternative. It is not 0, so that every alternative can be drawn.
    #[inline(always)]
    pub fn factor(&self, squarings: u32, alternative: u32) -> f64 {
        let factor = f64::from(self.alternatives[alternative as usize]);
        (0..squarings)
            .fold(factor, |factor, _| factor * factor)
            .max(1e-30)
    }

    /// Draws the maximum number of elements of a repetition.
    #[inline(always)]
    pub fn max_elements(&self, rng: &mut SmallRng, symbol: SymbolId) -> f64 {
        let cost =
            |squarings| f64::from(self.elements[symbol.0 as usize]) * f64::from(1 << squarings);
        match self.squarings.map(cost) {
            Some(cost) if cost > NEGLIGIBLE => -(1.0 - Sampler::fraction(rng)).ln() / cost,
            _ => f64::INFINITY,
        }
    }
}
