//! `zester check`, `zester dict` and `--start`.

use super::*;

#[test]
fn check_tells_facts_and_mistakes() {
    let output = zester(&["check", "grammars/json.ebnf"], b"");
    assert!(output.status.success() && text(&output.stdout).contains("shortest sentence"));
    let output = zester(&["check", "-"], b"a = b ;");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("-:1:5: error: undefined rule `b`"),
        "{}",
        text(&output.stderr)
    );
    let output = zester(&["check", "missing.ebnf"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).starts_with("zester: missing.ebnf: "),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(zester(&["chekc"], b"").status.code(), Some(2));
}

#[test]
fn a_dictionary_is_what_libfuzzer_reads() {
    let source = r#"@bytes ; a = "say \"hi\"" | "\\" | "\xFF\n" | "say \"hi\"" | "select"i ;"#;
    let output = zester(&["dict", "-"], source.as_bytes());
    let lines: Vec<String> = text(&output.stdout)
        .lines()
        .skip(1)
        .map(String::from)
        .collect();
    assert_eq!(
        lines,
        [r#""say \"hi\"""#, r#""\\""#, r#""\xFF\x0A""#, r#""select""#],
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn long_literals_are_not_in_a_dictionary() {
    let (one, other) = ("a".repeat(65), "b".repeat(65));
    for (source, left_out) in [
        (format!("s = '{one}' 'c' ;"), "1 literal,"),
        (format!("s = '{one}' '{other}' 'c' ;"), "2 literals,"),
    ] {
        let output = zester(&["dict", "-"], source.as_bytes());
        assert_eq!(text(&output.stdout).lines().nth(1), Some("\"c\""));
        let said = text(&output.stderr);
        let expected = format!("zester: left out {left_out} because");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[test]
fn any_rule_can_be_the_start() {
    let sentences = |rule: &str| {
        text(
            &zester(
                &[
                    "generate",
                    "grammars/json.ebnf",
                    "--start",
                    rule,
                    "-n",
                    "50",
                    "--size",
                    "5",
                ],
                b"",
            )
            .stdout,
        )
    };
    let is_number = |line: &str| line.trim().is_empty() || line.trim().parse::<f64>().is_ok();
    assert!(
        sentences("number").lines().all(is_number),
        "{}",
        sentences("number")
    );
    let objects = zester(
        &[
            "generate",
            "grammars/json.ebnf",
            "--start",
            "object",
            "-n",
            "50",
            "-0",
        ],
        b"",
    )
    .stdout;
    assert!(
        text(&objects)
            .split_terminator('\0')
            .all(|object| object.contains('{')),
        "{}",
        text(&objects)
    );
    let output = zester(&["check", "grammars/json.ebnf", "--start", "object"], b"");
    assert!(
        text(&output.stdout).contains("shortest sentence     4 bytes"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(text(&output.stderr), "", "unused rules are no mistake then");
    assert_eq!(
        text(
            &zester(
                &["decode", "grammars/json.ebnf", "--start", "object", "-"],
                b""
            )
            .stdout
        ),
        "{}\n"
    );
    assert!(
        text(
            &zester(
                &["show", "grammars/json.ebnf", "--start", "object", "-"],
                b""
            )
            .stdout
        )
        .contains("object")
    );
    let output = zester(&["generate", "grammars/json.ebnf", "--start", "nmber"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("no rule `nmber`")
            && text(&output.stderr).contains("did you mean `number`?")
    );
}
