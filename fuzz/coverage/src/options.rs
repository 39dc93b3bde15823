//! The command line.
//!
//! All programs of this crate have the same options; only the default of `--within` depends on the
//! subject.

use anyhow::{Context, Result, bail};
use clap::Parser;
use std::fs;
use std::path::PathBuf;

const FIGURES: &str = "\
Figures:
  files, valid      files run; those accepted
  panics, skipped   files on which the subject panicked; files that are not UTF-8
  edges             edges covered; _valid: by accepted files
  within            of these, in the source files asked for; _all: compiled at all
  functions         with --functions: functions entered, likewise";

/// Runs texts through a fuzzing subject and counts the edges that they cover.
///
/// An edge is a branch or a fall-through between two basic blocks of the compiled subject, its
/// dependencies and the generic code that is compiled for it. Each edge counts once, however many
/// files cover it. Figures of valid inputs count the edges that accepted files cover. The order of
/// the files does not change the figures.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_long_help = FIGURES)]
pub struct Options {
    /// Text files to run, or directories of text files, at any depth.
    ///
    /// Files that are not UTF-8 are skipped and counted.
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,

    /// Read more paths of files and directories from FILE, one a line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,

    /// Read texts from standard input instead of files; each text ends with a zero byte.
    #[arg(short = '0', long, conflicts_with_all = ["paths", "list"])]
    pub null: bool,

    /// Write each text to DIR that covers an edge, or as an accepted text an edge, that no text before
    /// it covers so.
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,

    /// Also count the edges in source files whose path contains this text.
    ///
    /// May be repeated. The default, without this option and without --sources, is the subject's
    /// own crates.
    #[arg(long, value_name = "PATH_SUBSTRING")]
    pub within: Vec<String>,

    /// Read more texts for --within from the file LIST, one a line.
    ///
    /// Empty lines and lines that begin with `#` are skipped.
    #[arg(long, value_name = "LIST")]
    pub sources: Option<PathBuf>,

    /// Also count the functions that were entered.
    #[arg(long)]
    pub functions: bool,

    /// Before the figures, print a line of JSON for each text, with its outcome, the numbers of
    /// the edges that it covers, and how often it hits each of them.
    ///
    /// With --functions, the numbers are those of the functions that it enters in the source files
    /// of --within, and the hits are their calls. Calls that the compiler inlined do not count.
    #[arg(long)]
    pub each: bool,

    /// Print the figures as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// Returns the texts of `--within` and `--sources`, or else the default.
    pub fn sources(&self, default: &[&str]) -> Result<Vec<String>> {
        let mut within = self.within.clone();
        if let Some(list) = &self.sources {
            let text = fs::read_to_string(list)
                .with_context(|| format!("cannot read {}", list.display()))?;
            within.extend(
                text.lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .map(str::to_owned),
            );
            if within.is_empty() {
                bail!("{} lists no sources", list.display());
            }
        }
        if within.is_empty() {
            within.extend(default.iter().map(|&part| part.to_owned()));
        }
        Ok(within)
    }
}
