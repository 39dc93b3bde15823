//! The tests of every program under test.

use anyhow::{Result, ensure};

use crate::command::quietly;
use crate::programs::cargo;
use crate::repository;

/// Runs the unit tests of each program under test, and those of the programs that count edges.
///
/// scripts/check leaves them out, except for json, because building them takes long.
#[derive(clap::Args)]
pub struct Subjects {
    /// Subjects [default: all].
    #[arg(default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// One subject, to see that it works.
    #[arg(long)]
    quick: bool,
}

impl Subjects {
    /// Runs them.
    pub fn run(&self) -> Result<()> {
        let subjects = if self.subjects.is_empty() { repository::subjects()? } else { self.subjects.clone() };
        let mut failed = Vec::new();
        let mut test = |name: &str, arguments: &[&str]| match quietly(cargo().arg("test").args(arguments)) {
            Ok(()) => println!("{name}: tests pass"),
            Err(error) => {
                eprintln!("{error:#}");
                failed.push(name.to_owned());
            }
        };
        for subject in &subjects {
            test(subject, &["--release", "-p", "zester-subjects", "--features", subject]);
        }
        test("coverage", &["-p", "zester-coverage"]);
        ensure!(failed.is_empty(), "tests fail: {}", failed.join(", "));
        Ok(())
    }
}
