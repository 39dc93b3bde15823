//! Renames all occurrences of an identifier in a subtree.

use super::{Splice, SpliceBuffers, TreeView};
use crate::grammar::SymbolId;

/// Replaces the parameters `old` by `new` in every node of `symbol` in the subtree of `root`.
pub(crate) struct Rename<'a> {
    pub root: usize,
    pub symbol: SymbolId,
    pub old: &'a [u8],
    pub new: &'a [u8],
}

impl Splice for Rename<'_> {
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        result.clear();
        let mut copied = 0;
        for node in view.subtree(self.root) {
            if view.symbol(node) == self.symbol && view.part(node) == self.old {
                let span = view.span(node);
                result.extend_from_slice(&view.bytes()[copied..span.start]);
                result.extend_from_slice(self.new);
                copied = span.end;
            }
        }
        result.extend_from_slice(&view.bytes()[copied..]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new(
            "all = item* ; item = name \";\" | \"{\" all \"}\" ; @identifier name = [a-z]+ ;",
            "a;b;{a;}",
        );
        let view = example.view();
        let (a, b) = (example.node("name", "a"), example.node("name", "b"));
        let rename = |root| Rename {
            root,
            symbol: view.symbol(a),
            old: view.part(a),
            new: view.part(b),
        };
        assert_eq!(example.after(&rename(0)).unwrap(), "b;b;{b;}");
        assert_eq!(
            example
                .after(&rename(example.node("item", "{a;}")))
                .unwrap(),
            "a;b;{b;}"
        );
    }
}
