//! The schedule of operators: decides how often each operator is used.
//!
//! An input is a *find* if its run reaches an edge for the first time, or for the first time with a
//! valid input. The *cost* of an input is the length of its sentence plus a constant, which is
//! estimated from the times of runs ([`RunCost`]). Each operator
//! has a share of the mutations. The share grows if the inputs that the operator makes are finds
//! more often, relative to their cost, than those of other operators.
//!
//! Shares adapt because no fixed shares suit all programs and all stages of a campaign, as MOpt
//! (Lyu et al., USENIX Security 2019) and others measured. While there are almost no finds, the
//! operators whose inputs have cost the least in total get larger shares relative to the others.

use rand::{Rng, RngExt};

use super::run_cost::RunCost;
use crate::error::Error;
use crate::validity::RunFeedback;

/// The number of runs between two computations of the shares.
const PERIOD: u32 = 512;

/// The number of periods after which finds and costs are halved.
const HALF_LIFE: u32 = 32;

/// The prior: a number that is added to the finds and to the expected finds of every operator. So a
/// few finds change the shares little. The expected finds of an operator are its cost times a rate,
/// which is the sum of all finds and priors divided by the sum of all costs.
const PRIOR: f64 = 4.0;

/// The exponent of the factor by which a share adapts: (finds + prior) / (expected finds + prior),
/// to the power of the exponent. A larger exponent prefers the best operators more strongly.
const EXPONENT: f64 = 3.0;

/// The limit of the factor: a share is at most 32 times its configured value, and at least 1/32 of
/// it.
const MAX_FACTOR: f64 = 32.0;

/// Adapted shares are integers in units of 1/64, so that rounding changes them little: a configured
/// share of 8 is stored as 512.
const UNIT: f64 = 64.0;

/// Decides how often each operator is used. Each operator has a share, which adapts to its finds and
/// costs.
#[derive(Debug)]
pub struct Schedule<const N: usize> {
    configured: [u32; N],
    /// The current shares, in units of 1/[`UNIT`].
    pub shares: [u32; N],
    /// The number of finds of each operator, halved every [`HALF_LIFE`] periods.
    finds: [f64; N],
    /// The cost of the inputs of each operator in bytes, halved every [`HALF_LIFE`] periods.
    costs: [f64; N],
    /// The constant part of the cost of an input.
    run_cost: RunCost,
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
            finds: none,
            costs: none,
            run_cost: RunCost::default(),
            runs: 0,
            adapts: true,
        }
    }

    pub fn set_share(&mut self, mutator: usize, share: u32) {
        self.configured[mutator] = share;
        self.shares[mutator] = share * UNIT as u32;
    }

    /// Restricts the operators to those in `names`, which are separated by commas. If each name
    /// begins with `-`, all other operators remain. `all` are the names of the operators, and
    /// `configured` their shares. Returns the shares that are configured now.
    ///
    /// # Errors
    /// If a name is unknown, or no operator remains. The message about an unknown name lists all
    /// names.
    pub fn restrict_to(
        &mut self,
        names: &str,
        all: [&str; N],
        configured: [u32; N],
    ) -> Result<[u32; N], Error> {
        let mut names: Vec<&str> = names.split(',').map(str::trim).collect();
        let excludes = names.iter().all(|name| name.starts_with('-'));
        if excludes {
            names.iter_mut().for_each(|name| *name = &name[1..]);
        }
        if let Some(name) = names.iter().find(|name| !all.contains(name)) {
            let all = all.join(", ");
            return Err(format!("unknown mutator `{name}`; the mutators are {all}").into());
        }
        let shares = std::array::from_fn(|at| match (names.contains(&all[at]), excludes) {
            (true, false) => configured[at].max(1),
            (false, true) => configured[at],
            _ => 0,
        });
        if shares == [0; N] {
            return Err("no mutator is left".into());
        }
        let adapts = self.adapts;
        *self = Schedule::new(shares);
        self.adapts = adapts;
        Ok(shares)
    }

    /// Draws the index of an operator, with the probability of its share divided by the sum of all.
    pub fn draw(&self, rng: &mut impl Rng) -> usize {
        let mut at = rng.random_range(0..self.shares.iter().sum::<u32>().max(1));
        let is_here = |&share: &u32| match at.checked_sub(share) {
            None => true,
            Some(rest) => {
                at = rest;
                false
            }
        };
        self.shares.iter().position(is_here).unwrap_or(0)
    }

    /// Records the run of an input that an operator produced. `mutator` is its index in the shares.
    /// Does nothing unless shares adapt.
    pub fn record(&mut self, mutator: usize, outcome: RunFeedback) {
        if !self.adapts {
            return;
        }
        self.run_cost.record(outcome);
        self.finds[mutator] += f64::from(u8::from(outcome.found));
        self.costs[mutator] += self.run_cost.bytes() + outcome.bytes as f64;
        self.runs += 1;
        if self.runs.is_multiple_of(PERIOD) {
            self.adapt();
        }
    }

    fn adapt(&mut self) {
        let all: f64 = self.finds.iter().map(|finds| finds + PRIOR).sum();
        let rate = all / self.costs.iter().sum::<f64>();
        for at in 0..N {
            let factor = (self.finds[at] + PRIOR) / (self.costs[at] * rate + PRIOR);
            let factor = factor.powf(EXPONENT).clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
            self.shares[at] = (f64::from(self.configured[at]) * UNIT * factor) as u32;
        }
        if self.runs >= PERIOD * HALF_LIFE {
            self.runs = 0;
            self.finds
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

    #[test]
    fn shares_grow_with_finds_and_shrink_again_without() {
        let mut schedule = Schedule::new([4; N]);
        let sum = |schedule: &Schedule<N>| schedule.shares.iter().sum::<u32>();
        let even = schedule.shares[0];
        for run in 0..200_000 {
            schedule.record(run % N, RunFeedback::new(100, true, run % (10 * N) == 1));
        }
        assert!(
            schedule.shares[1] > 4 * even && schedule.shares[0] < even,
            "{:?}",
            schedule.shares
        );
        assert!(
            schedule.shares.iter().all(|&share| share > 0),
            "a share became 0"
        );
        for run in 0..2_000_000 {
            schedule.record(run % N, RunFeedback::new(100, true, false));
        }
        let last = sum(&schedule) / N as u32;
        assert!(schedule.shares[1] < 2 * last, "{:?}", schedule.shares);
    }
}
