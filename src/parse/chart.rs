//! Which symbols derive which parts of a text: Earley's algorithm (CACM 1970) over tokens that are found where they may stand.
//!
//! A set of items belongs to the end of a token. An item is a dot, the set where its symbol begins, and whether the first token
//! of the symbol has to adjoin; that matters only where there is layout behind the set. Predictions and completions look one
//! token ahead. A symbol that may be empty is passed when it is predicted (Aycock, Horspool, *Practical Earley Parsing*, 2002).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::Error;
use super::known::Known;
use super::scan::{Found, Scanner, Tokens, Veto};
use super::sets;
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
    /// Its first item, and behind those that it begins with; the same of what is complete.
    kernel: [(u32, u32); 2],
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

/// A parse up to its last set.
pub struct Recogniser<'a> {
    grammar: &'a Grammar,
    tables: &'a Tables,
    scanner: &'a Scanner,
    text: &'a [u8],
    chart: &'a mut Chart,
    /// The set in the making.
    now: u32,
    /// Where the text goes on behind it.
    at: u32,
    /// Its first item.
    first: usize,
    /// Whether there is layout behind it.
    gap: bool,
}

impl<'a> Recogniser<'a> {
    /// Whether the text is a sentence; otherwise the last set is where it stops to be one.
    pub fn run(
        grammar: &'a Grammar,
        tables: &'a Tables,
        scanner: &'a Scanner,
        text: &'a [u8],
        chart: &'a mut Chart,
    ) -> Result<bool, Error> {
        u32::try_from(text.len()).map_err(|_| Error::TooLong)?;
        chart.sets.clear();
        chart.items.clear();
        chart.waits.clear();
        chart.done.clear();
        chart.shifted.clear();
        chart.heads.clear();
        chart.heads.resize(2 * grammar.symbols().len(), NONE);
        let mut recogniser = Recogniser { grammar, tables, scanner, text, chart, now: 0, at: 0, first: 0, gap: false };
        recogniser.begin(0);
        Ok(recogniser.sets())
    }

    /// The same with the text up to a set, then the text from byte `at` on, which is not before the set.
    pub fn resume(
        grammar: &'a Grammar,
        tables: &'a Tables,
        scanner: &'a Scanner,
        text: &'a [u8],
        chart: &'a mut Chart,
        (set, at): (u32, u32),
    ) -> bool {
        let first = chart.reopen(set);
        Recogniser { grammar, tables, scanner, text, chart, now: set, at, first, gap: false }.sets()
    }

    fn sets(&mut self) -> bool {
        let start = self.grammar.start();
        loop {
            self.look_ahead();
            self.close();
            self.shift_out();
            let mut next = self.next();
            let is_sentence = next.is_none() && self.at as usize == self.text.len() && self.is_complete(start);
            if next.is_none() && !is_sentence {
                // Where a sentence ends is behind a token that could be one.
                let is_more = self.chart.tokens.restore();
                self.widen();
                if is_more {
                    self.shift_out();
                    next = self.next();
                }
            }
            self.end();
            match next {
                Some(next) => self.begin(next),
                None => return is_sentence,
            }
        }
    }

    /// Where the next token ends that something waits for.
    fn next(&self) -> Option<u32> {
        self.chart.shifted.peek().map(|shifted| shifted.0.to)
    }

    /// Whether the text so far is one that a symbol derives.
    fn is_complete(&self, symbol: SymbolId) -> bool {
        let whole = Done { key: key(symbol, false), origin: 0, how: NONE };
        let first = self.chart.sets[self.now as usize].done.0 as usize;
        self.text.is_empty() && self.tables.empty[symbol.0 as usize]
            || self.chart.done[first..].iter().any(|done| Done { how: NONE, ..*done } == whole)
    }

    /// Predicts whatever might have come next.
    fn widen(&mut self) {
        for look in &mut self.chart.look {
            look.fill(u64::MAX);
        }
        let from = self.chart.waits_from(self.now);
        for (key, _) in self.chart.waits.drain(from..) {
            self.chart.heads[key as usize] = NONE;
        }
        self.close();
    }

