//! `zester report`: an HTML page about fuzzing campaigns.

mod artifacts;
mod curves;
mod failures;
mod material;
mod page;
mod replay;
mod replay_section;
mod statistics;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use self::material::{Material, ReplayBudget};
use self::replay::Replay;
use self::statistics::RecordedCampaign;
use crate::arguments::seconds;
use crate::chart::COLOURS;
use crate::output::{Existing, print};
use crate::problem::{Problem, shown};

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
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

/// The content of the page.
pub struct Report {
    /// At least one campaign.
    campaigns: Vec<RecordedCampaign>,
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
    fn campaigns(&self) -> Result<Vec<RecordedCampaign>, Problem> {
        let name = |path: &PathBuf| path.file_stem().map(|name| name.to_string_lossy().into());
        let names: Vec<Option<String>> = self.runs.iter().map(name).collect();
        let mut campaigns = Vec::new();
        for (path, name) in self.runs.iter().zip(&names) {
            let is_unique = names.iter().filter(|other| *other == name).count() == 1;
            let name = name.clone().filter(|_| is_unique);
            campaigns.push(RecordedCampaign {
                name: name.unwrap_or_else(|| path.to_string_lossy().into()),
                ..RecordedCampaign::read(path)?
            });
        }
        Ok(campaigns)
    }

    /// Runs each corpus once. The time is divided among them.
    fn replays(&self, campaigns: &[RecordedCampaign]) -> Result<Vec<ReplayOf>, Problem> {
        if self.no_replay {
            return Ok(Vec::new());
        }
        let materials = self.materials(campaigns);
        let count = materials.iter().filter(|(_, found)| found.is_ok()).count();
        let budget = ReplayBudget {
            time: self.replay_for / count.max(1) as u32,
            sample: self.sample.into(),
        };
        let mut replays = Vec::new();
        for (names, material) in materials {
            let replay = match material.and_then(|material| replay::replay(&material, budget)) {
                Ok(replay) => Ok(replay),
                // The user named the target or the corpus, so the command fails.
                Err(problem) if self.target.is_some() || self.corpus.is_some() => {
                    return Err(problem);
                }
                Err(problem) => {
                    let message = problem.message();
                    eprint!("{message}");
                    let message = message.strip_prefix("zester: ").unwrap_or(&message);
                    Err(message.trim_end().into())
                }
            };
            replays.push(ReplayOf { names, replay });
        }
        Ok(replays)
    }

    /// Returns what to run, each with the names of its campaigns, or why a corpus cannot be run.
    /// Campaigns with the same target, corpus and artifacts share a run.
    fn materials(
        &self,
        campaigns: &[RecordedCampaign],
    ) -> Vec<(Vec<String>, Result<Material, Problem>)> {
        let mut materials: Vec<(Vec<String>, Result<Material, Problem>)> = Vec::new();
        for campaign in campaigns {
            let material = self.material(campaign);
            let same = materials.iter_mut().find_map(|(names, other)| {
                let (other, material) = (other.as_mut().ok()?, material.as_ref().ok()?);
                other.is_same(material).then_some((names, other))
            });
            match (same, material) {
                (Some((names, same)), Ok(material)) => {
                    names.push(campaign.name.clone());
                    same.add_failures(material.failures);
                }
                (_, material) => materials.push((vec![campaign.name.clone()], material)),
            }
        }
        materials
    }

    /// Returns what to run for a campaign.
    fn material(&self, campaign: &RecordedCampaign) -> Result<Material, Problem> {
        let name = &campaign.name;
        let missing = |what: &str, option: &str| {
            Problem::new(format!(
                "the statistics of {name} name no {what}; {option} names it"
            ))
        };
        let target = self.target.as_ref().or(campaign.target.as_ref());
        let target = target.ok_or_else(|| missing("target", "--target TARGET"))?;
        let corpus = match &self.corpus {
            Some(directory) => vec![directory.clone()],
            None => campaign.corpus.clone(),
        };
        if corpus.is_empty() {
            return Err(missing("corpus", "--corpus DIR"));
        }
        Ok(Material {
            target: target.clone(),
            corpus,
            artifacts: campaign.artifacts.clone(),
            failures: campaign.failures.clone(),
        })
    }
}

impl Report {
    /// Returns whether the corpus of a campaign was run.
    fn was_run(&self, campaign: &RecordedCampaign) -> bool {
        let mut run = self.replays.iter().filter(|of| of.replay.is_ok());
        run.any(|of| of.names.contains(&campaign.name))
    }

    fn json(&self) -> Value {
        let runs = self.campaigns.iter().map(summary::campaign_json);
        let replays = self.replays.iter().map(|ReplayOf { names, replay }| {
            let mut object = match replay {
                Ok(replay) => summary::replay_json(replay),
                Err(message) => json!({ "problem": message }),
            };
            object["runs"] = json!(names);
            object
        });
        json!({ "runs": runs.collect::<Vec<_>>(), "replays": replays.collect::<Vec<_>>() })
    }
}
