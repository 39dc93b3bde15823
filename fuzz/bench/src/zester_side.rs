//! zester's contestants, and serde_json on the same sentences.

use std::hint::black_box;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::derive::{At, Case, ChoiceSource, DerivationGoal, Workspace, derive};
use zester::grammar::{Class, Grammar, Kind, SymbolId};
use zester::mutate::Mutator;
use zester::notation;
use zester::parameters::{self, Settings};
use zester::parse::Parser;
use zester::sampler::Sampler;

use crate::{Contestant, MUTATED, POOL, SIZES};

/// The default size in bytes that sentences of a pool are drawn for.
const SIZE: f64 = 110.0;

/// The maximum length of a mutation's parameters, per byte of the longest sentence of its pool.
/// With it, results are about as long as their parents.
const ROOM: usize = 6;

/// The minimum size of a large text in bytes.
const LARGE: usize = 1_000_000;

/// The number of mutations in a row, each of the last result, before libFuzzer takes another parent
/// (`-mutate_depth`).
const DEPTH: usize = 5;

/// Returns zester's grammar of JSON.
///
/// # Panics
///
/// If the grammar has an error.
pub fn grammar() -> Grammar {
    let source = include_bytes!("../../../grammars/json.ebnf");
    notation::read("grammars/json.ebnf", source, &Caps::default())
        .unwrap_or_else(|report| panic!("{report}"))
        .0
}

/// A choice source that makes most strings of at most one `piece` without escapes, as parsed strings
/// are. It leaves all other choices to the sampler.
struct WholeRuns(Sampler);

impl ChoiceSource for WholeRuns {
    fn enter(&mut self, grammar: &Grammar, at: At<'_>) {
        self.0.enter(grammar, at);
    }
    fn alternative(&mut self, grammar: &Grammar, symbol: SymbolId, options: u32) -> u32 {
        match grammar.label(symbol) {
            "piece" if self.0.rng().random_range(0..16) > 0 => 0,
            _ => self.0.alternative(grammar, symbol, options),
        }
    }
    fn count(&mut self, grammar: &Grammar, symbol: SymbolId, spread: u32) -> u32 {
        match &grammar[symbol].kind {
            Kind::Repeat { element, .. } if grammar.label(element.symbol) == "piece" => {
                self.0.rng().random_range(0..16).min(1)
            }
            _ => self.0.count(grammar, symbol, spread),
        }
    }
    fn member(&mut self, symbol: SymbolId, class: &Class) -> u32 {
        self.0.member(symbol, class)
    }
    fn name(&mut self, symbol: SymbolId, names: u32) -> u32 {
        self.0.name(symbol, names)
    }
    fn case(&mut self, symbol: SymbolId, letters: u32) -> Case {
        self.0.case(symbol, letters)
    }
    fn layout(&mut self, symbol: SymbolId) -> u32 {
        self.0.layout(symbol)
    }
}

/// A sentence with its canonical parameters.
pub struct Sentence {
    /// The text.
    pub text: String,
    /// The parameters that decode to the text.
    pub parameters: Vec<u8>,
}

/// Returns sentences of the right sizes that serde_json accepts, drawn from a choice source.
/// `restart` prepares the choice source for the next sentence.
pub fn pool<C: ChoiceSource>(
    name: &str,
    grammar: &Grammar,
    settings: &Settings,
    choice_source: &mut C,
    mut restart: impl FnMut(&mut C),
    notes: &mut Vec<String>,
) -> Vec<Sentence> {
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    let (mut drawn, mut refused, mut nodes, mut inside) = (0, 0, 0, 0);
    let mut pool = Vec::new();
    while pool.len() < POOL {
        restart(choice_source);
        derive(
            DerivationGoal::start(grammar, &settings.bounds, &settings.caps),
            choice_source,
            &mut workspace,
            &mut derivation,
        );
        drawn += 1;
        if !SIZES.contains(&derivation.text().len()) {
            continue;
        }
        let text = String::from_utf8(derivation.text().to_vec()).expect("JSON is UTF-8");
        // Excludes sentences that serde_json rejects early, because it would seem to read them
        // fast.
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else {
            refused += 1;
            continue;
        };
        inside += strings(&value);
        nodes += derivation.nodes().len();
        let mut bytes = Vec::new();
        parameters::encode(grammar, &derivation, &mut bytes);
        pool.push(Sentence {
            text,
            parameters: bytes,
        });
    }
    let mean = |sum: usize| sum as f64 / POOL as f64;
    let text = pool
        .iter()
        .map(|sentence| sentence.text.len())
        .sum::<usize>();
    notes.push(format!(
        "{name}: {POOL} sentences of {drawn} drawn for {SIZE} bytes; {refused} of the right size left out, as serde_json gives up on them;\n  \
         on average {:.1} bytes of text, {:.0} % of them in strings, {:.1} of parameters, {:.1} nodes",
        mean(text),
        100.0 * inside as f64 / text as f64,
        mean(pool.iter().map(|sentence| sentence.parameters.len()).sum()),
        mean(nodes),
    ));
    pool
}

