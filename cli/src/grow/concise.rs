//! Makes a corpus concise: fewer and smaller inputs that cover the same edges.
//!
//! An input is *necessary* if it covers an edge that no other input covers. Inputs that are not
//! necessary are removed, the largest first. Each of the others is reduced while it covers the
//! edges for which it is necessary. The sentences that a reduction tries are candidates for the
//! next selection, because several small inputs together can replace a large one.

use std::collections::HashMap;

use zester::Validity;
use zester::grammar::Grammar;
use zester::parameters::Settings;
use zester::subject::{Outcome, Request, Subject};

use super::lattice::Fuzzer;
use super::selection::{MeasuredInput, by_size, confirm, size};
use crate::problem::Problem;

/// The number of rounds of selection and reduction. Further rounds hardly make the corpus smaller.
const ROUNDS: usize = 2;

/// The maximum number of sentences that the reduction of one input tries.
const MAX_TRIES: usize = 2_000;

/// The number of inputs that cover each edge.
#[derive(Default)]
struct Counts {
    /// By edge: the number of inputs that cover it, and of valid inputs that cover it.
    edges: Vec<[u32; 2]>,
}

impl Counts {
    fn of<'a>(inputs: impl IntoIterator<Item = &'a MeasuredInput>) -> Counts {
        let mut counts = Counts::default();
        inputs.into_iter().for_each(|input| counts.add(input));
        counts
    }

    fn add(&mut self, input: &MeasuredInput) {
        for &edge in &input.edges {
            if self.edges.len() <= edge as usize {
                self.edges.resize(edge as usize + 1, [0; 2]);
            }
            self.edges[edge as usize][0] += 1;
            self.edges[edge as usize][1] += u32::from(input.is_valid);
        }
    }

    fn remove(&mut self, input: &MeasuredInput) {
        for &edge in &input.edges {
            self.edges[edge as usize][0] -= 1;
            self.edges[edge as usize][1] -= u32::from(input.is_valid);
        }
    }

    /// Returns the edges for which a counted input is necessary. For a valid input, these are the
    /// edges that no other valid input covers. Otherwise they are the edges that no other input
    /// covers.
    fn necessary(&self, input: &MeasuredInput) -> Vec<u32> {
        let is_sole = |edge: &u32| self.edges[*edge as usize][usize::from(input.is_valid)] == 1;
        input.edges.iter().copied().filter(is_sole).collect()
    }
}

/// For each edge, the smallest input and the smallest valid input that cover it.
#[derive(Default)]
struct Pool {
    /// The inputs, each with its number of entries in `best`. An input without entries is replaced by
    /// [`None`].
    inputs: Vec<Option<(MeasuredInput, u32)>>,
    /// By edge: the smallest input, and the smallest valid input.
    best: Vec<[Option<PooledInput>; 2]>,
}

/// An input of a pool.
#[derive(Clone, Copy)]
struct PooledInput {
    /// Its index.
    at: usize,
    /// Its size. It is stored, because computing it for each edge took two thirds of the time.
    size: (usize, usize),
}

