//! Mutators are total: any input, any sizes, any seed.

mod common;

use common::{Noise, all, grammar};
use zester::mutate::{Bursts, MUTATORS, Mutation, Scratch};
use zester::parameters::{self, Settings};

/// A stand-in for `LLVMFuzzerMutate`: changes, inserts or erases a byte.
fn native(noise: &mut Noise) -> impl FnMut(&mut [u8], usize, usize) -> usize + '_ {
    |data, size, most| {
        let size = size.min(most);
        match noise.below(3) {
            0 if size < most => {
                let at = noise.below(size as u64 + 1) as usize;
                data.copy_within(at..size, at + 1);
                data[at] = noise.next() as u8;
                size + 1
            }
            1 if size > 1 => {
                let at = noise.below(size as u64) as usize;
                data.copy_within(at + 1..size, at);
                size - 1
            }
            _ if size > 0 => {
                data[noise.below(size as u64) as usize] = noise.next() as u8;
                size
            }
            _ => size,
        }
    }
}

#[test]
fn results_fit_change_and_repeat() {
    let settings = Settings::default();
    let (mut noise, mut scratch) = (Noise(3), Scratch::default());
    let mut known = 0;
    for (name, grammar) in all() {
        eprintln!("{name}");
        for seed in 0..60 {
            let length = noise.length(300);
            let (first, second) = (noise.bytes(length), noise.bytes(length / 2));
            let most = [0, 1, length / 3, length, length + 100][noise.below(5) as usize];
            let bursts = if seed % 2 == 0 { Bursts::Bytes } else { Bursts::Choices };
            let mut run = |cross: bool| {
                let mut chance = Noise(seed.into());
                let mut native = native(&mut chance);
                let mut mutation = Mutation::new(&grammar, &settings, bursts, seed, most, &mut native);
                let result = if cross {
                    mutation.cross_over(&first, &second, &mut scratch).to_vec()
                } else {
                    mutation.mutate(&first, &mut scratch).to_vec()
                };
                if let Some(text) = scratch.sentence(&result) {
                    assert_eq!(text, parameters::sentence(&grammar, &settings, &result).text(), "{name}: not its sentence");
                    known += 1;
                }
                result
            };
            for cross in [false, true] {
                let result = run(cross);
                assert!(result.len() <= most, "{name}: {} of {most} bytes", result.len());
                assert!(most == 0 || !result.is_empty());
                assert!(most == 0 || result != first, "{name}: unchanged, seed {seed}");
                assert_eq!(result, run(cross), "{name}: not deterministic, seed {seed}");
            }
        }
    }
    assert!(known > 1_000, "sentences of results are hardly ever known: {known}");
}

#[test]
fn every_mutator_reaches_another_sentence() {
    let grammar = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let settings = Settings::default();
    let start = {
        let sentence = parameters::sentence(&grammar, &settings, &(0..200).map(|at: u8| at.wrapping_mul(7)).collect::<Vec<u8>>());
        let mut bytes = Vec::new();
        parameters::encode(&grammar, &sentence, &mut bytes);
        bytes
    };
    let text = |bytes: &[u8]| parameters::sentence(&grammar, &settings, bytes).text().to_vec();
    for mutator in MUTATORS {
        let changed = (0..100).filter(|&seed| {
            let mut chance = Noise(seed);
            let mut native = native(&mut chance);
            let mut mutation = Mutation::new(&grammar, &settings, Bursts::Choices, seed as u32, 4_096, &mut native);
            let mut bytes = start.clone();
            (mutator.mutate)(&mut mutation, &mut bytes);
            text(&bytes) != text(&start)
        });
        let changed = changed.count();
        assert!(changed > 30, "{}: {changed} of 100 mutants differ", mutator.name);
    }
}

#[test]
fn shrinking_goes_by_subtrees() {
    let grammar = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let settings = Settings::default();
    let mut scratch = Scratch::default();
    let mut noise = Noise(5);
    for seed in 0..200 {
        let sentence = parameters::sentence(&grammar, &settings, &noise.bytes(2_000));
        let mut bytes = Vec::new();
        parameters::encode(&grammar, &sentence, &mut bytes);
        if bytes.len() < 50 {
            continue;
        }
        let most = bytes.len() - 1;
        let mut nothing = |_: &mut [u8], size: usize, most: usize| size.min(most);
        let mut mutation = Mutation::new(&grammar, &settings, Bursts::Choices, seed, most, &mut nothing);
        let shorter = mutation.mutate(&bytes, &mut scratch).to_vec();
        assert!(shorter.len() <= most);
        // Canonical: shrinking made a derivation smaller, it did not cut bytes off.
        let sentence = parameters::sentence(&grammar, &settings, &shorter);
        let mut again = Vec::new();
        parameters::encode(&grammar, &sentence, &mut again);
        assert_eq!(again, shorter, "seed {seed}");
    }
}
