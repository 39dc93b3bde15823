//! Crossover: a subtree of one parent in the place of one of the same symbol of the other, or elements of a repetition among those
//! of the other's, which so loses nothing.
//!
//! Without a grammar, a stretch of one in the place of a stretch of the other.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::draft::splice;
use super::{Draft, Mutation, Parent, Scratch, elements};
use crate::grammar::{Grammar, Kind, Role};

/// Draws for a node that the other parent has the like of.
const DRAWS: usize = 16;

/// Leaves the result in the draft; whether there is one.
pub fn cross_over(mutation: &mut Mutation<'_>, grammar: &Grammar, scratch: &mut Scratch) -> bool {
    let Scratch { draft, parent, other, .. } = scratch;
    let (mut into, mut from) = (Parent { grammar, tree: parent }, Parent { grammar, tree: other });
    if mutation.rng.random() {
        std::mem::swap(&mut into, &mut from);
    }
    if mutation.rng.random() && insert(mutation, &into, &from, draft) {
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
    let room = |parent: &Parent<'_>, node: usize| match parent.kind(node) {
        Kind::Repeat { at_most, .. } if parent.role(node) == Role::Syntax => at_most - parent.nodes()[node].choice,
        _ => 0,
    };
    let mut best: Option<(usize, usize)> = None;
    for _ in 0..DRAWS {
        let is_donor = |node: usize| matches!(from.kind(node), Kind::Repeat { .. }) && from.nodes()[node].choice > 0;
        let Some(donor) = from.draw(&mut mutation.rng, |node| is_donor(node) && from.role(node) == Role::Syntax) else { break };
        if best.is_some_and(|(_, best)| from.part(best).len() >= from.part(donor).len()) {
            continue;
        }
        let fits = |node: usize| into.symbol(node) == from.symbol(donor) && room(into, node) > 0;
        let list = into.draw_of(&mut mutation.rng, 0..into.nodes().len(), fits);
        best = list.map(|list| (list, donor)).or(best);
    }
    let Some((list, donor)) = best else { return false };
    let (count, donors) = (into.nodes()[list].choice, from.nodes()[donor].choice);
    let taken = mutation.rng.random_range(1..=donors.min(room(into, list)));
    let first = mutation.rng.random_range(0..=donors - taken);
    draft.part.clear();
    for element in from.tree.derivation().children(donor).skip(first as usize).take(taken as usize) {
        draft.part.extend_from_slice(from.part(element));
    }
    draft.list.clear();
    draft.list.extend(into.tree.derivation().children(list).map(|child| child as u32));
    draft.list.insert(mutation.rng.random_range(0..=count) as usize, elements::NEW);
    elements::write(into, draft, list, count + taken);
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
