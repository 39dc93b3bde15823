//! Repeats a recursion: copies the part of a subtree that encloses an inner subtree of the same
//! symbol, so that `-1` becomes `---1`.
//!
//! Nautilus and Gramatron (Srivastava and Payer, ISSTA 2021) call this random recursion. Nautilus
//! repeats up to 2^15 times. Here `max_size` limits the number of repetitions.

use rand::RngExt;

use super::{Mutation, Output};
use crate::splice::TreeView;

/// The number of repetitions starts at 1. It doubles with a probability of one in this number,
/// again and again.
const DOUBLE: u32 = 3;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let Some((outer, inner)) = parent.draw_recursion(&mut mutation.rng) else {
        return false;
    };
    let (outer, inner, bytes) = (parent.span(outer), parent.span(inner), parent.bytes());
    let ring = outer.len() - inner.len();
    if ring == 0 {
        return false;
    }
    let max = mutation.max_size.saturating_sub(bytes.len()) / ring;
    let mut times = 1;
    while times * 2 <= max && mutation.rng.random_range(0..DOUBLE) == 0 {
        times *= 2;
    }
    output.bytes.clear();
    output.bytes.extend_from_slice(&bytes[..inner.start]);
    for _ in 0..times {
        output
            .bytes
            .extend_from_slice(&bytes[outer.start..inner.start]);
    }
    output.bytes.extend_from_slice(&bytes[inner.clone()]);
    for _ in 0..times {
        output.bytes.extend_from_slice(&bytes[inner.end..outer.end]);
    }
    output.bytes.extend_from_slice(&bytes[inner.end..]);
    true
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("unroll", "(1),-2", seed));
        assert_eq!(after, ["(((1))),-2", "(1),--2", "((1)),-2"]);
    }
}
