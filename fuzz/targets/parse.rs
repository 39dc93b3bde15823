//! Fuzzes zester's parser with zester's generator.
//!
//! Sentences of any grammar must parse, and their parameters must decode to the same text.
#![no_main]

use zester::Sentence;
use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::parameters::{Decoder, Settings};
use zester::parse::{Failure, Matcher, Parser};

zester::language!(Ebnf = "../../grammars/ebnf.ebnf");

// A grammar, and parameters of one of its sentences.
zester::fuzz_target!(|input: (Sentence<Ebnf>, Vec<u8>)| {
    let (source, parameters) = input;
    let caps = Caps {
        bytes: 1 << 13,
        nodes: 1 << 13,
    };
    let Ok((grammar, _)) = zester::notation::read("input", source.as_bytes(), &caps) else {
        return false;
    };
    // Excludes grammars that the parser does not support, or that take too long.
    let is_blank = |separator: &[u8]| separator.iter().all(u8::is_ascii_whitespace);
    let is_plain = grammar.layout().is_none_or(|layout| {
        layout
            .separators
            .iter()
            .all(|separator| is_blank(separator))
    });
    if !is_plain || grammar.symbols().len() > 2_000 {
        return false;
    }
    let settings = Settings::default().caps(caps);
    let sentence = Decoder::new(&grammar)
        .settings(settings)
        .decode(&parameters)
        .clone();
    let mut derivation = Derivation::default();
    // Excludes sentences with a character that is layout but not white space: it could also be a token.
    let mut matcher = Matcher::default();
    let element = grammar.layout().map(|layout| layout.token);
    let mut is_layout = |byte| {
        element.is_some_and(|element| {
            matcher
                .read(&grammar, element, &[byte], &mut derivation)
                .is_ok()
        })
    };
    if sentence
        .text()
        .iter()
        .any(|&byte| !byte.is_ascii_whitespace() && is_layout(byte))
    {
        return false;
    }
    match Parser::new(&grammar).parse_into(sentence.text(), &mut derivation) {
        Ok(()) => {}
        // These errors are allowed and rare: tokens that only trial can distinguish, and texts that
        // exceed the parser's steps or memory.
        Err(Failure::Unclear(_) | Failure::TooAmbiguous(_) | Failure::TooLarge(_)) => return false,
        Err(error) => panic!(
            "{error:?} in {:?}",
            String::from_utf8_lossy(sentence.text())
        ),
    }
    let again = Decoder::new(&grammar).encode(&derivation).to_vec();
    let wide = settings.caps(Caps {
        bytes: Caps::MAX,
        nodes: Caps::MAX,
    });
    let written = Decoder::new(&grammar).settings(wide).decode(&again).clone();
    assert_eq!(
        String::from_utf8_lossy(written.text()),
        String::from_utf8_lossy(sentence.text()),
        "parsed and written"
    );
    true
});
