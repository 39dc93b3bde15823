//! Mutants of example sentences, for the test at the end of each mutator's file.

use super::Mutator;
use crate::bounds::Caps;
use crate::derivation::Derivation;
use crate::grammar::Grammar;
use crate::parameters::{self, Decoder, Edits, Settings};
use crate::{notation, parse};

/// The example grammar: nested lists of names and numbers.
pub const LISTS: &str = r#"
    @start list = item ( "," item )* ;
    item = name | number | "(" list ")" | "-" item ;
    @identifier name = [a-z]+ ;
    @token number = [0-9]+ ;
"#;

/// Returns whether a mutator turns the sentence `before` of [`LISTS`] into the sentence `after`
/// with one of 5,000 seeds. Tests of mutators that sample use no fixed seed, because their results
/// change whenever the sampler changes.
pub fn reaches(mutator: &str, before: &str, after: &str) -> bool {
    let mut mutants = mutants(LISTS, mutator, before);
    (0..5_000).any(|seed| mutants(seed) == after)
}

/// Returns whether a mutator that edits texts turns the sentence `before` of [`LISTS`] into the
/// text `after` with one of 5,000 seeds.
pub fn edited(mutator: &str, before: &str, after: &str) -> bool {
    let (grammar, _) = notation::read("example", LISTS.as_bytes(), &Caps::default()).unwrap();
    let (mut derivation, mut input) = (Derivation::default(), Vec::new());
    parse::Parser::new(&grammar)
        .parse_into(before.as_bytes(), &mut derivation)
        .unwrap();
    parameters::encode(&grammar, &derivation, &mut input);
    let settings = Settings {
        edits: Edits::On,
        ..Settings::default()
    };
    let mut mutator = Mutator::new(&grammar)
        .settings(settings)
        .only(mutator)
        .unwrap();
    let mut decoder = Decoder::new(&grammar).settings(settings);
    // The substitute for libFuzzer's own mutator changes the last byte.
    let mut native = |data: &mut [u8], size: usize, _: usize| {
        data[..size]
            .iter_mut()
            .rev()
            .take(1)
            .for_each(|byte| *byte = b'b');
        size
    };
    (0..5_000).any(|seed| {
        decoder.text(mutator.mutate_with(&input, 200, seed, &mut native)) == after.as_bytes()
    })
}

/// Returns the mutant of a sentence of [`LISTS`] for one mutator and one seed.
pub fn mutant(mutator: &str, before: &str, seed: u32) -> String {
    mutants(LISTS, mutator, before)(seed)
}

/// Returns a function from a seed to the mutant of a sentence for one mutator. The pool holds the
/// subtrees of this sentence only. The substitute for libFuzzer's own mutator sets the lowest bit
/// of the first byte.
pub fn mutants(source: &str, mutator: &str, before: &str) -> impl FnMut(u32) -> String + use<> {
    let (grammar, _) = notation::read("example", source.as_bytes(), &Caps::default()).unwrap();
    let (mut derivation, mut input) = (Derivation::default(), Vec::new());
    parse::Parser::new(&grammar)
        .parse_into(before.as_bytes(), &mut derivation)
        .unwrap();
    parameters::encode(&grammar, &derivation, &mut input);
    let grammar: &'static Grammar = Box::leak(Box::new(grammar));
    let mut mutator = Mutator::new(grammar).only(mutator).unwrap();
    move |seed| {
        let mut native = |data: &mut [u8], size: usize, _: usize| {
            data[..size].iter_mut().take(1).for_each(|byte| *byte |= 1);
            size
        };
        mutator.learn(&input);
        let changed = mutator.mutate_with(&input, 200, seed, &mut native).to_vec();
        String::from_utf8(
            parameters::sentence(grammar, &Settings::default(), &changed)
                .text()
                .to_vec(),
        )
        .unwrap()
    }
}
