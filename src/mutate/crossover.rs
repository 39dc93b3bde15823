//! Crossover: a subtree of one parent in the place of one of the same symbol of the other.
//!
//! Without a grammar, a stretch of one in the place of a stretch of the other.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::draft::splice;
use super::{Mutation, Parent, Scratch};
use crate::grammar::Grammar;

/// Draws for a subtree that the other parent has the like of.
const DRAWS: usize = 8;

/// Leaves the result in the draft; whether there is one.
pub fn cross_over(mutation: &mut Mutation<'_>, grammar: &Grammar, scratch: &mut Scratch) -> bool {
    let Scratch { draft, parent, other, .. } = scratch;
    let (mut into, mut from) = (Parent { grammar, tree: parent }, Parent { grammar, tree: other });
    if mutation.rng.random() {
        std::mem::swap(&mut into, &mut from);
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

/// The same on bytes of which nothing is known.
pub fn bytes(mutation: &mut Mutation<'_>, first: &[u8], second: &[u8], result: &mut Vec<u8>) {
    let (into, from) = (stretch(&mut mutation.rng, first.len()), stretch(&mut mutation.rng, second.len()));
    splice(first, into, &second[from], result);
}

fn stretch(rng: &mut SmallRng, length: usize) -> Range<usize> {
    let (from, to) = (rng.random_range(0..=length), rng.random_range(0..=length));
    from.min(to)..from.max(to)
}
