//! Compares fuzzers in equal processor time.

mod fuzzer;
mod generator;
mod page;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::value_parser;
use serde_json::{Value, json};

use self::fuzzer::{Fuzzer, Material, Run};
use self::table::Table;
use crate::edges::{Count, Edges};
use crate::{limited, results};
use zester_xtask::command::{completed, end_of, logged};
use zester_xtask::zester::{Zester, files};

/// The programs that count the edges and panics of a fuzzer's inputs.
struct Counters<'a> {
    zester: &'a Zester,
    edges: Edges,
    /// The subject on stock libFuzzer.
    stock: PathBuf,
}

/// The number of times at which the edges are counted.
const POINTS: usize = 10;

/// A run that uses more than this multiple of its processor time gets a warning.
const MAX_OVERRUN: f64 = 1.2;

/// A run fails if its fuzzer has ended this many times before its time was over.
const MAX_PARTS: u64 = 200;

/// Compares fuzzers side by side by the protocol in experiments/compare.md: edges, edges by valid texts and
/// distinct locations of panics, in equal processor time.
///
/// Each run is appended to DIR/results.jsonl when it ends, and the same command goes on after an interruption.
/// Prints a line for each run. At the end, writes the table in Markdown, the curves as
/// comma-separated values, and a page with the curves to DIR.
#[derive(clap::Args)]
pub struct Compare {
    /// The programs under test. With `-imported` at the end of a name, as in lua-imported, all fuzzers get the published grammar
    /// of tree-sitter for its language instead of that in grammars/.
    #[arg(long, value_delimiter = ',', default_values_t = ["lua", "jinja", "jq", "json", "xml", "wgsl", "sql", "javascript", "graphql"].map(String::from), default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// The fuzzers; the first is compared with each other one.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Fuzzer::Zester, Fuzzer::Generation, Fuzzer::Libfuzzer, Fuzzer::Afl, Fuzzer::Grammarinator, Fuzzer::Fandango, Fuzzer::Nautilus, Fuzzer::Smith])]
    fuzzers: Vec<Fuzzer>,
    /// The number of runs of each fuzzer on each subject. The number of a run is the seed.
    #[arg(long, default_value_t = 6, default_value_if("quick", "true", "2"), value_parser = value_parser!(u64).range(1..))]
    runs: u64,
    /// The processor time of a run in seconds.
    #[arg(long, default_value_t = 300, default_value_if("quick", "true", "5"), value_parser = value_parser!(u64).range(1..))]
    seconds: u64,
    /// The core on which all fuzzers run [default: any].
    #[arg(long)]
    core: Option<usize>,
    /// The directory for programs and results [default: a new one].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Compare {
    pub fn run(&self) -> Result<()> {
        if let Some(core) = self.core {
            // Programs that this one starts inherit its core.
            let process = std::process::id().to_string();
            let pinned = completed(std::process::Command::new("taskset").args([
                "-cp",
                &core.to_string(),
                &process,
            ]))?;
            ensure!(pinned.succeeded(), "no core {core}: {}", pinned.text);
        }
        let (out, zester) = (results::directory(self.out.as_deref())?, Zester::build()?);
        let file = out.join("results.jsonl");
        let mut table = Table::default();
        for subject in &self.subjects {
            let material = Material::new(subject, &zester, &out)?;
            let counters = Counters {
                zester: &zester,
                edges: Edges::build(&material.program)?,
                stock: out.join(Fuzzer::Libfuzzer.program(&material)),
            };
            Fuzzer::Libfuzzer.build(&material, &zester, &counters.stock)?;
            let fuzzers = self.fuzzers(subject);
            for fuzzer in &fuzzers {
                fuzzer.build(&material, &zester, &out.join(fuzzer.program(&material)))?;
            }
            // Fuzzers take turns, so that an interrupted experiment has all of them.
            for number in 1..=self.runs {
                for &fuzzer in &fuzzers {
                    let job = format!("{subject} {} {number} {}", fuzzer.name(), self.seconds);
                    if !results::jobs(&file)?.contains_key(&job) {
                        let run = Run {
                            fuzzer,
                            program: &out.join(fuzzer.program(&material)),
                            material: &material,
                            directory: &out.join(job.replace(' ', "-")),
                            number,
                        };
                        let found = self.measure(&run, &counters)?;
                        let kept = self.texts(&out, subject, fuzzer);
                        fs::create_dir_all(&kept)?;
                        let kept = kept.join(number.to_string());
                        // An earlier run left the directory: it was interrupted before its result was written.
                        if kept.exists() {
                            fs::remove_dir_all(&kept)?;
                        }
                        fs::rename(run.directory.join("texts"), kept)?;
                        results::append_job(&file, &job, found)?;
                        fs::remove_dir_all(run.directory)?;
                    }
                    let found = results::jobs(&file)?.remove(&job).context("a result")?;
                    println!("{job}: {}", table::line(&found));
                    table.add(subject, fuzzer.name(), found);
                }
            }
            self.compare_edges(subject, &out, &counters, &mut table)?;
        }
        fs::write(out.join("table.md"), table.markdown())?;
        fs::write(out.join("curves.csv"), table.curves())?;
        let page = page::page(&table.subjects(), self.seconds);
        fs::write(out.join("curves.html"), page)?;
        print!("\n{}\nresults in {}\n", table.markdown(), out.display());
        Ok(())
    }

