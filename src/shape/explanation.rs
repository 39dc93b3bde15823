//! Finds whether a sentence fails by the cause of another sentence.
//!
//! Reduced sentences of one fault may get different causes, because values must meet a condition:
//! `reverse("ab")` and `reverse("a" & "b")`. The check takes a part of the new sentence that has
//! the same production as the known cause, and inserts it into the known sentence in place of that
//! cause. Both sentences have one fault if the known sentence still fails in the same way, and if
//! the new sentence does not fail without the part.

use super::search::{Buffers, view};
use super::{CausePart, NodeEnds, ShapePart, ShapeSearch, name, visible_range};
use crate::derivation::Node;
use crate::parameters::{Tree, read};
use crate::splice::{Replace, Splice};

/// A sentence whose cause is known.
pub struct KnownCause<'a> {
    /// The parameters of the sentence.
    pub input: &'a [u8],
    pub cause: &'a CausePart,
    /// Returns whether a sentence fails in the same way as this sentence.
    pub fails: &'a mut dyn FnMut(&Tree) -> bool,
}

impl ShapeSearch<'_> {
    /// Returns whether the failing sentence of these parameters fails by the known cause of another
    /// sentence.
    pub fn is_explained_by(&mut self, input: &[u8], known: &mut KnownCause<'_>) -> bool {
        let (grammar, settings) = (self.grammar, self.settings);
        let mut buffers = Buffers::new();
        let [mut tree, mut other, mut candidate] = <[Tree; 3]>::default();
        read(grammar, settings, input, &mut buffers.workspace, &mut tree);
        let workspace = &mut buffers.workspace;
        read(grammar, settings, known.input, workspace, &mut other);
        let ranges = known.cause.ranges_in(grammar, other.derivation());
        let nodes = other.derivation().nodes();
        let is_cause = |node: &usize| {
            name(grammar, other.derivation(), *node) == known.cause.rule
                && ranges.contains(&visible_range(other.derivation(), *node))
        };
        let Some(cause) = (0..nodes.len()).find(is_cause) else {
            return false;
        };
        // The production of the cause. A production without a word of its own is too general.
        let holes = self.symbols(&other, cause, true);
        let form = self.shape(&other, &holes, visible_range(other.derivation(), cause));
        if !form
            .parts
            .iter()
            .any(|part| matches!(part, ShapePart::Text(_)))
        {
            return false;
        }
        let derivation = tree.derivation();
        let ends = NodeEnds::of(grammar, derivation);
        let has_form = |(at, node): &(usize, &Node)| {
            node.symbol == nodes[cause].symbol
                && form.matches_range(&ends, visible_range(derivation, *at))
        };
        let nodes = derivation.nodes().iter().enumerate();
        let parts: Vec<usize> = nodes.filter(has_form).map(|(at, _)| at).collect();
        parts.into_iter().any(|part| {
            let bytes = view(grammar, settings, &tree).part(part);
            let replace = Replace {
                node: cause,
                part: bytes,
            };
            let target = view(grammar, settings, &other);
            if (self.is_over)() || !replace.write(&target, &mut buffers.splices, &mut buffers.bytes)
            {
                return false;
            }
            buffers.read(grammar, settings, &mut candidate);
            // Decoding may change names, because other names are visible in the known sentence.
            let text = |tree: &Tree, node| {
                let derivation = tree.derivation();
                derivation.text()[visible_range(derivation, node)].to_vec()
            };
            text(&candidate, cause) == text(&tree, part)
                && (known.fails)(&candidate)
                && self.is_necessary(&tree, part, &mut buffers)
        })
    }

    /// Returns whether at most a quarter of the sentences with other subtrees in place of a node
    /// fail.
    fn is_necessary(&mut self, tree: &Tree, node: usize, buffers: &mut Buffers) -> bool {
        let (same, other) = self.with_others(tree, node, buffers, |_| false);
        other > 0 && 4 * same <= same + other
    }
}

#[cfg(test)]
mod tests {
    use super::super::TrialResult;
    use super::*;
    use crate::grammar::Grammar;
    use crate::parameters::Settings;

    const CALLS: &[u8] = br#"
        @start sum = call ( "+" call )* ;
        call = "f" "(" text ")" | "g" "(" text ")" ;
        text = word ( "&" word )* ;
        word = [a-c]+ ;
    "#;

    /// Returns whether the failure of `sentence` is explained by the cause of `other`. A sentence
    /// has the first failure if a call has an argument of two letters. It has the failure of
    /// `other` if this call is a call of `f`.
    fn is_explained(sentence: &str, other: &str, cause: &str) -> bool {
        let grammar = Grammar::read("calls", CALLS).unwrap();
        let fails = |tree: &Tree, function: &[char]| {
            let text = std::str::from_utf8(tree.derivation().text()).unwrap();
            let mut calls = text.split('+');
            calls.any(|call| {
                let letters = call[2..].chars().filter(|one| matches!(one, 'a'..='c'));
                call.starts_with(function) && letters.count() == 2
            })
        };
        let input = grammar.encode(sentence.as_bytes()).unwrap();
        let known = grammar.encode(other.as_bytes()).unwrap();
        let mut search = ShapeSearch {
            grammar: &grammar,
            settings: &Settings::default(),
            judge: &mut |tree| match fails(tree, &['f', 'g']) {
                true => TrialResult::Same,
                false => TrialResult::Other,
            },
            is_over: &|| false,
        };
        let mut known = KnownCause {
            input: &known,
            cause: &cause.parse().unwrap(),
            fails: &mut |tree| fails(tree, &['f']),
        };
        search.is_explained_by(&input, &mut known)
    }

    #[test]
    fn another_value_in_the_production_of_a_cause_is_explained_by_it() {
        let known = ("f(a)+f(ab)", "call: f(‹word›)");
        let by = |sentence| is_explained(sentence, known.0, known.1);
        assert!(by("f(a&b)"));
        assert!(by("g(abc)+f(c&a)"));
        // Another production.
        assert!(!by("g(a&b)"));
        // The part is there, and the sentence fails without it.
        assert!(!by("g(ab)+f(ab)"));
        // The part does not fail.
        assert!(!by("g(ab)+f(a)"));
    }
}
