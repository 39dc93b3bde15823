//! Tests of names, scopes and types. The type checker for the language of `grammars/stlc.ebnf`
//! stands for a program under test.

mod common;

use std::collections::HashMap;

use common::stlc::checked;
#[cfg(feature = "suite")]
use common::stlc::checked_to;
use common::{Noise, grammar};
use zester::bounds::Caps;
use zester::cover::Pairs;
use zester::derivation::{Derivation, NameRole};
use zester::generate::Generator;
use zester::grammar::Grammar;
use zester::mutate::Mutator;
use zester::notation;
use zester::parameters::Decoder;
use zester::parse::Parser;
use zester::weights::{Probabilities, Table, Transform, Weights};

fn stlc() -> Grammar {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/grammars/stlc.ebnf");
    grammar("stlc.ebnf", &std::fs::read_to_string(path).unwrap())
}

#[test]
fn the_checker_finds_type_errors() {
    assert_eq!(checked(b"let a:int=1 in(a+ a)"), Some(2));
    assert_eq!(checked(b"((fun a:int.(a<2))3)"), Some(1));
    for wrong in [
        "a",
        "(1+true)",
        "let a:int=a in 1",
        "if 1 then 2 else 3",
        "(fun a:int.(a 1))",
        "let a:bool=let b:int=1 in b in a",
    ] {
        assert_eq!(checked(wrong.as_bytes()), None, "{wrong}");
    }
}

#[test]
fn nearly_all_generated_programs_have_types() {
    let grammar = stlc();
    let mut generator = Generator::new(&grammar, 1);
    let found: Vec<Option<usize>> = (0..2_000)
        .map(|_| checked(generator.sentence().text()))
        .collect();
    let valid: Vec<usize> = found.iter().flatten().copied().collect();
    let with_names = valid.iter().filter(|&&uses| uses > 0).count();
    eprintln!(
        "{} of 2,000 generated programs have types, {with_names} of them use names",
        valid.len()
    );
    // A few programs have names that are spelled out.
    assert!(valid.len() >= 1_900, "{} of 2,000", valid.len());
    assert!(with_names >= 400, "{with_names} use names");
}

#[cfg(feature = "suite")]
#[test]
fn the_checker_refuses_each_wrong_name_at_its_position() {
    use zester::suite::{NameFault, name_faults};
    let suite = name_faults(&stlc(), 100, 1);
    let (mut wrong_types, mut others, mut accepted) = (0, 0, 0);
    for text in &suite.texts {
        let shown = String::from_utf8_lossy(&text.text);
        assert!(checked(&text.original).is_some(), "{shown}");
        let Err(at) = checked_to(&text.text) else {
            // The program has another type, which the grammar does not have because it nests too deep.
            assert_eq!(text.fault, NameFault::WrongKind, "{shown}");
            accepted += 1;
            continue;
        };
        match text.fault {
            // A wrong type is found where the name ends, or in the term around it.
            NameFault::WrongKind => {
                wrong_types += 1;
                assert!(at >= text.byte, "{shown}");
            }
            _ => {
                others += 1;
                assert_eq!(at, text.byte, "{shown}");
            }
        }
    }
    eprintln!(
        "{wrong_types} wrong types and {others} other wrong names are refused, {accepted} wrong types accepted"
    );
    assert!(accepted <= 2, "{accepted}");
    assert!(
        wrong_types >= 5 && others >= 20,
        "{wrong_types} and {others}"
    );
}

#[test]
fn most_random_bytes_and_mutants_have_types() {
    let grammar = stlc();
    let (mut decoder, mut mutator, mut noise) =
        (Decoder::new(&grammar), Mutator::new(&grammar), Noise(1));
    let mut native = |_: &mut [u8], size: usize, _: usize| size;
    let (mut valid, mut valid_mutants) = (0, 0);
    for seed in 0..1_000 {
        let length = noise.length(300);
        let bytes = noise.bytes(length);
        valid += u32::from(checked(decoder.text(&bytes)).is_some());
        let mutant = mutator
            .mutate_with(&bytes, 1_000, seed, &mut native)
            .to_vec();
        valid_mutants += u32::from(checked(decoder.text(&mutant)).is_some());
    }
    eprintln!(
        "of 1,000 random byte strings {valid} decode to programs with types, of 1,000 mutants {valid_mutants}"
    );
    assert!(
        valid >= 700 && valid_mutants >= 700,
        "{valid} and {valid_mutants} of 1,000"
    );
}

