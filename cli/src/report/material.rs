//! The inputs that a report runs again, the limits of the replay, and the inputs that it shows.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub struct Material {
    pub target: PathBuf,
    pub corpus: Vec<PathBuf>,
    /// The prefix of the artifacts.
    pub artifacts: Option<String>,
    /// The numbers of failures that the campaign counted, by signature.
    pub failures: BTreeMap<String, u64>,
}

impl Material {
    /// Returns whether the same inputs run in the same target.
    pub fn is_same(&self, other: &Material) -> bool {
        let key = |of: &Material| (of.target.clone(), of.corpus.clone(), of.artifacts.clone());
        key(self) == key(other)
    }

    /// Adds the failures of another campaign.
    pub fn add_failures(&mut self, failures: BTreeMap<String, u64>) {
        for (signature, count) in failures {
            *self.failures.entry(signature).or_default() += count;
        }
    }
}

/// The limits of a replay.
#[derive(Clone, Copy)]
pub struct ReplayBudget {
    pub time: Duration,
    /// The number of sentences that are shown.
    pub sample: usize,
}

/// An input with its sentence.
pub struct Shown {
    pub file: PathBuf,
    pub text: Vec<u8>,
}
