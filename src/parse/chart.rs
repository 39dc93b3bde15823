//! The chart of Earley's algorithm (CACM 1970): which symbols derive which parts of a text.
//!
//! A *set* of items belongs to each offset where a token ends, and one to the beginning of the
//! text. An *item* has four parts: a dot, the set where its symbol begins (its origin), the
//! captured texts that it must still repeat, and whether the first token of the symbol must be
//! adjacent to the token before it. The adjacency is recorded only at sets where it makes a
//! difference (see [`ItemSet::splits`]).
//!
//! Predictions and completions look one token ahead. When the parser predicts a symbol that can be
//! empty, it also moves the dot over the symbol at once (Aycock, Horspool, *Practical Earley
//! Parsing*, 2002).

mod predict;
mod recognise;
mod separators;
mod unfinished;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::predict::Predictions;
pub use self::recognise::Recogniser;
use self::separators::EndingToken;
use super::ParseInput;
use super::bindings::{BindingId, Bindings};
use super::fuel::Fuel;
use super::scan::{BlockedToken, Tokens};
use super::stamped_map::StampedMap;
use super::tables::{CaptureRole, DotId, ParserTables};
use crate::grammar::{Grammar, Kind, SymbolId, span};

/// The index that means "no item", "no completed item" or "no dot".
pub const NONE: u32 = u32::MAX;

/// The value of [`Advance::before`] of an item that was made in several ways.
const SEVERAL: u32 = u32::MAX - 1;

/// The number of entries up to which a linear search is used instead of a sorted list or a hash
/// map.
const FEW: usize = 24;

/// A symbol in the upper 31 bits, and in the lowest bit whether its first token must be adjacent
/// to the token before it.
pub type Key = u32;

pub fn key(symbol: SymbolId, is_adjacent: bool) -> Key {
    symbol.0 << 1 | u32::from(is_adjacent)
}

/// How an item was made: by moving the dot of another item over a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The item whose dot was moved. `NONE` for a predicted item, [`SEVERAL`] if the item was made
    /// in several ways.
    pub before: u32,
    /// The first completed item of the child. `NONE` if the child is empty.
    pub part: u32,
}

/// An Earley item.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The dot in the upper 31 bits, and in the lowest bit whether the first token of its symbol
    /// must be adjacent.
    dot: u32,
    /// The set where its symbol begins.
    pub origin: u32,
    /// The captured texts that it must still repeat.
    binding: BindingId,
    /// The next item of the set that waits for the same key, or `NONE`.
    link: u32,
    step: Advance,
}

impl Item {
    pub fn dot(&self) -> DotId {
        self.dot >> 1
    }

    /// Returns whether the first token of the symbol must be adjacent to the token before it.
    pub fn is_adjacent(&self) -> bool {
        self.dot & 1 != 0
    }

    /// Returns the key that distinguishes the item from the other items of its set.
    pub fn identity(&self) -> ItemKey {
        ItemKey {
            dot: self.dot,
            origin: self.origin,
            binding: self.binding,
        }
    }

    /// Returns how the item was made, or `None` if it was made in several ways or predicted.
    pub fn step(&self) -> Option<Advance> {
        (self.step.before < SEVERAL).then_some(self.step)
    }
}

/// The key that distinguishes an item from the other items of its set. The fields are those of
/// [`Item`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemKey {
    pub dot: u32,
    pub origin: u32,
    pub binding: BindingId,
}

/// A completed item: a symbol that derives the text from the set `origin` to the set that has the
/// completed item.
#[derive(Clone, Copy, Debug)]
pub struct CompletedItem {
    /// The symbol, and whether its first token is adjacent.
    pub key: Key,
    /// The set where the symbol begins.
    pub origin: u32,
    /// The item whose dot is at the end of the symbol. For a lexeme, the offset where its token
    /// begins.
    pub how: u32,
    /// The next completed item with the same symbol, origin and set, or `NONE`.
    next: u32,
}

impl CompletedItem {
    fn new(key: Key, origin: u32, how: u32) -> CompletedItem {
        CompletedItem {
            key,
            origin,
            how,
            next: NONE,
        }
    }
}

