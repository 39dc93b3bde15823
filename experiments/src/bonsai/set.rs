//! Sets of texts: what they cover, and how they are reduced.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};
use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::subject::{Limits, Outcome, Request, Subject};

use super::picire::Picire;

/// An edge counts if this many runs of an input cover it.
const RUNS: usize = 3;

/// The figures of a set of texts.
#[derive(Debug)]
pub struct Set {
    /// The number of characters of each text, without white space, sorted.
    sizes: Vec<usize>,
    valid: usize,
    edges: usize,
    valid_edges: usize,
}

impl Set {
    /// Returns the figures together with `others` as one JSON object.
    pub fn json_with(&self, others: Value) -> Value {
        let mut figures = self.json();
        if let (Value::Object(figures), Value::Object(others)) = (&mut figures, others) {
            figures.extend(others);
        }
        figures
    }

    fn json(&self) -> Value {
        let (count, total) = (self.sizes.len().max(1), self.sizes.iter().sum::<usize>());
        json!({
            "files": self.sizes.len(),
            "total": total,
            "per_edge": total as f64 / self.edges.max(1) as f64,
            "mean": total as f64 / count as f64,
            "median": self.sizes.get(self.sizes.len() / 2),
            "max": self.sizes.last(),
            "valid": 100.0 * self.valid as f64 / count as f64,
            "edges": self.edges,
            "valid_edges": self.valid_edges,
        })
    }
}

/// An input that was the first to cover some edges.
pub struct Input {
    pub parameters: Vec<u8>,
    pub text: Vec<u8>,
    is_valid: bool,
    /// The edges that it was the first input or the first valid input to cover, sorted.
    needed: Vec<u32>,
}

/// Runs texts through a target.
pub struct Runner {
    subject: Subject,
}

impl Runner {
    /// Starts a target.
    pub fn new(program: &Path) -> Result<Self> {
        let subject = Subject::start(program, Limits::default()).map_err(anyhow::Error::msg)?;
        Ok(Runner { subject })
    }

    /// Runs a text. Returns its validity, or [`None`] if the target did not return.
    fn run(&mut self, text: &[u8]) -> Result<Option<bool>> {
        let run = self
            .subject
            .run(Request::Sentence(text))
            .map_err(anyhow::Error::msg)?;
        Ok(match run.outcome {
            Outcome::Finished(validity) => Some(validity == Validity::Valid),
            _ => None,
        })
    }

    /// Runs a text several times. Returns the validity of the first run, or [`None`] if the target did not
    /// return; and the edges that all runs cover, or none if their outcomes differ.
    fn confirmed(&mut self, text: &[u8]) -> Result<(Option<bool>, Vec<u32>)> {
        let outcome = self.run(text)?;
        let mut covered = self.subject.edges().to_vec();
        for _ in 1..RUNS {
            let again = self.run(text)?;
            let edges = self.subject.edges();
            covered.retain(|edge| again == outcome && edges.binary_search(edge).is_ok());
        }
        Ok((outcome, covered))
    }

    /// Runs texts and returns their figures. Edges count that all of [`RUNS`] runs cover.
    pub fn evaluate(&mut self, texts: Vec<Vec<u8>>) -> Result<Set> {
        let (mut edges, mut valid_edges, mut valid) = (BTreeSet::new(), BTreeSet::new(), 0);
        for text in &texts {
            let (is_valid, covered) = self.confirmed(text)?;
            let is_valid = is_valid.unwrap_or(false);
            valid += usize::from(is_valid);
            if is_valid {
                valid_edges.extend(covered.iter().copied());
            }
            edges.extend(covered);
        }
        let mut sizes: Vec<usize> = texts.iter().map(|text| characters(text)).collect();
        sizes.sort_unstable();
        Ok(Set {
            sizes,
            valid,
            edges: edges.len(),
            valid_edges: valid_edges.len(),
        })
    }

