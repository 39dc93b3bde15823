//! Tests of equivalent sentences of random grammars with names, scopes and types, and random
//! equivalences.
//!
//! `ZESTER_EQUAL_GRAMMARS` is the number of grammars.

mod common;

use std::collections::HashSet;

use common::{Noise, typed};
use zester::equal::Equivalents;
use zester::parameters::Decoder;
use zester::{Derivation, Grammar};

/// The number of sentences of each grammar.
const SENTENCES: usize = 25;

/// The maximum number of equivalent sentences of one sentence.
const APPLICATIONS: usize = 60;

/// Equivalences. A grammar of `typed` gets some of those whose rules it has.
const LINES: [&str; 12] = [
    r#"@equal term: a:term ~ "(" a ")" ;"#,
    r#"@equal term<t0>: a:term<t0> ~> "(" "(" a ")" ")" ;"#,
    r#"@equal statement: "print" a:term ";" ~> "print" "(" a ")" ";" ;"#,
    r#"@equal program: a:statement b:statement ~ b a ;"#,
    r#"@unordered program: statement ;"#,
    r#"@unordered statement: statement ;"#,
    r#"@equal program: a:statement* ~ ";" a ;"#,
    r#"@equal program: a:statement* b:statement ~> b a ;"#,
    r#"@equal program: a:statement - term b:statement* ~ a ";" b ;"#,
    r#"@equal statement: s:statement ~> "{" s "}" ;"#,
    r#"@equal statement: "{" s:statement* "}" ~ "{" ";" s "}" ;"#,
    r#"@equal program: s:statement* ~> "const" n:@fresh name "=" "0" ";" s ;"#,
];

/// Returns a random grammar with a random part of those [`LINES`] that cause no error in it.
fn random_grammar(noise: &mut Noise) -> (String, Grammar) {
    let mut source = typed::source(noise);
    for line in LINES {
        let longer = format!("{source}\n{line}");
        if noise.below(3) > 0 && Grammar::read("equal", longer.as_bytes()).is_ok() {
            source = longer;
        }
    }
    let grammar = Grammar::read("equal", source.as_bytes()).unwrap();
    (source, grammar)
}

/// Returns the characters of a text that are no layout, sorted.
fn letters(text: &[u8]) -> Vec<u8> {
    let mut letters: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !b" \n".contains(byte))
        .collect();
    letters.sort_unstable();
    letters
}

#[test]
fn equivalent_sentences_of_random_grammars() {
    let grammars = std::env::var("ZESTER_EQUAL_GRAMMARS")
        .map_or(15, |number| number.parse().expect("a number"));
    let (mut compared, mut confirmed) = (0, 0);
    let (mut several, mut together_confirmed) = (0, 0);
    for seed in 1..=grammars {
        let mut noise = Noise(seed);
        let (source, grammar) = random_grammar(&mut noise);
        let (mut equivalents, mut again) = (Equivalents::new(&grammar), Equivalents::new(&grammar));
        let mut decoder = Decoder::new(&grammar);
        let mut reparsed = Derivation::default();
        for _ in 0..SENTENCES {
            let length = 20 + noise.length(200);
            let bytes = noise.bytes(length);
            // An ambiguous sentence is read as the parser reads it, with and without other layout.
            let text = decoder.decode(&bytes).text().to_vec();
            let mut derivation = Derivation::default();
            assert!(equivalents.parse(&text, &mut derivation));
            let text = &*text;
            let shown = String::from_utf8_lossy(text).into_owned();
            let found = equivalents.first(APPLICATIONS, &derivation, |_| true);
            assert_eq!(
                found,
                again.first(APPLICATIONS, &derivation, |_| true),
                "{seed}: {shown}\n{source}"
            );
            let random = noise.below(u64::MAX);
            let together = equivalents.together(&derivation, random);
            assert_eq!(
                together.is_empty(),
                found.is_empty(),
                "{seed}: {shown}\n{source}"
            );
            assert_eq!(together, again.together(&derivation, random));
            let alone: Vec<usize> = (together.iter())
                .flat_map(|others| others.applications.iter().map(|one| one.equivalence))
                .collect();
            let all = again.first(usize::MAX, &derivation, |_| true);
            let each: HashSet<usize> = all.iter().map(|&(equivalence, _)| equivalence).collect();
            assert_eq!(alone.iter().copied().collect::<HashSet<_>>(), each);
            assert_eq!(alone.len(), each.len(), "each equivalence once");
            for others in &together {
                if let [one] = &*others.applications {
                    assert_eq!(others.text, one.text);
                }
                several += usize::from(others.applications.len() > 1);
                let is_equal = equivalents.parse(&others.text, &mut reparsed);
                together_confirmed += usize::from(is_equal && others.applications.len() > 1);
            }
            for (equivalence, other) in found {
                let name = equivalents.name(equivalence).to_owned();
                let message = format!(
                    "{seed}: {name}\n{shown}\n{}\n{source}",
                    String::from_utf8_lossy(&other)
                );
                assert_ne!(text, other, "{message}");
                let is_equal = equivalents.confirms(equivalence, &derivation, &other);
                compared += 1;
                confirmed += usize::from(is_equal);
                if is_equal {
                    assert!(equivalents.parse(&other, &mut reparsed), "{message}");
                }
                match &*name {
                    // A new name is nowhere else, so a renaming always keeps what names mean.
                    "other names" => assert!(is_equal, "{message}"),
                    "other layout" => {
                        assert!(is_equal, "{message}");
                        assert_eq!(letters(text), letters(&other), "{message}");
                    }
                    // Holes and parts without order keep their text.
                    "program ‹a› ‹b› ~ ‹b› ‹a›"
                    | "program ‹a› ‹b› ~> ‹b› ‹a›"
                    | "order of `statement` in `program`" => {
                        assert_eq!(letters(text), letters(&other), "{message}");
                    }
                    _ => (),
                }
            }
        }
    }
    // The other results are no sentences, or their names refer to other declarations.
    assert!(confirmed * 10 > compared * 8, "{confirmed} of {compared}");
    assert!(
        several > 0 && together_confirmed * 10 > several * 7,
        "{together_confirmed} of {several}"
    );
}
