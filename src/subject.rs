//! Runs sentences through a fuzz target, outside of libFuzzer's loop: what becomes of each, how long it takes, what it covers.
//!
//! ```no_run
//! use std::path::Path;
//! use zester::subject::{Limits, Request, Subject};
//!
//! let mut subject = Subject::start(Path::new("target/x86_64-unknown-linux-gnu/release/json"), Limits::default())?;
//! let run = subject.run(Request::Text(b"[1, 2]"))?;
//! println!("{} in {:?}, {} edges", run.outcome, run.time, subject.edges().len());
//! # Ok::<(), String>(())
//! ```
//!
//! The target is a program as `cargo fuzz build` or clang made it, with zester's hooks. It is started once; a copy of it, forked
//! when its start is over, runs one sentence after the other. When one ends it, by a crash or because it takes too long or too
//! much memory, another copy takes its place. So a run costs what the target costs, and a crash what a fork does.
//!
//! What holds: each request has one answer. Not promised: that a run depends on nothing but its sentence, if the target keeps
//! something from one to the next; that all that a crash prints was printed by this run, if others buffer what they print.
//!
//! Features: `subject`; on Unix.

mod process;
mod signature;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use self::process::{End, Process};
pub use self::signature::Signature;
use crate::Validity;
pub use crate::hooks::wire::Request;

/// How long it may take to look up names.
const NAMES: Duration = Duration::from_secs(60);

/// What became of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The target came back, and said this.
    Ran(Validity),
    /// It crashed.
    Crash(Signature),
    /// It took longer than [`Limits::timeout`].
    TimeOut,
    /// It took more memory than [`Limits::memory`], or than its sanitizer allows.
    OutOfMemory,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Outcome::Ran(Validity::Valid) => "valid",
            Outcome::Ran(Validity::Invalid) => "invalid",
            Outcome::Ran(Validity::Unknown) => "unknown",
            Outcome::Crash(_) => "crash",
            Outcome::TimeOut => "time-out",
            Outcome::OutOfMemory => "out-of-memory",
        })
    }
}

/// What a run gave; what it covered is [`Subject::edges`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What became of the sentence.
    pub outcome: Outcome,
    /// How long it took: in the target if it came back, else until it was over.
    pub time: Duration,
}

/// What a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest that a run may take; 10 seconds. What is over is noticed within 5 milliseconds.
    pub timeout: Duration,
    /// The most bytes that the target may have in memory (its resident set); 2 GiB. Looked at every 5 milliseconds.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: Duration::from_secs(10), memory: 2 << 30 }
    }
}

/// A target that runs sentences.
#[derive(Debug)]
pub struct Subject {
    process: Process,
    /// Another one, which knows the names of functions; started by the first crash that has some.
    named: Option<Process>,
    /// What stacks without names are with them.
    stacks: HashMap<String, Outcome>,
    limits: Limits,
    edges: Vec<u32>,
}

impl Subject {
    /// Starts a target.
    ///
    /// # Errors
    /// That it cannot be started, or is none of zester's: with what it printed.
    pub fn start(program: &Path, limits: Limits) -> Result<Subject, String> {
        let process = Process::start(program, false).map_err(|problem| format!("{}: {problem}", program.display()))?;
        Ok(Subject { process, named: None, stacks: HashMap::new(), limits, edges: Vec::new() })
    }

    /// Runs one sentence, or what parameters decode to.
    ///
    /// # Errors
    /// That the target is gone, and does not start again.
    pub fn run(&mut self, request: Request<'_>) -> Result<Run, String> {
        let was_fresh = self.process.is_fresh();
        let (end, time) = self.process.run(request, &self.limits, &mut self.edges)?;
        let outcome = match end {
            End::Ran { validity, time } => return Ok(Run { outcome: Outcome::Ran(validity), time }),
            End::TimeOut => Outcome::TimeOut,
            End::OutOfMemory => Outcome::OutOfMemory,
            End::Died(status) => {
                let printed = self.process.printed();
                match signature::stack(&printed) {
                    Some(stack) => self.name(stack, request),
                    None => None,
                }
                .unwrap_or_else(|| signature::outcome(&printed, status))
            }
        };
        // What others left in memory is not this sentence's doing; the copy that is there now has run nothing.
        if outcome == Outcome::OutOfMemory && !was_fresh {
            return self.run(request);
        }
        Ok(Run { outcome, time })
    }

    /// What became of a sentence whose stack has no names yet: it is run once more for each stack. Nothing if it comes back.
    fn name(&mut self, stack: String, request: Request<'_>) -> Option<Outcome> {
        if let Some(outcome) = self.stacks.get(&stack) {
            return Some(outcome.clone());
        }
        if self.named.is_none() {
            self.named = Process::start(self.process.program(), true).ok();
        }
        let process = self.named.as_mut()?;
        let limits = Limits { timeout: NAMES.max(self.limits.timeout), ..self.limits };
        let Ok((End::Died(status), _)) = process.run(request, &limits, &mut self.edges) else { return None };
        let outcome = signature::outcome(&process.printed(), status);
        self.stacks.insert(stack, outcome.clone());
        Some(outcome)
    }

    /// The counters that the last run hit, by their numbers, in order; none unless it came back.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// How many counters the program under test has.
    pub fn counters(&self) -> u32 {
        self.process.counters()
    }
}
