//! The failures of a campaign, grouped by signature.

use std::collections::BTreeMap;
use std::time::Instant;

use zester::subject::{Outcome, Request, Subject};

use super::artifacts::{artifacts, recorded_text};
use super::material::{Material, Shown};
use crate::input::parameters;
use crate::problem::Problem;
use crate::progress::progress;

/// The failures that a campaign counted, and those of its artifacts.
pub struct ReportedFailures {
    pub groups: Vec<ReportedFailure>,
    /// The number of artifacts, and how many of them were run within the time.
    pub artifacts: usize,
    pub run: usize,
}

/// The failures with the same signature.
pub struct ReportedFailure {
    pub signature: String,
    /// The number of failures that the campaign counted. [`None`] if only artifacts have the
    /// signature.
    pub count: Option<u64>,
    pub artifacts: usize,
    /// The smallest artifact.
    pub smallest: Option<Shown>,
}

/// Runs the artifacts, and groups them by signature with the failures that the campaign counted.
pub fn failures(
    subject: &mut Subject,
    material: &Material,
    end: Instant,
) -> Result<ReportedFailures, Problem> {
    let counted = material.failures.iter();
    let mut groups: BTreeMap<String, ReportedFailure> = counted
        .map(|(signature, count)| {
            (
                signature.clone(),
                ReportedFailure::new(signature, Some(*count)),
            )
        })
        .collect();
    let files = material.artifacts.as_deref().map_or(Vec::new(), artifacts);
    let bar = progress(files.len() as u64, "artifacts");
    let mut run = 0;
    for file in files.iter().take_while(|_| Instant::now() < end) {
        let bytes = parameters(file)?;
        let signature = match subject
            .run(Request::Parameters(&bytes))
            .map_err(Problem::new)?
            .outcome
        {
            Outcome::Crash(signature) => signature.to_string(),
            Outcome::Finished(_) => "no failure when run again".into(),
            other => other.to_string(),
        };
        let group = groups.entry(signature.clone());
        let failure = group.or_insert_with(|| ReportedFailure::new(&signature, None));
        failure.artifacts += 1;
        // The artifacts are sorted by size.
        failure.smallest.get_or_insert_with(|| Shown {
            file: file.clone(),
            text: recorded_text(file).unwrap_or_default(),
        });
        run += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let mut groups: Vec<ReportedFailure> = groups.into_values().collect();
    groups
        .sort_by_key(|failure| std::cmp::Reverse((failure.count.unwrap_or(0), failure.artifacts)));
    Ok(ReportedFailures {
        groups,
        artifacts: files.len(),
        run,
    })
}

impl ReportedFailure {
    fn new(signature: &str, count: Option<u64>) -> ReportedFailure {
        ReportedFailure {
            signature: signature.into(),
            count,
            artifacts: 0,
            smallest: None,
        }
    }
}
