//! Replaces a subtree by the simplest one of its symbol.

use rand::rngs::SmallRng;

use super::{Replace, Splice, SpliceBuffers, TreeView};
use crate::grammar::{Kind, Role};

/// Replaces the subtree of `node` by the simplest subtree of its symbol.
pub(crate) struct Simplify {
    pub node: usize,
}

impl Simplify {
    /// Draws a subtree that has a choice or has layout before it.
    pub fn draw(view: &TreeView<'_>, rng: &mut SmallRng) -> Option<Simplify> {
        // A fixed token may have layout before it.
        let has_layout =
            |node| matches!(view.kind(node), Kind::Lexeme { .. }) && view.nodes()[node].choice > 0;
        let varies = |node| view.role(node) != Role::Fixed && !view.part(node).is_empty();
        view.draw(rng, |node| varies(node) || has_layout(node))
            .map(|node| Simplify { node })
    }
}

impl Splice for Simplify {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let mut part = std::mem::take(&mut buffers.part);
        part.clear();
        buffers.write_simplest(view, view.symbol(self.node), &mut part);
        let done = Replace {
            node: self.node,
            part: &part,
        }
        .write(view, buffers, result);
        buffers.part = part;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new(
            "sum = term ( \"+\" term )* ; term = \"x\" | \"(\" sum \")\" ;",
            "(x+x)+x",
        );
        assert_eq!(
            example
                .after(&Simplify {
                    node: example.node("term", "(x+x)")
                })
                .unwrap(),
            "x+x"
        );
        assert_eq!(example.after(&Simplify { node: 0 }).unwrap(), "x");
    }
}
