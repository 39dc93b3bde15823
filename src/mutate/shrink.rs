//! Shrinking: subtrees become the simplest of their kind until the parameters fit.
//!
//! libFuzzer wants this where `size > max_size`: under `-minimize_crash` it then stacks several calls, each on the result of
//! the last. Without a grammar, a stretch of bytes goes.

use rand::RngExt;

use super::crossover::splice;
use super::{Mutation, Scratch};
use crate::derivation::Derivation;
use crate::derive::{Workspace, derive};
use crate::grammar::Grammar;
use crate::parameters::{self, Parameters, PastEnd};
use crate::sidecar;

/// Subtrees that are made simple before the rest is cut off.
const SUBTREES: usize = 16;

/// Draws for a subtree that is worth it.
const DRAWS: usize = 32;

/// Leaves a shorter input in `scratch.canonical`.
pub fn shrink(mutation: &mut Mutation<'_>, input: &[u8], scratch: &mut Scratch) {
    let Some(grammar) = mutation.grammar else {
        let excess = input.len() - mutation.max_size;
        let from = mutation.rng.random_range(0..=mutation.max_size);
        splice(input, from..from + excess, &[], &mut scratch.canonical);
        return;
    };
    scratch.bytes.clear();
    scratch.bytes.extend_from_slice(input);
    for _ in 0..SUBTREES {
        let Scratch { workspace, derivation, bytes, canonical, spans, .. } = &mut *scratch;
        sidecar::decode(grammar, mutation.settings, bytes, workspace, derivation);
        canonical.clear();
        sidecar::encode(grammar, derivation, canonical, spans);
        if canonical.len() <= mutation.max_size {
            return;
        }
        let Some((node, simple)) = subtree(mutation, grammar, derivation, canonical.len(), spans, workspace) else { break };
        let span = spans[node] as usize..spans[node + derivation.nodes()[node].size as usize] as usize;
        splice(canonical, span, &simple, bytes);
    }
    mutation.canonical(scratch);
}

/// A subtree whose simplest form is shorter: of some drawn at random, the one that comes nearest to what is needed.
fn subtree(
    mutation: &mut Mutation<'_>,
    grammar: &Grammar,
    derivation: &Derivation,
    length: usize,
    spans: &[u32],
    workspace: &mut Workspace,
) -> Option<(usize, Vec<u8>)> {
    let needed = length - mutation.max_size;
    let mut simplest = Derivation::default();
    let mut best: Option<(usize, usize, Vec<u8>)> = None;
    for _ in 0..DRAWS {
        let at = mutation.rng.random_range(0..derivation.nodes().len());
        let node = derivation.nodes()[at];
        let own = (spans[at + node.size as usize] - spans[at]) as usize;
        let mut nothing = Parameters::new(&[], PastEnd::Simplest);
        let (bounds, caps) = (&mutation.settings.bounds, &mutation.settings.caps);
        derive(grammar, node.symbol, bounds, caps, &mut nothing, workspace, &mut simplest);
        let mut bytes = Vec::new();
        parameters::encode(grammar, &simplest, &mut bytes);
        let gain = own.saturating_sub(bytes.len());
        if gain > 0 && best.as_ref().is_none_or(|&(distance, ..)| gain.abs_diff(needed) < distance) {
            best = Some((gain.abs_diff(needed), at, bytes));
        }
    }
    best.map(|(_, at, bytes)| (at, bytes))
}
