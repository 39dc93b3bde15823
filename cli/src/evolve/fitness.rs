//! The fitness of an input, as in the paper on FdLoop ("Directed Grammar-Based Test Generation",
//! 2025): a weighted sum of one value for each goal, each from 0 to 1.
//!
//! The scale of the values for exceptions and mappings is ours.

use std::time::Duration;

use zester::grammar::{Grammar, Kind, SymbolId};

use super::goal::{Goal, GoalWeights};
use super::observer::Observation;
use super::record::Gain;

/// Computes the fitness of inputs.
pub struct Fitness {
    goals: GoalWeights,
    /// The time limit of a run.
    timeout: Duration,
    /// The number of alternatives of all nonterminals of the grammar.
    expansions: usize,
}

impl Fitness {
    pub fn new(goals: GoalWeights, timeout: Duration, grammar: &Grammar) -> Fitness {
        let expansions = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .filter(|&symbol| matches!(grammar[symbol].kind, Kind::Nonterminal { .. }))
            .map(|symbol| grammar.alternatives(symbol).len())
            .sum();
        Fitness {
            goals,
            timeout,
            expansions,
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
            Goal::Coverage => gain.functions as f64 / functions,
            Goal::Exceptions => 0.1 * has + 0.9 * is_new,
            Goal::UniqueExceptions => is_new,
            Goal::Time => observation.time.as_secs_f64() / self.timeout.as_secs_f64(),
            // A sigmoid from 0 for no pair to 0.995 for all pairs. It is steep for few pairs,
            // because an input has few of all expansions.
            Goal::Mappings => {
                let share = gain.expansions as f64 / (self.expansions.max(1) as f64 * functions);
                (3.0 * share).tanh()
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
            functions: 2,
            has_exception: true,
            expansions: 4,
            ..Gain::default()
        };
        let of = |given: &str| fitness(given).of(&observation, &gain);
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        close(of("coverage=4,exceptions=0,time=0,mappings=0"), 1.0);
        close(of("coverage=0,exceptions=10,time=0,mappings=0"), 1.0);
        close(of("coverage=0,exceptions=0,time=2,mappings=0"), 0.5);
        // The input has 4 of the 24 pairs of an alternative and a function. The start symbol has an
        // alternative, too.
        close(
            of("coverage=0,exceptions=0,time=0,mappings=1"),
            0.5_f64.tanh(),
        );
    }
}
