//! `zester evolve`: evolves inputs, and the probabilities of the grammar's alternatives, towards a
//! goal.

#[cfg(test)]
mod euclid;
mod evolution;
mod fitness;
mod goal;
mod individual;
mod journal;
mod observer;
mod own_functions;
mod page;
mod record;
mod report;
mod results;
mod strategy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters::{Edits, Settings};
use zester::parse::Parser;
use zester::subject;
use zester::weights::Weights;

use self::evolution::Evolution;
use self::goal::{GivenWeights, Goal, GoalSelection, GoalWeights};
use self::journal::Journal;
use self::observer::{Observation, Observer};
use self::report::EvolutionReport;
use self::strategy::{Ablation, Setup, StrategyName};
use crate::arguments;
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::interrupt::OnInterrupt;
use crate::learn::SampleReader;
use crate::numbers::counted;
use crate::output;
use crate::problem::Problem;
use crate::progress::progress;
use crate::text_directory::{check_is_new, default_extension};
use crate::work_directory::WorkDirectory;

/// The name of the journal in the directory of unfinished work.
const JOURNAL: &str = "journal.jsonl";

const EXAMPLES: &str = "\
Goals:
  coverage           functions of the program, without libraries that every target has
  exceptions         crashes, exits and runs out of memory; a new one counts ten times as much
  unique-exceptions  only exceptions that no earlier input had
  time               long runs
  mappings           pairs of a path of rules that an input uses and a function that it reaches
  all                all of these goals

Examples:
  zester fuzz json --no-run
  zester evolve json samples/ --goal coverage -o found
  zester evolve json samples/ --goal time --max-len 1000 -o slow
  zester evolve json samples/ --goal all --ignore time --strategy paper -o found

Exit status: 0; 1 if the grammar has errors; 2 if the command failed for another reason.";

/// Evolve inputs towards a goal: coverage, exceptions, long runs, or input-to-code mappings.
///
/// The loop is that of FdLoop ("Directed Grammar-Based Test Generation", 2025). Probabilities of the
/// grammar's alternatives are learned from samples. Each generation has inputs that are generated
/// by the probabilities, and inputs that are mutated. All are run. The inputs that are best for the
/// goal determine the next generation. By default, inputs are made and selected in zester's own way;
/// `--strategy paper` is the published way. The default is 500 runs, far fewer than a fuzzer makes.
///
/// DIR gets text files: the inputs that were the first to reach a function, the shortest input of
/// each exception, and the slowest inputs. It also gets report.html and evolve.json with all
/// figures, and weights.json with the final probabilities for `zester generate`.
///
/// If the command is interrupted, the same command continues the work, which is in the directory
/// DIR.evolve.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EvolveCommand {
    /// The fuzz target: a program that `cargo fuzz build` built, or a C harness that is linked with
    /// libzester.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// Texts, directories, `.zip` archives, patterns, or corpora that zester wrote. Probabilities are
    /// learned from them. Without samples, all alternatives of a rule are equally probable at first.
    #[arg(value_name = "SAMPLE")]
    samples: Vec<PathBuf>,

    /// The directory for the results. It must not exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// The goal; the goals are listed below.
    #[arg(long, value_name = "GOAL", default_value = "all")]
    goal: GoalSelection,

    /// Weights of goals in the fitness of an input, such as coverage=10,time=1 [default: 10 for the
    /// goal and 1 for each other goal]
    #[arg(long, value_name = "GOAL=W,…", default_value = "", hide_default_value = true, value_parser = given_weights)]
    weight: GivenWeights,

    /// Set the weight of a goal to 0.
    #[arg(long, value_name = "GOAL")]
    ignore: Option<Goal>,

    /// How the inputs of a generation are made.
    #[arg(long, value_name = "NAME", value_enum, default_value_t = StrategyName::Zester)]
    strategy: StrategyName,

    /// The number of generations.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    generations: u32,

    /// Stop after the generation in which the figure of the goal is at least this number: a number of
    /// functions, exceptions, different exceptions or mappings, or the longest run in seconds.
    #[arg(long, value_name = "FIGURE")]
    until: Option<f64>,

    /// Half the number of inputs of a generation. With the strategy paper, this many inputs are
    /// generated, and as many are mutated.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    inputs: u32,

    /// The seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The maximum number of rules in the path of a mapping, from 1 to 8.
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    path: u8,

    /// The maximum length of an input in bytes of parameters, for the strategy zester and for
    /// mutants of paper.
    #[arg(long, value_name = "BYTES", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    max_len: u32,

    /// The maximum time of a run in seconds, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = arguments::seconds)]
    timeout: Duration,

    /// The maximum memory of the target and the processes that it starts, in MB, from 1 to 1048576.
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,

    #[cfg_attr(feature = "baselines", command(flatten))]
    #[cfg_attr(not(feature = "baselines"), arg(skip))]
    ablation: Ablation,

    /// The extension of the text files [default: the name of the target].
    #[arg(long, value_name = "EXT", value_parser = arguments::extension)]
    extension: Option<String>,
}

