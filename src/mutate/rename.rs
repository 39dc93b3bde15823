//! A name becomes another, everywhere in the sentence or in a part of it.

use rand::RngExt;

use super::{Draft, Mutation, Parent};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let Some((node, names)) = draw_name(mutation, parent) else { return false };
    let (symbol, own) = (parent.symbol(node), parent.part(node));
    let is_own = |other: usize| parent.symbol(other) == symbol && parent.part(other) == own;
    let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
    draft.part.clear();
    let donor = if mutation.rng.random() { parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other) } else { None };
    match donor {
        Some(donor) => draft.part.extend_from_slice(parent.part(donor)),
        None => parameters::write_choice(Choice::Name { names }, mutation.rng.random_range(0..names), &mut draft.part),
    }
    // A part of the sentence: a subtree that holds the node.
    let part = match mutation.rng.random_range(0..4) {
        0 => parent.draw_of(&mut mutation.rng, 0..node + 1, |outer| parent.subtree(outer).contains(&node)),
        _ => Some(0),
    };
    draft.bytes.clear();
    let mut done = 0;
    for other in parent.subtree(part.unwrap_or(0)) {
        if is_own(other) {
            let span = parent.span(other);
            draft.bytes.extend_from_slice(&parent.bytes()[done..span.start]);
            draft.bytes.extend_from_slice(&draft.part);
            done = span.end;
        }
    }
    draft.bytes.extend_from_slice(&parent.bytes()[done..]);
    draft.part != own
}

/// A name in the sentence, and how many its terminal has.
pub(super) fn draw_name(mutation: &mut Mutation<'_>, parent: &Parent<'_>) -> Option<(usize, u32)> {
    let is_name = |node: usize| matches!(parent.kind(node), Kind::Identifier { .. });
    let node = parent.draw(&mut mutation.rng, is_name)?;
    let Kind::Identifier { names, .. } = parent.kind(node) else { return None };
    Some((node, names.end - names.start))
}
