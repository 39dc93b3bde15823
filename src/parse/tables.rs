//! What the parser knows of the syntax: positions in rules, and the terminals that may come first and next.
//!
//! A *dot* is a position in an alternative or a count of elements of a repetition. Dots of one alternative follow each other.

use std::collections::VecDeque;

use crate::grammar::sets::{self, Sets};
use crate::grammar::{Child, Grammar, Graph, Kind, SymbolId, syntax};

/// A position in what a symbol derives.
pub type DotId = u32;

/// What comes next at a dot.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// What the dot is in.
    pub symbol: SymbolId,
    /// What may come next.
    pub next: Option<Child>,
    /// The dot behind it.
    pub after: DotId,
    /// Whether the symbol may end here.
    pub ends: bool,
    /// The index of the alternative; of a repetition, the count.
    pub choice: u32,
}

/// Elements beyond which an upper limit is none: they would take a dot each.
const MANY: u32 = 1 << 16;

/// Elements that no text has as many of: a lower limit beyond is never met.
const TOO_MANY: u32 = 1 << 20;

/// No row, or no terminal.
const NO: u32 = u32::MAX;

/// See the module's text.
#[derive(Debug)]
pub struct Tables {
    pub dots: Vec<Dot>,
    /// The first dots of every symbol, as a range of `entries`.
    entries: Vec<DotId>,
    entry_of: Vec<(u32, u32)>,
    /// Whether a symbol may be empty.
    pub empty: Vec<bool>,
    /// The terminal of every lexeme.
    terminals: Vec<u32>,
    /// The row of every symbol that is no lexeme.
    rows: Vec<u32>,
    /// The terminals that a symbol may begin with, a row for each that is no lexeme.
    first: Sets,
    /// The terminals that may come after it; the one behind the last is the end of the text.
    follow: Sets,
    /// The number of terminals.
    pub terminal_count: usize,
    /// How many terminals have a bit of their own in a set; with more, several share one. The bit behind is the end of the text.
    bits: usize,
}

/// Bits that all sets of one kind may have together: 32 MiB.
const ROOM: usize = 1 << 28;

impl Tables {
    pub fn new(grammar: &Grammar) -> Tables {
        Tables::within(grammar, ROOM)
    }

