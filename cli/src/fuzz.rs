//! `zester fuzz`: builds a fuzz target, runs it in several processes, and shows what they find.

mod advice;
mod campaign;
mod failures;
mod figures;
mod log;
mod names;
mod screen;
mod set_aside;
mod shared_file;
mod snapshot;
mod summary;
mod worker;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use zester::corpus;

use self::campaign::{FuzzCampaign, FuzzPlan};
use self::names::Names;
use self::summary::summary;
use crate::fuzz_crate::{BuildOptions, FuzzCrate};
use crate::fuzz_target::FuzzTarget;
use crate::input::warn_of_stale_for_target;
use crate::interrupt;
use crate::known::KnownFailures;
use crate::output;
use crate::problem::{Problem, shown};
use crate::shell;

const EXAMPLES: &str = "\
The live screen:
  executions   runs of the target, and the share of the time in which processes start and read the
               corpus
  valid        the share of sentences that the target reported valid
  edges        edges of the control flow that were reached, by any and by valid inputs
  failures     crashes, time-outs and others, grouped by signature; the first one of each group is
               reduced and printed
Lines with ! say what is wrong, and what to do about it.

A failure does not end the campaign: a panic of Rust is caught, and a copy of the process from a few
seconds before takes the place of one that failed otherwise (`zester guide commands`). The files CORPUS.stats have the figures of all campaigns for `zester report`.

Examples:
  zester fuzz parse                            a target of cargo-fuzz, until Ctrl-C
  zester fuzz parse -- -max_total_time=600     for ten minutes
  zester fuzz parse --until-failure            up to the first failure
  zester fuzz parse --no-run                   only build, for zester run, why, grow and others
  zester fuzz parse --known fuzz/known/parse.toml        failures in this file are only counted
  zester fuzz parse my-corpus texts            more inputs to read; my-corpus gets the new ones
  zester fuzz parse fuzz/artifacts/parse/crash-0123      run one input and show it
  zester fuzz target/c/sqlite corpus -- -timeout=5       a harness in C

Exit status: 0; 1 if there was a failure; 2 if the target cannot be built or run; 130 after Ctrl-C.";

/// Fuzz a target in several processes, and show what they find.
///
/// The target is one of cargo-fuzz in the crate of this directory, which is built first, or a built
/// program: a fuzz target in Rust, or a harness in C that is linked with libzester.
///
/// Each core runs one process of libFuzzer. All share the corpus. Ctrl-C ends the campaign, loses
/// nothing, and prints the command that continues it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FuzzCommand {
    /// The name of a target of cargo-fuzz, or a built fuzz target.
    #[arg(value_name = "TARGET")]
    target: PathBuf,

    /// The corpus, which is made if it is missing, and more directories of inputs to read; or one
    /// file, which is run once and shown [default: fuzz/corpus/TARGET; for a built target,
    /// corpus/TARGET].
    #[arg(value_name = "CORPUS")]
    corpora: Vec<PathBuf>,

    /// The number of processes, from 1 to 1024 [default: one for each core; 1
    /// with -runs].
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    processes: Option<u16>,

    /// Build the target, print the path of its program, and run nothing.
    #[arg(long)]
    no_run: bool,

    /// End at the first failure.
    #[arg(long)]
    until_failure: bool,

    /// The directory of artifacts [default: fuzz/artifacts/TARGET; for a built target,
    /// artifacts/TARGET].
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,

    /// A file of known failures, which are counted, and neither printed nor a reason for the exit
    /// status. `zester triage --known FILE --accept` adds entries [default: fuzz/known/TARGET.toml,
    /// for a built target known/TARGET.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,

    #[command(flatten)]
    build: BuildOptions,

    /// The command that the user typed instead of this one, for messages.
    #[arg(long, hide = true, value_name = "COMMAND")]
    called: Option<String>,

    /// Flags of libFuzzer, such as -max_total_time=600, -runs=N, -timeout=5, -dict=FILE.
    #[arg(value_name = "FLAG", last = true)]
    flags: Vec<OsString>,
}

/// Flags with which libFuzzer does not fuzz, or starts processes itself. With them, the target runs
/// once in this terminal.
const OTHER_WORK: [&str; 6] = [
    "-merge=1",
    "-minimize_crash=1",
    "-cleanse_crash=1",
    "-help=1",
    "-jobs=",
    "-set_cover_merge=1",
];

