//! `zester equal`, and runs of equivalent sentences. The target is this program itself, with planted faults.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use serde_json::json;
use zester::Validity;
use zester::hooks::Target;
use zester::language::GrammarSource;

const GRAMMAR: &str = "sum = number ( \"+\" number )* ;
number = [0-9] ;
@skip blank = \" \" ;
@equal sum: a:number \"+\" b:number ~ b \"+\" a ;
@equal sum: a:number ~> a \"+\" \"0\" ;
";
static SOURCE: GrammarSource = GrammarSource::new("sum.ebnf", GRAMMAR.as_bytes());
static TARGET: Target = Target::sentence(&SOURCE, true, run).equal(true);

/// Adds numbers. A sum that begins with `7+` is too great, one that begins with `9+` is refused, one that begins
/// with `8+` has no outcome, and one that begins with `6+` has another one in each run. `5+4` panics, and two values of
/// `5+3` disagree.
fn run(text: &[u8]) -> Validity {
    let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != b' ').collect();
    assert!(!text.starts_with(b"5+4"), "no five and four");
    zester::same!(text.starts_with(b"5+3"), false, "halves");
    let numbers = text.iter().filter(|byte| byte.is_ascii_digit());
    let sum: u32 = numbers.map(|digit| u32::from(digit - b'0')).sum();
    if text.starts_with(b"6+") {
        zester::outcome(&SystemTime::now());
    } else if !text.starts_with(b"8+") {
        zester::outcome(&(sum + u32::from(text.starts_with(b"7+"))));
    }
    (!text.starts_with(b"9+")).into()
}

#[path = "common/served.rs"]
mod served;

fn main() -> ExitCode {
    if served::serve(&TARGET) {
        return ExitCode::FAILURE;
    }
    let work = Work::new();
    each_equivalence_is_tested(&work);
    invalid_sentences_are_not_compared(&work);
    figures_are_json_lines(&work);
    differing_sentences_are_artifacts(&work);
    a_run_compares_equivalent_sentences(&work);
    an_outcome_is_of_one_run(&work);
    a_pair_is_reduced_together(&work);
    an_equivalent_sentence_that_fails_is_shown(&work);
    failures_are_diagnosed_by_themselves(&work);
    ExitCode::SUCCESS
}

/// The name of the equivalence that shows both faults.
const SWAP: &str = "sum ‹a› + ‹b› ~ ‹b› + ‹a›";

struct Work(PathBuf);

impl Work {
    fn new() -> Work {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("equal");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::copy(std::env::current_exe().unwrap(), directory.join("sums")).unwrap();
        for text in ["1+2", "7+1", "1+9", "1+7+2", "9+1", "8+1", "6+1"] {
            std::fs::write(directory.join(text), text).unwrap();
        }
        Work(directory)
    }

    /// Runs the command line. Returns the exit status and the output.
    fn zester(&self, arguments: &[&str], equal: &str) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zester"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env("ZESTER_EQUAL", equal);
        let output = command.output().unwrap();
        let [out, said] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), out + &said)
    }
}

fn each_equivalence_is_tested(work: &Work) {
    let (status, out) = work.zester(&["equal", "./sums", "-n", "2000", "--size", "3,9"], "");
    assert_eq!(status, Some(1), "{out}");
    let row = |name: &str| {
        let line = out
            .lines()
            .find(|line| line.ends_with(name) && line.contains('%'));
        let figures: Vec<&str> = line
            .unwrap_or_else(|| panic!("{out}"))
            .split_whitespace()
            .collect();
        let number = |at: usize| figures[at].replace(',', "").parse::<u32>().unwrap();
        [2, 3, 4].map(number)
    };
    let [compared, refused, different] = row(SWAP);
    assert!(compared > 100 && refused > 0 && different > 0, "{out}");
    assert_eq!(row("other layout")[1..], [0, 0], "{out}");
    let has = |sentence: &str| out.contains(&format!("    {sentence}\n"));
    let is_reduced = has("7+0") && has("0+7");
    assert!(is_reduced || has("0+9") && has("9+0"), "{out}");
    assert!(
        out.contains("  equivalent, with the outcome crash\n"),
        "{out}"
    );
    let (_, uncovered) = out.split_once("No equivalence of the grammar").unwrap();
    assert_eq!(uncovered.matches("    0+0\n").count(), 1, "{out}");
    let (again, two) = work.zester(
        &["equal", "./sums", "-n", "2000", "--size", "3,9", "-j", "2"],
        "",
    );
    assert_eq!(
        (again, two.split_once("\n\n1.").unwrap().0),
        (status, out.split_once("\n\n1.").unwrap().0)
    );
}

fn invalid_sentences_are_not_compared(work: &Work) {
    std::fs::write(
        work.0.join("nine.ebnf"),
        "s = \"9\" \"+\" d ; d = \"0\" | \"1\" ; @equal d: \"0\" ~ \"1\" ;",
    )
    .unwrap();
    let (status, out) = work.zester(&["equal", "./sums", "nine.ebnf", "-n", "20"], "");
    assert_eq!(status, Some(0), "{out}");
    assert!(
        out.contains("No sentence was valid, so nothing was compared."),
        "{out}"
    );
}

