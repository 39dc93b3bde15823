//! Writes sentences for the stock target, like those that a run of zester's target executed:
//! mutations of its corpus.
//!
//!     pool CORPUS OUT COUNT MEAN
//!
//! Takes a random entry of CORPUS, mutates it up to five times as libFuzzer does, and writes the
//! sentence of each mutation to a file in OUT, until there are COUNT files. Sentences that would
//! move the mean size away from MEAN bytes are left out. Prints the mean size and the share that
//! serde_json accepts.

use std::path::PathBuf;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zester::mutate::Mutator;
use zester::parameters::{Settings, sentence};
use zester_bench::zester_side::{grammar, native};

/// The number of mutations before libFuzzer takes another entry, and the maximum size of an input
/// in bytes.
const DEPTH: u32 = 5;
const MOST_INPUT: usize = 4096;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, out, count, mean] = &arguments[..] else {
        panic!("pool CORPUS OUT COUNT MEAN")
    };
    let (out, count, wanted) = (
        PathBuf::from(out),
        count.parse::<usize>().expect("COUNT"),
        mean.parse::<f64>().expect("MEAN"),
    );
    let entries = std::fs::read_dir(corpus).expect("CORPUS can be listed");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("CORPUS can be listed").path())
        .collect();
    files.sort();
    let mut inputs: Vec<Vec<u8>> = files
        .iter()
        .map(|path| std::fs::read(path).expect("CORPUS has files only"))
        .collect();
    if inputs.is_empty() {
        inputs.push(vec![0]);
    }
    std::fs::create_dir_all(&out).expect("OUT can be made");

    let (grammar, settings) = (grammar(), Settings::default());
    let mut mutator = Mutator::new(&grammar);
    let (mut rng, mut native_rng) = (SmallRng::seed_from_u64(1), SmallRng::seed_from_u64(2));
    let (mut written, mut bytes, mut valid, mut tried) = (0, 0, 0, 0);
    while written < count {
        let mut input = inputs[rng.random_range(0..inputs.len())].clone();
        for _ in 0..DEPTH {
            let mut native =
                |data: &mut [u8], size, max_size| native(&mut native_rng, data, size, max_size);
            input = mutator
                .mutate_with(&input, MOST_INPUT, rng.random(), &mut native)
                .to_vec();
            let sentence = sentence(&grammar, &settings, &input);
            let text = sentence.text();
            tried += 1;
            let (size, so_far) = (text.len() as f64, bytes as f64 / written.max(1) as f64);
            let away = (so_far > wanted * 1.01 && size > wanted)
                || (so_far < wanted * 0.99 && size < wanted);
            if text.is_empty() || (away && tried < count * 1_000) || written == count {
                continue;
            }
            std::fs::write(out.join(format!("{written:06}")), text).expect("OUT can be written");
            (written, bytes) = (written + 1, bytes + text.len());
            valid += usize::from(serde_json::from_slice::<serde_json::Value>(text).is_ok());
        }
    }
    println!(
        "{written} sentences of {tried} tried, mean {:.1} bytes, {:.1} % accepted",
        bytes as f64 / written as f64,
        100.0 * valid as f64 / written as f64
    );
}
