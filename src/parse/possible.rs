//! Finds which instances of its symbol each part of a text fits, from the chart of the text.
//!
//! An *instance* is a symbol with values for its arguments. The chart is built with the erased
//! grammar, whose rules take no arguments. Where this grammar is ambiguous, the derivation that the
//! parser prefers may fit no values, although another derivation does.
//!
//! This module finds the instances for all derivations in the chart at once, from the tokens to the
//! start symbol. The set of an item has each instance of its symbol that the children before its
//! dot fit in at least one way. The extraction then makes only choices that fit.
//!
//! The set of each item is computed once, unless parts derive themselves. The time is at most the
//! number of ways in which these items were made, times the number of instances of a symbol.

use super::chart::{Advance, Chart, ItemKey, NONE, key};
use super::instance_sets::{InstanceSets, NOTHING, TOKEN};
use super::instances::{EmptyParts, InstanceTable};
use super::tables::{CaptureRole, Dot, DotId};
use super::{Failure, ParseInput};
use crate::grammar::{Kind, SymbolId, sets};

/// The set of an entry that is not computed yet.
const UNKNOWN: u32 = u32::MAX;

/// The set of an entry that is being computed.
const OPEN: u32 = NOTHING;

/// A symbol of the erased grammar over a part of a text. `done` is its first completed item over
/// this part, or `NONE` if the part is empty. `to` is the set where the part ends.
#[derive(Clone, Copy, Debug)]
pub struct Constituent {
    pub symbol: SymbolId,
    pub done: u32,
    pub to: u32,
}

/// A part or an item whose set of instances is still to be computed.
#[derive(Clone, Copy, Debug)]
enum Need {
    Part(Constituent),
    /// An item and the set where it is.
    Item(u32, u32),
}

/// A grammar with arguments of rules, its instances that derive the empty text, and the sets of
/// instances found so far.
pub type KnownInstances<'a> = (InstanceTable<'a>, &'a EmptyParts, &'a mut InstanceSets);

/// The instances that each part of a text fits.
pub struct PossibleInstances<'a> {
    all: InstanceTable<'a>,
    empty: &'a EmptyParts,
    input: ParseInput<'a>,
    chart: &'a Chart,
    sets: &'a mut InstanceSets,
    /// By item: its set. Only items that were made in several ways, and items of repetitions, have
    /// one.
    items: Vec<u32>,
    /// By completed item: if it is the first one of a symbol over a part of the text, the set of
    /// all completed items of that symbol over that part.
    parts: Vec<u32>,
    /// By completed item: its own set.
    ways: Vec<u32>,
    /// Working memory: the row of one way, and the union of the rows of all ways.
    rows: [Vec<u64>; 2],
    /// The number of words of the rows that were computed.
    words: usize,
    /// Whether a part derives itself, with other values of the arguments.
    pub is_cyclic: bool,
}

