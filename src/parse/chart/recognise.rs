//! The recogniser. It builds the chart of a text set by set, and so finds whether the text is a
//! sentence.

mod shift;

use super::predict::Lookahead;
use super::{Advance, Chart, CompletedItem, FEW, Item, ItemKey, ItemSet, NONE, SEVERAL, key};
use crate::grammar::SymbolId;
use crate::parse::bindings::UNBOUND;
use crate::parse::tables::DotId;
use crate::parse::{Failure, ParseInput};

/// The value of [`Item::step`](super::Item) for a predicted item.
const BEGINNING: Advance = Advance {
    before: NONE,
    part: NONE,
};

/// The state of the recogniser at the last set of the chart.
pub struct Recogniser<'a> {
    input: ParseInput<'a>,
    chart: &'a mut Chart,
    /// The current set.
    now: u32,
    /// The offset in the text where the next layout and tokens are read.
    at: u32,
    /// The index of the first item of the current set.
    first: usize,
    /// The value of [`ItemSet::splits`] for the current set.
    splits: bool,
    /// The lookahead sets: tokens that begin directly at `at`, and all tokens.
    lookaheads: [Lookahead; 2],
}

impl<'a> Recogniser<'a> {
    /// Builds the chart of a text. Returns whether the text is a sentence. If it is not, the last
    /// set is at the syntax error.
    pub fn run(input: ParseInput<'a>, chart: &'a mut Chart) -> Result<bool, Failure> {
        u32::try_from(input.text.len()).map_err(|_| Failure::TooLarge(0))?;
        chart.clear(input.grammar);
        let mut recogniser = Recogniser::new(input, chart, (0, 0), 0);
        recogniser.begin(0);
        recogniser.sets()
    }

    /// Parses the text up to a set, followed by the text from offset `at`. Everything between them
    /// is cut out. `at` must not be before the set, and the chart must be that of a previous call
    /// for this text. Returns whether the result is a sentence.
    pub fn resume(
        input: ParseInput<'a>,
        chart: &'a mut Chart,
        (set, at): (u32, u32),
    ) -> Result<bool, Failure> {
        let first = chart.reopen(set);
        Recogniser::new(input, chart, (set, at), first).sets()
    }

