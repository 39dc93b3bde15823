//! Measures the cost of zester in a C target, against stock libFuzzer on the same sentences.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};

use crate::figures::median;
use zester_xtask::c;
use zester_xtask::command::{completed, quietly};
use zester_xtask::repository::{file, grammar_of};
use zester_xtask::zester::{Zester, files};

/// Measures the cost of zester in a C target.
///
/// zester runs a number of executions of the target. Stock libFuzzer runs the same sentences, which
/// were decoded beforehand, and which its mutator returns one after the other. The sides take
/// turns, with AddressSanitizer. Both start from the corpus of a short run. Times are processor
/// times without that of the start. zester's environment variables have their usual effect.
#[derive(clap::Args)]
pub struct Overhead {
    /// The number of runs of each side.
    #[arg(default_value_t = 3, default_value_if("quick", "true", "1"))]
    runs: u64,
    /// The number of executions of a run.
    #[arg(default_value_t = 20_000, default_value_if("quick", "true", "2000"))]
    executions: u64,
    /// The fuzz target.
    #[arg(default_value = "sqlite", default_value_if("quick", "true", "lua"))]
    target: String,
    /// The number of executions of the run that makes the corpus.
    #[arg(default_value_t = 0)]
    before: u64,
    /// clang's name of a sanitizer, or `none`.
    #[arg(long, default_value = "address")]
    sanitizer: String,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

/// Flags with which both sides schedule inputs alike, whatever an execution costs.
const ALIKE: [&str; 3] = [
    "-entropic_scale_per_exec_time=0",
    "-entropic_feature_frequency_threshold=1",
    "-len_control=0",
];

impl Overhead {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let (work, zester) = (tempfile::tempdir()?, Zester::build()?);
        self.build(work.path(), &zester)?;
        let mut overheads = Vec::new();
        for run in 1..=self.runs {
            let (ours, stock) = self.pair(run, work.path(), &zester)?;
            let overhead = 100.0 * (ours / stock - 1.0);
            let rate = |seconds: f64| self.executions as f64 / seconds;
            println!(
                "run {run}: zester {:.0}/s, stock {:.0}/s: overhead {overhead:.1} %",
                rate(ours),
                rate(stock)
            );
            overheads.push(overhead);
        }
        println!("overhead: {:.1} % (median)", median(overheads));
        Ok(())
    }

    /// Builds three programs: with zester; with zester and a recording of each sentence; and
    /// without zester, replaying the recording.
    fn build(&self, work: &Path, zester: &Zester) -> Result<()> {
        let sanitizer = if self.sanitizer == "none" {
            ""
        } else {
            &self.sanitizer
        };
        let built = c::fuzz_target(&self.target, sanitizer, zester.path(), &work.join("zester"))?;
        let engine = if sanitizer.is_empty() {
            "-fsanitize=fuzzer".into()
        } else {
            format!("-fsanitize=fuzzer,{sanitizer}")
        };
        for name in ["record", "replay"] {
            let mut compile = Command::new(&built.clang);
            compile.args(["-c", "-O2", &format!("-I{}", file("c").display())]);
            quietly(
                compile
                    .arg(file(&format!("experiments/c/{name}.c")))
                    .arg("-o")
                    .arg(work.join(name).with_extension("o")),
            )?;
            let mut link = Command::new(&built.clang);
            link.arg(&engine)
                .args(&built.objects)
                .arg(work.join(name).with_extension("o"));
            if name == "record" {
                link.arg("-Wl,--wrap=zester_decode").arg(&built.library);
            }
            c::link(&mut link, &work.join(name))?;
        }
        Ok(())
    }

    /// Returns the processor seconds of both sides in a run.
    fn pair(&self, run: u64, work: &Path, zester: &Zester) -> Result<(f64, f64)> {
        let here = work.join(run.to_string());
        let (parameters, recorded, texts, sentences) = (
            here.join("parameters"),
            here.join("recorded"),
            here.join("texts"),
            here.join("sentences"),
        );
        for directory in [&parameters, &recorded, &texts] {
            fs::create_dir_all(directory)?;
        }
        let (prefix, seed) = (
            format!("-artifact_prefix={}/", work.display()),
            format!("-seed={run}"),
        );
        if self.before > 0 {
            completed(
                Command::new(work.join("zester"))
                    .args([&seed, &format!("-runs={}", self.before), &prefix])
                    .arg(&parameters),
            )?;
            let _ = fs::remove_dir_all(&texts);
            zester.decode(&grammar_of(&self.target)?, &parameters, &texts)?;
        }
        copy(&parameters, &recorded)?;
        let mut record = Command::new(work.join("record"));
        record
            .env("RECORD", &sentences)
            .env("ASAN_OPTIONS", "detect_leaks=0")
            .args([&seed, &format!("-runs={}", self.executions), &prefix]);
        completed(record.args(ALIKE).arg(&recorded))?;
        ensure!(
            fs::metadata(&sentences).is_ok_and(|file| file.len() > 0),
            "no sentence was recorded"
        );
        let seconds = |name: &str, from: &Path, runs: u64| -> Result<f64> {
            let corpus = here.join(name);
            let _ = fs::remove_dir_all(&corpus);
            fs::create_dir(&corpus)?;
            copy(from, &corpus)?;
            let mut command = Command::new(work.join(name));
            command
                .env("RECORD", &sentences)
                .env("ASAN_OPTIONS", "detect_leaks=0");
            command
                .args([&seed, &format!("-runs={runs}"), &prefix])
                .args(ALIKE)
                .arg(&corpus);
            if name == "replay" {
                // A sentence is longer than its parameters.
                command.arg("-max_len=1000000");
            }
            let start = processor_time()?;
            if !completed(&mut command)?.succeeded() {
                println!("  {name}: a crash ended it");
            }
            Ok(processor_time()? - start)
        };
        let of = |name, from: &Path| {
            Ok::<f64, anyhow::Error>(
                seconds(name, from, self.executions)? - seconds(name, from, 1)?,
            )
        };
        Ok((of("zester", &parameters)?, of("replay", &texts)?))
    }
}

/// Copies the files of a directory.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        fs::copy(&file, to.join(file.file_name().expect("a file has a name")))?;
    }
    Ok(())
}

/// Returns the processor seconds (user and system) of all child processes that have ended.
pub fn processor_time() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_grows_with_work() {
        let start = processor_time().unwrap();
        completed(
            Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]),
        )
        .unwrap();
        assert!(processor_time().unwrap() - start > 0.01);
    }
}
