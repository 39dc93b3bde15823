//! Tests of memory: decoding, encoding and mutating allocate nothing in steady state.

mod common;

use allocation_counter::measure;
use common::{Noise, grammar};
use zester::bounds::Bounds;
use zester::mutate::Mutator;
use zester::parameters::{Decoder, Edits, Settings};
use zester::parse::{Effort, Parser};

#[test]
fn hot_paths_allocate_nothing_in_steady_state() {
    let sources = [
        include_str!("../grammars/json.ebnf"),
        include_str!("../grammars/expr.ebnf"),
        include_str!("../grammars/wgsl.ebnf"),
    ];
    let bounded = Bounds {
        identifiers: 3,
        items: 3,
        depth: 2,
    };
    for source in sources {
        for (bounds, edits) in [
            (Bounds::UNBOUNDED, Edits::On),
            (Bounds::UNBOUNDED, Edits::Off),
            (bounded, Edits::Off),
        ] {
            let grammar = grammar("allocation", source);
            let settings = Settings::default().bounds(bounds).edits(edits);
            let mut noise = Noise(9);
            let inputs: Vec<Vec<u8>> = (0..200).map(|_| noise.bytes(400)).collect();
            let mut decoder = Decoder::new(&grammar).settings(settings);
            let derivation = decoder.decode(&inputs[0]).clone();
            let mut mutator = Mutator::new(&grammar).settings(settings);
            let mut round = || {
                for (seed, input) in (0..).zip(&inputs) {
                    decoder.text(input);
                    decoder.tree(input);
                    decoder.decode(input);
                    decoder.encode(&derivation);
                    let mut native = |data: &mut [u8], size: usize, _: usize| {
                        data[size / 2] ^= 5;
                        size
                    };
                    mutator.learn(input);
                    mutator.mutate_with(input, 4_096, seed, &mut native);
                    mutator.crossover(input, &inputs[0], 4_096, seed);
                }
            };
            // Several rounds let the buffers grow: they are swapped with each other, and the pool
            // of the first round leads to longer results in the next.
            (0..8).for_each(|_| round());
            assert_eq!(measure(&mut round).count_total, 0);
        }
    }
}

/// Ambiguous rules, tokens and captures, each with a text that has very many readings.
const AMBIGUOUS: [(&str, &str); 4] = [
    (r#"e = e e | "a" ;"#, "a"),
    (r#"s = t* ; @token t = ( "a" | "aa" | t t )+ ;"#, "a"),
    (
        r#"s = "." @capture a( w ) @capture b( w ) w? @same a @same b ; @token w = [ab]+ ;"#,
        "ab",
    ),
    (
        r#"s = ( r t )* ; r = "[" ( r | "::" t )* "]" | t {2} ; @token t = ( "0x" | [ab] | @capture k( [ab]* ) "}" @same k )+ ;"#,
        "[a::b]",
    ),
];

#[test]
fn parsing_takes_a_bounded_amount_of_memory() {
    for (source, text) in AMBIGUOUS {
        let grammar = grammar("ambiguous", source);
        let memory = 32 << 20;
        let effort = Effort::default().memory(memory);
        let text = [".", &text.repeat(5_000)].concat();
        for text in [&text, &text[1..]] {
            let mut parser = Parser::new(&grammar).effort(effort);
            let most = measure(|| _ = parser.parse(text.as_bytes())).bytes_max;
            // A vector that grows takes up to three times its size for a moment.
            assert!(most <= 4 * memory as u64, "{most} bytes: {source}");
        }
    }
}
