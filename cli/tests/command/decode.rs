//! `zester decode` and `zester show`.

use super::*;

#[test]
fn parameters_decode_to_what_was_generated() {
    let (parameters, texts) = (directory("parameters"), directory("texts"));
    let (from, to) = (parameters.to_str().unwrap(), texts.to_str().unwrap());
    let common = ["generate", "grammars/wgsl.ebnf", "-n", "20", "--seed", "3"];
    assert!(
        zester(&[&common[..], &["-o", from, "--parameters"]].concat(), b"")
            .status
            .success()
    );
    assert!(
        zester(&["decode", "grammars/wgsl.ebnf", from, "-o", to], b"")
            .status
            .success()
    );
    let generated = zester(&[&common[..], &["-0"]].concat(), b"").stdout;
    for (number, sentence) in generated.split(|&byte| byte == 0).take(20).enumerate() {
        assert_eq!(
            text(&std::fs::read(texts.join(format!("{number:02}.wgsl"))).unwrap()),
            text(sentence)
        );
    }
}

#[test]
fn decode_takes_anything() {
    let work = directory("anything");
    for (name, bytes) in [
        ("empty", vec![]),
        ("junk", vec![0xFF; 1_000]),
        ("large", vec![0x11; 20 << 20]),
    ] {
        std::fs::write(work.join(name), bytes).unwrap();
    }
    let output = zester(
        &["decode", "grammars/json.ebnf", work.to_str().unwrap()],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        zester(&["decode", "grammars/json.ebnf", "missing"], b"")
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        text(&zester(&["decode", "grammars/json.ebnf", "-"], b"").stdout),
        "0\n"
    );
}

#[test]
fn no_other_program_is_run_for_a_target() {
    let work = directory("no-target");
    std::fs::write(work.join("kept"), "x").unwrap();
    let output = zester(
        &["decode", "/bin/rm", work.join("kept").to_str().unwrap()],
        b"",
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("neither a grammar nor a fuzz target"),
        "{}",
        text(&output.stderr)
    );
    assert!(work.join("kept").exists());
}

#[test]
fn show_prints_the_tree_with_spans() {
    let output = zester(&["show", "grammars/expr.ebnf", "-"], &[1, 0, 1]);
    let text = text(&output.stdout);
    assert!(text.contains("0..") && text.contains("sentence"), "{text}");
    assert!(
        text.contains("statement #1") || text.contains("statement #2"),
        "{text}"
    );
}

