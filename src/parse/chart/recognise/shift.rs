//! Scanning, the third operation of Earley's algorithm besides prediction and completion.
//!
//! Scanning finds the tokens that can come next at a set. The dots of the items that wait for a
//! token move over it, and these items are added to the set at the end of the token.

use std::cmp::Reverse;

use super::Recogniser;
use crate::grammar::{Kind, SymbolId, sets};
use crate::parse::ParseInput;
use crate::parse::chart::{
    Advance, Chart, CompletedItem, FEW, ItemKey, Key, NONE, Shifted, separators,
};
use crate::parse::scan::{BlockedToken, Found, TokenSearch};
use crate::parse::tables::DotId;

impl Recogniser<'_> {
    /// Finds the tokens that can come next, and the lookahead sets.
    pub fn look_ahead(&mut self) {
        let at = self.at;
        let Chart {
            tokens,
            lookahead,
            wanted,
            items,
            blocked,
            bindings,
            ..
        } = &mut *self.chart;
        for set in lookahead.iter_mut().chain([&mut *wanted]) {
            set.clear();
            set.resize(self.input.tables.words(), 0);
        }
        items[self.first..]
            .iter()
            .for_each(|item| self.input.tables.add_next(item.dot(), wanted));
        let search = TokenSearch {
            at,
            wanted,
            blocked,
            bindings,
        };
        let token = self.input.scanner.read(self.input, search, tokens);
        if token as usize == self.input.text.len() {
            for lookahead in lookahead {
                sets::add(lookahead, self.input.tables.end());
            }
        }
        self.splits = token != at;
        let mut preceding = std::mem::take(&mut self.chart.preceding);
        separators::meet(self.input, self.chart, at, &mut preceding);
        for found in 0..self.chart.tokens.found.len() {
            let Found {
                terminal, from, to, ..
            } = self.chart.tokens.found[found];
            let bit = self.input.tables.bit(terminal as usize);
            let is_separated = from == at
                && separators::is_separated(self.input, &preceding, terminal, (to - from) as usize);
            self.splits |= is_separated;
            let Chart {
                tokens, lookahead, ..
            } = &mut *self.chart;
            tokens.found[found].is_separated = is_separated;
            // A token that need not be adjacent can begin directly at the set or after the layout.
            sets::add(&mut lookahead[1], bit);
            if from == at {
                sets::add(&mut lookahead[0], bit);
            }
        }
        self.chart.preceding = preceding;
        let set = &mut self.chart.sets[self.now as usize];
        (set.token, set.splits) = (token, self.splits);
        self.remember();
    }

    /// Adds the items that waited for the end of a token at offset `at` to the current set.
    pub fn shift_in(&mut self, at: u32) {
        // A completed lexeme is found by linear search if there are few of them, otherwise in the
        // map.
        let (first, mut is_mapped) = (self.chart.sets[self.now as usize].done.0, false);
        while let Some(&Reverse(Shifted {
            to,
            item,
            lexeme: (key, from, how),
            before,
        })) = self.chart.shifted.peek()
        {
            if to != at {
                break;
            }
            self.chart.shifted.pop();
            let last = self.chart.done.len() as u32;
            let number = |key: Key, from: u32| u64::from(key) << 32 | u64::from(from) | 1 << 63;
            let same = if last - first < FEW as u32 {
                let is_same = |done: &CompletedItem| (done.key, done.origin) == (key, from);
                (first..last).find(|&done| is_same(&self.chart.done[done as usize]))
            } else {
                let Chart { done, known, .. } = &mut *self.chart;
                if !std::mem::replace(&mut is_mapped, true) {
                    (first..last)
                        .zip(&done[first as usize..])
                        .for_each(|(at, done)| {
                            known.add(number(done.key, done.origin), at);
                        });
                }
                known.add(number(key, from), last)
            };
            if !same.is_some_and(|same| self.chart.same(same).any(|(_, done)| done.how == how)) {
                let completed = CompletedItem::new(key, from, how);
                self.chart.add_done(completed, same, self.input.fuel);
            }
            self.add(
                item,
                Advance {
                    before,
                    part: same.unwrap_or(last),
                },
            );
        }
    }

    /// Moves the dots of the items of the current set over the tokens that were found.
    pub fn shift_out(&mut self) {
        let (at, token) = (self.at, self.chart.sets[self.now as usize].token);
        for wait in self.chart.waits_from(self.now)..self.chart.waits.len() {
            let (key, _) = self.chart.waits[wait];
            let symbol = SymbolId(key >> 1);
            let Some(terminal) = self.input.tables.terminal(symbol) else {
                continue;
            };
            let Kind::Lexeme { layout, .. } = self.input.grammar[symbol].kind else {
                continue;
            };
            if self.input.fuel.is_spent() {
                break;
            }
            self.input.fuel.spend(self.chart.tokens.found.len());
            let is_loose = layout && key & 1 == 0;
            for found in 0..self.chart.tokens.found.len() {
                let token = self.chart.tokens.found[found];
                let Found {
                    from,
                    to,
                    is_separated,
                    ..
                } = token;
                let fits = token.terminal as usize == terminal
                    && if is_loose { !is_separated } else { from == at };
                if fits
                    && self
                        .chart
                        .blocked
                        .binary_search(&BlockedToken {
                            from,
                            to,
                            symbol: symbol.0,
                        })
                        .is_err()
                {
                    self.send(key, from, to, |_| true);
                }
            }
            // A lexeme without text can have layout before it. Only such a lexeme allows layout at
            // the end of the text, or before a token that must be adjacent.
            if is_loose && token != at && self.input.tables.empty[symbol.0 as usize] {
                let ParseInput {
                    tables,
                    scanner,
                    text,
                    ..
                } = self.input;
                let may_be_adjacent = |child| scanner.adjacency.may_be_adjacent(tables, child);
                let is_end = token as usize == text.len();
                self.send(key, token, token, |after| {
                    is_end || tables.dots[after as usize].next.is_none_or(may_be_adjacent)
                });
            }
        }
    }

    /// Moves the dots of the items that wait for a lexeme over its token, which is the text
    /// `from..to`. It skips an item if `fits` is `false` for its dot after the token.
    fn send(&mut self, key: Key, from: u32, to: u32, fits: impl Fn(DotId) -> bool) {
        let (mut waiting, mut steps) = (self.chart.heads[key as usize], 0);
        let role = self.input.tables.capture_role(SymbolId(key >> 1));
        let text = &self.input.text[from as usize..to as usize];
        while waiting != NONE {
            steps += 1;
            let item = self.chart.items[waiting as usize];
            let after = self.input.tables.dots[item.dot() as usize].after;
            if fits(after)
                && let Some(binding) = self.chart.bindings.after(item.binding, role, text)
            {
                let item = ItemKey {
                    dot: after << 1 | item.dot & 1,
                    binding,
                    ..item.identity()
                };
                self.chart.shifted.push(Reverse(Shifted {
                    to,
                    item,
                    lexeme: (key, self.now, from),
                    before: waiting,
                }));
            }
            waiting = item.link;
        }
        let fuel = self.input.fuel;
        fuel.spend(steps);
        fuel.check_memory(self.chart.shifted.len() * size_of::<Shifted>());
    }
}
