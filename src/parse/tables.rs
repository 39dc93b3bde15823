//! Tables of a grammar for the parser: dots, and the FIRST and FOLLOW sets of the symbols.
//!
//! A *dot* is a position in an alternative, or a count of elements of a repetition. The dots of one
//! alternative have consecutive numbers.

use std::collections::VecDeque;

use crate::grammar::sets::{self, Sets};
use crate::grammar::{Child, Grammar, Graph, Kind, SymbolId, syntax};

/// The number of a dot: an index into [`ParserTables::dots`].
pub type DotId = u32;

/// A position in an alternative or in a repetition.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    /// The symbol to which the alternative or the repetition belongs.
    pub symbol: SymbolId,
    /// The child after the dot. If the child is a call, the called symbol (see
    /// [`ParserTables::called`]). `None` at the end.
    pub next: Option<Child>,
    /// The dot after the next child. In a repetition without an upper limit it can be this dot
    /// again.
    pub after: DotId,
    /// Whether the symbol can end at this dot.
    pub ends: bool,
    /// The index of the alternative, or the number of elements before the dot in a repetition.
    pub choice: u32,
}

/// Whether a token is captured, or repeats a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaptureRole {
    #[default]
    None,
    /// Its text is captured. The symbol is the body of the token.
    Capture(SymbolId),
    /// It repeats the text of a captured symbol.
    Same { of: SymbolId, is_last: bool },
}

/// The largest upper limit of a repetition that the parser enforces. It ignores a higher limit,
/// because each element takes a dot. The exception is an upper limit that equals the lower limit.
const MANY: u32 = 1 << 16;

/// The largest lower limit of a repetition that the parser supports. For the parser, a repetition
/// with a higher lower limit derives no text.
const TOO_MANY: u32 = 1 << 20;

/// The value in a table for a symbol without a row or without a terminal.
const NO: u32 = u32::MAX;

/// The tables of a grammar. They do not change while texts are parsed.
#[derive(Debug)]
pub struct ParserTables {
    /// All dots, grouped by symbol.
    pub dots: Vec<Dot>,
    /// The first dot of each alternative, grouped by symbol.
    entries: Vec<DotId>,
    /// For each symbol, the symbol that it derives if it is a call.
    called: Vec<Option<SymbolId>>,
    /// For each symbol, its range in `entries`.
    entry_of: Vec<(u32, u32)>,
    /// For each symbol, whether it derives the empty text.
    pub empty: Vec<bool>,
    /// For each symbol, its terminal if it is a lexeme, or [`NO`].
    terminals: Vec<u32>,
    /// For each symbol, its capture role if it is a lexeme. Empty if the grammar has no captures.
    capture_roles: Vec<CaptureRole>,
    /// For each symbol, its row in `first` and `follow` if it has dots, or [`NO`].
    rows: Vec<u32>,
    /// The FIRST sets: the terminals with which a symbol can begin.
    first: Sets,
    /// The FOLLOW sets: the terminals that can come after a symbol, and the end of the text.
    follow: Sets,
    pub terminal_count: usize,
    /// The number of bits for terminals in a set. If there are more terminals, several share a bit.
    /// The bit after these stands for the end of the text.
    bits: usize,
}

/// The maximum number of bits of all FIRST sets together, and of all FOLLOW sets: 32 MiB each.
const ROOM: usize = 1 << 28;

impl ParserTables {
    /// Computes the tables of a grammar, or of its erased grammar if it has one.
    pub fn new(grammar: &Grammar) -> ParserTables {
        ParserTables::within(grammar, ROOM)
    }

