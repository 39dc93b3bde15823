//! The loop of an evolution: inputs of a strategy are run, recorded, and returned to the strategy.

use std::time::Duration;

use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};

use super::fitness::Fitness;
use super::goal::{Goal, GoalWeights};
use super::individual::{Individual, decode};
use super::observer::Observation;
use super::record::Record;
use super::results::Results;
use super::strategy::{EvaluatedInput, Strategy};

/// The inputs of all generations so far, and what they reached.
pub struct Evolution<'g> {
    grammar: &'g Grammar,
    decoder: Decoder<'g>,
    fitness: Fitness,
    pub record: Record,
    pub results: Results,
}

impl<'g> Evolution<'g> {
    /// Returns an evolution without inputs. `functions` is the number of functions of the program.
    /// The paths of mappings have at most `path` rules. `timeout` is the time limit of a run.
    pub fn new(
        grammar: &'g Grammar,
        settings: Settings,
        goals: GoalWeights,
        timeout: Duration,
        (functions, path): (usize, usize),
    ) -> Evolution<'g> {
        Evolution {
            grammar,
            decoder: Decoder::new(grammar).settings(settings),
            fitness: Fitness::new(goals, timeout, grammar),
            record: Record::new(functions, path),
            results: Results::default(),
        }
    }

    /// Runs a generation. `observe` runs an input; it also gets the time of the slowest run so far.
    ///
    /// # Errors
    /// If `observe` fails.
    pub fn run_generation<E>(
        &mut self,
        strategy: &mut dyn Strategy,
        mut observe: impl FnMut(&Individual, Duration) -> Result<Observation, E>,
    ) -> Result<(), E> {
        let mut generation = Vec::new();
        for parameters in strategy.next_generation() {
            let (individual, derivation) = decode(&mut self.decoder, parameters);
            let observation = observe(&individual, self.record.figures.slowest)?;
            let gain = self
                .record
                .add(self.grammar, &individual, &derivation, &observation);
            self.results.add(&individual, &gain);
            let fitness = self.fitness.of(&observation, &gain);
            generation.push(EvaluatedInput {
                individual,
                derivation,
                observation,
                gain,
                fitness,
            });
        }
        strategy.learn(&generation);
        self.record.end_generation();
        Ok(())
    }

    /// Returns whether a goal is reached: whether its figure is at least `figure`. The figure is a
    /// number, and for the goal `time` the longest run in seconds.
    pub fn reaches(&self, goal: Goal, figure: f64) -> bool {
        let figures = &self.record.figures;
        let reached = match goal {
            Goal::Coverage => figures.functions as f64,
            Goal::Exceptions => figures.exceptions as f64,
            Goal::UniqueExceptions => figures.unique_exceptions as f64,
            Goal::Time => figures.slowest.as_secs_f64(),
            Goal::Mappings => figures.mappings as f64,
        };
        reached >= figure
    }
}
