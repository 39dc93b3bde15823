//! Finds which instances of its symbol each part of a text can be, from the chart of the text.
//!
//! The parser reads a text by the grammar without parameters. Where that grammar is ambiguous, the
//! derivation that it prefers may fit no values of the parameters although another one does. This
//! module finds the instances for all derivations in the chart at once, from the tokens to the
//! start symbol. The instances of an item are those of its symbol that the children before its dot
//! fit in at least one way. The extraction then makes only choices that fit the instance that it
//! wants, so the derivation fits.
//!
//! Each item is computed once. The time is linear in the number of ways in which the items of the
//! text's derivations were made, times the number of instances of a symbol.

use super::chart::{Advance, Chart, NONE, key};
use super::tables::{Dot, ParserTables};
use super::{Failure, ParseInput};
use crate::grammar::{Child, Grammar, Kind, Naming, SymbolId, span};

/// The index of an entry that is not computed yet.
const UNKNOWN: u32 = u32::MAX;

/// The index of an entry that is being computed.
const OPEN: u32 = u32::MAX - 1;

/// A grammar with parameters, and the instances of each symbol of its erased grammar.
#[derive(Clone, Copy)]
pub struct InstanceTable<'a> {
    grammar: &'a Grammar,
    naming: &'a Naming,
    /// By symbol of the erased grammar: its first instance, and the number of its instances.
    ranges: &'a [(u32, u32)],
}

/// A symbol of the erased grammar over a part of a text: the completed items of the symbol, and the
/// set where they are. `done` is `NONE` if the part is empty.
#[derive(Clone, Copy, Debug)]
pub struct Constituent {
    pub symbol: SymbolId,
    pub done: u32,
    pub to: u32,
}

/// What is left to compute.
#[derive(Clone, Copy, Debug)]
enum Need {
    Part(Constituent),
    /// An item and the set where it is.
    Item(u32, u32),
}

/// For the symbols that derive the empty text: the instances that do. It depends on the grammar
/// alone.
#[derive(Debug)]
pub struct EmptyParts {
    /// By symbol of the erased grammar: the index of its first word in `bits`.
    rows: Vec<u32>,
    bits: Vec<u64>,
}

/// The instances that the parts of a text can be.
pub struct PossibleInstances<'a> {
    all: InstanceTable<'a>,
    empty: &'a EmptyParts,
    input: ParseInput<'a>,
    chart: &'a Chart,
    /// One bit for each instance of a symbol, as `items` and `parts` refer to them.
    bits: Vec<u64>,
    /// By item that was made in several ways, or that is one of a repetition.
    items: Vec<u32>,
    /// By completed item, for the first one of a symbol over a part of the text: the instances of
    /// all of them.
    parts: Vec<u32>,
    /// By completed item: its own instances.
    ways: Vec<u32>,
    /// The row that is being computed.
    row: Vec<u64>,
}

/// Returns a bit of a row.
fn has(bits: &[u64], row: u32, at: u32) -> bool {
    row < OPEN && bits[row as usize + at as usize / 64] >> (at % 64) & 1 != 0
}

