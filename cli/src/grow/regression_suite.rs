//! The result of `zester grow`: a directory of texts, smallest first, with `suite.json` and
//! `suite.html`, which describe them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::subject::{Outcome, Request, Subject, Symbols};

use super::concise::concise;
use super::lattice::Fuzzer;
use super::mutants::Mutants;
use super::node_store::{FinishedNode, NodeStore, read_all};
use super::origins::Origins;
use super::selection::{self, Covered, size};
use crate::expectation::{self, Expectation};
use crate::numbers::counted;
use crate::problem::Problem;
use crate::progress::progress;
use crate::text_directory::{TextDirectory, names};

pub struct SuiteFile {
    pub text: Vec<u8>,
    pub outcome: Outcome,
    /// The first fuzzer after which all edges of this file were covered that no earlier file covers.
    pub fuzzer: Fuzzer,
    /// The number of its edges that no earlier file covers.
    pub edges: usize,
    /// For a valid file, the number of its edges that no earlier valid file covers.
    pub valid_edges: usize,
    /// The functions that no earlier file enters, without those of the standard library. For a valid
    /// file, also the functions that no earlier valid file enters.
    pub functions: BTreeSet<String>,
}

impl SuiteFile {
    pub fn is_valid(&self) -> bool {
        self.outcome == Outcome::Finished(Validity::Valid)
    }
}

pub struct RegressionSuite {
    /// The file name of the target.
    pub target: String,
    fingerprint: u64,
    /// The fuzzer whose corpus the files are.
    top: Fuzzer,
    /// The files, smallest first.
    pub entries: Vec<SuiteFile>,
    /// The nodes. Each comes after the nodes below it.
    pub nodes: Vec<FinishedNode>,
    /// For each crash and each other failure: the smallest sentence with this outcome.
    pub crashes: Vec<(Vec<u8>, Outcome)>,
    pub covered: Covered,
    /// The number of mutants, and how many of them the files kill.
    score: Option<(usize, usize)>,
    /// The sentences of the last fuzzer, from which the files were made, smallest first.
    pub grown: Vec<Vec<u8>>,
}

/// The finished nodes of a lattice, from which a suite is made.
pub struct GrownLattice<'a> {
    pub grammar: &'a Grammar,
    pub store: &'a NodeStore,
    pub nodes: BTreeMap<Fuzzer, FinishedNode>,
    /// The node whose corpus is the result.
    pub top: Fuzzer,
    pub target: &'a Path,
    /// The mutants that the files should kill, if any.
    pub mutants: Option<&'a Mutants>,
}

/// Makes the corpus of a node concise. Returns its texts as they were, and those of the concise
/// corpus, smallest first.
fn concise_texts(
    grammar: &Grammar,
    store: &NodeStore,
    top: Fuzzer,
    subject: &mut Subject,
) -> Result<[Vec<Vec<u8>>; 2], Problem> {
    let mut decoder = Decoder::new(grammar).settings(Settings::default().bounds(top.bounds()));
    let (inputs, _) = selection::select(top, &mut decoder, subject, store.corpus(top)?)?;
    let mut grown: Vec<Vec<u8>> = inputs.iter().map(|input| input.text.clone()).collect();
    grown.sort_by_key(|text| size(text));
    let bar = progress(inputs.len() as u64, "sentences reduced");
    let inputs = concise(top, grammar, subject, inputs, |number, count| {
        bar.set_length(count as u64);
        bar.set_position(number as u64);
    })?;
    bar.finish_and_clear();
    Ok([grown, inputs.into_iter().map(|input| input.text).collect()])
}

/// Adds texts from `all` that kill mutants which no text in `texts` kills. Returns the number of
/// mutants, and how many of them are killed.
fn add_killers<'t>(
    mutants: &Mutants,
    texts: &mut Vec<Vec<u8>>,
    all: impl Iterator<Item = &'t Vec<u8>>,
    subject: &mut Subject,
) -> Result<(usize, usize), Problem> {
    let mut with_outcome = |text: &Vec<u8>| -> Result<(Vec<u8>, Outcome), Problem> {
        Ok((
            text.clone(),
            subject
                .run(Request::Sentence(text))
                .map_err(Problem::new)?
                .outcome,
        ))
    };
    let kept = texts
        .iter()
        .map(&mut with_outcome)
        .collect::<Result<Vec<_>, Problem>>()?;
    let mut candidates = all
        .filter(|text| !texts.contains(text))
        .map(&mut with_outcome)
        .collect::<Result<Vec<_>, Problem>>()?;
    candidates.sort_by_key(|(text, _)| size(text));
    let bar = progress(mutants.count() as u64, "mutants");
    let analysis = mutants.analyse(&kept, &candidates, &bar)?;
    bar.finish_and_clear();
    texts.extend(analysis.added.iter().map(|&at| candidates[at].0.clone()));
    texts.sort_by_key(|text| size(text));
    Ok((analysis.mutants, analysis.killed))
}