    /// Computes the tables with at most `room` bits for all FIRST sets, and as many for all FOLLOW
    /// sets. Each set has at least 64 bits for terminals.
    ///
    /// If terminals share a bit, a set can have more terminals than it should. Derivations do not
    /// change, because the parser uses the sets only to exclude what cannot come next.
    pub fn within(whole: &Grammar, room: usize) -> ParserTables {
        let grammar = whole.erased();
        let calls = |symbol: SymbolId| {
            let naming = whole.naming.as_ref()?;
            let is_call = naming.calls[symbol.0 as usize];
            is_call.then(|| grammar.children(&grammar.alternatives(symbol)[0])[0].symbol)
        };
        let called = (0..grammar.symbols().len() as u32)
            .map(|at| calls(SymbolId(at)))
            .collect();
        let parsed = |child: &Child| {
            let symbols = std::iter::successors(Some(child.symbol), |&symbol| calls(symbol));
            let symbol = symbols.last().unwrap_or(child.symbol);
            Child { symbol, ..*child }
        };
        let count = grammar.symbols().len();
        let terminal_count = grammar.boundaries().terminals();
        let (mut dots, mut entries, mut entry_of) =
            (Vec::new(), Vec::new(), Vec::with_capacity(count));
        let (mut terminals, mut rows, mut used) = (vec![NO; count], vec![NO; count], 0);
        for (at, is_syntax) in syntax(grammar.tables(), grammar.start())
            .into_iter()
            .enumerate()
        {
            let symbol = SymbolId(at as u32);
            let from = entries.len() as u32;
            match &grammar[symbol].kind {
                Kind::Nonterminal { .. } if is_syntax => {
                    for (choice, alternative) in (0..).zip(grammar.alternatives(symbol)) {
                        entries.push(dots.len() as u32);
                        for child in grammar.children(alternative) {
                            let after = dots.len() as u32 + 1;
                            dots.push(Dot {
                                symbol,
                                next: Some(parsed(child)),
                                after,
                                ends: false,
                                choice,
                            });
                        }
                        dots.push(Dot {
                            symbol,
                            next: None,
                            after: 0,
                            ends: true,
                            choice,
                        });
                    }
                }
                Kind::Repeat {
                    element, at_least, ..
                } if is_syntax && *at_least > TOO_MANY => {
                    let here = dots.len() as u32;
                    entries.push(here);
                    dots.push(Dot {
                        symbol,
                        next: Some(parsed(element)),
                        after: here,
                        ends: false,
                        choice: 0,
                    });
                }
                &Kind::Repeat {
                    ref element,
                    at_least,
                    at_most,
                    ..
                } if is_syntax => {
                    entries.push(dots.len() as u32);
                    let at_most = if at_most > at_least.max(MANY) {
                        u32::MAX
                    } else {
                        at_most
                    };
                    let last = if at_most == u32::MAX {
                        at_least.max(1)
                    } else {
                        at_most
                    };
                    for choice in 0..=last {
                        let here = dots.len() as u32;
                        let next = (choice < at_most).then(|| parsed(element));
                        let after = if choice < last { here + 1 } else { here };
                        dots.push(Dot {
                            symbol,
                            next,
                            after,
                            ends: choice >= at_least,
                            choice,
                        });
                    }
                }
                Kind::Lexeme { position, .. } => {
                    terminals[at] = grammar.boundaries().terminal(*position).0
                }
                _ => {}
            }
            if entries.len() as u32 > from {
                (rows[at], used) = (used, used + 1);
            }
            entry_of.push((from, entries.len() as u32));
        }
        let is_empty = |symbol: &crate::grammar::Symbol| match symbol.kind {
            Kind::Lexeme { body, .. } => grammar[body].min_bytes == 0,
            _ => false,
        };
        let empty = grammar.symbols().iter().map(is_empty).collect();
        let capture_roles = match grammar.captures.as_deref() {
            Some(captures) => (grammar.symbols().iter())
                .map(|symbol| capture_role(grammar, captures, &symbol.kind))
                .collect(),
            None => Vec::new(),
        };
        let max = room / (used as usize).max(1);
        let bits = if terminal_count <= max.max(64) {
            terminal_count
        } else {
            1 << max.max(64).ilog2()
        };
        let (first, follow) = (
            Sets::new(used as usize, bits + 1),
            Sets::new(used as usize, bits + 1),
        );
        let mut tables = ParserTables {
            dots,
            entries,
            called,
            entry_of,
            empty,
            terminals,
            capture_roles,
            rows,
            first,
            follow,
            terminal_count,
            bits,
        };
        tables.find_first(grammar);
        tables.find_follow(grammar);
        tables
    }

