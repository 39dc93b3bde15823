//! zester's own strategy: an archive of the best inputs for many objectives, and several ways to
//! make inputs, of which those that succeed are used more often.
//!
//! Every function, every exception and every pair of a path of rules and a function is an
//! objective, as in DynaMOSA (Panichella, Kifetew and Tonella, TSE 2018), and so is a long run. An
//! input that is the first or the best for an objective becomes a parent.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zester::generate::Generator;
use zester::mutate::Mutator;
use zester::weights::{Transform, Weights};

use super::adaptive_selection::AdaptiveSelection;
use super::sources::{WeightedGenerator, encoded, learned};
use super::{Evaluated, Setup, Strategy};
use crate::evolve::goal::{Goal, GoalWeights};

/// The number of enclosing choices that probabilities of generated inputs depend on.
const CONTEXT: usize = 2;

/// The maximum number of parents for a long run, and for many mappings.
const RANKED: usize = 12;

/// The minimum number of expansions of a generated input of scale 1.
const MIN_EXPANSIONS: f64 = 20.0;

/// The weight of the newest input in the mean value of inputs.
const NEWEST: f64 = 0.02;

/// The maximum reward of an input for a goal. The mean is 1.
const MAX_REWARD: f64 = 10.0;

/// A way to make an input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    /// Generate it. It is larger than the samples by a factor.
    Generated,
    /// Mutate a parent a few times.
    MutatedParent,
    /// Mutate a sample a few times.
    MutatedSample,
    /// Copy parts of parents and samples into a parent a few times.
    Crossed,
    /// Mutate numbers, names and strings of a parent or a sample a few times.
    Revalued,
    /// Mutate a parent many times by operators that enlarge it, as far as it grows.
    Enlarged,
}

/// How probable the alternatives of a rule are when an input is generated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Distribution {
    /// As zester's sampler draws them: see [`Generator`].
    Sampled,
    /// As learned, raised to a power.
    Power(f64),
}

/// How an input is made: its kind, and the number of each option.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    kind: Method,
    kind_at: usize,
    probable: usize,
    scale: usize,
    times: usize,
}

/// A parent of later inputs.
#[derive(Clone, Debug)]
struct Parent {
    parameters: Vec<u8>,
    /// The value by which parents of one goal are compared.
    value: f64,
}

/// The strategy and its archive.
pub struct Archive<'g> {
    setup: Setup<'g>,
    rng: SmallRng,
    mutator: Mutator<'g>,
    /// A mutator of numbers, names and strings.
    revaluer: Mutator<'g>,
    /// A mutator that makes inputs larger.
    enlarger: Mutator<'g>,
    samples: Vec<Vec<u8>>,
    /// The weights of the goals.
    goals: GoalWeights,
    /// The parents for each goal.
    parents: [Vec<Parent>; Goal::ALL.len()],
    /// The weights of the samples and of the inputs that were the first for an objective.
    weights: Weights,
    /// The weights of the samples and of those inputs, by choice and its context of [`CONTEXT`]
    /// enclosing choices.
    contextual: Weights,
    kinds: AdaptiveSelection<Method>,
    probabilities: AdaptiveSelection<Distribution>,
    scales: AdaptiveSelection<f64>,
    times: AdaptiveSelection<u32>,
    /// How each input of the generation that runs was made.
    recipes: Vec<Recipe>,
    /// The mean value of the inputs so far for each goal, newer ones count more.
    means: [f64; Goal::ALL.len()],
}

