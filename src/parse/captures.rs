//! A check that each repetition of a capture has the text of the capture.
//!
//! The chart already ensures this for most texts. The exception is a captured token that can begin
//! at several offsets.

use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, MAX_CAPTURE, SymbolId};

/// Returns the offset of the first text that differs from the capture that it repeats, or of the
/// first capture that is longer than [`MAX_CAPTURE`].
pub fn wrong_repetition(grammar: &Grammar, derivation: &Derivation) -> Option<usize> {
    let captures = grammar.captures.as_deref()?;
    let text = |node: usize| &derivation.text[derivation.text_range(node)];
    let mut open: Vec<(SymbolId, usize)> = Vec::new();
    for (at, node) in derivation.nodes().iter().enumerate() {
        let is_captured = captures[node.symbol.0 as usize];
        let mut is_wrong = is_captured && text(at).len() > MAX_CAPTURE as usize;
        if let Kind::Same { of, is_last } = grammar[node.symbol].kind {
            let index = open.iter().rposition(|&(symbol, _)| symbol == of);
            is_wrong |= index.is_none_or(|index| text(open[index].1) != text(at));
            if let (Some(index), true) = (index, is_last) {
                open.remove(index);
            }
        }
        if is_wrong {
            return Some(node.text as usize);
        }
        if is_captured {
            open.push((node.symbol, at));
        }
    }
    None
}
