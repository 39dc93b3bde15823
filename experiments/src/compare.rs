//! Compares two groups of numbers.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::figures::comparison;
use crate::results::numbers;

/// Compares two groups of numbers, such as the figures of repeated runs of two fuzzers.
///
/// Each group is a file with one number a line. With --key, each line is a JSON object whose member
/// KEY is the number. `-` is standard input. Empty lines are skipped.
///
/// Prints each group's size, median, minimum and maximum, and the effect size A12 of Vargha and
/// Delaney (2000): the probability that a number of the first group is greater than one of the
/// second, where ties count half. An A12 of 0.5 means no difference. A distance from 0.5 of 0.06 or
/// more is small, 0.14 medium, and 0.21 large.
#[derive(clap::Args)]
pub struct Compare {
    /// The file of the first group.
    first: PathBuf,
    /// The file of the second group.
    second: PathBuf,
    /// The member of the JSON objects, for example edges_valid.
    #[arg(long)]
    key: Option<String>,
}

impl Compare {
    /// Runs the comparison.
    pub fn run(&self) -> Result<()> {
        let group = |file: &Path| -> Result<Vec<f64>> {
            let text = match file.to_str() {
                Some("-") => {
                    let mut text = String::new();
                    io::stdin().read_to_string(&mut text).map(|_| text)
                }
                _ => fs::read_to_string(file),
            };
            let text = text.with_context(|| format!("cannot read {}", file.display()))?;
            let numbers =
                numbers(&text, self.key.as_deref()).with_context(|| file.display().to_string())?;
            ensure!(!numbers.is_empty(), "{}: no numbers", file.display());
            Ok(numbers)
        };
        print!(
            "{}",
            comparison(&group(&self.first)?, &group(&self.second)?)
        );
        Ok(())
    }
}
