//! Tests of the guarantees for parameters, on every grammar, with all short strings of some bytes
//! and with random bytes.
//!
//! `ZESTER_BUFFERS=N cargo test --release --test contract` uses N random buffers in total; the
//! default is 12,000.

mod common;

use common::contract::{Memory, bounded, check, room, settings};
use common::{Noise, all, degenerate, shipped};
use zester::bounds::Caps;
use zester::grammar::{Grammar, Kind, SymbolId};
use zester::parameters::{Decoder, Settings};

#[test]
fn guarantees_hold_for_short_strings() {
    check_short_strings(degenerate());
}

#[test]
fn guarantees_hold_for_short_strings_of_shipped_grammars() {
    check_short_strings(shipped());
}

/// Checks all strings of one byte, and some of two and three.
fn check_short_strings(grammars: Vec<(String, Grammar)>) {
    let telling = [0, 1, 2, 3, 4, 7, 16, 240, 252, 255];
    let mut strings = vec![vec![]];
    strings.extend((0..=255).map(|byte| vec![byte]));
    for a in telling {
        for b in telling {
            strings.push(vec![a, b]);
            strings.extend([0, 1, 16, 255].map(|c| vec![a, b, c]));
        }
    }
    for (name, grammar) in grammars {
        eprintln!("{name}");
        let mut memory = Memory::default();
        for settings in settings(&grammar) {
            // Larger grammars take more time for each string, and get fewer.
            let step = match grammar.symbols().len() {
                0..200 => 2,
                200..1_000 => 10,
                _ => 50,
            };
            for bytes in strings.iter().step_by(step) {
                check(&grammar, &settings, bytes, &mut memory);
            }
        }
    }
}

