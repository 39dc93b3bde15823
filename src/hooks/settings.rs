//! Settings: environment variables, and flags on the command line of a fuzz target.

mod experiment;
mod table;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use self::experiment::Experiment;
pub(super) use self::table::help;
use self::table::{SETTINGS, is_setting};
use super::goals::Goals;
use crate::bounds::Bounds;
use crate::corpus;
use crate::error::Error;
use crate::feedback;
use crate::fork_server;
use crate::fork_server::protocol::VARIABLE;
use crate::grammar::Grammar;
use crate::language::GrammarSource;
use crate::mutate::{Mutator, RegionMutator};
use crate::parameters::{Edits, Settings};

/// The environment variable that names the file in which child processes count statistics.
pub(super) const SHARED: &str = "ZESTER_SHARED_FIGURES";

/// The environment variable in which `zester fuzz` passes the name of a file for statistics to the
/// processes that it starts. The file is empty until the first process enlarges it.
pub(super) const CAMPAIGN: &str = "ZESTER_CAMPAIGN_FIGURES";

/// The default of libFuzzer's `-rss_limit_mb`.
const MEMORY_LIMIT: usize = 2048;

#[derive(Debug)]
pub(super) struct Options {
    pub settings: Settings,
    /// Whether mutators whose results reach new code are used more often.
    pub adapts: bool,
    /// Whether other inputs are mutated instead of invalid ones.
    pub avoids_invalid: bool,
    /// Whether new subtrees favour alternatives whose sentences are often valid.
    pub estimates_validity: bool,
    /// Whether mutators avoid common features of frequent failures, if failures do not end the
    /// campaign.
    pub avoids_failures: bool,
    /// The probability that a nonterminal of a new subtree gets its minimum size.
    pub leaf_probability: f64,
    /// The names of the mutators to use, separated by commas. [`None`] means all mutators.
    pub mutators: Option<String>,
    /// Whether inputs are texts, not parameters.
    pub texts: bool,
    /// Whether libFuzzer keeps no input that is reported invalid.
    pub valid_only: bool,
    /// Whether edges that valid inputs reach are separate coverage features.
    pub feedback: bool,
    pub goals: Goals,
    /// Whether the process goes on after a panic of the program under test.
    pub panics_continue: bool,
    /// The file for JSON lines of statistics.
    pub statistics: Option<PathBuf>,
    /// Whether a copy of the process goes on when a run ends the process.
    pub checkpoints: bool,
    /// libFuzzer's limit of memory in megabytes; 0 means none.
    pub memory_limit: usize,
    /// Crates that zester uses itself, but whose coverage counts.
    pub cover: Vec<String>,
    /// Whether this process starts other processes that share its statistics (`-fork`, `-jobs`,
    /// `-merge`).
    pub parent: bool,
    /// Whether libFuzzer counts comparisons as features.
    pub value_profile: bool,
    /// Whether equivalent sentences must have equal outcomes. [`None`] means that the target
    /// decides.
    pub equal: Option<bool>,
    pub words: Option<PathBuf>,
    /// A directory of texts that become seeds.
    pub seeds: Option<PathBuf>,
    /// Whether libFuzzer merges corpora. If so, only libFuzzer may write to the first corpus.
    pub merges: bool,
    /// The artifacts that libFuzzer writes.
    pub artifacts: Artifacts,
    /// The maximum length of an input in bytes, if the command line sets it.
    pub max_len: Option<usize>,
    /// The files and directories on the command line.
    pub inputs: Vec<PathBuf>,
    /// Whether this process is a fork server, which runs inputs for a client instead of fuzzing.
    pub is_fork_server: bool,
    /// The directory to which decoded inputs are written, or `-` for standard output. If it is set,
    /// nothing runs.
    pub decode: Option<PathBuf>,
    /// The file to which the text of the target's grammar is written, or `-` for standard output.
    /// If it is set, nothing runs.
    pub grammar_out: Option<PathBuf>,
    /// The directory to which the parameters of the inputs are written, or `-` for standard output.
    /// If it is set, the inputs are texts, and nothing runs.
    pub encode: Option<PathBuf>,
}

