//! The macro that makes a test of a corpus: `cargo test` runs the files of a corpus and artifacts
//! through the body of a fuzz target, without libFuzzer.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Write;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::corpus::{self, records};
use crate::grammar::Grammar;
use crate::known::{self, KnownFailure};
use crate::language::GrammarSource;
use crate::parameters::{Decoder, Edits, Settings};

/// The maximum number of failures that are listed.
const MAX_LISTED: usize = 20;

/// The maximum number of characters of a sentence in the list of failures.
const MAX_SHOWN: usize = 200;

/// The prefixes of the names of artifacts. The SHA-1 of the file follows.
const ARTIFACTS: [&str; 6] = [
    "crash-",
    "leak-",
    "minimized-from-",
    "oom-",
    "slow-unit-",
    "timeout-",
];

/// Defines a test that runs the files of a corpus and artifacts.
///
/// The test needs no libFuzzer, so it runs on stable Rust wherever the crate is tested. It checks
/// that a fixed fault does not come back. Paths are relative to the source file with the macro.
/// Write in `tests/fuzz_corpus.rs`:
///
/// ```
/// zester::corpus_test!(
///     grammar: "../grammars/json.ebnf",
///     corpus: ["../fuzz/corpus/json", "../fuzz/artifacts/json", "../tests/regressions"],
///     |text: &str| text.parse::<f64>()
/// );
/// # corpus();
/// ```
///
/// and in `Cargo.toml`:
///
/// ```toml
/// [dev-dependencies]
/// zester = { version = "0.1", default-features = false }
/// ```
///
/// The body is that of the [`fuzz_target!`](crate::fuzz_target!), with `|text: &str|` or `|bytes:
/// &[u8]|`. Its result is ignored. The test is a function `corpus`. `name: other,` after `corpus:`
/// gives the test another name, so that one source file may contain several tests. `post_process:
/// function,` after `grammar:` is the function of the fuzz target that changes sentences.
///
/// # Files
///
/// `corpus:` lists directories, which are searched with their subdirectories, and files. Hidden files are
/// ignored.
///
/// | file | how it runs |
/// |---|---|
/// | in a directory that a fuzz target or zester has marked as a corpus | its parameters are decoded |
/// | artifact of libFuzzer, such as `crash-` with 40 hexadecimal digits | its parameters are decoded |
/// | artifact that was written with another grammar | as the text that it had, if zester recorded it |
/// | any other file | as a text |
///
/// A text that is not UTF-8 is skipped if the body takes `&str`. A missing or empty directory is no
/// failure, because a corpus is often not under version control. The test then prints a message,
/// which `cargo test -- --nocapture` shows.
///
/// # Known failures
///
/// `known: "../fuzz/known/json.toml",` after `corpus:` is a file of known failures, which `zester
/// triage --known FILE --accept` writes. Without zester's feature `known`, the test fails. A panic
/// is known if the file has its key (see [`fail`](crate::fail)), or its source file with the same
/// line or the same message. A known failure does not make the test fail. The test prints the
/// number of files with a known failure. An entry that has expired does not count.
///
/// The function of an entry is not compared, because a test has no stack trace. Three sorts of
/// panics are known only if they have a key: panics in code of the fuzz target that the test
/// repeats in another source file; panics of a program with its own panic hook; panics in the
/// standard library that do not name their caller's location.
///
/// # Panics
///
/// If the body panics for a file and the failure is not known, the test panics after all files have run.
/// The message lists the files, with the sentence and the message of each panic. The test also panics if
/// the grammar or the file of known failures has errors, or if a file cannot be read.
///
/// After an abort or a stack overflow there is no list, and an endless loop never ends. Then use
/// `zester triage` to find the files.
#[macro_export]
macro_rules! corpus_test {
    (
        grammar: $grammar:literal,
        $(post_process: $post:path,)?
        corpus: [$($file:expr),* $(,)?],
        $(known: $known:expr,)?
        $(name: $name:ident,)?
        |$text:ident: &str| $body:expr
    ) => {
        $crate::corpus_test!(
            @test [$($name)? corpus] $grammar, [$($file),*], [$($known)?],
            [$(.post_process(|sentence| $crate::hooks::change_text(sentence, $post)))?],
            sentence,
            {
                let Ok($text) = ::core::str::from_utf8(sentence) else {
                    return false;
                };
                $body
            }
        );
    };
    (
        grammar: $grammar:literal,
        $(post_process: $post:path,)?
        corpus: [$($file:expr),* $(,)?],
        $(known: $known:expr,)?
        $(name: $name:ident,)?
        |$bytes:ident: &[u8]| $body:expr
    ) => {
        $crate::corpus_test!(
            @test [$($name)? corpus] $grammar, [$($file),*], [$($known)?],
            [$(.post_process($post))?],
            sentence,
            {
                let $bytes: &[u8] = sentence;
                $body
            }
        );
    };
    (
        @test [$name:ident $($default:ident)?] $grammar:literal, [$($file:expr),*], [$($known:expr)?], [$($option:tt)*],
        $sentence:ident, $body:expr
    ) => {
        #[cfg_attr(test, test)]
        #[cfg_attr(not(test), allow(dead_code))]
        fn $name() {
            static SOURCE: $crate::language::GrammarSource =
                $crate::language::GrammarSource::new($grammar, include_bytes!($grammar));

            fn body($sentence: &[u8]) -> bool {
                let _ = $body;
                true
            }

            let directory = $crate::corpus_test::source_directory(env!("CARGO_MANIFEST_DIR"), file!());
            let test = $crate::corpus_test::CorpusTest::new(&SOURCE, body) $($option)*
                $(.known(directory.join($known)))?;
            test.run(&[$(directory.join($file)),*]);
        }
    };
}

