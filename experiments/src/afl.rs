//! Compares AFL++ with zester's mutators and with its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::figures::median;
use zester_xtask::afl::{SETTINGS, figure};
use zester_xtask::c;
use zester_xtask::command::{completed, output, quietly};
use zester_xtask::programs;
use zester_xtask::repository::grammar_of;
use zester_xtask::zester::{Zester, files};

/// Fuzzes a C target with AFL++, without a sanitizer, from the same twenty sentences, with several
/// sets of mutators.
///
/// The sides, which take turns, are: zester's mutators alone; the same without validity feedback;
/// the same without trimming; zester's and AFL++'s mutators; AFL++'s alone; AFL++'s with a
/// dictionary of the grammar. Prints medians of executions per second, of the edges that all files
/// of the queue cover, of the edges that valid files cover, and of the number of files.
#[derive(clap::Args)]
pub struct Afl {
    /// The number of runs of each side.
    #[arg(default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The duration of a run in seconds.
    #[arg(default_value_t = 20, default_value_if("quick", "true", "3"))]
    seconds: u64,
    /// The fuzz target.
    #[arg(default_value = "sqlite", default_value_if("quick", "true", "lua"))]
    target: String,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

const SIDES: [&str; 6] = [
    "zester",
    "unguided",
    "untrimmed",
    "both",
    "afl",
    "dictionary",
];

/// The figures of a run.
#[derive(Clone, Copy)]
struct RunFigures {
    speed: f64,
    edges: f64,
    valid_edges: f64,
    files: f64,
}

impl Afl {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        let (work, grammar, library) = (
            work.path(),
            grammar_of(&self.target)?,
            programs::afl_library()?,
        );
        let program = work.join(&self.target);
        c::afl_target(&self.target, "", zester.path(), &program)?;
        zester.generate_files(&grammar, 20, &["--size", "200"], &work.join("seeds"))?;
        fs::write(
            work.join("dictionary"),
            output(zester.command("dict").arg(&grammar))?,
        )?;
        let mut runs: BTreeMap<&str, Vec<RunFigures>> = BTreeMap::new();
        for run in 1..=self.runs {
            for side in SIDES {
                let to = work.join(format!("{side}-{run}"));
                let mut command = Command::new("afl-fuzz");
                command.env("ZESTER_TEXT", "1").envs(SETTINGS);
                if !["afl", "dictionary"].contains(&side) {
                    command
                        .env("ZESTER_GRAMMAR", &grammar)
                        .env("AFL_CUSTOM_MUTATOR_LIBRARY", &library);
                }
                if ["zester", "unguided", "untrimmed"].contains(&side) {
                    command.env("AFL_CUSTOM_MUTATOR_ONLY", "1");
                }
                match side {
                    "unguided" => command.env("ZESTER_EXPERIMENT", "feedback=0"),
                    "untrimmed" => command.env("AFL_DISABLE_TRIM", "1"),
                    "dictionary" => command.arg("-x").arg(work.join("dictionary")),
                    _ => &mut command,
                };
                command.args(["-s", &run.to_string(), "-V", &self.seconds.to_string()]);
                quietly(
                    command
                        .arg("-i")
                        .arg(work.join("seeds"))
                        .arg("-o")
                        .arg(&to)
                        .arg("--")
                        .arg(&program),
                )?;
                let statistics = fs::read_to_string(to.join("default/fuzzer_stats"))?;
                let (edges, all) = (edges_of("0", &to, &program)?, edges_of("1", &to, &program)?);
                runs.entry(side).or_default().push(RunFigures {
                    speed: figure(&statistics, "execs_per_sec")?,
                    edges,
                    valid_edges: all - edges,
                    files: figure(&statistics, "corpus_count")?,
                });
            }
        }
        for side in SIDES {
            let of = |figure: fn(&RunFigures) -> f64| median(runs[side].iter().map(figure));
            let (speed, edges, valid, files) = (
                of(|run| run.speed),
                of(|run| run.edges),
                of(|run| run.valid_edges),
                of(|run| run.files),
            );
            println!(
                "{side}: {speed:.0} a second, {edges:.0} edges, {valid:.0} by valid ones, {files:.0} files"
            );
        }
        Ok(())
    }
}

/// Counts the edges of all files in a queue. With feedback, the edges that valid files cover count
/// twice.
///
/// afl-showmap writes a map for each file. Its option -C would sum them up, but AFL++ 4.04c does
/// not initialise the sum.
fn edges_of(feedback: &str, output: &Path, program: &Path) -> Result<f64> {
    let maps = output.join("maps");
    let mut showmap = Command::new("afl-showmap");
    // Of AFL++'s programs, only afl-fuzz asks the target for the size of its map.
    showmap
        .env("AFL_MAP_SIZE", "10000000")
        .env("ZESTER_EXPERIMENT", format!("feedback={feedback}"))
        .env("ZESTER_TEXT", "1");
    showmap
        .args(["-q", "-r", "-i"])
        .arg(output.join("default/queue"))
        .arg("-o")
        .arg(&maps)
        .arg("--")
        .arg(program);
    let text = completed(&mut showmap)?.text;
    let mut edges = Vec::new();
    for map in files(&maps).with_context(|| format!("afl-showmap writes no maps:\n{text}"))? {
        add_edges(&fs::read(map)?, &mut edges);
    }
    fs::remove_dir_all(&maps)?;
    Ok(edges.iter().filter(|&&is_covered| is_covered).count() as f64)
}

/// Adds the edges of a map in afl-showmap's format, lines of `EDGE:COUNT`, to a set.
fn add_edges(map: &[u8], edges: &mut Vec<bool>) {
    let (mut edge, mut is_edge) = (0, true);
    for &byte in map {
        match byte {
            b'0'..=b'9' if is_edge => edge = 10 * edge + usize::from(byte - b'0'),
            b':' => {
                edges.resize(edges.len().max(edge + 1), false);
                edges[edge] = true;
                is_edge = false;
            }
            b'\n' => (edge, is_edge) = (0, true),
            _ => (),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_united() {
        let mut edges = Vec::new();
        for map in ["000000:1\n000012:345\n", "", "000007:8\n000012:1"] {
            add_edges(map.as_bytes(), &mut edges);
        }
        let covered: Vec<usize> = (0..edges.len()).filter(|&edge| edges[edge]).collect();
        assert_eq!(covered, [0, 7, 12]);
    }
}
