//! The strategies that the paper on FdLoop ("Directed Grammar-Based Test Generation", 2025) compares
//! FdLoop with: the samples themselves, generation by fixed probabilities, and EvoGFuzz. Only
//! experiments and tests use them.

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use zester::weights::{Transform, Weights};

use super::weighted_generator::{WeightedGenerator, encoded, learned, mutate_a_rule};
use super::{EvaluatedInput, Setup, Strategy};

/// Uses the samples as inputs, in a random order. After the last sample, the first one follows again.
pub struct Samples<'g> {
    setup: Setup<'g>,
    /// The parameters of the samples, shuffled.
    shuffled: Vec<Vec<u8>>,
    /// The number of inputs so far.
    inputs: usize,
}

impl<'g> Samples<'g> {
    /// Returns the strategy. Without samples, all inputs are empty.
    pub fn new(setup: Setup<'g>) -> Samples<'g> {
        let of = |sample| encoded(setup.grammar, sample);
        let mut shuffled: Vec<Vec<u8>> = setup.samples.iter().map(of).collect();
        shuffled.shuffle(&mut SmallRng::seed_from_u64(setup.seed));
        Samples {
            setup,
            shuffled,
            inputs: 0,
        }
    }
}

impl Strategy for Samples<'_> {
    fn next_generation(&mut self) -> Vec<Vec<u8>> {
        let (from, count) = (self.inputs, 2 * self.setup.inputs);
        self.inputs += count;
        (from..from + count)
            .map(|at| match self.shuffled.len() {
                0 => Vec::new(),
                length => self.shuffled[at % length].clone(),
            })
            .collect()
    }

    fn learn(&mut self, _generation: &[EvaluatedInput]) {}

    fn weights(&self) -> &Weights {
        &self.setup.weights
    }
}

/// Generates inputs by the probabilities of the samples, which are raised to a power. The
/// probabilities never change.
pub struct FixedProbabilities<'g> {
    setup: Setup<'g>,
    transform: Transform,
    rng: SmallRng,
}

impl<'g> FixedProbabilities<'g> {
    /// Returns the strategy. With power 0, all alternatives of a rule are equally probable. With 1,
    /// inputs resemble the samples. With -1, they differ from the samples.
    ///
    /// # Errors
    /// If the weights forbid every sentence.
    pub fn new(setup: Setup<'g>, power: f64) -> Result<FixedProbabilities<'g>, zester::Error> {
        let transform = Transform {
            power,
            damping: 0.0,
        };
        let mut rng = SmallRng::seed_from_u64(setup.seed);
        let generator = WeightedGenerator {
            grammar: setup.grammar,
            weights: &setup.weights,
            transform,
            expansions: None,
        };
        // This call generates 0 sentences. It returns an error if the weights forbid every sentence.
        generator.generate(0, &mut rng)?;
        Ok(FixedProbabilities {
            setup,
            transform,
            rng,
        })
    }
}

impl Strategy for FixedProbabilities<'_> {
    fn next_generation(&mut self) -> Vec<Vec<u8>> {
        let FixedProbabilities {
            setup,
            transform,
            rng,
        } = self;
        let generator = WeightedGenerator {
            grammar: setup.grammar,
            weights: &setup.weights,
            transform: *transform,
            expansions: None,
        };
        generator
            .generate(2 * setup.inputs, rng)
            .expect("`new` has called this with the same weights")
    }

    fn learn(&mut self, _generation: &[EvaluatedInput]) {}

    fn weights(&self) -> &Weights {
        &self.setup.weights
    }
}

/// The number of inputs in a tournament.
const TOURNAMENT: usize = 4;

/// The number of inputs of a generation for each tournament: `evogfuzz_class.py` holds 25 tournaments
/// for 100 inputs.
const INPUTS_PER_TOURNAMENT: usize = 4;

/// EvoGFuzz (Eberlein, Noller, Vogel and Grunske, ASE 2020), after its source, `evogfuzz_class.py`.
/// Inputs that end in an exception win tournaments. The probabilities are learned from the winners.
/// Then the alternatives of one random rule get random probabilities.
pub struct EvoGFuzz<'g> {
    setup: Setup<'g>,
    weights: Weights,
    rng: SmallRng,
}

impl<'g> EvoGFuzz<'g> {
    pub fn new(setup: Setup<'g>) -> EvoGFuzz<'g> {
        EvoGFuzz {
            weights: setup.weights.clone(),
            rng: SmallRng::seed_from_u64(setup.seed),
            setup,
        }
    }
}

impl Strategy for EvoGFuzz<'_> {
    fn next_generation(&mut self) -> Vec<Vec<u8>> {
        let EvoGFuzz {
            setup,
            weights,
            rng,
        } = self;
        let generator = WeightedGenerator {
            grammar: setup.grammar,
            weights,
            transform: Transform::default(),
            expansions: None,
        };
        generator
            .generate(2 * setup.inputs, rng)
            .expect("weights that were learned from sentences forbid no sentence")
    }

    fn learn(&mut self, generation: &[EvaluatedInput]) {
        let EvoGFuzz {
            setup,
            weights,
            rng,
        } = self;
        let tournament = |_| {
            let entrants =
                (0..TOURNAMENT).map(|_| &generation[rng.random_range(0..generation.len())]);
            entrants
                .max_by_key(|entrant| entrant.gain.has_exception)
                .map(|winner| &winner.derivation)
        };
        let winners: Vec<_> = (0..generation.len().div_ceil(INPUTS_PER_TOURNAMENT))
            .filter_map(tournament)
            .collect();
        *weights = learned(setup.grammar, 0, winners);
        mutate_a_rule(setup.grammar, weights, rng, |rng| {
            rng.random_range(0.0..1.0) + f64::EPSILON
        });
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }
}
