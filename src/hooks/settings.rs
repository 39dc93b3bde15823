//! What the environment and the command line of a fuzz target say to zester.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::fork_server;
use crate::grammar::Grammar;
use crate::language::Source;
use crate::mutate::Experience;
use crate::parameters::{PastEnd, Settings};
use crate::weights::Shares;

/// All that there is.
const VARIABLES: [&str; 16] = [
    "ZESTER_BOUNDS",
    "ZESTER_COVER",
    "ZESTER_DECODE",
    "ZESTER_FEEDBACK",
    "ZESTER_GRAMMAR",
    "ZESTER_GRAMMAR_OUT",
    "ZESTER_MIX",
    "ZESTER_MUTATORS",
    "ZESTER_PAST_END",
    "ZESTER_SCHEDULE",
    "ZESTER_SEEDS",
    "ZESTER_STATS",
    "ZESTER_TEXT",
    "ZESTER_VALID_ONLY",
    "ZESTER_VALID_RESULT",
    "ZESTER_WEIGHTS",
];

/// The settings of a process.
#[derive(Debug)]
pub(super) struct Options {
    pub settings: Settings,
    /// Whether mutators are taken more often while they pay.
    pub adapts: bool,
    /// The mutators that are taken, if not all; names between commas.
    pub mutators: Option<String>,
    /// Whether inputs are sentences as they are, not parameters.
    pub texts: bool,
    pub valid_only: bool,
    pub feedback: bool,
    pub statistics: Option<PathBuf>,
    /// Crates whose coverage counts although zester uses them itself.
    pub cover: Vec<String>,
    /// Whether this process has children that share its figures (`-fork`, `-jobs`, `-merge`).
    pub parent: bool,
    /// Whether libFuzzer takes compares for features.
    pub value_profile: bool,
    /// A file of weights to write by.
    pub weights: Option<PathBuf>,
    /// How much is written by them, by their inverse, and by neither.
    pub shares: Shares,
    /// A directory of texts that are to become seeds.
    pub seeds: Option<PathBuf>,
    /// Whether libFuzzer merges corpora: the first is for what it keeps alone.
    pub merges: bool,
    /// The most bytes of an input, if the command line says so.
    pub max_len: Option<usize>,
    /// The files and directories that the command line names.
    pub inputs: Vec<PathBuf>,
    /// Whether to serve runs instead of fuzzing: see [`crate::subject`].
    pub serve: bool,
    /// Where to write what the inputs decode to, instead of running them; `-` is standard output.
    pub decode: Option<PathBuf>,
    /// Where to write the text of the target's grammar, instead of running anything; `-` is standard output.
    pub grammar_out: Option<PathBuf>,
}

impl Options {
    /// # Errors
    /// Which variable has a value that it may not have.
    pub fn from_environment() -> Result<Options, String> {
        let mut settings = Settings::default();
        if let Some(text) = variable("ZESTER_BOUNDS") {
            settings.bounds = text.parse().map_err(|problem| format!("zester: ZESTER_BOUNDS={text}: {problem}\n"))?;
        }
        settings.past_end = choice("ZESTER_PAST_END", &[("simplest", PastEnd::Simplest), ("random", PastEnd::PseudoRandom)])?;
        let arguments: Vec<String> = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
        if let Some(flag) = arguments.iter().find(|argument| is_unknown(argument)) {
            let all: Vec<String> = VARIABLES.iter().map(|name| format!("--{}=", name.to_ascii_lowercase())).collect();
            return Err(format!("zester: no flag {flag}; there are {}\n", all.join(" ")));
        }
        let value = |flag: &str| arguments.iter().rev().find_map(|argument| argument.strip_prefix(flag)?.strip_prefix('='));
        let is_on = |flag: &str| value(flag).is_some_and(|value| value != "0");
        Ok(Options {
            settings,
            adapts: choice("ZESTER_SCHEDULE", &[("adaptive", true), ("fixed", false)])?,
            mutators: variable("ZESTER_MUTATORS"),
            texts: choice("ZESTER_TEXT", &[("0", false), ("1", true)])?,
            valid_only: choice("ZESTER_VALID_ONLY", &[("0", false), ("1", true)])?,
            feedback: choice("ZESTER_FEEDBACK", &[("1", true), ("0", false)])?,
            cover: variable("ZESTER_COVER").map_or(Vec::new(), |text| text.split(',').map(|name| name.trim().into()).collect()),
            statistics: setting("ZESTER_STATS").map(PathBuf::from),
            parent: ["-fork", "-jobs", "-merge"].into_iter().any(is_on),
            value_profile: is_on("-use_value_profile"),
            weights: setting("ZESTER_WEIGHTS").map(PathBuf::from),
            shares: variable("ZESTER_MIX").map_or(Ok(Shares::default()), |text| {
                text.parse().map_err(|problem| format!("zester: ZESTER_MIX={text}: {problem}\n"))
            })?,
            seeds: setting("ZESTER_SEEDS").map(PathBuf::from),
            merges: is_on("-merge"),
            max_len: value("-max_len").and_then(|value| value.parse().ok()).filter(|&most| most > 0),
            inputs: env::args_os()
                .skip(1)
                .map(PathBuf::from)
                .filter(|argument| !argument.as_os_str().as_encoded_bytes().starts_with(b"-"))
                .collect(),
            serve: fork_server::is_wanted(),
            decode: setting("ZESTER_DECODE").map(PathBuf::from),
            grammar_out: setting("ZESTER_GRAMMAR_OUT").map(PathBuf::from),
        })
    }

