//! `zester generate`: sentences of a grammar, or the parameters that make them.

use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use zester::corpus;
use zester::cover::{Coverage, Guide, Route};
use zester::derivation::Derivation;
use zester::derive::{Workspace, derive};
use zester::grammar::Grammar;
use zester::parameters::{self, Settings};
use zester::sampler::Sampler;
use zester::weights::{Grower, Probabilities};

use crate::command::{Limits, Problem, grammar, print, progress, unused, warn_of_stale};
use crate::learn::{Change, weights};

/// Generate sentences of a grammar.
///
/// Sizes are drawn log-uniformly from 1 to 4,096 bytes, so small and large ones are equally common. Sentences go to standard
/// output, a line feed after each, or, with -o, to files of their own.
///
/// One sentence in 32 leads to an alternative of the grammar that none has used, until all are used.
///
/// With --weights, sentences are drawn by the probabilities of samples: more of the same, or, with --invert, less of the same.
/// Then a sentence is expanded freely to a number of expansions, by default twice the mean of the samples, and from there on
/// ended by its shortest derivation.
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

    /// Draw by weights that `zester learn` wrote.
    #[arg(long, value_name = "WEIGHTS")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    change: Change,

    /// With --weights, expand nonterminals, repetitions and names freely up to so many.
    #[arg(long, value_name = "N", requires = "weights", conflicts_with = "size")]
    expansions: Option<u32>,

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
        let mut writer = self.writer(&grammar)?;
        let (mut derivation, mut bytes) = (Derivation::default(), Vec::new());
        let width = self.n.max(1).to_string().len();
        for number in 0..self.n {
            writer.write(&grammar, &settings, (number + 1) % SEEK == 0, &mut coverage, &mut derivation);
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

    fn writer(&self, grammar: &Grammar) -> Result<Writer, Problem> {
        let workspace = Workspace::default();
        let Some(path) = &self.weights else {
            if self.change.is_given() {
                return Err(Problem::Work("zester: --invert, --power and --damping need --weights\n".into()));
            }
            return Ok(Writer::Uniform { guide: Guide::new(Sampler::new(self.seed, 0.0)), size: self.size, workspace });
        };
        let weights = weights(path, grammar)?;
        let probabilities = Probabilities::new(grammar, &weights, self.change.of(weights.transform));
        let probabilities = probabilities.map_err(|problem| Problem::with(path, problem))?;
        let by_size = self.size.map(|size| f64::from(size) * weights.expansions_per_byte());
        let expansions = self.expansions.map(f64::from).or(by_size).unwrap_or(2.0 * weights.mean_expansions());
        let expansions = expansions.ceil() as usize;
        Ok(Writer::Weighted { grower: Grower::new(self.seed), probabilities: Box::new(probabilities), expansions, workspace })
    }
}

/// What writes sentences.
enum Writer {
    /// By the grammar's own weights, towards a size.
    Uniform { guide: Guide<Sampler>, size: Option<u32>, workspace: Workspace },
    /// By what was learned.
    Weighted { grower: Grower, probabilities: Box<Probabilities>, expansions: usize, workspace: Workspace },
}

impl Writer {
    /// Derives a sentence; `seeks` if it may be one that leads to an alternative that none has used.
    fn write(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        seeks: bool,
        coverage: &mut Coverage,
        derivation: &mut Derivation,
    ) {
        let (start, Settings { bounds, caps, .. }) = (grammar.start(), settings);
        match self {
            Writer::Uniform { guide, size, workspace } => {
                let size = size.map_or_else(|| Sampler::log_uniform(guide.chooser.rng(), MOST_SIZE), f64::from);
                guide.chooser.restart(size);
                guide.follow(if seeks { coverage.route(grammar) } else { Route::default() });
                derive(grammar, start, bounds, caps, guide, workspace, derivation);
            }
            Writer::Weighted { grower, probabilities, expansions, workspace } => {
                grower.plan(grammar, probabilities, bounds, start, *expansions);
                derive(grammar, start, bounds, caps, grower, workspace, derivation);
            }
        }
    }
}

/// Says which of the alternatives that somebody wrote were never used; whether all were.
fn report(coverage: &Coverage, grammar: &Grammar) -> bool {
    let (count, unused) = unused(coverage, grammar);
    unused.iter().for_each(|alternative| eprintln!("never used: {alternative}"));
    eprintln!("{} of {} alternatives used", count.used, count.all);
    unused.is_empty()
}
