//! Which letters a token may begin with that adjoins another: there, and only there, the other may be shorter than it could be.

use super::tables::{DotId, Tables};
use crate::grammar::sets::{self, Sets};
use crate::grammar::{Child, Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_closed};

/// See the module's text; a row for each terminal.
#[derive(Debug, Default)]
pub struct Adjoining {
    /// The letters that an adjoining token after a text of it may begin with.
    pub letters: Sets,
    /// The same, if a longer text of the terminal might be wrong.
    pub parting: Sets,
    /// The terminals that begin with those: a row for each terminal, or one for all that has them all.
    partners: Sets,
    terminals: usize,
}

/// Terminals beyond which [`Adjoining::partners`] is the set of them all: more are found then than need be.
const MANY: usize = 1 << 14;

impl Adjoining {
    /// The terminals that may adjoin a shorter text of a terminal.
    #[inline(always)]
    pub fn partners(&self, terminal: usize) -> &[u64] {
        self.partners.row(if self.terminals > MANY { 0 } else { terminal })
    }

    /// What a child that adjoins, or one at the beginning of such a child, begins with, after what may end before it.
    pub fn new(grammar: &Grammar, tables: &Tables, bodies: &[SymbolId]) -> Adjoining {
        let count = grammar.boundaries().letters();
        if count == 0 {
            return Adjoining::default();
        }
        let (begins, last) = (begins_adjoined(grammar, tables), last(grammar, tables));
        let [mut letters, mut parting] = [Sets::new(tables.terminal_count, count), Sets::new(tables.terminal_count, count)];
        let are_all = tables.terminal_count > MANY;
        let mut partners = Sets::new(if are_all { 1 } else { tables.terminal_count }, tables.terminal_count);
        if are_all {
            for terminal in 0..tables.terminal_count {
                partners.add(0, terminal);
            }
        }
        let mut closed: Vec<Option<bool>> = vec![None; tables.terminal_count];
        let mut link = |lasts: &Sets, firsts: &Sets, next: &dyn Fn(usize) -> bool| {
            let lasts: Vec<u64> = tables.unfold(lasts.row(0)).collect();
            let firsts: Vec<u64> = tables.unfold(firsts.row(0)).collect();
            // What comes, by letter, and the one terminal that comes with it if it is one.
            let mut comes = Sets::new(1, tables.terminal_count);
            let (mut first_letters, mut alone) = (Sets::new(1, count), vec![None; count]);
            for (letter, viable) in grammar.boundaries().by_first_letter().enumerate() {
                let mut next = sets::common(viable, &firsts).filter(|&next| next != LAYOUT.0 as usize);
                let Some(first) = next.next() else { continue };
                comes.add(0, first);
                alone[letter] = Some(first).filter(|_| next.by_ref().map(|next| comes.add(0, next)).count() == 0);
                first_letters.add(0, letter);
            }
            for terminal in sets::numbers(&lasts).filter(|&terminal| terminal < tables.terminal_count) {
                letters.join_of(terminal, &first_letters, 0);
                // Texts of a token that are one text of it are one, if the second need not be there.
                let is_one = comes.has(0, terminal)
                    && *closed[terminal].get_or_insert_with(|| is_closed_token(grammar, bodies[terminal]))
                    && next(terminal);
                if !is_one {
                    parting.join_of(terminal, &first_letters, 0);
                } else {
                    for letter in sets::numbers(first_letters.row(0)).filter(|&letter| alone[letter] != Some(terminal)) {
                        parting.add(terminal, letter);
                    }
                }
                if !are_all && !is_one {
                    partners.join_of(terminal, &comes, 0);
                } else if !are_all {
                    for other in sets::numbers(comes.row(0)).filter(|&other| other != terminal) {
                        partners.add(terminal, other);
                    }
                }
            }
        };
        let (mut lasts, mut firsts) = (Sets::new(1, tables.end() + 1), Sets::new(1, tables.end() + 1));
        for &entry in tables.all_entries() {
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            let children = |dot: &DotId| Some((*dot, tables.dots[*dot as usize].next?));
            if !dots.iter().filter_map(children).any(|(_, child)| adjoins(grammar, &begins, child)) {
                continue;
            }
            lasts.clear(0);
            // Elements of a repetition follow each other.
            let symbol = tables.dots[entry as usize].symbol;
            let (is_repeat, follows, merges) = match grammar[symbol].kind {
                Kind::Repeat { at_least, at_most, .. } => (true, at_most > 1, at_least < 2),
                _ => (false, false, false),
            };
            let again = if follows { &dots[..] } else { &[] };
            for (dot, child) in dots.iter().chain(again).filter_map(children) {
                if adjoins(grammar, &begins, child) {
                    firsts.clear(0);
                    tables.add_first(dot, 0, &mut firsts);
                    link(&lasts, &firsts, &|terminal| match is_repeat {
                        true => merges && is_alone(tables, child.symbol, terminal, NESTED),
                        false => is_removable(grammar, tables, child.symbol, terminal, NESTED),
                    });
                }
                if !tables.empty[child.symbol.0 as usize] {
                    lasts.clear(0);
                }
                tables.add_symbol(child.symbol, &last, 0, &mut lasts);
            }
        }
        Adjoining { letters, parting, partners, terminals: tables.terminal_count }
    }
}

