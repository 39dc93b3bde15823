//! `zester export`: other generators get the same language.

use std::collections::HashSet;

use super::generate::shipped;
use super::*;

/// Returns what is printed for a grammar, and what is said.
fn exported(source: &str, to: &str) -> (String, String) {
    let output = zester(&["export", "-", "--to", to], source.as_bytes());
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn sequences_repetitions_and_layout_are_carried() {
    let source = r#"
        sum = number ( "+" number )* ~";" ;
        @token number = [0-9]{1,3} | "'" "\\"i ;
        @skip blank = " " ;
    "#;
    let (antlr, said) = exported(source, "antlr");
    assert!(antlr.contains("grammar G_;"), "{antlr}");
    for part in ["' ' '+'", "C0: [0-9];", r"'\''", "| C0 C0 C0"] {
        assert!(antlr.contains(part), "{part}: {antlr}");
    }
    assert!(!antlr.contains("' ' ';'"), "{antlr}");
    assert_eq!(said, "");
    let (fandango, said) = exported(source, "fandango");
    for part in [
        "<start> ::= <r_sentence>\n",
        "' ' '+'",
        "<c_0> ::= r'[0-9]'",
        r"'\''",
        "| <c_0> <c_0> <c_0>",
    ] {
        assert!(fandango.contains(part), "{part}: {fandango}");
    }
    assert_eq!(said, "");
    let (nautilus, _) = exported(source, "nautilus");
    let rules: Vec<(String, String)> = serde_json::from_str(&nautilus).unwrap();
    assert!(rules.contains(&("C-0".into(), "7".into())), "{nautilus}");
    assert!(
        rules.iter().any(|(_, text)| text.starts_with(" +")),
        "{nautilus}"
    );
}

#[test]
fn each_byte_is_one_character() {
    for (source, part) in [
        (
            r#"@bytes ; s = "\xC3\xA9" "\xFF" ;"#,
            r"'\u{C3}\u{A9}' '\u{FF}'",
        ),
        (r#"s = "\u{e9}" ;"#, r"'\u{E9}'"),
    ] {
        let (antlr, _) = exported(source, "antlr");
        assert!(antlr.contains(part), "{part}: {antlr}");
    }
}

#[test]
fn the_first_element_of_a_repetition_has_no_separator_after_a_tilde() {
    let source = r#"s = "a" ~ mode* ; mode = "b" "c" ; @skip blank = " " ;"#;
    let (antlr, _) = exported(source, "antlr");
    let (rules, _) = exported(source, "nautilus");
    let rules: Vec<(String, String)> = serde_json::from_str(&rules).unwrap();
    // The rule of a mode after nothing, and that of a mode after a separator.
    for part in [": 'b' ' ' 'c'\n", ": ' ' 'b' ' ' 'c'\n"] {
        assert!(antlr.contains(part), "{part}: {antlr}");
    }
    // `mode` is a word of ANTLR.
    assert!(
        antlr.contains("\nr_mode") && !antlr.contains("\nmode"),
        "{antlr}"
    );
    assert_eq!(rules[0].0, "SENTENCE", "{rules:?}");
}

#[test]
fn separators_are_where_tokens_could_be_read_as_one() {
    let source = r#"s = statement* end ; statement = "do" ; end = minus "end" ; @token minus = " -" ; @skip blank = " " ;"#;
    let (antlr, _) = exported(source, "antlr");
    // Statements may be missing, and `-` has a blank of its own.
    for part in ["r_s_1 r_end", ": r_minus ' ' 'end'\n"] {
        assert!(antlr.contains(part), "{part}: {antlr}");
    }
    let (antlr, _) = exported(r#"s = "do"* "end" ; @skip blank = " " ;"#, "antlr");
    assert!(antlr.contains(" ' ' 'end'\n"), "{antlr}");
}

#[test]
fn what_is_not_carried_is_said() {
    let (_, said) = exported(r#"a = "select"i b{20,50} ; b = [a-z] ;"#, "nautilus");
    assert!(
        said.contains("in any case") && said.contains("large maximum"),
        "{said}"
    );
    let lines = zester(&["export", "grammars/starlark.ebnf", "--to", "antlr"], b"");
    assert_eq!(lines.status.code(), Some(2));
    assert!(
        text(&lines.stderr).contains("indentation"),
        "{}",
        text(&lines.stderr)
    );
}

#[test]
fn every_nonterminal_has_a_rule() {
    for (file, _) in shipped() {
        if file.ends_with("starlark.ebnf") {
            continue;
        }
        let output = zester(&["export", &file, "--to", "nautilus"], b"");
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
        let rules: Vec<(String, String)> = serde_json::from_slice(&output.stdout).unwrap();
        let known: HashSet<&str> = rules.iter().map(|(name, _)| &**name).collect();
        for (name, right) in &rules {
            let right = right.replace("\\{", "").replace("\\}", "");
            for part in right.split('{').skip(1) {
                let used = part.split('}').next().unwrap();
                assert!(known.contains(used), "{file}: {name} uses {used}");
            }
        }
    }
}

/// Nautilus reads `\\` as two backslashes, and `\{` as a brace.
#[test]
fn backslashes_are_as_nautilus_reads_them() {
    let source = r#"s = "\\\\" digit | "\\n{" ; digit = "1" ;"#;
    let (rules, _) = exported(source, "nautilus");
    let rules: Vec<(String, String)> = serde_json::from_str(&rules).unwrap();
    let rights: Vec<&str> = rules.iter().map(|(_, right)| &**right).collect();
    assert!(
        rights
            .iter()
            .any(|right| right.starts_with("{C-BACKSLASH}{C-BACKSLASH}{")),
        "{rules:?}"
    );
    assert!(rights.contains(&r"\n\{"), "{rules:?}");
    assert_eq!(*rights.last().unwrap(), r"\", "{rules:?}");
}

#[test]
fn the_importer_reads_what_is_exported_for_antlr() {
    let directory = directory("export");
    let path = directory.join("Json.g4");
    let output = zester(&["export", "grammars/json.ebnf", "--to", "antlr"], b"");
    std::fs::write(&path, &output.stdout).unwrap();
    let imported = directory.join("json.ebnf");
    let (from, to) = (path.to_str().unwrap(), imported.to_str().unwrap());
    let output = zester(&["import", from, "-o", to], b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
    // Each of their sentences is one of the original grammar.
    let sentences = directory.join("sentences");
    let generate = [
        "generate",
        to,
        "-n",
        "50",
        "-o",
        sentences.to_str().unwrap(),
    ];
    assert!(zester(&generate, b"").status.success());
    let corpus = directory.join("corpus");
    let encode = [
        "encode",
        "grammars/json.ebnf",
        sentences.to_str().unwrap(),
        "-o",
        corpus.to_str().unwrap(),
    ];
    let output = zester(&encode, b"");
    assert!(output.status.success(), "{}", text(&output.stderr));
}
