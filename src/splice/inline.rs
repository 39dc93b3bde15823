//! Inlines a declared name that is used once: `let a=f(1);g(a);` becomes `g(f(1));`.

use super::rename::for_each_use;
use super::{RemoveElements, Splice, SpliceBuffers, TreeView, replace_range};
use crate::grammar::Kind;

/// Removes the element of a repetition that declares a name, and replaces the only use of the name by
/// a subtree of that element.
///
/// The splice is impossible if the name does not have exactly one use, or if the use is inside the
/// element. It is also impossible if no node that derives only the use has the symbol of a subtree
/// of the element.
pub(crate) struct InlineName {
    /// The node of the declaration.
    pub declaration: usize,
}

impl Splice for InlineName {
    fn write(
        &self,
        view: &TreeView<'_>,
        buffers: &mut SpliceBuffers,
        result: &mut Vec<u8>,
    ) -> bool {
        let (mut used, mut uses) = (0, 0);
        for_each_use(view, &mut buffers.open, self.declaration, |node| {
            (used, uses) = (node, uses + 1);
        });
        // A node that declares no name has no uses.
        if uses != 1 {
            return false;
        }
        let Some((list, element)) = element_around(view, self.declaration) else {
            return false;
        };
        let inside = view.subtree(element);
        if used < inside.end {
            return false;
        }
        // Find the outermost node that derives only the use and whose symbol occurs in the element.
        let only_use = |&outer: &usize| {
            view.subtree(outer).contains(&used) && view.text(outer) == view.text(used)
        };
        let of_symbol = |outer: usize| {
            let is_value = |&node: &usize| {
                view.symbol(node) == view.symbol(outer)
                    && !view.subtree(node).contains(&self.declaration)
            };
            Some((outer, inside.clone().find(is_value)?))
        };
        let found = (inside.end..used).filter(only_use).find_map(of_symbol);
        let Some((outer, value)) = found else {
            return false;
        };
        let before = |child: &usize| *child < element;
        let from = view.tree.derivation().children(list).take_while(before);
        let removed = RemoveElements {
            node: list,
            from: from.count() as u32,
            count: 1,
        };
        if !removed.write(view, buffers, result) {
            return false;
        }
        // The use is after the element, so its distance from the end has not changed.
        let span = view.span(outer);
        let end = result.len() - (view.bytes().len() - span.end);
        let target = end - span.len()..end;
        let mut whole = std::mem::take(&mut buffers.part);
        whole.clear();
        whole.extend_from_slice(result);
        replace_range(&whole, target, view.part(value), result);
        buffers.part = whole;
        true
    }
}

/// Returns the innermost repetition around a node that may have fewer elements, and the element that
/// contains the node.
fn element_around(view: &TreeView<'_>, node: usize) -> Option<(usize, usize)> {
    let is_list = |&list: &usize| match view.kind(list) {
        Kind::Repeat { at_least, .. } => {
            view.subtree(list).contains(&node) && view.nodes()[list].choice > *at_least
        }
        _ => false,
    };
    let list = (0..node).rev().find(is_list)?;
    let mut elements = view.tree.derivation().children(list);
    let element = elements.find(|&element| view.subtree(element).contains(&node))?;
    Some((list, element))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Example;
    use super::*;
    use crate::grammar::Effect;

    #[test]
    fn before_and_after() {
        let source = r#"
            @kind variable: name ; @identifier name = [a-z] ;
            @start all = item* ;
            item = @after( "let " @declare variable "=" value ";" ) | value ";" | "{" @scope( item* ) "}" ;
            value = [0-9] | @use variable | "(" value "+" value ")" ;
        "#;
        let inlined = |text: &str| {
            let example = Example::new(source, text);
            let view = example.view();
            let declares =
                |&node: &usize| matches!(view.effect(node), Some(Effect::Declare { .. }));
            let declaration = (0..view.nodes().len()).find(declares).unwrap();
            example.after(&InlineName { declaration })
        };
        assert_eq!(inlined("let a=(1+2);{(a+3);}").unwrap(), "{((1+2)+3);}");
        assert_eq!(inlined("let a=1;let a=a;a;").unwrap(), "let a=1;a;");
        assert_eq!(inlined("let a=1;a;a;"), None);
        assert_eq!(inlined("let a=1;"), None);
    }
}
