//! Renames an identifier, in the whole sentence or in one subtree. In a grammar with names, renames a
//! declaration with its uses.

use rand::RngExt;

use super::{Mutation, Output};
use crate::derive::Choice;
use crate::grammar::{Effect, Kind};
use crate::parameters;
use crate::splice::{Rename, RenameDeclaration, Splice, TreeView};

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    if parent.grammar.has_names() {
        return rename_declaration(mutation, parent, output);
    }
    let Some((node, names)) = draw_name(mutation, parent, |_| true) else {
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
        None => write_name(mutation, names, &mut output.part),
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

fn rename_declaration(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    output: &mut Output,
) -> bool {
    let is_declaration = |effect: &Effect| matches!(effect, Effect::Declare { .. });
    let Some((declaration, names)) = draw_name(mutation, parent, is_declaration) else {
        return false;
    };
    output.part.clear();
    write_name(mutation, names, &mut output.part);
    let Output {
        bytes,
        part,
        splices,
        ..
    } = output;
    RenameDeclaration {
        declaration,
        new: part,
    }
    .write(parent, splices, bytes)
}

/// Appends the parameters of a random name to `bytes`.
pub(super) fn write_name(mutation: &mut Mutation<'_>, names: u32, bytes: &mut Vec<u8>) {
    let name = mutation.rng.random_range(0..names);
    parameters::write_choice(Choice::Name { names }, name, bytes);
}

/// Draws an identifier of the sentence. In a grammar with names, its effect must satisfy `fits`.
/// Returns its node and the number of names of its terminal. Returns [`None`] if there is no such
/// identifier.
pub(super) fn draw_name(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    fits: impl Fn(&Effect) -> bool,
) -> Option<(usize, u32)> {
    if parent.grammar.names.is_empty() {
        return None;
    }
    let is_name = |node: usize| {
        matches!(parent.kind(node), Kind::Identifier { .. })
            && parent.effect(node).is_none_or(&fits)
    };
    let node = parent.draw(&mut mutation.rng, is_name)?;
    let Kind::Identifier { names, .. } = parent.kind(node) else {
        return None;
    };
    Some((node, names.end - names.start))
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::{mutant, mutants};

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("rename", "a,(a),b", seed));
        assert_eq!(after, ["a,(a),a", "af,(af),b", "l,(l),b"]);
    }

    #[test]
    fn a_declaration_is_renamed_with_its_uses() {
        let source = r#"
            @kind variable: name ; @identifier name = [a-z] ;
            @start all = ( "let" @declare variable ";" | @use variable ";" )* ;
        "#;
        let after = mutants(source, "rename", "leta;letb;a;b;");
        let after: Vec<_> = (1..4).map(after).collect();
        assert_eq!(
            after,
            ["leta;letm;a;m;", "letm;letb;m;b;", "leta;letb;a;a;"]
        );
    }
}
