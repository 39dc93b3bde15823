//! Whether the texts that repeat a capture are equal to it.

use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, MAX_CAPTURE, SymbolId};

/// Returns the offset of the first text of a derivation that repeats a capture with another text, or
/// of a capture that is too long.
pub fn first_difference(grammar: &Grammar, derivation: &Derivation) -> Option<usize> {
    let captures = grammar.captures.as_deref()?;
    let text = |node: usize| &derivation.text[derivation.text_range(node)];
    let mut open: Vec<(SymbolId, usize)> = Vec::new();
    for (at, node) in derivation.nodes().iter().enumerate() {
        if captures[node.symbol.0 as usize] {
            if text(at).len() > MAX_CAPTURE as usize {
                return Some(node.text as usize);
            }
            open.push((node.symbol, at));
        }
        if let Kind::Same { of, is_last } = grammar[node.symbol].kind {
            let place = open.iter().rposition(|&(symbol, _)| symbol == of)?;
            if text(open[place].1) != text(at) {
                return Some(node.text as usize);
            }
            if is_last {
                open.truncate(place);
            }
        }
    }
    None
}
