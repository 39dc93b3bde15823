//! What may stand behind each place of a token: follow sets, of places instead of nonterminals.

use std::collections::HashMap;

use super::glue::{PlaceId, TerminalId};
use super::{Child, Kind, SymbolId, Tables, span};

/// Places whose follow sets are computed; beyond, every terminal counts as allowed everywhere.
const PLACES: usize = 8_192;

/// First and last places of what a symbol derives, and whether it may derive no token.
#[derive(Clone, Default)]
struct Edges {
    first: Vec<u64>,
    last: Vec<u64>,
    empty: bool,
}

/// For every place (and, at the end, for the beginning of a sentence) the number of the set of terminals that may come next,
/// and those sets.
pub(super) fn follow(tables: Tables<'_>, start: SymbolId, terminals: &[TerminalId], words: usize) -> (Box<[u32]>, Box<[u64]>) {
    let places = terminals.len();
    if places > PLACES {
        return (vec![0; places + 1].into(), vec![u64::MAX; words].into());
    }
    let place_words = places.div_ceil(64);
    let none = Edges { first: vec![0; place_words], last: vec![0; place_words], empty: false };
    let mut edges = vec![none.clone(); tables.symbols.len()];
    let (lexical, order) = lexical(tables);
    for (edges, _) in edges.iter_mut().zip(&lexical).filter(|(_, lexical)| **lexical) {
        edges.empty = true;
    }
    // First, last and empty, to a fixed point; parts before wholes, so that few rounds do.
    let mut changed = true;
    while changed {
        changed = false;
        for &id in &order {
            let symbol = &tables.symbols[id];
            let mut now = std::mem::take(&mut edges[id]);
            let mut grew = false;
            match &symbol.kind {
                Kind::Lexeme { place, .. } => {
                    grew |= set(&mut now.first, *place) | set(&mut now.last, *place);
                    let empty = may_be_empty(tables, symbol);
                    grew |= empty && !std::mem::replace(&mut now.empty, true);
                }
                Kind::Repeat { element, at_least, .. } => {
                    let inner = &edges[element.symbol.0 as usize];
                    grew |= join(&mut now.first, &inner.first) | join(&mut now.last, &inner.last);
                    grew |= (*at_least == 0 || inner.empty) && !std::mem::replace(&mut now.empty, true);
                }
                Kind::Nonterminal { alternatives, .. } => {
                    for alternative in &tables.alternatives[span(alternatives)] {
                        let sequence = &tables.children[span(&alternative.children)];
                        let own = |child: &Child| child.symbol.0 as usize == id;
                        let mut all_empty = true;
                        for child in sequence {
                            // A nonterminal within itself adds nothing of its own to its edges.
                            let inner = if own(child) { &now.clone() } else { &edges[child.symbol.0 as usize] };
                            grew |= join(&mut now.first, &inner.first);
                            if !inner.empty {
                                all_empty = false;
                                break;
                            }
                        }
                        for child in sequence.iter().rev() {
                            let inner = if own(child) { &now.clone() } else { &edges[child.symbol.0 as usize] };
                            grew |= join(&mut now.last, &inner.last);
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
    // Follow: the firsts of what comes after, for the lasts of what comes before.
    let mut after: Vec<Vec<u64>> = vec![vec![0; words]; places];
    let mut link = |lasts: &[u64], firsts: &[u64]| {
        let mut found = vec![0_u64; words];
        for place in bits(firsts) {
            let terminal = terminals[place].0;
            found[terminal as usize / 64] |= 1 << (terminal % 64);
        }
        for place in bits(lasts) {
            join(&mut after[place], &found);
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
                        join(&mut lasts, &inner.last);
                    }
                }
            }
            _ => {}
        }
    }
    let mut first = vec![0_u64; words];
    for place in bits(&edges[start.0 as usize].first) {
        let terminal = terminals[place].0;
        first[terminal as usize / 64] |= 1 << (terminal % 64);
    }
    after.push(first);
    // Layout may stand everywhere; equal sets are stored once.
    let (mut known, mut rows) = (HashMap::new(), Vec::new());
    let row_after = after.into_iter().map(|mut row| {
        row[0] |= 1;
        let next = known.len() as u32;
        *known.entry(row).or_insert_with_key(|row| {
            rows.extend_from_slice(row);
            next
        })
    });
    (row_after.collect(), rows.into())
}

/// Which symbols hold no lexemes (they are parts of tokens, or empty), and the others, parts before wholes.
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

fn may_be_empty(tables: Tables<'_>, lexeme: &super::Symbol) -> bool {
    match lexeme.kind {
        Kind::Lexeme { body, .. } => tables.symbols[body.0 as usize].least.bytes == 0,
        _ => false,
    }
}

fn set(bits: &mut [u64], place: PlaceId) -> bool {
    let (word, bit) = (&mut bits[place.0 as usize / 64], 1 << (place.0 % 64));
    let grew = *word & bit == 0;
    *word |= bit;
    grew
}

fn join(into: &mut [u64], from: &[u64]) -> bool {
    let mut grew = false;
    for (into, from) in into.iter_mut().zip(from) {
        grew |= from & !*into != 0;
        *into |= from;
    }
    grew
}

fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let nonzero = |word: u64| (word != 0).then_some(word);
        std::iter::successors(nonzero(word), move |word| nonzero(word & (word - 1)))
            .map(move |word| at * 64 + word.trailing_zeros() as usize)
    })
}