impl Pool {
    /// Returns the edges for which a text is smaller than the smallest input so far. `which` is 0 for
    /// all inputs and 1 for valid inputs.
    fn improved<'a>(
        &'a self,
        text: &[u8],
        edges: &'a [u32],
        which: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        let size = size(text);
        let is_smaller = move |edge: &u32| {
            let best = self.best.get(*edge as usize);
            best.and_then(|best| best[which])
                .is_none_or(|best| size < best.size)
        };
        edges.iter().copied().filter(is_smaller)
    }

    /// Returns whether an input is smaller than the smallest input so far for one of its edges.
    fn is_improved_by(&self, text: &[u8], is_valid: bool, edges: &[u32]) -> bool {
        (0..=usize::from(is_valid)).any(|which| self.improved(text, edges, which).next().is_some())
    }

    /// Adds an input if it is the smallest one for an edge.
    fn add(&mut self, input: MeasuredInput) {
        let pooled = PooledInput {
            at: self.inputs.len(),
            size: size(&input.text),
        };
        let which: Vec<(usize, Vec<u32>)> = (0..=usize::from(input.is_valid))
            .map(|which| {
                (
                    which,
                    self.improved(&input.text, &input.edges, which).collect(),
                )
            })
            .collect();
        let uses = which.iter().map(|(_, edges)| edges.len() as u32).sum();
        if uses == 0 {
            return;
        }
        for (which, edges) in which {
            for edge in edges {
                if self.best.len() <= edge as usize {
                    self.best.resize(edge as usize + 1, [None; 2]);
                }
                if let Some(old) = self.best[edge as usize][which].replace(pooled) {
                    let old = &mut self.inputs[old.at];
                    if let Some((_, uses)) = old {
                        *uses -= 1;
                    }
                    if matches!(old, Some((_, 0))) {
                        *old = None;
                    }
                }
            }
        }
        self.inputs.push(Some((input, uses)));
    }

    /// Returns necessary inputs, smallest first. Together they cover all edges of the pool. An edge
    /// that a valid input of the pool covers is covered by a valid input.
    fn select(&self) -> Vec<MeasuredInput> {
        let mut inputs: Vec<&MeasuredInput> = self
            .inputs
            .iter()
            .flatten()
            .map(|(input, _)| input)
            .collect();
        inputs.sort_by(|one, other| {
            other
                .is_valid
                .cmp(&one.is_valid)
                .then_with(|| by_size(&one.text, &other.text))
        });
        let (mut counts, mut kept) = (Counts::default(), Vec::new());
        for input in inputs {
            counts.add(input);
            match counts.necessary(input).is_empty() {
                true => counts.remove(input),
                false => kept.push(input),
            }
        }
        kept.sort_by(|one, other| by_size(&other.text, &one.text));
        kept.retain(|input| {
            let is_necessary = !counts.necessary(input).is_empty();
            if !is_necessary {
                counts.remove(input);
            }
            is_necessary
        });
        kept.into_iter().rev().cloned().collect()
    }
}

/// Makes a corpus concise. `progress` is called with the number of finished reductions and the number
/// of all reductions.
///
/// # Errors
/// If the target cannot be started.
pub fn concise(
    fuzzer: Fuzzer,
    grammar: &Grammar,
    subject: &mut Subject,
    inputs: Vec<MeasuredInput>,
    mut progress: impl FnMut(usize, usize),
) -> Result<Vec<MeasuredInput>, Problem> {
    let mut reducer = Reducer {
        grammar,
        settings: Settings::default().bounds(fuzzer.bounds()),
        subject,
        pool: Pool::default(),
        minimal: HashMap::new(),
    };
    inputs.into_iter().for_each(|input| reducer.pool.add(input));
    let mut corpus = Vec::new();
    for round in 0..ROUNDS {
        corpus.drain(..).for_each(|input| reducer.pool.add(input));
        corpus = reducer.pool.select();
        let mut counts = Counts::of(&corpus);
        let count = ROUNDS * corpus.len();
        // The largest input is reduced first, because it need not keep edges that smaller inputs also
        // cover.
        for (number, input) in corpus.iter_mut().rev().enumerate() {
            progress(round * count / ROUNDS + number, count);
            let smaller = reducer.reduce(input, &counts.necessary(input))?;
            counts.remove(input);
            counts.add(&smaller);
            *input = smaller;
        }
    }
    corpus.sort_by(|one, other| by_size(&one.text, &other.text));
    Ok(corpus)
}

/// Reduces inputs, and collects the sentences that it tries.
struct Reducer<'a> {
    grammar: &'a Grammar,
    settings: Settings,
    subject: &'a mut Subject,
    pool: Pool,
    /// The texts that could not be reduced further, each with the edges that it had to cover.
    minimal: HashMap<Vec<u8>, Vec<u32>>,
}

