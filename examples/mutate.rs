//! Parses a text by a grammar and prints twenty mutants of it, each a sentence of the grammar.
//!
//! ```sh
//! cargo run --no-default-features --example mutate -- grammars/json.ebnf '{"a":[1,true]}'
//! ```

use zester::bounds::Caps;
use zester::derivation::Derivation;
use zester::mutate::Mutator;
use zester::parse::Parser;
use zester::{notation, parameters, parameters::Decoder};

fn main() {
    if let Err(message) = print_mutants() {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

fn print_mutants() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, text] = &arguments[..] else {
        return Err("usage: mutate GRAMMAR TEXT".into());
    };
    let source = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let (grammar, _warnings) =
        notation::read(path, &source, &Caps::default()).map_err(|report| report.to_string())?;
    // Mutators work on parameters, the bytes that decode to a sentence.
    let (mut sentence, mut input) = (Derivation::default(), Vec::new());
    let mut parser = Parser::new(&grammar);
    let parsed = parser.parse(text.as_bytes(), &mut sentence);
    parsed.map_err(|error| parser.explain(text.as_bytes(), error).to_string())?;
    parameters::encode(&grammar, &sentence, &mut input);
    let (mut mutator, mut decoder) = (Mutator::new(&grammar), Decoder::new(&grammar));
    for seed in 0..20 {
        let text = decoder.text(mutator.mutate(&input, 200, seed));
        println!("{}", String::from_utf8_lossy(text));
    }
    Ok(())
}
