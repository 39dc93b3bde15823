//! `zester fuzz`: the ways in which a target can end, each with what the campaign says, keeps and
//! returns. The table in `src/commands.md` describes them. The target is `c/tests/harness.cc`, built by
//! clang; without clang, these tests are skipped.

#![cfg(target_os = "linux")]

#[path = "../../../c/tests/common/library.rs"]
mod library;

use std::sync::OnceLock;

use super::*;

/// The harness, which ends a run of a sentence with a plus sign as the variable `END` says. With
/// AddressSanitizer, each of its processes takes a quarter of a second longer to start.
fn harness(has_sanitizer: bool) -> Option<&'static Path> {
    static HARNESSES: [OnceLock<Option<PathBuf>>; 2] = [const { OnceLock::new() }; 2];
    let build = || {
        if Command::new("clang++").arg("--version").output().is_err() {
            eprintln!("skipped: no clang");
            return None;
        }
        let (name, sanitizers) = match has_sanitizer {
            true => ("ends", "-fsanitize=fuzzer,address"),
            false => ("ends-plain", "-fsanitize=fuzzer"),
        };
        let directory = directory(name);
        let grammar = directory.join("grammar.c");
        let embedded = zester(
            &[
                "embed",
                "grammars/expr.ebnf",
                "-o",
                grammar.to_str().unwrap(),
            ],
            b"",
        );
        assert!(embedded.status.success(), "{}", text(&embedded.stderr));
        let program = directory.join("harness");
        let built = Command::new("clang++")
            .args(["-g", "-O1", sanitizers])
            .arg(format!("-I{ROOT}/c"))
            .arg(format!("{ROOT}/c/tests/harness.cc"))
            .args(["-x", "c"])
            .arg(&grammar)
            .args(["-x", "none", "-Wl,--wrap=LLVMFuzzerTestOneInput"])
            .arg("-Wl,--wrap=LLVMFuzzerInitialize")
            // The directory of this test's own files is `tmp` in the target directory.
            .arg(library::library())
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&program)
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", text(&built.stderr));
        Some(program)
    };
    let harness = &HARNESSES[usize::from(has_sanitizer)];
    harness.get_or_init(build).as_deref()
}

/// A directory in which campaigns of the harness run.
struct Campaigns {
    program: &'static Path,
    directory: PathBuf,
}

impl Campaigns {
    fn new(name: &str) -> Option<Campaigns> {
        Some(Campaigns {
            program: harness(false)?,
            directory: directory(name),
        })
    }

    fn with_sanitizer(name: &str) -> Option<Campaigns> {
        Some(Campaigns {
            program: harness(true)?,
            directory: directory(name),
        })
    }

    /// Runs a campaign in which the harness ends as `end` says. Returns its exit status and what it
    /// says.
    fn run(&self, end: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_zester"))
            .arg("fuzz")
            .arg(self.program)
            .args(["corpus", "-j", "1", "--artifacts", "artifacts"])
            .args(arguments)
            .env("END", end)
            .env("ASAN_OPTIONS", "symbolize=0")
            .current_dir(&self.directory)
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    }

