//! Crossover: a stretch of one input's canonical parameters in the place of a stretch of the other's.
//!
//! Both stretches are spans of subtrees, so neither cuts a choice in two. What the result means is the grammar's affair.

use rand::RngExt;

use super::{Mutation, Scratch};
use crate::sidecar;

/// Leaves the result in `scratch.bytes`.
pub fn cross_over(mutation: &mut Mutation<'_>, first: &[u8], second: &[u8], scratch: &mut Scratch) {
    let Scratch { workspace, derivation, bytes, canonical, other, spans, .. } = scratch;
    let mut span = |input: &[u8], canonical: &mut Vec<u8>, mutation: &mut Mutation<'_>| {
        sidecar::decode(mutation.grammar, mutation.settings, input, workspace, derivation);
        canonical.clear();
        sidecar::encode(mutation.grammar, derivation, canonical, spans);
        let node = mutation.rng.random_range(0..derivation.nodes().len());
        spans[node] as usize..spans[node + derivation.nodes()[node].size as usize] as usize
    };
    let into = span(first, canonical, mutation);
    let from = span(second, other, mutation);
    bytes.clear();
    bytes.extend_from_slice(&canonical[..into.start]);
    bytes.extend_from_slice(&other[from]);
    bytes.extend_from_slice(&canonical[into.end..]);
}
