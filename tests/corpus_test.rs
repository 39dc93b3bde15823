//! Tests of `zester::corpus_test!`: which files run, and what is reported.

use std::cell::Cell;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use zester::Grammar;
use zester::corpus::{self, records};
use zester::corpus_test::source_directory;

const OLD: &[u8] = b"all = \"old\" | \"x\" ;";

thread_local! {
    /// Whether the program under test has its fault on this thread.
    static HAS_FAULT: Cell<bool> = const { Cell::new(false) };
}

/// The program under test.
fn evaluate(text: &str) -> Result<usize, String> {
    assert!(!HAS_FAULT.get() || !text.contains("true"), "no {text}");
    text.contains("old").then_some(1).ok_or("invalid".into())
}

/// Returns a directory of files. Each thread has its own, because tests run at the same time.
fn directory(test: &str) -> PathBuf {
    let thread = std::thread::current();
    let name = format!("{}-{test}", thread.name().unwrap_or_default());
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("corpus_test")
        .join(name);
    let _ = std::fs::remove_dir_all(&directory);
    let write = |name: &str, bytes: &[u8]| {
        let file = directory.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, bytes).unwrap();
        file
    };
    let source = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/grammars/json.ebnf"));
    let grammar = Grammar::read("json.ebnf", &source.unwrap()).unwrap();
    let (yes, no) = (
        grammar.encode(b"[true]").unwrap(),
        grammar.encode(b"[1]").unwrap(),
    );
    write("corpus/1", &yes);
    write("corpus/2", &no);
    corpus::mark(&directory.join("corpus"), &grammar).unwrap();
    let hash = "0123456789abcdef0123456789abcdef01234567";
    write(&format!("artifacts/crash-{hash}"), &yes);
    // The bytes decode to another sentence with this grammar.
    let other = write("artifacts/oom-1", b"\0");
    records::write(
        &other,
        &Grammar::read("old.ebnf", OLD).unwrap(),
        b"old true",
    )
    .unwrap();
    write("texts/deep/crash-1", b"true text");
    write("texts/bytes", b"\xFFtrue");
    write("texts/.hidden", b"true");
    std::fs::create_dir(directory.join("empty")).unwrap();
    directory
}

zester::corpus_test!(
    grammar: "../grammars/json.ebnf",
    corpus: [directory("passes"), "missing"],
    name: all_files_pass,
    |text: &str| evaluate(text)
);

zester::corpus_test!(
    grammar: "../grammars/json.ebnf",
    corpus: [directory("fails").join("corpus"), directory("fails"), directory("fails").join("empty")],
    name: files_of_a_fault_fail,
    |text: &str| evaluate(text)
);

fn mark(text: &mut Vec<u8>) {
    text.extend_from_slice(b" true");
}

zester::corpus_test!(
    grammar: "../grammars/json.ebnf",
    post_process: mark,
    corpus: [directory("bytes").join("corpus/2"), directory("bytes").join("texts/bytes")],
    name: bytes_pass,
    |bytes: &[u8]| {
        assert!(!HAS_FAULT.get() || bytes == b"[1] true", "{bytes:?}");
    }
);

zester::corpus_test!(grammar: "../grammars/json.ebnf", corpus: ["missing"], |text: &str| evaluate(text));

/// Returns a file of known failures with one entry, a panic in this file with a message.
#[cfg(feature = "known")]
fn known(test: &str, message: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus_test-{test}.toml"));
    let fault = format!("kind = \"panic\"\nfile = \"corpus_test.rs\"\nmessage = \"{message}\"\n");
    let entry = format!("version = 1\n[[failure]]\nreason = \"old\"\n[failure.fault]\n{fault}");
    std::fs::write(&file, entry).unwrap();
    file
}

#[cfg(feature = "known")]
zester::corpus_test!(
    grammar: "../grammars/json.ebnf",
    corpus: [directory("known")],
    known: known("all", "no ‹name›"),
    name: known_failures_pass,
    |text: &str| evaluate(text)
);

#[cfg(feature = "known")]
zester::corpus_test!(
    grammar: "../grammars/json.ebnf",
    corpus: [directory("new")],
    known: known("some", "no ‹name› text"),
    name: new_failures_fail,
    |text: &str| evaluate(text)
);

/// Returns the message of a test that fails while the program under test has its fault.
fn failure(test: fn()) -> String {
    HAS_FAULT.set(true);
    let failed = catch_unwind(test).unwrap_err();
    HAS_FAULT.set(false);
    *failed.downcast::<String>().unwrap()
}

#[test]
fn failures_are_listed() {
    let message = failure(files_of_a_fault_fail);
    // The corpus runs twice.
    assert!(message.starts_with("5 of 7 files failed\n"), "{message}");
    for part in [
        "corpus/1\n  text:  [true]\n  panic: no [true]\n",
        "artifacts/crash-0123456789abcdef0123456789abcdef01234567\n  text:  [true]\n",
        "artifacts/oom-1\n  text:  old true\n  panic: no old true\n",
        "texts/deep/crash-1\n  text:  true text\n",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(
        !message.contains("corpus/2") && !message.contains("hidden"),
        "{message}"
    );
}

#[cfg(feature = "known")]
#[test]
fn a_test_fails_on_failures_that_are_not_known() {
    HAS_FAULT.set(true);
    known_failures_pass();
    HAS_FAULT.set(false);
    let message = failure(new_failures_fail);
    assert!(message.starts_with("3 of 5 files failed\n"), "{message}");
    assert!(!message.contains("texts/deep/crash-1"), "{message}");
}

#[test]
fn sentences_are_post_processed_and_texts_are_not() {
    let message = failure(bytes_pass);
    assert!(message.starts_with("1 of 2 files failed\n"), "{message}");
    assert!(message.contains("texts/bytes"), "{message}");
}

#[test]
fn a_test_without_a_name_is_corpus() {
    corpus();
}

#[test]
fn paths_are_relative_to_the_source_file() {
    let package = env!("CARGO_MANIFEST_DIR");
    let tests = Path::new(package).join("tests");
    assert_eq!(source_directory(package, file!()), tests);
    // In a member of a workspace, the path begins with the directory of the member.
    let member = Path::new(package).join("cli");
    let found = source_directory(member.to_str().unwrap(), "cli/tests/target.rs");
    assert_eq!(found, member.join("tests"));
}
