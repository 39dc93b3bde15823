//! A mix of three ways to draw sentences and subtrees: by the weights, by the inverse of the
//! weights, and without weights.

use std::str::FromStr;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Probabilities, Weights};
use crate::error::Error;
use crate::grammar::Grammar;

/// The shares of the three ways to draw sentences and subtrees, relative to their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The share of sentences that are drawn by the weights.
    pub common: u32,
    /// The share of sentences that are drawn by the inverse of the weights.
    pub uncommon: u32,
    /// The share of sentences that are drawn without weights.
    pub uniform: u32,
}

impl Default for Shares {
    /// The shares that reached the most edges: see `weights` in `scripts/measured.md`.
    fn default() -> Shares {
        Shares {
            common: 1,
            uncommon: 0,
            uniform: 1,
        }
    }
}

impl FromStr for Shares {
    type Err = Error;

    /// Reads `common:uncommon:uniform`: three whole numbers up to 1000, not all 0.
    ///
    /// # Examples
    /// ```
    /// use zester::weights::Shares;
    ///
    /// assert_eq!("1:0:20".parse(), Ok(Shares { common: 1, uncommon: 0, uniform: 20 }));
    /// assert!("0:0:0".parse::<Shares>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Shares, Error> {
        let numbers: Option<Vec<u32>> = text
            .split(':')
            .map(|part| part.parse().ok().filter(|&share| share <= 1000))
            .collect();
        match numbers.as_deref() {
            Some(&[common, uncommon, uniform]) if common + uncommon + uniform > 0 => Ok(Shares { common, uncommon, uniform }),
            _ => Err("expected shares of common, uncommon and uniform, such as 1:1:2, up to 1000 each and not all 0".into()),
        }
    }
}

/// The probabilities of weights and of their inverse. For each sentence or subtree, one of them is
/// drawn by the shares.
#[derive(Clone, Debug)]
pub struct Mix {
    shares: Shares,
    common: Probabilities,
    uncommon: Probabilities,
}

impl Mix {
    /// Makes a mix of the probabilities of weights and of their inverse.
    ///
    /// # Errors
    /// If the weights belong to another grammar or forbid every finite derivation, or if their
    /// transform is out of range.
    pub fn new(grammar: &Grammar, weights: &Weights, shares: Shares) -> Result<Mix, Error> {
        let common = Probabilities::new(grammar, weights, weights.transform)?;
        let uncommon = Probabilities::new(grammar, weights, weights.transform.inverted())?;
        Ok(Mix {
            shares,
            common,
            uncommon,
        })
    }

    /// Draws the probabilities for one sentence or subtree. Returns [`None`] if it is to be drawn
    /// without weights.
    #[inline(always)]
    pub fn draw(&self, rng: &mut SmallRng) -> Option<&Probabilities> {
        let Shares {
            common,
            uncommon,
            uniform,
        } = self.shares;
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
        assert_eq!(
            "1:0:20".parse(),
            Ok(Shares {
                common: 1,
                uncommon: 0,
                uniform: 20
            })
        );
        for text in ["", "1:2", "1:2:3:4", "0:0:0", "1:-1:1", "1:1:1001", "a:1:1"] {
            assert!(
                text.parse::<Shares>()
                    .unwrap_err()
                    .to_string()
                    .contains("such as 1:1:2"),
                "{text}"
            );
        }
    }
}
