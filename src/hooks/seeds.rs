//! Encodes texts as seeds before libFuzzer reads its corpus.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::settings::Options;
use super::target::Target;
use crate::corpus::seeds;
use crate::error::Error;
use crate::grammar::Grammar;

/// The time between two messages about the progress.
const INTERVAL: Duration = Duration::from_secs(2);

/// Encodes the texts of the directory that the environment or the target names, and writes their
/// parameters to the corpus that libFuzzer writes to. Does nothing if single inputs are run or
/// corpora are merged.
///
/// # Errors
/// If `ZESTER_SEEDS` names no directory, if the command line has no corpus, or if a file cannot be
/// read or written.
pub(super) fn import(target: &Target, grammar: &Grammar, options: &Options) -> Result<(), Error> {
    let named = options.seeds.as_deref();
    let Some(directory) = named.or_else(|| target.seed_directory().map(Path::new)) else {
        return Ok(());
    };
    if directory.as_os_str().is_empty() || options.merges || options.runs_files() {
        return Ok(());
    }
    let wrong = |problem: &str| {
        Error::from(format!(
            "zester: seeds of {}: {problem}\n",
            directory.display()
        ))
    };
    let corpus: Option<&PathBuf> = options.inputs.first().filter(|input| input.is_dir());
    let problem = match corpus {
        None => "name a corpus directory on the command line, to which they are written",
        Some(_) if !directory.is_dir() => "no such directory",
        Some(corpus) => {
            return fill(target, (directory, corpus), grammar, options)
                .map_err(|error| wrong(&error.to_string()));
        }
    };
    // The directory that the target names may exist only on the machine that built it.
    match named {
        Some(_) => Err(wrong(problem)),
        None => {
            eprint!(
                "{}",
                wrong(problem)
                    .to_string()
                    .replacen("zester: ", "zester: WARNING: ", 1)
            );
            Ok(())
        }
    }
}

/// Encodes the texts in the first of two directories, writes their parameters to the second, and
/// prints how many were encoded.
fn fill(
    target: &Target,
    (directory, corpus): (&Path, &Path),
    grammar: &Grammar,
    options: &Options,
) -> std::io::Result<()> {
    let mut encoder = target.encoder(grammar, options.settings, true);
    let (directory_name, mut last_message) = (directory.display(), Instant::now());
    let result = seeds::import(
        directory,
        corpus,
        &mut encoder,
        options.max_len.unwrap_or(usize::MAX),
        |so_far| {
            if last_message.elapsed() > INTERVAL {
                last_message = Instant::now();
                eprintln!(
                    "INFO: zester: seeds of {directory_name}: {} files so far",
                    so_far.files
                );
            }
        },
    )?;
    let count = |count: usize, what: &str| match count {
        0 => String::new(),
        _ => format!(", {count} {what}"),
    };
    let edited = match result.edited {
        0 => String::new(),
        count => format!(", the whole text of {count} as edited sentences"),
    };
    eprintln!(
        "INFO: zester: seeds of {directory_name}: {} of {} files{}{}{}{}{}",
        result.accepted,
        result.files,
        count(result.known, "of them already in the corpus"),
        count(result.cut, "of them only in part"),
        count(result.long, "longer than -max_len"),
        edited,
        result.refused.map_or(String::new(), |why| format!(
            "; the first file that was refused: {why}"
        )),
    );
    Ok(())
}
