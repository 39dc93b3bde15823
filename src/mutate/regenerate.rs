//! A subtree is made anew, as the sampler makes it.
//!
//! Nautilus (Aschermann et al., NDSS 2019) calls this random mutation, Grammarinator `regenerate_rule`.

use super::{Draft, Mutation, Parent, Place};
use crate::sampler::Sampler;

/// Bytes of text that a subtree may always have.
const ROOM: usize = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let Some(node) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else { return false };
    make_anew(mutation, parent, draft, node);
    draft.splice_part(parent, parent.span(node));
    draft.part != parent.part(node)
}

/// Another subtree of a node's symbol, in [`Draft::part`].
pub fn make_anew(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft, node: usize) {
    let size = Sampler::log_uniform(&mut mutation.rng, (2 * parent.text(node).len() + ROOM) as f64);
    draft.part.clear();
    draft.sample(mutation, parent, Place::At(node), parent.symbol(node), size);
}
