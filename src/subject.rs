//! Runs sentences through a built fuzz target without libFuzzer's loop. Reports the outcome, the
//! time and the coverage of each run.
//!
//! ```no_run
//! use std::path::Path;
//! use zester::subject::{Limits, Request, Subject};
//!
//! let mut subject = Subject::start(Path::new("target/x86_64-unknown-linux-gnu/release/json"), Limits::default())?;
//! let run = subject.run(Request::Text(b"[1, 2]"))?;
//! println!("{} in {:?}, {} edges", run.outcome, run.time, subject.edges().len());
//! # Ok::<(), zester::Error>(())
//! ```
//!
//! The target is a program with zester's hooks, built by `cargo fuzz build` or clang. It is started
//! once, as a fork server. The server forks a worker process, which runs one sentence after the
//! other. A worker ends after a run that crashes, calls `exit`, exceeds a limit, or leaves child
//! processes. Then the server forks another worker. So only a run that ends its worker costs a
//! fork.
//!
//! # Guarantees
//!
//! * Every call of [`Subject::run`] returns, whatever the target does.
//! * Standard input of the target is `/dev/null`. The output of the target is not printed.
//! * Processes that the target starts are killed at the end of the run. All processes of the target
//!   are killed when the [`Subject`] is dropped, and when this process ends, even by a signal. On
//!   systems other than Linux, processes that left the process group of the target are not found.
//!
//! # Not guaranteed
//!
//! * That a run depends only on its sentence. A target and its threads may keep state from one run
//!   to the next.
//! * That the signature of a crash depends only on the output of its own run. A target may buffer
//!   output of an earlier run.
//!
//! This module needs the feature `subject`, and Unix.

mod log;
mod memory;
mod process;
mod server;
mod signature;
mod stack;
mod symbols;
mod watch;

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use self::process::Process;
use self::server::Reports;
pub use self::signature::Signature;
pub use self::stack::{FrameOwner, StackFrame, stack};
pub use self::symbols::Symbols;
use self::watch::End;
use crate::Validity;
use crate::error::Error;
pub use crate::fork_server::protocol::Request;

/// The minimum time limit of a run whose sanitizer looks up names of functions, and of a
/// sanitizer's report. Both are slow.
const MIN_REPORT: Duration = Duration::from_secs(3);

/// The outcome of running a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The target returned, and reported whether the sentence is valid.
    Finished(Validity),
    /// The target crashed: a signal, a panic, or the report of a sanitizer.
    Crash(Signature),
    /// The target called `exit` or `_exit` with this status. No sanitizer ended the process. On
    /// systems other than Linux with glibc, the status of `exit` is always 77, because libFuzzer
    /// replaces it.
    Exit(i32),
    /// The run took longer than [`Limits::timeout`].
    TimeOut,
    /// The run took more memory than [`Limits::memory`], or more than its sanitizer allows.
    OutOfMemory,
}

/// Writes the outcome as one word: `valid`, `invalid`, `unknown`, `crash`, `exit`, `time-out` or
/// `out-of-memory`.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Outcome::Finished(Validity::Valid) => "valid",
            Outcome::Finished(Validity::Invalid) => "invalid",
            Outcome::Finished(Validity::Unknown) => "unknown",
            Outcome::Crash(_) => "crash",
            Outcome::Exit(_) => "exit",
            Outcome::TimeOut => "time-out",
            Outcome::OutOfMemory => "out-of-memory",
        })
    }
}

/// The result of a run. [`Subject::edges`] returns the edges that the run covered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// The outcome of running the sentence.
    pub outcome: Outcome,
    /// The time of the run. If the target returned, the time was measured inside the target.
    /// Otherwise it is the time until the process had ended.
    pub time: Duration,
    /// The reason for which the program under test rejected the sentence, if the subject was [asked
    /// for reasons](Subject::start_with_reasons) and the target reported one. For a valid run, this
    /// is the outcome that the target reported, if the subject was [asked for
    /// outcomes](Subject::start_with_outcomes). The text has at most 4,096 bytes.
    pub reason: Option<String>,
}

impl Run {
    /// Returns a run with an outcome and a time, but without a reason, for example for a test.
    pub fn new(outcome: Outcome, time: Duration) -> Run {
        Run {
            outcome,
            time,
            reason: None,
        }
    }
}

