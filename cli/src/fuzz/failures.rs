//! The failures of a campaign: runs each artifact again, groups artifacts by signature, and reduces
//! the first one of each signature. This happens in a thread, while the campaign goes on.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zester::bounds::Caps;
use zester::corpus::records;
use zester::grammar::Grammar;
use zester::parameters::{Edits, Input, Settings};
use zester::reduce::reduce_input;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::output;

/// The maximum time of a reduction.
const MAX_REDUCTION: Duration = Duration::from_secs(10);

/// The failures of one signature.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The signature, or the outcome if it has none.
    pub signature: String,
    /// The number of artifacts.
    pub count: u64,
    /// The file that reproduces it: the reduced input, or the first artifact.
    pub artifact: PathBuf,
    /// What the target reads in a run of this file.
    pub text: Vec<u8>,
}

/// The state that the thread shares with the campaign.
#[derive(Default)]
struct State {
    failures: Vec<Failure>,
    /// The number of failures that [`Failures::take_new`] has returned.
    taken: usize,
    /// The number of artifacts that have not been run again.
    waiting: usize,
    /// Why artifacts cannot be run again.
    problem: Option<String>,
}

/// Examines the artifacts of a campaign.
pub struct Failures {
    state: Arc<Mutex<State>>,
    /// Set when the campaign ends, so that nothing is reduced any more.
    hurry: Arc<AtomicBool>,
    artifacts: Option<Sender<PathBuf>>,
    thread: Option<JoinHandle<()>>,
}

impl Failures {
    /// Starts the thread. `timeout` is the maximum time of a run.
    pub fn start(target: &Path, timeout: Duration) -> Failures {
        let (state, hurry) = (Arc::default(), Arc::default());
        let (artifacts, received) = mpsc::channel();
        let examiner = Examiner {
            program: target.into(),
            limits: Limits::default().timeout(timeout),
            state: Arc::clone(&state),
            hurry: Arc::clone(&hurry),
        };
        Failures {
            state,
            hurry,
            artifacts: Some(artifacts),
            thread: Some(std::thread::spawn(move || examiner.run(&received))),
        }
    }

    /// Adds an artifact.
    pub fn add(&self, artifact: &Path) {
        self.lock().waiting += 1;
        if let Some(artifacts) = &self.artifacts {
            // The thread ends only after a problem, which is reported at the end.
            let _ = artifacts.send(artifact.into());
        }
    }

    /// Returns the failures that have been found, examined, and not returned before.
    pub fn take_new(&self) -> Vec<Failure> {
        let mut state = self.lock();
        let new = state.failures[state.taken..].to_vec();
        state.taken = state.failures.len();
        new
    }

    /// Returns all failures, and the number of artifacts that have not been run again.
    pub fn all(&self) -> (Vec<Failure>, usize) {
        let state = self.lock();
        (state.failures.clone(), state.waiting)
    }

