//! Fuzzes zester's encoding of texts with sentences that contain mistakes.
//!
//! An input is valid if its text is a sentence despite the mistakes.
#![no_main]

use std::sync::LazyLock;

use zester::arbitrary::{self, Arbitrary};
use zester::bounds::Caps;
use zester::corpus::seeds::Encoder;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::parse::Parser;
use zester::{Sentence, notation};

zester::language!(Wgsl = "../../grammars/wgsl.ebnf");

static GRAMMAR: LazyLock<(Grammar, Parser<'static>)> = LazyLock::new(|| {
    let source = include_bytes!("../../grammars/wgsl.ebnf");
    let (grammar, _) = notation::read("wgsl.ebnf", source, &Caps::default()).expect("a grammar");
    let for_ever: &'static Grammar = Box::leak(Box::new(grammar.clone()));
    (grammar, Parser::new(for_ever))
});

/// A mistake: some bytes of the text are replaced by others.
#[derive(Debug, Arbitrary)]
struct SyntaxError {
    at: u16,
    erased: u8,
    written: Vec<u8>,
}

zester::fuzz_target!(|input: (Sentence<Wgsl>, Vec<SyntaxError>)| {
    let (sentence, mistakes) = input;
    let mut text = sentence.as_bytes().to_vec();
    for SyntaxError {
        at,
        erased,
        written,
    } in mistakes
    {
        let from = usize::from(at) % (text.len() + 1);
        let to = text.len().min(from + usize::from(erased));
        text.splice(from..to, written);
    }
    let (grammar, parser) = &*GRAMMAR;
    let settings = Settings::default();
    let whole = Encoder::new(parser.clone(), grammar, settings, false).encode(&text);
    let part = Encoder::new(parser.clone(), grammar, settings, true).encode(&text);
    match (&whole, &part) {
        (Ok(whole), Ok(part)) => assert_eq!(whole, part, "nothing is to be cut out of a sentence"),
        (Ok(_), Err(refusal)) => panic!("recovery loses a sentence: {refusal:?}"),
        (Err(_), Ok(part)) => {
            let left = Decoder::new(grammar)
                .settings(settings)
                .decode(&part.parameters)
                .text()
                .len();
            assert_eq!(left + part.cut, text.len(), "cut and left are the whole");
        }
        (Err(_), Err(_)) => {}
    }
    whole.is_ok()
});
