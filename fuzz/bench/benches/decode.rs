//! Measures each contestant with divan: `cargo bench --manifest-path fuzz/bench/Cargo.toml`.
//!
//! For ratios use `src/bin/speed.rs`, which runs the contestants in turn.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use zester_bench::contestants;

const NAMES: &[&str] = &[
    "zester decode",
    "serde_json from_str::<Value>",
    "zester decode, whole runs",
    "serde_json, whole runs",
    "Gramatron generate + unparse",
    "Nautilus generate + unparse",
    "zester mutate, 100 B",
    "Gramatron mutate, 100 B",
    "Nautilus mutate, 100 B",
    "zester sample",
];

fn main() {
    divan::main();
}

/// Works through a thousand sentences of about 110 bytes. The throughput counts the bytes of the
/// first pass.
#[divan::bench(args = NAMES, sample_count = 50, sample_size = 2)]
fn pass(bencher: Bencher<'_, '_>, name: &str) {
    let (all, _) = contestants();
    let mut contestant = all
        .into_iter()
        .find(|contestant| contestant.name == name)
        .expect("a contestant");
    let bytes = (contestant.pass)();
    bencher
        .counter(BytesCount::new(bytes))
        .counter(ItemsCount::new(contestant.sentences))
        .bench_local(|| (contestant.pass)());
}
