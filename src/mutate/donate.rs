//! A subtree is replaced by one of the same symbol: from the pool, or from elsewhere in the sentence.
//!
//! Nautilus calls this splicing, Grammarinator `replace_node`; in the sentence itself libprotobuf-mutator calls it copying.

use rand::RngExt;

use super::{Draft, Mutation, Parent};

/// One donor in this many is of the sentence itself.
const OWN: u32 = 3;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let Some(node) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else { return false };
    let found = take_donor(mutation, parent, draft, node);
    draft.splice_part(parent, parent.span(node));
    found
}

/// A subtree of a node's symbol that is not the node's, in [`Draft::part`]; whether there is one.
pub fn take_donor(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft, node: usize) -> bool {
    let (symbol, own) = (parent.symbol(node), parent.part(node));
    draft.part.clear();
    if mutation.rng.random_range(0..OWN) > 0 {
        if let Some(donor) = mutation.experience.pool.draw(&mut mutation.rng, symbol, own) {
            draft.part.extend_from_slice(donor);
            return true;
        }
    }
    let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
    let donor = parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other);
    draft.part.extend_from_slice(donor.map_or(&[], |donor| parent.part(donor)));
    donor.is_some()
}
