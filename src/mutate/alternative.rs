//! Changes the alternative of a nonterminal. For each child of the new alternative, the mutator
//! reuses an old child of the same symbol or token that is not used yet. If there is none, it
//! samples a new subtree. (Nautilus' rule mutation samples all children.)
//!
//! If the new alternative contains the nonterminal itself, then with probability 1/2 the first such
//! child is the whole old subtree. Then the sentence grows around its old content: `a` becomes
//! `-a`.

use rand::RngExt;

use super::output::NewSubtree;
use super::{Mutation, Output};
use crate::grammar::Kind;
use crate::sampler::Sampler;
use crate::splice::{ChangeAlternative, TreeView};

/// The approximate maximum size of a new child, in bytes of text.
const MAX_SIZE: f64 = 16.0;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let chooses = |node: usize| {
        parent.is_unit(node)
            && matches!(parent.kind(node), Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1)
    };
    let Some(node) = parent.draw(&mut mutation.rng, chooses) else {
        return false;
    };
    let alternatives = parent.grammar.alternatives(parent.symbol(node));
    let (options, old) = (alternatives.len() as u32, parent.nodes()[node].choice);
    // Arguments of rules forbid some alternatives.
    let is_other = |alternative: &u32| {
        *alternative != old && alternatives[*alternative as usize].minimum.is_finite()
    };
    let from = old + mutation.rng.random_range(1..options);
    let Some(alternative) = (from..from + options).map(|at| at % options).find(is_other) else {
        return false;
    };
    let wraps = mutation.rng.random();
    let (mut part, mut old) = (
        std::mem::take(&mut output.part),
        std::mem::take(&mut output.list),
    );
    ChangeAlternative {
        node,
        alternative,
        wraps,
    }
    .write_part(parent, &mut old, &mut part, |symbol, part| {
        let size = Sampler::log_uniform(&mut mutation.rng, MAX_SIZE);
        std::mem::swap(&mut output.part, part);
        let subtree = NewSubtree {
            before: Some(node + 1),
            symbol,
            size,
        };
        output.sample(mutation, parent, subtree);
        std::mem::swap(&mut output.part, part);
    });
    (output.part, output.list) = (part, old);
    output.replace(parent, node);
    true
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::reaches;

    #[test]
    fn before_and_after() {
        assert!(reaches("alternative", "(1,2)", "-(1,2)"));
        assert!(reaches("alternative", "(1,2)", "7"));
        assert!(reaches("alternative", "-a", "a"));
    }
}
