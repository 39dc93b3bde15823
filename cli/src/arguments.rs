//! Arguments that several commands share, and parsers of their values.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::fuzz_crate::built_target;
use zester::bounds::{Bounds, Caps};
use zester::parameters::{Edits, PastEnd, Settings};
use zester::subject::Limits;

/// A grammar and its start rule.
#[derive(clap::Args)]
pub struct GrammarAndStart {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR", value_parser = built_target())]
    pub path: PathBuf,

    /// The rule to start from, instead of the start rule of the grammar.
    #[arg(long, value_name = "RULE")]
    pub start: Option<String>,
}

/// The limits of the size of sentences.
#[derive(clap::Args)]
pub struct SentenceLimits {
    /// Bounds of sentences: at most m different identifiers, n elements in each repetition, and d
    /// nested uses of a rule; `-` means no bound.
    #[arg(
        long,
        value_name = "m,n,d",
        default_value = "-,-,-",
        allow_hyphen_values = true
    )]
    pub bounds: Bounds,

    /// The maximum length of a sentence in bytes, at most 1073741824 (1 GiB).
    #[arg(long, value_name = "BYTES", default_value_t = Caps::default().bytes, value_parser = clap::value_parser!(u32).range(..=i64::from(Caps::MAX)))]
    max_bytes: u32,
}

impl SentenceLimits {
    /// Returns the settings for decoding parameters.
    pub fn settings(&self) -> Settings {
        let caps = Caps {
            bytes: self.max_bytes,
            nodes: self.max_bytes.max(Caps::default().nodes),
        };
        // A fuzz target ignores edits if bounds are set, so that every input is a sentence.
        let edits = if self.bounds == Bounds::UNBOUNDED {
            Edits::On
        } else {
            Edits::Off
        };
        Settings::default()
            .bounds(self.bounds)
            .caps(caps)
            .past_end(PastEnd::Simplest)
            .edits(edits)
    }
}

impl Default for SentenceLimits {
    fn default() -> SentenceLimits {
        SentenceLimits {
            bounds: Bounds::UNBOUNDED,
            max_bytes: Caps::default().bytes,
        }
    }
}

/// How a target is run.
#[derive(clap::Args)]
pub struct TargetRuns {
    /// The maximum time of a run in seconds, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,

    /// The maximum memory of the target and the processes that it starts, in MB, from 1 to 1048576.
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,

    /// The number of copies of the target that run at the same time, from 1 to 1024.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,
}

impl TargetRuns {
    /// Returns the number of copies of the target.
    pub fn threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.jobs.into()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Returns the limits of a run.
    pub fn limits(&self) -> Limits {
        Limits::default()
            .timeout(self.timeout)
            .memory(self.memory << 20)
    }
}

/// Returns the number of threads for `tasks` tasks: `jobs`, or the number of processors, but at
/// most `tasks` and at least 1.
pub fn threads(jobs: Option<u16>, tasks: usize) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs.map_or_else(processors, usize::from);
    jobs.clamp(1, tasks.max(1))
}

/// Parses a time limit in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = number(text).filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected a number of seconds from 0.001 to 86400".into())
}

/// Parses the extension of files.
pub fn extension(text: &str) -> Result<String, String> {
    match !text.is_empty() && !text.contains(['/', '\\', '\0']) {
        true => Ok(text.into()),
        false => Err("expected an extension such as json, without `/`".into()),
    }
}

/// Parses the exponent that probabilities are raised to.
pub fn power(text: &str) -> Result<f64, String> {
    number(text).ok_or_else(|| "expected a number such as 1, 0.5 or -1".into())
}

/// Parses a share, from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "expected a number from 0 to 1".into())
}

/// Parses a number that is neither infinite nor NaN.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_finite_and_positive() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["nan", "NaN", "inf", "-inf", "-1", "0", "1e300", "", "ten"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_and_powers_are_finite() {
        assert_eq!(
            (share("0"), share("1"), power("-1")),
            (Ok(0.0), Ok(1.0), Ok(-1.0))
        );
        for wrong in ["nan", "inf", "2", "-0.1"] {
            assert!(share(wrong).is_err(), "{wrong}");
        }
        assert!(power("nan").is_err() && power("-inf").is_err());
    }
}