impl<'a> InstanceTable<'a> {
    pub fn new(
        grammar: &'a Grammar,
        naming: &'a Naming,
        ranges: &'a [(u32, u32)],
    ) -> InstanceTable<'a> {
        InstanceTable {
            grammar,
            naming,
            ranges,
        }
    }

    /// Returns the instance that derives whole sentences.
    pub fn start(&self) -> SymbolId {
        self.grammar.start()
    }

    fn words(&self, symbol: SymbolId) -> usize {
        self.ranges[symbol.0 as usize].1.div_ceil(64) as usize
    }

    /// Returns the number of an instance among those of a symbol, if it is one.
    fn number(&self, symbol: SymbolId, instance: SymbolId) -> Option<u32> {
        let (first, count) = self.ranges[symbol.0 as usize];
        let is_origin = self.naming.origins[instance.0 as usize] == symbol;
        instance
            .0
            .checked_sub(first)
            .filter(|&at| is_origin && at < count)
    }

    fn is_token(&self, instance: SymbolId) -> bool {
        matches!(self.grammar[instance].kind, Kind::Lexeme { .. })
    }

    /// Returns the symbol that a call of the erased grammar derives.
    fn called(&self, call: SymbolId) -> Option<SymbolId> {
        let erased = self.grammar.erased();
        let is_call = self.naming.calls[call.0 as usize];
        is_call.then(|| erased.children(&erased.alternatives(call)[0])[0].symbol)
    }

    /// Returns whether parameters allow an alternative of an instance of a symbol.
    fn allows(&self, symbol: SymbolId, instance: SymbolId, choice: u32) -> bool {
        let is_instance = self.number(symbol, instance).is_some();
        is_instance && (self.called(symbol).is_some() || self.children(instance, choice).is_some())
    }

    /// Returns the values of a call: the children of its alternatives that parameters do not
    /// forbid.
    fn values(&self, instance: SymbolId) -> impl Iterator<Item = SymbolId> + use<'a> {
        let (grammar, regular) = (
            self.grammar,
            self.naming.regular[instance.0 as usize] as usize,
        );
        let all = grammar.alternatives(instance)[..regular]
            .iter()
            .filter(|alternative| alternative.minimum.is_finite());
        all.map(|alternative| grammar.children(alternative)[0].symbol)
    }

    /// Returns the children of an instance with this choice, or `None` if parameters forbid it.
    /// Instances of calls have no children here.
    pub fn children(&self, instance: SymbolId, choice: u32) -> Option<&'a [Child]> {
        let grammar = self.grammar;
        match &grammar[instance].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let alternative = &grammar.alternatives[(alternatives.start + choice) as usize];
                alternative
                    .minimum
                    .is_finite()
                    .then(|| &grammar.children[span(&alternative.children)])
            }
            Kind::Repeat { element, .. } => Some(std::slice::from_ref(element)),
            _ => Some(&[]),
        }
    }
}

