//! `zester explain`: what is common, rare and never seen in samples.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use zester::bounds::Caps;
use zester::weights::{Chosen, Probabilities, Weights};

use super::learn::{Change, weights};
use super::{Problem, grammar, print};

/// Show what is common, rare and never seen in the samples that weights were learned from.
///
/// A line for each alternative of each rule: its probability, how often samples chose it, and what it is; the most probable
/// first. With --invert, what uncommon inputs choose.
#[derive(clap::Args)]
pub struct Explain {
    /// The grammar, in EBNF.
    #[arg(value_name = "GRAMMAR")]
    grammar: PathBuf,

    /// A file that `zester learn` wrote.
    #[arg(value_name = "WEIGHTS")]
    weights: PathBuf,

    #[command(flatten)]
    change: Change,

    /// Also what is chosen but alternatives and names: counts, characters, case, layout.
    #[arg(short, long)]
    all: bool,

    /// Only what samples never chose although they could.
    #[arg(long)]
    never: bool,

    /// Write a picture of it, an HTML page, to this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Characters of a bar.
const BAR: usize = 20;

impl Explain {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        let grammar = grammar(&self.grammar, &Caps::default())?;
        let weights = weights(&self.weights, &grammar)?;
        let transform = self.change.of(weights.transform);
        let probabilities =
            Probabilities::new(&grammar, &weights, transform).map_err(|problem| Problem::with(&self.weights, problem))?;
        let mut tables = probabilities.explain(&grammar, &weights);
        tables.retain(|table| self.all || table.is_syntax);
        if self.never {
            tables.iter_mut().for_each(|table| table.chosen.retain(|chosen| chosen.count == 0.0));
            tables.retain(|table| table.times > 0.0 && !table.chosen.is_empty());
        }
        let mut text = summary(&weights, &probabilities);
        for table in &tables {
            let times = if table.times > 0.0 { format!("{} times", table.times) } else { "never asked".into() };
            let _ = writeln!(text, "\n{} ({times})", table.name);
            table.chosen.iter().for_each(|chosen| line(chosen, &mut text));
        }
        print(text.as_bytes())?;
        if let Some(path) = &self.html {
            std::fs::write(path, super::html::page(&self.grammar, &weights, transform, &tables))
                .map_err(|error| Problem::with(path, error))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn summary(weights: &Weights, probabilities: &Probabilities) -> String {
    let mean = weights.mean_expansions();
    let mut text = format!("{} samples of {mean:.1} expansions, context {}\n", weights.samples(), weights.context());
    if !probabilities.endless().is_empty() {
        text.push_str("by the weights alone, not all sentences end; those are ended by the shortest derivations\n");
    }
    text
}

fn line(chosen: &Chosen, text: &mut String) {
    let bar = "█".repeat((chosen.probability * BAR as f64).round() as usize);
    let count = if chosen.count > 0.0 { format!("{}", chosen.count) } else { "never".into() };
    let _ = writeln!(text, "  {:6.2} %  {bar:BAR$}  {count:>8}  {}", 100.0 * chosen.probability, chosen.name);
}
