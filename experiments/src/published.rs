//! Files that people wrote: the test data and sources of published packages, fetched once to
//! `target/files`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use regex::Regex;

use zester_xtask::command::{self, quietly};
use zester_xtask::repository::{file, target_directory};

/// A package and a selection of its files.
#[derive(Debug)]
struct Package {
    /// The language of the files.
    language: String,
    /// The package: crate:NAME@VERSION, npm:NAME@VERSION, deb:NAME (of this Debian) or
    /// pypi:NAME@VERSION.
    name: String,
    /// A pattern of the paths that are selected.
    taken: Regex,
    /// A pattern of paths that are excluded.
    left: Option<Regex>,
}

/// Returns all packages, in the order of the list.
fn packages() -> Result<Vec<Package>> {
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
pub fn files(language: &str, fetch: bool) -> Result<Vec<PathBuf>> {
    let (mut all, fetched) = (Vec::new(), target_directory().join("files"));
    for package in packages()?
        .iter()
        .filter(|package| package.language == language)
    {
        let directory = fetched.join(package.name.replace([':', '/'], "_"));
        if !directory.is_dir() {
            if !fetch {
                continue;
            }
            fs::create_dir_all(&fetched)?;
            package
                .fetch(&directory)
                .with_context(|| format!("cannot fetch {}", package.name))?;
        }
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

/// Returns files that people wrote in a language: published ones, or those of `corpus/` if none are
/// fetched.
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

    /// Fetches the package to a directory, which appears only when it is complete.
    fn fetch(&self, directory: &Path) -> Result<()> {
        let part = tempfile::tempdir_in(
            directory
                .parent()
                .context("a directory under target/files")?,
        )?;
        let (kind, name) = self.name.split_once(':').context("no kind of package")?;
        let (name, version) = name.rsplit_once('@').unwrap_or((name, ""));
        let last = name.rsplit('/').next().unwrap_or(name);
        match kind {
            "crate" => archive(
                &format!("https://static.crates.io/crates/{name}/{name}-{version}.crate"),
                part.path(),
            )?,
            "npm" => archive(
                &format!("https://registry.npmjs.org/{name}/-/{last}-{version}.tgz"),
                part.path(),
            )?,
            "deb" => {
                quietly(
                    Command::new("apt-get")
                        .args(["download", name])
                        .current_dir(part.path()),
                )?;
                for archive in zester_xtask::zester::files(part.path())? {
                    quietly(
                        Command::new("dpkg-deb")
                            .arg("-x")
                            .arg(&archive)
                            .arg(part.path()),
                    )?;
                    fs::remove_file(archive)?;
                }
            }
            "pypi" => {
                let package = format!("{name}=={version}");
                let flags = ["-m", "pip", "download", "--no-deps", "--no-binary", ":all:"];
                quietly(
                    Command::new("python3")
                        .args(flags)
                        .arg(package)
                        .current_dir(part.path()),
                )?;
                for archive in zester_xtask::zester::files(part.path())? {
                    quietly(
                        Command::new("tar")
                            .arg("-xzf")
                            .arg(&archive)
                            .arg("-C")
                            .arg(part.path()),
                    )?;
                    fs::remove_file(archive)?;
                }
            }
            _ => bail!("no kind of package is called {kind}"),
        }
        fs::rename(part.keep(), directory)?;
        Ok(())
    }
}

/// Downloads an archive and unpacks it to a directory.
fn archive(address: &str, to: &Path) -> Result<()> {
    let file = tempfile::NamedTempFile::new()?;
    let bytes = command::output(Command::new("curl").args(["-sSfL", address]))?;
    fs::write(file.path(), bytes)?;
    quietly(
        Command::new("tar")
            .arg("-xzf")
            .arg(file.path())
            .arg("-C")
            .arg(to),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        let package = packages()
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
