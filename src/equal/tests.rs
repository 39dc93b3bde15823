//! Tests of equivalent sentences of small grammars.

use super::*;

/// Returns all equivalent sentences that are sentences, with the equivalences of the source alone.
fn all(source: &str, sentence: &str) -> Vec<String> {
    let grammar = Grammar::read("g", source.as_bytes()).unwrap_or_else(|report| panic!("{report}"));
    let derivation = grammar.parse(sentence.as_bytes()).unwrap();
    let mut equivalents = Equivalents::new(&grammar);
    let mut found = equivalents.first(usize::MAX, &derivation, |_| true);
    found.retain(|(equivalence, text)| equivalents.confirms(*equivalence, &derivation, text));
    found
        .into_iter()
        .map(|(_, text)| String::from_utf8(text).unwrap())
        .collect()
}

const SUMS: &str = r#"
    sum = product ( sign product )* ;
    sign = "+" | "-" ;
    product = atom ( "*" atom )* ;
    atom = number | "(" sum ")" ;
    number = [0-9]+ ;
"#;

#[test]
fn parts_are_replaced_in_both_directions() {
    let swap = format!("{SUMS} @equal sum: a:product \"+\" b:product ~ b \"+\" a ;");
    assert_eq!(all(&swap, "1+2*3"), ["2*3+1"]);
    assert_eq!(all(&swap, "1-2"), [""; 0]);
    assert_eq!(all(&swap, "1+2+3"), [""; 0], "a side is a whole node");
    assert_eq!(all(&swap, "4*(1+2)"), ["4*(2+1)"]);
    let zero = format!("{SUMS} @equal sum: a:product ~ a \"+\" \"0\" ;");
    assert_eq!(all(&zero, "7"), ["7+0"]);
    assert_eq!(all(&zero, "(7+0)"), ["(7+0)+0", "(7)"]);
    let directed = format!("{SUMS} @equal sum: a:product \"-\" a ~> \"0\" ;");
    assert_eq!(all(&directed, "2*3-2*3"), ["0"]);
    assert_eq!(all(&directed, "2*3-3*2"), [""; 0]);
    let guarded = format!("{SUMS} @equal sum: a:product - sum \"+\" b:product ~ b \"+\" a ;");
    assert_eq!(
        all(&guarded, "1+(2)"),
        ["(2)+1"],
        "the right hole of `b + a` is `a`"
    );
}

#[test]
fn holes_can_be_lists() {
    let block = r#"
        @start block = statement* ;
        statement = "a" ";" | "{" statement* "}" ;
        @equal block: s:statement* ~ "{" s "}" ;
    "#;
    assert_eq!(all(block, "a;a;"), ["{a;a;}"]);
    assert_eq!(all(block, "{}"), ["{{}}", ""]);
}

#[test]
fn parts_without_order_are_exchanged() {
    let object = r#"
        @start value = object | [0-9] | "[" (value ("," value)*)? "]" ;
        object = "{" (member ("," member)*)? "}" ;
        member = key ":" value ;
        key = [a-z] ;
        @skip blank = " " ;
        @equal - layout ;
        @unordered object: member ;
    "#;
    assert_eq!(
        all(object, "{a:1, b:{c:2,d:3},e:[4,5]}"),
        [
            "{b:{c:2,d:3}, a:1,e:[4,5]}",
            "{a:1, e:[4,5],b:{c:2,d:3} }",
            "{a:1, b:{d:3,c:2},e:[4,5]}"
        ]
    );
    assert_eq!(all(object, "{a:1,a:1}"), [""; 0], "the same text");
    let nested = r#"
        @start block = statement* ;
        statement = "if" statement | name ";" ;
        name = [a-z] ;
        @skip blank = " " ;
        @equal - layout ;
        @unordered block: statement ;
    "#;
    assert_eq!(all(nested, "if a;b;"), ["b;if a;"], "parts of parts stay");
    let names = r#"
        @kind variable: name ;
        @identifier name = [a-z] ;
        @start block = @scope( statement* ) ;
        statement = "let " @declare variable "=" value ";" ;
        value = @use variable | [0-9] ;
        @equal - names ;
        @unordered block: statement ;
    "#;
    assert_eq!(
        all(names, "let a=1;let b=a;let c=a;"),
        ["let a=1;let c=a;let b=a;"]
    );
}

