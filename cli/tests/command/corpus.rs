//! Corpora: `zester encode`, `zester convert` and `zester coverage`.

use super::*;

const JSON: &str = "grammars/json.ebnf";

#[test]
fn a_corpus_knows_its_grammar() {
    let corpus = directory("marked");
    let path = corpus.to_str().unwrap();
    let output = zester(
        &[
            "generate",
            "grammars/json.ebnf",
            "-n",
            "3",
            "-o",
            path,
            "--parameters",
        ],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = zester(&["decode", "grammars/json.ebnf", path], b"");
    assert_eq!(
        (
            text(&output.stderr).as_str(),
            text(&output.stdout).lines().count() >= 3
        ),
        ("", true)
    );
    for command in ["decode", "coverage"] {
        let output = zester(&[command, "grammars/expr.ebnf", path], b"");
        assert!(
            text(&output.stderr).contains("another grammar"),
            "{command}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn coverage_counts_and_lists() {
    let corpus = directory("covered");
    std::fs::write(corpus.join("null"), [6]).unwrap();
    let path = corpus.to_str().unwrap();
    let output = text(&zester(&["coverage", "grammars/json.ebnf", path, "--pairs"], b"").stdout);
    assert!(output.starts_with("1 file\nalternatives  "), "{output}");
    assert!(
        output.contains("never used:\n") && output.contains("pairs never used:\n"),
        "{output}"
    );
    let json = zester(&["coverage", "grammars/json.ebnf", path, "--json"], b"").stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["alternatives"]["all"], 44);
    assert!(
        json["pairs"]["used"].as_u64() < json["pairs"]["all"].as_u64(),
        "{json}"
    );
    assert_eq!(
        zester(&["coverage", "grammars/json.ebnf", "missing"], b"")
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn texts_become_a_corpus_and_come_back() {
    let directory = directory("encode");
    let (texts, corpus, back) = (
        directory.join("texts"),
        directory.join("corpus"),
        directory.join("back"),
    );
    std::fs::create_dir_all(texts.join("below")).unwrap();
    let right = [
        ("a.json", "{ \"a\" : [1, 2.50, null] }\n"),
        ("below/b.json", "[]"),
        ("c", " true\t"),
    ];
    let wrong = [
        ("d.json", "[1,\n 2 3]"),
        ("e.json", ""),
        ("f.json", "\"\u{1}\""),
        ("g.json", "["),
    ];
    for (name, content) in right.iter().chain(&wrong) {
        std::fs::write(texts.join(name), content).unwrap();
    }
    std::fs::write(texts.join("again.json"), "[]").unwrap();
    std::fs::write(texts.join("noise"), [0xFF, 0, 7]).unwrap();
    let [texts, corpus, back] = [&texts, &corpus, &back].map(|path| path.to_str().unwrap());
    let output = zester(&["encode", "grammars/json.ebnf", texts, "-o", corpus], b"");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("4 of 9 accepted (44.4 %), 1 of them the same as others"),
        "{said}"
    );
    assert!(
        said.contains("d.json:2:4: unexpected \"3\"; expected \",\", \"]\""),
        "{said}"
    );
    assert!(
        said.contains("e.json:1:1: unexpected end; expected"),
        "{said}"
    );
    assert!(said.contains("noise:1:1: not UTF-8\n"), "{said}");
    assert!(
        std::fs::read_to_string(format!("{corpus}.options"))
            .unwrap()
            .contains("max_len = 4096")
    );
    let output = zester(&["decode", "grammars/json.ebnf", corpus, "-o", back], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for (name, content) in [
        ("a.json", right[0].1),
        ("b.json", "[]"),
        ("c.json", right[2].1),
    ] {
        let found = ["again.json", "b.json"].map(|name| Path::new(back).join(name));
        let path = if name == "b.json" && found[0].exists() {
            found[0].clone()
        } else {
            Path::new(back).join(name)
        };
        assert_eq!(std::fs::read_to_string(path).unwrap(), content, "{name}");
    }
    // Files are added to an existing corpus, and its own files stay.
    let other = directory.join("a.json");
    std::fs::write(&other, "[7]").unwrap();
    for _ in 0..2 {
        assert!(
            zester(
                &[
                    "encode",
                    "grammars/json.ebnf",
                    other.to_str().unwrap(),
                    "-o",
                    corpus
                ],
                b""
            )
            .status
            .success()
        );
    }
    let decoded = |name: &str| {
        text(
            &zester(
                &["decode", "grammars/json.ebnf", &format!("{corpus}/{name}")],
                b"",
            )
            .stdout,
        )
    };
    assert_eq!(decoded("a.json"), format!("{}\n", right[0].1));
    assert_eq!(decoded("a.json-2"), "[7]\n");
    assert!(!Path::new(corpus).join("a.json-3").exists());
    // If no text is accepted, no corpus is written.
    let nothing = directory.join("nothing");
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            &format!("{texts}/*d.json"),
            "-o",
            nothing.to_str().unwrap(),
        ],
        b"",
    );
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!nothing.exists());
    for missing in ["missing", "missing/*.json"] {
        let output = zester(
            &[
                "encode",
                "grammars/json.ebnf",
                missing,
                "-o",
                nothing.to_str().unwrap(),
            ],
            b"",
        );
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).starts_with("zester: missing"),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_corpus_survives_a_change_of_the_grammar() {
    let directory = directory("convert");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("old.ebnf"), "a = b* ; b = \"x\" | \"y\" | \"gone\" ;").unwrap();
    std::fs::write(
        path("new.ebnf"),
        "a = ( c | b )* ; b = \"y\" | \"x\" ; c = \"z\" ;",
    )
    .unwrap();
    std::fs::create_dir(path("texts")).unwrap();
    for (name, content) in [("1", "xyxy"), ("2", "yy"), ("3", "xgone")] {
        std::fs::write(directory.join("texts").join(name), content).unwrap();
    }
    let run = |arguments: &[&str]| {
        let output = zester(arguments, b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stderr) + &text(&output.stdout)
    };
    run(&[
        "encode",
        &path("old.ebnf"),
        &path("texts"),
        "-o",
        &path("corpus"),
    ]);
    let said = run(&[
        "convert",
        &path("old.ebnf"),
        &path("new.ebnf"),
        &path("corpus"),
        "-o",
        &path("converted"),
    ]);
    assert!(
        said.contains("2 of 3 accepted") && said.contains("corpus/3:1:2: unexpected \"gone\""),
        "{said}"
    );
    assert_eq!(
        run(&["decode", &path("new.ebnf"), &path("converted")]),
        "xyxy\nyy\n"
    );
    let output = zester(
        &[
            "convert",
            &path("old.ebnf"),
            &path("new.ebnf"),
            &path("corpus"),
            "-o",
            &path("corpus"),
        ],
        b"",
    );
    assert_eq!(
        output.status.code(),
        Some(2),
        "the old corpus stays as it is"
    );
}

/// Writes a zip archive with files of these names. The content of each is a JSON array with the index
/// of the file.
fn archive(path: &Path, names: &[&[u8]]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (number, name) in names.iter().enumerate() {
        use std::io::Write;
        // The writer refuses some names. So it gets another name of the same length, which is
        // replaced in the finished archive.
        let stand_in = format!("{number:#>width$}", width = name.len());
        archive
            .start_file(stand_in, zip::write::SimpleFileOptions::default())
            .unwrap();
        write!(archive, "[{number}]").unwrap();
    }
    archive.finish().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    for (number, name) in names.iter().enumerate() {
        let stand_in = format!("{number:#>width$}", width = name.len()).into_bytes();
        for at in 0..bytes.len() - name.len() {
            if bytes[at..].starts_with(&stand_in) {
                bytes[at..at + name.len()].copy_from_slice(name);
            }
        }
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn odd_names_lose_no_text() {
    let directory = directory("odd");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    let long = [b'n'; 300];
    let limit = [b'm'; 255];
    let zip = directory.join("odd.zip");
    let twice = [b"below/", &limit[..]].concat();
    archive(
        &zip,
        &[
            b"plain",
            &long,
            &limit,
            &twice,
            b"nul\0nul",
            b"\xFF\xFE\xFD",
            b"below/..",
            b"below/plain",
        ],
    );
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            zip.to_str().unwrap(),
            "-o",
            &path("zipped"),
        ],
        b"",
    );
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.contains("8 of 8 accepted") && said.contains("renamed"),
        "{said}"
    );
    // Two files of an archive may have the same name.
    archive(
        &zip.with_extension("twice.zip"),
        &[b"same", b"same", b"other"],
    );
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            &path("odd.twice.zip"),
            "-o",
            &path("twice"),
        ],
        b"",
    );
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.contains("3 of 3 accepted") && said.contains("3 files"),
        "{said}"
    );
    // Encode a directory of files with the same names, except for names that it cannot have.
    use std::os::unix::ffi::OsStrExt;
    let texts = directory.join("texts");
    std::fs::create_dir_all(texts.join("below")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(&[0xFF; 255]);
    let limit = std::ffi::OsStr::from_bytes(&limit);
    for (number, file) in [
        texts.join("plain"),
        texts.join(odd),
        texts.join(limit),
        texts.join("below").join(limit),
    ]
    .iter()
    .enumerate()
    {
        std::fs::write(file, format!("[{number}]")).unwrap();
    }
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            texts.to_str().unwrap(),
            "-o",
            &path("filed"),
        ],
        b"",
    );
    let said = text(&output.stderr);
    assert!(
        output.status.success() && said.contains("4 of 4 accepted") && said.contains("2 renamed"),
        "{said}"
    );
    for (corpus, count) in [("zipped", 8), ("filed", 4)] {
        let decoded = text(&zester(&["decode", "grammars/json.ebnf", &path(corpus)], b"").stdout);
        let mut lines: Vec<&str> = decoded.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            (0..count)
                .map(|number| format!("[{number}]"))
                .collect::<Vec<_>>(),
            "{corpus}"
        );
        // Encode the texts once more into the existing corpus.
        let from = if corpus == "zipped" { &zip } else { &texts };
        assert!(
            zester(
                &[
                    "encode",
                    "grammars/json.ebnf",
                    from.to_str().unwrap(),
                    "-o",
                    &path(corpus)
                ],
                b""
            )
            .status
            .success()
        );
        assert_eq!(
            text(&zester(&["decode", "grammars/json.ebnf", &path(corpus)], b"").stdout)
                .lines()
                .count(),
            count
        );
    }
}

