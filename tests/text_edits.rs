//! Tests of edits after the last choice: the guarantees for parameters hold with edits, too.

mod common;

use common::{Noise, all, grammar};
use zester::bounds::Caps;
use zester::derive::Workspace;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Edits, Input, Settings};

/// The bytes at which edits begin.
const MARK: [u8; 2] = [0xE3, 0xA7];

fn settings(edits: Edits) -> Settings {
    Settings::default().edits(edits).caps(Caps {
        bytes: 2_000,
        nodes: 20_000,
    })
}

/// Returns the text of parameters, and their canonical form.
fn read(grammar: &Grammar, settings: &Settings, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut input = Input::default();
    input.read(grammar, settings, bytes, &mut Workspace::default());
    (input.text().to_vec(), input.bytes().to_vec())
}

/// Returns the code of some edits: random bytes, or codes with random operands.
fn edits(noise: &mut Noise) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    if noise.below(3) == 0 {
        let length = noise.length(100);
        bytes.extend(noise.bytes(length));
        return bytes;
    }
    for _ in 0..noise.below(20) {
        let code = noise.below(8) as u8;
        bytes.push(code);
        match code {
            6 => {
                let new = noise.below(9) as u8;
                bytes.extend([
                    0,
                    0,
                    noise.next() as u8,
                    0,
                    0,
                    noise.next() as u8 % 9,
                    0,
                    new,
                ]);
                bytes.extend(noise.bytes(usize::from(new)));
            }
            7 => bytes.push(noise.next() as u8),
            _ => bytes.extend(
                (0..if code.is_multiple_of(5) { 2 } else { 4 }).map(|_| noise.next() as u8 % 40),
            ),
        }
    }
    let length = bytes.len() as u64;
    bytes.truncate(2 + noise.below(length) as usize);
    bytes
}

#[test]
fn guarantees_hold_with_edits() {
    let mut edited = 0;
    for (name, grammar) in &all() {
        let minimum = grammar.symbols()[grammar.start().0 as usize].minimum;
        if minimum.bytes > 2_000 || minimum.nodes > 20_000 {
            continue;
        }
        let mut noise = Noise(23);
        for _ in 0..150 {
            let length = noise.length(200);
            let sentence = Decoder::new(grammar)
                .settings(settings(Edits::Off))
                .canonical(&noise.bytes(length))
                .to_vec();
            let bytes = [sentence.clone(), edits(&mut noise)].concat();
            let plain = Decoder::new(grammar)
                .settings(settings(Edits::Off))
                .text(&sentence)
                .to_vec();
            assert_eq!(
                Decoder::new(grammar)
                    .settings(settings(Edits::Off))
                    .text(&bytes),
                plain,
                "{name}: edits that are off count"
            );
            // A target that takes `&str` has a grammar of UTF-8.
            for how in if grammar.derives_utf8() {
                &[Edits::On, Edits::Utf8][..]
            } else {
                &[Edits::On]
            } {
                let how = *how;
                let settings = settings(how);
                assert_eq!(
                    read(grammar, &settings, &sentence),
                    (plain.clone(), sentence.clone()),
                    "{name}: edits from nothing"
                );
                let (text, canonical) = read(grammar, &settings, &bytes);
                edited += u64::from(text != plain);
                assert!(
                    text.len() <= settings.caps.bytes as usize,
                    "{name}: {} bytes",
                    text.len()
                );
                assert!(
                    how == Edits::On || std::str::from_utf8(&text).is_ok(),
                    "{name}"
                );
                assert_eq!(
                    Decoder::new(grammar).settings(settings).text(&bytes),
                    text,
                    "{name}: two ways to decode differ"
                );
                assert_eq!(
                    read(grammar, &settings, &canonical),
                    (text, canonical.clone()),
                    "{name}: no normal form"
                );
                assert!(
                    canonical.starts_with(&sentence),
                    "{name}: edits move the parameters of the sentence"
                );
            }
        }
    }
    assert!(edited > 10_000, "only {edited} texts were edited");
}

