//! The whole sentence is made anew, of any size: what a generator without feedback does.

use super::{Draft, Mutation, Parent};
use crate::sampler::Sampler;

/// Parameters that a byte of text takes, about.
const PARAMETERS: f64 = 1.5;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let size = Sampler::log_uniform(&mut mutation.rng, mutation.max_size as f64 / PARAMETERS);
    draft.sample_all(mutation, parent, size);
    true
}
