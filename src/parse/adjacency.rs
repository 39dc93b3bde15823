//! The letters with which an adjacent token can begin.
//!
//! A token is *adjacent* if the grammar allows no layout between it and the token before it. The
//! scanner takes the longest text of a token, except where an adjacent token can follow. There it
//! also takes shorter texts. A *letter* is a class of characters that the automaton does not
//! distinguish.

use super::tables::{DotId, ParserTables};
use crate::grammar::sets::{self, Sets};
use crate::grammar::{Child, Excess, Grammar, Kind, LAYOUT, Nfa, SymbolId, is_closed};

/// For each terminal, the adjacent tokens that can follow it.
#[derive(Debug, Default)]
pub struct Adjacency {
    /// The first letters of the adjacent tokens that can follow the terminal. One row for each
    /// terminal.
    pub letters: Sets,
    /// The letters before which the scanner must also take a shorter text of the terminal: a subset
    /// of `letters`. It lacks the letters that begin only the same terminal, if two adjacent texts
    /// of that terminal always form one text of it. Then the longest text is always right.
    pub parting: Sets,
    /// For each terminal, the adjacent terminals before which the scanner takes a shorter text. If
    /// there are more than [`MANY`] terminals, one row with all terminals.
    partners: Sets,
    /// The number of terminals.
    terminals: usize,
    /// For each symbol, whether it can begin with an adjacent child.
    begins: Vec<bool>,
}

/// The number of terminals above which [`Adjacency::partners`] returns all terminals. This bounds
/// the memory. The scanner then takes some texts that the parser rejects.
const MANY: usize = 1 << 14;

impl Adjacency {
    /// Returns the terminals that can be adjacent to a shorter text of a terminal.
    #[inline(always)]
    pub fn partners(&self, terminal: usize) -> &[u64] {
        self.partners
            .get(if self.terminals > MANY { 0 } else { terminal })
    }

    /// Returns whether a child can begin with an adjacent token, or can have no text. After a child
    /// without text, an adjacent token can follow.
    pub fn may_be_adjacent(&self, tables: &ParserTables, child: Child) -> bool {
        child.is_adjacent
            || self.begins[child.symbol.0 as usize]
            || tables.empty[child.symbol.0 as usize]
    }

