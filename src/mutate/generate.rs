//! Samples a whole new sentence, as a generator without feedback does.
//!
//! Three mutators generate small, middle and large sentences. The schedule finds out which sizes pay: a large sentence covers
//! more, a small one runs faster.

use super::{Mutation, Output};
use crate::edit::TreeView;
use crate::sampler::Sampler;

/// How many bytes of parameters a byte of text takes, about.
const PARAMETERS_PER_BYTE: f64 = 1.5;

pub fn small(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    generate(mutation, parent, output, 0)
}

pub fn middle(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    generate(mutation, parent, output, 1)
}

pub fn large(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    generate(mutation, parent, output, 2)
}

/// Generates a sentence whose size is in the given third of all sizes, on a logarithmic scale.
fn generate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output, third: i32) -> bool {
    let step = (mutation.max_size as f64 / PARAMETERS_PER_BYTE).max(1.0).cbrt();
    let size = step.powi(third) * Sampler::log_uniform(&mut mutation.rng, step);
    output.sample_all(mutation, parent, size);
    true
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::mutant;

    #[test]
    fn before_and_after() {
        let after = ["generate-small", "generate-middle", "generate-large"].map(|mutator| mutant(mutator, "a", 1));
        assert_eq!(after, ["", "", ""]);
    }
}
