//! Measures whether inputs by weights of samples behave like the samples, and inputs by inverted
//! weights differently.

mod distributions;
mod entered;
mod subject;
mod suite;
mod tables;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::figures::mean;
use crate::results;
use entered::Entered;
use subject::{INPUTS, SampledSubject, Settings};
use suite::MeasuredSuite;
use zester_xtask::zester::Zester;

/// Measures whether inputs by weights of samples behave like the samples, and inputs by inverted
/// weights differently.
///
/// After RQ1, RQ2 and Table 2 of Soremekun, Pavese, Havrikov, Grunske and Zeller, "Inputs from
/// Hell" (TSE 2020), with the functions of the subject's own crates instead of Java methods, as
/// they are after inlining. The samples are five files that people wrote, of 500 to 20,000 bytes,
/// which the subject accepts and zester parses. They are test data of published packages, fetched
/// to target/files, or texts of corpus/; there are fewer if no more qualify. Their weights generate suites of 100 common
/// inputs, and suites of 100 inputs by inverted weights. A program without zester's code counts the
/// calls of each function by each input. All inputs count, valid or not.
///
/// The figures of each suite are appended to DIR/results.jsonl, and the samples are copied to DIR.
/// Started again with the same arguments, an interrupted experiment goes on.
#[derive(clap::Args)]
#[command(after_long_help = tables::COLUMNS)]
pub struct Samples {
    /// The number of suites of each kind; their seeds are 1, 2, ….
    #[arg(default_value_t = 50, default_value_if("quick", "true", "2"))]
    suites: u64,
    /// The subjects.
    #[arg(
        default_values_t = [
            "json", "css", "javascript", "jinja", "lua", "sql", "wgsl", "xml",
        ].map(String::from),
        default_value_if("quick", "true", "json")
    )]
    subjects: Vec<String>,
    /// The seed for drawing the samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The directory for the results; those that are there are not made again [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take sentences that zester generates by the grammar alone as samples, instead of files.
    #[arg(long)]
    generated: bool,
    /// Fetch no files: take those that are fetched, or those of corpus/.
    #[arg(long)]
    offline: bool,
    /// Reduce all numbers, to test quickly that the experiment works. Implies --offline.
    #[arg(long)]
    quick: bool,
}

/// The number of suites of a subject that run in one process.
const BATCH: usize = 5;

/// The numbers of inputs for which the coverage is measured.
const PREFIXES: [usize; 4] = [1, 5, 20, INPUTS];

impl Samples {
    pub fn run(&self) -> Result<()> {
        let out = results::directory(self.out.as_deref())?;
        let file = out.join("results.jsonl");
        self.make(&out, &file)?;
        let found = results::jobs(&file)?;
        tables::print(&self.subjects, |subject| {
            let suites = (1..=self.suites).filter_map(|seed| found.get(&self.key(subject, seed)));
            (found.get(&self.key(subject, 0)), suites.collect())
        });
        println!("\nresults in {}", file.display());
        Ok(())
    }

    /// Returns what identifies the suites of a seed in the results. The seed 0 means the samples.
    fn key(&self, subject: &str, seed: u64) -> String {
        let what = if seed == 0 {
            "samples".into()
        } else {
            seed.to_string()
        };
        format!("{subject} {} {what}", self.drawn())
    }

    /// Returns how the samples are drawn, as a part of names.
    fn drawn(&self) -> String {
        let from = if self.generated { "generated" } else { "files" };
        format!("{from}-{}", self.seed)
    }

    /// Makes the suites that are missing. A few suites of each subject come first.
    fn make(&self, out: &Path, file: &Path) -> Result<()> {
        let found = results::jobs(file)?;
        let seeds: Vec<u64> = (1..=self.suites).collect();
        let zester = Zester::build()?;
        let settings = Settings {
            seed: self.seed,
            fetch: !self.quick && !self.offline,
            generated: self.generated,
            zester: &zester,
        };
        let mut subjects: HashMap<&str, SampledSubject> = HashMap::new();
        for batch in seeds.chunks(BATCH) {
            for name in &self.subjects {
                let is_missing = |seed: &u64| !found.contains_key(&self.key(name, *seed));
                let seeds: Vec<u64> = batch.iter().copied().filter(is_missing).collect();
                if seeds.is_empty() {
                    continue;
                }
                if !subjects.contains_key(name.as_str()) {
                    let directory = out.join(format!("{name}-{}", self.drawn()));
                    let subject = SampledSubject::new(name, settings, &directory)?;
                    if !found.contains_key(&self.key(name, 0)) {
                        results::append_job(file, &self.key(name, 0), of_samples(&subject))?;
                    }
                    subjects.insert(name, subject);
                }
                let subject = &subjects[name.as_str()];
                let common = subject.suites(&seeds, &[])?;
                let inverted = subject.suites(&seeds, &["--invert"])?;
                for ((seed, common), inverted) in seeds.into_iter().zip(common).zip(inverted) {
                    let figures = of_suites(&subject.samples, [&common, &inverted]);
                    results::append_job(file, &self.key(name, seed), figures)?;
                }
                println!("{name}: suites up to {}", batch[batch.len() - 1]);
            }
        }
        Ok(())
    }
}

/// Returns the figures of samples.
fn of_samples(subject: &SampledSubject) -> serde_json::Value {
    let samples = &subject.samples;
    let others = subject.others.as_ref();
    json!({
        "files": subject.files,
        "bytes": samples.bytes,
        "functions": samples.count(),
        "others_cover": others.map(|others| samples.covered_by(others)),
        "others_distance": others.map(|others| samples.compared(others).0),
    })
}

/// Returns the figures of a suite of common inputs and one of inverted inputs.
fn of_suites(
    samples: &MeasuredSuite,
    kinds: [&(Vec<Vec<u8>>, Vec<Entered>); 2],
) -> serde_json::Value {
    let suites = kinds.map(|(texts, runs)| MeasuredSuite::new(texts, runs));
    let [common, inverted] = &suites;
    let shared = samples.shared(&[common, inverted]);
    let of = |at: usize| {
        let (suite, (texts, runs)) = (&suites[at], kinds[at]);
        let (distance, p) = samples.compared(suite);
        // The mean over all parts of this size, so that the figure does not depend on a single input.
        let cover = PREFIXES.map(|size| {
            let parts = texts.chunks(size).zip(runs.chunks(size));
            mean(parts.map(|(texts, runs)| samples.covered_by(&MeasuredSuite::new(texts, runs))))
        });
        json!({
            "bytes": suite.bytes,
            "valid": suite.valid,
            "ended": suite.ended,
            "functions": suite.count(),
            "cover": cover,
            "new": suite.beyond(samples),
            "enter": samples.entered_by(suite, &shared),
            "distance": distance,
            "p": p,
        })
    };
    json!({
        "shared": shared.len(),
        "samples_enter": samples.entered_by(samples, &shared),
        "common": of(0),
        "inverted": of(1),
        "beyond": inverted.beyond(common),
        "missing": common.beyond(inverted),
    })
}
