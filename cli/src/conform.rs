//! `zester conform`: finds where a parser and a grammar differ, by positive and negative suites.

mod differences;
mod page;
mod parser;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use zester::bounds::Caps;
use zester::suite::{Criterion, NegativeOptions, PositiveOptions, SuiteMaker, TokenTexts};

use self::differences::{Differences, Kind};
use self::parser::{Answer, Parser};
use crate::arguments;
use crate::input::grammar;
use crate::output::{Existing, print};
use crate::problem::Problem;
use crate::progress::{progress, waiting};

/// The end of the help text.
const EXAMPLES: &str = "\
Examples:
  zester conform fuzz/target/x86_64-unknown-linux-gnu/release/json json.ebnf
  zester conform luac5.4 lua.ebnf -- -p
  zester conform jq jq.ebnf --html differences.html -- -n -f

Exit status: 0 if the program and the grammar agree; 1 if they differ, or if the grammar has errors; 2 if the command failed for
another reason.";

/// Find out where a parser and a grammar differ.
///
/// Runs a program on the sentences of positive suites, which it should accept, and on the texts of
/// a negative suite, which it should refuse; see `zester suite`. A fuzz target accepts what it
/// reports as valid. Any other program runs once for each text, with the path of a file as its last
/// argument (or in the place of the argument `{}`). It accepts a text if its exit status is 0.
///
/// Lists the sentences that are refused, the other texts that are accepted, and errors that the
/// program reports elsewhere than the grammar says, if its output has a line and a column.
/// Differences are grouped by the rule of the grammar and the edit. The first text of each group is
/// the smallest.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Conform {
    /// The parser: a fuzz target, or any other program.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    /// The grammar: a file in zester's EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// What the sentences of the positive suites cover; `zester suite --help` describes the
    /// criteria. Random suites cannot be used.
    #[arg(short, long, value_name = "NAME", default_value = "cdrc")]
    criterion: Criterion,

    /// How tokens are made: `least`, `ranges` or `boundaries`; see `zester suite --help`.
    #[arg(long, value_name = "HOW", default_value = "ranges")]
    tokens: TokenTexts,

    /// The maximum number of sentences, and of negative texts.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    limit: usize,

    /// The maximum time of a run in seconds, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = arguments::seconds)]
    timeout: Duration,

    /// Write all differences as a page of HTML to this file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    /// Arguments for the program, if it is no fuzz target.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl Conform {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let mut parser = Parser::of(&self.program, &self.arguments, self.timeout)?;
        let waiting = waiting("makes texts");
        let maker = SuiteMaker::new(&grammar);
        let options = PositiveOptions {
            criterion: self.criterion,
            tokens: self.tokens,
            is_packed: false,
            limit: self.limit,
        };
        let mut sentences = maker.positive(&options).sentences;
        sentences.truncate(self.limit);
        let tokens = sentences.iter().map(|sentence| &sentence.tokens[..]);
        let negative = maker
            .negative(tokens, &NegativeOptions { limit: self.limit })
            .texts;
        drop(waiting);
        let mut differences = Differences::default();
        let bar = progress((sentences.len() + negative.len()) as u64, "texts");
        for sentence in &sentences {
            bar.inc(1);
            let goal = sentence.goals.first().map_or("", |goal| goal);
            match parser.ask(&sentence.text)? {
                Answer::Accepts => {}
                Answer::Refuses { message, .. } => {
                    differences.add(
                        Kind::Refused,
                        &sentence.rule,
                        goal,
                        &sentence.text,
                        &message,
                    );
                }
                Answer::Fails(what) => {
                    differences.add(Kind::Failed, &sentence.rule, goal, &sentence.text, &what)
                }
            }
        }
        for text in &negative {
            bar.inc(1);
            let operator = text
                .operators
                .first()
                .map_or(String::new(), ToString::to_string);
            match parser.ask(&text.text)? {
                Answer::Accepts => {
                    let expected = format!(
                        "{}:{}: expected {}",
                        text.line,
                        text.column,
                        text.expected.join(", ")
                    );
                    differences.add_edit(
                        Kind::Accepted,
                        &text.rule,
                        &operator,
                        &text.edit,
                        &text.text,
                        &expected,
                    );
                }
                Answer::Refuses {
                    place: Some(place), ..
                } if place != (text.line, text.column) => {
                    let places = format!(
                        "at {}:{}, expected at {}:{}",
                        place.0, place.1, text.line, text.column
                    );
                    differences.add_edit(
                        Kind::Misplaced,
                        &text.rule,
                        &operator,
                        &text.edit,
                        &text.text,
                        &places,
                    );
                }
                Answer::Refuses { .. } => {}
                Answer::Fails(what) => differences.add_edit(
                    Kind::Failed,
                    &text.rule,
                    &operator,
                    &text.edit,
                    &text.text,
                    &what,
                ),
            }
        }
        bar.finish_and_clear();
        let run = format!(
            "{} sentences and {} other texts",
            sentences.len(),
            negative.len()
        );
        if let Some(file) = &self.html {
            let page = page::page(&self.program, &self.grammar, &run, &differences);
            self.existing.write(file, page.as_bytes())?;
        }
        print(differences.text(&run).as_bytes())?;
        Ok(ExitCode::from(u8::from(!differences.is_empty())))
    }
}
