//! `zester grow`: grows a small corpus of small sentences by Bonsai fuzzing.

mod campaign;
mod concise;
mod lattice;
mod mutants;
mod node_store;
mod origins;
mod page;
mod plan;
mod regression_suite;
mod selection;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};

use self::campaign::{Campaign, Ending};
use self::lattice::Fuzzer;
use self::mutants::Mutants;
use self::node_store::{FinishedNode, NodeStore, StoreSettings};
use self::plan::{Plan, Step};
pub use self::regression_suite::is_of_standard_library;
use self::regression_suite::{GrownLattice, RegressionSuite};
use crate::arguments::{extension, threads};
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::interrupt::OnInterrupt;
use crate::numbers::counted;
use crate::output;
use crate::problem::Problem;
use crate::progress::progress;
use crate::text_directory::{TextDirectory, check_is_new, default_extension, names};
use crate::work_directory::WorkDirectory;

const EXAMPLES: &str = "\
Examples:
  zester fuzz json --no-run
  zester grow json -o suite
  zester grow json -o suite --bounds auto
  zester run json --expect suite/suite.json

Exit status: 0; 1 if the grammar has errors; 2 if the command failed for another reason.";

/// Grow a small corpus of small sentences that together cover much of a program.
///
/// The corpus is a regression suite, and its sentences are small enough to be read. The method is
/// Bonsai fuzzing (Vikram, Padhye and Sen, ICSE 2021). A fuzzer F(m, n, d) makes sentences with at
/// most m different identifiers, n items in each repetition and d nested expansions of a
/// nonterminal. With small m, all other tokens are short, too. Fuzzers with small bounds run first. Their sentences are the seeds of fuzzers with
/// larger bounds. For each m, n and d, one fuzzer keeps valid sentences only, and another one keeps
/// all sentences.
///
/// After each fuzzer, only small sentences are kept that together cover the same edges. DIR gets the
/// sentences of the last fuzzer as text files, the smallest first, and suite.json and suite.html,
/// which describe them. Sentences that crash the target are in DIR/crashes.
///
/// If the command is interrupted, the same command continues the work, which is in the directory
/// DIR.grow.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GrowCommand {
    /// The fuzz target: a program that `cargo fuzz build` built, or a C harness that is linked with
    /// libzester.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// The directory for the corpus. It must not exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Also write the sentences of the last fuzzer to this directory as they are: before some are
    /// removed and all are reduced. This is the corpus of the paper, which has no such step. It must
    /// not exist.
    #[arg(long, value_name = "DIR")]
    grown: Option<PathBuf>,

    /// The bounds of the largest fuzzer (identifiers, items, depth), or `auto`. `auto` begins with
    /// 1,1,1 and raises the bound that gives the most new edges. If no bound gives half a percent
    /// more, it raises all three. It ends if that does not give half a percent more either.
    #[arg(long, value_name = "M,N,D", default_value = "3,3,3")]
    bounds: Plan,

    /// Run each fuzzer for this many seconds of processor time, from 1 to 86400. Without this option,
    /// a fuzzer ends when less than half a percent of its edges were found in the second half of its
    /// time. The time begins with the first runs, after the grammar is loaded.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time: Option<u64>,

    /// Without --time: let each fuzzer run for at least this many seconds of processor time.
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=86_400), conflicts_with = "time")]
    min_time: u64,

    /// Without --time: let each fuzzer run for at most this many seconds of processor time. The last
    /// fuzzer of fixed bounds runs as long as all others together.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400), conflicts_with = "time")]
    max_time: u64,

    /// The number of fuzzers that run at the same time, from 1 to 1024 [default: the number of
    /// processors].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// The seed of the random numbers, from 1.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    seed: u32,

    /// Also keep sentences that kill mutants. DIR has mutants of the target: programs with one small
    /// change each, built as the target. A sentence kills a mutant if its outcome with the mutant
    /// differs from its outcome with the target.
    #[arg(long, value_name = "DIR")]
    mutants: Option<PathBuf>,

    /// The extension of the text files [default: the name of the target].
    #[arg(long, value_name = "EXT", value_parser = extension)]
    extension: Option<String>,

    /// Arguments for libFuzzer, such as -max_len=10000.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl GrowCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let target = FuzzTarget::must_be(&self.target)?;
        check_is_new(&self.output)?;
        self.grown.as_deref().map_or(Ok(()), check_is_new)?;
        let mutants = self.mutants.as_deref().map(Mutants::of).transpose()?;
        let (grammar, _) = input::parse(&self.target, &target.grammar()?, None, &Caps::default())?;
        let work_directory = output::with_suffix(&self.output, ".grow")
            .map_err(|error| Problem::with(&self.output, error))?;
        let unfinished = WorkDirectory::open(&work_directory, node_store::is_own, &self.output)?;
        let store = NodeStore::open(
            unfinished,
            &StoreSettings {
                grammar: grammar.fingerprint(),
                seed: self.seed,
            },
        )?;
        let done = store.all_finished()?;
        if !done.is_empty() {
            eprintln!(
                "zester: goes on with the {} fuzzers that are finished in {}",
                done.len(),
                work_directory.display()
            );
        }
        let _interrupted = OnInterrupt::print(format!(
            "zester: interrupted; the same command goes on with the fuzzers that are finished in {}",
            work_directory.display()
        ));
        let run = LatticeRun {
            options: self,
            target: target.path(),
            grammar: &grammar,
            store: &store,
        };
        let (top, nodes) = run.grow_all(done)?;
        let growth = GrownLattice {
            grammar: &grammar,
            store: &store,
            nodes,
            top,
            target: target.path(),
            mutants: mutants.as_ref(),
        };
        let suite = RegressionSuite::new(growth)?;
        let extension = self
            .extension
            .clone()
            .unwrap_or_else(|| default_extension(&self.target));
        if let Some(directory) = &self.grown {
            let grown = TextDirectory::new(directory)?;
            for (name, text) in names(suite.grown.len(), &extension)
                .iter()
                .zip(&suite.grown)
            {
                grown.write(name, text)?;
            }
            grown.finish()?;
        }
        suite.write(&self.output, &extension, page::page)?;
        store.remove()?;
        eprint!("{}", suite.summary());
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the condition that ends a fuzzer. `before` is the time of all other fuzzers, if this is the last one.
    /// The last one runs for that time: it finds only what smaller bounds do not allow, and its edges grow too slowly
    /// to detect saturation.
    fn ending(&self, before: Option<Duration>) -> Ending {
        match (self.time, before) {
            (Some(seconds), _) => Ending::Time(Duration::from_secs(seconds)),
            (None, Some(time)) => Ending::Time(time.max(Duration::from_secs(self.min_time))),
            (None, None) => Ending::Saturation {
                floor: Duration::from_secs(self.min_time),
                ceiling: Duration::from_secs(self.max_time.max(self.min_time)),
            },
        }
    }
}

