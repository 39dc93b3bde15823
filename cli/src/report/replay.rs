//! Runs the corpus and the artifacts of a campaign again: times, stability of the coverage, used
//! alternatives, and failures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use zester::bounds::Caps;
use zester::cover::Coverage;
use zester::grammar::Grammar;
use zester::parameters::Decoder;
use zester::subject::{Limits, Outcome, Request, Run, Subject};

use super::failures::{ReportedFailures, failures};
use super::material::{Material, ReplayBudget, Shown};
use crate::arguments::SentenceLimits;
use crate::coverage::{UsageCount, unused_numbers};
use crate::fuzz_target::FuzzTarget;
use crate::input::{self, inputs, parameters};
use crate::problem::Problem;
use crate::progress::progress;

/// The maximum number of inputs in each list.
const LISTED: usize = 10;

/// The results of running a corpus again.
pub struct Replay {
    /// The number of inputs in the corpus, and how many of them were run within the time.
    pub inputs: usize,
    pub run: usize,
    /// The number of inputs by outcome.
    pub outcomes: BTreeMap<String, usize>,
    /// The number of inputs that returned twice, and how many of them covered the same edges.
    pub repeated: usize,
    pub stable: usize,
    /// Inputs with other edges in the second run, with the number of edges that differ.
    pub unstable: Vec<(usize, Shown)>,
    /// The slowest inputs.
    pub slowest: Vec<(Duration, Shown)>,
    pub sample: Vec<Shown>,
    /// [`None`] if the target has no grammar.
    pub usage: Option<Usage>,
    pub failures: ReportedFailures,
}

/// The used alternatives of a grammar.
pub struct Usage {
    pub count: UsageCount,
    /// The numbers of the alternatives that are not used, by rule.
    pub unused: BTreeMap<String, Vec<usize>>,
}

/// The two runs of an input.
struct TwoRuns {
    at: usize,
    time: Duration,
    /// The number of edges that only one of the runs covered. [`None`] if a run did not return.
    difference: Option<usize>,
}

