//! The whole sentence is made anew: what a generator without feedback does.
//!
//! Which sizes pay is for the schedule to find out: a large sentence covers more, a small one costs less.

use super::{Draft, Mutation, Parent};
use crate::sampler::Sampler;

/// Parameters that a byte of text takes, about.
const PARAMETERS: f64 = 1.5;

pub fn small(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    make(mutation, parent, draft, 0)
}

pub fn middle(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    make(mutation, parent, draft, 1)
}

pub fn large(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    make(mutation, parent, draft, 2)
}

/// A sentence of a size in this third of all sizes on the scale of logarithms.
fn make(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft, third: i32) -> bool {
    let step = (mutation.max_size as f64 / PARAMETERS).max(1.0).cbrt();
    let size = step.powi(third) * Sampler::log_uniform(&mut mutation.rng, step);
    draft.sample_all(mutation, parent, size);
    true
}
