//! `zester encode`: encodes texts as a seed corpus.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use zester::corpus::{self, seeds, seeds::Refusal};

use crate::format_warnings::warn_of_parameters;
use crate::import::{Import, TextName};
use crate::input::{self, grammar, is_inside, warn_of_stale};
use crate::problem::Problem;

/// The end of the help text.
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
    import: Import,
}

type ZipReader = zip::ZipArchive<BufReader<File>>;

/// The source of a text.
pub enum Source {
    File(PathBuf),
    /// A file in an archive, with its index.
    Archive(Arc<Mutex<ZipReader>>, usize),
    /// Standard input, already read.
    Memory(Vec<u8>),
    /// A file in an archive that cannot be read, with the reason.
    Broken(String),
}

impl EncodeCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let caps = self.import.limits.settings().caps;
        let grammar = grammar(&self.grammar, &caps)?;
        warn_of_stale([&self.import.output], &grammar);
        warn_of_parameters(&self.files, "`zester decode` makes texts of parameters");
        let (mut entries, mut sources) = (Vec::new(), Vec::new());
        for file in &self.files {
            for source in found(file)? {
                entries.push(source.0);
                sources.push(source.1);
            }
        }
        let output = &self.import.output;
        if sources
            .iter()
            .any(|source| matches!(source, Source::File(path) if is_inside(path, output)))
        {
            return Err(Problem::with(
                output,
                "holds the texts; write the parameters to another directory",
            ));
        }
        self.import
            .run(&grammar, &entries, |at| read(&sources[at], caps.bytes))
    }
}

/// Reads a text. Of a file with more than `max` bytes, reads `max + 1` bytes, so that the caller can
/// refuse it.
pub fn read(source: &Source, max: u32) -> Result<Vec<u8>, Refusal> {
    match source {
        Source::File(path) => seeds::read(File::open(path), max),
        Source::Archive(archive, at) => {
            let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
            seeds::read(archive.by_index(*at).map_err(std::io::Error::from), max)
        }
        Source::Memory(bytes) => Ok(bytes.clone()),
        Source::Broken(why) => Err(Refusal::new(format!("cannot be read: {why}"))),
    }
}

/// Returns the names and the sources of the texts that an argument names.
pub fn found(path: &Path) -> Result<Vec<(TextName, Source)>, Problem> {
    if path == Path::new("-") {
        let entry = TextName {
            place: "standard input".into(),
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
        return archive(path).map_err(|error| Problem::with(path, error));
    }
    Ok(vec![file(path.to_path_buf())])
}

fn file(path: PathBuf) -> (TextName, Source) {
    (TextName::of_file(&path), Source::File(path))
}

/// Returns the names and the sources of the files in a zip archive.
fn archive(path: &Path) -> zip::result::ZipResult<Vec<(TextName, Source)>> {
    let archive = zip::ZipArchive::new(BufReader::new(File::open(path)?))?;
    let (count, archive) = (archive.len(), Arc::new(Mutex::new(archive)));
    let hidden = recorded_count(path)?.saturating_sub(count);
    if hidden > 0 {
        eprintln!(
            "zester: warning: {}: {hidden} files are not read, because later files have the same names",
            path.display()
        );
    }
    let mut entries = Vec::new();
    for at in 0..count {
        let mut open = archive.lock().unwrap_or_else(PoisonError::into_inner);
        match open.by_index_raw(at) {
            Ok(entry) => {
                // The directories are removed, so that a name cannot lead out of the corpus.
                let name = entry.name().rsplit(['/', '\\']).next().unwrap_or_default();
                if entry.is_file() && !corpus::is_mark(name.as_ref()) {
                    let place = format!("{}:{}", path.display(), entry.name());
                    entries.push((
                        TextName {
                            place,
                            name: name.to_string(),
                        },
                        Source::Archive(archive.clone(), at),
                    ));
                }
            }
            Err(error) => {
                let place = format!("{}: file {}", path.display(), at + 1);
                entries.push((
                    TextName {
                        place,
                        name: String::new(),
                    },
                    Source::Broken(error.to_string()),
                ));
            }
        }
    }
    Ok(entries)
}

/// Returns the number of files that the record at the end of a zip archive gives. Returns 0 if there
/// is no record, or if the number is too large for it.
fn recorded_count(path: &Path) -> std::io::Result<usize> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_OF_ARCHIVE)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    let record = end
        .windows(12)
        .rev()
        .find(|bytes| bytes.starts_with(b"PK\x05\x06"));
    let count = record.map_or(0, |record| u16::from_le_bytes([record[10], record[11]]));
    Ok(if count == u16::MAX { 0 } else { count.into() })
}

/// The maximum length of the end of an archive: a record of 22 bytes and a comment of at most
/// 65,535 bytes.
const END_OF_ARCHIVE: u64 = 22 + 65_535;
