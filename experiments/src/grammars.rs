//! Compares grammars of one language by the sentences that are generated from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::edges::Edges;
use crate::figures::percent;
use zester_xtask::repository::{file, subjects};
use zester_xtask::zester::{Sentences, Zester};

/// Compares grammars of one language by sentences that are generated from them, without fuzzing.
///
/// Prints the size of each grammar in bytes, the share of valid sentences, the edges that the
/// sentences cover, and the edges that valid ones cover. By default, the grammars are those of
/// `experiments/grammars` that begin with the name of the language, and then that of `grammars`. In
/// `experiments/grammars`, `NAME-syntax` is the specification's grammar, transcribed without any
/// tuning, and `NAME-names` says in addition which names are declared and used.
#[derive(clap::Args)]
pub struct Grammars {
    /// The program under test.
    #[arg(default_value = "wgsl", default_value_if("quick", "true", "json"))]
    subject: String,
    /// The grammars [default: see above].
    grammars: Vec<PathBuf>,
    /// The number of sentences of each grammar.
    #[arg(
        short,
        default_value_t = 100_000,
        default_value_if("quick", "true", "1000")
    )]
    n: u64,
    /// The seed for drawing the sentences.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Grammars {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        anyhow::ensure!(
            subjects()?.contains(&self.subject),
            "no program under test {}",
            self.subject
        );
        let (zester, edges, work) = (
            Zester::build()?,
            Edges::build(&self.subject)?,
            tempfile::tempdir()?,
        );
        let grammars = if self.grammars.is_empty() {
            known(&self.subject)?
        } else {
            self.grammars.clone()
        };
        println!(
            "{:32} {:>7} {:>8} {:>8} {:>8}",
            format!("{} sentences", self.n),
            "bytes",
            "valid",
            "edges",
            "valid e."
        );
        for grammar in grammars {
            let texts = work.path().join("texts");
            let sentences = Sentences {
                grammar: &grammar,
                count: self.n,
                seed: self.seed,
                flags: &[],
            };
            zester.generate(&sentences, &texts)?;
            let count = edges.of_texts(&texts)?;
            let bytes = fs::metadata(&grammar)
                .with_context(|| format!("cannot read {}", grammar.display()))?
                .len();
            println!(
                "{:32} {bytes:7} {:6.1} % {:8} {:8}",
                grammar.file_stem().unwrap_or_default().to_string_lossy(),
                percent(count.accepted, count.files),
                count.edges,
                count.valid
            );
        }
        Ok(())
    }
}

/// Returns the grammars of a language: those for comparisons, sorted with the transcription first,
/// and its own.
fn known(language: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for name in ["syntax", "names", "types"] {
        let path = file("experiments/grammars").join(format!("{language}-{name}.ebnf"));
        found.extend(path.is_file().then_some(path));
    }
    found.push(file("grammars").join(language).with_extension("ebnf"));
    anyhow::ensure!(
        found.iter().all(|path: &PathBuf| Path::is_file(path)),
        "no grammar of {language}"
    );
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammars_of_a_language_begin_with_its_syntax() {
        let names = known("wgsl").unwrap();
        let names: Vec<_> = names
            .iter()
            .map(|path| path.file_stem().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["wgsl-syntax", "wgsl-names", "wgsl"]);
        assert!(known("nothing").is_err());
    }
}