    /// Computes the tables. `bodies` has the token of each terminal.
    pub fn new(grammar: &Grammar, tables: &ParserTables, bodies: &[SymbolId]) -> Adjacency {
        let (count, begins) = (
            grammar.boundaries().letters(),
            begins_adjacent(grammar, tables),
        );
        if count == 0 {
            return Adjacency {
                begins,
                ..Adjacency::default()
            };
        }
        let last = last(grammar, tables);
        let [mut letters, mut parting] = [
            Sets::new(tables.terminal_count, count),
            Sets::new(tables.terminal_count, count),
        ];
        let are_all = tables.terminal_count > MANY;
        let mut partners = Sets::new(
            if are_all { 1 } else { tables.terminal_count },
            tables.terminal_count,
        );
        if are_all {
            for terminal in 0..tables.terminal_count {
                partners.add(0, terminal);
            }
        }
        let mut closed: Vec<Option<bool>> = vec![None; tables.terminal_count];
        // Adds pairs of neighbours: `firsts` are the terminals that can begin the adjacent child,
        // `lasts` those that can end the text before it.
        let mut link = |lasts: &Sets, firsts: &Sets, next: &dyn Fn(usize) -> bool| {
            let lasts: Vec<u64> = tables.unfold(lasts.get(0)).collect();
            let firsts: Vec<u64> = tables.unfold(firsts.get(0)).collect();
            // `comes`: the terminals in `firsts` that have a first letter. `first_letters`: these
            // letters. `alone`: for each letter its terminal, if there is exactly one.
            let mut comes = Sets::new(1, tables.terminal_count);
            let (mut first_letters, mut alone) = (Sets::new(1, count), vec![None; count]);
            for (letter, viable) in grammar.boundaries().by_first_letter().enumerate() {
                let mut next =
                    sets::common(viable, &firsts).filter(|&next| next != LAYOUT.0 as usize);
                let Some(first) = next.next() else { continue };
                comes.add(0, first);
                alone[letter] = Some(first)
                    .filter(|_| next.by_ref().map(|next| comes.add(0, next)).count() == 0);
                first_letters.add(0, letter);
            }
            for terminal in
                sets::numbers(&lasts).filter(|&terminal| terminal < tables.terminal_count)
            {
                letters.join_of(terminal, &first_letters, 0);
                // Two adjacent texts of a terminal can be read as one if they form one text of the
                // terminal, and the grammar allows to omit the second one.
                let is_one = comes.has(0, terminal)
                    && *closed[terminal]
                        .get_or_insert_with(|| is_closed_token(grammar, bodies[terminal]))
                    && next(terminal);
                if !is_one {
                    parting.join_of(terminal, &first_letters, 0);
                } else {
                    for letter in sets::numbers(first_letters.get(0))
                        .filter(|&letter| alone[letter] != Some(terminal))
                    {
                        parting.add(terminal, letter);
                    }
                }
                if !are_all && !is_one {
                    partners.join_of(terminal, &comes, 0);
                } else if !are_all {
                    for other in sets::numbers(comes.get(0)).filter(|&other| other != terminal) {
                        partners.add(terminal, other);
                    }
                }
            }
        };
        let (mut lasts, mut firsts) = (
            Sets::new(1, tables.end() + 1),
            Sets::new(1, tables.end() + 1),
        );
        for &entry in tables.all_entries() {
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            let children = |dot: &DotId| Some((*dot, tables.dots[*dot as usize].next?));
            if !dots
                .iter()
                .filter_map(children)
                .any(|(_, child)| is_adjacent(grammar, &begins, child))
            {
                continue;
            }
            lasts.clear(0);
            // An element of a repetition can follow another one, so its dots are visited twice.
            let symbol = tables.dots[entry as usize].symbol;
            let (is_repeat, follows, merges) = match grammar[symbol].kind {
                Kind::Repeat {
                    at_least, at_most, ..
                } => (true, at_most > 1, at_least < 2),
                _ => (false, false, false),
            };
            let again = if follows { &dots[..] } else { &[] };
            for (dot, child) in dots.iter().chain(again).filter_map(children) {
                if is_adjacent(grammar, &begins, child) {
                    firsts.clear(0);
                    tables.add_first(dot, 0, &mut firsts);
                    link(&lasts, &firsts, &|terminal| match is_repeat {
                        true => merges && is_alone(grammar, tables, child.symbol, terminal, NESTED),
                        false => is_removable(grammar, tables, child.symbol, terminal),
                    });
                }
                if !tables.empty[child.symbol.0 as usize] {
                    lasts.clear(0);
                }
                tables.add_symbol(child.symbol, &last, 0, &mut lasts);
            }
        }
        Adjacency {
            letters,
            parting,
            partners,
            terminals: tables.terminal_count,
            begins,
        }
    }
}

/// The maximum depth to which [`is_alone`] descends into rules. Below this depth it returns
/// `false`.
const NESTED: u32 = 16;

/// Returns whether every text of a symbol that begins with this terminal consists of one token.
fn is_alone(
    grammar: &Grammar,
    tables: &ParserTables,
    symbol: SymbolId,
    terminal: usize,
    nested: u32,
) -> bool {
    if tables.terminal(symbol).is_some() {
        return true;
    }
    if matches!(grammar[symbol].kind, Kind::Repeat { at_most: 2.., .. }) {
        return false;
    }
    let mut firsts = Sets::new(1, tables.end() + 1);
    tables.entries(symbol).iter().all(|&entry| {
        firsts.clear(0);
        tables.add_first(entry, 0, &mut firsts);
        let mut children = tables
            .sequence(entry)
            .filter_map(|dot| tables.dots[dot as usize].next);
        let is_one = |child| nested > 0 && is_alone(grammar, tables, child, terminal, nested - 1);
        !firsts.has(0, tables.bit(terminal))
            || children.next().is_some_and(|first| is_one(first.symbol))
                && children.next().is_none()
    })
}

