//! Built fuzz targets in place of a grammar or of a command. The target is this program itself.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use zester::Validity;
use zester::hooks::Target;
use zester::language::GrammarSource;

const GRAMMAR: &str =
    "all = word ( \",\" word )* ; word = \"a\" | \"boom\" | \"bang\" | \"hang\" ;";
static SOURCE: GrammarSource = GrammarSource::new("words.ebnf", GRAMMAR.as_bytes());
static TARGET: Target = Target::sentence(&SOURCE, true, run);

/// The program under test: it fails at two locations, and hangs in a third. It rejects texts that begin
/// with `unknown` or `silent`.
fn run(text: &[u8]) -> Validity {
    let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
    if has("bang") {
        panic!("bang");
    }
    if has("boom") {
        panic!("boom");
    }
    while has("hang") {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    if let Some(name) = text.strip_prefix(b"unknown ") {
        let name = String::from_utf8_lossy(name);
        zester::report_reason(&format_args!("unknown name {name} at 1:9"));
        eprintln!("target: note: ignored\ntarget: error: no {name} here");
        return Validity::Invalid;
    }
    if has("silent") {
        return Validity::Invalid;
    }
    Validity::Valid
}

#[path = "common/served.rs"]
mod served;

fn main() -> ExitCode {
    if served::serve(&TARGET) {
        return ExitCode::FAILURE;
    }
    let work = Work::new();
    a_target_is_a_grammar(&work);
    a_target_decodes(&work);
    a_target_is_what_an_input_is_reduced_with(&work);
    failures_are_in_the_exit_status(&work);
    known_failures_are_no_failures(&work);
    what_runs_is_clear(&work);
    changed_outcomes_are_found(&work);
    rejected_files_are_grouped_by_reason(&work);
    a_corpus_is_diagnosed(&work);
    wrong_arguments_of_grow_are_refused(&work);
    foreign_files_of_a_working_directory_stay(&work);
    inputs_evolve(&work);
    an_evolution_that_was_killed_goes_on(&work);
    wrong_arguments_of_evolve_are_refused(&work);
    a_report_runs_the_corpus(&work);
    ExitCode::SUCCESS
}

/// A temporary directory with the grammar as a file, and the path of this program.
struct Work {
    directory: PathBuf,
    target: String,
    grammar: String,
}

impl Work {
    fn new() -> Work {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("target");
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        let grammar = directory.join("words.ebnf");
        std::fs::write(&grammar, GRAMMAR).unwrap();
        let target = std::env::current_exe().unwrap().to_str().unwrap().into();
        Work {
            grammar: grammar.to_str().unwrap().into(),
            directory,
            target,
        }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).to_str().unwrap().into()
    }

    fn zester(&self, arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
        use std::io::Write;
        let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
            .args(arguments)
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        (
            status.code(),
            String::from_utf8(stdout).unwrap(),
            String::from_utf8(stderr).unwrap(),
        )
    }

    /// Writes the parameters of a text to a file of this name. Returns its path.
    fn parameters(&self, name: &str, text: &str) -> String {
        let corpus = self.path(&format!("corpus-{name}"));
        let (status, _, said) = self.zester(
            &["encode", &self.grammar, "-", "-o", &corpus],
            text.as_bytes(),
        );
        assert_eq!(status, Some(0), "{said}");
        let artifact = self.path(name);
        std::fs::copy(format!("{corpus}/stdin"), &artifact).unwrap();
        artifact
    }
}

fn a_target_is_a_grammar(work: &Work) {
    let corpus = work.path("corpus");
    assert_eq!(
        work.zester(
            &[
                "generate",
                &work.target,
                "-n",
                "9",
                "--parameters",
                "-o",
                &corpus
            ],
            b""
        )
        .0,
        Some(0)
    );
    std::fs::write(work.path("text"), "a,boom").unwrap();
    for arguments in [
        &["generate", "-n", "20"][..],
        &["show", "corpus/0"],
        &["coverage", "corpus"],
        &["learn", "corpus"],
        &["check"],
        &["dict"],
    ] {
        // Outputs differ only in the path and the file name of the grammar.
        let run = |grammar: &str| {
            let (status, out, said) = work.zester(
                &[&[arguments[0], grammar][..], &arguments[1..]].concat(),
                b"",
            );
            assert_eq!(status, Some(0), "{arguments:?}: {said}");
            let own = Path::new(grammar).file_name().unwrap().to_str().unwrap();
            out.replace(grammar, "GRAMMAR").replace(own, "GRAMMAR")
        };
        assert_eq!(run(&work.target), run(&work.grammar), "{arguments:?}");
    }
    let (status, _, said) = work.zester(&["encode", &work.target, "text", "-o", "encoded"], b"");
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(
        work.zester(&["decode", &work.grammar, "encoded"], b"").1,
        "a,boom\n"
    );
    let words = work
        .zester(
            &["generate", &work.target, "--start", "word", "-n", "9"],
            b"",
        )
        .1;
    assert!(words.lines().all(|word| !word.contains(',')), "{words}");
    // A program without zester is not run.
    let (status, _, said) = work.zester(&["generate", "/bin/true"], b"");
    assert!(
        status == Some(2) && said.contains("neither a grammar nor a fuzz target with zester"),
        "{said}"
    );
}

