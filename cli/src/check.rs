//! `zester check`: prints the errors and warnings of a grammar, and facts about it.

use std::process::ExitCode;

use serde_json::{Value, json};
use zester::bounds::Caps;
use zester::grammar::{Grammar, Kind};
use zester::notation::ReportedFinding;

use crate::arguments::GrammarAndStart;
use crate::input::{grammar_and_start, parse, source};
use crate::numbers::counted;
use crate::output::print;
use crate::problem::Problem;

const EXAMPLES: &str = "\
Examples:
  zester check json.ebnf
  echo 's = \"a\" b ;' | zester check -
  zester check --json my.ebnf | jq '.findings[].message'

Exit status: 0, even if there are warnings; 1 if the grammar has errors; 2 if it cannot be read.";

/// Check a grammar: print its errors and warnings with their positions, then facts about it.
///
/// The facts are the numbers of rules, alternatives and tokens, the layout, and the size of the
/// shortest sentence.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CheckCommand {
    #[command(flatten)]
    grammar: GrammarAndStart,

    /// Print errors and warnings, but no facts.
    #[arg(short, long)]
    quiet: bool,

    /// Print the errors and warnings as JSON on standard output, for editors: an object with `version` 1, `file` and
    /// `findings`. Each finding has `severity`, `message`, `label`, `line`, `column`, `end_line` and `end_column`.
    /// Lines and columns count from 1. Columns are counted in characters.
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

impl CheckCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        if self.json {
            return self.print_json();
        }
        let grammar = grammar_and_start(&self.grammar, &Caps::default())?;
        if !self.quiet {
            print(facts(&grammar).as_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints the findings as JSON.
    fn print_json(&self) -> Result<ExitCode, Problem> {
        let (path, start) = (&self.grammar.path, self.grammar.start.as_deref());
        let read = parse(path, &source(path)?, start, &Caps::default());
        let (report, has_errors) = match read {
            Ok((_, report)) => (report, false),
            Err(Problem::Grammar(report)) => (report, true),
            Err(other) => return Err(other),
        };
        let finding = |finding: ReportedFinding| {
            json!({
                "severity": if finding.is_error { "error" } else { "warning" },
                "message": finding.message,
                "label": finding.label,
                "line": finding.start.0,
                "column": finding.start.1,
                "end_line": finding.end.0,
                "end_column": finding.end.1,
            })
        };
        let findings: Vec<Value> = report.findings().map(finding).collect();
        let object = json!({
            "version": 1,
            "file": path.to_string_lossy(),
            "findings": findings,
        });
        print(format!("{object:#}\n").as_bytes())?;
        Ok(ExitCode::from(u8::from(has_errors)))
    }
}

/// Returns the facts about a grammar, one line for each.
fn facts(grammar: &Grammar) -> String {
    let symbols = grammar.symbols();
    let count =
        |test: fn(&Kind) -> bool| symbols.iter().filter(|symbol| test(&symbol.kind)).count();
    let (mut nonterminals, mut alternatives, mut widest) = (0, 0, 0);
    for symbol in symbols {
        if let Kind::Nonterminal {
            alternatives: all, ..
        } = &symbol.kind
        {
            nonterminals += 1;
            alternatives += all.len();
            widest = widest.max(all.len());
        }
    }
    let minimum = symbols[grammar.start().0 as usize].minimum;
    let lines = [
        (
            "derives",
            if grammar.derives_utf8() {
                "UTF-8 text".into()
            } else {
                "bytes".to_string()
            },
        ),
        (
            "nonterminals",
            format!(
                "{nonterminals} with {}, at most {widest} each",
                counted(alternatives, "alternative")
            ),
        ),
        (
            "tokens in rules",
            count(|kind| matches!(kind, Kind::Lexeme { .. })).to_string(),
        ),
        (
            "repetitions",
            count(|kind| matches!(kind, Kind::Repeat { .. } | Kind::Run { .. })).to_string(),
        ),
        (
            "identifier terminals",
            count(|kind| matches!(kind, Kind::Identifier { .. })).to_string(),
        ),
        (
            "recursive rules",
            count(|kind| matches!(kind, Kind::Nonterminal { counted: true, .. })).to_string(),
        ),
        (
            "layout",
            grammar.layout().map_or("none".into(), |layout| {
                let texts: Vec<String> = layout
                    .separators
                    .iter()
                    .map(|s| format!("{:?}", String::from_utf8_lossy(s)))
                    .collect();
                format!("separates with {}", texts.join(" or "))
            }),
        ),
        (
            "shortest sentence",
            format!(
                "{}, {}, with the most that separators, indentation and repeated captures take",
                counted(minimum.bytes, "byte"),
                counted(minimum.nodes, "node")
            ),
        ),
        ("fingerprint", format!("{:016x}", grammar.fingerprint())),
    ];
    let mut text: String = lines
        .iter()
        .map(|(name, value)| format!("{name:<22}{value}\n"))
        .collect();
    if grammar.separates_all() {
        text.push_str(
            "note: the tokens are too many or too long for one automaton, so parsing is slow",
        );
        text.push_str(if grammar.layout().is_some() {
            ", and a separator stands between all tokens\n"
        } else {
            "\n"
        });
    }
    text
}
