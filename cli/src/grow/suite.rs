//! The result: a directory of texts, smallest first, and `suite.json`, which describes each of them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::json;
use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::Decoder;
use zester::subject::{Outcome, Request};

use super::lattice::Fuzzer;
use super::selection::{self, Covered, size};
use super::work::{Grown, Work, read_all};
use crate::output;
use crate::problem::Problem;

/// The version of `suite.json`.
const VERSION: u64 = 1;

/// A file of the result.
struct Entry {
    text: Vec<u8>,
    outcome: String,
    is_valid: bool,
    /// The first fuzzer in the order of the lattice whose corpus has this sentence.
    fuzzer: Fuzzer,
    /// The number of edges that it is the first to cover, and the number of those that it is the first valid file to cover.
    edges: usize,
    valid_edges: usize,
}

/// The result of growing.
pub struct Suite {
    target: String,
    fingerprint: u64,
    entries: Vec<Entry>,
    nodes: Vec<Grown>,
    /// The sentences that crash the target, each with what happened.
    crashes: Vec<(Vec<u8>, String)>,
    covered: Covered,
}

impl Suite {
    /// Collects the result from the corpus of the top of the lattice.
    pub fn new(
        grammar: &Grammar,
        work: &Work,
        done: &BTreeMap<Fuzzer, Grown>,
        top: Fuzzer,
        target: &Path,
    ) -> Result<Suite, Problem> {
        let mut decoder = Decoder::new(grammar);
        let mut subject = selection::start(target)?;
        let mut nodes: Vec<Grown> = done.values().cloned().collect();
        nodes.sort_by_key(|grown| (grown.fuzzer.rank(), grown.fuzzer));
        // Canonical parameters mean the same sentence under larger bounds.
        let mut origins: BTreeMap<Vec<u8>, Fuzzer> = BTreeMap::new();
        for grown in &nodes {
            for parameters in work.corpus(grown.fuzzer)? {
                origins.entry(decoder.text(&parameters).to_vec()).or_insert(grown.fuzzer);
            }
        }
        let (mut entries, mut covered) = (Vec::new(), Covered::default());
        for parameters in work.corpus(top)? {
            let text = decoder.text(&parameters).to_vec();
            let run = subject.run(Request::Text(&text)).map_err(Problem::new)?;
            let is_valid = run.outcome == Outcome::Ran(Validity::Valid);
            let (edges, valid_edges) = covered.add(is_valid, subject.edges());
            let fuzzer = origins.get(&text).copied().unwrap_or(top);
            entries.push(Entry { text, outcome: run.outcome.to_string(), is_valid, fuzzer, edges, valid_edges });
        }
        let mut crashes: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for grown in &nodes {
            for parameters in read_all(&work.crashes(grown.fuzzer))? {
                let text = decoder.text(&parameters).to_vec();
                let run = subject.run(Request::Text(&text)).map_err(Problem::new)?;
                let what = match run.outcome {
                    Outcome::Ran(_) => continue,
                    Outcome::Crash(signature) => format!("crash: {signature}"),
                    outcome => outcome.to_string(),
                };
                let smallest = crashes.entry(what).or_insert_with(|| text.clone());
                if size(&text) < size(smallest) {
                    *smallest = text;
                }
            }
        }
        let crashes = crashes.into_iter().map(|(what, text)| (text, what)).collect();
        let target = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Suite { target, fingerprint: grammar.fingerprint(), entries, nodes, crashes, covered })
    }

    /// Writes the directory whole or not at all.
    pub fn write(&self, directory: &Path, extension: &str) -> Result<(), Problem> {
        let problem = |error| Problem::with(directory, error);
        let (partial, _remove) = output::directory_beside(directory).map_err(problem)?;
        let file = |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).map_err(|error| Problem::with(path, error));
        let name = |number: usize, count: usize| {
            let width = count.to_string().len();
            format!("{:0width$}.{extension}", number + 1)
        };
        let mut described = Vec::new();
        for (number, entry) in self.entries.iter().enumerate() {
            let name = name(number, self.entries.len());
            file(&partial.path().join(&name), &entry.text)?;
            described.push(json!({
                "file": name,
                "outcome": entry.outcome,
                "fuzzer": entry.fuzzer.to_string(),
                "characters": size(&entry.text).0,
                "first_edges": entry.edges,
                "first_valid_edges": entry.valid_edges,
            }));
        }
        let mut crashes = Vec::new();
        if !self.crashes.is_empty() {
            let directory = partial.path().join("crashes");
            output::make_directory(&directory)?;
            for (number, (text, what)) in self.crashes.iter().enumerate() {
                let name = name(number, self.crashes.len());
                file(&directory.join(&name), text)?;
                crashes.push(json!({ "file": format!("crashes/{name}"), "outcome": what }));
            }
        }
        let nodes = self.nodes.iter().map(|grown| {
            json!({
                "fuzzer": grown.fuzzer.to_string(),
                "seconds": grown.time.as_secs_f64(),
                "edges": grown.edges,
                "valid_edges": grown.valid_edges,
                "inputs": grown.inputs,
                "valid": grown.valid,
                "crashes": grown.crashes,
            })
        });
        let suite = json!({
            "version": VERSION,
            "target": self.target,
            "grammar": format!("{:016x}", self.fingerprint),
            "files": described,
            "crashes": crashes,
            "fuzzers": nodes.collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&suite).map_err(|error| Problem::with(directory, error))?;
        file(&partial.path().join("suite.json"), format!("{text}\n").as_bytes())?;
        std::fs::rename(partial.path(), directory).map_err(problem)?;
        _ = partial.keep();
        Ok(())
    }

    /// Describes the result in a few lines.
    pub fn summary(&self) -> String {
        let mut sizes: Vec<usize> = self.entries.iter().map(|entry| size(&entry.text).0).collect();
        sizes.sort_unstable();
        let (count, sum) = (sizes.len().max(1), sizes.iter().sum::<usize>());
        let valid = self.entries.iter().filter(|entry| entry.is_valid).count();
        let mut text = format!(
            "{} files, {valid} of them valid; {:.1} characters on average, median {}, maximum {}; {} edges, {} by valid files\n",
            sizes.len(),
            sum as f64 / count as f64,
            sizes.get(sizes.len() / 2).copied().unwrap_or(0),
            sizes.last().copied().unwrap_or(0),
            self.covered.edges.len(),
            self.covered.valid_edges.len(),
        );
        for (_, what) in &self.crashes {
            _ = writeln!(text, "{what}");
        }
        text
    }
}
