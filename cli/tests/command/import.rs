//! `zester import`, and what other commands say of grammars in other notations.

use std::fs;

use super::*;

/// A grammar of pest with a keyword, a comment and a predicate.
const PEST: &str = r##"
// A program.
program = { SOI ~ statement* ~ EOI }
statement = { "print" ~ (name | number) ~ ";" | &number ~ name ~ ";" }
name = @{ !("print" ~ !ASCII_ALPHA) ~ ASCII_ALPHA_LOWER+ }
number = @{ ASCII_DIGIT+ }
WHITESPACE = _{ " " | "\n" }
COMMENT = _{ "#" ~ (!"\n" ~ ANY)* }
"##;

#[test]
fn an_imported_grammar_keeps_order_names_and_comments() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("my.pest");
    fs::write(&source, PEST).unwrap();
    let source = source.to_str().unwrap();
    let output = directory.path().join("my.ebnf");
    let output = output.to_str().unwrap();
    let import = zester(&["import", source, "-o", output], b"");
    let said = text(&import.stderr);
    assert!(import.status.success(), "{said}");
    assert!(
        said.contains("my.pest:4:1: warning: a predicate `&` was left out"),
        "{said}"
    );
    for line in [
        "start rule  program",
        "layout      WHITESPACE, COMMENT",
        "identifiers name",
        "warnings    1",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let grammar = fs::read_to_string(output).unwrap();
    let rules: Vec<&str> = grammar
        .lines()
        .filter(|line| line.contains(" = "))
        .collect();
    let names: Vec<&str> = rules
        .iter()
        .filter_map(|rule| rule.split(" =").next())
        .collect();
    let expected = [
        "@start program",
        "statement",
        "@identifier name",
        "@token number",
        "@skip WHITESPACE",
        "@skip COMMENT",
    ];
    assert_eq!(names, expected, "{grammar}");
    assert!(
        grammar.contains("// A program.\n@start program"),
        "{grammar}"
    );
    assert!(grammar.contains("// NOTE: a predicate"), "{grammar}");
    let check = zester(&["check", "-q", output], b"");
    assert_eq!(
        (check.status.code(), text(&check.stderr)),
        (Some(0), String::new())
    );
    // No name is the keyword, and a comment ends before the next token.
    let sentences =
        text(&zester(&["generate", output, "-n", "300", "--seed", "1"], b"").stdout).to_string();
    assert!(!sentences.contains("print print"), "{sentences}");
    // Nothing is replaced unasked.
    let again = zester(
        &["import", source, "-o", output, "--start", "statement"],
        b"",
    );
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("is there already; --force replaces it"));
}

#[test]
fn commands_name_the_notation_of_a_grammar_that_is_not_ours() {
    let directory = tempfile::tempdir().unwrap();
    for (name, content, notation) in [
        ("a.pest", PEST, "pest"),
        ("a.txt", "a ::= b? 'x'\nb ::= [0-9]+\n", "W3C EBNF"),
        ("a.abnf", "a = 1*DIGIT\n", "ABNF"),
        ("A.g4", "grammar A; a : 'x' ;", "ANTLR 4"),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        for command in ["check", "generate"] {
            let output = zester(&[command, path.to_str().unwrap()], b"");
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(
                said.contains(&format!("in the notation of {notation}")),
                "{said}"
            );
            assert!(said.contains("`zester import "), "{said}");
        }
    }
    let output = zester(&["import", "grammars/json.ebnf"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no notation that zester imports"));
}

#[test]
fn errors_of_other_notations_have_a_position() {
    let output = zester(&["import", "--from", "pest", "-"], b"a = { b }");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("-:1:7: error: not a grammar of pest"),
        "{said}"
    );
}

#[test]
fn findings_are_printed_as_json() {
    let output = zester(
        &["check", "--json", "-"],
        "a = \"é\" b ; c = \"x\" ;".as_bytes(),
    );
    assert_eq!(output.status.code(), Some(1));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = &object["findings"][0];
    assert_eq!(finding["message"], "undefined rule `b`");
    assert_eq!(
        (&finding["line"], &finding["column"], &finding["end_column"]),
        (&1.into(), &9.into(), &10.into())
    );
    assert_eq!(finding["severity"], "error");
    let output = zester(&["check", "--json", "grammars/json.ebnf"], b"");
    assert_eq!(output.status.code(), Some(0));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["findings"], serde_json::json!([]));
}

/// Two rules of this grammar end with the end of the input. The second one reaches more rules.
const TWO_STARTS: &str = r##"
word = @{ ASCII_ALPHA+ }
only = { word ~ EOI }
list = { "[" ~ word ~ "]" }
all = { list* ~ EOI }
"##;

