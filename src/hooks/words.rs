//! The file of words beside the corpus. It has the words that the campaign confirmed. Every process
//! of the campaign appends its words, and reads the words of the others.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::iter::once;
use std::path::{Path, PathBuf};

use super::settings::Options;
use crate::corpus;
use crate::error::Error;
use crate::feedback;
use crate::mutate::{Mutator, WORDS_HEADER};

/// The environment variable that names the file.
const VARIABLE: &str = "ZESTER_WORDS";

/// The number of runs between two reads of the file.
const RUNS: u32 = 4096;

/// The maximum number of bytes that are read: some 50,000 words.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct WordsFile {
    path: PathBuf,
    /// The number of bytes of the file that this process has read.
    read: u64,
    /// The number of lines that this process has read.
    lines: usize,
    /// The number of runs until the process reads the file.
    runs: u32,
}

impl WordsFile {
    fn new(path: PathBuf) -> WordsFile {
        WordsFile {
            path,
            read: 0,
            lines: 0,
            runs: RUNS,
        }
    }

    /// Opens and reads the file of words. It need not exist. Returns [`None`] if this process uses
    /// no file of words.
    ///
    /// # Errors
    /// If the file cannot be read. The message has the line.
    pub fn open(options: &Options, mutator: &mut Mutator<'_>) -> Result<Option<WordsFile>, Error> {
        if options.runs_files() || options.merges {
            return Ok(None);
        }
        let Some(path) = options.words.clone() else {
            return Ok(None);
        };
        if options.parent {
            // The processes that libFuzzer starts have corpora of their own.
            // SAFETY: no other thread may use the environment. The process has one thread, because
            // libFuzzer starts its threads after LLVMFuzzerInitialize, which calls this function.
            #[allow(unsafe_code)]
            unsafe {
                feedback::set_environment(VARIABLE, &path.display().to_string());
            }
        }
        let mut file = WordsFile::new(path);
        let text = match file.rest() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some(file)),
            Err(error) => return Err(file.problem(&format!(" {error}"))),
            Ok(text) => text,
        };
        if text.len() as u64 == MAX_BYTES {
            eprintln!(
                "zester: WARNING: {}: only the first MiB is read",
                file.path.display()
            );
        }
        if !text.is_empty() && !text.starts_with(WORDS_HEADER.as_bytes()) {
            let problem = format!("1: expected `{}`", WORDS_HEADER.trim_end());
            return Err(file.problem(&problem));
        }
        file.take(&text, mutator)?;
        Ok(Some(file))
    }

    /// Reads further lines of the file. Leaves an incomplete last line for the next call.
    fn take(&mut self, text: &[u8], mutator: &mut Mutator<'_>) -> Result<(), Error> {
        // Another process may be writing the last line.
        let end = text.iter().rposition(|&byte| byte == b'\n');
        let text = &text[..end.map_or(0, |end| end + 1)];
        mutator
            .read_words(&String::from_utf8_lossy(text), self.lines + 1)
            .map_err(|problem| self.problem(&problem.to_string()))?;
        self.read += text.len() as u64;
        self.lines += text.iter().filter(|&&byte| byte == b'\n').count();
        Ok(())
    }

    /// After a run: appends new words, and every [`RUNS`] runs reads those of other processes. Errors
    /// are ignored.
    pub fn after_run(&mut self, mutator: &mut Mutator<'_>) {
        let lines = mutator.take_words();
        if !lines.is_empty() {
            _ = self.append(&lines);
        }
        self.runs -= 1;
        if self.runs == 0 {
            self.runs = RUNS;
            if let Ok(text) = self.rest() {
                _ = self.take(&text, mutator);
            }
        }
    }

    /// Appends all lines in one call, so that the lines of several processes do not mix.
    fn append(&self, lines: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        let is_new = file.metadata()?.len() == 0;
        let header = if is_new { WORDS_HEADER } else { "" };
        file.write_all(format!("{header}{lines}").as_bytes())
    }

    /// Returns the part of the file that was not read yet, up to the maximum length.
    fn rest(&self) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut text = Vec::new();
        file.take(MAX_BYTES.saturating_sub(self.read))
            .read_to_end(&mut text)?;
        Ok(text)
    }

    fn problem(&self, problem: &str) -> Error {
        format!("zester: {}:{problem}\n", self.path.display()).into()
    }
}