fn failures_are_in_the_exit_status(work: &Work) {
    for (text, status) in [("a", 0), ("no sentence", 0), ("boom", 1), ("hang", 1)] {
        std::fs::write(work.path("run"), text).unwrap();
        let run = ["run", &work.target, "run", "--timeout", "0.2"];
        assert_eq!(work.zester(&run, b"").0, Some(status), "{text}");
        assert_eq!(
            work.zester(&[&run[..], &["--fail-on", "none"]].concat(), b"")
                .0,
            Some(0),
            "{text}"
        );
    }
}

fn known_failures_are_no_failures(work: &Work) {
    for text in ["a", "boom", "a,boom", "bang"] {
        std::fs::write(work.path(&format!("known-{text}")), text).unwrap();
    }
    let list = work.path("known/words.toml");
    let known = |command: &str, files: &[&str], more: &[&str]| {
        let start = [command, &work.target];
        let arguments = [&start, files, &["--known", &list], more].concat();
        work.zester(&arguments, b"")
    };
    let (status, _, said) = known("run", &["known-boom"], &[]);
    assert!(
        status == Some(2) && said.contains("known/words.toml"),
        "{said}"
    );
    let (status, _, said) = known("triage", &["known-a,boom"], &["--accept", "--no-reduce"]);
    assert_eq!(status, Some(0), "{said}");
    // Sentences of the search for a shape hang.
    let quick = ["--reduce-for", "1"];
    assert_eq!(known("triage", &["known-boom"], &quick).0, Some(0));
    assert_eq!(
        known("triage", &["known-boom", "known-bang"], &quick).0,
        Some(1)
    );
    let (status, out, said) = known("run", &["known-boom", "known-a,boom"], &[]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(out.matches("known: no reason given").count(), 2, "{out}");
    assert!(said.contains("known failures: 1 in 2 files"), "{said}");
    let (status, out, _) = known("run", &["known-boom", "known-bang"], &["--junit", "-"]);
    assert_eq!(status, Some(1));
    assert!(
        out.contains("failures=\"1\"") && out.contains("skipped=\"1\""),
        "{out}"
    );
    // The entry is tried by its own sentence.
    assert_eq!(known("run", &["known-a"], &[]).0, Some(0));
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, text.replace("text = \"a,boom\"", "text = \"a\"")).unwrap();
    let (status, _, said) = known("run", &["known-a"], &[]);
    assert!(
        status == Some(1)
            && said.contains("words.toml: entry 1, panic in ")
            && said.contains(": does not fail any more, so remove the entry"),
        "{said}"
    );
    assert_eq!(
        known("run", &["known-a"], &["--fail-on", "none"]).0,
        Some(0)
    );
}

