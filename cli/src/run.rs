//! `zester run`: runs sentences through a fuzz target, one after the other, and prints the outcome of each.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use console::Style;
use indicatif::ProgressBar;
use serde_json::json;
use zester::Validity;
use zester::subject::{self, Limits, Outcome, Request, Signature, Subject};

use crate::command::{Problem, inputs, parameters, print, progress};

/// The end of the help text.
const EXAMPLES: &str = "\
Outcomes:
  valid, invalid   the target's report about the sentence
  unknown          the target returned without a report
  crash            a signal, a panic or a sanitizer's report, with its signature
  exit             the target called exit
  time-out         the run took longer than --timeout
  out-of-memory    the run took more memory than --memory

Examples:
  zester generate json.ebnf -n 1000 -o texts
  zester run fuzz/target/x86_64-unknown-linux-gnu/release/json texts -j 4
  zester run fuzz/target/x86_64-unknown-linux-gnu/release/json fuzz/corpus/json --parameters

Exit status: 0, whatever the outcomes are; 2 if a file cannot be read or the target cannot be run.";

/// Run sentences through a fuzz target and print the outcome of each.
///
/// The target is a program that `cargo fuzz build` built, or a C harness that is linked with libzester. It runs every file as it is,
/// without fuzzing. A crash ends one run, not the others. Processes that the target starts are killed at the end of the run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// The built fuzz target.
    #[arg(value_name = "TARGET")]
    target: PathBuf,

    /// Files of one sentence each, or directories of such files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Decode the files, which contain parameters as the files of a corpus do, and run the sentences.
    #[arg(long)]
    parameters: bool,

    /// Print one JSON object for each run: file, outcome, seconds, edges, and the signature of a crash or the status of an exit.
    #[arg(long)]
    json: bool,

    /// With --json, print the list of covered edges instead of their count.
    #[arg(long, requires = "json")]
    edges: bool,

    /// The maximum time of a run in seconds, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,

    /// The maximum memory of the target and the processes that it starts, in MB, from 1 to 1048576.
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,

    /// The number of copies of the target that run at the same time, from 1 to 1024.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "expected a number of seconds from 0.001 to 86400".into())
}

/// The number of a file, its run, and the edges that it covered; or the reason why nothing more can run.
type Answer = Result<(usize, subject::Run, Vec<u32>), Problem>;