impl Reducer<'_> {
    /// Reduces an input while it covers the edges in `needed` and its validity stays. Adds the
    /// sentences that it tries to the pool, if they are the smallest ones for an edge. An input that
    /// could not be made smaller for these edges, or for fewer, is not tried again.
    fn reduce(&mut self, input: &MeasuredInput, needed: &[u32]) -> Result<MeasuredInput, Problem> {
        let Reducer {
            grammar,
            settings,
            subject,
            pool,
            minimal,
        } = self;
        let is_needed = |edge: &u32| needed.binary_search(edge).is_ok();
        if (minimal.get(&input.text)).is_some_and(|needed| needed.iter().all(is_needed)) {
            return Ok(input.clone());
        }
        let (mut problem, mut tries, mut best) = (None, 0, input.clone());
        zester::reduce::reduce(grammar, settings, &input.parameters, &mut |tree| {
            tries += 1;
            if problem.is_some() || tries > MAX_TRIES {
                return false;
            }
            let text = tree.derivation().text();
            let mut attempt = || {
                let outcome = subject
                    .run(Request::Sentence(text))
                    .map_err(Problem::new)?
                    .outcome;
                let Outcome::Finished(validity) = outcome else {
                    return Ok(false);
                };
                let mut edges = subject.edges().to_vec();
                let is_valid = validity == Validity::Valid;
                let tried = |edges| MeasuredInput {
                    parameters: tree.parameters().to_vec(),
                    text: text.to_vec(),
                    is_valid,
                    edges,
                };
                let is_enough = |edges: &[u32]| {
                    is_valid == input.is_valid
                        && needed.iter().all(|edge| edges.binary_search(edge).is_ok())
                };
                if !is_enough(&edges) && !pool.is_improved_by(text, is_valid, &edges) {
                    return Ok(false);
                }
                confirm(subject, text, validity, &mut edges)?;
                pool.add(tried(edges.clone()));
                let is_enough = is_enough(&edges);
                if is_enough {
                    best = tried(edges);
                }
                Ok(is_enough)
            };
            attempt().unwrap_or_else(|error| {
                problem = Some(error);
                false
            })
        });
        if tries <= MAX_TRIES {
            minimal.insert(best.text.clone(), needed.to_vec());
        }
        problem.map_or(Ok(best), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str, is_valid: bool, edges: &[u32]) -> MeasuredInput {
        MeasuredInput {
            parameters: Vec::new(),
            text: text.into(),
            is_valid,
            edges: edges.to_vec(),
        }
    }

    /// Returns the texts that are selected of some inputs.
    fn selected(inputs: &[MeasuredInput]) -> Vec<String> {
        let mut pool = Pool::default();
        inputs.iter().for_each(|input| pool.add(input.clone()));
        pool.select()
            .into_iter()
            .map(|input| String::from_utf8(input.text).unwrap())
            .collect()
    }

    #[test]
    fn inputs_that_others_make_needless_are_left_out() {
        let small = input("a", true, &[1, 2]);
        let large = input("abc", true, &[1, 2, 3]);
        assert_eq!(selected(&[small.clone(), large.clone()]), ["abc"]);
        let other = input("xy", true, &[3]);
        assert_eq!(
            selected(&[small, large, other]),
            ["a", "xy"],
            "two small ones instead of a large one"
        );
    }

    #[test]
    fn valid_inputs_are_preferred() {
        assert_eq!(
            selected(&[input("a", false, &[1]), input("long", true, &[1])]),
            ["long"]
        );
        assert_eq!(
            selected(&[input("a", false, &[1, 2]), input("long", true, &[1])]),
            ["a", "long"]
        );
    }

    #[test]
    fn the_pool_forgets_inputs_that_are_nowhere_the_smallest() {
        let mut pool = Pool::default();
        pool.add(input("abc", false, &[1, 2]));
        pool.add(input("ab", false, &[1]));
        assert_eq!(pool.inputs.iter().flatten().count(), 2);
        assert!(pool.is_improved_by(b"a", false, &[2]) && !pool.is_improved_by(b"xy", false, &[1]));
        pool.add(input("a", false, &[2]));
        assert_eq!(pool.inputs.iter().flatten().count(), 2);
        assert!(
            pool.is_improved_by(b"abcdef", true, &[1]),
            "no valid input covers it"
        );
    }
}
