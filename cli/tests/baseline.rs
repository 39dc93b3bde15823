//! `zester run` with `--baseline`, `--junit` and `--as-test`, and `zester reduce --absent-in`. The target is this
//! program itself. Its copy with the name `old` is an older build with other faults.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::Value;
use zester::Validity;
use zester::hooks::Target;
use zester::language::GrammarSource;

const GRAMMAR: &str = "all = item ( \",\" item )* ;
item = \"a\" | \"shared\" | \"long\" \":\" \"way\" \":\" \"round\" | \"moved\" | \"fresh\" | \"other\" | \"fixed\" | \"strict\" | \"exit\" | \"hang\" ;
";
static SOURCE: GrammarSource = GrammarSource::new("builds.ebnf", GRAMMAR.as_bytes());
static TARGET: Target = Target::sentence(&SOURCE, true, run);

/// The program under test.
fn run(text: &[u8]) -> Validity {
    let program = std::env::current_exe().unwrap();
    let is_old = program.file_name().unwrap() == "old";
    let mut validity = Validity::Valid;
    for item in text.split(|byte| *byte == b',') {
        match (item, is_old) {
            (b"shared", _) | (b"long:way:round", false) => shared(),
            (b"moved", _) => moved(is_old),
            (b"fresh", false) | (b"other", false) => fresh(),
            (b"fixed", true) | (b"other", true) => fixed(),
            (b"strict", false) => validity = Validity::Invalid,
            (b"exit", false) => std::process::exit(3),
            (b"hang", _) => std::thread::sleep(std::time::Duration::from_secs(60)),
            _ => {}
        }
    }
    validity
}

#[inline(never)]
fn shared() {
    panic!("shared");
}

/// A panic whose line differs between the builds.
#[inline(never)]
fn moved(is_old: bool) {
    assert!(!is_old, "moved");
    panic!("moved");
}

#[inline(never)]
fn fresh() {
    panic!("fresh");
}

#[inline(never)]
fn fixed() {
    panic!("fixed");
}

#[path = "common/served.rs"]
mod served;

fn main() -> ExitCode {
    if served::serve(&TARGET) {
        return ExitCode::FAILURE;
    }
    let work = Work::new();
    only_new_failures_are_printed(&work);
    all_changes_are_printed(&work);
    a_baseline_is_in_test_reports(&work);
    parameters_are_compared(&work);
    a_report_needs_no_expectations(&work);
    a_reduction_avoids_old_faults(&work);
    crashes_become_rust_tests(&work);
    wrong_baselines_are_refused(&work);
    ExitCode::SUCCESS
}

/// The texts with a new failure, a known one, a fixed one, and another validity.
const TEXTS: [&str; 9] = [
    "a", "shared", "moved", "fresh", "a,other", "fixed", "strict", "exit", "a,hang",
];

struct Work {
    directory: PathBuf,
}

impl Work {
    fn new() -> Work {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("baseline");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("texts")).unwrap();
        for build in ["old", "new"] {
            std::fs::copy(std::env::current_exe().unwrap(), directory.join(build)).unwrap();
        }
        for text in TEXTS {
            std::fs::write(directory.join("texts").join(text), text).unwrap();
        }
        Work { directory }
    }

    fn zester(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_zester"))
            .args(arguments)
            .current_dir(&self.directory)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }

    /// Runs the texts, or other files, in both builds.
    fn compare(&self, files: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let run = ["run", "--baseline", "./old", "./new", files];
        self.zester(&[&run[..], &["--timeout", "0.3"], more].concat())
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.directory.join(file)).unwrap()
    }
}

/// Returns the file, the change and the object of each line.
fn changes(out: &str) -> Vec<(String, String, Value)> {
    let lines = out.lines().map(|line| {
        let object: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| object[name].as_str().unwrap().to_owned();
        let file = word("file").strip_prefix("texts/").unwrap().to_owned();
        (file, word("change"), object.clone())
    });
    lines.collect()
}