#[test]
fn tokens_are_separated() {
    let words = r#"
        @start s = "not" s | "(" s ")" | "x" | s ~"!" ;
        @skip blank = " " | "\n" ;
        @equal s: a:s ~> "not" "not" a ;
        @equal s: "(" a:s ")" ~> a ;
        @equal s: "x" ~> "x" "!" ;
    "#;
    let tags = r#"
        @start s = "{{" e "}}" ;
        e = "-" e | "x" ;
        @skip blank = " " ;
        @equal e: "x" ~> "-" "-" "x" ;
    "#;
    assert_eq!(
        all(tags, "{{x}}"),
        ["{{ - -x}}"],
        "`{{-` may be a token of the program"
    );
    let text = r##"
        @start s = part* ;
        part = ~"#" | tag ;
        tag = open e close ;
        open = ~("{{" | "{{-") ;
        close = "}}" | "-}}" ;
        e = "x" | "y" ;
        @skip blank = " " ;
        @equal - layout ;
        @equal tag: "{{" "x" "}}" ~> "{{" "y" "}}" ;
    "##;
    assert_eq!(
        all(text, "#{{x}}{{y}}#"),
        ["#{{y}}{{y}}#"],
        "layout between tags is text"
    );
    assert_eq!(
        all(words, "not(x)"),
        [
            "not not not(x)",
            "not not not(x)",
            "not(not not x)",
            "not x",
            "not(x!)"
        ]
    );
}

#[test]
fn names_keep_their_declarations() {
    let lets = r#"
        @kind variable: name ;
        @identifier name = [a-z]+ ;
        @start block = @scope( statement* ) ;
        statement = @after( "let " @declare variable "=" value ) ";" | value ";" | "{" block "}" ;
        value = @use variable | [0-9] ;
        @equal block: a:statement b:statement ~ b a ;
        @equal statement: s:statement ~> "{" s "}" ;
        @equal statement: v:value ";" ~> "let " n:@fresh name "=" v ";" ;
    "#;
    let found = |sentence| all(lets, sentence);
    let swapped: Vec<String> = found("let q=1;2;")
        .into_iter()
        .filter(|text| text.starts_with('2'))
        .collect();
    assert_eq!(swapped, ["2;let q=1;"]);
    let all = found("let q=1;q;");
    assert!(all.contains(&"let q=1;{q;}".into()), "{all:?}");
    assert!(all.contains(&"let q=1;let a=q;".into()), "{all:?}");
    assert!(all.contains(&"let a=1;a;".into()), "another name: {all:?}");
    assert!(
        !all.iter()
            .any(|text| text.starts_with("q") || text.starts_with("{let")),
        "{all:?}"
    );
}

#[test]
fn undeclared_names_have_no_type() {
    let lets = r#"
        @domain type = int | bool ;
        @kind variable<type>: name ;
        @identifier name = [a-z]+ ;
        @start block = @scope( statement* ) ;
        statement = @after( "let " @declare variable<int> "=" value<int> ) ";" | value<int> ";" ;
        value<t: type> = @use variable<t> ;
        value<int> = [0-9] | "+" value<int> ;
        @equal value<int>: v:value<int> ~> "+" v ;
    "#;
    let found = |sentence| all(lets, sentence);
    assert!(found("let q=1;q;").contains(&"let q=1;+q;".into()));
    assert!(found("let q=1;r;").contains(&"let q=+1;r;".into()));
    assert!(!found("let q=1;r;").contains(&"let q=1;+r;".into()));
}

#[test]
fn values_of_arguments_are_compared() {
    let typed = r#"
        @domain type = int | bool ;
        @start s = e<_> ;
        e<int> = "1" | "(" e<int> "+" e<int> ")" | "[" e<bool> "]" ;
        e<bool> = "t" | "(" e<int> "=" e<int> ")" ;
        @equal e<bool>: a:e<bool> ~> "(" "1" "=" "[" a "]" ")" ;
        @equal e: "(" a:e<int> "+" b:e<int> ")" ~ "(" b "+" a ")" ;
    "#;
    assert_eq!(all(typed, "([t]+1)"), ["([(1=[t])]+1)", "(1+[t])"]);
}

