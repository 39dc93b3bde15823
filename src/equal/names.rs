//! Names of a sentence: checks that an equivalence keeps their roles, and renames declared names.

use super::Equivalents;
use crate::derivation::{Derivation, NameRole};
use crate::grammar::{Grammar, Kind, PartKind, SidePart, SymbolId};

impl Equivalents<'_> {
    /// Returns whether the names of a match keep their roles if the holes are written as in `written`.
    pub(super) fn keeps_names(
        &self,
        node: usize,
        (found, written): (&[SidePart], &[SidePart]),
        derivation: &Derivation,
    ) -> bool {
        if is_in_order(found, written) {
            // The names have the same order as before. `confirms` checks whether they also have the same
            // roles.
            return true;
        }
        let subtree = node..node + derivation.nodes()[node].size as usize;
        let hole_of = |node: usize| {
            let mut all = self.bindings.all();
            all.find(|(_, bound)| bound.nodes.contains(&node))
                .map(|(hole, _)| hole)
        };
        let name = |node: usize| &derivation.text()[derivation.text_range(node)];
        let declared = self.roles.iter().filter(|(node, role)| {
            let is_declared = matches!(role, NameRole::Declaration | NameRole::Redeclaration(_));
            is_declared && subtree.contains(node)
        });
        for &(declaration, _) in declared {
            let Some(hole) = hole_of(declaration) else {
                return false;
            };
            let is_hole = |part: &&SidePart| matches!(part.kind, PartKind::Hole { hole: one, .. } if one == hole);
            let is_elsewhere = |&(other, _): &(usize, NameRole)| {
                name(other) == name(declaration) && hole_of(other) != Some(hole)
            };
            if written.iter().filter(is_hole).count() != 1 || self.roles.iter().any(is_elsewhere) {
                return false;
            }
        }
        true
    }

    /// Returns whether all names below a node are used as they are declared. The type of another name
    /// is unknown: programs give it any value, and may accept it.
    pub(super) fn types_are_known(&self, node: usize, derivation: &Derivation) -> bool {
        let subtree = node..node + derivation.nodes()[node].size as usize;
        let is_unknown = |(node, role): &(usize, NameRole)| {
            matches!(role, NameRole::Undeclared | NameRole::WrongUse(_)) && subtree.contains(node)
        };
        !self.roles.iter().any(is_unknown)
    }

    /// Replaces a declared name by another name everywhere, and writes the resulting sentence.
    /// Returns `false` if the position is not the first declaration of a name, if the name is also
    /// used without a declaration, or if no other name fits.
    pub(super) fn rename(&mut self, position: usize, derivation: &Derivation) -> bool {
        let (node, role) = self.roles[position];
        let text = derivation.text();
        let name = |node: usize| &text[derivation.text_range(node)];
        let old = name(node);
        let mut same = self
            .roles
            .iter()
            .enumerate()
            .filter(|(_, (other, _))| name(*other) == old);
        let is_first = same.clone().next().is_some_and(|(at, _)| at == position);
        let is_known = same
            .all(|(_, (_, role))| !matches!(role, NameRole::Undeclared | NameRole::WrongUse(_)));
        if role != NameRole::Declaration || !is_first || !is_known {
            return false;
        }
        // An identifier with the same text but without a role may be a use that the grammar does
        // not describe.
        let identifiers = (0..derivation.nodes().len()).filter(|&node| {
            let kind = &self.grammar[derivation.nodes()[node].symbol].kind;
            matches!(kind, Kind::Identifier { .. }) && name(node) == old
        });
        if identifiers.count()
            != self
                .roles
                .iter()
                .filter(|(other, _)| name(*other) == old)
                .count()
        {
            return false;
        }
        let ranges = (self
            .roles
            .iter()
            .map(|&(node, _)| derivation.text_range(node)))
        .filter(|range| text[range.clone()] == *old);
        // The new name must not become one token with the text after it, as `x` does before `'a'`
        // in SQL.
        let joins = |name: &[u8], next: &[u8]| {
            !next.is_empty() && self.grammar.boundaries.may_continue(name, next)
        };
        let fits = |new: &[u8]| {
            let mut nexts = ranges.clone().map(|range| &text[range.end..]);
            nexts.all(|next| joins(old, next) || !joins(new, next))
        };
        let symbol = derivation.nodes()[node].symbol;
        let Some(new) = fresh_name(self.grammar, symbol, &[text], fits) else {
            return false;
        };
        for range in ranges {
            self.output.replace_part(text, range, new);
        }
        self.output.end(text);
        self.output.has_fresh_name = true;
        true
    }
}

/// Returns whether both sides have the same holes in the same order, each once, and no fresh name.
pub(super) fn is_in_order(found: &[SidePart], written: &[SidePart]) -> bool {
    let holes = |side: &[SidePart]| -> Vec<usize> {
        let holes = side.iter().filter_map(|part| match part.kind {
            PartKind::Hole { hole, .. } => Some(hole),
            PartKind::Fresh { .. } => Some(usize::MAX),
            PartKind::Text(_) => None,
        });
        holes.collect()
    };
    let (found, written) = (holes(found), holes(written));
    let mut sorted = written.clone();
    sorted.sort_unstable();
    sorted.dedup();
    found == written && sorted.len() == written.len() && !sorted.contains(&usize::MAX)
}

/// Returns the roles of names, with the numbers of names in place of nodes.
pub(super) fn numbered(roles: &[(usize, NameRole)]) -> Vec<NameRole> {
    let number = |node: usize| {
        roles
            .iter()
            .position(|(one, _)| *one == node)
            .unwrap_or(usize::MAX)
    };
    let role = |role: &NameRole| match *role {
        NameRole::Redeclaration(node) => NameRole::Redeclaration(number(node)),
        NameRole::Use(node) => NameRole::Use(number(node)),
        NameRole::WrongUse(node) => NameRole::WrongUse(number(node)),
        role => role,
    };
    roles.iter().map(|(_, one)| role(one)).collect()
}

/// Returns the first name of an identifier terminal that fits and occurs in no text.
pub(super) fn fresh_name<'g>(
    grammar: &'g Grammar,
    identifier: SymbolId,
    texts: &[&[u8]],
    fits: impl Fn(&[u8]) -> bool,
) -> Option<&'g [u8]> {
    let Kind::Identifier { names, .. } = &grammar[identifier].kind else {
        return None;
    };
    let mut all = (0..names.end - names.start).map(|at| grammar.name(names, at));
    let occurs = |name: &[u8], text: &[u8]| text.windows(name.len()).any(|part| part == name);
    all.find(|name| fits(name) && !texts.iter().any(|text| occurs(name, text)))
}
