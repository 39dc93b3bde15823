//! The directory of results of `zester evolve`: text files of inputs, `evolve.json`, `weights.json`
//! and `report.html`.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::goal::Goal;
use super::individual::Individual;
use super::page;
use super::record::{Figures, Gain};
use super::report::EvolutionReport;
use crate::numbers::counted;
use crate::problem::Problem;
use crate::text_directory::{TextDirectory, names};

/// The version of the format of `evolve.json`.
const VERSION: u64 = 1;

/// The inputs that were the first to reach a function.
#[derive(Default)]
pub struct Results {
    /// The texts, with the number of functions that each was the first to reach.
    first: Vec<(Vec<u8>, usize)>,
}

impl Results {
    /// Adds an input if it was the first to reach a function.
    pub fn add(&mut self, individual: &Individual, gain: &Gain) {
        if gain.functions > 0 {
            self.first.push((individual.text.clone(), gain.functions));
        }
    }

    /// Writes the directory, whole or not at all.
    pub fn write(&self, directory: &Path, report: &EvolutionReport<'_>) -> Result<(), Problem> {
        let results = TextDirectory::new(directory)?;
        let texts = |kind: &str, texts: Vec<&[u8]>| -> Result<Vec<String>, Problem> {
            let names: Vec<String> = names(texts.len(), &report.extension)
                .into_iter()
                .map(|name| format!("{kind}/{name}"))
                .collect();
            names
                .iter()
                .zip(texts)
                .try_for_each(|(name, text)| results.write(name, text))?;
            Ok(names)
        };
        let record = report.record;
        let first = texts(
            "inputs",
            self.first.iter().map(|(text, _)| &text[..]).collect(),
        )?;
        let exceptions = texts(
            "exceptions",
            record
                .exceptions
                .values()
                .map(|exception| &exception.text[..])
                .collect(),
        )?;
        let slowest = texts(
            "slowest",
            record.slowest.iter().map(|(_, text)| &text[..]).collect(),
        )?;
        let mut json = report.json();
        json["inputs"] = first
            .iter()
            .zip(&self.first)
            .map(|(file, (_, new))| json!({ "file": file, "new_functions": new }))
            .collect();
        let exception = |((signature, exception), file): (
            (&String, &super::record::Exception),
            &String,
        )| json!({ "file": file, "signature": signature, "count": exception.count, "first_run": exception.first });
        json["exceptions"] = record
            .exceptions
            .iter()
            .zip(&exceptions)
            .map(exception)
            .collect();
        let slow = |((time, text), file): (&(std::time::Duration, Vec<u8>), &String)| json!({ "file": file, "seconds": time.as_secs_f64(), "bytes": text.len() });
        json["slowest"] = record.slowest.iter().zip(&slowest).map(slow).collect();
        results.write("evolve.json", format!("{json:#}\n").as_bytes())?;
        results.write(
            "weights.json",
            report.weights.write(report.grammar).as_bytes(),
        )?;
        results.write("report.html", page::page(report).as_bytes())?;
        results.finish()
    }
}

impl EvolutionReport<'_> {
    /// Returns the content of `evolve.json` without the lists of files.
    fn json(&self) -> Value {
        let figures = |figures: &Figures| {
            json!({
                "runs": figures.runs,
                "valid": figures.valid,
                "functions": figures.functions,
                "exceptions": figures.exceptions,
                "unique_exceptions": figures.unique_exceptions,
                "mappings": figures.mappings,
                "mean_seconds": figures.mean_time(),
                "longest_seconds": figures.slowest.as_secs_f64(),
            })
        };
        let goals: serde_json::Map<String, Value> = Goal::ALL
            .into_iter()
            .map(|goal| (goal.to_string(), json!(self.goals.of(goal))))
            .collect();
        json!({
            "version": VERSION,
            "target": self.target.to_string_lossy(),
            "grammar": format!("{:016x}", self.grammar.fingerprint()),
            "strategy": self.strategy,
            "goals": goals,
            "functions": self.functions,
            "generations": self.record.generations.iter().map(figures).collect::<Vec<Value>>(),
        })
    }

    /// Describes the runs in a few lines: the figures, then the exceptions.
    pub fn summary(&self) -> String {
        let figures = &self.record.figures;
        let mut text = format!(
            "{}, {} valid; {} of {}; {}, {} different; {}; longest run {:.3} ms, mean {:.3} ms\n",
            counted(figures.runs, "run"),
            figures.valid,
            figures.functions,
            counted(self.functions, "function"),
            counted(figures.exceptions, "exception"),
            figures.unique_exceptions,
            counted(figures.mappings, "mapping"),
            1e3 * figures.slowest.as_secs_f64(),
            1e3 * figures.mean_time(),
        );
        for (signature, exception) in &self.record.exceptions {
            let _ = writeln!(text, "  {} x {signature}", exception.count);
        }
        text
    }
}
