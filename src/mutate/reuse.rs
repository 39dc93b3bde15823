//! Replaces an identifier that occurs once by another one of the sentence, so that a use may refer
//! to a declaration.

use super::rename::draw_name;
use super::{Mutation, Output};
use crate::splice::TreeView;

/// The maximum number of identifiers that are drawn until one occurs only once. The last one may
/// occur several times.
const DRAWS: usize = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let all = 0..parent.nodes().len();
    for attempt in 1..=DRAWS {
        let Some((node, _)) = draw_name(mutation, parent) else {
            return false;
        };
        let (symbol, own) = (parent.symbol(node), parent.part(node));
        let is_own = |other: usize| {
            other != node && parent.symbol(other) == symbol && parent.part(other) == own
        };
        if attempt < DRAWS && all.clone().any(is_own) {
            continue;
        }
        let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
        let Some(donor) = parent.draw_of(&mut mutation.rng, all.clone(), other) else {
            continue;
        };
        output.part.clear();
        output.part.extend_from_slice(parent.part(donor));
        output.replace(parent, node);
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("reuse", "a,b,b,c,c", seed));
        assert_eq!(after, ["c,b,b,c,c", "b,b,b,c,c", "c,b,b,c,c"]);
    }
}
