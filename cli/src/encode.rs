//! `zester encode`: text files to a seed corpus.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use zester::corpus::{self, seeds, seeds::Refusal};

use crate::command::{Problem, grammar, warn_of_stale};
use crate::import::{Entry, Import};

/// Turn text files into a corpus of parameters: seeds for a fuzz target.
///
/// A directory means the files in it and below, a `.zip` the files in it; a pattern such as `'tests/**/*.json'` means what it
/// matches. Every file becomes one file of parameters that decode to it, byte for byte; files whose parameters are the same
/// become one. The summary says what was refused, where and why.
///
/// The corpus appears at its place when it is whole. Beside it, CORPUS.options says which -max_len the seeds need.
///
/// The exit status is 0, or 2 if no file was accepted.
#[derive(clap::Args)]
pub struct Encode {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// Text files, directories, `.zip` archives, or patterns.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    import: Import,
}

type Archive = zip::ZipArchive<BufReader<File>>;

/// Where a text is.
pub enum Source {
    File(PathBuf),
    /// A file of an archive, by its place there.
    Archive(Arc<Mutex<Archive>>, usize),
}

impl Encode {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let caps = self.import.limits.settings().caps;
        let grammar = grammar(&self.grammar, &caps)?;
        warn_of_stale([&self.import.output], &grammar);
        let (mut entries, mut sources) = (Vec::new(), Vec::new());
        for file in &self.files {
            for source in found(file)? {
                entries.push(source.0);
                sources.push(source.1);
            }
        }
        self.import.run(&grammar, &entries, |at| read(&sources[at], caps.bytes))
    }
}

pub fn read(source: &Source, most: u32) -> Result<Vec<u8>, Refusal> {
    match source {
        Source::File(path) => seeds::read(File::open(path), most),
        Source::Archive(archive, at) => {
            let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
            seeds::read(archive.by_index(*at).map_err(std::io::Error::from), most)
        }
    }
}

/// The texts that an argument stands for.
pub fn found(path: &Path) -> Result<Vec<(Entry, Source)>, Problem> {
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
        let all = seeds::files(path, |path, error| eprintln!("zester: warning: {}: {error}", path.display()));
        return Ok(all.into_iter().map(file).collect());
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) {
        return archive(path).map_err(|error| Problem::with(path, error));
    }
    Ok(vec![file(path.to_path_buf())])
}

fn file(path: PathBuf) -> (Entry, Source) {
    (Entry::of_file(&path), Source::File(path))
}

fn archive(path: &Path) -> zip::result::ZipResult<Vec<(Entry, Source)>> {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path)?))?;
    let mut entries = Vec::new();
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at)?;
        // A name cannot lead out of the corpus.
        let name = entry.name().rsplit(['/', '\\']).next().unwrap_or_default();
        if entry.is_file() && !["", ".", ".."].contains(&name) && !corpus::is_mark(name.as_ref()) {
            let place = format!("{}:{}", path.display(), entry.name());
            entries.push((Entry { place, name: name.to_string() }, at));
        }
    }
    let archive = Arc::new(Mutex::new(archive));
    Ok(entries.into_iter().map(|(entry, at)| (entry, Source::Archive(archive.clone(), at))).collect())
}
