//! The subcommands, a file each.

use std::process::ExitCode;

pub use crate::input::{inputs, parameters};
pub use crate::output::print;
pub use crate::problem::Problem;
pub use crate::progress::progress;
use crate::{check, convert, coverage, decode, dict, embed, encode, explain, generate, grow, learn, new, reduce, run, show};

/// Checks grammars, generates sentences, and reads and writes the corpora of grammar-based fuzz targets.
///
/// A grammar is a file in zester's EBNF, or a built fuzz target, which has its grammar inside. Parameters are the bytes that a
/// fuzz target reads as choices: the files of its corpus and its artifacts. `-` is standard input wherever a file is read, and
/// standard output wherever one is written. No command replaces a file that has other content, unless --force is given.
///
/// Exit status: 0; 1 if a grammar has errors; 2 if the command could not do its work.
///
/// Begin with:
///
///   zester new my_target                       a fuzz target in the crate of this directory
///   zester check my.ebnf                       what is wrong with a grammar?
///   zester generate my.ebnf -n 5               what does it derive?
#[derive(clap::Parser)]
#[command(name = "zester", version, verbatim_doc_comment)]
pub enum Command {
    New(new::New),
    Check(check::Check),
    Generate(generate::Generate),
    Decode(decode::Decode),
    Encode(encode::Encode),
    Grow(grow::Grow),
    Reduce(reduce::Reduce),
    Run(run::Run),
    Show(show::Show),
    Coverage(coverage::CoverageOf),
    Convert(convert::Convert),
    Learn(learn::Learn),
    Explain(explain::Explain),
    Dict(dict::Dict),
    Embed(embed::Embed),
}

impl Command {
    /// Does what the command line asks for.
    pub fn run(&self) -> Result<ExitCode, Problem> {
        match self {
            Command::New(new) => new.run(),
            Command::Check(check) => check.run(),
            Command::Generate(generate) => generate.run(),
            Command::Decode(decode) => decode.run(),
            Command::Encode(encode) => encode.run(),
            Command::Grow(grow) => grow.run(),
            Command::Reduce(reduce) => reduce.run(),
            Command::Run(run) => run.run(),
            Command::Show(show) => show.run(),
            Command::Coverage(coverage) => coverage.run(),
            Command::Convert(convert) => convert.run(),
            Command::Learn(learn) => learn.run(),
            Command::Explain(explain) => explain.run(),
            Command::Dict(dict) => dict.run(),
            Command::Embed(embed) => embed.run(),
        }
    }
}