/// Limits of the time and the memory of a run.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zester::subject::Limits;
///
/// let limits = Limits::default().timeout(Duration::from_secs(1));
/// assert_eq!(limits.memory, 2 << 30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum time of a run. The limit is checked every 5 milliseconds. The default is 10
    /// seconds. For the report of a sanitizer, a run may take that time once more, or 3 seconds if
    /// that is longer.
    pub timeout: Duration,
    /// The maximum memory in bytes of the target and of the processes that it starts. This is the
    /// size of their resident sets. Memory that several processes share counts once. The limit is
    /// checked every 5 milliseconds, and only on Linux. The default is 2 GiB.
    pub memory: u64,
}

impl Limits {
    /// Sets the maximum time of a run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Limits {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum memory in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Limits {
        self.memory = bytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            timeout: Duration::from_secs(10),
            memory: 2 << 30,
        }
    }
}

/// A second process of the program. Its sanitizer reports the names of functions.
#[derive(Debug)]
enum Symboliser {
    /// No crash with a stack has been met.
    NotStarted,
    Started(Box<Process>),
    /// The process did not start, or a report took too long, for example because the symboliser
    /// hangs. The signatures of later crashes have no names of functions, unless the stack is
    /// already known.
    Failed,
}

/// A fuzz target that runs sentences.
#[derive(Debug)]
pub struct Subject {
    process: Process,
    symboliser: Symboliser,
    /// The outcomes of crashes, by their stacks of addresses.
    stacks: HashMap<String, Outcome>,
    limits: Limits,
    /// The numbers of the counters that the last run hit.
    edges: Vec<u32>,
}

impl Subject {
    /// Starts a target.
    ///
    /// # Errors
    /// If the program cannot be started, or if it was not built with zester. The message contains
    /// the output of the program.
    pub fn start(program: &Path, limits: Limits) -> Result<Subject, Error> {
        Subject::start_reporting(program, limits, Reports::default())
    }

    /// Starts a target as [`Subject::start`] does, and asks it why it rejects sentences:
    /// [`Run::reason`].
    ///
    /// A target in Rust reports the `Err` of its body if that value can be displayed. Other targets
    /// call [`report_reason`](crate::report_reason) or, in C, `zester_report_reason`. The code that
    /// makes the text of the reason may cover further edges of the program.
    ///
    /// # Errors
    /// If the program cannot be started, or if it was not built with zester.
    pub fn start_with_reasons(program: &Path, limits: Limits) -> Result<Subject, Error> {
        let reports = Reports {
            reasons: true,
            ..Reports::default()
        };
        Subject::start_reporting(program, limits, reports)
    }

    /// Starts a target as [`Subject::start_with_reasons`] does, and asks it for the outcomes of valid runs,
    /// too: [`Run::reason`] of a valid run is its [`outcome`](crate::outcome) if it has one. The target
    /// runs no equivalent sentences by itself.
    ///
    /// # Errors
    /// If the program cannot be started, or if it was not built with zester.
    pub fn start_with_outcomes(program: &Path, limits: Limits) -> Result<Subject, Error> {
        let reports = Reports {
            outcomes: true,
            ..Reports::default()
        };
        Subject::start_reporting(program, limits, reports)
    }

    /// Starts a target as [`Subject::start`] does, and makes it print the stack of a crash: a panic
    /// prints its backtrace, and a sanitizer looks up the names of functions. AddressSanitizer then
    /// reports aborts, too. So a signature may differ from the one with [`Subject::start`].
    /// [`stack`] reads the stack from [`Subject::output`].
    ///
    /// A crash takes about a hundred times as long as without its stack. That time counts for
    /// [`Limits::timeout`], unless a sanitizer reports the crash.
    ///
    /// # Errors
    /// If the program cannot be started, or if it was not built with zester.
    pub fn start_with_stacks(program: &Path, limits: Limits) -> Result<Subject, Error> {
        let reports = Reports {
            names: true,
            backtraces: true,
            ..Reports::default()
        };
        Subject::start_reporting(program, limits, reports)
    }

    fn start_reporting(program: &Path, limits: Limits, reports: Reports) -> Result<Subject, Error> {
        let process = Process::start(program, reports)
            .map_err(|problem| format!("{}: {problem}", program.display()))?;
        Ok(Subject {
            process,
            symboliser: Symboliser::NotStarted,
            stacks: HashMap::new(),
            limits,
            edges: Vec::new(),
        })
    }

