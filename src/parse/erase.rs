//! Erases the parameters of rules from a derivation.
//!
//! A text is first parsed by the grammar without parameters. If its derivation fits no values of the parameters, another one may, because
//! that grammar may be ambiguous. So the text is parsed by the instances, and the parameters are erased from that derivation.

use crate::derivation::{Derivation, Node};
use crate::grammar::{Child, Grammar, Kind, SymbolId, span};

/// A node that is left to do.
struct Task {
    /// The symbol of the erased grammar that the new node has.
    symbol: SymbolId,
    node: usize,
}

/// Replaces a derivation by the instances of a grammar by that of its erased grammar.
pub fn erase(grammar: &Grammar, derivation: &mut Derivation) {
    let Some(naming) = &grammar.naming else { return };
    let erased = grammar.erased();
    let old = std::mem::take(&mut derivation.nodes);
    let mut open = vec![Task { symbol: erased.start(), node: 0 }];
    while let Some(Task { symbol, node }) = open.pop() {
        let Node { symbol: instance, choice, size, text } = old[node];
        let origin = naming.origins[instance.0 as usize];
        if symbol != origin && naming.calls[symbol.0 as usize] {
            // A call without choices has no instances.
            derivation.nodes.push(Node { symbol, choice: 0, size: 1, text });
            let called = erased.children(&erased.alternatives(symbol)[0])[0].symbol;
            open.push(Task { symbol: called, node });
            continue;
        }
        let mut parts: Vec<SymbolId> = Vec::new();
        let choice = match &erased[origin].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let at = grammar.erased_alternative(instance, choice);
                let children: &[Child] = &erased.children[span(&erased.alternatives[at].children)];
                parts.extend(children.iter().map(|child| child.symbol));
                at as u32 - alternatives.start
            }
            Kind::Repeat { element, .. } => {
                parts.extend((0..choice).map(|_| element.symbol));
                choice
            }
            _ => choice,
        };
        derivation.nodes.push(Node { symbol: origin, choice, size: 1, text });
        let (mut child, end, from) = (node + 1, node + size as usize, open.len());
        if parts.is_empty() {
            // The nodes in a token.
            let inside = old[child..end].iter();
            derivation.nodes.extend(inside.map(|node| Node { symbol: naming.origins[node.symbol.0 as usize], ..*node }));
            continue;
        }
        for symbol in parts {
            open.push(Task { symbol, node: child });
            child += old[child].size as usize;
        }
        open[from..].reverse();
    }
    derivation.measure(erased);
}
