//! Tests of strategies of proptest that read parameters, without a fuzzing engine.

use std::time::Instant;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng};
use zester::generator::Trace;

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Leaf(u8),
    Node(Vec<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    (0..10_u8)
        .prop_map(Tree::Leaf)
        .prop_recursive(4, 64, 3, |inner| {
            prop::collection::vec(zester::region!(inner), 0..4).prop_map(Tree::Node)
        })
}

/// Returns a strategy of lists whose elements are not marked. Each element skips up to 3
/// alternatives, and its range rejects zeros.
fn unmarked() -> impl Strategy<Value = Vec<u32>> {
    let element = || (0..10_u32).prop_filter("not 0", |&number| number > 0);
    prop::collection::vec(
        prop_oneof![element(), 10..19_u32, 20..29_u32, 30..39_u32],
        0..200,
    )
}

zester::__zester_strategy!(draw_tree, tree(), Tree);
zester::__zester_strategy!(draw_unmarked, unmarked(), Vec<u32>);
zester::__zester_strategy!(
    draw_long,
    prop::collection::vec(0..10_u8, 0..5_000),
    Vec<u8>
);
zester::__zester_strategy!(draw_never, Just(1).prop_filter("never", |_| false), i32);

/// Returns inputs: empty, zeros, ones, and random ones.
fn inputs() -> Vec<Vec<u8>> {
    let mut inputs = vec![vec![], vec![0; 4], vec![0; 500], vec![255; 500]];
    for seed in 0..24_u64 {
        let mut input = vec![0; seed as usize * 12];
        SmallRng::seed_from_u64(seed).fill_bytes(&mut input);
        inputs.push(input);
    }
    inputs
}

#[test]
fn all_values_end_and_are_the_same_again() {
    let inputs = inputs();
    let start = Instant::now();
    let values = || -> Vec<_> {
        inputs
            .iter()
            .map(|input| (draw_tree(input), draw_unmarked(input), draw_long(input)))
            .collect()
    };
    let first = values();
    assert!(first == values(), "other values the second time");
    // A new thread draws with fewer bytes after the input at first.
    let again = std::thread::scope(|scope| scope.spawn(|| (values(), values())).join().unwrap());
    assert!(
        first == again.0 && first == again.1,
        "other values in another thread"
    );
    let lists = || first.iter().filter_map(|(_, list, _)| list.as_ref());
    assert!(lists().any(|list| list.len() > 20), "no long list");
    assert!(lists().count() > 12, "most lists are rejected");
    let long = first
        .iter()
        .filter_map(|(.., bytes)| bytes.as_ref().map(Vec::len));
    assert!(long.max() > Some(2_000), "no list needs many bytes");
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn a_filter_that_rejects_all_values_rejects_the_input() {
    assert_eq!(draw_never(&[1, 2, 3]), None);
}

#[test]
fn a_trace_has_the_bytes_of_the_value_and_the_marks() {
    let (mut trace, mut regions) = (Trace::default(), 0);
    for seed in 0..100 {
        trace.record(&[], Some(seed), 1 << 12, |bytes| drop(draw_tree(bytes)));
        let value = draw_tree(&trace.bytes);
        regions += trace.regions.len();
        let bytes = trace.bytes.clone();
        trace.record(&bytes, None, 1 << 12, |bytes| drop(draw_tree(bytes)));
        assert_eq!((&trace.bytes, draw_tree(&trace.bytes)), (&bytes, value));
    }
    assert!(regions > 300, "{regions} regions");
}
