//! Artifacts: files of parameters whose texts are recorded.

use super::*;

#[test]
fn a_file_knows_its_grammar() {
    let directory = directory("artifacts");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("old.ebnf"), "a = ( \"slice\" | \"let\" )* ;").unwrap();
    std::fs::write(path("new.ebnf"), "a = ( \"let\" | \"slice\" )* ;").unwrap();
    std::fs::write(path("text"), "letslice").unwrap();
    assert!(
        zester(
            &[
                "encode",
                &path("old.ebnf"),
                &path("text"),
                "-o",
                &path("corpus")
            ],
            b""
        )
        .status
        .success()
    );
    std::fs::create_dir(path("artifacts")).unwrap();
    let (artifact, reduced) = (path("artifacts/crash-1"), path("artifacts/crash-1.reduced"));
    std::fs::copy(path("corpus/text"), &artifact).unwrap();
    let reduce = [
        "reduce",
        &path("old.ebnf"),
        &artifact,
        "--",
        "grep",
        "-q",
        "slice",
    ];
    assert!(zester(&reduce, b"").status.success());
    // The record is in a hidden directory, so that no command and no fuzzer reads it as parameters.
    let hidden = std::fs::read_dir(path("artifacts"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let hidden = hidden.filter(|path| path.is_dir()).collect::<Vec<_>>();
    assert_eq!(
        std::fs::read(hidden[0].join("crash-1.reduced.txt")).unwrap(),
        b"slice"
    );
    let decoded = zester(&["decode", &path("old.ebnf"), &path("artifacts")], b"");
    assert_eq!(
        (
            text(&decoded.stdout).lines().count(),
            text(&decoded.stderr).as_str()
        ),
        (2, "")
    );
    let converted = path("converted");
    let commands: [&[&str]; 6] = [
        &["decode", &path("new.ebnf"), &reduced],
        &["decode", &path("new.ebnf"), &path("artifacts")],
        &["show", &path("new.ebnf"), &reduced],
        &["coverage", &path("new.ebnf"), &reduced],
        &["reduce", &path("new.ebnf"), &reduced, "--", "true"],
        &[
            "convert",
            &path("new.ebnf"),
            &path("old.ebnf"),
            &reduced,
            "-o",
            &converted,
        ],
    ];
    for command in commands {
        let said = text(&zester(command, b"").stderr);
        assert!(
            said.contains("crash-1.reduced: this file was written with another grammar"),
            "{command:?}: {said}"
        );
        assert!(said.contains("crash-1.reduced.txt"), "{command:?}: {said}");
    }
    let said = text(
        &zester(
            &["encode", &path("old.ebnf"), &reduced, "-o", &path("again")],
            b"",
        )
        .stderr,
    );
    assert!(
        said.contains(
            "crash-1.reduced: zester wrote parameters there, but files are read as texts here"
        ),
        "{said}"
    );
    // The warning is also printed for a single file of a corpus, but not for standard input.
    let said = text(&zester(&["show", &path("new.ebnf"), &path("corpus/text")], b"").stderr);
    assert!(
        said.contains("this corpus was written with another grammar"),
        "{said}"
    );
    assert_eq!(
        text(&zester(&["decode", &path("new.ebnf"), "-"], b"\x01").stderr),
        ""
    );
}
