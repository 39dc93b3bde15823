//! Reads a grammar from a file and prints ten random sentences of it.
//!
//! ```sh
//! cargo run --no-default-features --example generate -- grammars/json.ebnf
//! ```

use std::io::Write as _;

use zester::bounds::Caps;
use zester::generate::Generator;
use zester::notation;

fn main() {
    if let Err(message) = print_sentences() {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

fn print_sentences() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("usage: generate GRAMMAR")?;
    let source = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
    let (grammar, _warnings) =
        notation::read(&path, &source, &Caps::default()).map_err(|report| report.to_string())?;
    // The seed is 1, so each run of the program prints the same sentences. Each has about 60 bytes.
    let mut generator = Generator::new(&grammar, 1).with_size(60);
    let mut output = std::io::stdout().lock();
    for _ in 0..10 {
        let text = generator.sentence().text();
        writeln!(output, "{}", String::from_utf8_lossy(text)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
