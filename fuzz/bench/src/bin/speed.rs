//! Prints tables of speeds: the median of each contestant, and the ratios of pairs of contestants. One
//! process runs all contestants in turn, round after round.
//!
//!     cargo run --release --manifest-path fuzz/bench/Cargo.toml --bin speed [ROUNDS [SECONDS]]
//!
//! ROUNDS defaults to 11, and SECONDS for each contestant in a round to 0.2. Times are processor
//! times, so that other programs on the machine disturb little.
//!
//! The time of a mutation includes its text. zester mutates as under libFuzzer: five mutations in a
//! row, each of the last result, before the next parent.

use std::time::{Duration, Instant};

use zester_bench::contestants;

/// Counts of a pass: sentences, their bytes, and the seconds that they took.
#[derive(Clone, Copy)]
struct Figures {
    sentences: f64,
    bytes: f64,
    seconds: f64,
}

/// The comparisons: zester's contestant, and the one that it is compared with, by bytes.
const PAIRS: [(&str, &str); 3] = [
    ("zester decode", "serde_json from_str::<Value>"),
    ("zester decode, whole runs", "serde_json, whole runs"),
    ("zester parse, 1 MB", "serde_json, 1 MB"),
];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| {
        argument
            .parse::<f64>()
            .expect("ROUNDS and SECONDS are numbers")
    });
    let rounds = arguments.next().unwrap_or(11.0) as usize;
    let least = Duration::from_secs_f64(arguments.next().unwrap_or(0.2));
    let (mut all, notes) = contestants();
    for note in notes {
        println!("{note}");
    }
    let mut figures = vec![Vec::new(); all.len()];
    // The first round is for warming up only.
    for round in 0..=rounds.max(1) {
        for (contestant, figures) in all.iter_mut().zip(&mut figures) {
            let (start, busy, mut sentences, mut bytes) = (Instant::now(), processor_time(), 0, 0);
            while start.elapsed() < least {
                bytes += (contestant.pass)();
                sentences += contestant.sentences;
            }
            let seconds = match (busy, processor_time()) {
                (Some(from), Some(to)) if to > from => to - from,
                _ => start.elapsed().as_secs_f64(),
            };
            if round > 0 {
                figures.push(Figures {
                    sentences: sentences as f64,
                    bytes: bytes as f64,
                    seconds,
                });
            }
        }
    }

    println!(
        "\n{:<32}{:>10}{:>14}{:>14}",
        "median of rounds", "MiB/s", "sentences/s", "bytes each"
    );
    for (contestant, figures) in all.iter().zip(&figures) {
        println!(
            "{:<32}{:>10.1}{:>14.0}{:>14.1}",
            contestant.name,
            median(figures.iter().map(|f| f.bytes / f.seconds)) / f64::from(1 << 20),
            median(figures.iter().map(|f| f.sentences / f.seconds)),
            figures.iter().map(|f| f.bytes).sum::<f64>()
                / figures.iter().map(|f| f.sentences).sum::<f64>(),
        );
    }
    println!(
        "\n{:<64}{:>8}{:>8}{:>8}",
        "ratio, round by round", "median", "min", "max"
    );
    for (first, second) in PAIRS {
        let of = |name: &str| {
            &figures[all
                .iter()
                .position(|contestant| contestant.name == name)
                .expect("a contestant")]
        };
        let rate = |f: &Figures| f.bytes / f.seconds;
        let ratios: Vec<f64> = of(first)
            .iter()
            .zip(of(second))
            .map(|(first, second)| rate(first) / rate(second))
            .collect();
        println!(
            "{:<64}{:>8.2}{:>8.2}{:>8.2}",
            format!("{first} / {second}"),
            median(ratios.iter().copied()),
            ratios.iter().copied().fold(f64::INFINITY, f64::min),
            ratios.iter().copied().fold(0.0, f64::max),
        );
    }
}

/// Returns the processor seconds of this thread, or `None` if Linux does not provide them.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
}