/// Returns the directory of a source file. `file` is its path relative to the root of the workspace,
/// and `package` is the directory of its package.
pub fn source_directory(package: &str, file: &str) -> PathBuf {
    let package = Path::new(package);
    let candidates = package.ancestors().map(|root| root.join(file));
    let found = candidates.into_iter().find(|path| path.is_file());
    let path = found.unwrap_or_else(|| package.join(file));
    path.parent().unwrap_or(package).to_path_buf()
}

/// A test of a corpus.
pub struct CorpusTest {
    source: &'static GrammarSource,
    /// The program under test. It returns false if it takes `&str` and the text is not UTF-8.
    body: fn(&[u8]) -> bool,
    post_process: Option<fn(&mut Vec<u8>)>,
    /// The file of known failures.
    known: Option<PathBuf>,
}

/// The results of running the files.
#[derive(Debug, Default)]
struct Results {
    ran: usize,
    skipped: usize,
    /// The number of files with a known failure.
    known: usize,
    failures: Vec<FailedFile>,
}

/// A file for which the program under test panicked.
#[derive(Debug)]
struct FailedFile {
    file: PathBuf,
    sentence: Vec<u8>,
    message: String,
}

impl CorpusTest {
    /// Returns a test with a body.
    pub const fn new(source: &'static GrammarSource, body: fn(&[u8]) -> bool) -> CorpusTest {
        CorpusTest {
            source,
            body,
            post_process: None,
            known: None,
        }
    }

    /// Sets a function that changes every decoded sentence before the body reads it.
    #[must_use]
    pub const fn post_process(mut self, change: fn(&mut Vec<u8>)) -> CorpusTest {
        self.post_process = Some(change);
        self
    }

    /// Sets the file of known failures.
    #[must_use]
    pub fn known(mut self, file: PathBuf) -> CorpusTest {
        self.known = Some(file);
        self
    }

    /// Runs files, and the files of directories.
    ///
    /// # Panics
    /// If the body panics, if a file cannot be read, or if the grammar has errors.
    pub fn run(&self, paths: &[PathBuf]) {
        let results = self.results(paths);
        let Results {
            ran,
            skipped,
            known,
            failures,
        } = &results;
        if *skipped > 0 {
            eprintln!("zester: {skipped} files are not UTF-8 and did not run");
        }
        if *known > 0 {
            eprintln!("zester: {known} files have a known failure");
        }
        assert!(failures.is_empty(), "{}", list(failures, *ran));
        eprintln!("zester: {ran} files ran");
    }

