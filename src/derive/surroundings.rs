//! Computes which names are visible at a node of a sentence, so that a new subtree can be derived
//! for the position of this node.

use super::{Mark, Workspace};
use crate::derivation::Derivation;
use crate::grammar::{Effect, Grammar, Kind};

/// An open scope or `@after`: the index after its last node, and the state that its end restores.
pub(super) type OpenRegion = (usize, Mark);

impl Workspace {
    /// Computes the names that are visible before a node of a sentence. The next derivation in this
    /// workspace begins with these names. Later derivations begin without names.
    pub(crate) fn show_names_before(
        &mut self,
        grammar: &Grammar,
        derivation: &Derivation,
        node: usize,
    ) {
        let Some(naming) = grammar.naming.as_deref() else {
            return;
        };
        let Workspace { names, open, .. } = self;
        names.begin(naming, grammar.fingerprint());
        open.clear();
        for (at, before) in derivation.nodes()[..node].iter().enumerate() {
            while let Some(&(_, mark)) = open.last().filter(|&&(end, _)| end <= at) {
                names.leave(naming, mark);
                open.pop();
            }
            match naming.effects[before.symbol.0 as usize] {
                Effect::None => {}
                Effect::Use { .. } | Effect::Declare { .. } => {
                    let Kind::Identifier { names: all, .. } = &grammar[before.symbol].kind else {
                        continue;
                    };
                    let count = all.end - all.start;
                    // `count` is the choice of a name that is spelled out. Choices above it are
                    // names that ignore scopes.
                    match before.choice {
                        choice if choice < count => names.declare(naming, before.symbol, choice),
                        choice if choice > count => {
                            names.declare(naming, before.symbol, choice - count - 1)
                        }
                        _ => {}
                    }
                }
                _ => {
                    if let Some(mark) = names.enter(naming, before.symbol) {
                        open.push((at + before.size as usize, mark));
                    }
                }
            }
        }
        while let Some(&(_, mark)) = open.last().filter(|&&(end, _)| end <= node) {
            names.leave(naming, mark);
            open.pop();
        }
        self.has_names_before = true;
    }
}
