//! A campaign at one time: what the screen, the advice and the summary are about.

use std::path::PathBuf;

use super::failures::FoundFailure;
use super::figures::LiveFigures;

/// A campaign at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub figures: LiveFigures,
    /// Executions a second, in the last seconds.
    pub rate: u64,
    pub processes: usize,
    /// The number of inputs in the corpus, now and before the campaign.
    pub inputs: u64,
    pub inputs_before: u64,
    /// The number of words in the file beside the corpus.
    pub words: u64,
    /// The time of the last new edge, in seconds since the campaign began.
    pub last_new: f64,
    /// The slowest input: its time in seconds, and its artifact.
    pub slowest: Option<(u64, PathBuf)>,
    /// The number of processes that failures ended.
    pub restarts: u64,
    pub failures: Vec<FoundFailure>,
    /// The number of artifacts that have not been examined.
    pub waiting: usize,
}

impl Snapshot {
    /// Returns the failures, the most frequent first.
    pub fn most_frequent(&self) -> Vec<&FoundFailure> {
        let mut failures: Vec<&FoundFailure> = self.failures.iter().collect();
        failures.sort_by_key(|failure| std::cmp::Reverse(failure.count));
        failures
    }
}
