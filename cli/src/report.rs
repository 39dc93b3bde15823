//! `zester report`: an HTML page about fuzzing campaigns.

mod artifacts;
mod curves;
mod date;
mod failures;
mod page;
mod replay;
mod replay_section;
mod statistics;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use self::replay::{Budget, Material, Replay};
use self::statistics::Campaign;
use crate::arguments::seconds;
use crate::chart::COLOURS;
use crate::output::{Existing, print};
use crate::problem::{Problem, shown};

/// The end of the help text.
const EXAMPLES: &str = "\
Statistics:
  A fuzz target appends its statistics to a file every two seconds if it is started with
  ZESTER_STATS=FILE. A target that is started again with the same file continues the campaign: its
  times and counts are added to those of the earlier starts.

Examples:
  ZESTER_STATS=json.jsonl cargo fuzz run json -- -max_total_time=600
  zester report json.jsonl
  zester report old.jsonl new.jsonl -o comparison.html --no-replay
  zester report json.jsonl --target fuzz/target/x86_64-unknown-linux-gnu/release/json --corpus fuzz/corpus/json
  zester report json.jsonl --json

Exit status: 0; 2 if a file cannot be read or written, or if the target given by --target cannot be run.";

/// Write an HTML page about fuzzing campaigns.
///
/// The page has the figures of each campaign, their curves over time side by side, and what each
/// mutator found. If the target and its corpus are there, the corpus is run again: the page then
/// shows the slowest inputs, the inputs whose coverage is not stable, the alternatives of the
/// grammar that no input uses, failures, and some sentences. The page is one file that loads no
/// other file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ReportCommand {
    /// Statistics files of fuzz targets, one for each campaign, at most 8.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,

    /// The file of the page; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,

    /// The built fuzz target that runs the corpora. The default is the target that the statistics
    /// name, if it is still there.
    #[arg(long, value_name = "TARGET", conflicts_with = "no_replay")]
    target: Option<PathBuf>,

    /// The directory of the corpus. The default is the corpus that the statistics name.
    #[arg(long, value_name = "DIR", conflicts_with = "no_replay")]
    corpus: Option<PathBuf>,

    /// The number of sentences of the corpus that are shown, from 0 to 1000.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(..=1000))]
    sample: u16,

    /// The maximum time in seconds for running the corpora and artifacts, from 0.001 to 86400.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    replay_for: Duration,

    /// Run nothing. Show only what is in the statistics.
    #[arg(long)]
    no_replay: bool,

    /// Print the figures of the report as one JSON object, instead of writing a page.
    #[arg(long)]
    json: bool,
}

/// The content of the page.
pub struct Report {
    /// At least one campaign.
    campaigns: Vec<Campaign>,
    replays: Vec<ReplayOf>,
}

/// What was found by running the corpus of campaigns again, or why it could not be run.
struct ReplayOf {
    /// The names of the campaigns with this target and this corpus.
    names: Vec<String>,
    replay: Result<Replay, String>,
}

impl ReportCommand {
    pub fn run(&self) -> Result<ExitCode, Problem> {
        if self.runs.len() > COLOURS.len() {
            return Err(Problem::new(format!(
                "{} statistics files are given, and a report shows at most {}",
                self.runs.len(),
                COLOURS.len()
            )));
        }
        // Fail before the runs, not after them, if the page must not be replaced.
        if !self.json {
            self.existing.may_write(&self.output)?;
        }
        let campaigns = self.campaigns()?;
        let replays = self.replays(&campaigns)?;
        let report = Report { campaigns, replays };
        if self.json {
            print(format!("{:#}\n", report.json()).as_bytes())?;
        } else {
            let page = page::page(&report);
            self.existing.write(&self.output, page.as_bytes())?;
            if self.output.as_os_str() != "-" {
                eprintln!("zester: {} has the report", shown(&self.output));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Reads the statistics files. A campaign has the name of its file without the extension, or the
    /// path if two files have the same name.
    fn campaigns(&self) -> Result<Vec<Campaign>, Problem> {
        let name = |path: &PathBuf| path.file_stem().map(|name| name.to_string_lossy().into());
        let names: Vec<Option<String>> = self.runs.iter().map(name).collect();
        let mut campaigns = Vec::new();
        for (path, name) in self.runs.iter().zip(&names) {
            let is_unique = names.iter().filter(|other| *other == name).count() == 1;
            let name = name.clone().filter(|_| is_unique);
            campaigns.push(Campaign {
                name: name.unwrap_or_else(|| path.to_string_lossy().into()),
                ..Campaign::read(path)?
            });
        }
        Ok(campaigns)
    }

    /// Runs each corpus once. The time is divided among them.
    fn replays(&self, campaigns: &[Campaign]) -> Result<Vec<ReplayOf>, Problem> {
        let materials = self.materials(campaigns);
        let budget = Budget {
            time: self.replay_for / materials.len().max(1) as u32,
            sample: self.sample.into(),
        };
        let mut replays = Vec::new();
        for (names, material) in materials {
            let replay = match replay::replay(&material, budget) {
                Ok(replay) => Ok(replay),
                // The user asked for this run.
                Err(problem) if self.target.is_some() || self.corpus.is_some() => {
                    return Err(problem);
                }
                Err(problem) => {
                    eprint!("{}", problem.message());
                    Err(problem.message())
                }
            };
            replays.push(ReplayOf { names, replay });
        }
        Ok(replays)
    }

    /// Returns the targets and corpora to run, each with the names of its campaigns. Campaigns whose
    /// target or corpus is not there have none.
    fn materials(&self, campaigns: &[Campaign]) -> Vec<(Vec<String>, Material)> {
        let mut materials: Vec<(Vec<String>, Material)> = Vec::new();
        for campaign in campaigns.iter().filter(|_| !self.no_replay) {
            let found = campaign.target.clone().filter(|target| target.is_file());
            let Some(target) = self.target.clone().or(found) else {
                continue;
            };
            let corpus = match &self.corpus {
                Some(directory) => vec![directory.clone()],
                None => campaign.corpus.clone(),
            };
            if self.corpus.is_none() && !corpus.iter().any(|directory| directory.is_dir()) {
                continue;
            }
            let same = |(_, other): &&mut (Vec<String>, Material)| {
                other.target == target
                    && other.corpus == corpus
                    && other.artifacts == campaign.artifacts
            };
            let failures = campaign.failures.clone();
            match materials.iter_mut().find(same) {
                Some((names, material)) => {
                    names.push(campaign.name.clone());
                    for (signature, count) in failures {
                        *material.failures.entry(signature).or_default() += count;
                    }
                }
                None => materials.push((
                    vec![campaign.name.clone()],
                    Material {
                        target,
                        corpus,
                        artifacts: campaign.artifacts.clone(),
                        failures,
                    },
                )),
            }
        }
        materials
    }
}

impl Report {
    fn json(&self) -> Value {
        let runs = self.campaigns.iter().map(summary::campaign_json);
        let replays = self.replays.iter().map(|ReplayOf { names, replay }| {
            let mut object = match replay {
                Ok(replay) => summary::replay_json(replay),
                Err(message) => json!({ "problem": message.trim_end() }),
            };
            object["runs"] = json!(names);
            object
        });
        json!({ "runs": runs.collect::<Vec<_>>(), "replays": replays.collect::<Vec<_>>() })
    }
}
