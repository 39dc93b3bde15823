//! A subtree takes the place of one like it around it, so a recursion gets shorter. Grammarinator: `hoist_rule`.

use super::draft::splice;
use super::{Draft, Mutation, Parent};

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let Some((outer, inner)) = parent.draw_recursion(&mut mutation.rng) else { return false };
    splice(parent.bytes(), parent.span(outer), parent.part(inner), &mut draft.bytes);
    parent.part(outer) != parent.part(inner)
}
