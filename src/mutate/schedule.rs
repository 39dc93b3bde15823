//! The schedule decides how often each mutator is taken: by shares that adapt to what its results find.
//!
//! A result gains if its run reaches an edge for the first time, or for the first time with a valid input. A result costs as much
//! as its sentence is long. The share of a mutator follows its gain per cost, relative to that of all mutators together. No fixed
//! shares suit all programs or all stages of a campaign, as MOpt (Lyu et al., USENIX Security 2019) and others measured. While next
//! to nothing is found, cheap mutators get larger shares.

use super::MUTATORS;

/// How many runs pass between two computations of the shares.
const PERIOD: u32 = 512;

/// How many periods pass before gains and costs are halved.
const HALF_LIFE: u32 = 32;

/// The cost of a run besides its sentence, in bytes.
const RUN_COST: f64 = 64.0;

/// The prior: how many finds every mutator is taken to have had. What a mutator gained counts more as it grows beyond this.
const PRIOR: f64 = 4.0;

/// The exponent of a mutator's relative gain per cost in its share. With 1 the share is proportional; a large exponent would take
/// the best mutator only.
const EXPONENT: f64 = 3.0;

/// The largest factor between a mutator's configured share and its adapted share, either way.
const MAX_FACTOR: f64 = 32.0;

/// Adapted shares are counted in units of one over this of a configured share.
const UNIT: f64 = 64.0;

/// The shares of all mutators.
#[derive(Debug)]
pub struct Schedule {
    /// The configured shares.
    configured: [u32; MUTATORS.len()],
    /// The adapted shares.
    shares: [u32; MUTATORS.len()],
    /// How many results of each mutator found something, halved now and then.
    gains: [f64; MUTATORS.len()],
    /// What the results of each mutator cost, halved now and then.
    costs: [f64; MUTATORS.len()],
    runs: u32,
    /// Whether shares adapt.
    pub adapts: bool,
}

impl Schedule {
    /// A schedule that begins with these shares.
    pub fn new(configured: [u32; MUTATORS.len()]) -> Schedule {
        let none = [0.0; MUTATORS.len()];
        let shares = configured.map(|share| share * UNIT as u32);
        Schedule { configured, shares, gains: none, costs: none, runs: 0, adapts: true }
    }

    /// The shares, relative to their sum.
    #[inline(always)]
    pub fn shares(&self) -> &[u32; MUTATORS.len()] {
        &self.shares
    }

    /// Records the run of a mutator's result: the length of its sentence in bytes, and whether it found something.
    pub fn record(&mut self, mutator: usize, bytes: usize, found: bool) {
        if !self.adapts {
            return;
        }
        self.gains[mutator] += f64::from(u8::from(found));
        self.costs[mutator] += RUN_COST + bytes as f64;
        self.runs += 1;
        if self.runs % PERIOD == 0 {
            self.adapt();
        }
    }

    fn adapt(&mut self) {
        let finds: f64 = self.gains.iter().map(|gain| gain + PRIOR).sum();
        let rate = finds / self.costs.iter().sum::<f64>();
        for at in 0..MUTATORS.len() {
            let factor = (self.gains[at] + PRIOR) / (self.costs[at] * rate + PRIOR);
            let factor = factor.powf(EXPONENT).clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
            self.shares[at] = (f64::from(self.configured[at]) * UNIT * factor) as u32;
        }
        if self.runs >= PERIOD * HALF_LIFE {
            self.runs = 0;
            self.gains.iter_mut().chain(&mut self.costs).for_each(|sum| *sum /= 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_what_pays_and_come_back() {
        let mut schedule = Schedule::new([4; MUTATORS.len()]);
        let sum = |schedule: &Schedule| schedule.shares().iter().sum::<u32>();
        let even = schedule.shares()[0];
        for run in 0..200_000 {
            schedule.record(run % MUTATORS.len(), 100, run % (10 * MUTATORS.len()) == 1);
        }
        assert!(schedule.shares()[1] > 4 * even && schedule.shares()[0] < even, "{:?}", schedule.shares());
        assert!(schedule.shares().iter().all(|&share| share > 0), "none is given up");
        for run in 0..2_000_000 {
            schedule.record(run % MUTATORS.len(), 100, false);
        }
        let last = sum(&schedule) / MUTATORS.len() as u32;
        assert!(schedule.shares()[1] < 2 * last, "{:?}", schedule.shares());
    }
}
