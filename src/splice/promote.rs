//! Replaces a subtree by a smaller subtree of another symbol inside it, through a unit chain:
//! `f(1)+2` becomes `f(1)`.

use std::cmp::Reverse;
use std::ops::Range;

use rand::rngs::SmallRng;

use super::{Replace, Splice, SpliceBuffers, TreeView};
use crate::grammar::Role;

/// Replaces the subtree of `outer` by a unit chain (see `unit_chain.rs`) that ends with the subtree
/// of `inner`. The node `inner` is inside `outer`. Other subtrees that the unit chain contains are
/// the simplest ones of their symbols.
///
/// The splice is impossible if the symbol of `outer` has no unit chain to that of `inner`.
#[derive(Clone, Copy)]
pub(crate) struct Promote {
    pub outer: usize,
    pub inner: usize,
}

impl Promote {
    /// Draws a node of a syntax rule, and a node of a syntax rule inside it that has another text.
    pub fn draw(view: &TreeView<'_>, rng: &mut SmallRng) -> Option<Promote> {
        let outer = view.draw(rng, |node| {
            view.role(node) == Role::Syntax && view.nodes()[node].size > 1
        })?;
        let Range { start, end } = view.subtree(outer);
        let is_other =
            |node: usize| view.role(node) == Role::Syntax && view.text(node) != view.text(outer);
        view.draw_of(rng, start + 1..end, is_other)
            .map(|inner| Promote { outer, inner })
    }

    /// Returns up to `count` possible splices of a node. Splices to longer texts come first.
    pub fn list(
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        outer: usize,
        count: usize,
    ) -> Vec<Promote> {
        let symbol = view.symbol(outer);
        if view.role(outer) != Role::Syntax {
            return Vec::new();
        }
        let length = |node: usize| view.text(node).len();
        let is_part = |&inner: &usize| {
            view.role(inner) == Role::Syntax
                && view.symbol(inner) != symbol
                && length(inner) < length(outer)
        };
        let mut inside: Vec<usize> = view.subtree(outer).skip(1).filter(is_part).collect();
        inside.sort_by_key(|&inner| Reverse(length(inner)));
        let chains = buffers.chains.of(view.grammar);
        let possible = inside
            .into_iter()
            .filter(|&inner| chains.find(symbol, view.symbol(inner)));
        possible
            .take(count)
            .map(|inner| Promote { outer, inner })
            .collect()
    }
}

impl Splice for Promote {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let (mut chains, mut part) = (
            std::mem::take(&mut buffers.chains),
            std::mem::take(&mut buffers.part),
        );
        part.clear();
        let done = chains
            .of(view.grammar)
            .find(view.symbol(self.outer), view.symbol(self.inner));
        if done {
            chains.write(view, buffers, self.inner, &mut part);
            Replace {
                node: self.outer,
                part: &part,
            }
            .write(view, buffers, result);
        }
        (buffers.chains, buffers.part) = (chains, part);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let source = "sum = product ( \"+\" product )* ; product = call ( \"*\" call )* ; call = [fg] \"(\" sum \")\" | [0-9] ;";
        let example = Example::new(source, "f(g(1)*2)+3");
        let splices = Promote::list(&example.view(), &mut SpliceBuffers::default(), 0, 3);
        let all: Vec<String> = splices
            .iter()
            .filter_map(|splice| example.after(splice))
            .collect();
        assert_eq!(all, ["f(g(1)*2)", "f(g(1)*2)", "g(1)*2"]);
        // No unit chain leads from `call` to `sum`.
        let impossible = Promote {
            outer: example.node("call", "g(1)"),
            inner: example.node("sum", "1"),
        };
        assert_eq!(example.after(&impossible), None);
    }
}
