//! An independent count of the edges that texts cover in a fuzzing subject.
//!
//! This crate contains no code of zester. It reads text files, runs the subject's function on each,
//! and reads the counts of the compiler's SanitizerCoverage. Each program of this crate calls [`main`]
//! with a subject. `scripts/coverage` builds it with the flags that instrument it.

mod edge_files;
mod edges;
mod files;
mod options;
mod report;
mod run;

use anyhow::{Result, bail};
use clap::Parser;
use edge_files::EdgeFiles;
use options::Options;
use report::Report;
use run::Subject;
use std::process::ExitCode;
use std::{io, thread};

/// The size of the stack in bytes. Some subjects recurse as deep as their input nests.
const STACK: usize = 256 << 20;

/// Runs the files of the command line through the subject and prints the figures.
///
/// `within` are parts of source paths that identify the subject's own crates. If it cannot do what
/// the command line asks for, it prints a message on standard error and no figures, and the exit
/// status is 2.
pub fn main(name: &str, subject: Subject, within: &[&str]) -> ExitCode {
    match count(name, subject, within) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn count(name: &str, subject: Subject, within: &[&str]) -> Result<()> {
    let options = Options::parse();
    let files = if options.null {
        Vec::new()
    } else {
        files::find(&options.paths, options.list.as_deref())?
    };
    let sources = options.sources(within)?;
    if edges::count() == 0 {
        bail!("built without coverage instrumentation; use scripts/coverage");
    }
    let edge_files = EdgeFiles::find(&sources)?;
    let each = |outcome: &'static str, hits: &[u64]| match (options.each, options.functions) {
        (false, _) => (),
        (true, false) => report::each(outcome, "edges", hits, |_| true),
        (true, true) => report::each(outcome, "functions", hits, |e| {
            edge_files.within[e] && edges::is_function(e)
        }),
    };
    let keep = options.keep.as_deref();
    let run = || match options.null {
        true => run::all(subject, run::stream(io::stdin().lock()), keep, each),
        false => run::all(subject, run::files(&files), keep, each),
    };
    let runs = thread::scope(|scope| {
        let thread = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, run)?;
        thread.join().expect("panics of the subject are caught")
    })?;
    let report = Report::new(name, &runs, &edge_files, options.functions);
    if options.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.text());
    }
    Ok(())
}