#[test]
fn the_start_rule_of_pest_reaches_most_rules_or_is_the_one_of_the_flag() {
    let import = |flags: &[&str]| {
        let mut arguments = vec!["import", "--from", "pest", "-"];
        arguments.extend(flags);
        zester(&arguments, TWO_STARTS.as_bytes())
    };
    let output = import(&[]);
    let (grammar, said) = (text(&output.stdout), text(&output.stderr));
    assert!(grammar.contains("@start all = list*"), "{grammar}");
    assert!(said.contains("start rules"), "{said}");
    assert!(said.contains("takes another one: `only`"), "{said}");
    let output = import(&["--start", "only"]);
    let (grammar, said) = (text(&output.stdout), text(&output.stderr));
    assert!(grammar.contains("@start only = word"), "{grammar} {said}");
    assert!(!said.contains("start rules"), "{said}");
}

#[test]
fn new_takes_the_options_of_import() {
    let directory = directory("new_takes_the_options_of_import");
    std::fs::write(directory.join("Cargo.toml"), "[package]\nname = \"sums\"\n").unwrap();
    let (grammar, tokens) = (directory.join("sums.y"), directory.join("tokens.txt"));
    std::fs::write(
        &grammar,
        "%token NUMBER\n%%\nsum: sum '+' NUMBER | NUMBER ;\n",
    )
    .unwrap();
    std::fs::write(&tokens, "NUMBER [0-9]{1,3}\n").unwrap();
    let new = |arguments: &[&str]| {
        let path = directory.to_str().unwrap();
        zester(&[&["new", "sums", "--in", path], arguments].concat(), b"")
    };
    let (grammar, tokens) = (grammar.to_str().unwrap(), tokens.to_str().unwrap());
    let output = new(&["--template", "json", "--tokens", tokens]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("json.ebnf"),
        "{}",
        text(&output.stderr)
    );
    let output = new(&["--grammar", grammar, "--tokens", tokens]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(directory.join("fuzz/grammars/sums.ebnf")).unwrap();
    assert!(written.contains("[0-9]{1,3}"), "{written}");
}

#[test]
fn a_grammar_that_zester_refuses_is_written_and_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("my.ebnf");
    let output = output.to_str().unwrap();
    let huge = b"s = 999999999\"ab\"\r\n";
    let import = zester(
        &["import", "--from", "abnf", "-", "-o", output, "--force"],
        huge,
    );
    let said = text(&import.stderr);
    assert_eq!(import.status.code(), Some(1), "{said}");
    assert!(
        said.contains("was written, but zester cannot use it"),
        "{said}"
    );
    assert!(said.contains("my.ebnf:"), "{said}");
    assert!(!said.contains("next:"), "{said}");
    let grammar = fs::read_to_string(output).unwrap();
    assert!(grammar.contains("999999999"), "{grammar}");
}

#[test]
fn a_start_rule_that_is_a_token_has_no_layout_inside() {
    let grammar = b"n = @{ ASCII_DIGIT+ ~ \".\" ~ ASCII_DIGIT+ }\nWHITESPACE = _{ \" \" }\n";
    let import = zester(&["import", "--from", "pest", "-"], grammar);
    let grammar = text(&import.stdout);
    assert!(grammar.contains("@start n_start = n ;"), "{grammar}");
}

#[test]
fn a_byte_order_mark_before_a_grammar_is_skipped() {
    let json = r#"{"name": "g", "rules": {"s": {"type": "STRING", "value": "x"}}, "extras": []}"#;
    for (notation, grammar) in [
        ("tree-sitter", json),
        ("pest", "s = { \"x\" }\n"),
        ("yacc", "%%\ns: 'x';\n"),
        ("antlr", "grammar G; s: 'x';\n"),
        ("abnf", "s = %x78\r\n"),
        ("lalrpop", "grammar; pub S = \"x\";\n"),
        ("w3c", "s ::= 'x'\n"),
    ] {
        let marked = format!("\u{FEFF}{grammar}");
        let import = zester(&["import", "--from", notation, "-"], marked.as_bytes());
        assert!(
            import.status.success(),
            "{notation}: {}",
            text(&import.stderr)
        );
        assert!(text(&import.stdout).contains("\"x\""), "{notation}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_beside_a_grammar_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["my.l", "MyLexer.g4"] {
        let pipe = directory.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(pipe).status();
        assert!(made.unwrap().success());
    }
    for (name, grammar) in [
        ("my.y", "%%\ns: 'x';\n"),
        (
            "MyParser.g4",
            "parser grammar MyParser; options { tokenVocab = MyLexer; } s: X;\n",
        ),
    ] {
        let source = directory.path().join(name);
        fs::write(&source, grammar).unwrap();
        let import = zester(&["import", source.to_str().unwrap()], b"");
        assert!(import.status.code().is_some(), "{}", text(&import.stderr));
    }
}
