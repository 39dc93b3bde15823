//! Experiments: measure how the sentences change if the grammar does not have a part.
//!
//! An experiment reads the grammar without the part, and generates and runs sentences. It measures
//! how many sentences are valid, how many are rejected for the same reason, and how many edges are
//! lost.

use std::path::Path;

use zester::bounds::Caps;
use zester::notation;

use super::parts::{Part, Parts};
use super::suspects::Suspect;
use super::trial::{Judge, Symptom, Trial, generated};
use crate::problem::Problem;

/// The weight of lost edges, compared with the share of rejections that disappear. Without it, a
/// part that contains the cause would be as good a suspect as the cause itself.
const COST: f64 = 0.5;

/// The minimum difference of two shares that is clear, in standard deviations. Chance gives a
/// larger one in one of 44 experiments.
const CLEAR: f64 = 2.0;

/// The grammar of a trial, with what is needed to generate and run its sentences again.
pub struct Laboratory<'a> {
    /// The name of the grammar in messages, and its source.
    pub name: &'a Path,
    pub source: &'a [u8],
    /// The number of sentences of an experiment.
    pub count: usize,
    pub seed: u64,
    /// The sizes of the sentences in bytes.
    pub sizes: &'a [u32],
}

/// What was measured without a part of the grammar.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The number of sentences.
    pub sentences: usize,
    /// The share of valid sentences, from 0 to 1.
    pub valid: f64,
    /// The share of sentences with each symptom.
    pub failed: Vec<(Symptom, f64)>,
    /// The edges that valid sentences reach.
    pub valid_edges: usize,
}

/// A part of the grammar and the evidence against it.
#[derive(Clone, Debug)]
pub struct Cause {
    pub suspect: Suspect,
    /// The figures without the part. [`None`] if there was no experiment, or if no sentence is
    /// left.
    pub without: Option<Measured>,
    /// The gain of leaving the part out: see [`Measured::gain`].
    pub gain: f64,
    /// Whether clearly fewer sentences have the symptom without the part: see
    /// [`Measured::has_clearly_less`].
    pub is_clear: bool,
}

impl Measured {
    /// Returns the figures of a trial.
    pub fn of(trial: &Trial<'_>) -> Measured {
        let share = |(symptom, sentences): (&Symptom, &[usize])| {
            (symptom.clone(), trial.share(sentences.len()))
        };
        Measured {
            sentences: trial.sentences.len(),
            valid: trial.share(trial.valid),
            failed: trial.groups().into_iter().map(share).collect(),
            valid_edges: trial.valid_edges.len(),
        }
    }

    /// Returns the share of sentences with this symptom.
    pub fn share_of(&self, symptom: &Symptom) -> f64 {
        let found = self.failed.iter().find(|(other, _)| other == symptom);
        found.map_or(0.0, |(_, share)| *share)
    }

    /// Returns whether clearly fewer sentences have this symptom than in `other`, by a test of two
    /// proportions.
    pub fn has_clearly_less(&self, other: &Measured, symptom: &Symptom) -> bool {
        let (own, before) = (self.share_of(symptom), other.share_of(symptom));
        let (size, before_size) = (self.sentences as f64, other.sentences as f64);
        let pooled = (own * size + before * before_size) / (size + before_size);
        let deviation = (pooled * (1.0 - pooled) * (1.0 / size + 1.0 / before_size)).sqrt();
        before - own > CLEAR * deviation
    }

    /// Returns the gain of leaving out a part, for a symptom. `with` are the figures with the part.
    /// The gain is the share of the sentences with the symptom that disappear, minus [`COST`] times
    /// the share of lost edges or of lost valid sentences, whichever is larger.
    pub fn gain(&self, with: &Measured, symptom: &Symptom) -> f64 {
        let before = with.share_of(symptom);
        if before == 0.0 {
            return 0.0;
        }
        // A part is needed if fewer sentences are valid without it.
        let needed = (1.0 - self.valid / with.valid.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        1.0 - self.share_of(symptom) / before - COST * self.lost(with).max(needed)
    }

    /// Returns the share of the edges that are lost in comparison with `with`, from 0 to 1.
    pub fn lost(&self, with: &Measured) -> f64 {
        let edges = with.valid_edges.max(1) as f64;
        (1.0 - self.valid_edges as f64 / edges).max(0.0)
    }
}

impl Laboratory<'_> {
    /// Measures the grammar of a trial as a whole. The shares are those of the trial if its first
    /// sentences are those that an experiment generates.
    pub fn whole(&self, trial: &Trial<'_>, judge: Judge<'_>) -> Result<Measured, Problem> {
        let of_trial = Measured::of(trial);
        if let Some(valid_edges) = trial.baseline_edges {
            return Ok(Measured {
                valid_edges,
                ..of_trial
            });
        }
        Ok(self.without(&[], judge)?.unwrap_or(of_trial))
    }

    /// Measures the grammar without some parts. Returns [`None`] if the rest derives no sentence.
    pub fn without(
        &self,
        omitted: &[&Part],
        judge: Judge<'_>,
    ) -> Result<Option<Measured>, Problem> {
        let name = self.name.display().to_string();
        let spans: Vec<_> = omitted.iter().map(|part| part.span()).collect();
        let read = notation::read_without(&name, self.source, None, &Caps::default(), &spans);
        let Ok((grammar, _)) = read else {
            return Ok(None);
        };
        let parts = Parts::new(&grammar);
        let inputs = generated(&grammar, self.count, self.seed, self.sizes);
        let trial = Trial::run(&parts, &grammar, inputs, 0, judge)?;
        Ok(Some(Measured::of(&trial)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(sentences: usize, share: f64) -> Measured {
        Measured {
            sentences,
            valid: 1.0 - share,
            failed: vec![(Symptom::Outcome("crash".into()), share)],
            valid_edges: 10,
        }
    }

    #[test]
    fn a_difference_is_clear_if_the_numbers_of_sentences_are_large_enough() {
        let crash = Symptom::Outcome("crash".into());
        let is_clear = |count, before, after| {
            measured(count, after).has_clearly_less(&measured(4 * count, before), &crash)
        };
        assert!(is_clear(500, 0.20, 0.15) && !is_clear(100, 0.20, 0.15));
        assert!(is_clear(500, 0.02, 0.0) && !is_clear(500, 0.002, 0.0));
        assert!(!is_clear(500, 0.15, 0.20) && !is_clear(500, 0.0, 0.0));
    }
}
