//! Tests of the parser: texts are parsed to derivations that decode to the same texts again.

mod common;

use common::{Noise, all, grammar};
use zester::bounds::{Bounds, Caps};
use zester::derivation::Derivation;
use zester::generate::Generator;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::parse::{Effort, Failure, Parser};

/// Returns the number of sentences for each grammar, which `ZESTER_SENTENCES` sets.
fn sentences() -> u32 {
    std::env::var("ZESTER_SENTENCES").map_or(200, |count| count.parse().expect("a number"))
}

/// Returns settings that are wide enough for every text of these tests.
fn wide() -> Settings {
    Settings::default()
        .caps(Caps {
            bytes: Caps::MAX,
            nodes: Caps::MAX,
        })
        .bounds(Bounds::default())
}

/// Returns the text that the canonical parameters of a derivation decode to.
fn written(grammar: &Grammar, derivation: &Derivation) -> String {
    let bytes = Decoder::new(grammar).encode(derivation).to_vec();
    String::from_utf8_lossy(Decoder::new(grammar).settings(wide()).decode(&bytes).text())
        .into_owned()
}

#[test]
fn generated_sentences_are_parsed() {
    let mut noise = Noise(7);
    for (name, grammar) in &all() {
        let (mut parser, mut derivation) = (Parser::new(grammar), Derivation::default());
        for _ in 0..sentences() {
            let length = noise.length(400);
            let sentence = Decoder::new(grammar).decode(&noise.bytes(length)).clone();
            let text = String::from_utf8_lossy(sentence.text());
            if let Err(error) = parser.parse_into(sentence.text(), &mut derivation) {
                panic!("{name}: {error:?} in {text}");
            }
            assert_eq!(derivation.text(), sentence.text());
            assert_eq!(written(grammar, &derivation), text, "{name}");
        }
    }
}

/// Grammars in which a token directly follows another one, and both could be read as one token.
const ADJACENT_TOKENS: [&str; 14] = [
    "s = n ~ n ;",
    "s = d ~ d ;",
    "s = ( \"a\" ~ n \";\" )* ;",
    "s = ( n ~ \"a\" \";\" )* ;",
    "s = ( n ~ n? )* ;",
    "s = n ~ n* ;",
    "s = n ( ~ n )* ;",
    "s = n ( ~ n+ )* ;",
    "s = ( n n? ~ n* )+ ;",
    "s = n ~ r ; r = n? \"x\"? \";\" ;",
    "s = n ~ r ; r = n? d* ;",
    "s = ( n ( ~ r )* )* ; r = n n? ;",
    "s = n ( ~ r )* ; r = n | \".\" n ;",
    "s = ( \"a\" ~ \"b\" | \"ab\" | n )+ ;",
];

#[test]
fn tokens_without_layout_between_them_are_parsed() {
    for rules in ADJACENT_TOKENS {
        let source =
            format!("{rules} @skip w = [ \\n]+ ; @identifier n = [a-z]+ ; @token d = [0-9]+ ;");
        let grammar = grammar("adjacent", &source);
        let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
        let mut generator = Generator::new(&grammar, 1).size(40);
        for _ in 0..sentences() {
            let text = String::from_utf8_lossy(generator.sentence().text()).into_owned();
            if let Err(error) = parser.parse_into(text.as_bytes(), &mut derivation) {
                panic!("{rules}: {error:?} in {text}");
            }
            assert_eq!(written(&grammar, &derivation), text, "{rules}");
        }
    }
}

/// Grammars with empty tokens that have layout before them, next to tokens that must follow without
/// layout.
const EMPTY_TOKENS: [&str; 11] = [
    "s = e ~ \"b\" ;",
    "s = \"a\" e ~ \"b\" ;",
    "s = e ( ~ \"b\" )* ;",
    "s = e ( ~ \"b\" )+ ;",
    "s = e t ; t = \"x\"? ~ \"b\" ;",
    "s = e t ; t = n ~ \"b\" ; n = \"x\" | ;",
    "s = \"a\" e u \"c\"? ; u = t | \"d\" ; t = n ~ \"b\" ; n = \"x\" | ;",
    "s = t ~ \"b\" ; t = \"a\"? e ;",
    "s = \"a\" ~ e \"b\" ;",
    "s = \"a\" ~ e ~ e \"b\" e ;",
    "s = ( e ~ \"b\" )* e ;",
];

