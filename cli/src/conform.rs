//! `zester conform`: finds the differences between a parser and a grammar with positive and
//! negative suites.

mod differences;
mod names;
mod page;
mod parser_under_test;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::suite::{Criterion, PositiveOptions, SuiteMaker, TokenTexts};

use self::differences::{DifferenceKind, Differences, DifferingText, GroupKey};
use self::parser_under_test::{ParserUnderTest, Verdict};
use crate::arguments;
use crate::input::grammar;
use crate::numbers::counted;
use crate::output::{Existing, print};
use crate::problem::Problem;
use crate::progress::{progress, waiting};

const EXAMPLES: &str = "\
Examples:
  zester conform json json.ebnf
  zester conform luac5.4 lua.ebnf -- -p
  zester conform jq jq.ebnf --html differences.html -- -n -f
  zester conform wgsl wgsl.ebnf --names

Exit status: 0 if the program and the grammar agree; 1 if they differ, or if the grammar has errors; 2 if the command failed for
another reason.";

/// Find the differences between a parser and a grammar.
///
/// Runs a program on the sentences of positive suites, which it should accept, and on the texts of
/// a negative suite, which it should refuse; see `zester suite`. A fuzz target accepts what it
/// reports as valid. Any other program runs once for each text, with the path of a file as its last
/// argument (or in place of the argument `{}`). It accepts a text if its exit status is 0.
///
/// The texts ignore names and types: in a grammar with names they use names that they do not
/// declare. So the program must be a parser that does not check names and types. With --names it is
/// a checker instead. It should accept the sentences of `zester suite`, which declare their names,
/// and refuse the texts with one wrong name of `zester suite --negative --names`. The sentence
/// without the fault runs first; if the program refuses it, the text is left out.
///
/// Lists the sentences that the program refuses, the other texts that it accepts, the texts for
/// which it crashes or does not end, and the errors that it reports at another position than the
/// grammar gives. The position is the first line and column in its output, or in the reason that a
/// fuzz target reports. Differences are grouped
/// by the rule of the grammar and the kind of edit. Of each group, the smallest text is shown.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConformCommand {
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

    /// The texts of tokens: `smallest`, `ranges` or `boundaries`; see `zester suite --help`.
    #[arg(long, value_name = "HOW", default_value = "ranges")]
    tokens: TokenTexts,

    /// Test how the program checks names and types instead of its syntax. The grammar must have
    /// names.
    #[arg(long, conflicts_with = "tokens")]
    names: bool,

    /// The maximum number of sentences, and of negative texts.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    limit: usize,

    /// The seed of the random numbers: which texts are made if the limit does not allow all of
    /// them.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The maximum time of a run in seconds, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = arguments::seconds)]
    timeout: Duration,

    /// Write all groups of differences as an HTML page to this file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    /// Arguments for the program. A fuzz target takes none.
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

