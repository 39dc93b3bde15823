//! `zester export`: writes a grammar in the notations of other generators.

mod antlr;
mod fandango;
mod nautilus;
mod plain;

use std::path::PathBuf;
use std::process::ExitCode;

use zester::bounds::Caps;

use self::plain::PlainGrammar;
use crate::input::grammar;
use crate::output::print;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester export json.ebnf --to antlr >Json.g4
  grammarinator-process Json.g4 -o .
  grammarinator-generate JsonGenerator.JsonGenerator -r r_sentence -d 30 -n 10 --sys-path .

  zester export json.ebnf --to fandango >json.fan
  fandango fuzz -f json.fan -n 10

  zester export json.ebnf --to nautilus >json.json

Exit status: 0; 1 if the grammar has errors; 2 if it cannot be read or exported.";

/// Print a grammar for other generators of sentences.
///
/// The sentences are those of the syntax: names, types and arguments of rules, weights and equivalences are left
/// out. Warnings on standard error list what else is left out. Between two tokens there is always the simplest
/// separator, because other generators do not know where tokens need one. So sentences may be wrong where tokens of
/// the grammar begin or end with blanks, or where layout is forbidden after a part that may be empty.
///
/// The result is for generators. As a parser, ANTLR would split texts into other tokens.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,
    /// The notation.
    #[arg(long, value_enum, value_name = "NOTATION")]
    to: ExportNotation,
}

/// A notation.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ExportNotation {
    /// ANTLR 4, for Grammarinator. The grammar has the name of the file.
    Antlr,
    /// A specification of Fandango, without constraints. The start is `<start>`.
    Fandango,
    /// The JSON of Nautilus: a list of rules, each a nonterminal and a text. The first is the start.
    Nautilus,
}

impl ExportCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        if grammar.has_lines() {
            return Err(Problem::with(
                &self.grammar,
                "the grammar has lines with indentation, which other generators do not know",
            ));
        }
        let mut plain = PlainGrammar::new(grammar.erased());
        let text = match self.to {
            ExportNotation::Antlr => {
                let stem = self.grammar.file_stem().unwrap_or_default();
                antlr::write(&mut plain, &stem.to_string_lossy())
            }
            ExportNotation::Fandango => fandango::write(&mut plain),
            ExportNotation::Nautilus => nautilus::write(&mut plain),
        };
        print(text.as_bytes())?;
        for warning in plain.warnings() {
            eprintln!("zester: {warning}");
        }
        Ok(ExitCode::SUCCESS)
    }
}