/// Runs the texts in their order. Returns them as files of the suite, and what they cover together.
fn entries(
    texts: Vec<Vec<u8>>,
    origins: &Origins,
    top: Fuzzer,
    subject: &mut Subject,
    mut symbols: Option<Symbols>,
) -> Result<(Vec<SuiteFile>, Covered), Problem> {
    let (mut entries, mut covered) = (Vec::new(), Covered::default());
    let (mut entered, mut validly_entered) = (BTreeSet::new(), BTreeSet::new());
    for text in texts {
        let run = subject
            .run(Request::Sentence(&text))
            .map_err(Problem::new)?;
        let is_valid = run.outcome == Outcome::Finished(Validity::Valid);
        let mut functions = BTreeSet::new();
        for &edge in subject.edges() {
            let is_new =
                !covered.edges.contains(&edge) || is_valid && !covered.valid_edges.contains(&edge);
            let function = symbols
                .as_mut()
                .filter(|_| is_new)
                .and_then(|symbols| symbols.function(edge));
            if let Some(function) = function.filter(|function| !is_of_standard_library(function)) {
                let is_entered = entered.insert(function.to_string());
                if is_valid && validly_entered.insert(function.to_string()) || is_entered {
                    functions.insert(function.to_string());
                }
            }
        }
        let (edges, valid_edges) = covered.add(is_valid, subject.edges());
        let fuzzer = origins.of(&text, &edges, &valid_edges).unwrap_or(top);
        let (edges, valid_edges) = (edges.len(), valid_edges.len());
        entries.push(SuiteFile {
            text,
            outcome: run.outcome,
            fuzzer,
            edges,
            valid_edges,
            functions,
        });
    }
    Ok((entries, covered))
}

impl RegressionSuite {
    /// Makes a suite from the corpora of the nodes.
    pub fn new(growth: GrownLattice<'_>) -> Result<RegressionSuite, Problem> {
        let GrownLattice {
            grammar,
            store,
            nodes,
            top,
            target,
            mutants,
        } = growth;
        let mut decoder = Decoder::new(grammar);
        let mut subject = selection::start(target)?;
        let mut nodes: Vec<FinishedNode> = nodes.into_values().collect();
        nodes.sort_by_key(|grown| (grown.fuzzer.rank(), grown.fuzzer));
        let mut origins = Origins::default();
        let bar = progress(nodes.len() as u64, "corpora");
        for grown in &nodes {
            for parameters in store.corpus(grown.fuzzer)? {
                // Canonical parameters decode to the same sentence without bounds.
                origins.add(grown.fuzzer, decoder.text(&parameters), &mut subject)?;
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let [grown, mut texts] = concise_texts(grammar, store, top, &mut subject)?;
        let score = match mutants {
            Some(mutants) => Some(add_killers(
                mutants,
                &mut texts,
                origins.texts(),
                &mut subject,
            )?),
            None => None,
        };
        let (entries, covered) = entries(texts, &origins, top, &mut subject, Symbols::of(target))?;
        let mut crashes: BTreeMap<String, (Vec<u8>, Outcome)> = BTreeMap::new();
        for grown in &nodes {
            for parameters in read_all(&store.crashes(grown.fuzzer))? {
                let text = decoder.text(&parameters).to_vec();
                let run = subject
                    .run(Request::Sentence(&text))
                    .map_err(Problem::new)?;
                if matches!(run.outcome, Outcome::Finished(_)) {
                    continue;
                }
                let what = expectation::describe(&run.outcome);
                let smallest = crashes
                    .entry(what)
                    .or_insert_with(|| (text.clone(), run.outcome));
                if size(&text) < size(&smallest.0) {
                    smallest.0 = text;
                }
            }
        }
        let target = target
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let crashes = crashes.into_values().collect();
        Ok(RegressionSuite {
            target,
            fingerprint: grammar.fingerprint(),
            top,
            entries,
            nodes,
            crashes,
            covered,
            score,
            grown,
        })
    }

    /// Returns a suite of one file.
    #[cfg(test)]
    pub fn for_tests(
        nodes: Vec<FinishedNode>,
        entry: SuiteFile,
        covered: Covered,
    ) -> RegressionSuite {
        RegressionSuite {
            target: "t&t".into(),
            fingerprint: 1,
            top: entry.fuzzer,
            entries: vec![entry],
            nodes,
            crashes: Vec::new(),
            covered,
            score: None,
            grown: Vec::new(),
        }
    }

    /// Writes the directory, whole or not at all. `page` returns the content of `suite.html` for the
    /// files and their names.
    pub fn write(
        &self,
        directory: &Path,
        extension: &str,
        page: impl Fn(&RegressionSuite, &[(String, &SuiteFile)]) -> String,
    ) -> Result<(), Problem> {
        let suite = TextDirectory::new(directory)?;
        let (mut files, mut crashes) = (Vec::new(), Vec::new());
        for (entry, name) in self
            .entries
            .iter()
            .zip(names(self.entries.len(), extension))
        {
            suite.write(&name, &entry.text)?;
            files.push((name, entry));
        }
        for ((text, outcome), name) in self
            .crashes
            .iter()
            .zip(names(self.crashes.len(), extension))
        {
            let name = format!("crashes/{name}");
            suite.write(&name, text)?;
            crashes.push(Expectation::new(name, outcome).json());
        }
        let description = self.json(&files, &crashes);
        suite.write(expectation::FILE, format!("{description:#}\n").as_bytes())?;
        suite.write(expectation::PAGE, page(self, &files).as_bytes())?;
        suite.finish()
    }

    /// Returns the content of `suite.json`.
    fn json(&self, files: &[(String, &SuiteFile)], crashes: &[Value]) -> Value {
        let file = |(name, entry): &(String, &SuiteFile)| {
            let mut file = Expectation::new(name.clone(), &entry.outcome).json();
            file["fuzzer"] = json!(entry.fuzzer.to_string());
            file["characters"] = json!(size(&entry.text).0);
            file["first_edges"] = json!(entry.edges);
            file["first_valid_edges"] = json!(entry.valid_edges);
            file["first_functions"] = json!(entry.functions);
            file
        };
        let fuzzer = |grown: &FinishedNode| {
            json!({
                "fuzzer": grown.fuzzer.to_string(),
                "seconds": grown.time.as_secs_f64(),
                "edges": grown.edges,
                "valid_edges": grown.valid_edges,
                "sentences": grown.inputs,
                "valid": grown.valid,
                "characters": grown.characters,
                "crashes": grown.crashes,
            })
        };
        json!({
            "version": expectation::VERSION,
            "target": self.target,
            "grammar": format!("{:016x}", self.fingerprint),
            "mutants": self.score.map(|(mutants, killed)| json!({ "all": mutants, "killed": killed })),
            "top": self.top.to_string(),
            "grown": { "sentences": self.grown.len(), "characters": sizes(&self.grown).iter().sum::<usize>() },
            "edges": self.covered.edges.len(),
            "valid_edges": self.covered.valid_edges.len(),
            "files": files.iter().map(file).collect::<Vec<_>>(),
            "crashes": crashes,
            "fuzzers": self.nodes.iter().map(fuzzer).collect::<Vec<_>>(),
        })
    }

    /// Describes the suite in a few lines.
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{} of {} before they were made concise, {}\n{}\n",
            counted(self.grown.len(), "sentence"),
            self.top,
            describe_sizes(&sizes(&self.grown)),
            self.figures()
        );
        if let Some((mutants, killed)) = self.score {
            let percent = 100.0 * killed as f64 / mutants.max(1) as f64;
            _ = writeln!(
                text,
                "{killed} of {mutants} mutants killed ({percent:.1} %)"
            );
        }
        for (_, outcome) in &self.crashes {
            _ = writeln!(text, "{}", expectation::describe(outcome));
        }
        text
    }

