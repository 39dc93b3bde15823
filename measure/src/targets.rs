//! Each target that runs a program under test, against generation by the same grammar.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::bugs::signatures;
use crate::campaign::{Campaign, crashes};
use crate::edges::{Count, Edges};
use crate::figures::percent;
use crate::programs::{self, Engine, Sanitizer};
use crate::repository::{grammar_of, subjects};
use crate::zester::Zester;

/// Fuzzes each target that runs a program, from an empty corpus, and generates as much by the same grammar for comparison.
///
/// Generation makes as many sentences as were executed, and as many bytes. Prints executions a second, the valid share, the edges,
/// and the edges that valid sentences cover. Panics reject their text, and their signatures are listed. Building all takes long.
#[derive(clap::Args)]
pub struct Targets {
    /// Seconds of a target.
    #[arg(default_value_t = 60, default_value_if("quick", "true", "3"))]
    seconds: u64,
    /// Fuzz targets [default: all that run a program].
    #[arg(default_value_if("quick", "true", "json"))]
    targets: Vec<String>,
    /// Less of all, to see that it works.
    #[arg(long)]
    quick: bool,
}

impl Targets {
    /// Measures.
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        let targets = if self.targets.is_empty() { subjects()? } else { self.targets.clone() };
        println!(
            "{:14} {:>8} {:>7} {:>6} {:>8} {:>8} | {:>8} {:>8} | {:>8} {:>8} | crashes; panics",
            "fuzzed", "exec/s", "valid", "bytes", "edges", "valid e.", "as many", "valid e.", "bytes", "valid e."
        );
        for target in &targets {
            let work = tempfile::tempdir()?;
            println!("{target:14} {}", self.row(target, &zester, work.path())?);
        }
        Ok(())
    }

    /// The figures of a target.
    fn row(&self, target: &str, zester: &Zester, work: &Path) -> Result<String> {
        let (program, grammar, edges) = (work.join("target"), grammar_of(target)?, Edges::build(target)?);
        programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
        let campaign = Campaign::new(&program, &work.join("run"), 1, self.seconds).hunting("none");
        let total = campaign.run()?;
        let text = work.join("text");
        zester.decode(&grammar, &campaign.directory.join("corpus"), &text)?;
        let (many, long) = (work.join("sentences"), work.join("bytes"));
        zester.generate(&grammar, total.executions as u64, 1, &[], &many)?;
        fs::write(&long, cut(fs::read(&many)?, total.bytes as usize))?;
        let counts = [edges.of_directory(&text)?, edges.of_texts(&many)?, edges.of_texts(&long)?];
        let [fuzzed, many, long] = counts.map(|Count { edges, valid }| format!("{edges:8} {valid:8}"));
        let panics = match signatures(&campaign.log()?) {
            none if none.is_empty() => "-".into(),
            some => some.join(", "),
        };
        Ok(format!(
            "{:8.0} {:5.1} % {:6.0} {fuzzed} | {many} | {long} | {}; {panics}",
            total.executions / self.seconds as f64,
            percent(total.valid, total.executions),
            total.mean_bytes(),
            crashes(&campaign.directory)?,
        ))
    }
}

/// Texts that each end in a zero byte, cut to a number of bytes; what is left of the last one ends in a zero byte, too.
fn cut(mut texts: Vec<u8>, bytes: usize) -> Vec<u8> {
    if bytes < texts.len() {
        texts.truncate(bytes);
        if texts.last().is_some_and(|&last| last != 0) {
            texts.push(0);
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_ends_in_a_zero_byte() {
        let cut = |bytes| cut(b"ab\0c\0".to_vec(), bytes);
        assert_eq!([cut(0), cut(2), cut(3), cut(9)], [&b""[..], b"ab\0", b"ab\0", b"ab\0c\0"]);
    }
}
