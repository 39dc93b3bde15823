//! zester, and serde_json on the same sentences.

use std::hint::black_box;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::derive::{Workspace, derive};
use zester::grammar::Grammar;
use zester::mutate::{Bursts, Mutation, Scratch};
use zester::notation;
use zester::parameters::{self, Settings};
use zester::sampler::Sampler;

use crate::{Contestant, POOL, SIZES};

/// The size that sentences of the pool are drawn for.
const SIZE: f64 = 110.0;

/// libFuzzer's default for an empty corpus.
const MOST_INPUT: usize = 4096;

/// zester's grammar of JSON.
///
/// # Panics
/// If it has an error.
pub fn grammar() -> Grammar {
    let source = include_bytes!("../../../grammars/json.ebnf");
    notation::read("grammars/json.ebnf", source, &Caps::default()).unwrap_or_else(|report| panic!("{report}")).0
}

/// A sentence with its canonical parameters.
pub struct Sentence {
    /// The text.
    pub text: String,
    /// What decodes to it.
    pub parameters: Vec<u8>,
}

/// Sentences of the sampler of the right size that serde_json reads to the end, and how many were drawn for them.
pub fn pool(grammar: &Grammar, settings: &Settings, notes: &mut Vec<String>) -> Vec<Sentence> {
    let (mut workspace, mut derivation, mut sampler) = (Workspace::default(), Derivation::default(), Sampler::new(1, SIZE));
    let (mut drawn, mut refused, mut nodes, mut inside) = (0, 0, 0, 0);
    let mut pool = Vec::new();
    while pool.len() < POOL {
        sampler.restart(SIZE);
        derive(grammar, grammar.start(), &settings.bounds, &settings.caps, &mut sampler, &mut workspace, &mut derivation);
        drawn += 1;
        if !SIZES.contains(&derivation.text().len()) {
            continue;
        }
        let text = String::from_utf8(derivation.text().to_vec()).expect("JSON is UTF-8");
        // What serde_json gives up early on it would seem to read fast.
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else {
            refused += 1;
            continue;
        };
        inside += strings(&value);
        nodes += derivation.nodes().len();
        let mut bytes = Vec::new();
        parameters::encode(grammar, &derivation, &mut bytes);
        pool.push(Sentence { text, parameters: bytes });
    }
    let mean = |sum: usize| sum as f64 / POOL as f64;
    let text = pool.iter().map(|sentence| sentence.text.len()).sum::<usize>();
    notes.push(format!(
        "zester and serde_json: {POOL} sentences of {drawn} drawn for {SIZE} bytes; {refused} of the right size left out, as serde_json gives up on \
         them;\n  on average {:.1} bytes of text, {:.0} % of them in strings, {:.1} of parameters, {:.1} nodes",
        mean(text),
        100.0 * inside as f64 / text as f64,
        mean(pool.iter().map(|sentence| sentence.parameters.len()).sum()),
        mean(nodes),
    ));
    pool
}

/// The bytes in the strings of a value.
fn strings(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(values) => values.iter().map(strings).sum(),
        serde_json::Value::Object(members) => members.iter().map(|(key, value)| key.len() + strings(value)).sum(),
        _ => 0,
    }
}

/// In the place of libFuzzer's own mutator, which is not linked here: inserts, erases or changes a byte.
pub fn native(rng: &mut SmallRng, data: &mut [u8], size: usize, max_size: usize) -> usize {
    let at = rng.random_range(0..=size);
    match rng.random_range(0..3) {
        0 if size < max_size => {
            data.copy_within(at..size, at + 1);
            data[at] = rng.random();
            size + 1
        }
        1 if size > 1 && at < size => {
            data.copy_within(at + 1..size, at);
            size - 1
        }
        _ => {
            data[at.min(size.saturating_sub(1))] = rng.random();
            size.max(1)
        }
    }
}

pub(crate) fn contestants(all: &mut Vec<Contestant>, notes: &mut Vec<String>) {
    let grammar: &'static Grammar = Box::leak(Box::new(grammar()));
    let settings: &'static Settings = Box::leak(Box::default());
    let pool: &'static [Sentence] = pool(grammar, settings, notes).leak();

    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    all.push(Contestant::new("zester decode", move || {
        pool.iter().fold(0, |bytes, sentence| {
            parameters::decode(grammar, settings, black_box(&sentence.parameters), &mut workspace, &mut derivation);
            bytes + black_box(derivation.text()).len()
        })
    }));

    let (mut workspace, mut derivation, mut scratch) = (Workspace::default(), Derivation::default(), Scratch::default());
    let mut seed = 0_u32;
    all.push(Contestant::new("zester mutate + decode", move || {
        pool.iter().fold(0, |bytes, sentence| {
            seed = seed.wrapping_add(1);
            let mut chance = SmallRng::seed_from_u64(seed.into());
            let mut native = |data: &mut [u8], size, max_size| native(&mut chance, data, size, max_size);
            let mut mutation = Mutation::new(grammar, settings, Bursts::default(), seed, MOST_INPUT, &mut native);
            let changed = mutation.mutate(&sentence.parameters, &mut scratch);
            parameters::decode(grammar, settings, changed, &mut workspace, &mut derivation);
            bytes + black_box(derivation.text()).len()
        })
    }));

    let (mut workspace, mut derivation, mut sampler) = (Workspace::default(), Derivation::default(), Sampler::new(2, SIZE));
    all.push(Contestant::new("zester sample", move || {
        (0..POOL).fold(0, |bytes, _| {
            sampler.restart(SIZE);
            derive(grammar, grammar.start(), &settings.bounds, &settings.caps, &mut sampler, &mut workspace, &mut derivation);
            bytes + black_box(derivation.text()).len()
        })
    }));

    all.push(Contestant::new("serde_json from_str::<Value>", move || {
        pool.iter().fold(0, |bytes, sentence| {
            let value = serde_json::from_str::<serde_json::Value>(black_box(&sentence.text));
            assert!(black_box(value).is_ok(), "the pool has only what serde_json reads");
            bytes + sentence.text.len()
        })
    }));
}