impl EmptyParts {
    /// Finds the instances of all symbols that derive the empty text.
    pub fn new(all: InstanceTable<'_>, tables: &ParserTables) -> EmptyParts {
        let erased = all.grammar.erased();
        let (mut rows, mut words) = (Vec::with_capacity(tables.empty.len()), 0);
        for at in 0..tables.empty.len() {
            rows.push(words as u32);
            words += if tables.empty[at] {
                all.words(SymbolId(at as u32))
            } else {
                0
            };
        }
        let mut found = EmptyParts {
            rows,
            bits: vec![0; words],
        };
        loop {
            let mut has_changed = false;
            for symbol in (0..tables.empty.len() as u32)
                .map(SymbolId)
                .filter(|symbol| tables.empty[symbol.0 as usize])
            {
                let (first, count) = all.ranges[symbol.0 as usize];
                for at in 0..count {
                    let instance = SymbolId(first + at);
                    let is_empty = match &erased[symbol].kind {
                        _ if has(&found.bits, found.rows[symbol.0 as usize], at) => continue,
                        Kind::Nonterminal { .. } => {
                            let choices = 0..erased.alternatives(symbol).len() as u32;
                            choices
                                .into_iter()
                                .any(|choice| found.fits(all, tables, (symbol, instance), choice))
                        }
                        _ => true,
                    };
                    if is_empty {
                        found.bits[found.rows[symbol.0 as usize] as usize + at as usize / 64] |=
                            1 << (at % 64);
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                return found;
            }
        }
    }

    /// Returns whether an alternative of an instance derives the empty text.
    pub fn fits(
        &self,
        all: InstanceTable<'_>,
        tables: &ParserTables,
        (symbol, instance): (SymbolId, SymbolId),
        choice: u32,
    ) -> bool {
        let erased = all.grammar.erased();
        let children = erased.children(&erased.alternatives(symbol)[choice as usize]);
        if !children
            .iter()
            .all(|child| tables.empty[child.symbol.0 as usize])
        {
            return false;
        }
        if let Some(called) = all.called(symbol) {
            return match all.number(symbol, instance) {
                Some(_) => all
                    .values(instance)
                    .any(|value| self.has(all, called, value)),
                None => self.has(all, called, instance),
            };
        }
        let Some(own) = all.children(instance, choice) else {
            return false;
        };
        children
            .iter()
            .zip(own)
            .all(|(child, own)| self.has(all, child.symbol, own.symbol))
    }

    /// Returns whether an instance derives the empty text. It stands at a symbol that does.
    fn has(&self, all: InstanceTable<'_>, mut symbol: SymbolId, instance: SymbolId) -> bool {
        loop {
            match (all.number(symbol, instance), all.called(symbol)) {
                _ if all.is_token(instance) => return true,
                (Some(at), _) => return has(&self.bits, self.rows[symbol.0 as usize], at),
                (None, Some(called)) => symbol = called,
                (None, None) => return false,
            }
        }
    }
}

impl<'a> PossibleInstances<'a> {
    /// Finds the instances of all parts that the start symbol has over the whole text. `whole` is
    /// the start symbol.
    ///
    /// # Errors
    /// If that takes too many steps.
    pub fn new(
        all: InstanceTable<'a>,
        empty: &'a EmptyParts,
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
            bits: Vec::new(),
            items,
            parts,
            ways,
            row: Vec::new(),
        };
        if whole.done != NONE && input.tables.terminal(whole.symbol).is_none() {
            possible.find(whole)?;
        }
        Ok(possible)
    }

    /// Returns whether a part can be this instance.
    pub fn fits(&self, mut part: Constituent, instance: SymbolId) -> bool {
        if self.all.is_token(instance) {
            return true;
        }
        if part.done == NONE {
            return self.empty.has(self.all, part.symbol, instance);
        }
        loop {
            if let Some(at) = self.all.number(part.symbol, instance) {
                return has(&self.bits, self.parts[part.done as usize], at);
            }
            // A call without a choice of values has no instances. What it calls has.
            let Some(called) = self.called_in(part) else {
                return false;
            };
            part = called;
        }
    }

    /// Returns whether one of the completed items of a part fits an instance. An instance of
    /// another symbol than the part's is one of the symbol that it calls.
    pub fn fits_way(&self, symbol: SymbolId, done: u32, instance: SymbolId) -> bool {
        self.all
            .number(symbol, instance)
            .is_none_or(|at| has(&self.bits, self.ways[done as usize], at))
    }

    /// Returns whether the children before the dot of an item fit an instance of its symbol, or of
    /// one that it calls.
    pub fn fits_item(&self, item: u32, to: u32, instance: SymbolId) -> bool {
        let Dot { symbol, choice, .. } =
            self.input.tables.dots[self.chart.item(item).dot() as usize];
        let Some(at) = self.all.number(symbol, instance) else {
            return true;
        };
        let mut fits = true;
        let base = self.walk(item, to, |position, part| {
            fits = fits && self.fits_child((symbol, instance), choice, position, part)
        });
        fits && match self.items[base as usize] {
            row if row < OPEN => has(&self.bits, row, at),
            _ => self.is_beginning(base) && self.all.allows(symbol, instance, choice),
        }
    }

    /// Returns whether an alternative of a part without text fits an instance.
    pub fn fits_empty(&self, symbol: SymbolId, instance: SymbolId, choice: u32) -> bool {
        self.empty
            .fits(self.all, self.input.tables, (symbol, instance), choice)
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
                .find(|&value| self.fits(part, value))
                .unwrap_or(instance),
            None => all
                .children(instance, choice)
                .and_then(|own| own.get(position))
                .map_or(instance, |child| child.symbol),
        }
    }

    /// Returns what a call derives.
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

