//! `zester run`: runs sentences through a fuzz target, and prints the outcome of each.

mod junit;
mod known_finder;
mod rejections;
mod rust_tests;
mod target_source;

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use console::Style;
use indicatif::ProgressBar;
use regex::Regex;
use serde_json::{Value, json};
use zester::Validity;
use zester::bounds::Caps;
use zester::subject::{self, Outcome, Request, Signature, Subject};

use crate::arguments::TargetRuns;
use crate::baseline::{Baseline, Builds, Change, Comparison};
use crate::expectation::{self, Expectation};
use crate::fault::Fault;
use crate::fault_runner::FaultRunner;
use crate::format_warnings::{warn_of_parameters, warn_of_texts_for_target};
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input::{inputs, parameters, parse, warn_of_stale_for_target};
use crate::known::{self, KnownFailures};
use crate::numbers::counted;
use crate::output::{Existing, print};
use crate::problem::Problem;
use crate::problem::shown;
use crate::progress::progress;

use self::junit::JunitResult;
use self::known_finder::KnownFinder;
use self::rejections::{ReasonFinder, Rejection, Rejections};
use self::rust_tests::{FailedInput, rust_tests};
use self::target_source::TargetSource;

const EXAMPLES: &str = "\
Outcomes:
  valid, invalid   the target's report about the sentence
  unknown          the target returned without a report
  crash            a signal, a panic or a sanitizer's report, with its signature
  exit             the target called exit
  time-out         the run took longer than --timeout
  out-of-memory    the run took more memory than --memory, or than its sanitizer allows

Edges:
  Edges are the coverage counters that a run reaches. Those that only the first run of a process
  reaches, such as the ones of initialisation, count for no sentence. libFuzzer counts them, and those of
  inputs that it ran and did not keep. So its figures of the same corpus are a little larger.

Reasons:
  A file is rejected if its outcome is invalid. --reasons prints how often each reason occurs.
  Placeholders such as ‹name› and ‹number› stand for the parts that differ between similar reasons.
  The most frequent reason is the rule of the program that the grammar breaks most often.
  A target in Rust reports a reason if its body returns the error in a Result, or if it calls
  zester::report_reason. A target in C calls zester_report_reason. If a target prints its errors
  instead, --reason-from-stderr finds them in its output.

Baseline:
  --baseline prints the files that fail in TARGET, unless they fail by the same fault in the older
  build. A fault is the same if its kind, its function and its source file are the same. Lines may
  differ. --all also prints files whose failure is fixed, and files that only one build accepts.

Known failures:
  --known FILE names faults that are accepted (zester fuzz and zester triage read the file, too). Files
  that fail by them do not change the exit status. An entry whose sentence does not fail any more
  makes it 1, so that the file never says more than is true.

Examples:
  zester generate json.ebnf -n 1000 -o texts
  zester run json texts -j 4
  zester run json fuzz/corpus/json --parameters
  zester run png sentences --sentences                        with the checksums of post_process
  zester run json --expect suite/suite.json
  zester run json tests/data --junit report.xml
  zester run json fuzz/artifacts/json --parameters --as-test tests/crashes.rs
  zester run --baseline main/json json texts --junit report.xml
  zester run json fuzz/corpus/json --parameters --known fuzz/known/json.toml --junit report.xml
  zester run wgsl texts --reasons
  zester run target/c/sqlite texts --reason-from-stderr '(?m)^Error: (.*)$'

Exit status: 0; 1 if an outcome is a crash, a time-out or out-of-memory, or, with --expect, if an outcome is not the expected one, or,
with --baseline, if there is a new failure, or, with --known, if there is one or if an entry does not fail any more; 2 if a file cannot be read or a target cannot be run. With --fail-on none, an outcome without
--expect does not change the status.";

