//! `zester grow`: grows a concise corpus by Bonsai fuzzing.

mod campaign;
mod lattice;
mod selection;
mod suite;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};

use self::campaign::{Campaign, Ending};
use self::lattice::{Fuzzer, Lattice};
use self::work::{Grown, Work};
use crate::input;
use crate::interrupt::OnInterrupt;
use crate::output;
use crate::problem::Problem;
use crate::progress::progress;
use crate::target::Target;

/// Grow a small corpus of small inputs that cover much: a regression suite, or test cases for people to read.
///
/// Fuzzers with tiny bounds run first, and their inputs are the seeds of fuzzers with larger bounds (Bonsai fuzzing, Vikram, Padhye
/// and Sen, ICSE 2021). A fuzzer F(m, n, d) makes sentences of at most m different identifiers, n items of a repetition and d nested
/// expansions of a nonterminal. Each pair of fuzzers keeps valid inputs only, then all inputs. After each fuzzer, the smallest inputs
/// that together cover what it covered are kept.
///
/// The corpus is a directory of texts, smallest first, with suite.json, which describes each file. Inputs that crash the target are in
/// the subdirectory crashes.
///
/// A command that was interrupted goes on where it was if it is started again with the same arguments. Its unfinished work is in
/// the directory DIR.grow.
///
/// Examples:
///   cargo fuzz build --sanitizer none json
///   zester grow fuzz/target/x86_64-unknown-linux-gnu/release/json -o suite
///   zester grow fuzz/target/…/release/json -o suite --bounds 2,4,3 --time 60
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Grow {
    /// The fuzz target: a program with zester's hooks and libFuzzer.
    #[arg(value_name = "TARGET")]
    target: PathBuf,

    /// The directory for the corpus. It must not exist.
    #[arg(short, value_name = "DIR")]
    output: PathBuf,

    /// The bounds of the largest fuzzer: identifiers, items and depth. There are 2 x M x N x D fuzzers.
    #[arg(long, value_name = "M,N,D", default_value = "3,3,3")]
    bounds: Lattice,

    /// Run each fuzzer for this many seconds. By default, a fuzzer ends when it has found nothing for as long as it took until its
    /// last finding.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    time: Option<u64>,

    /// Without --time, run each fuzzer for at least this many seconds without a finding.
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=86_400), conflicts_with = "time")]
    min_time: u64,

    /// Without --time, run each fuzzer for at most this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400), conflicts_with = "time")]
    max_time: u64,

    /// How many fuzzers run at the same time; by default as many as there are processors.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// The seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u32,

    /// The extension of the files; by default the name of the target.
    #[arg(long, value_name = "EXT")]
    extension: Option<String>,

    /// Further arguments for libFuzzer, such as -max_len=10000.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

/// The nodes of the lattice and how far they are.
struct Schedule {
    waiting: BTreeSet<usize>,
    running: usize,
    done: BTreeMap<Fuzzer, Grown>,
    problem: Option<Problem>,
}

impl Grow {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let Some(target) = Target::of(&self.target)? else {
            return Err(Problem::with(&self.target, "no fuzz target"));
        };
        if self.output.symlink_metadata().is_ok() {
            return Err(Problem::with(&self.output, "is there already; name another directory"));
        }
        let (grammar, _) = input::parse(&self.target, &target.grammar()?, None, &Caps::default())?;
        let work_directory = output::with_suffix(&self.output, ".grow").map_err(|error| Problem::with(&self.output, error))?;
        let work = Work::open(&work_directory, &work::Settings { grammar: grammar.fingerprint(), seed: self.seed })?;
        let fuzzers = self.bounds.fuzzers();
        let mut schedule = Schedule { waiting: (0..fuzzers.len()).collect(), running: 0, done: BTreeMap::new(), problem: None };
        for (at, &fuzzer) in fuzzers.iter().enumerate() {
            if let Some(grown) = work.finished(fuzzer)? {
                schedule.waiting.remove(&at);
                schedule.done.insert(fuzzer, grown);
            }
        }
        let continued = schedule.done.len();
        if continued > 0 {
            eprintln!("zester: {continued} of {} fuzzers are finished in {}", fuzzers.len(), work_directory.display());
        }
        let _interrupted = OnInterrupt::say(format!(
            "zester: interrupted; the same command goes on, with the fuzzers that are finished in {}",
            work_directory.display()
        ));
        let bar = progress(fuzzers.len() as u64, "fuzzers");
        bar.inc(continued as u64);
        let (schedule, changed) = (Mutex::new(schedule), Condvar::new());
        let grower = Grower { options: self, target: target.path(), grammar: &grammar, work: &work, fuzzers: &fuzzers };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs().min(fuzzers.len()) {
                scope.spawn(|| grower.work(&schedule, &changed, &bar));
            }
        });
        bar.finish_and_clear();
        let schedule = schedule.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(problem) = schedule.problem {
            return Err(problem);
        }
        let extension = self.extension.clone().unwrap_or_else(|| name_of(&self.target));
        let suite = suite::Suite::new(&grammar, &work, &schedule.done, self.bounds.top(), target.path())?;
        suite.write(&self.output, &extension)?;
        std::fs::remove_dir_all(&work_directory).map_err(|error| Problem::with(&work_directory, error))?;
        eprint!("{}", suite.summary());
        Ok(ExitCode::SUCCESS)
    }

    fn jobs(&self) -> usize {
        self.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
    }

    fn ending(&self) -> Ending {
        match self.time {
            Some(seconds) => Ending::Time(Duration::from_secs(seconds)),
            None => Ending::Saturation {
                floor: Duration::from_secs(self.min_time),
                ceiling: Duration::from_secs(self.max_time.max(self.min_time)),
            },
        }
    }
}

