//! The contract of the parameters: every claim, on every grammar, on short strings exhaustively and on noise.
//!
//! `ZESTER_BUFFERS=N cargo test --release --test contract` takes N random buffers in all; the default is 20,000.

mod common;

use common::contract::{Memory, bounded, check, room, settings};
use common::{Noise, all};
use zester::bounds::Caps;
use zester::grammar::SymbolId;
use zester::parameters::{self, Settings};

#[test]
fn short_strings_exhaustively() {
    let telling = [0, 1, 2, 3, 4, 7, 16, 240, 252, 255];
    let mut strings = vec![vec![]];
    strings.extend((0..=255).map(|byte| vec![byte]));
    for a in telling {
        for b in telling {
            strings.push(vec![a, b]);
            strings.extend(telling.map(|c| vec![a, b, c]));
        }
    }
    for (name, grammar) in all() {
        eprintln!("{name}");
        let mut memory = Memory::default();
        for settings in settings(&grammar) {
            for bytes in strings.iter().step_by(if grammar.symbols().len() > 1_000 { 17 } else { 1 }) {
                check(&grammar, &settings, bytes, &mut memory);
            }
        }
    }
}

#[test]
fn noise() {
    let buffers: usize = std::env::var("ZESTER_BUFFERS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let grammars = all();
    let mut noise = Noise(1);
    for (name, grammar) in &grammars {
        eprintln!("{name}");
        let mut memory = Memory::default();
        let all = settings(grammar);
        for _ in 0..buffers.div_ceil(grammars.len()) {
            let length = noise.length(1 << 16);
            let bytes = noise.bytes(length);
            let settings = &all[noise.below(all.len() as u64) as usize];
            check(grammar, settings, &bytes, &mut memory);
        }
    }
}

#[test]
fn nothing_decodes_to_the_least_sentence() {
    for (name, grammar) in all() {
        let derivation = parameters::sentence(&grammar, &Settings::default(), &[]);
        let least = grammar.symbols()[grammar.start().0 as usize].least;
        assert_eq!(derivation.nodes().len(), least.nodes as usize, "{name}");
        assert!(derivation.text().len() <= least.bytes as usize, "{name}");
    }
}

#[test]
fn alternatives_are_ordered_by_least_size() {
    for (name, grammar) in all() {
        for id in 0..grammar.symbols().len() as u32 {
            let alternatives = grammar.alternatives(SymbolId(id));
            assert!(alternatives.is_sorted_by_key(|a| (a.least, a.source)), "{name}: {}", grammar.label(SymbolId(id)));
        }
    }
}

#[test]
fn a_cut_list_stops_where_it_is_cut() {
    let grammar = common::grammar("list", "a = ( \"x\" | \"y\" )* ;");
    // A count of 5,000, then elements, cut after the third.
    let mut bytes = vec![252, 240];
    bytes.extend_from_slice(&(5_000_u16 - 256).to_be_bytes());
    bytes.extend([1, 1, 1]);
    let text =
        |bytes: &[u8]| String::from_utf8(parameters::sentence(&grammar, &Settings::default(), bytes).text().to_vec()).unwrap();
    // The fourth element is begun before the end is noticed.
    assert_eq!(text(&bytes), "yyyx");
    bytes.extend([1; 4_997]);
    assert_eq!(text(&bytes), "y".repeat(5_000));
}

#[test]
fn forced_elements_are_not_past_the_end() {
    let grammar = common::grammar("forced", "a = \"x\"* ;");
    let text = parameters::sentence(&grammar, &Settings::default(), &[5]).text().to_vec();
    assert_eq!(text, b"xxxxx");
}

/// The least size of a symbol is the least in bytes, and its nodes are those of that derivation: a bound of depth may leave one of
/// more bytes and fewer nodes. So larger bounds of depth keep a sentence only if the cap of nodes is not near.
#[test]
fn larger_bounds_of_depth_need_room_for_nodes() {
    let grammar = common::grammar("room", r#"s = c ; c = "(" f ")" | h ; f = c | "zz" ; h = i ; i = "y" ;"#);
    let decode = |depth: u32, nodes: u32, bytes: &[u8]| {
        let settings =
            Settings { bounds: bounded(u32::MAX, u32::MAX, depth), caps: Caps { bytes: 42, nodes }, ..Settings::default() };
        parameters::sentence(&grammar, &settings, bytes)
    };
    let sentence = decode(1, 8, &[1, 1]);
    assert_eq!(sentence.text(), b"(zz)");
    let mut canonical = Vec::new();
    parameters::encode(&grammar, &sentence, &mut canonical);
    assert_eq!(
        decode(u32::MAX, 8, &canonical).text(),
        b"y",
        "eight nodes are too few to keep room for the least derivation of f"
    );
    let room = room(&grammar, &sentence) as u32;
    for nodes in room..room + 10 {
        for depth in [1, 2, 3, u32::MAX] {
            assert_eq!(decode(depth, nodes, &canonical), sentence, "depth {depth}, {nodes} nodes");
        }
    }
}
