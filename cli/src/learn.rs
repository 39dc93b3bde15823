//! `zester learn`: counts the choices in samples, and writes the counts as weights.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use zester::corpus::{self, seeds, seeds::Refusal};
use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::parse::Parser;
use zester::weights::{Probabilities, Transform, Weights};

use crate::arguments::{self, SentenceLimits, threads};
use crate::causes::Causes;
use crate::encode::{self, Source};
use crate::input::{self, grammar};
use crate::numbers::counted;
use crate::output::Existing;
use crate::problem::Problem;
use crate::progress::progress;

const EXAMPLES: &str = "\
Examples:
  zester learn json.ebnf samples/ -o common.json
  zester learn json.ebnf --merge common.json --invert -o uncommon.json

Exit status: 0; 1 if the grammar has errors; 2 if nothing was learned.";

/// Learn weights from samples, for `zester generate`.
///
/// Counts how often samples have each alternative, repetition count, character, name, case and kind
/// of layout. SAMPLE is a text, a directory of texts, a `.zip` archive, a pattern such as
/// 'tests/**/*.json', or a corpus of parameters that zester wrote.
///
/// The weights are JSON, which you can read and edit. `zester generate --weights FILE` draws
/// choices by them, and `zester explain` shows them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct LearnCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Texts, directories, `.zip` archives, patterns, or corpora of parameters; `-` is standard
    /// input.
    #[arg(value_name = "SAMPLE", required_unless_present = "merge")]
    samples: Vec<PathBuf>,

    /// The file to write; `-` is standard output.
    #[arg(short, long, value_name = "WEIGHTS", default_value = "-")]
    output: PathBuf,

    /// Add the counts of this weights file to those of the samples; may be given several times.
    #[arg(long, value_name = "WEIGHTS")]
    merge: Vec<PathBuf>,

    /// Passing samples, if those of SAMPLE are failing: choices that only failing samples have get
    /// more weight. May be given several times.
    #[arg(long, value_name = "SAMPLE")]
    passing: Vec<PathBuf>,

    /// The number of nearest enclosing choices that probabilities depend on, from 0 to 8 [default:
    /// that of the --merge file, or 0]
    ///
    /// With 2, generated sentences are about as large as the samples. 0 is the method of the paper
    /// "Inputs from Hell".
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=8))]
    context: Option<u8>,

    #[command(flatten)]
    transform: TransformOptions,

    /// Read all samples as parameters. Without this option, only files in a corpus that zester
    /// wrote are parameters.
    #[arg(long)]
    parameters: bool,

    /// If a sample is not a sentence, cut out the elements of repetitions that have errors, or what
    /// comes after an error, and learn from the rest.
    #[arg(long)]
    recover: bool,

    /// The number of samples to read at the same time, from 1 to 1024 [default: the number of
    /// processors].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    #[command(flatten)]
    existing: Existing,

    #[command(flatten)]
    limits: SentenceLimits,
}

/// The options that transform probabilities before they are used.
#[derive(clap::Args)]
pub struct TransformOptions {
    /// Invert the probabilities: negate the power. Choices that samples never make then share all of
    /// the probability. If no sample has a rule, its probabilities in the grammar, such as @30%, are
    /// inverted.
    #[arg(long)]
    invert: bool,

    /// Raise the probabilities to this power: 1 keeps them, 0 makes all choices equally probable, -1
    /// inverts them [default: the power of the weights file, or 1].
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = arguments::power)]
    power: Option<f64>,

    /// Spread this share of the probability, from 0 to 1, evenly over all choices before --power
    /// [default: the damping of the weights file, or 0].
    #[arg(long, value_name = "D", value_parser = arguments::share)]
    damping: Option<f64>,
}

impl TransformOptions {
    /// Returns whether one of the options is given.
    pub fn is_given(&self) -> bool {
        self.invert || self.power.is_some() || self.damping.is_some()
    }