/// The flags of [`OTHER_WORK`] for which the first corpus must be a directory.
const WORK_IN_CORPUS: [&str; 3] = ["-merge=1", "-jobs=", "-set_cover_merge=1"];

/// A target, and the default directories of its corpus and its artifacts.
struct Found {
    program: PathBuf,
    /// The name of the target in the names of directories.
    name: String,
    /// The target as the user writes it in commands.
    called: String,
    corpus: PathBuf,
    artifacts: PathBuf,
    /// The file of known failures, which may be missing.
    known: PathBuf,
}

impl FuzzCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let found = self.find()?;
        if self.no_run {
            output::print(format!("{}\n", shown(&found.program)).as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.corpora.first().is_some_and(|path| path.is_file()) || self.has_flag(&OTHER_WORK) {
            return self.run_once(&found);
        }
        let plan = self.plan(&found)?;
        let names = self.names(&found, &plan);
        let interrupts = interrupt::defer();
        let snapshot = FuzzCampaign::new(&plan, &names, &interrupts)?.run()?;
        eprint!("{}", summary(&snapshot, &names));
        Ok(if interrupts.is_set() {
            ExitCode::from(130)
        } else {
            ExitCode::from(u8::from(snapshot.has_failed()))
        })
    }

    /// Returns whether a flag of libFuzzer begins with one of `starts`.
    fn has_flag(&self, starts: &[&str]) -> bool {
        let mut flags = self.flags.iter().map(|flag| flag.to_string_lossy());
        flags.any(|flag| starts.iter().any(|start| flag.starts_with(start)))
    }

    /// Finds the target, and builds it if it belongs to a crate of cargo-fuzz.
    fn find(&self) -> Result<Found, Problem> {
        if self.target.components().count() > 1 || self.target.is_file() {
            let target = FuzzTarget::must_be(&self.target)?;
            let name = target.path().file_name().unwrap_or_default();
            return Ok(Found {
                program: target.path().into(),
                name: name.to_string_lossy().into_owned(),
                called: shell::path(&self.target),
                corpus: Path::new("corpus").join(name),
                artifacts: Path::new("artifacts").join(name),
                known: Path::new("known").join(format!("{}.toml", name.to_string_lossy())),
            });
        }
        let name = self.target.to_string_lossy().into_owned();
        let of_crate = FuzzCrate::find(self.build.fuzz_dir.as_deref())?;
        let program = of_crate.build(&name, &self.build)?;
        let fuzz = near(&of_crate.directory);
        Ok(Found {
            program,
            called: name.clone(),
            corpus: fuzz.join("corpus").join(&name),
            artifacts: fuzz.join("artifacts").join(&name),
            known: fuzz.join("known").join(format!("{name}.toml")),
            name,
        })
    }

    /// Runs an input, or libFuzzer with a flag of [`OTHER_WORK`], in this terminal.
    fn run_once(&self, found: &Found) -> Result<ExitCode, Problem> {
        if let Ok(target) = FuzzTarget::must_be(&found.program) {
            warn_of_stale_for_target(&self.corpora, &target, &found.program);
        }
        let mut corpora = self.corpora.clone();
        if corpora.is_empty() {
            corpora.push(found.corpus.clone());
        }
        if self.has_flag(&WORK_IN_CORPUS) {
            make(&corpora[0])?;
        }
        let mut command = Command::new(&found.program);
        command.args(&self.flags).args(&corpora);
        let status = command.status();
        let status = status.map_err(|error| Problem::with(&found.program, error))?;
        Ok(ExitCode::from(u8::from(!status.success())))
    }

    /// Returns what the campaign does, and makes its directories.
    fn plan(&self, found: &Found) -> Result<FuzzPlan, Problem> {
        let mut corpora = self.corpora.clone();
        if corpora.is_empty() {
            corpora.push(found.corpus.clone());
        }
        let artifacts = self.artifacts.as_ref().unwrap_or(&found.artifacts);
        let mut prefix = format!("{}/", artifacts.display());
        let (mut time, mut runs, mut timeout) = (None, None, Duration::from_secs(10));
        let mut flags = vec!["-report_slow_units=1".into()];
        for flag in &self.flags {
            let text = flag.to_string_lossy();
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            let number = value.parse::<u64>().ok();
            match (name, number) {
                ("-max_total_time", Some(seconds)) => {
                    time = (seconds > 0).then(|| Duration::from_secs(seconds));
                }
                ("-runs", Some(count)) => runs = Some(count),
                ("-artifact_prefix", _) => prefix = value.into(),
                ("-exact_artifact_path", _) => {
                    return Err(Problem::new(
                        "-exact_artifact_path: several failures would replace each other; use --artifacts DIR",
                    ));
                }
                (name, _) => {
                    if let ("-timeout", Some(seconds)) = (name, number) {
                        timeout = Duration::from_secs(seconds.max(1));
                    }
                    if !flag.as_bytes().starts_with(b"-") {
                        return Err(Problem::new(format!(
                            "{}: a flag of libFuzzer begins with a dash; the corpus comes before --",
                            shown(Path::new(flag))
                        )));
                    }
                    flags.push(flag.clone());
                }
            }
        }
        for corpus in &corpora[1..] {
            if !corpus.is_dir() {
                return Err(Problem::with(corpus, "is no directory"));
            }
        }
        make(&corpora[0])?;
        make(Path::new(
            prefix
                .rsplit_once('/')
                .map_or(".", |(directory, _)| directory),
        ))?;
        let statistics = output::with_suffix(&corpora[0], ".stats")
            .map_err(|error| Problem::with(&corpora[0], error))?;
        let given = std::env::var_os("ZESTER_STATS").filter(|path| !path.is_empty());
        Ok(FuzzPlan {
            program: found.program.clone(),
            corpora,
            artifacts: prefix,
            flags,
            statistics: given.map_or(statistics, PathBuf::from),
            processes: match self.processes {
                Some(processes) => processes.into(),
                // With one process, the number of runs is exact.
                None if runs.is_some() => 1,
                None => std::thread::available_parallelism().map_or(1, usize::from),
            },
            time,
            runs,
            timeout,
            until_failure: self.until_failure,
            known: self.known(found)?,
        })
    }

    /// Returns the known failures, if there is a file.
    fn known(&self, found: &Found) -> Result<Option<KnownFailures>, Problem> {
        let path = match &self.known {
            None if !found.known.is_file() => return Ok(None),
            None => &found.known,
            Some(path) => path,
        };
        let known = KnownFailures::read(path, false)?;
        eprintln!(
            "zester: known failures in {}: {}",
            shown(path),
            known.entries.len()
        );
        Ok(Some(known))
    }

    /// Returns the names and commands for messages.
    fn names(&self, found: &Found, plan: &FuzzPlan) -> Names {
        let path = shell::path;
        let command = || {
            let arguments: Vec<String> = std::env::args_os()
                .skip(1)
                .map(|argument| shell::argument(&shown(Path::new(&argument))))
                .collect();
            format!("zester {}", arguments.join(" "))
        };
        let run = || format!("zester fuzz {}", found.called);
        let setting = shell::own_setting();
        let with_setting = |command: String| format!("{setting}{command}");
        let artifacts = path(Path::new(plan.artifacts.trim_end_matches('/')));
        Names {
            name: found.name.clone(),
            run: with_setting(self.called.clone().unwrap_or_else(run)),
            triage: with_setting(format!("zester triage {} {artifacts}", found.called)),
            target: found.called.clone(),
            has_grammar: FuzzTarget::must_be(&found.program)
                .and_then(|target| target.grammar())
                .is_ok(),
            corpus: path(&plan.corpora[0]),
            words: corpus::words_file(&plan.corpora[0]).map_or(String::new(), |file| path(&file)),
            statistics: path(&plan.statistics),
            again: with_setting(self.called.clone().unwrap_or_else(command)),
        }
    }
}

/// Makes a directory and those above it.
fn make(directory: &Path) -> Result<(), Problem> {
    std::fs::create_dir_all(directory).map_err(|error| Problem::with(directory, error))
}

/// Returns a path relative to the current directory, if it is in it.
fn near(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(here) {
        Ok(relative) if relative != Path::new("") => relative.into(),
        Ok(_) => ".".into(),
        Err(_) => path.into(),
    }
}
