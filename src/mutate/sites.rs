//! Several subtrees are replaced at once.
//!
//! A run costs as much as its sentence is long, however little of it is new, so small edits of long sentences are dear; Zest's
//! bursts change eight places on average, too.

use super::burst::geometric;
use super::{Draft, Mutation, Parent};

/// Subtrees that are replaced, on average, but no more than one in [`SPACING`] bytes of parameters.
const SITES: f64 = 4.0;

/// See [`SITES`].
const SPACING: usize = 16;

/// Replaces some subtrees by what `make` appends to [`Draft::part`] for a node, if it can make something; whether any was.
#[inline(always)]
pub fn replace(
    mutation: &mut Mutation<'_>,
    parent: &Parent<'_>,
    draft: &mut Draft,
    mut make: impl FnMut(&mut Mutation<'_>, &mut Draft, usize) -> bool,
) -> bool {
    let most = parent.bytes().len() / SPACING + 1;
    let sites = geometric(&mut mutation.rng, SITES).min(most);
    let mut list = std::mem::take(&mut draft.list);
    list.clear();
    for _ in 0..sites {
        list.extend(parent.draw(&mut mutation.rng, |node| parent.is_unit(node)).map(|node| node as u32));
    }
    list.sort_unstable();
    draft.bytes.clear();
    let (mut done, mut changed) = (0, false);
    for &node in &list {
        let span = parent.span(node as usize);
        if span.start < done {
            continue;
        }
        draft.part.clear();
        if make(mutation, draft, node as usize) && draft.part != parent.part(node as usize) {
            draft.bytes.extend_from_slice(&parent.bytes()[done..span.start]);
            draft.bytes.extend_from_slice(&draft.part);
            (done, changed) = (span.end, true);
        }
    }
    draft.bytes.extend_from_slice(&parent.bytes()[done..]);
    draft.list = list;
    changed
}