/// Returns the number of bytes in the strings of a value.
fn strings(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(values) => values.iter().map(strings).sum(),
        serde_json::Value::Object(members) => members
            .iter()
            .map(|(key, value)| key.len() + strings(value))
            .sum(),
        _ => 0,
    }
}

/// Returns the parameters of sampled sentences of given sizes.
pub fn sentences(
    grammar: &Grammar,
    settings: &Settings,
    sizes: &std::ops::RangeInclusive<usize>,
    count: usize,
) -> Vec<Vec<u8>> {
    let (mut workspace, mut derivation, mut sampler) = (
        Workspace::default(),
        Derivation::default(),
        Sampler::new(1, 0.0),
    );
    let mut all = Vec::new();
    while all.len() < count {
        sampler.restart((sizes.start() + sizes.end()) as f64 / 2.0);
        derive(
            DerivationGoal::start(grammar, &settings.bounds, &settings.caps),
            &mut sampler,
            &mut workspace,
            &mut derivation,
        );
        if sizes.contains(&derivation.text().len()) {
            let mut bytes = Vec::new();
            parameters::encode(grammar, &derivation, &mut bytes);
            all.push(bytes);
        }
    }
    all
}

/// Replaces libFuzzer's own mutator, which is not linked here: inserts, erases or changes a byte.
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
    let mut sampler = Sampler::new(1, SIZE);
    let pool: &'static [Sentence] = self::pool(
        "sampled",
        grammar,
        settings,
        &mut sampler,
        |sampler| sampler.restart(SIZE),
        notes,
    )
    .leak();
    let mut whole = WholeRuns(sampler);
    let whole = self::pool(
        "whole runs",
        grammar,
        settings,
        &mut whole,
        |whole| whole.0.restart(SIZE),
        notes,
    )
    .leak();

    for (decode, parse, pool) in [
        ("zester decode", "serde_json from_str::<Value>", pool),
        ("zester decode, whole runs", "serde_json, whole runs", whole),
    ] {
        let (mut workspace, mut text) = (Workspace::default(), Vec::new());
        all.push(Contestant::new(decode, POOL, move || {
            pool.iter().fold(0, |bytes, sentence| {
                parameters::decode_text(
                    grammar,
                    settings,
                    black_box(&sentence.parameters),
                    &mut workspace,
                    &mut text,
                );
                bytes + black_box(&text).len()
            })
        }));
        all.push(Contestant::new(parse, POOL, move || {
            pool.iter().fold(0, |bytes, sentence| {
                let value = serde_json::from_str::<serde_json::Value>(black_box(&sentence.text));
                assert!(
                    black_box(value).is_ok(),
                    "the pool has only what serde_json reads"
                );
                bytes + sentence.text.len()
            })
        }));
    }

    let sentences: Vec<&str> = pool.iter().map(|one| &*one.text).collect();
    let sentences = sentences.join(",");
    let text = format!(
        "[{}]",
        vec![&*sentences; LARGE / sentences.len() + 1].join(",")
    );
    let own = text.clone();
    let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
    all.push(Contestant::new("zester parse, 1 MB", 1, move || {
        let read = parser.parse_into(black_box(own.as_bytes()), &mut derivation);
        assert!(read.is_ok(), "an array of sentences is a sentence");
        own.len()
    }));
    all.push(Contestant::new("serde_json, 1 MB", 1, move || {
        let value = serde_json::from_str::<serde_json::Value>(black_box(&text));
        assert!(
            black_box(value).is_ok(),
            "the pool has only what serde_json reads"
        );
        text.len()
    }));

    for (size, sizes, count) in MUTATED {
        let pool = self::sentences(grammar, settings, &sizes, count);
        let (mut seed, mut mutator) = (0_u32, Mutator::new(grammar).settings(*settings));
        let (mut parent, mut changed) = (Vec::new(), Vec::new());
        let most = ROOM * sizes.end();
        all.push(Contestant::new(
            format!("zester mutate, {size}"),
            count * DEPTH,
            move || {
                let mut bytes = 0;
                for sentence in &pool {
                    parent.clone_from(sentence);
                    for _ in 0..DEPTH {
                        seed = seed.wrapping_add(1);
                        let mut chance = SmallRng::seed_from_u64(seed.into());
                        let mut native = |data: &mut [u8], size, max_size| {
                            native(&mut chance, data, size, max_size)
                        };
                        mutator.learn(&parent);
                        changed.clear();
                        changed.extend_from_slice(mutator.mutate_with(
                            &parent,
                            most,
                            seed,
                            &mut native,
                        ));
                        bytes += black_box(mutator.decoded(&changed))
                            .map_or(0, |input| input.text().len());
                        std::mem::swap(&mut parent, &mut changed);
                    }
                }
                bytes
            },
        ));
    }

    let (mut workspace, mut derivation, mut sampler) = (
        Workspace::default(),
        Derivation::default(),
        Sampler::new(2, SIZE),
    );
    all.push(Contestant::new("zester sample", POOL, move || {
        (0..POOL).fold(0, |bytes, _| {
            sampler.restart(SIZE);
            derive(
                DerivationGoal::start(grammar, &settings.bounds, &settings.caps),
                &mut sampler,
                &mut workspace,
                &mut derivation,
            );
            bytes + black_box(derivation.text()).len()
        })
    }));
}
