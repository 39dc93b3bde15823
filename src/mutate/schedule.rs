//! The schedule of mutators: decides how often each mutator is used.
//!
//! An input is a *find* if its run reaches edges for the first time, or for the first time with a valid
//! input. The *reward* of a find is 1 plus the binary logarithm of the number of these edges; other inputs
//! have no reward. The *cost* of an input is the length of its sentence plus a constant. Each mutator has a
//! share of the mutations. The share grows if the inputs that the mutator makes have larger rewards, relative
//! to their cost, than those of other mutators.
//!
//! Shares adapt because no fixed shares suit all programs or all stages of a campaign, as MOpt (Lyu
//! et al., USENIX Security 2019) and others measured. While there are almost no finds, the mutators
//! whose inputs have cost the least in total get larger shares relative to the others.

use crate::validity::RunFeedback;

/// The number of runs between two computations of the shares.
const PERIOD: u32 = 512;

/// The number of periods after which rewards and costs are halved.
const HALF_LIFE: u32 = 32;

/// The constant part of the cost of an input, in bytes.
const RUN_COST: f64 = 64.0;

/// The prior: a number that is added to the rewards and to the expected rewards of every mutator, so
/// that a few finds change the shares little. The expected rewards of a mutator are its cost times
/// the mean of rewards and priors per cost.
const PRIOR: f64 = 4.0;

/// The exponent of the factor by which a share adapts: (rewards + prior) / (expected rewards + prior), to
/// the power of the exponent. A larger exponent prefers the best mutators more strongly.
const EXPONENT: f64 = 3.0;

/// The limit of the factor: a share is at most 32 times its configured value, and at least 1/32 of
/// it.
const MAX_FACTOR: f64 = 32.0;

/// Adapted shares are integers in units of 1/64, so that rounding changes them little: a configured
/// share of 8 is stored as 512.
const UNIT: f64 = 64.0;

/// Decides how often each mutator is used. Each mutator has a share, which adapts to its rewards
/// and costs.
#[derive(Debug)]
pub struct Schedule<const N: usize> {
    /// The configured shares.
    configured: [u32; N],
    /// The current shares, in units of 1/[`UNIT`].
    shares: [u32; N],
    /// The sum of the rewards of each mutator, halved every [`HALF_LIFE`] periods.
    rewards: [f64; N],
    /// The cost of the inputs of each mutator in bytes, halved every [`HALF_LIFE`] periods.
    costs: [f64; N],
    /// The number of runs since the last halving.
    runs: u32,
    /// Whether shares adapt. If not, they keep their current values.
    pub adapts: bool,
}

impl<const N: usize> Schedule<N> {
    /// Returns a schedule with these configured shares. An adapted share is a configured share
    /// times a factor, so a share of 0 stays 0.
    pub fn new(configured: [u32; N]) -> Schedule<N> {
        let none = [0.0; N];
        let shares = configured.map(|share| share * UNIT as u32);
        Schedule {
            configured,
            shares,
            rewards: none,
            costs: none,
            runs: 0,
            adapts: true,
        }
    }

    /// Sets the configured share of a mutator.
    pub fn set_share(&mut self, mutator: usize, share: u32) {
        self.configured[mutator] = share;
        self.shares[mutator] = share * UNIT as u32;
    }

    /// Returns the shares of all mutators. A mutator is used with the probability of its share
    /// divided by their sum.
    #[inline(always)]
    pub fn shares(&self) -> &[u32; N] {
        &self.shares
    }

    /// Records the run of an input that a mutator produced. `mutator` is its index in [`MUTATORS`]. Does
    /// nothing unless shares adapt.
    pub fn record(&mut self, mutator: usize, run: RunFeedback) {
        if !self.adapts {
            return;
        }
        if run.is_find() {
            self.rewards[mutator] += 1.0 + f64::from(run.new_edges).log2();
        }
        self.costs[mutator] += RUN_COST + run.bytes as f64;
        self.runs += 1;
        if self.runs % PERIOD == 0 {
            self.adapt();
        }
    }

    /// Computes the shares from the rewards and the costs.
    fn adapt(&mut self) {
        let all: f64 = self.rewards.iter().map(|reward| reward + PRIOR).sum();
        let rate = all / self.costs.iter().sum::<f64>();
        for at in 0..N {
            let factor = (self.rewards[at] + PRIOR) / (self.costs[at] * rate + PRIOR);
            let factor = factor.powf(EXPONENT).clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
            self.shares[at] = (f64::from(self.configured[at]) * UNIT * factor) as u32;
        }
        if self.runs >= PERIOD * HALF_LIFE {
            self.runs = 0;
            self.rewards
                .iter_mut()
                .chain(&mut self.costs)
                .for_each(|sum| *sum /= 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 20;

    /// The outcome of a run with this number of new edges.
    fn run(new_edges: u32) -> RunFeedback {
        RunFeedback::new(100, true, new_edges)
    }

    #[test]
    fn shares_grow_with_finds_and_shrink_again_without() {
        let mut schedule = Schedule::new([4; N]);
        let sum = |schedule: &Schedule<N>| schedule.shares().iter().sum::<u32>();
        let even = schedule.shares()[0];
        for number in 0..200_000 {
            schedule.record(number % N, run(u32::from(number % (10 * N) == 1)));
        }
        assert!(
            schedule.shares()[1] > 4 * even && schedule.shares()[0] < even,
            "{:?}",
            schedule.shares()
        );
        assert!(
            schedule.shares().iter().all(|&share| share > 0),
            "a share became 0"
        );
        for number in 0..2_000_000 {
            schedule.record(number % N, run(0));
        }
        let last = sum(&schedule) / N as u32;
        assert!(schedule.shares()[1] < 2 * last, "{:?}", schedule.shares());
    }

    #[test]
    fn more_edges_count_more_and_longer_sentences_less() {
        let shares = |runs: [RunFeedback; 2]| {
            let mut schedule = Schedule::new([4; 2]);
            for number in 0..20_000 {
                schedule.record(number % 2, runs[number % 2]);
            }
            *schedule.shares()
        };
        let [many, few] = shares([run(64), run(1)]);
        assert!(many > 4 * few, "{many} {few}");
        let [long, short] = shares([RunFeedback::new(10_000, true, 1), run(1)]);
        assert!(short > 4 * long, "{long} {short}");
        let [first, second] = shares([run(1), run(1)]);
        assert_eq!(first, second);
    }
}