impl<'g> Archive<'g> {
    /// # Errors
    /// If the weights allow no sentence.
    pub fn new(setup: Setup<'g>) -> Result<Archive<'g>, String> {
        let grammar = setup.grammar;
        let mut samples: Vec<Vec<u8>> = setup
            .samples
            .iter()
            .map(|sample| encoded(grammar, sample))
            .collect();
        samples.retain(|sample| sample.len() <= setup.max_length);
        let only = |operators: &str| Mutator::new(grammar).with_only(operators);
        let (mut mutator, revaluer, mut enlarger) = (
            Mutator::new(grammar),
            only("literal,reuse,rename")?,
            only("elements,unroll,splice")?,
        );
        for sample in &samples {
            mutator.learn(sample);
            enlarger.learn(sample);
        }
        let mut rng = SmallRng::seed_from_u64(setup.seed);
        let generator = WeightedGenerator {
            grammar,
            weights: &setup.weights,
            transform: Transform::default(),
            expansions: None,
        };
        // Generating no sentence fails if the weights forbid every sentence.
        generator.generate(0, &mut rng)?;
        let goals = focus(setup.goals);
        // Exceptions depend on values that samples do not have.
        let for_exceptions = goals.of(Goal::Time) == 0.0 && goals.of(Goal::Mappings) == 0.0;
        Ok(Archive {
            contextual: learned(grammar, CONTEXT, &setup.samples),
            weights: setup.weights.clone(),
            goals,
            setup,
            rng,
            mutator,
            revaluer,
            enlarger,
            samples,
            parents: Default::default(),
            kinds: AdaptiveSelection::new([
                (Method::Generated, if for_exceptions { 6.0 } else { 3.0 }),
                (Method::MutatedParent, 2.0),
                (Method::MutatedSample, 2.0),
                (Method::Crossed, 0.5),
                (Method::Revalued, 1.0),
                (Method::Enlarged, 0.5),
            ]),
            probabilities: AdaptiveSelection::new([
                (
                    Distribution::Sampled,
                    if for_exceptions { 6.0 } else { 3.0 },
                ),
                (Distribution::Power(1.0), 1.0),
                (
                    Distribution::Power(0.0),
                    if for_exceptions { 3.0 } else { 1.0 },
                ),
                (Distribution::Power(-1.0), 0.5),
            ]),
            scales: AdaptiveSelection::new([(1.0, 1.0), (2.0, 1.0), (8.0, 1.0), (32.0, 1.0)]),
            times: AdaptiveSelection::new([(1, 1.0), (4, 2.0), (16, 1.0)]),
            recipes: Vec::new(),
            means: [0.0; Goal::ALL.len()],
        })
    }

    fn sample(&mut self) -> Vec<u8> {
        self.samples
            .choose(&mut self.rng)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns a parent for one of the goals, or a sample if there is none.
    fn parent(&mut self) -> Vec<u8> {
        let goals = &self.goals;
        let goal = Goal::ALL
            .choose_weighted(&mut self.rng, |&goal| goals.of(goal))
            .ok()
            .copied();
        let parents = goal.map_or(&[][..], |goal| &self.parents[goal as usize][..]);
        // The newest parents of coverage and exceptions, and the best of the other goals, are
        // preferred.
        let at = (0..parents.len())
            .rev()
            .find(|_| self.rng.random_range(0..6) == 0);
        match at.or(parents.len().checked_sub(1)) {
            Some(at) => parents[at].parameters.clone(),
            None => self.sample(),
        }
    }

    /// Makes an input. Returns its parameters, and how it was made.
    fn make(&mut self) -> (Vec<u8>, Recipe) {
        let max = self.setup.max_length;
        let (kind_at, kind) = self.kinds.draw(&mut self.rng);
        let (probable_at, probable) = self.probabilities.draw(&mut self.rng);
        let (scale_at, scale) = self.scales.draw(&mut self.rng);
        let (times_at, times) = self.times.draw(&mut self.rng);
        let input = match kind {
            Method::Generated => self.generated(probable, scale),
            Method::MutatedParent | Method::MutatedSample => {
                let mut input = if kind == Method::MutatedSample {
                    self.sample()
                } else {
                    self.parent()
                };
                for _ in 0..times {
                    input = mutated(&mut self.mutator, &input, max, &mut self.rng);
                }
                input
            }
            Method::Revalued => {
                let mut input = if self.rng.random_bool(0.5) {
                    self.sample()
                } else {
                    self.parent()
                };
                for _ in 0..times {
                    input = mutated(&mut self.revaluer, &input, max, &mut self.rng);
                }
                input
            }
            Method::Crossed => {
                let mut input = self.parent();
                for _ in 0..times {
                    let other = if self.rng.random_bool(0.5) {
                        self.sample()
                    } else {
                        self.parent()
                    };
                    if let Some(child) =
                        self.mutator
                            .crossover(&input, &other, max, self.rng.random())
                    {
                        input = child.to_vec();
                    }
                }
                input
            }
            Method::Enlarged => {
                let mut input = self.parent();
                for _ in 0..4 * times {
                    let larger = self.enlarger.mutate(&input, max, self.rng.random());
                    if larger.len() > input.len() {
                        input = larger.to_vec();
                    }
                }
                input
            }
        };
        (
            input,
            Recipe {
                kind,
                kind_at,
                probable: probable_at,
                scale: scale_at,
                times: times_at,
            },
        )
    }

    fn generated(&mut self, probable: Distribution, scale: f64) -> Vec<u8> {
        let max = self.setup.max_length;
        let mean = self.weights.mean_expansions().max(MIN_EXPANSIONS);
        let mut expansions = (mean * scale).min(max as f64).ceil() as u32;
        loop {
            let made = match probable {
                Distribution::Sampled => {
                    let bytes = f64::from(expansions) / self.weights.expansions_per_byte();
                    let mut generator = Generator::new(self.setup.grammar, self.rng.random())
                        .with_size(bytes.ceil() as u32);
                    Ok(vec![encoded(self.setup.grammar, generator.sentence())])
                }
                Distribution::Power(power) => {
                    let weights = if power == 1.0 {
                        &self.contextual
                    } else {
                        &self.weights
                    };
                    let transform = Transform {
                        power,
                        damping: 0.0,
                    };
                    let generator = WeightedGenerator {
                        grammar: self.setup.grammar,
                        weights,
                        transform,
                        expansions: Some(expansions),
                    };
                    generator.generate(1, &mut self.rng)
                }
            };
            let input = made
                .ok()
                .and_then(|mut inputs| inputs.pop())
                .unwrap_or_default();
            if input.len() <= max || expansions == 1 {
                return input;
            }
            expansions /= 2;
        }
    }

    /// Rewards the options that made an input.
    fn reward(&mut self, recipe: Recipe, values: &[f64; Goal::ALL.len()]) {
        let goals = self.goals;
        for (mean, value) in self.means.iter_mut().zip(values) {
            *mean += NEWEST * (value - *mean);
        }
        let means = self.means;
        let relative =
            |goal: Goal| (values[goal as usize] / means[goal as usize].max(1e-9)).min(MAX_REWARD);
        let reward = goals.sum(relative) / goals.sum(|_| 1.0);
        self.kinds.reward(recipe.kind_at, reward);
        if recipe.kind == Method::Generated {
            self.probabilities.reward(recipe.probable, reward);
            self.scales.reward(recipe.scale, reward);
        } else {
            self.times.reward(recipe.times, reward);
        }
    }

    /// Adds an input to the parents of the goals for which it is good.
    fn keep(&mut self, input: &Evaluated, values: &[f64; Goal::ALL.len()]) {
        for goal in Goal::ALL {
            let value = values[goal as usize];
            let parents = &mut self.parents[goal as usize];
            let parent = || Parent {
                parameters: input.individual.parameters.clone(),
                value,
            };
            let is_kept = match goal {
                Goal::Coverage => input.gain.functions > 0,
                Goal::Exceptions => input.gain.exception_is_new,
                // Neighbours of an exception have the same one. Those of inputs that reach new
                // functions may have another.
                Goal::UniqueExceptions => input.gain.functions > 0 && !input.gain.has_exception,
                Goal::Time | Goal::Mappings => {
                    let at = parents.partition_point(|other| other.value <= value);
                    parents.insert(at, parent());
                    if parents.len() > RANKED {
                        parents.remove(0);
                    }
                    false
                }
            };
            if is_kept {
                parents.push(parent());
            }
        }
    }
}

/// Characters that often have a meaning inside of strings and numbers.
const SPECIAL: &[u8] = b"\\\"'\0\n%{}$-+.eE_/*<>&;:0\x7f";

/// Mutates an input.
fn mutated(mutator: &mut Mutator<'_>, input: &[u8], max: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut own = SmallRng::seed_from_u64(rng.random());
    let mut change =
        |data: &mut [u8], size: usize, max: usize| change_text(&mut own, data, size, max);
    mutator
        .mutate_with(input, max, rng.random(), &mut change)
        .to_vec()
}

/// Changes a text: flips a bit, inserts a special character, or repeats the text. Returns the new
/// length.
fn change_text(rng: &mut SmallRng, data: &mut [u8], size: usize, max: usize) -> usize {
    match rng.random_range(0..3) {
        0 if size > 0 => data[rng.random_range(0..size)] ^= 1 << rng.random_range(0..8),
        1 if size > 0 && 2 * size <= max => {
            data.copy_within(..size, size);
            return 2 * size;
        }
        _ if size < max => {
            let at = rng.random_range(0..=size);
            data.copy_within(at..size, at + 1);
            data[at] = SPECIAL[rng.random_range(0..SPECIAL.len())];
            return size + 1;
        }
        _ => {}
    }
    size
}

/// Returns the weights of the goals that inputs are made for. Exceptions are rare, so most of the
/// time another goal decides. It should be coverage: in a large input, which takes long and has
/// many mappings, the first error hides all others.
fn focus(goals: GoalWeights) -> GoalWeights {
    let exceptions = goals
        .of(Goal::Exceptions)
        .max(goals.of(Goal::UniqueExceptions));
    let hiding = [Goal::Time, Goal::Mappings];
    if hiding.iter().all(|&goal| goals.of(goal) < exceptions) && goals.of(Goal::Coverage) > 0.0 {
        goals.without(&hiding)
    } else {
        goals
    }
}

/// Returns how much an input brought for each goal.
fn values(input: &Evaluated) -> [f64; Goal::ALL.len()] {
    let gain = &input.gain;
    Goal::ALL.map(|goal| match goal {
        Goal::Coverage => gain.functions as f64,
        Goal::Exceptions => {
            0.1 * f64::from(gain.has_exception) + 0.9 * f64::from(gain.exception_is_new)
        }
        Goal::UniqueExceptions => f64::from(gain.exception_is_new),
        Goal::Time => input.observation.time.as_secs_f64(),
        Goal::Mappings => gain.mappings as f64,
    })
}

impl Strategy for Archive<'_> {
    fn next_generation(&mut self) -> Vec<Vec<u8>> {
        let (inputs, recipes) = (0..2 * self.setup.inputs).map(|_| self.make()).unzip();
        self.recipes = recipes;
        inputs
    }

    fn learn(&mut self, generation: &[Evaluated]) {
        for (input, recipe) in generation.iter().zip(std::mem::take(&mut self.recipes)) {
            let values = values(input);
            self.reward(recipe, &values);
            if input.gain.functions > 0 || input.gain.exception_is_new {
                self.weights.add(self.setup.grammar, &input.derivation);
                self.contextual.add(self.setup.grammar, &input.derivation);
                self.mutator.learn(&input.individual.parameters);
            }
            self.keep(input, &values);
        }
        self.kinds.forget();
        self.probabilities.forget();
        self.scales.forget();
        self.times.forget();
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }
}
