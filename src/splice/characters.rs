//! Changes the characters of a run.

use super::{Splice, SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;

/// Replaces the characters of the run `node`.
pub(crate) struct SetCharacters<'a> {
    pub node: usize,
    /// The new characters, as indices of members of the run's class.
    pub characters: &'a [u32],
}

impl Splice for SetCharacters<'_> {
    fn write(
        &self,
        view: &TreeView<'_>,
        _buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let &Kind::Run {
            class,
            at_least,
            at_most,
        } = view.kind(self.node)
        else {
            return false;
        };
        let (bytes, span) = (view.bytes(), view.span(self.node));
        result.clear();
        result.extend_from_slice(&bytes[..span.start]);
        if at_most > at_least {
            parameters::write_choice(
                Choice::Count { at_least },
                self.characters.len() as u32,
                result,
            );
        }
        for &index in self.characters {
            parameters::write_choice(Choice::Member(&view.grammar[class]), index, result);
        }
        result.extend_from_slice(&bytes[span.end..]);
        true
    }
}

/// Returns the characters of a run, as indices of members of its class.
pub(crate) fn characters(view: &TreeView<'_>, node: usize) -> Vec<u32> {
    let Kind::Run { class, .. } = view.kind(node) else {
        return Vec::new();
    };
    let (class, mut text, mut all) = (&view.grammar[*class], view.text(node), Vec::new());
    while !text.is_empty() {
        let (character, length) = class.read(text);
        all.push(class.index_of(character).unwrap_or(0));
        text = &text[length..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new(
            "@start word = \"<\" letters \">\" ; @token letters = [a-z]+ ;",
            "<cab>",
        );
        let is_run = |&node: &usize| matches!(example.view().kind(node), Kind::Run { .. });
        let node = (0..example.view().nodes().len()).find(is_run).unwrap();
        assert_eq!(characters(&example.view(), node), [2, 0, 1]);
        assert_eq!(
            example
                .after(&SetCharacters {
                    node,
                    characters: &[3, 3]
                })
                .unwrap(),
            "<dd>"
        );
    }
}
