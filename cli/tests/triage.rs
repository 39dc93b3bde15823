//! `zester triage`. The target is this program itself, with planted faults.

#![allow(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use serde_json::Value;
use zester::Validity;
use zester::hooks::Target;
use zester::language::GrammarSource;

const GRAMMAR: &str = "all = item ( \",\" item )* ;
item = \"a\" | \"b\" | \"value\" number | \"first\" | \"second\" | \"left\" | \"right\" | \"index\" number | \"deep\" number
     | \"abort\" | \"hang\" | \"assert\" number | \"alpha\" | \"beta\" | \"key\" number ;
number = \"1\" | \"2\" | \"3\" | \"4\" ;
";
static SOURCE: GrammarSource = GrammarSource::new("faults.ebnf", GRAMMAR.as_bytes());
static TARGET: Target = Target::sentence(&SOURCE, true, run);

/// The program under test, with eleven faults. The first item that has a fault fails.
fn run(text: &[u8]) -> Validity {
    for item in text.split(|byte| *byte == b',') {
        let number = item.last().map_or(0, |digit| usize::from(digit & 7));
        let word: Vec<u8> = item
            .iter()
            .copied()
            .filter(u8::is_ascii_lowercase)
            .collect();
        match &word[..] {
            b"value" => value(number),
            b"first" => two_faults(true),
            b"second" => two_faults(false),
            b"left" => left(),
            b"right" => right(),
            b"index" => drop(std::hint::black_box([0; 1])[number]),
            b"deep" => drop(deep(1 << (40 + number), [0; 64])),
            b"abort" => std::process::abort(),
            b"assert" => assert(number),
            b"alpha" => abort("wrong sign"),
            b"beta" => abort("wrong order"),
            b"key" if number < 3 => zester::fail(format_args!("a key\nleft: {number}\nright: 0")),
            b"key" => panic!("zester: failure: a key\nleft: {number}\nright: 0"),
            b"hang" => hang(),
            _ => {}
        }
    }
    Validity::Valid
}

