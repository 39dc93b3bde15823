//! Crossover: a subtree of one parent in the place of one of the same symbol of the other, or elements of a repetition among those
//! of the other's, which so loses nothing.
//!
//! Without a grammar, a stretch of one in the place of a stretch of the other.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::draft::splice;
use super::{Draft, Mutation, Parent, Scratch};
use crate::derive::Choice;
use crate::grammar::{Grammar, Kind, Role};
use crate::parameters;

/// Draws for a node that the other parent has the like of.
const DRAWS: usize = 16;

/// Leaves the result in the draft; whether there is one.
pub fn cross_over(mutation: &mut Mutation<'_>, grammar: &Grammar, scratch: &mut Scratch) -> bool {
    let Scratch { draft, parent, other, .. } = scratch;
    let (mut into, mut from) = (Parent { grammar, tree: parent }, Parent { grammar, tree: other });
    if mutation.rng.random() {
        std::mem::swap(&mut into, &mut from);
    }
    let inserts = mutation.rng.random();
    if inserts && insert(mutation, &into, &from, draft) {
        return draft.bytes.len() <= mutation.max_size;
    }
    for _ in 0..DRAWS {
        let Some(node) = into.draw(&mut mutation.rng, |node| into.is_unit(node)) else { return false };
        let fits = |other: usize| from.symbol(other) == into.symbol(node) && from.part(other) != into.part(node);
        if let Some(donor) = from.draw_of(&mut mutation.rng, 0..from.nodes().len(), fits) {
            splice(into.bytes(), into.span(node), from.part(donor), &mut draft.bytes);
            return draft.bytes.len() <= mutation.max_size;
        }
    }
    false
}

/// Puts elements of a repetition in one parent among those of one in the other; whether there are such. Of some that are drawn
/// the longest is taken, as most have a few tokens, which hand little on.
fn insert(mutation: &mut Mutation<'_>, into: &Parent<'_>, from: &Parent<'_>, draft: &mut Draft) -> bool {
    let mut best: Option<(usize, usize)> = None;
    for _ in 0..DRAWS {
        let fits = |node: usize| matches!(from.kind(node), Kind::Repeat { .. }) && from.role(node) == Role::Syntax;
        let Some(donor) = from.draw(&mut mutation.rng, |node| fits(node) && from.nodes()[node].choice > 0) else { return false };
        if best.is_some_and(|(_, best)| from.part(best).len() >= from.part(donor).len()) {
            continue;
        }
        let &Kind::Repeat { at_most, .. } = from.kind(donor) else { return false };
        let fits = |node: usize| into.symbol(node) == from.symbol(donor) && into.nodes()[node].choice < at_most;
        if let Some(list) = into.draw_of(&mut mutation.rng, 0..into.nodes().len(), fits) {
            best = Some((list, donor));
        }
    }
    let Some((list, donor)) = best else { return false };
    let &Kind::Repeat { at_least, at_most, .. } = into.kind(list) else { return false };
    let (count, donors) = (into.nodes()[list].choice, from.nodes()[donor].choice);
    let taken = mutation.rng.random_range(1..=donors.min(at_most - count));
    let first = mutation.rng.random_range(0..=donors - taken) as usize;
    let at = mutation.rng.random_range(0..=count) as usize;
    draft.part.clear();
    parameters::write_choice(Choice::Count { at_least }, count + taken, &mut draft.part);
    let elements = |parent: &Parent<'_>, list: usize, range: Range<usize>, part: &mut Vec<u8>| {
        for element in parent.tree.derivation().children(list).skip(range.start).take(range.len()) {
            part.extend_from_slice(parent.part(element));
        }
    };
    elements(into, list, 0..at, &mut draft.part);
    elements(from, donor, first..first + taken as usize, &mut draft.part);
    elements(into, list, at..count as usize, &mut draft.part);
    draft.splice_part(into, into.span(list));
    true
}

/// The same on bytes of which nothing is known.
pub fn bytes(mutation: &mut Mutation<'_>, first: &[u8], second: &[u8], result: &mut Vec<u8>) {
    let (into, from) = (stretch(&mut mutation.rng, first.len()), stretch(&mut mutation.rng, second.len()));
    splice(first, into, &second[from], result);
}

fn stretch(rng: &mut SmallRng, length: usize) -> Range<usize> {
    let (from, to) = (rng.random_range(0..=length), rng.random_range(0..=length));
    from.min(to)..from.max(to)
}
