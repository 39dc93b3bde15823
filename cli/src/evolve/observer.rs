//! Runs inputs, and observes the outcome, the time, and the functions that they reach.

use std::path::Path;
use std::time::Duration;

use fixedbitset::FixedBitSet;
use zester::subject::{Limits, Outcome, Request, Subject, Symbols};

use crate::problem::Problem;

/// The maximum number of times that a run is repeated if it is slower than all earlier runs.
const REPETITIONS: u32 = 2;

/// What was observed of the run of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The outcome as one word, such as `valid`.
    pub outcome: String,
    /// A description of the exception in which the run ended: the signature of a crash, the status of
    /// an exit, or out of memory.
    pub exception: Option<String>,
    /// The time of the run, at most the time limit.
    pub time: Duration,
    /// The numbers of the functions that the run reached. They are not known if the target did not
    /// return.
    pub functions: FixedBitSet,
}

/// A fuzz target that runs inputs.
pub struct Observer {
    subject: Subject,
    timeout: Duration,
    /// The number of the function of each counter. Counters of shared libraries have no number.
    functions: Vec<u32>,
    /// The number of functions.
    count: usize,
}

impl Observer {
    /// Starts a fuzz target.
    pub fn start(target: &Path, limits: Limits) -> Result<Observer, Problem> {
        let subject = Subject::start(target, limits).map_err(Problem::new)?;
        // Without symbols, each counter counts as a function.
        let counters = subject.counters();
        let functions = Symbols::of(target).map_or_else(
            || (0..counters).collect(),
            |symbols| symbols.functions().to_vec(),
        );
        let count = functions.iter().max().map_or(0, |&last| last as usize + 1);
        Ok(Observer {
            subject,
            timeout: limits.timeout,
            functions,
            count,
        })
    }

    /// Returns the number of functions of the program.
    pub fn functions(&self) -> usize {
        self.count
    }

    /// Runs the text that parameters decode to. If the run takes longer than `slowest`, it is
    /// repeated, and the minimum of the times is returned, because other processes may have slowed
    /// down a run.
    pub fn run(&mut self, parameters: &[u8], slowest: Duration) -> Result<Observation, Problem> {
        let mut observation = self.run_once(parameters)?;
        for _ in 0..REPETITIONS {
            let is_slow = observation.time > slowest && observation.time < self.timeout;
            if !is_slow || observation.exception.is_some() {
                break;
            }
            let again = self.run_once(parameters)?;
            observation.time = observation.time.min(again.time);
        }
        Ok(observation)
    }

    fn run_once(&mut self, parameters: &[u8]) -> Result<Observation, Problem> {
        let run = self
            .subject
            .run(Request::Parameters(parameters))
            .map_err(Problem::new)?;
        let exception = match &run.outcome {
            Outcome::Crash(signature) => Some(signature.to_string()),
            Outcome::Exit(status) => Some(format!("exit with status {status}")),
            Outcome::OutOfMemory => Some("out of memory".into()),
            _ => None,
        };
        let mut functions = FixedBitSet::with_capacity(self.count);
        for &edge in self.subject.edges() {
            if let Some(&function) = self.functions.get(edge as usize) {
                functions.insert(function as usize);
            }
        }
        let time = if run.outcome == Outcome::TimeOut {
            self.timeout
        } else {
            run.time.min(self.timeout)
        };
        Ok(Observation {
            outcome: run.outcome.to_string(),
            exception,
            time,
            functions,
        })
    }
}
