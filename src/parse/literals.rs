//! A search for the literals that a text begins with, for grammars with too many tokens for an
//! automaton.

use std::ops::Range;

use crate::grammar::{Grammar, Kind, SymbolId, span};

/// Literals in the order of their bytes, each with its terminal. A literal is a range of the
/// grammar's texts.
#[derive(Debug, Default)]
pub struct Literals(Vec<(Range<u32>, u32)>);

impl Literals {
    /// Returns the literals among some tokens, which are given with their terminals. Empty literals
    /// are skipped.
    pub fn new(grammar: &Grammar, tokens: impl Iterator<Item = (u32, SymbolId)>) -> Literals {
        let text_of = |(terminal, token): (u32, SymbolId)| match &grammar[token].kind {
            Kind::Literal { text } if !text.is_empty() => Some((text.clone(), terminal)),
            _ => None,
        };
        let mut literals: Vec<(Range<u32>, u32)> = tokens.filter_map(text_of).collect();
        literals.sort_unstable_by(|(one, _), (other, _)| {
            grammar.texts[span(one)].cmp(&grammar.texts[span(other)])
        });
        Literals(literals)
    }

    pub fn terminals(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().map(|&(_, terminal)| terminal)
    }

    /// Calls `each` with the terminal and the length in bytes of every literal that a text begins
    /// with, shortest first.
    ///
    /// # Complexity
    /// `O(l log n)` for `n` literals, plus the number of matches. `l` is the length in bytes of the
    /// longest beginning that the text shares with a literal.
    #[inline(always)]
    pub fn find(&self, grammar: &Grammar, text: &[u8], mut each: impl FnMut(u32, usize)) {
        // Most grammars have no literals here.
        if self.0.is_empty() {
            return;
        }
        let mut rest = &self.0[..];
        for (length, &byte) in (1..).zip(text) {
            // All literals in `rest` begin with the bytes of the text before this one, and are
            // longer than that.
            let byte_of = |(text, _): &(Range<u32>, u32)| grammar.text(text)[length - 1];
            let from = rest.partition_point(|literal| byte_of(literal) < byte);
            let to = from + rest[from..].partition_point(|literal| byte_of(literal) == byte);
            rest = &rest[from..to];
            let complete = rest.partition_point(|(text, _)| text.len() == length);
            rest[..complete]
                .iter()
                .for_each(|&(_, terminal)| each(terminal, length));
            rest = &rest[complete..];
            if rest.is_empty() {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn all_literals_that_a_text_begins_with_are_found() {
        let source = "s = \"a\" | \"ab\" | \"abc\" | \"abd\" | \"b\" | \"é\" ;";
        let (grammar, _) = notation::read("literals", source.as_bytes(), &Caps::default()).unwrap();
        let symbols = (0..grammar.symbols().len() as u32).map(|symbol| (symbol, SymbolId(symbol)));
        let literals = Literals::new(&grammar, symbols);
        assert_eq!(literals.terminals().count(), 6);
        let found = |text: &str| {
            let mut found = Vec::new();
            literals.find(&grammar, text.as_bytes(), |terminal, length| {
                let Kind::Literal { text: literal } = &grammar[SymbolId(terminal)].kind else {
                    panic!("a literal")
                };
                assert_eq!(grammar.text(literal), &text.as_bytes()[..length]);
                found.push(length);
            });
            found
        };
        assert_eq!(found("abdc"), [1, 2, 3]);
        assert_eq!(found("ab"), [1, 2]);
        assert_eq!(found("éa"), [2]);
        assert_eq!(found("ca"), []);
        assert_eq!(found(""), []);
    }
}
