//! `zester generate`: generates sentences of a grammar, or their parameters.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use zester::corpus;
use zester::cover::Coverage;
use zester::generate::Generator;
use zester::grammar::Grammar;
use zester::parameters;
use zester::weights::{Transform, Weights};

use crate::arguments::{GrammarAndStart, SentenceLimits};
use crate::coverage::unused;
use crate::input::{grammar_and_start, warn_of_stale};
use crate::learn::{TransformOptions, weights};
use crate::numbers::counted;
use crate::output::{Existing, make_directory, print};
use crate::problem::Problem;
use crate::progress::progress;

const EXAMPLES: &str = "\
Examples:
  zester generate json.ebnf -n 5 --size 40                   five sentences of about 40 bytes
  zester generate json.ebnf -n 8 --size 20,40,80,160         two sentences of each of these sizes
  zester generate json.ebnf --start object                   a sentence of one rule
  zester generate json.ebnf -n 1000 --distinct -o texts     texts that all differ
  zester generate json.ebnf -n 20 -o seeds --parameters      a seed corpus
  zester generate jq.ebnf -n 20 --invert                     what the grammar's weights make rare

Exit status: 0; 1 if the grammar has errors, or with --coverage if an alternative is unused; 2 if a file cannot be read or written.";

/// The number of repeated sentences in a row after which --distinct gives up.
const MAX_REPEATED: u32 = 100;

/// The maximum target size of a sentence in bytes. A derivation takes about 20 bytes of memory for each byte.
const MAX_SIZE: u32 = 1 << 26;

/// Generate random sentences of a grammar.
///
/// Prints each sentence with a line feed after it, or with -o writes each to a file. Without
/// --size, sizes are drawn log-uniformly from 1 to 4,096 bytes, so that small and large sentences
/// are equally frequent. One sentence in 32 is steered to an alternative that no sentence has used,
/// until every alternative has been used or steered to once. None is steered to an alternative of
/// weight 0.
///
/// With --weights, choices are drawn by probabilities that `zester learn` learned from samples, and
/// no sentence is steered. The rules that no sample has are drawn by the weights and percentages in
/// the grammar, such as @30%. With --invert, --power, --damping or --expansions, but without
/// --weights, all rules are. After --expansions expansions, each sentence is completed with as few
/// further expansions as the weights allow.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GenerateCommand {
    #[command(flatten)]
    grammar: GrammarAndStart,

    /// The number of sentences.
    #[arg(short, long, value_name = "N", default_value_t = 1)]
    number: u64,

    /// The seed of the random number generator; the same seed gives the same sentences.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    limits: SentenceLimits,

    /// The target sizes of sentences in bytes, at most 67108864 (64 MiB, which takes about 1.5 GB of memory). Each size
    /// has as many sentences as the others. Give the option several times, or a list such as 50,5000
    /// [default: drawn from 1 to 4096, or with --weights determined by --expansions].
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_SIZE)))]
    size: Vec<u32>,

    /// Draw choices by the weights in this file, which `zester learn` wrote.
    #[arg(long, value_name = "WEIGHTS")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    transform: TransformOptions,

    /// Draw choices by probabilities alone, and complete a sentence after this number of expanded
    /// nonterminals, repetitions and names. The probabilities are those of --weights, or those in the
    /// grammar [default with --weights: drawn from the mean of the samples to twice that mean].
    #[arg(long, value_name = "N", conflicts_with = "size")]
    expansions: Option<u32>,

    /// The directory to write each sentence to as a file; it is made if it is missing [default:
    /// standard output].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// With -o, write parameters instead of text: a seed corpus for a fuzz target.
    #[arg(long, requires = "output")]
    parameters: bool,

    #[command(flatten)]
    existing: Existing,

    /// End each sentence on standard output with a zero byte instead of a line feed.
    #[arg(short = '0', long)]
    null: bool,

    /// Generate sentences that all differ. It gives up after 100 sentences in a row that were there before, and
    /// says how many different ones there are.
    #[arg(long)]
    distinct: bool,

    /// At the end, print the alternatives that no sentence used. They are printed on standard
    /// error, and the exit status is 1 if there are any.
    #[arg(long)]
    coverage: bool,
}

