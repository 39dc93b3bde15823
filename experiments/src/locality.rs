//! Measures how much of a sentence each mutator preserves.

use std::process::Command;

use anyhow::{Result, ensure};

use zester_xtask::programs;
use zester_xtask::repository::file;

/// Measures how much of a sentence each mutator preserves.
///
/// Prints for each mutator: the share of mutants that equal their parent; the preserved share of
/// the parent, which is the common prefix and suffix (lower quartile and median); the share of
/// mutants that preserve less than half; and the length of mutants relative to their parents.
#[derive(clap::Args)]
pub struct Locality {
    /// The names of grammars in grammars/.
    #[arg(default_values_t = ["json", "wgsl", "lua"].map(String::from), default_value_if("quick", "true", "json"))]
    grammars: Vec<String>,
    /// Use one grammar, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Locality {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let grammars = self
            .grammars
            .iter()
            .map(|name| file("grammars").join(name).with_extension("ebnf"));
        let status = Command::new(programs::bench("locality", &[])?)
            .args(grammars)
            .status()?;
        ensure!(status.success(), "locality failed ({status})");
        Ok(())
    }
}