/// The flags of libFuzzer about artifacts.
#[derive(Debug)]
pub(super) struct Artifacts {
    /// The beginning of the paths of all artifacts.
    pub prefix: Option<PathBuf>,
    /// The path of the only artifact.
    pub exact: Option<PathBuf>,
    /// Whether libFuzzer writes artifacts. It writes none if it only runs files.
    pub are_written: bool,
}

impl Options {
    /// Reads all settings.
    ///
    /// # Errors
    /// If a flag of zester is unknown, or if a setting has a wrong value.
    pub fn from_environment() -> Result<Options, Error> {
        let mut settings = Settings::default();
        if let Some(text) = variable("ZESTER_BOUNDS") {
            settings.bounds = text
                .parse()
                .map_err(|problem| format!("zester: ZESTER_BOUNDS={text}: {problem}\n"))?;
        }
        let experiment: Experiment =
            variable("ZESTER_EXPERIMENT").map_or(Ok(Experiment::default()), |text| {
                text.parse()
                    .map_err(|problem| format!("zester: ZESTER_EXPERIMENT={text}: {problem}\n"))
            })?;
        settings.past_end = experiment.past_end;
        let arguments: Vec<String> = env::args_os()
            .skip(1)
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        if let Some(flag) = arguments.iter().find(|argument| is_unknown(argument)) {
            return Err(format!("zester: {}\n", explain_unknown(flag)).into());
        }
        let texts = choice("ZESTER_TEXT", &[("0", false), ("1", true)])?;
        let valid_only = choice("ZESTER_VALID_ONLY", &[("0", false), ("1", true)])?;
        // With bounds, every input is a sentence. Inputs that are texts are not decoded.
        if choice("ZESTER_NEGATIVE", &[("1", true), ("0", false)])?
            && !texts
            && settings.bounds == Bounds::UNBOUNDED
        {
            settings.edits = Edits::On;
        }
        let value = |flag: &str| {
            arguments
                .iter()
                .rev()
                .find_map(|argument| argument.strip_prefix(flag)?.strip_prefix('='))
        };
        let is_on = |flag: &str| value(flag).is_some_and(|value| value != "0");
        let inputs: Vec<PathBuf> = env::args_os()
            .skip(1)
            .map(PathBuf::from)
            .filter(|argument| !argument.as_os_str().as_encoded_bytes().starts_with(b"-"))
            .collect();
        let artifacts = Artifacts {
            prefix: path_flag("-artifact_prefix="),
            exact: path_flag("-exact_artifact_path="),
            are_written: !are_files(&inputs) || is_on("-minimize_crash_internal_step"),
        };
        Ok(Options {
            settings,
            adapts: experiment.adapts,
            avoids_invalid: experiment.avoids_invalid,
            estimates_validity: experiment.estimates_validity,
            avoids_failures: experiment.steers,
            leaf_probability: experiment.leaf / f64::from(settings.bounds.depth),
            mutators: experiment.mutators,
            texts,
            valid_only,
            feedback: experiment.feedback,
            goals: variable("ZESTER_GOAL").map_or(Ok(Goals::default()), |text| {
                text.parse()
                    .map_err(|problem| format!("zester: ZESTER_GOAL={text}: {problem}\n"))
            })?,
            panics_continue: choice("ZESTER_PANICS", &[("end", false), ("continue", true)])?,
            checkpoints: choice("ZESTER_CHECKPOINTS", &[("0", false), ("1", true)])?,
            memory_limit: value("-rss_limit_mb")
                .and_then(|value| value.parse().ok())
                .unwrap_or(MEMORY_LIMIT),
            cover: variable("ZESTER_COVER").map_or(Vec::new(), |text| {
                text.split(',').map(|name| name.trim().into()).collect()
            }),
            statistics: setting("ZESTER_STATS").map(PathBuf::from),
            parent: ["-fork", "-jobs", "-merge"].into_iter().any(is_on),
            value_profile: is_on("-use_value_profile"),
            words: words_file(
                setting("ZESTER_WORDS").map(PathBuf::from),
                &inputs,
                texts || settings.bounds != Bounds::UNBOUNDED,
            ),
            equal: match setting("ZESTER_EQUAL") {
                None => None,
                Some(_) => Some(choice("ZESTER_EQUAL", &[("0", false), ("1", true)])?),
            },
            seeds: setting("ZESTER_SEEDS").map(PathBuf::from),
            merges: is_on("-merge"),
            max_len: value("-max_len")
                .and_then(|value| value.parse().ok())
                .filter(|&max| max > 0),
            artifacts,
            inputs,
            is_fork_server: fork_server::is_requested(),
            decode: setting("ZESTER_DECODE").map(PathBuf::from),
            grammar_out: setting("ZESTER_GRAMMAR_OUT").map(PathBuf::from),
            encode: setting("ZESTER_ENCODE").map(PathBuf::from),
        })
    }

