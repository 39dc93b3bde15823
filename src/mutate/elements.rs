//! The elements of a repetition: one more, one fewer, twice the same, another order, an end cut off.
//!
//! Grammarinator: `delete_quantified`, `replicate_quantified`, `insert_quantified`, `shuffle_quantifieds`; libprotobuf-mutator:
//! add, delete, clone, move.

use rand::RngExt;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{Draft, Mutation, Parent, Place};
use crate::derive::Choice;
use crate::grammar::{Child, Kind, Role};
use crate::parameters;
use crate::sampler::Sampler;

/// What stands in the list of elements for what is new, in [`Draft::part`].
pub const NEW: u32 = u32::MAX;

/// Bytes of text that a new element has at most.
const ROOM: f64 = 64.0;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let repeats = |node: usize| {
        matches!(parent.kind(node), Kind::Repeat { at_least, at_most, .. } if at_least < at_most)
            && parent.role(node) == Role::Syntax
    };
    let Some(node) = parent.draw(&mut mutation.rng, repeats) else { return false };
    let &Kind::Repeat { element, at_least, at_most, .. } = parent.kind(node) else { return false };
    draft.list.clear();
    draft.list.extend(parent.tree.derivation().children(node).map(|child| child as u32));
    draft.part.clear();
    let count = draft.list.len() as u32;
    let (may_grow, may_shrink) = (count < at_most, count > at_least);
    match mutation.rng.random_range(0..8) {
        0..3 if may_grow => insert(mutation, parent, draft, node, element),
        0..5 if may_shrink => delete(&mut mutation.rng, &mut draft.list, (count - at_least) as usize),
        5 if may_grow && count > 0 => duplicate(&mut mutation.rng, &mut draft.list, (at_most - count) as usize),
        6 if count > 1 => relocate(&mut mutation.rng, &mut draft.list),
        7 if count > 2 => draft.list.shuffle(&mut mutation.rng),
        _ if may_grow => insert(mutation, parent, draft, node, element),
        _ => delete(&mut mutation.rng, &mut draft.list, (count - at_least) as usize),
    }
    let count = draft.list.len() as u32;
    write(parent, draft, node, count);
    true
}

/// A new element: from the pool or from the sampler.
fn insert(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft, node: usize, element: Child) {
    if mutation.rng.random() {
        if let Some(donor) = mutation.experience.pool.draw(&mut mutation.rng, element.symbol, &[]) {
            draft.part.extend_from_slice(donor);
        }
    }
    if draft.part.is_empty() {
        let size = Sampler::log_uniform(&mut mutation.rng, ROOM);
        draft.sample(mutation, parent, Place::At(node), element.symbol, size);
    }
    let at = mutation.rng.random_range(0..=draft.list.len());
    draft.list.insert(at, NEW);
}

/// One element goes; or, one time in four, several neighbours, or all from one on.
fn delete(rng: &mut SmallRng, list: &mut Vec<u32>, most: usize) {
    let from = rng.random_range(0..list.len());
    let most = most.min(list.len() - from);
    let count = if rng.random_range(0..4) > 0 { 1 } else { rng.random_range(1..=most) };
    list.drain(from..from + count);
}

/// A copy of an element beside it; or, one time in four, several.
fn duplicate(rng: &mut SmallRng, list: &mut Vec<u32>, most: usize) {
    let from = rng.random_range(0..list.len());
    let mut copies = 1;
    while copies * 2 <= most && rng.random_range(0..4) == 0 {
        copies *= 2;
    }
    let element = list[from];
    list.splice(from..from, std::iter::repeat_n(element, copies));
}

/// An element goes elsewhere.
fn relocate(rng: &mut SmallRng, list: &mut Vec<u32>) {
    let element = list.remove(rng.random_range(0..list.len()));
    list.insert(rng.random_range(0..=list.len()), element);
}

/// The parent, with the listed elements in the repetition, `count` in all.
pub fn write(parent: &Parent<'_>, draft: &mut Draft, node: usize, count: u32) {
    let &Kind::Repeat { at_least, .. } = parent.kind(node) else { return };
    let (bytes, span) = (parent.bytes(), parent.span(node));
    let Draft { bytes: result, part, list, .. } = draft;
    result.clear();
    result.extend_from_slice(&bytes[..span.start]);
    parameters::write_choice(Choice::Count { at_least }, count, result);
    for &element in list.iter() {
        result.extend_from_slice(if element == NEW { part } else { parent.part(element as usize) });
    }
    result.extend_from_slice(&bytes[span.end..]);
}
