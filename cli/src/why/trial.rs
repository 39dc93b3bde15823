//! Sentences that were run, and what the program said of each.

use std::collections::{BTreeMap, BTreeSet};

use zester::Generator;
use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::parameters::{self, Decoder};

use super::parts::{Parts, UsedParts};
use crate::problem::Problem;
use crate::reasons::{self, Detail, FixedWords, Pattern};

/// What a program said of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It accepted the sentence.
    Valid,
    /// It rejected the sentence, for a reason. The reason is empty if it gave none.
    Rejected(String),
    /// It did neither: the outcome in a word, such as `crash`.
    Other(String),
}

/// What a program said of several sentences.
#[derive(Clone, Debug, Default)]
pub struct Judgements {
    /// What it said of each.
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

/// Sentences that were run, with those that were rejected for the same reason together.
pub struct Trial<'g> {
    pub grammar: &'g Grammar,
    pub sentences: Vec<Sentence>,
    /// The rejected sentences by the patterns of their reasons, as indices of `sentences`.
    pub rejected: BTreeMap<Pattern, Vec<usize>>,
    /// The number of other outcomes, by their words.
    pub others: BTreeMap<String, OtherOutcome>,
    pub valid: usize,
    pub valid_edges: BTreeSet<u32>,
}

/// Generates sentences of target sizes in bytes, about the same number of each size. Those that use undeclared names, as a few generated ones do, are left out.
/// Equal arguments give equal sentences.
pub fn generated(grammar: &Grammar, sizes: &[u32], count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut generators: Vec<Generator<'_>> = sizes
        .iter()
        .zip(0..)
        .map(|(&size, at)| Generator::new(grammar, seed.wrapping_add(at << 32)).size(size))
        .collect();
    let (mut all, mut tries) = (Vec::with_capacity(count), 0);
    while all.len() < count && tries < 4 * count {
        let at = tries % sizes.len();
        tries += 1;
        let derivation = generators[at].sentence();
        if !derivation.breaks_scopes(grammar) {
            let mut parameters = Vec::new();
            parameters::encode(grammar, derivation, &mut parameters);
            all.push(parameters);
        }
    }
    all
}

impl<'g> Trial<'g> {
    /// Runs the sentences that parameters decode to.
    pub fn run(
        parts: &Parts<'_>,
        grammar: &'g Grammar,
        inputs: Vec<Vec<u8>>,
        judge: Judge<'_>,
    ) -> Result<Trial<'g>, Problem> {
        let mut decoder = Decoder::new(grammar);
        let texts: Vec<Vec<u8>> = inputs
            .iter()
            .map(|input| decoder.decode(input).text().to_vec())
            .collect();
        let judgements = judge(&texts)?;
        let fixed = FixedWords::of(grammar);
        let mut trial = Trial {
            grammar,
            sentences: Vec::with_capacity(inputs.len()),
            rejected: BTreeMap::new(),
            others: BTreeMap::new(),
            valid: 0,
            valid_edges: judgements.valid_edges,
        };
        for ((parameters, text), judgement) in inputs.into_iter().zip(&texts).zip(judgements.all) {
            let mut details = Vec::new();
            match &judgement {
                Judgement::Valid => trial.valid += 1,
                Judgement::Rejected(reason) => {
                    let pattern;
                    (pattern, details) =
                        reasons::pattern(reason, text, &|word| fixed.contains(word));
                    let group = trial.rejected.entry(pattern).or_default();
                    group.push(trial.sentences.len());
                }
                Judgement::Other(word) => {
                    let known = trial.others.entry(word.clone()).or_default();
                    if known.count == 0 || text.len() < known.example.len() {
                        known.example.clone_from(text);
                    }
                    known.count += 1;
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

    /// Returns the derivation of a sentence.
    pub fn derivation(&self, sentence: usize) -> Derivation {
        let parameters = &self.sentences[sentence].parameters;
        Decoder::new(self.grammar).decode(parameters).clone()
    }

    /// Returns the share of the sentences that a number of them is.
    pub fn share(&self, count: usize) -> f64 {
        count as f64 / self.sentences.len().max(1) as f64
    }

    /// Returns the patterns of reasons with their sentences, the most frequent first.
    pub fn groups(&self) -> Vec<(&Pattern, &[usize])> {
        let mut groups: Vec<_> = self
            .rejected
            .iter()
            .map(|(pattern, sentences)| (pattern, &sentences[..]))
            .collect();
        groups.sort_by_key(|(_, sentences)| std::cmp::Reverse(sentences.len()));
        groups
    }
}
