//! Replaces an identifier that occurs once by another identifier of the sentence, so that a use may
//! refer to a declaration. In a grammar with names, makes a use refer to another visible name.

use super::rename::{draw_name, write_name};
use super::{Mutation, Output};
use crate::grammar::Effect;
use crate::splice::TreeView;

/// The maximum number of identifiers that are drawn until one occurs only once. The last one may
/// occur several times.
const DRAWS: usize = 8;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    if parent.grammar.has_names() {
        return rebind(mutation, parent, output);
    }
    let all = 0..parent.nodes().len();
    for attempt in 1..=DRAWS {
        let Some((node, _)) = draw_name(mutation, parent, |_| true) else {
            return false;
        };
        let (symbol, own) = (parent.symbol(node), parent.part(node));
        let is_own = |other: usize| {
            other != node && parent.symbol(other) == symbol && parent.part(other) == own
        };
        if attempt < DRAWS && all.clone().any(is_own) {
            continue;
        }
        let other = |other: usize| parent.symbol(other) == symbol && parent.part(other) != own;
        let Some(donor) = parent.draw_of(&mut mutation.rng, all.clone(), other) else {
            continue;
        };
        output.part.clear();
        output.part.extend_from_slice(parent.part(donor));
        output.replace(parent, node);
        return true;
    }
    false
}

/// Makes a use refer to another visible name.
fn rebind(mutation: &mut Mutation<'_>, parent: &TreeView<'_>, output: &mut Output) -> bool {
    let is_use = |effect: &Effect| matches!(effect, Effect::Use { .. });
    let Some((node, names)) = draw_name(mutation, parent, is_use) else {
        return false;
    };
    output.part.clear();
    // Decoding replaces a name that is not visible by a visible one.
    write_name(mutation, names, &mut output.part);
    output.replace(parent, node);
    output.part != parent.part(node)
}

#[cfg(test)]
mod tests {
    use crate::mutate::testing::{mutant, mutants};

    #[test]
    fn before_and_after() {
        let after = [1, 2, 3].map(|seed| mutant("reuse", "a,b,b,c,c", seed));
        assert_eq!(after, ["c,b,b,c,c", "b,b,b,c,c", "c,b,b,c,c"]);
    }

    #[test]
    fn a_use_refers_to_another_visible_name() {
        let source = r#"
            @kind variable: name ; @identifier name = [a-z] ;
            @start all = ( "let" @declare variable ";" | @use variable ";" )* ;
        "#;
        let after = mutants(source, "reuse", "leta;letb;a;letc;b;");
        let after: Vec<_> = (1..4).map(after).collect();
        assert_eq!(
            after,
            [
                "leta;letb;b;letc;b;",
                "leta;letb;b;letc;b;",
                "leta;letb;a;letc;a;"
            ]
        );
    }
}
