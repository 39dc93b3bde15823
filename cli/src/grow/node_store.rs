//! The directory `DIR.grow`, which stores the nodes of the lattice. A finished node has a directory
//! `m-n-d-valid` or `m-n-d-all`. The directory of a running node has the suffix `.partial`.
//!
//! When a node is finished, its directory is renamed. If the command is killed, the next command
//! continues with the finished nodes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use zester::corpus::{self, conversion, records};

use super::campaign::{CampaignResult, files};
use super::lattice::Fuzzer;
use super::selection::{Covered, MeasuredInput, size};
use crate::output;
use crate::problem::Problem;
use crate::work_directory::WorkDirectory;

/// The version of the format of the directory.
const VERSION: u64 = 1;

/// The settings that must be the same when the work is continued.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreSettings {
    /// The fingerprint of the grammar.
    pub grammar: u64,
    pub seed: u32,
}

/// The stored nodes of a lattice.
pub struct NodeStore {
    root: PathBuf,
    unfinished: WorkDirectory,
}

/// A finished node.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedNode {
    pub fuzzer: Fuzzer,
    /// The processor time of its fuzzer.
    pub time: Duration,
    /// The number of crashes, time-outs and runs out of memory.
    pub crashes: usize,
    /// The number of edges that its corpus covers, and how many of them valid inputs cover.
    pub edges: usize,
    pub valid_edges: usize,
    /// The number of inputs in its corpus, and how many of them are valid.
    pub inputs: usize,
    pub valid: usize,
    /// The mean number of characters of its inputs, without white space.
    pub characters: f64,
}

impl FinishedNode {
    /// Returns a node that has found nothing.
    #[cfg(test)]
    pub fn new(fuzzer: Fuzzer) -> FinishedNode {
        FinishedNode {
            fuzzer,
            time: Duration::ZERO,
            crashes: 0,
            edges: 0,
            valid_edges: 0,
            inputs: 0,
            valid: 0,
            characters: 0.0,
        }
    }
}

impl NodeStore {
    /// Opens the store in a directory.
    ///
    /// # Errors
    /// If the directory was made with other settings or by another version.
    pub fn open(unfinished: WorkDirectory, settings: &StoreSettings) -> Result<NodeStore, Problem> {
        let root = unfinished.root();
        let file = root.join("settings.json");
        let own = json!({ "version": VERSION, "grammar": format!("{:016x}", settings.grammar), "seed": settings.seed });
        match fs::read(&file) {
            Ok(bytes) => {
                let found: Value =
                    serde_json::from_slice(&bytes).map_err(|error| Problem::with(&file, error))?;
                if found != own {
                    let why = format!(
                        "grown with other settings ({found} instead of {own}); name another directory"
                    );
                    return Err(Problem::with(root, why));
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                output::create(&file, format!("{own}\n").as_bytes())
                    .map_err(|error| Problem::with(&file, error))?;
            }
            Err(error) => return Err(Problem::with(&file, error)),
        }
        Ok(NodeStore {
            root: root.into(),
            unfinished,
        })
    }

    /// Removes the directory and all files that `zester grow` wrote to it.
    pub fn remove(&self) -> Result<(), Problem> {
        self.unfinished.remove(&self.root)
    }

    /// Returns the directory of a running node. Inputs in it that an earlier command found are used.
    pub fn partial(&self, fuzzer: Fuzzer) -> PathBuf {
        self.root.join(format!("{fuzzer}.partial"))
    }

    /// Returns the directory of a finished node.
    fn directory_of(&self, fuzzer: Fuzzer) -> PathBuf {
        self.root.join(fuzzer.to_string())
    }

    /// Returns a node if it is finished.
    fn finished(&self, fuzzer: Fuzzer) -> Result<Option<FinishedNode>, Problem> {
        let file = self.directory_of(fuzzer).join("node.json");
        let bytes = match fs::read(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Problem::with(&file, error))?,
        };
        let node: Value =
            serde_json::from_slice(&bytes).map_err(|error| Problem::with(&file, error))?;
        let number = |name: &str| {
            node[name]
                .as_u64()
                .ok_or_else(|| Problem::with(&file, format!("no number `{name}`")))
        };
        Ok(Some(FinishedNode {
            fuzzer,
            time: Duration::from_millis(number("milliseconds")?),
            crashes: number("crashes")? as usize,
            edges: number("edges")? as usize,
            valid_edges: number("valid_edges")? as usize,
            inputs: number("inputs")? as usize,
            valid: number("valid")? as usize,
            characters: node["characters"].as_f64().unwrap_or(0.0),
        }))
    }

