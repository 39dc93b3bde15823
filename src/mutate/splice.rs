//! Replaces a subtree by a donor of the same symbol, which is from the pool or from the same
//! sentence.
//!
//! Nautilus calls this splicing, and Grammarinator calls it `replace_node`. libprotobuf-mutator
//! does it within one message and calls it copy.

use rand::RngExt;

use super::{Mutation, Output};
use crate::splice::TreeView;

/// One in this many donors is from the same sentence. If the pool has no donor, all are.
const FROM_SENTENCE: u32 = 3;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let Some(node) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else {
        return false;
    };
    let found = draw_donor(mutation, parent, output, node);
    output.replace(parent, node);
    found
}

/// Draws a donor: a subtree of the node's symbol that differs from the node's subtree. Copies its
/// parameters to [`Output::part`]. Returns whether a donor was found.
pub fn draw_donor(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    output: &mut Output,
    node: usize,
) -> bool {
    let (symbol, own) = (parent.symbol(node), parent.part(node));
    output.part.clear();
    if mutation.rng.random_range(0..FROM_SENTENCE) > 0
        && let Some(donor) = mutation.campaign.pool.draw(&mut mutation.rng, symbol, own)
    {
        output.part.extend_from_slice(donor);
        return true;
    }
    let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
    let donor = parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other);
    output
        .part
        .extend_from_slice(donor.map_or(&[], |donor| parent.part(donor)));
    donor.is_some()
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("splice", "a,(1),-2", seed));
        assert_eq!(after, ["1,(1),-2", "a,(1),1", "a,1,-2"]);
    }
}