/// Run sentences through a fuzz target and print the outcome of each.
///
/// The target is a program that `cargo fuzz build` built, or a C harness that is linked with
/// libzester. It runs the text of every file, without fuzzing. After a crash, it is started again
/// for the next file. Processes that the target starts are killed at the end of the run.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunCommand {
    /// The built fuzz target: a program, or the name of a target of cargo-fuzz.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// Files of one sentence each, or directories of such files.
    #[arg(
        value_name = "FILE",
        required_unless_present = "expect",
        conflicts_with = "expect"
    )]
    files: Vec<PathBuf>,

    /// Run the files of a suite that `zester grow` or `zester suite` made, and compare the outcomes
    /// with those in its suite.json. Print only the files with another outcome. The files are sentences, which `post_process` of the
    /// target changes. Without --expect and --parameters, the program reads the files unchanged.
    #[arg(long, value_name = "SUITE.JSON", conflicts_with = "parameters")]
    expect: Option<PathBuf>,

    /// Run the files in an older build of the target, too, and print only new failures: crashes,
    /// time-outs, out-of-memory and exits that the older build does not have, or has by another fault.
    #[arg(long, value_name = "OLD_TARGET", value_parser = built_target(),
          conflicts_with_all = ["expect", "reasons", "reason_from_stderr"])]
    baseline: Option<PathBuf>,

    /// With --baseline, print all changes: also fixed failures, and files that became valid or invalid.
    #[arg(long, requires = "baseline")]
    all: bool,

    /// A file of known failures. A failure that is not in it makes the exit status 1, and so does an
    /// entry whose sentence does not fail any more.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["expect", "baseline"])]
    known: Option<PathBuf>,

    /// Write a test report in JUnit's format to this file, with one test for each file; `-` is
    /// standard output. A test fails if the outcome makes the exit status 1. With --baseline and --known,
    /// a test with a known failure is skipped.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write Rust tests to this file, for example `tests/regressions.rs`: one test for each file that makes
    /// the exit status 1. A test calls the body of the fuzz target with the text. If
    /// fuzz/fuzz_targets/NAME.rs is not found, it has a `todo!` for the call.
    #[arg(long, value_name = "FILE")]
    as_test: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    /// Decode the files, which contain parameters as the files of a corpus do, and run the
    /// sentences.
    #[arg(long)]
    parameters: bool,

    /// Run the files as sentences of the target's grammar, which its `post_process` changes. Without
    /// this option, a file is what the target's body gets.
    #[arg(long, conflicts_with_all = ["parameters", "as_test", "expect"])]
    sentences: bool,

    /// The outcomes that make the exit status 1. With --expect, it is 1 if an outcome is not the
    /// expected one. With --baseline, `crash` means any new failure.
    #[arg(long, value_name = "OUTCOMES", value_enum, default_value_t = FailOn::Crash)]
    fail_on: FailOn,

    /// Print one JSON object for each printed run: file, outcome, seconds, edges, the signature of a
    /// crash or the status of an exit, with --known why a failure is accepted, with --expect the expected outcome, with --baseline the change
    /// and the outcome in the older build, and with --reasons the reason.
    #[arg(long)]
    json: bool,

    /// With --json, print the list of covered edges instead of their count.
    #[arg(long, requires = "json")]
    edges: bool,

    /// Print why the target rejected files, instead of a line for each file: groups of similar
    /// reasons, the most frequent first, each with its smallest sentence. With --json, print a line for
    /// each file, with its reason, and then one object for each group.
    #[arg(long, conflicts_with = "expect")]
    reasons: bool,

    /// Take the reason from what the target prints to standard error or standard output in a run:
    /// the first match of this regular expression, or its first group in parentheses. A file without
    /// a report of the target, or whose run called exit, is rejected if there is a match. Implies
    /// --reasons.
    #[arg(long, value_name = "REGEX", conflicts_with = "expect")]
    reason_from_stderr: Option<Regex>,

    #[command(flatten)]
    runs: TargetRuns,
}

/// The outcomes that make the exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A crash, a time-out, or out-of-memory.
    Crash,
    /// No outcome.
    None,
}

/// The run of a file. An error ends the command.
type CaseResult = Result<CaseRun, Problem>;

