//! Swarm testing: a sentence leaves out some alternatives and prefers others.
//!
//! Groce et al. (Swarm Testing, ISSTA 2012) generate every test with a random subset of the
//! features of a language. A feature can suppress what another one does, so some behaviour is only
//! reached without it; and a test with few features has more of each.

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::grammar::SymbolId;

/// The probabilities with which a swarm leaves out an alternative. Each swarm has one of them.
const OMITTED: [f64; 3] = [0.125, 0.25, 0.5];

/// The probability that an alternative is preferred.
const PREFERRED: f64 = 0.125;

/// The factor of the weight of a preferred alternative.
const FACTOR: f64 = 8.0;

/// The alternatives and optional parts that a sentence leaves out, and those that it prefers.
///
/// A swarm is a seed: a hash of the seed and the alternative decides, so a swarm has no table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Swarm {
    /// The seed, or [`None`] if nothing is left out and nothing is preferred.
    seed: Option<u64>,
    /// The probability with which an alternative is left out.
    omitted: f64,
}

impl Swarm {
    /// Draws a swarm.
    pub fn draw(rng: &mut SmallRng) -> Swarm {
        Swarm {
            seed: Some(rng.random()),
            omitted: OMITTED[rng.random_range(0..OMITTED.len())],
        }
    }

    /// Returns the factor of the weight of an alternative. It is 0 if the alternative is left out.
    /// An optional part is left out if its alternative 0 is.
    #[inline(always)]
    pub fn factor(self, symbol: SymbolId, alternative: u32) -> f64 {
        let Some(seed) = self.seed else { return 1.0 };
        let key = u64::from(symbol.0) << 32 | u64::from(alternative);
        // The finaliser of SplitMix64 (Steele et al., OOPSLA 2014).
        let mut hash = seed ^ key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let drawn = ((hash ^ (hash >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        if drawn < self.omitted {
            0.0
        } else if drawn > 1.0 - PREFERRED {
            FACTOR
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::bounds::{Bounds, Caps};
    use crate::derive::{DerivationGoal, Workspace};
    use crate::notation;
    use crate::parameters::Tree;
    use crate::sampler::{Sampler, sample};

    #[test]
    fn swarms_leave_out_alternatives_and_optional_parts() {
        let source = "s = e{60} ; e = l \"!\"? ; l = \"a\" | \"b\" | \"c\" | \"d\" ;";
        let (grammar, _) = notation::read("test", source.as_bytes(), &Caps::default()).unwrap();
        let (mut sampler, mut workspace, mut tree) =
            (Sampler::new(1, 90.0), Workspace::default(), Tree::default());
        let mut lacking = |swarm: Swarm| {
            sampler.swarm = swarm;
            sampler.restart(90.0);
            let (bounds, caps) = (Bounds::default(), Caps::default());
            let goal = DerivationGoal::start(&grammar, &bounds, &caps);
            sample(goal, &mut sampler, &mut workspace, &mut tree);
            let text = tree.derivation().text();
            b"abcd!".map(|letter| !text.contains(&letter))
        };
        let mut counts = [0; 5];
        let mut rng = SmallRng::seed_from_u64(1);
        for _ in 0..200 {
            assert_eq!(lacking(Swarm::default()), [false; 5]);
            let lacks = lacking(Swarm::draw(&mut rng));
            assert_ne!(lacks[..4], [true; 4]);
            counts
                .iter_mut()
                .zip(lacks)
                .for_each(|(count, lacks)| *count += u32::from(lacks));
        }
        // The mean of the probabilities is 0.29.
        assert!(
            counts.iter().all(|count| (30..100).contains(count)),
            "{counts:?}"
        );
    }
}
