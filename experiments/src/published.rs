//! Files that people wrote: the test data and sources of published packages, fetched once to
//! `target/files`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use regex::Regex;

use crate::packages;
use zester_xtask::repository::{file, target_directory};

/// A package and a selection of its files.
#[derive(Debug)]
struct Package {
    /// The language of the files.
    language: String,
    /// The package, such as crate:NAME@VERSION or deb:NAME: see [`packages::fetch`].
    name: String,
    /// A pattern of the paths that are selected.
    taken: Regex,
    /// A pattern of paths that are excluded.
    left: Option<Regex>,
}

/// Returns all packages, in the order of the list.
fn listed() -> Result<Vec<Package>> {
    let lines = include_str!("published.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| package(line).with_context(|| format!("published.txt: {line}")))
        .collect()
}

fn package(line: &str) -> Result<Package> {
    let mut words = line.split_whitespace();
    let mut word = || words.next();
    let (Some(language), Some(name), Some(taken)) = (word(), word(), word()) else {
        bail!("expected a language, a package, a pattern")
    };
    let left = word().map(Regex::new).transpose()?;
    Ok(Package {
        language: language.into(),
        name: name.into(),
        taken: Regex::new(taken)?,
        left,
    })
}

/// Returns the files of a language without duplicates. If `fetch`, missing packages are fetched;
/// otherwise they are left out.
fn files(language: &str, fetch: bool) -> Result<Vec<PathBuf>> {
    let (mut all, fetched) = (Vec::new(), target_directory().join("files"));
    for package in listed()?
        .iter()
        .filter(|package| package.language == language)
    {
        let directory = fetched.join(package.name.replace([':', '/'], "_"));
        if !directory.is_dir() && !fetch {
            continue;
        }
        let (registry, name) = (package.name.split_once(':')).context("no registry")?;
        let directory = packages::fetch(registry, name, &directory)
            .with_context(|| format!("cannot fetch {}", package.name))?;
        let before = all.len();
        all.extend(
            zester_xtask::zester::files(&directory)?
                .into_iter()
                .filter(|path| package.takes(path)),
        );
        if all.len() == before {
            eprintln!("no files of {}", package.name);
        }
    }
    distinct(all)
}

/// Returns files that people wrote in a language: those of published packages, or those of `corpus/`
/// if there are none.
pub fn files_or_corpus(language: &str, fetch: bool) -> Result<Vec<PathBuf>> {
    let files = files(language, fetch)?;
    if files.is_empty() {
        zester_xtask::zester::files(&file("corpus").join(language))
    } else {
        Ok(files)
    }
}

/// Removes files with the same content as an earlier one: some packages contain the same file.
fn distinct(files: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let (mut contents, mut first) = (std::collections::HashSet::new(), Vec::new());
    for file in files {
        if contents
            .insert(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?)
        {
            first.push(file);
        }
    }
    Ok(first)
}

impl Package {
    fn takes(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        self.taken.is_match(&path) && !self.left.as_ref().is_some_and(|left| left.is_match(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let package = listed()
            .unwrap()
            .into_iter()
            .find(|package| package.name == "npm:bulma@0.9.4")
            .unwrap();
        let takes = ["a/css/bulma.css", "a/css/bulma.min.css", "a/css/other.css"]
            .map(|path| package.takes(Path::new(path)));
        assert_eq!(takes, [true, true, false]);
        assert!(
            super::package("json crate:x@1").is_err()
                && super::package("json crate:x@1 (").is_err()
        );
    }

    #[test]
    fn the_same_content_counts_once() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let files = [write("a", "1"), write("b", "2"), write("c", "1")];
        assert_eq!(distinct(files.to_vec()).unwrap(), files[..2]);
    }
}
