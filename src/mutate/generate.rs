//! Replaces the whole sentence by a sampled one, as a generator without feedback does.
//!
//! Three mutators generate small, middle and large sentences. Large sentences cover more code,
//! small sentences run faster. The schedule adapts the shares of the three to what they find.

use super::{Mutation, Output};
use crate::sampler::Sampler;
use crate::splice::TreeView;

/// The approximate number of bytes of parameters for each byte of text.
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

/// Generates a sentence. Its size is in the given third of all sizes on a logarithmic scale; thirds
/// count from 0.
fn generate(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    output: &mut Output,
    third: i32,
) -> bool {
    let step = (mutation.max_size as f64 / PARAMETERS_PER_BYTE)
        .max(1.0)
        .cbrt();
    let size = step.powi(third) * Sampler::log_uniform(&mut mutation.rng, step);
    output.sample_all(mutation, parent, size);
    true
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::{LISTS, mutants, reaches};

    #[test]
    fn before_and_after() {
        assert!(reaches("generate-small", "a,(b)", "7"));
        assert!(reaches("generate-small", "a,(b)", "-1"));
        // With at most 200 bytes of parameters, middle sizes are 5 to 26 bytes of text, and larger
        // sizes are large.
        for (mutator, sizes) in [("generate-middle", 4..=40), ("generate-large", 20..=200)] {
            let mut mutants = mutants(LISTS, mutator, "a");
            let fitting = (0..200)
                .filter(|&seed| sizes.contains(&mutants(seed).len()))
                .count();
            assert!(
                fitting > 100,
                "{mutator}: {fitting} of 200 mutants are of its size"
            );
        }
    }
}
