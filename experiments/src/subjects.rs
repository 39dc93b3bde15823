//! Tests every program under test.

use anyhow::{Result, ensure};

use zester_xtask::cargo::cargo;
use zester_xtask::command::quietly;
use zester_xtask::repository::{self, file};

/// Runs the unit tests of each program under test, and compiles its fuzz target and the program
/// that counts its edges.
///
/// scripts/check does so only for json, because building all of them takes long.
#[derive(clap::Args)]
pub struct Subjects {
    /// The subjects [default: all].
    #[arg(default_value_if("quick", "true", "json"))]
    subjects: Vec<String>,
    /// Test one subject, to test quickly that the command works.
    #[arg(long)]
    quick: bool,
}

impl Subjects {
    pub fn run(&self) -> Result<()> {
        let subjects = if self.subjects.is_empty() {
            repository::subjects()?
        } else {
            self.subjects.clone()
        };
        let mut failed = Vec::new();
        let mut test = |name: &str, arguments: &[&str]| match quietly(cargo().args(arguments)) {
            Ok(()) => println!("{name}: pass"),
            Err(error) => {
                eprintln!("{error:#}");
                failed.push(name.to_owned());
            }
        };
        for subject in &subjects {
            test(
                subject,
                &[
                    "test",
                    "--release",
                    "-p",
                    "zester-subjects",
                    "--features",
                    subject,
                ],
            );
            let features = format!("zester-fuzz/{subject},zester-coverage/{subject}");
            test(
                &format!("{subject}, targets"),
                &[
                    "check",
                    "-p",
                    "zester-fuzz",
                    "-p",
                    "zester-coverage",
                    "--features",
                    &features,
                ],
            );
        }
        if self.subjects.is_empty() {
            let manifest = file("fuzz/javascript_old/Cargo.toml").display().to_string();
            test(
                "javascript_old, targets",
                &["check", "--manifest-path", &manifest],
            );
        }
        ensure!(failed.is_empty(), "fail: {}", failed.join(", "));
        Ok(())
    }
}