/// An Earley set.
#[derive(Clone, Copy, Debug, Default)]
pub struct ItemSet {
    /// The offset of the set in the text.
    pub at: u32,
    /// The offset where the layout after the set ends.
    pub token: u32,
    /// The range of the set in [`Chart::waits`].
    waits: (u32, u32),
    /// The range of the set in [`Chart::done`].
    done: (u32, u32),
    /// The items and the completed lexemes that the set has before prediction and completion: their
    /// ranges in [`Chart::items`] and [`Chart::done`].
    kernel: [(u32, u32); 2],
    /// Whether items at this set record if their first token must be adjacent. True if layout
    /// follows the set, or if the expander would write a separator before a token that begins at
    /// the set.
    pub splits: bool,
}

/// An item whose dot moves over a token that was found. It is added to the set at the end of the
/// token when that set begins. Items are ordered by this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shifted {
    /// The offset where the token ends.
    to: u32,
    /// The item after the token.
    item: ItemKey,
    /// The lexeme, the set where it begins, and the offset where its token begins.
    lexeme: (Key, u32, u32),
    /// The item whose dot is before the token.
    before: u32,
}

/// The chart of a text. It is reused from text to text, so it allocates little.
#[derive(Debug, Default)]
pub struct Chart {
    /// The sets, in the order of their offsets.
    pub sets: Vec<ItemSet>,
    /// The items of all sets, grouped by set.
    items: Vec<Item>,
    /// The keys that items wait for, grouped by set, each with the last item that waits for it. A
    /// group with more than [`FEW`] keys is sorted.
    waits: Vec<(Key, u32)>,
    /// The completed items, grouped by set.
    done: Vec<CompletedItem>,
    /// The items and completed items of the current set, for finding duplicates.
    known: StampedMap,
    /// For each key, the last item of the current set that waits for it, or `NONE`.
    heads: Vec<u32>,
    /// The items to be added to later sets, nearest set first.
    shifted: BinaryHeap<Reverse<Shifted>>,
    /// The tokens that can come next at the current set.
    pub tokens: Tokens,
    /// The set of terminals that the grammar allows next at the current set.
    wanted: Vec<u64>,
    /// The lookahead sets: the terminals of the tokens that begin directly at the current set, and
    /// of all tokens in [`tokens`](Chart::tokens).
    lookahead: [Vec<u64>; 2],
    pub bindings: Bindings,
    predictions: Predictions,
    /// Working memory for [`separators::meet`].
    preceding: Vec<EndingToken>,
    /// The blocked tokens, sorted.
    pub blocked: Vec<BlockedToken>,
    /// The number of items that [`Chart::find`] looked at in linear searches.
    searched: AtomicUsize,
    /// The index of each item in `items`. It is built when linear searches have taken long.
    item_index: OnceLock<HashMap<(u32, ItemKey), u32>>,
    /// The indices in `done`, those of each set sorted by symbol and origin. Built when a set with
    /// more than [`FEW`] completed items is first searched.
    done_index: OnceLock<Vec<u32>>,
}

impl Chart {
    /// Returns the approximate memory of the chart, in bytes.
    fn memory(&self) -> usize {
        let parts = size_of_val(&self.items[..])
            + size_of_val(&self.done[..])
            + size_of_val(&self.waits[..]);
        parts
            + size_of_val(&self.sets[..])
            + self.shifted.len() * size_of::<Shifted>()
            + size_of_val(&self.tokens.found[..])
            + self.bindings.memory()
    }

    fn clear(&mut self, grammar: &Grammar) {
        self.sets.clear();
        self.items.clear();
        self.waits.clear();
        self.done.clear();
        *self.searched.get_mut() = 0;
        self.item_index.take();
        self.done_index.take();
        self.shifted.clear();
        self.bindings.clear();
        self.heads.clear();
        self.heads.resize(2 * grammar.symbols().len(), NONE);
    }

    /// Removes all sets after `set`, and what was added to `set` after its kernel. Returns the
    /// index of the first item of `set`.
    fn reopen(&mut self, set: u32) -> usize {
        self.sets.truncate(set as usize + 1);
        *self.searched.get_mut() = 0;
        self.item_index.take();
        self.done_index.take();
        self.shifted.clear();
        self.restart(set)
    }

