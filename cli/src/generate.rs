//! `zester generate`: writes sentences of a grammar, or the parameters that decode to them.

use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use zester::corpus;
use zester::cover::Coverage;
use zester::generate::Generator;
use zester::grammar::Grammar;
use zester::parameters;

use crate::arguments::{GrammarAndStart, Limits};
use crate::coverage::unused;
use crate::input::{grammar_and_start, warn_of_stale};
use crate::learn::{Change, weights};
use crate::output::{Existing, make_directory, print};
use crate::problem::Problem;
use crate::progress::progress;

/// Generate sentences of a grammar.
///
/// Sentences go to standard output, with a line feed after each, or with -o to a file each. Their sizes are drawn log-uniformly
/// from 1 to 4,096 bytes, so that small and large ones are equally common. One sentence in 32 is steered to an alternative of the
/// grammar that no sentence has used, until all are used.
///
/// With --weights, sentences are drawn by the probabilities of samples: more of the same, or with --invert less of the same. A
/// sentence is then expanded freely up to a number of expansions, by default twice the mean of the samples, and completed by the
/// shortest derivation.
///
/// Examples:
///   zester generate json.ebnf -n 5 --size 40
///   zester generate json.ebnf --start object -n 5           one rule of the grammar
///   zester generate json.ebnf -n 1000 -o texts              test files
///   zester generate json.ebnf -n 20 -o seeds --parameters   a seed corpus
///
/// Exit status: 0; 1 if the grammar has errors, or with --coverage if alternatives are unused; 2 if a file cannot be written.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Generate {
    #[command(flatten)]
    grammar: GrammarAndStart,

    /// How many sentences to generate.
    #[arg(short, value_name = "N", default_value_t = 1)]
    n: u64,

    /// The seed of the random numbers. The same seed gives the same sentences.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    limits: Limits,

    /// Aim at this many bytes for each sentence, instead of drawing sizes.
    #[arg(long, value_name = "BYTES")]
    size: Option<u32>,

    /// Draw by the weights in a file that `zester learn` wrote.
    #[arg(long, value_name = "WEIGHTS")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    change: Change,

    /// With --weights, expand up to N nonterminals, repetitions and names freely.
    #[arg(long, value_name = "N", requires = "weights", conflicts_with = "size")]
    expansions: Option<u32>,

    /// Write each sentence to a file in this directory. The directory is made if it is missing.
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Write parameters instead of text: a seed corpus for a fuzz target. Needs -o.
    #[arg(long, requires = "output")]
    parameters: bool,

    #[command(flatten)]
    existing: Existing,

    /// End each sentence on standard output with a zero byte instead of a line feed.
    #[arg(short = '0', long)]
    null: bool,

    /// At the end, list on standard error the alternatives that no sentence used. The exit status is 1 if there are any.
    #[arg(long)]
    coverage: bool,
}

impl Generate {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar_and_start(&self.grammar, &settings.caps)?;
        if let Some(directory) = &self.output {
            make_directory(directory)?;
            if !self.parameters && corpus::is_marked(directory) {
                let why = "a corpus of parameters; write texts to another directory, or parameters with --parameters";
                return Err(Problem::with(directory, why));
            }
            if self.parameters {
                warn_of_stale([directory], &grammar);
                corpus::mark(directory, &grammar).map_err(|error| Problem::with(directory, error))?;
            }
        }
        // On standard output, the sentences themselves are the progress.
        let progress = if self.output.is_some() { progress(self.n, "sentences") } else { ProgressBar::hidden() };
        let mut generator = self.generator(&grammar)?.with_settings(settings);
        let mut bytes = Vec::new();
        let width = self.n.max(1).to_string().len();
        for number in 0..self.n {
            let derivation = generator.sentence();
            bytes.clear();
            if self.parameters {
                parameters::encode(&grammar, derivation, &mut bytes);
                // libFuzzer neither runs nor stores an empty input.
                bytes.resize(bytes.len().max(1), 0);
            } else {
                bytes.extend_from_slice(derivation.text());
            }
            if let Some(directory) = &self.output {
                self.existing.write_file(&directory.join(format!("{number:0width$}")), &bytes)?;
            } else {
                bytes.push(if self.null { 0 } else { b'\n' });
                print(&bytes)?;
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let complete = !self.coverage || report(generator.coverage(), &grammar);
        Ok(ExitCode::from(u8::from(!complete)))
    }

    fn generator<'g>(&self, grammar: &'g Grammar) -> Result<Generator<'g>, Problem> {
        let mut generator = Generator::new(grammar, self.seed);
        if let Some(size) = self.size {
            generator = generator.with_size(size);
        }
        if let Some(expansions) = self.expansions {
            generator = generator.with_expansions(expansions);
        }
        let Some(path) = &self.weights else {
            if self.change.is_given() {
                return Err(Problem::new("--invert, --power and --damping need --weights"));
            }
            return Ok(generator);
        };
        let weights = weights(path, grammar)?;
        let transform = self.change.of(weights.transform);
        generator.with_weights(&weights, transform).map_err(|problem| Problem::with(path, problem))
    }
}

/// Lists the alternatives that were never used; whether all were used.
fn report(coverage: &Coverage, grammar: &Grammar) -> bool {
    let (count, unused) = unused(coverage, grammar);
    unused.iter().for_each(|alternative| eprintln!("never used: {alternative}"));
    eprintln!("{} of {} alternatives used", count.used, count.all);
    unused.is_empty()
}