    /// Returns the fuzzers that can fuzz a subject.
    fn fuzzers(&self, subject: &str) -> Vec<Fuzzer> {
        let mut fuzzers = self.fuzzers.clone();
        fuzzers.retain(|fuzzer| fuzzer.fuzzes(subject));
        fuzzers
    }

    /// Compares the first fuzzer with each other one: counts the edges that the valid texts of only one of the
    /// two cover, over all runs.
    fn compare_edges(
        &self,
        subject: &str,
        out: &Path,
        counters: &Counters<'_>,
        table: &mut Table,
    ) -> Result<()> {
        let valid = |fuzzers: &[Fuzzer]| -> Result<f64> {
            let mut texts = Vec::new();
            for &fuzzer in fuzzers {
                texts.extend(files(&self.texts(out, subject, fuzzer))?);
            }
            let lines: Vec<String> = texts
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            if lines.is_empty() {
                return Ok(0.0);
            }
            let list = out.join("list");
            fs::write(&list, lines.join("\n"))?;
            Ok(counters.edges.of_list(&list)?.valid)
        };
        if let [first, others @ ..] = &self.fuzzers(subject)[..] {
            let of_first = valid(&[*first])?;
            for &other in others {
                let both = valid(&[*first, other])?;
                // Some edges change from count to count, so a difference can be negative.
                let only = [both - of_first, both - valid(&[other])?].map(|edges| edges.max(0.0));
                table.add_only(subject, other.name(), only);
            }
        }
        Ok(())
    }

    /// Returns the directory of the texts of all runs of a fuzzer on a subject.
    fn texts(&self, out: &Path, subject: &str, fuzzer: Fuzzer) -> PathBuf {
        let runs = format!("texts/{subject}-{}", self.seconds);
        out.join(runs).join(fuzzer.name())
    }

    /// Runs a fuzzer for the processor time, and counts what its inputs cover.
    fn measure(&self, run: &Run<'_>, counters: &Counters<'_>) -> Result<Value> {
        let directory = run.directory;
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory.join("corpus"))?;
        let limit = self.seconds as f64;
        // The inputs that the corpus contains at each point in time.
        let mut points: Vec<BTreeSet<PathBuf>> = Vec::new();
        let mut used = 0.0;
        for part in 0.. {
            ensure!(
                part < MAX_PARTS,
                "{} ended {MAX_PARTS} times:\n{}",
                run.program.display(),
                end_of(&fs::read(directory.join("log"))?)
            );
            let mut command = run.command(part);
            let command = logged(&mut command, &directory.join("log"))?;
            let before = used;
            used += limited::run(command, limit - before, &mut |seconds| {
                let passed = (before + seconds) * POINTS as f64 / limit;
                while points.len() < POINTS - 1 && passed >= (points.len() + 1) as f64 {
                    points.push(names(&run.corpus())?);
                }
                Ok(())
            })?;
            if used >= limit {
                break;
            }
        }
        if used > MAX_OVERRUN * limit + 1.0 {
            let program = run.program.display();
            eprintln!(
                "WARNING: {program} used {used:.0} s instead of {limit}: its figures are too high"
            );
        }
        points.resize_with(POINTS, BTreeSet::new);
        *points.last_mut().context("a point")? = names(&run.corpus())?;
        counters.figures(run, &points, used)
    }
}

impl Counters<'_> {
    /// Returns the figures of a run that has ended. `points` are the names of the corpus' inputs at each
    /// point in time, and `used` is the processor time in seconds.
    fn figures(&self, run: &Run<'_>, points: &[BTreeSet<PathBuf>], used: f64) -> Result<Value> {
        let texts = run.directory.join("texts");
        run.texts(self.zester, &texts)?;
        let mut curve = Vec::new();
        for names in points {
            let list: Vec<String> = names
                .iter()
                .map(|name| texts.join(name).display().to_string())
                .filter(|path| Path::new(path).exists())
                .collect();
            if list.is_empty() {
                curve.push(Count::default());
                continue;
            }
            let file = run.directory.join("list");
            fs::write(&file, list.join("\n"))?;
            curve.push(self.edges.of_list(&file)?);
        }
        // The stock target runs the files on its command line. A panic prints its location once in a process.
        let mut locations = BTreeSet::new();
        let all = files(&texts)?;
        for some in all.chunks(500) {
            let mut replay = std::process::Command::new(&self.stock);
            let text = completed(replay.args(some).env("HUNT", "none"))?.text;
            let signatures = text
                .lines()
                .filter_map(|line| line.strip_prefix("signature: "));
            locations.extend(signatures.map(String::from));
        }
        Ok(json!({
            "seconds": used,
            "executions": run.executions()?,
            "inputs": all.len(),
            "edges": curve.iter().map(|count| count.edges).collect::<Vec<f64>>(),
            "valid_edges": curve.iter().map(|count| count.valid).collect::<Vec<f64>>(),
            "places": locations,
        }))
    }
}

/// Returns the names of the files in a directory, which may be missing.
fn names(directory: &Path) -> Result<BTreeSet<PathBuf>> {
    if !directory.exists() {
        return Ok(BTreeSet::new());
    }
    let found = files(directory)?;
    let names = found.iter().filter_map(|path| path.file_name());
    Ok(names.map(PathBuf::from).collect())
}
