//! A mix of probabilities to sample by: common, uncommon and uniform choices, a share of each.

use std::str::FromStr;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Probabilities, Weights};
use crate::grammar::Grammar;

/// The shares of samples by the weights, by their inverse, and by the grammar alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The share of samples by the weights.
    pub common: u32,
    /// The share of samples by the inverse of the weights.
    pub uncommon: u32,
    /// The share of samples as without weights.
    pub uniform: u32,
}

impl Default for Shares {
    /// The shares that did best in `scripts/measure weights`.
    fn default() -> Shares {
        Shares { common: 1, uncommon: 0, uniform: 1 }
    }
}

impl FromStr for Shares {
    type Err = String;

    /// Reads `common:uncommon:uniform`: whole numbers up to 1000, not all 0.
    fn from_str(text: &str) -> Result<Shares, String> {
        let numbers: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok().filter(|&share| share <= 1000)).collect();
        match numbers.as_deref() {
            Some(&[common, uncommon, uniform]) if common + uncommon + uniform > 0 => Ok(Shares { common, uncommon, uniform }),
            _ => Err("expected shares of common, uncommon and uniform, such as 1:1:2, up to 1000 each and not all 0".into()),
        }
    }
}

/// Probabilities to sample by.
#[derive(Clone, Debug)]
pub struct Mix {
    shares: Shares,
    common: Probabilities,
    uncommon: Probabilities,
}

impl Mix {
    /// A mix of the probabilities of weights and of their inverse.
    ///
    /// # Errors
    /// As for [`Probabilities::new`].
    pub fn new(grammar: &Grammar, weights: &Weights, shares: Shares) -> Result<Mix, String> {
        let common = Probabilities::new(grammar, weights, weights.transform)?;
        let uncommon = Probabilities::new(grammar, weights, weights.transform.inverted())?;
        Ok(Mix { shares, common, uncommon })
    }

    /// Draws the probabilities for one sample; none if the grammar alone decides.
    #[inline(always)]
    pub fn draw(&self, rng: &mut SmallRng) -> Option<&Probabilities> {
        let Shares { common, uncommon, uniform } = self.shares;
        match rng.random_range(0..common + uncommon + uniform) {
            at if at < common => Some(&self.common),
            at if at < common + uncommon => Some(&self.uncommon),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_from_text() {
        assert_eq!("1:0:20".parse(), Ok(Shares { common: 1, uncommon: 0, uniform: 20 }));
        for text in ["", "1:2", "1:2:3:4", "0:0:0", "1:-1:1", "1:1:1001", "a:1:1"] {
            assert!(text.parse::<Shares>().unwrap_err().contains("such as 1:1:2"), "{text}");
        }
    }
}