/// The run of a file.
struct CaseRun {
    /// The index of the file.
    at: usize,
    run: subject::Run,
    /// The edges that the run covered.
    edges: Vec<u32>,
    /// With --reasons, the rejection if the target rejected the sentence.
    rejection: Option<Rejection>,
    /// With --baseline, the outcome in the older build.
    comparison: Option<Comparison>,
    /// With --known, the index of the entry of the failure.
    known: Option<usize>,
}

/// What the threads need to judge runs.
#[derive(Clone, Copy)]
struct Judges<'a> {
    target: &'a FuzzTarget,
    finder: Option<&'a ReasonFinder>,
    builds: Option<&'a Arc<Builds>>,
    known: Option<KnownFinder<'a>>,
}

impl Judges<'_> {
    /// Returns why a failure is accepted, if it is known.
    fn why(&self, result: &CaseRun) -> Option<String> {
        let entry = &self.known?.known.entries[result.known?];
        Some(entry.why())
    }
}

/// A file to run. With --expect, it has an expected outcome.
struct Case {
    path: PathBuf,
    expected: Option<Expectation>,
}

/// Reads `suite.json`. Returns the files of the suite, with their expected outcomes.
fn suite(path: &Path) -> Result<Vec<Case>, Problem> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let case = |expected: Expectation| Case {
        path: directory.join(&expected.file),
        expected: Some(expected),
    };
    Ok(expectation::read(path)?.into_iter().map(case).collect())
}

/// Returns the files that arguments name. In the directory of a suite, `suite.json` and `suite.html`
/// are left out.
fn texts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for path in paths {
        let mut found = inputs(std::slice::from_ref(path))?;
        let description = path.join(expectation::FILE);
        if path.is_dir() && expectation::is_suite(&description) {
            found.retain(|file| {
                *file != description
                    && file
                        .file_name()
                        .is_none_or(|name| name != expectation::PAGE)
            });
            let (directory, description) = (shown(path), shown(&description));
            eprintln!(
                "zester: {directory} is a regression suite; --expect {description} compares its outcomes"
            );
        }
        files.append(&mut found);
    }
    Ok(files)
}