impl ConformCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let mut parser = ParserUnderTest::of(&self.program, &self.arguments, self.timeout)?;
        let Comparison {
            run,
            table,
            differences,
        } = match self.names {
            true if !grammar.has_names() => {
                let what = "declares no names (@declare), so no name can be wrong";
                return Err(Problem::with(&self.grammar, what));
            }
            true => {
                let texts = names::NamedTexts {
                    criterion: self.criterion,
                    limit: self.limit,
                    seed: self.seed,
                };
                names::compare(&grammar, &mut parser, texts)?
            }
            false => self.compare_syntax(&grammar, &mut parser)?,
        };
        if let Some(file) = &self.html {
            let summary = format!("{run}\n{table}");
            let page = page::page(&self.program, &self.grammar, &summary, &differences);
            self.existing.write(file, page.as_bytes())?;
        }
        print(differences.text(&format!("{run}\n{table}")).as_bytes())?;
        Ok(ExitCode::from(u8::from(!differences.is_empty())))
    }

    /// Runs the parser on positive suites and on a negative suite.
    fn compare_syntax(
        &self,
        grammar: &Grammar,
        parser: &mut ParserUnderTest,
    ) -> Result<Comparison, Problem> {
        if grammar.has_names() {
            eprintln!(
                "zester: warning: the texts ignore the names and types of this grammar, so a program that checks them refuses \
                 most of the sentences.\n  Run only its parser, or give --names"
            );
        }
        let waiting = waiting("making texts");
        let maker = SuiteMaker::new(grammar).map_err(Problem::new)?;
        let options = PositiveOptions::new(self.criterion)
            .tokens(self.tokens)
            .limit(self.limit);
        let mut sentences = maker.positive(&options).sentences;
        sentences.truncate(self.limit);
        let tokens = sentences.iter().map(|sentence| &sentence.tokens[..]);
        let negative = maker.negative(tokens, self.limit, self.seed);
        drop(waiting);
        let mut differences = Differences::default();
        let bar = progress((sentences.len() + negative.texts.len()) as u64, "texts");
        for sentence in &sentences {
            bar.inc(1);
            differences.add_sentence(sentence, parser.run(&sentence.text)?);
        }
        for text in &negative.texts {
            bar.inc(1);
            let error = || format!("expected {}", text.expected.join(", "));
            let verdict = parser.run(&text.text)?;
            let expected = ErrorPosition::new(&text.text, text.byte);
            let Some((kind, detail)) = misjudgement(expected, &error, verdict) else {
                continue;
            };
            let operator = text.operators.first().map(ToString::to_string);
            let key = GroupKey {
                kind,
                rule: text.rule.clone(),
                operator: operator.unwrap_or_default(),
            };
            let text = DifferingText {
                text: text.text.clone(),
                origin: text.edit.clone(),
                detail,
            };
            differences.add(key, text);
        }
        bar.finish_and_clear();
        Ok(Comparison {
            run: format!(
                "{} and {}, by edits of {} of {}",
                counted(sentences.len(), "sentence"),
                counted(negative.texts.len(), "other text"),
                negative.edited_rules(),
                counted(negative.rules, "rule")
            ),
            table: String::new(),
            differences,
        })
    }
}

/// What a comparison of a parser and a grammar found.
struct Comparison {
    /// How many texts were run.
    run: String,
    /// A table of figures, or nothing.
    table: String,
    differences: Differences,
}

/// The position of an error. Programs count columns in characters or in bytes.
#[derive(Clone, Copy)]
struct ErrorPosition {
    /// The line, from 1.
    line: usize,
    /// The column in characters, from 1.
    column: usize,
    /// The column in bytes, from 1.
    byte_column: usize,
}

impl ErrorPosition {
    fn new(text: &[u8], offset: usize) -> ErrorPosition {
        let before = &text[..offset.min(text.len())];
        let line = before.split(|&byte| byte == b'\n').next_back();
        let line = line.unwrap_or_default();
        ErrorPosition {
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            column: String::from_utf8_lossy(line).chars().count() + 1,
            byte_column: line.len() + 1,
        }
    }

    fn is(&self, (line, column): (usize, usize)) -> bool {
        line == self.line && (column == self.column || column == self.byte_column)
    }
}

/// Returns the difference between the verdict on a negative text and what the grammar expects, with
/// its description. `error` describes the error that the text has at `expected`. Returns [`None`] if
/// there is no difference.
fn misjudgement(
    expected: ErrorPosition,
    error: &dyn Fn() -> String,
    verdict: Verdict,
) -> Option<(DifferenceKind, String)> {
    let ErrorPosition { line, column, .. } = expected;
    match verdict {
        Verdict::Accepts => {
            let error = format!("{line}:{column}: {}", error());
            Some((DifferenceKind::Accepted, error))
        }
        Verdict::Refuses {
            position: Some(position),
            ..
        } if !expected.is(position) => {
            let positions = format!(
                "at {}:{}, expected at {line}:{column}",
                position.0, position.1
            );
            Some((DifferenceKind::Misplaced, positions))
        }
        Verdict::Refuses { .. } => None,
        Verdict::Fails(what) => Some((DifferenceKind::Failed, what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_characters_or_in_bytes() {
        let text = "a\néé x".as_bytes();
        let expected = ErrorPosition::new(text, text.len() - 1);
        let is = |position| expected.is(position);
        assert!(is((2, 4)) && is((2, 6)) && !is((2, 5)) && !is((1, 4)));
        assert!(ErrorPosition::new(b"", 7).is((1, 1)));
    }
}
