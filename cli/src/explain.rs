//! `zester explain`: shows which choices are common, rare and absent in samples.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::weights::{Chosen, Probabilities, Table, Weights};

use crate::input::grammar;
use crate::learn::{TransformOptions, weights};
use crate::numbers::{counted, percent};
use crate::output::{Existing, print};
use crate::problem::Problem;
use crate::weights_page::{self, Frequency, Tally};

const EXAMPLES: &str = "\
Examples:
  zester explain json.ebnf common.json
  zester explain json.ebnf common.json --html common.html

Exit status: 0; 1 if the grammar has errors; 2 if a file cannot be read or written.";

/// Show which choices are common, rare and absent in the samples of a weights file.
///
/// Prints one line for each alternative of each rule, and for each name of an identifier that samples
/// chose: its probability, the number of times that samples chose it, and its text. The most probable
/// ones come first; names that samples never chose share one line. A rule with arguments has a list
/// for each combination of their values, without the alternatives that these values forbid. An
/// alternative with an undeclared name counts like the same alternative with a declared name.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainCommand {
    /// The grammar: a file in zester's EBNF, or a built fuzz target.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// The weights file, which `zester learn` wrote.
    #[arg(value_name = "WEIGHTS")]
    weights: PathBuf,

    #[command(flatten)]
    transform: TransformOptions,

    /// Also show repetition counts, characters, case and layout, besides alternatives and names.
    #[arg(short, long)]
    all: bool,

    /// Show only choices that samples could make and never made.
    #[arg(long)]
    never: bool,

    /// Also write an HTML page to this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

/// The width of a bar in characters.
const BAR: usize = 20;

/// The characters that fill 0 to 7 eighths of a column, for the end of a bar.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The maximum number of texts in the line of options that samples never chose.
const NAMED: usize = 10;

impl ExplainCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let weights = weights(&self.weights, &grammar)?;
        let transform = self.transform.of(weights.transform);
        let probabilities = Probabilities::new(&grammar, &weights, transform)
            .map_err(|problem| Problem::with(&self.weights, problem))?;
        let mut tables = probabilities.explain(&grammar, &weights);
        tables.retain(|table| self.all || table.is_syntax);
        if let Some(path) = &self.html {
            self.existing.write(
                path,
                weights_page::page(&self.grammar, &weights, transform, &tables).as_bytes(),
            )?;
        }
        let what = alternatives(&grammar);
        let mut text = summary(&weights, &probabilities, &tables, what);
        if self.never {
            tables
                .iter_mut()
                .for_each(|table| table.chosen.retain(|chosen| chosen.count == 0.0));
            tables.retain(|table| table.times > 0.0 && !table.chosen.is_empty());
        }
        tables
            .iter_mut()
            .filter(|table| !table.is_rule)
            .for_each(join);
        let counts = tables
            .iter()
            .flat_map(|table| &table.chosen)
            .map(|chosen| weights_page::count(chosen.count).len());
        let style = Style {
            is_coloured: is_coloured(),
            count: counts.max().unwrap_or(0),
        };
        tables
            .iter()
            .for_each(|table| style.table(table, &mut text));
        print(text.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the word for alternatives in the summary.
fn alternatives(grammar: &Grammar) -> &'static str {
    match grammar.has_names() {
        true => "alternatives (those of a rule with arguments count for each value)",
        false => "alternatives",
    }
}

/// Describes the samples and the frequencies of alternatives in a few lines.
fn summary(
    weights: &Weights,
    probabilities: &Probabilities,
    tables: &[Table],
    what: &str,
) -> String {
    let mean = weights.mean_expansions();
    let mut text = format!(
        "{}, {mean:.1} expansions on average, context {}\n",
        counted(weights.samples(), "sample"),
        weights.context()
    );
    let tally = Tally::of(tables.iter().filter(|table| table.is_rule));
    let _ = writeln!(text, "{what}: {}", tally.words());
    if !probabilities.endless().is_empty() {
        text.push_str("with these weights alone, some derivations would never end; `zester generate` completes them with as few further expansions as possible\n");
    }
    text
}

/// Replaces all options that samples never chose by one option, whose text names the first [`NAMED`]
/// of them.
fn join(table: &mut Table) {
    let (never, mut chosen): (Vec<_>, Vec<_>) = table
        .chosen
        .drain(..)
        .partition(|chosen| chosen.count == 0.0);
    if !never.is_empty() {
        let named: Vec<&str> = never
            .iter()
            .take(NAMED)
            .map(|chosen| &*chosen.name)
            .collect();
        let more = never.len() - named.len();
        let name = named.join(", ")
            + &(if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            });
        chosen.push(Chosen {
            name,
            count: 0.0,
            probability: never.iter().map(|chosen| chosen.probability).sum(),
        });
    }
    chosen.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    table.chosen = chosen;
}

/// Returns whether standard output is a terminal that may show colours (<https://no-color.org>).
pub fn is_coloured() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The style of printed tables.
struct Style {
    is_coloured: bool,
    /// The width of a count in characters.
    count: usize,
}

impl Style {
    fn table(&self, table: &Table, text: &mut String) {
        let [bold, faint] = ["1", "2"].map(|code| self.code(code));
        let code = if table.times > 0.0 { bold } else { faint };
        let _ = writeln!(
            text,
            "\n{code}{}{} ({})",
            table.name,
            self.code("0"),
            weights_page::times(table.times)
        );
        table
            .chosen
            .iter()
            .for_each(|chosen| self.line(Frequency::of(table, chosen), chosen, text));
    }

    fn line(&self, frequency: Frequency, chosen: &Chosen, text: &mut String) {
        let code = match frequency {
            Frequency::Common => "36",
            Frequency::Rare => "33",
            Frequency::Never => "35",
            Frequency::Unreached => "2",
        };
        let (percent, bar, count) = (
            percent(chosen.probability),
            bar(chosen.probability),
            weights_page::count(chosen.count),
        );
        let (start, end, width) = (self.code(code), self.code("0"), self.count);
        let _ = writeln!(
            text,
            "  {start}{percent:>8}  {bar:BAR$}  {count:>width$}  {}{end}",
            chosen.name
        );
    }

    /// Returns the escape sequence with a code of a style, or nothing without colours. The code `0`
    /// ends all styles.
    fn code(&self, code: &str) -> String {
        if self.is_coloured {
            format!("\x1b[{code}m")
        } else {
            String::new()
        }
    }
}

/// Returns a bar for a probability. It is empty only for 0.
fn bar(probability: f64) -> String {
    let eighths = (8.0 * BAR as f64 * probability).round() as usize;
    let eighths = eighths.max(usize::from(probability > 0.0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}
