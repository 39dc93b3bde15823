//! Compares the strategies of `zester evolve`, as the paper on FdLoop does (RQ1 and RQ2).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use serde_json::Value;

use crate::campaign::in_parallel;
use crate::figures::{a12, median, p_value};
use crate::published;
use crate::results;
use zester_xtask::command::{completed, quietly};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::{Zester, files};

/// Compares the strategies of `zester evolve` on programs under test.
///
/// The samples are files that people wrote (`scripts/measure files` fetches them; without them
/// those of corpus/), and sentences of `zester generate` if there are not enough. Every strategy
/// has the same number of runs. The strategies zester and paper run once for each goal; the others
/// depend on no goal. Prints for each goal the medians of all repetitions, and in how many settings
/// (a program and a number of samples) one strategy has a greater median than another, with the
/// effect size A12 and the p of Mann and Whitney's U test.
#[derive(clap::Args)]
pub struct Evolve {
    /// The fuzz targets.
    #[arg(
        default_values_t = [
            "json", "css", "javascript", "javascript_old", "cel_old", "jinja_old", "jq_old", "wgsl_old", "sql", "graphql", "xml", "lua",
        ].map(String::from),
        default_value_if("quick", "true", "json")
    )]
    targets: Vec<String>,
    /// The numbers of samples.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "50,500",
        default_value_if("quick", "true", "5")
    )]
    samples: Vec<usize>,
    /// The number of repetitions, with the seeds 1, 2, ….
    #[arg(long, default_value_t = 5, default_value_if("quick", "true", "2"))]
    runs: u64,
    /// The number of generations.
    #[arg(long, default_value_t = 50, default_value_if("quick", "true", "3"))]
    generations: u32,
    /// The number of generated inputs of a generation.
    #[arg(long, default_value_t = 5)]
    inputs: u32,
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
        default_value = "coverage,exceptions,unique-exceptions,time,mappings"
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
    /// Print the figures of all repetitions instead of their median.
    #[arg(long)]
    each: bool,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// The samples of the target euclid. None has the digit 0, so that inputs that differ from the
/// samples often divide by zero.
const PAIRS: [&str; 4] = ["12,18", "7,21", "35,14", "8,3"];

/// The strategies that have a goal.
const DIRECTED: [&str; 2] = ["zester", "paper"];

/// The name of each goal's figure in `evolve.json`.
const FIGURES: [(&str, &str); 5] = [
    ("coverage", "functions"),
    ("exceptions", "exceptions"),
    ("unique-exceptions", "unique_exceptions"),
    ("time", "mean_seconds"),
    ("mappings", "mappings"),
];

/// One evolution.
struct Job {
    target: String,
    samples: usize,
    strategy: String,
    /// The goal, or `all`.
    goal: String,
    seed: u64,
}

/// The figures of all repetitions: by target, number of samples, goal, and strategy.
type Found = BTreeMap<(String, usize, String, String), Vec<f64>>;