/// Writes the file that HANGS names, and does not return.
#[inline(never)]
fn hang() {
    if let Some(file) = std::env::var_os("HANGS") {
        std::fs::write(file, "").unwrap();
    }
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// A panic with a value in its message.
#[inline(never)]
fn value(number: usize) {
    panic!("no value {number} in {:?}", vec![number; number]);
}

/// Two panics in one function.
#[inline(never)]
fn two_faults(is_first: bool) {
    assert!(!is_first, "one message");
    panic!("one message");
}

/// Two callers of one function that panics.
#[inline(never)]
fn left() {
    callee(std::hint::black_box(1));
}

#[inline(never)]
fn right() {
    callee(std::hint::black_box(2));
}

#[inline(never)]
fn callee(caller: usize) {
    assert_eq!(caller, 0, "called");
}

/// Prints a message as `assert` of C does, with a value, and ends by the signal SIGILL.
fn assert(number: usize) {
    eprintln!("assertion {number} of the program failed");
    // SAFETY: the signal ends the process, as is intended.
    unsafe { raise(4) };
}

/// Prints which of two faults this is, and aborts.
fn abort(what: &str) {
    eprintln!("oracle: {what} of the program");
    std::process::abort();
}

unsafe extern "C" {
    fn raise(signal: i32) -> i32;
}

/// Overflows the stack.
#[inline(never)]
#[allow(unconditional_recursion)]
fn deep(number: u64, filler: [u64; 64]) -> u64 {
    let filler = std::hint::black_box(filler);
    1 + if number == 0 {
        filler[0]
    } else {
        deep(number - 1, filler)
    }
}

#[path = "common/served.rs"]
mod served;

fn main() -> ExitCode {
    if served::serve(&TARGET) {
        return ExitCode::FAILURE;
    }
    let work = Work::new();
    each_fault_is_one_group(&work);
    inputs_are_reduced_and_reproduced(&work);
    reduced_files_and_reports_are_no_artifacts(&work);
    a_text_that_is_no_sentence_runs_as_a_text(&work);
    artifacts_of_an_old_grammar_run_as_their_texts(&work);
    a_target_that_does_not_fail_has_no_groups(&work);
    files_are_kept(&work);
    time_and_signals_end_reductions(&work);
    a_reduction_keeps_the_fault(&work);
    ExitCode::SUCCESS
}

/// The texts of 29 artifacts of twelve faults, and of two artifacts without a fault. `true` means that
/// the artifact is a file of parameters.
const ARTIFACTS: [(&str, bool); 31] = [
    ("value1", true),
    ("value2", false),
    ("a,value3", true),
    ("b,a,value4", false),
    ("a,a,a,value1,hang", true),
    ("first", true),
    ("a,first,abort", false),
    ("b,first", true),
    ("second", true),
    ("a,second", false),
    ("left", true),
    ("right", true),
    ("a,left", false),
    ("b,right,first", true),
    ("index1", true),
    ("a,index4", false),
    ("deep1", true),
    ("deep4,a", false),
    ("a,a,a,a,deep2", true),
    ("abort", true),
    ("b,abort,abort", false),
    ("hang", true),
    ("assert1", true),
    ("a,assert3", false),
    ("a", true),
    ("b,a", true),
    ("alpha", true),
    ("b,alpha,beta", true),
    ("beta", true),
    ("key1", true),
    ("a,key4", false),
];

/// A temporary directory, and the path of this program.
struct Work {
    directory: PathBuf,
    target: String,
}

impl Work {
    fn new() -> Work {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("triage");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("artifacts")).unwrap();
        let work = Work {
            directory,
            target: std::env::current_exe().unwrap().to_str().unwrap().into(),
        };
        work.write("faults.ebnf", GRAMMAR);
        for (number, (text, is_parameters)) in ARTIFACTS.iter().enumerate() {
            work.artifact(
                &format!("artifacts/crash-{number:02}"),
                text,
                *is_parameters,
            );
        }
        work
    }

    fn write(&self, name: &str, content: &str) {
        std::fs::write(self.directory.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes a text, or its parameters, to a file.
    fn artifact(&self, name: &str, text: &str, is_parameters: bool) {
        self.write(name, text);
        if is_parameters {
            self.write("text", text);
            let corpus = tempfile::tempdir_in(&self.directory).unwrap();
            let to = corpus.path().to_str().unwrap();
            let (status, _, said) = self.zester(&["encode", "faults.ebnf", "text", "-o", to]);
            assert_eq!(status, Some(0), "{said}");
            std::fs::copy(corpus.path().join("text"), self.directory.join(name)).unwrap();
        }
    }

    fn zester(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_zester"))
            .args(arguments)
            .current_dir(&self.directory)
            .output()
            .unwrap();
        (
            status.code(),
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        )
    }

    fn triage(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let fixed = ["triage", &self.target, "--timeout", "0.5"];
        self.zester(&[&fixed[..], arguments].concat())
    }
}

fn objects(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the numbers of the artifacts of a group.
fn numbers(group: &Value) -> Vec<usize> {
    let paths = group["artifacts"].as_array().unwrap().iter();
    let mut numbers: Vec<usize> = paths
        .map(|path| {
            path.as_str()
                .unwrap()
                .split('-')
                .next_back()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

fn each_fault_is_one_group(work: &Work) {
    let (status, out, said) = work.triage(&["artifacts", "--json", "--no-reduce", "-j", "2"]);
    assert_eq!(status, Some(1), "{said}");
    let groups = objects(&out);
    let mut found: Vec<(Vec<usize>, &str)> = groups
        .iter()
        .map(|group| (numbers(group), group["kind"].as_str().unwrap_or("none")))
        .collect();
    found.sort();
    let expected = [
        (vec![0, 1, 2, 3, 4], "panic"),
        (vec![5, 6, 7], "panic"),
        (vec![8, 9], "panic"),
        (vec![10, 11, 12, 13], "panic"),
        (vec![14, 15], "panic"),
        (vec![16, 17, 18], "stack overflow"),
        (vec![19, 20], "SIGABRT"),
        (vec![21], "time-out"),
        (vec![22, 23], "SIGILL"),
        (vec![24, 25], "none"),
        (vec![26, 27], "SIGABRT"),
        (vec![28], "SIGABRT"),
        (vec![29, 30], "failure"),
    ];
    assert_eq!(found, expected, "{out}");
    let of = |number: usize| {
        groups
            .iter()
            .find(|group| numbers(group).contains(&number))
            .unwrap()
    };
    // The stack of a panic has its callers, and the location is in this file.
    let callee = of(10);
    let stack = callee["stack"].to_string();
    assert!(
        stack.contains("callee") && stack.contains("left"),
        "{stack}"
    );
    assert!(
        callee["file"]
            .as_str()
            .unwrap()
            .ends_with("tests/triage.rs")
    );
    assert!(
        callee["fault"].as_str().unwrap().contains("callee"),
        "{callee}"
    );
    let line = |at: usize| of(at)["line"].as_u64().unwrap();
    assert_eq!(line(8), line(5) + 1);
    assert_eq!(of(22)["message"], "assertion 1 of the program failed");
    assert_eq!(of(0)["severity"], "not exploitable");
    assert_eq!(
        of(26)["fault"],
        "SIGABRT: oracle: wrong sign of the program"
    );
    assert_eq!(of(29)["fault"], "failure: a key");
    let stack = of(29)["stack"].to_string();
    assert!(stack.contains("#0 triage::run "), "{stack}");
    assert_eq!(of(29)["message"], "a key\nleft: 1\nright: 0");
    let message = of(10)["message"].as_str().unwrap();
    assert!(message.contains("\n  left: 1\n right: 0"), "{message}");
}

fn inputs_are_reduced_and_reproduced(work: &Work) {
    work.artifact("long", "b,a,right,first", true);
    let arguments = [
        "long",
        "artifacts/crash-20",
        "-o",
        "page.md",
        "--sarif",
        "log.sarif",
    ];
    let (status, out, said) = work.triage(&arguments);
    assert_eq!((status, &out[..]), (Some(1), ""), "{said}");
    let page = work.read("page.md");
    let mut texts = [work.read("page-1.txt"), work.read("page-2.txt")];
    texts.sort();
    assert_eq!(texts, ["abort", "left"], "{page}");
    assert!(page.contains("reduced from 15 to 4 bytes"), "{page}");
    // The commands of the page fail.
    let commands: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("zester run "))
        .collect();
    assert_eq!(commands.len(), 2, "{page}");
    for command in commands {
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        assert_eq!(work.zester(&words).0, Some(1), "{command}");
    }
    let log: Value = serde_json::from_str(&work.read("log.sarif")).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!((log["version"].as_str(), results.len()), (Some("2.1.0"), 2));
    let rules: Vec<&Value> = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["id"])
        .collect();
    assert!(
        results
            .iter()
            .all(|result| rules.contains(&&result["ruleId"]))
    );
    let panic = results
        .iter()
        .find(|result| result["ruleId"] == "panic")
        .unwrap();
    let region = &panic["locations"][0]["physicalLocation"]["region"];
    assert!(region["startLine"].as_u64() > Some(1), "{panic}");
    // The time limit of the reduction is over before the first sentence is tried.
    let (_, out, said) = work.triage(&["long", "--reduce-for", "0.001"]);
    assert!(out.contains("not reduced in 0.001 s"), "{out}{said}");
    assert!(out.contains("```text\nb,a,right,first\n```"), "{out}");
    // The page in HTML loads nothing.
    let html = [
        "long",
        "artifacts/crash-00",
        "--no-reduce",
        "-o",
        "html.html",
    ];
    assert_eq!(work.triage(&html).0, Some(1));
    let page = work.read("html.html");
    assert!(page.contains("b,a,right,first") && page.contains("color-scheme: light dark"));
    assert!(!page.contains("src=") && !page.contains("http") && page.ends_with("</html>\n"));
}

fn reduced_files_and_reports_are_no_artifacts(work: &Work) {
    std::fs::create_dir_all(work.directory.join("mixed")).unwrap();
    work.artifact("mixed/crash-1", "abort", true);
    for name in ["crash-1.reduced", "faults.md", "faults-1.txt", ".hidden"] {
        work.write(&format!("mixed/{name}"), "abort");
    }
    let (_, out, said) = work.triage(&["mixed", "mixed/crash-1.reduced", "--json", "--no-reduce"]);
    let groups = objects(&out);
    assert_eq!(groups.len(), 1, "{said}");
    assert_eq!(numbers(&groups[0]), [1], "{out}");
    // A text of that name is an artifact if there is no report.
    std::fs::remove_file(work.directory.join("mixed/faults.md")).unwrap();
    let (_, out, _) = work.triage(&["mixed", "--json", "--no-reduce"]);
    assert_eq!(
        objects(&out)[0]["artifacts"].as_array().unwrap().len(),
        2,
        "{out}"
    );
}

fn a_text_that_is_no_sentence_runs_as_a_text(work: &Work) {
    // As parameters, the file decodes to `a`.
    work.write("edited", "-abort");
    let (status, out, said) = work.triage(&["edited"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        out.contains("SIGABRT") && out.contains("is no sentence of the grammar"),
        "{out}"
    );
}

fn artifacts_of_an_old_grammar_run_as_their_texts(work: &Work) {
    std::fs::create_dir_all(work.directory.join("old/.zester-text-v2-0000000000000001")).unwrap();
    work.artifact("old/crash-1", "b", true);
    work.write(
        "old/.zester-text-v2-0000000000000001/crash-1.txt",
        "a,first",
    );
    let (status, out, said) = work.triage(&["old", "--no-reduce"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(out.contains("a,first"), "{out}");
    assert!(out.contains("was written with another grammar"), "{out}");
    assert!(
        out.contains("zester run") && out.contains("0000000000000001/crash-1.txt"),
        "{out}"
    );
    // If that text does not fail, the report says that it ran.
    work.write("old/.zester-text-v2-0000000000000001/crash-1.txt", "a");
    let (status, out, said) = work.triage(&["old"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(out.contains("## Does not fail any more"), "{out}");
    assert!(out.contains("was written with another grammar"), "{out}");
}

fn a_target_that_does_not_fail_has_no_groups(work: &Work) {
    let (status, out, said) = work.triage(&["artifacts/crash-24", "artifacts/crash-25"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(
        out.contains("2 artifacts, 0 faults, 2 without a failure"),
        "{out}"
    );
    std::fs::create_dir_all(work.directory.join("empty")).unwrap();
    let (status, _, said) = work.triage(&["empty"]);
    assert!(status == Some(2) && said.contains("no artifact"), "{said}");
    let (status, _, said) = work.triage(&["missing"]);
    assert!(
        status == Some(2) && said.contains("missing: No such file"),
        "{said}"
    );
}

fn files_are_kept(work: &Work) {
    work.write("mine.md", "mine");
    let arguments = ["artifacts/crash-00", "--no-reduce", "-o", "mine.md"];
    let (status, _, said) = work.triage(&arguments);
    assert!(
        status == Some(2) && said.contains("mine.md: is there already"),
        "{said}"
    );
    assert_eq!(work.read("mine.md"), "mine");
    // So are texts beside the page, and the command says so before it runs anything.
    work.write("other-1.txt", "mine");
    let other = ["artifacts/crash-00", "-o", "other.md"];
    let (status, _, said) = work.triage(&other);
    assert!(
        status == Some(2) && said.contains("other-1.txt: is there already"),
        "{said}"
    );
    assert!(!work.directory.join("other.md").exists());
    let (status, _, said) = work.triage(&[&arguments[..], &["--force"]].concat());
    assert_eq!(status, Some(1), "{said}");
    assert!(work.read("mine.md").contains("# Faults of"));
}

fn time_and_signals_end_reductions(work: &Work) {
    let (status, out, said) = work.triage(&["artifacts", "--json", "--max-time", "0.001"]);
    assert!(
        status == Some(1) && said.contains("--max-time is over: "),
        "{said}"
    );
    assert!(objects(&out).len() > 8, "{out}");
    // While the program hangs in the first run, a signal ends the command, which writes the report.
    work.artifact("hanging", "hang", true);
    let arguments = ["triage", &work.target, "hanging", "--timeout", "600", "-o"];
    let child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(arguments)
        .arg("ended.md")
        .env("HANGS", "hangs")
        .current_dir(&work.directory)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while !work.directory.join("hangs").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let number = child.id().to_string();
    assert!(Command::new("kill").arg(number).status().unwrap().success());
    let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert!(said.contains("zester: interrupted; so far: "), "{said}");
    assert!(work.read("ended.md").contains("# Faults of"), "{said}");
}

/// Two aborts have the same signature, and differ in what they print.
fn a_reduction_keeps_the_fault(work: &Work) {
    work.artifact("two", "a,alpha,beta", true);
    let (status, out, said) = work.zester(&["reduce", "--force", &work.target, "two"]);
    assert_eq!((status, out.trim()), (Some(0), "alpha"), "{said}");
    // The message is that of the reduced input.
    work.artifact("keys", "a,key2,key4", true);
    // Sentences of the search for a shape hang.
    let (_, out, said) = work.triage(&["keys", "--json", "--reduce-for", "5"]);
    let group = &objects(&out)[0];
    let text = group["text"].as_str().unwrap();
    let number = text.strip_prefix("key").unwrap();
    assert_eq!(
        group["message"],
        format!("a key\nleft: {number}\nright: 0"),
        "{said}"
    );
    let (_, out, _) = work.triage(&["keys", "--no-reduce"]);
    assert!(
        out.contains("```text\na key\nleft: 2\nright: 0\n```"),
        "{out}"
    );
    // A known failure is known by its key.
    let accept = ["keys", "--no-reduce", "--known", "known.toml", "--accept"];
    assert_eq!(work.triage(&accept).0, Some(0));
    let known = ["artifacts/crash-30", "--no-reduce", "--known", "known.toml"];
    assert_eq!(work.triage(&known).0, Some(0));
}
