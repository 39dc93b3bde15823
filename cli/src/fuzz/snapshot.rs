//! The state of a campaign at one time, for the screen, the advice and the summary.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::failures::FoundFailure;
use super::figures::LiveFigures;

/// The state of a campaign at one time.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub figures: LiveFigures,
    /// Executions a second, in the last seconds.
    pub rate: u64,
    /// The number of seconds since the last figures. Processes write figures only between two runs.
    pub silent: u64,
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
    /// The share of the time of all processes in which they start and read the corpus.
    pub replay: f64,
    /// The number of processes that failures ended.
    pub restarts: u64,
    pub failures: Vec<FoundFailure>,
    /// The number of artifacts.
    pub artifacts: usize,
    /// The number of those that have not been examined.
    pub waiting: usize,
    /// How processes ended without an artifact, and how often. Their inputs are not known.
    pub without_artifact: BTreeMap<String, u64>,
}

impl Snapshot {
    /// Returns whether anything failed that is not known.
    pub fn has_failed(&self) -> bool {
        let is_new = |failure: &FoundFailure| failure.known.is_none();
        // If the disk is full, a panic has no artifact.
        let is_lost = self.figures.panicked > 0 && self.failures.is_empty();
        let is_unknown = is_lost || self.waiting > 0 || !self.without_artifact.is_empty();
        is_unknown || self.failures.iter().any(is_new)
    }

    /// Adds failures without an artifact: how the process ended at each.
    pub fn add_endings(&mut self, endings: Vec<String>) {
        for how in endings {
            *self.without_artifact.entry(how).or_default() += 1;
        }
    }

    /// Returns the number of executions that failed in a way that is known.
    pub fn known_runs(&self) -> u64 {
        let mut known = Vec::from_iter(&self.failures);
        known.retain(|failure| failure.known.is_some());
        known.iter().map(|failure| failure.count).sum()
    }

    /// Returns the number of executions that neither replayed the corpus nor failed in a way that is known.
    pub fn useful(&self) -> u64 {
        let LiveFigures {
            executions,
            replayed,
            ..
        } = &self.figures;
        executions.saturating_sub(replayed + self.known_runs())
    }

    /// Returns the number of known failures that occurred.
    pub fn known(&self) -> usize {
        let known = self
            .failures
            .iter()
            .filter(|failure| failure.known.is_some());
        known.count()
    }

    /// Returns the name and the number of runs of each failure, the most frequent first.
    pub fn most_frequent(&self) -> Vec<(&str, u64)> {
        let with = self.failures.iter();
        let with = with.map(|failure| (failure.signature.as_str(), failure.count));
        let without = self.without_artifact.iter();
        let without = without.map(|(how, &count)| (how.as_str(), count));
        let mut failures: Vec<(&str, u64)> = with.chain(without).collect();
        failures.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_failures_are_no_failures_and_lost_panics_are() {
        let failure = |known: Option<&str>| FoundFailure {
            signature: "panic".into(),
            message: String::new(),
            values: String::new(),
            count: 1,
            artifact: PathBuf::new(),
            text: Vec::new(),
            known: known.map(String::from),
            artifacts: 1,
            shortest: 0,
        };
        let mut snapshot = Snapshot::default();
        assert!(!snapshot.has_failed());
        snapshot.figures.panicked = 1;
        assert!(snapshot.has_failed());
        snapshot.failures = vec![failure(Some("reason"))];
        assert!(!snapshot.has_failed());
        snapshot.failures.push(failure(None));
        assert!(snapshot.has_failed());
        assert_eq!(snapshot.known(), 1);
        (snapshot.figures.executions, snapshot.figures.replayed) = (20, 5);
        snapshot.failures[0].count = 4;
        assert_eq!((snapshot.known_runs(), snapshot.useful()), (4, 11));
    }
}
