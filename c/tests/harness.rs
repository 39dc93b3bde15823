//! Harnesses in C and C++ with libFuzzer. Built by clang; without clang, these tests are skipped.

#![cfg(target_os = "linux")]

#[path = "common/library.rs"]
mod library;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// The directory of this package.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// libzester.a, built once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(library::library)
}

/// A harness that was built, and the directory of its files.
struct Harness {
    directory: TempDir,
    program: PathBuf,
}

impl Harness {
    /// Builds a wrapped harness with the grammar of expressions; `None` without clang.
    fn wrapped(source: &str, sanitizers: &str) -> Option<Harness> {
        if Command::new("clang++").arg("--version").output().is_err() {
            eprintln!("skipped: no clang");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let (program, grammar) = (
            directory.path().join("harness"),
            directory.path().join("grammar.c"),
        );
        std::fs::write(
            &grammar,
            embedded(&std::fs::read(format!("{HERE}/../grammars/expr.ebnf")).unwrap()),
        )
        .unwrap();
        let language = if source.ends_with(".cc") { "c++" } else { "c" };
        let built = Command::new("clang++")
            .args([
                "-g",
                "-O1",
                "-fno-sanitize-recover=all",
                &format!("-fsanitize={sanitizers}"),
                &format!("-I{HERE}"),
                "-x",
                language,
            ])
            .arg(format!("{HERE}/tests/{source}"))
            .args(["-x", "c"])
            .arg(&grammar)
            .args([
                "-x",
                "none",
                "-Wl,--wrap=LLVMFuzzerTestOneInput",
                "-Wl,--wrap=LLVMFuzzerInitialize",
            ])
            .arg(library())
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&program)
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        Some(Harness { directory, program })
    }

    /// A command that runs the harness in its directory, which ends after a minute at the latest.
    fn command(&self) -> Command {
        let mut command = Command::new("timeout");
        command
            .args(["-s", "KILL", "60"])
            .arg(&self.program)
            .arg("-seed=1")
            .current_dir(self.directory.path());
        command
            .env("ASAN_OPTIONS", "symbolize=0")
            .env("UBSAN_OPTIONS", "symbolize=0");
        command
    }
}

/// A grammar as C source, as `zester embed` writes it.
fn embedded(grammar: &[u8]) -> String {
    let mut bytes = String::new();
    grammar.iter().for_each(|byte| _ = write!(bytes, "{byte},"));
    format!(
        "#include <zester.h>\nconst char zester_grammar_name[] = \"expr.ebnf\";\nconst unsigned char zester_grammar[] = {{{bytes}}};\n\
         const size_t zester_grammar_size = sizeof zester_grammar;\n"
    )
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The line after `zester: the sentence of this run:`.
fn sentence(said: &str) -> Option<&str> {
    said.split_once("zester: the sentence of this run:\n")?
        .1
        .lines()
        .next()
}

/// The line of statistics at the end of a run. Fails if there is none or more than one.
fn summary(said: &str) -> &str {
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.contains(" sentences executed, "))
        .collect();
    assert_eq!(lines.len(), 1, "{said}");
    lines[0]
}

#[test]
fn whatever_ends_a_run_prints_its_sentence_and_the_statistics() {
    for sanitizers in ["fuzzer", "fuzzer,address"] {
        let Some(harness) = Harness::wrapped("harness.cc", sanitizers) else {
            return;
        };
        let ends = [
            ("time-out", "SUMMARY: libFuzzer: timeout", "-timeout=1"),
            (
                "memory",
                "SUMMARY: libFuzzer: out-of-memory",
                "-rss_limit_mb=300",
            ),
            (
                "exit",
                "SUMMARY: libFuzzer: fuzz target exited",
                "-runs=10000",
            ),
            ("exception", "what():  a planted exception", "-runs=10000"),
            ("abort", "deadly signal", "-runs=10000"),
            (
                "beyond",
                "AddressSanitizer: heap-buffer-overflow",
                "-runs=10000",
            ),
        ];
        let has_asan = sanitizers.contains("address");
        for (number, (end, expected, flag)) in ends
            .into_iter()
            .filter(|(end, ..)| has_asan || *end != "beyond")
            .enumerate()
        {
            let said = said(
                &harness
                    .command()
                    .env("END", end)
                    .env("ZESTER_STATS", "stats")
                    .arg(flag)
                    .output()
                    .unwrap(),
            );
            summary(&said);
            let lines = std::fs::read_to_string(harness.directory.path().join("stats")).unwrap();
            let runs = lines
                .lines()
                .filter(|line| line.starts_with("{\"zester_statistics\":3,\"started\":"))
                .count();
            assert_eq!(runs, number + 1, "{end}: {lines}");
            assert!(
                lines.lines().last().unwrap().starts_with("{\"seconds\":"),
                "{end}: {lines}"
            );
            assert!(said.contains(expected), "{sanitizers}, {end}: {said}");
            assert!(
                sentence(&said).is_some_and(|text| text.contains('+')),
                "{sanitizers}, {end}: {said}"
            );
            assert!(!said.contains("panic"), "{sanitizers}, {end}: {said}");
        }
    }
}

