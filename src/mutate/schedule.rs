//! How often which mutator is taken: shares that adapt to what pays.
//!
//! A mutator's results pay by runs that reach an edge for the first time, or for the first time with a valid input, and cost
//! what their sentences are long. Shares follow what a mutator gained for its cost, against all mutators together: as MOpt (Lyu et
//! al., USENIX Security 2019) and others measured, no fixed shares suit all programs, nor all stages of a campaign. Where next to
//! nothing is found, the cheap ones are taken.

use super::MUTATORS;

/// Runs after which shares are computed anew.
const PERIOD: u32 = 512;

/// Periods after which what was gained and paid counts half.
const HALF_LIFE: u32 = 32;

/// Cost of a run besides its sentence, in bytes.
const RUN: f64 = 64.0;

/// Finds that every mutator is taken to have had: what it itself gains counts as more is known of it.
const DOUBT: f64 = 4.0;

/// The power of what a mutator gains for its cost that its share follows: 1 would match it, much more take the best only.
const ZEAL: f64 = 3.0;

/// How much more or less than its own share a mutator may have.
const MOST: f64 = 32.0;

/// Shares are in units of this part of a mutator's own.
const UNIT: f64 = 64.0;

/// The shares of all mutators.
#[derive(Debug)]
pub struct Schedule {
    own: [u32; MUTATORS.len()],
    shares: [u32; MUTATORS.len()],
    gains: [f64; MUTATORS.len()],
    costs: [f64; MUTATORS.len()],
    runs: u32,
    /// Whether shares adapt.
    pub adapts: bool,
}

impl Schedule {
    /// Begins with these shares.
    pub fn new(own: [u32; MUTATORS.len()]) -> Schedule {
        let none = [0.0; MUTATORS.len()];
        let shares = own.map(|share| share * UNIT as u32);
        Schedule { own, shares, gains: none, costs: none, runs: 0, adapts: true }
    }

    /// What the shares are; their sum need not be anything.
    #[inline(always)]
    pub fn shares(&self) -> &[u32; MUTATORS.len()] {
        &self.shares
    }

    /// A mutator's result was run, a sentence of this many bytes; whether it found something.
    pub fn ran(&mut self, mutator: usize, bytes: usize, found: bool) {
        if !self.adapts {
            return;
        }
        self.gains[mutator] += f64::from(u8::from(found));
        self.costs[mutator] += RUN + bytes as f64;
        self.runs += 1;
        if self.runs % PERIOD == 0 {
            self.adapt();
        }
    }

    fn adapt(&mut self) {
        let finds: f64 = self.gains.iter().map(|gain| gain + DOUBT).sum();
        let rate = finds / self.costs.iter().sum::<f64>();
        for at in 0..MUTATORS.len() {
            let factor = (self.gains[at] + DOUBT) / (self.costs[at] * rate + DOUBT);
            let factor = factor.powf(ZEAL).clamp(1.0 / MOST, MOST);
            self.shares[at] = (f64::from(self.own[at]) * UNIT * factor) as u32;
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
            schedule.ran(run % MUTATORS.len(), 100, run % (10 * MUTATORS.len()) == 1);
        }
        assert!(schedule.shares()[1] > 4 * even && schedule.shares()[0] < even, "{:?}", schedule.shares());
        assert!(schedule.shares().iter().all(|&share| share > 0), "none is given up");
        for run in 0..2_000_000 {
            schedule.ran(run % MUTATORS.len(), 100, false);
        }
        let last = sum(&schedule) / MUTATORS.len() as u32;
        assert!(schedule.shares()[1] < 2 * last, "{:?}", schedule.shares());
    }
}
