//! Which symbols derive which parts of a text: Earley's algorithm (CACM 1970) over tokens that are found where they may stand.
//!
//! A set of items belongs to the end of a token. An item is a dot, the set where its symbol begins, and whether the first token
//! of the symbol has to adjoin; that matters only where there is layout behind the set, or what comes next would be separated
//! from what is before it. Predictions and completions look one token ahead. A symbol that may be empty is passed when it is predicted (Aycock, Horspool, *Practical Earley Parsing*, 2002).

mod recognise;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

pub use self::recognise::Recogniser;
use super::known::Known;
use super::scan::{Tokens, Veto};
use super::tables::{DotId, Tables};
use crate::grammar::{Grammar, Kind, SymbolId};

/// What there is no item of.
pub const NONE: u32 = u32::MAX;

/// More than one.
const SEVERAL: u32 = u32::MAX - 1;

/// A symbol, and whether its first token has to adjoin.
pub type Key = u32;

pub fn key(symbol: SymbolId, adjoins: bool) -> Key {
    symbol.0 << 1 | u32::from(adjoins)
}

#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The dot, and whether the first token of its symbol has to adjoin.
    dot: u32,
    /// The set where its symbol begins.
    pub origin: u32,
    /// Another item of the set that waits for the same.
    link: u32,
    /// The set where the part before the dot begins; `SEVERAL` if there are several.
    part: u32,
}

impl Item {
    pub fn dot(&self) -> DotId {
        self.dot >> 1
    }

    pub fn adjoins(&self) -> bool {
        self.dot & 1 != 0
    }

    /// Where the part before the dot begins, if it can begin at one set only.
    pub fn part(&self) -> Option<u32> {
        (self.part < SEVERAL).then_some(self.part)
    }
}

/// What is complete at a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Done {
    pub key: Key,
    pub origin: u32,
    /// The item that says so; of a lexeme, where its token begins.
    pub how: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Set {
    /// Where it is in the text.
    pub at: u32,
    /// Where the layout behind it ends.
    pub token: u32,
    waits: (u32, u32),
    done: (u32, u32),
    /// Its first item, and behind those that it begins with.
    kernel: (u32, u32),
    /// Whether it matters here if a token has to adjoin.
    pub splits: bool,
}

/// An item that waits for the end of a token; the first to end is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shifted {
    to: u32,
    dot: u32,
    origin: u32,
    done: Done,
}

/// Memory of the parser. Reused, it allocates little.
#[derive(Debug, Default)]
pub struct Chart {
    pub sets: Vec<Set>,
    items: Vec<Item>,
    /// By set: keys that are waited for, sorted, and the last item that waits for each.
    waits: Vec<(Key, u32)>,
    done: Vec<Done>,
    known: Known,
    /// By key: the last item of the current set that waits for it.
    heads: Vec<u32>,
    shifted: BinaryHeap<Reverse<Shifted>>,
    pub tokens: Tokens,
    /// The terminals that may come next by the grammar.
    wanted: Vec<u64>,
    /// The terminals that do come next, at the end of the set and behind its layout.
    look: [Vec<u64>; 2],
    /// Sorted.
    pub vetoes: Vec<Veto>,
}

impl Chart {
    /// Begins anew.
    fn clear(&mut self, grammar: &Grammar) {
        self.sets.clear();
        self.items.clear();
        self.waits.clear();
        self.done.clear();
        self.shifted.clear();
        self.heads.clear();
        self.heads.resize(2 * grammar.symbols().len(), NONE);
    }

    /// Goes back to the beginning of a set; its first item.
    fn reopen(&mut self, tables: &Tables, set: u32) -> usize {
        let Set { kernel: items, done: (done, end), .. } = self.sets[set as usize];
        let waits = self.waits_from(set);
        self.sets.truncate(set as usize + 1);
        self.waits.truncate(waits);
        self.items.truncate(items.1 as usize);
        self.done.truncate(end as usize);
        let tokens: Vec<Done> = self.tokens_before(tables, set).copied().collect();
        self.done.truncate(done as usize);
        self.done.extend(tokens);
        self.shifted.clear();
        self.known.forget();
        for (at, item) in (0..).zip(&self.items).skip(items.0 as usize) {
            self.known.add(u64::from(item.dot) << 32 | u64::from(item.origin), at);
        }
        items.0 as usize
    }

