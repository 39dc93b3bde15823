//! What a fuzzer writes by: common, uncommon and uniform, a share of each.

use std::str::FromStr;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Probabilities, Weights};
use crate::grammar::Grammar;

/// How much is written by the weights as they are, by their inverse, and by the grammar alone, relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// By the weights.
    pub common: u32,
    /// By their inverse.
    pub uncommon: u32,
    /// As without weights.
    pub uniform: u32,
}

impl Default for Shares {
    /// What does best in `scripts/measure weights`.
    fn default() -> Shares {
        Shares { common: 1, uncommon: 0, uniform: 1 }
    }
}

impl FromStr for Shares {
    type Err = String;

    /// `common:uncommon:uniform`, whole numbers up to 1000, not all 0.
    fn from_str(text: &str) -> Result<Shares, String> {
        let numbers: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok().filter(|&share| share <= 1000)).collect();
        match numbers.as_deref() {
            Some(&[common, uncommon, uniform]) if common + uncommon + uniform > 0 => Ok(Shares { common, uncommon, uniform }),
            _ => Err("expected shares of common, uncommon and uniform, such as 1:1:2, up to 1000 each and not all 0".into()),
        }
    }
}

/// Probabilities to write by.
#[derive(Clone, Debug)]
pub struct Mix {
    shares: Shares,
    common: Probabilities,
    uncommon: Probabilities,
}

impl Mix {
    /// A mix of what weights say, its inverse, and neither.
    ///
    /// # Errors
    /// As for [`Probabilities::new`].
    pub fn new(grammar: &Grammar, weights: &Weights, shares: Shares) -> Result<Mix, String> {
        let common = Probabilities::new(grammar, weights, weights.transform)?;
        let uncommon = Probabilities::new(grammar, weights, weights.transform.inverted())?;
        Ok(Mix { shares, common, uncommon })
    }

    /// What to write by this time; nothing for what the grammar alone says.
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