    /// Returns the first dot of each alternative of a symbol.
    #[inline(always)]
    pub fn entries(&self, symbol: SymbolId) -> &[DotId] {
        let (from, to) = self.entry_of[symbol.0 as usize];
        &self.entries[from as usize..to as usize]
    }

    /// Returns the symbol that a call derives. `None` for other symbols.
    ///
    /// The chart has no calls. Where a child is a call, its dot has the called symbol instead. A
    /// call of a call is replaced by the symbol that the last call derives. So calls of one rule
    /// with different arguments are parsed once.
    #[inline(always)]
    pub fn called(&self, symbol: SymbolId) -> Option<SymbolId> {
        self.called[symbol.0 as usize]
    }

    /// Returns the first dots of the alternatives of all symbols.
    pub fn all_entries(&self) -> &[DotId] {
        &self.entries
    }

    /// Returns the terminal of a lexeme, or `None` for other symbols.
    #[inline(always)]
    pub fn terminal(&self, symbol: SymbolId) -> Option<usize> {
        Some(self.terminals[symbol.0 as usize] as usize).filter(|&terminal| terminal != NO as usize)
    }

    /// Returns the capture role of a lexeme.
    #[inline(always)]
    pub fn capture_role(&self, lexeme: SymbolId) -> CaptureRole {
        match self.capture_roles.get(lexeme.0 as usize) {
            Some(&role) => role,
            None => CaptureRole::None,
        }
    }

    /// Returns the bit of a terminal in sets of terminals.
    #[inline(always)]
    pub fn bit(&self, terminal: usize) -> usize {
        if terminal < self.bits {
            terminal
        } else {
            terminal % self.bits
        }
    }

    /// Returns the bit of the end of the text in sets of terminals.
    pub fn end(&self) -> usize {
        self.bits
    }

    /// Returns the number of 64-bit words of a set of terminals.
    pub fn words(&self) -> usize {
        self.bits / 64 + 1
    }

