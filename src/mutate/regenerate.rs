//! Replaces a subtree by a sampled one.
//!
//! Nautilus (Aschermann et al., NDSS 2019) calls this random mutation. Grammarinator calls it
//! `regenerate_rule`.

use super::output::NewSubtree;
use super::{Mutation, Output};
use crate::sampler::Sampler;
use crate::splice::TreeView;

/// The number of bytes that the maximum size of a new subtree has beyond twice the old size.
const MIN_SIZE: usize = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let Some(node) = parent.draw(&mut mutation.rng, |node| parent.is_unit(node)) else {
        return false;
    };
    sample_like(mutation, parent, output, node);
    output.replace(parent, node);
    output.part != parent.part(node)
}

/// Samples a subtree of a node's symbol into [`Output::part`]. The maximum size is about twice the
/// size of the node's text, plus [`MIN_SIZE`].
pub fn sample_like(
    mutation: &mut Mutation<'_>,
    parent: &TreeView<'_>,
    output: &mut Output,
    node: usize,
) {
    let size = Sampler::log_uniform(
        &mut mutation.rng,
        (2 * parent.text(node).len() + MIN_SIZE) as f64,
    );
    output.part.clear();
    let subtree = NewSubtree {
        before: Some(node),
        symbol: parent.symbol(node),
        size,
    };
    output.sample(mutation, parent, subtree);
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::{mutants, reaches};

    #[test]
    fn before_and_after() {
        assert!(reaches("regenerate", "(1,2),a", "(1,7),a"));
        assert!(reaches("regenerate", "(1,2),a", "-1,a"));
        assert!(reaches("regenerate", "(1,2),a", "(1,2),b"));
    }

    #[test]
    fn a_new_subtree_uses_visible_names() {
        let source = r#"
            @kind variable: name ; @identifier name = [a-z] ;
            @start all = @after( "let" @declare variable "=" value ";" )* ;
            value = "0" | @use variable ;
        "#;
        let mut after = mutants(source, "regenerate", "leta=0;letb=0;");
        assert!((0..1_000).any(|seed| after(seed) == "leta=0;letb=a;"));
        assert!((0..1_000).all(|seed| !after(seed).starts_with("leta=a")));
    }
}