    /// Begins a set with what waited for it.
    fn begin(&mut self, at: u32) {
        (self.now, self.at) = (self.chart.sets.len() as u32, at);
        self.first = self.chart.items.len();
        self.chart.known.forget();
        let (items, done) = (self.first as u32, self.chart.done.len() as u32);
        let kernel = [(items, items), (done, done)];
        self.chart.sets.push(Set { at, token: at, waits: (0, 0), done: (done, done), kernel });
        if at == 0 {
            // Whatever comes: the text may be empty but for layout.
            for &dot in self.tables.entries(self.grammar.start()) {
                self.add(dot << 1, 0, NONE);
            }
        }
        self.shift_in(at);
        let Chart { sets, items, done, .. } = &mut *self.chart;
        let [kernel, complete] = &mut sets[self.now as usize].kernel;
        (kernel.1, complete.1) = (items.len() as u32, done.len() as u32);
    }

    /// Finds the tokens that may come next.
    fn look_ahead(&mut self) {
        let at = self.at;
        let Chart { tokens, look, wanted, items, vetoes, .. } = &mut *self.chart;
        for set in look.iter_mut().chain([&mut *wanted]) {
            set.clear();
            set.resize(self.tables.end / 64 + 1, 0);
        }
        items[self.first..].iter().for_each(|item| self.tables.add_next(item.dot(), wanted));
        let token = self.scanner.read(self.grammar, self.text, at, wanted, vetoes, tokens);
        // What need not adjoin may come at both places.
        for found in &tokens.found {
            sets::add(&mut look[1], found.terminal as usize);
            if found.from == at {
                sets::add(&mut look[0], found.terminal as usize);
            }
        }
        if token as usize == self.text.len() {
            look.iter_mut().for_each(|look| sets::add(look, self.tables.end));
        }
        self.gap = token != at;
        self.chart.sets[self.now as usize].token = token;
    }

    /// The items that waited for the end of a token here.
    fn shift_in(&mut self, at: u32) {
        while let Some(&Reverse(Shifted { to, dot, origin, done })) = self.chart.shifted.peek() {
            if to != at {
                break;
            }
            self.chart.shifted.pop();
            let first = self.chart.sets[self.now as usize].done.0 as usize;
            if !self.chart.done[first..].contains(&done) {
                self.chart.done.push(done);
            }
            self.add(dot, origin, done.origin);
        }
    }

    #[inline(always)]
    fn add(&mut self, dot: u32, origin: u32, part: u32) {
        let Chart { items, known, .. } = &mut *self.chart;
        match known.add(u64::from(dot) << 32 | u64::from(origin), items.len() as u32) {
            None => items.push(Item { dot, origin, link: NONE, part }),
            Some(item) => {
                let known = &mut items[item as usize].part;
                *known = if *known == part { part } else { SEVERAL };
            }
        }
    }

    /// Adds the beginnings of a symbol, as far as they fit what comes next.
    #[inline(always)]
    fn predict(&mut self, symbol: SymbolId, adjoins: bool) {
        let tables = self.tables;
        for &dot in tables.entries(symbol) {
            if tables.begins_with(dot, &self.chart.look[usize::from(!adjoins)]) {
                self.add(dot << 1 | u32::from(adjoins), self.now, NONE);
            }
        }
    }

    /// Predicts and completes until nothing is new.
    fn close(&mut self) {
        let tables = self.tables;
        let mut at = self.first;
        while at < self.chart.items.len() {
            let item = self.chart.items[at];
            let dot = tables.dots[item.dot() as usize];
            if dot.ends && item.origin != self.now && self.may_follow(dot.symbol) {
                self.complete(dot.symbol, at as u32);
            }
            if let Some(child) = dot.next {
                let adjoins = self.gap && (child.adjoins || item.origin == self.now && item.adjoins());
                let key = key(child.symbol, adjoins);
                let head = std::mem::replace(&mut self.chart.heads[key as usize], at as u32);
                self.chart.items[at].link = head;
                if head == NONE {
                    self.chart.waits.push((key, 0));
                    self.predict(child.symbol, adjoins);
                }
                if tables.empty[child.symbol.0 as usize] {
                    self.add(dot.after << 1 | u32::from(item.adjoins()), item.origin, self.now);
                }
            }
            at += 1;
        }
    }