#[test]
fn guarantees_hold_for_random_bytes() {
    let buffers: usize = std::env::var("ZESTER_BUFFERS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(12_000);
    let grammars = all();
    let mut noise = Noise(1);
    for (name, grammar) in &grammars {
        eprintln!("{name}");
        let (all, mut memory) = (settings(grammar), Memory::default());
        for _ in 0..buffers.div_ceil(grammars.len()) {
            let length = noise.length(1 << 16);
            let bytes = noise.bytes(length);
            let settings = &all[noise.below(all.len() as u64) as usize];
            check(grammar, settings, &bytes, &mut memory);
        }
    }
}

#[test]
fn no_bytes_decode_to_the_smallest_sentence() {
    for (name, grammar) in all()
        .into_iter()
        .filter(|(_, grammar)| !grammar.has_names())
    {
        let derivation = Decoder::new(&grammar).decode(&[]).clone();
        let minimum = grammar.symbols()[grammar.start().0 as usize].minimum;
        assert_eq!(derivation.nodes().len(), minimum.nodes as usize, "{name}");
        assert!(derivation.text().len() <= minimum.bytes as usize, "{name}");
    }
}

#[test]
fn alternatives_are_ordered_by_minimum_size() {
    for (name, grammar) in all() {
        // The alternatives of an instance have the order of the erased grammar.
        let grammar = grammar.erased();
        for id in 0..grammar.symbols().len() as u32 {
            let alternatives = grammar.alternatives(SymbolId(id));
            assert!(
                alternatives.is_sorted_by_key(|a| (a.minimum, a.source)),
                "{name}: {}",
                grammar.label(SymbolId(id))
            );
        }
    }
}

#[test]
fn elements_of_repetitions_have_text_and_forbidden_alternatives_are_not_chosen() {
    let mut grammars = all();
    for seed in 0..10 {
        let source = common::typed::source(&mut Noise(seed));
        grammars.push((source.clone(), common::grammar("typed", &source)));
    }
    let (mut noise, mut forbidden) = (Noise(1), 0);
    for (name, grammar) in &grammars {
        for symbol in grammar.symbols() {
            if let Kind::Repeat { element, .. } = symbol.kind {
                let minimum = grammar.symbols()[element.symbol.0 as usize].minimum;
                assert!(minimum.bytes > 0, "{name}");
            }
        }
        let is_forbidden = |symbol: SymbolId, choice: u32| {
            let alternatives = grammar.alternatives(symbol);
            alternatives
                .get(choice as usize)
                .is_some_and(|alternative| alternative.minimum.bytes >= 1 << 30)
        };
        let count = (0..grammar.symbols().len() as u32).map(|at| {
            (0..grammar.alternatives(SymbolId(at)).len() as u32)
                .filter(|&choice| is_forbidden(SymbolId(at), choice))
                .count()
        });
        let count: usize = count.sum();
        assert!(grammar.has_names() || count == 0, "{name}");
        forbidden += count;
        for _ in 0..100 {
            let length = noise.length(300);
            let bytes = noise.bytes(length);
            let sentence = Decoder::new(grammar).decode(&bytes).clone();
            for node in sentence.nodes() {
                assert!(!is_forbidden(node.symbol, node.choice), "{name}: {bytes:?}");
            }
        }
    }
    assert!(forbidden > 100, "{forbidden}");
}

/// The sentence has 100,000 nested scopes.
#[test]
fn deep_sentences_with_names_do_not_overflow_the_stack() {
    let source = "@kind k: n ; @identifier n = [a-z] ; s = \"(\" @scope( @declare k s ) \")\" | @use k | \"x\" ;";
    let grammar = common::grammar("deep", source);
    let depth = 100_000;
    let text = format!("{}x{}", "(a".repeat(depth), ")".repeat(depth));
    let parameters = grammar.encode(text.as_bytes()).unwrap();
    let settings = Settings::default().caps(Caps {
        bytes: Caps::MAX,
        nodes: Caps::MAX,
    });
    let mut decoder = Decoder::new(&grammar).settings(settings);
    assert!(decoder.text(&parameters) == text.as_bytes());
}

#[test]
fn a_truncated_list_ends_at_the_truncation() {
    let grammar = common::grammar("list", "a = ( \"x\" | \"y\" )* ;");
    // The bytes are a count of 5,000 and the first three elements.
    let mut bytes = vec![252, 240];
    bytes.extend_from_slice(&(5_000_u16 - 256).to_be_bytes());
    bytes.extend([1, 1, 1]);
    let text = |bytes: &[u8]| {
        String::from_utf8(Decoder::new(&grammar).decode(bytes).text().to_vec()).unwrap()
    };
    // The decoder begins the fourth element before it reaches the end of the bytes.
    assert_eq!(text(&bytes), "yyyx");
    bytes.extend([1; 4_997]);
    assert_eq!(text(&bytes), "y".repeat(5_000));
}

#[test]
fn elements_without_choices_are_not_past_the_end() {
    let grammar = common::grammar("forced", "a = \"x\"* ;");
    let text = Decoder::new(&grammar).decode(&[5]).text().to_vec();
    assert_eq!(text, b"xxxxx");
}

/// The minimum size of a symbol is the size of its derivation with the fewest bytes of text. A
/// bound of depth may exclude that derivation and leave one with more bytes and fewer nodes. So a
/// sentence stays the same under larger bounds of depth only if it is not close to the cap of
/// nodes.
#[test]
fn larger_bounds_of_depth_need_room_for_nodes() {
    let grammar = common::grammar(
        "room",
        r#"s = c ; c = "(" f ")" | h ; f = c | "zz" ; h = i ; i = "y" ;"#,
    );
    let decode = |depth: u32, nodes: u32, bytes: &[u8]| {
        let settings = Settings::default()
            .bounds(bounded(u32::MAX, u32::MAX, depth))
            .caps(Caps { bytes: 42, nodes });
        Decoder::new(&grammar)
            .settings(settings)
            .decode(bytes)
            .clone()
    };
    let sentence = decode(1, 8, &[1, 1]);
    assert_eq!(sentence.text(), b"(zz)");
    let canonical = Decoder::new(&grammar).encode(&sentence).to_vec();
    assert_eq!(
        decode(u32::MAX, 8, &canonical).text(),
        b"y",
        "eight nodes are too few to reserve the minimum derivation of f"
    );
    let room = room(&grammar, &sentence) as u32;
    for nodes in room..room + 10 {
        for depth in [1, 2, 3, u32::MAX] {
            assert_eq!(
                decode(depth, nodes, &canonical),
                sentence,
                "depth {depth}, {nodes} nodes"
            );
        }
    }
}
