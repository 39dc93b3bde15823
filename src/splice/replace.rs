//! Replaces a subtree by given parameters.

use std::ops::Range;

use super::{Splice, SpliceBuffers, TreeView};

/// Replaces the parameters of the subtree of `node` by `part`, which must be the parameters of a
/// subtree of the same symbol.
pub(crate) struct Replace<'a> {
    pub node: usize,
    pub part: &'a [u8],
}

impl Splice for Replace<'_> {
    #[inline(always)]
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        replace_range(view.bytes(), view.span(self.node), self.part, result);
        true
    }
}

/// Writes `whole` to `result`, with a range replaced by `part`.
#[inline(always)]
pub(crate) fn replace_range(whole: &[u8], range: Range<usize>, part: &[u8], result: &mut Vec<u8>) {
    result.clear();
    result.extend_from_slice(&whole[..range.start]);
    result.extend_from_slice(part);
    result.extend_from_slice(&whole[range.end..]);
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new(
            "list = item ( \",\" item )* ; item = [0-9] | \"(\" list \")\" ;",
            "1,(2,3)",
        );
        let view = example.view();
        let part = view.part(example.node("item", "(2,3)"));
        assert_eq!(
            example
                .after(&Replace {
                    node: example.node("item", "1"),
                    part
                })
                .unwrap(),
            "(2,3),(2,3)"
        );
    }
}
