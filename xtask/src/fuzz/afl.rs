//! Fuzzes a program with AFL++.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, stdout};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::listed;
use crate::c;
use crate::programs;
use crate::repository::{c_targets, file, grammar_of, target_directory};
use crate::zester::Zester;

const EXAMPLES: &str = "\
Examples:
  scripts/fuzz-afl sqlite -V 60
  scripts/fuzz-afl --sanitizer none lua my-texts -o found
  scripts/fuzz-afl sqlite -M main
  AFL_CUSTOM_MUTATOR_LIBRARY= scripts/fuzz-afl sqlite -S bytes      next to it, with AFL++'s mutators
";

/// Fuzzes a Rust or C program with AFL++ and sentences of a grammar. The queue contains text.
///
/// A run ends only with -V SECONDS, -E EXECUTIONS or Ctrl-C. On Debian, AFL++ is installed if it is
/// missing.
///
/// Only zester mutates, so that every file of the queue is a sentence. An empty
/// AFL_CUSTOM_MUTATOR_ONLY= makes AFL++ mutate, too. An empty AFL_CUSTOM_MUTATOR_LIBRARY= turns
/// zester's mutators off. The documentation (`zester::hooks`) lists the variables of zester;
/// ZESTER_SEEDS and ZESTER_COVER have no effect here.
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct FuzzAfl {
    /// The sanitizer: address, undefined, or none; only for targets in C.
    #[arg(long, default_value = "address", value_name = "NAME")]
    sanitizer: String,
    /// The fuzz target.
    target: String,
    /// A directory of texts [default: zester generates a few]; then -o DIR, the directory of the
    /// results, from which AFL++ continues if it exists [default: fuzz/corpus/TARGET-afl]; then
    /// flags of afl-fuzz.
    #[arg(
        value_name = "SEEDS | FLAG",
        allow_hyphen_values = true,
        trailing_var_arg = true
    )]
    arguments: Vec<OsString>,
}

fn after_help() -> String {
    let c = listed("fuzz/c", "c", &c_targets().unwrap_or_default());
    format!(
        "{EXAMPLES}\nTargets in C:\n{c}Targets in Rust: those of `scripts/fuzz --help` with a grammar; a name of both means the target in C"
    )
}

/// The arguments after the target.
#[derive(Debug, PartialEq)]
struct Arguments<'a> {
    seeds: Option<PathBuf>,
    output: Option<PathBuf>,
    flags: &'a [OsString],
}

impl<'a> Arguments<'a> {
    fn parse(mut rest: &'a [OsString]) -> Self {
        let (mut seeds, mut output) = (None, None);
        if let [first, more @ ..] = rest
            && !first.to_string_lossy().starts_with('-')
        {
            (seeds, rest) = (Some(PathBuf::from(first)), more);
        }
        if let [flag, directory, more @ ..] = rest
            && flag == "-o"
        {
            (output, rest) = (Some(PathBuf::from(directory)), more);
        }
        Self {
            seeds,
            output,
            flags: rest,
        }
    }
}

impl FuzzAfl {
    /// Builds the target and fuzzes.
    pub fn run(&self) -> Result<()> {
        let (grammar, arguments) = (grammar_of(&self.target)?, Arguments::parse(&self.arguments));
        let directory = target_directory().join("afl");
        let program = directory.join(&self.target);
        let output = arguments
            .output
            .unwrap_or_else(|| file("fuzz/corpus").join(format!("{}-afl", self.target)));
        fs::create_dir_all(&directory)?;
        fs::create_dir_all(&output)?;
        let (zester, library) = (Zester::build()?, programs::afl_library()?);
        if c_targets()?.contains(&self.target) {
            let sanitizer = if self.sanitizer == "none" {
                ""
            } else {
                &self.sanitizer
            };
            c::afl_target(&self.target, sanitizer, zester.path(), &program)?;
        } else {
            programs::afl_target(&self.target, &program)?;
        }
        let seeds = match arguments.seeds {
            Some(seeds) => seeds,
            None => {
                let seeds = directory.join(format!("{}-seeds", self.target));
                if !seeds.is_dir() {
                    zester.generate_files(&grammar, 20, &["--size", "100"], &seeds)?;
                }
                seeds
            }
        };
        let mut afl = Command::new("afl-fuzz");
        afl.env("ZESTER_TEXT", "1");
        // A variable that the user sets takes precedence; an empty one is removed.
        let set = |afl: &mut Command, name: &str, value: OsString| {
            match env::var_os(name) {
                Some(value) if value.is_empty() => afl.env_remove(name),
                Some(_) => afl,
                None => afl.env(name, value),
            };
        };
        set(&mut afl, "ZESTER_GRAMMAR", grammar.into());
        set(&mut afl, "AFL_CUSTOM_MUTATOR_LIBRARY", library.into());
        set(&mut afl, "AFL_CUSTOM_MUTATOR_ONLY", "1".into());
        if env::var_os("AFL_CUSTOM_MUTATOR_LIBRARY").is_some_and(|library| library.is_empty()) {
            afl.env_remove("AFL_CUSTOM_MUTATOR_ONLY");
        }
        afl.envs(
            [
                "AFL_AUTORESUME",
                "AFL_SKIP_CPUFREQ",
                "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES",
            ]
            .map(|name| (name, "1")),
        );
        if !stdout().is_terminal() {
            afl.env("AFL_NO_UI", "1");
        }
        Err(afl
            .arg("-i")
            .arg(seeds)
            .arg("-o")
            .arg(output)
            .args(arguments.flags)
            .arg("--")
            .arg(program)
            .exec()
            .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_output_come_before_the_flags() {
        let words = ["texts", "-o", "out", "-V", "60"].map(OsString::from);
        let all = Arguments {
            seeds: Some("texts".into()),
            output: Some("out".into()),
            flags: &words[3..],
        };
        assert_eq!(Arguments::parse(&words), all);
        assert_eq!(
            Arguments::parse(&words[3..]),
            Arguments {
                seeds: None,
                output: None,
                flags: &words[3..]
            }
        );
        assert_eq!(
            Arguments::parse(&words[1..3]),
            Arguments {
                seeds: None,
                output: Some("out".into()),
                flags: &[]
            }
        );
    }
}