fn what_runs_is_clear(work: &Work) {
    // Running parameters as texts, or decoding texts, gives a warning.
    assert_eq!(
        work.zester(
            &["encode", &work.grammar, "text", "-o", "as-parameters"],
            b""
        )
        .0,
        Some(0)
    );
    let (_, _, said) = work.zester(&["run", &work.target, "as-parameters"], b"");
    assert!(
        said.contains("as-parameters: zester wrote parameters there")
            && said.contains("--parameters decodes them"),
        "{said}"
    );
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    for arguments in [
        &["run", &work.target, "text", "--parameters"][..],
        &["decode", &work.target, "text"],
    ] {
        let (_, _, said) = work.zester(arguments, b"");
        assert!(
            said.contains("text: files that are sentences of the grammar: 1 of 1 examined"),
            "{arguments:?}: {said}"
        );
    }
    // Control characters in file names are escaped.
    let odd = work.path("odd\n\u{1b}[31m");
    std::fs::write(&odd, "boom").unwrap();
    let (_, out, said) = work.zester(&["run", &work.target, &odd], b"");
    assert!(
        out.contains("odd\\n\\u{1b}[31m") && out.lines().count() == 1,
        "{out}"
    );
    assert!(
        said.contains("odd\\n\\u{1b}[31m") && !said.contains('\u{1b}'),
        "{said}"
    );
    // suite.json is not run as a sentence, and a grammar is not a target.
    std::fs::create_dir(work.path("described")).unwrap();
    std::fs::write(work.path("described/1.txt"), "a").unwrap();
    std::fs::write(
        work.path("described/suite.json"),
        "{\"version\": 1, \"files\": []}",
    )
    .unwrap();
    let (_, out, said) = work.zester(&["run", &work.target, "described"], b"");
    assert!(
        out.lines().count() == 1 && said.contains("--expect described/suite.json"),
        "{out}{said}"
    );
    let (status, _, said) = work.zester(&["run", &work.grammar, "text"], b"");
    assert!(
        status == Some(2) && said.contains("words.ebnf: is no fuzz target; `zester fuzz NAME"),
        "{said}"
    );
}

fn changed_outcomes_are_found(work: &Work) {
    std::fs::create_dir(work.path("suite")).unwrap();
    std::fs::write(work.path("suite/1.txt"), "a").unwrap();
    std::fs::write(work.path("suite/2.txt"), "boom").unwrap();
    let run = |files: &str, more: &[&str]| {
        std::fs::write(
            work.path("suite/suite.json"),
            format!("{{\"version\": 1, \"files\": [{files}]}}"),
        )
        .unwrap();
        work.zester(
            &[
                &["run", &work.target, "--expect", "suite/suite.json"][..],
                more,
            ]
            .concat(),
            b"",
        )
    };
    let valid = |file: &str| format!("{{\"file\": \"{file}\", \"outcome\": \"valid\"}}");
    let (status, out, said) = run(&valid("1.txt"), &[]);
    assert_eq!((status, &out[..]), (Some(0), ""), "{said}");
    assert!(said.contains("1 outcome as expected, 0 others"), "{said}");
    let both = format!("{}, {}", valid("1.txt"), valid("2.txt"));
    let (status, out, said) = run(&both, &["--junit", "report.xml"]);
    assert!(
        status == Some(1) && said.contains("1 outcome as expected, 1 other"),
        "{said}"
    );
    assert!(
        out.starts_with("crash ") && out.contains("2.txt") && out.contains("expected valid"),
        "{out}"
    );
    let report = std::fs::read_to_string(work.path("report.xml")).unwrap();
    assert!(
        report.contains("failures=\"1\"") && report.contains("expected valid"),
        "{report}"
    );
    let (status, _, said) = run(&both, &["--junit", "report.xml"]);
    assert!(
        status == Some(2)
            && said.contains("report.xml: is there already")
            && !said.contains("outcomes"),
        "{said}"
    );
    let (status, _, said) = run(&valid("3.txt"), &[]);
    assert!(
        status == Some(2) && said.contains("suite/3.txt: No such file"),
        "{said}"
    );
    let (status, _, said) = work.zester(&["run", &work.target, "--expect", "text"], b"");
    assert!(
        status == Some(2) && said.contains("text: is no suite.json"),
        "{said}"
    );
}

