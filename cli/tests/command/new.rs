//! `zester new`.

use super::*;

#[test]
fn new_makes_a_target_and_overwrites_nothing() {
    let crate_directory = directory("crate");
    let path = crate_directory.to_str().unwrap();
    let output = zester(&["new", "first", "--in", path], b"");
    assert_eq!(
        output.status.code(),
        Some(2),
        "no crate yet: {}",
        text(&output.stderr)
    );
    std::fs::create_dir_all(crate_directory.join("src")).unwrap();
    std::fs::write(crate_directory.join("src/lib.rs"), "").unwrap();
    std::fs::write(
        crate_directory.join("Cargo.toml"),
        "[package]\nname = \"some-crate\"\nversion = \"1.0.0\"\n",
    )
    .unwrap();
    let read = |file: &str| std::fs::read_to_string(crate_directory.join(file)).unwrap();
    let output = zester(&["new", "first", "--in", path], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let steps = text(&output.stdout);
    for step in [
        &format!("2. cd {path} && zester fuzz first "),
        "zester guide\n",
        "cargo fuzz run --sanitizer=none first\n",
        "For CI: ",
    ] {
        assert!(steps.contains(step), "{steps}");
    }
    // The test's directory is in the target directory, which may be outside the source.
    let manifest = read("fuzz/Cargo.toml");
    let (_, dependency) = manifest.split_once("zester = { path = \"").unwrap();
    let source = dependency.split('"').next().unwrap();
    let found = crate_directory
        .join("fuzz")
        .join(source)
        .canonicalize()
        .unwrap();
    assert_eq!(found, Path::new(ROOT).canonicalize().unwrap(), "{source}");
    assert!(read("fuzz/fuzz_targets/first.rs").contains("some_crate::parse(text)"));
    let rules = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let shipped = std::fs::read_to_string(Path::new(ROOT).join("grammars/expr.ebnf")).unwrap();
    assert_eq!(rules(&read("fuzz/grammars/first.ebnf")), rules(&shipped));
    assert!(read("fuzz/grammars/first.ebnf").contains("zester check fuzz/grammars/first.ebnf"));
    std::fs::write(crate_directory.join("fuzz/fuzz_targets/first.rs"), "mine").unwrap();
    let manifest = read("fuzz/Cargo.toml");
    let output = zester(&["new", "first", "--in", path], b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        (
            read("fuzz/fuzz_targets/first.rs").as_str(),
            read("fuzz/Cargo.toml")
        ),
        ("mine", manifest.clone())
    );
    assert!(
        zester(&["new", "second", "--template", "json", "--in", path], b"")
            .status
            .success()
    );
    assert!(
        read("fuzz/Cargo.toml").starts_with(&manifest),
        "what was there stays: {}",
        read("fuzz/Cargo.toml")
    );
    // With a wrong grammar, name or template, no file is made.
    std::fs::write(crate_directory.join("wrong.ebnf"), "a = b ;").unwrap();
    let wrong = crate_directory.join("wrong.ebnf");
    assert_eq!(
        zester(
            &[
                "new",
                "third",
                "--in",
                path,
                "--grammar",
                wrong.to_str().unwrap()
            ],
            b""
        )
        .status
        .code(),
        Some(1)
    );
    assert_eq!(
        zester(&["new", "../third", "--in", path], b"")
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        zester(&["new", "third", "--in", path, "--template", "latin"], b"")
            .status
            .code(),
        Some(2)
    );
    assert!(!crate_directory.join("fuzz/fuzz_targets/third.rs").exists());
}

/// A crate without fuzz targets.
fn new_crate(name: &str) -> PathBuf {
    let directory = directory(name);
    std::fs::create_dir(directory.join("src")).unwrap();
    std::fs::write(directory.join("src/lib.rs"), "").unwrap();
    std::fs::write(
        directory.join("Cargo.toml"),
        "[package]\nname = \"some-crate\"\nversion = \"1.0.0\"\n",
    )
    .unwrap();
    directory
}

#[test]
fn new_copies_the_versions_of_the_crate() {
    let directory = new_crate("lock");
    let lock = "# of the crate\nversion = 4\n";
    std::fs::write(directory.join("Cargo.lock"), lock).unwrap();
    for name in ["one", "two"] {
        let output = zester(&["new", name, "--in", directory.to_str().unwrap()], b"");
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let copied = std::fs::read_to_string(directory.join("fuzz/Cargo.lock"));
    assert_eq!(copied.unwrap(), lock);
}

#[test]
fn new_refuses_names_that_break_cargo() {
    let directory = new_crate("names");
    for name in ["build", "deps", "test", "core", "fn", "con", "incremental"] {
        let output = zester(&["new", name, "--in", directory.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            text(&output.stderr).contains("take another name"),
            "{name}: {}",
            text(&output.stderr)
        );
    }
    assert!(!directory.join("fuzz").exists());
    // Cargo builds a binary from this file, although the manifest does not name it.
    std::fs::create_dir_all(directory.join("fuzz/src/bin")).unwrap();
    std::fs::write(directory.join("fuzz/src/bin/mine.rs"), "fn main() {}").unwrap();
    let output = zester(&["new", "mine", "--in", directory.to_str().unwrap()], b"");
    assert!(
        text(&output.stderr).contains("has a target mine already"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn new_leaves_nothing_when_a_file_cannot_be_written() {
    let directory = new_crate("full");
    // The shell limits files to 1 KiB.
    let new = |template: &str| {
        let script =
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" new mine --template \"$1\" --in \"$2\"";
        let mut bash = Command::new("bash");
        let output = bash
            .args(["-c", script, env!("CARGO_BIN_EXE_zester"), template])
            .arg(&directory)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    // Writing the first file fails.
    assert!(new("json").contains("mine.ebnf: File too large"));
    assert!(!directory.join("fuzz").exists());
    // Writing the last file fails. It exists and is not changed.
    let manifest = format!("[package]\nname = \"some-fuzz\"\n# {}\n", "x".repeat(1_000));
    std::fs::create_dir(directory.join("fuzz")).unwrap();
    std::fs::write(directory.join("fuzz/Cargo.toml"), &manifest).unwrap();
    assert!(new("expr").contains("Cargo.toml: File too large"));
    let left: Vec<_> = std::fs::read_dir(directory.join("fuzz"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["Cargo.toml"]);
    assert_eq!(
        std::fs::read_to_string(directory.join("fuzz/Cargo.toml")).unwrap(),
        manifest
    );
}

#[test]
fn new_refuses_a_workspace_that_would_take_the_fuzz_crate_as_a_member() {
    let directory = new_crate("member");
    let manifest = |workspace: &str| {
        let text = format!(
            "[package]\nname = \"some-crate\"\nversion = \"1.0.0\"\n[workspace]\n{workspace}\n"
        );
        std::fs::write(directory.join("Cargo.toml"), text).unwrap();
    };
    let new = || zester(&["new", "mine", "--in", directory.to_str().unwrap()], b"");
    for (workspace, line) in [
        (
            "members = [\"*\"]\nexclude = [\"src\", \"target\"]",
            "exclude = [\"src\",\"target\",\"fuzz\"]",
        ),
        ("members = [\"./f*/\"]", "exclude = [\"fuzz\"]"),
    ] {
        manifest(workspace);
        let output = new();
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(line),
            "{said}"
        );
        assert!(!directory.join("fuzz").exists());
    }
    // With the line, Cargo reads the workspace and the fuzz crate.
    manifest("members = [\"*\"]\nexclude = [\"src\",\"target\",\"./fuzz\"]");
    let output = new();
    assert!(output.status.success(), "{}", text(&output.stderr));
    for of in ["Cargo.toml", "fuzz/Cargo.toml"] {
        let metadata = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--no-deps",
                "--format-version=1",
                "--manifest-path",
            ])
            .arg(directory.join(of))
            .output()
            .unwrap();
        assert!(metadata.status.success(), "{}", text(&metadata.stderr));
    }
}

#[test]
fn cargo_fuzz_builds_for_the_host() {
    let directory = new_crate("host");
    let path = directory.to_str().unwrap();
    assert!(zester(&["new", "mine", "--in", path], b"").status.success());
    // Cargo looks for its subcommands in `bin` of CARGO_HOME.
    let home = directory.join("home");
    let program = home.join("bin/cargo-fuzz");
    std::fs::create_dir_all(home.join("bin")).unwrap();
    script::write(
        &program,
        "#!/bin/sh\necho \"called with $*\" >&2\ntest \"$2\" = --version\n",
    );
    let about = Command::new("rustc").arg("-vV").output().unwrap();
    let about = text(&about.stdout);
    let host = about
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let built = Command::new(env!("CARGO_BIN_EXE_zester"))
        .args(["fuzz", "mine", "--no-run", "--fuzz-dir"])
        .arg(directory.join("fuzz"))
        .env("CARGO_HOME", &home)
        .output()
        .unwrap();
    let said = text(&built.stderr);
    assert_eq!(built.status.code(), Some(2), "{said}");
    assert!(
        said.contains(&format!("--sanitizer none --target {host} ")),
        "{said}"
    );
}
