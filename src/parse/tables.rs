//! What the parser knows of the syntax: positions in rules, and the terminals that may come first and next.
//!
//! A *dot* is a position in an alternative or a count of elements of a repetition. Dots of one alternative follow each other.

use crate::grammar::sets::{self, Sets};
use crate::grammar::{Child, Grammar, Kind, SymbolId, syntax};

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
    /// The number of terminals; also the number of the end of the text.
    pub end: usize,
}

impl Tables {
    pub fn new(grammar: &Grammar) -> Tables {
        let count = grammar.symbols().len();
        let end = grammar.boundaries().terminals();
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
        let (first, follow) = (Sets::new(used as usize, end + 1), Sets::new(used as usize, end + 1));
        let mut tables = Tables { dots, entries, entry_of, empty, terminals, rows, first, follow, end };
        tables.find_first();
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
    fn nexts(&self, dot: DotId) -> impl Iterator<Item = SymbolId> + '_ {
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
            Some(terminal) => sets::has(look, terminal),
            None => sets::meet(self.first.row(self.row(child)), look),
        })
    }

    /// Adds the terminals that may come next at a dot to a set, within its symbol and behind it.
    #[inline(always)]
    pub fn add_next(&self, dot: DotId, set: &mut [u64]) {
        for child in self.nexts(dot) {
            match self.terminal(child) {
                Some(terminal) => sets::add(set, terminal),
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
            Some(terminal) => sets.add(into, terminal),
            None => sets.join_of(into, of, self.row(symbol)),
        }
    }

    /// The same within one and the same sets.
    pub fn add_own(&self, symbol: SymbolId, into: usize, sets: &mut Sets) -> bool {
        match self.terminal(symbol) {
            Some(terminal) => sets.add(into, terminal),
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

    /// Adds the terminals that may come after every terminal to its row.
    pub fn add_followers(&self, into: &mut Sets) {
        for dot in &self.dots {
            let Some(terminal) = dot.next.and_then(|child| self.terminal(child.symbol)) else { continue };
            self.add_first(dot.after, terminal, into);
            if self.may_be_empty(dot.after) {
                into.join_of(terminal, &self.follow, self.row(dot.symbol));
            }
        }
    }

    /// Adds the terminals that a symbol may begin with to a row.
    pub fn add_symbol_first(&self, symbol: SymbolId, into: usize, sets: &mut Sets) {
        self.add_symbol(symbol, &self.first, into, sets);
    }

    fn find_first(&mut self) {
        let mut first = std::mem::take(&mut self.first);
        let mut changed = true;
        while changed {
            changed = false;
            for &entry in self.entries.iter().rev() {
                let symbol = self.dots[entry as usize].symbol;
                for child in self.nexts(entry) {
                    changed |= self.add_own(child, self.row(symbol), &mut first);
                }
                if !self.empty[symbol.0 as usize] && self.may_be_empty(entry) {
                    (self.empty[symbol.0 as usize], changed) = (true, true);
                }
            }
        }
        self.first = first;
    }

    fn find_follow(&mut self, grammar: &Grammar) {
        let mut follow = std::mem::take(&mut self.follow);
        follow.add(self.row(grammar.start()), self.end);
        let mut changed = true;
        while changed {
            changed = false;
            for dot in &self.dots {
                let Some(child) = dot.next.filter(|child| self.terminal(child.symbol).is_none()) else { continue };
                let into = self.row(child.symbol);
                changed |= self.add_first(dot.after, into, &mut follow);
                if self.may_be_empty(dot.after) {
                    changed |= follow.join(into, self.row(dot.symbol));
                }
            }
        }
        self.follow = follow;
    }
}
