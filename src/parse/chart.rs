//! Which symbols derive which parts of a text: Earley's algorithm (CACM 1970) over tokens that are found where they may stand.
//!
//! A set of items belongs to the end of a token. An item is a dot, the set where its symbol begins, and whether the first token
//! of the symbol has to adjoin; that matters only where there is layout behind the set, or what comes next would be separated
//! from what is before it. Predictions and completions look one token ahead. A symbol that may be empty is passed when it is predicted (Aycock, Horspool, *Practical Earley Parsing*, 2002).

mod apart;
mod predict;
mod recognise;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;

use self::apart::Meeting;
use self::predict::Predictions;
pub use self::recognise::Recogniser;
use super::Input;
use super::fuel::Fuel;
use super::known::Known;
use super::scan::{Tokens, Veto};
use super::tables::DotId;
use crate::grammar::{Grammar, Kind, SymbolId};

/// What there is no item of.
pub const NONE: u32 = u32::MAX;

/// More than one.
const SEVERAL: u32 = u32::MAX - 1;

/// The keys of a set that are not worth sorting.
const FEW: usize = 24;

/// A symbol, and whether its first token has to adjoin.
pub type Key = u32;

pub fn key(symbol: SymbolId, adjoins: bool) -> Key {
    symbol.0 << 1 | u32::from(adjoins)
}

/// How an item came to be: from one before it, and what is complete between them; `SEVERAL` if in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The item before it; `NONE` for the first of its symbol.
    pub before: u32,
    /// The first that is complete of its part; `NONE` if that is empty.
    pub part: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The dot, and whether the first token of its symbol has to adjoin.
    dot: u32,
    /// The set where its symbol begins.
    pub origin: u32,
    /// Another item of the set that waits for the same.
    link: u32,
    step: Step,
}

impl Item {
    pub fn dot(&self) -> DotId {
        self.dot >> 1
    }

    pub fn adjoins(&self) -> bool {
        self.dot & 1 != 0
    }

    /// How it came to be, if in one way only.
    pub fn step(&self) -> Option<Step> {
        (self.step.before < SEVERAL).then_some(self.step)
    }
}

/// What is complete at a set.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub key: Key,
    pub origin: u32,
    /// The item that says so; of a lexeme, where its token begins.
    pub how: u32,
    /// Another one of the same symbol over the same text, found later.
    next: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Set {
    /// Where it is in the text.
    pub at: u32,
    /// Where the layout behind it ends.
    pub token: u32,
    waits: (u32, u32),
    done: (u32, u32),
    /// Its first item, and behind those that it begins with; the same of what is complete.
    kernel: [(u32, u32); 2],
    /// Whether it matters here if a token has to adjoin.
    pub splits: bool,
}

/// An item that waits for the end of a token; the first to end is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shifted {
    to: u32,
    dot: u32,
    origin: u32,
    /// The lexeme, the set that it begins at, and where its token does.
    lexeme: (Key, u32, u32),
    before: u32,
}

/// Memory of the parser. Reused, it allocates little.
#[derive(Debug, Default)]
pub struct Chart {
    pub sets: Vec<Set>,
    items: Vec<Item>,
    /// By set: keys that are waited for, sorted if they are many, and the last item that waits for each.
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
    predictions: Predictions,
    meetings: Vec<Meeting>,
    /// Sorted.
    pub vetoes: Vec<Veto>,
}

impl Chart {
    /// The memory that the chart takes, in bytes.
    fn memory(&self) -> usize {
        let parts = size_of_val(&self.items[..]) + size_of_val(&self.done[..]) + size_of_val(&self.waits[..]);
        parts + size_of_val(&self.sets[..]) + self.shifted.len() * size_of::<Shifted>() + size_of_val(&self.tokens.found[..])
    }

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
    fn reopen(&mut self, set: u32) -> usize {
        self.sets.truncate(set as usize + 1);
        self.shifted.clear();
        self.restart(set)
    }

    /// The same of the last set.
    fn restart(&mut self, set: u32) -> usize {
        let Set { kernel: [items, done], .. } = self.sets[set as usize];
        let waits = self.waits_from(set);
        self.waits.truncate(waits);
        self.items.truncate(items.1 as usize);
        self.done.truncate(done.1 as usize);
        self.known.forget();
        for (at, item) in (0..).zip(&self.items).skip(items.0 as usize) {
            self.known.add(u64::from(item.dot) << 32 | u64::from(item.origin), at);
        }
        items.0 as usize
    }

    /// The sets where an element of a repetition begins or may begin that is open at the last one, in order.
    pub fn openings(&self, input: Input<'_>) -> Vec<u32> {
        let Input { grammar, tables, fuel, .. } = input;
        let Some(last) = self.sets.last() else { return Vec::new() };
        let now = self.sets.len() as u32 - 1;
        let mut open: Vec<(u32, u32)> = (last.kernel[0].0..self.items.len() as u32).map(|item| (now, item)).collect();
        let (mut known, mut openings) = (HashSet::new(), Vec::new());
        while let Some((set, at)) = open.pop() {
            fuel.spend(1);
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
    fn lexemes(&self, set: u32) -> &[Done] {
        let (from, to) = self.sets[set as usize].kernel[1];
        &self.done[from as usize..to as usize]
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
        let at = if waits.len() <= FEW {
            waits.iter().position(|wait| wait.0 == key)
        } else {
            waits.binary_search_by_key(&key, |wait| wait.0).ok()
        };
        at.map_or(NONE, |at| waits[at].1)
    }

    /// The item of a set that waits for a key.
    #[inline(always)]
    pub fn find(&self, (set, key): (u32, Key), (dot, origin): (u32, u32), fuel: &Fuel) -> Option<u32> {
        let mut waiting = self.waiting(set, key);
        while let Some(item) = self.items.get(waiting as usize) {
            fuel.spend(1);
            if item.dot == dot && item.origin == origin {
                return Some(waiting);
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

    pub fn done(&self, done: u32) -> &Done {
        &self.done[done as usize]
    }

    /// What is complete at a set.
    pub fn done_at(&self, set: u32) -> Range<u32> {
        let (from, to) = self.sets[set as usize].done;
        from..to
    }

    /// What is complete of the same symbol over the same text, from the first on.
    pub fn same(&self, first: u32) -> impl Iterator<Item = &Done> {
        std::iter::successors(self.done.get(first as usize), |done| self.done.get(done.next as usize))
    }

    /// Adds what is complete of a symbol; `first`, if it is not the first over the same text.
    fn add_done(&mut self, key: Key, origin: u32, how: u32, first: Option<u32>, fuel: &Fuel) {
        let new = self.done.len() as u32;
        self.done.push(Done { key, origin, how, next: NONE });
        let Some(mut last) = first else { return };
        while self.done[last as usize].next != NONE {
            last = self.done[last as usize].next;
            fuel.spend(1);
        }
        self.done[last as usize].next = new;
    }
}