    /// Returns the number of processes that run in the directory of the campaigns. A process that
    /// has been killed takes a moment to end.
    fn processes(&self) -> usize {
        let is_here = |process: &std::fs::DirEntry| {
            let directory = std::fs::read_link(process.path().join("cwd"));
            directory.is_ok_and(|directory| directory == self.directory)
        };
        let count = || {
            let all = std::fs::read_dir("/proc").unwrap().flatten();
            all.filter(is_here).count()
        };
        for _ in 0..100 {
            if count() == 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        count()
    }

    /// Returns the names of the files in a directory, without hidden ones.
    fn files(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.join(name)).into_iter();
        let names = entries
            .flatten()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

#[test]
fn a_disagreement_ends_no_process() {
    let Some(campaigns) = Campaigns::new("disagreement") else {
        return;
    };
    let (returned, said) = campaigns.run("same", &["--", "-runs=2000", "-seed=1"]);
    assert_eq!(returned, Some(1), "{said}");
    let count = said.lines().find_map(|line| {
        let (count, what) = line.trim().split_once(" x  ")?;
        let count = count.replace(',', "").parse::<u32>().ok()?;
        what.starts_with("disagreement: without +: ")
            .then_some(count)
    });
    assert!(count.is_some_and(|count| count > 100), "{said}");
    assert!(said.contains(" 2,000   "), "{said}");
    // The first, the second, the fourth, …, and shorter ones, with their texts and one result.
    let kept = campaigns.files("artifacts").len();
    assert!((2..60).contains(&kept), "{kept} files; {said}");
}

#[test]
fn several_equivalences_together_fail_again() {
    let Some(campaigns) = Campaigns::new("parentheses") else {
        return;
    };
    let flags = [
        "--",
        "--zester_equal=1",
        "--zester_valid_result=0",
        "-runs=4000",
        "-seed=1",
    ];
    let (returned, said) = campaigns.run("parentheses", &flags);
    assert_eq!(returned, Some(1), "{said}");
    assert!(said.contains("failure: SIGABRT"), "{said}");
    assert!(!said.contains("depends on the runs before it"), "{said}");
}

#[test]
fn triage_groups_disagreements_by_their_cause() {
    let Some(campaigns) = Campaigns::new("shapes") else {
        return;
    };
    let artifacts = campaigns.directory.join("artifacts");
    std::fs::create_dir_all(&artifacts).unwrap();
    let texts = ["a**b;", "1+2**c*3;", "let d=-(e**f);", "7%2;", "g-(h%1);"];
    for (at, text) in texts.iter().enumerate() {
        std::fs::write(artifacts.join(format!("crash-{at}")), text).unwrap();
    }
    let known = campaigns.directory.join("known.toml");
    let triage = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_zester"))
            .arg("triage")
            .args([campaigns.program, &artifacts])
            .arg("--known")
            .arg(&known)
            // A shape that is not found in time is none, however busy the machine is.
            .args(["--json", "-j", "1", "--reduce-for", "600"])
            .args(more)
            .env("END", "shapes")
            .output()
            .unwrap()
    };
    let found = triage(&["--accept"]);
    let lines = text(&found.stdout);
    let groups: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let counts: Vec<usize> = groups
        .iter()
        .map(|group| group["artifacts"].as_array().unwrap().len())
        .collect();
    assert_eq!(counts, [3, 2], "{lines}");
    for (group, operator) in groups.iter().zip(["**", "%"]) {
        let fault = group["fault"].as_str().unwrap();
        assert!(fault.starts_with("disagreement: shapes: "), "{fault}");
        assert!(fault.contains(operator), "{fault}");
    }
    // Another sentence with the cause is known, and a sentence with another cause is not.
    std::fs::write(artifacts.join("crash-9"), "(x**y)+z;").unwrap();
    let again = triage(&[]);
    assert!(again.status.success(), "{}", text(&again.stdout));
    let entries = std::fs::read_to_string(&known).unwrap();
    let one = entries.rfind("\n[[failure]]").unwrap();
    std::fs::write(&known, &entries[..one]).unwrap();
    assert_eq!(triage(&[]).status.code(), Some(1));
}

#[test]
fn each_end_of_a_target_is_said_kept_and_returned() {
    // The end, the artifact, the exit status of the campaign, and what the campaign says.
    let ends = [
        ("", None, 0, "failures              0   in 0 artifacts"),
        ("exit", Some("crash-"), 1, "failure: exit with status 0"),
        ("_exit", Some("crash-"), 1, "failure: exit with status 0"),
        ("_Exit", Some("crash-"), 1, "failure: exit with status 3"),
        (
            "exit_group",
            None,
            1,
            "1 x  ended with status 0, without an artifact",
        ),
        (
            "kill",
            None,
            1,
            "1 x  ended by signal 9, without an artifact",
        ),
        ("abort", Some("crash-"), 1, "failure: "),
        ("fail", Some("crash-"), 1, "\nfailure: one key\n"),
        ("same", Some("crash-"), 1, "\ndisagreement: without +: "),
        ("segment", Some("crash-"), 1, "failure: "),
        ("exception", Some("crash-"), 1, "failure: "),
        ("beyond", Some("crash-"), 1, "failure: "),
        ("leak", Some("leak-"), 1, "failure: memory leak"),
        ("time-out", Some("timeout-"), 1, "failure: "),
        ("memory", Some("oom-"), 1, "failure: "),
        (
            "always",
            Some("crash-"),
            1,
            "the empty input, which libFuzzer always runs first",
        ),
        ("fork", None, 0, "failures              0   in 0 artifacts"),
    ];
    for (end, artifact, status, says) in ends {
        let Some(campaigns) = Campaigns::with_sanitizer(&format!("end-{end}")) else {
            return;
        };
        let flags: &[&str] = match end {
            "always" => &["--", "-runs=20000"],
            // The artifact is examined for 12 seconds after the campaign.
            "time-out" => &["--until-failure", "--", "-timeout=6", "-seed=1"],
            // On a busy machine, a run may take more than a second.
            _ => &[
                "--until-failure",
                "--",
                "-runs=2000",
                "-timeout=60",
                "-rss_limit_mb=400",
                "-seed=1",
            ],
        };
        let (returned, said) = campaigns.run(end, flags);
        assert!(
            returned == Some(status) && said.contains(says),
            "{end}: {returned:?}: {said}"
        );
        assert!(!said.contains("no run has ended"), "{end}: {said}");
        let kept = campaigns.files("artifacts");
        let is_kept = |kind: &&str| kept.iter().any(|name| name.starts_with(kind));
        assert!(
            artifact.as_ref().map_or(kept.is_empty(), is_kept),
            "{end}: {kept:?}: {said}"
        );
        assert_eq!(campaigns.processes(), 0, "{end}");
    }
    let Some(campaigns) = Campaigns::new("end-start") else {
        return;
    };
    let (returned, said) = campaigns.run("", &["--", "--zester_stat=x"]);
    assert!(
        returned == Some(2) && said.contains("no flag --zester_stat"),
        "{said}"
    );
}

/// Returns the number before words in what a campaign says.
fn number(said: &str, words: &str) -> u64 {
    let before = said.split_once(words).map_or("", |(before, _)| before);
    let number = before.trim_end().rsplit(' ').next().unwrap_or_default();
    let number = number.replace(',', "");
    number.parse().unwrap_or_else(|_| panic!("{words}: {said}"))
}

#[test]
fn a_checkpoint_goes_on_after_each_end() {
    for (end, failures, words) in [
        ("abort", 3, " x  SIGABRT"),
        ("beyond", 3, " x  heap-buffer-overflow"),
        ("memory", 1, " x  out of memory"),
    ] {
        let Some(campaigns) = Campaigns::with_sanitizer(&format!("checkpoint-{end}")) else {
            return;
        };
        let flags = ["--", "-max_total_time=3", "-rss_limit_mb=400", "-seed=1"];
        let (returned, said) = campaigns.run(end, &flags);
        assert_eq!(returned, Some(1), "{end}: {said}");
        assert!(number(&said, words) >= failures, "{end}: {said}");
        // Without checkpoints, each start of a process reads the corpus.
        let statistics = campaigns.directory.join("corpus.stats");
        let statistics = std::fs::read_to_string(statistics).unwrap();
        let last = statistics
            .lines()
            .rfind(|line| line.contains("\"replayed\""));
        let last: serde_json::Value = serde_json::from_str(last.unwrap()).unwrap();
        let of = |name: &str| last[name].as_u64().unwrap();
        assert!(3 * of("replayed") < of("executions"), "{end}: {last}");
        assert!(campaigns.files("artifacts").len() < 20, "{end}: {said}");
        assert_eq!(campaigns.processes(), 0, "{end}");
    }
}

#[test]
fn a_campaign_goes_on_when_its_processes_are_killed() {
    let Some(campaigns) = Campaigns::new("killed") else {
        return;
    };
    let mut campaign = Command::new(env!("CARGO_BIN_EXE_zester"))
        .arg("fuzz")
        .arg(campaigns.program)
        .args(["corpus", "-j", "1", "--", "-max_total_time=300"])
        .current_dir(&campaigns.directory)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The process that waits, the one that fuzzes, and its copy.
    let children = |process: u32| -> Vec<u32> {
        let file = format!("/proc/{process}/task/{process}/children");
        let all = std::fs::read_to_string(file).unwrap_or_default();
        all.split_whitespace()
            .map(|id| id.parse().unwrap())
            .collect()
    };
    let all = || -> Vec<u32> {
        let waiting = children(campaign.id());
        waiting.iter().flat_map(|&id| children(id)).collect()
    };
    let two_others = |before: &[u32]| -> Vec<u32> {
        for _ in 0..6000 {
            let now = all();
            if now.len() == 2 && !now.iter().any(|process| before.contains(process)) {
                return now;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("there are not two other processes");
    };
    let first = two_others(&[]);
    for process in &first {
        let killed = Command::new("kill")
            .args(["-9", &process.to_string()])
            .status();
        assert!(killed.unwrap().success());
    }
    // All of them are dead, so another one starts.
    two_others(&first);
    let ended = Command::new("kill").arg(campaign.id().to_string()).status();
    assert!(ended.unwrap().success());
    let mut said = String::new();
    std::io::Read::read_to_string(campaign.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert_eq!(campaign.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.contains("ended by signal 9"), "{said}");
    assert_eq!(campaigns.processes(), 0);
}

#[test]
fn an_input_that_fails_is_set_aside_until_it_does_not() {
    let Some(campaigns) = Campaigns::new("set-aside") else {
        return;
    };
    let corpus = campaigns.directory.join("corpus");
    let arguments = [
        "generate",
        "grammars/expr.ebnf",
        "-n",
        "9",
        "--parameters",
        "-o",
    ];
    let made = zester(&[&arguments[..], &[corpus.to_str().unwrap()]].concat(), b"");
    assert!(made.status.success(), "{}", text(&made.stderr));
    let all = campaigns.files("corpus");
    let (status, said) = campaigns.run("abort", &["--", "-runs=100"]);
    assert!(status == Some(1) && said.contains("is set aside"), "{said}");
    let left = campaigns.files("corpus");
    assert!(!all.iter().all(|name| left.contains(name)), "{said}");
    // They still fail.
    let (status, said) = campaigns.run("abort", &["--until-failure", "--", "-runs=100"]);
    assert!(
        status == Some(1) && said.contains(" 0 do not fail any more"),
        "{said}"
    );
    let (status, said) = campaigns.run("", &["--", "-runs=1"]);
    assert!(
        status == Some(0) && said.contains("are in the corpus again"),
        "{said}"
    );
    let now = campaigns.files("corpus");
    assert!(all.iter().all(|name| now.contains(name)), "{all:?} {now:?}");
    // The marker of the grammar is an empty file, which no empty artifact may move away.
    let is_marked = || {
        let entries = std::fs::read_dir(&corpus).unwrap();
        entries.flatten().any(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(".zester-grammar")
        })
    };
    assert!(is_marked());
    assert_eq!(campaigns.run("always", &[]).0, Some(1));
    assert!(is_marked());
}

#[test]
fn flags_and_directories_that_campaigns_need() {
    let Some(campaigns) = Campaigns::new("flags") else {
        return;
    };
    // libFuzzer does not make the directory.
    let (status, said) = campaigns.run("", &["--", "-jobs=1", "-workers=1", "-runs=5"]);
    assert!(
        status == Some(0) && campaigns.directory.join("corpus").is_dir(),
        "{said}"
    );
    let (status, said) = campaigns.run("", &["--", "-only_ascii=1", "-runs=5"]);
    assert!(
        status == Some(0) && said.contains("-only_ascii is switched off"),
        "{said}"
    );
}

#[test]
fn a_corpus_that_cannot_be_converted_gets_no_inputs() {
    let Some(campaigns) = Campaigns::new("unconverted") else {
        return;
    };
    let made = zester(
        &[
            "generate",
            "grammars/expr.ebnf",
            "-n",
            "9",
            "--parameters",
            "-o",
            campaigns.directory.join("corpus").to_str().unwrap(),
        ],
        b"",
    );
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(campaigns.run("", &["--", "-runs=9"]).0, Some(0));
    let all = campaigns.files("corpus");
    let grammar = std::fs::read_to_string(Path::new(ROOT).join("grammars/expr.ebnf")).unwrap();
    std::fs::write(
        campaigns.directory.join("other.ebnf"),
        grammar.replacen("\"+\"", "\"plus\" | \"+\"", 1),
    )
    .unwrap();
    // The directory of the unfinished conversion cannot be made.
    std::fs::write(campaigns.directory.join("corpus.converting"), "").unwrap();
    let flags = ["--", "--zester_grammar=other.ebnf", "-runs=2000"];
    let (status, said) = campaigns.run("", &flags);
    assert!(
        status == Some(2) && said.contains("cannot be converted"),
        "{said}"
    );
    assert_eq!(campaigns.files("corpus"), all);
}