    /// Sets the name of the only equivalence by which later runs compare equivalent sentences. A
    /// reducer sets the name that a disagreement reported. If no equivalence has this name, runs
    /// compare no equivalent sentences.
    pub fn compare_only(&mut self, comparison: &str) {
        self.process.compare_only(comparison);
    }

    /// Makes later runs compare no equivalent sentences. Otherwise, a run of a target with `equal: true`
    /// can take 256 times as long.
    #[must_use]
    pub fn comparing_none(mut self) -> Subject {
        // The name of an equivalence has several words, so none has this name.
        self.compare_only("none");
        self
    }

    /// Runs a sentence, or the sentence that parameters decode to.
    ///
    /// In a new worker, for example after a crash, the sentence runs twice. If the target returns
    /// in both runs, the second one counts. So work that the target does only once, such as reading
    /// a fixed schema, adds no edges to any sentence.
    ///
    /// # Errors
    /// If the target has ended and cannot be started again.
    pub fn run(&mut self, request: Request<'_>) -> Result<Run, Error> {
        let was_fresh = self.process.is_fresh();
        let (mut end, mut time) = self.process.run(request, &self.limits, &mut self.edges)?;
        if was_fresh && matches!(end, End::Finished { .. }) {
            let first = std::mem::take(&mut self.edges);
            match self.process.run(request, &self.limits, &mut self.edges)? {
                second @ (End::Finished { .. }, _) => (end, time) = second,
                _ => self.edges = first,
            }
        }
        let outcome = match end {
            End::Finished {
                validity,
                time,
                reason,
            } => {
                return Ok(Run {
                    outcome: Outcome::Finished(validity),
                    time,
                    reason: (!reason.is_empty()).then_some(reason),
                });
            }
            End::TimeOut => Outcome::TimeOut,
            End::OutOfMemory => Outcome::OutOfMemory,
            // Sanitizers end a process without `exit`, so the program itself called it.
            End::Died {
                exit: Some(status), ..
            } => Outcome::Exit(status.into()),
            End::Died { status, exit: None } => {
                let printed = self.process.output();
                let named = signature::stack(&printed)
                    .and_then(|stack| self.outcome_with_names(stack, request));
                named.unwrap_or_else(|| signature::outcome(&printed, status))
            }
        };
        // The memory may have been allocated by earlier runs in the same worker. So the sentence
        // runs once more, in a new worker.
        if outcome == Outcome::OutOfMemory && !was_fresh {
            return self.run(request);
        }
        Ok(Run::new(outcome, time))
    }

    /// Returns the outcome of a crash, with names of functions in its signature. `stack` is the
    /// stack of the crash as addresses. The sentence runs once more for each new stack. Returns
    /// [`None`] if the sentence does not crash again. Also returns [`None`] if the names cannot be
    /// looked up in time. Then no names are looked up for later crashes.
    fn outcome_with_names(&mut self, stack: String, request: Request<'_>) -> Option<Outcome> {
        if let Some(outcome) = self.stacks.get(&stack) {
            return Some(outcome.clone());
        }
        if matches!(self.symboliser, Symboliser::NotStarted) {
            let reports = Reports {
                names: true,
                ..self.process.reports()
            };
            let process = Process::start(self.process.program(), reports);
            self.symboliser = process.map_or(Symboliser::Failed, |process| {
                Symboliser::Started(Box::new(process))
            });
        }
        let Symboliser::Started(process) = &mut self.symboliser else {
            return None;
        };
        let limits = Limits {
            timeout: MIN_REPORT.max(self.limits.timeout),
            ..self.limits
        };
        // If the sentence does not crash again, the edges of this run are not those of the crash.
        let outcome = match process.run(request, &limits, &mut Vec::new()) {
            Ok((End::Died { status, exit: None }, _)) => {
                signature::outcome(&process.output(), status)
            }
            Ok((End::TimeOut, _)) | Err(_) => {
                self.symboliser = Symboliser::Failed;
                return None;
            }
            Ok(_) => return None,
        };
        self.stacks.insert(stack, outcome.clone());
        Some(outcome)
    }

    /// Returns the end of what the target printed to standard output and standard error in the last
    /// run. A target may buffer its output and print it only in a later run.
    pub fn output(&self) -> String {
        self.process.output()
    }

    /// Returns the numbers of the coverage counters that the last run hit, in increasing order. The
    /// list is empty if the target did not return.
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// Returns the number of coverage counters of the program under test.
    pub fn counters(&self) -> u32 {
        self.process.counters()
    }
}
