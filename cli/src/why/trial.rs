//! Sentences that were run, and the judgement of the program on each.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters::{self, Decoder};
use zester::subject::Outcome;
use zester::{Generator, Validity};

use super::parts::{Parts, UsedParts};
use crate::problem::Problem;
use crate::reasons::{self, Detail, FixedWords, Pattern};

/// The judgement of a program on a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It accepted the sentence.
    Valid,
    /// It rejected the sentence, for a reason. The reason is empty if it gave none.
    Rejected(String),
    /// Another outcome.
    Other {
        /// The location of a panic, such as `panic at src/lib.rs:3:5`, the signature of another crash, the name of the
        /// comparison that disagreed, or the outcome.
        what: String,
        /// What the program printed about it.
        message: String,
    },
}

/// What the sentences of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symptom {
    /// An outcome that is neither valid nor invalid, such as `panic at src/lib.rs:3:5`.
    Outcome(String),
    /// A rejection. Its reason has this pattern.
    Rejection(Pattern),
}

impl Symptom {
    /// Returns whether suspects are searched. A run without a report is no failure.
    pub fn is_failure(&self) -> bool {
        *self != Symptom::Outcome(Outcome::Finished(Validity::Unknown).to_string())
    }

    /// Returns whether it is an outcome of the run, and no rejection.
    pub fn is_outcome(&self) -> bool {
        matches!(self, Symptom::Outcome(_))
    }
}

impl fmt::Display for Symptom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symptom::Outcome(word) => write!(formatter, "outcome: {word}"),
            Symptom::Rejection(pattern) => pattern.fmt(formatter),
        }
    }
}

/// The judgements of a program on several sentences.
#[derive(Clone, Debug, Default)]
pub struct Judgements {
    /// The judgement on each sentence.
    pub all: Vec<Judgement>,
    /// The edges that the accepted ones reached.
    pub valid_edges: BTreeSet<u32>,
}

/// A function that runs texts.
pub type Judge<'a> = &'a mut dyn FnMut(&[Vec<u8>]) -> Result<Judgements, Problem>;

/// A sentence that was run.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// Its canonical parameters.
    pub parameters: Vec<u8>,
    pub used: UsedParts,
    pub judgement: Judgement,
    /// The details of the reason of a rejection.
    pub details: Vec<Detail>,
}

/// The sentences whose outcome is neither valid nor invalid, such as crashes.
#[derive(Clone, Debug, Default)]
pub struct OtherOutcome {
    pub count: usize,
    /// The shortest of them.
    pub example: Vec<u8>,
}

/// Sentences that were run, with those of the same symptom together.
pub struct Trial<'g> {
    pub grammar: &'g Grammar,
    pub sentences: Vec<Sentence>,
    /// By symptom: the sentences that are not valid, as indices of `sentences`.
    pub failed: BTreeMap<Symptom, Vec<usize>>,
    /// The sentences with other outcomes, by the name of the outcome.
    pub others: BTreeMap<String, OtherOutcome>,
    pub valid: usize,
    /// The number of generated sentences that were left out because they have a wrong name on purpose.
    pub left_out: usize,
    pub valid_edges: BTreeSet<u32>,
    /// The number of edges that the valid sentences of the baseline reach, if there is a baseline: the first sentences,
    /// which an experiment that omits no part would generate, too.
    pub baseline_edges: Option<usize>,
}

/// Generates sentences of these sizes in bytes, in turn. Those that use undeclared names, as a few generated ones do, are left out.
/// Equal arguments give equal sentences. A smaller `count` gives the first ones of them.
pub fn generated(grammar: &Grammar, count: usize, seed: u64, sizes: &[u32]) -> Vec<Vec<u8>> {
    generated_with_count(grammar, count, seed, sizes).0
}

