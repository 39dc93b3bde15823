//! Compares `zester grow` with fuzzing and reducing afterwards, as the paper on Bonsai fuzzing does
//! (Vikram, Padhye, Sen, ICSE 2021).

mod growth;
mod picire;
mod set;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};

use self::growth::{Comparison, Growth};
use self::picire::Picire;
use self::set::{Input, Runner};
use crate::figures::median;
use crate::{limited, results};
use zester_xtask::command::{output, shown};
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::zester::{Zester, files};

/// Grows a corpus with Bonsai fuzzing. Then fuzzes as long (in processor time) at the largest
/// bounds, and reduces each saved input while it covers the edges that it was the first to cover:
/// by `zester reduce`'s algorithm, and by Picire (characters). Compares the sizes, the share of
/// valid sentences and the coverage. Keeps the texts, for the experiment mutation-score.
#[derive(clap::Args)]
pub struct Bonsai {
    /// The programs under test.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cedar,cel,wgsl,jinja,lua",
        default_value_if("quick", "true", "json")
    )]
    targets: Vec<String>,
    /// The number of runs for each program.
    #[arg(long, default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u32,
    /// The bounds of the largest fuzzer, or `auto`.
    #[arg(
        long,
        default_value = "3,3,3",
        default_value_if("quick", "true", "1,1,2")
    )]
    bounds: String,
    /// Run each fuzzer for at most this many seconds.
    #[arg(long, default_value_t = 60, default_value_if("quick", "true", "2"))]
    max_time: u32,
    /// The maximum time in seconds for which Picire reduces one corpus; 0 for none. Inputs that it
    /// did not reach count as they are.
    #[arg(long, default_value_t = 1_800, default_value_if("quick", "true", "10"))]
    picire: u64,
    /// Also grow with these leaf probabilities: c of p = c/d, with the bound of depth d.
    #[arg(long, value_delimiter = ',', default_value_if("quick", "true", "0.5"))]
    leaf: Vec<f64>,
    /// The directory for the results; runs that are there are not made again [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Bonsai {
    pub fn run(&self) -> Result<()> {
        let (zester, work) = (Zester::build()?, tempfile::tempdir()?);
        let out = results::directory(self.out.as_deref())?;
        for target in &self.targets {
            let program = work.path().join(target);
            programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            let mut all: Vec<(String, Vec<Value>)> = Vec::new();
            for run in 1..=self.runs {
                let results = out.join(format!("{target}-{run}.json"));
                if !results.exists() {
                    let directory = work.path().join(format!("{target}-{run}"));
                    std::fs::create_dir(&directory)?;
                    let comparison = Comparison {
                        zester: &zester,
                        program: &program,
                        run,
                        directory: &directory,
                    };
                    let compared =
                        self.compare(&comparison, &out.join(target).join(run.to_string()))?;
                    std::fs::remove_dir_all(&directory)?;
                    std::fs::write(&results, serde_json::to_vec(&compared)?)?;
                }
                let compared: Vec<(String, Value)> =
                    serde_json::from_slice(&std::fs::read(&results)?)?;
                for (name, figures) in compared {
                    println!("{target}, run {run}, {name}: {figures}");
                    match all.iter_mut().find(|(other, _)| *other == name) {
                        Some((_, runs)) => runs.push(figures),
                        None => all.push((name, vec![figures])),
                    }
                }
            }
            table(target, &all);
        }
        Ok(())
    }

    /// Runs each method once. Writes the concise texts and the fuzzed ones to directories in `kept`.
    /// Returns the figures of each method.
    fn compare(&self, comparison: &Comparison<'_>, kept: &Path) -> Result<Vec<(String, Value)>> {
        let &Comparison {
            program,
            run,
            directory: work,
            ..
        } = comparison;
        let max_time = self.max_time.to_string();
        let grown = Growth::run(
            comparison,
            &self.bounds,
            &["--max-time", &max_time],
            "suite",
            None,
        )?;
        let corpus = work.join("corpus");
        std::fs::create_dir(&corpus)?;
        fuzz(program, run, &grown, &corpus)?;
        let grammar = grammar(program)?;
        let mut runner = Runner::new(program)?;
        let settings = Settings::default().bounds(grown.top.parse().map_err(anyhow::Error::msg)?);
        let mut decoder = Decoder::new(&grammar).settings(settings);
        let mut all = Vec::new();
        grown.evaluate("grown", &mut runner, &mut all)?;
        for leaf in &self.leaf {
            let ending = ["--max-time", &max_time];
            let grown = Growth::run(
                comparison,
                &self.bounds,
                &ending,
                &format!("leaf-{leaf}"),
                Some(&format!("leaf={leaf}")),
            )?;
            grown.evaluate(&format!("leaf {leaf}"), &mut runner, &mut all)?;
        }
        let inputs = saved(&corpus)?
            .iter()
            .map(|bytes| decoder.canonical(bytes).to_vec())
            .collect();
        let fuzzed = runner.first_to_cover(&mut decoder, inputs)?;
        let raw: Vec<Vec<u8>> = fuzzed.iter().map(|input| input.text.clone()).collect();
        keep(&kept.join("fuzzed"), &raw)?;
        keep(&kept.join("grown"), grown.concise())?;
        let raw = runner.evaluate(raw)?;
        let (tree, time) = runner.reduce(&grammar, &settings, &fuzzed)?;
        let necessary = runner.necessary(tree.clone())?;
        let [tree, necessary] = [runner.evaluate(tree)?, runner.evaluate(necessary)?];
        let spent =
            |seconds: f64| json!({ "processor": grown.processor + seconds, "reducing": seconds });
        all.push(("fuzzed".into(), raw.json_with(spent(0.0))));
        all.push((
            "zester reduce".into(),
            tree.json_with(spent(time.as_secs_f64())),
        ));
        // Only necessary texts, like the concise ones: small unnecessary texts would lower the mean size.
        all.push((
            "reduced, necessary".into(),
            necessary.json_with(spent(time.as_secs_f64())),
        ));
        if self.picire > 0 {
            all.push((
                "Picire".into(),
                self.reduced_by_picire(&mut runner, &fuzzed)?,
            ));
        }
        Ok(all)
    }

    /// Reduces the inputs by Picire. Returns the figures of the result.
    fn reduced_by_picire(&self, runner: &mut Runner, kept: &[Input]) -> Result<Value> {
        let mut picire =
            Picire::install(&zester_xtask::repository::target_directory().join("picire"))?;
        let start = Instant::now();
        let texts = runner.reduce_with(&mut picire, kept, Duration::from_secs(self.picire))?;
        let seconds = start.elapsed().as_secs_f64();
        let reached = texts.len();
        let mut figures = runner
            .evaluate(texts)?
            .json_with(json!({ "reduced": reached, "reducing": seconds }));
        if reached < kept.len() {
            // Picire ran out of time, so these figures of the whole set are unknown.
            for name in ["files", "total", "edges", "valid_edges", "per_edge"] {
                figures[name] = Value::Null;
            }
        }
        Ok(figures)
    }
}