#[test]
fn standard_input_is_a_text() {
    let directory = directory("standard-input");
    let corpus = directory.join("corpus");
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            "-",
            "-o",
            corpus.to_str().unwrap(),
        ],
        b"[7]",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        text(
            &zester(
                &["decode", "grammars/json.ebnf", corpus.to_str().unwrap()],
                b""
            )
            .stdout
        ),
        "[7]\n"
    );
    let learned = zester(&["learn", "grammars/json.ebnf", "-"], b"[7]");
    assert!(
        learned.status.success() && text(&learned.stderr).contains("learned from 1 of 1"),
        "{}",
        text(&learned.stderr)
    );
}

#[test]
fn hostile_files_are_refused_with_a_message() {
    let directory = directory("hostile");
    let texts = directory.join("texts");
    std::fs::create_dir(&texts).unwrap();
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    for (name, content) in [
        ("nul", b"[1,\0]".to_vec()),
        ("zeros", vec![0; 1_000_000]),
        (
            "long",
            format!("[\"{}\"]", "x".repeat(1_000_000)).into_bytes(),
        ),
        ("nested", format!("{open}{close}").into_bytes()),
        ("unclosed", open.into_bytes()),
    ] {
        std::fs::write(texts.join(name), content).unwrap();
    }
    std::os::unix::fs::symlink("circle", texts.join("circle")).unwrap();
    std::fs::write(directory.join("broken.zip"), b"PK\x03\x04nothing").unwrap();
    let encode = |from: &str, flags: &[&str], to: &str| {
        let [from, to] = [from, to].map(|name| directory.join(name).to_str().unwrap().to_owned());
        let arguments = [&["encode", JSON, &from, "-o", &to], flags].concat();
        let output = zester(&arguments, b"");
        (output.status.code(), text(&output.stderr))
    };
    let (_, said) = encode("texts", &[], "corpus");
    assert!(said.contains("2 of 5 accepted"), "{said}");
    let (_, said) = encode("texts", &["--recover"], "recovered");
    assert!(said.contains("3 of 5 accepted"), "{said}");
    let (status, said) = encode("broken.zip", &[], "zipped");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("broken.zip"), "{said}");
    let left = std::fs::read_dir(&directory).unwrap().flatten();
    let mut left = left.map(|entry| entry.file_name().into_string().unwrap());
    assert!(!left.any(|name| name.starts_with("zipped")));
}

