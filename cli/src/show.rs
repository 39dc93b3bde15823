//! `zester show`: the derivation tree of parameters.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::derivation::BARE;
use zester::grammar::Kind;
use zester::parameters;

use crate::command::{Limits, Problem, grammar, print};

/// Show the derivation that parameters make: a node a line, with the span of its canonical parameters and its text.
#[derive(clap::Args)]
pub struct Show {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// A file of parameters.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    limits: Limits,
}

/// Characters of a node's text that are shown.
const TEXT: usize = 48;

impl Show {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let settings = self.limits.settings();
        let grammar = grammar(&self.grammar, &settings.caps)?;
        let derivation = parameters::sentence(&grammar, &settings, &crate::command::parameters(&self.file)?);
        let (mut bytes, mut spans) = (Vec::new(), Vec::new());
        parameters::encode_with_spans(&grammar, &derivation, &mut bytes, &mut spans);
        let nodes = derivation.nodes();
        let mut ends: Vec<usize> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            while ends.last().is_some_and(|&end| end <= at) {
                ends.pop();
            }
            let end = at + node.size as usize;
            let choice = match &grammar[node.symbol].kind {
                Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1 => {
                    format!(" #{}", grammar.alternatives(node.symbol)[node.choice as usize].source.unwrap_or(node.choice) + 1)
                }
                Kind::Repeat { .. } | Kind::Run { .. } => format!(" x{}", node.choice),
                Kind::Lexeme { .. } if node.choice & BARE != 0 => format!(" layout x{}, bare", node.pieces()),
                Kind::Lexeme { .. } if node.choice > 0 => format!(" layout x{}", node.choice),
                _ => String::new(),
            };
            let text = String::from_utf8_lossy(&derivation.text()[derivation.text_range(at)]);
            let mut shown: String = text.chars().take(TEXT).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            let mut line = String::new();
            let span = format!("{}..{}", spans[at], spans[end]);
            let _ = writeln!(
                line,
                "{span:>12}  {:indent$}{}{choice}  {shown:?}",
                "",
                grammar.label(node.symbol),
                indent = 2 * ends.len()
            );
            print(line.as_bytes())?;
            ends.push(end);
        }
        Ok(ExitCode::SUCCESS)
    }
}
