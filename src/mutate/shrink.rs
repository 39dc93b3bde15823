//! Shrinks a sentence to `max_size` bytes of parameters by splices of whole subtrees.
//!
//! There are four kinds of splices: remove elements of a repetition, replace a subtree by the
//! simplest one of its symbol, hoist, and promote. In each step up to eight splices are drawn at
//! random, and the one that saves the most bytes is made. So large subtrees are removed first.
//!
//! If the text has edits, often all of them or one of them is removed first. The sentence is shrunk
//! only if that is not enough.
//!
//! Without a grammar, a range of bytes is removed.
//!
//! libFuzzer relies on this under `-minimize_crash`: it passes inputs with `size > max_size`.

use rand::RngExt;

use super::{Mutation, MutationBuffers, Output};
use crate::grammar::Grammar;
use crate::splice::{Hoist, Promote, RemoveElements, Simplify, Splice, TreeView, replace_range};

/// The maximum number of steps. If the result is still too long, its last bytes are cut off.
const SPLICES: usize = 64;

/// The maximum number of splices that are drawn and compared in each step.
const DRAWS: u32 = 8;

/// Shrinks the parent and writes the shorter sentence to the result.
pub fn shrink(mutation: &mut Mutation<'_>, grammar: &Grammar, buffers: &mut MutationBuffers) {
    if shrink_text_edits(mutation, buffers) {
        mutation.read_result(grammar, buffers);
        if buffers.fresh {
            return;
        }
    }
    for _ in 0..SPLICES {
        let MutationBuffers { output, parent, .. } = buffers;
        let parent = TreeView {
            grammar,
            settings: mutation.settings,
            tree: &parent.tree,
        };
        let max_size = mutation.max_size - output.text_edits.code_length();
        let needed = parent.bytes().len().saturating_sub(max_size);
        let draws = if needed > parent.bytes().len() / 4 {
            DRAWS
        } else {
            mutation.rng.random_range(1..=DRAWS)
        };
        let mut saved = 0;
        for _ in 0..draws {
            saved = draw(mutation, &parent, saved, output).unwrap_or(saved);
        }
        if saved == 0 {
            continue;
        }
        std::mem::swap(&mut output.bytes, &mut output.best);
        if output.bytes.len() <= max_size {
            mutation.read_result(grammar, buffers);
            if buffers.fresh {
                return;
            }
        } else {
            let MutationBuffers {
                workspace,
                output,
                parent,
                ..
            } = buffers;
            parent.read(grammar, mutation.settings, &output.bytes, workspace);
        }
    }
    buffers.output.copy(&TreeView {
        grammar,
        settings: mutation.settings,
        tree: &buffers.parent.tree,
    });
    mutation.read_result(grammar, buffers);
}

/// Removes all edits of the parent's text, or one, or none. Writes the other edits to
/// [`Output::text_edits`] and the parameters of the sentence to [`Output::bytes`]. Returns whether
/// there were edits and the output is small enough.
fn shrink_text_edits(mutation: &mut Mutation<'_>, buffers: &mut MutationBuffers) -> bool {
    let MutationBuffers { output, parent, .. } = buffers;
    output.bytes.clear();
    output.bytes.extend_from_slice(parent.tree.parameters());
    output.text_edits.copy(parent.edits());
    let count = parent.edits().list().len();
    if count == 0 {
        return false;
    }
    match mutation.rng.random_range(0..4) {
        0 | 1 => output.text_edits.clear(),
        2 => output
            .text_edits
            .remove(mutation.rng.random_range(0..count)),
        _ => {}
    }
    if output.text_edits.code_length() >= mutation.max_size {
        output.text_edits.clear();
    }
    output.bytes.len() + output.text_edits.code_length() <= mutation.max_size
}

/// Draws a splice. If it saves more than `saved` bytes, writes the spliced sentence to
/// [`Output::best`] and returns how many bytes it saves.
fn draw(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    saved: usize,
    output: &mut Output,
) -> Option<usize> {
    match mutation.rng.random_range(0..5) {
        0..2 => {
            let splice = RemoveElements::draw(parent, &mut mutation.rng)?;
            keep_better(parent, splice.node, &splice, saved, output)
        }
        2 => {
            let splice = Simplify::draw(parent, &mut mutation.rng)?;
            keep_better(parent, splice.node, &splice, saved, output)
        }
        3 => {
            let splice = Hoist::draw(parent, &mut mutation.rng)?;
            keep_better(parent, splice.outer, &splice, saved, output)
        }
        _ => {
            let splice = Promote::draw(parent, &mut mutation.rng)?;
            keep_better(parent, splice.outer, &splice, saved, output)
        }
    }
}

/// Applies a splice of a node. If it saves more than `saved` bytes, moves the spliced sentence to
/// [`Output::best`] and returns how many bytes it saves.
fn keep_better(
    parent: &TreeView<'_>,
    node: usize,
    splice: &impl Splice,
    saved: usize,
    output: &mut Output,
) -> Option<usize> {
    // A splice saves no more than the parameters of the node that it changes.
    if parent.span(node).len() <= saved || !output.apply(parent, splice) {
        return None;
    }
    let saves = parent
        .bytes()
        .len()
        .checked_sub(output.bytes.len())
        .filter(|&saves| saves > saved)?;
    std::mem::swap(&mut output.bytes, &mut output.best);
    Some(saves)
}

/// Removes a random range of bytes, so that `max_size` bytes are left.
pub fn bytes(mutation: &mut Mutation<'_>, input: &[u8], result: &mut Vec<u8>) {
    let excess = input.len() - mutation.max_size;
    let from = mutation.rng.random_range(0..=mutation.max_size);
    replace_range(input, from..from + excess, &[], result);
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
        let (mut derivation, mut before) = (Derivation::default(), Vec::new());
        parse::Parser::new(&grammar)
            .parse_into(b"a,((1,2),-3),b", &mut derivation)
            .unwrap();
        parameters::encode(&grammar, &derivation, &mut before);
        let mut mutator = Mutator::new(&grammar);
        let after = [1, 2, 3].map(|seed| {
            let shorter = mutator.mutate(&before, before.len() - 4, seed);
            String::from_utf8(
                parameters::sentence(&grammar, &Default::default(), shorter)
                    .text()
                    .to_vec(),
            )
            .unwrap()
        });
        assert_eq!(after, ["a", "a,-3", "-3"]);
    }
}
