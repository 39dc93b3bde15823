//! `zester equal`: tests the equivalences of a grammar.

mod artifacts;
mod failing;
mod trial;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::Decoder;
use zester::{Derivation, Generator};

use self::artifacts::DisagreementArtifacts;
pub use self::failing::FailingEquivalent;
pub use self::trial::differing_equivalences;
use self::trial::{Counterexample, EqualTrial, EquivalenceFigures, EquivalentOutcome, PairRuns};
use crate::arguments::TargetRuns;
use crate::fuzz_crate::built_target;
use crate::fuzz_target::FuzzTarget;
use crate::input;
use crate::interrupt::OnInterrupt;
use crate::numbers::{counted, grouped, percent};
use crate::output::{make_directory, print};
use crate::printable::printable;
use crate::problem::{Problem, shown};

const EXAMPLES: &str = "\
An equivalence is an `@equal` line of the grammar, or one that every grammar has: other layout, and other names for
what is declared. `zester guide oracles` explains them. The columns are

  applies    the share of the sentences to which the equivalence applies
  compared   valid sentences that the target compared with an equivalent one
  refused    pairs of which the target refuses the equivalent sentence
  different  pairs with different outcomes: the value that the body of the target returned in `Ok`, or gave to
             zester::outcome
  no form    equivalent texts that are no sentences of the grammar; they are not counted as refused or different

Each difference is a fault of the program, or a wrong equivalence. Of each equivalence, the smallest pairs of at most
three kinds of difference are reduced and printed. Both outcomes must be the same in four more runs.

Examples:
  zester fuzz calc --no-run
  zester equal calc
  zester equal calc grammars/calc.ebnf -n 10000 -j 2
  zester equal calc --corpus fuzz/corpus/calc
  zester equal calc -n 50000 --artifacts different ; ZESTER_EQUAL=1 zester triage calc different

Exit status: 0; 1 if a pair differs, or if the grammar has errors; 2 if a file cannot be read, or the target cannot be run.";

/// Test the equivalences of a grammar on a program.
///
/// Generates sentences, applies the equivalences, and runs both sentences through a built fuzz target:
/// first several equivalences at once, and each alone if the outcomes differ. Prints how often each one
/// applies, how often the program treats the two differently, and the smallest pairs.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EqualCommand {
    /// The built fuzz target: a program, or the name of a target of cargo-fuzz.
    #[arg(value_name = "TARGET", value_parser = built_target())]
    target: PathBuf,

    /// The grammar whose equivalences are tested [default: that of the target].
    #[arg(value_name = "GRAMMAR")]
    grammar: Option<PathBuf>,

    /// The number of sentences to generate.
    #[arg(short, long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    number: u32,

    /// The seed of the random number generator; the same seed gives the same sentences.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// The target sizes of generated sentences in bytes, from 1 to 1048576. Each size has as many sentences as the others.
    /// Give the option several times, or a list such as 50,5000.
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = "20,40,80,160", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    size: Vec<u32>,

    /// Use the sentences of this corpus instead of generated ones. Its files have parameters of the grammar.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,

    /// Write the sentences of pairs that differ to this directory, for `zester triage`, which groups them by cause:
    /// at most 20 of each equivalence and kind of difference. The grammar must be that of the target.
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,

    /// Print a JSON object for each equivalence, one a line.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    runs: TargetRuns,
}

impl EqualCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let target = FuzzTarget::must_be(&self.target)?;
        let path = self.grammar.as_deref().unwrap_or(&self.target);
        let bytes = match &self.grammar {
            Some(path) => input::source(path)?,
            None => target.grammar()?,
        };
        let (grammar, _) = input::parse(path, &bytes, None, &Caps::default())?;
        if let Some(directory) = &self.artifacts {
            self.check_artifacts(directory, &target, &grammar)?;
        }
        let (mut sentences, count) = self.sentences(&grammar)?;
        let trial = Arc::new(Mutex::new(EqualTrial::new(&grammar)));
        let lock = |trial: &Mutex<EqualTrial>| {
            trial.lock().unwrap_or_else(PoisonError::into_inner).clone()
        };
        let (so_far, is_json) = (trial.clone(), self.json);
        let on_interrupt = OnInterrupt::call(move || {
            let _ = print(output(&lock(&so_far), is_json).as_bytes());
        });
        let artifacts = self.artifacts.as_deref().map(DisagreementArtifacts::new);
        let runs = PairRuns {
            grammar: &grammar,
            target: &self.target,
            runs: &self.runs,
            artifacts: artifacts.as_ref(),
        };
        runs.test(&mut *sentences, count, &trial)?;
        let mut trial = lock(&trial);
        runs.reduce(&mut trial)?;
        drop(on_interrupt);
        print(output(&trial, self.json).as_bytes())?;
        let differs = trial.differences().next().is_some();
        if let Some(directory) = self.artifacts.as_deref().filter(|_| differs) {
            let [target, directory] = [self.target.as_path(), directory].map(shown);
            eprintln!(
                "zester: to group these pairs by cause: ZESTER_EQUAL=1 zester triage {target} {directory}"
            );
        }
        Ok(ExitCode::from(u8::from(differs)))
    }

    /// Makes the directory of artifacts.
    ///
    /// # Errors
    /// If the target has another grammar, or if the directory cannot be made.
    fn check_artifacts(
        &self,
        directory: &Path,
        target: &FuzzTarget,
        grammar: &Grammar,
    ) -> Result<(), Problem> {
        if let Some(path) = &self.grammar {
            let (own, _) = input::parse(&self.target, &target.grammar()?, None, &Caps::default())?;
            if own.fingerprint() != grammar.fingerprint() {
                let why = "is another grammar than that of the target, by which `zester triage` would decode the artifacts; leave it out, or build the target with it";
                return Err(Problem::with(path, why));
            }
        }
        make_directory(directory)
    }

    /// Returns the sentences to which equivalences are applied, and their number.
    fn sentences<'g>(&self, grammar: &'g Grammar) -> Result<(Sentences<'g>, u64), Problem> {
        if let Some(path) = &self.corpus {
            input::warn_of_stale([path], grammar);
            let files = input::inputs(std::slice::from_ref(path))?;
            if files.is_empty() {
                return Err(Problem::with(path, "has no files"));
            }
            let inputs: Vec<Vec<u8>> = files
                .iter()
                .map(|file| input::parameters(file))
                .collect::<Result<_, _>>()?;
            let count = inputs.len() as u64;
            let mut decoder = Decoder::new(grammar);
            let all = inputs
                .into_iter()
                .map(move |input| decoder.decode(&input).clone());
            return Ok((Box::new(all), count));
        }
        let mut generator = Generator::new(grammar, self.seed).sizes(&self.size);
        let all = (0..self.number).map(move |_| generator.sentence().clone());
        Ok((Box::new(all), self.number.into()))
    }
}

