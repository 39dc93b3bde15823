//! Renames an identifier, in the whole sentence or in one subtree.

use rand::RngExt;

use super::{Mutation, Output};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;
use crate::splice::{Rename, Splice, TreeView};

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let Some((node, names)) = draw_name(mutation, parent) else {
        return false;
    };
    let (symbol, own) = (parent.symbol(node), parent.part(node));
    let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
    output.part.clear();
    let donor = if mutation.rng.random() {
        parent.draw_of(&mut mutation.rng, 0..parent.nodes().len(), other)
    } else {
        None
    };
    match donor {
        Some(donor) => output.part.extend_from_slice(parent.part(donor)),
        None => parameters::write_choice(
            Choice::Name { names },
            mutation.rng.random_range(0..names),
            &mut output.part,
        ),
    }
    // With probability 1/4, rename only inside a subtree that contains the node.
    let root = match mutation.rng.random_range(0..4) {
        0 => parent.draw_of(&mut mutation.rng, 0..node + 1, |outer| {
            parent.subtree(outer).contains(&node)
        }),
        _ => Some(0),
    };
    let Output {
        bytes,
        part,
        splices,
        ..
    } = output;
    Rename {
        root: root.unwrap_or(0),
        symbol,
        old: own,
        new: part,
    }
    .write(parent, splices, bytes);
    output.part != own
}

/// Draws an identifier of the sentence. Returns its node and the number of names of its terminal.
pub(super) fn draw_name(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
) -> Option<(usize, u32)> {
    let is_name = |node: usize| matches!(parent.kind(node), Kind::Identifier { .. });
    let node = parent.draw(&mut mutation.rng, is_name)?;
    let Kind::Identifier { names, .. } = parent.kind(node) else {
        return None;
    };
    Some((node, names.end - names.start))
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("rename", "a,(a),b", seed));
        assert_eq!(after, ["a,(a),a", "af,(af),b", "l,(l),b"]);
    }
}