impl GenerateCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar_and_start(&self.grammar, &settings.caps)?;
        if let Some(directory) = &self.output {
            make_directory(directory)?;
            if !self.parameters && corpus::is_marked(directory) {
                let why = "is a corpus of parameters; write texts to another directory, or parameters with --parameters";
                return Err(Problem::with(directory, why));
            }
            if self.parameters {
                warn_of_stale([directory], &grammar);
                corpus::mark(directory, &grammar)
                    .map_err(|error| Problem::with(directory, error))?;
            }
        }
        // Sentences on standard output show the progress, so that no bar is needed.
        let progress = if self.output.is_some() {
            progress(self.number, "sentences")
        } else {
            ProgressBar::hidden()
        };
        let mut generator = self.generator(&grammar)?.settings(settings);
        let mut bytes = Vec::new();
        let width = self.number.max(1).to_string().len();
        let (mut seen, mut number, mut repeated) = (HashSet::new(), 0, 0);
        while number < self.number && repeated < MAX_REPEATED {
            let derivation = generator.sentence();
            if self.distinct && !seen.insert(hash(derivation.text())) {
                repeated += 1;
                continue;
            }
            repeated = 0;
            bytes.clear();
            if self.parameters {
                parameters::encode(&grammar, derivation, &mut bytes);
                // libFuzzer ignores empty files in a corpus.
                bytes.resize(bytes.len().max(1), 0);
            } else {
                bytes.extend_from_slice(derivation.text());
            }
            if let Some(directory) = &self.output {
                self.existing
                    .write_file(&directory.join(format!("{number:0width$}")), &bytes)?;
            } else {
                bytes.push(if self.null { 0 } else { b'\n' });
                print(&bytes)?;
            }
            progress.inc(1);
            number += 1;
        }
        progress.finish_and_clear();
        if number < self.number {
            eprintln!(
                "zester: {}, then {MAX_REPEATED} that were there before; a larger --size or another --seed gives others",
                counted(number, "different sentence")
            );
        }
        let complete = !self.coverage || report(generator.coverage(), &grammar);
        Ok(ExitCode::from(u8::from(!complete)))
    }

    /// Returns the generator that the options describe.
    fn generator<'g>(&self, grammar: &'g Grammar) -> Result<Generator<'g>, Problem> {
        let mut generator = Generator::new(grammar, self.seed).sizes(&self.size);
        if let Some(expansions) = self.expansions {
            generator = generator.expansions(expansions);
        }
        let Some(path) = &self.weights else {
            if !self.transform.is_given() && self.expansions.is_none() {
                return Ok(generator);
            }
            if !Weights::are_in(grammar) {
                return Err(Problem::new(
                    "--invert, --power, --damping and --expansions need --weights, or a grammar with weights such as @30%",
                ));
            }
            let transform = self.transform.of(Transform::default());
            return generator
                .weights(&Weights::new(grammar, 0), transform)
                .map_err(Problem::new);
        };
        let weights = weights(path, grammar)?;
        let transform = self.transform.of(weights.transform);
        generator
            .weights(&weights, transform)
            .map_err(|problem| Problem::with(path, problem))
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Prints the unused alternatives on standard error. Returns whether all alternatives were used.
fn report(coverage: &Coverage, grammar: &Grammar) -> bool {
    let (count, unused) = unused(coverage, grammar);
    unused
        .iter()
        .for_each(|alternative| eprintln!("never used: {alternative}"));
    eprintln!(
        "{} of {} used",
        count.used,
        counted(count.all, "alternative")
    );
    unused.is_empty()
}
