//! `zester dict`: writes the literals of a grammar as a dictionary for fuzzers of raw text.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::grammar::{Grammar, Kind};

use crate::input::grammar;
use crate::numbers::counted;
use crate::output::print;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester dict json.ebnf >json.dict
  ./raw_target -dict=json.dict corpus

Exit status: 0; 1 if the grammar has errors; 2 if it cannot be read.";

/// Print the literals and names of a grammar as a dictionary, for fuzz targets that read raw text.
///
/// libFuzzer, AFL++ and Honggfuzz read dictionaries of this format. A fuzz target with a grammar
/// needs no dictionary, because its inputs are choices, not text.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct DictCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
}

/// The maximum length of a word in bytes. libFuzzer ignores longer words (FuzzerDictionary.h,
/// `Word::GetMaxSize`).
const MAX_WORD: usize = 64;

impl DictCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let words = words(&grammar);
        let short: String = words
            .iter()
            .filter(|word| word.len() <= MAX_WORD)
            .map(|word| line(word))
            .collect();
        print(
            format!(
                "# The literals of {}, by zester dict.\n{short}",
                self.grammar.display()
            )
            .as_bytes(),
        )?;
        let long = words.iter().filter(|word| word.len() > MAX_WORD).count();
        if long > 0 {
            eprintln!(
                "zester: left out {}, because libFuzzer ignores words of more than {MAX_WORD} bytes",
                counted(long, "literal")
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the literals of a grammar and the names of its identifiers, each once, in the order of the
/// grammar.
fn words(grammar: &Grammar) -> Vec<&[u8]> {
    let mut words = Vec::new();
    for symbol in grammar.symbols() {
        match &symbol.kind {
            Kind::Literal { text } | Kind::Insensitive { text, .. } => {
                words.push(grammar.text(text))
            }
            Kind::Identifier { names, .. } => {
                words.extend((0..names.end - names.start).map(|at| grammar.name(names, at)))
            }
            _ => {}
        }
    }
    let mut known = HashSet::new();
    words.retain(|word| !word.is_empty() && known.insert(*word));
    words
}

/// Returns a line of a dictionary: `"word"`. Bytes that are not printable ASCII are written as
/// `\xNN`.
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
