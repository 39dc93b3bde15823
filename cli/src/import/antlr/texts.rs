//! Which texts the grammars derive that the import makes of ANTLR grammars.

use std::path::Path;

use crate::foreign_notation::Notation;
use crate::import::ImportOptions;

/// Imports a grammar. Returns it with the remarks.
pub fn imported(text: &str) -> (zester::Grammar, String) {
    let options = ImportOptions::default();
    let imported = options.import_text(Path::new("no/G.g4"), text.into(), Some(Notation::Antlr));
    let imported = imported.unwrap_or_else(|problem| panic!("{}", problem.message()));
    let grammar = zester::Grammar::read("g", imported.text.as_bytes());
    let grammar = grammar.unwrap_or_else(|error| panic!("{error}\n{}", imported.text));
    (grammar, imported.text + &imported.remarks)
}

/// Checks which texts are sentences. Returns the grammar and the remarks.
fn check(text: &str, sentences: &[&str], others: &[&str]) -> String {
    let (grammar, remarks) = imported(text);
    for sentence in sentences {
        let is_sentence = grammar.encode(sentence.as_bytes()).is_ok();
        assert!(is_sentence, "{sentence} is refused\n{remarks}");
    }
    for other in others {
        let is_refused = grammar.encode(other.as_bytes()).is_err();
        assert!(is_refused, "{other} is a sentence\n{remarks}");
    }
    remarks
}

#[test]
fn a_shadowed_token_is_still_a_part_of_others() {
    let remarks = check(
        "grammar G; top : (INT ID | DOT | DIGIT)+ EOF ; INT : DIGIT+ ; DIGIT : [0-9] ; ID : [a-z]+ ; \
         DOT : '.' ; WS : ' '+ -> skip ;",
        &["12 ab", "3 a ."],
        &["1", "12 12"],
    );
    assert!(remarks.contains("take all texts of `DIGIT`"), "{remarks}");
    // A part that has lost one of its texts keeps it within others.
    check(
        "grammar G; top : (A | KW | NAME)+ EOF ; A : 'a' ; KW : 'a' | 'b' ; NAME : KW '!' ; \
         WS : ' ' -> skip ;",
        &["a! b! b a"],
        &["!"],
    );
}

#[test]
fn a_token_with_a_predicate_takes_nothing() {
    let remarks = check(
        "grammar G; top : (OPEN ID CLOSE | TEXT | '!' NO)* EOF ; OPEN : . { f() }? ; CLOSE : '>' ; \
         ID : [a-z]+ ; TEXT : [A-Z] ; SHEBANG : '#' P ~[\\n]* '\\n' -> skip ; fragment P : { g() }? ; \
         NO : [] ; WS : ' ' -> skip | { h() }? '\\t' -> skip ;",
        &["<ab>A", ""],
        &["#\nA", "\tA"],
    );
    assert!(
        remarks.contains("layout `SHEBANG` has a predicate"),
        "{remarks}"
    );
}

#[test]
fn rules_that_are_left_out_are_named() {
    let remarks = check(
        "grammar G; top : 'a' no | 'b' EOF ; no : 'x' no ; Z : 'z' ;",
        &["b"],
        &["a"],
    );
    assert!(
        remarks.contains("a rule derives no text: `no`"),
        "{remarks}"
    );
    let last = "left out    2 rules: 1 that derive no text; 1 that no sentence uses: `Z`\n";
    assert!(remarks.ends_with(last), "{remarks}");
}

#[test]
fn unused_tokens_take_texts() {
    check(
        "grammar G; top : ID ('.' ID)* EOF ; RESERVED : 'a' | 'b' | 'c' | 'goto' ; ID : [a-z]+ ; \
         WS : ' ' -> skip ;",
        &["d.aa"],
        &["a", "d.goto"],
    );
}
