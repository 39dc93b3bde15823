//! Failures after which the process goes on. This module counts the failures at each location, and
//! writes artifacts for a few of them.
//!
//! The first, second, fourth, … failure at a location writes an artifact. A failure also writes one
//! if its sentence is at most half as long as the shortest one that was recorded at this location
//! (see [`Failures::add`]). Disagreements of one kind may have different causes. So a disagreement
//! also writes an artifact if the number of runs of the process has grown by a quarter since the
//! last artifact.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use crate::feedback;
pub use crate::feedback::FailedRun;

/// The beginning of the message about a failure. `zester fuzz` reads it (`cli/src/fuzz/log.rs`).
const MESSAGE: &str = "zester: failures here since the last message: ";

/// Records that the run in progress has failed and that the process goes on. `location` is a hash
/// of the location of the failure. `message` says where and why. Returns the number of runs in a
/// row that panicked before this one, plus 1. Returns [`None`] outside of a run.
pub fn record(location: u32, run: FailedRun, message: &dyn Display) -> Option<u32> {
    static LOCATIONS: Mutex<BTreeMap<u32, Failures>> = Mutex::new(BTreeMap::new());
    let length = feedback::outcome().bytes;
    let mut locations = LOCATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let location = locations.entry(location).or_default();
    let [runs, _] = feedback::runs_and_panics();
    let is_due = run == FailedRun::Disagreed && runs >= location.next;
    let news = location.add(length, is_due);
    if news.is_some() {
        location.next = runs + runs / 4 + 1;
    }
    drop(locations);
    if let Some(count) = news {
        eprintln!("{MESSAGE}{count}: {message}");
    }
    feedback::failed(news.is_some(), run)
}

#[derive(Debug, Default)]
struct Failures {
    count: u64,
    /// The number of failures that the messages so far have counted.
    told: u64,
    /// The length in bytes of the first sentence, or of the last one that was at most half as long.
    shortest: usize,
    /// The number of runs of the process from which on the next disagreement writes an artifact.
    next: u64,
}

impl Failures {
    /// Adds a failure. If it should write an artifact, returns the number of failures since the
    /// last artifact. The first, second, fourth failure and so on do, because other faults may fail
    /// at the same location. A failure also does if its sentence is at most half as long as
    /// `shortest`, or if `is_due`.
    fn add(&mut self, length: usize, is_due: bool) -> Option<u64> {
        self.count += 1;
        let is_shorter = self.count > 1 && 2 * length <= self.shortest;
        if !is_due && !is_shorter && !self.count.is_power_of_two() {
            return None;
        }
        if is_shorter || self.count == 1 {
            self.shortest = length;
        }
        let more = self.count - self.told;
        self.told = self.count;
        Some(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_failures_of_a_location_are_told_and_all_are_counted() {
        let mut failures = Failures::default();
        let told: Vec<Option<u64>> = (0..9).map(|_| failures.add(8, false)).collect();
        let n = None;
        assert_eq!(told, [Some(1), Some(1), n, Some(2), n, n, n, Some(4), n]);
        assert_eq!(
            (failures.add(4, false), failures.add(3, false)),
            (Some(2), None)
        );
        assert_eq!(
            (failures.add(8, true), failures.add(8, true)),
            (Some(2), Some(1))
        );
    }
}
