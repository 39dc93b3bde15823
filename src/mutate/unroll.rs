//! What is between a subtree and one like it inside it is repeated, so a recursion gets longer.
//!
//! Nautilus and Gramatron (Srivastava and Payer, ISSTA 2021) call this random recursion; Nautilus repeats up to 2^15 times, which
//! caps and `max_size` here cut off.

use rand::RngExt;

use super::{Draft, Mutation, Parent};

/// One in this many goes on doubling.
const DOUBLE: u32 = 3;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let Some((outer, inner)) = parent.draw_recursion(&mut mutation.rng) else { return false };
    let (outer, inner, bytes) = (parent.span(outer), parent.span(inner), parent.bytes());
    let ring = outer.len() - inner.len();
    if ring == 0 {
        return false;
    }
    let most = mutation.max_size.saturating_sub(bytes.len()) / ring;
    let mut times = 1;
    while times * 2 <= most && mutation.rng.random_range(0..DOUBLE) == 0 {
        times *= 2;
    }
    draft.bytes.clear();
    draft.bytes.extend_from_slice(&bytes[..inner.start]);
    for _ in 0..times {
        draft.bytes.extend_from_slice(&bytes[outer.start..inner.start]);
    }
    draft.bytes.extend_from_slice(&bytes[inner.clone()]);
    for _ in 0..times {
        draft.bytes.extend_from_slice(&bytes[inner.end..outer.end]);
    }
    draft.bytes.extend_from_slice(&bytes[inner.end..]);
    true
}