    /// Returns the transform that the options describe. `file` is the transform of the weights file,
    /// which applies to options that are not given.
    pub fn of(&self, file: Transform) -> Transform {
        let given = Transform {
            power: self.power.unwrap_or(file.power),
            damping: self.damping.unwrap_or(file.damping),
        };
        if self.invert { given.inverted() } else { given }
    }
}

/// Reads a weights file.
pub fn weights(path: &Path, grammar: &Grammar) -> Result<Weights, Problem> {
    let text = String::from_utf8(input::parameters(path)?)
        .map_err(|_| Problem::with(path, "not UTF-8"))?;
    Weights::read(grammar, &text).map_err(|problem| Problem::with(path, problem))
}

impl LearnCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let caps = self.limits.settings().caps;
        let grammar = grammar(&self.grammar, &caps)?;
        let transform = self.transform.of(Transform::default());
        let mut weights = self.merged(&grammar)?;
        let context = weights.context();
        let parser = Parser::new(&grammar);
        let failing = self.learn(&grammar, &parser, context, &self.samples)?;
        weights.merge(&failing.all).map_err(Problem::new)?;
        if weights.samples() == 0 {
            return Err(Problem::new("there is no sample to learn from"));
        }
        if !self.passing.is_empty() {
            let passing = self.learn(&grammar, &parser, context, &self.passing)?;
            weights
                .contrast(&failing.once, &passing.once)
                .map_err(Problem::new)?;
        }
        weights.grammar = self
            .grammar
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        weights.transform = transform;
        Probabilities::new(&grammar, &weights, transform).map_err(Problem::new)?;
        self.existing
            .write(&self.output, weights.write(&grammar).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the sum of the weights in the files of `--merge`. All must have the same context: that
    /// of `--context`, or else that of the first file.
    fn merged(&self, grammar: &Grammar) -> Result<Weights, Problem> {
        let mut sum = None;
        for path in &self.merge {
            let other = weights(path, grammar)?;
            let sum = sum.get_or_insert_with(|| {
                Weights::new(grammar, self.context.map_or(other.context(), usize::from))
            });
            if other.context() != sum.context() {
                let (own, first) = (other.context(), self.merge[0].display());
                return Err(Problem::with(
                    path,
                    match self.context {
                        Some(given) => {
                            format!(
                                "was learned with --context {own}; leave out --context {given}, or learn it again"
                            )
                        }
                        None => format!(
                            "was learned with --context {own}, but {first} with --context {}",
                            sum.context()
                        ),
                    },
                ));
            }
            sum.merge(&other)
                .map_err(|problem| Problem::with(path, problem))?;
        }
        Ok(sum.unwrap_or_else(|| Weights::new(grammar, self.context.unwrap_or(0).into())))
    }

    /// Learns from all samples at `paths`. Prints the number of samples, and the causes for which
    /// samples were refused.
    fn learn(
        &self,
        grammar: &Grammar,
        parser: &Parser<'_>,
        context: usize,
        paths: &[PathBuf],
    ) -> Result<Learned, Problem> {
        let mut samples = Vec::new();
        for path in paths {
            let is_corpus = self.parameters || path.is_dir() && corpus::is_marked(path);
            if let Some(stale) = corpus::stale(path, grammar) {
                return Err(Problem::new(stale));
            }
            samples.extend(
                encode::found(path)?
                    .into_iter()
                    .map(|(entry, source)| (entry.path, source, is_corpus)),
            );
        }
        let progress = progress(samples.len() as u64, "samples");
        let next = AtomicUsize::new(0);
        let learned = Mutex::new(Learned::new(grammar, context));
        std::thread::scope(|scope| {
            for _ in 0..threads(self.jobs, samples.len()) {
                scope.spawn(|| {
                    let mut reader =
                        SampleReader::new(grammar, parser, self.limits.settings(), self.recover);
                    let mut own = Learned::new(grammar, context);
                    while let Some((path, source, is_corpus)) =
                        samples.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        match reader.read(source, *is_corpus) {
                            Ok(derivation) => {
                                own.all.add(grammar, derivation);
                                if !self.passing.is_empty() {
                                    own.once.add_once(grammar, derivation);
                                }
                            }
                            Err(refusal) => drop(own.causes.add(path, refusal)),
                        }
                        progress.inc(1);
                    }
                    learned
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .merge(own);
                });
            }
        });
        progress.finish_and_clear();
        let learned = learned.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !samples.is_empty() {
            eprint!(
                "learned from {} of {}\n{}",
                learned.all.samples(),
                counted(samples.len(), "sample"),
                learned.causes.summary()
            );
        }
        Ok(learned)
    }
}

