//! Whether the texts that repeat a capture are equal to it.

use super::scan::BlockedToken;
use crate::derivation::Derivation;
use crate::grammar::{Grammar, Kind, MAX_CAPTURE, SymbolId};

/// A text of a derivation that repeats a capture with another text, or a capture that is too long.
pub struct WrongRepetition {
    /// The offset of the text.
    pub at: usize,
    /// The token that repeats the capture, if it is one. Another derivation may do without it.
    pub token: Option<BlockedToken>,
}

/// Returns all wrong repetitions in a derivation.
pub fn wrong_repetitions(grammar: &Grammar, derivation: &Derivation) -> Vec<WrongRepetition> {
    let mut found = Vec::new();
    let Some(captures) = grammar.captures.as_deref() else {
        return found;
    };
    let text = |node: usize| &derivation.text[derivation.text_range(node)];
    let mut open: Vec<(SymbolId, usize)> = Vec::new();
    let mut lexeme = grammar.start();
    for (at, node) in derivation.nodes().iter().enumerate() {
        let is_captured = captures[node.symbol.0 as usize];
        let mut is_wrong = is_captured && text(at).len() > MAX_CAPTURE as usize;
        let mut token = None;
        match grammar[node.symbol].kind {
            Kind::Lexeme { .. } => lexeme = node.symbol,
            Kind::Same { of, is_last } => {
                let place = open.iter().rposition(|&(symbol, _)| symbol == of);
                is_wrong |= place.is_none_or(|place| text(open[place].1) != text(at));
                if let (Some(place), true) = (place, is_last) {
                    open.truncate(place);
                }
                if let Kind::Lexeme { body, .. } = grammar[lexeme].kind
                    && body == node.symbol
                {
                    let range = derivation.text_range(at);
                    token = Some(BlockedToken {
                        from: range.start as u32,
                        to: range.end as u32,
                        symbol: lexeme.0,
                    });
                }
            }
            _ => {}
        }
        if is_wrong {
            let at = node.text as usize;
            found.push(WrongRepetition { at, token });
        }
        if is_captured {
            open.push((node.symbol, at));
        }
    }
    found
}
