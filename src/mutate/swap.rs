//! Two subtrees of the same symbol change places. Grammarinator: `swap_local_nodes`.

use super::{Draft, Mutation, Parent};

/// Draws for a subtree that has a partner.
const DRAWS: usize = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    for _ in 0..DRAWS {
        let Some(one) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else { return false };
        let own = parent.subtree(one);
        let fits = |other: usize| {
            parent.symbol(other) == parent.symbol(one)
                && (parent.subtree(other).end <= own.start || own.end <= other)
                && parent.part(other) != parent.part(one)
        };
        let Some(other) = parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), fits) else { continue };
        let (first, second) = (parent.span(one.min(other)), parent.span(one.max(other)));
        let bytes = parent.bytes();
        draft.bytes.clear();
        for piece in [0..first.start, second.clone(), first.end..second.start, first.clone(), second.end..bytes.len()] {
            draft.bytes.extend_from_slice(&bytes[piece]);
        }
        return true;
    }
    false
}