#[test]
fn empty_tokens_with_layout_before_them_are_parsed() {
    let mut failures = Vec::new();
    for rules in EMPTY_TOKENS {
        let grammar = grammar(
            "empty",
            &format!("{rules} @token e = \"y\"? ; @skip w = \" \" ;"),
        );
        let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
        let mut texts = std::collections::BTreeSet::new();
        // All parameters of seven bytes that are 0, 1 or 240. As the code of layout, 240 means one
        // layout token.
        for number in 0..3_usize.pow(7) {
            let bytes: Vec<u8> = (0..7)
                .map(|at| [0, 1, 240][number / 3_usize.pow(at) % 3])
                .collect();
            texts.insert(Decoder::new(&grammar).decode(&bytes).text().to_vec());
        }
        for text in &texts {
            let shown = String::from_utf8_lossy(text);
            match parser.parse_into(text, &mut derivation) {
                Err(error) => failures.push(format!("{rules} {shown:?}: {error:?}")),
                Ok(()) if written(&grammar, &derivation) != shown => {
                    failures.push(format!("{rules} {shown:?}: another text"))
                }
                Ok(()) => {}
            }
        }
        assert!(
            texts.iter().any(|text| text.contains(&b' ')),
            "{rules}: no sentence has layout"
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn corpus_files_are_parsed_and_decode_to_the_same_text() {
    let mut files = 0;
    for directory in std::fs::read_dir("corpus").expect("corpus/").flatten() {
        let name = directory.file_name().into_string().expect("a name");
        let source = std::fs::read_to_string(format!("grammars/{name}.ebnf"))
            .expect("a grammar of this name");
        let grammar = grammar(&name, &source);
        let mut parser = Parser::new(&grammar);
        for file in std::fs::read_dir(directory.path())
            .expect("a directory")
            .flatten()
        {
            let (text, mut derivation) = (
                std::fs::read(file.path()).expect("a file"),
                Derivation::default(),
            );
            if let Err(error) = parser.parse_into(&text, &mut derivation) {
                panic!("{}:{}", file.path().display(), parser.explain(&text, error));
            }
            assert_eq!(
                written(&grammar, &derivation).as_bytes(),
                text,
                "{}",
                file.path().display()
            );
            files += 1;
        }
    }
    assert!(files >= 3 * 14, "{files} files");
}

/// Returns the nodes of the derivation of a text whose label ends with `e`, except the root. Each
/// has its label and its text.
fn tree(grammar: &Grammar, text: &str) -> String {
    let mut derivation = Derivation::default();
    Parser::new(grammar)
        .parse_into(text.as_bytes(), &mut derivation)
        .unwrap_or_else(|error| panic!("{error:?}: {text}"));
    assert_eq!(written(grammar, &derivation), text);
    let show = |node: usize| {
        let text =
            String::from_utf8_lossy(&derivation.text()[derivation.text_range(node)]).into_owned();
        format!("{}[{text}]", grammar.label(derivation.nodes()[node].symbol))
    };
    let shown = (0..derivation.nodes().len())
        .map(show)
        .filter(|node| !node.starts_with("sentence") && node.contains("e["));
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn ambiguity_is_resolved_by_the_usual_conventions() {
    let left = grammar("left", "e = e \"-\" e | [0-9] ;");
    assert_eq!(tree(&left, "1-2-3"), "e[1-2-3] e[1-2] e[1] e[2] e[3]");
    let order = grammar("order", "e = e \"+\" e | e \"*\" e | [0-9] ;");
    assert_eq!(
        tree(&order, "1*2+3*4"),
        "e[1*2+3*4] e[1*2] e[1] e[2] e[3*4] e[3] e[4]"
    );
    for rule in ["\"if\" e | \"if\" e \"else\" e", "\"if\" e ( \"else\" e )?"] {
        let dangling = grammar("dangling", &format!("e = {rule} | \"x\" ;"));
        assert_eq!(
            tree(&dangling, "ififxelsex"),
            "e[ififxelsex] e[ifxelsex] e[x] e[x]"
        );
    }
    let names = grammar(
        "names",
        "@skip s = \" \"+ ; e = \"a\" | name ; @identifier name = [a-z]+ ;",
    );
    assert_eq!(tree(&names, "a"), "e[a]");
    assert_eq!(tree(&names, "ab"), "e[ab] name[ab] name[ab]");
}

#[test]
fn errors_have_the_offset_of_the_mistake() {
    let json = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let mut parser = Parser::new(&json);
    let mut derivation = Derivation::default();
    let cases: [(&[u8], usize); 9] = [
        (b"", 0),
        (b"  ", 2),
        (b"[1, 2", 5),
        (b"[1, 2}", 5),
        (b"{\"a\": nul}", 6),
        (b"[1 2]", 3),
        (b"\"\xFF\"", 1),
        (b"\0", 0),
        (b"tru", 0),
    ];
    for (text, at) in cases {
        let error = parser
            .parse_into(text, &mut derivation)
            .expect_err("no JSON");
        assert_eq!(
            error,
            Failure::Unexpected(at),
            "{}",
            String::from_utf8_lossy(text)
        );
    }
    assert_eq!(
        parser.parse_into(b" [1 , 2]\n", &mut derivation),
        Ok(()),
        "an earlier error has an influence"
    );
}

#[test]
fn layout_is_preserved() {
    let source = "@skip s = [ \\n]+ | \"/*\" [^*]* \"*/\" ; a = ( w | \"/\" | \"-\" | \"--\" | \"<\" ~ w )* ; @token w = [a-z]+ ;";
    let grammar = grammar("layout", source);
    let mut parser = Parser::new(&grammar);
    let mut derivation = Derivation::default();
    for text in [
        "",
        " ",
        "a",
        "a b",
        "a  b",
        "\na/*c*/ /*d*/b\n",
        "a/ /*x*/b",
        "- -",
        "--",
        "--- a",
        "<a",
        "a /b/*c*/-",
        "a/*c*/b",
        "a//*x*/b",
    ] {
        parser
            .parse_into(text.as_bytes(), &mut derivation)
            .unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
        assert_eq!(written(&grammar, &derivation), text);
    }
    for text in ["< a", "A", "/*", "</*c*/a"] {
        assert!(
            parser.parse_into(text.as_bytes(), &mut derivation).is_err(),
            "{text:?}"
        );
    }
}

#[test]
fn white_space_may_be_a_token_of_the_grammar() {
    let grammar = grammar(
        "blank",
        "@skip s = [ \\n]+ ; a = \"a\" _ \"b\" ; @token _ = \" \" | [ \\n]+ ;",
    );
    let mut parser = Parser::new(&grammar);
    let mut derivation = Derivation::default();
    for blanks in [
        " ".into(),
        "\n".into(),
        " \n".into(),
        " ".repeat(33),
        "\n ".repeat(20_000),
    ] {
        let text = format!("a{blanks}b");
        parser
            .parse_into(text.as_bytes(), &mut derivation)
            .unwrap_or_else(|error| panic!("{} blanks: {error:?}", blanks.len()));
        assert_eq!(written(&grammar, &derivation), text);
    }
    assert_eq!(
        parser.parse_into(b"a", &mut derivation),
        Err(Failure::Unexpected(1))
    );
}

#[test]
fn large_repetition_limits_take_no_memory() {
    let grammar = grammar(
        "large",
        "a = \"x\"{0,600000000} | \"y\"{991889194} | \"z\"{51000000,} | (\"u\" | )* ;",
    );
    let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
    for text in ["xxx", "", "uu"] {
        assert_eq!(
            parser.parse_into(text.as_bytes(), &mut derivation),
            Ok(()),
            "{text:?}"
        );
        assert_eq!(written(&grammar, &derivation), text);
    }
    assert_eq!(
        parser.parse_into(b"yy", &mut derivation),
        Err(Failure::Unexpected(2))
    );
}

#[test]
fn deep_recursion_takes_no_stack_and_linear_memory() {
    let json = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let flat = format!("[{}0]", "0,".repeat(100_000));
    let unary = grammar("unary", "e = \"-\" e | \"x\" ;");
    let signs = format!("{}x", "-".repeat(100_000));
    let list = grammar("list", "e = \"x\" e | \"x\" ;");
    let right = "x".repeat(3_000);
    for (grammar, text) in [
        (&json, nested),
        (&json, flat),
        (&unary, signs),
        (&list, right),
    ] {
        let mut derivation = Derivation::default();
        Parser::new(grammar)
            .parse_into(text.as_bytes(), &mut derivation)
            .unwrap();
        assert!(written(grammar, &derivation) == text);
    }
}

/// Returns the sentence that recovery leaves of a text.
fn rest(grammar: &Grammar, text: &str) -> String {
    let mut derivation = Derivation::default();
    let cuts = Parser::new(grammar)
        .recover(text.as_bytes(), &mut derivation)
        .unwrap_or_else(|error| panic!("{error:?}: {text}"));
    let rest = String::from_utf8_lossy(derivation.text()).into_owned();
    let cut: usize = cuts.iter().map(|cut| cut.len()).sum();
    assert_eq!(
        (rest.len() + cut, cuts.is_sorted_by_key(|cut| cut.start)),
        (text.len(), true)
    );
    assert_eq!(written(grammar, &derivation), rest);
    rest
}

#[test]
fn recovery_cuts_out_the_parts_that_do_not_parse() {
    let json = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let source = "@skip s = [ \n]+ ; module = stat* ; stat = name \"=\" value \";\" | \"{\" stat* \"}\" ; value = name ( \"+\" name )* ; \
         @token name = [a-z]+ ;";
    let module = grammar("module", source);
    let cases = [
        (&json, "[1, 2]", "[1, 2]"),
        (&json, "[1, 2 x, 3]", "[1, 2 , 3]"),
        (
            &json,
            "{\"a\": 1,\n \"b\": nan,\n \"c\": 2}",
            "{\"a\": 1,\n \"c\": 2}",
        ),
        (&module, "a = b ;\nb = ! ;\nc = d ;\n", "a = b ;\nc = d ;\n"),
        (
            &module,
            "{ a = b ;\n{ ? }\n c = d + % ;\n}\n",
            "{ a = b ;\n{ }\n c = d ;\n}\n",
        ),
        (&module, "a = b ;\nb = c ", "a = b ;\n"),
        (&module, "a = b; ???", "a = b; "),
    ];
    for (grammar, text, left) in cases {
        assert_eq!(rest(grammar, text), left);
    }
    for (grammar, text) in [
        (&json, "nothing"),
        (&module, "???"),
        (&json, "\0\0"),
        (&json, ""),
    ] {
        assert!(
            Parser::new(grammar)
                .recover(text.as_bytes(), &mut Derivation::default())
                .is_err(),
            "{text:?}"
        );
    }
    let mut derivation = Derivation::default();
    let cuts = Parser::new(&module).recover(b"a = b ; \xFF\xFF c = d ;", &mut derivation);
    assert_eq!(
        (cuts.map(|cuts| cuts[0].clone()), derivation.text()),
        (Ok(8..18), &b"a = b ; "[..])
    );
}

#[test]
fn recovery_cuts_from_the_error_on_where_nothing_is_repeated() {
    let source = "@skip s = [ \n]+ ; e = \"if\" e \"then\" e \"end\" | \"@\" name | name ; @token name = [a-z]+ ;";
    let grammar = grammar("conditions", source);
    assert_eq!(
        rest(&grammar, "if @ a \"x\" then\nif b then ! c end end"),
        "if @ a then\nif b then c end end"
    );
}

#[test]
fn recovery_inserts_separators_that_are_missing() {
    let source = "@skip s = [ \n]+ ; all = pair* ; pair = name \":\" name \";\" ; @token name = ( [a-z]+ \"::\" )* [a-z]+ ;";
    let grammar = grammar("pairs", source);
    let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
    let text = b"a:b;c::d:e;! f:g;";
    assert!(matches!(
        parser.parse_into(b"a:b;", &mut derivation),
        Err(Failure::MissingSeparator(1))
    ));
    let cuts = parser.recover(text, &mut derivation).unwrap();
    assert_eq!(cuts.len(), 1);
    assert_eq!(derivation.text(), b"a :b;c::d :e;f :g;");
}

#[test]
fn parsing_a_very_ambiguous_text_ends_at_the_limit_of_steps() {
    let grammar = grammar("ambiguous", "e = e e | \"a\" | \"b\" ;");
    let (mut parser, mut derivation) = (Parser::new(&grammar), Derivation::default());
    assert_eq!(
        parser.parse_into("ab".repeat(100).as_bytes(), &mut derivation),
        Ok(())
    );
    let text = "ab".repeat(3_000);
    let error = parser
        .parse_into(text.as_bytes(), &mut derivation)
        .expect_err("6,000 bytes take 10^11 steps");
    assert!(
        matches!(error, Failure::TooAmbiguous(at) if (200..1_000).contains(&at)),
        "{error:?}"
    );
    let explanation = parser.explain(text.as_bytes(), error).to_string();
    let cause = "too ambiguous: the limit of 16777216 parsing steps and 1024 for each byte was reached here";
    assert_eq!(explanation, format!("1:{}: {cause}", error.at() + 1));
    assert_eq!(
        parser.recover(text.as_bytes(), &mut derivation),
        Err(error),
        "recovery searched for a part"
    );
    assert_eq!(
        parser.parse_into(text.as_bytes(), &mut derivation),
        Err(error),
        "the error is not deterministic"
    );
    assert_eq!(
        parser.parse_into(b"ab", &mut derivation),
        Ok(()),
        "the next text did not get the full number of steps"
    );
}

/// A grammar with a token that has a repetition of at least 20 elements. [`checked_text`] has 19
/// elements. The automaton accepts this text, because it does not count elements; only the matcher
/// refuses it.
const CHECKED: &str = "e = t ; @token t = ( [a-z]* \"a\" ){20,} \"!\" ;";

/// Returns a text with 19 elements of the token of [`CHECKED`]. The matcher can divide this text
/// into elements in many ways.
fn checked_text() -> String {
    "az".repeat(18) + &"z".repeat(2_000) + "a!"
}

#[test]
fn checking_a_long_token_ends_at_the_limit_of_steps() {
    let grammar = grammar("checked", CHECKED);
    let effort = Effort::default().steps(1_000).steps_per_byte(0);
    let mut parser = Parser::new(&grammar).effort(effort);
    assert_eq!(
        parser.parse_into(checked_text().as_bytes(), &mut Derivation::default()),
        Err(Failure::TooAmbiguous(0))
    );
    // With the default limit, a text with one element more is found to be a sentence.
    let sentence = format!("a{}", checked_text());
    assert_eq!(
        Parser::new(&grammar).parse_into(sentence.as_bytes(), &mut Derivation::default()),
        Ok(())
    );
}

#[test]
fn every_part_of_the_parser_counts_its_steps() {
    let cases = [
        // The chart: a text with many derivations.
        ("e = e e | \"a\" ;", "a".repeat(300)),
        // The matcher: a token with many derivations.
        (
            "e = t* ; @token t = \"<\" ( t | [a-z] | [a-z]+ )* \">\" ;",
            "<".repeat(300) + &"a>".repeat(300),
        ),
        // Layout: comments that do not end.
        (
            "@skip s = \" \" | \"/*\" [^*]* \"*/\" ; e = ( \"/\" | \"*\" )+ ;",
            "/* ".repeat(5_000),
        ),
        // The matcher, which checks a token that the automaton has found.
        (CHECKED, checked_text()),
    ];
    for (source, text) in cases {
        let grammar = grammar("steps", source);
        let effort = Effort::default().steps(1_000).steps_per_byte(0);
        let error = Parser::new(&grammar)
            .effort(effort)
            .parse_into(text.as_bytes(), &mut Derivation::default());
        assert!(
            matches!(error, Err(Failure::TooAmbiguous(_))),
            "{source}: {error:?}"
        );
    }
}

#[test]
fn a_text_that_needs_too_much_memory_is_refused() {
    let json = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let text = format!("[{}0]", "0,".repeat(100_000));
    let mut parser = Parser::new(&json).effort(Effort::default().memory(1 << 20));
    let error = parser
        .parse_into(text.as_bytes(), &mut Derivation::default())
        .expect_err("takes 10 MB");
    assert!(
        matches!(error, Failure::TooLarge(at) if at > 1_000),
        "{error:?}"
    );
    assert!(
        parser
            .explain(text.as_bytes(), error)
            .to_string()
            .contains("MiB of memory for parsing was reached here")
    );
}

#[test]
fn recovery_of_one_long_line_takes_linear_time() {
    let json = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let text = format!("[{}0]", ("0, ".repeat(40) + "nan, ").repeat(300));
    assert_eq!(rest(&json, &text).matches("nan").count(), 0);
}

#[test]
fn threads_can_share_grammars_and_parsers() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<zester::Grammar>();
    is_shared::<zester::Parser<'static>>();
    is_shared::<zester::Decoder<'static>>();
}