    fn new(
        input: ParseInput<'a>,
        chart: &'a mut Chart,
        (now, at): (u32, u32),
        first: usize,
    ) -> Recogniser<'a> {
        Recogniser {
            input,
            chart,
            now,
            at,
            first,
            splits: false,
            lookaheads: Default::default(),
        }
    }

    /// Finishes the current set and builds all sets after it. Returns whether the text is a
    /// sentence.
    fn sets(&mut self) -> Result<bool, Failure> {
        let start = self.input.grammar.start();
        loop {
            self.look_ahead();
            self.close();
            self.shift_out();
            let mut next = self.next();
            self.check()?;
            let is_sentence = next.is_none()
                && self.at as usize == self.input.text.len()
                && self.is_complete(start);
            if next.is_none() && !is_sentence {
                // A token may have been dropped because the text after it cannot follow it. Report
                // the error after that token.
                let is_more = self.chart.tokens.restore();
                self.widen();
                if is_more {
                    self.shift_out();
                    next = self.next();
                }
                self.check()?;
            }
            self.end();
            match next {
                Some(next) => self.begin(next),
                None => return Ok(is_sentence),
            }
        }
    }

    /// # Errors
    /// If the text takes too many steps or too much memory.
    fn check(&self) -> Result<(), Failure> {
        let fuel = self.input.fuel;
        fuel.check_memory(self.chart.memory());
        fuel.check(self.chart.sets[self.now as usize].token as usize)
    }

    /// Returns the offset of the next set: the first end of a token that items wait for.
    fn next(&self) -> Option<u32> {
        self.chart.shifted.peek().map(|shifted| shifted.0.to)
    }

    /// Returns whether a symbol derives the whole text up to the current set.
    fn is_complete(&self, symbol: SymbolId) -> bool {
        let (text, tables, chart) = (self.input.text, self.input.tables, &*self.chart);
        let first = chart.sets[self.now as usize].done.0 as usize;
        text.is_empty() && tables.empty[symbol.0 as usize]
            || chart.done[first..]
                .iter()
                .any(|done| (done.key, done.origin) == (key(symbol, false), 0))
    }

    /// Builds the current set again without lookahead, so that it has all symbols that could have
    /// come next.
    fn widen(&mut self) {
        for lookahead in &mut self.chart.lookahead {
            lookahead.fill(u64::MAX);
        }
        self.remember();
        let from = self.chart.waits_from(self.now);
        for &(key, _) in &self.chart.waits[from..] {
            self.chart.heads[key as usize] = NONE;
        }
        self.chart.restart(self.now);
        self.close();
    }

    /// Begins a set at an offset with the items that waited for it.
    fn begin(&mut self, at: u32) {
        (self.now, self.at) = (self.chart.sets.len() as u32, at);
        self.first = self.chart.items.len();
        self.chart.known.forget();
        let (items, done) = (self.first as u32, self.chart.done.len() as u32);
        let kernel = [(items, items), (done, done)];
        self.chart.sets.push(ItemSet {
            at,
            token: at,
            waits: (0, 0),
            done: (done, done),
            kernel,
            splits: false,
        });
        if at == 0 {
            // All alternatives are added without lookahead, because the text can be empty or
            // consist of layout.
            for &dot in self.input.tables.entries(self.input.grammar.start()) {
                self.add(unbound(dot << 1, 0), BEGINNING);
            }
        }
        self.shift_in(at);
        let Chart {
            sets, items, done, ..
        } = &mut *self.chart;
        let [kernel, lexemes] = &mut sets[self.now as usize].kernel;
        (kernel.1, lexemes.1) = (items.len() as u32, done.len() as u32);
    }

    /// Looks up the numbers of the lookahead sets in the cache of predictions.
    fn remember(&mut self) {
        let Chart {
            predictions,
            lookahead: [adjacent, any],
            ..
        } = &mut *self.chart;
        self.lookaheads = predictions.lookaheads([adjacent, any]);
    }

    /// Adds an item to the current set. If the set already has the item, made in another way, marks
    /// it as made in several ways.
    #[inline(always)]
    fn add(&mut self, item: ItemKey, step: Advance) {
        let Chart {
            items,
            known,
            bindings,
            ..
        } = &mut *self.chart;
        let ItemKey {
            dot,
            origin,
            binding,
        } = item;
        let number = u64::from(dot) << 32 | u64::from(bindings.origin(origin, binding));
        match known.add(number, items.len() as u32) {
            None => items.push(Item {
                dot,
                origin,
                binding,
                link: NONE,
                step,
            }),
            Some(item) => {
                let known = &mut items[item as usize].step;
                if *known != step {
                    known.before = SEVERAL;
                }
            }
        }
    }

    /// Predicts a symbol: adds items for its alternatives that can begin with a token that comes
    /// next.
    #[inline(always)]
    fn predict(&mut self, symbol: SymbolId, is_adjacent: bool) {
        let lookahead = self.lookaheads[usize::from(!is_adjacent)];
        let mut at = self
            .chart
            .predictions
            .beginnings(self.input.tables, symbol, lookahead);
        while let Some(dot) = self.chart.predictions.dot(at) {
            let dot = dot << 1 | u32::from(is_adjacent);
            // Each symbol is predicted once in a set, so its items are new. Only set 0 begins with
            // predicted items.
            if self.now > 0 {
                self.chart.items.push(Item {
                    dot,
                    origin: self.now,
                    binding: UNBOUND,
                    link: NONE,
                    step: BEGINNING,
                });
            } else {
                self.add(unbound(dot, self.now), BEGINNING);
            }
            at += 1;
        }
    }

    /// Predicts and completes until no item is added to the current set.
    fn close(&mut self) {
        let ParseInput { tables, fuel, .. } = self.input;
        // The number of items that the memory limit allows.
        let room = fuel.memory() / size_of::<Item>();
        let mut at = self.first;
        let (mut completions, max) = (0, fuel.left());
        while at < self.chart.items.len() {
            let item = self.chart.items[at];
            let dot = tables.dots[item.dot() as usize];
            if dot.ends && item.origin != self.now && self.may_follow(dot.symbol) {
                completions += self.complete(dot.symbol, at as u32);
                if self.chart.items.len() > room || completions > max {
                    break;
                }
            }
            if let Some(child) = dot.next {
                let is_adjacent = self.splits
                    && (child.is_adjacent || item.origin == self.now && item.is_adjacent());
                let key = key(child.symbol, is_adjacent);
                let head = std::mem::replace(&mut self.chart.heads[key as usize], at as u32);
                self.chart.items[at].link = head;
                if head == NONE {
                    self.chart.waits.push((key, 0));
                    self.predict(child.symbol, is_adjacent);
                }
                if tables.empty[child.symbol.0 as usize] && self.may_continue(dot.after) {
                    let step = Advance {
                        before: at as u32,
                        part: NONE,
                    };
                    let dot = dot.after << 1 | u32::from(item.is_adjacent());
                    self.add(
                        ItemKey {
                            dot,
                            ..item.identity()
                        },
                        step,
                    );
                }
            }
            at += 1;
        }
        fuel.spend(completions as usize + at - self.first);
    }

    /// Returns whether a token that comes next can follow a symbol.
    #[inline(always)]
    fn may_follow(&self, symbol: SymbolId) -> bool {
        self.input
            .tables
            .may_precede(symbol, &self.chart.lookahead[1])
    }

    /// Returns `false` if no token that comes next can come at a dot (see
    /// [`ParserTables::may_continue`](crate::parse::tables::ParserTables::may_continue)).
    #[inline(always)]
    fn may_continue(&self, dot: DotId) -> bool {
        self.input
            .tables
            .may_continue(dot, &self.chart.lookahead[1])
    }

    /// Completes the symbol of the item at `index`: moves the dots of the items that waited for the
    /// symbol. Returns the steps taken.
    #[inline(always)]
    fn complete(&mut self, symbol: SymbolId, index: u32) -> u64 {
        let item = self.chart.items[index as usize];
        let (key, part) = (
            key(symbol, item.is_adjacent()),
            self.chart.done.len() as u32,
        );
        let first = self.chart.known.add(
            u64::from(key) << 32 | u64::from(item.origin) | 1 << 63,
            part,
        );
        let completed = CompletedItem::new(key, item.origin, index);
        self.chart.add_done(completed, first, self.input.fuel);
        if first.is_some() {
            return 1;
        }
        let (mut waiting, mut steps) = (self.chart.waiting(item.origin, key), 0);
        while waiting != NONE {
            steps += 1;
            let item = self.chart.items[waiting as usize];
            let after = self.input.tables.dots[item.dot() as usize].after;
            if self.may_continue(after) {
                let dot = after << 1 | item.dot & 1;
                let step = Advance {
                    before: waiting,
                    part,
                };
                self.add(
                    ItemKey {
                        dot,
                        ..item.identity()
                    },
                    step,
                );
            }
            waiting = item.link;
        }
        steps
    }

    /// Ends the current set: records its ranges in the chart.
    fn end(&mut self) {
        let from = self.chart.waits_from(self.now);
        let Chart {
            waits,
            heads,
            sets,
            done,
            ..
        } = &mut *self.chart;
        for (key, head) in &mut waits[from..] {
            *head = std::mem::replace(&mut heads[*key as usize], NONE);
        }
        if waits.len() - from > FEW {
            waits[from..].sort_unstable_by_key(|&(key, _)| key);
        }
        let set = sets.last_mut().expect("a set was begun");
        set.waits = (from as u32, waits.len() as u32);
        set.done.1 = done.len() as u32;
    }
}

/// Returns the key of an item at the beginning of its symbol.
fn unbound(dot: u32, origin: u32) -> ItemKey {
    ItemKey {
        dot,
        origin,
        binding: UNBOUND,
    }
}