impl Evolve {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        let mut jobs = Vec::new();
        for target in &self.targets {
            let program = out.join(target);
            if !program.exists() {
                programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            }
            for &samples in &self.samples {
                self.sample(target, samples, &zester, &out)?;
                for strategy in &self.strategies {
                    let all = ["all".to_owned()];
                    for goal in if DIRECTED.contains(&&strategy[..]) {
                        &self.goals[..]
                    } else {
                        &all
                    } {
                        jobs.extend((1..=self.runs).map(|seed| Job {
                            target: target.clone(),
                            samples,
                            strategy: strategy.clone(),
                            goal: goal.clone(),
                            seed,
                        }));
                    }
                }
            }
        }
        in_parallel(self.jobs, &jobs, |job| {
            self.evolve(job, &zester, &out).map(drop)
        })?;
        let mut found = Found::new();
        for job in &jobs {
            let last = self.evolve(job, &zester, &out)?;
            for (goal, figure) in FIGURES
                .iter()
                .filter(|(goal, _)| self.goals.iter().any(|given| given == goal))
            {
                if job.goal == "all" || job.goal == *goal {
                    let key = (
                        job.target.clone(),
                        job.samples,
                        goal.to_string(),
                        job.strategy.clone(),
                    );
                    found
                        .entry(key)
                        .or_default()
                        .push(last[figure].as_f64().context(*figure)?);
                }
            }
        }
        self.tables(&found);
        println!("results in {}", out.display());
        Ok(())
    }

    /// Writes the samples of a target to a directory.
    fn sample(&self, target: &str, count: usize, zester: &Zester, out: &Path) -> Result<()> {
        let (directory, language) = (
            samples_of(out, target, count),
            target.trim_end_matches("_old"),
        );
        if directory.exists() {
            return Ok(());
        }
        if target == "euclid" {
            fs::create_dir_all(&directory)?;
            for (number, pair) in PAIRS.iter().enumerate() {
                fs::write(directory.join(format!("{number:04}")), pair)?;
            }
            return Ok(());
        }
        let (grammar, work) = (grammar_of(target)?, tempfile::tempdir()?);
        let all = work.path().join("all");
        fs::create_dir(&all)?;
        // Large files have more choices than all others together.
        let mut people = published::files_or_corpus(language, true)?;
        people.retain(|path| fs::metadata(path).is_ok_and(|file| file.len() <= 10_000));
        people.shuffle(&mut SmallRng::seed_from_u64(1));
        for (number, path) in people.iter().enumerate() {
            fs::copy(path, all.join(format!("{number:06}")))?;
        }
        // Files that are no sentences are left out.
        let (corpus, texts) = (work.path().join("corpus"), work.path().join("texts"));
        if !people.is_empty() {
            completed(
                zester
                    .command("encode")
                    .arg(&grammar)
                    .arg(&all)
                    .arg("-o")
                    .arg(&corpus),
            )?;
            zester.decode(&grammar, &corpus, &texts)?;
        }
        let mut chosen = if texts.exists() {
            files(&texts)?
        } else {
            Vec::new()
        };
        chosen.shuffle(&mut SmallRng::seed_from_u64(2));
        chosen.truncate(count);
        let (of_people, more) = (chosen.len(), work.path().join("more"));
        if of_people < count {
            zester.generate_files(
                &grammar,
                (count - of_people) as u64,
                &["--seed", "3"],
                &more,
            )?;
            chosen.extend(files(&more)?);
        }
        fs::create_dir_all(&directory)?;
        for (number, path) in chosen.iter().enumerate() {
            fs::copy(path, directory.join(format!("{number:04}")))?;
        }
        println!(
            "{target}: {} samples, {of_people} of them written by people",
            chosen.len()
        );
        Ok(())
    }

    /// Returns the figures of the last generation.
    fn evolve(&self, job: &Job, zester: &Zester, out: &Path) -> Result<Value> {
        let Job {
            target,
            samples,
            strategy,
            goal,
            seed,
        } = job;
        let to = out.join(format!("{target}-{samples}-{strategy}-{goal}-{seed}"));
        if !to.exists() {
            let mut evolve = zester.command("evolve");
            evolve
                .arg(out.join(target))
                .arg(samples_of(out, target, *samples))
                .arg("-o")
                .arg(&to);
            evolve.args([
                "--strategy",
                strategy,
                "--goal",
                goal,
                "--seed",
                &seed.to_string(),
            ]);
            evolve
                .args([
                    "--generations",
                    &self.generations.to_string(),
                    "--inputs",
                    &self.inputs.to_string(),
                ])
                .args(&self.flags);
            quietly(&mut evolve)?;
            // The figures are enough.
            for name in ["inputs", "slowest", "exceptions"] {
                let directory = to.join(name);
                if directory.exists() {
                    fs::remove_dir_all(directory)?;
                }
            }
        }
        let file = to.join("evolve.json");
        let json: Value =
            serde_json::from_slice(&fs::read(&file).with_context(|| file.display().to_string())?)?;
        let last = json["generations"]
            .as_array()
            .and_then(|all| all.last())
            .context("no generations")?;
        ensure!(
            last["runs"].as_u64() == Some(u64::from(2 * self.inputs * self.generations)),
            "{}: other runs",
            to.display()
        );
        Ok(last.clone())
    }

    fn tables(&self, found: &Found) {
        let settings: Vec<(&String, usize)> = self
            .targets
            .iter()
            .flat_map(|target| self.samples.iter().map(move |&samples| (target, samples)))
            .collect();
        let figures = |target: &str, samples: usize, goal: &str, strategy: &str| {
            found
                .get(&(target.into(), samples, goal.into(), strategy.into()))
                .map_or(&[][..], |figures| figures)
        };
        for goal in &self.goals {
            print!("\n{goal:22}");
            self.strategies
                .iter()
                .for_each(|strategy| print!(" {strategy:>14}"));
            println!();
            for &(target, samples) in &settings {
                if self.each {
                    println!("\n{target} {samples}");
                    for strategy in &self.strategies {
                        let mut all = figures(target, samples, goal, strategy).to_vec();
                        all.sort_by(f64::total_cmp);
                        let factor = if goal == "time" { 1e3 } else { 1.0 };
                        let all: Vec<String> = all
                            .iter()
                            .map(|figure| format!("{:.3}", factor * figure))
                            .collect();
                        println!("  {strategy:14} {}", all.join("  "));
                    }
                    continue;
                }
                print!("{target:17} {samples:>4}");
                for strategy in &self.strategies {
                    let value = median(figures(target, samples, goal, strategy).iter().copied());
                    if goal == "time" {
                        print!(" {:>11.3} ms", 1e3 * value)
                    } else {
                        print!(" {value:>14.0}")
                    }
                }
                println!();
            }
        }
        println!(
            "\nsettings in which the first has a greater, an equal and a smaller median; means of A12; settings with p < 0.05"
        );
        for first in self.strategies.iter().take(2) {
            let (mut greater, mut all) = (0, 0);
            for second in self.strategies.iter().filter(|second| *second != first) {
                for goal in &self.goals {
                    let (mut counts, mut effects, mut sure) = ([0; 3], Vec::new(), 0);
                    for &(target, samples) in &settings {
                        let [one, other] = [first, second]
                            .map(|strategy| figures(target, samples, goal, strategy));
                        if one.is_empty() || other.is_empty() {
                            continue;
                        }
                        let medians = [one, other].map(|figures| median(figures.iter().copied()));
                        counts[if medians[0] > medians[1] {
                            0
                        } else {
                            1 + usize::from(medians[0] < medians[1])
                        }] += 1;
                        effects.push(a12(one, other));
                        sure += usize::from(p_value(one, other) < 0.05);
                    }
                    println!(
                        "{first:>8} against {second:14} {goal:18} {:>3} {:>3} {:>3}   A12 {:.2}   {sure} of {}",
                        counts[0],
                        counts[1],
                        counts[2],
                        crate::figures::mean(effects.iter().copied()),
                        effects.len()
                    );
                    // A setting in which both find nothing says nothing.
                    if !DIRECTED.contains(&&second[..]) {
                        greater += counts[0];
                        all += counts[0] + counts[2];
                    }
                }
            }
            println!(
                "{first}: better than a baseline in {greater} of {all} comparisons that are not equal\n"
            );
        }
    }
}

fn samples_of(out: &Path, target: &str, count: usize) -> PathBuf {
    out.join(format!("{target}-{count}-samples"))
}
