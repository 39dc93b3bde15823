//! Parses a text by a grammar and prints twenty mutants of it, each a sentence of the grammar.
//!
//! ```sh
//! cargo run --no-default-features --example mutate -- grammars/json.ebnf '{"a":[1,true]}'
//! ```

use std::error::Error;

use zester::{Decoder, Grammar, Mutator};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, text] = &arguments[..] else {
        return Err("usage: mutate GRAMMAR TEXT".into());
    };
    let grammar = Grammar::read(path, &std::fs::read(path)?)?;
    // Mutators work on parameters, the bytes that decode to a sentence.
    let input = grammar.encode(text.as_bytes())?;
    let (mut mutator, mut decoder) = (Mutator::new(&grammar), Decoder::new(&grammar));
    for seed in 0..20 {
        let text = decoder.text(mutator.mutate(&input, 200, seed));
        println!("{}", String::from_utf8_lossy(text));
    }
    Ok(())
}
