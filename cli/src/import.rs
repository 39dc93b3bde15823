//! Texts to a corpus of parameters: what `zester encode` and `zester convert` share.
//!
//! A corpus is written beside its place and moved there when it is whole, so nothing that ends early leaves a part of one there.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError, mpsc};

use indicatif::ProgressBar;
use zester::corpus;
use zester::corpus::seeds::{Encoder, Refusal, Seed};
use zester::grammar::Grammar;
use zester::parse::Parser;

use crate::command::{Limits, Problem, progress};

/// What libFuzzer takes for `-max_len` if nothing says another, and the seeds are not larger.
const USUAL_LENGTH: usize = 4096;

/// Results that may wait for those before them, or memory would grow with the corpus.
const AHEAD: usize = 256;

/// Causes that the summary tells, the most frequent first.
const CAUSES: usize = 20;

/// A text that is to become parameters.
pub struct Entry {
    /// What messages call it.
    pub place: String,
    /// What its file in the corpus is called, if no other is.
    pub name: String,
}

impl Entry {
    pub fn of_file(path: &Path) -> Entry {
        let name = path.file_name().unwrap_or("-".as_ref()).to_string_lossy().into_owned();
        Entry { place: path.display().to_string(), name }
    }
}

/// Where texts go, on the command line.
#[derive(clap::Args)]
pub struct Import {
    /// The new corpus, a directory; it is made if it is missing, and added to if not.
    #[arg(short, value_name = "CORPUS")]
    pub output: PathBuf,

    /// Files that are read at once; without it, as many as there are processors.
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,

    /// Of a text that is no sentence, take what is left when the elements that are in none are cut out: statements, members.
    #[arg(long)]
    recover: bool,

    /// Tell every file that is refused.
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    pub limits: Limits,
}

/// What came of it.
#[derive(Default)]
struct Summary {
    accepted: usize,
    same: usize,
    /// Those of which a part is accepted, and the bytes that are not.
    cut: (usize, usize),
    bytes: usize,
    /// What libFuzzer is told.
    longest: u64,
    causes: Causes,
}

/// Why texts were refused: how many, and one of them.
#[derive(Default)]
pub struct Causes(HashMap<String, (usize, String)>);

impl Causes {
    /// A refused text; what to say of it.
    pub fn add(&mut self, place: &str, refusal: Refusal) -> String {
        let Refusal { cause, message } = refusal;
        // A message begins with its place in the text, if it has one.
        let space = if message.starts_with(|c: char| c.is_ascii_digit()) { "" } else { " " };
        let refused = format!("{place}:{space}{message}");
        self.count(cause, 1, refused.clone());
        refused
    }

    /// Adds the causes of others.
    pub fn merge(&mut self, others: Causes) {
        others.0.into_iter().for_each(|(cause, (count, example))| self.count(cause, count, example));
    }

    fn count(&mut self, cause: String, more: usize, refused: String) {
        let (count, example) = self.0.entry(cause).or_insert_with(|| (0, refused.clone()));
        *count += more;
        // The same whatever was read first.
        if refused < *example {
            *example = refused;
        }
    }

    /// The causes, the most frequent first, a line each, and a line of an example.
    pub fn tell(&self) -> String {
        let mut causes: Vec<_> = self.0.iter().collect();
        causes.sort_by_key(|(cause, (count, _))| (std::cmp::Reverse(*count), *cause));
        let mut text = String::new();
        for (cause, (count, example)) in causes.iter().take(CAUSES) {
            let _ = writeln!(text, "{count:>8}  {cause}\n          {example}");
        }
        if causes.len() > CAUSES {
            let _ = writeln!(text, "          and {} more causes", causes.len() - CAUSES);
        }
        text
    }
}