    /// The sets where an element of a repetition begins or may begin that is open at the last one, in order.
    pub fn openings(&self, grammar: &Grammar, tables: &Tables) -> Vec<u32> {
        let Some(last) = self.sets.last() else { return Vec::new() };
        let now = self.sets.len() as u32 - 1;
        let mut open: Vec<(u32, u32)> = (last.kernel.0..self.items.len() as u32).map(|item| (now, item)).collect();
        let (mut known, mut openings) = (HashSet::new(), Vec::new());
        while let Some((set, at)) = open.pop() {
            let item = self.item(at);
            let dot = tables.dots[item.dot() as usize];
            if matches!(grammar[dot.symbol].kind, Kind::Repeat { .. }) && dot.next.is_some() {
                openings.push(set);
            }
            let key = key(dot.symbol, item.adjoins());
            if known.insert((item.origin, key)) {
                let first = self.waiting(item.origin, key);
                let waiting = std::iter::successors(Some(first), |&at| Some(self.items.get(at as usize)?.link));
                open.extend(waiting.take_while(|&at| at != NONE).map(|at| (item.origin, at)));
            }
        }
        openings.sort_unstable();
        openings.dedup();
        openings
    }

    /// The lexemes that end at a set.
    fn tokens_before<'a>(&'a self, tables: &'a Tables, set: u32) -> impl Iterator<Item = &'a Done> {
        let (from, to) = self.sets[set as usize].done;
        let to = if set as usize + 1 == self.sets.len() { self.done.len() } else { to as usize };
        self.done[from as usize..to].iter().filter(|done| tables.terminal(SymbolId(done.key >> 1)).is_some())
    }

    fn waits_from(&self, set: u32) -> usize {
        match set {
            0 => 0,
            _ => self.sets[set as usize - 1].waits.1 as usize,
        }
    }

    /// The first item of a finished set that waits for a key.
    #[inline(always)]
    fn waiting(&self, set: u32, key: Key) -> u32 {
        let (from, to) = self.sets[set as usize].waits;
        let waits = &self.waits[from as usize..to as usize];
        waits.binary_search_by_key(&key, |wait| wait.0).map_or(NONE, |at| waits[at].1)
    }

    /// The item of a set that waits for a key.
    #[inline(always)]
    pub fn find(&self, set: u32, key: Key, dot: DotId, adjoins: bool, origin: u32) -> Option<&Item> {
        let mut waiting = self.waiting(set, key);
        while let Some(item) = self.items.get(waiting as usize) {
            if item.dot() == dot && item.adjoins() == adjoins && item.origin == origin {
                return Some(item);
            }
            waiting = item.link;
        }
        None
    }

    /// What could have come next after the last set: lexemes among other symbols.
    pub fn expected(&self) -> impl Iterator<Item = SymbolId> + '_ {
        let (from, to) = self.sets.last().map_or((0, 0), |set| set.waits);
        self.waits[from as usize..to as usize].iter().map(|(key, _)| SymbolId(key >> 1))
    }

    pub fn item(&self, item: u32) -> &Item {
        &self.items[item as usize]
    }

    /// What is complete at a set, of a key: the last to begin first.
    #[inline(always)]
    pub fn done(&self, set: u32, key: Key) -> &[Done] {
        let (from, to) = self.sets[set as usize].done;
        let done = &self.done[from as usize..to as usize];
        let from = done.partition_point(|done| done.key < key);
        let to = from + done[from..].partition_point(|done| done.key == key);
        &done[from..to]
    }

    /// The same, if it begins at a set.
    #[inline(always)]
    pub fn done_from(&self, set: u32, key: Key, origin: u32) -> &[Done] {
        let done = self.done(set, key);
        let from = done.partition_point(|done| done.origin > origin);
        let to = from + done[from..].iter().take_while(|done| done.origin == origin).count();
        &done[from..to]
    }
}