impl RunCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        // Fail before the runs, not after them, if a file must not be replaced.
        for path in [&self.junit, &self.as_test].into_iter().flatten() {
            self.existing.may_write(path)?;
        }
        let target = FuzzTarget::must_be(&self.target)?;
        let cases = match &self.expect {
            Some(path) => suite(path)?,
            None => texts(&self.files)?
                .into_iter()
                .map(|path| Case {
                    path,
                    expected: None,
                })
                .collect(),
        };
        if self.parameters {
            warn_of_stale_for_target(&self.files, &target, &self.target);
            warn_of_texts_for_target(&self.files, &target, &self.target);
        } else {
            warn_of_parameters(&self.files, "--parameters decodes them");
        }
        let finder = self
            .needs_reasons()
            .then(|| ReasonFinder::new(&target, &self.target, self.reason_from_stderr.clone()));
        let builds = self.baseline.as_ref();
        let builds =
            builds.map(|old| Builds::new(&self.target, old, self.runs.limits()).map(Arc::new));
        let builds = builds.transpose()?;
        let known = self.known.as_ref();
        let known = known
            .map(|path| KnownFailures::read(path, false))
            .transpose()?;
        let has_shapes =
            |known: &KnownFailures| known.entries.iter().any(|one| one.shape.is_some());
        let grammar = match known.as_ref().is_some_and(has_shapes) {
            true => {
                let source = target.grammar()?;
                Some(parse(&self.target, &source, None, &Caps::default())?.0)
            }
            false => None,
        };
        let judges = Judges {
            target: &target,
            finder: finder.as_ref(),
            builds: builds.as_ref(),
            known: known.as_ref().map(|known| KnownFinder {
                target: &self.target,
                known,
                grammar: grammar.as_ref(),
                limits: self.runs.limits(),
            }),
        };
        let (next, start) = (AtomicUsize::new(0), Instant::now());
        let mut summary = RunSummary::default();
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..usize::from(self.runs.jobs).min(cases.len().max(1)) {
                let (sender, cases, next) = (sender.clone(), &cases, &next);
                scope.spawn(move || {
                    if let Err(problem) = self.run_cases(cases, judges, next, &sender) {
                        let _ = sender.send(Err(problem));
                    }
                });
            }
            drop(sender);
            // On a terminal, the lines of the files show the progress. With --expect and --baseline there are few
            // lines, and with --reasons none, so a bar is shown.
            let has_lines = std::io::stdout().is_terminal()
                && self.expect.is_none()
                && self.baseline.is_none()
                && (self.json || finder.is_none());
            let bar = if has_lines {
                ProgressBar::hidden()
            } else {
                progress(cases.len() as u64, "sentences")
            };
            let reported = self.report(
                &cases,
                judges,
                receiver.into_iter().inspect(|_| bar.inc(1)),
                &mut summary,
            );
            // After an error, the threads start no other file.
            next.store(cases.len(), Ordering::Relaxed);
            bar.finish_and_clear();
            reported
        })?;
        if let Some(finder) = &finder {
            let groups = match self.json {
                true => summary.rejections.json(cases.len()),
                false => summary.rejections.text(cases.len(), finder),
            };
            print(groups.as_bytes())?;
            if summary.rejections.is_empty() {
                eprintln!("zester: no file was rejected");
            }
        }
        eprint!("{}", summary.text(start.elapsed()));
        if let Some(known) = &known {
            self.check_known(known, &mut summary)?;
        }
        if let Some(path) = &self.junit {
            let report = junit::report(&self.target, &summary.results, start.elapsed());
            self.existing.write(
                path,
                report
                    .map_err(|error| Problem::with(path, error))?
                    .as_bytes(),
            )?;
        }
        if let Some(path) = &self.as_test {
            self.write_tests(path, &cases, &summary.results, &target)?;
        }
        if self.expect.is_some() {
            eprintln!(
                "{} as expected, {}",
                counted(cases.len() - summary.changed, "outcome"),
                counted(summary.changed, "other")
            );
        }
        if self.baseline.is_some() {
            eprintln!("{}", summary.changes_text());
        }
        Ok(if summary.results.iter().any(JunitResult::is_failure) {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }

    /// Runs the sentences of known failures that no file showed. Adds a failed test for each that does not
    /// fail any more, and prints what is known.
    fn check_known(&self, known: &KnownFailures, summary: &mut RunSummary) -> Result<(), Problem> {
        let mut faults = FaultRunner::start(&self.target, self.runs.limits())?;
        let mut mended = 0;
        for (at, entry) in known.entries.iter().enumerate() {
            if summary.known.contains_key(&at) {
                continue;
            }
            let name = format!("{}: {}", known.path(), entry.name());
            let Some(text) = &entry.text else {
                eprintln!("zester: warning: {name}: no file shows whether it still fails");
                continue;
            };
            let start = Instant::now();
            let fault = faults.fault(Request::Sentence(text.as_bytes()), text.as_bytes())?;
            let is_mended = !fault.is_some_and(|fault| known::still_fails(entry, &fault));
            if is_mended {
                mended += 1;
                eprintln!("zester: {name}: does not fail any more, so remove the entry");
            }
            summary.results.push(JunitResult {
                name,
                time: start.elapsed(),
                failure: (is_mended && self.fail_on != FailOn::None)
                    .then(|| "does not fail any more".into()),
                skipped: (!is_mended).then(|| format!("known failure: {}", entry.why())),
            });
        }
        eprintln!(
            "known failures: {} in {}, and {mended} that do not fail any more",
            summary.known.len(),
            counted(summary.known.values().sum::<usize>(), "file"),
        );
        Ok(())
    }

    /// Writes a Rust test of each file that failed.
    fn write_tests(
        &self,
        path: &Path,
        cases: &[Case],
        results: &[JunitResult],
        target: &FuzzTarget,
    ) -> Result<(), Problem> {
        let mut inputs = Vec::new();
        for (case, result) in cases.iter().zip(results) {
            if let Some(outcome) = &result.failure {
                let name = case.path.file_name().unwrap_or_default();
                inputs.push(FailedInput {
                    name: name.to_string_lossy().into_owned(),
                    text: self.text(&case.path, target)?,
                    outcome: outcome.clone(),
                });
            }
        }
        if inputs.is_empty() {
            eprintln!("zester: no file failed, so {} was not written", shown(path));
            return Ok(());
        }
        let source = TargetSource::find(&self.target);
        let tests = rust_tests(&self.target, source.as_ref(), &inputs);
        self.existing.write(path, tests.as_bytes())?;
        if source.is_none() {
            let path = shown(path);
            eprintln!("zester: the source of the target was not found; write the call in {path}");
        }
        Ok(())
    }

    /// Returns the text that the target's body gets for a file.
    fn text(&self, file: &Path, target: &FuzzTarget) -> Result<Vec<u8>, Problem> {
        if !self.parameters {
            return parameters(file);
        }
        // The target decodes, because it may have a `post_process`.
        let directory = tempfile::tempdir();
        let directory = directory.map_err(|error| Problem::with(&std::env::temp_dir(), error))?;
        target.decode(&[file.into()], "-,-,-", Some(directory.path()))?;
        parameters(&directory.path().join(file.file_name().unwrap_or_default()))
    }

    /// Returns whether reasons are printed.
    fn needs_reasons(&self) -> bool {
        self.reasons || self.reason_from_stderr.is_some()
    }

    /// Runs one file after the other on a thread, until none is left. `next` is the index of the next
    /// file for any thread.
    fn run_cases(
        &self,
        cases: &[Case],
        judges: Judges<'_>,
        next: &AtomicUsize,
        results: &Sender<CaseResult>,
    ) -> Result<(), Problem> {
        let limits = self.runs.limits();
        let finder = judges.finder;
        let subject = match finder.is_some_and(ReasonFinder::asks) {
            true => Subject::start_with_reasons(&self.target, limits),
            false => Subject::start(&self.target, limits),
        };
        let mut subject = subject.map_err(Problem::new)?;
        let mut baseline = judges.builds.map(Baseline::start).transpose()?;
        let faults = judges
            .known
            .map(|_| FaultRunner::start(&self.target, limits));
        let mut faults = faults.transpose()?;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else {
                return Ok(());
            };
            let bytes = parameters(&case.path)?;
            let request = if self.parameters {
                Request::Parameters(&bytes)
            } else if self.sentences || self.expect.is_some() {
                Request::Sentence(&bytes)
            } else {
                Request::Text(&bytes)
            };
            let mut run = subject.run(request).map_err(Problem::new)?;
            let rejection = finder.and_then(|finder| {
                finder.find(&mut run, || subject.output());
                finder.rejection(&run, &bytes, self.parameters)
            });
            let edges = subject.edges().to_vec();
            let compare = |baseline: &mut Baseline| baseline.compare(request, &run.outcome);
            let comparison = baseline.as_mut().map(compare).transpose()?;
            let known = match (judges.known, &mut faults) {
                (Some(known), Some(faults)) if is_failure(&run.outcome) => {
                    let text = self.text(&case.path, judges.target)?;
                    let fault = faults.fault(request, &text)?;
                    let find = |fault: Fault| known.find(&fault, &text);
                    fault.map(find).transpose()?.flatten()
                }
                _ => None,
            };
            let result = CaseRun {
                at,
                run,
                edges,
                rejection,
                comparison,
                known,
            };
            if results.send(Ok(result)).is_err() {
                return Ok(());
            }
        }
    }

    /// Adds each result to the summary, and prints a line for each file, in the order of the files. With --expect,
    /// prints lines only for files with another outcome; with --baseline, only for new failures, or with --all for all
    /// changes but known failures. With --reasons and without --json, prints none.
    fn report(
        &self,
        cases: &[Case],
        judges: Judges<'_>,
        results: impl Iterator<Item = CaseResult>,
        summary: &mut RunSummary,
    ) -> Result<(), Problem> {
        let (mut waiting, mut at) = (BTreeMap::new(), 0);
        for result in results {
            let result = result?;
            waiting.insert(result.at, result);
            while let Some(result) = waiting.remove(&at) {
                let case = &cases[at];
                if self.is_printed(case, &result) {
                    print(self.line(case, judges, &result).as_bytes())?;
                }
                summary
                    .results
                    .push(self.test_result(case, judges, &result));
                summary.add(case, result);
                at += 1;
            }
        }
        Ok(())
    }

    /// Returns whether a line is printed for a run.
    fn is_printed(&self, case: &Case, result: &CaseRun) -> bool {
        match (&case.expected, &result.comparison) {
            (Some(expected), _) => !expected.is_met(&result.run.outcome),
            (None, Some(comparison)) => match comparison.change {
                Change::NewFailure => true,
                Change::Fixed | Change::Validity => self.all,
                Change::KnownFailure | Change::Unchanged => false,
            },
            (None, None) => self.json || !self.needs_reasons(),
        }
    }

    /// Returns the result of a run as a test. It has failed if the run makes the exit status 1.
    fn test_result(&self, case: &Case, judges: Judges<'_>, result: &CaseRun) -> JunitResult {
        let outcome = expectation::describe(&result.run.outcome);
        let ignored = self.fail_on == FailOn::None;
        let (mut failure, mut skipped) = (None, None);
        match (&case.expected, &result.comparison) {
            (Some(expected), _) if !expected.is_met(&result.run.outcome) => {
                failure = Some(format!("{outcome}, expected {}", expected.describe()));
            }
            (None, Some(comparison)) => match comparison.change {
                Change::NewFailure if !ignored => {
                    let old = expectation::describe(&comparison.outcome);
                    failure = Some(format!("{outcome}, in the baseline {old}"));
                }
                Change::KnownFailure => skipped = Some(format!("known failure: {outcome}")),
                _ => {}
            },
            (None, None) if judges.why(result).is_some() => {
                let why = judges.why(result).unwrap_or_default();
                skipped = Some(format!("known failure: {why}"));
            }
            (None, None) if is_failure(&result.run.outcome) && !ignored => failure = Some(outcome),
            _ => {}
        }
        let name = match &case.expected {
            Some(expected) => expected.file.clone(),
            None => shown(&case.path),
        };
        JunitResult {
            name,
            time: result.run.time,
            failure,
            skipped,
        }
    }

    fn line(&self, case: &Case, judges: Judges<'_>, result: &CaseRun) -> String {
        let CaseRun {
            run,
            edges,
            comparison,
            ..
        } = result;
        let file = &case.path;
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
            if let Some(expected) = &case.expected {
                line["expected"] = expected.json();
            }
            if let Some(comparison) = comparison {
                let mut old = json!({ "outcome": comparison.outcome.to_string() });
                add_detail(&mut old, &comparison.outcome);
                line["change"] = json!(comparison.change.to_string());
                line["baseline"] = old;
            }
            if let Some(why) = judges.why(result) {
                line["known"] = json!(why);
            }
            if self.needs_reasons() {
                line["reason"] = json!(run.reason);
            }
            add_detail(&mut line, &run.outcome);
            return format!("{line}\n");
        }
        // The outcome is padded before it is coloured. Otherwise, escape sequences would count as
        // columns.
        let outcome = style(&run.outcome).apply_to(format!("{:<13}", run.outcome));
        let milliseconds = run.time.as_secs_f64() * 1e3;
        let detail = match &run.outcome {
            Outcome::Crash(signature) => signature.to_string(),
            Outcome::Exit(status) => format!("status {status}"),
            _ => String::new(),
        };
        let other = match (&case.expected, comparison) {
            (Some(expected), _) => format!("expected {}", expected.describe()),
            (None, Some(comparison)) => {
                format!("baseline {}", expectation::describe(&comparison.outcome))
            }
            (None, None) => judges
                .why(result)
                .map_or(String::new(), |why| format!("known: {why}")),
        };
        let line = format!(
            "{outcome} {milliseconds:>9.3} ms {:>6} edges  {}  {detail}",
            edges.len(),
            shown(file)
        );
        format!("{}  {other}", line.trim_end())
            .trim_end()
            .to_string()
            + "\n"
    }
}