fn rejected_files_are_grouped_by_reason(work: &Work) {
    std::fs::create_dir(work.path("rejected")).unwrap();
    for (file, text) in [
        ("1", "unknown first_name"),
        ("2", "unknown x1"),
        ("3", "silent"),
        ("4", "a,a"),
        ("5", "boom"),
        ("6", "unknown z"),
    ] {
        std::fs::write(work.path(&format!("rejected/{file}")), text).unwrap();
    }
    let run = |more: &[&str]| {
        work.zester(
            &[&["run", &work.target, "rejected", "-j", "2"][..], more].concat(),
            b"",
        )
    };
    let (status, out, said) = run(&["--reasons"]);
    assert_eq!(status, Some(1), "{said}");
    let expected = "     3  50.0 %  unknown name ‹name› at ‹place›
                smallest rejected/6 (9 B)
                reason   unknown name z at 1:9
                text     unknown z

     1  16.7 %  (the target reported no reason)\n";
    assert!(out.starts_with(expected), "{out}");
    assert!(
        out.contains("rejected/3") && !out.contains("rejected/4") && !out.contains('\u{1b}'),
        "{out}"
    );
    assert!(
        said.contains("1 crash, 4 invalid, 1 valid") && said.contains("1 x panic at"),
        "{said}"
    );
    // With --json, the lines of the files stay, and the groups follow.
    let objects = |out: &str| -> Vec<serde_json::Value> {
        let lines = out.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let (_, out, _) = run(&["--reasons", "--json"]);
    let found = objects(&out);
    assert_eq!(found.len(), 6 + 2, "{out}");
    assert_eq!(found[1]["reason"], "unknown name x1 at 1:9");
    assert!(found[2]["reason"].is_null() && found[4]["outcome"] == "crash");
    assert_eq!(found[6]["group"], "unknown name ‹name› at ‹place›");
    assert_eq!(found[6]["count"], 3);
    assert_eq!(found[6]["smallest"], "rejected/6");
    assert_eq!(
        found[6]["details"][1],
        serde_json::json!({ "kind": "place", "text": "1:9", "offset": 8 })
    );
    assert!(found[7]["group"].is_null() && found[7]["count"] == 1);
    // Without --reasons, nothing changes.
    let (_, out, _) = run(&["--json"]);
    assert!(
        objects(&out)
            .iter()
            .all(|line| line.get("reason").is_none())
    );
    // The output of the target is another source of reasons.
    let (_, out, said) = run(&["--reason-from-stderr", "error: (.*)"]);
    assert!(out.contains("50.0 %  no ‹name› here\n"), "{out}{said}");
    assert!(out.contains("--reason-from-stderr does not match"), "{out}");
    for (arguments, says) in [
        (&["--reason-from-stderr", "("][..], "unclosed group"),
        (
            &["--reasons", "--expect", "suite/suite.json"],
            "cannot be used with",
        ),
    ] {
        let (status, _, said) = run(arguments);
        assert!(
            status == Some(2) && said.contains(says) && said.matches("error: ").count() <= 2,
            "{arguments:?}: {said}"
        );
    }
    // A target may reject no file.
    let artifact = work.parameters("rejected-parameters", "a,a");
    let (status, out, said) = work.zester(
        &["run", &work.target, &artifact, "--parameters", "--reasons"],
        b"",
    );
    assert_eq!((status, &*out), (Some(0), ""), "{said}");
    assert!(said.contains("no file was rejected"), "{said}");
}

fn wrong_arguments_of_grow_are_refused(work: &Work) {
    std::fs::create_dir_all(work.path("other.grow")).unwrap();
    std::fs::write(
        work.path("other.grow/settings.json"),
        "{\"version\": 1, \"grammar\": \"0\", \"seed\": 1}",
    )
    .unwrap();
    for (arguments, says) in [
        (&[&work.grammar[..], "-o", "new"][..], "is no fuzz target"),
        (
            &["/no/such/target", "-o", "new"],
            "/no/such/target: No such file",
        ),
        (
            &["/bin/true", "-o", "new"],
            "neither a grammar nor a fuzz target",
        ),
        (
            &[&work.target, "-o", "suite"],
            "suite: is there already; name another directory",
        ),
        (&[&work.target, "-o", "other"], "other settings"),
        (
            &[&work.target, "-o", "new", "--bounds", "3,3"],
            "expected three numbers above 0",
        ),
        (
            &[&work.target, "-o", "new", "--bounds", "0,3,3"],
            "expected three numbers above 0",
        ),
        (
            &[&work.target, "-o", "new", "--bounds", "99,99,99"],
            "more than 2000 nodes",
        ),
        (
            &[&work.target, "-o", "new", "--time", "0"],
            "0 is not in 1..=86400",
        ),
        (
            &[&work.target, "-o", "new", "--time", "1", "--max-time", "1"],
            "cannot be used with",
        ),
    ] {
        let (status, _, said) = work.zester(&[&["grow"][..], arguments].concat(), b"");
        assert!(
            status == Some(2) && said.contains(says),
            "{arguments:?}: {said}"
        );
        assert!(!Path::new(&work.path("new")).exists());
    }
}

fn foreign_files_of_a_working_directory_stay(work: &Work) {
    for command in ["grow", "evolve"] {
        let thesis = work.path(&format!("mine.{command}/thesis.txt"));
        std::fs::create_dir(work.path(&format!("mine.{command}"))).unwrap();
        std::fs::write(&thesis, "mine").unwrap();
        let (status, _, said) = work.zester(&[command, &work.target, "-o", "mine"], b"");
        assert!(
            status == Some(2) && said.contains("\"thesis.txt\", which zester did not write"),
            "{said}"
        );
        assert_eq!(std::fs::read(&thesis).unwrap(), b"mine");
    }
}

fn json(file: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// The arguments of `zester evolve` for runs whose inputs do not depend on times.
const EVOLVE: [&str; 10] = [
    "--strategy",
    "paper",
    "--ignore",
    "time",
    "--timeout",
    "0.05",
    "--generations",
    "10",
    "--extension",
    "txt",
];

fn inputs_evolve(work: &Work) {
    std::fs::create_dir(work.path("samples")).unwrap();
    std::fs::write(work.path("samples/1"), "a,a,a,a").unwrap();
    std::fs::write(work.path("samples/2"), "no sentence").unwrap();
    for strategy in ["zester", "paper"] {
        let more = ["--strategy", strategy, "-o", strategy, "--inputs", "3"];
        let arguments = [
            &["evolve", &work.target, "samples", "--goal", "exceptions"],
            &EVOLVE[4..],
            &more,
        ]
        .concat();
        let (status, _, said) = work.zester(&arguments, b"");
        assert_eq!(status, Some(0), "{strategy}: {said}");
        assert!(
            said.contains("learned from 1 of 2 samples") && said.contains("60 runs"),
            "{strategy}: {said}"
        );
        assert!(!Path::new(&work.path(&format!("{strategy}.evolve"))).exists());
        let found = json(&work.path(&format!("{strategy}/evolve.json")));
        let exceptions = found["exceptions"].as_array().unwrap();
        assert_eq!(
            (
                found["version"].as_u64(),
                found["generations"].as_array().unwrap().len()
            ),
            (Some(1), 10)
        );
        // Their goal is many exceptions, so they can stay with the first one.
        assert!(!exceptions.is_empty(), "{strategy}: {said}");
        // The time of a run that ends in an exception is not that of the program.
        for slow in found["slowest"].as_array().unwrap() {
            let file = format!("{strategy}/{}", slow["file"].as_str().unwrap());
            let text = std::fs::read_to_string(work.path(&file)).unwrap();
            let fails = text.contains("boom") || text.contains("bang");
            // On a busy machine, a panic may take longer than the time limit.
            let seconds = slow["seconds"].as_f64();
            assert!(
                if fails {
                    [Some(0.0), Some(0.05)].contains(&seconds)
                } else {
                    seconds > Some(0.0)
                },
                "{slow} {text}"
            );
        }
        for exception in exceptions {
            let signature = exception["signature"].as_str().unwrap();
            assert!(
                signature.starts_with("panic at ") && signature.contains("tests/target.rs:"),
                "{signature}"
            );
            let text = std::fs::read_to_string(work.path(&format!(
                "{strategy}/{}",
                exception["file"].as_str().unwrap()
            )))
            .unwrap();
            assert!(text.contains("boom") || text.contains("bang"), "{text}");
        }
        let page = std::fs::read_to_string(work.path(&format!("{strategy}/report.html"))).unwrap();
        assert!(
            page.contains("<h2>Exceptions</h2>") && page.contains(&format!("Strategy {strategy}")),
            "{page}"
        );
        let weights = work.path(&format!("{strategy}/weights.json"));
        assert_eq!(
            work.zester(&["generate", &work.target, "--weights", &weights], b"")
                .0,
            Some(0)
        );
    }
    let (status, _, said) = work.zester(
        &[
            &["evolve", &work.target, "samples", "-o", "different"],
            &EVOLVE[4..],
            &["--goal", "unique-exceptions"],
        ]
        .concat(),
        b"",
    );
    let found = json(&work.path("different/evolve.json"));
    let exceptions = found["exceptions"].as_array().map(Vec::len);
    assert_eq!((status, exceptions), (Some(0), Some(2)), "{said}");
    // The evolution stops after the generation in which the goal is reached.
    let (status, _, said) = work.zester(
        &[
            &["evolve", &work.target, "samples", "-o", "reached"],
            &EVOLVE[..],
            &["--goal", "exceptions", "--until", "1"],
        ]
        .concat(),
        b"",
    );
    assert_eq!(status, Some(0), "{said}");
    let generations = json(&work.path("reached/evolve.json"))["generations"].clone();
    let generations = generations.as_array().unwrap();
    let (last, earlier) = generations.split_last().unwrap();
    assert!(generations.len() < 10 && last["exceptions"].as_u64() >= Some(1));
    assert!(earlier.iter().all(|all| all["exceptions"] == 0));
    // Without samples, all alternatives are equally probable.
    std::fs::create_dir(work.path("no-samples")).unwrap();
    let (status, _, said) = work.zester(
        &[
            &["evolve", &work.target, "no-samples", "-o", "even"],
            &EVOLVE[..],
        ]
        .concat(),
        b"",
    );
    assert!(
        status == Some(0) && said.contains("warning: there are no samples"),
        "{said}"
    );
    assert_eq!(
        json(&work.path("even/evolve.json"))["exceptions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    // The time of a run that hangs is the time limit.
    let slowest = json(&work.path("different/evolve.json"))["slowest"][0].clone();
    assert_eq!(slowest["seconds"].as_f64(), Some(0.05), "{slowest}");
    let text = std::fs::read_to_string(
        work.path(&format!("different/{}", slowest["file"].as_str().unwrap())),
    )
    .unwrap();
    assert!(text.contains("hang"), "{text}");
}

fn an_evolution_that_was_killed_goes_on(work: &Work) {
    let journal = work.path("killed.evolve/journal.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let arguments = [
        &["evolve", &work.target, "samples", "-o", "killed"],
        &EVOLVE[..],
    ]
    .concat();
    let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(&arguments)
        .current_dir(&work.directory)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while lines() < 12 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = lines();
    assert!(
        (12..101).contains(&done) && !Path::new(&work.path("killed")).exists(),
        "{done}"
    );
    let (status, _, said) = work.zester(&[&arguments[..], &["--seed", "2"]].concat(), b"");
    assert!(
        status == Some(2) && said.contains("made with other settings"),
        "{said}"
    );
    let (status, _, said) = work.zester(&arguments, b"");
    assert!(
        status == Some(0) && said.contains("goes on after the ") && said.contains("100 runs"),
        "{said}"
    );
    let whole = [
        &["evolve", &work.target, "samples", "-o", "whole"],
        &EVOLVE[..],
    ]
    .concat();
    assert_eq!(work.zester(&whole, b"").0, Some(0));
    let exceptions =
        |name: &str| json(&work.path(&format!("{name}/evolve.json")))["exceptions"].clone();
    assert_eq!(exceptions("killed"), exceptions("whole"));
}

fn wrong_arguments_of_evolve_are_refused(work: &Work) {
    std::fs::write(work.path("no-sample"), "no sentence").unwrap();
    for (arguments, says) in [
        (&[&work.grammar[..], "-o", "new"][..], "is no fuzz target"),
        (
            &[&work.target, "-o", "whole"],
            "whole: is there already; name another directory",
        ),
        (
            &[&work.target, "no-sample", "-o", "new"],
            "none of the samples is a sentence",
        ),
        (&[&work.target, "nowhere", "-o", "new"], "nowhere"),
        (
            &[&work.target, "-o", "new", "--goal", "speed"],
            "unknown goal; the goals are coverage",
        ),
        (
            &[&work.target, "-o", "new", "--weight", "time"],
            "is not GOAL=NUMBER",
        ),
        (
            &[
                &work.target,
                "-o",
                "new",
                "--weight",
                "coverage=0,exceptions=0,time=0,mappings=0",
            ],
            "every goal has the weight 0",
        ),
        (
            &[&work.target, "-o", "new", "--generations", "0"],
            "0 is not in 1..",
        ),
        (
            &[&work.target, "-o", "new", "--until", "1"],
            "--until needs a --goal other than all",
        ),
        (
            &[&work.target, "-o", "new", "--strategy", "best"],
            "possible values: zester, paper",
        ),
    ] {
        let (status, _, said) = work.zester(&[&["evolve"][..], arguments].concat(), b"");
        assert!(
            status == Some(2) && said.contains(says),
            "{arguments:?}: {said}"
        );
        assert!(!Path::new(&work.path("new")).exists());
    }
}

fn a_target_decodes(work: &Work) {
    let artifact = work.parameters("decoded", "boom,a");
    assert_eq!(
        work.zester(&["decode", &work.target, &artifact], b"").1,
        "boom,a\n"
    );
    let bytes = std::fs::read(&artifact).unwrap();
    assert_eq!(
        work.zester(&["decode", &work.target, "-"], &bytes).1,
        "boom,a\n"
    );
    // The policy for existing files holds for texts that a target decodes.
    std::fs::create_dir(work.path("texts")).unwrap();
    std::os::unix::fs::symlink(work.path("victim"), work.path("texts/decoded")).unwrap();
    let (status, _, said) = work.zester(&["decode", &work.target, &artifact, "-o", "texts"], b"");
    assert!(
        status == Some(2) && said.contains("is a symbolic link"),
        "{said}"
    );
    assert!(!Path::new(&work.path("victim")).exists());
    std::fs::remove_file(work.path("texts/decoded")).unwrap();
    assert_eq!(
        work.zester(&["decode", &work.target, &artifact, "-o", "texts"], b"")
            .0,
        Some(0)
    );
    assert_eq!(
        std::fs::read_to_string(work.path("texts/decoded")).unwrap(),
        "boom,a"
    );
}

fn a_corpus_is_diagnosed(work: &Work) {
    std::fs::create_dir(work.path("diagnosed-texts")).unwrap();
    for (file, text) in [("1", "a"), ("2", "a,a"), ("3", "a,boom"), ("4", "boom")] {
        std::fs::write(work.path(&format!("diagnosed-texts/{file}")), text).unwrap();
    }
    let arguments = [
        "encode",
        &work.grammar,
        "diagnosed-texts",
        "-o",
        "diagnosed",
    ];
    let (status, _, said) = work.zester(&arguments, b"");
    assert_eq!(status, Some(0), "{said}");
    // Experiments generate sentences that hang.
    let why = ["why", &work.target, "--timeout", "0.2", "--experiment", "8"];
    let (status, out, said) = work.zester(&[&why[..], &["--corpus", "diagnosed"]].concat(), b"");
    assert_eq!(status, Some(0), "{said}");
    assert!(out.contains("4 sentences, 50.0 % valid, 2 failed"), "{out}");
    assert!(out.contains("example   boom\n"), "{out}");
    let (status, _, said) = work.zester(&["why", &work.target, "--corpus", "nowhere"], b"");
    assert!(status == Some(2) && said.contains("nowhere"), "{said}");
}

fn a_target_is_what_an_input_is_reduced_with(work: &Work) {
    let artifact = work.parameters("crash", "a,boom,a,boom,bang,a,a");
    let target = work.target.clone();
    let bang: [&[&str]; 4] = [
        &[&work.grammar, &artifact, "--", &target],
        &[&work.grammar, &artifact, "--", &target, "{}"],
        &[&target, &artifact],
        &[&target, &artifact, "--", &target],
    ];
    for arguments in bang {
        let (status, out, said) = work.zester(&[&["reduce", "--force"], arguments].concat(), b"");
        assert_eq!(
            (status, out.as_str()),
            (Some(0), "bang\n"),
            "{arguments:?}: {said}"
        );
        assert!(
            said.contains("crash: panic at") && said.contains("22 bytes became 4"),
            "{said}"
        );
    }
    let artifact = work.parameters("hangs", "a,hang,a,a");
    let (status, out, said) = work.zester(&["reduce", &target, &artifact, "--timeout", "0.2"], b"");
    assert_eq!((status, out.as_str()), (Some(0), "hang\n"), "{said}");
    let artifact = work.parameters("fine", "a,a,a");
    let (status, _, said) = work.zester(
        &["reduce", &work.grammar, &artifact, "--", &target, "{}"],
        b"",
    );
    assert!(
        status == Some(2)
            && said.contains("this input is not interesting")
            && said.contains("valid"),
        "{said}"
    );
    // A target with another grammar is refused.
    std::fs::write(work.path("other.ebnf"), "all = \"a\" | \"b\" ;").unwrap();
    // A text is reduced, too.
    std::fs::write(work.path("boom.txt"), "a,a,boom,a").unwrap();
    let (status, out, said) = work.zester(&["reduce", &target, "boom.txt"], b"");
    assert_eq!((status, &out[..]), (Some(0), "boom\n"), "{said}");
    assert!(said.contains("boom.txt was read as text"), "{said}");
    let (status, _, said) = work.zester(&["reduce", "other.ebnf", &artifact, "--", &target], b"");
    assert!(
        status == Some(2) && said.contains("its grammar is another one than other.ebnf"),
        "{said}"
    );
    let (status, _, said) = work.zester(&["reduce", &work.grammar, &artifact], b"");
    assert!(
        status == Some(2) && said.contains("name a built fuzz target, or a command"),
        "{said}"
    );
}

fn a_report_runs_the_corpus(work: &Work) {
    let (corpus, artifacts) = (work.path("report-corpus"), work.path("report-artifacts"));
    for directory in [&corpus, &artifacts] {
        std::fs::create_dir(directory).unwrap();
    }
    for (name, text) in [("a", "a"), ("b", "a,a,a")] {
        let file = work.parameters(&format!("report-{name}"), text);
        std::fs::rename(file, format!("{corpus}/{name}")).unwrap();
    }
    for (name, text) in [("crash-1", "a,bang,a"), ("crash-2", "bang")] {
        let file = work.parameters(&format!("report-{name}"), text);
        std::fs::rename(file, format!("{artifacts}/{name}")).unwrap();
    }
    // The recorded text of an artifact is shown, which is none of the grammar here.
    let records = format!("{artifacts}/.zester-text-v2-0000000000000000");
    std::fs::create_dir(&records).unwrap();
    std::fs::write(format!("{records}/crash-2.txt"), "<script>bang").unwrap();
    let target = &work.target;
    let statistics = format!(
        "{{\"zester_statistics\":3,\"started\":9,\"process\":1,\"target\":\"{target}\",\"corpus\":[\"{corpus}\"],\"artifacts\":\"{artifacts}/\"}}\n"
    );
    std::fs::write(work.path("report.jsonl"), statistics).unwrap();
    let (status, printed, said) = work.zester(&["report", "report.jsonl", "--json"], b"");
    assert_eq!(status, Some(0), "{said}");
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let replay = &report["replays"][0];
    for (name, expected) in [
        ("inputs_run", 2),
        ("repeated", 2),
        ("stable", 2),
        ("artifacts_run", 2),
    ] {
        assert_eq!(replay[name], expected, "{name}: {replay}");
    }
    assert_eq!(replay["outcomes"], serde_json::json!({"valid": 2}));
    assert_eq!(
        replay["never_used"],
        serde_json::json!({"word": [2, 3, 4]}),
        "{replay}"
    );
    let failure = &replay["failures"][0];
    let signature = failure["signature"].as_str().unwrap();
    assert!(signature.contains("target.rs"), "{failure}");
    assert_eq!(failure["artifacts"], 2);
    assert!(failure["smallest"].as_str().unwrap().ends_with("/crash-2"));
    let (status, page, said) = work.zester(&["report", "report.jsonl", "-o", "-"], b"");
    assert_eq!(status, Some(0), "{said}");
    assert!(
        page.contains("&lt;script&gt;bang") && !page.contains("<script"),
        "{page}"
    );
    assert!(page.contains("<pre>a,a,a</pre>"), "{page}");
    // Without --target, a corpus that cannot be run is a note on the page; with it, an error.
    let (_, page, _) = work.zester(&["report", "report.jsonl", "-o", "-", "--no-replay"], b"");
    assert!(!page.contains("<h2>Corpus"), "{page}");
    let no_target = [
        "report",
        "report.jsonl",
        "-o",
        "-",
        "--target",
        "words.ebnf",
    ];
    let (status, _, said) = work.zester(&no_target, b"");
    assert!(
        status == Some(2) && said.contains("is no fuzz target"),
        "{said}"
    );
    // One millisecond is too short for a thousand inputs, and the page says so.
    let many = work.path("report-many");
    std::fs::create_dir(&many).unwrap();
    for number in 0..1_000 {
        std::fs::copy(format!("{corpus}/b"), format!("{many}/{number}")).unwrap();
    }
    let mut short = vec!["report", "report.jsonl", "-o", "-", "--corpus", &many];
    let message = " of 1000 inputs of the corpus were run.";
    let (_, page, _) = work.zester(&short, b"");
    assert!(!page.contains(message), "{page}");
    short.extend(["--replay-for", "0.001"]);
    let (status, page, said) = work.zester(&short, b"");
    assert!(status == Some(0) && page.contains(message), "{page}{said}");
}