    /// Returns whether panics of the program under test are caught. Panics that abort, and
    /// exceptions of a harness in C++, cannot be caught.
    pub fn catches_panics(&self) -> bool {
        // Only for libFuzzer can zester write artifacts without ending the process.
        let continues = self.panics_continue && feedback::is_libfuzzer();
        let wanted = continues || self.goals.exceptions;
        let is_rust = cfg!(any(feature = "libfuzzer", feature = "libafl"));
        wanted && is_rust && !self.is_fork_server && !self.runs_files() && cfg!(panic = "unwind")
    }

    /// Returns whether the process goes on after a disagreement that an oracle reports.
    pub fn goes_on_after_disagreements(&self) -> bool {
        let is_campaign = !self.is_fork_server && !self.runs_files();
        self.panics_continue && is_campaign && feedback::is_libfuzzer()
    }

    /// Returns whether checkpoints are made: in a process that fuzzes, but not with `-fork`,
    /// `-jobs` or `-merge`.
    pub fn makes_checkpoints(&self) -> bool {
        let is_child = env::var_os(SHARED).is_some();
        let is_alone = !self.parent && !is_child && !self.is_fork_server;
        self.checkpoints && is_alone && !self.runs_files() && feedback::is_libfuzzer()
    }

    /// Returns whether mutators avoid common features of frequent failures.
    pub fn steers(&self) -> bool {
        let goes_on =
            self.makes_checkpoints() || self.catches_panics() || self.goes_on_after_disagreements();
        self.avoids_failures && goes_on && !self.goals.exceptions && !self.texts
    }

    /// Returns a mutator with these settings.
    ///
    /// # Errors
    /// If `ZESTER_EXPERIMENT` names an operator that does not exist. The message lists all operators.
    pub fn mutator<'g>(&self, grammar: Option<&'g Grammar>) -> Result<Mutator<'g>, Error> {
        let mut mutator = Mutator::with_grammar(grammar).settings(self.settings);
        if let Some(names) = &self.mutators {
            mutator = mutator.only(names).map_err(|problem| {
                format!("zester: ZESTER_EXPERIMENT=mutators={names}: {problem}\n")
            })?;
        }
        mutator = mutator.leaf_probability(self.leaf_probability);
        if !self.avoids_invalid {
            mutator = mutator.any_parents();
        }
        if !self.estimates_validity {
            mutator = mutator.without_validity_model();
        }
        if self.valid_only {
            mutator = mutator.without_text_edits();
        }
        Ok(if self.adapts {
            mutator
        } else {
            mutator.fixed_shares()
        })
    }

    /// Returns a mutator of the bytes that a generator reads, with these settings.
    ///
    /// # Errors
    /// If `ZESTER_EXPERIMENT` names an operator that does not exist. The message lists all operators.
    pub fn region_mutator(&self, make: fn(&[u8])) -> Result<RegionMutator, Error> {
        let mut mutator = RegionMutator::new(make);
        if let Some(names) = &self.mutators {
            mutator = mutator.only(names).map_err(|problem| {
                format!("zester: ZESTER_EXPERIMENT=mutators={names}: {problem}\n")
            })?;
        }
        if !self.avoids_invalid {
            mutator = mutator.any_parents();
        }
        Ok(if self.adapts {
            mutator
        } else {
            mutator.fixed_shares()
        })
    }

    /// Returns whether libFuzzer runs only the input files on the command line. If so, their
    /// sentences are printed.
    pub fn runs_files(&self) -> bool {
        are_files(&self.inputs)
    }
}

