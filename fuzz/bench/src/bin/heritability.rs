//! Writes parents and children of crossovers as texts, each ended by a zero byte: `heritability
//! GRAMMAR [PAIRS]`.
//!
//! For each pair of parents, writes five texts: both parents, a child by zester's crossover of
//! subtrees, a child by libFuzzer's crossover of the parameters as bytes, and a child by two-point
//! crossover of the parameters. Parents are sampled sentences of 150 to 600 bytes. `scripts/measure
//! heritability` runs the texts and compares their edges.

use std::io::Write;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::bounds::Caps;
use zester::mutate::Mutator;
use zester::notation;
use zester::parameters::{self, Settings};
use zester_bench::zester_side::sentences;

const SIZES: std::ops::RangeInclusive<usize> = 150..=600;
const MOST_INPUT: usize = 4096;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("GRAMMAR");
    let pairs: usize = arguments
        .next()
        .map_or(2_000, |pairs| pairs.parse().expect("PAIRS is a number"));
    let source = std::fs::read(&file).expect("GRAMMAR can be read");
    let (grammar, _) = notation::read(&file, &source, &Caps::default())
        .unwrap_or_else(|report| panic!("{report}"));
    let settings = Settings::default();
    let parents = sentences(&grammar, &settings, &SIZES, 2 * pairs);
    let (mut mutator, mut rng) = (Mutator::new(&grammar), SmallRng::seed_from_u64(2));
    let mut out = std::io::stdout().lock();
    for (seed, pair) in (0..).zip(parents.chunks_exact(2)) {
        let [first, second] = pair else {
            unreachable!("pairs")
        };
        let Some(child) = mutator.crossover(first, second, MOST_INPUT, seed) else {
            continue;
        };
        for text in [
            first,
            second,
            child,
            &interleaved(&mut rng, first, second),
            &two_points(&mut rng, first, second),
        ] {
            out.write_all(parameters::sentence(&grammar, &settings, text).text())
                .expect("somebody reads");
            out.write_all(&[0]).expect("somebody reads");
        }
    }
}

/// libFuzzer's crossover (FuzzerCrossOver.cpp, `MutationDispatcher::CrossOver`): stretches of both
/// inputs in turn, up to a random length.
fn interleaved(rng: &mut SmallRng, first: &[u8], second: &[u8]) -> Vec<u8> {
    let size = rng.random_range(1..=MOST_INPUT);
    let (mut result, mut rests, mut turn) = (Vec::new(), [first, second], 0);
    while result.len() < size && rests.iter().any(|rest| !rest.is_empty()) {
        let rest = &mut rests[turn];
        if !rest.is_empty() {
            let most = rest.len().min(size - result.len());
            let (taken, left) = rest.split_at(rng.random_range(1..=most));
            result.extend_from_slice(taken);
            *rest = left;
        }
        turn = 1 - turn;
    }
    result
}

/// Two-point crossover: the first input, with a random stretch replaced by that of the second
/// input.
fn two_points(rng: &mut SmallRng, first: &[u8], second: &[u8]) -> Vec<u8> {
    let most = first.len().min(second.len());
    let (one, other) = (rng.random_range(0..=most), rng.random_range(0..=most));
    let mut result = first.to_vec();
    result[one.min(other)..one.max(other)].copy_from_slice(&second[one.min(other)..one.max(other)]);
    result
}
