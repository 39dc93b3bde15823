//! The subcommands, a file each, and what they share: reading grammars and inputs, and how a command fails.

use std::fmt::Display;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::{check, convert, coverage, decode, dict, embed, encode, explain, generate, learn, new, reduce, run, show};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use zester::bounds::{Bounds, Caps};
use zester::corpus;
use zester::cover::Coverage;
use zester::grammar::Grammar;
use zester::notation::{self, Report};
use zester::parameters::{PastEnd, Settings};

/// The largest file of parameters that is read.
const MOST_INPUT: u64 = 64 << 20;

/// Grammars, and the sentences that parameters make of them.
///
/// A grammar is a file in zester's EBNF. `-` is standard input wherever a file is wanted. The exit status is 0, or 1 if a
/// grammar has errors, or 2 if the command could not do its work.
#[derive(clap::Parser)]
#[command(name = "zester", version)]
pub enum Command {
    Check(check::Check),
    Generate(generate::Generate),
    Decode(decode::Decode),
    Encode(encode::Encode),
    Convert(convert::Convert),
    Coverage(coverage::CoverageOf),
    Dict(dict::Dict),
    Embed(embed::Embed),
    Learn(learn::Learn),
    Explain(explain::Explain),
    New(new::New),
    Reduce(reduce::Reduce),
    Run(run::Run),
    Show(show::Show),
}

impl Command {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        match self {
            Command::Check(check) => check.run(),
            Command::Generate(generate) => generate.run(),
            Command::Decode(decode) => decode.run(),
            Command::Encode(encode) => encode.run(),
            Command::Convert(convert) => convert.run(),
            Command::Show(show) => show.run(),
            Command::Coverage(coverage) => coverage.run(),
            Command::Dict(dict) => dict.run(),
            Command::Embed(embed) => embed.run(),
            Command::Learn(learn) => learn.run(),
            Command::Explain(explain) => explain.run(),
            Command::New(new) => new.run(),
            Command::Reduce(reduce) => reduce.run(),
            Command::Run(run) => run.run(),
        }
    }
}

/// Why a command failed.
pub enum Problem {
    /// The grammar is wrong: status 1.
    Grammar(Report),
    /// The command could not do its work: status 2.
    Work(String),
    /// Nobody reads on: no message, status 0.
    Closed,
}

impl Problem {
    /// A problem with a file.
    pub fn with(path: &Path, what: impl Display) -> Problem {
        Problem::Work(format!("zester: {}: {what}\n", path.display()))
    }

    pub fn message(&self) -> String {
        match self {
            Problem::Grammar(report) => report.to_string(),
            Problem::Work(message) => message.clone(),
            Problem::Closed => String::new(),
        }
    }

    pub fn status(&self) -> u8 {
        match self {
            Problem::Grammar(_) => 1,
            Problem::Work(_) => 2,
            Problem::Closed => 0,
        }
    }
}

/// What bounds sentences, on the command line.
#[derive(clap::Args)]
pub struct Limits {
    /// Bonsai's bounds: identifiers, items of a repetition, depth of a rule in itself; `-` for none.
    #[arg(long, value_name = "m,n,d", default_value = "-,-,-", allow_hyphen_values = true)]
    pub bounds: Bounds,

    /// Most bytes of a sentence.
    #[arg(long, value_name = "BYTES", default_value_t = Caps::default().bytes, value_parser = clap::value_parser!(u32).range(..=i64::from(Caps::MOST)))]
    most: u32,
}

impl Limits {
    pub fn settings(&self) -> Settings {
        let caps = Caps { bytes: self.most, nodes: self.most.max(Caps::default().nodes) };
        Settings { bounds: self.bounds, caps, past_end: PastEnd::Simplest }
    }
}

/// Reads a grammar; its warnings go to standard error.
pub fn grammar(path: &Path, caps: &Caps) -> Result<Grammar, Problem> {
    let (grammar, report) = grammar_and_report(path, caps)?;
    eprint!("{report}");
    Ok(grammar)
}

pub fn grammar_and_report(path: &Path, caps: &Caps) -> Result<(Grammar, Report), Problem> {
    parse(path, &read(path, notation::MOST_SOURCE as u64 + 1)?, caps)
}

/// Reads a grammar from its text.
pub fn parse(path: &Path, source: &[u8], caps: &Caps) -> Result<(Grammar, Report), Problem> {
    notation::read(&path.display().to_string(), source, caps).map_err(Problem::Grammar)
}

/// The first bytes of a file, `most` at the most; `-` is standard input.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| Problem::with(path, error))?;
    Ok(bytes)
}

/// A file of parameters.
pub fn parameters(path: &Path) -> Result<Vec<u8>, Problem> {
    let bytes = read(path, MOST_INPUT + 1)?;
    if bytes.len() as u64 > MOST_INPUT {
        return Err(Problem::with(path, format!("more than {MOST_INPUT} bytes")));
    }
    Ok(bytes)
}

/// Says of each corpus that another grammar wrote that it did.
pub fn warn_of_stale<'a>(corpora: impl IntoIterator<Item = &'a PathBuf>, grammar: &Grammar) {
    for stale in corpora.into_iter().filter_map(|corpus| corpus::stale(corpus, grammar)) {
        eprintln!("zester: warning: {stale}");
    }
}

/// How many alternatives of all were used, and what to call the others.
pub fn unused(coverage: &Coverage, grammar: &Grammar) -> (Count, Vec<String>) {
    let (mut count, mut unused) = (Count::default(), Vec::new());
    for (symbol, alternative, used) in coverage.alternatives(grammar) {
        count.add(used);
        if let (false, Some(source)) = (used, alternative.source) {
            unused.push(format!("{}, alternative {}", grammar.label(symbol), source + 1));
        }
    }
    (count, unused)
}

/// How many of how many.
#[derive(Default)]
pub struct Count {
    pub used: u64,
    pub all: u64,
}

impl Count {
    pub fn add(&mut self, used: bool) {
        self.used += u64::from(used);
        self.all += 1;
    }
}

/// The files that paths stand for: those of directories in the order of their names, and no marks of corpora.
pub fn inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| Problem::with(path, error))?;
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.retain(|path| path.is_file() && !corpus::is_mark(path));
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// A bar on standard error, if that is a terminal.
pub fn progress(count: u64, what: &'static str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr_with_hz(2)).with_style(style)
}

/// Writes a file, whole or not at all; `-` is standard output. What is there and is no file, such as a pipe, is written to.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    if path == Path::new("-") {
        return print(bytes);
    }
    let problem = |error| Problem::with(path, error);
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(problem);
    }
    let mut part = path.to_path_buf().into_os_string();
    part.push(format!(".partial-{}", std::process::id()));
    let part = PathBuf::from(part);
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    written.inspect_err(|_| drop(std::fs::remove_file(&part))).map_err(problem)
}

/// Writes to standard output; that a reader has gone away is no error.
pub fn print(bytes: &[u8]) -> Result<(), Problem> {
    std::io::stdout().lock().write_all(bytes).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Problem::Closed,
        _ => Problem::with(Path::new("standard output"), error),
    })
}
