//! Replaces several subtrees at once, each by a sampled subtree or by a donor of the same symbol.
//!
//! The time of a run depends on the length of the whole sentence, so a single small change of a
//! long sentence is inefficient. Zest's mutation too changes eight positions on average.

use rand::RngExt;

use super::burst::geometric;
use super::regenerate::sample_like;
use super::splice::draw_donor;
use super::{Mutation, Output};
use crate::splice::TreeView;

/// The mean number of subtrees that are drawn.
const MEAN_SITES: f64 = 6.0;

/// At most two subtrees are drawn, and one more for each of this many bytes of parameters.
const SPACING: usize = 16;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let max = parent.bytes().len() / SPACING + 2;
    let sites = (1 + geometric(&mut mutation.rng, MEAN_SITES - 1.0)).min(max);
    let mut nodes = std::mem::take(&mut output.list);
    nodes.clear();
    for _ in 0..sites {
        nodes.extend(
            parent
                .draw(&mut mutation.rng, |node| parent.is_unit(node))
                .map(|node| node as u32),
        );
    }
    nodes.sort_unstable();
    output.bytes.clear();
    let (mut copied, mut changed) = (0, false);
    for &node in &nodes {
        let (node, span) = (node as usize, parent.span(node as usize));
        // The node lies inside a subtree that was already replaced.
        if span.start < copied {
            continue;
        }
        if mutation.rng.random() || !draw_donor(mutation, parent, output, node) {
            sample_like(mutation, parent, output, node);
        }
        if output.part != parent.part(node) {
            output
                .bytes
                .extend_from_slice(&parent.bytes()[copied..span.start]);
            output.bytes.extend_from_slice(&output.part);
            (copied, changed) = (span.end, true);
        }
    }
    output.bytes.extend_from_slice(&parent.bytes()[copied..]);
    output.list = nodes;
    changed
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::reaches;

    #[test]
    fn before_and_after() {
        assert!(reaches("multi-splice", "1,(2),a", "2,(1),a"));
        assert!(reaches("multi-splice", "1,(2),a", "1,(2),b"));
    }
}