#[test]
fn ctrl_c_prints_the_statistics() {
    for sanitizers in ["fuzzer", "fuzzer,address"] {
        let Some(harness) = Harness::wrapped("harness.cc", sanitizers) else {
            return;
        };
        std::fs::create_dir(harness.directory.path().join("corpus")).unwrap();
        for arguments in [&["-max_total_time=60"][..], &["-fork=1", "corpus"]] {
            // A shell starts background processes with SIGINT ignored.
            let mut interrupt = Command::new("env");
            interrupt
                .args(["--default-signal=INT", "timeout", "-s", "INT", "3"])
                .arg(&harness.program)
                .args(arguments);
            let said = said(
                &interrupt
                    .current_dir(harness.directory.path())
                    .output()
                    .unwrap(),
            );
            assert!(!summary(&said).contains(" 0 sentences"), "{said}");
        }
    }
}

#[test]
fn reports_of_other_sanitizers_show_the_sentence() {
    let Some(harness) = Harness::wrapped("harness.cc", "fuzzer,undefined") else {
        return;
    };
    let said = said(
        &harness
            .command()
            .env("END", "overflow")
            .arg("-runs=10000")
            .output()
            .unwrap(),
    );
    assert!(said.contains("signed integer overflow"), "{said}");
    assert!(
        sentence(&said).is_some_and(|text| text.contains('+')),
        "{said}"
    );
}

#[test]
fn outcomes_of_equivalent_sentences_are_compared() {
    let Some(harness) = Harness::wrapped("harness.cc", "fuzzer") else {
        return;
    };
    let run = |equal: &str| {
        let mut command = harness.command();
        command
            .env("END", "outcome")
            .env("ZESTER_EQUAL", equal)
            .args(["--zester_valid_result=0", "-runs=2000"]);
        said(&command.output().unwrap())
    };
    assert!(!run("0").contains("disagreement: "));
    let said = run("1");
    assert!(said.contains("zester: disagreement: "), "{said}");
    assert!(said.contains("  equivalent: "), "{said}");
}

#[test]
fn a_wrapped_harness_that_decodes_is_told_so() {
    let Some(harness) = Harness::wrapped("decodes.c", "fuzzer") else {
        return;
    };
    let output = harness.command().arg("-runs=10").output().unwrap();
    assert!(
        said(&output).contains("link it without --wrap"),
        "{}",
        said(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn processes_count_together_without_room_in_the_temporary_directory() {
    let Some(harness) = Harness::wrapped("harness.cc", "fuzzer") else {
        return;
    };
    let small = tempfile::tempdir().unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(small.path())
        .output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: cannot mount a file system");
        return;
    }
    for name in ["corpus", "merged"] {
        std::fs::create_dir(harness.directory.path().join(name)).unwrap();
    }
    // libFuzzer runs no seeds of its own when it merges.
    for (name, seed) in [("one", [7, 1, 4]), ("two", [1, 0, 2])] {
        std::fs::write(harness.directory.path().join("corpus").join(name), seed).unwrap();
    }
    let outputs = [
        &["-fork=1", "-runs=2000", "-max_total_time=20", "corpus"][..],
        &["-merge=1", "merged", "corpus"],
    ]
    .map(|arguments| {
        harness
            .command()
            .args(arguments)
            .env("TMPDIR", small.path())
            .output()
            .unwrap()
    });
    let left: Vec<_> = std::fs::read_dir(small.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        Command::new("umount")
            .arg("-l")
            .arg(small.path())
            .status()
            .unwrap()
            .success()
    );
    for output in outputs {
        assert!(output.status.success(), "{}", said(&output));
        let figures = said(&output)
            .lines()
            .find(|line| line.contains("sentences executed"))
            .unwrap_or_default()
            .to_string();
        assert!(
            !figures.is_empty() && !figures.contains(" 0 sentences"),
            "{}",
            said(&output)
        );
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn names_that_are_no_settings_are_noticed() {
    let Some(harness) = Harness::wrapped("harness.cc", "fuzzer") else {
        return;
    };
    let warned = said(
        &harness
            .command()
            .env("ZESTER_STAT", "x")
            .arg("-runs=1")
            .output()
            .unwrap(),
    );
    assert!(
        warned.contains("WARNING: the environment variable ZESTER_STAT has no effect; did you mean ZESTER_STATS?"),
        "{warned}"
    );
    let refused = harness.command().arg("--zester_stat=x").output().unwrap();
    assert!(
        said(&refused).contains("no flag --zester_stat; did you mean --zester_stats?"),
        "{}",
        said(&refused)
    );
    assert_eq!(refused.status.code(), Some(1));
}