#[test]
fn show_is_bounded() {
    let directory = directory("deep");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    std::fs::write(path("deep.ebnf"), "e = \"(\" e \")\" | \"x\" ;").unwrap();
    std::fs::write(path("deep"), [1; 40_000]).unwrap();
    let show = |more: &[&str]| {
        zester(
            &[&["show", &path("deep.ebnf"), &path("deep")], more].concat(),
            b"",
        )
    };
    let output = show(&[]);
    assert!(
        output.status.success() && output.stdout.len() < 100_000,
        "{} bytes",
        output.stdout.len()
    );
    assert!(
        text(&output.stderr).contains("of 120003 nodes are shown; the tree has 40003 levels"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(text(&show(&["--lines", "3"]).stdout).lines().count(), 3);
    assert_eq!(text(&show(&["--depth", "2"]).stdout).lines().count(), 2);
    let all = show(&["--all"]);
    assert!(
        all.status.success()
            && text(&all.stdout).lines().count() == 120_003
            && all.stdout.len() < 50_000_000
    );
    assert_eq!(text(&all.stderr), "");
}

/// Returns the parameters of `[1, 2]`.
fn list(directory: &Path) -> Vec<u8> {
    std::fs::write(directory.join("list.json"), "[1, 2]").unwrap();
    let (from, to) = (directory.join("list.json"), directory.join("corpus"));
    let output = zester(
        &[
            "encode",
            "grammars/json.ebnf",
            from.to_str().unwrap(),
            "-o",
            to.to_str().unwrap(),
        ],
        b"",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::read(to.join("list.json")).unwrap()
}

#[test]
fn edited_sentences_are_shown_reduced_and_converted() {
    let directory = directory("edited");
    let path = |name: &str| directory.join(name).to_str().unwrap().to_string();
    // Deletes the last token, then replaces the first two bytes.
    let edits = b"\xE3\xA7\x00\x00\x04\x06\x00\x00\x00\x00\x00\x02\x00\x01{";
    std::fs::write(path("edited"), [&list(&directory)[..], edits].concat()).unwrap();
    let run = |arguments: &[&str]| text(&zester(arguments, b"").stdout);
    assert_eq!(
        run(&["decode", "grammars/json.ebnf", &path("edited")]),
        "{, 2\n"
    );
    let bounded = run(&[
        "decode",
        "grammars/json.ebnf",
        &path("edited"),
        "--bounds",
        "-,5,-",
    ]);
    assert_eq!(
        bounded, "[1, 2]\n",
        "under bounds every input is a sentence"
    );
    let shown = run(&["show", "grammars/json.ebnf", &path("edited")]);
    assert!(
        shown.ends_with("edit  delete token 4\n        edit  replace bytes 0..2 by \"{\"\n"),
        "{shown}"
    );
    // If a sentence is interesting too, the result is a sentence. Otherwise the result has an edit.
    let reduce = |pattern: &str| {
        run(&[
            "reduce",
            "--force",
            "grammars/json.ebnf",
            &path("edited"),
            "--",
            "grep",
            "-q",
            pattern,
        ])
    };
    assert_eq!(reduce("2"), "2\n");
    assert_eq!(reduce("^{[^}]*$"), "{\n");
    let converted = zester(
        &[
            "convert",
            "grammars/json.ebnf",
            "grammars/json.ebnf",
            &path("edited"),
            "-o",
            &path("new"),
        ],
        b"",
    );
    assert!(
        text(&converted.stderr).contains("1 of 1 accepted"),
        "{}",
        text(&converted.stderr)
    );
    assert_eq!(
        run(&["decode", "grammars/json.ebnf", &path("new")]),
        "[1, 2]\n"
    );
}

#[test]
fn the_tree_says_where_names_are_declared() {
    let directory = directory("show-names");
    let (sample, corpus) = (directory.join("sample"), directory.join("corpus"));
    std::fs::write(&sample, "let foo:int = 1\nin (foo + b)").unwrap();
    let (sample, corpus) = (sample.to_str().unwrap(), corpus.to_str().unwrap());
    let stlc = "grammars/stlc.ebnf";
    zester(&["encode", stlc, sample, "-o", corpus], b"");
    let output = zester(&["show", stlc, &format!("{corpus}/sample")], b"");
    let tree = text(&output.stdout);
    for note in [
        "\"foo\"  (declared here, at 1:5)",
        "\"foo\"  (declared at 1:5)",
        "\"b\"  (not declared)",
    ] {
        assert_eq!(tree.matches(note).count(), 1, "{note}\n{tree}");
    }
}

#[test]
fn equivalent_sentences_are_shown() {
    let work = directory("equivalent");
    let grammar = work.join("eq.ebnf");
    let source = "s = n \"+\" n ; n = \"1\" | \"2\" ;\n@equal s: a:n \"+\" b:n ~ b \"+\" a ;\n\
                  @equal n: \"1\" ~ \"2\" ;";
    std::fs::write(&grammar, source).unwrap();
    let output = zester(&["show", grammar.to_str().unwrap(), "-", "--equal"], b"");
    assert_eq!(
        text(&output.stdout),
        "sentence\n    1+1\n\nn 1 ~ 2\n    2+1\n\nn 1 ~ 2\n    1+2\n",
        "a sentence is not equivalent to itself: {}",
        text(&output.stderr)
    );
}
