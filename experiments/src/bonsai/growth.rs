//! Runs `zester grow`, and measures its corpus.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::set::Runner;
use crate::figures::processor_seconds;
use zester_xtask::command::quietly;
use zester_xtask::zester::{Zester, files};

/// A comparison of all methods by one run of each.
pub struct Comparison<'a> {
    pub zester: &'a Zester,
    pub program: &'a Path,
    /// The number of the run, which is the seed of all methods.
    pub run: u32,
    /// The directory of all results.
    pub directory: &'a Path,
}

/// A corpus that `zester grow` has grown.
pub struct Growth {
    /// The sentences of the last fuzzer, before they were made concise.
    as_grown: Vec<Vec<u8>>,
    /// The files of the suite.
    texts: Vec<Vec<u8>>,
    /// The bounds of the largest fuzzer.
    pub top: String,
    /// Processor time in seconds.
    pub processor: f64,
    /// Wall time in seconds.
    wall: f64,
    /// The sum of the wall times of all fuzzers in seconds.
    fuzzing: f64,
}

impl Growth {
    /// Grows a corpus into a new directory with a name. `experiment` is the value of
    /// `ZESTER_EXPERIMENT`.
    pub fn run(
        comparison: &Comparison<'_>,
        bounds: &str,
        ending: &[&str],
        name: &str,
        experiment: Option<&str>,
    ) -> Result<Growth> {
        let as_grown = comparison.directory.join(format!("{name}-as-grown"));
        let suite = comparison.directory.join(name);
        let before = processor_seconds()?;
        let start = Instant::now();
        let mut grow = comparison.zester.command("grow");
        grow.arg(comparison.program).arg("-o").arg(&suite).args([
            "--bounds",
            bounds,
            "--seed",
            &comparison.run.to_string(),
            "--extension",
            "txt",
        ]);
        grow.arg("--grown").arg(&as_grown);
        if let Some(experiment) = experiment {
            grow.env("ZESTER_EXPERIMENT", experiment);
        }
        quietly(grow.args(ending))?;
        let (processor, wall) = (processor_seconds()? - before, start.elapsed().as_secs_f64());
        let described: Value = serde_json::from_slice(&std::fs::read(suite.join("suite.json"))?)?;
        let fuzzers = described["fuzzers"]
            .as_array()
            .context("no fuzzers in suite.json")?;
        let fuzzing = fuzzers
            .iter()
            .filter_map(|fuzzer| fuzzer["seconds"].as_f64())
            .sum();
        let name = described["top"].as_str().context("no top in suite.json")?;
        let bounds: Vec<&str> = name.split('-').take(3).collect();
        ensure!(bounds.len() == 3, "{name} is no fuzzer");
        let texts = |directory: &Path| -> Result<Vec<Vec<u8>>> {
            let mut texts = Vec::new();
            for file in files(directory)? {
                if file.extension().is_some_and(|extension| extension == "txt") {
                    texts.push(std::fs::read(file)?);
                }
            }
            Ok(texts)
        };
        Ok(Growth {
            as_grown: texts(&as_grown)?,
            texts: texts(&suite)?,
            top: bounds.join(","),
            processor,
            wall,
            fuzzing,
        })
    }

    /// Returns the texts of the suite.
    pub fn concise(&self) -> &[Vec<u8>] {
        &self.texts
    }

    /// Appends the figures of the corpus, before and after it was made concise.
    pub fn evaluate(
        &self,
        name: &str,
        runner: &mut Runner,
        all: &mut Vec<(String, Value)>,
    ) -> Result<()> {
        for (name, texts) in [
            (name.to_owned(), &self.as_grown),
            (format!("{name}, concise"), &self.texts),
        ] {
            all.push((name, runner.evaluate(texts.clone())?.json_with(self.json())));
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let Growth {
            top,
            processor,
            wall,
            fuzzing,
            ..
        } = self;
        json!({ "processor": processor, "wall": wall, "fuzzing": fuzzing, "bounds": top, "reducing": 0.0 })
    }
}
