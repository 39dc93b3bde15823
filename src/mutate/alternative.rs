//! A nonterminal takes another of its alternatives, and keeps the children that fit there; the others are made anew.
//!
//! Nautilus' rule mutation makes all children anew. A child like the nonterminal itself may take all of it: so sentences grow
//! around what they have.

use rand::RngExt;

use super::{Draft, Mutation, Parent, Place};
use crate::derive::Choice;
use crate::grammar::Kind;
use crate::parameters;
use crate::sampler::Sampler;

/// Bytes of text that a new child has at most.
const ROOM: f64 = 16.0;

pub fn mutate(mutation: &mut Mutation<'_>, parent: &Parent<'_>, draft: &mut Draft) -> bool {
    let chooses = |node: usize| {
        parent.is_unit(node) && matches!(parent.kind(node), Kind::Nonterminal { alternatives, .. } if alternatives.len() > 1)
    };
    let Some(node) = parent.draw(&mut mutation.rng, chooses) else { return false };
    let symbol = parent.symbol(node);
    let alternatives = parent.grammar.alternatives(symbol);
    let options = alternatives.len() as u32;
    let chosen = (parent.nodes()[node].choice + mutation.rng.random_range(1..options)) % options;
    draft.list.clear();
    draft.list.extend(parent.tree.derivation().children(node).map(|child| child as u32));
    draft.part.clear();
    parameters::write_choice(Choice::Alternative { options }, chosen, &mut draft.part);
    let wraps: bool = mutation.rng.random();
    let mut wrapped = false;
    for child in parent.grammar.children(&alternatives[chosen as usize]) {
        if wraps && !wrapped && child.symbol == symbol {
            wrapped = true;
            draft.part.extend_from_slice(parent.part(node));
        } else if let Some(at) =
            draft.list.iter().position(|&old| parent.grammar.is_like(parent.symbol(old as usize), child.symbol))
        {
            let old = draft.list.remove(at);
            draft.part.extend_from_slice(parent.part(old as usize));
        } else {
            let size = Sampler::log_uniform(&mut mutation.rng, ROOM);
            draft.sample(mutation, parent, Place::In(node, chosen), child.symbol, size);
        }
    }
    draft.splice_part(parent, parent.span(node));
    true
}
