//! Texts to a corpus of parameters: what `zester encode` and `zester convert` share.
//!
//! A corpus is written beside its place and moved there when it is whole, so nothing that ends early leaves a part of one there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use zester::corpus;
use zester::derivation::Derivation;
use zester::derive::Workspace;
use zester::grammar::Grammar;
use zester::parameters::{self, Settings};
use zester::parse::Parser;

use super::{Problem, progress};

/// What libFuzzer takes for `-max_len` if nothing says another, and the seeds are not larger.
const USUAL_LENGTH: usize = 4096;

/// Causes that the summary tells, the most frequent first.
const CAUSES: usize = 20;

/// A text that is to become parameters.
pub struct Entry {
    /// What messages call it.
    pub place: String,
    /// What its file in the corpus is called, if no other is.
    pub name: String,
}

/// Why a text became no parameters.
pub struct Refusal {
    /// The same for texts that are refused for the same.
    pub cause: String,
    /// Where and why.
    pub message: String,
}

impl Refusal {
    pub fn new(cause: impl Into<String>) -> Refusal {
        let cause = cause.into();
        Refusal { message: cause.clone(), cause }
    }
}

/// What the program is asked to do.
pub struct Import<'a> {
    pub grammar: &'a Grammar,
    pub settings: Settings,
    /// The corpus.
    pub output: &'a Path,
    /// How many texts are read at once.
    pub jobs: usize,
}

/// What came of it.
#[derive(Default)]
struct Summary {
    accepted: usize,
    same: usize,
    bytes: usize,
    longest: usize,
    causes: HashMap<String, (usize, String)>,
}

impl Import<'_> {
    /// Reads all texts and writes the corpus; whether any was accepted. `load` gives an entry's text.
    pub fn run(&self, entries: &[Entry], load: impl Fn(usize) -> Result<Vec<u8>, Refusal> + Sync) -> Result<bool, Problem> {
        let partial = Partial::new(self.output)?;
        let progress = progress(entries.len() as u64, "files");
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::sync_channel(64);
        let summary = std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, entries.len().max(1)) {
                let (sender, next, load) = (sender.clone(), &next, &load);
                scope.spawn(move || {
                    let mut reader = Reader::new(self);
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        // Nobody receives if the corpus cannot be written.
                        if at >= entries.len() || sender.send((at, load(at).and_then(|text| reader.read(&text)))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut writer =
                Writer { partial: &partial, summary: Summary::default(), known: HashSet::new(), names: HashSet::new() };
            let (mut waiting, mut at) = (BTreeMap::new(), 0);
            for (index, result) in receiver {
                waiting.insert(index, result);
                // In the order of the entries, so that names do not depend on what was read first.
                while let Some(result) = waiting.remove(&at) {
                    writer.add(&entries[at], result)?;
                    at += 1;
                    progress.inc(1);
                }
            }
            Ok(writer.summary)
        })?;
        progress.finish_and_clear();
        if summary.accepted > 0 {
            partial.finish(self.grammar, self.output)?;
            let options = self.options();
            let longest = summary.longest.max(USUAL_LENGTH);
            std::fs::write(&options, format!("[libfuzzer]\nmax_len = {longest}\n")).map_err(|e| Problem::with(&options, e))?;
        }
        self.tell(&summary, entries.len());
        Ok(summary.accepted > 0)
    }

    /// The file that tells libFuzzer's runners the length that the seeds need.
    fn options(&self) -> PathBuf {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".options");
        name.into()
    }

    fn tell(&self, summary: &Summary, entries: usize) {
        let Summary { accepted, same, bytes, longest, causes } = summary;
        let share = 100.0 * (accepted + same) as f64 / entries.max(1) as f64;
        let mut text = format!("{} of {entries} accepted ({share:.1} %)", accepted + same);
        if *same > 0 {
            let _ = write!(text, ", {same} of them the same as others");
        }
        let _ = writeln!(text);
        let mut causes: Vec<_> = causes.iter().collect();
        causes.sort_by_key(|(cause, (count, _))| (std::cmp::Reverse(*count), *cause));
        for (cause, (count, example)) in causes.iter().take(CAUSES) {
            let _ = writeln!(text, "{count:>8}  {cause}\n          {example}");
        }
        if causes.len() > CAUSES {
            let _ = writeln!(text, "          and {} more causes", causes.len() - CAUSES);
        }
        if *accepted > 0 {
            let place = self.output.display();
            let _ = writeln!(text, "{accepted} files, {bytes} bytes in {place}; the longest has {longest}");
            let options = self.options();
            let _ = writeln!(text, "-max_len={} is enough; {} says so", longest.max(&USUAL_LENGTH), options.display());
        }
        eprint!("{text}");
    }
}

/// Reads texts, one after the other.
struct Reader<'a> {
    import: &'a Import<'a>,
    parser: Parser<'a>,
    derivation: Derivation,
    workspace: Workspace,
    again: Vec<u8>,
}