/// Returns what [`generated`] returns, and the number of sentences that are left out.
pub fn generated_with_count(
    grammar: &Grammar,
    count: usize,
    seed: u64,
    sizes: &[u32],
) -> (Vec<Vec<u8>>, usize) {
    let mut generator = Generator::new(grammar, seed).sizes(sizes);
    let (mut all, mut tries) = (Vec::with_capacity(count), 0);
    while all.len() < count && tries < 4 * count {
        tries += 1;
        let derivation = generator.sentence();
        if !derivation.breaks_scopes(grammar) {
            let mut parameters = Vec::new();
            parameters::encode(grammar, derivation, &mut parameters);
            all.push(parameters);
        }
    }
    let left_out = tries - all.len();
    (all, left_out)
}

impl<'g> Trial<'g> {
    /// Runs the sentences that parameters decode to. The first `baseline` of them are the baseline of
    /// experiments, unless it is 0.
    pub fn run(
        parts: &Parts<'_>,
        grammar: &'g Grammar,
        inputs: Vec<Vec<u8>>,
        baseline: usize,
        judge: Judge<'_>,
    ) -> Result<Trial<'g>, Problem> {
        let mut decoder = Decoder::new(grammar);
        let texts: Vec<Vec<u8>> = inputs
            .iter()
            .map(|input| decoder.decode(input).text().to_vec())
            .collect();
        // A call of `judge` returns the edges of all its texts together.
        let (first, rest) = texts.split_at(baseline.min(texts.len()));
        let mut judgements = judge(first)?;
        let baseline_edges = (baseline > 0).then_some(judgements.valid_edges.len());
        let mut rest = judge(rest)?;
        judgements.all.append(&mut rest.all);
        judgements.valid_edges.append(&mut rest.valid_edges);
        let fixed = FixedWords::of(grammar);
        let mut trial = Trial {
            grammar,
            sentences: Vec::with_capacity(inputs.len()),
            failed: BTreeMap::new(),
            others: BTreeMap::new(),
            valid: 0,
            left_out: 0,
            valid_edges: judgements.valid_edges,
            baseline_edges,
        };
        let at_end = |trial: &mut Trial<'_>, symptom| {
            let at = trial.sentences.len();
            trial.failed.entry(symptom).or_default().push(at);
        };
        for ((parameters, text), judgement) in inputs.into_iter().zip(&texts).zip(judgements.all) {
            let mut details = Vec::new();
            match &judgement {
                Judgement::Valid => trial.valid += 1,
                Judgement::Rejected(reason) => {
                    let pattern;
                    (pattern, details) =
                        reasons::pattern(reason, text, &|word| fixed.contains(word));
                    at_end(&mut trial, Symptom::Rejection(pattern));
                }
                Judgement::Other { what, .. } => {
                    let known = trial.others.entry(what.clone()).or_default();
                    if known.count == 0 || text.len() < known.example.len() {
                        known.example.clone_from(text);
                    }
                    known.count += 1;
                    at_end(&mut trial, Symptom::Outcome(what.clone()));
                }
            }
            let used = parts.used(decoder.decode(&parameters));
            trial.sentences.push(Sentence {
                parameters,
                used,
                judgement,
                details,
            });
        }
        Ok(trial)
    }

    pub fn derivation(&self, sentence: usize) -> Derivation {
        let parameters = &self.sentences[sentence].parameters;
        Decoder::new(self.grammar).decode(parameters).clone()
    }

    /// Returns `count` as a share of all sentences.
    pub fn share(&self, count: usize) -> f64 {
        count as f64 / self.sentences.len().max(1) as f64
    }

    /// Returns the symptoms of failures with their sentences: first the outcomes such as crashes, then the
    /// reasons of rejections, the most frequent first.
    pub fn groups(&self) -> Vec<(&Symptom, &[usize])> {
        let mut groups: Vec<_> = self
            .failed
            .iter()
            .filter(|(symptom, _)| symptom.is_failure())
            .map(|(symptom, sentences)| (symptom, &sentences[..]))
            .collect();
        groups
            .sort_by_key(|(symptom, sentences)| (!symptom.is_outcome(), Reverse(sentences.len())));
        groups
    }
}
