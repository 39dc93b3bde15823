//! Tests the figures of programs that `scripts/coverage` builds.
//!
//! The first build takes minutes, so these tests run only on request: `cargo test -p
//! zester-coverage -- --ignored`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const JSON: [&str; 3] = ["[1, true]", r#"{"a": "\u0041", "b": 2.5e3}"#, "[1,}"];
const WGSL: [&str; 3] = [
    "fn f() {}",
    "@fragment fn f(@location(0) x: f32) -> @location(0) vec4f { return vec4f(x / 2.0); }",
    "fn f( {",
];

/// Makes a fresh directory with one file for each text.
fn directory(name: &str, texts: &[&str]) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    for (index, text) in texts.iter().enumerate() {
        fs::write(directory.join(index.to_string()), text).unwrap();
    }
    directory
}

fn coverage(subject: &str, directory: &Path, arguments: &[&str]) -> Output {
    Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scripts/coverage"
    ))
    .arg(subject)
    .args(arguments)
    .current_dir(directory)
    .output()
    .unwrap()
}

/// Returns one figure of the JSON line.
fn figure(output: &Output, name: &str) -> usize {
    assert!(output.status.success(), "{output:?}");
    let line = String::from_utf8(output.stdout.clone()).unwrap();
    let (_, rest) = line.split_once(&format!("\"{name}\":")).expect(name);
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
    digits.unwrap().parse().unwrap()
}

#[test]
#[ignore = "builds the instrumented programs"]
fn figures_are_plausible() {
    for (subject, texts) in [("json", JSON), ("wgsl", WGSL)] {
        let directory = directory(subject, &texts);
        let run = |files: &[&str]| {
            coverage(
                subject,
                &directory,
                &[&["--json", "--functions"], files].concat(),
            )
        };
        let (one, two, all) = (run(&["0"]), run(&["0", "1"]), run(&["."]));
        assert_eq!(run(&["1", "0"]).stdout, two.stdout, "in any order");
        for name in ["edges", "edges_valid", "within", "functions"] {
            assert!(figure(&one, name) > 0, "{name}");
            assert!(figure(&one, name) < figure(&two, name), "{name}");
            assert_eq!(figure(&run(&["0", "0"]), name), figure(&one, name));
        }
        assert_eq!((figure(&all, "files"), figure(&all, "valid")), (3, 2));
        assert_eq!(figure(&all, "edges_valid"), figure(&two, "edges"));
        assert!(figure(&all, "edges_valid") < figure(&all, "edges"));
        assert!(figure(&all, "within") < figure(&all, "edges"));
        assert!(figure(&all, "within") < figure(&all, "within_all"));
    }
}

/// An 8-bit counter would lose edges that are hit 256 times.
#[test]
#[ignore = "builds the instrumented programs"]
fn hits_do_not_wrap() {
    let texts = [255, 256, 257].map(|n| format!("[{}0]", "0,".repeat(n)));
    let directory = directory("wrap", &texts.each_ref().map(String::as_str));
    let edges = |file| figure(&coverage("json", &directory, &["--json", file]), "edges");
    assert_eq!(edges("0"), edges("1"));
    assert_eq!(edges("1"), edges("2"));
}

/// Each element of an array of n elements calls the same functions once more.
#[test]
#[ignore = "builds the instrumented programs"]
fn calls_are_counted_beyond_a_byte() {
    let texts = [1000, 2000, 3000].map(|n| format!("[{}[]]", "[],".repeat(n)));
    let directory = directory("calls", &texts.each_ref().map(String::as_str));
    let calls = |file| {
        let options = ["--each", "--functions", "--json", file];
        let output = coverage("json", &directory, &options);
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, rest) = text.split_once("\"hits\":[").expect("hits");
        let (numbers, _) = rest.split_once(']').unwrap();
        let hits = numbers
            .split(',')
            .map(|number| number.parse::<u64>().unwrap());
        hits.sum::<u64>()
    };
    let (one, two, three) = (calls("0"), calls("1"), calls("2"));
    assert!(two >= one + 1000, "{one} {two}");
    assert_eq!(three - two, two - one);
}

#[test]
#[ignore = "builds the instrumented programs"]
fn errors_are_told() {
    let directory = directory("errors", &[]);
    for (arguments, message) in [
        (&["."][..], "no files to run"),
        (&["missing"], "cannot read missing"),
        (&["--list", "missing"], "cannot read missing"),
        (&["--sources", "missing", "."], "no files to run"),
    ] {
        let output = coverage("json", &directory, arguments);
        assert_eq!(output.status.code(), Some(2));
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(
            printed.starts_with(&format!("error: {message}")),
            "{printed}"
        );
    }
}
