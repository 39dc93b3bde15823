//! The subcommands. The code of each is in a file of the same name.

use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::ContextValue;

use crate::printable::printable;
use crate::problem::Problem;
use crate::{
    check, completions, conform, convert, coverage, decode, dict, embed, encode, equal, evolve,
    explain, export, fuzz, generate, grow, guide, import, learn, man, new, reduce, report, run,
    show, suite, triage, why,
};

const EXAMPLES: &str = "\
Examples:
  zester new my_target             add a fuzz target to the crate in this directory
  zester check my.ebnf             print the errors and warnings of a grammar
  zester generate my.ebnf -n 5     print five sentences

Exit status: 0; 1 if a grammar has errors, or for a reason in the help of the command; 2 if the command failed for another reason.";

/// Check grammars, generate sentences, and read and write the corpora of grammar-based fuzz
/// targets.
///
/// A grammar is a file in zester's EBNF, or a built fuzz target, which contains its grammar.
/// Parameters are the bytes that a fuzz target decodes as choices: the files of its corpus and its
/// artifacts contain parameters, not text.
///
/// `-` means standard input where a file is read, and standard output where a file is written. A
/// command replaces a file that has other content only if --force is given. `zester new` extends
/// fuzz/Cargo.toml without it.
#[derive(clap::Parser)]
#[command(name = "zester", version, max_term_width = 100, after_help = EXAMPLES)]
pub enum Command {
    New(new::NewCommand),
    Guide(guide::GuideCommand),
    Fuzz(fuzz::FuzzCommand),
    Check(check::CheckCommand),
    Import(import::ImportCommand),
    Generate(generate::GenerateCommand),
    Decode(decode::DecodeCommand),
    Encode(encode::EncodeCommand),
    Grow(grow::GrowCommand),
    Evolve(evolve::EvolveCommand),
    Reduce(reduce::ReduceCommand),
    Report(report::ReportCommand),
    Run(run::RunCommand),
    Triage(triage::TriageCommand),
    Show(show::ShowCommand),
    Coverage(coverage::CoverageCommand),
    Conform(conform::ConformCommand),
    Convert(convert::ConvertCommand),
    Learn(learn::LearnCommand),
    Explain(explain::ExplainCommand),
    Dict(dict::DictCommand),
    Embed(embed::EmbedCommand),
    Export(export::ExportCommand),
    Suite(suite::SuiteCommand),
    Why(why::WhyCommand),
    Equal(equal::EqualCommand),
    Completions(completions::CompletionsCommand),
    Man(man::ManCommand),
}

impl Command {
    /// Runs the subcommand. Returns the exit status.
    pub fn run(&self) -> Result<ExitCode, Problem> {
        match self {
            Command::New(new) => new.run(),
            Command::Guide(guide) => guide.run(),
            Command::Fuzz(fuzz) => fuzz.run(),
            Command::Check(check) => check.run(),
            Command::Import(import) => import.run(),
            Command::Generate(generate) => generate.run(),
            Command::Decode(decode) => decode.run(),
            Command::Encode(encode) => encode.run(),
            Command::Grow(grow) => grow.run(),
            Command::Evolve(evolve) => evolve.run(),
            Command::Reduce(reduce) => reduce.run(),
            Command::Report(report) => report.run(),
            Command::Run(run) => run.run(),
            Command::Triage(triage) => triage.run(),
            Command::Show(show) => show.run(),
            Command::Coverage(coverage) => coverage.run(),
            Command::Conform(conform) => conform.run(),
            Command::Convert(convert) => convert.run(),
            Command::Learn(learn) => learn.run(),
            Command::Explain(explain) => explain.run(),
            Command::Dict(dict) => dict.run(),
            Command::Export(export) => export.run(),
            Command::Embed(embed) => embed.run(),
            Command::Suite(suite) => suite.run(),
            Command::Why(why) => why.run(),
            Command::Equal(equal) => equal.run(),
            Command::Completions(completions) => completions.run(&mut Command::command()),
            Command::Man(man) => man.run(Command::command()),
        }
    }
}

/// Prints why the arguments are wrong, or the help that they ask for. Returns the exit status. Control characters
/// in arguments are escaped, so that they cannot control the terminal.
pub fn refused(mut error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        error.exit();
    }
    let escaped: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(printable(text)))),
            ContextValue::Strings(texts) => {
                let texts = texts.iter().map(|text| printable(text)).collect();
                Some((kind, ContextValue::Strings(texts)))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in escaped {
        error.insert(kind, value);
    }
    // Messages of parsers of values may have the value, too.
    for line in error.render().to_string().lines() {
        eprintln!("{}", printable(line));
    }
    ExitCode::from(2)
}