    /// Returns the inputs that cover an edge first, or first among valid inputs, in the given
    /// order.
    pub fn first_to_cover(
        &mut self,
        decoder: &mut Decoder<'_>,
        inputs: Vec<Vec<u8>>,
    ) -> Result<Vec<Input>> {
        let (mut edges, mut valid_edges) = (HashSet::new(), HashSet::new());
        let mut kept = Vec::new();
        for parameters in inputs {
            let text = decoder.text(&parameters).to_vec();
            // Edges that are covered only by chance would prevent a reduction.
            let (Some(is_valid), covered) = self.confirmed(&text)? else {
                continue;
            };
            let is_new = |edge: &u32| edges.insert(*edge) | (is_valid && valid_edges.insert(*edge));
            let needed: Vec<u32> = covered.into_iter().filter(is_new).collect();
            if !needed.is_empty() {
                kept.push(Input {
                    parameters,
                    text,
                    is_valid,
                    needed,
                });
            }
        }
        Ok(kept)
    }

    /// Returns whether a text covers the edges for which an input was kept, with the same validity.
    fn covers(&mut self, input: &Input, text: &[u8]) -> Result<bool> {
        let stays = self.run(text)? == Some(input.is_valid);
        Ok(stays
            && input
                .needed
                .iter()
                .all(|edge| self.subject.edges().binary_search(edge).is_ok()))
    }

    /// Reduces inputs by zester's algorithm. Returns the texts and the time.
    pub fn reduce(
        &mut self,
        grammar: &Grammar,
        settings: &Settings,
        inputs: &[Input],
    ) -> Result<(Vec<Vec<u8>>, Duration)> {
        let (start, mut texts) = (Instant::now(), Vec::new());
        for input in inputs {
            let mut problem = None;
            let tree = zester::reduce::reduce(grammar, settings, &input.parameters, &mut |tree| {
                self.covers(input, tree.derivation().text())
                    .unwrap_or_else(|error| {
                        problem = Some(error);
                        false
                    })
            });
            problem.map_or(Ok(()), Err)?;
            texts.push(tree.derivation().text().to_vec());
        }
        Ok((texts, start.elapsed()))
    }

    /// Removes unnecessary texts, the largest first, as `zester grow` does. A text is unnecessary if the others cover all of
    /// its edges; for a valid text, only other valid ones count.
    pub fn necessary(&mut self, mut texts: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let mut counts: HashMap<(u32, bool), u32> = HashMap::new();
        let mut covered = HashMap::new();
        for text in &texts {
            let (validity, edges) = self.confirmed(text)?;
            let is_valid = validity.unwrap_or(false);
            for &edge in &edges {
                *counts.entry((edge, false)).or_default() += 1;
                *counts.entry((edge, true)).or_default() += u32::from(is_valid);
            }
            covered.insert(text.clone(), (is_valid, edges));
        }
        texts.sort_by_key(|text| std::cmp::Reverse(characters(text)));
        texts.retain(|text| {
            let (is_valid, edges) = &covered[text];
            let is_necessary = edges.iter().any(|&edge| counts[&(edge, *is_valid)] == 1);
            if !is_necessary {
                for &edge in edges {
                    *counts.entry((edge, false)).or_default() -= 1;
                    *counts.entry((edge, true)).or_default() -= u32::from(*is_valid);
                }
            }
            is_necessary
        });
        Ok(texts)
    }

    /// Reduces inputs by Picire, in a random order, until the time is up. Returns the texts of
    /// those that it finished.
    pub fn reduce_with(
        &mut self,
        picire: &mut Picire,
        inputs: &[Input],
        time: Duration,
    ) -> Result<Vec<Vec<u8>>> {
        let (end, mut texts) = (Instant::now() + time, Vec::new());
        let mut inputs: Vec<&Input> = inputs.iter().collect();
        inputs.shuffle(&mut SmallRng::seed_from_u64(1));
        for input in inputs {
            let text = picire.reduce(&input.text, |text| {
                Ok(Instant::now() < end && self.covers(input, text)?)
            })?;
            if Instant::now() > end {
                break;
            }
            texts.push(text);
        }
        Ok(texts)
    }
}

/// Returns the number of characters without white space.
fn characters(text: &[u8]) -> usize {
    String::from_utf8_lossy(text)
        .chars()
        .filter(|character| !character.is_whitespace())
        .count()
}