/// Parses the weights of goals. The empty text gives none.
fn given_weights(text: &str) -> Result<GivenWeights, String> {
    if text.is_empty() {
        Ok(GivenWeights::default())
    } else {
        text.parse()
    }
}

impl EvolveCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let goals = GoalWeights::new(self.goal, self.ignore, &self.weight);
        if goals.are_zero() {
            return Err(Problem::new("every goal has the weight 0"));
        }
        let until = match (self.goal, self.until) {
            (GoalSelection::One(goal), Some(figure)) => Some((goal, figure)),
            (GoalSelection::All, Some(_)) => {
                return Err(Problem::new("--until needs a --goal other than all"));
            }
            (_, None) => None,
        };
        let target = FuzzTarget::must_be(&self.target)?;
        check_is_new(&self.output)?;
        let settings = Settings::default().edits(Edits::On);
        let (grammar, _) = input::parse(&self.target, &target.grammar()?, None, &settings.caps)?;
        let samples = self.samples(&grammar, settings)?;
        let mut weights = Weights::new(&grammar, 0);
        samples
            .iter()
            .for_each(|sample| weights.add(&grammar, sample));
        let learned = weights.clone();
        let directory = output::with_suffix(&self.output, ".evolve")
            .map_err(|error| Problem::with(&self.output, error))?;
        let unfinished =
            WorkDirectory::open(&directory, |path| path == Path::new(JOURNAL), &self.output)?;
        let mut journal = Journal::open(
            &directory.join(JOURNAL),
            &self.settings(&grammar, &goals, samples.len()),
        )?;
        if journal.earlier() > 0 {
            eprintln!(
                "zester: goes on after the {} in {}",
                counted(journal.earlier(), "run"),
                directory.display()
            );
        }
        let _interrupted = OnInterrupt::print(format!(
            "zester: interrupted; the same command goes on after the runs in {}",
            directory.display()
        ));
        let limits = subject::Limits::default()
            .timeout(self.timeout)
            .memory(self.memory << 20);
        let mut observer = Observer::start(target.path(), limits)?;
        let setup = Setup {
            grammar: &grammar,
            samples,
            weights,
            goals,
            inputs: self.inputs as usize,
            max_length: self.max_len as usize,
            seed: self.seed,
            ablation: self.ablation,
        };
        let mut strategy = self.strategy.strategy(setup).map_err(Problem::new)?;
        let sizes = (observer.functions(), self.path.into());
        let mut evolution = Evolution::new(&grammar, settings, goals, self.timeout, sizes);
        let bar = progress(u64::from(self.generations), "generations");
        for _ in 0..self.generations {
            evolution.run_generation(&mut *strategy, |individual, slowest| {
                observe(&mut journal, &mut observer, &individual.parameters, slowest)
            })?;
            bar.inc(1);
            if let Some((goal, figure)) = until
                && evolution.reaches(goal, figure)
            {
                break;
            }
        }
        bar.finish_and_clear();
        let report = EvolutionReport {
            target: &self.target,
            grammar: &grammar,
            record: &evolution.record,
            goals,
            strategy: self.strategy.to_string(),
            functions: observer.functions(),
            samples: &learned,
            weights: strategy.weights(),
            extension: self
                .extension
                .clone()
                .unwrap_or_else(|| default_extension(&self.target)),
        };
        evolution.results.write(&self.output, &report)?;
        unfinished.remove(&directory)?;
        eprint!("{}", report.summary());
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the derivations of the samples. Texts that are not sentences are left out, and a summary
    /// of them is printed.
    fn samples(&self, grammar: &Grammar, settings: Settings) -> Result<Vec<Derivation>, Problem> {
        let parser = Parser::new(grammar);
        SampleReader::new(grammar, &parser, settings, false).read_all(&self.samples)
    }

    /// Returns the settings that must be the same when the work is continued. Of the samples, only
    /// their number is compared.
    fn settings(&self, grammar: &Grammar, goals: &GoalWeights, samples: usize) -> Value {
        json!({
            "grammar": format!("{:016x}", grammar.fingerprint()),
            "samples": samples,
            "goals": goals.to_string(),
            "strategy": self.strategy.to_string(),
            "inputs": self.inputs,
            "seed": self.seed,
            "path": self.path,
            "max_len": self.max_len,
            "timeout": self.timeout.as_secs_f64(),
            "without": [
                self.ablation.without_learning,
                self.ablation.without_input_mutation,
                self.ablation.without_probability_mutation,
            ],
        })
    }
}

/// Returns the observation of an input. It is taken from the journal if an earlier command recorded
/// it. Otherwise the input is run, and the observation is recorded. `slowest` is the time of the
/// slowest run so far.
fn observe(
    journal: &mut Journal,
    observer: &mut Observer,
    parameters: &[u8],
    slowest: Duration,
) -> Result<Observation, Problem> {
    if let Some(observation) = journal.take(parameters, observer.functions())? {
        return Ok(observation);
    }
    let observation = observer.run(parameters, slowest)?;
    journal.add(parameters, &observation)?;
    Ok(observation)
}
