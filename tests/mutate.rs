//! Tests of the mutators: their guarantees hold for any input, size and seed, and each reaches the
//! mutants that it is made for.

mod common;

use common::{Noise, all, grammar};
use zester::derivation::Derivation;
use zester::grammar::Grammar;
use zester::mutate::{MUTATORS, Mutator};
use zester::parameters::{Decoder, Edits, Settings};
use zester::parse::Matcher;

/// Returns a substitute for `LLVMFuzzerMutate` that changes, inserts or erases a byte.
fn native(noise: &mut Noise) -> impl FnMut(&mut [u8], usize, usize) -> usize + '_ {
    |data, size, most| {
        assert!(size <= most, "the size exceeds the maximum");
        match noise.below(3) {
            0 if size < most => {
                let at = noise.below(size as u64 + 1) as usize;
                data.copy_within(at..size, at + 1);
                data[at] = noise.next() as u8;
                size + 1
            }
            1 if size > 1 => {
                let at = noise.below(size as u64) as usize;
                data.copy_within(at + 1..size, at);
                size - 1
            }
            _ if size > 0 => {
                data[noise.below(size as u64) as usize] = noise.next() as u8;
                size
            }
            _ => size,
        }
    }
}

/// Returns the number of calls of the mutator and of the crossover, which `ZESTER_CALLS` sets.
fn calls() -> u64 {
    std::env::var("ZESTER_CALLS").map_or(20_000, |count| count.parse().expect("a number"))
}

/// Returns an input: the parameters of the last sentence, random bytes, no bytes, or one byte
/// repeated.
fn hostile(noise: &mut Noise, last: &[u8]) -> Vec<u8> {
    match noise.below(6) {
        0 => Vec::new(),
        1 => vec![noise.next() as u8; 1 + noise.below(3) as usize],
        2 => vec![[0, 252, 255][noise.below(3) as usize]; noise.length(400)],
        3 => {
            let length = noise.length(600);
            noise.bytes(length)
        }
        _ => last.to_vec(),
    }
}

/// The mutator of another fuzzing engine may produce text that is not UTF-8.
#[test]
fn bytes_that_are_not_utf8_are_removed() {
    const BYTES: [u8; 6] = [0xE2, 0xC3, 0x9F, 0x80, b'\\', b'a'];
    let source = r#"@token string = "'" piece* "'" ; @token piece = [^'\\]+ | "\\" ['\\] ; @start list = string* ;"#;
    let grammar = grammar("text", source);
    let (settings, mut noise) = (Settings::default(), Noise(11));
    let mut mutator = Mutator::new(&grammar).only("literal").expect("a mutator");
    let start = parameters_of(&grammar, r"'ab\\''cdef'").expect("a sentence");
    let mut input = start.clone();
    for seed in 0..20_000 {
        let mut native = |data: &mut [u8], size: usize, most: usize| {
            let (at, count) = (
                noise.below(size as u64 + 1) as usize,
                (1 + noise.below(6) as usize).min(most - size),
            );
            data.copy_within(at..size, at + count);
            data[at..at + count]
                .iter_mut()
                .for_each(|byte| *byte = BYTES[noise.below(6) as usize]);
            size + count
        };
        let result = mutator.mutate_with(&input, 300, seed, &mut native).to_vec();
        let text = Decoder::new(&grammar)
            .settings(settings)
            .decode(&result)
            .text()
            .to_vec();
        assert!(std::str::from_utf8(&text).is_ok(), "seed {seed}: {text:?}");
        input = if seed % 8 == 0 { start.clone() } else { result };
    }
}