/// The nodes of the lattice by their state.
struct Schedule {
    /// The nodes that have not started. Each comes after the nodes below it.
    waiting: Vec<Fuzzer>,
    running: BTreeSet<Fuzzer>,
    done: BTreeMap<Fuzzer, FinishedNode>,
    /// The node whose corpus is the result. It is set when all nodes are done.
    top: Option<Fuzzer>,
    /// The first error of a thread.
    problem: Option<Problem>,
}

impl Schedule {
    /// Takes the first waiting node for which all nodes below it are done.
    fn take(&mut self) -> Option<Fuzzer> {
        let is_unfinished_below = |node: Fuzzer| {
            let mut unfinished = self.waiting.iter().chain(&self.running);
            unfinished.any(|other| other.is_below(node))
        };
        let at = self
            .waiting
            .iter()
            .position(|&node| !is_unfinished_below(node))?;
        let node = self.waiting.remove(at);
        self.running.insert(node);
        Some(node)
    }
}

/// Runs the fuzzers of a lattice in several threads.
struct LatticeRun<'a> {
    options: &'a GrowCommand,
    target: &'a Path,
    grammar: &'a Grammar,
    store: &'a NodeStore,
}

impl LatticeRun<'_> {
    /// Runs all fuzzers that have not finished. Returns the node with the result, and all nodes.
    fn grow_all(
        &self,
        done: BTreeMap<Fuzzer, FinishedNode>,
    ) -> Result<(Fuzzer, BTreeMap<Fuzzer, FinishedNode>), Problem> {
        let schedule = Schedule {
            waiting: Vec::new(),
            running: BTreeSet::new(),
            done,
            top: None,
            problem: None,
        };
        let (schedule, changed) = (Mutex::new(schedule), Condvar::new());
        let bar = progress(0, "fuzzers");
        std::thread::scope(|scope| {
            for _ in 0..threads(self.options.jobs, usize::MAX) {
                scope.spawn(|| self.run_nodes(&schedule, &changed, &bar));
            }
        });
        bar.finish_and_clear();
        let Schedule {
            done, top, problem, ..
        } = schedule
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match (problem, top) {
            (None, Some(top)) => Ok((top, done)),
            (Some(problem), _) => Err(problem),
            (None, None) => Err(Problem::new("a thread has panicked")),
        }
    }

    /// Runs fuzzers on a thread, until none is left or a thread fails.
    fn run_nodes(&self, schedule: &Mutex<Schedule>, changed: &Condvar, bar: &ProgressBar) {
        let lock = || schedule.lock().unwrap_or_else(PoisonError::into_inner);
        let mut guard = lock();
        loop {
            if guard.waiting.is_empty() && guard.running.is_empty() && guard.top.is_none() {
                match self.options.bounds.step(&guard.done) {
                    Step::Grow(nodes) => guard.waiting = nodes,
                    Step::End(top) => guard.top = Some(top),
                }
                bar.set_length((guard.done.len() + guard.waiting.len()) as u64);
                bar.set_position(guard.done.len() as u64);
                bar.reset_eta();
                changed.notify_all();
            }
            if guard.problem.is_some() || guard.top.is_some() {
                return;
            }
            let Some(fuzzer) = guard.take() else {
                guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let below = fuzzer.directly_below(guard.done.keys().copied());
            let before = (self.options.bounds.last() == Some(fuzzer))
                .then(|| guard.done.values().map(|node| node.time).sum());
            drop(guard);
            let grown = self.grow(fuzzer, &below, self.options.ending(before));
            guard = lock();
            guard.running.remove(&fuzzer);
            match grown {
                Ok(grown) => {
                    let line = line(&grown, below.iter().map(|node| &guard.done[node]));
                    bar.suspend(|| eprintln!("{line}"));
                    bar.inc(1);
                    guard.done.insert(fuzzer, grown);
                }
                Err(problem) => _ = guard.problem.get_or_insert(problem),
            }
            changed.notify_all();
        }
    }

    /// Runs one fuzzer with the corpora of the nodes below it as seeds, selects its corpus and
    /// finishes its directory.
    fn grow(
        &self,
        fuzzer: Fuzzer,
        below: &[Fuzzer],
        ending: Ending,
    ) -> Result<FinishedNode, Problem> {
        let directory = self.store.partial(fuzzer);
        let seeds = directory.join("seeds");
        output::make_directory(&seeds)?;
        let mut inputs = BTreeSet::new();
        for &node in below {
            inputs.extend(self.store.corpus(node)?);
        }
        for (number, input) in inputs.iter().enumerate() {
            let file = seeds.join(number.to_string());
            std::fs::write(&file, input).map_err(|error| Problem::with(&file, error))?;
        }
        let campaign = Campaign {
            target: self.target,
            fuzzer,
            ending,
            seed: self.options.seed,
            arguments: &self.options.arguments,
            directory: directory.clone(),
        };
        let finished = campaign.run()?;
        inputs.extend(node_store::read_all(&directory.join("found"))?);
        let settings = Settings::default().bounds(fuzzer.bounds());
        let mut decoder = Decoder::new(self.grammar).settings(settings);
        let mut subject = selection::start(self.target)?;
        let (kept, covered) = selection::select(fuzzer, &mut decoder, &mut subject, inputs)?;
        self.store.finish(fuzzer, finished, &kept, &covered)
    }
}

/// Describes a finished fuzzer in a line. `below` are the nodes whose corpora were its seeds.
fn line<'a>(grown: &FinishedNode, below: impl Iterator<Item = &'a FinishedNode>) -> String {
    let before = below.map(|grown| grown.edges).max().unwrap_or(0);
    let FinishedNode {
        fuzzer,
        time,
        crashes,
        edges,
        valid_edges,
        inputs,
        valid,
        ..
    } = grown;
    let crashes = if *crashes > 0 {
        format!(", {}", counted(crashes, "crash"))
    } else {
        String::new()
    };
    format!(
        "{:<12} {:>6.1} s  {edges:>6} edges ({:+}), {valid_edges} by valid sentences; {}, {valid} of them valid{crashes}",
        fuzzer.to_string(),
        time.as_secs_f64(),
        *edges as i64 - before as i64,
        counted(inputs, "sentence"),
    )
}
