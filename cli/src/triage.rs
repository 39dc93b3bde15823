//! `zester triage`: runs artifacts, groups them by fault, and writes a report with a small input for
//! each fault.

pub mod artifact;
mod explanations;
mod groups;
mod json;
mod numbers;
mod page;
mod reduction;
mod report;
mod shown_by;
mod similarity;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use zester::grammar::Grammar;
use zester::known::KnownFailure;

use crate::arguments::{self, SentenceLimits, TargetRuns};
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input::parse;
use crate::interrupt::OnInterrupt;
use crate::known::{KnownFailures, new_entry};
use crate::numbers::counted;
use crate::output::{Existing, print};
use crate::parallel::in_parallel;
use crate::problem::{Problem, shown};
use crate::progress::{open_progress, progress};

use self::artifact::{ArtifactRunner, RecordDirectories, Tested, artifacts};
use self::explanations::Explanations;
use self::groups::{FaultGroup, ReducedArtifact, by_shape, groups, to_reduce};
use self::reduction::ArtifactReduction;
use self::report::{Report, text_file};

const EXAMPLES: &str = "\
Groups:
  Artifacts are one fault if they have the same kind of fault (panic, heap-buffer-overflow, SIGSEGV,
  stack overflow, assertion, time-out, out of memory, exit) at the same location: the source line of
  the innermost function that is neither of a standard library, nor of a sanitizer, nor of a dependency.
  If a target fuzzes a dependency, the innermost function of that dependency counts. Values in
  messages do not count, and neither do callers, nor functions that are called there. Stack overflows
  are one fault if they have a recursive function in common. Without a stack, the last line of the
  output counts, without values.
  A build with AddressSanitizer prints stacks of signals and of stack overflows.
  A failure that an oracle of the target reports, by zester::fail(KEY) in Rust or zester_fail(KEY) in C,
  is one fault for each key, whatever the location. Disagreements of an oracle (zester::oracle, zester_same) are one fault if
  they are of one comparison, and their reduced sentences have one shape (the parts that do not matter are holes) or fail by
  one cause. Differences of equivalent sentences (@equal) are one fault, too, if the same equivalences show them, of at least
  four that apply to both reduced sentences.

Severity:
  The classes are those of CASR. Its tools decide by the report of AddressSanitizer. A panic is not
  exploitable.

Examples:
  zester triage fuzz/target/x86_64-unknown-linux-gnu/release/json fuzz/artifacts/json
  zester triage target/c/calc artifacts -o faults.html --sarif faults.sarif -j 2
  zester triage target/c/calc crash-1 crash-2 --no-reduce --json
  zester triage json fuzz/artifacts/json --known fuzz/known/json.toml --accept

Known failures:
  --known FILE names faults that are accepted, --accept adds those that are new. The file is for zester
  fuzz and zester run, too; people review and commit it.

Exit status: 0 if no artifact fails, but by known failures, and with --accept; 1 if there is a fault; 2 if a file cannot be read or the target cannot be run.";