/// Adds the signature of a crash, or the status of an exit, to a JSON object.
fn add_detail(object: &mut Value, outcome: &Outcome) {
    match outcome {
        Outcome::Crash(signature) => object["signature"] = json!(signature.to_string()),
        Outcome::Exit(status) => object["status"] = json!(status),
        _ => {}
    }
}

/// Returns whether an outcome is a failure, which by default makes the exit status 1.
fn is_failure(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Crash(_) | Outcome::TimeOut | Outcome::OutOfMemory
    )
}

/// Returns the colour of an outcome. `console` omits it if standard output is not a terminal or if
/// `NO_COLOR` is set.
fn style(outcome: &Outcome) -> Style {
    match outcome {
        Outcome::Finished(Validity::Valid) => Style::new().green(),
        Outcome::Finished(_) => Style::new(),
        Outcome::Crash(_) => Style::new().red().bold(),
        _ => Style::new().yellow(),
    }
}

/// The outcomes of all files, for the summary.
#[derive(Default)]
struct RunSummary {
    /// The number of files with each outcome.
    outcomes: BTreeMap<String, usize>,
    edges: BTreeSet<u32>,
    valid_edges: BTreeSet<u32>,
    /// With --expect, the number of files with another outcome than the expected one.
    changed: usize,
    /// With --baseline, the number of files with each change.
    changes: BTreeMap<Change, usize>,
    /// With --known, the number of files with each known failure.
    known: BTreeMap<usize, usize>,
    /// The test results of the files, then those of known failures that no file showed.
    results: Vec<JunitResult>,
    /// For each signature, the number of crashes and the first file.
    crashes: BTreeMap<Signature, (usize, PathBuf)>,
    /// With --reasons, the rejections.
    rejections: Rejections,
}

