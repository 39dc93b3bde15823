//! Texts that repeat each other: tags of elements, heredocs, delimiters with a count.

mod common;

use common::Noise;
use zester::{Caps, Decoder, Generator, Grammar, Parser, Settings};

/// Elements whose end tags have the names of their start tags.
const ELEMENTS: &str = r##"
    @start element = "<" @capture tag( name ) attribute* ">" content* "</" ~ @same tag ~ ">"
                   | "<" name "/>" ;
    attribute = name "=" ~ '"' ~ ( ~ text )? ~ '"' ;
    content = element | text ;
    @token name = [a-z]+ ;
    @token text = [^<>" \n]+ ;
    @skip blank = [ \n]+ ;
"##;

/// Elements whose end tags may have other names.
const LOOSE: &str = r##"
    @start element = "<" @capture tag( name ) ">" element* "</" @same tag ">"
                   | "<" name ">" element* "</" name ">" ;
    @token name = [a-z]+ ;
"##;

/// Texts within a token, one of them in another one.
const TOKENS: &str = r##"
    @start file = ( raw | long | heredoc )* ;
    @token raw = "r" @capture hashes( "#"* ) "\"" ( [^"] )* "\"" @same hashes ;
    @token long = "[" @capture level( "="* ) "[" ( [^\[\]] | long )* "]" @same level "]" ;
    @token heredoc = "<<" @capture word( [A-Z]+ ) "\n" ( [a-z]+ "\n" )* @same word ";" @same word ;
    @skip blank = [ \n]+ ;
"##;

/// Captures that cross each other.
const CROSSING: &str = r##"
    @start file = ( "<" @capture k( id ) @capture j( id ) @same k @same j ";" )* ;
    @token id = [a-z]+ ;
    @skip blank = " " ;
"##;

/// Captures that can be empty, within a repetition, an option and a token.
const EMPTY: &str = r##"
    @start file = ( @capture a( "x"? ) @same a )* ( "-" @capture b( t ) @same b "-" )? ( "[" ( @capture e( "="* ) "," @same e )? "]" )* long? ;
    @token t = [.]* ;
    @token long = ( "<" ( @capture c( "#"* ) @same c )? ">" )* "!" ;
"##;

/// Words without layout, which can end anywhere.
const WORDS: &str = r##"
    @start file = "." @capture a( word ) @capture b( word ) word? @same a @same b | word @capture c( word ) @same c ;
    @token word = [ab]+ ;
"##;

/// A repetition of a use, which is split into an empty and a non-empty one.
const REPEATED: &str = r##"
    @skip blank = " " ;
    @identifier name = "yes" | "no" ;
    @domain type = u | v ;
    @kind variable<type>: name ;
    @start file = @declare variable<v> ( @use variable<u> )* @capture k( [ab]{1,3} ) @same k ;
"##;

fn grammar(source: &str) -> Grammar {
    Grammar::read("captures.ebnf", source.as_bytes()).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn texts_are_read_byte_for_byte_if_they_are_equal() {
    for (source, text, is_sentence) in [
        (ELEMENTS, "<a x=\"1\"><b><a/></b>t</a>", true),
        (ELEMENTS, "<a><ab></ab></a>", true),
        (ELEMENTS, "<a><b></a></b>", false),
        (ELEMENTS, "<a></ab>", false),
        (LOOSE, "<a><b></b><b></c></a>", true),
        (LOOSE, "<a><b></c></d>", true),
        (TOKENS, "r\"\" r#\"x\"# r##\"#\"##", true),
        (TOKENS, "r##\"x\"#", false),
        (TOKENS, "[[a]] [=[b[[c]]]=] [==[]==]", true),
        (TOKENS, "[=[b]==]", false),
        (TOKENS, "<<END\nab\nc\nEND;END <<A\nA;A", true),
        (TOKENS, "<<END\nab\nEN;END", false),
        (TOKENS, "<<END\nab\nEND;EN", false),
        (CROSSING, "<a b a b;< c d c d ;", true),
        (CROSSING, "<a b b a;", false),
        (EMPTY, "", true),
        (EMPTY, "xxxx", true),
        (EMPTY, "xxx", false),
        (EMPTY, "--[==,==][][,]<####><>!", true),
        (EMPTY, "-......-", true),
        (EMPTY, "-.....-", false),
        (EMPTY, "[=,==]", false),
        (EMPTY, "<###>!", false),
        (WORDS, ".ababaababab", true),
        (WORDS, ".abababab", true),
        (WORDS, ".aabba", false),
        (WORDS, "abbabbabb", true),
        (WORDS, "abab", false),
        (REPEATED, "no aa aa", true),
    ] {
        let grammar = grammar(source);
        match grammar.encode(text.as_bytes()) {
            Ok(parameters) => {
                assert!(is_sentence, "{text}");
                assert_eq!(String::from_utf8_lossy(&grammar.decode(&parameters)), text);
            }
            Err(error) => assert!(!is_sentence, "{text}: {error}"),
        }
    }
}

#[test]
fn an_error_names_the_text_that_is_expected() {
    let error = grammar(ELEMENTS).parse(b"<a>\n</b>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:3: unexpected \"b\"; expected \"a\" again"
    );
}

#[test]
fn sentences_are_parsed_again() {
    for source in [ELEMENTS, LOOSE, TOKENS, CROSSING, EMPTY, WORDS] {
        let grammar = grammar(source);
        let (mut parser, mut noise) = (Parser::new(&grammar), Noise(5));
        let mut generator = Generator::new(&grammar, 9);
        for at in 0..4_000 {
            let length = noise.length(300);
            let text = match at % 2 {
                0 => grammar.decode(&noise.bytes(length)),
                _ => generator.sentence().text().to_vec(),
            };
            // Two captures without separators take steps that grow fast with the text.
            if source == WORDS && text.len() > 60 {
                continue;
            }
            let shown = String::from_utf8_lossy(&text);
            let derivation = parser
                .parse(&text)
                .unwrap_or_else(|error| panic!("{error}: {shown}"));
            assert_eq!(derivation.text(), text);
            let parameters = grammar.encode(&text).unwrap();
            assert_eq!(grammar.decode(&parameters), text, "{shown}");
        }
    }
}

#[test]
fn what_is_repeated_is_within_the_caps() {
    for source in [ELEMENTS, TOKENS, CROSSING, EMPTY, WORDS] {
        let (grammar, mut noise) = (grammar(source), Noise(8));
        for cap in [250, 700, 5_000] {
            let caps = Caps {
                bytes: cap,
                ..Caps::default()
            };
            let settings = Settings::default().caps(caps);
            let mut decoder = Decoder::new(&grammar).settings(settings);
            for _ in 0..2_000 {
                let length = noise.length(2_000);
                let mut bytes = noise.bytes(length);
                bytes.iter_mut().step_by(2).for_each(|byte| *byte |= 0xF8);
                assert!(decoder.decode(&bytes).text().len() <= cap as usize);
            }
        }
    }
}

#[test]
fn errors_of_grammars_with_captures() {
    let capture = |at| format!("@capture k{at}( \"x\"? ) @same k{at} ");
    let many = format!("s = {};", (0..40).map(capture).collect::<String>());
    for (source, message) in [
        (r#"s = @same x "a" ;"#, "no capture `x` before it"),
        (
            r#"s = @capture x( "a" | "b" ) ;"#,
            "the capture `x` is never repeated",
        ),
        (
            r#"s = @capture x( "a" | "b" ) ( "," @same x )* ;"#,
            "no capture `x` before it",
        ),
        (
            r#"s = ( @capture x( "a" | "b" ) )* @same x ;"#,
            "no capture `x` before it",
        ),
        (
            r#"s = @capture x( s2 ) @same x ; s2 = "a" | "b" ;"#,
            "token rule uses syntax rule `s2`",
        ),
        (
            r#"s = @capture x( "a" ) @capture x( "b" ) @same x ;"#,
            "two captures `x` in a sequence",
        ),
        (
            r#"s = @capture x( [a-z]{201} ) @same x ;"#,
            "the capture is longer than 200 bytes",
        ),
        (
            r#"s = @capture x( t ) @same x ; @token t = @capture y( [a-z]* ) @same y ;"#,
            "a repeated text in a capture",
        ),
        (&many, "too many captures of a sequence can be empty"),
        (
            r#"s = @capture x( n ) @same x ; @line n = "\n" ;"#,
            "a line ends in a capture",
        ),
    ] {
        let report = Grammar::read("g", source.as_bytes()).unwrap_err();
        assert!(report.to_string().contains(message), "{source}: {report}");
    }
}
