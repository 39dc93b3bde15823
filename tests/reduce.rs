//! Tests of reduction: the result is a local minimum that is still interesting.

mod common;

use common::grammar;
use zester::derivation::Derivation;
use zester::parameters::{Decoder, Edits, Settings};
use zester::parse::Matcher;
use zester::reduce::{reduce, reduce_input};

const LISTS: &str = r#"
    @start list = item ( "," item )* ;
    item = name | number | text | "(" list ")" | "-" item ;
    @identifier name = [a-z]+ ;
    @token number = [0-9]+ ;
    @token text = "'" ( [^'\\]+ | "\\" [nt] )* "'" ;
"#;

/// Reduces a sentence of [`LISTS`]. Returns the result and the number of calls of `interesting`.
fn reduced(text: &str, interesting: impl Fn(&str) -> bool) -> (String, u32) {
    reduced_by(LISTS, text, interesting)
}

fn reduced_by(source: &str, text: &str, interesting: impl Fn(&str) -> bool) -> (String, u32) {
    let grammar = grammar("grammar", source);
    let mut derivation = Derivation::default();
    let read = Matcher::default().read(&grammar, grammar.start(), text.as_bytes(), &mut derivation);
    read.unwrap_or_else(|at| panic!("{text} is no sentence: error at byte {at}"));
    let bytes = Decoder::new(&grammar).encode(&derivation).to_vec();
    let (mut asked, mut last) = (0, text.len());
    let tree = reduce(&grammar, &Settings::default(), &bytes, &mut |tree| {
        asked += 1;
        let text = std::str::from_utf8(tree.derivation().text()).unwrap();
        assert!(text.len() <= last, "{text} is longer");
        let interesting = interesting(text);
        last = if interesting { text.len() } else { last };
        interesting
    });
    let text = String::from_utf8(tree.derivation().text().to_vec()).unwrap();
    assert!(interesting(&text), "{text} is not interesting");
    (text, asked)
}

#[test]
fn sentences_are_reduced_to_the_smallest_interesting_one() {
    let long = "((x,-(yes,12)),no),'a\\nb',(-(-(7)),yes,no),maybe,'',(((yes)))";
    type Interesting = fn(&str) -> bool;
    let cases: [(Interesting, &str); 9] = [
        (|_| true, "a"),
        (|text| text.contains('-'), "-a"),
        (|text| text.contains("\\n"), "'\\n'"),
        (|text| text.contains('2'), "2"),
        (|text| text.contains("-(-("), "-(-(a))"),
        (|text| text.contains(",no"), "a,no"),
        (|text| text.matches("yes").count() == 3, "yes,yes,yes"),
        (|text| text.contains("b'") && text.contains('('), "'b',(a)"),
        (
            |text| text.contains("(((") && text.ends_with(')'),
            "(((a)))",
        ),
    ];
    for (interesting, least) in cases {
        let (text, asked) = reduced(long, interesting);
        assert_eq!(text, least);
        assert!(asked < 1_000, "{asked} calls of `interesting` for {least}");
    }
}

#[test]
fn a_subtree_is_promoted_through_unit_chains() {
    // A call is inside a `unary`, a `product` and a `sum`, which are different symbols.
    let source = r#"
        @start sum = product ( ( "+" | "-" ) product )? ;
        product = unary ( "*" unary )* ;
        unary = "!" unary | call | number ;
        call = name "(" sum ")" ;
        @token name = "f" | "g" ;
        @token number = [0-9]+ ;
    "#;
    for (text, part, least) in [
        ("1+f(!g(2)*3)", "g(", "g(0)"),
        ("f(1)*2-3", "f", "f(0)"),
        ("f(f(7+5))", "+", "0+0"),
    ] {
        assert_eq!(
            reduced_by(source, text, |text| text.contains(part)).0,
            least
        );
    }
}

#[test]
fn layout_is_removed() {
    let grammar = grammar("grammar", r#"@start two = "(" ")" ; @skip blank = " "+ ;"#);
    let spacious = [241, 1, 0, 240, 2];
    let text = |bytes: &[u8]| Decoder::new(&grammar).decode(bytes).text().to_vec();
    assert!(text(&spacious).len() > 4);
    let tree = reduce(&grammar, &Settings::default(), &spacious, &mut |tree| {
        tree.derivation().text().contains(&b')')
    });
    assert_eq!(tree.derivation().text(), b"()");
}

#[test]
fn a_sentence_is_unchanged_if_no_other_is_interesting() {
    let text = "(a,b),12";
    assert_eq!(reduced(text, |candidate| candidate == text).0, text);
}

/// Reduces a sentence with edits. Returns the text, and whether it is a sentence.
fn reduced_edited(text: &str, edits: &[u8], interesting: impl Fn(&str) -> bool) -> (String, bool) {
    let grammar = grammar("grammar", LISTS);
    let settings = Settings::default().edits(Edits::On);
    let mut derivation = Derivation::default();
    Matcher::default()
        .read(&grammar, grammar.start(), text.as_bytes(), &mut derivation)
        .unwrap();
    let bytes = [
        Decoder::new(&grammar).encode(&derivation),
        &[0xE3, 0xA7],
        edits,
    ]
    .concat();
    let result = reduce_input(&grammar, &settings, &bytes, &mut |input| {
        interesting(std::str::from_utf8(input.text()).unwrap())
    });
    assert_eq!(
        Decoder::new(&grammar)
            .settings(settings)
            .text(result.bytes()),
        result.text()
    );
    (
        String::from_utf8(result.text().to_vec()).unwrap(),
        result.edits().is_empty(),
    )
}

#[test]
fn edited_sentences_are_reduced_without_edits_if_possible() {
    // The edits delete the tokens 1 and 1.
    let edits = [0, 0, 1, 0, 0, 1];
    let is_sentence = reduced_edited("1,(2,(a),3),b", &edits, |text| text.contains("a"));
    assert_eq!(is_sentence, ("a".into(), true));
    let unbalanced = |text: &str| text.matches('(').count() != text.matches(')').count();
    assert_eq!(
        reduced_edited("1,(2,(a),3),b", &edits, |text| unbalanced(text)
            && text.contains("a")),
        ("a)".into(), false)
    );
    // Pairs of brackets can only be removed together.
    let balanced_but_one = |text: &str| text.matches('(').count() + 1 == text.matches(')').count();
    assert_eq!(
        reduced_edited("(((1,(2)))),(a)", &edits[..3], balanced_but_one),
        (")".into(), false)
    );
}
