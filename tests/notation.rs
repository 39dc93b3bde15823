//! Tests of the notation: mistakes are reported with their position, no source panics or hangs, and
//! generated grammars are read.

mod common;

use common::{Noise, grammar};
use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::derive::{DerivationGoal, Workspace, derive};
use zester::notation::{self, MAX_SOURCE};
use zester::parameters::{Decoder, Settings};
use zester::sampler::Sampler;

fn report(source: &[u8]) -> String {
    match notation::read("g", source, &Caps::default()) {
        Ok((_, report)) => report.to_string(),
        Err(report) => {
            assert!(report.errors() > 0);
            report.to_string()
        }
    }
}

#[test]
fn errors_and_warnings_have_a_line_and_a_column() {
    let nested = format!(
        "a = {}\"x\"{} ;",
        "( \"y\" | ".repeat(300),
        " )".repeat(300)
    );
    let chain: String = (0..40)
        .map(|at| format!("a{at} = a{} a{} ;\n", at + 1, at + 1))
        .collect();
    let cases: &[(&str, &str)] = &[
        ("", "g:1:1: error: empty grammar"),
        ("  // nothing\n", "g:1:1: error: empty grammar"),
        ("a = b ;", "g:1:5: error: undefined rule `b`"),
        (
            "a = \"x\" ;\na = \"y\" ;",
            "g:2:1: error: rule `a` is defined twice",
        ),
        (
            "a = \"x\" ; b = \"y\" ;",
            "g:1:11: warning: rule `b` is never used",
        ),
        (
            "a = \"x\" b ; b = \"y\" b ;",
            "g:1:1: error: rule `a` derives no finite text",
        ),
        (
            "a = \"x\" | b ; b = \"y\" b ;",
            "g:1:15: warning: rule `b` derives no finite text",
        ),
        ("a = a ;", "g:1:1: error: rule `a` derives no finite text"),
        (
            "a = a | \"x\" ;",
            "g:1:1: error: rule `a` can derive itself and nothing else",
        ),
        (
            "a = b? a c | \"x\" ; b = \"y\" ; c = ( \"z\" )* ;",
            "g:1:1: error: rule `a` can derive itself and nothing else",
        ),
        (
            "a = b | \"x\" ; b = a{1,3} ;",
            "g:1:1: error: rule `a` can derive itself and nothing else",
        ),
        ("a = [b&&c] ;", "g:1:5: error: empty character class"),
        ("a = [z-a] ;", "g:1:6: error: character class: "),
        ("a = [a", "g:1:5: error: unterminated character class"),
        ("a = \"x\"{5,2} ;", "g:1:5: error: empty range {5,2}"),
        ("a = \"x\"{99999999999} ;", "g:1:9: error: number too large"),
        ("a = \"x ;", "g:1:5: error: unterminated literal"),
        ("a = \"\\q\" ;", "g:1:6: error: unknown escape"),
        ("a = \"\\u{D800}\" ;", "g:1:6: error: unknown escape"),
        ("a = \"\\xFF\" ;", "g:1:5: error: this literal is not UTF-8"),
        ("a = ( \"x\" ;", "g:1:11: error: unexpected token"),
        (
            "a = \"x\" // the end\nb = \"y\" ;",
            "g:1:8: error: expected `;`",
        ),
        ("a = \"x\"\nb<t> = \"y\" ;", "g:1:8: error: expected `;`"),
        (
            "a = \"x\"\n@token b = \"y\" ;",
            "g:1:8: error: expected `;`",
        ),
        ("a = \"x\" b = \"y\" ;", "g:1:8: error: expected `;`"),
        ("= \"x\" ;", "g:1:1: error: unexpected token"),
        (
            "a = t ; @token t = [0-9]+ ; @equal t: \"0\" b:t ~ b ;",
            "g:1:36: error: `t` is a token rule, so a side has one part",
        ),
        (
            "@domain c = x | y ; a = b<x> | b<y> ; b<v: c> = \"q\" | \"r\" ; @equal b<x>: \"q\" ~ \"r\" ;",
            "g:1:68: error: no sentence has a `b<x>`",
        ),
        (
            "@domain c = x | y ; a = b<x> ; b<x> = \"q\" | \"r\" ; @equal b<y>: \"q\" ~ \"r\" ;",
            "g:1:58: error: no sentence has a `b<y>`",
        ),
        (
            "a = \"x\"",
            "g:1:8: error: the grammar ends in the middle of a rule",
        ),
        ("/* a", "g:1:1: error: unterminated comment"),
        ("a = $ ;", "g:1:5: error: unexpected character '$'"),
        ("@stert a = \"x\" ;", "g:1:1: error: unknown word `@stert`"),
        ("a = @1.2.3 \"x\" ;", "g:1:5: error: not a weight"),
        (
            "@start a = \"x\" ; @start b = \"y\" ;",
            "g:1:25: error: two start rules",
        ),
        ("@token a = \"x\" ;", "g:1:1: error: no syntax rule"),
        (
            "a = \"x\" ; @token b = a ;",
            "g:1:22: error: token rule uses syntax rule `a`",
        ),
        (
            "@token t = [a-z]+ - [a-z]+ ; a = t ;",
            "g:1:12: error: this exclusion derives no text",
        ),
        (
            "@token t = [a-z]+ - c ; @token c = \"(\" c \")\" | \"x\" ; a = t ;",
            "g:1:12: error: `c` is recursive",
        ),
        (
            "@token t = [a-z] - t ; a = t ;",
            "g:1:12: error: exclusion within itself",
        ),
        (
            "@identifier n = [a-z]* - [a-z]+ ; a = n ;",
            "g:1:13: warning: rule `n` derives no finite text",
        ),
        (
            "@identifier n = \"(\" n \")\" | \"x\" ; a = n ;",
            "g:1:13: error: no names for identifier terminal `n`",
        ),
        (
            "@skip s = \"\" ; a = \"x\" ;",
            "g:1:7: error: layout derives only the empty text",
        ),
        (
            "@skip s = \" \" ; a = [a-z]+ ;",
            "g:1:21: warning: characters repeated in a syntax rule",
        ),
        (
            "@token n = [a-z] [a-z0-9]* - \"if\" ; a = n ;",
            "g:1:18: warning: `-` applies to the last part of a sequence",
        ),
        (
            "a = \"x\"{3000000} ;",
            "g:1:1: error: the shortest sentence exceeds the caps",
        ),
        (
            &format!("{chain}a40 = \"x\" ;"),
            "g:1:1: error: the shortest sentence exceeds the caps",
        ),
        (&nested, "g:1:1605: error: groups nest deeper than 200"),
    ];
    for (source, expected) in cases {
        let report = report(source.as_bytes());
        assert!(
            report.starts_with(expected),
            "{source}\nexpected {expected}\n{report}"
        );
    }
}