/// Run artifacts, group them by fault, and reduce the smallest artifact of each fault.
///
/// The report has a section for each fault: its kind and location, a small input, the command that
/// reproduces it, the stack, the severity and the names of the artifacts. A section is complete
/// enough for an issue.
///
/// Artifacts are files of parameters. A file that is a sentence of the grammar runs as a text, and so
/// does any other text that does not fail as parameters. An artifact that was written with another
/// grammar runs as the text that it had, if zester recorded it. In directories, hidden files and reports are left out, and so are `*.reduced` everywhere.
///
/// Ctrl-C and SIGTERM write the report of what is known so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct TriageCommand {
    /// The built fuzz target.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// Artifacts, or directories of artifacts.
    #[arg(value_name = "ARTIFACT", required = true)]
    artifacts: Vec<PathBuf>,

    /// The file for the report: HTML if its name ends in .html, otherwise Markdown. The text of each
    /// fault's input is written beside it if the text reproduces the fault, as NAME-1.txt for the first
    /// fault of NAME.md. `-` is standard output [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print one JSON object for each fault on standard output, instead of a report in Markdown:
    /// fault, kind, file, line, column, message, known, severity, artifacts, text, shape, cause, the shapes of
    /// other sentences that fail by it (variants), command, stack, and the numbers of faults with similar stacks. Artifacts that do not fail have
    /// the fault null.
    #[arg(long)]
    json: bool,

    /// Write a log in SARIF 2.1.0 to this file, with one result for each fault.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// A file of known failures, which are reported as known, and no reason for the exit status 1.
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,

    /// Add the faults that are not in the file of --known to it, each with its smallest sentence and
    /// an empty reason, which is for you to write. The file is made if it is missing.
    #[arg(long, requires = "known")]
    accept: bool,

    #[command(flatten)]
    existing: Existing,

    /// Do not reduce inputs.
    #[arg(long)]
    no_reduce: bool,

    /// The maximum time in seconds for the reduction of each fault, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = arguments::seconds)]
    reduce_for: Duration,

    /// The maximum time in seconds for all reductions together, from 0.001 to 86400. Artifacts that are
    /// not reduced by then stay in the report as they are.
    #[arg(long, value_name = "SECONDS", value_parser = arguments::seconds)]
    max_time: Option<Duration>,

    #[command(flatten)]
    runs: TargetRuns,

    #[command(flatten)]
    limits: SentenceLimits,
}

/// Where the report goes.
#[derive(Clone)]
struct Destination {
    /// The file of the page, unless it is standard output.
    page: Option<PathBuf>,
    sarif: Option<PathBuf>,
    existing: Existing,
    json: bool,
}

/// The findings so far.
#[derive(Default)]
struct Findings {
    tested: Vec<Tested>,
    /// The groups. They are empty until all artifacts have run.
    groups: Vec<FaultGroup>,
    /// Reduced artifacts that [`Findings::regroup`] has not yet added to the groups.
    reduced: Vec<ReducedArtifact>,
}

impl Findings {
    /// Groups the reduced artifacts by their shapes.
    fn regroup(&mut self, grammar: Option<&Grammar>) {
        let groups = std::mem::take(&mut self.groups);
        let reduced = std::mem::take(&mut self.reduced);
        self.groups = by_shape(groups, reduced, &self.tested, grammar);
    }
}

/// Findings that threads share with the action of Ctrl-C.
type SharedFindings = Arc<Mutex<Findings>>;

