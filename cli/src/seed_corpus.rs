//! Encodes texts as a corpus of parameters, for `zester encode` and `zester convert`.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError, mpsc};

use indicatif::ProgressBar;
use zester::corpus::seeds::{Encoder, Refusal, Seed};
use zester::grammar::Grammar;
use zester::parse::Parser;

use crate::arguments::{SentenceLimits, threads};
use crate::causes::Causes;
use crate::libfuzzer_options::{self, MaxLen};
use crate::numbers::counted;
use crate::output::{self, Existing};
use crate::partial_corpus::PartialCorpus;
use crate::problem::Problem;
use crate::progress::progress;

/// libFuzzer's `-max_len` if no option sets it and the seeds are not longer.
const USUAL_LENGTH: u64 = 4096;

/// The maximum number of results that wait for earlier ones; it bounds the memory.
const AHEAD: usize = 256;

/// The maximum number of renamed files that the summary lists.
const RENAMED: usize = 10;

/// The names of a text to encode.
pub struct TextName {
    /// The path of the text for messages.
    pub path: String,
    /// The name of its file in the corpus.
    pub name: String,
}

impl TextName {
    /// Returns the names of a file's text.
    pub fn of_file(path: &Path) -> TextName {
        let name = path
            .file_name()
            .unwrap_or("-".as_ref())
            .to_string_lossy()
            .into_owned();
        TextName {
            path: path.display().to_string(),
            name,
        }
    }
}

/// The options of `zester encode` and `zester convert`: the corpus, and how texts are read.
#[derive(clap::Args)]
pub struct SeedCorpus {
    /// The directory of the corpus. If it exists, files are added to it, and no file in it is
    /// replaced.
    #[arg(short, long, value_name = "CORPUS")]
    pub output: PathBuf,

    /// The number of files to read at the same time, from 1 to 1024 [default: the number of
    /// processors].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// If a text is not a sentence, cut out the elements of repetitions (statements, members) that
    /// have errors, or what comes after an error, and encode the rest. Insert separators that are missing
    /// between tokens.
    #[arg(long)]
    recover: bool,

    /// Print a line for every file that is refused or renamed.
    #[arg(short, long)]
    verbose: bool,

    /// Raise max_len in the file CORPUS.options even if it was edited by hand.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub limits: SentenceLimits,
}

/// The figures of the summary.
#[derive(Default)]
struct SeedSummary {
    /// The number of files that were written.
    accepted: usize,
    /// The number of accepted texts whose parameters were written for another text.
    same: usize,
    /// The number of texts of which only a part is accepted, and the number of bytes that were cut.
    cut: (usize, usize),
    /// The size of all files that were written.
    bytes: usize,
    causes: Causes,
    /// A line for each file whose name was changed in another way than by a number at its end.
    renamed: Vec<String>,
}

impl SeedCorpus {
    /// Encodes all texts and writes the corpus. `load(at)` returns the text of `entries[at]`. Returns the
    /// exit status: 2 if no text was accepted. Then no corpus is written.
    pub fn run(
        &self,
        grammar: &Grammar,
        entries: &[TextName],
        load: impl Fn(usize) -> Result<Vec<u8>, Refusal> + Sync,
    ) -> Result<ExitCode, Problem> {
        let partial = PartialCorpus::new(&self.output)?;
        let progress = progress(entries.len() as u64, "files");
        let parser = Parser::new(grammar);
        // A reader needs a permit for each text. The writer sends the permits, so that at most AHEAD
        // texts are read before they can be written.
        let (permits, turns) = mpsc::channel();
        for at in 0..entries.len().min(AHEAD) {
            let _ = permits.send(at);
        }
        let (sender, results) = mpsc::channel();
        let turns = Mutex::new(turns);
        let verbose = self.verbose.then_some(&progress);
        let mut writer = Writer {
            partial,
            summary: SeedSummary::default(),
            verbose,
            known: HashSet::new(),
            hashers: Default::default(),
        };
        std::thread::scope(|scope| {
            // The channel of permits is closed when all files are written or writing fails. Then the
            // readers stop.
            let permits = permits;
            for _ in 0..threads(self.jobs, entries.len()) {
                let (sender, turns, load) = (sender.clone(), &turns, &load);
                let mut encoder = Encoder::new(
                    parser.clone(),
                    grammar,
                    self.limits.settings(),
                    self.recover,
                );
                scope.spawn(move || {
                    let turn = || turns.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    while let Ok(at) = turn() {
                        // A panic for one text must not prevent reading the others.
                        let read =
                            AssertUnwindSafe(|| load(at).and_then(|text| encoder.encode(&text)));
                        let result = catch_unwind(read)
                            .unwrap_or_else(|_| Err(Refusal::new("a bug in zester; see above")));
                        let _ = sender.send((at, result));
                    }
                });
            }
            let mut waiting = BTreeMap::new();
            // Results are written in the order of the entries, so that names do not depend on the
            // threads.
            for (at, entry) in entries.iter().enumerate() {
                while !waiting.contains_key(&at) {
                    let Ok((read, result)) = results.recv() else {
                        return Ok(());
                    };
                    waiting.insert(read, result);
                }
                let Some(result) = waiting.remove(&at) else {
                    continue;
                };
                writer.add(entry, result)?;
                if at + AHEAD < entries.len() {
                    let _ = permits.send(at + AHEAD);
                }
                progress.inc(1);
            }
            Ok(())
        })?;
        progress.finish_and_clear();
        let Writer {
            partial, summary, ..
        } = writer;
        let mut text = self.summary(&summary, entries.len());
        if summary.accepted > 0 {
            partial.finish(grammar, &self.output)?;
            let output = self.output.display();
            let _ = writeln!(
                text,
                "{}, {} in {output}",
                counted(summary.accepted, "file"),
                counted(summary.bytes, "byte")
            );
            text += &self.write_options()?;
        }
        eprint!("{text}");
        Ok(ExitCode::from(if summary.accepted > 0 { 0 } else { 2 }))
    }

