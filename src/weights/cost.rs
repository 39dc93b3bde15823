//! The minimum cost of completing each symbol and each alternative, which PTC2 uses to end a
//! sentence.

use crate::grammar::{Grammar, Kind, SymbolId};

/// A cost: the number of choices of probability 0 in the upper 32 bits, the number of expansions in
/// the lower 32 bits.
pub(super) type Cost = u64;

/// The cost of a symbol or an alternative that has no finite derivation.
pub(super) const NEVER: Cost = u64::MAX;

/// The cost of a choice of probability 0.
pub(super) const AVOIDED: Cost = 1 << 32;

/// Returns the index of a nonterminal's first alternative in the list of all alternatives of the
/// grammar.
pub(super) fn first(grammar: &Grammar, symbol: SymbolId) -> usize {
    match &grammar[symbol].kind {
        Kind::Nonterminal { alternatives, .. } => alternatives.start as usize,
        _ => 0,
    }
}

/// Returns the minimum cost of each alternative and of each symbol. `own` returns the cost of
/// choosing an alternative, without the cost of its children.
pub(super) fn end_costs(
    grammar: &Grammar,
    own: impl Fn(SymbolId, u32) -> Cost,
) -> (Vec<Cost>, Vec<Cost>) {
    let mut alternatives = vec![NEVER; grammar.alternatives.len()];
    let mut symbols = vec![NEVER; grammar.symbols().len()];
    let mut changed = true;
    while changed {
        changed = false;
        // Children usually have larger numbers than their parents, so the descending order needs
        // fewer rounds.
        for symbol in (0..symbols.len() as u32).rev().map(SymbolId) {
            let of = |part: SymbolId| symbols[part.0 as usize];
            let cost = match &grammar[symbol].kind {
                Kind::Nonterminal { .. } => {
                    let first = first(grammar, symbol);
                    for (at, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        let parts = grammar
                            .children(alternative)
                            .iter()
                            .map(|child| of(child.symbol));
                        alternatives[first + at as usize] =
                            parts.fold(own(symbol, at).saturating_add(1), u64::saturating_add);
                    }
                    let all = &alternatives[first..first + grammar.alternatives(symbol).len()];
                    all.iter().copied().min().unwrap_or(NEVER)
                }
                Kind::Repeat { at_least: 0, .. } | Kind::Identifier { .. } => 1,
                Kind::Repeat {
                    element, at_least, ..
                } => of(element.symbol)
                    .saturating_mul((*at_least).into())
                    .saturating_add(1),
                Kind::Lexeme { body, .. } => of(*body),
                _ => 0,
            };
            if cost < symbols[symbol.0 as usize] {
                symbols[symbol.0 as usize] = cost;
                changed = true;
            }
        }
    }
    (alternatives, symbols)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_choice_of_probability_0_costs_more_than_any_expansions() {
        let source = b"list = \"x\" | \"(\" list \")\" | pair ; pair = list \"+\" list ;";
        let (grammar, _) = crate::notation::read("lists", source, &Default::default()).unwrap();
        let find = |label: &str| {
            (0..grammar.symbols().len() as u32)
                .map(SymbolId)
                .find(|&symbol| grammar.label(symbol) == label)
        };
        let (list, pair) = (find("list").unwrap(), find("pair").unwrap());
        let cost = |own: &dyn Fn(SymbolId, u32) -> Cost, of: SymbolId| {
            end_costs(&grammar, own).1[of.0 as usize]
        };
        // A list takes one expansion. A pair takes three: itself and two lists.
        assert_eq!([list, pair].map(|of| cost(&|_, _| 0, of)), [1, 3]);
        // Every list contains an `x`, so each list chooses it even though its probability is 0.
        let avoids = |symbol, at| {
            if symbol == list && at == 0 {
                AVOIDED
            } else {
                0
            }
        };
        assert_eq!(
            [list, pair].map(|of| cost(&avoids, of)),
            [AVOIDED + 1, 2 * AVOIDED + 3]
        );
        // If `x` is forbidden, neither symbol has a finite derivation.
        let forbids = |symbol, at| if symbol == list && at == 0 { NEVER } else { 0 };
        assert_eq!([list, pair].map(|of| cost(&forbids, of)), [NEVER, NEVER]);
    }
}
