//! Estimates what a run costs apart from its sentence, in bytes: the time that a run with an empty
//! sentence takes, divided by the time that each byte adds.
//!
//! The estimate is a regression line of the time on the length, by least squares. Older runs count
//! less, because a campaign gets slower or faster.

use crate::validity::RunFeedback;

/// The estimate before there are enough runs with a known time, in bytes.
const DEFAULT: f64 = 64.0;

/// The limits of the estimate, in bytes.
const LIMITS: [f64; 2] = [16.0, 65_536.0];

/// The number of runs after which there is an estimate.
const MIN_RUNS: f64 = 256.0;

/// The weight of a run after each further run.
const DECAY: f64 = 1.0 - 1.0 / 4_096.0;

/// A run that takes more than this many times the mean counts as this many times the mean, so that
/// one pause of the machine does not decide.
const MAX_TIMES: f64 = 16.0;

/// Sums over the runs, each with its weight: of lengths in bytes, and of times in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunCost {
    runs: f64,
    bytes: f64,
    time: f64,
    bytes_squared: f64,
    bytes_by_time: f64,
}

impl RunCost {
    /// Adds a run. Does nothing if its time is not known.
    pub fn record(&mut self, outcome: RunFeedback) {
        let Some(time) = outcome.time else {
            return;
        };
        let (bytes, mut time) = (outcome.bytes as f64, time.as_secs_f64());
        if self.runs > MIN_RUNS {
            time = time.min(MAX_TIMES * self.time / self.runs);
        }
        let sums = [
            (&mut self.runs, 1.0),
            (&mut self.bytes, bytes),
            (&mut self.time, time),
            (&mut self.bytes_squared, bytes * bytes),
            (&mut self.bytes_by_time, bytes * time),
        ];
        for (sum, one) in sums {
            *sum = *sum * DECAY + one;
        }
    }

    /// Returns the estimate in bytes.
    pub fn bytes(&self) -> f64 {
        let variance = self.runs * self.bytes_squared - self.bytes * self.bytes;
        if self.runs < MIN_RUNS || variance <= 0.0 {
            return DEFAULT;
        }
        let by_byte = (self.runs * self.bytes_by_time - self.bytes * self.time) / variance;
        let fixed = (self.time - by_byte * self.bytes) / self.runs;
        match by_byte > 0.0 {
            true => (fixed / by_byte).clamp(LIMITS[0], LIMITS[1]),
            false => LIMITS[1],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The estimate after runs of 0 to 999 bytes that take this many nanoseconds, and as many more
    /// for each byte.
    fn estimated(fixed: u64, by_byte: u64) -> f64 {
        let mut cost = RunCost::default();
        for run in 0..20_000 {
            let bytes = run * 7 % 1_000;
            let mut outcome = RunFeedback::new(bytes as usize, true, false);
            let pause = if run % 5_000 == 4_999 {
                1_000_000_000
            } else {
                0
            };
            outcome.time = Some(Duration::from_nanos(fixed + by_byte * bytes + pause));
            cost.record(outcome);
        }
        cost.bytes()
    }

    #[test]
    fn the_estimate_is_the_fixed_time_by_that_of_a_byte() {
        assert!((700.0..900.0).contains(&estimated(80_000, 100)));
        assert!(estimated(1_000, 100) < 64.0);
        assert!(estimated(1_000, 0) > 5_000.0);
    }

    #[test]
    fn runs_without_a_time_change_nothing() {
        let mut cost = RunCost::default();
        (0..1_000).for_each(|bytes| cost.record(RunFeedback::new(bytes, true, false)));
        assert_eq!(cost.bytes(), DEFAULT);
    }
}
