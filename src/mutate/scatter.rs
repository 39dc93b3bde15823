//! Several subtrees are replaced at once, each by one made anew or by a donor.
//!
//! A run costs as much as its sentence is long, however little of it is new, so small edits of long sentences are dear; Zest's
//! bursts change eight places on average, too.

use rand::RngExt;

use super::burst::geometric;
use super::donate::take_donor;
use super::regenerate::make_anew;
use super::{Draft, Mutation, Parent};

/// Subtrees that are replaced, on average, but no more than one in [`SPACING`] bytes of parameters.
const SITES: f64 = 6.0;

/// See [`SITES`].
const SPACING: usize = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let most = parent.bytes().len() / SPACING + 2;
    let sites = (1 + geometric(&mut mutation.rng, SITES - 1.0)).min(most);
    let mut list = std::mem::take(&mut draft.list);
    list.clear();
    for _ in 0..sites {
        list.extend(parent.draw(&mut mutation.rng, |node| parent.is_unit(node)).map(|node| node as u32));
    }
    list.sort_unstable();
    draft.bytes.clear();
    let (mut done, mut changed) = (0, false);
    for &node in &list {
        let (node, span) = (node as usize, parent.span(node as usize));
        if span.start < done {
            continue;
        }
        if mutation.rng.random() || !take_donor(mutation, parent, draft, node) {
            make_anew(mutation, parent, draft, node);
        }
        if draft.part != parent.part(node) {
            draft.bytes.extend_from_slice(&parent.bytes()[done..span.start]);
            draft.bytes.extend_from_slice(&draft.part);
            (done, changed) = (span.end, true);
        }
    }
    draft.bytes.extend_from_slice(&parent.bytes()[done..]);
    draft.list = list;
    changed
}
