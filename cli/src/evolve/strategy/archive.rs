//! zester's own strategy: an archive of parents for each goal, and several methods to make inputs.
//! Successful methods are used more often.
//!
//! As in DynaMOSA (Panichella, Kifetew and Tonella, TSE 2018), every function and every exception
//! is an objective of its own. An input becomes a parent if it is the first to reach a function or
//! to end in an exception, if it is one of the slowest inputs, or if it is one of those with the
//! most new mappings (pairs of a path of grammar rules and a function that is reached). For the goal `exceptions`, inputs with an exception that is known become
//! parents, too. Of these, the ones whose children often end in an exception are kept and
//! preferred.
//!
//! A share of the inputs are random sentences of the grammar, because a new exception is so rare
//! that rewards for it are mostly chance. If the goals `time` and `mappings` have no weight or
//! all goals have the same, the share is that of the exceptions in the weights, at most a half.
//! Otherwise, and if known exceptions count more than coverage, it is 0. With the default weights,
//! only the goals `unique-exceptions` and `all` have random inputs.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zester::generate::Generator;
use zester::mutate::Mutator;
use zester::weights::{Transform, Weights};

use super::adaptive_selection::AdaptiveSelection;
use super::weighted_generator::{WeightedGenerator, encoded, learned};
use super::{EvaluatedInput, Setup, Strategy};
use crate::evolve::goal::{Goal, GoalWeights};

/// The number of nearest enclosing choices that the probabilities of `contextual` depend on.
const CONTEXT: usize = 2;

/// The maximum number of parents for the goal `time`, and for the goal `mappings`.
const RANKED: usize = 12;

/// The maximum number of parents for the goal `exceptions` whose exception was already known.
const KNOWN: usize = 24;

/// The probability of drawing a parent for `exceptions` is proportional to its success raised to
/// this power.
const PREFERENCE: i32 = 12;

/// The maximum share of random inputs.
const MAX_RANDOM: f64 = 0.5;

/// The minimum of the size that a generated input of scale 1 is drawn for, in expansions.
const MIN_EXPANSIONS: f64 = 20.0;

/// The weight of the newest input in the moving average of the values for a goal.
const NEWEST: f64 = 0.02;

/// The maximum reward of an input for a goal. The mean reward is 1.
const MAX_REWARD: f64 = 10.0;

/// A method to make an input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    /// Generate it, with about the mean size of the inputs that were learned from, times a scale.
    Generated,
    /// Mutate a parent a few times.
    MutatedParent,
    /// Mutate a sample a few times.
    MutatedSample,
    /// Copy parts of parents and samples into a parent a few times.
    Crossed,
    /// Mutate numbers, names and strings of a parent or a sample a few times.
    Revalued,
    /// Mutate a parent many times by operators that enlarge it. Keep only results that are longer.
    Enlarged,
}

/// How probable the alternatives of a rule are when an input is generated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Distribution {
    /// The probabilities of a [`Generator`] without weights.
    Sampled,
    /// The learned probabilities, raised to a power.
    Power(f64),
    /// The probabilities learned from inputs that ended in an exception, raised to a power.
    Failing(f64),
}

/// How an input is made: its method, and the indices of the options that were drawn.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    method: Method,
    method_at: usize,
    distribution: usize,
    scale: usize,
    times: usize,
    /// The [`Parent::number`] of the last parent for the goal `exceptions` that the input was made
    /// from, if there is one.
    failing_parent: Option<usize>,
}

/// A parent of later inputs.
#[derive(Clone, Debug)]
struct Parent {
    parameters: Vec<u8>,
    /// The value of the input for the goal. Parents for `time` and `mappings` are sorted by it.
    value: f64,
    /// The index of the input among all inputs, which identifies the parent.
    number: usize,
    /// Whether [`forget_the_worst`] keeps the parent. For the goal `exceptions`: its exception was new.
    stays: bool,
    /// The number of children, and of those that ended in an exception.
    children: (u32, u32),
}

impl Parent {
    /// Returns the share of the children that ended in an exception. One child with and one without
    /// an exception are added, so that a parent without children has a share.
    fn success(&self) -> f64 {
        let (all, failing) = self.children;
        (f64::from(failing) + 1.0) / (f64::from(all) + 2.0)
    }
}