    /// Tables whose sets have at most `room` bits of a kind, or else 64 bits each. A set says of a terminal that shares its bit
    /// with others what is so of any of them; as sets only tell what cannot come, texts have the same derivations.
    pub fn within(grammar: &Grammar, room: usize) -> Tables {
        let count = grammar.symbols().len();
        let terminal_count = grammar.boundaries().terminals();
        let (mut dots, mut entries, mut entry_of) = (Vec::new(), Vec::new(), Vec::with_capacity(count));
        let (mut terminals, mut rows, mut used) = (vec![NO; count], vec![NO; count], 0);
        for (at, is_syntax) in syntax(grammar.tables(), grammar.start()).into_iter().enumerate() {
            let symbol = SymbolId(at as u32);
            let from = entries.len() as u32;
            match &grammar[symbol].kind {
                Kind::Nonterminal { .. } if is_syntax => {
                    for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        entries.push(dots.len() as u32);
                        for child in grammar.children(alternative) {
                            let after = dots.len() as u32 + 1;
                            dots.push(Dot { symbol, next: Some(*child), after, ends: false, choice });
                        }
                        dots.push(Dot { symbol, next: None, after: 0, ends: true, choice });
                    }
                }
                &Kind::Repeat { element, at_least, .. } if is_syntax && at_least > TOO_MANY => {
                    let here = dots.len() as u32;
                    entries.push(here);
                    dots.push(Dot { symbol, next: Some(element), after: here, ends: false, choice: 0 });
                }
                &Kind::Repeat { element, at_least, at_most, .. } if is_syntax => {
                    entries.push(dots.len() as u32);
                    let at_most = if at_most > at_least.max(MANY) { u32::MAX } else { at_most };
                    let last = if at_most == u32::MAX { at_least.max(1) } else { at_most };
                    for choice in 0..=last {
                        let here = dots.len() as u32;
                        let next = (choice < at_most).then_some(element);
                        let after = if choice < last { here + 1 } else { here };
                        dots.push(Dot { symbol, next, after, ends: choice >= at_least, choice });
                    }
                }
                Kind::Lexeme { place, .. } => terminals[at] = grammar.boundaries().terminal(*place).0,
                _ => {}
            }
            if entries.len() as u32 > from {
                (rows[at], used) = (used, used + 1);
            }
            entry_of.push((from, entries.len() as u32));
        }
        let is_empty = |symbol: &crate::grammar::Symbol| match symbol.kind {
            Kind::Lexeme { body, .. } => grammar[body].shortest == 0,
            _ => false,
        };
        let empty = grammar.symbols().iter().map(is_empty).collect();
        let most = room / (used as usize).max(1);
        let bits = if terminal_count <= most.max(64) { terminal_count } else { 1 << most.max(64).ilog2() };
        let (first, follow) = (Sets::new(used as usize, bits + 1), Sets::new(used as usize, bits + 1));
        let mut tables = Tables { dots, entries, entry_of, empty, terminals, rows, first, follow, terminal_count, bits };
        tables.find_first(grammar);
        tables.find_follow(grammar);
        tables
    }

    /// The dots that a symbol begins with.
    #[inline(always)]
    pub fn entries(&self, symbol: SymbolId) -> &[DotId] {
        let (from, to) = self.entry_of[symbol.0 as usize];
        &self.entries[from as usize..to as usize]
    }

    /// The dots that any symbol begins with.
    pub fn all_entries(&self) -> &[DotId] {
        &self.entries
    }

    /// The terminal of a lexeme.
    #[inline(always)]
    pub fn terminal(&self, symbol: SymbolId) -> Option<usize> {
        Some(self.terminals[symbol.0 as usize] as usize).filter(|&terminal| terminal != NO as usize)
    }

    /// The bit of a terminal in sets of terminals.
    #[inline(always)]
    pub fn bit(&self, terminal: usize) -> usize {
        if terminal < self.bits { terminal } else { terminal % self.bits }
    }

    /// The bit of the end of the text in sets of terminals.
    pub fn end(&self) -> usize {
        self.bits
    }

    /// The number of words of a set of terminals.
    pub fn words(&self) -> usize {
        self.bits / 64 + 1
    }

    /// The words of a set in which every terminal has a bit of its own.
    pub fn unfold<'a>(&self, set: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let is_folded = self.bits < self.terminal_count;
        let words = if is_folded { self.bits / 64 } else { set.len() };
        set[..words].iter().copied().cycle().take(self.terminal_count.div_ceil(64))
    }

    /// The terminals that may come after a symbol.
    pub fn follow(&self, symbol: SymbolId) -> &[u64] {
        self.follow.row(self.row(symbol))
    }

    /// The terminals that a symbol that is no lexeme may begin with.
    pub fn first(&self, symbol: SymbolId) -> &[u64] {
        self.first.row(self.row(symbol))
    }

    /// The row of sets that belongs to a symbol that is no lexeme.
    #[inline(always)]
    pub fn row(&self, symbol: SymbolId) -> usize {
        self.rows[symbol.0 as usize] as usize
    }

    /// How many rows such sets have.
    pub fn rows(&self) -> usize {
        self.rows.iter().filter(|&&row| row != NO).count()
    }

    /// The dots of one entry, in order.
    pub fn sequence(&self, entry: DotId) -> impl Iterator<Item = DotId> + '_ {
        std::iter::successors(Some(entry), |&dot| {
            let Dot { next, after, .. } = self.dots[dot as usize];
            (next.is_some() && after > dot).then_some(after)
        })
    }

    /// What may come next at a dot within its symbol: children, up to one that cannot be empty.
    #[inline(always)]
    pub fn nexts(&self, dot: DotId) -> impl Iterator<Item = SymbolId> + '_ {
        let mut at = Some(dot);
        std::iter::from_fn(move || {
            let dot = at.take()?;
            let Dot { next, after, .. } = self.dots[dot as usize];
            let child = next?.symbol;
            at = Some(after).filter(|&after| self.empty[child.0 as usize] && after != dot);
            Some(child)
        })
    }

    /// Whether what comes next at a dot, within its symbol, may begin with one of some terminals.
    #[inline(always)]
    pub fn begins_with(&self, dot: DotId, look: &[u64]) -> bool {
        self.nexts(dot).any(|child| match self.terminal(child) {
            Some(terminal) => sets::has(look, self.bit(terminal)),
            None => sets::meet(self.first.row(self.row(child)), look),
        })
    }

    /// Adds the terminals that may come next at a dot to a set, within its symbol and behind it.
    #[inline(always)]
    pub fn add_next(&self, dot: DotId, set: &mut [u64]) {
        for child in self.nexts(dot) {
            match self.terminal(child) {
                Some(terminal) => sets::add(set, self.bit(terminal)),
                None => sets::join(set, self.first.row(self.row(child))),
            };
        }
        if self.may_be_empty(dot) {
            sets::join(set, self.follow.row(self.row(self.dots[dot as usize].symbol)));
        }
    }

    /// Whether what comes next at a dot may be nothing.
    #[inline(always)]
    pub fn may_be_empty(&self, mut dot: DotId) -> bool {
        loop {
            let Dot { next, after, ends, .. } = self.dots[dot as usize];
            let is_passed = |child: Child| self.empty[child.symbol.0 as usize];
            if ends || !next.is_some_and(is_passed) {
                return ends;
            }
            dot = after;
        }
    }

    /// Whether a symbol may come before one of some terminals.
    #[inline(always)]
    pub fn may_precede(&self, symbol: SymbolId, look: &[u64]) -> bool {
        sets::meet(self.follow.row(self.row(symbol)), look)
    }

    /// Adds what sets say of a symbol, of a lexeme its terminal, to a row of others; whether that grew.
    pub fn add_symbol(&self, symbol: SymbolId, of: &Sets, into: usize, sets: &mut Sets) -> bool {
        match self.terminal(symbol) {
            Some(terminal) => sets.add(into, self.bit(terminal)),
            None => sets.join_of(into, of, self.row(symbol)),
        }
    }

    /// The same within one and the same sets.
    pub fn add_own(&self, symbol: SymbolId, into: usize, sets: &mut Sets) -> bool {
        match self.terminal(symbol) {
            Some(terminal) => sets.add(into, self.bit(terminal)),
            None => sets.join(into, self.row(symbol)),
        }
    }

    /// Adds what comes next at a dot, within its symbol, to a row; whether that grew.
    pub fn add_first(&self, dot: DotId, into: usize, sets: &mut Sets) -> bool {
        let mut grew = false;
        for child in self.nexts(dot) {
            grew |= self.add_symbol(child, &self.first, into, sets);
        }
        grew
    }

    /// Adds the terminals that a symbol may begin with to a row.
    pub fn add_symbol_first(&self, symbol: SymbolId, into: usize, sets: &mut Sets) {
        self.add_symbol(symbol, &self.first, into, sets);
    }

    /// The symbols that have dots, each with its first dot, in order.
    fn symbols(&self) -> Vec<(SymbolId, usize)> {
        let mut symbols: Vec<(SymbolId, usize)> = (0..).zip(&self.dots).map(|(at, dot)| (dot.symbol, at)).collect();
        symbols.dedup_by_key(|&mut (symbol, _)| symbol);
        symbols
    }

    /// Which symbols have a symbol among what comes next at one of their dots.
    pub fn users(&self, grammar: &Grammar) -> Graph {
        let child = |dot: &Dot| Some((dot.next?.symbol.0, dot.symbol.0));
        Graph::new(grammar.symbols().len(), &self.dots.iter().filter_map(child).collect::<Vec<_>>())
    }

    /// Calls `step` with every symbol, the last first, and again whenever something has grown that a symbol among its children
    /// is known for. `step` says whether what is known of its symbol has grown.
    pub fn grow(&self, users: &Graph, mut step: impl FnMut(SymbolId) -> bool) {
        let mut open: VecDeque<SymbolId> = self.symbols().into_iter().rev().map(|(symbol, _)| symbol).collect();
        let mut is_open = vec![false; self.rows.len()];
        open.iter().for_each(|symbol| is_open[symbol.0 as usize] = true);
        while let Some(symbol) = open.pop_front() {
            is_open[symbol.0 as usize] = false;
            if step(symbol) {
                let users =
                    users.successors(symbol.0).iter().filter(|&&user| !std::mem::replace(&mut is_open[user as usize], true));
                open.extend(users.map(|&user| SymbolId(user)));
            }
        }
    }

    fn find_first(&mut self, grammar: &Grammar) {
        let (mut first, mut empty) = (std::mem::take(&mut self.first), std::mem::take(&mut self.empty));
        let tables = &*self;
        tables.grow(&tables.users(grammar), |symbol| {
            let mut grew = false;
            for &entry in tables.entries(symbol) {
                let mut is_passed = true;
                for dot in tables.sequence(entry) {
                    let Dot { next, ends, .. } = tables.dots[dot as usize];
                    grew |= is_passed && ends && !std::mem::replace(&mut empty[symbol.0 as usize], true);
                    let Some(child) = next.filter(|_| is_passed) else { break };
                    grew |= tables.add_own(child.symbol, tables.row(symbol), &mut first);
                    is_passed = empty[child.symbol.0 as usize];
                }
            }
            grew
        });
        (self.first, self.empty) = (first, empty);
    }

    fn find_follow(&mut self, grammar: &Grammar) {
        let mut follow = std::mem::take(&mut self.follow);
        follow.add(self.row(grammar.start()), self.end());
        let symbols = self.symbols();
        let mut first_dot = vec![0; grammar.symbols().len()];
        symbols.iter().for_each(|&(symbol, at)| first_dot[symbol.0 as usize] = at);
        let mut is_open = vec![true; grammar.symbols().len()];
        let mut open: VecDeque<SymbolId> = symbols.into_iter().map(|(symbol, _)| symbol).collect();
        while let Some(symbol) = open.pop_front() {
            is_open[symbol.0 as usize] = false;
            let own = self.dots[first_dot[symbol.0 as usize]..].iter().take_while(|dot| dot.symbol == symbol);
            for dot in own {
                let Some(child) = dot.next.filter(|child| self.terminal(child.symbol).is_none()) else { continue };
                let into = self.row(child.symbol);
                let mut grew = self.add_first(dot.after, into, &mut follow);
                if self.may_be_empty(dot.after) {
                    grew |= follow.join(into, self.row(symbol));
                }
                if grew && !std::mem::replace(&mut is_open[child.symbol.0 as usize], true) {
                    open.push_back(child.symbol);
                }
            }
        }
        self.follow = follow;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    fn read(source: &str) -> Grammar {
        notation::read("tables", source.as_bytes(), &Caps::default()).unwrap_or_else(|report| panic!("{report}")).0
    }

    fn find(grammar: &Grammar, name: &str) -> SymbolId {
        let mut symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let is_rule = |&symbol: &SymbolId| grammar.label(symbol) == name && !matches!(grammar[symbol].kind, Kind::Lexeme { .. });
        symbols.find(is_rule).expect("a rule of this name")
    }

    /// What the terminals of a set are called; `$` is the end of the text.
    fn names(grammar: &Grammar, tables: &Tables, set: &[u64]) -> Vec<String> {
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        let name = |bit: usize| match symbols()
            .find(|&symbol| tables.terminal(symbol).map(|terminal| tables.bit(terminal)) == Some(bit))
        {
            Some(symbol) => grammar.describe(symbol),
            None => "$".into(),
        };
        let mut names: Vec<String> = sets::numbers(set).map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn first_and_follow_sets_are_those_of_the_textbook() {
        let grammar = read(r#"e = t r ; r = "+" t r | ; t = f q ; q = "*" f q | ; f = "(" e ")" | "x" ;"#);
        let tables = Tables::new(&grammar);
        let first = |name| names(&grammar, &tables, tables.first(find(&grammar, name)));
        let follow = |name| names(&grammar, &tables, tables.follow(find(&grammar, name)));
        assert_eq!(first("e"), [r#""(""#, r#""x""#]);
        assert_eq!(first("q"), [r#""*""#]);
        assert_eq!(follow("e"), ["$", r#"")""#]);
        assert_eq!(follow("t"), ["$", r#"")""#, r#""+""#]);
        assert_eq!(follow("f"), ["$", r#"")""#, r#""*""#, r#""+""#]);
        let is_empty = |name| tables.empty[find(&grammar, name).0 as usize];
        assert_eq!(["e", "r", "t", "q", "f"].map(is_empty), [false, true, false, true, false]);
    }

    #[test]
    fn chains_of_rules_take_linear_time_in_both_directions() {
        let count = 20_000;
        let down: String = (0..count).map(|at| format!("c{at} = c{} | \"y\" c{at} ;\n", at + 1)).collect();
        let up: String = (1..count).map(|at| format!("d{at} = d{} | \"y\" d{at} ;\n", at - 1)).collect();
        let source = format!("s = c0 d{} ;\n{down}c{count} = \"x\"? \"z\" ;\nd0 = \"x\"? \"z\" ;\n{up}", count - 1);
        let grammar = read(&source);
        let tables = Tables::new(&grammar);
        for name in ["c0", "d19999"] {
            assert_eq!(names(&grammar, &tables, tables.first(find(&grammar, name))), [r#""x""#, r#""y""#, r#""z""#]);
        }
        assert_eq!(names(&grammar, &tables, tables.follow(find(&grammar, "d0"))), ["$"]);
    }

    #[test]
    fn sets_do_not_grow_with_the_square_of_the_literals() {
        let rules: String = (0..2_000).map(|at| format!("r{at} = \"k{at}\" \"v{at}\" ;\n")).collect();
        let all: Vec<String> = (0..2_000).map(|at| format!("r{at}")).collect();
        let grammar = read(&format!("s = ( {} )* ;\n{rules}", all.join(" | ")));
        let room = 1 << 20;
        let tables = Tables::within(&grammar, room);
        assert!(tables.terminal_count > 4_000 && tables.rows() > 2_000);
        assert!(tables.words() * 64 * tables.rows() <= room + 64 * tables.rows(), "{} words", tables.words());
        // Every terminal is among what is allowed, with those that share its bit.
        let first = tables.unfold(tables.first(find(&grammar, "r7"))).collect::<Vec<_>>();
        let grammar = &grammar;
        let k7 = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find(|&symbol| tables.terminal(symbol).is_some() && grammar.describe(symbol) == r#""k7""#);
        assert!(sets::has(&first, tables.terminal(k7.unwrap()).unwrap()));
        assert_eq!(Tables::new(grammar).words(), 4_001 / 64 + 1, "each has a bit of its own where there is room");
    }
}