impl<'a> Reader<'a> {
    fn new(import: &'a Import<'a>) -> Reader<'a> {
        let parser = Parser::new(import.grammar);
        Reader { import, parser, derivation: Derivation::default(), workspace: Workspace::default(), again: Vec::new() }
    }

    /// The parameters of a text: those that mean it.
    fn read(&mut self, text: &[u8]) -> Result<Vec<u8>, Refusal> {
        let Import { grammar, settings, .. } = self.import;
        if text.len() > settings.caps.bytes as usize {
            return Err(Refusal::new(format!("longer than {} bytes, which a sentence may have (--most)", settings.caps.bytes)));
        }
        if let Err(error) = self.parser.parse(text, &mut self.derivation) {
            let explained = self.parser.explain(text, error);
            return Err(Refusal { cause: explained.cause.clone(), message: explained.to_string() });
        }
        let mut bytes = Vec::new();
        parameters::encode(grammar, &self.derivation, &mut bytes);
        bytes.resize(bytes.len().max(1), 0);
        parameters::decode_text(grammar, settings, &bytes, &mut self.workspace, &mut self.again);
        if self.again != text {
            let same = self.again.iter().zip(text).take_while(|(one, other)| one == other).count();
            let message = format!("byte {same} would be another: beyond bounds or caps");
            return Err(Refusal { cause: "beyond bounds or caps".into(), message });
        }
        Ok(bytes)
    }
}

struct Writer<'a> {
    partial: &'a Partial,
    summary: Summary,
    known: HashSet<Vec<u8>>,
    names: HashSet<String>,
}

impl Writer<'_> {
    fn add(&mut self, entry: &Entry, result: Result<Vec<u8>, Refusal>) -> Result<(), Problem> {
        let bytes = match result {
            Ok(bytes) => bytes,
            Err(Refusal { cause, message }) => {
                let example = || {
                    format!(
                        "{}:{}{message}",
                        entry.place,
                        if message.starts_with(|c: char| c.is_ascii_digit()) { "" } else { " " }
                    )
                };
                self.summary.causes.entry(cause).or_insert_with(|| (0, example())).0 += 1;
                return Ok(());
            }
        };
        if self.known.contains(&bytes) {
            self.summary.same += 1;
            return Ok(());
        }
        let mut name = entry.name.clone();
        for number in 2.. {
            if self.names.insert(name.clone()) {
                break;
            }
            name = format!("{}-{number}", entry.name);
        }
        self.partial.write(&name, &bytes)?;
        self.summary.accepted += 1;
        self.summary.bytes += bytes.len();
        self.summary.longest = self.summary.longest.max(bytes.len());
        self.known.insert(bytes);
        Ok(())
    }
}

/// A corpus in the making, beside its place; gone unless it is finished.
struct Partial {
    directory: PathBuf,
}

impl Partial {
    fn new(output: &Path) -> Result<Partial, Problem> {
        if output.exists() && !output.is_dir() {
            return Err(Problem::with(output, "no directory"));
        }
        let mut name = output.as_os_str().to_owned();
        name.push(format!(".partial-{}", std::process::id()));
        let directory = PathBuf::from(name);
        std::fs::create_dir_all(&directory).map_err(|error| Problem::with(&directory, error))?;
        Ok(Partial { directory })
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Problem> {
        let path = self.directory.join(name);
        std::fs::write(&path, bytes).map_err(|error| Problem::with(&path, error))
    }

    /// Moves all files to the corpus; if that fails, none.
    fn finish(&self, grammar: &Grammar, output: &Path) -> Result<(), Problem> {
        let problem = |error| Problem::with(output, error);
        if !output.exists() {
            corpus::mark(&self.directory, grammar).map_err(problem)?;
            return std::fs::rename(&self.directory, output).map_err(problem);
        }
        corpus::mark(output, grammar).map_err(problem)?;
        let mut added = Vec::new();
        for entry in std::fs::read_dir(&self.directory).map_err(problem)?.flatten() {
            let to = unused(output, &entry.file_name().to_string_lossy(), &entry.path());
            let Some(to) = to else { continue };
            // Another file system takes a copy, which is given its name when it is whole.
            let moved = std::fs::rename(entry.path(), &to).or_else(|_| {
                let copy = output.join(format!(".partial-{}", std::process::id()));
                let copied = std::fs::copy(entry.path(), &copy).and_then(|_| std::fs::rename(&copy, &to));
                copied.inspect_err(|_| drop(std::fs::remove_file(&copy)))
            });
            if let Err(error) = moved {
                added.iter().for_each(|path| drop(std::fs::remove_file(path)));
                return Err(Problem::with(&to, error));
            }
            added.push(to);
        }
        Ok(())
    }
}

/// Where a file of this name goes in a corpus that has others; nowhere if it is there already.
fn unused(corpus: &Path, name: &str, file: &Path) -> Option<PathBuf> {
    let names = std::iter::once(name.to_string()).chain((2..).map(|number| format!("{name}-{number}")));
    for path in names.map(|name| corpus.join(name)) {
        if !path.exists() {
            return Some(path);
        }
        if std::fs::read(&path).ok() == std::fs::read(file).ok() {
            return None;
        }
    }
    None
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// How many texts to read at once if nobody says.
pub fn jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
