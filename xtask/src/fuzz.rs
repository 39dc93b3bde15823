//! Builds a fuzz target and runs it: with libFuzzer in Rust and in C, and with AFL++.

pub mod afl;
pub mod c;
pub mod rust;
mod start;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::repository::{file, summary};

/// Splits the arguments into the corpus, which is the first one if it does not begin with a dash,
/// and the flags. Makes the directory of the corpus if it is missing.
fn corpus(arguments: &[OsString], default: PathBuf) -> Result<(PathBuf, &[OsString])> {
    let is_flag = |argument: &OsString| argument.to_string_lossy().starts_with('-');
    let (corpus, flags) = match arguments.split_first() {
        Some((first, rest)) if !is_flag(first) => (PathBuf::from(first), rest),
        _ => (default, arguments),
    };
    if !corpus.is_file() {
        fs::create_dir_all(&corpus)
            .with_context(|| format!("cannot make the corpus {}", corpus.display()))?;
    }
    Ok((corpus, flags))
}

/// Returns an error if there is no such target.
fn check_target(target: &str, targets: &[String]) -> Result<()> {
    if !targets.iter().any(|found| found == target) {
        bail!("no target {target}; there are: {}", targets.join(" "));
    }
    Ok(())
}

/// Returns one line for each target in a directory: its name, and the first line of its source file.
fn listed(directory: &str, extension: &str, targets: &[String]) -> String {
    let line = |target: &String| {
        let source = file(directory)
            .join(Path::new(target))
            .with_extension(extension);
        format!("  {target:<16} {}\n", summary(&source).unwrap_or_default())
    };
    targets.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_comes_before_the_flags() {
        let work = tempfile::tempdir().unwrap();
        let (given, default) = (work.path().join("given"), work.path().join("default"));
        let flag = OsString::from("-runs=1");
        let arguments = [given.clone().into_os_string(), flag.clone()];
        assert_eq!(
            corpus(&arguments, default.clone()).unwrap(),
            (given.clone(), &arguments[1..])
        );
        assert!(given.is_dir() && !default.exists());
        assert_eq!(
            corpus(&arguments[1..], default.clone()).unwrap(),
            (default.clone(), &arguments[1..])
        );
        assert!(default.is_dir());
        let input = work.path().join("input");
        fs::write(&input, "").unwrap();
        corpus(&[input.clone().into_os_string()], default).unwrap();
        assert!(input.is_file());
    }
}
