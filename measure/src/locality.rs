//! How much of a sentence each mutator keeps.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::programs;
use crate::repository::file;

/// How much of a sentence does each mutator keep?
///
/// Prints, for each mutator: mutants that are the same sentence; the share of the base that is kept, which is its common beginning
/// and end with the mutant (the lower quarter and the median); mutants that keep less than half; and the length of mutants
/// against that of the bases.
#[derive(clap::Args)]
pub struct Locality {
    /// Grammars, by their names in grammars/.
    #[arg(default_values_t = ["json", "wgsl", "lua"].map(String::from), default_value_if("quick", "true", "json"))]
    grammars: Vec<String>,
    /// One grammar, to see that it works.
    #[arg(long)]
    quick: bool,
}

impl Locality {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let grammars = self.grammars.iter().map(|name| file("grammars").join(name).with_extension("ebnf"));
        let status = Command::new(programs::bench("locality", &[])?).args(grammars).status()?;
        ensure!(status.success(), "locality failed ({status})");
        Ok(())
    }
}