/// The strategy, with its archive of parents.
pub struct Archive<'g> {
    setup: Setup<'g>,
    rng: SmallRng,
    mutator: Mutator<'g>,
    /// A mutator of numbers, names and strings.
    revaluer: Mutator<'g>,
    /// A mutator that makes inputs larger.
    enlarger: Mutator<'g>,
    /// The parameters of the samples that are not too long.
    samples: Vec<Vec<u8>>,
    /// The weights of the goals that inputs are made for.
    goals: GoalWeights,
    /// The parents for each goal. Later ones are preferred, but for `exceptions`.
    parents: [Vec<Parent>; Goal::ALL.len()],
    /// The weights of the samples, and of the inputs that were the first to reach a function or an
    /// exception.
    weights: Weights,
    /// The weights of the same inputs, with a context of [`CONTEXT`] enclosing choices.
    contextual: Weights,
    /// The weights of the inputs that ended in an exception.
    failing: Weights,
    /// The share of random inputs. It does not depend on rewards.
    random_share: f64,
    methods: AdaptiveSelection<Method>,
    distributions: AdaptiveSelection<Distribution>,
    scales: AdaptiveSelection<f64>,
    times: AdaptiveSelection<u32>,
    /// By input of the current generation: how it was made, or [`None`] if it is random.
    recipes: Vec<Option<Recipe>>,
    /// The number of inputs that were learned from.
    inputs: usize,
    /// The last parent for the goal `exceptions` that was drawn.
    failing_parent: Option<usize>,
    /// By goal: the moving average of the values of inputs.
    means: [f64; Goal::ALL.len()],
}