#[test]
fn the_source_of_a_finding_is_underlined() {
    let report = report(b"a = \"x\"\n  | bee ;\n");
    assert!(
        report.contains("2 \u{2502}   | bee ;") && report.contains("^^^ no rule has this name"),
        "{report}"
    );
}

#[test]
fn a_weight_within_a_sequence_is_explained() {
    for source in ["a = \"x\" @3 \"y\" ;", "a = \"x\"\n@3% \"y\" ;"] {
        let report = report(source.as_bytes());
        assert!(
            report.contains("^ an alternative has one weight, before its first part"),
            "{report}"
        );
    }
}

#[test]
fn sources_that_are_not_grammars_are_errors() {
    assert!(report(b"a = \"\xFF\" ;").starts_with("g:1:6: error: this byte is not valid UTF-8"));
    assert!(
        report(&vec![b'x'; 50 << 20])
            .starts_with("g:1:1: error: the grammar is too long: 52428800 bytes")
    );
    for (open, length) in [
        ("a = ( ", 2_000_000),
        ("a = \"x\" | ", 1_000_000),
        ("a = ", MAX_SOURCE - 10),
    ] {
        let mut source = open.to_string();
        while source.len() < length {
            source.push_str(&open[4..]);
            source.push_str("x ");
        }
        report(source.as_bytes());
    }
}