/// Returns the name of a program's file without directory and extension.
fn name_of(target: &Path) -> String {
    target.file_stem().map_or_else(|| "txt".into(), |name| name.to_string_lossy().into_owned())
}

/// What all threads share.
struct Grower<'a> {
    options: &'a Grow,
    target: &'a Path,
    grammar: &'a Grammar,
    work: &'a Work,
    fuzzers: &'a [Fuzzer],
}

impl Grower<'_> {
    /// The work of a thread: runs fuzzers whose predecessors are done, until none is left.
    fn work(&self, schedule: &Mutex<Schedule>, changed: &Condvar, bar: &ProgressBar) {
        let lock = || schedule.lock().unwrap_or_else(PoisonError::into_inner);
        let mut guard = lock();
        loop {
            let Some(at) = self.next(&guard) else {
                if guard.problem.is_some() || guard.waiting.is_empty() || guard.running == 0 {
                    changed.notify_all();
                    return;
                }
                guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            guard.waiting.remove(&at);
            guard.running += 1;
            drop(guard);
            let grown = self.grow(self.fuzzers[at]);
            guard = lock();
            guard.running -= 1;
            match grown {
                Ok(grown) => {
                    bar.println(line(&grown, &guard.done));
                    bar.inc(1);
                    guard.done.insert(grown.fuzzer, grown);
                }
                Err(problem) => _ = guard.problem.get_or_insert(problem),
            }
            changed.notify_all();
        }
    }

    /// Returns the first fuzzer that waits and has no unfinished predecessor.
    fn next(&self, schedule: &MutexGuard<'_, Schedule>) -> Option<usize> {
        if schedule.problem.is_some() {
            return None;
        }
        let is_ready = |at: &usize| self.fuzzers[*at].predecessors().all(|fuzzer| schedule.done.contains_key(&fuzzer));
        schedule.waiting.iter().copied().find(is_ready)
    }

    /// Runs one fuzzer, selects its corpus and finishes its directory.
    fn grow(&self, fuzzer: Fuzzer) -> Result<Grown, Problem> {
        let directory = self.work.partial(fuzzer);
        let seeds = directory.join("seeds");
        output::make_directory(&seeds)?;
        let mut inputs = BTreeSet::new();
        for predecessor in fuzzer.predecessors() {
            inputs.extend(self.work.corpus(predecessor)?);
        }
        for (number, input) in inputs.iter().enumerate() {
            let file = seeds.join(number.to_string());
            std::fs::write(&file, input).map_err(|error| Problem::with(&file, error))?;
        }
        let campaign = Campaign {
            target: self.target,
            fuzzer,
            ending: self.options.ending(),
            seed: self.options.seed,
            arguments: &self.options.arguments,
            directory: directory.clone(),
        };
        let ran = campaign.run()?;
        inputs.extend(work::read_all(&directory.join("found"))?);
        let settings = Settings { bounds: fuzzer.bounds(), ..Settings::default() };
        let mut decoder = Decoder::new(self.grammar).settings(settings);
        let mut subject = selection::start(self.target)?;
        let (kept, covered) = selection::select(fuzzer, &mut decoder, &mut subject, inputs)?;
        self.work.finish(fuzzer, ran, &kept, &covered)
    }
}

/// Describes a finished fuzzer in a line.
fn line(grown: &Grown, done: &BTreeMap<Fuzzer, Grown>) -> String {
    let before = grown.fuzzer.predecessors().filter_map(|fuzzer| done.get(&fuzzer)).map(|grown| grown.edges).max().unwrap_or(0);
    let Grown { fuzzer, time, crashes, edges, valid_edges, inputs, valid } = grown;
    let crashes = if *crashes > 0 { format!(", {crashes} crashes") } else { String::new() };
    format!(
        "{:<12} {:>6.1} s  {edges:>6} edges ({:+}), {valid_edges} by valid inputs; {inputs} inputs, {valid} of them valid{crashes}",
        fuzzer.to_string(),
        time.as_secs_f64(),
        *edges as i64 - before as i64,
    )
}