    /// Writes the file CORPUS.options, which sets max_len. Returns a line for the summary.
    fn write_options(&self) -> Result<String, Problem> {
        let path = output::with_suffix(&self.output, ".options")
            .map_err(|error| Problem::with(&self.output, error))?;
        let longest = longest(&self.output).max(USUAL_LENGTH);
        let name = path.display();
        Ok(
            match libfuzzer_options::write(&path, longest, Existing { force: self.force })? {
                MaxLen::Sufficient => {
                    format!("-max_len={longest} is enough; {name} sets it\n")
                }
                MaxLen::Insufficient(current) => {
                    let current =
                        current.map_or("no max_len".into(), |value| format!("max_len = {value}"));
                    format!(
                        "zester: warning: -max_len={longest} is needed, or libFuzzer cuts the longest seeds; {name} was edited and has \
                     {current}; --force changes that line\n"
                    )
                }
            },
        )
    }

    /// Describes the results in a few lines.
    fn summary(&self, summary: &SeedSummary, entries: usize) -> String {
        let SeedSummary {
            accepted,
            same,
            cut,
            causes,
            renamed,
            ..
        } = summary;
        let share = 100.0 * (accepted + same) as f64 / entries.max(1) as f64;
        let mut text = format!("{} of {entries} accepted ({share:.1} %)", accepted + same);
        if *same > 0 {
            let _ = write!(text, ", {same} of them the same as others");
        }
        if cut.0 > 0 {
            let _ = write!(
                text,
                ", {} of them without {} of no sentence",
                cut.0,
                counted(cut.1, "byte")
            );
        }
        let _ = writeln!(text);
        text.push_str(&causes.summary());
        if !renamed.is_empty() {
            let _ = writeln!(
                text,
                "{} renamed, as no file of a corpus can have their names:",
                renamed.len()
            );
            renamed
                .iter()
                .take(RENAMED)
                .for_each(|line| text.push_str(&format!("          {line}\n")));
            if renamed.len() > RENAMED {
                let _ = writeln!(
                    text,
                    "          and {} more; --verbose lists them",
                    renamed.len() - RENAMED
                );
            }
        }
        text
    }
}

/// Writes the parameters of texts to the corpus.
struct Writer<'a> {
    partial: PartialCorpus,
    summary: SeedSummary,
    /// With --verbose, the progress bar. It is hidden while a line is printed.
    verbose: Option<&'a ProgressBar>,
    /// Two independent hashes of the parameters of each accepted text.
    known: HashSet<[u64; 2]>,
    hashers: [RandomState; 2],
}

impl Writer<'_> {
    /// Writes the result of the next text, or counts why it was refused.
    fn add(&mut self, entry: &TextName, result: Result<Seed, Refusal>) -> Result<(), Problem> {
        let Seed {
            parameters: bytes,
            cut,
        } = match result {
            Ok(seed) => seed,
            Err(refusal) => {
                let refused = self.summary.causes.add(&entry.path, refusal);
                self.print_verbose(&refused);
                return Ok(());
            }
        };
        if cut > 0 {
            self.summary.cut = (self.summary.cut.0 + 1, self.summary.cut.1 + cut);
        }
        if !self.known.insert(
            self.hashers
                .each_ref()
                .map(|hasher| hasher.hash_one(&bytes)),
        ) {
            self.summary.same += 1;
            return Ok(());
        }
        let name = self.partial.add(&entry.name, &bytes)?;
        let is_kept = name
            .strip_prefix(&*entry.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
        if !is_kept {
            let line = format!("{}: {name}", entry.path.escape_debug());
            self.print_verbose(&line);
            self.summary.renamed.push(line);
        }
        self.summary.accepted += 1;
        self.summary.bytes += bytes.len();
        Ok(())
    }

    /// With --verbose, prints a line.
    fn print_verbose(&self, line: &str) {
        if let Some(progress) = self.verbose {
            progress.suspend(|| eprintln!("{line}"));
        }
    }
}

/// Returns the size of the largest file of a corpus.
fn longest(corpus: &Path) -> u64 {
    let entries = std::fs::read_dir(corpus).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some(entry.metadata().ok().filter(|file| file.is_file())?.len()))
        .max()
        .unwrap_or(0)
}