    /// Removes what was added to the last set after its kernel. `set` is its index. Returns the
    /// index of its first item.
    fn restart(&mut self, set: u32) -> usize {
        let ItemSet {
            kernel: [items, done],
            ..
        } = self.sets[set as usize];
        let waits = self.waits_from(set);
        self.waits.truncate(waits);
        self.items.truncate(items.1 as usize);
        self.done.truncate(done.1 as usize);
        self.known.forget();
        for (at, item) in (0..).zip(&self.items).skip(items.0 as usize) {
            let origin = self.bindings.origin(item.origin, item.binding);
            self.known
                .add(u64::from(item.dot) << 32 | u64::from(origin), at);
        }
        items.0 as usize
    }

    /// Returns the sets, in order, where an element of an unfinished repetition begins or can
    /// begin. A repetition is unfinished if an item at the last set is within it.
    pub fn openings(&self, input: ParseInput<'_>) -> Vec<u32> {
        let ParseInput {
            grammar,
            tables,
            fuel,
            ..
        } = input;
        let Some(last) = self.sets.last() else {
            return Vec::new();
        };
        let now = self.sets.len() as u32 - 1;
        let mut open: Vec<(u32, u32)> = (last.kernel[0].0..self.items.len() as u32)
            .map(|item| (now, item))
            .collect();
        let (mut known, mut openings) = (HashSet::new(), Vec::new());
        while let Some((set, at)) = open.pop() {
            fuel.spend(1);
            let item = self.item(at);
            let dot = tables.dots[item.dot() as usize];
            if matches!(grammar[dot.symbol].kind, Kind::Repeat { .. }) && dot.next.is_some() {
                openings.push(set);
            }
            let key = key(dot.symbol, item.is_adjacent());
            if known.insert((item.origin, key)) {
                let first = self.waiting(item.origin, key);
                let waiting = std::iter::successors(Some(first), |&at| {
                    Some(self.items.get(at as usize)?.link)
                });
                open.extend(
                    waiting
                        .take_while(|&at| at != NONE)
                        .map(|at| (item.origin, at)),
                );
            }
        }
        openings.sort_unstable();
        openings.dedup();
        openings
    }

    /// Returns the completed lexemes that end at a set.
    fn lexemes(&self, set: u32) -> &[CompletedItem] {
        let (from, to) = self.sets[set as usize].kernel[1];
        &self.done[from as usize..to as usize]
    }

    /// Returns the index in `waits` where the range of a set begins.
    fn waits_from(&self, set: u32) -> usize {
        match set {
            0 => 0,
            _ => self.sets[set as usize - 1].waits.1 as usize,
        }
    }

    /// Returns the head of the linked list of the items of a finished set that wait for a key, or
    /// `NONE`. [`Item::link`] is the next item of the list.
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

    /// Returns the item of a set that waits for a key and has the identity `wanted`.
    #[inline(always)]
    pub fn find(&self, (set, key): (u32, Key), wanted: ItemKey, fuel: &Fuel) -> Option<u32> {
        // In an ambiguous text, the number of waiting items can grow with the text. So the index is
        // built once the linear searches have taken as long as building it takes.
        if self.searched.load(Ordering::Relaxed) <= self.items.len() {
            let mut waiting = self.waiting(set, key);
            while let Some(item) = self.items.get(waiting as usize) {
                fuel.spend(1);
                // Only one thread uses a chart at a time, so the increment need not be atomic.
                let searched = self.searched.load(Ordering::Relaxed);
                self.searched.store(searched + 1, Ordering::Relaxed);
                if item.identity() == wanted {
                    return Some(waiting);
                }
                waiting = item.link;
            }
            return None;
        }
        self.item_index
            .get_or_init(|| self.index_items(fuel))
            .get(&(set, wanted))
            .copied()
    }

    /// Returns the index of each item, by set and identity.
    #[cold]
    fn index_items(&self, fuel: &Fuel) -> HashMap<(u32, ItemKey), u32> {
        fuel.spend(self.items.len());
        let ends = self
            .sets
            .iter()
            .skip(1)
            .map(|set| set.kernel[0].0)
            .chain([self.items.len() as u32]);
        let of_set = |((set, from), to): ((u32, &ItemSet), u32)| {
            (from.kernel[0].0..to).map(move |at| (set, at))
        };
        let all = (0..).zip(&self.sets).zip(ends).flat_map(of_set);
        all.map(|(set, at)| ((set, self.item(at).identity()), at))
            .collect()
    }

