//! The environment of AFL++ in a script, and the file in which it writes its statistics.

use anyhow::{Context, Result};

/// The environment variables for running AFL++ in a script.
pub const SETTINGS: [(&str, &str); 4] = [
    ("AFL_SKIP_CPUFREQ", "1"),
    ("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1"),
    ("AFL_NO_UI", "1"),
    ("AFL_NO_AFFINITY", "1"),
];

/// Returns a figure of AFL++'s file `fuzzer_stats`.
pub fn figure(statistics: &str, name: &str) -> Result<f64> {
    let mut pairs = statistics.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = pairs
        .find(|(key, _)| key.trim() == name)
        .with_context(|| format!("fuzzer_stats has no {name}"))?;
    value
        .trim()
        .trim_end_matches('%')
        .parse()
        .with_context(|| format!("fuzzer_stats: {name} is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let statistics = "start_time        : 1\nexecs_per_sec     : 12.50\ncorpus_count      : 7\nbitmap_cvg : 3.5%\n";
        let read = ["execs_per_sec", "corpus_count", "bitmap_cvg"]
            .map(|name| figure(statistics, name).unwrap());
        assert_eq!(read, [12.5, 7.0, 3.5]);
        assert!(figure(statistics, "execs").is_err());
    }
}