    /// Goes back from an item, over the children before its dot, to the beginning of its
    /// alternative, to an item that was made in several ways, or to one of a repetition. Returns
    /// that item. Calls a function with the position and the part of each child, the last one
    /// first.
    fn walk(&self, mut item: u32, mut to: u32, mut child: impl FnMut(usize, Constituent)) -> u32 {
        let (grammar, tables) = (self.input.grammar, self.input.tables);
        let dot = self.chart.item(item).dot();
        let Dot { symbol, choice, .. } = tables.dots[dot as usize];
        if matches!(grammar[symbol].kind, Kind::Repeat { .. }) {
            return item;
        }
        let mut position = dot - tables.entries(symbol)[choice as usize];
        while let Some(Advance { before, part }) = self.chart.item(item).step() {
            position -= 1;
            let Some(next) = tables.dots[self.chart.item(before).dot() as usize].next else {
                break;
            };
            let part = Constituent {
                symbol: next.symbol,
                done: part,
                to,
            };
            child(position as usize, part);
            (item, to) = (before, part.from(self.chart));
        }
        item
    }

    /// Computes the instances of a part and of all parts below it, with a stack instead of
    /// recursion.
    fn find(&mut self, whole: Constituent) -> Result<(), Failure> {
        let (chart, input) = (self.chart, self.input);
        let mut open = vec![Need::Part(whole)];
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
                        chart
                            .same(part.done)
                            .for_each(|(_, done)| self.need(done.how, to, &mut open));
                    }
                    Need::Item(item, _) => {
                        self.items[item as usize] = OPEN;
                        each_step(input, chart, (item, to), |before, part| {
                            self.need_part(part, &mut open);
                            self.need(before, part.from(chart), &mut open);
                        });
                    }
                }
                input.fuel.check(chart.sets[to as usize].token as usize)?;
            } else {
                open.pop();
                match task {
                    Need::Part(part) => self.part(part),
                    Need::Item(item, to) => self.item(item, to),
                }
                input.fuel.check_memory(size_of_val(&self.bits[..]));
            }
        }
        Ok(())
    }

    /// Adds a part to what is left to compute, unless it is a token, empty or known.
    fn need_part(&self, part: Constituent, open: &mut Vec<Need>) {
        if part.done != NONE
            && self.input.tables.terminal(part.symbol).is_none()
            && self.parts[part.done as usize] == UNKNOWN
        {
            open.push(Need::Part(part));
        }
    }

    /// Adds the parts before the dot of an item to what is left to compute.
    fn need(&self, item: u32, to: u32, open: &mut Vec<Need>) {
        let mut at = to;
        let base = self.walk(item, to, |_, part| {
            self.need_part(part, open);
            at = part.from(self.chart);
        });
        if self.items[base as usize] == UNKNOWN && !self.is_beginning(base) {
            open.push(Need::Item(base, at));
        }
    }

    /// Computes the row of a part: the instances of all completed items of its symbol.
    fn part(&mut self, part: Constituent) {
        let mut row = vec![0; self.all.words(part.symbol)];
        let mut all = std::mem::take(&mut self.row);
        all.clear();
        all.resize(row.len(), 0);
        for (at, done) in self.chart.same(part.done) {
            self.fill(done.how, part.to, &mut row);
            all.iter_mut()
                .zip(&row)
                .for_each(|(all, word)| *all |= word);
            self.ways[at as usize] = self.bits.len() as u32;
            self.bits.extend_from_slice(&row);
        }
        let is_only = all == row;
        self.parts[part.done as usize] =
            self.bits.len() as u32 - if is_only { row.len() as u32 } else { 0 };
        if !is_only {
            self.bits.extend_from_slice(&all);
        }
        self.row = all;
    }

    /// Computes the row of an item that was made in several ways, or of one of a repetition.
    fn item(&mut self, item: u32, to: u32) {
        let Dot { symbol, .. } = self.input.tables.dots[self.chart.item(item).dot() as usize];
        let mut row = vec![0; self.all.words(symbol)];
        let mut all = std::mem::take(&mut self.row);
        all.clear();
        all.resize(row.len(), 0);
        each_step(self.input, self.chart, (item, to), |before, part| {
            self.fill(before, part.from(self.chart), &mut row);
            let dot = self.chart.item(before).dot();
            let Dot { choice, .. } = self.input.tables.dots[dot as usize];
            let position = match self.input.grammar[symbol].kind {
                Kind::Repeat { .. } => 0,
                _ => (dot - self.input.tables.entries(symbol)[choice as usize]) as usize,
            };
            self.restrict((symbol, choice, position), part, &mut row);
            all.iter_mut()
                .zip(&row)
                .for_each(|(all, word)| *all |= word);
        });
        self.items[item as usize] = self.bits.len() as u32;
        self.bits.extend_from_slice(&all);
        self.row = all;
    }

    /// Replaces a row by that of an item.
    fn fill(&self, item: u32, to: u32, row: &mut [u64]) {
        let Dot { symbol, choice, .. } =
            self.input.tables.dots[self.chart.item(item).dot() as usize];
        let (first, count) = self.all.ranges[symbol.0 as usize];
        row.iter_mut()
            .rev()
            .take(1)
            .for_each(|word| *word = u64::MAX >> (count.wrapping_neg() % 64));
        row.iter_mut()
            .rev()
            .skip(1)
            .for_each(|word| *word = u64::MAX);
        let base = self.walk(item, to, |position, part| {
            self.restrict((symbol, choice, position), part, row)
        });
        match self.items[base as usize] {
            known if known < OPEN => row
                .iter_mut()
                .zip(&self.bits[known as usize..])
                .for_each(|(word, known)| *word &= known),
            _ if self.is_beginning(base) => each_bit(row, |at| {
                self.all.allows(symbol, SymbolId(first + at), choice)
            }),
            _ => row.fill(0),
        }
    }

    /// Removes the instances from a row that a child does not fit. `position` is the position of
    /// the child in an alternative.
    fn restrict(
        &self,
        (symbol, choice, position): (SymbolId, u32, usize),
        part: Constituent,
        row: &mut [u64],
    ) {
        if self.input.tables.terminal(part.symbol).is_some() {
            return;
        }
        let (first, count) = self.all.ranges[symbol.0 as usize];
        self.input.fuel.spend(count as usize / 8);
        each_bit(row, |at| {
            self.fits_child((symbol, SymbolId(first + at)), choice, position, part)
        });
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
                .any(|value| self.fits(part, value));
        }
        self.all
            .children(instance, choice)
            .is_some_and(|own| self.fits(part, own[position].symbol))
    }
}

