//! Replaces a subtree by one from an element of a later repetition, and removes that element.
//!
//! This is how the first item of a list `item ( "," item )*` is removed: the second item takes its
//! position.

use super::{Splice, SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;

/// Replaces the subtree of `node` by the subtree of `like`, which has the same symbol. The
/// repetition `list` is after `node`, and its element `element` contains `like`. The splice removes
/// that element.
#[derive(Clone, Copy)]
pub(crate) struct PullElement {
    pub node: usize,
    pub list: usize,
    pub element: usize,
    pub like: usize,
}

impl PullElement {
    /// Returns the splices of a node in the order of the sentence. Stops after the repetition with
    /// which the list reaches `count` splices.
    pub fn list(view: &TreeView<'_>, node: usize, count: usize) -> Vec<PullElement> {
        let mut all = Vec::new();
        for list in view.subtree(node).end..view.nodes().len() {
            let &Kind::Repeat { at_least, .. } = view.kind(list) else {
                continue;
            };
            if view.nodes()[list].choice <= at_least {
                continue;
            }
            for element in view.tree.derivation().children(list) {
                let like = view
                    .subtree(element)
                    .find(|&inner| view.symbol(inner) == view.symbol(node));
                all.extend(like.map(|like| PullElement {
                    node,
                    list,
                    element,
                    like,
                }));
            }
            if all.len() >= count {
                break;
            }
        }
        all
    }
}

impl Splice for PullElement {
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let &Kind::Repeat { at_least, .. } = view.kind(self.list) else {
            return false;
        };
        let (bytes, own, list, element) = (
            view.bytes(),
            view.span(self.node),
            view.span(self.list),
            view.span(self.element),
        );
        let first = view
            .tree
            .derivation()
            .children(self.list)
            .next()
            .map_or(list.end, |first| view.span(first).start);
        result.clear();
        result.extend_from_slice(&bytes[..own.start]);
        result.extend_from_slice(view.part(self.like));
        result.extend_from_slice(&bytes[own.end..list.start]);
        parameters::write_choice(
            Choice::Count { at_least },
            view.nodes()[self.list].choice - 1,
            result,
        );
        result.extend_from_slice(&bytes[first..element.start]);
        result.extend_from_slice(&bytes[element.end..]);
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
            "list = item ( \",\" item )* ; item = [0-9] | \"(\" list \")\" ;",
            "1,2,(3)",
        );
        let splices = PullElement::list(&example.view(), example.node("item", "1"), 16);
        let all: Vec<String> = splices
            .iter()
            .filter_map(|splice| example.after(splice))
            .collect();
        assert_eq!(all, ["2,(3)", "(3),2"]);
    }
}
