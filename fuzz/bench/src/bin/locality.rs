//! Measures how much of a sentence each mutator preserves: `locality GRAMMAR …`.
//!
//! Parents are sampled sentences of 150 to 600 bytes. The preserved part is the common prefix and
//! suffix of the parent and the mutant. If a mutator finds nothing to do in all its attempts on a
//! parent, the parent counts only in the number of such parents.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::bounds::Caps;
use zester::derive::{Workspace, derive};
use zester::grammar::Grammar;
use zester::mutate::{MUTATORS, Mutator};
use zester::parameters::{self, Settings};
use zester::sampler::Sampler;
use zester::{derivation::Derivation, notation};
use zester_bench::zester_side::native;

const BASES: usize = 200;
const MUTANTS: usize = 12_000;
const SIZES: std::ops::RangeInclusive<usize> = 150..=600;
const MOST_INPUT: usize = 4096;

struct Base {
    text: Vec<u8>,
    parameters: Vec<u8>,
}

fn main() {
    for file in std::env::args().skip(1) {
        let source = std::fs::read(&file).expect("GRAMMAR can be read");
        let (grammar, _) = notation::read(&file, &source, &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"));
        let bases = bases(&grammar);
        let name = Path::new(&file)
            .file_stem()
            .map_or(file.clone().into(), |name| name.to_string_lossy());
        println!(
            "{name}: {BASES} bases of {} bytes on average, {MUTANTS} mutants each",
            bases.iter().map(|base| base.text.len()).sum::<usize>() / BASES
        );
        println!(
            "{:14} {:>8} {:>9} {:>9} {:>9} {:>11} {:>9}",
            "mutator", "no use", "unchanged", "kept: 1/4", "median", "under half", "length"
        );
        for mutator in MUTATORS {
            measure(&grammar, &bases, mutator.name, Some(mutator.name));
        }
        measure(&grammar, &bases, "all", None);
        println!();
    }
}

fn bases(grammar: &Grammar) -> Vec<Base> {
    let (mut sampler, mut workspace, mut derivation) = (
        Sampler::new(1, 0.0),
        Workspace::default(),
        Derivation::default(),
    );
    let (settings, mut bases) = (Settings::default(), Vec::new());
    while bases.len() < BASES {
        let size = sampler.rng().random_range(150.0..600.0);
        sampler.restart(size);
        derive(
            grammar,
            grammar.start(),
            &settings.bounds,
            &settings.caps,
            &mut sampler,
            &mut workspace,
            &mut derivation,
        );
        if SIZES.contains(&derivation.text().len()) {
            let mut bytes = Vec::new();
            parameters::encode(grammar, &derivation, &mut bytes);
            bases.push(Base {
                text: derivation.text().to_vec(),
                parameters: bytes,
            });
        }
    }
    bases
}

fn measure(grammar: &Grammar, bases: &[Base], label: &str, only: Option<&str>) {
    let settings = Settings::default();
    let mut mutator = Mutator::new(grammar);
    if let Some(name) = only {
        mutator = mutator.with_only(name).expect("a mutator of the table");
    }
    for base in bases {
        mutator.learn(&base.parameters);
    }
    let mut chance = SmallRng::seed_from_u64(1);
    let mut run = |base: &Base, seed: u32| {
        let mut native =
            |data: &mut [u8], size, max_size| native(&mut chance, data, size, max_size);
        let changed = mutator
            .mutate_with(&base.parameters, MOST_INPUT, seed, &mut native)
            .to_vec();
        // No mutator changed the input, so one byte was changed anywhere.
        let is_made = mutator
            .take_counts()
            .iter()
            .any(|counts| counts.changed > 0);
        if is_made {
            parameters::sentence(grammar, &settings, &changed)
                .text()
                .to_vec()
        } else {
            base.text.clone()
        }
    };
    let (mut kept, mut same, mut bytes) = (Vec::with_capacity(MUTANTS), vec![0; bases.len()], 0);
    for seed in 0..MUTANTS {
        let base = &bases[seed % bases.len()];
        let mutant = run(base, seed as u32);
        bytes += mutant.len();
        if mutant == base.text {
            same[seed % bases.len()] += 1;
            continue;
        }
        let most = base.text.len().min(mutant.len());
        let front = base
            .text
            .iter()
            .zip(&mutant)
            .take_while(|(a, b)| a == b)
            .count();
        let back = base
            .text
            .iter()
            .rev()
            .zip(mutant.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        kept.push(front.saturating_add(back).min(most) as f64 / base.text.len() as f64);
    }
    kept.sort_by(f64::total_cmp);
    let at = |share: f64| {
        kept.get((kept.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(f64::NAN)
    };
    let under = kept.partition_point(|&kept| kept < 0.5) as f64 / kept.len().max(1) as f64;
    let mean = bases.iter().map(|base| base.text.len()).sum::<usize>() as f64 / bases.len() as f64;
    let attempts = MUTANTS / bases.len();
    let useless = same.iter().filter(|&&same| same == attempts).count();
    let same = same.iter().filter(|&&same| same < attempts).sum::<usize>();
    println!(
        "{label:14} {useless:>8} {:>8.1}% {:>9.2} {:>9.2} {:>10.1}% {:>9.2}",
        100.0 * same as f64 / (attempts * (bases.len() - useless)).max(1) as f64,
        at(0.25),
        at(0.5),
        100.0 * under,
        bytes as f64 / MUTANTS as f64 / mean,
    );
}