#[test]
fn mistakes_have_a_position() {
    for (line, expected) in [
        (r#"@equal som: "1" ~ "2" ;"#, "undefined rule `som`"),
        (
            r#"@equal sum: a:product "*" ~ a ;"#,
            "the left side is no form of `sum`",
        ),
        (
            r#"@equal sum: a:product ~ a "+" ;"#,
            ":28: error: the right side is no form of `sum`",
        ),
        (
            r#"@equal sum: a:product "+" b:product ~ a ;"#,
            "the other side has no hole `b`",
        ),
        (r#"@equal sum: a:product ~ b ;"#, "unknown hole `b`"),
        (r#"@equal sum: a:product ~ a:atom ;"#, "another hole `a`"),
        (
            r#"@equal sum: a:product ~ "0" "+" n:@fresh number ;"#,
            "`number` derives no names",
        ),
        (r#"@equal - blanks ;"#, "unknown equivalence `blanks`"),
        (r#"@unordered sum: prodct ;"#, "did you mean `product`?"),
        (
            r#"@unordered number: sum ;"#,
            "no part of `number` is of the rule `sum`",
        ),
    ] {
        let report = Grammar::read("g", format!("{SUMS} {line}").as_bytes()).unwrap_err();
        assert!(report.to_string().contains(expected), "{report}");
    }
    let source = "s = \"a\" \"b\" \"c\" ;\n@equal s: \"a\" \"b\" \"c\" ~ \"a\" \"c\" ;";
    let report = Grammar::read("g", source.as_bytes()).unwrap_err();
    assert!(
        report
            .to_string()
            .starts_with("g:2:29: error: the right side"),
        "{report}"
    );
    let report = Grammar::check(
        "g",
        format!("{SUMS} @equal sum: a:product ~ a ;").as_bytes(),
    );
    assert!(report.to_string().contains("changes nothing"), "{report}");
}

#[test]
fn a_new_name_does_not_join_what_follows_it() {
    let source = r#"
        @kind variable: name ;
        @start s = "let" @declare variable "=" text ";" @use variable text ;
        @identifier name = [a-z]+ ;
        @token text = "b"? "'" [a-z]* "'" ;
        @skip blank = " " ;
        @equal - layout ;
    "#;
    let apart = all(source, "let a='t';a 't'");
    assert_eq!(apart, ["let b='t';b 't'"]);
    let joined = all(source, "let a='t';a't'");
    assert_eq!(joined, ["let c='t';c't'"]);
}

#[test]
fn several_equivalences_are_applied_at_once() {
    let source = r#"
        sum = product ( "+" product )* ;
        product = atom ( "*" atom )* ;
        atom = number | "(" sum ")" ;
        @token number = [0-9]+ ;
        @skip blank = " " ;
        @equal sum: a:product "+" b:product ~ b "+" a ;
        @equal atom: "7" ~> "07" ;
        @equal atom: "8" ~> "08" ;
    "#;
    let grammar = Grammar::read("g", source.as_bytes()).unwrap_or_else(|report| panic!("{report}"));
    let derivation = grammar.parse(b"(7+8)*7*8").unwrap();
    let mut equivalents = Equivalents::new(&grammar);
    for random in 0..40 {
        let all = equivalents.together(&derivation, random << 32 | random);
        let texts = all
            .iter()
            .map(|one| String::from_utf8_lossy(&one.text).into_owned());
        let texts: Vec<String> = texts.collect();
        // Each number can also stand outside of the sum that is exchanged, so one sentence has all changes.
        let whole =
            |text: &String| text.contains("8+7") && text.contains("07") && text.contains("08");
        assert!(
            texts.len() == 1 && whole(&texts[0]) || texts.len() == 2,
            "{texts:?}"
        );
        let mut used: Vec<usize> = all
            .iter()
            .flat_map(|one| one.applications.iter().map(|one| one.equivalence))
            .collect();
        used.sort_unstable();
        assert_eq!(used, [0, 1, 2]);
    }
}