impl<'g> Archive<'g> {
    /// Returns the strategy with an empty archive.
    ///
    /// # Errors
    /// If the weights forbid every sentence.
    pub fn new(setup: Setup<'g>) -> Result<Archive<'g>, zester::Error> {
        let grammar = setup.grammar;
        let mut samples: Vec<Vec<u8>> = setup
            .samples
            .iter()
            .map(|sample| encoded(grammar, sample))
            .collect();
        samples.retain(|sample| sample.len() <= setup.max_length);
        let only = |operators: &str| Mutator::new(grammar).only(operators);
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
        // This call generates 0 sentences. It returns an error if the weights forbid every sentence.
        generator.generate(0, &mut rng)?;
        let goals = focus(setup.goals);
        // Exceptions are often caused by values that no sample has, and generated inputs have such
        // values.
        let for_exceptions = goals.of(Goal::Time) == 0.0 && goals.of(Goal::Mappings) == 0.0;
        // If known exceptions count, options that succeeded are preferred.
        let repeats = for_exceptions && goals.of(Goal::Exceptions) > goals.of(Goal::Coverage);
        let preference = |repeating: f64, of_exceptions: f64, otherwise: f64| {
            if repeats {
                repeating
            } else if for_exceptions {
                of_exceptions
            } else {
                otherwise
            }
        };
        let ablation = setup.ablation;
        // If several goals have the same weight, uniform probabilities and small sizes are preferred,
        // because they find exceptions.
        let all_alike = setup.goals.are_alike();
        let if_alike = |alike: f64, otherwise: f64| if all_alike { alike } else { otherwise };
        // A new exception is so rare that rewards for it are mostly chance. So a share of the
        // inputs does not depend on rewards.
        let exceptions_matter = for_exceptions || all_alike;
        let random_share = if repeats || !exceptions_matter || ablation.without_probability_mutation
        {
            0.0
        } else {
            let exceptions = goals.of(Goal::Exceptions) + goals.of(Goal::UniqueExceptions);
            (exceptions / goals.sum(|_| 1.0)).min(MAX_RANDOM)
        };
        let methods = [
            (Method::Generated, if_alike(4.0, preference(3.0, 6.0, 3.0))),
            (Method::MutatedParent, preference(4.0, 2.0, 2.0)),
            (
                Method::MutatedSample,
                if_alike(1.0, preference(1.0, 2.0, 2.0)),
            ),
            (Method::Crossed, 0.5),
            (Method::Revalued, 1.0),
            (Method::Enlarged, 0.5),
        ];
        let methods = AdaptiveSelection::new(methods.into_iter().filter(|(method, _)| {
            !ablation.without_input_mutation || *method == Method::Generated
        }));
        let distributions = [
            (
                Distribution::Sampled,
                if_alike(2.0, preference(2.0, 6.0, 3.0)),
            ),
            (Distribution::Power(1.0), if_alike(0.5, 1.0)),
            (
                Distribution::Power(0.0),
                if_alike(4.0, preference(1.0, 3.0, 1.0)),
            ),
            (Distribution::Power(-1.0), preference(3.0, 0.5, 0.5)),
            (Distribution::Failing(1.0), preference(1.0, 0.0, 0.0)),
            (Distribution::Failing(3.0), preference(3.0, 0.0, 0.0)),
        ];
        let distributions = AdaptiveSelection::new(distributions.into_iter().filter(|(of, _)| {
            !ablation.without_probability_mutation || *of == Distribution::Power(1.0)
        }));
        let small = if_alike(2.0, 1.0);
        let scales = AdaptiveSelection::new([(1.0, small), (2.0, small), (8.0, 1.0), (32.0, 1.0)]);
        let times = AdaptiveSelection::new([(1, 1.0), (4, 2.0), (16, 1.0)]);
        let (methods, distributions, scales, times) = if repeats {
            (
                methods.greedy(),
                distributions.greedy(),
                scales.greedy(),
                times.greedy(),
            )
        } else if exceptions_matter {
            (
                methods.cautious(),
                distributions.cautious(),
                scales.cautious(),
                times.cautious(),
            )
        } else {
            (methods, distributions, scales, times)
        };
        Ok(Archive {
            contextual: learned(grammar, CONTEXT, &setup.samples),
            weights: setup.weights.clone(),
            failing: Weights::new(grammar, 0),
            goals,
            setup,
            rng,
            random_share,
            mutator,
            revaluer,
            enlarger,
            samples,
            parents: Default::default(),
            methods,
            distributions,
            scales,
            times,
            recipes: Vec::new(),
            inputs: 0,
            failing_parent: None,
            means: [0.0; Goal::ALL.len()],
        })
    }

    /// Returns a random sample, or no parameters if there are no samples.
    fn sample(&mut self) -> Vec<u8> {
        self.samples
            .choose(&mut self.rng)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns a parent for a random goal, or a sample if the goal has no parent.
    fn parent(&mut self) -> Vec<u8> {
        let goals = &self.goals;
        let goal = Goal::ALL
            .choose_weighted(&mut self.rng, |&goal| goals.of(goal))
            .ok()
            .copied();
        let parents = goal.map_or(&[][..], |goal| &self.parents[goal as usize][..]);
        if goal == Some(Goal::Exceptions)
            && let Ok(parent) =
                parents.choose_weighted(&mut self.rng, |parent| parent.success().powi(PREFERENCE))
        {
            self.failing_parent = Some(parent.number);
            return parent.parameters.clone();
        }
        // The last parents are preferred: for coverage and new exceptions the newest, for time and
        // mappings the best.
        let at = (0..parents.len())
            .rev()
            .find(|_| self.rng.random_range(0..6) == 0);
        match at.or(parents.len().checked_sub(1)) {
            Some(at) => parents[at].parameters.clone(),
            None => self.sample(),
        }
    }

    /// Makes an input. Returns its parameters and its recipe. A random input has no recipe.
    fn make(&mut self) -> (Vec<u8>, Option<Recipe>) {
        let max = self.setup.max_length;
        self.failing_parent = None;
        if self.rng.random_bool(self.random_share)
            && let Some(input) = self.random()
        {
            return (input, None);
        }
        let (method_at, method) = self.methods.draw(&mut self.rng);
        let (distribution_at, distribution) = self.distributions.draw(&mut self.rng);
        let (scale_at, scale) = self.scales.draw(&mut self.rng);
        let (times_at, times) = self.times.draw(&mut self.rng);
        let input = match method {
            Method::Generated => self.generated(distribution, scale),
            Method::MutatedParent | Method::MutatedSample => {
                let mut input = if method == Method::MutatedSample {
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
            Some(Recipe {
                method,
                method_at,
                distribution: distribution_at,
                scale: scale_at,
                times: times_at,
                failing_parent: self.failing_parent,
            }),
        )
    }

    /// Generates an input as the strategy `random` does. Returns no input if it is too long.
    fn random(&mut self) -> Option<Vec<u8>> {
        let generator = WeightedGenerator {
            grammar: self.setup.grammar,
            weights: &self.setup.weights,
            transform: Transform {
                power: 0.0,
                damping: 0.0,
            },
            expansions: None,
        };
        let input = generator.generate(1, &mut self.rng).ok()?.pop()?;
        (input.len() <= self.setup.max_length).then_some(input)
    }

    /// Generates an input. If it is too long, generates shorter ones until one is short enough. If
    /// none is, returns no parameters: the simplest sentence.
    fn generated(&mut self, distribution: Distribution, scale: f64) -> Vec<u8> {
        let max = self.setup.max_length;
        let mean = self.weights.mean_expansions().max(MIN_EXPANSIONS);
        let mut expansions = (mean * scale).min(max as f64).ceil() as u32;
        loop {
            let made = match distribution {
                Distribution::Sampled => {
                    let bytes = f64::from(expansions) / self.weights.expansions_per_byte();
                    let mut generator = Generator::new(self.setup.grammar, self.rng.random())
                        .size(bytes.ceil() as u32);
                    Ok(vec![encoded(self.setup.grammar, generator.sentence())])
                }
                Distribution::Power(power) | Distribution::Failing(power) => {
                    let weights = match distribution {
                        Distribution::Failing(_) => &self.failing,
                        _ if power == 1.0 => &self.contextual,
                        _ => &self.weights,
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
            if input.len() <= max {
                return input;
            }
            if expansions == 1 {
                return Vec::new();
            }
            expansions /= 2;
        }
    }

    /// Rewards the options by which an input was made.
    fn reward(&mut self, recipe: Recipe, values: &[f64; Goal::ALL.len()]) {
        let goals = self.goals;
        for (mean, value) in self.means.iter_mut().zip(values) {
            *mean += NEWEST * (value - *mean);
        }
        let means = self.means;
        let relative =
            |goal: Goal| (values[goal as usize] / means[goal as usize].max(1e-9)).min(MAX_REWARD);
        let reward = goals.sum(relative) / goals.sum(|_| 1.0);
        self.methods.reward(recipe.method_at, reward);
        if recipe.method == Method::Generated {
            self.distributions.reward(recipe.distribution, reward);
            self.scales.reward(recipe.scale, reward);
        } else {
            self.times.reward(recipe.times, reward);
        }
    }

    /// Learns probabilities from an input that reached a new function or ended in an exception. If the
    /// function or the exception is new, its parts are used in later mutations.
    fn learn_from(&mut self, input: &EvaluatedInput) {
        if input.gain.has_exception {
            self.failing.add(self.setup.grammar, &input.derivation);
        }
        if input.gain.functions > 0 || input.gain.exception_is_new {
            self.weights.add(self.setup.grammar, &input.derivation);
            self.contextual.add(self.setup.grammar, &input.derivation);
            for mutator in [&mut self.mutator, &mut self.enlarger] {
                mutator.learn(&input.individual.parameters);
            }
        }
    }

    /// Adds an input to the parents of each goal for which it qualifies. `values` are its values
    /// for the goals.
    fn keep(&mut self, input: &EvaluatedInput, values: &[f64; Goal::ALL.len()]) {
        let number = self.inputs;
        for goal in Goal::ALL {
            let value = values[goal as usize];
            let parents = &mut self.parents[goal as usize];
            let parent = || Parent {
                parameters: input.individual.parameters.clone(),
                value,
                number,
                stays: goal != Goal::Exceptions || input.gain.exception_is_new,
                children: (0, 0),
            };
            let is_kept = match goal {
                Goal::Coverage => input.gain.functions > 0,
                Goal::Exceptions => input.gain.has_exception && repeats_no(parents, input),
                // Mutants of an input with an exception mostly end in the same exception. Mutants
                // of an input that reaches new functions may end in a new one.
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
        forget_the_worst(&mut self.parents[Goal::Exceptions as usize]);
    }
}

/// Returns whether no parent has the same parameters as an input.
fn repeats_no(parents: &[Parent], input: &EvaluatedInput) -> bool {
    parents
        .iter()
        .all(|parent| parent.parameters != input.individual.parameters)
}

/// If more than [`KNOWN`] parents may be removed, removes the one with the least success.
fn forget_the_worst(parents: &mut Vec<Parent>) {
    let may_go = || (0..).zip(&*parents).filter(|(_, parent)| !parent.stays);
    if may_go().count() > KNOWN
        && let Some((worst, _)) =
            may_go().min_by(|(_, one), (_, other)| one.success().total_cmp(&other.success()))
    {
        parents.remove(worst);
    }
}

/// Characters that often have a special meaning in strings and numbers.
const SPECIAL: &[u8] = b"\\\"'\0\n%{}$-+.eE_/*<>&;:0\x7f";

/// Returns a mutant of parameters. [`change_text`] changes the text of tokens.
fn mutated(mutator: &mut Mutator<'_>, input: &[u8], max: usize, rng: &mut SmallRng) -> Vec<u8> {
    let mut own = SmallRng::seed_from_u64(rng.random());
    let mut change =
        |data: &mut [u8], size: usize, max: usize| change_text(&mut own, data, size, max);
    mutator
        .mutate_with(input, max, rng.random(), &mut change)
        .to_vec()
}

/// Changes the first `size` bytes of `data`: flips a bit, inserts a special character, or doubles
/// the text. Returns the new length, which is at most `max`.
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

/// Returns the weights of the goals that inputs are made for. If an exception goal has
/// a larger weight than `time` and `mappings`, and `coverage` has one, then `time` and `mappings` are
/// left out, because they favour large inputs. In a large input, the first error hides all others.
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

/// Returns the value of an input for each goal.
fn values(input: &EvaluatedInput) -> [f64; Goal::ALL.len()] {
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

    fn learn(&mut self, generation: &[EvaluatedInput]) {
        for (input, recipe) in generation.iter().zip(std::mem::take(&mut self.recipes)) {
            let values = values(input);
            let parents = &mut self.parents[Goal::Exceptions as usize];
            if let Some(parent) = parents.iter_mut().find(|parent| {
                recipe.is_some_and(|recipe| recipe.failing_parent == Some(parent.number))
            }) {
                parent.children.0 += 1;
                parent.children.1 += u32::from(input.gain.has_exception);
            }
            if !self.setup.ablation.without_learning {
                if let Some(recipe) = recipe {
                    self.reward(recipe, &values);
                }
                self.learn_from(input);
            }
            self.keep(input, &values);
            self.inputs += 1;
        }
        self.methods.forget();
        self.distributions.forget();
        self.scales.forget();
        self.times.forget();
    }

    fn weights(&self) -> &Weights {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use zester::grammar::Grammar;

    use super::*;
    use crate::evolve::goal::{GivenWeights, GoalSelection};
    use crate::evolve::individual::Individual;
    use crate::evolve::observer::Observation;
    use crate::evolve::record::Gain;
    use crate::evolve::strategy::Ablation;

    fn grammar() -> Grammar {
        Grammar::read("word.ebnf", b"word = [a-z]{8} ;").unwrap()
    }

    fn archive(grammar: &Grammar, max_length: usize) -> Archive<'_> {
        Archive::new(Setup {
            grammar,
            samples: Vec::new(),
            weights: Weights::new(grammar, 0),
            goals: GoalWeights::new(GoalSelection::All, None, &GivenWeights::default()),
            inputs: 50,
            max_length,
            seed: 1,
            ablation: Ablation::default(),
        })
        .unwrap()
    }

    #[test]
    fn no_input_is_too_long() {
        let grammar = grammar();
        let inputs = archive(&grammar, 2).next_generation();
        assert!(inputs.iter().all(|input| input.len() <= 2), "{inputs:?}");
        assert_eq!(inputs.len(), 100);
    }

    #[test]
    fn parts_of_new_inputs_enlarge_others() {
        let grammar = grammar();
        let mut archive = archive(&grammar, 100);
        let parameters = grammar.encode(b"mutation").unwrap();
        archive.learn_from(&EvaluatedInput {
            individual: Individual {
                parameters: parameters.clone(),
                text: b"mutation".to_vec(),
            },
            derivation: grammar.parse(b"mutation").unwrap(),
            observation: Observation {
                outcome: "valid".into(),
                exception: None,
                time: std::time::Duration::ZERO,
                functions: fixedbitset::FixedBitSet::new(),
            },
            gain: Gain {
                functions: 1,
                ..Gain::default()
            },
            fitness: 1.0,
        });
        let is_spliced = |seed| archive.enlarger.mutate(&[], 100, seed) == parameters;
        assert!((0..100).any(is_spliced));
    }
}
