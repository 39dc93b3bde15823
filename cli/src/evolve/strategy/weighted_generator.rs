//! Generates sentences by weights, learns weights from sentences, and mutates weights.

use rand::RngExt;
use rand::rngs::SmallRng;
use zester::derivation::Derivation;
use zester::generate::Generator;
use zester::grammar::Grammar;
use zester::parameters;
use zester::weights::{Transform, Weights};

/// Generates sentences by weights.
pub struct WeightedGenerator<'a> {
    pub grammar: &'a Grammar,
    pub weights: &'a Weights,
    pub transform: Transform,
    /// The number of nonterminals, repetitions and names that are expanded freely before a sentence
    /// is completed. With [`None`], [`Generator`] draws the number for each sentence.
    pub expansions: Option<u32>,
}

impl WeightedGenerator<'_> {
    /// Generates `count` sentences and returns their parameters.
    ///
    /// # Errors
    /// If the weights forbid every sentence.
    pub fn generate(
        &self,
        count: usize,
        rng: &mut SmallRng,
    ) -> Result<Vec<Vec<u8>>, zester::Error> {
        let mut generator =
            Generator::new(self.grammar, rng.random()).weights(self.weights, self.transform)?;
        if let Some(expansions) = self.expansions {
            generator = generator.expansions(expansions);
        }
        Ok((0..count)
            .map(|_| encoded(self.grammar, generator.sentence()))
            .collect())
    }
}

/// Returns the parameters of a sentence.
pub fn encoded(grammar: &Grammar, sentence: &Derivation) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters::encode(grammar, sentence, &mut bytes);
    bytes
}

/// Returns the weights that sentences give. `context` is the number of nearest enclosing choices that
/// probabilities depend on.
pub fn learned<'a>(
    grammar: &Grammar,
    context: usize,
    sentences: impl IntoIterator<Item = &'a Derivation>,
) -> Weights {
    let mut weights = Weights::new(grammar, context);
    sentences
        .into_iter()
        .for_each(|sentence| weights.add(grammar, sentence));
    weights
}

/// Gives the alternatives of a random nonterminal new shares of their weight. `share` returns the
/// share of an alternative.
pub fn mutate_a_rule(
    grammar: &Grammar,
    weights: &mut Weights,
    rng: &mut SmallRng,
    mut share: impl FnMut(&mut SmallRng) -> f64,
) {
    let rules: Vec<_> = Weights::rules(grammar).collect();
    if rules.is_empty() {
        return;
    }
    let rule = rules[rng.random_range(0..rules.len())];
    let shares: Vec<f64> = grammar
        .alternatives(rule)
        .iter()
        .map(|_| share(rng))
        .collect();
    weights.divide(rule, &shares);
}
