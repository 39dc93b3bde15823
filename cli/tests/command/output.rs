//! Files are written whole or not at all, and replaced only with `--force`.

use std::os::unix::fs::symlink;

use super::*;

const JSON: &str = "grammars/json.ebnf";

/// Returns a directory, and a function that returns a path in it as text. The directory has a corpus
/// of three files and a text.
fn prepared(name: &str) -> (PathBuf, impl Fn(&str) -> String) {
    let directory = directory(name);
    let root = directory.clone();
    let path = move |name: &str| root.join(name).to_str().unwrap().to_string();
    assert!(
        zester(
            &[
                "generate",
                JSON,
                "-n",
                "3",
                "--parameters",
                "-o",
                &path("corpus")
            ],
            b""
        )
        .status
        .success()
    );
    std::fs::write(path("a.json"), "[1]").unwrap();
    assert!(
        zester(
            &["learn", JSON, &path("a.json"), "-o", &path("weights")],
            b""
        )
        .status
        .success()
    );
    (directory, path)
}

fn names(directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries
        .filter(|name| !name.starts_with(".zester-grammar"))
        .collect();
    names.sort();
    names
}

#[test]
fn texts_never_go_among_parameters() {
    let (_, path) = prepared("among");
    let before = names(&path("corpus"));
    let (corpus, first) = (path("corpus"), path("corpus/0"));
    for command in [
        &["decode", JSON, &corpus, "-o", &corpus, "--force"][..],
        &["decode", JSON, &first, "-o", &corpus],
        &["generate", JSON, "-o", &corpus, "--force"],
    ] {
        let output = zester(command, b"");
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(
            text(&output.stderr).contains("parameters"),
            "{command:?}: {}",
            text(&output.stderr)
        );
        assert_eq!(names(&path("corpus")), before, "{command:?}");
    }
    // Parameters are not written to a directory of texts.
    std::fs::create_dir(path("texts")).unwrap();
    std::fs::write(path("texts/a.json"), "[1]").unwrap();
    let output = zester(&["encode", JSON, &path("texts"), "-o", &path("texts")], b"");
    assert!(
        output.status.code() == Some(2) && text(&output.stderr).contains("holds the texts"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(names(&path("texts")), ["a.json"]);
    // Texts are not written to a directory of parameters that has no marker either.
    std::fs::create_dir(path("plain")).unwrap();
    std::fs::write(path("plain/x"), [1, 2, 3]).unwrap();
    assert_eq!(
        zester(
            &[
                "decode",
                JSON,
                &path("plain"),
                "-o",
                &path("plain"),
                "--force"
            ],
            b""
        )
        .status
        .code(),
        Some(2)
    );
    assert_eq!(names(&path("plain")), ["x"]);
}

#[test]
fn other_files_are_replaced_with_force_only() {
    let (_, path) = prepared("replaced");
    let (corpus, weights, sample) = (path("corpus"), path("weights"), path("a.json"));
    // Each command with the file that it writes.
    let (texts, generated, seeds) = (path("texts"), path("generated"), path("seeds"));
    let (learned, c_file, page) = (path("learned"), path("g.c"), path("page.html"));
    let commands = [
        (
            vec!["decode", JSON, &corpus, "-o", &texts],
            path("texts/0.json"),
        ),
        (
            vec!["generate", JSON, "-n", "3", "-o", &generated],
            path("generated/0"),
        ),
        (
            vec!["generate", JSON, "-n", "3", "--parameters", "-o", &seeds],
            path("seeds/0"),
        ),
        (
            vec!["learn", JSON, &sample, "-o", &learned],
            learned.clone(),
        ),
        (vec!["embed", JSON, "-o", &c_file], c_file.clone()),
        (
            vec!["explain", JSON, &weights, "--html", &page],
            page.clone(),
        ),
    ];
    for (command, file) in commands {
        let run = |more: &[&str]| {
            let output = zester(&[&command[..], more].concat(), b"");
            (output.status.code(), text(&output.stderr))
        };
        assert_eq!(run(&[]).0, Some(0), "{command:?}: {}", run(&[]).1);
        let written = std::fs::read(&file).unwrap();
        assert_eq!(
            run(&[]).0,
            Some(0),
            "{command:?}: the same content is there already: {}",
            run(&[]).1
        );
        std::fs::write(&file, "mine").unwrap();
        let (status, said) = run(&[]);
        assert_eq!(status, Some(2), "{command:?}");
        assert!(
            said.contains(&format!(
                "{file}: is there already, with other content; --force replaces it"
            )),
            "{said}"
        );
        assert_eq!(std::fs::read(&file).unwrap(), b"mine", "{command:?}");
        assert_eq!(run(&["--force"]).0, Some(0), "{command:?}");
        assert!(std::fs::read(&file).unwrap() == written, "{command:?}");
        // A symbolic link is neither followed nor replaced.
        let victim = path("victim");
        std::fs::write(&victim, "precious").unwrap();
        std::fs::remove_file(&file).unwrap();
        symlink(&victim, &file).unwrap();
        for more in [&[][..], &["--force"]] {
            let (status, said) = run(more);
            assert!(
                status == Some(2) && said.contains("is a symbolic link"),
                "{command:?}: {said}"
            );
        }
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious", "{command:?}");
        // A symbolic link to a missing file is not replaced either.
        std::fs::remove_file(&victim).unwrap();
        assert_eq!(run(&["--force"]).0, Some(2), "{command:?}");
        assert!(!Path::new(&victim).exists(), "{command:?}");
        // A directory is not replaced.
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert_eq!(run(&["--force"]).0, Some(2), "{command:?}");
        std::fs::remove_dir(&file).unwrap();
    }
}

#[test]
fn new_files_can_be_read_by_others_and_replaced_ones_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let (_, path) = prepared("permissions");
    let mode = |name: &str| std::fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    std::fs::write(path("usual"), "").unwrap();
    std::fs::create_dir(path("usual-directory")).unwrap();
    assert_eq!(mode("weights"), mode("usual"));
    assert!(
        zester(
            &["encode", JSON, &path("a.json"), "-o", &path("encoded")],
            b""
        )
        .status
        .success()
    );
    assert_eq!(
        (mode("encoded"), mode("encoded/a.json")),
        (mode("usual-directory"), mode("usual"))
    );
    std::fs::set_permissions(path("weights"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::write(path("b.json"), "{}").unwrap();
    assert!(
        zester(
            &[
                "learn",
                JSON,
                &path("b.json"),
                "--force",
                "-o",
                &path("weights")
            ],
            b""
        )
        .status
        .success()
    );
    assert_eq!(mode("weights"), 0o640);
}

#[test]
fn pipes_are_written_to() {
    let (_, path) = prepared("pipes");
    assert!(
        Command::new("mkfifo")
            .arg(path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let pipe = path("pipe");
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    assert!(
        zester(&["learn", JSON, &path("a.json"), "-o", &path("pipe")], b"")
            .status
            .success()
    );
    assert!(reader.join().unwrap() == std::fs::read(path("weights")).unwrap());
}

#[test]
fn a_full_disk_leaves_nothing() {
    let (directory, path) = prepared("disk");
    let before = names(directory.to_str().unwrap());
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" embed grammars/json.ebnf -o \"$1\"";
    let run = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_zester"), &path("g.c")])
        .current_dir(ROOT)
        .output();
    let output = run.unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).ends_with("g.c: File too large (os error 27)\n"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(names(directory.to_str().unwrap()), before);
    // The corpus has a file with the grammar, which does not fit.
    let script =
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" encode grammars/json.ebnf corpus/json -o \"$1\"";
    let run = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_zester"), &path("full")])
        .current_dir(ROOT)
        .output();
    let output = run.unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("File too large"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(names(directory.to_str().unwrap()), before);
}

#[test]
fn an_edited_options_file_is_left_alone() {
    let (_, path) = prepared("options");
    let (sample, corpus, options) = (path("a.json"), path("encoded"), path("encoded.options"));
    let encode = |more: &[&str]| {
        let output = zester(
            &[&["encode", JSON, &sample, "-o", &corpus][..], more].concat(),
            b"",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        (
            text(&output.stderr),
            std::fs::read_to_string(&options).unwrap(),
        )
    };
    assert_eq!(encode(&[]).1, "[libfuzzer]\nmax_len = 4096\n");
    // In a file that zester wrote, max_len is raised, but not lowered.
    std::fs::write(&options, "[libfuzzer]\nmax_len = 100\n").unwrap();
    assert_eq!(encode(&[]).1, "[libfuzzer]\nmax_len = 4096\n");
    std::fs::write(&options, "[libfuzzer]\nmax_len = 9999\n").unwrap();
    assert_eq!(encode(&[]).1, "[libfuzzer]\nmax_len = 9999\n");
    let edited = "# mine\n[libfuzzer]\nmax_len = 100\ndict = a.dict\n";
    std::fs::write(&options, edited).unwrap();
    let (said, after) = encode(&[]);
    assert_eq!(after, edited);
    assert!(
        said.contains("-max_len=4096 is needed")
            && said.contains("was edited and has max_len = 100"),
        "{said}"
    );
    assert_eq!(encode(&["--force"]).1, edited.replace("100", "4096"));
}

#[test]
fn a_slash_at_the_end_changes_nothing() {
    let (_, path) = prepared("slash");
    let corpus = path("encoded") + "/";
    for _ in 0..2 {
        assert!(
            zester(&["encode", JSON, &path("a.json"), "-o", &corpus], b"")
                .status
                .success()
        );
        assert!(Path::new(&path("encoded.options")).exists());
        assert_eq!(names(&corpus), ["a.json"]);
    }
}

#[test]
fn standard_error_may_be_full() {
    let grammar = directory("full").join("cycle.ebnf");
    std::fs::write(&grammar, "a = b ; b = a ;").unwrap();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_zester"))
        .arg("check")
        .arg(&grammar)
        .stderr(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn an_extension_names_no_directory() {
    let (directory, _) = prepared("extension");
    let suite = directory.join("suite");
    for extension in ["../../a.json", ""] {
        let suite = suite.to_str().unwrap();
        let output = zester(&["suite", JSON, "--extension", extension, "-o", suite], b"");
        assert_eq!(output.status.code(), Some(2), "{extension}");
    }
    assert!(!suite.exists());
    assert_eq!(std::fs::read(directory.join("a.json")).unwrap(), b"[1]");
}
