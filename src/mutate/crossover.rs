//! Crossover: makes a child of two parents. It replaces a subtree of one parent by a subtree of the
//! other with the same symbol, or copies elements of a repetition of one parent into a repetition
//! of the other.
//!
//! Without a grammar, a range of bytes of one parent is replaced by a range of bytes of the other.

use std::ops::Range;

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Mutation, MutationBuffers, Output};
use crate::grammar::{Grammar, Kind, Role};
use crate::splice::{NEW, Replace, SetElements, Splice, TreeView, replace_range};

/// The maximum number of nodes that are drawn until one has a symbol that occurs in the other
/// parent too.
const DRAWS: usize = 16;

/// Writes a child of the two parents to the output. Returns whether one of at most `max_size` bytes
/// was found.
pub fn cross_over(
    mutation: &mut Mutation<'_>,
    grammar: &Grammar,
    buffers: &mut MutationBuffers,
) -> bool {
    let MutationBuffers {
        output,
        parent,
        other,
        ..
    } = buffers;
    let view = |tree| TreeView {
        grammar,
        settings: mutation.settings,
        tree,
    };
    let (mut into, mut from) = (view(&parent.tree), view(&other.tree));
    if mutation.rng.random() {
        std::mem::swap(&mut into, &mut from);
    }
    if mutation.rng.random() && insert(mutation, &into, &from, output) {
        return output.bytes.len() <= mutation.max_size;
    }
    for _ in 0..DRAWS {
        let Some(node) = into.draw(&mut mutation.rng, |node| into.is_unit(node)) else {
            return false;
        };
        let fits = |other: usize| {
            from.symbol(other) == into.symbol(node) && from.part(other) != into.part(node)
        };
        if let Some(donor) = from.draw_of(&mut mutation.rng, 0..from.nodes().len(), fits) {
            output.apply(
                &into,
                &Replace {
                    node,
                    part: from.part(donor),
                },
            );
            return output.bytes.len() <= mutation.max_size;
        }
    }
    false
}

/// Inserts elements of a repetition of one parent into a repetition of the other. Returns whether
/// there are such repetitions.
///
/// Several donors are drawn, and the longest is used, because most repetitions hold few tokens.
fn insert(
    mutation: &mut Mutation<'_>,
    into: &TreeView<'_>,
    from: &TreeView<'_>,
    output: &mut Output,
) -> bool {
    let room = |parent: &TreeView<'_>, node: usize| match parent.kind(node) {
        Kind::Repeat { at_most, .. } if parent.role(node) == Role::Syntax => {
            at_most - parent.nodes()[node].choice
        }
        _ => 0,
    };
    let mut best: Option<(usize, usize)> = None;
    for _ in 0..DRAWS {
        let is_donor = |node: usize| {
            matches!(from.kind(node), Kind::Repeat { .. }) && from.nodes()[node].choice > 0
        };
        let Some(donor) = from.draw(&mut mutation.rng, |node| {
            is_donor(node) && from.role(node) == Role::Syntax
        }) else {
            break;
        };
        if best.is_some_and(|(_, best)| from.part(best).len() >= from.part(donor).len()) {
            continue;
        }
        let fits = |node: usize| into.symbol(node) == from.symbol(donor) && room(into, node) > 0;
        let list = into.draw_of(&mut mutation.rng, 0..into.nodes().len(), fits);
        best = list.map(|list| (list, donor)).or(best);
    }
    let Some((list, donor)) = best else {
        return false;
    };
    let (count, donors) = (into.nodes()[list].choice, from.nodes()[donor].choice);
    let taken = mutation.rng.random_range(1..=donors.min(room(into, list)));
    let first = mutation.rng.random_range(0..=donors - taken);
    output.part.clear();
    for element in from
        .tree
        .derivation()
        .children(donor)
        .skip(first as usize)
        .take(taken as usize)
    {
        output.part.extend_from_slice(from.part(element));
    }
    output.list.clear();
    output.list.extend(
        into.tree
            .derivation()
            .children(list)
            .map(|child| child as u32),
    );
    output
        .list
        .insert(mutation.rng.random_range(0..=count) as usize, NEW);
    let Output {
        bytes,
        part,
        list: elements,
        splices,
        ..
    } = output;
    SetElements {
        node: list,
        elements,
        new: part,
        count: count + taken,
    }
    .write(into, splices, bytes)
}

/// Crosses two inputs as bytes: replaces a random range of `first` by a random range of `second`.
pub fn bytes(mutation: &mut Mutation<'_>, first: &[u8], second: &[u8], result: &mut Vec<u8>) {
    let (into, from) = (
        stretch(&mut mutation.rng, first.len()),
        stretch(&mut mutation.rng, second.len()),
    );
    replace_range(first, into, &second[from], result);
}

/// Draws a range of at most `length` bytes, which may be empty.
fn stretch(rng: &mut SmallRng, length: usize) -> Range<usize> {
    let (from, to) = (rng.random_range(0..=length), rng.random_range(0..=length));
    from.min(to)..from.max(to)
}

#[cfg(test)]
mod tests {
    use crate::bounds::Caps;
    use crate::derivation::Derivation;
    use crate::mutate::Mutator;
    use crate::mutate::testing::LISTS;
    use crate::{notation, parameters, parse};

    #[test]
    fn before_and_after() {
        let (grammar, _) = notation::read("lists", LISTS.as_bytes(), &Caps::default()).unwrap();
        let [first, second] = ["1,(a),2", "b,-3"].map(|text| {
            let (mut derivation, mut bytes) = (Derivation::default(), Vec::new());
            parse::Parser::new(&grammar)
                .parse_into(text.as_bytes(), &mut derivation)
                .unwrap();
            parameters::encode(&grammar, &derivation, &mut bytes);
            bytes
        });
        let mut mutator = Mutator::new(&grammar);
        let after = [1, 2, 3, 4].map(|seed| {
            let child = mutator.crossover(&first, &second, 200, seed).unwrap();
            String::from_utf8(
                parameters::sentence(&grammar, &Default::default(), child)
                    .text()
                    .to_vec(),
            )
            .unwrap()
        });
        assert_eq!(
            after,
            ["b,-3,(a),2", "b,(a),-3", "1,(a,-3),2", "b,(a),2,-3"]
        );
    }
}
