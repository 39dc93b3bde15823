//! Subtrees are made anew, as the sampler makes them.
//!
//! Nautilus (Aschermann et al., NDSS 2019) calls this random mutation, Grammarinator `regenerate_rule`.

use super::sites::replace;
use super::{Draft, Mutation, Parent};
use crate::sampler::Sampler;

/// Bytes of text that a subtree may always have.
const ROOM: usize = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    replace(mutation, parent, draft, |mutation, draft, node| {
        let size = Sampler::log_uniform(&mut mutation.rng, (2 * parent.text(node).len() + ROOM) as f64);
        draft.sample(mutation, parent, parent.symbol(node), size);
        true
    })
}
