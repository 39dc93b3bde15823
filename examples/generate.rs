//! Reads a grammar from a file and prints ten random sentences of it.
//!
//! ```sh
//! cargo run --no-default-features --example generate -- grammars/json.ebnf
//! ```

use std::error::Error;
use std::io::Write as _;

use zester::{Generator, Grammar};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: generate GRAMMAR")?;
    let grammar = Grammar::read(&path, &std::fs::read(&path)?)?;
    // The seed is 1, so each run of the program prints the same sentences. Each has about 60 bytes.
    let mut generator = Generator::new(&grammar, 1).size(60);
    let mut output = std::io::stdout().lock();
    for _ in 0..10 {
        let text = generator.sentence().text();
        writeln!(output, "{}", String::from_utf8_lossy(text))?;
    }
    Ok(())
}
