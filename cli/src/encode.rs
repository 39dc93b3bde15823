//! `zester encode`: encodes texts as a seed corpus.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use zester::corpus::{seeds, seeds::Refusal};

use crate::format_warnings::warn_of_parameters;
use crate::input::{self, grammar, is_inside, warn_of_stale};
use crate::problem::Problem;
use crate::seed_corpus::{SeedCorpus, TextName};
use crate::zip_archive::{self, ArchivedFile};

const EXAMPLES: &str = "\
Examples:
  zester encode json.ebnf tests/data -o fuzz/corpus/json
  zester encode json.ebnf 'samples/**/*.json' -o seeds

Exit status: 0; 1 if the grammar has errors; 2 if no text was accepted.";

/// Encode texts as a corpus of parameters: seeds for a fuzz target.
///
/// A directory means all files in it and in its subdirectories. A `.zip` archive means all files in
/// it. A pattern such as 'tests/**/*.json' means all files that match. Each text becomes one file of
/// parameters, which decode to that text byte for byte. Texts with the same parameters share a file.
/// The summary lists the causes for which texts were refused, with an example for each.
///
/// A new corpus directory appears when it is complete. The file CORPUS.options beside it sets the
/// max_len that the seeds need.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EncodeCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Text files, directories, `.zip` archives, or patterns; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    corpus: SeedCorpus,
}

/// The source of a text.
pub enum Source {
    File(PathBuf),
    /// A file in an archive.
    Archive(ArchivedFile),
    /// Standard input, already read.
    Memory(Vec<u8>),
}

impl EncodeCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let caps = self.corpus.limits.settings().caps;
        let grammar = grammar(&self.grammar, &caps)?;
        warn_of_stale([&self.corpus.output], &grammar);
        warn_of_parameters(&self.files, "`zester decode` makes texts of parameters");
        let (mut entries, mut sources) = (Vec::new(), Vec::new());
        for file in &self.files {
            for source in found(file)? {
                entries.push(source.0);
                sources.push(source.1);
            }
        }
        let output = &self.corpus.output;
        if sources
            .iter()
            .any(|source| matches!(source, Source::File(path) if is_inside(path, output)))
        {
            return Err(Problem::with(
                output,
                "holds the texts; write the parameters to another directory",
            ));
        }
        self.corpus
            .run(&grammar, &entries, |at| read(&sources[at], caps.bytes))
    }
}

/// Reads a text. Of a file with more than `max` bytes, reads `max + 1` bytes, so that the caller can
/// refuse it.
pub fn read(source: &Source, max: u32) -> Result<Vec<u8>, Refusal> {
    match source {
        Source::File(path) => seeds::read(File::open(path), max),
        Source::Archive(file) => file.read(max),
        Source::Memory(bytes) => Ok(bytes.clone()),
    }
}

/// Returns the names and the sources of the texts that an argument names.
pub fn found(path: &Path) -> Result<Vec<(TextName, Source)>, Problem> {
    if path == Path::new("-") {
        let entry = TextName {
            path: "standard input".into(),
            name: "stdin".into(),
        };
        return Ok(vec![(entry, Source::Memory(input::parameters(path)?))]);
    }
    let text = path.to_string_lossy();
    if !path.exists() && text.contains(['*', '?', '[']) {
        let paths = glob::glob(&text).map_err(|error| Problem::with(path, error))?;
        let mut all: Vec<PathBuf> = paths.flatten().filter(|path| path.is_file()).collect();
        all.sort();
        if all.is_empty() {
            return Err(Problem::with(path, "no file matches this"));
        }
        let each: Result<Vec<_>, Problem> = all.iter().map(|path| found(path)).collect();
        return Ok(each?.into_iter().flatten().collect());
    }
    let metadata = std::fs::metadata(path).map_err(|error| Problem::with(path, error))?;
    if metadata.is_dir() {
        let all = seeds::files(path, |path, error| {
            eprintln!("zester: warning: {}: {error}", path.display())
        });
        return Ok(all.into_iter().map(file).collect());
    }
    if path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("zip"))
    {
        let files = zip_archive::files(path).map_err(|error| Problem::with(path, error))?;
        return Ok(files
            .into_iter()
            .map(|(name, file)| (name, Source::Archive(file)))
            .collect());
    }
    Ok(vec![file(path.to_path_buf())])
}

fn file(path: PathBuf) -> (TextName, Source) {
    (TextName::of_file(&path), Source::File(path))
}