#[test]
fn results_fit_differ_from_the_input_and_are_deterministic() {
    let (mut known, mut same) = (0, 0);
    let grammars = all();
    let rounds = calls() / (8 * grammars.len() as u64);
    for ((name, grammar), edits) in grammars
        .iter()
        .flat_map(|grammar| [(grammar, Edits::Off), (grammar, Edits::On)])
    {
        let settings = Settings::default().edits(edits);
        // Every grammar gets the same seed, so that its inputs do not depend on the other grammars.
        let mut noise = Noise(3);
        let mut mutator = Mutator::new(grammar).settings(settings);
        let (mut input, mut fixed) = (Vec::new(), 0);
        for seed in 0..rounds as u32 {
            let first = hostile(&mut noise, &input);
            let second = if seed % 7 == 0 {
                first.clone()
            } else {
                hostile(&mut noise, &input)
            };
            let length = first.len();
            let most = [0, 1, length / 3, length, length + 100, 4_096][noise.below(6) as usize];
            let mut run = |cross: bool| {
                let mut chance = Noise(seed.into());
                let mut native = native(&mut chance);
                let result = if cross {
                    mutator
                        .crossover_or_mutate([&first, &second], most, seed, &mut native)
                        .to_vec()
                } else {
                    mutator
                        .mutate_with(&first, most, seed, &mut native)
                        .to_vec()
                };
                let text = Decoder::new(grammar)
                    .settings(settings)
                    .text(&result)
                    .to_vec();
                if let Some(input) = mutator.decoded(&result) {
                    assert_eq!(
                        input.text(),
                        text,
                        "{name}: the reported text is not that of the result"
                    );
                    known += 1;
                }
                (result, text)
            };
            for cross in [false, true] {
                let (result, text) = run(cross);
                assert!(
                    result.len() <= most,
                    "{name}: {} of {most} bytes",
                    result.len()
                );
                assert!(most == 0 || !result.is_empty());
                assert!(
                    most == 0 || result != first,
                    "{name}: unchanged, seed {seed}"
                );
                assert_eq!(
                    result,
                    run(cross).0,
                    "{name}: not deterministic, seed {seed}"
                );
                fixed += u64::from(
                    most > length && text == Decoder::new(grammar).settings(settings).text(&first),
                );
                input = result;
            }
            // Learning is a call of its own, so that the calls before are deterministic.
            mutator.learn(&input);
        }
        let has_choice = (0..40).any(|_| {
            let bytes = noise.bytes(200);
            Decoder::new(grammar)
                .settings(settings)
                .decode(&bytes)
                .text()
                != Decoder::new(grammar).settings(settings).decode(&[]).text()
        });
        if has_choice {
            assert!(
                fixed * 10 <= rounds * 2,
                "{name}: {fixed} of {} mutants are the same sentence",
                rounds * 2
            );
            same += fixed;
        }
    }
    eprintln!("{same} mutants with room to grow decoded to the sentence of the input");
    assert!(
        known > calls() / 4,
        "only {known} sentences of results were reported"
    );
}

/// A grammar with lists, names, numbers and recursion.
const LISTS: &str = r#"
    @skip blank = " "+ ;
    @start list = item ( "," item )* ;
    item = name | number | "(" list ")" | "-" item ;
    @identifier name = [a-z]+ ;
    @token number = [0-9]+ ;
"#;

/// Returns the canonical parameters of a sentence.
fn parameters_of(grammar: &Grammar, text: &str) -> Option<Vec<u8>> {
    let mut derivation = Derivation::default();
    Matcher::default()
        .read(grammar, grammar.start(), text.as_bytes(), &mut derivation)
        .ok()?;
    Some(Decoder::new(grammar).encode(&derivation).to_vec())
}

/// Returns the sentence that parameters decode to.
fn text(grammar: &Grammar, parameters: &[u8]) -> String {
    String::from_utf8(Decoder::new(grammar).decode(parameters).text().to_vec()).unwrap()
}

/// Returns mutants of a sentence by one mutation operator, one for each seed.
fn mutants<'a>(
    grammar: &'a Grammar,
    operator: &str,
    from: &str,
    seeds: u32,
) -> impl Iterator<Item = String> + use<'a> {
    let start = parameters_of(grammar, from).unwrap_or_else(|| panic!("{from} is no sentence"));
    let mut mutator = Mutator::new(grammar).only(operator).unwrap();
    mutator.learn(&start);
    (0..seeds).map(move |seed| {
        let mut chance = Noise(seed.into());
        text(
            grammar,
            mutator.mutate_with(&start, 4_096, seed, &mut native(&mut chance)),
        )
    })
}