    /// What is known at the start of mutators, as far as they are to be taken.
    ///
    /// # Errors
    /// Which mutators there are, if one is named that is none.
    pub fn experience<'g>(&self, grammar: impl Into<Option<&'g Grammar>>) -> Result<Experience, String> {
        let mut experience = Experience::new(grammar);
        if let Some(names) = &self.mutators {
            experience.take_only(names).map_err(|problem| format!("zester: ZESTER_MUTATORS={names}: {problem}\n"))?;
        }
        if !self.adapts {
            experience.fix_shares();
        }
        Ok(experience)
    }

    /// Whether single inputs are run, so that what they decode to is to be shown.
    pub fn shows(&self) -> bool {
        !self.inputs.is_empty() && self.inputs.iter().all(|path| path.is_file())
    }
}

/// The value of a setting: `--zester_bounds=…` on the command line comes before `ZESTER_BOUNDS` in the environment. libFuzzer
/// passes over flags that it does not know and hands them to its children. ClusterFuzz takes one dash of two away.
pub fn setting(name: &str) -> Option<OsString> {
    let flag = env::args_os().skip(1).rev().find_map(|argument| {
        let (flag, value) = flag_of_zester(argument.to_str()?)?;
        flag.eq_ignore_ascii_case(name).then(|| value.unwrap_or_default().into())
    });
    flag.or_else(|| env::var_os(name)).filter(|value| !value.is_empty())
}

/// The grammar of the file that `ZESTER_GRAMMAR` names, if it does. It is read once and lives as long as the process.
///
/// # Errors
/// Why the file cannot be read.
pub fn named_grammar() -> Result<Option<&'static Source>, String> {
    let Some(file) = setting("ZESTER_GRAMMAR") else { return Ok(None) };
    let name = Path::new(&file).display().to_string();
    let text = std::fs::read(&file).map_err(|error| format!("zester: {name}: {error}\n"))?;
    Ok(Some(Box::leak(Box::new(Source::new(name.leak(), text.leak())))))
}

/// `--zester_bounds=1` or `-zester_bounds=1` -> `zester_bounds`, `1`
fn flag_of_zester(argument: &str) -> Option<(&str, Option<&str>)> {
    let flag = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))?;
    flag.starts_with("zester_").then(|| flag.split_once('=').map_or((flag, None), |(flag, value)| (flag, Some(value))))
}

/// Whether an argument is to be a setting and is none.
fn is_unknown(argument: &str) -> bool {
    flag_of_zester(argument)
        .is_some_and(|(flag, value)| value.is_none() || !VARIABLES.iter().any(|known| flag.eq_ignore_ascii_case(known)))
}

fn variable(name: &str) -> Option<String> {
    setting(name).map(|value| value.to_string_lossy().into_owned())
}

/// The meaning of a variable's value; the first is the default.
fn choice<T: Copy>(name: &str, values: &[(&str, T)]) -> Result<T, String> {
    let Some(text) = variable(name) else { return Ok(values[0].1) };
    let found = values.iter().find(|(value, _)| *value == text);
    found.map(|&(_, meaning)| meaning).ok_or_else(|| {
        let allowed: Vec<&str> = values.iter().map(|&(value, _)| value).collect();
        format!("zester: {name}={text}: expected {}\n", allowed.join(" or "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags() {
        let cases = [
            ("--zester_bounds=1,-,-", Some(("zester_bounds", Some("1,-,-"))), false),
            ("-zester_stats=a=b", Some(("zester_stats", Some("a=b"))), false),
            ("--zester_stats", Some(("zester_stats", None)), true),
            ("-zester_what=1", Some(("zester_what", Some("1"))), true),
            ("---zester_stats=1", None, false),
            ("zester_stats=1", None, false),
            ("-max_len=4", None, false),
        ];
        for (argument, flag, unknown) in cases {
            assert_eq!((flag_of_zester(argument), is_unknown(argument)), (flag, unknown), "{argument}");
        }
    }
}
