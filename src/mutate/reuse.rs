//! A name that stands nowhere else becomes one that the sentence has: what was not declared may be then.

use super::rename::draw_name;
use super::{Draft, Mutation, Parent};

/// Draws for a name that stands nowhere else, before any name will do.
const DRAWS: usize = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let all = 0..parent.nodes().len();
    for attempt in 1..=DRAWS {
        let Some((node, _)) = draw_name(mutation, parent) else { return false };
        let (symbol, own) = (parent.symbol(node), parent.part(node));
        let is_own = |other: usize| other != node && parent.symbol(other) == symbol && parent.part(other) == own;
        if attempt < DRAWS && all.clone().any(is_own) {
            continue;
        }
        let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
        let Some(donor) = parent.draw_of(&mut mutation.rng, all.clone(), other) else { continue };
        draft.part.clear();
        draft.part.extend_from_slice(parent.part(donor));
        draft.splice_part(parent, parent.span(node));
        return true;
    }
    false
}