impl RunSummary {
    fn add(&mut self, case: &Case, result: CaseRun) {
        let CaseRun { run, edges, .. } = result;
        let file = &case.path;
        let is_met = |expected: &Expectation| expected.is_met(&run.outcome);
        self.changed += usize::from(!case.expected.as_ref().is_none_or(is_met));
        if let Some(rejection) = result.rejection {
            self.rejections.add(file, rejection);
        }
        if let Some(comparison) = result.comparison {
            *self.changes.entry(comparison.change).or_default() += 1;
        }
        if let Some(known) = result.known {
            *self.known.entry(known).or_default() += 1;
        }
        *self.outcomes.entry(run.outcome.to_string()).or_default() += 1;
        self.edges.extend(&edges);
        match run.outcome {
            Outcome::Finished(Validity::Valid) => self.valid_edges.extend(edges),
            Outcome::Crash(signature) => {
                self.crashes
                    .entry(signature)
                    .or_insert_with(|| (0, file.clone()))
                    .0 += 1
            }
            _ => {}
        }
    }

    /// Describes how the outcomes differ from those in the baseline.
    fn changes_text(&self) -> String {
        let count = |change: Change| self.changes.get(&change).copied().unwrap_or(0);
        format!(
            "{}, {} known, {} fixed; {} changed between valid and invalid",
            counted(count(Change::NewFailure), "new failure"),
            count(Change::KnownFailure),
            count(Change::Fixed),
            counted(count(Change::Validity), "file")
        )
    }

    fn text(&self, elapsed: Duration) -> String {
        let all: usize = self.outcomes.values().sum();
        let outcomes: Vec<String> = self
            .outcomes
            .iter()
            .map(|(outcome, count)| format!("{count} {outcome}"))
            .collect();
        let mut text = format!(
            "{}, {:.0} a second: {}; {}, {} by valid ones\n",
            counted(all, "sentence"),
            all as f64 / elapsed.as_secs_f64().max(1e-9),
            outcomes.join(", "),
            counted(self.edges.len(), "edge"),
            self.valid_edges.len(),
        );
        for (signature, (count, first)) in &self.crashes {
            text.push_str(&format!(
                "  {count} x {signature}\n      {}\n",
                shown(first)
            ));
        }
        text
    }
}
