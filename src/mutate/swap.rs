//! Exchanges two subtrees of the same symbol.
//!
//! Grammarinator calls this `swap_local_nodes`.

use super::{Mutation, Output};
use crate::splice::TreeView;

/// The maximum number of subtrees that are drawn until another one with the same symbol is found.
const DRAWS: usize = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    for _ in 0..DRAWS {
        let Some(one) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else {
            return false;
        };
        let own = parent.subtree(one);
        let fits = |other: usize| {
            parent.symbol(other) == parent.symbol(one)
                && (parent.subtree(other).end <= own.start || own.end <= other)
                && parent.part(other) != parent.part(one)
        };
        let Some(other) = parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), fits) else {
            continue;
        };
        let (first, second) = (parent.span(one.min(other)), parent.span(one.max(other)));
        let bytes = parent.bytes();
        output.bytes.clear();
        for range in [
            0..first.start,
            second.clone(),
            first.end..second.start,
            first.clone(),
            second.end..bytes.len(),
        ] {
            output.bytes.extend_from_slice(&bytes[range]);
        }
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("swap", "1,(2),3", seed));
        assert_eq!(after, ["2,(1),3", "1,3,(2)", "1,(3),2"]);
    }
}
