//! Follow sets: which terminals may come after each occurrence of a token.
//!
//! The textbook's follow sets belong to nonterminals. These belong to positions, that is to occurrences of tokens in rules.

use super::sets::{self, Distinct, Sets};
use super::terminal::{LAYOUT, TerminalId};
use super::{Child, Kind, SymbolId, Tables, span};

/// The most positions for which follow sets are computed. In larger grammars, every terminal counts as allowed everywhere.
const PLACES: usize = 8_192;

/// The positions of the first and the last tokens that a symbol derives, and whether it may derive no token.
#[derive(Clone, Default)]
struct Edges {
    first: Vec<u64>,
    last: Vec<u64>,
    empty: bool,
}

/// The sets of terminals that may come next, without duplicates, and the number of the set of every position. The last number
/// belongs to the beginning of a sentence.
pub(super) fn follow(tables: Tables<'_>, start: SymbolId, terminals: &[TerminalId], words: usize) -> (Box<[u32]>, Sets) {
    let places = terminals.len();
    if places > PLACES {
        let mut all = Distinct::new(words);
        all.row(&vec![u64::MAX; words]);
        return (vec![0; places + 1].into(), all.into_sets());
    }
    let place_words = places.div_ceil(64);
    let none = Edges { first: vec![0; place_words], last: vec![0; place_words], empty: false };
    let mut edges = vec![none.clone(); tables.symbols.len()];
    let (lexical, order) = lexical(tables);
    for (edges, _) in edges.iter_mut().zip(&lexical).filter(|(_, lexical)| **lexical) {
        edges.empty = true;
    }
    // Iterate first, last and empty to a fixed point. Parts come before wholes, so few rounds are needed.
    let mut changed = true;
    while changed {
        changed = false;
        for &id in &order {
            let symbol = &tables.symbols[id];
            let mut now = std::mem::take(&mut edges[id]);
            let mut grew = false;
            match &symbol.kind {
                Kind::Lexeme { place, .. } => {
                    grew |= sets::add(&mut now.first, place.0 as usize) | sets::add(&mut now.last, place.0 as usize);
                    let empty = may_be_empty(tables, symbol);
                    grew |= empty && !std::mem::replace(&mut now.empty, true);
                }
                Kind::Repeat { element, at_least, .. } => {
                    let inner = &edges[element.symbol.0 as usize];
                    grew |= sets::join(&mut now.first, &inner.first) | sets::join(&mut now.last, &inner.last);
                    grew |= (*at_least == 0 || inner.empty) && !std::mem::replace(&mut now.empty, true);
                }
                Kind::Nonterminal { alternatives, .. } => {
                    for alternative in &tables.alternatives[span(alternatives)] {
                        let sequence = &tables.children[span(&alternative.children)];
                        let own = |child: &Child| child.symbol.0 as usize == id;
                        let mut all_empty = true;
                        for child in sequence {
                            // A nonterminal that contains itself: use its edges as far as they are known.
                            let inner = if own(child) { &now.clone() } else { &edges[child.symbol.0 as usize] };
                            grew |= sets::join(&mut now.first, &inner.first);
                            if !inner.empty {
                                all_empty = false;
                                break;
                            }
                        }
                        for child in sequence.iter().rev() {
                            let inner = if own(child) { &now.clone() } else { &edges[child.symbol.0 as usize] };
                            grew |= sets::join(&mut now.last, &inner.last);
                            if !inner.empty {
                                break;
                            }
                        }
                        grew |= all_empty && !std::mem::replace(&mut now.empty, true);
                    }
                }
                _ => {}
            }
            edges[id] = now;
            changed |= grew;
        }
    }
    // What follows the last tokens of a symbol are the first tokens of its successor.
    let mut after: Vec<Vec<u64>> = vec![vec![0; words]; places];
    let mut link = |lasts: &[u64], firsts: &[u64]| {
        let mut found = vec![0_u64; words];
        for place in sets::numbers(firsts) {
            sets::add(&mut found, terminals[place].0 as usize);
        }
        for place in sets::numbers(lasts) {
            sets::join(&mut after[place], &found);
        }
    };
    for (id, symbol) in tables.symbols.iter().enumerate() {
        if lexical[id] {
            continue;
        }
        match &symbol.kind {
            Kind::Repeat { element, .. } => {
                let inner = &edges[element.symbol.0 as usize];
                link(&inner.last, &inner.first);
            }
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    let mut lasts = vec![0; place_words];
                    for child in &tables.children[span(&alternative.children)] {
                        let inner = &edges[child.symbol.0 as usize];
                        link(&lasts, &inner.first);
                        if !inner.empty {
                            lasts.fill(0);
                        }
                        sets::join(&mut lasts, &inner.last);
                    }
                }
            }
            _ => {}
        }
    }
    let mut first = vec![0_u64; words];
    for place in sets::numbers(&edges[start.0 as usize].first) {
        sets::add(&mut first, terminals[place].0 as usize);
    }
    after.push(first);
    // Layout may stand everywhere.
    let mut rows = Distinct::new(words);
    let row_after = after.into_iter().map(|mut row| {
        sets::add(&mut row, LAYOUT.0 as usize);
        rows.row(&row)
    });
    (row_after.collect(), rows.into_sets())
}

/// For every symbol, whether it contains no lexeme (it is part of a token, or empty); and the other symbols, parts before wholes.
fn lexical(tables: Tables<'_>) -> (Vec<bool>, Vec<usize>) {
    let mut edges = Vec::new();
    for (id, symbol) in (0..).zip(tables.symbols) {
        match &symbol.kind {
            Kind::Nonterminal { alternatives, .. } => {
                for alternative in &tables.alternatives[span(alternatives)] {
                    edges.extend(tables.children[span(&alternative.children)].iter().map(|c| (c.symbol.0, id)));
                }
            }
            Kind::Repeat { element, .. } => edges.push((element.symbol.0, id)),
            Kind::Lexeme { .. } => edges.push((tables.symbols.len() as u32, id)),
            _ => {}
        }
    }
    let graph = super::Graph::new(tables.symbols.len() + 1, &edges);
    let lexical: Vec<bool> = graph.reachable(tables.symbols.len() as u32).into_iter().map(|holds| !holds).collect();
    let (component, _) = super::components(&graph);
    let mut order: Vec<usize> = (0..tables.symbols.len()).filter(|&id| !lexical[id]).collect();
    order.sort_by_key(|&id| std::cmp::Reverse(component[id]));
    (lexical, order)
}

/// Whether the token of a lexeme derives the empty text.
fn may_be_empty(tables: Tables<'_>, lexeme: &super::Symbol) -> bool {
    match lexeme.kind {
        Kind::Lexeme { body, .. } => tables.symbols[body.0 as usize].least.bytes == 0,
        _ => false,
    }
}
