//! Tests which texts imported ANTLR grammars derive.

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
    // A token that has lost one of its texts keeps it as a part of others.
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

#[test]
fn recursive_loops_end() {
    check(
        "grammar G; top : S+ EOF ; S : '(' X*? ')' ; fragment X : ~[()] | '(' X*? ')' ;",
        &["(a(b)c)", "()()"],
        &["(", "(()"],
    );
    // Two rules that contain each other.
    imported(
        "grammar G; top : S EOF ; S : '<' (X | Y)*? '>' ; fragment X : [a-c] | '(' Y*? ')' | 'x' X ; \
         fragment Y : [0-9] | '[' (X | .)+? ']' | Y X*? '!' ;",
    );
    // Each rule doubles the number of ways.
    let chain = |at: usize| {
        format!(
            "fragment F{at}: '(' F{0}*? ')' | '[' (F{0} | F{0} .)*? ']' ;\n",
            at + 1
        )
    };
    let chain: String = (0..40).map(chain).collect();
    imported(&format!(
        "grammar G; top : S EOF ; S : F0 ; {chain} fragment F40: 'x' | 'y' 'z' ;"
    ));
}

#[test]
fn loops_stop_where_a_lexer_stops() {
    let string = "grammar G; top : (STRING | ID)+ EOF ; STRING : '\"' (ESC | .)*? '\"' ; \
        fragment ESC : '\\\\\"' | '\\\\\\\\' ; ID : [a-z]+ ; WS : [ \\n]+ -> skip ;";
    check(
        string,
        &[r#""a\nb""#, r#""c:\dir""#, r#""\"""#, r#""\\" a"#, r#""""#],
        &[r#""\""#, r#""\\\""#, "\""],
    );
    // An escape without the quotation mark that ends the loop.
    check(
        "grammar G; top : S+ EOF ; S : '\"' ('\\\\n' | .)*? '\"' ;",
        &[r#""\n\\n\\""#, r#""\""#, r#""a\b""a""#],
        &[r#""a"b"#, "\"\"\""],
    );
    let comment = "grammar G; top : 'x' EOF ; C : '/*' (C | .)*? '*/' -> skip ;";
    check(
        comment,
        &[
            "/* 1/2 */x",
            "/* 2*3 **//**/x",
            "/*/* // * */ **/x",
            "/*//* */*/x",
        ],
        &["/*/x", "/*/* */x", "/**/*/x"],
    );
    check(
        "grammar G; top : 'x' EOF ; C : '<!' ('==' | .)*? '->' -> skip ;",
        &["<!a-b=->x", "<!-==-->x", "<!->x", "<!=-=-==->x"],
        &["<!a->b->x", "<!--x", "<!==x"],
    );
}

#[test]
fn case_insensitive_is_so_beyond_ascii() {
    check(
        "grammar G; options { caseInsensitive = true; } top : (KW | CYR | UML | 'жук')+ EOF ; KW : 'begin' | 'ändern' ; \
         CYR : [а-г]+ ; UML : [äöüß]+ ; WS : [ ]+ -> skip ;",
        &["BEGIN ÄNDErn АБв ÖÄß ЖУк"],
        &["Б1"],
    );
}

#[test]
fn the_end_of_the_text_is_no_alternative_within_it() {
    let remarks = check(
        "grammar G; top : st* EOF ; st : 'let' ID eos | '{' st* '}' ; eos : ';' | EOF ; ID : [a-z]+ ; \
         WS : [ \\n]+ -> skip ;",
        &["{let b;}", "let a;"],
        &["{let b}", "let a let b;"],
    );
    assert!(
        remarks.contains("alternatives with EOF in `eos`"),
        "{remarks}"
    );
    let remarks = check(
        "grammar G; top : 'a' eos ; eos : ';' | EOF ;",
        &["a", "a;"],
        &[";"],
    );
    assert!(!remarks.contains("EOF"), "{remarks}");
}

#[test]
fn choices_of_many_ranges_are_classes() {
    let ranges = |of: &dyn Fn(u32) -> String| (0..400).map(of).collect::<Vec<_>>().join(" | ");
    let start = |at: u32| 0x100 + at * 0x50;
    let body = ranges(&|at| {
        format!(
            "[\\u{:04x}-\\u{:04x}] | [\\u{:04x}]",
            start(at),
            start(at) + 8,
            start(at) + 12
        )
    });
    let keywords: Vec<String> = (0..300)
        .map(|at| format!("'kw{}'", "x".repeat(at % 7) + &at.to_string()))
        .collect();
    let text = format!(
        "grammar G; top : (KW | ID | NUM)+ EOF ; KW : {} ; ID : S P* ; NUM : D (D | '_')+ D? '.' D+ ;\n\
         fragment S : [a-z] | [_] | {body} ; fragment P : S | [0-9] ; fragment D : {} ; WS : ' '+ -> skip ;",
        keywords.join(" | "),
        ranges(&|at| format!(
            "'\\u{:04x}'..'\\u{:04x}'",
            0x130 + at * 0x50,
            0x139 + at * 0x50
        )),
    );
    let start = std::time::Instant::now();
    check(&text, &["kw0 kwx1 kwx2"], &["1"]);
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn the_first_token_of_a_mode_wins() {
    check(
        "grammar G; top : (PORT EQ INT | ID EQ ID | OPEN M_EQ M_NUM M_ID)+ EOF ; PORT : 'port' ; EQ : '=' ; \
         OPEN : 'file' -> pushMode(M) ; INT : [0-9]+ ; ID : [a-z0-9]+ ; WS : [ \\n]+ -> skip ; \
         mode M; M_EQ : '=' ; M_NUM : [0-9]+ ; M_ID : [a-z0-9]+ -> popMode ; M_WS : [ \\n] -> skip ;",
        &["port = 9 a = b", "file = 1 a"],
        &["9 = a", "a = port", "file = 1 2"],
    );
}

#[test]
fn layout_of_a_mode_stands_before_its_tokens() {
    let grammar = "grammar G; top : (NUM | OPEN KEY+ CLOSE)+ EOF ; OPEN : '{' -> pushMode(M) ; NUM : [0-9]+ ; \
        WS : [ \\n]+ -> skip ; mode M; CLOSE : '}' -> popMode ; NOTE : [a-z]+ -> skip ; KEY : [A-Z]+ ;";
    let remarks = check(
        grammar,
        &["1 2 {aKEYbAc} 3", "{aA} {bB}"],
        &["1a2", "{ aA}", "aa{aA}", "1{aA}b"],
    );
    assert!(remarks.contains("warnings    0"), "{remarks}");
    // The mode has the layout of the first mode, and other layout, which is left out.
    let remarks = check(
        "grammar G; top : (NUM | OPEN KEY CLOSE)+ EOF ; OPEN : '{' -> pushMode(M) ; NUM : [0-9]+ ; WS : ' ' -> skip ; \
         mode M; CLOSE : '}' -> popMode ; M_WS : [ \\t] -> skip ; KEY : [A-Z]+ ; NOTE : '#' [a-z]* '#' -> skip ;",
        &["1 { A } 3"],
        &["1 {#a#A}", "1#a# 2"],
    );
    assert!(
        remarks.contains("layout of other modes: `NOTE`"),
        "{remarks}"
    );
}

#[test]
fn tokens_that_a_lexer_joins_are_a_warning() {
    let warning = "reads as another token";
    let joined = "grammar G; top : num '(' d* ')' EOF ; num : '10' | '99' ; d : '0' | '1' | '9' ;";
    assert!(check(joined, &["10(0)"], &[]).contains(warning));
    let separate =
        "grammar G; top : num '(' d* ')' EOF ; num : '10' | '99' ; d : '0' | '9' | '2' ;";
    assert!(check(separate, &[], &[]).contains(warning));
    let apart = "grammar G; top : num '(' d* ')' EOF ; num : '10' | '19' ; d : '0' | '9' | '2' ;";
    assert!(!check(apart, &[], &[]).contains(warning));
}
