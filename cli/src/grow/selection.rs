//! Selects the inputs of a node's corpus: small inputs that together cover all edges.

use std::collections::HashSet;
use std::path::Path;

use zester::Validity;
use zester::parameters::Decoder;
use zester::subject::{Limits, Outcome, Request, Subject};

use super::lattice::Fuzzer;
use crate::problem::Problem;

/// An input covers an edge if this many runs of it all hit the edge. Some edges are hit only by
/// chance, or only in the first run of a process.
const RUNS: usize = 3;

/// An input with the edges that it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredInput {
    /// Canonical parameters.
    pub parameters: Vec<u8>,
    /// The sentence that the parameters decode to.
    pub text: Vec<u8>,
    pub is_valid: bool,
    /// All edges that it covers, sorted.
    pub edges: Vec<u32>,
}

/// The edges that a corpus covers, and those that its valid inputs cover.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    pub edges: HashSet<u32>,
    pub valid_edges: HashSet<u32>,
}

impl Covered {
    /// Adds the edges of a run. Returns the edges that no earlier run covers. Of a valid run, also
    /// returns the edges that no earlier valid run covers.
    pub fn add(&mut self, is_valid: bool, edges: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let add = |all: &mut HashSet<u32>| {
            edges
                .iter()
                .copied()
                .filter(|&edge| all.insert(edge))
                .collect()
        };
        (
            add(&mut self.edges),
            if is_valid {
                add(&mut self.valid_edges)
            } else {
                Vec::new()
            },
        )
    }

    /// Returns whether an input covers a new edge. For a valid input, that is an edge that no valid
    /// input covers. Otherwise it is an edge that no input covers.
    fn is_new(&self, is_valid: bool, edges: &[u32]) -> bool {
        let all = if is_valid {
            &self.valid_edges
        } else {
            &self.edges
        };
        edges.iter().any(|edge| !all.contains(edge))
    }
}

/// Runs a text. Returns its validity and the edges that it covers, or [`None`] if the target did
/// not return.
pub fn run(subject: &mut Subject, text: &[u8]) -> Result<Option<(Validity, Vec<u32>)>, Problem> {
    let run = subject.run(Request::Sentence(text)).map_err(Problem::new)?;
    Ok(match run.outcome {
        Outcome::Finished(validity) => Some((validity, subject.edges().to_vec())),
        _ => None,
    })
}

/// Runs a text again, and removes the edges that not all runs hit. If the validity differs, removes
/// all edges.
pub fn confirm(
    subject: &mut Subject,
    text: &[u8],
    validity: Validity,
    edges: &mut Vec<u32>,
) -> Result<(), Problem> {
    for _ in 1..RUNS {
        match run(subject, text)? {
            Some((again, covered)) if again == validity => {
                edges.retain(|edge| covered.binary_search(edge).is_ok())
            }
            _ => edges.clear(),
        }
    }
    Ok(())
}

/// Runs all inputs, smallest first, and returns those to keep, with what they cover.
///
/// A valid input is kept if it covers an edge that no smaller valid input covers. Then another input
/// is kept if it covers an edge that no kept input covers. A fuzzer that keeps valid inputs only
/// does not keep inputs that the target reports as invalid.
///
/// # Errors
/// If the target cannot be started.
pub fn select(
    fuzzer: Fuzzer,
    decoder: &mut Decoder<'_>,
    subject: &mut Subject,
    inputs: impl IntoIterator<Item = Vec<u8>>,
) -> Result<(Vec<MeasuredInput>, Covered), Problem> {
    let mut candidates: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for bytes in inputs {
        let text = decoder.text(&bytes).to_vec();
        candidates.push((text, decoder.canonical(&bytes).to_vec()));
    }
    candidates.sort_by(|(one, _), (other, _)| by_size(one, other));
    candidates.dedup_by(|(one, _), (other, _)| one == other);
    let (mut kept, mut covered, mut others) = (Vec::new(), Covered::default(), Vec::new());
    let mut keep = |covered: &mut Covered,
                    (text, parameters): (Vec<u8>, Vec<u8>),
                    validity,
                    mut edges: Vec<u32>,
                    subject: &mut _| {
        let is_valid = validity == Validity::Valid;
        if covered.is_new(is_valid, &edges) {
            confirm(subject, &text, validity, &mut edges)?;
            if covered.is_new(is_valid, &edges) {
                covered.add(is_valid, &edges);
                kept.push(MeasuredInput {
                    parameters,
                    text,
                    is_valid,
                    edges,
                });
            }
        }
        Ok::<(), Problem>(())
    };
    for candidate in candidates {
        match run(subject, &candidate.0)? {
            Some((Validity::Valid, edges)) => {
                keep(&mut covered, candidate, Validity::Valid, edges, subject)?
            }
            Some((Validity::Invalid, _)) if !fuzzer.keeps_all => {}
            Some(_) => others.push(candidate),
            None => {}
        }
    }
    for candidate in others {
        if let Some((validity, edges)) = run(subject, &candidate.0)? {
            keep(&mut covered, candidate, validity, edges, subject)?;
        }
    }
    Ok((kept, covered))
}

/// Returns the size by which inputs are compared: the number of characters that are not white space,
/// then the number of bytes.
pub fn size(text: &[u8]) -> (usize, usize) {
    let characters = match std::str::from_utf8(text) {
        Ok(text) => text
            .chars()
            .filter(|character| !character.is_whitespace())
            .count(),
        Err(_) => text
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count(),
    };
    (characters, text.len())
}

/// Compares texts by their sizes. Texts of the same size are compared by their bytes.
pub fn by_size(one: &[u8], other: &[u8]) -> std::cmp::Ordering {
    size(one).cmp(&size(other)).then_with(|| one.cmp(other))
}

/// Starts the target with the default limits.
pub fn start(target: &Path) -> Result<Subject, Problem> {
    let subject = Subject::start(target, Limits::default()).map_err(Problem::new)?;
    Ok(subject.comparing_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_valid_runs_count_apart() {
        let mut covered = Covered::default();
        assert_eq!(covered.add(false, &[1, 2]), (vec![1, 2], vec![]));
        assert_eq!(covered.add(true, &[2, 3]), (vec![3], vec![2, 3]));
        assert_eq!(covered.add(true, &[1, 2, 3]), (vec![], vec![1]));
        assert_eq!(covered.add(true, &[1]), (vec![], vec![]));
        assert!(!covered.is_new(true, &[1]) && covered.is_new(true, &[4]));
        covered.add(false, &[4]);
        assert!(covered.is_new(true, &[4]) && !covered.is_new(false, &[4]));
    }

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(size("a  ä\n".as_bytes()), (2, 6));
        assert_eq!(size(b"\xff \xff"), (2, 3));
    }
}