/// Keeps the bits of a row for which a function returns true.
fn each_bit(row: &mut [u64], keeps: impl Fn(u32) -> bool) {
    for (at, word) in (0..).zip(row) {
        let mut rest = *word;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            if !keeps(64 * at + bit) {
                *word &= !(1 << bit);
            }
        }
    }
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

/// Calls a function with each way in which an item of the set `to` was made: with the item before,
/// and the child over which its dot was moved.
pub fn each_step(
    ParseInput { tables, fuel, .. }: ParseInput<'_>,
    chart: &Chart,
    (item, to): (u32, u32),
    mut found: impl FnMut(u32, Constituent),
) {
    let item = chart.item(item);
    let dot = item.dot();
    // In a repetition, an element can also have the same dot before and after it.
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
    let key_at = |from: u32| {
        let adjoins = child.is_adjacent || from == item.origin && item.adjoins();
        key(child.symbol, chart.sets[from as usize].splits && adjoins)
    };
    for dot in is_loop.then_some(dot).into_iter().chain([before]) {
        let mut find = |from: u32, done: u32| {
            let before = (dot << 1 | u32::from(item.adjoins()), item.origin);
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
            find(to, NONE);
        }
        chart.each_done(to, child.symbol, fuel, |at| {
            let done = chart.done(at);
            if done.key == key_at(done.origin) {
                find(done.origin, at);
            }
        });
    }
}
