//! Finds the fuzzer after which the edges of a file were covered. The files of a suite are reduced
//! after the last fuzzer, so most of them are not in the corpus of a fuzzer.

use std::collections::{BTreeMap, HashMap};

use zester::Validity;
use zester::subject::Subject;

use super::lattice::Fuzzer;
use super::selection;
use crate::problem::Problem;

/// The first fuzzer that covered each edge.
#[derive(Default)]
pub struct Origins {
    /// The fuzzers in the order in which they were added.
    fuzzers: Vec<Fuzzer>,
    /// By sentence: the index of the first fuzzer with the sentence in its corpus.
    texts: BTreeMap<Vec<u8>, usize>,
    /// By edge: the index of the first fuzzer with a sentence that covers it, and of the first fuzzer
    /// with a valid sentence that covers it.
    edges: HashMap<u32, [Option<usize>; 2]>,
}

impl Origins {
    /// Adds a sentence of a fuzzer's corpus. Runs it, unless it was added before.
    ///
    /// # Errors
    /// If the target cannot be started.
    pub fn add(
        &mut self,
        fuzzer: Fuzzer,
        text: &[u8],
        subject: &mut Subject,
    ) -> Result<(), Problem> {
        if self.texts.contains_key(text) {
            return Ok(());
        }
        if let Some((validity, edges)) = selection::run(subject, text)? {
            self.add_edges(fuzzer, text, validity == Validity::Valid, &edges);
        }
        Ok(())
    }

    /// Adds a sentence that covers some edges.
    fn add_edges(&mut self, fuzzer: Fuzzer, text: &[u8], is_valid: bool, edges: &[u32]) {
        if self.fuzzers.last() != Some(&fuzzer) {
            self.fuzzers.push(fuzzer);
        }
        let at = self.fuzzers.len() - 1;
        self.texts.insert(text.to_vec(), at);
        for &edge in edges {
            let first = self.edges.entry(edge).or_default();
            first[0].get_or_insert(at);
            if is_valid {
                first[1].get_or_insert(at);
            }
        }
    }

    /// Returns the first fuzzer after which all of `edges` were covered, and all of `valid_edges` by
    /// valid sentences. If no fuzzer covered any of them, returns the first fuzzer with `text` in its
    /// corpus, or [`None`].
    pub fn of(&self, text: &[u8], edges: &[u32], valid_edges: &[u32]) -> Option<Fuzzer> {
        let first = |edges: &[u32], which: usize| {
            edges
                .iter()
                .filter_map(|edge| self.edges.get(edge)?[which])
                .max()
        };
        let last = first(edges, 0).max(first(valid_edges, 1));
        last.or_else(|| self.texts.get(text).copied())
            .map(|at| self.fuzzers[at])
    }

    /// Returns all sentences.
    pub fn texts(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.texts.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuzzer_of_a_file_is_the_last_one_that_its_edges_needed() {
        let fuzzer = |depth| Fuzzer {
            identifiers: 1,
            items: 1,
            depth,
            keeps_all: false,
        };
        let mut origins = Origins::default();
        origins.add_edges(fuzzer(1), b"a", true, &[1]);
        origins.add_edges(fuzzer(2), b"b", false, &[1, 2]);
        origins.add_edges(fuzzer(3), b"c", true, &[2]);
        origins.add_edges(fuzzer(3), b"d", true, &[3]);
        assert_eq!(origins.of(b"x", &[1], &[1]), Some(fuzzer(1)));
        assert_eq!(origins.of(b"x", &[1, 2], &[]), Some(fuzzer(2)));
        assert_eq!(
            origins.of(b"x", &[2], &[2]),
            Some(fuzzer(3)),
            "the second one covers it by an invalid sentence only"
        );
        assert_eq!(origins.of(b"b", &[], &[]), Some(fuzzer(2)));
        assert_eq!(origins.of(b"x", &[4], &[]), None);
    }
}
