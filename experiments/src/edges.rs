//! Counts the edges that texts cover in a subject, with a program that contains no code of zester
//! (`fuzz/coverage`).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use zester_xtask::command;
use zester_xtask::programs;

/// The program that counts edges of a subject.
pub struct Edges(PathBuf);

/// The numbers of edges that texts cover.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// The number of edges that the texts cover.
    pub edges: f64,
    /// The number of edges that are covered by the texts that the subject accepts.
    pub valid: f64,
}

impl Edges {
    pub fn build(subject: &str) -> Result<Self> {
        Ok(Self(programs::coverage(subject)?))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Counts the edges of the files in a directory.
    pub fn of_directory(&self, directory: &Path) -> Result<Count> {
        Self::count(&command::output(
            Command::new(&self.0).arg("--json").arg(directory),
        )?)
    }

    /// Counts the edges of the files whose paths are the lines of a file.
    pub fn of_list(&self, list: &Path) -> Result<Count> {
        Self::count(&command::output(
            Command::new(&self.0).arg("--json").arg("--list").arg(list),
        )?)
    }

    fn count(json: &[u8]) -> Result<Count> {
        let value: Value = serde_json::from_slice(json)?;
        let number = |key: &str| {
            value[key]
                .as_f64()
                .with_context(|| format!("no number `{key}` in {value}"))
        };
        Ok(Count {
            edges: number("edges")?,
            valid: number("edges_valid")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read() {
        let count =
            Edges::count(br#"{"subject":"json","files":4,"valid":3,"edges":12,"edges_valid":7}"#)
                .unwrap();
        assert_eq!(
            count,
            Count {
                edges: 12.0,
                valid: 7.0
            }
        );
        assert!(Edges::count(b"{}").is_err());
    }
}