/// How far it is looked for what is a token alone.
const NESTED: u32 = 16;

/// Whether what a symbol derives is one token wherever it begins with that.
fn is_alone(tables: &Tables, symbol: SymbolId, terminal: usize, nested: u32) -> bool {
    if tables.terminal(symbol).is_some() {
        return true;
    }
    let mut firsts = Sets::new(1, tables.end() + 1);
    tables.entries(symbol).iter().all(|&entry| {
        firsts.clear(0);
        tables.add_first(entry, 0, &mut firsts);
        let mut children = tables.sequence(entry).filter_map(|dot| tables.dots[dot as usize].next);
        let is_one = |child| nested > 0 && is_alone(tables, child, terminal, nested - 1);
        !firsts.has(0, tables.bit(terminal))
            || children.next().is_some_and(|first| is_one(first.symbol)) && children.next().is_none()
    })
}

/// Whether what a symbol derives is still of it wherever it begins with a token, without that token.
fn is_removable(grammar: &Grammar, tables: &Tables, symbol: SymbolId, terminal: usize, nested: u32) -> bool {
    let (mut firsts, is_empty) = (Sets::new(1, tables.end() + 1), |symbol: SymbolId| tables.empty[symbol.0 as usize]);
    if tables.terminal(symbol).is_some() || nested == 0 {
        return false;
    }
    if let Kind::Repeat { element, at_least, .. } = grammar[symbol].kind {
        return at_least == 0 && is_alone(tables, element.symbol, terminal, nested - 1);
    }
    tables.entries(symbol).iter().all(|&entry| {
        let children: Vec<SymbolId> =
            tables.sequence(entry).filter_map(|dot| Some(tables.dots[dot as usize].next?.symbol)).collect();
        let first = children.iter().position(|&child| !is_empty(child)).map_or(children.len(), |at| at + 1);
        children[..first].iter().all(|&child| {
            firsts.clear(0);
            tables.add_symbol_first(child, 0, &mut firsts);
            !firsts.has(0, tables.bit(terminal))
                || is_removable(grammar, tables, child, terminal, nested - 1)
                || children.len() == 1 && is_empty(symbol) && is_alone(tables, child, terminal, nested - 1)
        })
    })
}

fn adjoins(grammar: &Grammar, begins: &[bool], child: Child) -> bool {
    let is_tight = matches!(grammar[child.symbol].kind, Kind::Lexeme { layout: false, .. });
    child.adjoins || begins[child.symbol.0 as usize] || is_tight
}

/// Which symbols may begin with a child that adjoins.
fn begins_adjoined(grammar: &Grammar, tables: &Tables) -> Vec<bool> {
    let mut begins = vec![false; grammar.symbols().len()];
    tables.grow(&tables.users(grammar), |symbol| {
        let mut grew = false;
        for &entry in tables.entries(symbol) {
            for child in tables.sequence(entry).filter_map(|dot| tables.dots[dot as usize].next) {
                grew |= adjoins(grammar, &begins, child) && !std::mem::replace(&mut begins[symbol.0 as usize], true);
                if !tables.empty[child.symbol.0 as usize] {
                    break;
                }
            }
        }
        grew
    });
    begins
}

/// The terminals that symbols may end with, a row for each that is no lexeme.
fn last(grammar: &Grammar, tables: &Tables) -> Sets {
    let mut last = Sets::new(tables.rows(), tables.end() + 1);
    tables.grow(&tables.users(grammar), |symbol| {
        let (is_repeat, mut grew) = (matches!(grammar[symbol].kind, Kind::Repeat { .. }), false);
        for &entry in tables.entries(symbol) {
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            for child in dots.iter().rev().filter_map(|&dot| tables.dots[dot as usize].next) {
                grew |= tables.add_own(child.symbol, tables.row(symbol), &mut last);
                if !tables.empty[child.symbol.0 as usize] || is_repeat {
                    break;
                }
            }
        }
        grew
    });
    last
}

/// Whether two texts of a token, one after the other, always are one text of it.
fn is_closed_token(grammar: &Grammar, token: SymbolId) -> bool {
    let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
    nfa.add(token, 0).is_ok_and(|start| nfa.take_excess() == Excess::None && is_closed(&nfa, start))
}
