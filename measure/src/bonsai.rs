//! Compares `zester grow` with fuzzing and reducing afterwards, as the paper on Bonsai fuzzing does (Vikram, Padhye, Sen, ICSE 2021).

mod picire;
mod set;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};
use zester::bounds::Caps;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};

use self::picire::Picire;
use self::set::{Runner, Set};
use crate::command::{completed, output, quietly};
use crate::figures::median;
use crate::programs::{self, Engine, Sanitizer};
use crate::zester::{Zester, files};

/// The subjects, each with the beginnings of the names of functions in its semantic stage: what runs after the text was parsed.
const SUBJECTS: [(&str, &[&str]); 6] = [
    (
        "cedar",
        &[
            "cedar_policy_core::validator",
            "cedar_policy_core::entities",
            "cedar_policy_core::authorizer",
            "cedar_policy_core::evaluator",
        ],
    ),
    ("cel", &["cel::objects", "cel::functions", "cel::context", "cel::magic", "cel::resolvers"]),
    ("wgsl", &["naga::valid", "naga::proc", "naga::front::wgsl::lower", "naga::arena"]),
    (
        "jinja",
        &[
            "minijinja::compiler::codegen",
            "minijinja::vm",
            "minijinja::value",
            "minijinja::filters",
            "minijinja::tests",
            "minijinja::functions",
        ],
    ),
    ("lua", &["luaV_", "luaD_", "luaH_", "luaT_", "luaG_", "luaF_", "luaB_", "str_", "math_", "utf8_"]),
    ("json", &["serde_json::value"]),
];

/// Grows a corpus with Bonsai fuzzing. Then fuzzes as long (in processor time) at the largest bounds, and reduces each saved input
/// while it covers the edges that it was the first to cover: by `zester reduce`'s algorithm, and by Picire (characters). Compares the
/// sizes, the share of valid sentences and the coverage.
#[derive(clap::Args)]
pub struct Bonsai {
    /// The programs under test.
    #[arg(long, value_delimiter = ',', default_value = "cedar,cel,wgsl,jinja,lua", default_value_if("quick", "true", "json"))]
    targets: Vec<String>,
    /// The number of runs for each program.
    #[arg(long, default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u32,
    /// The bounds of the largest fuzzer, or `auto`.
    #[arg(long, default_value = "3,3,3", default_value_if("quick", "true", "1,1,2"))]
    bounds: String,
    /// Run each fuzzer for this many seconds, instead of until it is saturated.
    #[arg(long)]
    time: Option<u32>,
    /// Without --time, run each fuzzer for at most this many seconds.
    #[arg(long, default_value_t = 60, default_value_if("quick", "true", "2"))]
    max_time: u32,
    /// The maximum time in seconds for which Picire reduces one corpus; 0 for none. Inputs that it did not reach count as they are.
    #[arg(long, default_value_t = 1_800, default_value_if("quick", "true", "10"))]
    picire: u64,
    /// The directory for the corpora of the last run of each program; it must not exist. By default they are not kept.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the measurement works.
    #[arg(long)]
    quick: bool,
}

impl Bonsai {
    /// Runs the measurement.
    pub fn run(&self) -> Result<()> {
        let (zester, work) = (Zester::build()?, tempfile::tempdir()?);
        for target in &self.targets {
            let program = work.path().join(target);
            programs::fuzz_target(target, Sanitizer::None, Engine::Libfuzzer, &program)?;
            let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
            for run in 1..=self.runs {
                let directory = work.path().join(format!("{target}-{run}"));
                std::fs::create_dir(&directory)?;
                for (name, figures) in self.compare(&zester, target, &program, run, &directory)? {
                    println!("{target}, run {run}, {name}: {figures}");
                    match all.iter_mut().find(|(other, _)| *other == name) {
                        Some((_, runs)) => runs.push(figures),
                        None => all.push((name, vec![figures])),
                    }
                }
                if let Some(keep) = &self.keep {
                    std::fs::create_dir_all(keep)?;
                    quietly(Command::new("cp").arg("-rT").arg(&directory).arg(keep.join(target)))?;
                }
                std::fs::remove_dir_all(&directory)?;
            }
            table(target, &all);
        }
        Ok(())
    }

