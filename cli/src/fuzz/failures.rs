//! The failures of a campaign: runs each artifact again, groups artifacts by fault, and reduces the
//! first one of each fault. This happens in a thread, while the campaign goes on.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use zester::bounds::Caps;
use zester::corpus::records;
use zester::grammar::Grammar;
use zester::known::KnownFailure;
use zester::parameters::{Decoder, Edits, Input, Settings};
use zester::reduce::reduce_input_until;
use zester::shape::FailureShape;
use zester::subject::{Limits, Outcome, Request, Subject};

use super::log::WorkerLog;
use crate::equal::FailingEquivalent;
use crate::failure_shape::failure_shape;
use crate::fault::{Fault, RunIdentity};
use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::known::KnownFailures;
use crate::output;
use crate::problem::Problem;
use crate::triage::artifact::{ArtifactRunner, RecordDirectories};

/// The maximum time of a reduction.
const MAX_REDUCTION: Duration = Duration::from_secs(10);

/// The number of disagreements of a kind whose artifacts are all kept.
const MAX_DISAGREEMENTS: u64 = 64;

/// What libFuzzer puts into the names of artifacts of time-outs.
const LATE: &str = "timeout-";

/// The maximum number of removed artifacts whose failures are known without another run.
const MAX_REMOVED: usize = 100_000;

/// The failures of one fault.
#[derive(Clone, Debug)]
pub struct FoundFailure {
    /// The kind and the location of the fault.
    pub signature: String,
    /// The first line of what the target printed about it, in a run of the file.
    pub message: String,
    /// The other lines, if it is a disagreement: the values that differ. If an equivalent sentence fails, both sentences.
    pub values: String,
    /// The number of runs.
    pub count: u64,
    /// The file that reproduces it: the reduced input, or the first artifact.
    pub artifact: PathBuf,
    /// The sentence of this file. Without a grammar, what the target reads.
    pub text: Vec<u8>,
    /// Why the failure is accepted, if it is known.
    pub known: Option<String>,
    /// The number of artifacts, and the length of the shortest one that was kept in bytes.
    pub artifacts: u64,
    pub shortest: usize,
}

impl FoundFailure {
    /// Counts an artifact, which stands for a number of runs. Returns whether to keep it: the first, second, fourth,
    /// and so on; one at most half as long as the shortest kept one; and the first [`MAX_DISAGREEMENTS`] of a
    /// disagreement. Artifacts of known failures are not kept. A campaign may see a failure a million times.
    fn count(&mut self, runs: u64, length: usize) -> bool {
        self.count += runs;
        self.artifacts += 1;
        let is_shorter = 2 * length <= self.shortest;
        // Disagreements of one kind may have several shapes, which `zester triage` finds.
        let may_differ =
            self.signature.starts_with("disagreement: ") && self.artifacts <= MAX_DISAGREEMENTS;
        let is_kept = is_shorter || may_differ || self.artifacts.is_power_of_two();
        if is_kept {
            self.shortest = self.shortest.min(length);
        }
        is_kept && self.known.is_none()
    }
}

/// The state that the thread shares with the campaign.
#[derive(Default)]
struct State {
    /// All artifacts. Several processes may write the same file.
    artifacts: HashSet<PathBuf>,
    failures: Vec<FoundFailure>,
    /// The number of failures that [`FailureExaminer::take_new`] has returned.
    taken: usize,
    /// The number of artifacts that have not been run again.
    waiting: usize,
    /// Why artifacts cannot be run again.
    problem: Option<String>,
}

/// Examines the artifacts of a campaign.
pub struct FailureExaminer {
    state: Arc<Mutex<State>>,
    /// Whether reductions end at once. It is set at the end of a campaign that Ctrl-C ended.
    hurry: Arc<AtomicBool>,
    artifacts: Option<Sender<(PathBuf, u64)>>,
    thread: Option<JoinHandle<()>>,
}

impl FailureExaminer {
    /// Starts the thread. `timeout` is the maximum time of a run. `artifacts` is the directory of
    /// artifacts.
    pub fn start(
        target: &Path,
        artifacts: &Path,
        timeout: Duration,
        known: Option<KnownFailures>,
    ) -> FailureExaminer {
        let earlier = std::fs::read_dir(artifacts).into_iter().flatten().flatten();
        let earlier = earlier.map(|entry| entry.path()).collect();
        let directory = artifacts.to_path_buf();
        let (state, hurry) = (Arc::default(), Arc::default());
        let (artifacts, received) = mpsc::channel();
        let examiner = Examiner {
            program: target.into(),
            limits: Limits::default().timeout(timeout),
            state: Arc::clone(&state),
            hurry: Arc::clone(&hurry),
            known,
            directory,
            earlier,
        };
        FailureExaminer {
            state,
            hurry,
            artifacts: Some(artifacts),
            thread: Some(std::thread::spawn(move || examiner.run(&received))),
        }
    }

