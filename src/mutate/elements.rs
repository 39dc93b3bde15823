//! Inserts, removes, duplicates, moves or shuffles elements of a repetition.
//!
//! Grammarinator calls such mutators `delete_quantified`, `replicate_quantified`,
//! `insert_quantified` and `shuffle_quantifieds`. libprotobuf-mutator calls them add, delete, clone
//! and move.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::output::NewSubtree;
use super::{Mutation, Output};
use crate::grammar::{Child, Kind, Role};
use crate::sampler::Sampler;
use crate::splice::{NEW, SetElements, Splice, TreeView};

/// The approximate maximum size of a new element, in bytes of text.
const MAX_SIZE: f64 = 64.0;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let repeats = |node: usize| {
        matches!(parent.kind(node), Kind::Repeat { at_least, at_most, .. } if at_least < at_most)
            && parent.role(node) == Role::Syntax
    };
    let Some(node) = parent.draw(&mut mutation.rng, repeats) else {
        return false;
    };
    let &Kind::Repeat {
        element,
        at_least,
        at_most,
        ..
    } = parent.kind(node)
    else {
        return false;
    };
    output.list.clear();
    output.list.extend(
        parent
            .tree
            .derivation()
            .children(node)
            .map(|child| child as u32),
    );
    output.part.clear();
    let count = output.list.len() as u32;
    let (may_grow, may_shrink) = (count < at_most, count > at_least);
    match mutation.rng.random_range(0..8) {
        0..3 if may_grow => insert(mutation, parent, output, node, element),
        0..5 if may_shrink => delete(
            &mut mutation.rng,
            &mut output.list,
            (count - at_least) as usize,
        ),
        5 if may_grow && count > 0 => duplicate(
            &mut mutation.rng,
            &mut output.list,
            (at_most - count) as usize,
        ),
        6 if count > 1 => relocate(&mut mutation.rng, &mut output.list),
        7 if count > 2 => output.list.shuffle(&mut mutation.rng),
        _ if may_grow => insert(mutation, parent, output, node, element),
        _ => delete(
            &mut mutation.rng,
            &mut output.list,
            (count - at_least) as usize,
        ),
    }
    let Output {
        bytes,
        part,
        list,
        splices,
        ..
    } = output;
    SetElements {
        node,
        elements: list,
        new: part,
        count: list.len() as u32,
    }
    .write(parent, splices, bytes)
}

/// Inserts an element from the pool or from the sampler.
fn insert(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    output: &mut Output,
    node: usize,
    element: Child,
) {
    if mutation.rng.random()
        && let Some(donor) = mutation
            .campaign
            .pool
            .draw(&mut mutation.rng, element.symbol, &[])
    {
        output.part.extend_from_slice(donor);
    }
    let at = mutation.rng.random_range(0..=output.list.len());
    if output.part.is_empty() {
        let size = Sampler::log_uniform(&mut mutation.rng, MAX_SIZE);
        let next = output.list.get(at).map(|&next| next as usize);
        let subtree = NewSubtree {
            before: Some(next.unwrap_or(parent.subtree(node).end)),
            symbol: element.symbol,
            size,
        };
        output.sample(mutation, parent, subtree);
    }
    output.list.insert(at, NEW);
}

/// Removes one element or, with probability 1/4, up to `max` consecutive elements.
fn delete(rng: &mut SmallRng, list: &mut Vec<u32>, max: usize) {
    let from = rng.random_range(0..list.len());
    let max = max.min(list.len() - from);
    let count = if rng.random_range(0..4) > 0 {
        1
    } else {
        rng.random_range(1..=max)
    };
    list.drain(from..from + count);
}

/// Duplicates an element. The number of additional copies starts at 1. It doubles with probability
/// 1/4, again and again, up to `max`.
fn duplicate(rng: &mut SmallRng, list: &mut Vec<u32>, max: usize) {
    let from = rng.random_range(0..list.len());
    let mut copies = 1;
    while copies * 2 <= max && rng.random_range(0..4) == 0 {
        copies *= 2;
    }
    let element = list[from];
    list.splice(from..from, std::iter::repeat_n(element, copies));
}

fn relocate(rng: &mut SmallRng, list: &mut Vec<u32>) {
    let element = list.remove(rng.random_range(0..list.len()));
    list.insert(rng.random_range(0..=list.len()), element);
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3, 4, 5, 6].map(|seed| mutant("elements", "1,2,3,4", seed));
        assert_eq!(
            after,
            [
                "1,2,2,3,4",
                "1,2,3,3,4",
                "1,2,4",
                "1,2,2,3,4",
                "1,2",
                "1,4,3,2"
            ]
        );
    }
}
