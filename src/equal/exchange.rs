//! Exchanges two adjacent parts of a node. A line `@unordered` of the grammar says that their order
//! does not matter.

use super::{Equivalents, visible};
use crate::derivation::{Derivation, NameRole};
use crate::grammar::RulePattern;

impl Equivalents<'_> {
    /// Exchanges the part `left` of a node of `rule` with the next part of that node, and writes
    /// the resulting sentence. Returns `false` if there is no next part, or if one of the two parts
    /// has a name that the other one declares.
    pub(super) fn exchange(
        &mut self,
        left: usize,
        rule: &RulePattern,
        part: &RulePattern,
        derivation: &Derivation,
    ) -> bool {
        let (grammar, nodes) = (self.grammar, derivation.nodes());
        let is_of = |node: usize, pattern| grammar.is_of(nodes[node].symbol, pattern);
        let after = |node: usize| node + nodes[node].size as usize;
        // Returns the node of `rule` to which a part belongs. A part inside another part belongs to
        // no node.
        let whole = |node: usize| {
            let mut outer = (0..node).rev().filter(|&outer| after(outer) > node);
            let outer = outer.find(|&outer| is_of(outer, rule) || is_of(outer, part))?;
            is_of(outer, rule).then_some(outer)
        };
        let Some(found) = whole(left) else {
            return false;
        };
        let mut later = after(left)..after(found);
        let Some(right) = later.find(|&node| is_of(node, part)) else {
            return false;
        };
        if whole(right) != Some(found) || self.shares_names(left, right, derivation) {
            return false;
        }
        let [one, other] = [left, right].map(|node| visible(grammar, derivation, node));
        let (middle, rest) = (one.end..other.start, other.end..derivation.text().len());
        let replaced = one.start..other.end;
        self.copy(derivation, 0..one.start, 0..left, false);
        for (part, nodes, from) in [
            (other, right..after(right), left),
            (middle, after(left)..right, after(left)),
            (one, left..after(left), right),
            (rest, 0..0, after(right)),
        ] {
            let allows_layout = self.allows_layout(derivation, from);
            self.copy(derivation, part, nodes, allows_layout);
        }
        self.output.record_part(derivation.text(), replaced);
        true
    }

    /// Returns whether one of two subtrees declares a name whose text also occurs in the other
    /// subtree.
    fn shares_names(&self, left: usize, right: usize, derivation: &Derivation) -> bool {
        let [left, right] =
            [left, right].map(|node| node..node + derivation.nodes()[node].size as usize);
        let name = |node: usize| &derivation.text()[derivation.text_range(node)];
        self.roles.iter().any(|(declared, role)| {
            let other = match (left.contains(declared), right.contains(declared)) {
                (true, _) => &right,
                (_, true) => &left,
                _ => return false,
            };
            let is_declared = matches!(role, NameRole::Declaration | NameRole::Redeclaration(_));
            is_declared
                && (self.roles.iter())
                    .any(|(node, _)| other.contains(node) && name(*node) == name(*declared))
        })
    }
}
