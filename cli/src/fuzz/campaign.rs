//! A campaign: starts the processes of libFuzzer, starts them again after failures, and collects
//! what they find until the time is over, a limit is reached, or Ctrl-C is pressed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use serde_json::json;

use super::failures::FailureExaminer;
use super::figures::Tail;
use super::names::Names;
use super::screen::Screen;
use super::set_aside::{files_with, put_back, set_all_aside, set_aside};
use super::shared_file::{self, SharedFile};
use super::snapshot::Snapshot;
use super::summary;
use super::worker::{Worker, end_all};
use crate::interrupt::Deferred;
use crate::known::KnownFailures;
use crate::problem::{Problem, shown};
use crate::words;

/// The time between two checks of the processes.
const TICK: Duration = Duration::from_millis(100);

/// The time between two counts of the corpus.
const COUNTING: Duration = Duration::from_secs(5);

/// The seconds over which the rate of executions is measured.
const RATE: f64 = 10.0;

/// The maximum time that the first process may take before the others are started.
const MAX_START: Duration = Duration::from_secs(60);

/// The maximum time that processes may run after the end of the campaign. libFuzzer checks the time
/// only between two runs.
const MAX_EXCESS: Duration = Duration::from_secs(15);

/// The maximum number of processes in a row that may end without an artifact, or before they have
/// read the corpus.
const MAX_IDLE: u32 = 3;

/// The setting of targets that says whether a process goes on after a panic.
const PANICS: &str = "ZESTER_PANICS";

/// The setting of targets that says whether a copy of a process goes on after a failure.
const CHECKPOINTS: &str = "ZESTER_CHECKPOINTS";

/// The maximum time to examine artifacts after the campaign, and after Ctrl-C.
const EXAMINATION: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(5)];

/// What a campaign runs, and for how long.
#[derive(Clone, Debug)]
pub struct FuzzPlan {
    pub program: PathBuf,
    /// The corpus that libFuzzer writes to, and others that it only reads.
    pub corpora: Vec<PathBuf>,
    /// The beginning of the paths of artifacts.
    pub artifacts: String,
    /// The flags of libFuzzer, without those that are fields here.
    pub flags: Vec<OsString>,
    pub statistics: PathBuf,
    pub processes: usize,
    /// The value of `-max_total_time`.
    pub time: Option<Duration>,
    /// The value of `-runs`.
    pub runs: Option<u64>,
    /// The maximum time of a run.
    pub timeout: Duration,
    pub until_failure: bool,
    pub known: Option<KnownFailures>,
}

/// A running campaign.
pub struct FuzzCampaign<'a> {
    plan: &'a FuzzPlan,
    names: &'a Names,
    /// Whether Ctrl-C was pressed.
    interrupts: &'a Deferred,
    shared: SharedFile,
    tail: Tail,
    workers: Vec<Worker>,
    failures: FailureExaminer,
    screen: Screen,
    snapshot: Snapshot,
    /// The times and the numbers of executions of the last [`RATE`] seconds.
    recent: VecDeque<(f64, u64)>,
    started: Instant,
    /// When the last figures were read, if there were any.
    last_figures: Option<Instant>,
    counted: Option<Instant>,
    /// The messages of the processes about their starts, each once.
    said: BTreeSet<String>,
    /// Whether all processes have been started.
    is_complete: bool,
    /// The number of processes in a row that ended without an artifact, or before they had read the
    /// corpus, so that other processes will probably end, too.
    idle: u32,
    /// The artifacts whose inputs were set aside, each with the number of processes that may have
    /// read the input before.
    set_aside: BTreeMap<PathBuf, usize>,
    /// Sums over the ended processes: the time until they had read the corpus, and the time until their
    /// end.
    ended: (Duration, Duration),
    /// Whether all inputs of the corpus were run, because one of them fails.
    has_run_corpus: bool,
    /// Whether no process can fuzz.
    is_hopeless: bool,
}

