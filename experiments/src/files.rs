//! Measures whether zester parses files that people wrote.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use regex::Regex;

use crate::published;
use zester_xtask::command::completed;
use zester_xtask::repository::file;
use zester_xtask::zester::Zester;

/// Measures the share of published files that zester parses byte for byte.
///
/// The test data and sources of published packages (experiments/src/published.txt) are fetched
/// once, to target/files. `zester encode` reads every file of the language. Prints the share that
/// it accepts, and the causes for which it refuses the others. Fails below 95 %.
#[derive(clap::Args)]
pub struct Files {
    /// The languages [default: all in published.txt].
    #[arg(default_value_if("quick", "true", "cedar"))]
    languages: Vec<String>,
    /// Print a line for every file that is refused.
    #[arg(long)]
    verbose: bool,
    /// Read only the files of one small language, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Files {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let zester = Zester::build()?;
        let languages = if self.languages.is_empty() {
            published::languages()?
        } else {
            self.languages.clone()
        };
        let mut low = Vec::new();
        for language in languages {
            println!("\n== {language}");
            let files = published::files(&language, true)?;
            ensure!(!files.is_empty(), "no files in {language}");
            if self.read(&language, &files, &zester)? < 95.0 {
                low.push(language);
            }
        }
        ensure!(
            low.is_empty(),
            "less than 95 % accepted: {}",
            low.join(", ")
        );
        Ok(())
    }

    /// Runs `zester encode` on the files. Returns the percentage that it accepts.
    fn read(&self, language: &str, files: &[PathBuf], zester: &Zester) -> Result<f64> {
        let work = tempfile::tempdir()?;
        let grammar = file("grammars").join(language).with_extension("ebnf");
        let mut encode = zester.command("encode");
        encode
            .arg(grammar)
            .arg("-o")
            .arg(work.path().join("corpus"));
        if self.verbose {
            encode.arg("--verbose");
        }
        // The command line may have two megabytes, which suffices for the files of a few packages.
        let names: Vec<OsString> = linked(files, &work.path().join("files"))?;
        let completed = completed(encode.current_dir(work.path()).args(names))?;
        print!("{}", completed.text);
        accepted(&completed.text).with_context(|| {
            format!(
                "zester encode does not say what it accepted:\n{}",
                completed.text
            )
        })
    }
}

/// Makes links to files with short names that identify the file: `NUMBER-NAME`.
fn linked(files: &[PathBuf], directory: &Path) -> Result<Vec<OsString>> {
    fs::create_dir(directory)?;
    let mut names = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let name = format!(
            "{number}-{}",
            file.file_name()
                .context("a file has a name")?
                .to_string_lossy()
        );
        std::os::unix::fs::symlink(file, directory.join(&name))?;
        names.push(Path::new("files").join(name).into_os_string());
    }
    Ok(names)
}

/// Returns the percentage in the line `… accepted (95.0 %) …`.
fn accepted(text: &str) -> Option<f64> {
    let pattern = Regex::new(r" accepted \(([0-9.]+) ?%").expect("a pattern");
    pattern.captures(text)?[1].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_in_the_text() {
        assert_eq!(
            accepted("x\n77 of 78 accepted (98.7 %), 100 kB\n"),
            Some(98.7)
        );
        assert_eq!(accepted("nothing"), None);
    }
}