/// Returns the value of a flag of libFuzzer that is a path, which need not be UTF-8.
fn path_flag(flag: &str) -> Option<PathBuf> {
    env::args_os().skip(1).rev().find_map(|argument| {
        let path = argument.as_bytes().strip_prefix(flag.as_bytes())?;
        Some(OsStr::from_bytes(path).into())
    })
}

/// Returns whether there are inputs and all are files.
fn are_files(inputs: &[PathBuf]) -> bool {
    !inputs.is_empty() && inputs.iter().all(|path| path.is_file())
}

/// Returns the value of a setting: the value of the flag `--zester_bounds=…` on the command line,
/// or of the environment variable `ZESTER_BOUNDS` if there is no flag. An empty value counts as
/// none.
///
/// libFuzzer ignores flags with two dashes, and passes them to its child processes. A flag with one
/// dash is accepted, too, because ClusterFuzz removes one of two dashes.
pub fn setting(name: &str) -> Option<OsString> {
    let flag = env::args_os().skip(1).rev().find_map(|argument| {
        let (flag, value) = flag_of_zester(argument.to_str()?)?;
        flag.eq_ignore_ascii_case(name)
            .then(|| value.unwrap_or_default().into())
    });
    flag.or_else(|| env::var_os(name))
        .filter(|value| !value.is_empty())
}

/// Returns the grammar in the file that `ZESTER_GRAMMAR` names, or [`None`] if the setting is
/// missing. The grammar lives until the process ends.
///
/// # Errors
/// If the file cannot be read.
pub fn named_grammar() -> Result<Option<&'static GrammarSource>, Error> {
    let Some(file) = setting("ZESTER_GRAMMAR") else {
        return Ok(None);
    };
    let name = Path::new(&file).display().to_string();
    let text = std::fs::read(&file).map_err(|error| format!("zester: {name}: {error}\n"))?;
    Ok(Some(Box::leak(Box::new(GrammarSource::new(
        name.leak(),
        text.leak(),
    )))))
}

/// Splits a flag of zester into name and value: `--zester_bounds=1` and `-zester_bounds=1` into
/// `zester_bounds` and `1`.
fn flag_of_zester(argument: &str) -> Option<(&str, Option<&str>)> {
    let flag = argument
        .strip_prefix("--")
        .or_else(|| argument.strip_prefix('-'))?;
    flag.starts_with("zester_").then(|| {
        flag.split_once('=')
            .map_or((flag, None), |(flag, value)| (flag, Some(value)))
    })
}

/// Returns whether a flag asks for the table of settings.
pub(super) fn wants_help() -> bool {
    env::args()
        .skip(1)
        .any(|argument| argument.trim_start_matches('-').split('=').next() == Some("zester_help"))
}

/// Returns whether an argument is a flag of zester without a value or with an unknown name.
fn is_unknown(argument: &str) -> bool {
    flag_of_zester(argument)
        .is_some_and(|(flag, value)| value.is_none() || !is_setting(&flag.to_ascii_uppercase()))
}

/// Returns a message about a flag for which [`is_unknown`] returns `true`.
fn explain_unknown(argument: &str) -> String {
    let flag = argument.split('=').next().unwrap_or_default();
    let name = flag.trim_start_matches('-');
    if is_setting(&name.to_ascii_uppercase()) {
        return format!("{flag} has no value: expected {flag}=VALUE");
    }
    match similar(name) {
        Some(known) => format!(
            "no flag {flag}; did you mean --{}?",
            known.to_ascii_lowercase()
        ),
        None => {
            let all: Vec<String> = SETTINGS
                .iter()
                .map(|setting| format!("--{}=", setting.name.to_ascii_lowercase()))
                .collect();
            format!("no flag {flag}; the flags are {}", all.join(" "))
        }
    }
}

/// Returns the setting with the most similar name, or [`None`] if no name is similar: at most three letters
/// may differ, and at most a third of the letters after `ZESTER_`, rounded up.
fn similar(name: &str) -> Option<&'static str> {
    let distance = |known: &str| strsim::damerau_levenshtein(&name.to_ascii_uppercase(), known);
    SETTINGS
        .iter()
        .map(|setting| setting.name)
        .min_by_key(|known| distance(known))
        .filter(|known| distance(known) <= (known.len() - "ZESTER_".len()).div_ceil(3).min(3))
}