fn figures_are_json_lines(work: &Work) {
    let (_, out) = work.zester(
        &["equal", "./sums", "-n", "300", "--size", "3", "--json"],
        "",
    );
    let lines = out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines[0]["equivalence"], SWAP);
    assert_eq!(lines[0]["sentences"], 300);
    assert!(lines[0]["pairs"][0]["sentence"].is_string(), "{out}");
    assert_eq!(lines[2]["pairs"], json!([]), "{out}");
}

fn differing_sentences_are_artifacts(work: &Work) {
    let arguments = ["equal", "./sums", "-n", "400", "--size", "3", "--artifacts"];
    let (status, out) = work.zester(&[&arguments[..], &["different"]].concat(), "");
    assert_eq!(status, Some(1), "{out}");
    let files = std::fs::read_dir(work.0.join("different")).unwrap().count();
    assert!(files > 2, "{files}");
    let (status, out) = work.zester(&["triage", "./sums", "different", "--reduce-for", "1"], "");
    assert_eq!(status, Some(1), "{out}");
    assert!(
        out.contains(SWAP) && !out.contains("without a failure"),
        "{out}"
    );
    let other = ["equal", "./sums", "nine.ebnf", "--artifacts", "others"];
    let (status, out) = work.zester(&other, "");
    assert_eq!(status, Some(2), "{out}");
    assert!(
        out.contains("is another grammar than that of the target"),
        "{out}"
    );
    assert!(!work.0.join("others").exists());
}

fn a_run_compares_equivalent_sentences(work: &Work) {
    for (file, expected) in [
        ("1+2", None),
        ("1+7+2", None),
        ("6+1", None),
        ("7+1", Some("a number against a smaller one")),
        ("1+9", Some("the equivalent sentence is refused")),
    ] {
        let (status, out) = work.zester(&["run", "./sums", file], "");
        assert_eq!(status, Some(i32::from(expected.is_some())), "{file}: {out}");
        if let Some(kind) = expected {
            assert!(
                out.contains(&format!("disagreement: {SWAP}: {kind}")),
                "{out}"
            );
        }
        let (status, out) = work.zester(&["run", "./sums", file], "0");
        assert_eq!(status, Some(0), "{file}: {out}");
    }
}

fn an_outcome_is_of_one_run(work: &Work) {
    // The outcome of the refused run is not that of the next one.
    let (status, out) = work.zester(&["run", "./sums", "9+1", "8+1"], "");
    assert_eq!(status, Some(0), "{out}");
}

fn a_pair_is_reduced_together(work: &Work) {
    let (status, out) = work.zester(&["reduce", "./sums", "7+1"], "");
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("7+0"), "{out}");
    std::fs::create_dir_all(work.0.join("artifacts")).unwrap();
    for text in ["7+1", "4+7", "7+3"] {
        std::fs::copy(work.0.join("7+1"), work.0.join("artifacts").join(text)).unwrap();
        std::fs::write(work.0.join("artifacts").join(text), text).unwrap();
    }
    let (status, out) = work.zester(&["triage", "./sums", "artifacts"], "");
    assert_eq!(status, Some(1), "{out}");
    assert!(
        out.contains(SWAP) && out.contains("sentence: ") && out.contains("equivalent: "),
        "{out}"
    );
}

fn an_equivalent_sentence_that_fails_is_shown(work: &Work) {
    std::fs::create_dir_all(work.0.join("failing")).unwrap();
    std::fs::write(work.0.join("failing/4+5"), "4+5").unwrap();
    let (status, out) = work.zester(&["triage", "./sums", "failing"], "");
    assert_eq!(status, Some(1), "{out}");
    let (_, failing) = out.split_once("fails on an equivalent sentence").unwrap();
    assert!(failing.contains("5+4") && failing.contains(SWAP), "{out}");
    std::fs::write(work.0.join("failing/4+5"), "5+4").unwrap();
    let (_, out) = work.zester(&["triage", "./sums", "failing"], "");
    assert!(
        out.contains("5+4") && !out.contains("an equivalent sentence"),
        "{out}"
    );
}

fn failures_are_diagnosed_by_themselves(work: &Work) {
    let why = [
        "why",
        "./sums",
        "-n",
        "600",
        "--size",
        "3",
        "--experiment",
        "8",
    ];
    let (status, out) = work.zester(&why, "");
    assert_eq!(status, Some(0), "{out}");
    assert!(out.lines().next().unwrap().contains(" failed, "), "{out}");
    let has = |line: &str| out.lines().any(|has| has.contains(line));
    assert!(has("outcome: panic at ") && has("equal.rs:"), "{out}");
    assert!(has("message   no five and four"), "{out}");
    assert!(has("outcome: disagreement: halves"), "{out}");
    assert!(has("message   halves: "), "{out}");
}
