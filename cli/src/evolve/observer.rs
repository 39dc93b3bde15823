//! Runs inputs, and observes the outcome, the time, and the functions that they reach.

use std::path::Path;
use std::time::Duration;

use fixedbitset::FixedBitSet;
use zester::subject::{Limits, Outcome, Request, Subject, Symbols};

use super::own_functions::is_own;
use crate::problem::Problem;

/// The maximum number of times that a run is repeated if it is slower than all earlier runs.
const REPETITIONS: u32 = 2;

/// What was observed of the run of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The outcome as one word, such as `valid`.
    pub outcome: String,
    /// A description of the exception in which the run ended: the signature of a crash, the status
    /// of an exit, or out of memory.
    pub exception: Option<String>,
    /// The time of the run, at most the time limit. It is 0 if the run ended in an exception, because
    /// reporting an exception takes time.
    pub time: Duration,
    /// The numbers of the functions that the run reached. There are none if the target did not return.
    pub functions: FixedBitSet,
}

/// A fuzz target that runs inputs.
pub struct Observer {
    subject: Subject,
    timeout: Duration,
    /// By counter: the number of its function, if that is the program's own (see [`is_own`]).
    /// Counters of shared libraries have none.
    functions: Vec<Option<u32>>,
    /// The number of functions.
    count: usize,
}

impl Observer {
    /// Starts a fuzz target.
    pub fn start(target: &Path, limits: Limits) -> Result<Observer, Problem> {
        let subject = Subject::start(target, limits).map_err(Problem::new)?;
        let subject = subject.comparing_none();
        let counters = subject.counters();
        let functions = Symbols::of(target).map_or_else(
            // Without symbols, each counter counts as a function.
            || (0..counters).map(Some).collect(),
            |mut symbols| own_functions(&mut symbols),
        );
        let last = functions.iter().flatten().max();
        let count = last.map_or(0, |&last| last as usize + 1);
        Ok(Observer {
            subject,
            timeout: limits.timeout,
            functions,
            count,
        })
    }

    /// Returns the number of the program's own functions.
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
            if !is_slow {
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
            if let Some(&Some(function)) = self.functions.get(edge as usize) {
                functions.insert(function as usize);
            }
        }
        let time = match run.outcome {
            Outcome::TimeOut => self.timeout,
            _ if exception.is_some() => Duration::ZERO,
            _ => run.time.min(self.timeout),
        };
        Ok(Observation {
            outcome: run.outcome.to_string(),
            exception,
            time,
            functions,
        })
    }
}

/// Returns for each counter the number of its function, if that is the program's own. The numbers
/// begin with 0 and have no gaps. A function without a name is the program's own.
fn own_functions(symbols: &mut Symbols) -> Vec<Option<u32>> {
    let all = symbols.functions().to_vec();
    let (mut found, mut count, mut last) = (Vec::with_capacity(all.len()), 0, None);
    let mut number = None;
    for (counter, function) in (0..).zip(all) {
        if last != Some(function) {
            last = Some(function);
            let is_own = symbols.function(counter).is_none_or(is_own);
            number = is_own.then_some(count);
            count += u32::from(is_own);
        }
        found.push(number);
    }
    found
}