/// Reads samples to derivations. It owns its buffers, so that each thread has one.
pub struct SampleReader<'g> {
    decoder: Decoder<'g>,
    parser: Parser<'g>,
    parsed: Derivation,
    /// The maximum length of a sample in bytes.
    max_bytes: u32,
    recovers: bool,
}

impl<'g> SampleReader<'g> {
    /// Returns a reader. If `recovers` is set, it leaves out the elements of repetitions that have
    /// errors.
    pub fn new(
        grammar: &'g Grammar,
        parser: &Parser<'g>,
        settings: Settings,
        recovers: bool,
    ) -> SampleReader<'g> {
        SampleReader {
            decoder: Decoder::new(grammar).settings(settings),
            parser: parser.clone(),
            parsed: Derivation::default(),
            max_bytes: settings.caps.bytes,
            recovers,
        }
    }

    /// Returns the derivations of all samples at `paths`. Prints the causes for which samples were
    /// refused.
    ///
    /// # Errors
    /// If there are samples, but none is a sentence.
    pub fn read_all(&mut self, paths: &[PathBuf]) -> Result<Vec<Derivation>, Problem> {
        let (mut derivations, mut causes, mut count) = (Vec::new(), Causes::default(), 0);
        for path in paths {
            let is_corpus = path.is_dir() && corpus::is_marked(path);
            for (entry, source) in encode::found(path)? {
                count += 1;
                match self.read(&source, is_corpus) {
                    Ok(derivation) => derivations.push(derivation.clone()),
                    Err(refusal) => drop(causes.add(&entry.path, refusal)),
                }
            }
        }
        if count == 0 && !paths.is_empty() {
            eprintln!(
                "zester: warning: there are no samples, so all alternatives of a rule are equally probable"
            );
        }
        if count > derivations.len() {
            eprint!(
                "learned from {} of {}\n{}",
                derivations.len(),
                counted(count, "sample"),
                causes.summary()
            );
        }
        if count > 0 && derivations.is_empty() {
            return Err(Problem::new(
                "none of the samples is a sentence of the target's grammar",
            ));
        }
        Ok(derivations)
    }

    /// Returns the derivation of a sample. The sample is parameters if `is_corpus`, otherwise a text.
    fn read(&mut self, source: &Source, is_corpus: bool) -> Result<&Derivation, Refusal> {
        let bytes = encode::read(source, self.max_bytes)?;
        if is_corpus {
            return Ok(self.decoder.decode(&bytes));
        }
        seeds::check_length(&bytes, self.max_bytes)?;
        seeds::parse(&mut self.parser, &bytes, self.recovers, &mut self.parsed)?;
        Ok(&self.parsed)
    }
}

/// What was learned from samples.
struct Learned {
    /// The counts of all choices.
    all: Weights,
    /// The counts in which equal choices of a sample count once. They are needed for --passing.
    once: Weights,
    causes: Causes,
}

impl Learned {
    fn new(grammar: &Grammar, context: usize) -> Learned {
        Learned {
            all: Weights::new(grammar, context),
            once: Weights::new(grammar, context),
            causes: Causes::default(),
        }
    }

    fn merge(&mut self, other: Learned) {
        self.all.merge(&other.all).expect("both are of one grammar");
        self.once
            .merge(&other.once)
            .expect("both are of one grammar");
        self.causes.merge(other.causes);
    }
}
