//! Measures whether a long campaign becomes slower.

use std::path::Path;

use anyhow::{Context, Result};

use crate::campaign::Campaign;
use crate::figures::percent;
use zester_xtask::programs::{self, Engine, Sanitizer};
use zester_xtask::statistics::Statistics;

/// Measures whether executions per second decay in a long campaign.
///
/// Fuzzes a target from an empty corpus. After a crash the campaign continues with its corpus;
/// known faults only reject their input. Prints for each tenth of the time: executions per second,
/// the mean length of a sentence, the valid share, and the number of runs that began in it.
#[derive(clap::Args)]
pub struct Endurance {
    /// The duration in seconds.
    #[arg(default_value_t = 3600, default_value_if("quick", "true", "21"))]
    seconds: u64,
    /// The fuzz target.
    #[arg(default_value = "wgsl", default_value_if("quick", "true", "json"))]
    target: String,
    /// Flags of libFuzzer.
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    flags: Vec<String>,
    /// Reduce all numbers, to test quickly that the experiment works.
    #[arg(long)]
    quick: bool,
}

impl Endurance {
    /// Runs the experiment.
    pub fn run(&self) -> Result<()> {
        let work = tempfile::tempdir()?;
        let program = work.path().join("target");
        programs::fuzz_target(&self.target, Sanitizer::None, Engine::Libfuzzer, &program)?;
        let mut campaign =
            Campaign::new(&program, &work.path().join("run"), 1, self.seconds).hunting("none");
        campaign.flags = self.flags.clone();
        campaign.run()?;
        let (steps, seconds, runs) = steps(&campaign.directory)?;
        println!(
            "{seconds:.0} s in {runs} runs\n{:>6} {:>8} {:>6} {:>7} {:>5}",
            "from", "exec/s", "bytes", "valid", "runs"
        );
        for (number, tenth) in tenths(&steps, seconds).iter().enumerate() {
            println!("{:6.0} {}", number as f64 * seconds / 10.0, tenth.row());
        }
        Ok(())
    }
}

/// The work between two lines of statistics.
struct Step {
    /// The start, in seconds of the campaign.
    at: f64,
    /// The difference between the two lines.
    done: Statistics,
    /// Whether a run begins with it.
    first: bool,
}

/// The work in a part of the campaign.
#[derive(Debug, Default, PartialEq)]
struct Tenth {
    done: Statistics,
    runs: usize,
}

impl Tenth {
    fn row(&self) -> String {
        let done = &self.done;
        let rate = done.executions / done.seconds.max(1e-9);
        format!(
            "{rate:8.0} {:6.0} {:5.1} % {:5}",
            done.mean_bytes(),
            percent(done.valid, done.executions),
            self.runs
        )
    }
}

/// Returns the steps of a campaign, its duration in seconds, and the number of its runs.
fn steps(directory: &Path) -> Result<(Vec<Step>, f64, usize)> {
    let files = Statistics::files(directory)?;
    let (mut steps, mut offset) = (Vec::new(), 0.0);
    for file in &files {
        let mut last = Statistics::default();
        for (number, line) in Statistics::lines(file)?.into_iter().enumerate() {
            let done = Statistics {
                seconds: line.seconds - last.seconds,
                executions: line.executions - last.executions,
                valid: line.valid - last.valid,
                bytes: line.bytes - last.bytes,
                ..Statistics::default()
            };
            steps.push(Step {
                at: offset + last.seconds,
                done,
                first: number == 0,
            });
            last = line;
        }
        offset += last.seconds;
    }
    steps.first().context("the campaign wrote no statistics")?;
    Ok((steps, offset, files.len()))
}

/// Divides the work into tenths of the time.
fn tenths(steps: &[Step], seconds: f64) -> [Tenth; 10] {
    let mut tenths = [const {
        Tenth {
            done: Statistics {
                seconds: 0.0,
                executions: 0.0,
                valid: 0.0,
                invalid: 0.0,
                edges: 0.0,
                valid_edges: 0.0,
                bytes: 0.0,
            },
            runs: 0,
        }
    }; 10];
    for step in steps {
        let tenth = &mut tenths[((10.0 * step.at / seconds) as usize).min(9)];
        tenth.done.seconds += step.done.seconds;
        tenth.done.executions += step.done.executions;
        tenth.done.valid += step.done.valid;
        tenth.done.bytes += step.done.bytes;
        tenth.runs += usize::from(step.first);
    }
    tenths
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn tenths_hold_what_was_done_in_them() {
        let directory = tempfile::tempdir().unwrap();
        let line = |seconds: u32, executions: u32| {
            format!(
                "{{\"seconds\":{seconds},\"executions\":{executions},\"valid\":{},\"invalid\":0,\"edges\":1,\"valid_edges\":1,\"mean_sentence_bytes\":4}}\n",
                executions / 2
            )
        };
        fs::write(
            directory.path().join("stats.0"),
            line(5, 100) + &line(10, 300),
        )
        .unwrap();
        fs::write(directory.path().join("stats.1"), line(10, 50)).unwrap();
        let (steps, seconds, runs) = steps(directory.path()).unwrap();
        assert_eq!((seconds, runs), (20.0, 2));
        let tenths = tenths(&steps, seconds);
        assert_eq!(tenths[0].row(), "      20      4  50.0 %     1");
        assert_eq!(tenths[2].row(), "      40      4  50.0 %     0");
        assert_eq!(tenths[5].row(), "       5      4  50.0 %     1");
        assert_eq!(tenths[1], Tenth::default());
    }
}
