//! Selects the inputs of a node's corpus: the smallest ones that together cover what all of them cover.

use std::collections::HashSet;
use std::path::Path;

use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::{Decoder, Settings};
use zester::subject::{Limits, Outcome, Request, Subject};

use super::lattice::Fuzzer;
use crate::problem::Problem;

/// The maximum number of runs to reduce one input.
const MAX_TRIES: usize = 500;

/// An edge counts if this many runs of an input cover it.
const RUNS: usize = 3;

/// An input with what its run covered.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Canonical parameters.
    pub parameters: Vec<u8>,
    /// The sentence.
    pub text: Vec<u8>,
    pub is_valid: bool,
    /// The edges that no smaller input covers.
    pub edges: Vec<u32>,
    /// The edges that no smaller valid input covers. Empty for an input that is not valid.
    pub valid_edges: Vec<u32>,
}

/// What a corpus covers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Covered {
    pub edges: HashSet<u32>,
    pub valid_edges: HashSet<u32>,
}

impl Covered {
    /// Returns whether [`Covered::add`] would return an edge.
    fn has_new(&self, is_valid: bool, edges: &[u32]) -> bool {
        edges.iter().any(|edge| !self.edges.contains(edge) || is_valid && !self.valid_edges.contains(edge))
    }

    /// Adds the edges of a run. Returns those that are new, and those that are new among the edges of valid runs.
    pub fn add(&mut self, is_valid: bool, edges: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let add = |all: &mut HashSet<u32>| edges.iter().copied().filter(|&edge| all.insert(edge)).collect();
        (add(&mut self.edges), if is_valid { add(&mut self.valid_edges) } else { Vec::new() })
    }
}

/// Runs a text. Returns its validity and the edges that it covers, or [`None`] if the target did not return.
fn run(subject: &mut Subject, text: &[u8]) -> Result<Option<(Validity, Vec<u32>)>, Problem> {
    let run = subject.run(Request::Text(text)).map_err(Problem::new)?;
    Ok(match run.outcome {
        Outcome::Ran(validity) => Some((validity, subject.edges().to_vec())),
        _ => None,
    })
}

/// Runs all inputs, smallest text first, and keeps those that cover a new edge each time, or a new edge among those of valid runs. A
/// fuzzer
/// that keeps valid inputs only keeps no input that the target reported invalid.
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
        let Some((validity, mut edges)) = run(subject, &text)? else { continue };
        if validity == Validity::Invalid && !fuzzer.keeps_all {
            continue;
        }
        let is_valid = validity == Validity::Valid;
        // Some edges are covered only by chance, or by the first run in a process. They would keep inputs for no reason.
        for _ in 1..RUNS {
            if !covered.has_new(is_valid, &edges) {
                break;
            }
            match run(subject, &text)? {
                Some((again, covered)) if again == validity => edges.retain(|edge| covered.binary_search(edge).is_ok()),
                _ => edges.clear(),
            }
        }
        let (edges, valid_edges) = covered.add(is_valid, &edges);
        if !edges.is_empty() || !valid_edges.is_empty() {
            kept.push(Input { parameters, text, is_valid, edges, valid_edges });
        }
    }
    Ok((kept, covered))
}

/// Reduces each input while its run covers the edges for which it was selected and its validity stays. Then selects again.
///
/// # Errors
/// If the target cannot be started.
pub fn reduce(
    fuzzer: Fuzzer,
    grammar: &Grammar,
    subject: &mut Subject,
    inputs: &[Input],
    mut progress: impl FnMut(usize),
) -> Result<(Vec<Input>, Covered), Problem> {
    let settings = Settings { bounds: fuzzer.bounds(), ..Settings::default() };
    let (mut problem, mut reduced) = (None, Vec::new());
    for (number, input) in inputs.iter().enumerate() {
        progress(number);
        let mut needed = [&input.edges[..], &input.valid_edges].concat();
        needed.sort_unstable();
        needed.dedup();
        let mut tries = 0;
        let smallest = zester::reduce::reduce(grammar, &settings, &input.parameters, &mut |tree| {
            tries += 1;
            if problem.is_some() || tries > MAX_TRIES {
                return false;
            }
            match subject.run(Request::Text(tree.derivation().text())) {
                Ok(run) => {
                    let stays = matches!(run.outcome, Outcome::Ran(validity) if (validity == Validity::Valid) == input.is_valid);
                    stays && needed.iter().all(|edge| subject.edges().binary_search(edge).is_ok())
                }
                Err(error) => {
                    problem = Some(Problem::new(error));
                    false
                }
            }
        });
        if let Some(problem) = problem {
            return Err(problem);
        }
        reduced.push(smallest.parameters().to_vec());
    }
    // A run that is not the same each time may have led to a text that covers less. Then the original can be selected.
    reduced.extend(inputs.iter().map(|input| input.parameters.clone()));
    let mut decoder = Decoder::new(grammar).settings(settings);
    select(fuzzer, &mut decoder, subject, reduced)
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
        assert_eq!(covered.add(false, &[1, 2]), (vec![1, 2], vec![]));
        assert_eq!(covered.add(true, &[2, 3]), (vec![3], vec![2, 3]));
        assert_eq!(covered.add(true, &[1, 2, 3]), (vec![], vec![1]));
        assert_eq!(covered.add(true, &[1]), (vec![], vec![]));
    }

    #[test]
    fn white_space_does_not_count() {
        assert_eq!(size("a  ä\n".as_bytes()), (2, 6));
        assert_eq!(size(b"\xff \xff"), (2, 3));
    }
}
