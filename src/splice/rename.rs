//! Renames all occurrences of an identifier in a subtree, or a declaration with its uses.

use std::ops::Range;

use super::{Splice, SpliceBuffers, TreeView};
use crate::grammar::{Effect, SymbolId};

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

/// Gives a declaration and its uses another name.
pub(crate) struct RenameDeclaration<'a> {
    /// The node of the declaration.
    pub declaration: usize,
    /// The parameters of the new name.
    pub new: &'a [u8],
}

impl Splice for RenameDeclaration<'_> {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        if !matches!(view.effect(self.declaration), Some(Effect::Declare { .. })) {
            return false;
        }
        result.clear();
        let mut copied = 0;
        let mut rename = |node| {
            let span = view.span(node);
            result.extend_from_slice(&view.bytes()[copied..span.start]);
            result.extend_from_slice(self.new);
            copied = span.end;
        };
        rename(self.declaration);
        for_each_use(view, &mut buffers.open, self.declaration, rename);
        result.extend_from_slice(&view.bytes()[copied..]);
        true
    }
}

/// Calls `found` for each use of a declaration, in the order of the sentence. `open` is a buffer.
pub(super) fn for_each_use(
    view: &TreeView<'_>,
    open: &mut Vec<OpenNode>,
    declaration: usize,
    mut found: impl FnMut(usize),
) {
    let Some(&Effect::Declare { namespace: own, .. }) = view.effect(declaration) else {
        return;
    };
    let visible = visible(view, declaration);
    open.clear();
    // The nodes at which another declaration hides this one.
    let mut hidden = 0..0;
    for node in visible.clone() {
        while open.last().is_some_and(|outer| outer.end <= node) {
            open.pop();
        }
        let end = view.subtree(node).end;
        match view.effect(node) {
            Some(Effect::Scope) => open.push(OpenNode {
                end,
                is_scope: true,
            }),
            Some(Effect::After) => open.push(OpenNode {
                end,
                is_scope: false,
            }),
            Some(Effect::Use { namespace, .. } | Effect::Declare { namespace, .. })
                if hidden.contains(&node)
                    || *namespace != own
                    || view.text(node) != view.text(declaration) => {}
            Some(Effect::Use { .. }) => found(node),
            Some(Effect::Declare { .. }) => {
                let inner = open.iter().rposition(|outer| outer.is_scope);
                let after = open.get(inner.map_or(0, |at| at + 1));
                let scope = inner.map_or(visible.end, |at| open[at].end);
                hidden = after.map_or(node, |after| after.end)..scope;
            }
            _ => {}
        }
    }
}

/// A scope or an `@after` that is open at a position of a sentence.
#[derive(Debug)]
pub(super) struct OpenNode {
    /// The index after its last node.
    end: usize,
    is_scope: bool,
}

/// Returns the nodes at which a declaration is visible, if no other declaration hides it.
fn visible(view: &TreeView<'_>, declaration: usize) -> Range<usize> {
    let (mut from, mut end, mut node) = (None, view.nodes().len(), 0);
    // The path from the root to the declaration.
    while node < declaration {
        let subtree = view.subtree(node);
        if subtree.end <= declaration {
            node = subtree.end;
            continue;
        }
        match view.effect(node) {
            Some(Effect::Scope) => (from, end) = (None, subtree.end),
            Some(Effect::After) => from = from.or(Some(subtree.end)),
            _ => {}
        }
        node += 1;
    }
    from.unwrap_or(declaration + 1)..end
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
    #[test]
    fn a_declaration_is_renamed_with_its_uses() {
        let source = r#"
            @kind variable: name ; @identifier name = [a-z] ;
            @start all = item* ;
            item = @after( "let" @declare variable "=" @use variable ";" ) | "fn" @declare variable @scope( "(" all ")" )
                | @use variable ";" ;
        "#;
        let renamed = |text: &str, nth: usize| {
            let example = Example::new(source, text);
            let view = example.view();
            let is_declaration =
                |&node: &usize| matches!(view.effect(node), Some(Effect::Declare { .. }));
            let declaration = (0..view.nodes().len())
                .filter(is_declaration)
                .nth(nth)
                .unwrap();
            // The parameters of `z`.
            example
                .after(&RenameDeclaration {
                    declaration,
                    new: &[25],
                })
                .unwrap()
        };
        assert_eq!(renamed("fna(a;leta=a;a;)a;", 0), "fnz(z;leta=z;a;)z;");
        assert_eq!(renamed("fna(a;leta=a;a;)a;", 1), "fna(a;letz=a;z;)a;");
    }
}