    /// Makes one run of each method. Returns the figures of each.
    fn compare(
        &self,
        zester: &Zester,
        target: &str,
        program: &Path,
        run: u32,
        work: &Path,
    ) -> Result<Vec<(&'static str, Value)>> {
        let suite = work.join("suite");
        let before = processor_seconds()?;
        let start = Instant::now();
        let mut grow = zester.command("grow");
        grow.arg(program).arg("-o").arg(&suite).args([
            "--bounds",
            &self.bounds,
            "--seed",
            &run.to_string(),
            "--extension",
            "txt",
        ]);
        match self.time {
            Some(seconds) => grow.args(["--time", &seconds.to_string()]),
            None => grow.args(["--max-time", &self.max_time.to_string()]),
        };
        quietly(&mut grow)?;
        let (grown, wall) = (processor_seconds()? - before, start.elapsed());
        let described: Value = serde_json::from_slice(&std::fs::read(suite.join("suite.json"))?)?;
        let fuzzers = described["fuzzers"].as_array().context("no fuzzers in suite.json")?;
        let fuzzed: f64 = fuzzers.iter().filter_map(|fuzzer| fuzzer["seconds"].as_f64()).sum();
        let top = self.top(&described)?;

        let corpus = work.join("corpus");
        std::fs::create_dir(&corpus)?;
        let mut fuzz = Command::new(program);
        fuzz.arg(&corpus).args([format!("-seed={run}"), format!("-max_total_time={}", grown.ceil())]);
        let crashes = format!("-artifact_prefix={}/", work.display());
        completed(fuzz.args([&crashes, "-fork=1", "-ignore_crashes=1"]).env("ZESTER_BOUNDS", &top))?;

        let grammar = grammar(program)?;
        let semantic = SUBJECTS.iter().find(|(name, _)| *name == target).map_or(&[][..], |(_, semantic)| semantic);
        let mut runner = Runner::new(program, semantic)?;
        let settings = Settings { bounds: top.parse().map_err(anyhow::Error::msg)?, ..Settings::default() };
        let mut decoder = Decoder::new(&grammar).settings(settings);
        let mut texts = Vec::new();
        for file in files(&suite)?.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "txt")) {
            texts.push(std::fs::read(file)?);
        }
        let ours = runner.evaluate(texts)?;
        // In the order in which libFuzzer saved them.
        let mut saved: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
        for file in files(&corpus)? {
            saved.push((std::fs::metadata(&file)?.modified()?, file));
        }
        saved.sort();
        let mut inputs = Vec::new();
        for (_, file) in saved {
            inputs.push(decoder.canonical(&std::fs::read(file)?).to_vec());
        }
        let kept = runner.first_to_cover(&mut decoder, inputs)?;
        let raw = runner.evaluate(kept.iter().map(|input| input.text.clone()).collect())?;
        let (tree, tree_time) = runner.reduce(&grammar, &settings, &kept)?;
        let tree = runner.evaluate(tree)?;
        let mut all = vec![
            (
                "grown",
                with(
                    ours,
                    json!({ "processor": grown, "wall": wall.as_secs_f64(), "fuzzing": fuzzed, "bounds": top, "reducing": 0.0 }),
                ),
            ),
            ("fuzzed", with(raw, json!({ "processor": grown, "reducing": 0.0 }))),
            (
                "zester reduce",
                with(tree, json!({ "processor": grown + tree_time.as_secs_f64(), "reducing": tree_time.as_secs_f64() })),
            ),
        ];
        if self.picire > 0 {
            let mut picire = Picire::install(&crate::repository::target_directory().join("picire"))?;
            let start = Instant::now();
            let (texts, reached) = runner.reduce_with(&mut picire, &kept, Duration::from_secs(self.picire))?;
            let seconds = start.elapsed().as_secs_f64();
            let texts = runner.evaluate(texts)?;
            let extra = json!({ "processor": grown + seconds, "reducing": seconds, "reduced": reached, "of": kept.len() });
            all.push(("Picire", with(texts, extra)));
        }
        Ok(all)
    }

    /// Returns the bounds of the largest fuzzer.
    fn top(&self, suite: &Value) -> Result<String> {
        if self.bounds != "auto" {
            return Ok(self.bounds.clone());
        }
        let name = suite["top"].as_str().context("no top in suite.json")?;
        let bounds: Vec<&str> = name.split('-').take(3).collect();
        ensure!(bounds.len() == 3, "{name} is no fuzzer");
        Ok(bounds.join(","))
    }
}

/// Returns the processor time in seconds of this process and of its children that have ended.
fn processor_seconds() -> Result<f64> {
    let seconds = |who| -> Result<f64> {
        let usage = getrusage(who)?;
        let time = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        Ok(time(usage.user_time()) + time(usage.system_time()))
    };
    Ok(seconds(UsageWho::RUSAGE_SELF)? + seconds(UsageWho::RUSAGE_CHILDREN)?)
}

/// Returns the grammar of a target.
fn grammar(program: &Path) -> Result<Grammar> {
    let file = tempfile::NamedTempFile::new()?;
    output(Command::new(program).env("ZESTER_GRAMMAR_OUT", file.path()))?;
    let text = std::fs::read(file.path())?;
    let read = zester::notation::read("grammar", &text, &Caps::default());
    Ok(read.map_err(|report| anyhow::anyhow!("{report}"))?.0)
}

/// Joins two objects.
fn with(set: Set, extra: Value) -> Value {
    let mut figures = set.json();
    if let (Value::Object(figures), Value::Object(extra)) = (&mut figures, extra) {
        figures.extend(extra);
    }
    figures
}

/// Prints the medians of all runs.
fn table(target: &str, all: &[(&str, Vec<Value>)]) {
    println!(
        "\n{target:14} {:>6} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>9} {:>10} {:>9}",
        "files", "mean", "median", "max", "valid", "edges", "valid e.", "semantic", "processor", "reducing"
    );
    for (name, runs) in all {
        let of = |figure: &str| median(runs.iter().map(|run| run[figure].as_f64().unwrap_or(f64::NAN)));
        println!(
            "{name:14} {:6.0} {:7.1} {:7.1} {:7.0} {:5.1} % {:7.0} {:8.0} {:9.0} {:8.1} s {:7.1} s",
            of("files"),
            of("mean"),
            of("median"),
            of("max"),
            of("valid"),
            of("edges"),
            of("valid_edges"),
            of("semantic_edges"),
            of("processor"),
            of("reducing"),
        );
    }
    println!();
}
