//! Experiments: what would be if the grammar did not have a part.
//!
//! The grammar is read again without the part, and sentences are generated and run. So the answer
//! is measured, not guessed: how many sentences would be valid, how many would still be rejected
//! for the same reason, and which edges would be lost.

use std::path::Path;

use zester::bounds::Caps;
use zester::notation;

use super::parts::{Part, Parts};
use super::trial::{Judge, Trial, generated};
use crate::problem::Problem;
use crate::reasons::Pattern;

/// The weight of lost edges, compared with the share of rejections that disappear. Without it, a
/// part that contains the cause would be as good a suspect as the cause itself.
const COST: f64 = 0.5;

/// The grammar of a trial, with what is needed to generate and run its sentences again.
pub struct Laboratory<'a> {
    /// The name of the grammar in messages, and its source.
    pub name: &'a Path,
    pub source: &'a [u8],
    /// The target sizes of the sentences in bytes.
    pub sizes: &'a [u32],
    /// The number of sentences of an experiment.
    pub count: usize,
    pub seed: u64,
}

/// What was measured without a part of the grammar.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The number of sentences.
    pub sentences: usize,
    /// The share of valid sentences, from 0 to 1.
    pub valid: f64,
    /// The share of sentences with each pattern of a reason.
    pub rejected: Vec<(Pattern, f64)>,
    /// The edges that valid sentences reach.
    pub valid_edges: usize,
}

impl Measured {
    /// Returns the figures of a trial.
    pub fn of(trial: &Trial<'_>) -> Measured {
        let share = |(pattern, sentences): (&Pattern, &[usize])| {
            (pattern.clone(), trial.share(sentences.len()))
        };
        Measured {
            sentences: trial.sentences.len(),
            valid: trial.share(trial.valid),
            rejected: trial.groups().into_iter().map(share).collect(),
            valid_edges: trial.valid_edges.len(),
        }
    }

    /// Returns the share of sentences with this pattern.
    pub fn share_of(&self, pattern: &Pattern) -> f64 {
        let found = self.rejected.iter().find(|(other, _)| other == pattern);
        found.map_or(0.0, |(_, share)| *share)
    }

    /// Returns how much better the grammar is without a part than `with` it, in regard to the
    /// rejections with a pattern: the share of them that disappears, less the cost of the edges and
    /// of the validity that are lost.
    pub fn gain(&self, with: &Measured, pattern: &Pattern) -> f64 {
        let before = with.share_of(pattern);
        if before == 0.0 {
            return 0.0;
        }
        // A part without which fewer sentences are valid is needed.
        let needed = (1.0 - self.valid / with.valid.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        1.0 - self.share_of(pattern) / before - COST * self.lost(with).max(needed)
    }

    /// Returns the share of the edges that are lost in comparison with `with`, from 0 to 1.
    pub fn lost(&self, with: &Measured) -> f64 {
        let edges = with.valid_edges.max(1) as f64;
        (1.0 - self.valid_edges as f64 / edges).max(0.0)
    }
}

impl Laboratory<'_> {
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
        let inputs = generated(&grammar, self.sizes, self.count, self.seed);
        let trial = Trial::run(&parts, &grammar, inputs, judge)?;
        Ok(Some(Measured::of(&trial)))
    }
}
