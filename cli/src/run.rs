//! `zester run`: sentences through a fuzz target, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use serde_json::json;
use zester::Validity;
use zester::subject::{self, Limits, Outcome, Request, Signature, Subject};

use crate::command::{Problem, inputs, parameters, print, progress};

/// Run sentences through a fuzz target; say what becomes of each.
///
/// The target is a program that `cargo fuzz build` made, or a C harness with libzester. It runs sentences as they are, without
/// libFuzzer's loop: a crash, a time-out or too much memory ends that run alone. Crashes of the same kind and place have the same
/// signature.
///
///   zester generate json.ebnf -n 1000 -o texts
///   zester run target/…/release/json texts
///   zester run target/…/release/json corpus --parameters --json
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Run {
    /// The program.
    #[arg(value_name = "TARGET")]
    target: PathBuf,

    /// Files of a sentence each, and directories of such.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// The files are parameters, such as those of a corpus: run what they decode to.
    #[arg(long)]
    parameters: bool,

    /// Write a JSON object a line: file, outcome, seconds, edges, signature.
    #[arg(long)]
    json: bool,

    /// Write the numbers of the edges, not how many there are; with `--json`.
    #[arg(long, requires = "json")]
    edges: bool,

    /// The longest that a run may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    timeout: f64,

    /// The most memory that the target may take.
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,

    /// How many targets run at the same time.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "expected a number of seconds from 0.001 to 86400".into())
}

/// The run of a file, by its number; or why nothing can be run any more.
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
            let bar = progress(files.len() as u64, "sentences");
            let told = self.tell(&files, receiver.into_iter().inspect(|_| bar.inc(1)), &mut summary);
            // Nobody wants the rest.
            next.store(files.len(), Ordering::Relaxed);
            bar.finish_and_clear();
            told
        })?;
        eprint!("{}", summary.text(start.elapsed()));
        Ok(ExitCode::SUCCESS)
    }

    /// Runs one file after the other, until none is left.
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

    /// Prints what comes in the order of the files.
    fn tell(&self, files: &[PathBuf], answers: impl Iterator<Item = Answer>, summary: &mut Summary) -> Result<(), Problem> {
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
        let signature = match &run.outcome {
            Outcome::Crash(signature) => signature.to_string(),
            _ => String::new(),
        };
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
            if !signature.is_empty() {
                line["signature"] = json!(signature);
            }
            return format!("{line}\n");
        }
        let milliseconds = run.time.as_secs_f64() * 1e3;
        let line =
            format!("{:<13} {milliseconds:>9.3} ms {:>6} edges  {}  {signature}", run.outcome, edges.len(), file.display());
        format!("{}\n", line.trim_end())
    }
}

/// What became of all.
#[derive(Default)]
struct Summary {
    outcomes: BTreeMap<String, usize>,
    edges: BTreeSet<u32>,
    valid_edges: BTreeSet<u32>,
    /// How often, and the first file.
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