#[test]
fn other_bytes_after_the_last_choice_are_no_edits() {
    let grammar = grammar("digits", "s = [0-9] [0-9] ;");
    for rest in [
        &[][..],
        &[0xE3],
        &[0xE3, 0xA6, 0, 0, 0],
        &[1, 0xE3, 0xA7, 0, 0, 0],
    ] {
        let bytes = [&[4, 2], rest].concat();
        assert_eq!(
            Decoder::new(&grammar)
                .settings(settings(Edits::On))
                .text(&bytes),
            b"42"
        );
    }
}

/// The text of `let a = b ;` after edits of the given codes.
fn of(codes: &[u8]) -> String {
    let source = r#"@skip blank = " "+ ; s = "let" name "=" name ";" ; @token name = [a-z]+ ;"#;
    let grammar = grammar("let", source);
    let sentence = Decoder::new(&grammar)
        .canonical(&[0, 0, 0, 0, 0, 0, 0, 1])
        .to_vec();
    let bytes = [&sentence[..], &MARK, codes].concat();
    String::from_utf8_lossy(
        Decoder::new(&grammar)
            .settings(settings(Edits::On))
            .text(&bytes),
    )
    .into_owned()
}

#[test]
fn each_edit_does_what_its_name_says() {
    let plain = of(&[]);
    assert_eq!(plain.split_whitespace().next(), Some("let"), "{plain}");
    let words = |text: &str| text.replace([';', '='], " $0 ").split_whitespace().count();
    // Deletion, also of the first and the last token; an index that is too large means its
    // remainder.
    assert_eq!(
        of(&[0, 0, 0]).trim_start(),
        plain.strip_prefix("let ").unwrap()
    );
    assert_eq!(of(&[0, 0, 4]), plain.strip_suffix(';').unwrap());
    assert_eq!(of(&[0, 0, 9]), of(&[0, 0, 4]));
    // Copies of the token 0.
    assert_eq!(of(&[3, 0, 0, 0, 0]), format!("let {plain}"));
    assert_eq!(of(&[3, 0, 5, 0, 0]), format!("{plain} let"));
    assert!(of(&[4, 0, 4, 0, 0]).ends_with(" let"));
    // Transposition of the first two tokens. The last token has no next one, so index 4 means 0.
    assert!(of(&[5, 0, 0]).contains(" let"), "{}", of(&[5, 0, 0]));
    assert_eq!(of(&[5, 0, 4]), of(&[5, 0, 0]));
    // Every terminal can be inserted: each at the end. There are four texts, because both names are
    // `a`.
    let inserted: std::collections::BTreeSet<String> = (0..40)
        .map(|terminal| of(&[1, 0, 5, 0, terminal]))
        .collect();
    assert_eq!(inserted.len(), 4, "{inserted:?}");
    assert!(
        inserted.iter().all(|text| text.starts_with(&plain)),
        "{inserted:?}"
    );
    let substituted: std::collections::BTreeSet<String> = (0..40)
        .map(|terminal| of(&[2, 0, 4, 0, terminal]))
        .collect();
    assert_eq!(substituted.len(), 4, "{substituted:?}");
    assert!(
        substituted.iter().all(|text| words(text) == words(&plain)),
        "{substituted:?}"
    );
    // Bytes, after edits of tokens.
    assert_eq!(
        of(&[6, 0, 0, 0, 0, 0, 3, 0, 2, b'g', b'o']),
        plain.replacen("let", "go", 1)
    );
    assert_eq!(
        of(&[0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, b'!']),
        format!("!{}", of(&[0, 0, 0]))
    );
    // An edit of a token after an edit of bytes is ignored.
    assert_eq!(
        of(&[6, 0, 0, 0, 0, 0, 0, 0, 1, b'!', 0, 0, 0]),
        format!("!{plain}")
    );
    assert!(of(&[7, 3]).starts_with("l\0e\0t\0"));
}