impl<'a> PossibleInstances<'a> {
    /// Finds the instances of all parts of the derivations of a text. `whole` is the start symbol
    /// over the whole text.
    ///
    /// # Errors
    /// If this takes too many steps or too much memory.
    pub fn new(
        (all, empty, sets): KnownInstances<'a>,
        input: ParseInput<'a>,
        chart: &'a Chart,
        whole: Constituent,
    ) -> Result<PossibleInstances<'a>, Failure> {
        let (items, parts) = chart.counts();
        let (items, parts, ways) = (
            vec![UNKNOWN; items],
            vec![UNKNOWN; parts],
            vec![UNKNOWN; parts],
        );
        let mut possible = PossibleInstances {
            all,
            empty,
            input,
            chart,
            sets,
            items,
            parts,
            ways,
            rows: Default::default(),
            words: 0,
            is_cyclic: false,
        };
        if whole.done != NONE && input.tables.terminal(whole.symbol).is_none() {
            possible.find(whole, &mut None)?;
            if possible.is_cyclic {
                possible.find_of_cycles(whole)?;
            }
        }
        Ok(possible)
    }

    /// Returns whether a part fits an instance.
    pub fn fits(&self, part: Constituent, instance: SymbolId) -> bool {
        if self.all.is_token(instance) {
            return true;
        }
        if part.done == NONE {
            return self.empty.has(self.all, part.symbol, instance);
        }
        self.sets
            .fits(self.all, self.parts[part.done as usize].min(OPEN), instance)
    }

    /// Returns whether the completed item `done` of a part fits an instance. Returns `true` for an
    /// instance of a symbol that the part calls.
    pub fn fits_way(&self, symbol: SymbolId, done: u32, instance: SymbolId) -> bool {
        self.all
            .number(symbol, instance)
            .is_none_or(|at| self.sets.has(self.ways[done as usize], at))
    }

    /// Returns whether the children before the dot of an item fit an instance of the item's symbol.
    /// Returns `true` for an instance of a symbol that it calls.
    pub fn fits_item(&self, item: u32, to: u32, instance: SymbolId) -> bool {
        let Dot { symbol, choice, .. } =
            self.input.tables.dots[self.chart.item(item).dot() as usize];
        let Some(at) = self.all.number(symbol, instance) else {
            return true;
        };
        let mut fits = true;
        let base = walk(self.input, self.chart, (item, to), |dot, part| {
            let position = self.all.position(dot);
            fits = fits && self.fits_child((symbol, instance), choice, position, part)
        });
        fits && match self.items[base as usize] {
            set if set < OPEN => self.sets.has(set, at),
            _ => self.is_beginning(base) && self.all.allows(symbol, instance, choice),
        }
    }

    /// Returns whether an alternative of a part without text fits an instance.
    pub fn fits_empty(&self, symbol: SymbolId, instance: SymbolId, choice: u32) -> bool {
        self.empty.fits(self.all, (symbol, instance), choice)
    }

    /// Returns the instance that a child has in an instance of its parent.
    pub fn child(
        &self,
        parent: SymbolId,
        instance: SymbolId,
        (choice, position): (u32, usize),
        part: Constituent,
    ) -> SymbolId {
        let all = self.all;
        match all.called(parent) {
            Some(_) if all.number(parent, instance).is_none() => instance,
            Some(_) => all
                .values(instance)
                .find(|&(_, value)| self.fits(part, value))
                .map_or(instance, |(_, value)| value),
            None => all
                .children(instance, choice)
                .and_then(|own| own.get(position))
                .map_or(instance, |child| child.symbol),
        }
    }

    /// Returns the part that a call derives.
    fn called_in(&self, call: Constituent) -> Option<Constituent> {
        let symbol = self.all.called(call.symbol)?;
        if call.done == NONE {
            return Some(Constituent { symbol, ..call });
        }
        let Advance { part, .. } = self.chart.item(self.chart.done(call.done).how).step()?;
        Some(Constituent {
            symbol,
            done: part,
            to: call.to,
        })
    }

    /// Returns whether no child is before the dot of an item.
    fn is_beginning(&self, item: u32) -> bool {
        let (grammar, tables, dot) = (
            self.input.grammar,
            self.input.tables,
            self.chart.item(item).dot(),
        );
        let Dot { symbol, choice, .. } = tables.dots[dot as usize];
        match grammar[symbol].kind {
            Kind::Repeat { .. } => choice == 0,
            _ => dot == tables.entries(symbol)[choice as usize],
        }
    }

    /// Computes the sets of a part and of all parts below it, with a stack instead of recursion.
    /// Appends each computed part or item to `order`, in the order of computation.
    fn find(&mut self, whole: Constituent, order: &mut Option<Vec<Need>>) -> Result<(), Failure> {
        let (chart, input) = (self.chart, self.input);
        let mut open = vec![Need::Part(whole)];
        let mut is_cyclic = false;
        while let Some(&task) = open.last() {
            input.fuel.spend(1);
            let (state, to) = match task {
                Need::Part(part) => (self.parts[part.done as usize], part.to),
                Need::Item(item, to) => (self.items[item as usize], to),
            };
            if state < OPEN {
                open.pop();
            } else if state == UNKNOWN {
                match task {
                    Need::Part(part) => {
                        self.parts[part.done as usize] = OPEN;
                        chart.same(part.done).for_each(|(_, done)| {
                            self.need(done.how, to, &mut open, &mut is_cyclic)
                        });
                    }
                    Need::Item(item, _) => {
                        self.items[item as usize] = OPEN;
                        each_step(input, chart, (item, to), |before, part| {
                            self.need_part(part, &mut open, &mut is_cyclic);
                            self.need(before, part.from(chart), &mut open, &mut is_cyclic);
                        });
                    }
                }
                input.fuel.check(chart.sets[to as usize].token as usize)?;
            } else {
                open.pop();
                self.compute(task);
                if let Some(order) = order {
                    order.push(task);
                }
                input.fuel.check_memory(self.words * size_of::<u64>());
            }
        }
        self.is_cyclic |= is_cyclic;
        Ok(())
    }

    /// Computes the sets of all parts if some parts derive themselves. It repeats the computation
    /// until no set changes.
    fn find_of_cycles(&mut self, whole: Constituent) -> Result<(), Failure> {
        for sets in [&mut self.items, &mut self.parts, &mut self.ways] {
            sets.fill(UNKNOWN);
        }
        let mut order = Some(Vec::new());
        self.find(whole, &mut order)?;
        let order = order.unwrap_or_default();
        let words = self.words;
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for &task in &order {
                self.input.fuel.spend(1);
                let before = self.state(task);
                self.compute(task);
                has_changed |= self.state(task) != before;
            }
            self.words = words;
            self.input.fuel.check(self.input.text.len())?;
        }
        Ok(())
    }

    /// Returns the set of a part or an item.
    fn state(&self, task: Need) -> u32 {
        match task {
            Need::Part(part) => self.parts[part.done as usize],
            Need::Item(item, _) => self.items[item as usize],
        }
    }

    /// Computes the set of a part or an item from those of the parts below it.
    fn compute(&mut self, task: Need) {
        match task {
            Need::Part(part) => self.part(part),
            Need::Item(item, to) => self.item(item, to),
        }
    }

    /// Adds a part to the stack `open` of sets to compute, unless the part is a token, empty or
    /// known.
    fn need_part(&self, part: Constituent, open: &mut Vec<Need>, is_cyclic: &mut bool) {
        if part.done == NONE || self.input.tables.terminal(part.symbol).is_some() {
            return;
        }
        match self.parts[part.done as usize] {
            UNKNOWN => open.push(Need::Part(part)),
            OPEN => *is_cyclic = true,
            _ => {}
        }
    }

    /// Adds the parts before the dot of an item to the stack `open` of sets to compute.
    fn need(&self, item: u32, to: u32, open: &mut Vec<Need>, is_cyclic: &mut bool) {
        let mut at = to;
        let base = walk(self.input, self.chart, (item, to), |_, part| {
            self.need_part(part, open, is_cyclic);
            at = part.from(self.chart);
        });
        match self.items[base as usize] {
            UNKNOWN if !self.is_beginning(base) => open.push(Need::Item(base, at)),
            OPEN => *is_cyclic = true,
            _ => {}
        }
    }

    /// Computes the set of a part: the instances of all completed items of its symbol.
    fn part(&mut self, part: Constituent) {
        let Constituent { symbol, done, to } = part;
        let called = self.all.called(symbol).map_or(NONE, |_| {
            let called = self.called_in(part);
            called.map_or(NOTHING, |called| self.set(called))
        });
        let chart = self.chart;
        let [mut row, mut all] = self.take_rows(symbol);
        for (at, way) in chart.same(done) {
            self.fill(way.how, to, &mut row);
            sets::join(&mut all, &row);
            self.words += row.len();
            self.ways[at as usize] = self.sets.add(symbol, called, &row);
        }
        self.words += if all == row { 0 } else { row.len() };
        self.parts[done as usize] = self.sets.add(symbol, called, &all);
        self.rows = [row, all];
    }

    /// Computes the set of an item that was made in several ways, or of an item of a repetition.
    fn item(&mut self, item: u32, to: u32) {
        let (input, chart) = (self.input, self.chart);
        let Dot { symbol, .. } = input.tables.dots[chart.item(item).dot() as usize];
        let [mut row, mut all] = self.take_rows(symbol);
        each_step(input, chart, (item, to), |before, part| {
            self.fill(before, part.from(chart), &mut row);
            self.restrict(chart.item(before).dot(), part, &mut row);
            sets::join(&mut all, &row);
        });
        self.words += row.len();
        self.items[item as usize] = self.sets.add(symbol, NONE, &all);
        self.rows = [row, all];
    }

    /// Takes the two rows, filled with zeros, to compute a set of a symbol.
    fn take_rows(&mut self, symbol: SymbolId) -> [Vec<u64>; 2] {
        let mut rows = std::mem::take(&mut self.rows);
        for row in &mut rows {
            row.clear();
            row.resize(self.all.words(symbol), 0);
        }
        rows
    }

    /// Fills a row with the instances that an item fits.
    fn fill(&mut self, item: u32, to: u32, row: &mut [u64]) {
        row.fill(u64::MAX);
        let base = walk(self.input, self.chart, (item, to), |dot, part| {
            self.restrict(dot, part, row)
        });
        match self.items[base as usize] {
            known if known < OPEN => self.sets.intersect(known, row),
            _ if self.is_beginning(base) => {
                self.sets.allow(self.all, self.chart.item(base).dot(), row)
            }
            _ => row.fill(0),
        }
    }

    /// Removes from a row the instances in which the child after a dot does not fit.
    fn restrict(&mut self, dot: DotId, child: Constituent, row: &mut [u64]) {
        let ParseInput { tables, fuel, .. } = self.input;
        if tables.terminal(child.symbol).is_some() {
            return;
        }
        let symbol = tables.dots[dot as usize].symbol;
        fuel.spend(self.all.ranges[symbol.0 as usize].1 as usize / 8);
        let set = self.set(child);
        self.sets.restrict(self.all, dot, set, row);
    }

    /// Returns the set of a part.
    pub fn set(&mut self, part: Constituent) -> u32 {
        if self.input.tables.terminal(part.symbol).is_some() {
            TOKEN
        } else if part.done == NONE {
            let called = self.called_in(part).map_or(NONE, |called| self.set(called));
            let row = self.empty.row(self.all, part.symbol);
            self.sets.add(part.symbol, called, row)
        } else {
            self.parts[part.done as usize].min(OPEN)
        }
    }

    /// Returns whether a child fits an instance of its parent.
    fn fits_child(
        &self,
        (parent, instance): (SymbolId, SymbolId),
        choice: u32,
        position: usize,
        part: Constituent,
    ) -> bool {
        if self.all.called(parent).is_some() {
            return self
                .all
                .values(instance)
                .any(|(_, value)| self.fits(part, value));
        }
        self.all
            .children(instance, choice)
            .is_some_and(|own| self.fits(part, own[position].symbol))
    }
}