#[test]
fn every_mutator_reaches_the_mutants_that_it_is_made_for() {
    let grammar = grammar("lists", LISTS);
    let reached = [
        ("regenerate", "(1),a", "(7),a"),
        ("splice", "1,(2)", "2,(2)"),
        ("splice", "1,(2)", "(2),(2)"),
        ("multi-splice", "1,2", "2,1"),
        ("swap", "1,(2)", "2,(1)"),
        ("swap", "1,(2),3", "1,(3),2"),
        ("hoist", "((1)),2", "(1),2"),
        ("unroll", "-1", "---1"),
        ("unroll", "(1,(2))", "(1,(1,(2)))"),
        ("elements", "1,2,3", "1,3"),
        ("elements", "1,2,3", "1"),
        ("elements", "1,2,3", "1,3,2"),
        ("elements", "1,2,3", "1,2,2,3"),
        ("elements", "1", "1,4"),
        ("elements", "1,2,3,4,5", "1,3,5,2,4"),
        ("alternative", "1", "-1"),
        ("alternative", "(1,2)", "-(1,2)"),
        ("rename", "a,(a),b", "c,(c),b"),
        ("rename", "a,(a),b", "b,(b),b"),
        ("rename", "a,(a),b", "a,(b),b"),
        ("reuse", "a,b,b", "b,b,b"),
        ("literal", "12", "123"),
        ("literal", "12", "2147483647"),
        ("literal", "abc,d", "d,d"),
        ("generate-small", "1,2", "0"),
        ("native", "1", "2"),
        ("burst", "1", "2"),
        ("burst-bytes", "1", "2"),
    ];
    for (mutator, from, to) in reached {
        let found = mutants(&grammar, mutator, from, 5_000).any(|mutant| mutant == to);
        assert!(found, "{mutator}: {from} never becomes {to}");
    }
    // A particular long sentence is too improbable, so generators are tested by the sizes of their
    // sentences.
    let sized = [
        ("generate-middle", 15..=195),
        ("generate-large", 195..=2_730),
    ];
    for (mutator, sizes) in sized.clone() {
        let found = mutants(&grammar, mutator, "1,2", 100)
            .filter(|mutant| sizes.contains(&mutant.len()))
            .count();
        assert!(
            found > 50,
            "{mutator}: {found} of 100 mutants are of its sizes"
        );
    }
    // The tests of the operators that edit texts are in their files and in tests/text_edits.rs. Those
    // of the operators that learn words are in src/mutate/word.rs.
    for mutator in MUTATORS.iter().filter(|mutator| {
        !mutator.name.starts_with("edit-") && !["word", "string"].contains(&mutator.name)
    }) {
        let mut tested = reached
            .iter()
            .map(|(name, ..)| *name)
            .chain(sized.iter().map(|(name, _)| *name));
        assert!(
            tested.any(|name| name == mutator.name),
            "{} is not tested",
            mutator.name
        );
        for mutant in mutants(&grammar, mutator.name, "a,((1),-a,2),-1,b", 500) {
            let is_sentence = mutant.contains(' ') || parameters_of(&grammar, &mutant).is_some();
            assert!(is_sentence, "{}: {mutant} is no sentence", mutator.name);
        }
    }
}

#[test]
fn crossover_combines_parts_of_both_parents() {
    let grammar = grammar("lists", LISTS);
    let mut mutator = Mutator::new(&grammar);
    let mut children = |first: &str, second: &str| -> Vec<String> {
        let [first, second] =
            [first, second].map(|text| parameters_of(&grammar, text).expect("a sentence"));
        (0..2_000)
            .filter_map(|seed| {
                Some(text(
                    &grammar,
                    mutator.crossover(&first, &second, 4_096, seed)?,
                ))
            })
            .collect()
    };
    let found = children("1,2,(a)", "3,-4");
    for to in ["3,2,(a)", "1,2,(3,-4)", "1,-4", "1,2,-4,(a)", "3,-(a)"] {
        assert!(found.iter().any(|child| child == to), "no {to}");
    }
    for child in found {
        assert!(
            parameters_of(&grammar, &child).is_some(),
            "{child} is no sentence"
        );
        assert!(child != "1,2,(a)" && child != "3,-4", "{child} is a parent");
        assert!(
            child.chars().all(|char| "12(a)3-4,".contains(char)),
            "{child} has characters that no parent has"
        );
    }
    assert!(
        children("1", "1").is_empty(),
        "equal parents have a child that differs"
    );
}

#[test]
fn mutants_decode_to_another_sentence() {
    let grammar = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let text = r#"{"a":[1,2.5,true],"bc":{"a":null,"d":"e"},"f":[]}"#;
    for mutator in MUTATORS {
        let same = mutants(&grammar, mutator.name, text, 500)
            .filter(|mutant| mutant == text)
            .count();
        // The JSON grammar has no identifiers, edits are off, and there are no strings and comparisons
        // of a program, so these do nothing.
        let impossible = [
            "rename",
            "reuse",
            "edit-tokens",
            "edit-bytes",
            "string",
            "word",
        ];
        let is_possible = !impossible.contains(&mutator.name);
        assert!(
            same <= 10 || !is_possible,
            "{}: {same} of 500 mutants are the same",
            mutator.name
        );
    }
}

#[test]
fn shrinking_keeps_the_canonical_form() {
    let grammar = grammar("json.ebnf", include_str!("../grammars/json.ebnf"));
    let settings = Settings::default();
    let mut mutator = Mutator::new(&grammar);
    let mut noise = Noise(5);
    for seed in 0..200 {
        let sentence = Decoder::new(&grammar)
            .settings(settings)
            .decode(&noise.bytes(2_000))
            .clone();
        let bytes = Decoder::new(&grammar).encode(&sentence).to_vec();
        if bytes.len() < 50 {
            continue;
        }
        let most = bytes.len() - 1;
        let shorter = mutator.mutate(&bytes, most, seed).to_vec();
        assert!(shorter.len() <= most);
        // The result is canonical, so subtrees were shrunk and no bytes were cut off.
        assert_eq!(
            Decoder::new(&grammar)
                .settings(settings)
                .canonical(&shorter),
            shorter,
            "seed {seed}"
        );
    }
}
