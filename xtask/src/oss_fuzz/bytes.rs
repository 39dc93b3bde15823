//! Byte mutations without a grammar, like radamsa's: engine_common.py,
//! `generate_new_testcase_mutations_using_radamsa`.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng as _, RngExt, SeedableRng};

/// The maximum length of a mutant in bytes.
const LONGEST: usize = 1 << 20;

/// Returns mutants of inputs, each with the number of the input that it was made from.
pub fn mutants(inputs: &[Vec<u8>], count: usize) -> Vec<(usize, Vec<u8>)> {
    let mut rng = SmallRng::seed_from_u64(1);
    let mut mutants = Vec::new();
    for _ in 0..count {
        let origin = rng.random_range(0..inputs.len());
        let mut data = inputs[origin].clone();
        for _ in 0..*[1, 1, 2, 5, 20].choose(&mut rng).expect("not empty") {
            data = mutated(&mut rng, &data, inputs);
        }
        data.truncate(LONGEST);
        mutants.push((origin, data));
    }
    mutants
}

/// Mutates an input: flips a bit, deletes, repeats or inserts bytes, or appends the end of another
/// input.
fn mutated(rng: &mut SmallRng, data: &[u8], inputs: &[Vec<u8>]) -> Vec<u8> {
    let (at, end) = random_range(rng, data.len());
    let kind = if data.is_empty() {
        4
    } else {
        rng.random_range(0..5)
    };
    match kind {
        0 => {
            let mut data = data.to_vec();
            let at = at.min(data.len() - 1);
            data[at] ^= 1 << rng.random_range(0..8);
            data
        }
        1 => [&data[..at], &data[end..]].concat(),
        2 => {
            let times = *[2, 3, 100].choose(rng).expect("not empty");
            [&data[..at], &data[at..end].repeat(times), &data[end..]].concat()
        }
        3 => {
            let other = &inputs[rng.random_range(0..inputs.len())];
            let from = random_range(rng, other.len()).0;
            [&data[..at], &other[from..]].concat()
        }
        _ => {
            let mut new = vec![0; *[1, 4, 1_000].choose(rng).expect("not empty")];
            rng.fill_bytes(&mut new);
            [&data[..at], &new, &data[at..]].concat()
        }
    }
}

/// Returns the start and the end of a random range of the data.
fn random_range(rng: &mut SmallRng, length: usize) -> (usize, usize) {
    let at = rng.random_range(0..=length);
    (
        at,
        length.min(at + *[1, 2, 8, 64, 4096].choose(rng).expect("not empty")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_differ_and_are_bounded() {
        let inputs = [vec![], vec![7; 3000], b"abc".to_vec()];
        let made = mutants(&inputs, 200);
        let changed = made
            .iter()
            .filter(|(origin, data)| *data != inputs[*origin])
            .count();
        assert!(made.len() == 200 && changed > 190, "{changed}");
        assert!(made.iter().all(|(_, data)| data.len() <= LONGEST));
        assert_eq!(made, mutants(&inputs, 200));
    }
}
