//! `zester dict`: the literals of a grammar, for libFuzzer on raw text.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::grammar::{Grammar, Kind};

use crate::command::{Problem, grammar, print};

/// Write the literals and names of a grammar as a libFuzzer dictionary.
///
/// For targets that read raw text: `-dict=FILE`. A target with a grammar needs none, as it changes choices and not text. Also
/// read by AFL++ and Honggfuzz.
#[derive(clap::Args)]
pub struct Dict {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
}

/// libFuzzer passes over longer words (FuzzerDictionary.h, `Word::GetMaxSize`).
const LONGEST: usize = 64;

impl Dict {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let words = words(&grammar);
        let short: String = words.iter().filter(|word| word.len() <= LONGEST).map(|word| line(word)).collect();
        print(format!("# The literals of {}, by zester dict.\n{short}", self.grammar.display()).as_bytes())?;
        let long = words.iter().filter(|word| word.len() > LONGEST).count();
        if long > 0 {
            eprintln!("zester: {long} literals are longer than the {LONGEST} bytes that libFuzzer takes, and left out");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Every literal and every name of a fixed sequence, once, in the grammar's order.
fn words(grammar: &Grammar) -> Vec<&[u8]> {
    let mut words = Vec::new();
    for symbol in grammar.symbols() {
        match &symbol.kind {
            Kind::Literal { text } | Kind::Insensitive { text, .. } => words.push(grammar.text(text)),
            Kind::Identifier { names, .. } => words.extend((0..names.end - names.start).map(|at| grammar.name(names, at))),
            _ => {}
        }
    }
    let mut known = HashSet::new();
    words.retain(|word| !word.is_empty() && known.insert(*word));
    words
}

/// `"word"`, with what libFuzzer cannot read as it stands as `\xNN`.
fn line(word: &[u8]) -> String {
    let mut line = String::from("\"");
    for &byte in word {
        match byte {
            b'"' | b'\\' => line.extend(['\\', byte.into()]),
            b' '..=b'~' => line.push(byte.into()),
            _ => line.push_str(&format!("\\x{byte:02X}")),
        }
    }
    line + "\"\n"
}