/// Writes texts to a new directory, a file each.
fn keep(directory: &Path, texts: &[Vec<u8>]) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    for (index, text) in texts.iter().enumerate() {
        std::fs::write(directory.join(format!("{index:05}.txt")), text)?;
    }
    Ok(())
}

/// Returns the files of a corpus in the order in which libFuzzer saved them.
fn saved(corpus: &Path) -> Result<Vec<Vec<u8>>> {
    let mut saved: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for file in files(corpus)? {
        saved.push((std::fs::metadata(&file)?.modified()?, file));
    }
    saved.sort();
    saved
        .into_iter()
        .map(|(_, file)| Ok(std::fs::read(file)?))
        .collect()
}

/// Fuzzes within the bounds of the largest fuzzer for as much processor time as growing took.
fn fuzz(program: &Path, seed: u32, grown: &Growth, corpus: &Path) -> Result<()> {
    let mut fuzz = Command::new(program);
    fuzz.arg(corpus).args([
        &format!("-seed={seed}"),
        &format!("-artifact_prefix={}-", corpus.display()),
        "-fork=1",
    ]);
    fuzz.args(["-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"])
        .env("ZESTER_BOUNDS", &grown.top)
        .env("ZESTER_NEGATIVE", "0")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let seconds = limited::run(&mut fuzz, grown.processor, &mut |_| Ok(()))?;
    ensure!(
        seconds >= grown.processor,
        "{} ended by itself",
        shown(&fuzz)
    );
    Ok(())
}

/// Returns the grammar of a target.
fn grammar(program: &Path) -> Result<Grammar> {
    let file = tempfile::NamedTempFile::new()?;
    output(Command::new(program).env("ZESTER_GRAMMAR_OUT", file.path()))?;
    let text = std::fs::read(file.path())?;
    let read = zester::notation::read("grammar", &text, &Caps::default());
    Ok(read.map_err(|report| anyhow::anyhow!("{report}"))?.0)
}

/// Prints the medians of all runs. `per edge` is the number of characters in all files, divided by
/// the number of edges.
fn table(target: &str, all: &[(String, Vec<Value>)]) {
    let columns = [
        ("files", "files"),
        ("mean", "mean"),
        ("median", "median"),
        ("max", "max"),
        ("total", "total"),
        ("per_edge", "per edge"),
        ("valid", "valid %"),
        ("edges", "edges"),
        ("valid_edges", "valid e."),
        ("fuzzing", "fuzzing s"),
        ("processor", "proc. s"),
        ("reducing", "reducing s"),
        ("reduced", "reduced"),
    ];
    print!("\n{target:19}");
    columns.iter().for_each(|(_, title)| print!(" {title:>10}"));
    println!();
    for (name, runs) in all {
        print!("{name:19}");
        for (figure, _) in columns {
            let known: Vec<f64> = runs.iter().filter_map(|run| run[figure].as_f64()).collect();
            match known.is_empty() {
                true => print!(" {:>10}", "-"),
                false => print!(
                    " {:>10.*}",
                    if matches!(figure, "mean" | "per_edge" | "valid") {
                        1
                    } else {
                        0
                    },
                    median(known)
                ),
            }
        }
        let bounds: Vec<&str> = runs
            .iter()
            .filter_map(|run| run["bounds"].as_str())
            .collect();
        println!("  {}", bounds.join(" "));
    }
    println!();
}
