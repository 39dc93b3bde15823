//! Which letters a token may begin with that adjoins another: there, and only there, the other may be shorter than it could be.

use super::sets::Sets;
use super::tables::{DotId, Tables};
use crate::grammar::{Child, Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_closed};

/// See the module's text; a row for each terminal.
#[derive(Debug)]
pub struct Adjoining {
    /// The letters that an adjoining token after a text of it may begin with.
    pub letters: Sets,
    /// The same, if a longer text of the terminal might be wrong.
    pub parting: Sets,
}

impl Adjoining {
    /// What a child that adjoins, or one at the beginning of such a child, begins with, after what may end before it.
    pub fn new(grammar: &Grammar, tables: &Tables, bodies: &[SymbolId]) -> Adjoining {
        let (letters, begins, last) = (grammar.boundaries().letters(), begins_adjoined(grammar, tables), last(grammar, tables));
        let mut adjoining = Adjoining { letters: Sets::new(tables.end, letters), parting: Sets::new(tables.end, letters) };
        let mut closed: Vec<Option<bool>> = vec![None; tables.end];
        let mut link = |lasts: &Sets, firsts: &Sets, element: Option<SymbolId>| {
            for (letter, viable) in grammar.boundaries().by_first_letter().enumerate() {
                let comes = || viable.iter().filter(|&&next| next != LAYOUT.0 && firsts.has(0, next as usize));
                if comes().next().is_none() {
                    continue;
                }
                for terminal in (0..tables.end).filter(|&terminal| lasts.has(0, terminal)) {
                    adjoining.letters.add(terminal, letter);
                    // Two elements may be one, if texts of a token are one text of it.
                    let is_element = element.is_some_and(|element| is_alone(tables, element, terminal, NESTED));
                    let mut is_closed = || *closed[terminal].get_or_insert_with(|| is_closed_token(grammar, bodies[terminal]));
                    if !is_element || comes().any(|&next| next as usize != terminal) || !is_closed() {
                        adjoining.parting.add(terminal, letter);
                    }
                }
            }
        };
        let (mut lasts, mut firsts) = (Sets::new(1, tables.end + 1), Sets::new(1, tables.end + 1));
        for &entry in tables.all_entries() {
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            let children = |dot: &DotId| Some((*dot, tables.dots[*dot as usize].next?));
            if !dots.iter().filter_map(children).any(|(_, child)| adjoins(grammar, &begins, child)) {
                continue;
            }
            lasts.clear(0);
            // Elements of a repetition follow each other.
            let symbol = tables.dots[entry as usize].symbol;
            let (follows, merges) = match grammar[symbol].kind {
                Kind::Repeat { at_least, at_most, .. } => (at_most > 1, at_least < 2),
                _ => (false, false),
            };
            let again = if follows { &dots[..] } else { &[] };
            for (dot, child) in dots.iter().chain(again).filter_map(children) {
                if adjoins(grammar, &begins, child) {
                    firsts.clear(0);
                    tables.add_first(dot, 0, &mut firsts);
                    link(&lasts, &firsts, Some(child.symbol).filter(|_| merges));
                }
                if !tables.empty[child.symbol.0 as usize] {
                    lasts.clear(0);
                }
                tables.add_symbol(child.symbol, &last, 0, &mut lasts);
            }
        }
        adjoining
    }
}

/// How far it is looked for what is a token alone.
const NESTED: u32 = 16;

/// Whether what a symbol derives is one token wherever it begins with that.
fn is_alone(tables: &Tables, symbol: SymbolId, terminal: usize, nested: u32) -> bool {
    if tables.terminal(symbol).is_some() {
        return true;
    }
    let mut firsts = Sets::new(1, tables.end + 1);
    tables.entries(symbol).iter().all(|&entry| {
        firsts.clear(0);
        tables.add_first(entry, 0, &mut firsts);
        let mut children = tables.sequence(entry).filter_map(|dot| tables.dots[dot as usize].next);
        let is_one = |child| nested > 0 && is_alone(tables, child, terminal, nested - 1);
        !firsts.has(0, terminal) || children.next().is_some_and(|first| is_one(first.symbol)) && children.next().is_none()
    })
}

fn adjoins(grammar: &Grammar, begins: &[bool], child: Child) -> bool {
    let is_tight = matches!(grammar[child.symbol].kind, Kind::Lexeme { layout: false, .. });
    child.adjoins || begins[child.symbol.0 as usize] || is_tight
}

/// Which symbols may begin with a child that adjoins.
fn begins_adjoined(grammar: &Grammar, tables: &Tables) -> Vec<bool> {
    let mut begins = vec![false; grammar.symbols().len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &entry in tables.all_entries() {
            let symbol = tables.dots[entry as usize].symbol.0 as usize;
            for child in tables.sequence(entry).filter_map(|dot| tables.dots[dot as usize].next) {
                changed |= adjoins(grammar, &begins, child) && !std::mem::replace(&mut begins[symbol], true);
                if !tables.empty[child.symbol.0 as usize] {
                    break;
                }
            }
        }
    }
    begins
}

/// The terminals that symbols may end with, a row for each that is no lexeme.
fn last(grammar: &Grammar, tables: &Tables) -> Sets {
    let mut last = Sets::new(tables.rows(), tables.end + 1);
    let mut changed = true;
    while changed {
        changed = false;
        for &entry in tables.all_entries() {
            let symbol = tables.dots[entry as usize].symbol;
            let is_repeat = matches!(grammar[symbol].kind, Kind::Repeat { .. });
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            for child in dots.iter().rev().filter_map(|&dot| tables.dots[dot as usize].next) {
                changed |= tables.add_own(child.symbol, tables.row(symbol), &mut last);
                if !tables.empty[child.symbol.0 as usize] || is_repeat {
                    break;
                }
            }
        }
    }
    last
}

/// Whether two texts of a token, one after the other, always are one text of it.
fn is_closed_token(grammar: &Grammar, token: SymbolId) -> bool {
    let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
    nfa.add(token, 0).is_ok_and(|start| nfa.take_excess() == Excess::None && is_closed(&nfa, start))
}
