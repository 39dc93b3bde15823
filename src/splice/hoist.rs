//! Replaces a subtree by a subtree of the same symbol inside it, so that a recursion gets shorter.
//!
//! Grammarinator calls this `hoist_rule`.

use rand::rngs::SmallRng;

use super::{Replace, Splice, SpliceBuffers, TreeView};

/// Replaces the subtree of `outer` by the subtree of `inner`. The node `inner` is inside `outer`
/// and has the same symbol.
#[derive(Clone, Copy)]
pub(crate) struct Hoist {
    pub outer: usize,
    pub inner: usize,
}

impl Hoist {
    /// Draws a node and a node of the same symbol inside it.
    pub fn draw(view: &TreeView<'_>, rng: &mut SmallRng) -> Option<Hoist> {
        view.draw_recursion(rng)
            .map(|(outer, inner)| Hoist { outer, inner })
    }

    /// Returns up to `count` splices of a node. Splices with shorter results come first.
    pub fn list(view: &TreeView<'_>, outer: usize, count: usize) -> Vec<Hoist> {
        let inside = view
            .subtree(outer)
            .skip(1)
            .filter(|&inner| view.symbol(inner) == view.symbol(outer));
        let mut all: Vec<Hoist> = inside.map(|inner| Hoist { outer, inner }).collect();
        all.sort_by_key(|hoist| view.span(hoist.inner).len());
        all.truncate(count);
        all
    }
}

impl Splice for Hoist {
    #[inline(always)]
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        Replace {
            node: self.outer,
            part: view.part(self.inner),
        }
        .write(view, buffers, result)
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
            "((x+x))+x",
        );
        let outer = example.node("term", "((x+x))");
        assert_eq!(
            example
                .after(&Hoist {
                    outer,
                    inner: example.node("term", "(x+x)")
                })
                .unwrap(),
            "(x+x)+x"
        );
        let all: Vec<String> = Hoist::list(&example.view(), outer, 2)
            .iter()
            .filter_map(|splice| example.after(splice))
            .collect();
        assert_eq!(all, ["x+x", "x+x"]);
    }
}
