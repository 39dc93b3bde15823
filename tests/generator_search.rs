//! A measurement: how many executions it takes to find a planted fault in a typed language whose
//! programs are drawn at random, by the kind of mutation.
//!
//! `cargo test --test generator_search -- --ignored --nocapture` prints the numbers.

#![cfg(unix)]

use std::collections::HashSet;

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use zester::RunFeedback;
use zester::generator::{Trace, draw};
use zester::mutate::RegionMutator;

/// The kinds of expressions. The generator does not look at types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Number,
    Truth,
    Add,
    Less,
    And,
    Not,
    If,
}

#[derive(Debug)]
struct Expr {
    kind: Kind,
    children: Vec<Expr>,
}

fn expression<R: Rng>(rng: &mut R, depth: u32) -> Expr {
    use Kind::*;
    let kinds = [Number, Truth, Add, Less, And, Not, If];
    let kind = kinds[rng.random_range(0..if depth == 0 { 2 } else { kinds.len() })];
    let children = match kind {
        Number | Truth => 0,
        Not => 1,
        Add | Less | And => 2,
        If => 3,
    };
    let children = (0..children).map(|_| expression(rng, depth - 1)).collect();
    Expr { kind, children }
}

/// Returns whether an expression is a number, or [`None`] if it has a type error.
fn check(expr: &Expr) -> Option<bool> {
    let types: Vec<bool> = expr.children.iter().map(check).collect::<Option<_>>()?;
    match (expr.kind, &types[..]) {
        (Kind::Number, []) | (Kind::Add, [true, true]) => Some(true),
        (Kind::Truth, []) | (Kind::Less, [true, true]) => Some(false),
        (Kind::And, [false, false]) | (Kind::Not, [false]) => Some(false),
        (Kind::If, [false, then, other]) if then == other => Some(*then),
        _ => None,
    }
}

/// Appends what stands for the edges that an expression reaches: each node with its parent.
fn edges(expr: &Expr, valid: bool, found: &mut HashSet<(Kind, Kind, usize, bool)>) -> bool {
    let mut is_new = false;
    for (at, child) in expr.children.iter().enumerate() {
        is_new |= found.insert((expr.kind, child.kind, at, valid)) | edges(child, valid, found);
    }
    is_new
}

/// The planted fault: a condition whose condition is a comparison, with a condition inside.
fn has_fault(expr: &Expr) -> bool {
    let is_here = expr.kind == Kind::If
        && expr.children[0].kind == Kind::Less
        && expr.children[1].kind == Kind::If;
    is_here || expr.children.iter().any(has_fault)
}

fn make(bytes: &[u8]) {
    draw(bytes, |rng| expression(rng, 5));
}

/// Changes, inserts or erases bytes, or copies some, like libFuzzer's own mutator.
fn change_bytes(rng: &mut SmallRng, data: &mut [u8], size: usize, max: usize) -> usize {
    let mut bytes = data[..size].to_vec();
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=bytes.len());
        let some = rng.random_range(0..=8.min(bytes.len() - at));
        match rng.random_range(0..4) {
            0 if at < bytes.len() => bytes[at] = rng.random(),
            1 => bytes.insert(at, rng.random()),
            2 => drop(bytes.drain(at..at + some)),
            _ => {
                let to = rng.random_range(0..=bytes.len());
                let copied = bytes[at..at + some].to_vec();
                bytes.splice(to..to, copied);
            }
        }
    }
    let size = bytes.len().min(max);
    data[..size].copy_from_slice(&bytes[..size]);
    size
}

/// The executions after which a search gives up.
const MAX: u32 = 20_000;

/// Returns the number of executions up to the fault, by mutation with the named operators. Without
/// names, every input is drawn at random.
fn search(names: &[&str], seed: u64) -> u32 {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut native_rng = SmallRng::seed_from_u64(seed + 1_000);
    let mut native =
        |data: &mut [u8], size: usize, max: usize| change_bytes(&mut native_rng, data, size, max);
    let mut mutator = RegionMutator::new(make).only(&names.join(",")).ok();
    let (mut corpus, mut found, mut trace) =
        (Vec::<Vec<u8>>::new(), HashSet::new(), Trace::default());
    for run in 1..=MAX {
        let input = match &mut mutator {
            Some(mutator) if corpus.len() > 4 => {
                let parent = &corpus[rng.random_range(0..corpus.len())];
                mutator.learn(parent);
                mutator
                    .mutate(parent, 1_024, rng.random(), &mut native)
                    .to_vec()
            }
            _ => {
                trace.record(&[], Some(rng.random()), 1_024, make);
                trace.bytes.clone()
            }
        };
        let Some(expr) = draw(&input, |rng| expression(rng, 5)) else {
            continue;
        };
        let valid = check(&expr).is_some();
        if valid && has_fault(&expr) {
            return run;
        }
        let is_new = edges(&expr, false, &mut found) | (valid && edges(&expr, true, &mut found));
        if let Some(mutator) = &mut mutator {
            mutator.record_run(&input, RunFeedback::new(input.len(), valid, is_new));
        }
        if is_new {
            corpus.push(input);
        }
    }
    MAX
}

#[test]
#[ignore = "a measurement of half a minute"]
fn mutation_finds_the_fault_before_random_generation_and_plain_bytes() {
    let all = [
        "burst",
        "regenerate",
        "splice",
        "reuse",
        "hoist",
        "elements",
        "generate",
        "native",
    ];
    let kinds: [(&str, &[&str]); 4] = [
        ("plain bytes", &["native"]),
        ("bursts", &["burst"]),
        (
            "regions",
            &["regenerate", "splice", "reuse", "hoist", "elements"],
        ),
        ("all", &all),
    ];
    let mean = |name: &str, names: &[&str]| {
        let start = std::time::Instant::now();
        let runs: Vec<u32> = (0..10).map(|seed| search(names, seed)).collect();
        let mean = runs.iter().map(|&runs| f64::from(runs)).sum::<f64>() / 10.0;
        println!(
            "{name}: mean {mean:.0} executions, {:.1} s, {runs:?}",
            start.elapsed().as_secs_f64()
        );
        mean
    };
    let [bytes, bursts, regions, all] = kinds.map(|(name, names)| mean(name, names));
    let random = mean("random", &[]);
    assert!(all < bytes && bursts < bytes && regions < random);
}
