//! `zester convert`: a corpus of one grammar to another.

use std::path::PathBuf;
use std::process::ExitCode;

use zester::derive::Workspace;
use zester::parameters;

use super::import::{Entry, Import, Refusal, jobs};
use super::{Limits, Problem, grammar, inputs, warn_of_stale};

/// Turn a corpus that one grammar wrote into one of another grammar: after a change of the grammar, say.
///
/// Every file is decoded with the old grammar, and its text is encoded with the new one. The summary says what is no sentence of
/// the new one, where and why. The old corpus stays as it is.
///
/// The exit status is 0, or 2 if no file could be converted.
#[derive(clap::Args)]
pub struct Convert {
    /// The grammar that the corpus was written with.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The grammar that it is to be of.
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Files of parameters, or directories of them.
    #[arg(value_name = "CORPUS", required = true)]
    files: Vec<PathBuf>,

    /// The new corpus, a directory; it is made if it is missing, and added to if not.
    #[arg(short, value_name = "CORPUS")]
    output: PathBuf,

    /// Files that are read at once; without it, as many as there are processors.
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,

    #[command(flatten)]
    limits: Limits,
}

impl Convert {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let (old, new) = (grammar(&self.old, &settings.caps)?, grammar(&self.new, &settings.caps)?);
        warn_of_stale(&self.files, &old);
        let files = inputs(&self.files)?;
        if files.iter().any(|file| {
            file.parent()
                .is_some_and(|parent| parent.canonicalize().ok() == self.output.canonicalize().ok() && self.output.exists())
        }) {
            return Err(Problem::with(&self.output, "this is the old corpus; the new one wants a directory of its own"));
        }
        let entry = |file: &PathBuf| Entry {
            place: file.display().to_string(),
            name: file.file_name().unwrap_or("-".as_ref()).to_string_lossy().into_owned(),
        };
        let entries: Vec<Entry> = files.iter().map(entry).collect();
        let import = Import { grammar: &new, settings, output: &self.output, jobs: self.jobs.unwrap_or_else(jobs) };
        let any = import.run(&entries, |at| {
            let bytes = super::parameters(&files[at]).map_err(|_| Refusal::new("cannot be read"))?;
            let mut text = Vec::new();
            parameters::decode_text(&old, &settings, &bytes, &mut Workspace::default(), &mut text);
            Ok(text)
        })?;
        Ok(ExitCode::from(if any { 0 } else { 2 }))
    }
}
