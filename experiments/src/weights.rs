//! Compares mutations that draw new subtrees by weights of samples with mutations that draw them
//! without weights.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::campaign::Campaign;
use crate::edges::Edges;
use crate::figures::{a12, median};
use crate::results::{self, Reached};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::{file, grammar_of};
use zester_xtask::zester::Zester;

/// The modes, each with its value of ZESTER_MIX: how often new subtrees are drawn by learned
/// weights, by inverted weights, and without weights.
const MODES: [(&str, &str); 5] = [
    ("uniform", "0:0:1"),
    ("common", "1:0:0"),
    ("uncommon", "0:1:0"),
    ("half", "1:0:1"),
    ("mixed", "1:1:2"),
];

/// Fuzzes with mutations that draw new subtrees by weights of samples, and compares mixtures of
/// weights.
///
/// The modes, which take turns, are `uniform` (no weights), `common` (learned), `uncommon`
/// (inverted), `half` (half learned, half uniform) and `mixed` (a quarter learned, a quarter
/// inverted, half uniform). Each run begins with an empty corpus and uses its number as libFuzzer's
/// seed. After a crash, a run continues with its corpus. A panic is no crash here; the sentence
/// counts as invalid. Prints medians, and A12 of each mode against `uniform`.
#[derive(clap::Args)]
pub struct Weights {
    /// The number of runs of each mode.
    #[arg(default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The duration of a run in seconds.
    #[arg(default_value_t = 180, default_value_if("quick", "true", "2"))]
    seconds: u64,
    /// The fuzz targets.
    #[arg(default_values_t = ["wgsl", "sql", "lua"].map(String::from), default_value_if("quick", "true", "json"))]
    targets: Vec<String>,
    /// The directory of samples [default: corpus/NAME, if the grammar is grammars/NAME.ebnf].
    #[arg(long, value_name = "DIR")]
    samples: Option<PathBuf>,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Weights {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        let mut edges = BTreeMap::new();
        for target in &self.targets {
            programs::fuzz_target(
                target,
                Sanitizer::None,
                Engine::Libfuzzer,
                &out.join(target),
            )?;
            let grammar = grammar_of(target)?;
            let language = grammar.file_stem().context("a grammar has a name")?;
            let samples = self
                .samples
                .clone()
                .unwrap_or_else(|| file("corpus").join(language));
            zester.learn(
                &grammar,
                &[samples],
                &[],
                &out.join(format!("{target}.weights")),
            )?;
            edges.insert(target, Edges::build(target)?);
        }
        let mut reached: BTreeMap<(&String, &str), Vec<Reached>> = BTreeMap::new();
        for run in 1..=self.runs {
            for target in &self.targets {
                for (mode, mix) in MODES {
                    let directory = out.join(format!("{target}-{mode}-{run}"));
                    let mut campaign =
                        Campaign::new(&out.join(target), &directory, run, self.seconds)
                            .hunting("none");
                    let weights = out.join(format!("{target}.weights")).display().to_string();
                    campaign.environment.extend([
                        ("ZESTER_WEIGHTS".into(), weights),
                        ("ZESTER_MIX".into(), mix.into()),
                    ]);
                    campaign.run()?;
                    let figures =
                        Reached::by(&zester, &edges[target], &grammar_of(target)?, &directory)?;
                    figures.append(&out.join(format!("{target}-{mode}.jsonl")))?;
                    println!("{target}, run {run}, {mode}: {}", figures.json());
                    reached.entry((target, mode)).or_default().push(figures);
                }
            }
        }
        println!(
            "\n{:10} {:9} {:>7} {:>5} {:>8} {:>5} {:>7} {:>11}",
            "target", "mode", "edges", "A12", "valid e.", "A12", "valid", "executions"
        );
        for target in &self.targets {
            for (mode, _) in MODES {
                let (these, uniform) = (&reached[&(target, mode)], &reached[&(target, "uniform")]);
                println!(
                    "{target:10} {mode:9} {}",
                    row(these, (mode != "uniform").then_some(uniform))
                );
            }
        }
        println!("\nresults in {}", out.display());
        Ok(())
    }
}

/// Returns the figures of a mode: medians, and if there is another mode, A12 against it.
fn row(runs: &[Reached], other: Option<&Vec<Reached>>) -> String {
    let of =
        |runs: &[Reached], figure: fn(&Reached) -> f64| runs.iter().map(figure).collect::<Vec<_>>();
    let against = |figure| {
        other.map_or(String::new(), |other| {
            format!("{:.2}", a12(&of(runs, figure), &of(other, figure)))
        })
    };
    let middle = |figure| median(of(runs, figure));
    format!(
        "{:7.0} {:>5} {:8.0} {:>5} {:5.1} % {:11.0}",
        middle(|run| run.edges),
        against(|run| run.edges),
        middle(|run| run.edges_valid),
        against(|run| run.edges_valid),
        middle(Reached::valid_percent),
        middle(|run| run.executions)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_medians_and_effects() {
        let runs = [1.0, 3.0].map(|edges| Reached {
            edges,
            edges_valid: edges,
            executions: 10.0,
            valid_executions: 5.0,
            corpus: 0.0,
        });
        assert_eq!(
            row(&runs, None),
            "      2              2        50.0 %          10"
        );
        assert_eq!(
            row(&runs[1..], Some(&runs[..1].to_vec())),
            "      3  1.00        3  1.00  50.0 %          10"
        );
    }
}