    /// Returns the symbols that items of the last set wait for. The lexemes among them are the
    /// tokens that could have come next.
    pub fn expected(&self) -> impl Iterator<Item = SymbolId> + '_ {
        let (from, to) = self.sets.last().map_or((0, 0), |set| set.waits);
        self.waits[from as usize..to as usize]
            .iter()
            .map(|(key, _)| SymbolId(key >> 1))
    }

    /// Returns the captured texts that could have been repeated next.
    pub fn expected_repetitions(&self, tables: &ParserTables) -> Vec<&[u8]> {
        let first = self.sets.last().map_or(0, |set| set.kernel[0].0);
        let of_item = |item: &Item| {
            let next = tables.dots[item.dot() as usize].next?;
            match tables.capture_role(next.symbol) {
                CaptureRole::Same { of, .. } => self.bindings.captured(item.binding, of),
                _ => None,
            }
        };
        self.items[first as usize..]
            .iter()
            .filter_map(of_item)
            .collect()
    }

    pub fn counts(&self) -> (usize, usize) {
        (self.items.len(), self.done.len())
    }

    pub fn item(&self, item: u32) -> &Item {
        &self.items[item as usize]
    }

    pub fn done(&self, done: u32) -> &CompletedItem {
        &self.done[done as usize]
    }

    /// Returns the indices of the completed items of a set.
    pub fn done_at(&self, set: u32) -> Range<u32> {
        let (from, to) = self.sets[set as usize].done;
        from..to
    }

    /// Calls a function with the completed items of a symbol at a set. If the set has more than
    /// [`FEW`] completed items, calls it only with the first one for each key and origin.
    #[inline(always)]
    pub fn each_done(&self, set: u32, symbol: SymbolId, fuel: &Fuel, mut found: impl FnMut(u32)) {
        let range = self.done_at(set);
        if range.len() <= FEW {
            fuel.spend(1);
            return range
                .filter(|&at| self.done(at).key >> 1 == symbol.0)
                .for_each(found);
        }
        let index = &self.done_index.get_or_init(|| self.index_done(fuel))[span(&range)];
        let from = index.partition_point(|&at| self.done(at).key >> 1 < symbol.0);
        let all = index[from..]
            .iter()
            .take_while(|&&at| self.done(at).key >> 1 == symbol.0);
        let mut last = None;
        for &at in all {
            let CompletedItem { key, origin, .. } = *self.done(at);
            if last.replace((key, origin)) != Some((key, origin)) {
                fuel.spend(1);
                found(at);
            }
        }
    }

    /// Returns the indices of all completed items, those of each set in the order of their symbols
    /// and origins.
    #[cold]
    fn index_done(&self, fuel: &Fuel) -> Vec<u32> {
        fuel.spend(4 * self.done.len());
        let mut index: Vec<u32> = (0..self.done.len() as u32).collect();
        for set in &self.sets {
            index[set.done.0 as usize..set.done.1 as usize]
                .sort_unstable_by_key(|&at| (self.done(at).key, self.done(at).origin, at));
        }
        index
    }

    /// Returns the completed items of one symbol over one part of the text, with their indices.
    /// `first` is the first of these items.
    pub fn same(&self, first: u32) -> impl Iterator<Item = (u32, &CompletedItem)> {
        let get = |at: u32| self.done.get(at as usize).map(|done| (at, done));
        std::iter::successors(get(first), move |(_, done)| get(done.next))
    }

    /// Adds a completed item to the last set. `first` is the first completed item of the same
    /// symbol and origin in this set, if there is one.
    fn add_done(&mut self, item: CompletedItem, first: Option<u32>, fuel: &Fuel) {
        let new = self.done.len() as u32;
        self.done.push(item);
        let Some(mut last) = first else { return };
        while self.done[last as usize].next != NONE {
            last = self.done[last as usize].next;
            fuel.spend(1);
        }
        self.done[last as usize].next = new;
    }
}