    /// Converts a set to one in which every terminal has its own bit, and returns its words.
    pub fn unfold<'a>(&self, set: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let is_folded = self.bits < self.terminal_count;
        let words = if is_folded { self.bits / 64 } else { set.len() };
        set[..words]
            .iter()
            .copied()
            .cycle()
            .take(self.terminal_count.div_ceil(64))
    }

    /// Appends the words of [`unfold`](ParserTables::unfold) to a vector. The scanner calls it at
    /// every set.
    #[inline(always)]
    pub fn unfold_into(&self, set: &[u64], words: &mut Vec<u64>) {
        match self.bits < self.terminal_count {
            true => words.extend(self.unfold(set)),
            false => words.extend_from_slice(&set[..self.terminal_count.div_ceil(64)]),
        }
    }

    /// Returns the FOLLOW set of a symbol that is not a lexeme.
    pub fn follow(&self, symbol: SymbolId) -> &[u64] {
        self.follow.get(self.row(symbol))
    }

    /// Returns the FIRST set of a symbol that is not a lexeme.
    pub fn first(&self, symbol: SymbolId) -> &[u64] {
        self.first.get(self.row(symbol))
    }

    /// Returns the row of a symbol that is not a lexeme.
    #[inline(always)]
    pub fn row(&self, symbol: SymbolId) -> usize {
        self.rows[symbol.0 as usize] as usize
    }

    /// Returns the number of rows of the sets, which is the number of symbols with dots.
    pub fn rows(&self) -> usize {
        self.rows.iter().filter(|&&row| row != NO).count()
    }

    /// Returns the dots of an alternative in order. `entry` is its first dot.
    pub fn sequence(&self, entry: DotId) -> impl Iterator<Item = DotId> + '_ {
        std::iter::successors(Some(entry), |&dot| {
            let Dot { next, after, .. } = self.dots[dot as usize];
            (next.is_some() && after > dot).then_some(after)
        })
    }

    /// Returns the children with which the rest after a dot can begin: the next ones up to and
    /// including the first that cannot be empty.
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

    /// Returns whether the rest of an alternative after a dot can begin with one of the terminals
    /// in `lookahead`.
    #[inline(always)]
    pub fn begins_with(&self, dot: DotId, lookahead: &[u64]) -> bool {
        self.nexts(dot).any(|child| match self.terminal(child) {
            Some(terminal) => sets::has(lookahead, self.bit(terminal)),
            None => sets::meet(self.first.get(self.row(child)), lookahead),
        })
    }

    /// Adds to a set all terminals that can come next at a dot. If the rest after the dot can be
    /// empty, these include the FOLLOW set of its symbol.
    #[inline(always)]
    pub fn add_next(&self, dot: DotId, set: &mut [u64]) {
        for child in self.nexts(dot) {
            match self.terminal(child) {
                Some(terminal) => sets::add(set, self.bit(terminal)),
                None => sets::join(set, self.first.get(self.row(child))),
            };
        }
        if self.may_be_empty(dot) {
            sets::join(
                set,
                self.follow.get(self.row(self.dots[dot as usize].symbol)),
            );
        }
    }

    /// Returns whether the rest after a dot can be empty.
    #[inline(always)]
    pub fn may_be_empty(&self, mut dot: DotId) -> bool {
        loop {
            let Dot {
                next, after, ends, ..
            } = self.dots[dot as usize];
            let is_passed = |child: Child| self.empty[child.symbol.0 as usize];
            if ends || !next.is_some_and(is_passed) {
                return ends;
            }
            dot = after;
        }
    }

    /// Returns whether one of the terminals in `lookahead` can follow a symbol.
    #[inline(always)]
    pub fn may_precede(&self, symbol: SymbolId, lookahead: &[u64]) -> bool {
        sets::meet(self.follow.get(self.row(symbol)), lookahead)
    }

    /// Returns `false` if the next child at a dot is a non-empty lexeme that is not in `lookahead`.
    /// Other children are not tested, because that takes longer than it saves.
    #[inline(always)]
    pub fn may_continue(&self, dot: DotId, lookahead: &[u64]) -> bool {
        self.dots[dot as usize].next.is_none_or(|child| {
            self.empty[child.symbol.0 as usize]
                || self
                    .terminal(child.symbol)
                    .is_none_or(|terminal| sets::has(lookahead, self.bit(terminal)))
        })
    }

    /// Adds the set of a symbol in `of` to the row `into` of `sets`. The set of a lexeme is its
    /// terminal. Returns whether the row grew.
    pub fn add_symbol(&self, symbol: SymbolId, of: &Sets, into: usize, sets: &mut Sets) -> bool {
        match self.terminal(symbol) {
            Some(terminal) => sets.add(into, self.bit(terminal)),
            None => sets.join_of(into, of, self.row(symbol)),
        }
    }

    /// Adds the set of a symbol in `sets` to the row `into` of `sets`. The set of a lexeme is its
    /// terminal. Returns whether the row grew.
    pub fn add_own(&self, symbol: SymbolId, into: usize, sets: &mut Sets) -> bool {
        match self.terminal(symbol) {
            Some(terminal) => sets.add(into, self.bit(terminal)),
            None => sets.join(into, self.row(symbol)),
        }
    }

    /// Adds the terminals with which the rest of an alternative after a dot can begin to a row.
    /// Returns whether the row grew.
    pub fn add_first(&self, dot: DotId, into: usize, sets: &mut Sets) -> bool {
        let mut grew = false;
        for child in self.nexts(dot) {
            grew |= self.add_symbol(child, &self.first, into, sets);
        }
        grew
    }

    /// Returns the symbols that have dots, each with its first dot, in order.
    fn symbols(&self) -> Vec<(SymbolId, usize)> {
        let mut symbols: Vec<(SymbolId, usize)> = (0..)
            .zip(&self.dots)
            .map(|(at, dot)| (dot.symbol, at))
            .collect();
        symbols.dedup_by_key(|&mut (symbol, _)| symbol);
        symbols
    }

    /// Returns the graph from each symbol to the symbols that have it as a child.
    pub fn users(&self, grammar: &Grammar) -> Graph {
        let child = |dot: &Dot| Some((dot.next?.symbol.0, dot.symbol.0));
        Graph::new(
            grammar.symbols().len(),
            &self.dots.iter().filter_map(child).collect::<Vec<_>>(),
        )
    }

    /// Computes a fixed point over all symbols with a worklist. It calls `step` with every symbol,
    /// in reverse order. If `step` returns `true`, the set of its symbol has grown, and the symbols
    /// that have it as a child are visited again.
    pub fn grow(&self, users: &Graph, mut step: impl FnMut(SymbolId) -> bool) {
        let mut open: VecDeque<SymbolId> = self
            .symbols()
            .into_iter()
            .rev()
            .map(|(symbol, _)| symbol)
            .collect();
        let mut is_open = vec![false; self.rows.len()];
        open.iter()
            .for_each(|symbol| is_open[symbol.0 as usize] = true);
        while let Some(symbol) = open.pop_front() {
            is_open[symbol.0 as usize] = false;
            if step(symbol) {
                let users = users
                    .successors(symbol.0)
                    .iter()
                    .filter(|&&user| !std::mem::replace(&mut is_open[user as usize], true));
                open.extend(users.map(|&user| SymbolId(user)));
            }
        }
    }

    /// Computes the FIRST sets, and the symbols that derive the empty text.
    fn find_first(&mut self, grammar: &Grammar) {
        let (mut first, mut empty) = (
            std::mem::take(&mut self.first),
            std::mem::take(&mut self.empty),
        );
        let tables = &*self;
        tables.grow(&tables.users(grammar), |symbol| {
            let mut grew = false;
            for &entry in tables.entries(symbol) {
                let mut is_passed = true;
                for dot in tables.sequence(entry) {
                    let Dot { next, ends, .. } = tables.dots[dot as usize];
                    grew |= is_passed
                        && ends
                        && !std::mem::replace(&mut empty[symbol.0 as usize], true);
                    let Some(child) = next.filter(|_| is_passed) else {
                        break;
                    };
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
        symbols
            .iter()
            .for_each(|&(symbol, at)| first_dot[symbol.0 as usize] = at);
        let mut is_open = vec![true; grammar.symbols().len()];
        let mut open: VecDeque<SymbolId> = symbols.into_iter().map(|(symbol, _)| symbol).collect();
        while let Some(symbol) = open.pop_front() {
            is_open[symbol.0 as usize] = false;
            let own = self.dots[first_dot[symbol.0 as usize]..]
                .iter()
                .take_while(|dot| dot.symbol == symbol);
            for dot in own {
                let Some(child) = dot
                    .next
                    .filter(|child| self.terminal(child.symbol).is_none())
                else {
                    continue;
                };
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

/// Returns the capture role of a symbol of this kind.
fn capture_role(grammar: &Grammar, captures: &[bool], kind: &Kind) -> CaptureRole {
    let &Kind::Lexeme { body, .. } = kind else {
        return CaptureRole::None;
    };
    match grammar[body].kind {
        Kind::Same { of, is_last } => CaptureRole::Same { of, is_last },
        _ if captures[body.0 as usize] => CaptureRole::Capture(body),
        _ => CaptureRole::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Caps;
    use crate::notation;

    fn read(source: &str) -> Grammar {
        notation::read("tables", source.as_bytes(), &Caps::default())
            .unwrap_or_else(|report| panic!("{report}"))
            .0
    }

    fn find(grammar: &Grammar, name: &str) -> SymbolId {
        let mut symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let is_rule = |&symbol: &SymbolId| {
            grammar.label(symbol) == name && !matches!(grammar[symbol].kind, Kind::Lexeme { .. })
        };
        symbols.find(is_rule).expect("a rule of this name")
    }

    /// Returns the names of the terminals in a set, sorted. `$` is the end of the text.
    fn names(grammar: &Grammar, tables: &ParserTables, set: &[u64]) -> Vec<String> {
        let symbols = || (0..grammar.symbols().len() as u32).map(SymbolId);
        let name = |bit: usize| match symbols().find(|&symbol| {
            tables.terminal(symbol).map(|terminal| tables.bit(terminal)) == Some(bit)
        }) {
            Some(symbol) => grammar.describe(symbol),
            None => "$".into(),
        };
        let mut names: Vec<String> = sets::numbers(set).map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn first_and_follow_sets_of_the_textbook_grammar() {
        let grammar =
            read(r#"e = t r ; r = "+" t r | ; t = f q ; q = "*" f q | ; f = "(" e ")" | "x" ;"#);
        let tables = ParserTables::new(&grammar);
        let first = |name| names(&grammar, &tables, tables.first(find(&grammar, name)));
        let follow = |name| names(&grammar, &tables, tables.follow(find(&grammar, name)));
        assert_eq!(first("e"), [r#""(""#, r#""x""#]);
        assert_eq!(first("q"), [r#""*""#]);
        assert_eq!(follow("e"), [r#"")""#, "$"]);
        assert_eq!(follow("t"), [r#"")""#, r#""+""#, "$"]);
        assert_eq!(follow("f"), [r#"")""#, r#""*""#, r#""+""#, "$"]);
        let is_empty = |name| tables.empty[find(&grammar, name).0 as usize];
        assert_eq!(
            ["e", "r", "t", "q", "f"].map(is_empty),
            [false, true, false, true, false]
        );
    }

    #[test]
    fn chains_of_rules_take_linear_time_in_both_directions() {
        let count = 20_000;
        let down: String = (0..count)
            .map(|at| format!("c{at} = c{} | \"y\" c{at} ;\n", at + 1))
            .collect();
        let up: String = (1..count)
            .map(|at| format!("d{at} = d{} | \"y\" d{at} ;\n", at - 1))
            .collect();
        let source = format!(
            "s = c0 d{} ;\n{down}c{count} = \"x\"? \"z\" ;\nd0 = \"x\"? \"z\" ;\n{up}",
            count - 1
        );
        let grammar = read(&source);
        let tables = ParserTables::new(&grammar);
        for name in ["c0", "d19999"] {
            assert_eq!(
                names(&grammar, &tables, tables.first(find(&grammar, name))),
                [r#""x""#, r#""y""#, r#""z""#]
            );
        }
        assert_eq!(
            names(&grammar, &tables, tables.follow(find(&grammar, "d0"))),
            ["$"]
        );
    }

    #[test]
    fn sets_do_not_grow_with_the_square_of_the_literals() {
        let rules: String = (0..2_000)
            .map(|at| format!("r{at} = \"k{at}\" \"v{at}\" ;\n"))
            .collect();
        let all: Vec<String> = (0..2_000).map(|at| format!("r{at}")).collect();
        let grammar = read(&format!("s = ( {} )* ;\n{rules}", all.join(" | ")));
        let room = 1 << 20;
        let tables = ParserTables::within(&grammar, room);
        assert!(tables.terminal_count > 4_000 && tables.rows() > 2_000);
        assert!(
            tables.words() * 64 * tables.rows() <= room + 64 * tables.rows(),
            "{} words",
            tables.words()
        );
        // The set has the terminal itself, besides those that share its bit.
        let first = tables
            .unfold(tables.first(find(&grammar, "r7")))
            .collect::<Vec<_>>();
        let grammar = &grammar;
        let k7 = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find(|&symbol| {
                tables.terminal(symbol).is_some() && grammar.describe(symbol) == r#""k7""#
            });
        assert!(sets::has(&first, tables.terminal(k7.unwrap()).unwrap()));
        assert_eq!(
            ParserTables::new(grammar).words(),
            4_001 / 64 + 1,
            "each has a bit of its own where there is room"
        );
    }
}
