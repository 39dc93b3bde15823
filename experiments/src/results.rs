//! The results of a campaign: the edges of its corpus and its executions, stored as lines of JSON.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::edges::Edges;
use zester_xtask::statistics::Statistics;
use zester_xtask::zester::{Zester, files};

/// The results of one campaign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// The number of edges that the corpus covers.
    pub edges: f64,
    /// The number of edges that valid sentences of the corpus cover.
    pub edges_valid: f64,
    /// The number of executed sentences.
    pub executions: f64,
    /// The number of valid executed sentences.
    pub valid_executions: f64,
    /// The number of inputs in the corpus.
    pub corpus: f64,
}

impl Reached {
    /// Counts the edges of the corpus of the campaign in a directory.
    pub fn by(zester: &Zester, edges: &Edges, grammar: &Path, directory: &Path) -> Result<Self> {
        let text = directory.join("text");
        zester.decode(grammar, &directory.join("corpus"), &text)?;
        let (count, corpus) = (edges.of_directory(&text)?, files(&text)?.len());
        fs::remove_dir_all(&text)?;
        let total = Statistics::total(directory)?;
        Ok(Self {
            edges: count.edges,
            edges_valid: count.valid,
            executions: total.executions,
            valid_executions: total.valid,
            corpus: corpus as f64,
        })
    }

    /// Returns the results as a line of JSON.
    pub fn json(&self) -> String {
        json!({
            "edges": self.edges,
            "edges_valid": self.edges_valid,
            "executions": self.executions,
            "valid_executions": self.valid_executions,
            "corpus": self.corpus,
        })
        .to_string()
    }

    /// Appends the line to a file.
    pub fn append(&self, file: &Path) -> Result<()> {
        append_line(file, &self.json())
    }
}

/// Appends a line to a file, which is made if it is missing. If its last line is not
/// complete, the new line begins after a line break.
pub fn append_line(file: &Path, line: &str) -> Result<()> {
    let is_torn = fs::read(file).is_ok_and(|text| text.last().is_some_and(|&byte| byte != b'\n'));
    let mut open = File::options()
        .create(true)
        .append(true)
        .open(file)
        .with_context(|| format!("cannot write {}", file.display()))?;
    let end = if is_torn { "\n" } else { "" };
    Ok(writeln!(open, "{end}{line}")?)
}

/// Appends the figures of a job to a file, which is made if it is missing.
pub fn append_job(file: &Path, job: &str, figures: Value) -> Result<()> {
    append_line(file, &json!({ "job": job, "figures": figures }).to_string())
}

/// Reads the figures of all jobs in a file, by job. A line that an interrupted command did not
/// finish is no result. A missing file has no results.
pub fn jobs(file: &Path) -> Result<HashMap<String, Value>> {
    if !file.exists() {
        return Ok(HashMap::new());
    }
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let result = |line: &str| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        Some((line["job"].as_str()?.to_owned(), line["figures"].take()))
    };
    Ok(text.lines().filter_map(result).collect())
}

/// Returns the directory for the results: the one that the user named, or a new one.
pub fn directory(out: Option<&Path>) -> Result<PathBuf> {
    match out {
        Some(out) => {
            fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
            Ok(std::path::absolute(out)?)
        }
        None => Ok(tempfile::Builder::new()
            .prefix("zester-results-")
            .tempdir()?
            .keep()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_interrupted_is_no_result() {
        let file = tempfile::NamedTempFile::new().unwrap();
        append_job(file.path(), "a", json!({ "functions": 3 })).unwrap();
        let torn = fs::read_to_string(file.path()).unwrap() + r#"{"job":"b","fig"#;
        fs::write(file.path(), torn).unwrap();
        append_job(file.path(), "c", json!({ "functions": 4 })).unwrap();
        let found = jobs(file.path()).unwrap();
        let figures = [&found["a"]["functions"], &found["c"]["functions"]];
        assert_eq!((found.len(), figures), (2, [&json!(3), &json!(4)]));
        assert!(jobs(&file.path().join("missing")).unwrap().is_empty());
    }
}