    fn results(&self, paths: &[PathBuf]) -> Results {
        let grammar = self.source.grammar();
        let grammar = grammar.unwrap_or_else(|report| panic!("{report}"));
        let known = self.known.as_deref().map_or(Vec::new(), read_known);
        let mut results = Results::default();
        for path in paths {
            let found = files(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            if found.is_empty() {
                eprintln!("zester: {}: there are no files to run", path.display());
            }
            if let Some(stale) = corpus::stale(path, grammar) {
                eprintln!("zester: WARNING: {stale}");
            }
            for file in found {
                let sentence = self.sentence(&file, grammar);
                let sentence =
                    sentence.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                results.add(file, sentence, self.body, &known);
            }
        }
        results
    }

    /// Returns the text of a file.
    fn sentence(&self, file: &Path, grammar: &Grammar) -> std::io::Result<Vec<u8>> {
        if let Some(record) = records::other_text(file, grammar) {
            return std::fs::read(record);
        }
        let bytes = std::fs::read(file)?;
        let directory = file.parent().unwrap_or(Path::new("."));
        let has_parameters =
            corpus::is_marked(directory) || records::is_recorded(file) || is_artifact(file);
        if !has_parameters {
            return Ok(bytes);
        }
        // A fuzz target decodes with these settings, unless its user changes them.
        let mut decoder = Decoder::new(grammar).settings(Settings::default().edits(Edits::On));
        let mut text = decoder.input(&bytes).text().to_vec();
        if let Some(change) = self.post_process {
            change(&mut text);
        }
        Ok(text)
    }
}

impl Results {
    fn add(
        &mut self,
        file: PathBuf,
        sentence: Vec<u8>,
        body: fn(&[u8]) -> bool,
        known: &[KnownFailure],
    ) {
        LOCATION.set(None);
        match catch_unwind(AssertUnwindSafe(|| body(&sentence))) {
            Ok(true) => self.ran += 1,
            Ok(false) => self.skipped += 1,
            Err(panic) => {
                self.ran += 1;
                let (message, location) = (message(&*panic), LOCATION.take());
                let location = location.as_ref().map(|(file, line)| (&file[..], *line));
                if known
                    .iter()
                    .any(|one| one.fault.is_panic(&message, location))
                {
                    self.known += 1;
                    return;
                }
                self.failures.push(FailedFile {
                    file,
                    sentence,
                    message,
                });
            }
        }
    }
}

thread_local! {
    /// The source file and the line of the last panic of this thread for the current file.
    static LOCATION: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// Returns the entries of a file of known failures, and lets this process record the locations of
/// panics.
///
/// # Panics
/// If the file cannot be read.
fn read_known(path: &Path) -> Vec<KnownFailure> {
    static HOOK: Once = Once::new();
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let (entries, warnings) = text
        .and_then(|text| known::read(&text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for warning in warnings {
        eprintln!("zester: WARNING: {}: {warning}", path.display());
    }
    HOOK.call_once(|| {
        let next = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let location = panic.location();
            let location = location.map(|location| (location.file().into(), location.line()));
            // A thread that ends may have dropped its location.
            let _ = LOCATION.try_with(|last| last.replace(location));
            next(panic);
        }));
    });
    entries
}

/// Returns the files of a directory and its subdirectories in the order of their paths, or a file
/// itself. Returns no files if the path does not exist.
fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut found, mut open) = (Vec::new(), vec![path.to_path_buf()]);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                let entry = entry?;
                if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                    open.push(entry.path());
                }
            }
        } else if path.is_file() {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns whether a file has the name of an artifact of libFuzzer.
fn is_artifact(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default();
    let hashes = ARTIFACTS.iter().filter_map(|kind| name.strip_prefix(kind));
    hashes
        .into_iter()
        .any(|hash| hash.len() == 40 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the panic has no message".into())
}

fn list(failures: &[FailedFile], ran: usize) -> String {
    let mut text = format!("{} of {ran} files failed\n", failures.len());
    for failure in failures.iter().take(MAX_LISTED) {
        let sentence = String::from_utf8_lossy(&failure.sentence);
        let mut shown: String = sentence.chars().take(MAX_SHOWN).collect();
        if shown.len() < sentence.len() {
            let _ = write!(shown, "… ({} bytes)", failure.sentence.len());
        }
        let file = failure.file.display();
        let _ = write!(
            text,
            "\n{file}\n  text:  {}\n  panic: {}\n",
            shown.replace('\n', "\n         "),
            failure.message.replace('\n', "\n         ")
        );
    }
    if failures.len() > MAX_LISTED {
        let _ = writeln!(text, "\n{} more failures", failures.len() - MAX_LISTED);
    }
    text
}
