//! Counts edges by function.

use std::cmp::Reverse;
use std::collections::HashMap;

use zester::subject::Symbols;

use crate::grow::is_of_standard_library;

/// The numbers of edges by function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionEdges {
    /// The functions with their numbers of edges, the most edges first, without those of the
    /// standard library.
    pub named: Vec<(String, usize)>,
    /// The number of edges in the standard library.
    pub standard: usize,
    /// The number of edges whose function has no known name.
    pub unnamed: usize,
}

/// Counts edges by function. Instances of a generic function count together.
pub fn by_function(
    edges: impl Iterator<Item = u32>,
    mut symbols: Option<Symbols>,
) -> FunctionEdges {
    let (mut counts, mut found) = (HashMap::<String, usize>::new(), FunctionEdges::default());
    for edge in edges {
        match symbols.as_mut().and_then(|symbols| symbols.function(edge)) {
            None => found.unnamed += 1,
            Some(name) if is_of_standard_library(name) => found.standard += 1,
            Some(name) => *counts.entry(name.into()).or_default() += 1,
        }
    }
    found.named = counts.into_iter().collect();
    found
        .named
        .sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
    found
}
