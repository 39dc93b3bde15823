//! `zester learn`: weights of a grammar, from samples.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use zester::corpus::{self, seeds, seeds::Refusal};
use zester::derivation::Derivation;
use zester::derive::Workspace;
use zester::grammar::Grammar;
use zester::parameters;
use zester::parse::Parser;
use zester::weights::{Probabilities, Transform, Weights};

use crate::command::{Limits, Problem, grammar, progress, write};
use crate::encode::{self, Source};
use crate::import::Causes;

/// Learn from samples how a language is commonly used: weights, for more of the same or less of the same.
///
/// A sample is a text, a directory of texts, a `.zip` archive, or a pattern such as `'tests/**/*.json'`; or a corpus of parameters
/// that zester wrote. What the samples choose is counted: alternatives, repetitions, characters, names, case, layout. The file
/// is JSON that can be read and changed; `zester generate --weights` and, in fuzz targets, ZESTER_WEIGHTS use it, `zester
/// explain` shows it.
///
///   zester learn json.ebnf samples/ -o common.json
///
///   zester learn json.ebnf --merge common.json --invert -o uncommon.json
///
///   zester learn css.ebnf reduced-crashes/ --context 2 --damping 0.3 -o failing.json
///
/// The exit status is 0, or 2 if nothing was learned.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Learn {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Texts, directories, `.zip` archives, patterns; or corpora of parameters.
    #[arg(value_name = "SAMPLE", required_unless_present = "merge")]
    samples: Vec<PathBuf>,

    /// Where to write the weights; `-` is standard output.
    #[arg(short, value_name = "WEIGHTS", default_value = "-")]
    output: PathBuf,

    /// Add the weights of a file that this command wrote. Can be given several times.
    #[arg(long, value_name = "WEIGHTS")]
    merge: Vec<PathBuf>,

    /// Samples that do not fail, where the others do: what they choose, too, gets less weight. Can be given several times.
    #[arg(long, value_name = "SAMPLE")]
    passing: Vec<PathBuf>,

    /// Let probabilities depend on so many of the nearest enclosing choices, where these were seen. With 2, sentences become as
    /// large as the samples; 0 is Inputs from Hell's.
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=8))]
    context: u8,

    #[command(flatten)]
    change: Change,

    /// The samples are parameters. Without it, those of a directory that zester marked are.
    #[arg(long)]
    parameters: bool,

    /// Of a sample that is no sentence, learn from what is left when the elements that are in none are cut out.
    #[arg(long)]
    recover: bool,

    /// Samples that are read at once; without it, as many as there are processors.
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,

    #[command(flatten)]
    limits: Limits,
}

/// What becomes of weights, on the command line.
#[derive(clap::Args)]
pub struct Change {
    /// Less of the same: inverts the probabilities; what samples never choose shares all of it.
    #[arg(long)]
    invert: bool,

    /// Raise the probabilities to this power: 1 is more of the same, 0 all alike, -1 less of the same.
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    power: Option<f64>,

    /// Share this part of the probability, from 0 to 1, evenly, before the power: then nothing counts as never chosen.
    #[arg(long, value_name = "D")]
    damping: Option<f64>,
}

impl Change {
    /// Whether anything is to be changed.
    pub fn is_given(&self) -> bool {
        self.invert || self.power.is_some() || self.damping.is_some()
    }

    /// What to do instead of what a file says.
    pub fn of(&self, file: Transform) -> Transform {
        let given = Transform { power: self.power.unwrap_or(file.power), damping: self.damping.unwrap_or(file.damping) };
        if self.invert { given.inverted() } else { given }
    }
}

/// Reads a file of weights.
pub fn weights(path: &Path, grammar: &Grammar) -> Result<Weights, Problem> {
    let text = String::from_utf8(crate::command::parameters(path)?).map_err(|_| Problem::with(path, "not UTF-8"))?;
    Weights::read(grammar, &text).map_err(|problem| Problem::with(path, problem))
}

