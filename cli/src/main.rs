//! The `zester` command: checks grammars, generates sentences, and reads and writes the corpora of
//! grammar-based fuzz targets.

/// Prints to standard error, and ignores errors. The macro of the standard library panics if standard
/// error is full or closed.
macro_rules! eprint {
    ($($text:tt)*) => {
        _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($text)*))
    };
}

/// Prints to standard error like [`eprint!`], with a line end.
macro_rules! eprintln {
    () => {
        eprint!("\n")
    };
    ($($text:tt)*) => {
        eprint!("{}\n", format_args!($($text)*))
    };
}

mod arguments;
mod baseline;
mod causes;
mod chart;
mod check;
mod command;
mod completions;
mod conform;
mod convert;
mod coverage;
mod decode;
mod dict;
mod document;
mod embed;
mod encode;
mod equal;
mod evolve;
mod expectation;
mod explain;
mod export;
mod failure_shape;
mod fault;
mod fault_runner;
mod foreign_notation;
mod format_warnings;
mod fuzz;
mod fuzz_crate;
mod fuzz_target;
mod generate;
mod grow;
mod guide;
mod import;
mod input;
mod interestingness_test;
mod interrupt;
mod known;
mod learn;
mod libfuzzer_options;
mod man;
mod manifest;
mod new;
mod numbers;
mod output;
mod parallel;
mod partial_corpus;
mod printable;
mod problem;
mod process;
mod progress;
mod reasons;
mod reduce;
mod reduction_search;
mod report;
mod run;
mod seed_corpus;
mod shell;
mod show;
mod suite;
mod target_name;
mod text_directory;
mod triage;
mod weights_page;
mod why;
mod words;
mod work_directory;
mod zip_archive;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if let Some(code) = fuzz_crate::run_as_wrapper() {
        return code;
    }
    interrupt::watch();
    let command = match command::Command::try_parse() {
        Ok(command) => command,
        Err(error) => return command::refused(error),
    };
    match command.run() {
        Ok(code) => code,
        Err(problem) => {
            eprint!("{}", problem.message());
            ExitCode::from(problem.status())
        }
    }
}