    /// Adds an artifact that stands for a number of runs, unless it was added before.
    pub fn add(&self, artifact: &Path, runs: u64) {
        let mut state = self.lock();
        if !state.artifacts.insert(artifact.into()) {
            return;
        }
        state.waiting += 1;
        drop(state);
        if let Some(artifacts) = &self.artifacts {
            // The thread ends only after a problem, which is reported at the end.
            let _ = artifacts.send((artifact.into(), runs));
        }
    }

    /// Adds the artifacts of the failures after which a process went on. Returns how the process ended at failures
    /// without an artifact.
    pub fn add_all(&self, log: &mut WorkerLog) -> Vec<String> {
        for (artifact, count) in log.panics.drain(..) {
            self.add(&artifact, count);
        }
        let mut endings = Vec::new();
        for (artifact, how) in log.ended.drain(..) {
            match artifact {
                Some(artifact) => self.add(&artifact, 1),
                None => endings.push(format!("{how}, without an artifact")),
            }
        }
        endings
    }

    /// Returns the failures that have been found, examined, and not returned before.
    pub fn take_new(&self) -> Vec<FoundFailure> {
        let mut state = self.lock();
        let new = state.failures[state.taken..].to_vec();
        state.taken = state.failures.len();
        new
    }

    /// Returns all failures, the number of artifacts, and how many of these have not been run again.
    pub fn all(&self) -> (Vec<FoundFailure>, usize, usize) {
        let state = self.lock();
        (state.failures.clone(), state.artifacts.len(), state.waiting)
    }

    /// Returns why artifacts could not be run again.
    pub fn problem(&self) -> Option<String> {
        self.lock().problem.clone()
    }

    /// Waits until all artifacts have been run again, at most for `time`. If `hurry`, nothing more is reduced.
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

/// The data of the thread that runs artifacts again.
struct Examiner {
    program: PathBuf,
    limits: Limits,
    state: Arc<Mutex<State>>,
    hurry: Arc<AtomicBool>,
    known: Option<KnownFailures>,
    /// The directory of artifacts.
    directory: PathBuf,
    /// The artifacts of earlier campaigns.
    earlier: HashSet<PathBuf>,
}

/// The processes that run artifacts.
struct Running<'a> {
    target: FuzzTarget,
    grammar: Option<&'a Grammar>,
    subject: Subject,
    /// Finds the location of a fault, which takes longer.
    runner: ArtifactRunner<'a>,
    /// The faults of the failures, in the same order.
    faults: Vec<Option<Fault>>,
    /// The indices of the failures of removed artifacts. The inputs may fail again.
    removed: HashMap<PathBuf, usize>,
    /// The failure of each signature, with what identifies a run.
    signatures: HashMap<(String, RunIdentity), usize>,
    /// The shapes of disagreements. Disagreements of one shape are one failure, even if their kinds of difference
    /// differ.
    shapes: Vec<ShapeOfFailure>,
}

/// The shape of the reduced sentence of a disagreement.
struct ShapeOfFailure {
    comparison: String,
    shape: FailureShape,
    /// The index of the failure.
    failure: usize,
}