    /// Whether what comes next may come after a symbol.
    #[inline(always)]
    fn may_follow(&self, symbol: SymbolId) -> bool {
        self.tables.may_precede(symbol, &self.chart.look[1])
    }

    #[inline(always)]
    fn complete(&mut self, symbol: SymbolId, index: u32) {
        let item = self.chart.items[index as usize];
        let key = key(symbol, item.adjoins());
        self.chart.done.push(Done { key, origin: item.origin, how: index });
        if self.chart.known.add(u64::from(key) << 32 | u64::from(item.origin) | 1 << 63, 0).is_some() {
            return;
        }
        let mut waiting = self.chart.waiting(item.origin, key);
        while waiting != NONE {
            let Item { dot, origin, link, .. } = self.chart.items[waiting as usize];
            let after = self.tables.dots[(dot >> 1) as usize].after;
            self.add(after << 1 | dot & 1, origin, item.origin);
            waiting = link;
        }
    }

    /// Sends the items that wait for tokens to where these end.
    fn shift_out(&mut self) {
        let (at, token) = (self.at, self.chart.sets[self.now as usize].token);
        for wait in self.chart.waits_from(self.now)..self.chart.waits.len() {
            let (key, _) = self.chart.waits[wait];
            let symbol = SymbolId(key >> 1);
            let Kind::Lexeme { layout, .. } = self.grammar[symbol].kind else { continue };
            let is_loose = layout && key & 1 == 0;
            for found in 0..self.chart.tokens.found.len() {
                let Found { terminal, from, to, .. } = self.chart.tokens.found[found];
                let fits = self.tables.terminal(symbol) == Some(terminal as usize) && (from == at || is_loose);
                if fits && self.chart.vetoes.binary_search(&Veto { from, to, symbol: symbol.0 }).is_err() {
                    self.send(key, from, to);
                }
            }
            // The layout behind the last token.
            if is_loose && self.gap && token as usize == self.text.len() && self.tables.empty[symbol.0 as usize] {
                self.send(key, token, token);
            }
        }
    }

    fn send(&mut self, key: Key, from: u32, to: u32) {
        let done = Done { key, origin: self.now, how: from };
        let mut waiting = self.chart.heads[key as usize];
        while waiting != NONE {
            let Item { dot, origin, link, .. } = self.chart.items[waiting as usize];
            let after = self.tables.dots[(dot >> 1) as usize].after;
            self.chart.shifted.push(Reverse(Shifted { to, dot: after << 1 | dot & 1, origin, done }));
            waiting = link;
        }
    }

    /// Ends the set.
    fn end(&mut self) {
        let from = self.chart.waits_from(self.now);
        let Chart { waits, heads, sets, done, .. } = &mut *self.chart;
        for (key, head) in &mut waits[from..] {
            *head = std::mem::replace(&mut heads[*key as usize], NONE);
        }
        waits[from..].sort_unstable_by_key(|&(key, _)| key);
        let set = sets.last_mut().expect("a set was begun");
        set.waits = (from as u32, waits.len() as u32);
        set.done.1 = done.len() as u32;
        done[set.done.0 as usize..].sort_unstable_by_key(|done| (done.key, std::cmp::Reverse(done.origin), done.how));
    }
}

impl Chart {
    /// Goes back to the beginning of a set; its first item.
    fn reopen(&mut self, set: u32) -> usize {
        let Set { kernel: [items, done], .. } = self.sets[set as usize];
        let waits = self.waits_from(set);
        self.sets.truncate(set as usize + 1);
        self.waits.truncate(waits);
        self.items.truncate(items.1 as usize);
        self.done.truncate(done.1 as usize);
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
        let mut open: Vec<(u32, u32)> = (last.kernel[0].0..self.items.len() as u32).map(|item| (now, item)).collect();
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
