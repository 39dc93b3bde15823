//! Draws options. Options with higher rewards are drawn more often.

use rand::RngExt;
use rand::rngs::SmallRng;

/// The factor that rewards are multiplied by after each generation.
const MEMORY: f64 = 0.95;

/// The share of the draws that do not depend on rewards.
const EVEN: f64 = 0.2;

/// The share of the draws that do not depend on rewards, in a greedy selection.
const EVEN_IF_GREEDY: f64 = 0.02;

/// The number of rewards of 1 that each option has from the beginning.
const PRIOR: f64 = 2.0;

/// [`PRIOR`] in a cautious selection, whose rewards are rare. With a smaller prior, chance decides
/// which options are drawn.
const PRIOR_IF_CAUTIOUS: f64 = 10.0;

/// Options with their rewards. The method is probability matching, as in adaptive operator
/// selection (Fialho, 2010).
#[derive(Clone, Debug)]
pub struct AdaptiveSelection<T> {
    options: Vec<RatedOption<T>>,
    /// The probability of an option grows with its mean reward raised to this power.
    power: i32,
    /// The share of the draws that do not depend on rewards.
    even: f64,
    /// The number of rewards of 1 that each option has from the beginning.
    prior: f64,
}

#[derive(Clone, Copy, Debug)]
struct RatedOption<T> {
    option: T,
    /// A factor of its probability that does not depend on rewards.
    preference: f64,
    rewards: Rewards,
}

/// The rewards of an option. Older rewards count less.
#[derive(Clone, Copy, Debug, Default)]
struct Rewards {
    sum: f64,
    /// The number of rewards.
    uses: f64,
}

impl<T: Copy> AdaptiveSelection<T> {
    /// Returns options without rewards. Each has a preference: an option with the preference 2 is
    /// twice as probable as one with the same rewards and the preference 1.
    pub fn new(options: impl IntoIterator<Item = (T, f64)>) -> AdaptiveSelection<T> {
        let entry = |(option, preference)| RatedOption {
            option,
            preference,
            rewards: Rewards::default(),
        };
        AdaptiveSelection {
            options: options.into_iter().map(entry).collect(),
            power: 2,
            even: EVEN,
            prior: PRIOR,
        }
    }

    /// Makes the selection draw the best option nearly always, for rewards that the same option can
    /// give again and again.
    pub fn greedy(mut self) -> AdaptiveSelection<T> {
        (self.power, self.even) = (12, EVEN_IF_GREEDY);
        self
    }

    /// Makes the selection change probabilities slowly, for rare rewards.
    pub fn cautious(mut self) -> AdaptiveSelection<T> {
        self.prior = PRIOR_IF_CAUTIOUS;
        self
    }

    /// Draws an option. Returns its index and the option. Its probability grows with the square of
    /// its mean reward, or with a higher power if the selection is greedy.
    pub fn draw(&self, rng: &mut SmallRng) -> (usize, T) {
        // Without the prior, an option with few rewards would have an extreme mean.
        let score = |entry: &RatedOption<T>| {
            let mean = (entry.rewards.sum + self.prior) / (entry.rewards.uses + self.prior);
            entry.preference * mean.powi(self.power)
        };
        let scores: f64 = self.options.iter().map(score).sum();
        let preferences: f64 = self.options.iter().map(|entry| entry.preference).sum();
        let mut left = rng.random_range(0.0..1.0);
        let found = self.options.iter().position(|entry| {
            left -= self.even * entry.preference / preferences
                + (1.0 - self.even) * score(entry) / scores;
            left < 0.0
        });
        let at = found.unwrap_or(self.options.len() - 1);
        (at, self.options[at].option)
    }

    /// Rewards the option with an index. The mean of all rewards should be about 1.
    pub fn reward(&mut self, at: usize, reward: f64) {
        let rewards = &mut self.options[at].rewards;
        rewards.sum += reward;
        rewards.uses += 1.0;
    }

    /// Ends a generation: earlier rewards count less from now on.
    pub fn forget(&mut self) {
        for RatedOption { rewards, .. } in &mut self.options {
            rewards.sum *= MEMORY;
            rewards.uses *= MEMORY;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn rewarded_options_are_drawn_more_often() {
        let mut options = AdaptiveSelection::new([("good", 1.0), ("bad", 1.0)]);
        let mut rng = SmallRng::seed_from_u64(1);
        for _ in 0..50 {
            options.reward(0, 2.0);
            options.reward(1, 0.0);
            options.forget();
        }
        let good = (0..1000)
            .filter(|_| options.draw(&mut rng).1 == "good")
            .count();
        assert!((850..950).contains(&good), "{good}");
    }
}
