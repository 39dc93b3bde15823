//! The fitness of an input, as in the paper on FdLoop ("Directed Grammar-Based Test Generation",
//! 2025).

use std::time::Duration;

use zester::grammar::{Grammar, Kind};

use super::goal::{Goal, GoalWeights};
use super::observer::Observation;
use super::record::Gain;

/// Computes the fitness of inputs.
pub struct Fitness {
    goals: GoalWeights,
    /// The time limit of a run.
    timeout: Duration,
    /// The number of nonterminals of the grammar.
    nonterminals: usize,
}

impl Fitness {
    pub fn new(goals: GoalWeights, timeout: Duration, grammar: &Grammar) -> Fitness {
        let nonterminals = grammar
            .symbols()
            .iter()
            .filter(|symbol| matches!(symbol.kind, Kind::Nonterminal { .. }))
            .count();
        Fitness {
            goals,
            timeout,
            nonterminals,
        }
    }

    /// Returns the fitness of an input: the weighted sum of its values for the goals.
    pub fn of(&self, observation: &Observation, gain: &Gain) -> f64 {
        self.goals.sum(|goal| self.value(goal, observation, gain))
    }

    /// Returns the value of an input for a goal, from 0 to 1.
    fn value(&self, goal: Goal, observation: &Observation, gain: &Gain) -> f64 {
        let (has, is_new) = (
            f64::from(gain.has_exception),
            f64::from(gain.exception_is_new),
        );
        let functions = observation.functions.len().max(1) as f64;
        match goal {
            Goal::Coverage => observation.functions.count_ones(..) as f64 / functions,
            Goal::Exceptions => 0.1 * has + 0.9 * is_new,
            Goal::UniqueExceptions => is_new,
            Goal::Time => observation.time.as_secs_f64() / self.timeout.as_secs_f64(),
            // The maximum is estimated as the number of pairs of a nonterminal and a function.
            Goal::Mappings => {
                let maximum = self.nonterminals as f64 * functions;
                1.0 / (1.0 + (-(gain.all_mappings as f64) / maximum).exp())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fixedbitset::FixedBitSet;
    use zester::bounds::Caps;
    use zester::notation;

    use super::*;
    use crate::evolve::goal::{GivenWeights, GoalSelection};

    #[test]
    fn the_fitness_is_the_weighted_sum() {
        let (grammar, _) =
            notation::read("x.ebnf", b"s = \"x\" | \"y\" ;", &Caps::default()).unwrap();
        let fitness = |given: &str| {
            let given: GivenWeights = given.parse().unwrap();
            Fitness::new(
                GoalWeights::new(GoalSelection::All, None, &given),
                Duration::from_secs(1),
                &grammar,
            )
        };
        let mut functions = FixedBitSet::with_capacity(8);
        functions.insert(3);
        functions.insert(5);
        let observation = Observation {
            outcome: "valid".into(),
            exception: None,
            time: Duration::from_millis(250),
            functions,
        };
        let gain = Gain {
            has_exception: true,
            ..Gain::default()
        };
        let of = |given: &str| fitness(given).of(&observation, &gain);
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        close(of("coverage=4,exceptions=0,time=0,mappings=0"), 1.0);
        close(of("coverage=0,exceptions=10,time=0,mappings=0"), 1.0);
        close(of("coverage=0,exceptions=0,time=2,mappings=0"), 0.5);
        // The input has no mappings.
        close(of("coverage=0,exceptions=0,time=0,mappings=1"), 0.5);
    }
}
