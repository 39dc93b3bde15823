//! Tests of the text of sentences: separators are written only between tokens that would otherwise
//! be read as others.

mod common;

use common::{grammar, shipped};
use zester::parameters::Decoder;

/// Returns the sentence of a grammar that bytes decode to.
fn text(source: &str, bytes: &[u8]) -> String {
    String::from_utf8(
        Decoder::new(&grammar("text", source))
            .decode(bytes)
            .text()
            .to_vec(),
    )
    .unwrap()
}

#[test]
fn tokens_are_separated_only_if_necessary() {
    let blank = "@skip s = [ \\n]+ ;";
    let cases: &[(&str, &str)] = &[
        // Two words are always separated.
        ("a = \"let\" \"x\" ;", "let x"),
        ("a = \"let\" \"(\" ;", "let("),
        ("a = \"1\" \"e\" ;", "1 e"),
        // The two tokens together begin a longer token. They are separated only if that token can
        // follow.
        ("a = \">\" \">\" | \">>\" ;", ">>"),
        ("a = b \">\" ; b = \">\" ; c = b ;", ">>"),
        (
            "a = \"!\" ( \">\" \">\" \".\" | \">>\" \"...\" ) ;",
            "!> >.",
        ),
        // No longer token can follow, or `~` forbids a separator.
        ("a = \"<\" b \">\" \">\" ; b = \"x\" ;", "<x>>"),
        ("a = \"<\" ~ \"<\" | \"<<\" \"....\" ;", "<<"),
        ("a = \"let\" ~ \"x\" ;", "letx"),
        ("a = \"let\" ~ b \"y\" ; b = ( \"\" | \"zz\" ) ;", "let y"),
        // Tokens of classes are separated if together they could be one token.
        ("@token n = [0-9]+ ; a = n n ;", "0 0"),
        ("@token n = [0-9]+ \".\"? ; a = n \".\" ;", "0 ."),
    ];
    for (source, expected) in cases {
        let source = format!("{blank} {source}");
        assert_eq!(text(&source, &[]), *expected, "{source}");
    }
}

#[test]
fn a_comment_does_not_extend_over_the_next_token() {
    // A comment that runs to the end of the line needs a line feed before the next token. A slash
    // needs a blank before a comment.
    let comment = "@skip s = \" \" | \"\\n\" | \"//\" [a-z ]* ;";
    assert_eq!(
        text(
            &format!("{comment} a = \"x\" \"y\" ;"),
            &[0, 240, 2, 2, 0, 1]
        ),
        "x//ab\ny"
    );
    assert_eq!(
        text(&format!("{comment} a = \"/\" \"y\" ;"), &[0, 240, 2, 1, 0]),
        "/ //a\ny"
    );
}

#[test]
fn a_grammar_without_layout_has_no_separators() {
    assert_eq!(text("a = \"let\" \"x\" ;", &[]), "letx");
}

#[test]
fn a_choice_sets_the_case_of_a_case_insensitive_literal() {
    let source = "a = \"Select-1\"i ;";
    assert_eq!(text(source, &[0]), "Select-1");
    assert_eq!(text(source, &[1]), "select-1");
    assert_eq!(text(source, &[2]), "SELECT-1");
    assert_eq!(text(source, &[3, 0b10_0010]), "sElecT-1");
}

#[test]
fn names_exclude_keywords() {
    let source =
        "@identifier n = ( [a-z] [a-z0-9]* ) - k ; @token k = \"a\" | \"b\" | \"d\" ; a = n ;";
    assert_eq!(
        [0, 1, 2].map(|byte| text(source, &[byte])),
        ["c", "e", "f"].map(String::from)
    );
}

#[test]
fn the_simplest_sentences_of_shipped_grammars_are_short() {
    let simplest: Vec<(String, String)> = shipped()
        .into_iter()
        .map(|(name, grammar)| {
            let sentence = Decoder::new(&grammar).decode(&[]).clone();
            (name, String::from_utf8(sentence.text().to_vec()).unwrap())
        })
        .collect();
    for (name, expected) in [
        ("ebnf.ebnf", "a=;"),
        ("expr.ebnf", ""),
        ("json.ebnf", "0"),
        ("wgsl.ebnf", ""),
    ] {
        assert!(
            simplest.contains(&(name.to_string(), expected.to_string())),
            "{name}: {expected:?} in {simplest:?}"
        );
    }
    for (name, simplest) in &simplest {
        assert!(simplest.len() < 40, "{name}: {simplest:?}");
    }
}
