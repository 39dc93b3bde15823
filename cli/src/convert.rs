//! `zester convert`: converts a corpus from one grammar to another.

use std::path::PathBuf;
use std::process::ExitCode;

use zester::corpus::seeds::Refusal;
use zester::parameters::{Decoder, Edits};

use crate::format_warnings::warn_of_texts;
use crate::input::{self, grammar, inputs, is_inside, warn_of_stale};
use crate::problem::Problem;
use crate::seed_corpus::{SeedCorpus, TextName};

const EXAMPLES: &str = "\
Examples:
  git show HEAD~1:my.ebnf >old.ebnf
  zester convert old.ebnf my.ebnf fuzz/corpus/my -o converted

Exit status: 0; 1 if a grammar has errors; 2 if no file could be converted, or if the command failed for another reason.";

/// Convert a corpus to another grammar, after the grammar has changed.
///
/// Each file is decoded with the old grammar, and its text is encoded with the new one. The
/// edits of edited sentences are dropped: the sentence before its edits is converted. The
/// summary lists the 20 most frequent causes of refusals, with an example for each. The old corpus
/// stays unchanged.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConvertCommand {
    /// The grammar that the corpus was written with.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The grammar that the new corpus is written with.
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// Files of parameters, or directories of them.
    #[arg(value_name = "CORPUS", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    corpus: SeedCorpus,
}

impl ConvertCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.corpus.limits.settings().edits(Edits::Off);
        let (old, new) = (
            grammar(&self.old, &settings.caps)?,
            grammar(&self.new, &settings.caps)?,
        );
        warn_of_stale(&self.files, &old);
        warn_of_texts(&self.files, &old);
        let files = inputs(&self.files)?;
        if files
            .iter()
            .any(|file| is_inside(file, &self.corpus.output))
        {
            return Err(Problem::with(
                &self.corpus.output,
                "this is the old corpus; name another directory for the new one",
            ));
        }
        let entries: Vec<TextName> = files.iter().map(|file| TextName::of_file(file)).collect();
        self.corpus.run(&new, &entries, |at| {
            let bytes = input::parameters(&files[at])
                .map_err(|problem| Refusal::new(problem.message().trim_end()))?;
            Ok(Decoder::new(&old).settings(settings).text(&bytes).to_vec())
        })
    }
}
