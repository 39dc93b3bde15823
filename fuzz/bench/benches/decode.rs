//! The contestants one by one, with divan's statistics: `cargo bench --manifest-path fuzz/bench/Cargo.toml`.
//!
//! For ratios use `src/bin/speed.rs`, which takes them in turns.

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

/// A pass over a thousand sentences of about 110 bytes; the bytes are those of the first pass.
#[divan::bench(args = NAMES, sample_count = 50, sample_size = 2)]
fn pass(bencher: Bencher<'_, '_>, name: &str) {
    let (all, _) = contestants();
    let mut contestant = all.into_iter().find(|contestant| contestant.name == name).expect("a contestant");
    let bytes = (contestant.pass)();
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(contestant.sentences)).bench_local(|| (contestant.pass)());
}
