//! Removes the layout before a token.

use super::{Replace, Splice, SpliceBuffers, TreeView};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;

/// Removes the layout before the token `node`. The splice is impossible if there is no layout.
pub(crate) struct RemoveLayout {
    pub node: usize,
}

impl Splice for RemoveLayout {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let lexeme = view.nodes()[self.node];
        if !matches!(view.kind(self.node), Kind::Lexeme { layout: true, .. }) || lexeme.choice == 0
        {
            return false;
        }
        let mut part = std::mem::take(&mut buffers.part);
        part.clear();
        parameters::write_choice(Choice::Layout, 0, &mut part);
        // A literal has no node of its own.
        let body = view
            .tree
            .derivation()
            .children(self.node)
            .nth(lexeme.layout_tokens() as usize);
        part.extend_from_slice(body.map_or(&[], |body| view.part(body)));
        Replace {
            node: self.node,
            part: &part,
        }
        .write(view, buffers, result);
        buffers.part = part;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;

    #[test]
    fn before_and_after() {
        let example = Example::new("@start pair = \"(\" \")\" ; @skip blank = \" \"+ ;", "(  )");
        let all = (0..example.view().nodes().len())
            .filter_map(|node| example.after(&RemoveLayout { node }));
        assert_eq!(all.collect::<Vec<_>>(), ["()"]);
    }
}
