//! `zester convert`: a corpus of one grammar to another.

use std::path::PathBuf;
use std::process::ExitCode;

use zester::corpus::seeds::Refusal;
use zester::derive::Workspace;
use zester::parameters;

use crate::command::{Problem, grammar, inputs, warn_of_stale};
use crate::import::{Entry, Import};

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

    #[command(flatten)]
    import: Import,
}

impl Convert {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.import.limits.settings();
        let (old, new) = (grammar(&self.old, &settings.caps)?, grammar(&self.new, &settings.caps)?);
        warn_of_stale(&self.files, &old);
        let files = inputs(&self.files)?;
        let output = self.import.output.canonicalize().ok();
        let is_there = |file: &PathBuf| output.is_some() && file.parent().and_then(|parent| parent.canonicalize().ok()) == output;
        if files.iter().any(is_there) {
            return Err(Problem::with(&self.import.output, "this is the old corpus; the new one wants a directory of its own"));
        }
        let entries: Vec<Entry> = files.iter().map(|file| Entry::of_file(file)).collect();
        self.import.run(&new, &entries, |at| {
            let bytes = crate::command::parameters(&files[at]).map_err(|problem| Refusal::new(problem.message().trim_end()))?;
            let mut text = Vec::new();
            parameters::decode_text(&old, &settings, &bytes, &mut Workspace::default(), &mut text);
            Ok(text)
        })
    }
}
