//! Parents: the choice of the input to mutate if libFuzzer asks to mutate an invalid one.
//!
//! libFuzzer keeps invalid inputs, because they cover code of error handling. It also mutates a
//! mutant up to four times more, even if the mutant was invalid. Most mutants of invalid inputs are
//! invalid themselves. Fuzzilli (Groß et al., NDSS 2023) reverts every mutation that makes a
//! program invalid.
//!
//! * A valid parent whose mutant was invalid is mutated again.
//! * An invalid input of the corpus is replaced by one of the last valid ones that libFuzzer asked
//!   to mutate. Replacing the input and mutating the input itself are the two arms of a
//!   [`Schedule`]. The arm that finds more is used more often.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::schedule::Schedule;
use crate::validity::RunFeedback;

/// The number of valid parents that are remembered.
const REMEMBERED: usize = 64;

/// The configured shares of the two arms of the schedule: the first one mutates the invalid input,
/// the second one, [`REPLACE`], replaces it by a valid one.
const ARMS: [u32; 2] = [1, 1];

const REPLACE: usize = 1;

#[derive(Debug)]
pub struct Parents {
    /// Whether another input may be mutated instead of an invalid one. If `false`, the mutator
    /// mutates every input that libFuzzer passes to it.
    pub avoids_invalid: bool,
    /// The last valid parents, as a ring.
    last: Vec<Vec<u8>>,
    /// The index in `last` that is overwritten next.
    next: usize,
    schedule: Schedule<2>,
    /// The arm that chose the current parent, if libFuzzer passed an invalid one.
    arm: Option<usize>,
}

impl Default for Parents {
    fn default() -> Parents {
        Parents {
            avoids_invalid: true,
            last: Vec::new(),
            next: 0,
            schedule: Schedule::new(ARMS),
            arm: None,
        }
    }
}

impl Parents {
    /// Remembers a valid input that libFuzzer asked to mutate.
    pub fn remember(&mut self, input: &[u8]) {
        if self.last.len() < REMEMBERED {
            self.last.push(input.to_vec());
            return;
        }
        let oldest = &mut self.last[self.next];
        oldest.clear();
        oldest.extend_from_slice(input);
        self.next = (self.next + 1) % REMEMBERED;
    }

    /// Chooses the parent for an input of the corpus. Returns `None` if the input itself is the
    /// parent. With `is_kept`, it always is.
    pub fn choose(&mut self, rng: &mut SmallRng, is_kept: bool, max_size: usize) -> Option<&[u8]> {
        self.arm = None;
        if is_kept || !self.avoids_invalid || self.last.is_empty() {
            return None;
        }
        let arm = self.schedule.draw(rng);
        self.arm = Some(arm);
        let other = &self.last[rng.random_range(0..self.last.len())];
        (arm == REPLACE && other.len() <= max_size).then_some(other)
    }

    /// Records the run of a mutant of the current parent.
    pub fn record_run(&mut self, outcome: RunFeedback) {
        if let Some(arm) = self.arm {
            self.schedule.record(arm, outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn invalid_inputs_are_replaced_more_often_if_that_finds_more() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut parents = Parents::default();
        assert_eq!(parents.choose(&mut rng, false, 100), None);
        for valid in 0..=255 {
            parents.remember(&[valid]);
        }
        assert_eq!(parents.last.len(), REMEMBERED);
        assert_eq!(parents.choose(&mut rng, true, 100), None);
        let mut replaced = |parents: &mut Parents, finds_if_replaced: bool| {
            let mut count = 0;
            for _ in 0..20_000 {
                let is_replaced = parents.choose(&mut rng, false, 100).is_some();
                let found = is_replaced == finds_if_replaced && rng.random_range(0..10) == 0;
                parents.record_run(RunFeedback::new(10, true, found));
                count += usize::from(is_replaced);
            }
            count
        };
        assert!(replaced(&mut parents, true) > 15_000);
        assert!(replaced(&mut parents, false) < 15_000);
        assert!(replaced(&mut parents, false) < 5_000);
        // A replacement that is too long is not used.
        assert_eq!(parents.choose(&mut rng, false, 0), None);
    }
}
