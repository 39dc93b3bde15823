//! `zester generate`: sentences of a grammar, or the parameters that make them.

use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use zester::corpus;
use zester::cover::{Coverage, Guide, Route};
use zester::derivation::Derivation;
use zester::derive::{Workspace, derive};
use zester::grammar::Grammar;
use zester::parameters;
use zester::sampler::Sampler;

use super::{Limits, Problem, grammar, print, progress, unused, warn_of_stale};

/// Generate sentences of a grammar.
///
/// Sizes are drawn log-uniformly from 1 to 4,096 bytes, so small and large ones are equally common. Sentences go to standard
/// output, a line feed after each, or, with -o, to files of their own.
///
/// One sentence in 32 leads to an alternative of the grammar that none has used, until all are used.
#[derive(clap::Args)]
pub struct Generate {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// How many sentences.
    #[arg(short, value_name = "N", default_value_t = 1)]
    n: u64,

    /// The same seed gives the same sentences; without it, seed 0.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    limits: Limits,

    /// Aim at this many bytes a sentence, instead of a size drawn for each.
    #[arg(long, value_name = "BYTES")]
    size: Option<u32>,

    /// Write a file for each sentence into this directory, which is made if it is missing.
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Write parameters, a seed corpus for a fuzz target, instead of text. Needs -o.
    #[arg(long, requires = "output")]
    parameters: bool,

    /// End each sentence on standard output with a zero byte instead of a line feed.
    #[arg(short = '0', long)]
    null: bool,

    /// When done, say on standard error which alternatives were never used; the status is then 1 if there are any.
    #[arg(long)]
    coverage: bool,
}

/// One sentence in this many goes to an alternative that was not used yet, while there are any.
const SEEK: u64 = 32;

/// Sizes are drawn up to this.
const MOST_SIZE: f64 = 4096.0;

impl Generate {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        if let Some(directory) = &self.output {
            std::fs::create_dir_all(directory).map_err(|error| Problem::with(directory, error))?;
            if self.parameters {
                warn_of_stale([directory], &grammar);
                corpus::mark(directory, &grammar).map_err(|error| Problem::with(directory, error))?;
            }
        }
        // Sentences on standard output are progress enough.
        let progress = if self.output.is_some() { progress(self.n, "sentences") } else { ProgressBar::hidden() };
        let mut coverage = Coverage::new(&grammar);
        let mut guide = Guide::new(Sampler::new(self.seed, 0.0));
        let (mut workspace, mut derivation, mut bytes) = (Workspace::default(), Derivation::default(), Vec::new());
        let width = self.n.max(1).to_string().len();
        for number in 0..self.n {
            let size = self.size.map_or_else(|| Sampler::log_uniform(guide.chooser.rng(), MOST_SIZE), f64::from);
            guide.chooser.restart(size);
            guide.follow(if (number + 1) % SEEK == 0 { coverage.route(&grammar) } else { Route::default() });
            derive(&grammar, grammar.start(), &settings.bounds, &settings.caps, &mut guide, &mut workspace, &mut derivation);
            coverage.add(&grammar, &derivation);
            bytes.clear();
            if self.parameters {
                parameters::encode(&grammar, &derivation, &mut bytes);
                // libFuzzer neither runs nor stores an empty input.
                bytes.resize(bytes.len().max(1), 0);
            } else {
                bytes.extend_from_slice(derivation.text());
            }
            if let Some(directory) = &self.output {
                let path = directory.join(format!("{number:0width$}"));
                std::fs::write(&path, &bytes).map_err(|error| Problem::with(&path, error))?;
            } else {
                bytes.push(if self.null { 0 } else { b'\n' });
                print(&bytes)?;
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let complete = !self.coverage || report(&coverage, &grammar);
        Ok(ExitCode::from(u8::from(!complete)))
    }
}

/// Says which of the alternatives that somebody wrote were never used; whether all were.
fn report(coverage: &Coverage, grammar: &Grammar) -> bool {
    let (count, unused) = unused(coverage, grammar);
    unused.iter().for_each(|alternative| eprintln!("never used: {alternative}"));
    eprintln!("{} of {} alternatives used", count.used, count.all);
    unused.is_empty()
}