fn only_new_failures_are_printed(work: &Work) {
    let (status, out, said) = work.compare("texts", &["-j", "2"]);
    assert_eq!(status, Some(1), "{said}");
    let files: Vec<&str> = out
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5))
        .collect();
    assert_eq!(
        files,
        ["texts/a,other", "texts/exit", "texts/fresh"],
        "{out}"
    );
    assert!(out.contains("baseline crash: panic at"), "{out}");
    assert!(
        said.contains("3 new failures, 3 known, 1 fixed; 1 file changed between valid and invalid"),
        "{said}"
    );
    assert_eq!(
        work.compare("texts", &["--fail-on", "none"]).0,
        Some(0),
        "--fail-on none"
    );
    for known in ["a", "shared", "moved", "fixed", "strict"] {
        let (status, out, said) = work.compare(&format!("texts/{known}"), &[]);
        assert_eq!((status, &*out), (Some(0), ""), "{known}: {said}");
    }
}

fn all_changes_are_printed(work: &Work) {
    let (_, out, said) = work.compare("texts", &["--all", "--json"]);
    let found = changes(&out);
    let short: Vec<(&str, &str)> = found
        .iter()
        .map(|(file, change, _)| (&file[..], &change[..]))
        .collect();
    assert_eq!(
        short,
        [
            ("a,other", "new-failure"),
            ("exit", "new-failure"),
            ("fixed", "fixed"),
            ("fresh", "new-failure"),
            ("strict", "validity"),
        ],
        "{said}"
    );
    assert_eq!(found[0].2["baseline"]["outcome"], "crash");
    assert_ne!(found[0].2["baseline"]["signature"], found[0].2["signature"]);
    assert_eq!(found[1].2["status"], 3);
    assert_eq!(found[4].2["baseline"]["outcome"], "valid");
    let (_, out, _) = work.compare("texts", &["--json"]);
    assert!(
        out.lines().count() == 3
            && changes(&out)
                .iter()
                .all(|(_, change, _)| change == "new-failure"),
        "{out}"
    );
}