/// Returns whether a sentence stays a sentence without a token of this terminal at the beginning of
/// a symbol. So the symbol must derive the empty text, and each of its texts that begins with the
/// terminal must be one token.
fn is_removable(
    grammar: &Grammar,
    tables: &ParserTables,
    symbol: SymbolId,
    terminal: usize,
) -> bool {
    tables.empty[symbol.0 as usize]
        && tables.terminal(symbol).is_none()
        && is_alone(grammar, tables, symbol, terminal, NESTED)
}

/// Returns whether a child can be adjacent to the token before it. `begins` is the result of
/// [`begins_adjacent`], as far as it is known.
fn is_adjacent(grammar: &Grammar, begins: &[bool], child: Child) -> bool {
    let is_tight = matches!(
        grammar[child.symbol].kind,
        Kind::Lexeme { layout: false, .. }
    );
    child.is_adjacent || begins[child.symbol.0 as usize] || is_tight
}

/// Returns for each symbol whether it can begin with an adjacent child.
fn begins_adjacent(grammar: &Grammar, tables: &ParserTables) -> Vec<bool> {
    let mut begins = vec![false; grammar.symbols().len()];
    tables.grow(&tables.users(grammar), |symbol| {
        let mut grew = false;
        for &entry in tables.entries(symbol) {
            for child in tables
                .sequence(entry)
                .filter_map(|dot| tables.dots[dot as usize].next)
            {
                grew |= is_adjacent(grammar, &begins, child)
                    && !std::mem::replace(&mut begins[symbol.0 as usize], true);
                if !tables.empty[child.symbol.0 as usize] {
                    break;
                }
            }
        }
        grew
    });
    begins
}

/// Returns the terminals that symbols can end with. One row for each symbol that is not a lexeme.
fn last(grammar: &Grammar, tables: &ParserTables) -> Sets {
    let mut last = Sets::new(tables.rows(), tables.end() + 1);
    tables.grow(&tables.users(grammar), |symbol| {
        let (is_repeat, mut grew) = (matches!(grammar[symbol].kind, Kind::Repeat { .. }), false);
        for &entry in tables.entries(symbol) {
            let dots: Vec<DotId> = tables.sequence(entry).collect();
            for child in dots
                .iter()
                .rev()
                .filter_map(|&dot| tables.dots[dot as usize].next)
            {
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

/// Returns whether the concatenation of two texts of a token is always a text of the token.
fn is_closed_token(grammar: &Grammar, token: SymbolId) -> bool {
    let mut nfa = Nfa::new(grammar.tables(), grammar.derives_bytes(), false);
    nfa.add(token, 0)
        .is_ok_and(|start| nfa.take_excess() == Excess::None && is_closed(&nfa, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    #[test]
    fn a_symbol_may_be_adjacent_if_its_first_token_can_or_if_it_can_be_empty() {
        let cases = [
            ("s = \"a\" t ; t = \"x\" \"b\" ;", false),
            ("s = \"a\" t ; t = \"x\" ~ \"b\" ;", false),
            ("s = \"a\" ~ t ; t = \"x\" \"b\" ;", true),
            ("s = \"a\" t ; t = \"x\"? ~ \"b\" ;", true),
            ("s = \"a\" t ; t = ( ~ \"b\" )+ ;", true),
            ("s = \"a\" t ; t = \"x\" | ;", true),
        ];
        for (rules, expected) in cases {
            let source = format!("{rules} @skip w = \" \" ;");
            let (grammar, _) = notation::read("g", source.as_bytes(), &Caps::default())
                .unwrap_or_else(|report| panic!("{report}"));
            let tables = ParserTables::new(&grammar);
            let bodies = vec![grammar.start(); tables.terminal_count];
            let adjacency = Adjacency::new(&grammar, &tables, &bodies);
            // The child after "a".
            let is_a = |symbol| grammar.describe(symbol) == "\"a\"";
            let before = tables
                .dots
                .iter()
                .find(|dot| dot.next.is_some_and(|child| is_a(child.symbol)))
                .expect("a dot before a");
            let child = tables.dots[before.after as usize]
                .next
                .expect("a child after a");
            assert_eq!(
                adjacency.may_be_adjacent(&tables, child),
                expected,
                "{rules}"
            );
        }
    }
}
