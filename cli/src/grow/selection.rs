//! Selects the inputs of a node's corpus: the smallest ones that together cover what all of them cover.

use std::collections::HashSet;
use std::path::Path;

use zester::Validity;
use zester::parameters::Decoder;
use zester::subject::{Limits, Outcome, Request, Subject};

use super::lattice::Fuzzer;
use crate::problem::Problem;

/// An input with what its run covered.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Canonical parameters.
    pub parameters: Vec<u8>,
    /// The sentence.
    pub text: Vec<u8>,
    pub is_valid: bool,
    /// The number of edges that no smaller input covers.
    pub edges: usize,
    /// The number of edges that no smaller valid input covers; 0 for an input that is not valid.
    pub valid_edges: usize,
}

/// What a corpus covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    pub edges: HashSet<u32>,
    pub valid_edges: HashSet<u32>,
}

impl Covered {
    /// Adds the edges of a run. Returns how many are new, and how many are new among those of valid runs.
    pub fn add(&mut self, is_valid: bool, edges: &[u32]) -> (usize, usize) {
        let add = |all: &mut HashSet<u32>| edges.iter().filter(|&&edge| all.insert(edge)).count();
        (add(&mut self.edges), if is_valid { add(&mut self.valid_edges) } else { 0 })
    }
}

/// Runs all inputs, smallest text first, and keeps those that cover a new edge, or a new edge among those of valid runs. A fuzzer
/// that keeps valid inputs only keeps no other.
///
/// # Errors
/// If the target cannot be started.
pub fn select(
    fuzzer: Fuzzer,
    decoder: &mut Decoder<'_>,
    subject: &mut Subject,
    inputs: impl IntoIterator<Item = Vec<u8>>,
) -> Result<(Vec<Input>, Covered), Problem> {
    let mut candidates: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for bytes in inputs {
        let text = decoder.text(&bytes).to_vec();
        candidates.push((text, decoder.canonical(&bytes).to_vec()));
    }
    candidates.sort_by(|(one, _), (other, _)| size(one).cmp(&size(other)).then_with(|| one.cmp(other)));
    candidates.dedup_by(|(one, _), (other, _)| one == other);
    let (mut kept, mut covered) = (Vec::new(), Covered::default());
    for (text, parameters) in candidates {
        let run = subject.run(Request::Text(&text)).map_err(Problem::new)?;
        let Outcome::Ran(validity) = run.outcome else { continue };
        let is_valid = validity == Validity::Valid;
        if !is_valid && !fuzzer.keeps_all {
            continue;
        }
        let (edges, valid_edges) = covered.add(is_valid, subject.edges());
        if edges > 0 || valid_edges > 0 {
            kept.push(Input { parameters, text, is_valid, edges, valid_edges });
        }
    }
    Ok((kept, covered))
}

/// Returns the size by which inputs are ordered: the characters without white space, then the bytes.
pub fn size(text: &[u8]) -> (usize, usize) {
    let characters = match std::str::from_utf8(text) {
        Ok(text) => text.chars().filter(|character| !character.is_whitespace()).count(),
        Err(_) => text.iter().filter(|byte| !byte.is_ascii_whitespace()).count(),
    };
    (characters, text.len())
}

/// Starts the target that inputs are run with.
pub fn start(target: &Path) -> Result<Subject, Problem> {
    Subject::start(target, Limits::default()).map_err(Problem::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_valid_runs_count_apart() {
        let mut covered = Covered::default();
        assert_eq!(covered.add(false, &[1, 2]), (2, 0));
        assert_eq!(covered.add(true, &[2, 3]), (1, 2));
        assert_eq!(covered.add(true, &[1, 2, 3]), (0, 1));
        assert_eq!(covered.add(true, &[1]), (0, 0));
    }

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(size("a  ä\n".as_bytes()), (2, 6));
        assert_eq!(size(b"\xff \xff"), (2, 3));
    }
}