/// Under `-merge`: appends the words of the other corpora to the file of the first one, each once. Corpora whose
/// files cannot be read get a warning.
pub(super) fn merge(options: &Options, mutator: &mut Mutator<'_>) {
    let (Some(path), true) = (&options.words, options.merges) else {
        return;
    };
    let others = options.inputs.iter().skip(1);
    let others: Vec<PathBuf> = others
        .filter_map(|corpus| corpus::words_file(corpus))
        .collect();
    if let Err(problem) = merge_files(path, &others, mutator) {
        eprint!("zester: WARNING: words are not merged: {problem}");
    }
}

/// Appends the lines of some files to another one, each once.
fn merge_files(to: &Path, from: &[PathBuf], mutator: &mut Mutator<'_>) -> Result<(), Error> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut new = String::new();
    let to = WordsFile::new(to.to_path_buf());
    let others = from.iter().filter(|other| **other != to.path);
    for file in once(&to.path).chain(others) {
        let mut file = WordsFile::new(file.clone());
        let text = match file.rest() {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(file.problem(&format!(" {error}"))),
            Ok(text) => text,
        };
        file.take(&text, mutator)?;
        let text = String::from_utf8_lossy(&text[..file.read as usize]).into_owned();
        let words = text.lines().map(str::trim);
        for word in words.filter(|word| !word.is_empty() && !word.starts_with('#')) {
            if known.insert(word.to_owned()) && file.path != to.path {
                new.extend([word, "\n"]);
            }
        }
    }
    if !new.is_empty() {
        let written = to.append(&new);
        written.map_err(|error| to.problem(&format!(" {error}")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::Grammar;

    fn names() -> Grammar {
        let source = b"@start all = name ; @identifier name = [a-z0-9]+ ;";
        Grammar::read("names.ebnf", source).unwrap()
    }

    #[test]
    fn a_long_file_is_read_in_part() {
        let grammar = names();
        let mut mutator = Mutator::new(&grammar);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("corpus.words");
        let line = |at: u32| format!("name: \"w{at}\"\n");
        let lines: String = (0..100_000).map(line).collect();
        std::fs::write(&path, [WORDS_HEADER, &lines].concat()).unwrap();
        let mut file = WordsFile::new(path);
        let text = file.rest().unwrap();
        assert_eq!(text.len() as u64, MAX_BYTES);
        file.take(&text, &mut mutator).unwrap();
        // The last line is cut.
        let left = file.rest().unwrap();
        assert!(file.lines > 60_000 && left.len() < line(99_999).len());
    }

    #[test]
    fn words_of_other_files_are_appended_once() {
        let grammar = names();
        let mut mutator = Mutator::new(&grammar);
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let write = |name: &str, words: &str| {
            std::fs::write(path(name), [WORDS_HEADER, words].concat()).unwrap();
        };
        write("a.words", "name: \"a\"\n");
        // The last line is cut.
        write("b.words", "name: \"b\"\n name: \"a\"\n# comment\nname: \"c");
        write("wrong.words", "name\n");
        let (to, merged) = (
            path("a.words"),
            [path("b.words"), path("none.words"), path("a.words")],
        );
        for _ in 0..2 {
            merge_files(&to, &merged, &mut mutator).unwrap();
            let text = std::fs::read_to_string(&to).unwrap();
            assert_eq!(text, format!("{WORDS_HEADER}name: \"a\"\nname: \"b\"\n"));
        }
        merge_files(&path("new.words"), &merged, &mut mutator).unwrap();
        let text = std::fs::read_to_string(path("new.words")).unwrap();
        assert_eq!(text, format!("{WORDS_HEADER}name: \"b\"\nname: \"a\"\n"));
        let problem = merge_files(&to, &[path("wrong.words")], &mut mutator).unwrap_err();
        assert!(
            problem
                .to_string()
                .contains("wrong.words:2: expected a line")
        );
    }
}
