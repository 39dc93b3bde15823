//! Compares fuzzing with one feature of zester on and off.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::campaign::{Campaign, crashes};
use crate::edges::Edges;
use crate::figures::comparison;
use crate::results::{self, Reached};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::{file, grammar_of};
use zester_xtask::zester::Zester;

/// The feature that the second side changes.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum ChangedFeature {
    /// Validity feedback: on; off.
    Feedback,
    /// Mutators: all; only Zest's bursts, which change one choice.
    Mutators,
    /// Edits of the text of sentences: on; off.
    Negative,
    /// Words that the program looks for: found and used; not.
    Words,
    /// Invalid inputs: valid ones are mutated instead; mutated, as libFuzzer asks for it.
    Parents,
    /// Weighting of inputs by execution time: on, as zester sets it; off, as libFuzzer sets it.
    Time,
    /// Seeds: none; the texts of corpus/ or of --seeds.
    Seeds,
    /// The grammar: the target's; the file of --other.
    Grammar,
}

/// Fuzzes with one feature unchanged and changed, and compares the covered edges.
///
/// Each run begins with an empty corpus and uses its number as libFuzzer's seed. The sides take
/// turns. After a crash, a run continues with its corpus; panics of a subject only reject their input. At
/// the end the corpora are decoded, and a program without zester counts their edges. Prints medians
/// and A12 of edges, of edges that valid sentences cover, and of executions.
#[derive(clap::Args)]
pub struct Ablation {
    /// The feature that the second side changes.
    what: ChangedFeature,
    /// The number of runs of each side.
    #[arg(default_value_t = 5, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The duration of a run in seconds.
    #[arg(default_value_t = 180, default_value_if("quick", "true", "3"))]
    seconds: u64,
    /// The fuzz targets.
    #[arg(default_values_t = ["wgsl".to_owned()], default_value_if("quick", "true", "json"))]
    targets: Vec<String>,
    /// End a run after this many executions, if its time has not ended it before.
    #[arg(long)]
    executions: Option<u64>,
    /// With `seeds`: the directory of texts [default: corpus/LANGUAGE].
    #[arg(long, value_name = "DIR")]
    seeds: Option<PathBuf>,
    /// With `grammar`: another grammar of the language.
    #[arg(long, value_name = "FILE", required_if_eq("what", "grammar"))]
    other: Option<PathBuf>,
    /// The grammar of both sides [default: the target's].
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    both: Option<PathBuf>,
    /// The directory for the results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Ablation {
    /// Returns the environment variable or the flag of libFuzzer that makes the change.
    fn change(&self, language: &str) -> String {
        match self.what {
            ChangedFeature::Feedback => "ZESTER_EXPERIMENT=feedback=0".into(),
            ChangedFeature::Mutators => "ZESTER_EXPERIMENT=mutators=burst".into(),
            ChangedFeature::Negative => "ZESTER_NEGATIVE=0".into(),
            ChangedFeature::Words => "ZESTER_EXPERIMENT=mutators=-word+-string".into(),
            ChangedFeature::Parents => "ZESTER_EXPERIMENT=parents=any".into(),
            ChangedFeature::Time => "-entropic_scale_per_exec_time=0".into(),
            ChangedFeature::Seeds => {
                let seeds = self
                    .seeds
                    .clone()
                    .unwrap_or_else(|| file("corpus").join(language));
                format!("ZESTER_SEEDS={}", seeds.display())
            }
            ChangedFeature::Grammar => format!(
                "ZESTER_GRAMMAR={}",
                self.other.clone().unwrap_or_default().display()
            ),
        }
    }

    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        for target in &self.targets {
            programs::fuzz_target(
                target,
                Sanitizer::None,
                Engine::Libfuzzer,
                &out.join(target),
            )?;
        }
        for target in &self.targets {
            let own = grammar_of(target)?;
            let (grammar, edges) = (self.both.clone().unwrap_or(own), Edges::build(target)?);
            let language = grammar
                .file_stem()
                .context("a grammar has a name")?
                .to_string_lossy()
                .into_owned();
            let change = self.change(&language);
            let mut sides = [Vec::new(), Vec::new()];
            for run in 1..=self.runs {
                for (side, reached) in ["whole", "changed"].iter().zip(&mut sides) {
                    let directory = out.join(format!("{target}-{side}-{run}"));
                    let mut campaign =
                        Campaign::new(&out.join(target), &directory, run, self.seconds)
                            .hunting("none");
                    campaign.executions = self.executions;
                    if let Some(both) = &self.both {
                        apply(&format!("ZESTER_GRAMMAR={}", both.display()), &mut campaign);
                    }
                    if *side == "changed" {
                        apply(&change, &mut campaign);
                    }
                    campaign.run()?;
                    let used = self
                        .other
                        .as_ref()
                        .filter(|_| *side == "changed")
                        .unwrap_or(&grammar);
                    let figures = Reached::by(&zester, &edges, used, &directory)?;
                    figures.append(&out.join(format!("{target}-{side}.jsonl")))?;
                    println!(
                        "{target}, run {run}, {side}, {} crashes: {}",
                        crashes(&directory)?,
                        figures.json()
                    );
                    reached.push(figures);
                }
            }
            type Figure = fn(&Reached) -> f64;
            let figures: [(&str, Figure); 3] = [
                ("edges", |of| of.edges),
                ("edges_valid", |of| of.edges_valid),
                ("executions", |of| of.executions),
            ];
            for (name, figure) in figures {
                let [whole, changed] = sides
                    .each_ref()
                    .map(|side| side.iter().map(figure).collect::<Vec<_>>());
                println!("\n== {target}, {name}; first: unchanged, second: {change}");
                print!("{}", comparison(&whole, &changed));
            }
        }
        println!("\nresults in {}", fs::canonicalize(out)?.display());
        Ok(())
    }
}

/// Sets an environment variable, `NAME=VALUE`, or a flag of libFuzzer, `-NAME=VALUE`.
fn apply(change: &str, campaign: &mut Campaign) {
    match change.split_once('=') {
        Some((name, value)) if !name.starts_with('-') => {
            campaign.environment.push((name.into(), value.into()))
        }
        _ => campaign.flags.push(change.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_change_is_a_variable_or_a_flag() {
        let mut campaign = Campaign::new(Path::new("p"), Path::new("d"), 1, 1);
        apply("ZESTER_NEGATIVE=0", &mut campaign);
        apply("-entropic_scale_per_exec_time=0", &mut campaign);
        assert_eq!(
            campaign.environment,
            [("ZESTER_NEGATIVE".to_owned(), "0".to_owned())]
        );
        assert_eq!(campaign.flags, ["-entropic_scale_per_exec_time=0"]);
    }
}