/// Warns of every environment variable that begins with `ZESTER_` and is no setting.
pub(super) fn warn_of_unknown_variables() {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut unknown: Vec<String> = names.filter_map(|name| warning_of(&name)).collect();
    unknown.sort_unstable();
    unknown
        .iter()
        .for_each(|warning| eprintln!("zester: WARNING: {warning}"));
}

/// Returns a warning about the name of an environment variable. Returns [`None`] if it is a
/// setting, or does not begin with `ZESTER_`.
fn warning_of(name: &str) -> Option<String> {
    if !name.starts_with("ZESTER_")
        || is_setting(name)
        || [VARIABLE, SHARED, CAMPAIGN].contains(&name)
    {
        return None;
    }
    let suggestion =
        similar(name).map_or(String::new(), |known| format!("; did you mean {known}?"));
    Some(format!(
        "the environment variable {name} has no effect{suggestion}"
    ))
}

fn variable(name: &str) -> Option<String> {
    setting(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the meaning of the value of a setting. The first of `values` is the default.
fn choice<T: Copy>(name: &str, values: &[(&str, T)]) -> Result<T, Error> {
    let Some(text) = variable(name) else {
        return Ok(values[0].1);
    };
    let found = values.iter().find(|(value, _)| *value == text);
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let allowed: Vec<&str> = values.iter().map(|&(value, _)| value).collect();
        format!("zester: {name}={text}: expected {}\n", allowed.join(" or ")).into()
    })
}

/// Returns the path of the file of words: the path in the setting, or a file beside the first
/// corpus. Returns [`None`] if there is neither, or if the setting is `-`.
fn words_file(named: Option<PathBuf>, inputs: &[PathBuf], is_bounded: bool) -> Option<PathBuf> {
    if named.as_deref() == Some(Path::new("-")) {
        return None;
    }
    named.or_else(|| {
        // Bounds forbid names that the grammar does not list.
        let inputs = if is_bounded { &[] } else { inputs };
        corpus::words_file(inputs.first().filter(|input| input.is_dir())?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_reported() {
        let flags = [
            (
                "--zester_stat=x",
                "no flag --zester_stat; did you mean --zester_stats?",
            ),
            (
                "-zester_stats",
                "-zester_stats has no value: expected -zester_stats=VALUE",
            ),
        ];
        for (flag, expected) in flags {
            assert!(is_unknown(flag));
            assert_eq!(explain_unknown(flag), expected);
        }
        assert!(
            explain_unknown("--zester_unheard=1")
                .starts_with("no flag --zester_unheard; the flags are --zester_bounds= ")
        );
        let suggested =
            "the environment variable ZESTER_STAT has no effect; did you mean ZESTER_STATS?";
        assert_eq!(warning_of("ZESTER_STAT").as_deref(), Some(suggested));
        for name in ["ZESTER_UNHEARD_OF", "ZESTER_MUTANTS"] {
            let without = format!("the environment variable {name} has no effect");
            assert_eq!(warning_of(name), Some(without));
        }
        for name in SETTINGS.iter().map(|setting| setting.name).chain([
            VARIABLE,
            SHARED,
            CAMPAIGN,
            "PATH",
            "ZESTERDAY",
        ]) {
            assert_eq!(warning_of(name), None, "{name}");
        }
    }

    #[test]
    fn flags_are_split_and_checked() {
        let cases = [
            (
                "--zester_bounds=1,-,-",
                Some(("zester_bounds", Some("1,-,-"))),
                false,
            ),
            (
                "-zester_stats=a=b",
                Some(("zester_stats", Some("a=b"))),
                false,
            ),
            ("--zester_stats", Some(("zester_stats", None)), true),
            ("-zester_what=1", Some(("zester_what", Some("1"))), true),
            ("---zester_stats=1", None, false),
            ("zester_stats=1", None, false),
            ("-max_len=4", None, false),
        ];
        for (argument, flag, unknown) in cases {
            assert_eq!(
                (flag_of_zester(argument), is_unknown(argument)),
                (flag, unknown),
                "{argument}"
            );
        }
    }
}
