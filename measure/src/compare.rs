//! Compares two groups of numbers.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::figures::comparison;
use crate::results::numbers;

/// Compares two groups of numbers, such as the figures of two fuzzers' repeated runs.
///
/// Each group is a file with one number a line, or with --key, one JSON object a line whose member KEY is the number; `-` is the
/// standard input. Empty lines are skipped. Prints each group's size, median, least and greatest number, and the effect size A12 of
/// Vargha and Delaney (2000): the probability that a number of the first group is greater than one of the second, where ties count
/// half. 0.5 is no difference; its distance from 0.5 is small from 0.06, medium from 0.14 and large from 0.21.
#[derive(clap::Args)]
pub struct Compare {
    /// File of the first group.
    first: PathBuf,
    /// File of the second group.
    second: PathBuf,
    /// Member of the JSON objects, for example edges_valid.
    #[arg(long)]
    key: Option<String>,
}

impl Compare {
    /// Compares.
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
            let numbers = numbers(&text, self.key.as_deref()).with_context(|| file.display().to_string())?;
            ensure!(!numbers.is_empty(), "{}: no numbers", file.display());
            Ok(numbers)
        };
        print!("{}", comparison(&group(&self.first)?, &group(&self.second)?));
        Ok(())
    }
}