type Sentences<'g> = Box<dyn Iterator<Item = Derivation> + 'g>;

/// Returns the figures as a table, or as JSON.
fn output(trial: &EqualTrial, is_json: bool) -> String {
    match is_json {
        true => trial
            .figures
            .iter()
            .map(|figures| json_line(figures, trial))
            .collect(),
        false => page(trial),
    }
}

fn json_line(figures: &EquivalenceFigures, trial: &EqualTrial) -> String {
    let pair = |found: &Counterexample| {
        let (value, reason) = match &found.equivalent_outcome {
            EquivalentOutcome::Value(value) => (Some(value), None),
            EquivalentOutcome::Refused(reason) => (None, reason.as_ref()),
            EquivalentOutcome::Failed(word) => (Some(word), None),
        };
        json!({
            "sentence": String::from_utf8_lossy(&found.sentence),
            "equivalent": String::from_utf8_lossy(&found.equivalent),
            "outcome": found.outcome,
            "equivalent_outcome": value,
            "reason": reason,
            "kind": found.kind,
        })
    };
    let pairs: Vec<Value> = figures.pairs.iter().map(pair).collect();
    let line = json!({
        "equivalence": figures.name,
        "sentences": trial.sentences,
        "applies": figures.applies,
        "compared": figures.compared,
        "refused": figures.refused,
        "different": figures.different,
        "no_form": figures.unconfirmed,
        "pairs": pairs,
    });
    format!("{line}\n")
}

/// Returns the table of all equivalences, and the smallest pairs that differ.
fn page(trial: &EqualTrial) -> String {
    let all = trial.sentences as u64;
    let share = |part: u64| percent(part as f64 / all.max(1) as f64);
    // If the grammar has a line, each sentence is counted in `with_line`, or is a candidate for `without_line`.
    let has_lines = trial.with_line > 0 || !trial.without_line.is_empty();
    let lines = match has_lines {
        true => format!(
            "an equivalence of the grammar applies to {}",
            share(trial.with_line as u64)
        ),
        false => "the grammar has no line `@equal` or `@unordered`".into(),
    };
    let mut text = format!(
        "{}, {} valid; {lines}\n\n  applies  compared   refused  different  no form  equivalence\n",
        counted(grouped(all, ','), "sentence"),
        share(trial.valid as u64),
    );
    for figures in &trial.figures {
        text += &format!(
            "{:>9}{:>10}{:>10}{:>11}{:>9}  {}\n",
            share(figures.applies),
            grouped(figures.compared, ','),
            grouped(figures.refused, ','),
            grouped(figures.different, ','),
            grouped(figures.unconfirmed, ','),
            figures.name
        );
    }
    if !trial.without_line.is_empty() {
        text += "\nNo equivalence of the grammar applies to these sentences, among others:\n";
    }
    for sentence in &trial.without_line {
        text += &format!("\n{}", shown_sentence(sentence));
    }
    if trial.valid == 0 && trial.sentences > 0 {
        text += "\nNo sentence was valid, so nothing was compared. Is this the grammar of the target? `zester why` says why sentences are invalid.\n";
    }
    if !trial.has_outcomes && trial.valid > 0 {
        text += "\nThe target gave no outcome, so only validity was compared: return Ok(value), or call zester::outcome.\n";
    }
    for (number, (figures, found)) in (1..).zip(trial.differences()) {
        text += &format!(
            "\n{number}. {}: {}\n\n{}",
            figures.name,
            found.kind,
            pair(found)
        );
    }
    text
}

/// Returns the lines of a sentence, indented.
fn shown_sentence(text: &[u8]) -> String {
    let lines = String::from_utf8_lossy(text);
    lines
        .lines()
        .map(|line| format!("    {}\n", printable(line)))
        .collect()
}

/// Returns a pair of sentences with their outcomes.
fn pair(found: &Counterexample) -> String {
    let other = match &found.equivalent_outcome {
        EquivalentOutcome::Value(value) => format!("with the outcome {}", printable(value)),
        EquivalentOutcome::Refused(Some(reason)) => format!("refused: {}", printable(reason)),
        EquivalentOutcome::Refused(None) => "refused".into(),
        EquivalentOutcome::Failed(word) => format!("with the outcome {word}"),
    };
    format!(
        "  sentence, with the outcome {}\n{}  equivalent, {}\n{}",
        printable(&found.outcome),
        shown_sentence(&found.sentence),
        other,
        shown_sentence(&found.equivalent)
    )
}