/// Goes back from an item over the children before its dot. It stops at the beginning of the
/// alternative, at an item that was made in several ways, or at an item of a repetition. Returns
/// the item where it stopped. Calls a function with the dot before each child and the part of the
/// child, the last child first.
fn walk(
    ParseInput {
        grammar, tables, ..
    }: ParseInput<'_>,
    chart: &Chart,
    (mut item, mut to): (u32, u32),
    mut child: impl FnMut(DotId, Constituent),
) -> u32 {
    let Dot { symbol, .. } = tables.dots[chart.item(item).dot() as usize];
    if matches!(grammar[symbol].kind, Kind::Repeat { .. }) {
        return item;
    }
    while let Some(Advance { before, part }) = chart.item(item).step() {
        let dot = chart.item(before).dot();
        let Some(next) = tables.dots[dot as usize].next else {
            break;
        };
        let part = Constituent {
            symbol: next.symbol,
            done: part,
            to,
        };
        child(dot, part);
        (item, to) = (before, part.from(chart));
    }
    item
}

impl Constituent {
    /// Returns the set where the part begins.
    pub fn from(self, chart: &Chart) -> u32 {
        if self.done == NONE {
            self.to
        } else {
            chart.done(self.done).origin
        }
    }
}

/// Calls a function for each way in which an item of the set `to` was made. Its arguments are the
/// item whose dot was moved, and the child over which it was moved.
pub fn each_step(
    ParseInput {
        tables, fuel, text, ..
    }: ParseInput<'_>,
    chart: &Chart,
    (item, to): (u32, u32),
    mut found: impl FnMut(u32, Constituent),
) {
    let item = chart.item(item);
    let dot = item.dot();
    // In a repetition without an upper limit, the dot can be the same before and after an element.
    let is_loop =
        tables.dots[dot as usize].after == dot && tables.dots[dot as usize].next.is_some();
    let Some(before) = dot
        .checked_sub(1)
        .filter(|&before| tables.dots[before as usize].after == dot)
    else {
        return;
    };
    let Some(child) = tables.dots[before as usize].next else {
        return;
    };
    if let Some(Advance { before, part }) = item.step() {
        return found(
            before,
            Constituent {
                symbol: child.symbol,
                done: part,
                to,
            },
        );
    }
    let role = tables.capture_role(child.symbol);
    let key_at = |from: u32| {
        let is_adjacent = child.is_adjacent || from == item.origin && item.is_adjacent();
        key(
            child.symbol,
            chart.sets[from as usize].splits && is_adjacent,
        )
    };
    for dot in is_loop.then_some(dot).into_iter().chain([before]) {
        let mut find = |from: u32, done: u32, binding| {
            let before = ItemKey {
                dot: dot << 1 | u32::from(item.is_adjacent()),
                binding,
                ..item.identity()
            };
            if let Some(before) = chart.find((from, key_at(from)), before, fuel) {
                found(
                    before,
                    Constituent {
                        symbol: child.symbol,
                        done,
                        to,
                    },
                );
            }
        };
        if tables.empty[child.symbol.0 as usize] {
            find(to, NONE, item.identity().binding);
        }
        chart.each_done(to, child.symbol, fuel, |at| {
            let done = chart.done(at);
            if done.key == key_at(done.origin) {
                // A token can begin at several offsets. Then it has several texts.
                let all = chart.same(at).take(if role == CaptureRole::None {
                    1
                } else {
                    usize::MAX
                });
                let mut last = None;
                for (_, way) in all {
                    let text = match role {
                        CaptureRole::None => &[],
                        _ => &text[way.how as usize..chart.sets[to as usize].at as usize],
                    };
                    let binding = chart.bindings.before(item.identity().binding, role, text);
                    if let Some(binding) =
                        binding.filter(|&binding| last.replace(binding) != Some(binding))
                    {
                        find(done.origin, at, binding);
                    }
                }
            }
        });
    }
}