    /// Returns why artifacts could not be run again.
    pub fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Waits until all artifacts have been run again, at most for a time. Nothing more is reduced if
    /// `hurry`.
    pub fn finish(&mut self, hurry: bool, time: Duration) {
        self.hurry.store(hurry, Ordering::Relaxed);
        self.artifacts = None;
        let start = Instant::now();
        while let Some(thread) = &self.thread {
            if thread.is_finished() {
                self.thread = None;
            } else if start.elapsed() > time {
                return;
            } else {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread works with.
struct Examiner {
    program: PathBuf,
    limits: Limits,
    state: Arc<Mutex<State>>,
    hurry: Arc<AtomicBool>,
}

/// A target that runs artifacts, and its grammar if it has one.
struct Running {
    target: FuzzTarget,
    subject: Subject,
    grammar: Option<Grammar>,
}

impl Examiner {
    fn run(&self, artifacts: &Receiver<PathBuf>) {
        let mut running = None;
        for artifact in artifacts {
            let examined = self.examine(&mut running, &artifact);
            let mut state = self.lock();
            state.waiting -= 1;
            match examined {
                Ok(Some(failure)) => state.failures.push(failure),
                Ok(None) => {}
                Err(problem) => state.problem = Some(problem),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an artifact again. Returns the failure if its signature is new, otherwise counts it.
    fn examine(
        &self,
        running: &mut Option<Running>,
        artifact: &Path,
    ) -> Result<Option<Failure>, String> {
        let running = match running {
            Some(running) => running,
            None => running.insert(self.start()?),
        };
        let bytes = std::fs::read(artifact).map_err(|error| error.to_string())?;
        let run = running.subject.run(Request::Parameters(&bytes));
        let outcome = run.map_err(|error| error.to_string())?.outcome;
        let signature = signature(&outcome, artifact);
        let mut state = self.lock();
        let known = state
            .failures
            .iter_mut()
            .find(|failure| failure.signature == signature);
        if let Some(known) = known {
            known.count += 1;
            return Ok(None);
        }
        drop(state);
        let artifact = self
            .reduced(running, &outcome, artifact, &bytes)
            .unwrap_or_else(|| artifact.into());
        Ok(Some(Failure {
            signature,
            count: 1,
            text: text(&running.target, &artifact),
            artifact,
        }))
    }

    fn start(&self) -> Result<Running, String> {
        let target = FuzzTarget::must_be(&self.program).map_err(|problem| problem.message())?;
        let subject =
            Subject::start(&self.program, self.limits).map_err(|error| error.to_string())?;
        // A target whose inputs are values of Rust has no grammar.
        let grammar = target.grammar().ok();
        let grammar = grammar
            .and_then(|text| input::parse(&self.program, &text, None, &Caps::default()).ok());
        Ok(Running {
            target,
            subject,
            grammar: grammar.map(|(grammar, _)| grammar),
        })
    }

    /// Reduces an input. Returns the file with the result, or [`None`] if it is not smaller. Each
    /// run of an input that hangs takes seconds, so only crashes and exits are reduced.
    fn reduced(
        &self,
        running: &mut Running,
        wanted: &Outcome,
        artifact: &Path,
        bytes: &[u8],
    ) -> Option<PathBuf> {
        let Running {
            subject, grammar, ..
        } = running;
        let grammar = grammar.as_ref()?;
        if !matches!(wanted, Outcome::Crash(_) | Outcome::Exit(_)) {
            return None;
        }
        let (start, settings) = (Instant::now(), Settings::default().edits(Edits::On));
        let mut smallest: Option<Input> = None;
        reduce_input(grammar, &settings, bytes, &mut |input| {
            if self.hurry.load(Ordering::Relaxed) || start.elapsed() > MAX_REDUCTION {
                return false;
            }
            let run = subject.run(Request::Parameters(input.bytes()));
            let is_equal = run.is_ok_and(|run| run.outcome == *wanted);
            if is_equal {
                smallest = Some(input.clone());
            }
            is_equal
        });
        let smallest = smallest?;
        let path = output::with_suffix(artifact, ".reduced").ok()?;
        std::fs::write(&path, smallest.bytes()).ok()?;
        records::write(&path, grammar, smallest.text()).ok()?;
        Some(path)
    }
}

/// Returns what a failure is called: the signature of a crash, or the outcome. An artifact may not
/// fail when it runs alone.
fn signature(outcome: &Outcome, artifact: &Path) -> String {
    let name = artifact.file_name().unwrap_or_default().to_string_lossy();
    match outcome {
        Outcome::Crash(signature) => signature.to_string(),
        Outcome::Exit(status) => format!("exit with status {status}"),
        Outcome::Finished(_) if name.contains("oom-") => {
            "out-of-memory after many runs, not by one input: memory that the target does not free"
                .into()
        }
        Outcome::Finished(_) if name.contains("leak-") => "memory leak".into(),
        Outcome::Finished(_) => "a failure that depends on the runs before it".into(),
        outcome => outcome.to_string(),
    }
}

/// Returns what the target reads in a run of a file.
fn text(target: &FuzzTarget, file: &Path) -> Vec<u8> {
    let Ok(directory) = tempfile::tempdir() else {
        return Vec::new();
    };
    let decoded = target.decode(&[file.into()], "-,-,-", Some(directory.path()));
    let entries = std::fs::read_dir(directory.path()).into_iter().flatten();
    let written = entries
        .flatten()
        .find_map(|entry| std::fs::read(entry.path()).ok());
    match decoded {
        Ok(()) => written.unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}
