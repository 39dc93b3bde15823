//! The minimum size of a derivation, for every symbol and every alternative.
//!
//! The algorithm is Knuth's generalization of Dijkstra's (*A generalization of Dijkstra's algorithm*, 1977). It repeatedly takes the
//! symbol of the lowest cost that is not final, makes its cost final, and adds the cost to everything that contains the symbol.
//! Costs are compared by bytes first and by nodes second. Every token counts with one separator before it, because some positions
//! require one. The minimum derivation of a symbol never contains the symbol again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{GrammarTables, Graph, Kind, Symbol, SymbolId, span};

/// The size of a derivation: bytes of text, including the separators that tokens may need, and nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Size {
    /// The number of bytes of text, at most 2,147,483,646.
    pub bytes: u32,
    /// The number of nodes of the derivation, at most 2,147,483,646.
    pub nodes: u32,
}

impl Size {
    /// The size of a symbol that derives no finite text.
    pub(crate) const NEVER: Size = Size { bytes: Size::HUGE + 1, nodes: Size::HUGE + 1 };

    /// The maximum number of bytes or nodes that is counted. Caps are smaller.
    pub(crate) const HUGE: u32 = (1 << 31) - 2;

    /// Whether this is not [`Size::NEVER`].
    #[inline(always)]
    pub(crate) fn is_finite(self) -> bool {
        self != Size::NEVER
    }

    /// The sum of both sizes.
    #[inline(always)]
    #[must_use]
    pub(crate) fn plus(self, other: Size) -> Size {
        if !self.is_finite() || !other.is_finite() {
            return Size::NEVER;
        }
        Size {
            bytes: self.bytes.saturating_add(other.bytes).min(Size::HUGE),
            nodes: self.nodes.saturating_add(other.nodes).min(Size::HUGE),
        }
    }

    /// The size of `count` derivations of this size.
    #[inline(always)]
    #[must_use]
    pub(crate) fn times(self, count: u32) -> Size {
        if !self.is_finite() {
            return if count == 0 { Size::default() } else { Size::NEVER };
        }
        Size { bytes: self.bytes.saturating_mul(count).min(Size::HUGE), nodes: self.nodes.saturating_mul(count).min(Size::HUGE) }
    }
}

/// The number of bytes that are reserved for a separator before a token. It is 0 if layout is not allowed before the token, and for
/// an empty literal.
#[inline(always)]
pub(crate) fn reserve(symbols: &[Symbol], body: SymbolId, layout: bool, separator: u32) -> u32 {
    let empty = matches!(&symbols[body.0 as usize].kind, Kind::Literal { text } if text.is_empty());
    if layout && !empty { separator } else { 0 }
}

/// The minimum sizes of all symbols and of all alternatives, in the grammar without the `banned` nonterminals.
pub(crate) fn minimum_sizes(tables: GrammarTables<'_>, banned: impl Fn(SymbolId) -> bool) -> (Vec<Size>, Vec<Size>) {
    let GrammarTables { symbols, alternatives, children, classes, names, separator, .. } = tables;
    let node = |bytes| Size { bytes, nodes: 1 };
    // The vertices are the symbols, then the alternatives. An edge leads from each of them to every vertex that contains it.
    let count = symbols.len() as u32;
    let mut edges = Vec::new();
    let mut cost = vec![Size::NEVER; symbols.len()];
    let mut partial: Vec<(Size, u32)> = vec![(node(0), 0); alternatives.len()];
    let mut owner = vec![0_u32; alternatives.len()];
    let mut heap = BinaryHeap::new();
    for (id, symbol) in (0..count).zip(symbols) {
        let known = match &symbol.kind {
            Kind::Nonterminal { alternatives: range, .. } => {
                for at in range.clone() {
                    owner[at as usize] = id;
                    let parts = &children[span(&alternatives[at as usize].children)];
                    partial[at as usize].1 = parts.len() as u32;
                    edges.extend(parts.iter().map(|child| (child.symbol.0, count + at)));
                    if parts.is_empty() && !banned(SymbolId(id)) {
                        heap.push(Reverse((node(0), id)));
                    }
                }
                continue;
            }
            Kind::Literal { text } | Kind::Insensitive { text, .. } => node(text.len() as u32),
            Kind::Class(class) => node(classes[class.0 as usize].least_width()),
            Kind::Run { class, at_least, .. } => {
                node(classes[class.0 as usize].least_width().saturating_mul(*at_least).min(Size::HUGE))
            }
            Kind::Repeat { at_least: 0, .. } => node(0),
            Kind::Repeat { element, .. } => {
                edges.push((element.symbol.0, id));
                continue;
            }
            Kind::Identifier { names: range, escape } if range.is_empty() => {
                edges.push((escape.0, id));
                continue;
            }
            Kind::Identifier { names: range, .. } => node(names[range.start as usize].len() as u32),
            Kind::Lexeme { body, .. } => {
                edges.push((body.0, id));
                continue;
            }
        };
        heap.push(Reverse((known, id)));
    }
    let graph = Graph::new(symbols.len() + alternatives.len(), &edges);
    while let Some(Reverse((size, id))) = heap.pop() {
        if cost[id as usize].is_finite() {
            continue;
        }
        cost[id as usize] = size;
        for &whole in graph.successors(id) {
            let (total, symbol) = if whole >= count {
                let (sum, missing) = &mut partial[(whole - count) as usize];
                *sum = sum.plus(size);
                *missing -= 1;
                if *missing > 0 {
                    continue;
                }
                (*sum, owner[(whole - count) as usize])
            } else {
                let total = match &symbols[whole as usize].kind {
                    Kind::Repeat { at_least, .. } => size.times(*at_least).plus(node(0)),
                    Kind::Lexeme { body, layout, .. } => {
                        let literal = matches!(symbols[id as usize].kind, Kind::Literal { .. });
                        let own = Size { bytes: reserve(symbols, *body, *layout, separator), nodes: u32::from(!literal) };
                        size.plus(own)
                    }
                    Kind::Identifier { .. } => size.plus(node(0)),
                    _ => unreachable!("only repetitions, lexemes and names are made of one part"),
                };
                (total, whole)
            };
            if !banned(SymbolId(symbol)) && !cost[symbol as usize].is_finite() {
                heap.push(Reverse((total, symbol)));
            }
        }
    }
    let sizes = partial.into_iter().map(|(sum, missing)| if missing == 0 { sum } else { Size::NEVER }).collect();
    (cost, sizes)
}