impl Learn {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let caps = self.limits.settings().caps;
        let grammar = grammar(&self.grammar, &caps)?;
        let transform = self.change.of(Transform::default());
        let mut weights = Weights::new(&grammar, self.context.into());
        for path in &self.merge {
            let other = self::weights(path, &grammar)?;
            if weights.samples() == 0 && self.samples.is_empty() {
                weights = Weights::new(&grammar, other.context());
            }
            weights.merge(&other).map_err(|problem| Problem::with(path, problem))?;
        }
        let parser = Parser::new(&grammar);
        let failing = self.learn(&grammar, &parser, &self.samples)?;
        weights.merge(&failing.all).map_err(Problem::Work)?;
        if weights.samples() == 0 {
            return Err(Problem::Work("zester: there is no sample to learn from\n".into()));
        }
        if !self.passing.is_empty() {
            let passing = self.learn(&grammar, &parser, &self.passing)?;
            weights.contrast(&failing.once, &passing.once).map_err(Problem::Work)?;
        }
        weights.grammar = self.grammar.file_name().unwrap_or_default().to_string_lossy().into_owned();
        weights.transform = transform;
        Probabilities::new(&grammar, &weights, transform).map_err(|problem| Problem::Work(format!("zester: {problem}\n")))?;
        write(&self.output, weights.write(&grammar).as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Learns from all samples that paths stand for, and says which could not be read.
    fn learn(&self, grammar: &Grammar, parser: &Parser<'_>, paths: &[PathBuf]) -> Result<Learned, Problem> {
        let mut samples = Vec::new();
        for path in paths {
            let is_corpus = self.parameters || path.is_dir() && corpus::is_marked(path);
            if let Some(stale) = corpus::stale(path, grammar) {
                return Err(Problem::Work(format!("zester: {stale}\n")));
            }
            samples.extend(encode::found(path)?.into_iter().map(|(entry, source)| (entry.place, source, is_corpus)));
        }
        let progress = progress(samples.len() as u64, "samples");
        let next = AtomicUsize::new(0);
        let learned = Mutex::new(Learned::new(grammar, self.context.into()));
        let jobs = self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, samples.len().max(1)) {
                scope.spawn(|| {
                    let mut parser = parser.clone();
                    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
                    let mut own = Learned::new(grammar, self.context.into());
                    while let Some((place, source, is_corpus)) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
                        match self.read(grammar, source, *is_corpus, &mut parser, &mut workspace, &mut derivation) {
                            Ok(()) => {
                                own.all.add(grammar, &derivation);
                                if !self.passing.is_empty() {
                                    own.once.add_once(grammar, &derivation);
                                }
                            }
                            Err(refusal) => drop(own.causes.add(place, refusal)),
                        }
                        progress.inc(1);
                    }
                    learned.lock().unwrap_or_else(PoisonError::into_inner).merge(own);
                });
            }
        });
        progress.finish_and_clear();
        let learned = learned.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !samples.is_empty() {
            eprint!("learned from {} of {} samples\n{}", learned.all.samples(), samples.len(), learned.causes.tell());
        }
        Ok(learned)
    }

    /// The derivation of a sample.
    fn read(
        &self,
        grammar: &Grammar,
        source: &Source,
        is_corpus: bool,
        parser: &mut Parser<'_>,
        workspace: &mut Workspace,
        derivation: &mut Derivation,
    ) -> Result<(), Refusal> {
        let settings = self.limits.settings();
        let bytes = encode::read(source, settings.caps.bytes)?;
        if is_corpus {
            parameters::decode(grammar, &settings, &bytes, workspace, derivation);
            return Ok(());
        }
        seeds::check_length(&bytes, settings.caps.bytes)?;
        seeds::parse(parser, &bytes, self.recover, derivation)
    }
}

/// What came of samples.
struct Learned {
    all: Weights,
    /// Each choice of a sample once.
    once: Weights,
    causes: Causes,
}

impl Learned {
    fn new(grammar: &Grammar, context: usize) -> Learned {
        Learned { all: Weights::new(grammar, context), once: Weights::new(grammar, context), causes: Causes::default() }
    }

    fn merge(&mut self, other: Learned) {
        self.all.merge(&other.all).expect("both are of one grammar");
        self.once.merge(&other.once).expect("both are of one grammar");
        self.causes.merge(other.causes);
    }
}
