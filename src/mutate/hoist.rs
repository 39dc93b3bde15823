//! Replaces a subtree by a subtree of the same symbol inside it, so that a recursion gets shorter.

use super::{Mutation, Output};
use crate::splice::{Hoist, TreeView};

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let Some(hoist) = Hoist::draw(parent, &mut mutation.rng) else {
        return false;
    };
    output.apply(parent, &hoist) && parent.part(hoist.outer) != parent.part(hoist.inner)
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("hoist", "((1)),--2", seed));
        assert_eq!(after, ["1,--2", "(1),--2", "(1),--2"]);
    }
}
