//! Repeats the experiments of the paper on FdLoop with `zester evolve`.

mod question;
mod samples;
mod tables;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use zester_xtask::command::quietly;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::Zester;

use self::question::{Choices, Question, Setting};
use self::tables::Tables;
use crate::campaign::in_parallel;
use crate::results;

/// Repeats the experiments of the paper on FdLoop with `zester evolve`, on programs under test.
///
/// The samples are files that people wrote (test data of published packages, fetched to target/files;
/// those of corpus/ if a language has none), and sentences of `zester generate` if there are not enough. The strategies
/// zester and paper run once for each goal; the others depend on no goal. Prints for each question
/// and goal the medians of all repetitions, and on how many targets one setting has a greater median
/// than another, with the effect size A12 and the p of Mann and Whitney's U test.
///
/// Each evolution is appended to DIR/results.jsonl when it ends. The same command goes on after an
/// interruption, and questions share evolutions.
#[derive(clap::Args)]
pub struct Evolve {
    /// The fuzz targets.
    #[arg(
        default_values_t = [
            "json", "css", "cel_old", "jinja_old", "jq_old", "wgsl_old", "sql", "lua",
        ].map(String::from),
        default_value_if("quick", "true", "json")
    )]
    targets: Vec<String>,
    /// The questions.
    #[arg(
        long,
        value_name = "QUESTION",
        value_delimiter = ',',
        value_enum,
        default_value = "rq1,rq2,rq3,rq4,all-goals"
    )]
    questions: Vec<Question>,
    /// The numbers of samples. The first is that of all questions but rq4, as in the next two lists.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "50,5,500",
        default_value_if("quick", "true", "5,2")
    )]
    samples: Vec<usize>,
    /// The numbers of generated inputs of a generation.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "5,2,20",
        default_value_if("quick", "true", "5,2")
    )]
    inputs: Vec<u32>,
    /// The numbers of generations.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "50,10,200",
        default_value_if("quick", "true", "3,2")
    )]
    generations: Vec<u32>,
    /// The number of repetitions, with the seeds 1, 2, ….
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "2"))]
    runs: u64,
    /// The strategies.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "zester,paper,random,probabilistic,inverse,evogfuzz"
    )]
    strategies: Vec<String>,
    /// The goals.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "coverage,exceptions,unique-exceptions,time,mappings",
        default_value_if("quick", "true", "coverage,time")
    )]
    goals: Vec<String>,
    /// More flags of `zester evolve`, such as `--ignore=time`.
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// The directory for the results; those that are there are not made again [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The number of evolutions at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The name of each goal's figure in `evolve.json`.
const FIGURES: [(&str, &str); 5] = [
    ("coverage", "functions"),
    ("exceptions", "exceptions"),
    ("unique-exceptions", "unique_exceptions"),
    ("time", "mean_seconds"),
    ("mappings", "mappings"),
];

/// One evolution.
struct Job<'a> {
    target: &'a str,
    setting: &'a Setting,
    /// The goal, or `all`.
    goal: &'a str,
    seed: u64,
    flags: &'a [String],
}

impl Job<'_> {
    /// Returns what identifies the evolution in the results.
    fn key(&self) -> String {
        let Setting {
            strategy,
            without,
            samples,
            inputs,
            generations,
            all_goals: _,
        } = self.setting;
        format!(
            "{} {strategy} -{} {samples} {inputs} {generations} {} {} {}",
            self.target,
            without.unwrap_or("nothing"),
            self.goal,
            self.seed,
            self.flags.join(" ")
        )
    }
}

