//! Crossover: a stretch of one input's canonical parameters in the place of a stretch of the other's.
//!
//! Both stretches are spans of subtrees, so neither cuts a choice in two. What the result means is the grammar's affair.
//! Without a grammar they are any stretches.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Mutation, Scratch};
use crate::sidecar;

/// Leaves the result in `scratch.bytes`.
pub fn cross_over(mutation: &mut Mutation<'_>, first: &[u8], second: &[u8], scratch: &mut Scratch) {
    let Scratch { workspace, derivation, bytes, canonical, other, spans, .. } = scratch;
    let Some(grammar) = mutation.grammar else {
        let (into, from) = (stretch(&mut mutation.rng, first.len()), stretch(&mut mutation.rng, second.len()));
        splice(first, into, &second[from], bytes);
        return;
    };
    let mut span = |input: &[u8], canonical: &mut Vec<u8>, mutation: &mut Mutation<'_>| {
        sidecar::decode(grammar, mutation.settings, input, workspace, derivation);
        canonical.clear();
        sidecar::encode(grammar, derivation, canonical, spans);
        let node = mutation.rng.random_range(0..derivation.nodes().len());
        spans[node] as usize..spans[node + derivation.nodes()[node].size as usize] as usize
    };
    let into = span(first, canonical, mutation);
    let from = span(second, other, mutation);
    splice(canonical, into, &other[from], bytes);
}

/// Puts `part` in the place of a range of `whole`.
pub fn splice(whole: &[u8], range: Range<usize>, part: &[u8], result: &mut Vec<u8>) {
    result.clear();
    result.extend_from_slice(&whole[..range.start]);
    result.extend_from_slice(part);
    result.extend_from_slice(&whole[range.end..]);
}

fn stretch(rng: &mut SmallRng, length: usize) -> Range<usize> {
    let (from, to) = (rng.random_range(0..=length), rng.random_range(0..=length));
    from.min(to)..from.max(to)
}