impl<'a> FuzzCampaign<'a> {
    /// Prepares a campaign.
    ///
    /// # Errors
    /// If the file of statistics cannot be opened, or if inputs that failed in earlier campaigns
    /// cannot be run again.
    pub fn new(
        plan: &'a FuzzPlan,
        names: &'a Names,
        interrupts: &'a Deferred,
    ) -> Result<FuzzCampaign<'a>, Problem> {
        let of_statistics = |error| Problem::with(&plan.statistics, error);
        let tail = Tail::open(&plan.statistics).map_err(of_statistics)?;
        let screen = Screen::new();
        if let Some(message) = put_back(&plan.corpora[0], &plan.program, plan.timeout)? {
            screen.print(&message);
        }
        let inputs = inputs(&plan.corpora[0]).0;
        Ok(FuzzCampaign {
            shared: SharedFile::new().map_err(Problem::new)?,
            tail,
            workers: Vec::new(),
            failures: FailureExaminer::start(
                &plan.program,
                Path::new(&plan.artifacts),
                plan.timeout,
                plan.known.clone(),
            ),
            screen,
            snapshot: Snapshot {
                processes: plan.processes,
                inputs,
                inputs_before: inputs,
                ..Snapshot::default()
            },
            recent: VecDeque::new(),
            started: Instant::now(),
            last_figures: None,
            counted: None,
            said: BTreeSet::new(),
            is_complete: false,
            idle: 0,
            set_aside: BTreeMap::new(),
            ended: Default::default(),
            has_run_corpus: false,
            is_hopeless: false,
            plan,
            names,
            interrupts,
        })
    }

    /// Runs the campaign to its end. Returns its last figures.
    ///
    /// # Errors
    /// If processes end before they run anything, or if a file cannot be written.
    pub fn run(mut self) -> Result<Snapshot, Problem> {
        let result = self.go_on();
        end_all(&mut self.workers);
        for worker in std::mem::take(&mut self.workers) {
            self.ended = add(self.ended, (worker.replay_time(), worker.age()));
            // It may have failed since the last check.
            let mut log = worker.log();
            self.snapshot.add_endings(self.failures.add_all(&mut log));
            if let Some(artifact) = &log.artifact {
                self.failures.add(artifact, 1);
            }
        }
        // The last figures are read before artifacts are examined. No process runs during the
        // examination, so its time must not count as time without figures.
        self.read()?;
        let hurry = self.interrupts.is_set();
        if self.failures.all().2 > 0 {
            let seconds = EXAMINATION[usize::from(hurry)].as_secs();
            self.screen.say(&format!(
                "the campaign is over; the last artifacts are examined, for at most {seconds} s"
            ));
        }
        self.failures.finish(hurry, EXAMINATION[usize::from(hurry)]);
        self.take_failures();
        self.count()?;
        self.show_failures();
        self.screen.clear();
        if let Some(problem) = self.failures.problem() {
            eprint!("zester: warning: artifacts were not examined: {problem}");
        }
        result.map(|()| self.snapshot)
    }

    fn go_on(&mut self) -> Result<(), Problem> {
        self.start_worker()?;
        while !self.workers.is_empty() && !self.interrupts.is_set() {
            if !self.is_complete && self.is_ready() {
                self.is_complete = true;
                (1..self.plan.processes).try_for_each(|_| self.start_worker())?;
            }
            self.read()?;
            if self.counted.is_none_or(|last| last.elapsed() > COUNTING) {
                self.count()?;
            }
            self.check_workers()?;
            self.show_failures();
            let is_over = |time: Duration| self.started.elapsed() > time + MAX_EXCESS;
            if self.plan.time.is_some_and(is_over)
                || self.plan.until_failure && self.has_new_failure()
                || self.is_hopeless
            {
                return Ok(());
            }
            let block = summary::block(&self.snapshot, self.names, self.screen.width());
            self.screen.show(&block, &summary::plain(&self.snapshot));
            std::thread::sleep(TICK);
        }
        Ok(())
    }

    /// Returns whether there is a failure that is not known. Without a file of known failures, a
    /// failure counts before it has been examined.
    fn has_new_failure(&self) -> bool {
        let mut failures = self.snapshot.failures.iter();
        match self.plan.known {
            None => self.snapshot.restarts > 0,
            Some(_) => failures.any(|failure| failure.known.is_none()),
        }
    }

    /// Returns whether the other processes may start: the first one has begun to count, or
    /// [`MAX_START`] is over.
    fn is_ready(&self) -> bool {
        self.shared.is_used() || self.started.elapsed() > MAX_START
    }

    /// Starts a process, unless the time is over or the runs are done.
    fn start_worker(&mut self) -> Result<(), Problem> {
        let plan = self.plan;
        let mut command = Command::new(&plan.program);
        command.args(&plan.flags);
        command.arg(format!("-artifact_prefix={}", plan.artifacts));
        if let Some(time) = plan.time {
            let left = time
                .saturating_sub(self.started.elapsed())
                .as_secs_f64()
                .ceil();
            if left < 1.0 {
                return Ok(());
            }
            command.arg(format!("-max_total_time={left}"));
        }
        if let Some(runs) = plan.runs {
            let left = runs.saturating_sub(self.snapshot.figures.executions);
            if left == 0 && runs > 0 {
                return Ok(());
            }
            command.arg(format!("-runs={}", left.div_ceil(plan.processes as u64)));
        }
        let name = self.shared.name().map_err(Problem::new)?;
        command
            .args(&plan.corpora)
            .env(shared_file::VARIABLE, name)
            .env("ZESTER_STATS", &plan.statistics);
        let goes_on = !plan.until_failure || plan.known.is_some();
        if goes_on {
            for (setting, value) in [(PANICS, "continue"), (CHECKPOINTS, "1")] {
                if std::env::var_os(setting).is_none() {
                    command.env(setting, value);
                }
            }
            // The symboliser takes ten times as long as the rest of a crash. The campaign gets stacks
            // when it runs artifacts again.
            for variable in [
                "ASAN_OPTIONS",
                "MSAN_OPTIONS",
                "TSAN_OPTIONS",
                "UBSAN_OPTIONS",
            ] {
                let own = std::env::var(variable).unwrap_or_default();
                if !own.contains("symbolize=") {
                    let separator = if own.is_empty() { "" } else { ":" };
                    command.env(variable, format!("{own}{separator}symbolize=0"));
                }
            }
        }
        let worker = Worker::start(&mut command);
        self.workers
            .push(worker.map_err(|error| Problem::with(&plan.program, error))?);
        Ok(())
    }

    /// Reads new figures.
    fn read(&mut self) -> Result<(), Problem> {
        let read = self.tail.read();
        let of_statistics = |error| Problem::with(&self.plan.statistics, error);
        for figures in read.map_err(of_statistics)? {
            let before = &self.snapshot.figures;
            if figures.edges + figures.valid_edges > before.edges + before.valid_edges {
                self.snapshot.last_new = figures.seconds;
            }
            self.recent.push_back((figures.seconds, figures.executions));
            while self.recent.len() > 2 && figures.seconds - self.recent[0].0 > RATE {
                self.recent.pop_front();
            }
            self.snapshot.figures = figures;
            self.last_figures = Some(Instant::now());
        }
        self.snapshot.silent = self.last_figures.map_or(0, |last| last.elapsed().as_secs());
        let first = self.recent.front().copied();
        let first = first.filter(|_| self.recent.len() > 1).unwrap_or_default();
        let last = self.recent.back().copied().unwrap_or_default();
        if last.0 > first.0 {
            self.snapshot.rate =
                (last.1.saturating_sub(first.1) as f64 / (last.0 - first.0)) as u64;
        }
        self.measure_replay();
        self.take_failures();
        Ok(())
    }

    /// Computes the share of the time of all processes in which they start and read the corpus.
    fn measure_replay(&mut self) {
        let of = |worker: &Worker| (worker.replay_time(), worker.age());
        let all = self.workers.iter().map(of).chain([self.ended]);
        let (replay, age) = all.fold(Default::default(), add);
        self.snapshot.replay = replay.as_secs_f64() / age.as_secs_f64().max(0.001);
    }

    /// Reads what is known about failures.
    fn take_failures(&mut self) {
        let (failures, artifacts, waiting) = self.failures.all();
        self.snapshot.failures = failures;
        (self.snapshot.artifacts, self.snapshot.waiting) = (artifacts, waiting);
    }

    /// Counts the corpus, and appends a line about the campaign to the file of statistics.
    fn count(&mut self) -> Result<(), Problem> {
        self.counted = Some(Instant::now());
        let (inputs, bytes) = inputs(&self.plan.corpora[0]);
        self.snapshot.inputs = inputs;
        // The file may be gone for a moment, while somebody edits it.
        if let Ok(words) = words::of_corpora(&self.plan.corpora[..1]) {
            self.snapshot.words = words.len() as u64;
        }
        let failures: BTreeMap<&str, u64> = self.snapshot.most_frequent().into_iter().collect();
        let line = json!({ "campaign": {
            "seconds": self.snapshot.figures.seconds,
            "inputs": inputs,
            "input_bytes": bytes,
            "processes": self.snapshot.processes,
            "failures": failures,
            "known": self.snapshot.known_runs(),
        }});
        let statistics = &self.plan.statistics;
        let file = std::fs::File::options().append(true).open(statistics);
        // The first line of a campaign is that of its first process.
        let written = match self.snapshot.figures.executions {
            0 => Ok(()),
            _ => file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())),
        };
        written.map_err(|error| Problem::with(statistics, error))
    }

    /// Prints failures that were found since the last call.
    fn show_failures(&mut self) {
        let new = self.failures.take_new().into_iter();
        for failure in new.filter(|failure| failure.known.is_none()) {
            self.screen.print(&summary::failure(&failure, self.names));
        }
        self.take_failures();
    }

    /// Looks for processes that have ended, and starts others in their place.
    fn check_workers(&mut self) -> Result<(), Problem> {
        let mut at = 0;
        while at < self.workers.len() {
            let worker = &mut self.workers[at];
            for said in std::mem::take(&mut worker.log().said) {
                // Most messages are the same for all processes.
                if self.said.insert(said.clone()) {
                    self.screen.print(&format!("{said}\n"));
                }
            }
            let endings = self.failures.add_all(&mut worker.log());
            self.snapshot.add_endings(endings);
            if let Some(slowest) = worker.log().slowest.clone() {
                let is_slower = |known: &(u64, PathBuf)| known.0 < slowest.0;
                if self.snapshot.slowest.as_ref().is_none_or(is_slower) {
                    self.snapshot.slowest = Some(slowest);
                }
            }
            let status = worker.ended();
            match status.map_err(|error| Problem::with(&self.plan.program, error))? {
                None => at += 1,
                Some(status) => {
                    let worker = self.workers.swap_remove(at);
                    self.ended = add(self.ended, (worker.replay_time(), worker.age()));
                    self.replace(&worker, status)?;
                }
            }
        }
        Ok(())
    }

    /// Records the end of a process, and starts another one if a failure ended it.
    ///
    /// Only libFuzzer's last line says that the process ended because its time was over or its runs
    /// were done: a program under test may end the process with the status 0, too.
    fn replace(&mut self, worker: &Worker, status: ExitStatus) -> Result<(), Problem> {
        let mut log = worker.log();
        self.snapshot.add_endings(self.failures.add_all(&mut log));
        let artifact = log.artifact.clone();
        if artifact.is_none() && status.success() && log.is_done {
            return Ok(());
        }
        self.snapshot.restarts += 1;
        if let Some(artifact) = &artifact {
            self.failures.add(artifact, 1);
            if log.corpus_read.is_some() || self.take_from_corpus(artifact)? {
                self.idle = 0;
            } else {
                self.idle += 1;
            }
            if self.idle >= MAX_IDLE {
                let of_artifact = |error| Problem::with(artifact, error);
                let is_empty = artifact.metadata().map_err(of_artifact)?.len() == 0;
                self.screen.print(&format!(
                    "zester: the campaign ends, because every process fails before it has read the corpus, on {} {}\n",
                    if is_empty { "the empty input, which libFuzzer always runs first:" } else { "an input that is no file of the corpus:" },
                    shown(artifact)
                ));
                self.is_hopeless = true;
                return Ok(());
            }
        } else {
            self.idle += 1;
            let how = format!("ended {}, without an artifact", ending(status));
            let what = format!(
                "a process of the target {how}, after {} s{}; its last lines:\n{}",
                worker.age().as_secs(),
                match status.success() {
                    true => ": the program under test ended it, not libFuzzer",
                    false => "",
                },
                log.end(20)
            );
            if log.corpus_read.is_none() || self.idle >= MAX_IDLE {
                return Err(Problem::new(what.trim_end()));
            }
            self.snapshot.add_endings(vec![how]);
            self.screen.print(&format!("zester: {what}"));
        }
        if self.plan.until_failure && self.plan.known.is_none() {
            return Ok(());
        }
        drop(log);
        self.start_worker()
    }

    /// Removes the input of an artifact from the corpus, because every process would fail when it reads
    /// the corpus. Returns whether the input was moved now, or was moved earlier and this process may
    /// have read it before.
    fn take_from_corpus(&mut self, artifact: &Path) -> Result<bool, Problem> {
        let bytes = std::fs::read(artifact).map_err(|error| Problem::with(artifact, error))?;
        let (first, others) = (&self.plan.corpora[0], &self.plan.corpora[1..]);
        for corpus in others {
            let found = files_with(corpus, &bytes).map_err(|error| Problem::with(corpus, error))?;
            if let Some(input) = found.first() {
                let what = format!(
                    "fails; zester changes the first corpus only, so move this input away from {}",
                    shown(corpus)
                );
                return Err(Problem::with(input, what));
            }
        }
        let moved = set_aside(first, &bytes).map_err(|error| Problem::with(first, error))?;
        for input in &moved {
            self.screen.print(&format!(
                "zester: {} fails; this input of the corpus is set aside until it does not fail any more\n",
                shown(input)
            ));
        }
        if !moved.is_empty() && !std::mem::replace(&mut self.has_run_corpus, true) {
            self.run_corpus()?;
        }
        let known = self.set_aside.entry(artifact.into()).or_default();
        *known = match moved.is_empty() {
            true => known.saturating_sub(1),
            false => self.plan.processes,
        };
        Ok(*known > 0)
    }

    /// Runs all inputs of the corpus, and sets those aside that fail. Otherwise libFuzzer would meet
    /// them one by one, and each of them would end a process.
    fn run_corpus(&mut self) -> Result<(), Problem> {
        let plan = self.plan;
        let waiting = "all inputs of the corpus are run, because one of them fails".to_string();
        self.screen.show(std::slice::from_ref(&waiting), &waiting);
        let end = plan.time.map(|time| self.started + time);
        let interrupts = self.interrupts;
        let is_over = || interrupts.is_set() || end.is_some_and(|end| Instant::now() > end);
        let corpus = &plan.corpora[0];
        let [ran, all, moved] = set_all_aside(corpus, &plan.program, plan.timeout, &is_over)?;
        let among = match ran == all {
            true => format!("{all}"),
            false => format!("{ran} that were run of {all}"),
        };
        self.screen.print(&format!(
            "zester: {}: of {among} inputs, {moved} more fail and are set aside until they do not fail any more\n",
            shown(corpus)
        ));
        Ok(())
    }
}

/// Returns the number of inputs in a corpus, and their size in bytes.
fn inputs(corpus: &Path) -> (u64, u64) {
    let entries = std::fs::read_dir(corpus).into_iter().flatten().flatten();
    let sizes = entries
        .filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
        .filter_map(|entry| entry.metadata().ok().filter(|about| about.is_file()))
        .map(|about| about.len());
    sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
}

/// Adds two pairs of times.
fn add(one: (Duration, Duration), other: (Duration, Duration)) -> (Duration, Duration) {
    (one.0 + other.0, one.1 + other.1)
}

/// Returns how a process ended.
fn ending(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("by signal {signal}"),
        None => format!("with status {}", status.code().unwrap_or(-1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_counted_without_hidden_files() {
        let work = tempfile::tempdir().unwrap();
        assert_eq!(inputs(&work.path().join("none")), (0, 0));
        for (name, text) in [("a", "12"), ("b", "345"), (".mark", "x")] {
            std::fs::write(work.path().join(name), text).unwrap();
        }
        assert_eq!(inputs(work.path()), (2, 5));
    }
}
