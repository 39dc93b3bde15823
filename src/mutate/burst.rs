//! Zest's mutation: bursts of random bytes, geometric in number and length.
//!
//! Zest's `ZestGuidance.LinearInput.fuzz` (JQF) makes a geometric number of bursts, 8 on average, at places drawn uniformly, each
//! of a geometric number of bytes, 4 on average. There a choice takes 4 bytes; here it takes one, so [`Length::Choice`] is
//! the same mutation and [`Length::Bytes`] the same bytes. Zest reads on past the end into fresh random parameters; here those
//! are written behind the input, and what the sentence does not read of them is dropped.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Draft, Mutation, Parent};

/// How long a burst is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One choice.
    Choice,
    /// The paper's bytes: 4 on average.
    Bytes,
}

/// Bursts in a mutation, on average.
const COUNT: f64 = 8.0;

/// Bytes in a burst of [`Length::Bytes`], on average.
const BYTES: f64 = 4.0;

/// Fresh parameters behind the input, at most.
const FRESH: usize = 256;

/// Bursts of one choice.
pub fn choices(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    draft.copy(parent);
    burst(mutation, &mut draft.bytes, Length::Choice);
    true
}

/// Bursts of the paper's length.
pub fn bytes(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    draft.copy(parent);
    burst(mutation, &mut draft.bytes, Length::Bytes);
    true
}

/// Changes parameters in place.
pub fn burst(mutation: &mut Mutation<'_>, bytes: &mut Vec<u8>, length: Length) {
    let rng = &mut mutation.rng;
    if !bytes.is_empty() {
        for _ in 0..geometric(rng, COUNT) {
            let from = rng.random_range(0..bytes.len());
            let length = if length == Length::Choice { 1 } else { geometric(rng, BYTES).min(bytes.len() - from) };
            rng.fill(&mut bytes[from..from + length]);
        }
    }
    let room = mutation.max_size.saturating_sub(bytes.len()).min(FRESH);
    let fresh = if room == 0 { 0 } else { rng.random_range(0..=room) };
    let from = bytes.len();
    bytes.resize(from + fresh, 0);
    rng.fill(&mut bytes[from..]);
}

/// A number from 1 on with this mean, which is above 1, geometrically distributed.
pub fn geometric(rng: &mut SmallRng, mean: f64) -> usize {
    let uniform: f64 = rng.random_range(0.0..1.0);
    ((1.0 - uniform).ln() / (1.0 - 1.0 / mean).ln()).ceil().clamp(1.0, 1e6) as usize
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

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