    /// Returns the figures of the suite in a line.
    pub fn figures(&self) -> String {
        let valid = self.entries.iter().filter(|entry| entry.is_valid()).count();
        let sizes = sizes(self.entries.iter().map(|entry| &entry.text));
        format!(
            "{}, {valid} of them valid; {}; {}, {} by valid files",
            counted(sizes.len(), "file"),
            describe_sizes(&sizes),
            counted(self.covered.edges.len(), "edge"),
            self.covered.valid_edges.len(),
        )
    }
}

/// Returns the numbers of characters of texts, in order.
fn sizes<'t>(texts: impl IntoIterator<Item = &'t Vec<u8>>) -> Vec<usize> {
    let mut sizes: Vec<usize> = texts.into_iter().map(|text| size(text).0).collect();
    sizes.sort_unstable();
    sizes
}

/// Describes sorted sizes.
fn describe_sizes(sizes: &[usize]) -> String {
    format!(
        "{:.1} characters on average, median {}, maximum {}",
        sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64,
        sizes.get(sizes.len() / 2).copied().unwrap_or(0),
        sizes.last().copied().unwrap_or(0),
    )
}

/// Returns whether a function belongs to the standard library of Rust or of C++. The name of such a
/// function does not help to understand what a file covers.
pub fn is_of_standard_library(function: &str) -> bool {
    const ROOTS: [&str; 5] = ["core::", "alloc::", "std::", "hashbrown::", "__gnu_cxx::"];
    let path = function
        .trim_start_matches(['<', '&', '*', '(', '['])
        .trim_start_matches("mut ");
    ROOTS.iter().any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    #[test]
    fn functions_of_the_standard_library_are_left_out() {
        for name in [
            "core::ptr::drop_in_place<a::B>",
            "<alloc::vec::Vec<T,A> as Drop>::drop",
            "std::vector<int>::push_back(int)",
        ] {
            assert!(super::is_of_standard_library(name), "{name}");
        }
        for name in [
            "serde_json::de::from_str",
            "<a::B as core::fmt::Debug>::fmt",
            "main",
            "<u64 as a::B>::c",
        ] {
            assert!(!super::is_of_standard_library(name), "{name}");
        }
    }
}
