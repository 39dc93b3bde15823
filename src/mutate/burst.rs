//! Zest's mutation: bursts of random bytes at random positions.
//!
//! `ZestGuidance.LinearInput.fuzz` in JQF makes a geometrically distributed number of bursts, 8 on
//! average. Each has a geometrically distributed number of bytes, 4 on average. A choice takes 4
//! bytes in Zest and usually one byte here. So [`Length::Choice`] changes as many choices as Zest
//! does, and [`Length::Bytes`] changes as many bytes as Zest does.
//!
//! Zest appends random parameters where a generator reads past the end of an input. Here random
//! parameters are appended before the input is decoded. Parameters that the sentence does not need
//! are dropped.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Mutation, Output};
use crate::splice::TreeView;

/// The length of a burst.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One choice, which is one byte.
    Choice,
    /// The length of bursts in Zest's paper: 4 bytes on average.
    Bytes,
}

const MEAN_BURSTS: f64 = 8.0;

/// The mean number of bytes of a burst of [`Length::Bytes`].
const MEAN_BYTES: f64 = 4.0;

/// The maximum number of random bytes that are appended to an input.
const MAX_APPENDED: usize = 256;

pub fn choices(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    output.copy(parent);
    burst(mutation, &mut output.bytes, Length::Choice);
    true
}

pub fn bytes(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    output.copy(parent);
    burst(mutation, &mut output.bytes, Length::Bytes);
    true
}

/// Changes bursts of bytes and appends random bytes.
pub fn burst(mutation: &mut Mutation<'_>, bytes: &mut Vec<u8>, length: Length) {
    let rng = &mut mutation.rng;
    if !bytes.is_empty() {
        for _ in 0..geometric(rng, MEAN_BURSTS) {
            let from = rng.random_range(0..bytes.len());
            let length = if length == Length::Choice {
                1
            } else {
                geometric(rng, MEAN_BYTES).min(bytes.len() - from)
            };
            rng.fill(&mut bytes[from..from + length]);
        }
    }
    let room = mutation
        .max_size
        .saturating_sub(bytes.len())
        .min(MAX_APPENDED);
    let fresh = if room == 0 {
        0
    } else {
        rng.random_range(0..=room)
    };
    let from = bytes.len();
    bytes.resize(from + fresh, 0);
    rng.fill(&mut bytes[from..]);
}

/// Draws a geometrically distributed number of at least 1. `mean` is its mean and must be above 1.
pub fn geometric(rng: &mut SmallRng, mean: f64) -> usize {
    let uniform: f64 = rng.random_range(0.0..1.0);
    ((1.0 - uniform).ln() / (1.0 - 1.0 / mean).ln())
        .ceil()
        .clamp(1.0, 1e6) as usize
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("burst", "1,(a),-2", seed));
        assert_eq!(after, ["1,(a),b", "1,e,a", "bf,9022,---d,-h"]);
    }

    #[test]
    fn geometric_numbers_have_their_mean() {
        let mut rng = SmallRng::seed_from_u64(1);
        for mean in [4.0, 8.0] {
            let sum: usize = (0..100_000).map(|_| geometric(&mut rng, mean)).sum();
            let found = sum as f64 / 1e5;
            assert!((found - mean).abs() < 0.1, "{found} for {mean}");
        }
    }
}