#[test]
fn a_signal_leaves_no_part_of_a_corpus() {
    for (signal, number, left) in [("TERM", 15, 0), ("KILL", 9, 1)] {
        ends_by_a_signal(signal, number, left);
    }
}

/// Ends `zester encode` by a signal while it writes a corpus. `left` files are there afterwards, none
/// of which has the name of the corpus.
fn ends_by_a_signal(signal: &str, number: i32, left: usize) {
    let directory = directory(&format!("encode-signal-{signal}"));
    // The command waits for a pipe that no process writes to.
    let (pipe, work) = (directory.join("pipe"), directory.join("work"));
    std::fs::create_dir(&work).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args([
            "encode",
            "grammars/json.ebnf",
            pipe.to_str().unwrap(),
            "-o",
            work.join("corpus").to_str().unwrap(),
        ])
        .current_dir(ROOT)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let parts = || std::fs::read_dir(&work).unwrap().count();
    let start = std::time::Instant::now();
    while parts() == 0 && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(parts(), 1, "the corpus in the making");
    // Not SIGINT: a shell starts background processes with SIGINT ignored, and the command then
    // ignores it too.
    assert!(
        Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&output.status),
        Some(number)
    );
    assert!(parts() == left && !work.join("corpus").exists());
}

#[test]
fn texts_are_no_parameters() {
    let directory = directory("mistaken");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::create_dir(path("texts")).unwrap();
    for name in ["1.json", "2.json"] {
        std::fs::write(directory.join("texts").join(name), "[1, 2, 3]").unwrap();
    }
    let one = path("texts/1.json");
    let commands: [&[&str]; 4] = [
        &["coverage", JSON, &path("texts")],
        &["decode", JSON, &path("texts")],
        &["decode", JSON, &one, &path("texts/2.json")],
        &["show", JSON, &one],
    ];
    for command in commands {
        let said = text(&zester(command, b"").stderr);
        assert_eq!(
            said.matches("examined. Files are read as parameters here")
                .count(),
            1,
            "{command:?}: {said}"
        );
        assert!(
            said.contains("`zester encode GRAMMAR "),
            "{command:?}: {said}"
        );
    }
    // A single sentence can be reduced.
    let said = text(&zester(&["reduce", JSON, &one, "--", "true"], b"").stderr);
    assert!(said.contains("1.json was read as text"), "{said}");
    std::fs::remove_file(path("texts/1.json.reduced")).unwrap();
    // Parameters are not sentences.
    assert!(
        zester(
            &["encode", JSON, &path("texts"), "-o", &path("corpus")],
            b""
        )
        .status
        .success()
    );
    assert_eq!(
        text(&zester(&["coverage", JSON, &path("corpus")], b"").stderr),
        ""
    );
    let said = text(
        &zester(
            &["encode", JSON, &path("corpus"), "-o", &path("again")],
            b"",
        )
        .stderr,
    );
    assert!(
        said.contains("zester wrote parameters there, but files are read as texts here"),
        "{said}"
    );
}

#[test]
fn standard_output_is_no_directory() {
    let directory = directory("no-directory");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("text"), "[1]").unwrap();
    for command in [
        &["encode", JSON, &path("text"), "-o", "-"][..],
        &["decode", JSON, &path("text"), "-o", "-"],
        &["generate", JSON, "--parameters", "-o", "-"],
    ] {
        let output = zester(command, b"");
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2)
                && said.contains("is standard output, where a directory"),
            "{command:?}: {said}"
        );
        assert!(!Path::new(ROOT).join("-").exists());
    }
}