fn lock(findings: &SharedFindings) -> MutexGuard<'_, Findings> {
    findings.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TriageCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let target = FuzzTarget::must_be(&self.target)?;
        let page = self.page();
        let artifacts = artifacts(&self.artifacts)?;
        if artifacts.is_empty() {
            return Err(Problem::new("there is no artifact in these directories"));
        }
        // Fail before the runs, not after them, if a file must not be replaced.
        for path in [page, self.sarif.as_deref()].into_iter().flatten() {
            self.existing.may_write(path)?;
        }
        if let Some(page) = page {
            for number in 1..=artifacts.len() {
                self.existing.may_write(&text_file(page, number))?;
            }
        }
        let known = self.known.as_ref();
        let known = known.map(|path| KnownFailures::read(path, self.accept));
        let known = known.transpose()?;
        let shared = self.grammar(&target).map(Arc::new);
        let grammar = shared.as_deref();
        let findings = SharedFindings::default();
        let interrupted = self.on_interrupt(&findings, shared.clone());
        self.test(&artifacts, grammar, &findings)?;
        let deadline = self.max_time.map(|time| Instant::now() + time);
        self.reduce(grammar, &findings, deadline)?;
        lock(&findings).regroup(grammar);
        self.merge(grammar, &findings, deadline)?;
        drop(interrupted);
        let mut findings = lock(&findings);
        let mut new = Vec::new();
        if let Some(known) = &known {
            for group in &mut findings.groups {
                let smallest = &group.smallest;
                let text = smallest.text.as_deref();
                let entry = known.entry(&group.fault, grammar.zip(text));
                group.known = entry.map(KnownFailure::why);
                if group.known.is_none() {
                    for (fault, smallest) in group.inputs() {
                        // `zester run` runs the text of an entry, so the text must fail.
                        let text = smallest.text.as_deref();
                        let text = text.filter(|_| smallest.is_reproduced_by_text);
                        new.push(new_entry(fault, text, smallest.shape.clone()));
                    }
                }
            }
        }
        let is_failed = findings.groups.iter().any(|group| group.known.is_none());
        let report = self.report(&findings);
        self.destination().write(&report)?;
        eprintln!("zester: {}", report.headline());
        if let Some(known) = known.filter(|_| self.accept) {
            known.append(&new)?;
            eprintln!(
                "zester: new entries in {}: {}; write the reason of each",
                known.path(),
                new.len()
            );
            return Ok(ExitCode::SUCCESS);
        }
        Ok(match is_failed {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        })
    }

    /// Returns the path of the page, unless it is standard output.
    fn page(&self) -> Option<&Path> {
        let output = self.output.as_deref();
        output.filter(|path| *path != Path::new("-"))
    }

    /// Returns the grammar of the target. A target whose inputs are Rust values (`Arbitrary`) has
    /// none.
    fn grammar(&self, target: &FuzzTarget) -> Option<Grammar> {
        let settings = self.limits.settings();
        let read = target
            .grammar()
            .and_then(|source| parse(&self.target, &source, None, &settings.caps));
        match read {
            Ok((grammar, _)) => Some(grammar),
            Err(_) => {
                let target = shown(&self.target);
                eprintln!(
                    "zester: warning: {target} did not write a grammar, so texts are not shown and not reduced"
                );
                None
            }
        }
    }

    fn destination(&self) -> Destination {
        Destination {
            page: self.page().map(Path::to_path_buf),
            sarif: self.sarif.clone(),
            existing: self.existing,
            json: self.json,
        }
    }

    /// Registers writing the report when a signal ends the command.
    fn on_interrupt(
        &self,
        findings: &SharedFindings,
        grammar: Option<Arc<Grammar>>,
    ) -> OnInterrupt {
        let (findings, target) = (findings.clone(), self.target.clone());
        let destination = self.destination();
        OnInterrupt::call(move || {
            let mut findings = lock(&findings);
            if findings.groups.is_empty() {
                findings.groups = groups(&findings.tested);
            }
            findings.regroup(grammar.as_deref());
            let report = Report {
                target: &target,
                tested: &findings.tested,
                groups: &findings.groups,
                page: destination.page.as_deref(),
            };
            eprintln!("zester: interrupted; so far: {}", report.headline());
            if let Err(problem) = destination.write(&report) {
                eprint!("{}", problem.message());
            }
        })
    }

    fn report<'a>(&'a self, findings: &'a Findings) -> Report<'a> {
        Report {
            target: &self.target,
            tested: &findings.tested,
            groups: &findings.groups,
            page: self.page(),
        }
    }

    /// Runs the artifacts and groups them.
    fn test(
        &self,
        artifacts: &[PathBuf],
        grammar: Option<&Grammar>,
        findings: &SharedFindings,
    ) -> Result<(), Problem> {
        let directories = RecordDirectories::beside(artifacts);
        let bar = progress(artifacts.len() as u64, "artifacts");
        let tested = in_parallel(
            self.runs.threads(),
            artifacts.len(),
            &|| self.runner(grammar),
            &|runner, at| {
                let tested = runner.run(at, &artifacts[at], &directories)?;
                lock(findings).tested.push(tested);
                bar.inc(1);
                Ok(())
            },
        );
        bar.finish_and_clear();
        tested?;
        let mut findings = lock(findings);
        findings.tested.sort_by_key(|tested| tested.at);
        findings.groups = groups(&findings.tested);
        Ok(())
    }

    fn runner<'a>(&'a self, grammar: Option<&'a Grammar>) -> Result<ArtifactRunner<'a>, Problem> {
        let settings = self.limits.settings();
        ArtifactRunner::start(&self.target, grammar, settings, self.runs.limits())
    }

    /// Reduces the smallest artifact of each group, and all disagreements. Checks whether the text of each result
    /// reproduces the fault.
    fn reduce(
        &self,
        grammar: Option<&Grammar>,
        findings: &SharedFindings,
        deadline: Option<Instant>,
    ) -> Result<(), Problem> {
        let tasks: Vec<(usize, usize)> = {
            let findings = lock(findings);
            let groups = findings.groups.iter().enumerate();
            let of_group =
                |(at, group)| to_reduce(group).iter().map(move |&artifact| (at, artifact));
            groups.flat_map(of_group).collect()
        };
        let bar = open_progress("reducing artifact {msg}");
        let left_out = AtomicUsize::new(0);
        let shapes = Mutex::default();
        let ended = in_parallel(
            self.runs.threads(),
            tasks.len(),
            &|| self.runner(grammar),
            &|runner, task| {
                let (group, at) = tasks[task];
                let Some(time) = self.time_to_reduce(deadline) else {
                    left_out.fetch_add(1, Ordering::Relaxed);
                    return Ok(());
                };
                let reduction = ArtifactReduction {
                    target: &self.target,
                    grammar: grammar.filter(|_| !self.no_reduce),
                    settings: self.limits.settings(),
                    limits: self.runs.limits(),
                    time,
                    shapes: &shapes,
                };
                let (artifact, fault) = {
                    let findings = lock(findings);
                    let tested = &findings.tested[at];
                    (tested.input.clone(), tested.fault.clone())
                };
                let Some(fault) = fault else {
                    return Ok(());
                };
                let of_all = format!("{} of {}", task + 1, tasks.len());
                // The fault of the reduced input has its values in the message.
                let (smallest, fault) = reduction.run(&artifact, &fault, runner, &mut |how| {
                    bar.set_message(format!("{of_all}: {how}"));
                })?;
                lock(findings).reduced.push(ReducedArtifact {
                    group,
                    at,
                    fault,
                    smallest,
                });
                Ok(())
            },
        );
        bar.finish_and_clear();
        let left_out = left_out.into_inner();
        if left_out > 0 {
            let left_out = counted(left_out, "artifact");
            eprintln!("zester: warning: --max-time is over: {left_out} not reduced");
        }
        ended
    }

    /// Returns the maximum time for the next reduction, or [`None`] if all time is over.
    fn time_to_reduce(&self, deadline: Option<Instant>) -> Option<Duration> {
        let Some(deadline) = deadline else {
            return Some(self.reduce_for);
        };
        let left = deadline.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left.min(self.reduce_for))
    }

    /// Merges groups of disagreements whose sentence fails by the cause of another group.
    fn merge(
        &self,
        grammar: Option<&Grammar>,
        findings: &SharedFindings,
        deadline: Option<Instant>,
    ) -> Result<(), Problem> {
        let Some(grammar) = grammar.filter(|_| !self.no_reduce) else {
            return Ok(());
        };
        let Some(time) = self.time_to_reduce(deadline) else {
            return Ok(());
        };
        let explanations = Explanations {
            target: &self.target,
            grammar,
            settings: self.limits.settings(),
            limits: self.runs.limits(),
            time,
        };
        // Ctrl-C prints the groups so far.
        let groups = lock(findings).groups.clone();
        let merged = explanations.merge(groups)?;
        lock(findings).groups = merged;
        Ok(())
    }
}

impl Destination {
    /// Writes the reports.
    fn write(&self, report: &Report<'_>) -> Result<(), Problem> {
        let page = self.page.as_deref();
        if let Some(path) = &self.sarif {
            self.existing.write(path, json::sarif(report).as_bytes())?;
        }
        if let Some(page) = page {
            let is_html = page
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
            for (number, group) in (1..).zip(report.groups) {
                if let (Some(file), Some(text)) = (report.text_file(number), &group.smallest.text) {
                    self.existing.write(&file, text)?;
                }
            }
            let text = match is_html {
                true => page::page(report).html(),
                false => page::page(report).markdown(),
            };
            self.existing.write(page, text.as_bytes())?;
            eprintln!("zester: the report is in {}", shown(page));
        }
        match (self.json, page) {
            (true, _) => print(json::json_lines(report).as_bytes()),
            (false, None) => print(page::page(report).markdown().as_bytes()),
            (false, Some(_)) => Ok(()),
        }
    }
}