#[test]
fn random_sources_do_not_panic() {
    let parts = [
        "a",
        "b",
        " = ",
        ";",
        "|",
        "(",
        ")",
        "\"x\"",
        "[a-z]",
        "*",
        "+",
        "?",
        "{2,3}",
        "-",
        "~",
        "@token ",
        "@skip ",
        "@start ",
        "@identifier ",
        "@bytes;",
        "@2 ",
        "\"",
        "[",
        "\\",
        "é",
        "\n",
    ];
    let mut noise = Noise(7);
    for _ in 0..20_000 {
        let length = noise.length(60);
        let source: String = (0..length)
            .map(|_| parts[noise.below(parts.len() as u64) as usize])
            .collect();
        report(source.as_bytes());
        let bytes = noise.bytes(length);
        report(&bytes);
    }
}

#[test]
fn a_chain_of_50_000_rules_is_read_and_decoded() {
    let chain: String = (0..50_000)
        .map(|at| format!("a{at} = \"x\" a{} | \"y\" ;\n", at + 1))
        .collect();
    let grammar = grammar("chain", &format!("{chain}a50000 = \"z\" ;"));
    let text = Decoder::new(&grammar).decode(&[1; 60_000]).text().to_vec();
    assert_eq!(text.len(), 50_001);
}

#[test]
fn sentences_of_the_notations_grammar_are_read() {
    let source = include_str!("../grammars/ebnf.ebnf");
    let grammar = grammar("ebnf.ebnf", source);
    let (mut workspace, mut derivation) = (Workspace::default(), Derivation::default());
    let mut sampler = Sampler::new(1, 0.0);
    let sentences: usize = std::env::var("ZESTER_SENTENCES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3_000);
    for _ in 0..sentences {
        let size = Sampler::log_uniform(sampler.rng(), 4_096.0);
        sampler.restart(size);
        let settings = Settings::default();
        derive(
            DerivationGoal::start(&grammar, &settings.bounds, &settings.caps),
            &mut sampler,
            &mut workspace,
            &mut derivation,
        );
        if let Some(problem) = notation::syntax_error("sentence", derivation.text()) {
            panic!("{}\n{problem}", String::from_utf8_lossy(derivation.text()));
        }
    }
}

#[test]
fn a_rule_is_warned_of_layout_between_characters_once() {
    let source = "@skip s = \" \" ; a = [a-z]+ | \"1\" [0-9]* b ; b = [a-z]+ | [0-9]+ ;";
    let report = zester::Grammar::check("g", source.as_bytes()).to_string();
    assert_eq!(report.matches("characters repeated").count(), 2, "{report}");
}

#[test]
fn mistakes_get_suggestions() {
    let names = "@domain type = int | bool ; @kind variable<type>: name ; @identifier name = [a-z] ; @skip w = \" \" ;";
    for (rules, expected) in [
        ("s = @declare variabel<int> ;", "did you mean `variable`?"),
        ("s = @declare variable<boool> ;", "or did you mean `bool`?"),
        ("s = t<int> ; t<boool> = \"a\" ;", "did you mean `bool`?"),
        ("s = t<int> ; t<x: tpye> = \"a\" ;", "did you mean `type`?"),
        (
            "s = \"a\" t\nt = \"b\" ;",
            "error: expected `;` before the rule `t`",
        ),
        ("s = \"a\" t\n@token t = \"b\" ;", "error: expected `;`\n"),
        ("  (* x *)\ns = \"a\" ;", "^ a comment begins with `//`\n"),
        ("# x\ns = \"a\" ;", "^ a comment begins with `//`\n"),
    ] {
        let source = format!("{names}\n{rules}");
        let report = zester::Grammar::check("g", source.as_bytes()).to_string();
        assert!(report.contains(expected), "{rules}\n{report}");
    }
}
