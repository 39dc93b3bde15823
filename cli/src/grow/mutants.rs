//! Mutation analysis. It finds the mutants of the target that sentences kill, and sentences that kill
//! further mutants.
//!
//! A mutant is a copy of the target with one small change, which stands for a fault. A sentence kills
//! it if its outcome with the mutant differs from its outcome with the target. The outcomes are valid,
//! invalid, a crash with its signature, and so on.
//!
//! The analysis comes after the selection by coverage, as Chen et al. recommend (*Revisiting the
//! relationship between fault detection, test adequacy criteria, and test set size*, ASE 2020).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;
use zester::subject::{Limits, Outcome, Request, Subject};

use crate::problem::Problem;

/// The time limit of a run of a mutant. Mutants often loop forever.
const TIMEOUT: Duration = Duration::from_secs(2);

/// The paths of built mutants of a target.
pub struct Mutants(Vec<PathBuf>);

/// The result of a mutation analysis.
#[derive(Debug, Default, PartialEq)]
pub struct Analysis {
    /// The number of mutants that started.
    pub mutants: usize,
    /// The number of mutants that a kept or an added sentence kills.
    pub killed: usize,
    /// The indices of the candidates to add.
    pub added: Vec<usize>,
}

impl Mutants {
    /// Returns the programs in a directory.
    ///
    /// # Errors
    /// If it cannot be read or has no programs.
    pub fn of(directory: &Path) -> Result<Mutants, Problem> {
        let problem = |error| Problem::with(directory, error);
        let mut programs = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(problem)? {
            let path = entry.map_err(problem)?.path();
            if path.metadata().is_ok_and(|metadata| {
                metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
            }) {
                programs.push(path);
            }
        }
        if programs.is_empty() {
            return Err(Problem::with(
                directory,
                "has no programs; it must contain mutants of the target, built as the target",
            ));
        }
        programs.sort();
        Ok(Mutants(programs))
    }

    /// Finds the candidates to add to the kept sentences: for each mutant that no kept sentence kills,
    /// the first candidate that kills it. The outcome of each sentence is that with the target.
    pub fn analyse(
        &self,
        kept: &[(Vec<u8>, Outcome)],
        candidates: &[(Vec<u8>, Outcome)],
        bar: &ProgressBar,
    ) -> Result<Analysis, Problem> {
        let mut analysis = Analysis::default();
        for program in &self.0 {
            // A mutant that does not start is left out, because every sentence would kill it.
            if let Ok(mut mutant) = Subject::start(program, Limits::default().timeout(TIMEOUT)) {
                analysis.add(kept, candidates, |text, expected| {
                    Ok(mutant
                        .run(Request::Sentence(text))
                        .map_err(Problem::new)?
                        .outcome
                        != *expected)
                })?;
            }
            bar.inc(1);
        }
        Ok(analysis)
    }

    /// Returns the number of mutants.
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

impl Analysis {
    /// Adds a mutant to the analysis. `kills` returns whether a sentence kills it. Its second argument
    /// is the outcome of the sentence with the target.
    fn add(
        &mut self,
        kept: &[(Vec<u8>, Outcome)],
        candidates: &[(Vec<u8>, Outcome)],
        mut kills: impl FnMut(&[u8], &Outcome) -> Result<bool, Problem>,
    ) -> Result<(), Problem> {
        self.mutants += 1;
        for (text, outcome) in kept
            .iter()
            .chain(self.added.iter().map(|&at| &candidates[at]))
        {
            if kills(text, outcome)? {
                self.killed += 1;
                return Ok(());
            }
        }
        for (at, (text, outcome)) in candidates.iter().enumerate() {
            if kills(text, outcome)? {
                self.killed += 1;
                self.added.push(at);
                return Ok(());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use zester::Validity;

    use super::*;

    #[test]
    fn candidates_are_added_for_mutants_that_no_kept_sentence_kills() {
        let sentence = |text: &str| (text.as_bytes().to_vec(), Outcome::Finished(Validity::Valid));
        let (kept, candidates) = (
            [sentence("a")],
            [sentence("b"), sentence("bc"), sentence("d")],
        );
        let mut analysis = Analysis::default();
        // Each mutant is killed by the sentences that contain its letter.
        for letter in *b"abcbz" {
            let kills = |text: &[u8], _: &Outcome| Ok(text.contains(&letter));
            analysis.add(&kept, &candidates, kills).ok().unwrap();
        }
        assert_eq!(
            analysis,
            Analysis {
                mutants: 5,
                killed: 4,
                added: vec![0, 1]
            }
        );
    }

    #[test]
    fn a_directory_without_programs_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("text"), "").unwrap();
        assert!(
            Mutants::of(directory.path())
                .err()
                .unwrap()
                .message()
                .contains("has no programs")
        );
        assert!(
            Mutants::of(Path::new("/nowhere"))
                .err()
                .unwrap()
                .message()
                .contains("No such file")
        );
    }
}