#[test]
fn a_parsed_program_decodes_to_itself() {
    let grammar = stlc();
    let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
    // A name that is not in the fixed sequence, undeclared names, and the same name with two types.
    for text in [
        "let some_name:int=1 in 2",
        "let b:int=1 in(b+b)",
        "(c d)",
        "let a:int=1 in let a:bool=(a<2)in if a then a else a",
    ] {
        let text = text.replace("some_name", "somename");
        parser.parse_into(text.as_bytes(), &mut derivation).unwrap();
        let mut decoder = Decoder::new(&grammar);
        let parameters = decoder.encode(&derivation).to_vec();
        assert_eq!(String::from_utf8_lossy(decoder.text(&parameters)), text);
        assert_eq!(decoder.decode(&parameters), &derivation);
    }
    for text in ["(fun a:int.true)", "((fun a:bool.(fun b:int.b))true)"] {
        let parsed = parser.parse_into(text.as_bytes(), &mut derivation);
        assert_eq!(parsed.is_ok(), checked(text.as_bytes()).is_some(), "{text}");
    }
    for (text, message) in [
        (
            "if 1 then 2 else 3",
            r#"1:4: "1" is term<int>; expected term<bool>"#,
        ),
        (
            "let a:bool=(1+2)in a",
            r#"1:12: "(" is term<int>; expected term<bool>"#,
        ),
        (
            "(true+1)",
            r#"1:2: "true" is term<bool>; expected term<int>"#,
        ),
    ] {
        let error = parser.parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = parser
        .parse_into(b"if 1 then 2 else 3", &mut derivation)
        .unwrap_err();
    assert_eq!(
        (
            error.at(),
            parser.explain(b"if 1 then 2 else 3", error).column
        ),
        (3, 4)
    );
}

#[test]
fn a_new_declaration_changes_no_other_name() {
    let source = "@identifier n = [a-z] ; @kind v: n ; @skip w = \" \" ; s = ( d | u )* ; d = \"let\" @declare v \";\" ; u = @use v \";\" ;";
    let grammar = grammar("g", source);
    let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
    let mut decoder = Decoder::new(&grammar);
    let mut with = |text: &str| {
        parser.parse_into(text.as_bytes(), &mut derivation).unwrap();
        decoder.encode(&derivation).to_vec()
    };
    let (before, after) = (with("let a;let c;c;a;c;"), with("let a;let b;let c;c;a;c;"));
    // The count of statements, the first declaration, and the end are the same.
    let common = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    assert!(common >= before.len() - 8, "{before:?} and {after:?}");
}

#[test]
fn a_part_without_values_ends_the_search_for_values() {
    for domain in ["list<e>{4294967294}", "t<n, n, n, e>"] {
        let source = format!(
            "@domain e = a{{0}} ; @domain n = b{{1000}} ; @domain d = {domain} ; s = \"x\" ;"
        );
        grammar("domains", &source);
    }
}

#[test]
fn too_many_constructors_are_an_error() {
    let members: Vec<String> = (0..65_536).map(|at| format!("c{at}<e>")).collect();
    let source = format!(
        "@domain e = a{{0}} ; @domain d = {} ; s = \"x\" ;",
        members.join(" | ")
    );
    let started = std::time::Instant::now();
    let report = notation::read("g", source.as_bytes(), &Caps::default()).unwrap_err();
    assert!(
        report.to_string().contains("error: too many values"),
        "{report}"
    );
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn errors_have_their_position() {
    let wrong = [
        (
            "@kind v<t>: n ; s = n ; @identifier n = \"x\" ;",
            "1:9: error: undefined domain `t`",
        ),
        ("s = @use v ;", "1:10: error: undefined kind `v`"),
        (
            "@kind v: n ; s = @use v ; n = \"x\" ;",
            "1:10: error: `n` is no identifier terminal",
        ),
        (
            "@domain d = a | b ; @kind k<d> ; s = @use k<c> k<a> ;",
            "undefined rule `k`",
        ),
        (
            "@domain d = a | b ; @domain e = a ; @kind k<e> ; s = r<_> ; r<x: d> = @use k<x> ;",
            "variable `x` has values that are no values here: 1 of 2, such as `b`",
        ),
        (
            "@domain d = a | b ; s = r<a, b> ; r<x: d> = \"x\" ;",
            "1:25: error: wrong number of arguments of `r`",
        ),
        (
            "@domain d = a | b ; s = r<a, b> ; r<x: d> = \"x\" ;",
            "it takes 1 argument, and there are 2",
        ),
        (
            "@kind v: n ; s = @declare v<a> ; @identifier n = \"x\" ;",
            "it takes 0 arguments, and there is 1",
        ),
        (
            "@domain d = a ; s<x: d> = \"x\" ;",
            "1:17: error: the start rule takes arguments",
        ),
        (
            "@domain d = a ; s = r<a> ; r<x: d> = \"x\" ; r<x: d, y: d> = \"x\" ;",
            "with 2 arguments here, and with 1 argument before",
        ),
        (
            "@domain d = a ; s = \"x\" ; r<a, a, a, a, a, a, a, a, a> = \"x\" ;",
            "a rule takes at most 8",
        ),
        (
            "@domain d = a | b ; @domain e = c ; s = r<c> ; r<x: d> = \"x\" ;",
            "1:43: error: `c` is no value here",
        ),
        (
            "@domain d = a{1000000} ; s = \"x\" ;",
            "1:13: error: too many values",
        ),
        (
            "@domain d = a{100} ; @kind k<d, d> ; s = r<_, _> ; r<x: d, y: d> = @declare k<x, y> ;",
            "names of too many different kinds are declared",
        ),
        (
            "@domain d = a | list<d> ; s = \"x\" ;",
            "1:22: error: domain `d` contains itself",
        ),
        (
            "@domain d = a | list<a> | list<a, a> ; s = \"x\" ;",
            "1:27: error: `list` has 1 parts elsewhere",
        ),
        (
            "@domain d = a | a<b> ; s = \"x\" ;",
            "1:17: error: `a` has no parts",
        ),
        (
            "@domain d = pair<a, b>{2} ; s = \"x\" ;",
            "1:13: error: `pair` is nested and has several parts",
        ),
        (
            "@domain d = a{200} | pair<a1, a1> ; @domain e = tuple<d, d, d> ; s = \"x\" ;",
            "1:49: error: too many values",
        ),
        (
            "@domain d = a | list<a> ; s = r<list<a>> ; r<list> = \"x\" ;",
            "1:46: error: undefined value `list`",
        ),
        (
            "@domain d = a | b ; s = r<a> ; r<_> = \"x\" ;",
            "1:34: error: `_` in each definition of `r`",
        ),
        (
            "@domain d = a | b | c ; @domain e = a ; s = t<d> ; t<x: e> = \"x\" ;",
            "1:47: error: domain `d` has values that are no values here: 2 of 3, such as `b`",
        ),
        (
            "@domain d = a | list<a> ; s = r<set<a>> ; r<x: d> = \"x\" ;",
            "1:33: error: no value `set` has parts",
        ),
        (
            "@domain d = a | list<a> ; s = r<list<a, a>> ; r<x: d> = \"x\" ;",
            "1:33: error: wrong number of parts of `list`",
        ),
        (
            "@domain d = a | list<a> ; s = r<list<list<a>>> ; r<x: d> = \"x\" ;",
            "1:38: error: no value `list` with these parts",
        ),
        (
            "@domain d = a | list<a> ; s = r<list> ; r<x: d> = \"x\" ;",
            "1:33: error: undefined value, domain or variable `list`",
        ),
        (
            "@domain d = a | list<a ; s = \"x\" ;",
            "expected one of `,`, `>`",
        ),
        (
            "@kind k: n ; s = @use k @as ; @identifier n = \"x\" ;",
            "expected name",
        ),
        (
            "@domain d = a | list<a> ; s = r<a, a> ; r<x: d, list<x>> = \"x\" ;",
            "two arguments are called `x`",
        ),
        (
            "@domain d = a{100} ; @kind k<d> ; s = r<_, _, _> | \"x\" ; r<x: d, y: d, z: d> = @use k<x> @use k<y> @use k<z> ;",
            "`_` stands for",
        ),
        (
            "@domain d = a | b ; s = r<a> ; r<b> = \"x\" ;",
            "1:27: error: `a` is no value here",
        ),
        (
            "@domain d = a | b ; s = r<a> ; r<x: d> = t<x> ; t<b> = \"x\" ; t<a> = t<a> \"y\" ;",
            "no sentence can be derived",
        ),
        (
            "@kind v: n ; s = @declare v<a> ; @identifier n = \"x\" ;",
            "wrong number of arguments of kind `v`",
        ),
        (
            "@kind v: n ; @token s = @use v ; r = s ; @identifier n = \"x\" ;",
            "1:25: error: a name inside a token",
        ),
        (
            "@domain d = a ; s = r<a> ; @token r<a> = \"x\" ;",
            "`r` takes arguments",
        ),
        (
            "@domain e = f ; @domain f = e ; s = \"x\" ;",
            "1:13: error: domain `f` is defined later",
        ),
        (
            "@domain d = d | x ; s = \"x\" ;",
            "1:13: error: domain `d` contains itself",
        ),
        (
            "@kind variable: n ; @identifier n = [a-z] ; s = @use variabel ;",
            "did you mean `variable`?",
        ),
    ];
    for (source, expected) in wrong {
        let started = std::time::Instant::now();
        let report = zester::notation::read("g", source.as_bytes(), &Default::default())
            .unwrap_err()
            .to_string();
        assert!(report.contains(expected), "{source}\n{report}");
        assert!(started.elapsed() < std::time::Duration::from_secs(20));
    }
    let source = "@kind v: n ; s = @declare v @use v @use v ; n = \"x\" ;";
    let report = zester::notation::read("g", source.as_bytes(), &Default::default()).unwrap_err();
    assert_eq!(
        (report.errors(), report.to_string().matches("error").count()),
        (1, 1),
        "{report}"
    );
}

#[test]
fn the_example_of_the_reference_is_a_grammar() {
    let reference = include_str!("../src/notation/notation.md");
    let example = reference
        .split("## Names, scopes and types")
        .nth(1)
        .and_then(|rest| rest.split("```").nth(1))
        .unwrap();
    let grammar = grammar("example", example.strip_prefix("text").unwrap());
    let mut generator = Generator::new(&grammar, 1);
    let loops = (0..500)
        .filter(|_| String::from_utf8_lossy(generator.sentence().text()).contains("break"))
        .count();
    assert!(loops > 10, "{loops}");
}

#[test]
fn warnings_name_kinds_and_variables() {
    let source = "@domain d = a | b ; @kind k<d>: n, l<d>: n ; @identifier n = [a-z] ; s = @use k<x> \"!\" | @declare l<a> ;";
    let (_, report) = zester::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
    let report = report.to_string();
    assert!(
        report.contains("kind `k` is never declared")
            && report.contains("variable `x` occurs only once"),
        "{report}"
    );
}

#[test]
fn of_several_derivations_one_that_has_types_is_found() {
    let source =
        "@domain type = int | bool ; @start s = e<_> ; e<int> = [0-9] | e<int> \"+\" e<int> ;
                  e<bool> = \"t\" | e<_> \"==\" e<_> ;";
    let grammar = grammar("g", source);
    let (mut parser, mut derivation, mut decoder) = (
        Parser::new(&grammar),
        Derivation::default(),
        Decoder::new(&grammar),
    );
    // Without types, these are also sums of a comparison and a number.
    for text in ["1==2+3", "t==1+3==2", "1+2+3==4==t"] {
        parser.parse_into(text.as_bytes(), &mut derivation).unwrap();
        let parameters = decoder.encode(&derivation).to_vec();
        assert_eq!(String::from_utf8_lossy(decoder.text(&parameters)), text);
    }
    assert!(parser.parse_into(b"t+1", &mut derivation).is_err());
}

/// Parses a text and asserts that its parameters decode to it.
fn round_trip(name: &str, grammar: &Grammar, parser: &mut Parser<'_>, text: &[u8]) {
    let mut derivation = Derivation::default();
    if let Err(error) = parser.parse_into(text, &mut derivation) {
        let beginning = String::from_utf8_lossy(&text[..text.len().min(200)]);
        panic!(
            "{name}, {} bytes: {}\n{beginning}",
            text.len(),
            parser.explain(text, error)
        );
    }
    let mut decoder = Decoder::new(grammar);
    let parameters = decoder.encode(&derivation).to_vec();
    assert!(
        decoder.text(&parameters) == text,
        "{name}: a text of {} bytes has changed",
        text.len()
    );
}

#[test]
fn a_text_of_any_length_is_bound_to_types() {
    let source = r#"
        @domain ty = n | b ;
        @skip ws = " "+ ;
        @start s = e<_> ";" ;
        e<t: ty> = "(" e<t> ")" ;
        e<n> = [0-9] ;
        e<b> = e<_> "==" e<_> | "!" e<b> ;
    "#;
    let small = grammar("small", source);
    let mut parser = Parser::new(&small);
    round_trip("small", &small, &mut parser, b"6==!5==7;");
    round_trip(
        "small",
        &small,
        &mut parser,
        format!("6==!5==7;{}", " ".repeat(1_000)).as_bytes(),
    );
    round_trip(
        "small",
        &small,
        &mut parser,
        format!("{}6==!5==7{};", "(".repeat(2_000), ")".repeat(2_000)).as_bytes(),
    );
    round_trip(
        "small",
        &small,
        &mut parser,
        format!("6{};", "==!5==7".repeat(50)).as_bytes(),
    );
    for name in ["stlc", "c", "wgsl"] {
        let path = format!("{}/grammars/{name}.ebnf", env!("CARGO_MANIFEST_DIR"));
        let grammar = grammar(name, &std::fs::read_to_string(path).unwrap());
        let mut parser = Parser::new(&grammar);
        for (size, count) in [(300, 300), (3_000, 60), (30_000, 20)] {
            let mut generator = Generator::new(&grammar, 1).size(size);
            for _ in 0..count {
                let text = generator.sentence().text().to_vec();
                round_trip(name, &grammar, &mut parser, &text);
            }
        }
    }
}

/// Ambiguous grammars with arguments of rules and names, each with the maximum requested size of a
/// text that is certainly parsed. A chain of many operators has so many derivations that longer
/// texts reach the limit of parsing steps.
const AMBIGUOUS: [(&str, u32, &str); 4] = [
    (
        "operators without precedence",
        100,
        r#"
        @start program = ( @after( "let" @declare variable<t> "=" e<t> ";" ) )+ ;
        e<t: type> = @use variable<t> ;
        e<int> = [0-9] | e<int> ( "+" | "*" ) e<int> | "-" e<int> ;
        e<bool> = "true" | e<_> "==" e<_> | e<bool> "&" e<bool> ;
        "#,
    ),
    (
        "an else that belongs to any if",
        20_000,
        r#"
        @start program = statement* ;
        statement = @after( "let" @declare variable<t> "=" e<t> ";" ) | "{" @scope( statement* ) "}"
            | "if" e<bool> statement ( "else" statement )? ;
        e<t: type> = @use variable<t> | "(" e<t> ")" ;
        e<int> = [0-9] ;
        e<bool> = "true" | e<int> "<" e<int> ;
        "#,
    ),
    (
        "applications without parentheses",
        20_000,
        r#"
        @start program = ( "let" @declare variable<t> ":" type<t> ";" | e<_> ";" )* ;
        e<t: type> = @use variable<t> | e<arrow<a, t>> e<a> | "(" e<t> ")" ;
        e<int> = [0-9] ;
        e<bool> = "true" ;
        type<int> = "int" ;
        type<bool> = "bool" ;
        type<arrow<a, r>> = type<a> "->" type<r> ;
        "#,
    ),
    (
        "casts that look like calls",
        20_000,
        r#"
        @kind class: name ;
        @start program = ( "class" @declare class ";" | "let" @declare variable<t> ";" | e<_> ";" )* ;
        e<t: type> = @use variable<t> | "(" @use class ")" e<_> | e<_> "(" e<t> ")" | "(" e<t> ")" ;
        e<int> = [0-9] | e<int> "-" e<int> ;
        "#,
    ),
];

#[test]
fn texts_of_ambiguous_grammars_come_back() {
    for (name, max, rules) in AMBIGUOUS {
        let source = format!(
            "@domain type = int | bool | arrow<int, bool> | arrow<int, int> ;
            @kind variable<type>: name ; @identifier name = [a-z]{{2,3}} ; @skip blank = [ \\n]+ ;
            {rules}"
        );
        let grammar = grammar(name, &source);
        let mut parser = Parser::new(&grammar);
        for (size, count) in [(100, 60), (1_000, 20), (5_000, 6), (20_000, 3)] {
            let mut generator = Generator::new(&grammar, 1).size(size);
            let count = if size > max { 1 } else { count };
            for _ in 0..count {
                let text = generator.sentence().text().to_vec();
                let started = std::time::Instant::now();
                match parser.parse(&text) {
                    Err(error) if size > max => {
                        assert!(
                            error.to_string().contains("too ambiguous"),
                            "{name}: {error}"
                        )
                    }
                    _ => round_trip(name, &grammar, &mut parser, &text),
                }
                assert!(
                    started.elapsed() < std::time::Duration::from_secs(60),
                    "{name}"
                );
            }
        }
    }
}

/// A language whose types have parts.
const PARTS: &str = r#"
    @domain scalar = int | bool ;
    @domain type = scalar | list<scalar>{2} | pair<scalar, scalar> ;
    @kind variable<type>: name ;
    @identifier name = [a-z]+ ;
    @skip blank = [ \n]+ ;
    @start program = statement+ ;
    statement = @after( "let" @declare variable<t> ":" type<t> "=" expression<t> ";" ) ;
    expression<t: type> = @use variable<t>
        | @use variable<list<t>> "[" expression<int> "]"
        | "first" "(" expression<pair<t, _>> ")" ;
    expression<list<t>> = "[" ( expression<t> ( "," expression<t> )* )? "]" ;
    expression<pair<a, b>> = "(" expression<a> "," expression<b> ")" ;
    expression<int> = [0-9] ;
    expression<bool> = "true" | "false" ;
    type<int> = "int" ;
    type<bool> = "bool" ;
    type<list<t>> = "list" "<" type<t> ">" ;
    type<pair<a, b>> = "pair" "<" type<a> "," type<b> ">" ;
"#;

/// The language of [`PARTS`], with every type spelled out.
const SPELLED_OUT: &str = r#"
    @domain type = int | bool | list_int | list_bool | list_list_int | list_list_bool
        | int_int | int_bool | bool_int | bool_bool ;
    @kind variable<type>: name ;
    @identifier name = [a-z]+ ;
    @skip blank = [ \n]+ ;
    @start program = statement+ ;
    statement = @after( "let" @declare variable<t> ":" type<t> "=" expression<t> ";" ) ;
    @domain element = int | bool | list_int | list_bool ;
    @domain scalar = int | bool ;
    expression<t: type> = @use variable<t> ;
    expression<t: element> = element<t> "[" expression<int> "]" ;
    expression<t: scalar> = "first" "(" pair<t> ")" ;
    element<int> = @use variable<list_int> ;
    element<bool> = @use variable<list_bool> ;
    element<list_int> = @use variable<list_list_int> ;
    element<list_bool> = @use variable<list_list_bool> ;
    pair<int> = expression<int_int> | expression<int_bool> ;
    pair<bool> = expression<bool_int> | expression<bool_bool> ;
    expression<list_int> = "[" ( expression<int> ( "," expression<int> )* )? "]" ;
    expression<list_bool> = "[" ( expression<bool> ( "," expression<bool> )* )? "]" ;
    expression<list_list_int> = "[" ( expression<list_int> ( "," expression<list_int> )* )? "]" ;
    expression<list_list_bool> = "[" ( expression<list_bool> ( "," expression<list_bool> )* )? "]" ;
    expression<int_int> = "(" expression<int> "," expression<int> ")" ;
    expression<int_bool> = "(" expression<int> "," expression<bool> ")" ;
    expression<bool_int> = "(" expression<bool> "," expression<int> ")" ;
    expression<bool_bool> = "(" expression<bool> "," expression<bool> ")" ;
    expression<int> = [0-9] ;
    expression<bool> = "true" | "false" ;
    type<int> = "int" ;
    type<bool> = "bool" ;
    type<list_int> = "list" "<" type<int> ">" ;
    type<list_bool> = "list" "<" type<bool> ">" ;
    type<list_list_int> = "list" "<" type<list_int> ">" ;
    type<list_list_bool> = "list" "<" type<list_bool> ">" ;
    type<int_int> = "pair" "<" type<int> "," type<int> ">" ;
    type<int_bool> = "pair" "<" type<int> "," type<bool> ">" ;
    type<bool_int> = "pair" "<" type<bool> "," type<int> ">" ;
    type<bool_bool> = "pair" "<" type<bool> "," type<bool> ">" ;
"#;

#[test]
fn values_with_parts_describe_the_same_language_as_values_that_are_spelled_out() {
    let grammars = [("parts", PARTS), ("spelled out", SPELLED_OUT)]
        .map(|(name, source)| (name, Grammar::read(name, source.as_bytes()).unwrap()));
    for (one, other) in [(0, 1), (1, 0)] {
        let mut parser = Parser::new(&grammars[other].1);
        let mut generator = Generator::new(&grammars[one].1, 1);
        let (mut declared, mut bytes) = (0, 0);
        for _ in 0..1_000 {
            let text = generator.sentence().text();
            bytes += text.len();
            if let Err(error) = parser.parse(text) {
                let text = String::from_utf8_lossy(text);
                panic!("{}: {text}\n{error}", grammars[one].0);
            }
            declared += usize::from(text.windows(4).any(|part| part == b"list"));
        }
        assert!(declared > 100 && bytes > 100_000, "{declared} {bytes}");
    }
    for wrong in [
        "let a:list<bool>=[9];",
        "let a:bool=[];",
        "let a:pair<int,bool>=(1,2);",
    ] {
        for (name, grammar) in &grammars {
            assert!(grammar.parse(wrong.as_bytes()).is_err(), "{name}: {wrong}");
        }
    }
}

#[test]
fn a_value_whose_parts_no_domain_has_forbids_what_needs_it() {
    // There is no list of lists, so a list cannot be an element.
    let source = br#"
        @domain type = int | list<int> ;
        start = term<_> ;
        term<t: type> = "(" element<list<t>> ")" | "x" ;
        element<list<t>> = "[" term<t> "]" ;
    "#;
    let grammar = Grammar::read("forbidden", source).unwrap();
    for sentence in ["x", "([x])", "([([x])])"] {
        assert!(grammar.parse(sentence.as_bytes()).is_ok(), "{sentence}");
    }
    let source = br#"
        @domain type = int | list<int> ;
        start = term<list<int>> ;
        term<t: type> = "(" element<list<t>> ")" | "x" ;
        element<list<t>> = "[" term<t> "]" ;
    "#;
    let grammar = Grammar::read("forbidden", source).unwrap();
    assert!(grammar.parse(b"x").is_ok());
    assert!(grammar.parse(b"([x])").is_err());
}

/// Too many combinations of declarations and uses are left out, and a warning says so. What is taken
/// is still complete: no sentence uses an undeclared name unless a choice asks for it.
#[test]
fn a_warning_says_where_declarations_do_not_count() {
    let source = |values: u32| {
        format!(
            r#"
            @domain d = v{{{values}}} ;
            @kind k<d, d>: id ;
            @identifier id = [a-z]+ ;
            @start s = block<_, _>* ;
            block<a: d, b: d> = "[" declare<a, b> r<_, _> "]" ;
            declare<a: d, b: d> = "x" @declare k<a, b> ";" ;
            r<a: d, b: d> = @use k<a, b> | "(" r<a, c> r<c, b> ")" ;
            "#
        )
    };
    let warnings = |values| Grammar::check("many", source(values).as_bytes()).to_string();
    assert_eq!(warnings(3), "");
    let many = warnings(12);
    assert!(many.starts_with("many:8:"), "{many}");
    assert!(many.contains("not all declarations count here"), "{many}");
}

#[test]
fn a_use_can_give_a_name_another_role() {
    let source = br#"
        @domain type = int | bool ;
        @kind global<type>: name, local<type>: name ;
        @identifier name = [a-z]{2} ;
        @skip blank = [ \n]+ ;
        @start program = ( "var" @declare global<t> "=" constant<t> ";" )*
            ( "def" "{" @scope( import* assign* ) "}" )* ;
        import = "global" @use global<t> @as local<t> ";" | "local" @declare local<t> "=" constant<t> ";" ;
        assign = @use local<t> "=" ( @use local<t> | constant<t> ) ";" ;
        constant<int> = [0-9] ;
        constant<bool> = "true" | "false" ;
    "#;
    let grammar = Grammar::read("roles", source).unwrap();
    // The types of names are those of the constants in their declarations.
    let is_int = |constant: &str| constant.as_bytes()[0].is_ascii_digit();
    let wrong = |text: &str| -> usize {
        let mut globals: HashMap<&str, bool> = HashMap::new();
        let mut locals: HashMap<&str, bool> = HashMap::new();
        let mut wrong = 0;
        for statement in text.split_inclusive(['{', '}', ';']) {
            let words: Vec<&str> = statement
                .split([' ', '\n', '=', ';', '{', '}'])
                .filter(|word| !word.is_empty())
                .collect();
            match words[..] {
                ["var", name, constant] => drop(globals.insert(name, is_int(constant))),
                ["def"] => locals.clear(),
                ["global", name] => match globals.get(name) {
                    Some(&of) => drop(locals.insert(name, of)),
                    None => wrong += 1,
                },
                ["local", name, constant] => drop(locals.insert(name, is_int(constant))),
                [name, value] => {
                    let of_value = locals.get(value).copied().or_else(|| {
                        let is_name = value.len() == 2;
                        (!is_name).then(|| is_int(value))
                    });
                    wrong +=
                        usize::from(of_value.is_none() || locals.get(name).copied() != of_value);
                }
                _ => {}
            }
        }
        wrong
    };
    let mut generator = Generator::new(&grammar, 1);
    let (mut used, mut bad) = (0, 0);
    for _ in 0..3_000 {
        let text = String::from_utf8(generator.sentence().text().to_vec()).unwrap();
        used += usize::from(text.contains("global"));
        bad += usize::from(wrong(&text) > 0);
        let parameters = grammar.encode(text.as_bytes()).unwrap();
        assert_eq!(grammar.decode(&parameters), text.as_bytes());
    }
    // A few choices use undeclared names.
    assert!(used > 500 && bad < 150, "{used} {bad}");
    for source in [
        "@kind g: n, l ; s = @use g @as l ; @identifier n = [a-z] ;",
        "@kind g: n, l: m ; s = @use g @as l ; @identifier n = [a-z] ; @identifier m = [a-z] ;",
    ] {
        let report = Grammar::read("roles", source.as_bytes()).unwrap_err();
        assert!(
            report.to_string().contains("kinds of different"),
            "{report}"
        );
    }
}

#[test]
fn a_name_is_used_once_in_its_scope() {
    let source = r#"
        @kind field: name ;
        @identifier name = [a-z]{2} ;
        @start program = ( "field" @declare field ";" ){3} record* ;
        record = "{" @scope( ( @after( @use field @once ":" value ) "," )* ) "}" ;
        value = [0-9] | record | "=" ~ @use field ;
        @skip blank = " " ;
    "#;
    let grammar = grammar("g", source);
    let mut generator = Generator::new(&grammar, 1);
    let names = |text: &str| -> Vec<String> {
        let words = text.split(|byte: char| !byte.is_ascii_alphabetic());
        let words = words.filter(|word| word.len() == 2);
        words.map(str::to_owned).collect()
    };
    // Takes the innermost records out one after another. Returns the number of fields of the longest one,
    // and whether a record has a field twice.
    let records = |text: &str| -> (usize, bool) {
        let (mut text, mut longest, mut has_twice) = (text.to_owned(), 0, false);
        while let Some(from) = text.rfind('{') {
            let to = from + text[from..].find('}').unwrap();
            let fields = text[from + 1..to].split(',');
            let mut fields: Vec<String> = fields
                .filter_map(|field| field.split_once(':'))
                .map(|(name, _)| name.trim().to_owned())
                .collect();
            longest = longest.max(fields.len());
            let count = fields.len();
            fields.sort();
            fields.dedup();
            has_twice |= fields.len() < count;
            text.replace_range(from..=to, "0");
        }
        (longest, has_twice)
    };
    let (mut full, mut twice, mut nested) = (0, 0, 0);
    for _ in 0..2_000 {
        let text = String::from_utf8(generator.sentence().text().to_vec()).unwrap();
        assert!(names(&text).len() >= 3, "{text}");
        let (longest, has_twice) = records(&text);
        full += usize::from(longest == 3);
        twice += usize::from(has_twice);
        nested += usize::from(text.contains(":{") || text.contains(": {"));
        let parameters = grammar.encode(text.as_bytes()).unwrap();
        assert_eq!(grammar.decode(&parameters), text.as_bytes());
    }
    // A few choices break the rules on purpose.
    assert!(
        full > 50 && nested > 50 && twice < 60,
        "{full} {nested} {twice}"
    );
    let twice = "field ab; field bc; field cd; {ab:1,ab:2,}";
    let once = "field ab; field bc; field cd; {ab:{ab:1,},bc:=cd,}{ab:2,}";
    let wrong = |text: &str| {
        let derivation = Parser::new(&grammar)
            .parse(text.as_bytes())
            .unwrap()
            .clone();
        let roles = derivation.name_roles(&grammar);
        let is_wrong = |(_, role): &&(usize, NameRole)| matches!(role, NameRole::WrongUse(_));
        roles.iter().filter(is_wrong).count()
    };
    assert_eq!((wrong(twice), wrong(once)), (1, 0));
    #[cfg(feature = "suite")]
    {
        use zester::suite::{NameFault, name_faults};
        let suite = name_faults(&grammar, 100, 1);
        let again = suite
            .texts
            .iter()
            .filter(|text| text.fault == NameFault::UsedAgain);
        let again: Vec<_> = again
            .map(|text| String::from_utf8_lossy(&text.text))
            .collect();
        assert!(again.len() >= 10, "{again:?}");
        assert!(again.iter().all(|text| wrong(text) == 1), "{again:?}");
    }
    let source = "@kind k ; s = @declare k @use k @once ;";
    let report = Grammar::read("once", source.as_bytes()).unwrap_err();
    let message = "a kind without names before `@once`";
    assert!(report.to_string().contains(message), "{report}");
}

#[test]
fn a_domain_as_an_argument_is_a_choice_among_its_values() {
    let source = "@domain small = a | b ; @domain all = small | c ; @start s = t<small>* ; t<a> = \"a\" ; t<b> = \"b\" ; t<c> = \"c\" ;";
    let grammar = grammar("g", source);
    let mut generator = Generator::new(&grammar, 1);
    let text: Vec<u8> = (0..100)
        .flat_map(|_| generator.sentence().text().to_vec())
        .collect();
    assert!(text.contains(&b'a') && text.contains(&b'b') && !text.contains(&b'c'));
}

#[test]
fn a_scope_seldom_declares_a_name_twice() {
    let source = "@kind v: n ; @identifier n = [a-c] ; @skip w = \" \" ; s = ( \"(\" @scope( d d* ) \")\" )* ; d = @declare v \";\" ;";
    let grammar = grammar("g", source);
    let mut generator = Generator::new(&grammar, 1);
    let (mut scopes, mut twice) = (0, 0);
    for _ in 0..500 {
        let text = String::from_utf8_lossy(generator.sentence().text()).replace(' ', "");
        for scope in text.split('(').skip(1) {
            scopes += 1;
            let mut names: Vec<&str> = scope.trim_end_matches(')').split_terminator(';').collect();
            names.sort_unstable();
            twice += u32::from(names.windows(2).any(|pair| pair[0] == pair[1]));
        }
    }
    // One name in a thousand is declared without regard to scopes.
    assert!(
        scopes > 1_000 && twice * 100 < scopes,
        "{twice} of {scopes}"
    );
}

#[test]
fn alternatives_without_weight_are_only_for_texts() {
    let grammar = grammar("g", "s = t* ; t = \"a\" | @0 \"b\" ;");
    let mut generator = Generator::new(&grammar, 1);
    let count = |byte: u8, texts: &[Vec<u8>]| {
        texts
            .iter()
            .flatten()
            .filter(|&&found| found == byte)
            .count()
    };
    let texts: Vec<Vec<u8>> = (0..200)
        .map(|_| generator.sentence().text().to_vec())
        .collect();
    // One sentence is steered to each alternative.
    assert!(
        count(b'a', &texts) > 1_000 && count(b'b', &texts) <= 2,
        "{}",
        count(b'b', &texts)
    );
    assert!(
        Parser::new(&grammar)
            .parse_into(b"abba", &mut Derivation::default())
            .is_ok()
    );
}

/// Returns the lengths of generated sentences, the shortest first.
fn lengths(grammar: &Grammar, size: u32, count: usize) -> Vec<usize> {
    let mut generator = Generator::new(grammar, 1).size(size);
    let mut all: Vec<usize> = (0..count)
        .map(|_| generator.sentence().text().len())
        .collect();
    all.sort_unstable();
    all
}

/// In each of these grammars, the smallest alternative by its static size needs a name that is
/// seldom visible.
#[test]
fn a_sentence_is_about_as_long_as_requested() {
    let classes = r#"
        @kind variable: name, class: name ;
        @identifier name = [a-z] ;
        @start program = item* ;
        item = "class" @declare class ";" | "let" @declare variable ";" | "{" @scope( item* ) "}" | expression ";" ;
        expression = @use variable | "(" expression ")" | "new" @use class "(" ")" ;
    "#;
    // Later children of an alternative can only end with a name that the alternative declares.
    let later = r#"
        @kind variable: name ;
        @identifier name = [a-z] ;
        @start program = "[" a "]" ;
        a = "let" @scope( @declare variable w ) | "(" a ")" ;
        w = y | a ;
        y = @use variable | "<" a ">" ;
    "#;
    // A declaration can hide the only name of another kind.
    let hidden = r#"
        @kind one: name, two: name ;
        @identifier name = [a-b] ;
        @start program = item* ;
        item = "1" @declare one ";" | "2" @declare two ";" | "{" @scope( item* ) "}" | e ";" | "-" @hide one ";" ;
        e = @use one | "(" e ")" | "two" @use two ;
    "#;
    let mut all: Vec<(&str, Grammar)> =
        [("classes", classes), ("later", later), ("hidden", hidden)]
            .map(|(name, source)| (name, grammar(name, source)))
            .into();
    for name in ["stlc", "c", "wgsl"] {
        let path = format!("{}/grammars/{name}.ebnf", env!("CARGO_MANIFEST_DIR"));
        all.push((name, grammar(name, &std::fs::read_to_string(path).unwrap())));
    }
    for (name, grammar) in &all {
        for size in [40, 200, 1_000] {
            let lengths = lengths(grammar, size, 20_000 * 40 / size as usize);
            let (median, longest) = (lengths[lengths.len() / 2], lengths[lengths.len() - 1]);
            assert!(
                longest <= 4 * size as usize + 100,
                "{name}: {longest} bytes for a size of {size}"
            );
            assert!(
                median <= size as usize,
                "{name}: half of the sentences have {median} bytes or more for a size of {size}"
            );
        }
    }
}

/// Returns a grammar whose rules take three arguments of a domain of this many values.
fn three_arguments(values: usize) -> String {
    format!(
        r#"
        @domain d = v{{{values}}} ;
        @kind k<d, d, d>: id ;
        @identifier id = [a-z]+ ;
        @start s = ( "x" @declare k<a, b, c> ";" )* r<_, _, _> ;
        r<a: d, b: d, c: d> = @use k<a, b, c> | "(" r<a, b, x> r<x, y, c> r<y, x, z> ")" | "{{" r<b, a, c> "}}" ;
        "#
    )
}

/// Loading takes time linear in the size of a grammar. An earlier algorithm took 33 seconds for the
/// first one.
#[test]
fn grammars_with_many_values_are_loaded_or_refused() {
    let mutual = |count: usize| {
        let kinds: Vec<String> = (0..count).map(|at| format!("k{at}: id")).collect();
        let declarations: Vec<String> = (0..count)
            .map(|at| format!("\"d{at}\" @declare k{at}"))
            .collect();
        let rule = |at: usize| {
            let (one, two, three) = ((at * 7 + 1) % count, (at * 3 + 2) % count, (at + 1) % count);
            format!(
                "r{at} = @use k{at} | \"(\" r{one} r{two} \")\" | \"[\" @declare k{three} r{three} \"]\" ;"
            )
        };
        let rules: Vec<String> = (0..count).map(rule).collect();
        let (kinds, declarations, rules) =
            (kinds.join(", "), declarations.join(" | "), rules.join("\n"));
        format!(
            "@kind {kinds} ; @identifier id = [a-z]+ ; @start s = ( {declarations} )* r0 ;\n{rules}"
        )
    };
    for source in [
        three_arguments(4),
        three_arguments(5),
        mutual(200),
        mutual(1_000),
    ] {
        let lengths = lengths(&grammar("values", &source), 100, 100);
        assert!(lengths[99] <= 500, "{} bytes", lengths[99]);
    }
    let Err(report) = notation::read("values", three_arguments(20).as_bytes(), &Caps::default())
    else {
        panic!("no error")
    };
    assert!(
        report
            .to_string()
            .contains("too many combinations of values"),
        "{report}"
    );
}

/// A language with two types, in which types forbid some alternatives and some need visible names.
const TYPED: &str = r#"
    @domain type = int | bool ;
    @kind variable<type>: name ;
    @identifier name = [a-z] ;
    @start program = statement* ;
    statement = "let " @declare variable<t> ":" type<t> ";" | value<int> ";" | value<bool> ";" ;
    type<int> = "int" ;
    type<bool> = "bool" ;
    value<t: type> = @use variable<t> | "(" value<t> ")" ;
    value<int> = "0" ;
    value<bool> = "1" | "!" value<bool> ;
"#;

#[test]
fn weights_list_each_alternative_once_and_none_that_types_forbid() {
    let grammar = grammar("g", TYPED);
    let mut parser = Parser::new(&grammar);
    let mut weights = Weights::new(&grammar, 0);
    // The second text uses names that are not declared.
    for text in ["let a:int;let b:bool;a;b;(0);(1);!b;", "c;!d;"] {
        weights.add(&grammar, parser.parse(text.as_bytes()).unwrap());
    }
    let probabilities = Probabilities::new(&grammar, &weights, Transform::default()).unwrap();
    let tables = probabilities.explain(&grammar, &weights);
    let table = |name: &str| tables.iter().find(|table| table.name == name);
    let options = |name: &str| {
        let chosen = table(name).unwrap().chosen.iter();
        let mut options: Vec<(&str, f64)> =
            chosen.map(|chosen| (&*chosen.name, chosen.count)).collect();
        options.sort_by(|one, other| one.0.cmp(other.0));
        options
    };
    assert_eq!(
        options("value<int>"),
        [
            ("\"(\" value<int> \")\"", 1.0),
            ("\"0\"", 1.0),
            ("name<int>", 2.0)
        ]
    );
    assert_eq!(options("value<bool>").len(), 4);
    assert_eq!(table("type<int>").map(|table| &table.name), None);
    let sum = |table: &Table| -> f64 { table.chosen.iter().map(|c| c.probability).sum() };
    for table in &tables {
        assert!((sum(table) - 1.0).abs() < 1e-9, "{table:?}");
    }
    let rules = tables.iter().filter(|table| table.is_rule);
    let never: Vec<&str> = rules
        .flat_map(|table| &table.chosen)
        .filter(|chosen| chosen.count == 0.0)
        .map(|chosen| &*chosen.name)
        .collect();
    assert_eq!(never, [] as [&str; 0], "{tables:#?}");
}

#[test]
fn pairs_contain_each_alternative_once_and_none_that_types_forbid() {
    let grammar = grammar("g", TYPED);
    let mut parser = Parser::new(&grammar);
    let mut pairs = Pairs::new(&grammar);
    for text in ["let a:int;a;(a);((0));0;", "b;(b);0;"] {
        pairs.add(&grammar, parser.parse(text.as_bytes()).unwrap());
    }
    let of_int = pairs
        .pairs(&grammar)
        .filter(|pair| grammar.label(pair.child) == "value<int>");
    let mut of_int: Vec<_> = of_int
        .map(|pair| {
            let parent = grammar.label(pair.parent).to_string();
            (parent, pair.alternative, pair.choice, pair.used)
        })
        .collect();
    of_int.sort();
    let pair = |parent: &str, alternative, choice| (parent.to_string(), alternative, choice, true);
    assert_eq!(
        of_int,
        [
            pair("statement", 1, 0),
            pair("statement", 1, 1),
            pair("statement", 1, 2),
            pair("value<int>", 1, 0),
            pair("value<int>", 1, 1),
            pair("value<int>", 1, 2),
        ]
    );
}

#[test]
fn a_text_takes_an_alternative_without_weight_only_where_no_other_one_fits() {
    let names =
        "@domain type = int | bool ; @kind variable<type>: name ; @identifier name = [a-z] ;";
    for (rules, text, weight) in [
        // Two alternatives with the same symbols, and two with different symbols.
        (r#"s = @0 "x" | "x" "" ;"#, "x", 1.0),
        (r#"s = @0 a | b ; a = "x" ; b = "x" ;"#, "x", 1.0),
        (r#"s = @0 a | b ; a = "x"* ; b = "y"* ;"#, "", 1.0),
        (r#"s = @0 a | b ; a = "x" ; b = "y" ;"#, "x", 0.0),
        (
            r#"s = t<_> ; t<x: type> = @0 u<_> | u<x> ; u<int> = "0" ; u<bool> = "1" ;"#,
            "1",
            1.0,
        ),
        (
            r#"s = t<int> ; t<x: type> = @0 u<_> | u<x> ; u<int> = "0" ; u<bool> = "1" ;"#,
            "1",
            0.0,
        ),
        (
            r#"s = t<int> ; t<x: type> = @0 u<_> | v<x> ; u<int> = "0" ; u<bool> = "1" ; v<x: type> = "0" ;"#,
            "0",
            1.0,
        ),
        (
            r#"s = "let " @declare variable<int> ";" t<int> ; t<x: type> = @0 name | @use variable<x> ;"#,
            "let a;a",
            1.0,
        ),
        (
            r#"s = "let " @declare variable<int> ";" t<int> ; t<x: type> = @0 name | @use variable<x> ;"#,
            "let a;b",
            0.0,
        ),
    ] {
        let grammar = grammar("g", &format!("@start {rules} {names}"));
        let mut parser = Parser::new(&grammar);
        let derivation = parser.parse(text.as_bytes()).unwrap();
        let weights = derivation.nodes().iter().filter_map(|node| {
            let alternatives = grammar.alternatives(node.symbol);
            (alternatives.len() > 1).then(|| alternatives[node.choice as usize].weight)
        });
        assert_eq!(weights.fold(1.0, f64::min), weight, "{rules} {text}");
    }
}

#[test]
fn an_underscore_in_a_definition_stands_for_any_value() {
    let source = r#"
        @domain d = a | b | list<a> ;
        s = "1" r<a> | "2" r<b> | "3" r<list<_>> | "4" two<b, a> ;
        r<x: d> = "x" ;
        r<_> = "y" ;
        r<a> = "z" ;
        two<a, _: d> = "-" ;
        two<_, a> = "+" ;
        two<b, _> = "!" ;
    "#;
    let grammar = Grammar::read("any", source.as_bytes()).unwrap_or_else(|r| panic!("{r}"));
    for (text, is_sentence) in [
        ("1y", true),
        ("2y", true),
        ("3y", true),
        ("1z", true),
        ("2z", false),
        ("4+", true),
        ("4!", true),
        ("4-", false),
    ] {
        assert_eq!(
            grammar.encode(text.as_bytes()).is_ok(),
            is_sentence,
            "{text}"
        );
    }
}

#[test]
fn an_error_of_values_is_in_the_part_that_fits_none_in_any_derivation() {
    let source = r#"
        @domain type = int | list | text ;
        @skip blank = [ \n]+ ;
        @start program = statement* ;
        statement = expression<_> ";" ;
        expression<int> = expression<int> "+" expression<int> | [0-9] ;
        expression<list> = expression<list> "+" expression<list> | "[" ( expression<int> ( "," expression<int> )* )? "]" ;
        expression<text> = "T" ;
    "#;
    let grammar = Grammar::read("lists", source.as_bytes()).unwrap_or_else(|r| panic!("{r}"));
    let mut parser = zester::Parser::new(&grammar);
    for (text, column) in [
        ("[1]+[1];[1,T];", 12),
        ("[1,2]+[];1+1;T+1;", 14),
        ("[1];[1]+1+2;", 5),
        ("T;[[1]];[T];", 4),
    ] {
        let error = parser.parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.line, error.column), (1, column), "{text}: {error}");
    }
}

#[test]
fn a_rule_can_derive_itself_with_other_values() {
    let source = r#"
        @domain base = int | bool ;
        @domain type = base | object | any ;
        @kind sub<type, type> ;
        @skip blank = [ ] ;
        @start s = "o" x<object> | "a" x<any> | "i" x<int> | "sub" @declare sub<bool, any> "f" fits<any> ;
        x<any> = x<object> ;
        x<object> = x<_> "?" | x<int> | x<bool> ;
        x<b: base> = "1" | "(" x<b> ")" ;
        x<bool> = "T" ;
        fits<any> = through<_> | "any" ;
        through<c: base> = @use sub<c, any> fits<c> ;
        fits<b: base> = "base" type<b> ;
        type<int> = "int" ;
        type<bool> = "bool" ;
    "#;
    let grammar = Grammar::read("cycles", source.as_bytes()).unwrap_or_else(|r| panic!("{r}"));
    for (text, is_sentence) in [
        ("o 1", true),
        ("a T", true),
        ("a 1 ?", true),
        ("a ( T )", true),
        ("o 1 ? ? ?", true),
        ("i 1", true),
        ("i T", false),
        ("i 1 ?", false),
        ("sub f base bool", true),
        ("sub f any", true),
    ] {
        let parameters = grammar.encode(text.as_bytes());
        assert_eq!(parameters.is_ok(), is_sentence, "{text}: {parameters:?}");
        if let Ok(parameters) = parameters {
            assert_eq!(grammar.decode(&parameters), text.as_bytes());
        }
    }
    let error = grammar.encode(b"i ( T )").unwrap_err();
    assert!(error.to_string().starts_with("1:3: "), "{error}");
    for seed in 0..300 {
        let text = zester::Generator::new(&grammar, seed)
            .sentence()
            .text()
            .to_vec();
        let parameters = grammar
            .encode(&text)
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(grammar.decode(&parameters), text);
    }
    for (rules, message) in [
        (
            "s = x<a> ; x<a> = x<b> | \"x\" ; x<b> = x<a> ;",
            "`x<a>` -> `x<b>` -> `x<a>`",
        ),
        ("s = x<a> ; x<v: d> = x<_> | \"x\" ;", "can derive itself"),
        (
            "s = \"s\" @declare k<a, b> x<a> ; x<v: d> = @use k<v, w> x<w> | \"x\" ;",
            "`x<a>` -> ",
        ),
    ] {
        let source = format!("@domain d = a | b ; @kind k<d, d> ; @start {rules}");
        let report = Grammar::read("g", source.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(report.contains(message), "{rules}\n{report}");
    }
}
