//! `zester reduce`.

use super::*;

#[test]
fn reduce_runs_a_command() {
    let directory = directory("reduce");
    let artifact = directory.join("crash-1");
    // The artifact is the longest of 20 sentences.
    let corpus = directory.join("corpus");
    zester(
        &[
            "generate",
            "grammars/json.ebnf",
            "-n",
            "20",
            "--size",
            "200",
            "--parameters",
            "-o",
            corpus.to_str().unwrap(),
        ],
        b"",
    );
    let files = std::fs::read_dir(&corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let longest = files
        .filter(|path| path.is_file())
        .max_by_key(|path| path.metadata().unwrap().len())
        .unwrap();
    std::fs::rename(longest, &artifact).unwrap();
    let reduce = |arguments: &[&str]| {
        let artifact = artifact.to_str().unwrap();
        zester(
            &[
                &["reduce", "--force", "grammars/json.ebnf", artifact][..],
                arguments,
            ]
            .concat(),
            b"",
        )
    };
    // The command reads a file, standard input, or parameters.
    let sentence = text(
        &zester(
            &["decode", "grammars/json.ebnf", artifact.to_str().unwrap()],
            b"",
        )
        .stdout,
    );
    let wanted = ['[', '{', '"']
        .into_iter()
        .find(|&character| sentence.contains(character))
        .unwrap();
    let smallest = match wanted {
        '[' => "[]\n",
        '{' => "{}\n",
        _ => "\"\"\n",
    };
    let pattern = wanted.to_string();
    let output = reduce(&["--", "grep", "-qF", "--", &pattern, "{}"]);
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        (smallest, Some(0)),
        "{}",
        text(&output.stderr)
    );
    let again = text(
        &zester(
            &[
                "decode",
                "grammars/json.ebnf",
                directory.join("crash-1.reduced").to_str().unwrap(),
            ],
            b"",
        )
        .stdout,
    );
    assert_eq!(again, smallest);
    assert_eq!(
        text(&reduce(&["--", "grep", "-qF", "--", &pattern]).stdout),
        smallest
    );
    let output = reduce(&[
        "--parameters",
        "--status",
        "failure",
        "--",
        "sh",
        "-c",
        "test ! -s {}",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // No sentence is interesting, the command does not end, or it does not exist.
    let output = reduce(&["--", "false"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("this input is not interesting"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(
        reduce(&["--timeout", "0.1", "--", "sleep", "100"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        reduce(&["--", "/nothing/of/this/name"]).status.code(),
        Some(2)
    );
    assert_eq!(
        std::fs::read_dir(&directory).unwrap().count(),
        4,
        "a file is left over"
    );
}

/// Writes a file of parameters whose sentence has a bracket. Returns its path.
fn artifact(directory: &Path) -> String {
    std::fs::write(directory.join("text"), "{\"a\": [1, 2, 3]}").unwrap();
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            &path("text"),
            "-o",
            &path("corpus"),
        ],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    path("corpus/text")
}

#[test]
fn time_limits_are_numbers() {
    for timeout in ["nan", "inf", "-1", "0", "1e300"] {
        let output = zester(
            &[
                "reduce",
                "grammars/json.ebnf",
                "-",
                "-o",
                "-",
                &format!("--timeout={timeout}"),
                "--",
                "true",
            ],
            b"",
        );
        assert_eq!(output.status.code(), Some(2), "{timeout}");
        assert!(
            text(&output.stderr).contains("expected a number of seconds"),
            "{timeout}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_result_that_is_there_is_kept() {
    let directory = directory("reduced-twice");
    let artifact = artifact(&directory);
    let reduced = format!("{artifact}.reduced");
    std::fs::write(&reduced, "mine").unwrap();
    let run = |more: &[&str]| {
        zester(
            &[
                &["reduce", "grammars/json.ebnf", &artifact][..],
                more,
                &["--", "grep", "-q", "a"],
            ]
            .concat(),
            b"",
        )
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("text.reduced: is there already; --force"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(std::fs::read(&reduced).unwrap(), b"mine");
    assert!(run(&["--force"]).status.success());
    assert_ne!(std::fs::read(&reduced).unwrap(), b"mine");
}

#[test]
fn reduce_warns_if_every_sentence_is_interesting() {
    let directory = directory("reduce-all");
    let artifact = artifact(&directory);
    let output = zester(
        &["reduce", "grammars/json.ebnf", &artifact, "--", "true"],
        b"",
    );
    assert!(
        text(&output.stderr).contains("perhaps every sentence is interesting"),
        "{}",
        text(&output.stderr)
    );
}

/// Returns whether a process runs. A zombie does not run.
fn runs(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status
        .rsplit_once(") ")
        .is_some_and(|(_, state)| !state.starts_with('Z'))
}

/// Returns whether a process ends within 30 seconds. On a busy machine, a killed process does not end
/// at once.
fn ends(process: &str) -> bool {
    let start = std::time::Instant::now();
    while runs(process) {
        if start.elapsed() > std::time::Duration::from_secs(30) {
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    true
}

#[test]
fn no_process_of_the_command_is_left() {
    let directory = directory("reduce-children");
    let (artifact, pids) = (artifact(&directory), directory.join("pids"));
    let script = format!("sleep 1000 & echo $! >>'{}'; grep -q '\\['", pids.display());
    let output = zester(
        &[
            "reduce",
            "grammars/json.ebnf",
            &artifact,
            "--",
            "sh",
            "-c",
            &script,
        ],
        b"",
    );
    assert_eq!(text(&output.stdout), "[]\n", "{}", text(&output.stderr));
    // The command exceeds its time limit.
    let script = format!("sleep 1000 & echo $! >>'{}'; sleep 1000", pids.display());
    zester(
        &[
            "reduce",
            "--force",
            "grammars/json.ebnf",
            &artifact,
            "--timeout",
            "0.3",
            "--",
            "sh",
            "-c",
            &script,
        ],
        b"",
    );
    let pids = std::fs::read_to_string(&pids).unwrap();
    assert!(pids.lines().count() > 2);
    for process in pids.lines() {
        assert!(ends(process), "{process}");
    }
}

#[test]
fn a_signal_leaves_only_the_smallest_input_so_far() {
    let directory = directory("reduce-signal");
    let artifact = artifact(&directory);
    let (temporary, pids) = (directory.join("tmp"), directory.join("pids"));
    std::fs::create_dir(&temporary).unwrap();
    // The command does not end once a reduced input was written.
    let script = format!(
        "echo $$ >>'{}'; test -e '{artifact}.reduced' && sleep 1000; grep -qF '['",
        pids.display()
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args([
            "reduce",
            "grammars/json.ebnf",
            &artifact,
            "--timeout",
            "1000",
            "--",
            "sh",
            "-c",
            &script,
        ])
        .current_dir(ROOT)
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let reduced = format!("{artifact}.reduced");
    let start = std::time::Instant::now();
    while !Path::new(&reduced).exists()
        && start.elapsed().as_secs() < 60
        && child.try_wait().unwrap().is_none()
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&output.status),
        Some(15)
    );
    assert!(
        text(&output.stderr).contains("interrupted; the smallest input so far ("),
        "{}",
        text(&output.stderr)
    );
    assert!(
        text(&output.stderr).contains("text.reduced"),
        "{}",
        text(&output.stderr)
    );
    assert!(text(&zester(&["decode", "grammars/json.ebnf", &reduced], b"").stdout).contains('['));
    assert_eq!(
        std::fs::read_dir(&temporary).unwrap().count(),
        0,
        "temporary files are left"
    );
    let pids = std::fs::read_to_string(&pids).unwrap();
    // A killed process takes some time to end on a busy machine.
    let start = std::time::Instant::now();
    while pids.lines().any(runs) && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(
        pids.lines().all(|process| !runs(process)),
        "a command still runs"
    );
}