fn a_baseline_is_in_test_reports(work: &Work) {
    let (status, _, said) = work.compare("texts", &["--junit", "baseline.xml"]);
    assert_eq!(status, Some(1), "{said}");
    let report = work.read("baseline.xml");
    for part in [
        "tests=\"9\" failures=\"3\" errors=\"0\" skipped=\"3\"",
        "exit, in the baseline valid",
        "known failure: time-out",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

fn parameters_are_compared(work: &Work) {
    let (status, _, said) = work.zester(&["encode", "./new", "texts", "-o", "corpus"]);
    assert_eq!(status, Some(0), "{said}");
    let (status, out, said) = work.compare("corpus", &["--parameters"]);
    assert_eq!((status, out.lines().count()), (Some(1), 3), "{out}{said}");
}

fn a_report_needs_no_expectations(work: &Work) {
    let run = |more: &[&str]| {
        let run = ["run", "./new", "texts", "--timeout", "0.3"];
        work.zester(&[&run[..], more].concat())
    };
    let (status, out, said) = run(&["--junit", "report.xml"]);
    assert_eq!((status, out.lines().count()), (Some(1), 9), "{said}");
    let report = work.read("report.xml");
    // An exit is no failure without a baseline.
    for part in [
        "tests=\"9\" failures=\"5\" errors=\"0\" skipped=\"0\"",
        "<testcase name=\"texts/exit\"",
        "<failure message=\"crash: panic at ",
        "<failure message=\"time-out\"",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let (status, _, said) = run(&["--junit", "none.xml", "--fail-on", "none"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(work.read("none.xml").contains("failures=\"0\""));
    let (status, out, said) = run(&["--junit", "report.xml"]);
    assert!(
        status == Some(2) && out.is_empty() && said.contains("report.xml: is there already"),
        "{said}"
    );
}

fn a_reduction_avoids_old_faults(work: &Work) {
    let crash = work.directory.join("crash");
    let reduce = |text: &str, more: &[&str]| {
        std::fs::write(&crash, text).unwrap();
        let arguments = ["reduce", "./new", "crash", "--force", "--timeout", "0.3"];
        work.zester(&[&arguments[..], more].concat())
    };
    let (status, out, said) = reduce("a,long:way:round,a,a", &[]);
    assert_eq!((status, &*out), (Some(0), "shared\n"), "{said}");
    let (status, out, said) = reduce("a,long:way:round,a,a", &["--absent-in", "./old"]);
    assert_eq!((status, &*out), (Some(0), "long:way:round\n"), "{said}");
    let (status, out, said) = reduce("a,moved", &["--absent-in", "./old"]);
    assert_eq!((status, &*out), (Some(2), ""), "{said}");
    assert!(
        said.contains("not interesting")
            && said.contains("the build of --absent-in has the same fault"),
        "{said}"
    );
    let command = ["--absent-in", "./old", "--", "grep", "way"];
    let (status, _, said) = reduce("shared", &command);
    assert!(
        status == Some(2) && said.contains("--absent-in needs a built fuzz target"),
        "{said}"
    );
}

/// The source of a target that has the faults of this program.
const TARGET_SOURCE: &str = r#"//! A target.
#![no_main]

zester::fuzz_target!(grammar: "builds.ebnf", |text: &str| {
    if text.is_empty() {
        return Err("empty");
    }
    check(text);
    Ok(())
});

fn check(text: &str) {
    assert!(!["fresh", "shared", "moved", "a,other"].contains(&text), "planted");
}
"#;

fn crashes_become_rust_tests(work: &Work) {
    let run = |file: &str, more: &[&str]| {
        let run = ["run", "./new", file, "--timeout", "0.3", "--force"];
        work.zester(&[&run[..], more].concat())
    };
    // Without the source of the target, the user writes the call.
    let (status, _, said) = run("texts/fresh", &["--as-test", "todo.rs"]);
    assert!(
        status == Some(1) && said.contains("the source of the target was not found"),
        "{said}"
    );
    assert!(work.read("todo.rs").contains("todo!("));
    let (status, said) = rust_tests(work, "todo.rs");
    assert!(
        !status && said.contains("not yet implemented") && said.contains("fresh ... FAILED"),
        "{said}"
    );
    // With it, the tests fail as the target does.
    std::fs::create_dir(work.directory.join("fuzz_targets")).unwrap();
    std::fs::write(work.directory.join("fuzz_targets/new.rs"), TARGET_SOURCE).unwrap();
    for (files, more) in [("texts", &[][..]), ("corpus", &["--parameters"])] {
        let (status, _, said) = run(files, &[more, &["--as-test", "tests.rs"]].concat());
        assert_eq!(status, Some(1), "{said}");
        // A test of the time-out is written, too. It passes, because this source has no endless loop.
        let (status, said) = rust_tests(work, "tests.rs");
        assert!(
            !status && said.contains("1 passed; 4 failed") && said.contains("planted"),
            "{files}: {said}"
        );
    }
    let (status, _, said) = work.compare("texts", &["--as-test", "tests.rs", "--force"]);
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(
        work.read("tests.rs").matches("#[test]").count(),
        3,
        "new failures"
    );
    let (status, _, said) = run("texts/a", &["--as-test", "none.rs"]);
    assert!(
        status == Some(0) && said.contains("no file failed, so none.rs was not written"),
        "{said}"
    );
    let (status, out, said) = work.zester(&["run", "./new", "texts", "--as-test", "tests.rs"]);
    assert!(
        status == Some(2) && out.is_empty() && said.contains("tests.rs: is there already"),
        "{said}"
    );
}

/// Compiles a file of tests and runs them. Returns whether all passed, and the output. Warnings are
/// errors.
fn rust_tests(work: &Work, file: &str) -> (bool, String) {
    let compiled = Command::new("rustc")
        .args([
            "--edition=2024",
            "--test",
            "-Dwarnings",
            "-o",
            "rust-tests",
            file,
        ])
        .current_dir(&work.directory)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let output = Command::new(work.directory.join("rust-tests"))
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

fn wrong_baselines_are_refused(work: &Work) {
    for (arguments, says) in [
        (
            &["run", "./new", "texts", "--baseline", "/bin/true"][..],
            "/bin/true: neither a grammar nor a fuzz target with zester",
        ),
        (
            &["run", "./new", "texts", "--baseline", "./missing"],
            "missing: No such file",
        ),
        (&["run", "./new", "texts", "--all"], "--baseline"),
    ] {
        let (status, _, said) = work.zester(arguments);
        assert!(
            status == Some(2) && said.contains(says),
            "{arguments:?}: {said}"
        );
    }
}