/// Runs the corpus and the artifacts again. The corpus gets three quarters of the time.
pub fn replay(material: &Material, budget: ReplayBudget) -> Result<Replay, Problem> {
    let target = FuzzTarget::must_be(&material.target)?;
    let mut subject = Subject::start(target.path(), Limits::default()).map_err(Problem::new)?;
    let files = inputs(&material.corpus)?;
    // A target whose inputs are Rust values (`Arbitrary`) has no grammar.
    let grammar = target.grammar().and_then(|source| {
        let name = &material.target;
        input::parse(name, &source, None, &Caps::default()).map(|(grammar, _)| grammar)
    });
    let mut users = grammar.as_ref().ok().map(Users::new);
    let start = Instant::now();
    let (mut outcomes, mut runs) = (BTreeMap::new(), Vec::new());
    let bar = progress(files.len() as u64, "inputs of the corpus");
    for (at, file) in files.iter().enumerate() {
        if start.elapsed() >= budget.time.mul_f64(0.75) {
            break;
        }
        let bytes = parameters(file)?;
        let (run, two) = run_twice(&mut subject, at, &bytes)?;
        *outcomes.entry(run.outcome.to_string()).or_default() += 1;
        runs.push(two);
        if let Some(users) = &mut users {
            users.add(&bytes);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let failures = failures(&mut subject, material, start + budget.time)?;
    let mut replay = Replay {
        inputs: files.len(),
        run: runs.len(),
        outcomes,
        repeated: runs.iter().filter(|run| run.difference.is_some()).count(),
        stable: runs.iter().filter(|run| run.difference == Some(0)).count(),
        unstable: unstable(&runs, &files),
        slowest: slowest(&mut runs, &files),
        sample: sample(&files, budget.sample),
        usage: users.map(Users::usage),
        failures,
    };
    let shown = replay.unstable.iter_mut().map(|(_, shown)| shown);
    let slow = replay.slowest.iter_mut().map(|(_, shown)| shown);
    let smallest = replay.failures.groups.iter_mut();
    let smallest = smallest.filter_map(|failure| failure.smallest.as_mut());
    let all = shown.chain(slow).chain(&mut replay.sample).chain(smallest);
    decode(&target, all.filter(|shown| shown.text.is_empty()).collect())?;
    Ok(replay)
}

/// Runs an input twice. Returns the first run.
fn run_twice(subject: &mut Subject, at: usize, bytes: &[u8]) -> Result<(Run, TwoRuns), Problem> {
    let first = subject
        .run(Request::Parameters(bytes))
        .map_err(Problem::new)?;
    if !matches!(first.outcome, Outcome::Finished(_)) {
        let time = first.time;
        let difference = None;
        return Ok((
            first,
            TwoRuns {
                at,
                time,
                difference,
            },
        ));
    }
    let edges = subject.edges().to_vec();
    let second = subject
        .run(Request::Parameters(bytes))
        .map_err(Problem::new)?;
    let is_finished = matches!(second.outcome, Outcome::Finished(_));
    let difference = is_finished.then(|| difference(&edges, subject.edges()));
    let two = TwoRuns {
        at,
        // The shorter time, because other processes may have delayed the longer one.
        time: first.time.min(second.time),
        difference,
    };
    Ok((first, two))
}

/// Returns how many numbers are in only one of two increasing lists.
fn difference(one: &[u32], other: &[u32]) -> usize {
    let common = one
        .iter()
        .filter(|edge| other.binary_search(edge).is_ok())
        .count();
    one.len() + other.len() - 2 * common
}

/// Returns the inputs with the largest differences of their two runs.
fn unstable(runs: &[TwoRuns], files: &[PathBuf]) -> Vec<(usize, Shown)> {
    let differing = runs.iter().filter_map(|run| {
        let difference = run.difference.filter(|difference| *difference > 0)?;
        Some((difference, run.at))
    });
    let mut differing: Vec<(usize, usize)> = differing.collect();
    differing.sort_by_key(|&(difference, at)| (std::cmp::Reverse(difference), at));
    differing.truncate(LISTED);
    let shown = |(difference, at): (usize, usize)| (difference, Shown::of(&files[at]));
    differing.into_iter().map(shown).collect()
}

/// Returns the inputs with the longest times.
fn slowest(runs: &mut [TwoRuns], files: &[PathBuf]) -> Vec<(Duration, Shown)> {
    runs.sort_by_key(|run| (std::cmp::Reverse(run.time), run.at));
    let slow = runs.iter().take(LISTED);
    slow.map(|run| (run.time, Shown::of(&files[run.at])))
        .collect()
}

/// Returns inputs at even distances in the list of files sorted by size.
fn sample(files: &[PathBuf], count: usize) -> Vec<Shown> {
    let mut sorted: Vec<&PathBuf> = files.iter().collect();
    sorted.sort_by_cached_key(|file| (file.metadata().map_or(0, |file| file.len()), *file));
    let count = count.min(sorted.len());
    let index = |number: usize| number * (sorted.len() - 1) / count.saturating_sub(1).max(1);
    (0..count)
        .map(|number| Shown::of(sorted[index(number)]))
        .collect()
}

/// Sets the texts of inputs. The target decodes them.
fn decode(target: &FuzzTarget, shown: Vec<&mut Shown>) -> Result<(), Problem> {
    let directory = tempfile::tempdir().map_err(Problem::new)?;
    // Files of different directories may have the same name.
    let copies: Vec<PathBuf> = (0..shown.len())
        .map(|number| directory.path().join(number.to_string()))
        .collect();
    for (shown, copy) in shown.iter().zip(&copies) {
        std::fs::copy(&shown.file, copy).map_err(|error| Problem::with(&shown.file, error))?;
    }
    let texts = directory.path().join("texts");
    std::fs::create_dir(&texts).map_err(Problem::new)?;
    target.decode(&copies, "-,-,-", Some(&texts))?;
    for (number, shown) in shown.into_iter().enumerate() {
        let text = texts.join(number.to_string());
        shown.text = std::fs::read(&text).map_err(|error| Problem::with(&text, error))?;
    }
    Ok(())
}

/// Counts the alternatives that inputs use.
struct Users<'a> {
    grammar: &'a Grammar,
    decoder: Decoder<'a>,
    coverage: Coverage,
}

impl<'a> Users<'a> {
    fn new(grammar: &'a Grammar) -> Users<'a> {
        Users {
            grammar,
            decoder: Decoder::new(grammar).settings(SentenceLimits::default().settings()),
            coverage: Coverage::new(grammar),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.coverage.add(self.grammar, self.decoder.decode(bytes));
    }

    fn usage(self) -> Usage {
        let (count, numbers) = unused_numbers(&self.coverage, self.grammar);
        let mut unused: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (rule, number) in numbers {
            unused.entry(rule).or_default().push(number);
        }
        Usage { count, unused }
    }
}

impl Shown {
    /// Returns an input whose sentence is set later.
    fn of(file: &Path) -> Shown {
        Shown {
            file: file.into(),
            text: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_count_edges_of_one_run_only() {
        for (one, other, expected) in [
            (&[][..], &[][..], 0),
            (&[1, 2], &[1, 2], 0),
            (&[1, 2, 5], &[2, 3], 3),
            (&[], &[7], 1),
        ] {
            assert_eq!(difference(one, other), expected);
            assert_eq!(difference(other, one), expected);
        }
    }
}