    pub fn all_finished(&self) -> Result<BTreeMap<Fuzzer, FinishedNode>, Problem> {
        let problem = |error| Problem::with(&self.root, error);
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&self.root).map_err(problem)? {
            let Some(fuzzer) = entry
                .map_err(problem)?
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            all.extend(self.finished(fuzzer)?.map(|grown| (fuzzer, grown)));
        }
        Ok(all)
    }

    /// Returns the inputs in the corpus of a finished node, as parameters.
    pub fn corpus(&self, fuzzer: Fuzzer) -> Result<Vec<Vec<u8>>, Problem> {
        read_all(&self.directory_of(fuzzer).join("corpus"))
    }

    /// Returns the directory with the crashing inputs of a finished node.
    pub fn crashes(&self, fuzzer: Fuzzer) -> PathBuf {
        self.directory_of(fuzzer).join("crashes")
    }

    /// Finishes a node: writes its corpus and renames its directory. `inputs` are the corpus, and
    /// `covered` is what they cover.
    pub fn finish(
        &self,
        fuzzer: Fuzzer,
        finished: CampaignResult,
        inputs: &[MeasuredInput],
        covered: &Covered,
    ) -> Result<FinishedNode, Problem> {
        let partial = self.partial(fuzzer);
        let corpus = partial.join("corpus");
        // An earlier command may have been killed while it wrote the corpus.
        if corpus.exists() {
            self.unfinished.remove(&corpus)?;
        }
        output::make_directory(&corpus)?;
        let width = inputs.len().to_string().len();
        for (number, input) in inputs.iter().enumerate() {
            let file = corpus.join(format!("{number:0width$}"));
            // libFuzzer does not read empty files.
            let bytes = if input.parameters.is_empty() {
                &[0][..]
            } else {
                &input.parameters
            };
            fs::write(&file, bytes).map_err(|error| Problem::with(&file, error))?;
        }
        let grown = FinishedNode {
            fuzzer,
            time: finished.time,
            crashes: finished.crashes,
            edges: covered.edges.len(),
            valid_edges: covered.valid_edges.len(),
            inputs: inputs.len(),
            valid: inputs.iter().filter(|input| input.is_valid).count(),
            characters: inputs
                .iter()
                .map(|input| size(&input.text).0 as f64)
                .sum::<f64>()
                / inputs.len().max(1) as f64,
        };
        let node = json!({
            "milliseconds": grown.time.as_millis() as u64,
            "crashes": grown.crashes,
            "edges": grown.edges,
            "valid_edges": grown.valid_edges,
            "inputs": grown.inputs,
            "valid": grown.valid,
            "characters": grown.characters,
        });
        let file = partial.join("node.json");
        fs::write(&file, format!("{node}\n")).map_err(|error| Problem::with(&file, error))?;
        for name in ["seeds", "found"] {
            self.unfinished.remove(&partial.join(name))?;
        }
        let finished = self.directory_of(fuzzer);
        fs::rename(&partial, &finished).map_err(|error| Problem::with(&finished, error))?;
        Ok(grown)
    }
}

/// Returns whether `zester grow` writes a path, which is relative to the directory of the store.
pub fn is_own(path: &Path) -> bool {
    let mut parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let first = parts.next().unwrap_or_default();
    let is_partial = first.starts_with(".zester-") && first.ends_with(".partial");
    if first == "settings.json" || is_partial {
        return parts.next().is_none();
    }
    if first
        .strip_suffix(".partial")
        .unwrap_or(&first)
        .parse::<Fuzzer>()
        .is_err()
    {
        return false;
    }
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let is_input =
        |name: &str| name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    // libFuzzer names artifacts by their kind and a hash.
    let is_artifact = |name: &str| {
        name.rsplit_once('-')
            .is_some_and(|(_, hash)| is_input(hash))
    };
    let [second, third, fourth, fifth] = std::array::from_fn(|_| parts.next());
    match (
        second.as_deref(),
        third.as_deref(),
        fourth.as_deref(),
        fifth,
    ) {
        (
            None | Some("node.json" | "log" | "seeds" | "found" | "corpus" | "crashes"),
            None,
            None,
            None,
        ) => true,
        (Some("seeds" | "corpus"), Some(name), None, None) => is_number(name),
        (Some("found"), Some(name), None, None) => {
            is_input(name)
                || corpus::is_mark(name.as_ref())
                || conversion::is_grammars(name.as_ref())
        }
        (Some("found"), Some(directory), Some(name), None) => {
            conversion::is_grammar(&Path::new(directory).join(name))
        }
        (Some("crashes"), Some(name), None, None) => {
            is_artifact(name) || records::is_directory(name.as_ref())
        }
        (Some("crashes"), Some(directory), Some(name), None) => {
            records::is_directory(directory.as_ref())
                && name.strip_suffix(".txt").is_some_and(is_artifact)
        }
        _ => false,
    }
}

/// Returns the contents of all files in a directory, in the order of their names.
pub fn read_all(directory: &Path) -> Result<Vec<Vec<u8>>, Problem> {
    files(directory)
        .iter()
        .map(|file| fs::read(file).map_err(|error| Problem::with(file, error)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_target_leaves_is_of_zester() {
        for own in [
            "settings.json",
            "1-2-3-all/node.json",
            "1-2-3-all.partial/found/.zester-ebnf-v1/00c0ffee00c0ffee.ebnf",
            "1-2-3-all.partial/found/.zester-ebnf-v1/unfinished4711",
        ] {
            assert!(is_own(Path::new(own)), "{own}");
        }
        for foreign in [
            "thesis.txt",
            "1-2-3-all/thesis.txt",
            "1-2-3-all/found/.zester-ebnf-v1/unfinished-thesis",
            "1-2-3-all/found/thesis/grammar.ebnf",
        ] {
            assert!(!is_own(Path::new(foreign)), "{foreign}");
        }
    }
}