impl Run {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let files = inputs(&self.files)?;
        let (next, start) = (AtomicUsize::new(0), Instant::now());
        let mut summary = Summary::default();
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..usize::from(self.jobs).min(files.len().max(1)) {
                let (sender, files, next) = (sender.clone(), &files, &next);
                scope.spawn(move || self.work(files, next, &sender));
            }
            drop(sender);
            // Lines on a terminal show enough progress.
            let is_seen = std::io::stdout().is_terminal();
            let bar = if is_seen { ProgressBar::hidden() } else { progress(files.len() as u64, "sentences") };
            let reported = self.report(&files, receiver.into_iter().inspect(|_| bar.inc(1)), &mut summary);
            // After an error, the threads start no other file.
            next.store(files.len(), Ordering::Relaxed);
            bar.finish_and_clear();
            reported
        })?;
        eprint!("{}", summary.text(start.elapsed()));
        Ok(ExitCode::SUCCESS)
    }

    /// Runs one file after the other on a thread, until none is left.
    fn work(&self, files: &[PathBuf], next: &AtomicUsize, answers: &Sender<Answer>) {
        let failed = |problem: String| Problem::Work(format!("zester: {problem}\n"));
        let limits = Limits { timeout: Duration::from_secs_f64(self.timeout), memory: self.memory << 20 };
        let mut subject = match Subject::start(&self.target, limits) {
            Ok(subject) => subject,
            Err(problem) => {
                let _ = answers.send(Err(failed(problem)));
                return;
            }
        };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(at) else { return };
            let answer = parameters(file).and_then(|bytes| {
                let request = if self.parameters { Request::Parameters(&bytes) } else { Request::Text(&bytes) };
                let run = subject.run(request).map_err(failed)?;
                Ok((at, run, subject.edges().to_vec()))
            });
            let is_over = answer.is_err();
            if answers.send(answer).is_err() || is_over {
                return;
            }
        }
    }

    /// Prints a line for each file, in the order of the files.
    fn report(&self, files: &[PathBuf], answers: impl Iterator<Item = Answer>, summary: &mut Summary) -> Result<(), Problem> {
        let (mut waiting, mut at) = (BTreeMap::new(), 0);
        for answer in answers {
            let (number, run, edges) = answer?;
            waiting.insert(number, (run, edges));
            while let Some((run, edges)) = waiting.remove(&at) {
                print(self.line(&files[at], &run, &edges).as_bytes())?;
                summary.add(&files[at], run, &edges);
                at += 1;
            }
        }
        Ok(())
    }

    fn line(&self, file: &Path, run: &subject::Run, edges: &[u32]) -> String {
        if self.json {
            let mut line = json!({
                "file": file.to_string_lossy(),
                "outcome": run.outcome.to_string(),
                "seconds": run.time.as_secs_f64(),
                "edges": edges.len(),
            });
            if self.edges {
                line["edges"] = json!(edges);
            }
            match &run.outcome {
                Outcome::Crash(signature) => line["signature"] = json!(signature.to_string()),
                Outcome::Exit(status) => line["status"] = json!(status),
                _ => {}
            }
            return format!("{line}\n");
        }
        // The outcome is padded first, because `console` does not count the columns of escape sequences.
        let outcome = style(&run.outcome).apply_to(format!("{:<13}", run.outcome));
        let milliseconds = run.time.as_secs_f64() * 1e3;
        let detail = match &run.outcome {
            Outcome::Crash(signature) => signature.to_string(),
            Outcome::Exit(status) => format!("status {status}"),
            _ => String::new(),
        };
        let line = format!("{outcome} {milliseconds:>9.3} ms {:>6} edges  {}  {detail}", edges.len(), file.display());
        format!("{}\n", line.trim_end())
    }
}

/// Returns the colour of an outcome. `console` drops it unless standard output is a terminal, and if `NO_COLOR` is set.
fn style(outcome: &Outcome) -> Style {
    match outcome {
        Outcome::Ran(Validity::Valid) => Style::new().green(),
        Outcome::Ran(_) => Style::new(),
        Outcome::Crash(_) => Style::new().red().bold(),
        Outcome::Exit(_) | Outcome::TimeOut | Outcome::OutOfMemory => Style::new().yellow(),
    }
}

/// The outcomes of all files.
#[derive(Default)]
struct Summary {
    outcomes: BTreeMap<String, usize>,
    edges: BTreeSet<u32>,
    valid_edges: BTreeSet<u32>,
    /// For each signature, the number of crashes and the first file.
    crashes: BTreeMap<Signature, (usize, PathBuf)>,
}

impl Summary {
    fn add(&mut self, file: &Path, run: subject::Run, edges: &[u32]) {
        *self.outcomes.entry(run.outcome.to_string()).or_default() += 1;
        self.edges.extend(edges);
        match run.outcome {
            Outcome::Ran(Validity::Valid) => self.valid_edges.extend(edges),
            Outcome::Crash(signature) => self.crashes.entry(signature).or_insert_with(|| (0, file.into())).0 += 1,
            _ => {}
        }
    }

    fn text(&self, elapsed: Duration) -> String {
        let all: usize = self.outcomes.values().sum();
        let outcomes: Vec<String> = self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        let mut text = format!(
            "{all} sentences, {:.0} a second: {}; {} edges, {} by valid ones\n",
            all as f64 / elapsed.as_secs_f64().max(1e-9),
            outcomes.join(", "),
            self.edges.len(),
            self.valid_edges.len(),
        );
        for (signature, (count, first)) in &self.crashes {
            text.push_str(&format!("  {count} x {signature}\n      {}\n", first.display()));
        }
        text
    }
}