impl Evolve {
    pub fn run(&self) -> Result<()> {
        let out = results::directory(self.out.as_deref())?;
        let file = out.join("results.jsonl");
        let choices = Choices {
            strategies: &self.strategies,
            samples: &self.samples,
            inputs: &self.inputs,
            generations: &self.generations,
        };
        let groups: Vec<(Question, Vec<Setting>)> = self
            .questions
            .iter()
            .flat_map(|&question| {
                question
                    .groups(&choices)
                    .into_iter()
                    .map(move |group| (question, group))
            })
            .collect();
        let jobs = self.jobs(groups.iter().flat_map(|(_, group)| group));
        let all = jobs.len();
        let found = results::jobs(&file)?;
        let missing: Vec<Job> = jobs
            .into_iter()
            .filter(|job| !found.contains_key(&job.key()))
            .collect();
        println!(
            "{} evolutions to make, {} are there",
            missing.len(),
            all - missing.len()
        );
        self.make(missing, &file, &out)?;
        let found = results::jobs(&file)?;
        for (question, group) in &groups {
            let tables = Tables {
                question: *question,
                targets: &self.targets,
                goals: &self.goals,
                figures: |target: &str, setting: &Setting, goal: &str| {
                    self.figures(&found, target, setting, goal)
                },
            };
            tables.print(group);
        }
        println!("\nresults in {}", file.display());
        Ok(())
    }

    /// Returns the evolutions that settings need, each once, ordered by repetition.
    fn jobs<'a>(&'a self, settings: impl Iterator<Item = &'a Setting> + Clone) -> Vec<Job<'a>> {
        let (mut jobs, mut keys) = (Vec::new(), HashSet::new());
        for seed in 1..=self.runs {
            for target in &self.targets {
                for setting in settings.clone() {
                    for goal in &self.goals {
                        let job = self.job(target, setting, goal, seed);
                        if keys.insert(job.key()) {
                            jobs.push(job);
                        }
                    }
                }
            }
        }
        jobs
    }

    fn job<'a>(
        &'a self,
        target: &'a str,
        setting: &'a Setting,
        goal: &'a str,
        seed: u64,
    ) -> Job<'a> {
        Job {
            target,
            setting,
            goal: setting.goal(goal),
            seed,
            flags: &self.flags,
        }
    }

    /// Returns a goal's figure of each finished repetition.
    fn figures(
        &self,
        found: &HashMap<String, Value>,
        target: &str,
        setting: &Setting,
        goal: &str,
    ) -> Vec<f64> {
        let name = FIGURES
            .iter()
            .find(|(of, _)| *of == goal)
            .map_or(goal, |(_, name)| *name);
        (1..=self.runs)
            .filter_map(|seed| {
                found.get(&self.job(target, setting, goal, seed).key())?[name].as_f64()
            })
            .collect()
    }

    /// Makes evolutions, and appends their figures to a file.
    fn make(&self, jobs: Vec<Job<'_>>, file: &Path, out: &Path) -> Result<()> {
        if jobs.is_empty() {
            return Ok(());
        }
        let zester = Zester::build_with_baselines(out.join("zester"))?;
        for job in &jobs {
            let program = out.join(job.target);
            if !program.exists() {
                programs::fuzz_target(job.target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
            samples::write(job.target, job.setting.samples, &zester, out)?;
        }
        let writing = Mutex::new(());
        in_parallel(self.jobs, jobs, |job| {
            let figures = evolve(&job, &zester, out)?;
            let _writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
            results::append_job(file, &job.key(), figures)
        })
    }
}

/// Runs an evolution, and returns the figures of its last generation.
fn evolve(job: &Job<'_>, zester: &Zester, out: &Path) -> Result<Value> {
    let (setting, work) = (job.setting, tempfile::tempdir_in(out)?);
    let to = work.path().join("found");
    let mut command = zester.command("evolve");
    command
        .arg(out.join(job.target))
        .arg(samples::directory_of(out, job.target, setting.samples))
        .arg("-o")
        .arg(&to)
        .args(["--strategy", &setting.strategy, "--goal", job.goal])
        .args(["--seed", &job.seed.to_string()])
        .args(["--inputs", &setting.inputs.to_string()])
        .args(["--generations", &setting.generations.to_string()])
        .args(setting.without.map(|part| format!("--without-{part}")))
        .args(job.flags);
    quietly(&mut command)?;
    let json: Value = serde_json::from_slice(&fs::read(to.join("evolve.json"))?)?;
    let last = json["generations"]
        .as_array()
        .and_then(|all| all.last())
        .context("no generations")?;
    ensure!(
        last["runs"].as_u64() == Some(u64::from(2 * setting.inputs * setting.generations)),
        "{}: other runs",
        job.key()
    );
    Ok(last.clone())
}
