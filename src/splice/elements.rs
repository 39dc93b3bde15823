//! Changes the elements of a repetition.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::{Splice, SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;

/// An entry in [`SetElements::elements`] that stands for the new elements in [`SetElements::new`].
pub(crate) const NEW: u32 = u32::MAX;

/// Replaces the elements of the repetition `node`.
pub(crate) struct SetElements<'a> {
    pub node: usize,
    /// The elements after the splice: indices of nodes, or [`NEW`].
    pub elements: &'a [u32],
    /// The parameters of the new elements: one or more elements for each [`NEW`].
    pub new: &'a [u8],
    /// The number of elements after the splice. It exceeds the length of `elements` if `new` holds
    /// several elements.
    pub count: u32,
}

impl Splice for SetElements<'_> {
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let part = |&element: &u32| match element {
            NEW => self.new,
            element => view.part(element as usize),
        };
        write_elements(
            view,
            self.node,
            self.count,
            self.elements.iter().map(part),
            result,
        )
    }
}

/// Writes the parameters of a sentence in which the repetition `node` has `count` elements with
/// these parameters. Returns false if `node` is no repetition.
fn write_elements<'a>(
    view: &TreeView<'_>,
    node: usize,
    count: u32,
    elements: impl Iterator<Item = &'a [u8]>,
    result: &mut Vec<u8>,
) -> bool {
    let &Kind::Repeat { at_least, .. } = view.kind(node) else {
        return false;
    };
    let (bytes, span) = (view.bytes(), view.span(node));
    result.clear();
    result.extend_from_slice(&bytes[..span.start]);
    parameters::write_choice(Choice::Count { at_least }, count, result);
    elements.for_each(|element| result.extend_from_slice(element));
    result.extend_from_slice(&bytes[span.end..]);
    true
}

/// Removes `count` consecutive elements of the repetition `node`, beginning with the element number
/// `from`.
#[derive(Clone, Copy)]
pub(crate) struct RemoveElements {
    pub node: usize,
    pub from: u32,
    pub count: u32,
}

impl RemoveElements {
    /// Draws a repetition with more elements than its lower limit, and a range of elements to
    /// remove.
    pub fn draw(view: &TreeView<'_>, rng: &mut SmallRng) -> Option<RemoveElements> {
        let spare = |node: usize| match view.kind(node) {
            &Kind::Repeat { at_least, .. } => view.nodes()[node].choice - at_least,
            _ => 0,
        };
        let node = view.draw(rng, |node| spare(node) > 0)?;
        let count = if rng.random() {
            spare(node)
        } else {
            rng.random_range(1..=spare(node))
        };
        let from = rng.random_range(0..=view.nodes()[node].choice - count);
        Some(RemoveElements { node, from, count })
    }
}

impl Splice for RemoveElements {
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let removed = self.from..self.from + self.count;
        let rest = (0..).zip(view.tree.derivation().children(self.node));
        let rest = rest.filter(|(at, _)| !removed.contains(at));
        let count = view.nodes()[self.node].choice - self.count;
        let parts = rest.map(|(_, element)| view.part(element));
        write_elements(view, self.node, count, parts, result)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new(
            "list = \"[\" item* \"]\" ; item = [0-9] | \"(\" [a-z] \")\" ;",
            "[1(a)2]",
        );
        let is_list = |&node: &usize| matches!(example.view().kind(node), Kind::Repeat { .. });
        let node = (0..example.view().nodes().len()).find(is_list).unwrap();
        assert_eq!(
            example
                .after(&RemoveElements {
                    node,
                    from: 1,
                    count: 1
                })
                .unwrap(),
            "[12]"
        );
        let [one, letter, two] = ["1", "(a)", "2"].map(|text| example.node("item", text) as u32);
        let new = [
            example.view().part(one as usize),
            example.view().part(letter as usize),
        ]
        .concat();
        let set = |elements: &[u32], count| {
            example
                .after(&SetElements {
                    node,
                    elements,
                    new: &new,
                    count,
                })
                .unwrap()
        };
        assert_eq!(set(&[two, letter, one], 3), "[2(a)1]");
        assert_eq!(set(&[NEW, two], 3), "[1(a)2]");
        assert_eq!(set(&[], 0), "[]");
    }
}
