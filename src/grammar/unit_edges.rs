//! Which symbols can derive another symbol and nothing else.

use super::{GrammarTables, Kind, Size, SymbolId, span};

/// The edges from every symbol to each symbol that it can derive with only empty texts around it.
/// `sizes` are the minimum sizes of symbols without separators.
pub(crate) fn unit_edges(tables: GrammarTables<'_>, sizes: &[Size]) -> Vec<(u32, u32)> {
    let is_nullable = |symbol: SymbolId| {
        sizes
            .get(symbol.0 as usize)
            .is_some_and(|size| size.bytes == 0)
    };
    let mut edges = Vec::new();
    for (id, symbol) in (0..).zip(tables.symbols) {
        match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    let children = &tables.children[span(&alternative.children)];
                    let full = children
                        .iter()
                        .filter(|child| !is_nullable(child.symbol))
                        .count();
                    let alone = children
                        .iter()
                        .filter(|child| full == 0 || full == 1 && !is_nullable(child.symbol));
                    edges.extend(alone.map(|child| (id, child.symbol.0)));
                }
            }
            Kind::Repeat {
                element,
                at_least: 0 | 1,
                ..
            } => edges.push((id, element.symbol.0)),
            Kind::Lexeme { body, .. } => edges.push((id, body.0)),
            Kind::Identifier { escape, .. } => edges.push((id, escape.0)),
            _ => {}
        }
    }
    edges
}
