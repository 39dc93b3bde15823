//! Shrinking: subtrees become the simplest of their kind, or what is inside them, and repetitions lose elements.
//!
//! libFuzzer wants this where `size > max_size`: under `-minimize_crash`, where it stacks several calls, each on what the last
//! one left. Of some edits drawn at random the one that saves most is made, so that large subtrees go first. Without a grammar, a
//! stretch of bytes goes.

use std::ops::Range;

use rand::RngExt;

use super::draft::splice;
use super::{Draft, Mutation, Parent, Scratch, elements};
use crate::grammar::{Grammar, Kind, Role};

/// Edits that are stacked before the rest is cut off.
const EDITS: usize = 64;

/// Edits of which the one that saves most is made.
const DRAWS: u32 = 8;

/// An edit: some elements of a repetition go, or one subtree takes the place of another.
#[derive(Clone, Copy)]
enum Edit {
    /// Elements `from..from + count` of a repetition go.
    Delete { node: usize, from: usize, count: usize },
    /// A subtree becomes the simplest of its symbol.
    Simplify(usize),
    /// A subtree inside takes the place of one like it around it.
    Hoist { outer: usize, inner: usize },
    /// A subtree inside takes the place of one around it that can derive it alone.
    Lift { outer: usize, inner: usize },
}

/// Leaves a shorter sentence in the result.
pub fn shrink(mutation: &mut Mutation<'_>, grammar: &Grammar, scratch: &mut Scratch) {
    for _ in 0..EDITS {
        let Scratch { draft, parent, .. } = scratch;
        let parent = Parent { grammar, tree: parent };
        let needed = parent.bytes().len().saturating_sub(mutation.max_size);
        let draws = if needed > parent.bytes().len() / 4 { DRAWS } else { mutation.rng.random_range(1..=DRAWS) };
        let mut best = 0;
        for _ in 0..draws {
            let Some(edit) = draw(mutation, &parent) else { continue };
            let Range { start, end } = replaced(&parent, edit);
            if end - start > best {
                write(mutation, &parent, edit, draft);
                // The draft shows what an edit saves.
                if draft.bytes.len() < parent.bytes().len() - best {
                    best = parent.bytes().len() - draft.bytes.len();
                    std::mem::swap(&mut draft.bytes, &mut draft.best);
                }
            }
        }
        if best == 0 {
            continue;
        }
        std::mem::swap(&mut draft.bytes, &mut draft.best);
        if draft.bytes.len() <= mutation.max_size {
            mutation.read_result(grammar, scratch);
            if scratch.fresh {
                return;
            }
        } else {
            let Scratch { workspace, draft, parent, .. } = scratch;
            crate::parameters::read(grammar, mutation.settings, &draft.bytes, workspace, parent);
        }
    }
    scratch.draft.copy(&Parent { grammar, tree: &scratch.parent });
    mutation.read_result(grammar, scratch);
}

fn draw(mutation: &mut Mutation<'_>, parent: &Parent<'_>) -> Option<Edit> {
    let rng = &mut mutation.rng;
    match rng.random_range(0..5) {
        0..2 => {
            let has_spare = |node: usize| match parent.kind(node) {
                &Kind::Repeat { at_least, .. } => parent.nodes()[node].choice > at_least,
                _ => false,
            };
            let node = parent.draw(rng, has_spare)?;
            let &Kind::Repeat { at_least, .. } = parent.kind(node) else { return None };
            let count = parent.nodes()[node].choice;
            let spare = count - at_least;
            let deleted = if rng.random() { spare } else { rng.random_range(1..=spare) };
            let from = rng.random_range(0..=count - deleted);
            Some(Edit::Delete { node, from: from as usize, count: deleted as usize })
        }
        2 => {
            // A fixed token may have layout before it.
            let has_layout = |node| matches!(parent.kind(node), Kind::Lexeme { .. }) && parent.nodes()[node].choice > 0;
            let varies = |node| parent.role(node) != Role::Fixed && !parent.part(node).is_empty();
            Some(Edit::Simplify(parent.draw(rng, |node| varies(node) || has_layout(node))?))
        }
        3 => parent.draw_recursion(rng).map(|(outer, inner)| Edit::Hoist { outer, inner }),
        _ => {
            let outer = parent.draw(rng, |node| parent.role(node) == Role::Syntax && parent.nodes()[node].size > 1)?;
            let Range { start, end } = parent.subtree(outer);
            let inner = parent.draw_of(rng, start + 1..end, |node| {
                parent.role(node) == Role::Syntax && parent.text(node) != parent.text(outer)
            })?;
            Some(Edit::Lift { outer, inner })
        }
    }
}

/// The parameters that an edit replaces: it saves no more than these.
fn replaced(parent: &Parent<'_>, edit: Edit) -> Range<usize> {
    match edit {
        Edit::Delete { node, .. } | Edit::Simplify(node) => parent.span(node),
        Edit::Hoist { outer, .. } | Edit::Lift { outer, .. } => parent.span(outer),
    }
}

fn write(mutation: &mut Mutation<'_>, parent: &Parent<'_>, edit: Edit, draft: &mut Draft) {
    draft.part.clear();
    match edit {
        Edit::Delete { node, from, count } => {
            draft.list.clear();
            draft.list.extend(parent.tree.derivation().children(node).map(|child| child as u32));
            draft.list.drain(from..from + count);
            let left = draft.list.len() as u32;
            return elements::write(parent, draft, node, left);
        }
        Edit::Simplify(node) => draft.simplest(mutation, parent, parent.symbol(node)),
        Edit::Hoist { inner, .. } => draft.part.extend_from_slice(parent.part(inner)),
        Edit::Lift { outer, inner } => {
            if !draft.wrap(mutation, parent, parent.symbol(outer), inner) {
                return draft.copy(parent);
            }
        }
    }
    draft.splice_part(parent, replaced(parent, edit));
}

/// A stretch of bytes goes.
pub fn bytes(mutation: &mut Mutation<'_>, input: &[u8], result: &mut Vec<u8>) {
    let excess = input.len() - mutation.max_size;
    let from = mutation.rng.random_range(0..=mutation.max_size);
    splice(input, from..from + excess, &[], result);
}
