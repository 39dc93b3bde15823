//! Subtrees are replaced by others of the same symbol: from the pool, or from elsewhere in the sentence.
//!
//! Nautilus calls this splicing, Grammarinator `replace_node`; in the sentence itself libprotobuf-mutator calls it copying.

use rand::RngExt;

use super::sites::replace;
use super::{Draft, Mutation, Parent};

/// One donor in this many is of the sentence itself.
const OWN: u32 = 3;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    replace(mutation, parent, draft, |mutation, draft, node| {
        let (symbol, own) = (parent.symbol(node), parent.part(node));
        if mutation.rng.random_range(0..OWN) > 0 {
            if let Some(donor) = mutation.experience.pool.draw(&mut mutation.rng, symbol, own) {
                draft.part.extend_from_slice(donor);
                return true;
            }
        }
        let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
        let donor = parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other);
        donor.is_some_and(|donor| {
            draft.part.extend_from_slice(parent.part(donor));
            true
        })
    })
}
