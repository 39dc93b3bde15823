//! Tests of random generators that read parameters.

use rand::{Rng, RngExt};
use zester::RunFeedback;
use zester::generator::{Trace, draw};
use zester::mutate::RegionMutator;

#[derive(Clone, Debug, PartialEq)]
enum Expr {
    Number(u32),
    Negative(Box<Expr>),
    Sum(Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
}

fn expression<R: Rng>(rng: &mut R, depth: u32) -> Expr {
    match rng.random_range(0..if depth == 0 { 1 } else { 5_u32 }) {
        0 => Expr::Number(rng.random_range(0..1_000)),
        1 => Expr::Negative(Box::new(expression(rng, depth - 1))),
        2 | 3 => {
            let left = expression(rng, depth - 1);
            Expr::Sum(Box::new(left), Box::new(expression(rng, depth - 1)))
        }
        _ => {
            let count = rng.random_range(0..4);
            Expr::List((0..count).map(|_| expression(rng, depth - 1)).collect())
        }
    }
}

/// Returns the number of bytes that an expression is drawn from.
fn bytes_of(expr: &Expr) -> usize {
    match expr {
        Expr::Number(_) => 8,
        Expr::Negative(inner) => 4 + bytes_of(inner),
        Expr::Sum(left, right) => 4 + bytes_of(left) + bytes_of(right),
        Expr::List(list) => 8 + list.iter().map(bytes_of).sum::<usize>(),
    }
}

/// Appends the positions of the bytes of all subtrees, in the order in which they are drawn.
fn subtrees(expr: &Expr, start: usize, spans: &mut Vec<(usize, usize)>) {
    spans.push((start, start + bytes_of(expr)));
    let mut at = start + if let Expr::List(_) = expr { 8 } else { 4 };
    let children: Vec<&Expr> = match expr {
        Expr::Number(_) => vec![],
        Expr::Negative(inner) => vec![inner],
        Expr::Sum(left, right) => vec![left, right],
        Expr::List(list) => list.iter().collect(),
    };
    for child in children {
        subtrees(child, at, spans);
        at += bytes_of(child);
    }
}

fn value(bytes: &[u8]) -> Expr {
    draw(bytes, |rng| expression(rng, 4)).unwrap()
}

fn make(bytes: &[u8]) {
    drop(value(bytes));
}

fn trace(input: &[u8], fresh: Option<u64>) -> Trace {
    let mut trace = Trace::default();
    trace.record(input, fresh, 1 << 12, make);
    trace
}

#[test]
fn bytes_determine_the_value_and_a_trace_has_those_that_were_read() {
    for seed in 0..200 {
        let bytes = trace(&[], Some(seed)).bytes;
        let first = value(&bytes);
        assert_eq!(bytes.len(), bytes_of(&first));
        assert_eq!(first, value(&bytes));
        assert_eq!(trace(&[&bytes[..], &[1, 2, 3]].concat(), None).bytes, bytes);
        for cut in [0, 1, bytes.len() / 2] {
            let again = trace(&bytes[..cut], None).bytes;
            assert_eq!(value(&again), value(&bytes[..cut]));
        }
    }
}

#[test]
#[cfg(unix)]
fn every_subtree_is_a_region_and_all_have_one_key() {
    let (mut found, mut all) = (0, 0);
    for seed in 0..300 {
        let trace = trace(&[], Some(seed));
        let mut spans = Vec::new();
        subtrees(&value(&trace.bytes), 0, &mut spans);
        // The key of the innermost call that draws the whole value.
        let key = trace
            .regions
            .iter()
            .rfind(|region| region.start == 0 && region.end == trace.bytes.len());
        let key = key.expect("no region is the whole value").key;
        for &(start, end) in &spans {
            all += 1;
            found += usize::from(
                trace
                    .regions
                    .iter()
                    .any(|region| (region.start, region.end, region.key) == (start, end, key)),
            );
        }
        for pair in trace.regions.windows(2) {
            let (outer, inner) = (pair[0], pair[1]);
            assert!(
                inner.start >= outer.end || inner.end <= outer.end,
                "{outer:?} and {inner:?} overlap"
            );
        }
    }
    assert!(
        all > 1_000 && found == all,
        "{found} of {all} subtrees are regions"
    );
}

/// Returns whether the second expression is the first one with another subtree.
fn has_another_subtree(first: &Expr, second: &Expr) -> bool {
    let pairs: Vec<(&Expr, &Expr)> = match (first, second) {
        (Expr::Negative(first), Expr::Negative(second)) => vec![(first, second)],
        (Expr::Sum(left, right), Expr::Sum(left2, right2)) => vec![(left, left2), (right, right2)],
        (Expr::List(first), Expr::List(second)) if first.len() == second.len() => {
            first.iter().zip(second).collect()
        }
        _ => return true,
    };
    pairs
        .iter()
        .filter(|(first, second)| first != second)
        .count()
        <= 1
}

#[test]
#[cfg(unix)]
fn mutation_by_regions_changes_one_subtree() {
    for name in ["regenerate", "splice", "reuse", "hoist"] {
        let mut mutator = RegionMutator::new(make).only(name).unwrap();
        for seed in 0..100 {
            mutator.learn(&trace(&[], Some(seed)).bytes);
        }
        let (mut whole, mut changed) = (0, 0);
        for seed in 100..600 {
            let input = trace(&[], Some(seed.into())).bytes;
            let result = mutator
                .mutate(&input, 1 << 12, seed, &mut |_, size, _| size)
                .to_vec();
            let (before, after) = (value(&input), value(&result));
            changed += u32::from(before != after);
            // The generator reads exactly the bytes of the mutant.
            whole +=
                u32::from(bytes_of(&after) == result.len() && has_another_subtree(&before, &after));
        }
        assert!(changed > 100, "{name}: {changed} of 500 changed");
        assert!(whole >= 450, "{name}: {whole} of 500 are whole");
    }
}

#[test]
fn results_are_short_enough_and_differ() {
    let mut mutator = RegionMutator::new(make);
    let mut native = |data: &mut [u8], size: usize, max: usize| {
        data[..max].fill(7);
        (size + 1).min(max)
    };
    let mut last = vec![1, 2];
    for seed in 0..3_000 {
        let max_size = [0, 1, 5, 100, 4_096][seed as usize % 5];
        let input = last.clone();
        mutator.learn(&input);
        let result = match seed % 3 {
            0 => mutator.cross_over([&input, &[3; 40]], max_size, seed, &mut native),
            _ => mutator.mutate(&input, max_size, seed, &mut native),
        };
        assert!(result.len() <= max_size);
        assert!(max_size == 0 || !result.is_empty() && result != input);
        last = result.to_vec();
        mutator.record_run(
            &last,
            RunFeedback::new(last.len(), seed % 2 == 0, seed % 7 == 0),
        );
    }
}

/// Draws a sum without allocating.
fn sum<R: Rng>(rng: &mut R, depth: u32) -> u32 {
    match rng.random_range(0..4_u32) {
        0..3 if depth > 0 => sum(rng, depth - 1).wrapping_add(sum(rng, depth - 1)),
        _ => rng.random(),
    }
}

#[test]
fn drawing_and_recording_allocate_nothing_in_steady_state() {
    let mut trace = Trace::default();
    let mut round = || {
        for seed in 0..50 {
            trace.record(&[seed; 40], Some(seed.into()), 400, |bytes| {
                draw(bytes, |rng| sum(rng, 5));
            });
            assert!(!trace.draws.is_empty());
            draw(&trace.bytes, |rng| sum(rng, 5));
        }
    };
    (0..2).for_each(|_| round());
    assert_eq!(allocation_counter::measure(&mut round).count_total, 0);
}

#[test]
fn crossover_takes_a_subtree_of_the_second_input() {
    let (first, second) = (trace(&[], Some(6)).bytes, trace(&[], Some(9)).bytes);
    let mut mutator = RegionMutator::new(make);
    let mut unchanged = |_: &mut [u8], size: usize, _: usize| size;
    let mut taken = 0;
    for seed in 0..300 {
        let result = mutator.cross_over([&first, &second], 4_096, seed, &mut unchanged);
        let is_new = |part: &&[u8]| second.windows(part.len()).any(|other| other == *part);
        // At least one draw of the second input is in the result, and was not in the first.
        taken += u32::from(result.chunks(8).any(|part| {
            part.len() == 8 && is_new(&part) && !first.windows(8).any(|other| other == part)
        }));
    }
    assert!(taken > 10, "{taken} of 300");
}
