//! Asks an installed program whether the syntax of files is right. These are the references of grammars of
//! Yacc.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Result, bail, ensure};

use zester_xtask::command::{completed, find, limited};

/// The maximum number of seconds that a program takes for one file. A longer run has passed the parser.
const SECONDS: u64 = 5;

/// Grammars whose program has another name.
const OTHER_NAMES: [(&str, &str); 2] = [("dot", "nop"), ("gml", "gml2gv")];

/// Parts of messages that are errors of syntax. Other messages are about the meaning.
const SYNTAX: [&str; 6] = [
    "syntax error",
    "parse error",
    "illegal character",
    "invalid character",
    "unterminated",
    "unclosed",
];

/// Counts the files of a directory that the program of a grammar accepts.
pub fn accepted(grammar: &str, directory: &Path, scratch: &Path) -> Result<String> {
    let other = OTHER_NAMES.iter().find(|(name, _)| *name == grammar);
    let program = other.map_or(grammar, |(_, program)| program);
    ensure!(find(program).is_some(), "{program} is not installed");
    let entries = fs::read_dir(directory)?.flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(workers).max(1);
    let mut rejected = Vec::new();
    thread::scope(|scope| -> Result<()> {
        let parts = files.chunks(share).enumerate();
        let running: Vec<_> = parts
            .map(|(number, part)| {
                let scratch = scratch.join(number.to_string());
                scope.spawn(move || rejected_of(program, part, &scratch))
            })
            .collect();
        for worker in running {
            rejected.extend(worker.join().expect("a worker does not panic")?);
        }
        Ok(())
    })?;
    let mut report = format!("{} {}\n", files.len() - rejected.len(), files.len());
    for file in rejected.iter().take(5) {
        report += &format!("{}\n", file.display());
    }
    Ok(report)
}

/// Returns those of some files that a program rejects. The program runs in a directory of its own.
fn rejected_of(program: &str, files: &[PathBuf], scratch: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(scratch)?;
    let mut rejected = Vec::new();
    for file in files {
        let done = completed(command(program, file, scratch)?.current_dir(scratch))?;
        if is_rejected(program, done.shell_status(), &done.text) {
            rejected.push(file.clone());
        }
    }
    Ok(rejected)
}

/// Returns the command that reads one file. Only jq runs the sentence, because jq programs cannot write files.
fn command(program: &str, file: &Path, scratch: &Path) -> Result<Command> {
    let mut command = limited(SECONDS, program);
    match program {
        "bc" => command.arg("-c").arg(file),
        "bison" => command.arg("-o").arg(scratch.join("parser.c")).arg(file),
        "gawk" => {
            let pretty = scratch.join("pretty.awk");
            let pretty = format!("--pretty-print={}", pretty.display());
            command.arg(pretty).arg("-f").arg(file)
        }
        "gml2gv" | "nop" => command.arg(file),
        "jq" => command.arg("-n").arg("-f").arg(file),
        "mruby" => command.arg("-c").arg(file),
        "php" => {
            let whole = scratch.join("sentence.php");
            fs::write(&whole, [b"<?php ", &fs::read(file)?[..]].concat())?;
            command.args(["-n", "-l"]).arg(whole)
        }
        _ => bail!("unknown program {program}"),
    };
    Ok(command)
}

/// Returns whether the program rejects the syntax: mruby by its status, all others by their messages.
fn is_rejected(program: &str, status: i32, text: &str) -> bool {
    if status == 124 {
        return false;
    }
    if program == "mruby" {
        return status != 0;
    }
    let text = text.to_lowercase().replace("no syntax errors", "");
    SYNTAX.iter().any(|message| text.contains(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_the_meaning_is_no_rejection() {
        assert!(!is_rejected("php", 0, "No syntax errors detected in x"));
        assert!(!is_rejected("jq", 3, "jq: error: f/0 is not defined"));
        assert!(is_rejected("php", 255, "PHP Parse error: syntax error"));
        assert!(is_rejected("mruby", 1, ""));
        assert!(!is_rejected("mruby", 124, ""));
    }
}