impl Examiner {
    fn run(&self, artifacts: &Receiver<(PathBuf, u64)>) {
        // Most campaigns find nothing, and starting a target takes time.
        let Ok(first) = artifacts.recv() else {
            return;
        };
        let result = FuzzTarget::must_be(&self.program).and_then(|target| {
            // A target whose inputs are values of Rust has no grammar.
            let read = |text: Vec<u8>| input::parse(&self.program, &text, None, &Caps::default());
            let grammar = target.grammar().and_then(read).ok();
            let grammar = grammar.as_ref().map(|(grammar, _)| grammar);
            let subject = Subject::start(&self.program, self.limits).map_err(Problem::new)?;
            let mut running = Running {
                target,
                grammar,
                subject,
                runner: ArtifactRunner::start(&self.program, grammar, settings(), self.limits)?,
                faults: Vec::new(),
                removed: HashMap::new(),
                signatures: HashMap::new(),
                shapes: Vec::new(),
            };
            for (artifact, runs) in std::iter::once(first).chain(artifacts) {
                self.examine(&mut running, &artifact, runs)?;
                self.lock().waiting -= 1;
            }
            Ok(())
        });
        if let Err(problem) = result {
            self.lock().problem = Some(problem.message());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an artifact again, which stands for a number of runs. Counts them if its fault is known,
    /// otherwise adds a failure.
    fn examine(
        &self,
        running: &mut Running<'_>,
        artifact: &Path,
        runs: u64,
    ) -> Result<(), Problem> {
        if let Some(&at) = running.removed.get(artifact) {
            self.lock().failures[at].count += runs;
            self.remove(running, artifact, at);
            return Ok(());
        }
        // It was removed after a process had written it again.
        if !artifact.exists() {
            return Ok(());
        }
        let mut bytes = input::parameters(artifact)?;
        let run = running.subject.run(Request::Parameters(&bytes));
        let mut outcome = run.map_err(Problem::new)?.outcome;
        if let (Outcome::Finished(_), true) = (&outcome, self.is_own(artifact))
            && let Some((failing, failed)) = equivalent_input(running, artifact, &bytes)
            && std::fs::write(artifact, &failing).is_ok()
        {
            (bytes, outcome) = (failing, failed);
        }
        let decoded = running.grammar.map(|grammar| {
            let mut decoder = Decoder::new(grammar).settings(settings());
            decoder.input(&bytes).text().to_vec()
        });
        let output = || running.subject.output();
        let identity = RunIdentity::of(&outcome, output, &decoded.unwrap_or_default());
        let key = (signature(&outcome, artifact), identity);
        if let Some(&known) = running.signatures.get(&key) {
            self.count(running, known, artifact, (runs, bytes.len()));
            return Ok(());
        }
        let directories = RecordDirectories::beside(&[artifact.into()]);
        let mut tested = running.runner.run(0, artifact, &directories)?;
        // If libFuzzer did not name the artifact a time-out, a time-out now only shows that the machine is busy.
        let is_late = |fault: &Fault| fault.kind == "time-out" && !name(artifact).contains(LATE);
        tested.fault = tested.fault.filter(|fault| !is_late(fault));
        let is_same = |other: &Option<Fault>| match (other, &tested.fault) {
            (Some(other), Some(fault)) => other.is_same(fault),
            _ => false,
        };
        if let Some(known) = running.faults.iter().position(is_same) {
            running.signatures.insert(key, known);
            self.count(running, known, artifact, (runs, bytes.len()));
            return Ok(());
        }
        let comparison = tested.fault.as_ref().and_then(Fault::comparison);
        let comparison = comparison.map(str::to_owned);
        let known = match &comparison {
            // The reduced sentence of a disagreement decides whether it is known.
            Some(_) => None,
            None => self.why_known(&tested.fault, None),
        };
        // Each run of an input that hangs takes seconds, so only crashes and exits are reduced.
        let reduced = match known {
            Some(_) => None,
            None if !matches!(outcome, Outcome::Crash(_) | Outcome::Exit(_)) => None,
            None => self.reduced(running, &key.1, artifact, &bytes),
        };
        let mut known = known;
        if let (Some(comparison), Some(grammar)) = (comparison, running.grammar) {
            let path = reduced.as_deref().unwrap_or(artifact);
            let input = input::parameters(path)?;
            let mut decoder = Decoder::new(grammar).settings(settings());
            let input = decoder.input(&input).clone();
            let text = input.text().to_vec();
            known = self.why_known(&tested.fault, Some((grammar, &text)));
            let mut shapes = running.shapes.iter();
            let found = shapes.find(|shaped| {
                shaped.comparison == comparison && shaped.shape.covers(grammar, &text)
            });
            if let Some(&ShapeOfFailure { failure, .. }) = found {
                running.signatures.insert(key, failure);
                self.count(running, failure, artifact, (runs, bytes.len()));
                if let Some(path) = &reduced {
                    let _ = std::fs::remove_file(path);
                    records::remove(path, grammar);
                }
                return Ok(());
            }
            let start = Instant::now();
            let is_over = || self.hurry.load(Ordering::Relaxed) || start.elapsed() > MAX_REDUCTION;
            let subject = &mut running.subject;
            let shape = failure_shape(subject, grammar, &settings(), &input, &is_over);
            running.shapes.extend(shape.map(|shape| ShapeOfFailure {
                comparison,
                shape,
                failure: running.faults.len(),
            }));
        }
        // The message has values of the input, so the reduced input runs for its own message.
        let again = reduced.as_ref().map(|path| {
            let directories = RecordDirectories::beside(std::slice::from_ref(path));
            running.runner.run(0, path, &directories)
        });
        let again = again.transpose()?.and_then(|again| again.fault);
        let fault = tested.fault.as_ref();
        let said = again
            .as_ref()
            .filter(|again| fault.is_some_and(|fault| fault.is_same(again)));
        let message = said.or(fault).map_or("", |fault| &fault.message);
        let (message, values) = message.split_once('\n').unwrap_or((message, ""));
        let is_disagreement = fault.is_some_and(|fault| fault.comparison().is_some());
        let first = artifact;
        let artifact = reduced.unwrap_or_else(|| artifact.into());
        let text = text(running, &artifact);
        let mut failure = FoundFailure {
            signature: fault.map_or_else(|| key.0.clone(), Fault::heading),
            message: message.into(),
            values: if is_disagreement {
                values.into()
            } else {
                self.failing_equivalent(running, &outcome, &text)
                    .map_or(String::new(), |found| found.to_string())
            },
            count: 0,
            text,
            artifact,
            known,
            artifacts: 0,
            shortest: usize::MAX,
        };
        if !failure.count(runs, bytes.len()) {
            self.remove(running, first, running.faults.len());
        }
        let mut state = self.lock();
        running.signatures.insert(key, state.failures.len());
        running.faults.push(tested.fault);
        state.failures.push(failure);
        Ok(())
    }

    /// Returns the equivalent sentence that fails, if the sentence of the input does not fail by itself. Each run of an
    /// input that hangs takes seconds, so this is tried only for crashes and exits.
    fn failing_equivalent(
        &self,
        running: &Running<'_>,
        outcome: &Outcome,
        text: &[u8],
    ) -> Option<FailingEquivalent> {
        let grammar = running.grammar?;
        if !matches!(outcome, Outcome::Crash(_) | Outcome::Exit(_)) {
            return None;
        }
        let start = Instant::now();
        let is_over = || self.hurry.load(Ordering::Relaxed) || start.elapsed() > MAX_REDUCTION;
        let subject = Subject::start(&self.program, self.limits).ok()?;
        FailingEquivalent::find(subject.comparing_none(), grammar, text, &is_over)
    }

    /// Returns why a fault is accepted, if it is known. `sentence` is its reduced sentence.
    fn why_known(
        &self,
        fault: &Option<Fault>,
        sentence: Option<(&Grammar, &[u8])>,
    ) -> Option<String> {
        let (known, fault) = self.known.as_ref().zip(fault.as_ref())?;
        known.entry(fault, sentence).map(KnownFailure::why)
    }

    /// Counts an artifact of a failure that was found before: the number of runs that it stands for,
    /// and its length. Removes it if it is not worth keeping.
    fn count(
        &self,
        running: &mut Running<'_>,
        at: usize,
        artifact: &Path,
        (runs, length): (u64, usize),
    ) {
        let is_kept = self.lock().failures[at].count(runs, length);
        if !is_kept {
            self.remove(running, artifact, at);
        }
    }

    /// Returns whether an artifact may be changed: it is not of an earlier campaign, and not in another directory. The
    /// program under test may print libFuzzer's message with any path.
    fn is_own(&self, artifact: &Path) -> bool {
        !self.earlier.contains(artifact) && is_in(&self.directory, artifact)
    }

    /// Removes an artifact of a failure with its text, unless it is not of this campaign.
    fn remove(&self, running: &mut Running<'_>, artifact: &Path, at: usize) {
        if !self.is_own(artifact) {
            return;
        }
        if running.removed.len() == MAX_REMOVED {
            running.removed.clear();
        }
        running.removed.insert(artifact.into(), at);
        self.lock().artifacts.remove(artifact);
        // One that cannot be removed stays.
        let _ = std::fs::remove_file(artifact);
        if let Some(grammar) = running.grammar {
            records::remove(artifact, grammar);
        }
    }

    /// Reduces an input. Returns the file with the result, or [`None`] if it is not smaller.
    fn reduced(
        &self,
        running: &mut Running<'_>,
        wanted: &RunIdentity,
        artifact: &Path,
        bytes: &[u8],
    ) -> Option<PathBuf> {
        let Running {
            subject, grammar, ..
        } = running;
        let grammar = (*grammar)?;
        let start = Instant::now();
        let is_over = || self.hurry.load(Ordering::Relaxed) || start.elapsed() > MAX_REDUCTION;
        let mut smallest: Option<Input> = None;
        let mut is_equal = |input: &Input| {
            let run = subject.run(Request::Parameters(input.bytes()));
            let is_wanted = |outcome: &Outcome| {
                RunIdentity::of(outcome, || subject.output(), input.text()) == *wanted
            };
            let is_equal = !is_over() && run.is_ok_and(|run| is_wanted(&run.outcome));
            if is_equal {
                smallest = Some(input.clone());
            }
            is_equal
        };
        reduce_input_until(grammar, &settings(), bytes, &mut is_equal, &is_over);
        let smallest = smallest?;
        let path = output::with_suffix(artifact, ".reduced").ok()?;
        std::fs::write(&path, smallest.bytes()).ok()?;
        records::write(&path, grammar, smallest.text()).ok()?;
        Some(path)
    }
}

/// Returns parameters of the sentence that the process had read when it failed, and the outcome of a run, if it is
/// another sentence than that of the artifact and fails by itself. With `equal: true`, it is a sentence to which several
/// equivalences are applied. A run of the artifact applies only one at a time.
fn equivalent_input(
    running: &mut Running<'_>,
    artifact: &Path,
    bytes: &[u8],
) -> Option<(Vec<u8>, Outcome)> {
    let grammar = running.grammar?;
    let text = records::text(artifact, grammar)?;
    let mut decoder = Decoder::new(grammar).settings(settings());
    if decoder.input(bytes).text() == text {
        return None;
    }
    let parameters = input::encoded(grammar, &text)?;
    let run = running.subject.run(Request::Parameters(&parameters)).ok()?;
    (!matches!(run.outcome, Outcome::Finished(_))).then_some((parameters, run.outcome))
}

/// Returns the settings by which a fuzz target decodes artifacts.
fn settings() -> Settings {
    Settings::default().edits(Edits::On)
}

/// Returns the name of a failure without a location: the signature of a crash, or the outcome. If the artifact does not
/// fail when it runs alone, its file name decides.
fn signature(outcome: &Outcome, artifact: &Path) -> String {
    let name = name(artifact);
    match outcome {
        Outcome::TimeOut if name.contains("oom-") => "out of memory".into(),
        Outcome::TimeOut if !name.contains(LATE) => {
            "a failure that was not seen again, because its input took too long".into()
        }
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

fn name(artifact: &Path) -> Cow<'_, str> {
    artifact.file_name().unwrap_or_default().to_string_lossy()
}

/// Returns the sentence of a file, before `post_process`. Without a grammar, returns what the target reads.
fn text(running: &Running<'_>, file: &Path) -> Vec<u8> {
    if let Some(grammar) = running.grammar {
        let mut decoder = Decoder::new(grammar).settings(settings());
        let parameters = input::parameters(file).unwrap_or_default();
        return decoder.input(&parameters).text().to_vec();
    }
    let Ok(directory) = tempfile::tempdir() else {
        return Vec::new();
    };
    let target = &running.target;
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

/// Returns whether a file is in a directory, and not in a directory in it.
fn is_in(directory: &Path, file: &Path) -> bool {
    let parent = file.parent().and_then(|parent| parent.canonicalize().ok());
    parent.is_some() && parent == directory.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_the_directory_of_artifacts_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let artifacts = directory.path().join("artifacts");
        std::fs::create_dir(&artifacts).unwrap();
        assert!(is_in(&artifacts, &artifacts.join("crash-1")));
        assert!(is_in(&artifacts, &artifacts.join("../artifacts/crash-1")));
        assert!(!is_in(&artifacts, &artifacts.join("../crash-1")));
        assert!(!is_in(&artifacts, Path::new("/dev/null")));
        assert!(!is_in(
            &directory.path().join("none"),
            Path::new("none/crash-1")
        ));
    }

    #[test]
    fn the_name_of_an_artifact_says_what_a_late_run_does_not() {
        let late = |artifact| signature(&Outcome::TimeOut, Path::new(artifact));
        assert_eq!(late("artifacts/timeout-1"), "time-out");
        assert_eq!(late("artifacts/oom-1"), "out of memory");
        assert!(late("artifacts/crash-1").starts_with("a failure that was not seen again"));
    }

    #[test]
    fn few_artifacts_of_a_failure_are_kept_and_none_of_a_known_one() {
        let mut failure = FoundFailure {
            signature: "SIGABRT".into(),
            message: String::new(),
            values: String::new(),
            count: 0,
            artifact: PathBuf::new(),
            text: Vec::new(),
            known: None,
            artifacts: 0,
            shortest: usize::MAX,
        };
        let kept: Vec<bool> = (0..9).map(|_| failure.count(1, 8)).collect();
        let (y, n) = (true, false);
        assert_eq!(kept, [y, y, n, y, n, n, n, y, n]);
        assert_eq!([4, 3, 2].map(|length| failure.count(2, length)), [y, n, y]);
        assert_eq!((failure.count, failure.artifacts), (15, 12));
        failure.known = Some("intended".into());
        assert!(!failure.count(1, 1));
    }
}