impl Import {
    /// Reads all texts and writes the corpus; the status to end with. `load` gives an entry's text.
    pub fn run(
        &self,
        grammar: &Grammar,
        entries: &[Entry],
        load: impl Fn(usize) -> Result<Vec<u8>, Refusal> + Sync,
    ) -> Result<ExitCode, Problem> {
        let partial = Partial::new(&self.output)?;
        let progress = progress(entries.len() as u64, "files");
        let parser = Parser::new(grammar);
        // Each entry in turn, while what is read is written.
        let (permits, turns) = mpsc::channel();
        for at in 0..entries.len().min(AHEAD) {
            let _ = permits.send(at);
        }
        let (sender, results) = mpsc::channel();
        let turns = Mutex::new(turns);
        let jobs = self.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let told = self.verbose.then_some(&progress);
        let (known, names) = (HashSet::new(), HashSet::new());
        let mut writer = Writer { partial: &partial, summary: Summary::default(), told, known, names };
        std::thread::scope(|scope| {
            // Gone when all is written, or cannot be: then everybody stops.
            let permits = permits;
            for _ in 0..jobs.clamp(1, entries.len().max(1)) {
                let (sender, turns, load) = (sender.clone(), &turns, &load);
                let mut encoder = Encoder::new(parser.clone(), grammar, self.limits.settings(), self.recover);
                scope.spawn(move || {
                    let turn = || turns.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    while let Ok(at) = turn() {
                        // Whatever goes wrong with one text, the others are read.
                        let read = AssertUnwindSafe(|| load(at).and_then(|text| encoder.encode(&text)));
                        let result = catch_unwind(read).unwrap_or_else(|_| Err(Refusal::new("a fault of zester's; see above")));
                        let _ = sender.send((at, result));
                    }
                });
            }
            let mut waiting = BTreeMap::new();
            // In the order of the entries, so that names do not depend on what was read first.
            for (at, entry) in entries.iter().enumerate() {
                while !waiting.contains_key(&at) {
                    let Ok((read, result)) = results.recv() else { return Ok(()) };
                    waiting.insert(read, result);
                }
                let Some(result) = waiting.remove(&at) else { continue };
                writer.add(entry, result)?;
                if at + AHEAD < entries.len() {
                    let _ = permits.send(at + AHEAD);
                }
                progress.inc(1);
            }
            Ok(())
        })?;
        progress.finish_and_clear();
        let mut summary = writer.summary;
        if summary.accepted > 0 {
            partial.finish(grammar, &self.output)?;
            summary.longest = longest(&self.output).max(USUAL_LENGTH as u64);
            let (options, text) = (self.options(), format!("[libfuzzer]\nmax_len = {}\n", summary.longest));
            std::fs::write(&options, text).map_err(|error| Problem::with(&options, error))?;
        }
        self.tell(&summary, entries.len());
        Ok(ExitCode::from(if summary.accepted > 0 { 0 } else { 2 }))
    }

    /// The file that tells libFuzzer's runners the length that the seeds need.
    fn options(&self) -> PathBuf {
        let mut name = self.output.as_os_str().to_owned();
        name.push(".options");
        name.into()
    }

    fn tell(&self, summary: &Summary, entries: usize) {
        let Summary { accepted, same, cut, bytes, longest, causes } = summary;
        let share = 100.0 * (accepted + same) as f64 / entries.max(1) as f64;
        let mut text = format!("{} of {entries} accepted ({share:.1} %)", accepted + same);
        if *same > 0 {
            let _ = write!(text, ", {same} of them the same as others");
        }
        if cut.0 > 0 {
            let _ = write!(text, ", {} of them without {} bytes that are in no sentence", cut.0, cut.1);
        }
        let _ = writeln!(text);
        text.push_str(&causes.tell());
        if *accepted > 0 {
            let place = self.output.display();
            let _ = writeln!(text, "{accepted} files, {bytes} bytes in {place}");
            let _ = writeln!(text, "-max_len={longest} is enough; {} says so", self.options().display());
        }
        eprint!("{text}");
    }
}

struct Writer<'a> {
    partial: &'a Partial,
    summary: Summary,
    /// The progress, if every refused file is told.
    told: Option<&'a ProgressBar>,
    /// Hashes of what there is: of two kinds, so that none are the same by chance.
    known: HashSet<[u64; 2]>,
    names: HashSet<String>,
}

impl Writer<'_> {
    fn add(&mut self, entry: &Entry, result: Result<Seed, Refusal>) -> Result<(), Problem> {
        let Seed { parameters: bytes, cut } = match result {
            Ok(seed) => seed,
            Err(refusal) => {
                let refused = self.summary.causes.add(&entry.place, refusal);
                if let Some(progress) = self.told {
                    progress.suspend(|| eprintln!("{refused}"));
                }
                return Ok(());
            }
        };
        if cut > 0 {
            self.summary.cut = (self.summary.cut.0 + 1, self.summary.cut.1 + cut);
        }
        let hash = |kind: u8| {
            let mut hasher = DefaultHasher::new();
            (kind, &bytes).hash(&mut hasher);
            hasher.finish()
        };
        if !self.known.insert([hash(0), hash(1)]) {
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
        corpus::mark(output, grammar).map_err(problem)
    }
}

/// The size of the largest file of a corpus.
fn longest(corpus: &Path) -> u64 {
    let entries = std::fs::read_dir(corpus).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok().filter(|file| file.is_file())?.len())).max().unwrap_or(0)
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
