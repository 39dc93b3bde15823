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
//! The target is a program that `cargo fuzz build` or clang made, with zester's hooks. It is started once, as a fork server: a
//! copy of the process runs one sentence after the other. When a sentence ends the copy, by a crash, by an exit, or because it
//! takes too long or too much memory, the server forks another copy. So a run costs what the target costs, and a crash costs a
//! fork.
//!
//! # Guarantees
//!
//! * Each request has one answer, whatever the target does.
//! * The target reads nothing at standard input (`/dev/null`), and what it prints is kept out of the terminal.
//! * Processes that the target starts are killed when the run is over. All are killed when the subject is dropped and when this
//!   process ends, by whatever signal. This is complete on Linux; elsewhere, processes in groups of their own are not found.
//!
//! # Not guaranteed
//!
//! * That a run depends on nothing but its sentence: a target may keep something from one run to the next, and so may threads that
//!   it has started.
//! * That this run printed everything that a crash is told by: a target may print later what it has buffered.
//!
//! This module needs the feature `subject`, and Unix.

mod memory;
mod process;
mod signature;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use self::process::{End, Process};
pub use self::signature::Signature;
use crate::Validity;
pub use crate::fork_server::protocol::Request;

/// How long a sanitizer may take to look up the names of functions.
const NAMES: Duration = Duration::from_secs(60);

/// What became of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The target came back and said whether the sentence is valid.
    Ran(Validity),
    /// The target crashed: a signal, a panic, or the report of a sanitizer.
    Crash(Signature),
    /// The target ended itself by `exit` or `_exit`, with this status and without a report. Where the system is not Linux with
    /// glibc, the status of `exit` is 77, which libFuzzer puts in the place of any other.
    Exit(i32),
    /// The run took longer than [`Limits::timeout`].
    TimeOut,
    /// The run took more memory than [`Limits::memory`], or than its sanitizer allows.
    OutOfMemory,
}

/// One word: `valid`, `invalid`, `unknown`, `crash`, `exit`, `time-out` or `out-of-memory`.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Outcome::Ran(Validity::Valid) => "valid",
            Outcome::Ran(Validity::Invalid) => "invalid",
            Outcome::Ran(Validity::Unknown) => "unknown",
            Outcome::Crash(_) => "crash",
            Outcome::Exit(_) => "exit",
            Outcome::TimeOut => "time-out",
            Outcome::OutOfMemory => "out-of-memory",
        })
    }
}

/// The result of a run. The edges that it covered are [`Subject::edges`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What became of the sentence.
    pub outcome: Outcome,
    /// How long the run took: measured in the target if it came back, else until its process had ended.
    pub time: Duration,
}

/// The time and memory that a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most time of a run; 10 seconds by default. It is checked every 5 milliseconds.
    pub timeout: Duration,
    /// The most bytes of memory that the target and the processes that it starts may have (their resident sets; what they share
    /// counts once); 2 GiB by default. It is checked every 5 milliseconds, on Linux only.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: Duration::from_secs(10), memory: 2 << 30 }
    }
}

/// A fuzz target that runs sentences.
#[derive(Debug)]
pub struct Subject {
    process: Process,
    /// Another process of the program, whose sanitizer looks up names of functions. The first crash with a stack starts it.
    named: Option<Process>,
    /// The outcomes of crashes with names, by their stacks without names.
    stacks: HashMap<String, Outcome>,
    limits: Limits,
    edges: Vec<u32>,
}

impl Subject {
    /// Starts a target.
    ///
    /// # Errors
    /// The program cannot be started, or was not built with zester. The message holds what it printed.
    pub fn start(program: &Path, limits: Limits) -> Result<Subject, String> {
        let process = Process::start(program, false).map_err(|problem| format!("{}: {problem}", program.display()))?;
        Ok(Subject { process, named: None, stacks: HashMap::new(), limits, edges: Vec::new() })
    }

    /// Runs a sentence, or the sentence that parameters decode to.
    ///
    /// # Errors
    /// The target has ended, and does not start again.
    pub fn run(&mut self, request: Request<'_>) -> Result<Run, String> {
        let was_fresh = self.process.is_fresh();
        let (end, time) = self.process.run(request, &self.limits, &mut self.edges)?;
        let outcome = match end {
            End::Ran { validity, time } => return Ok(Run { outcome: Outcome::Ran(validity), time }),
            End::TimeOut => Outcome::TimeOut,
            End::OutOfMemory => Outcome::OutOfMemory,
            // Sanitizers end a process without `exit`, so the program meant this.
            End::Died { exit: Some(status), .. } => Outcome::Exit(status.into()),
            End::Died { status, exit: None } => {
                let printed = self.process.printed();
                let named = signature::stack(&printed).and_then(|stack| self.name(stack, request));
                named.unwrap_or_else(|| signature::outcome(&printed, status))
            }
        };
        // Memory that earlier runs have taken counts as well. Now there is a worker that has run nothing: run this again.
        if outcome == Outcome::OutOfMemory && !was_fresh {
            return self.run(request);
        }
        Ok(Run { outcome, time })
    }

    /// The outcome of a crash whose stack has no names. The sentence is run once more for each new stack, with names. Nothing if
    /// it does not crash then.
    fn name(&mut self, stack: String, request: Request<'_>) -> Option<Outcome> {
        if let Some(outcome) = self.stacks.get(&stack) {
            return Some(outcome.clone());
        }
        if self.named.is_none() {
            self.named = Process::start(self.process.program(), true).ok();
        }
        let process = self.named.as_mut()?;
        let limits = Limits { timeout: NAMES.max(self.limits.timeout), ..self.limits };
        let Ok((End::Died { status, exit: None }, _)) = process.run(request, &limits, &mut self.edges) else { return None };
        let outcome = signature::outcome(&process.printed(), status);
        self.stacks.insert(stack, outcome.clone());
        Some(outcome)
    }

    /// The numbers of the counters that the last run hit, in increasing order. Empty unless it came back.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// How many counters the program under test has.
    pub fn counters(&self) -> u32 {
        self.process.counters()
    }
}
