//! Finds which instances of its symbol each part of a text can be, from the chart of the text.
//!
//! The parser reads a text by the grammar without parameters. Where that grammar is ambiguous, the derivation that it prefers may fit no
//! values of the parameters although another one does. This module finds the instances for all derivations in the chart at once, from
//! the tokens to the start symbol. The instances of an item are those of its symbol that the children before its dot fit in at least one
//! way. The extraction then makes only choices that fit the instance that it wants, so the derivation fits.
//!
//! Each item is computed once. The time is linear in the number of ways in which the items of the text's derivations were made, times the
//! number of instances of a symbol.

use super::chart::{Advance, Chart, NONE, key};
use super::tables::{Dot, ParserTables};
use super::{Error, ParseInput};
use crate::grammar::{Child, Grammar, Kind, Naming, SymbolId, span};

/// The index of an entry that is not computed yet.
const UNKNOWN: u32 = u32::MAX;

/// The index of an entry that is being computed.
const OPEN: u32 = u32::MAX - 1;

/// A grammar with parameters, and the instances of each symbol of its erased grammar.
#[derive(Clone, Copy)]
pub struct Instances<'a> {
    grammar: &'a Grammar,
    naming: &'a Naming,
    /// By symbol of the erased grammar: its first instance, and the number of its instances.
    ranges: &'a [(u32, u32)],
}

/// A symbol of the erased grammar over a part of a text: the completed items of the symbol, and the set where they are. `done` is `NONE` if
/// the part is empty.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub symbol: SymbolId,
    pub done: u32,
    pub to: u32,
}

/// What is left to compute.
#[derive(Clone, Copy, Debug)]
enum Task {
    Part(Span),
    /// An item and the set where it is.
    Item(u32, u32),
}

/// For the symbols that derive the empty text: the instances that do. It depends on the grammar alone.
#[derive(Debug)]
pub struct EmptyParts {
    /// By symbol of the erased grammar: the index of its first word in `bits`.
    rows: Vec<u32>,
    bits: Vec<u64>,
}

/// The instances that the parts of a text can be.
pub struct PossibleInstances<'a> {
    all: Instances<'a>,
    empty: &'a EmptyParts,
    input: ParseInput<'a>,
    chart: &'a Chart,
    /// One bit for each instance of a symbol, as `items` and `parts` refer to them.
    bits: Vec<u64>,
    /// By item.
    items: Vec<u32>,
    /// By completed item, for the first one of a symbol over a part of the text.
    parts: Vec<u32>,
    /// The row that is being computed.
    row: Vec<u64>,
}

/// Returns a bit of a row.
fn has(bits: &[u64], row: u32, at: u32) -> bool {
    row < OPEN && bits[row as usize + at as usize / 64] >> (at % 64) & 1 != 0
}

impl<'a> Instances<'a> {
    pub fn new(grammar: &'a Grammar, naming: &'a Naming, ranges: &'a [(u32, u32)]) -> Instances<'a> {
        Instances { grammar, naming, ranges }
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
        instance.0.checked_sub(first).filter(|&at| is_origin && at < count)
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

    /// Returns the values of a call: the children of its alternatives that parameters do not forbid.
    fn values(&self, instance: SymbolId) -> impl Iterator<Item = SymbolId> + use<'a> {
        let (grammar, regular) = (self.grammar, self.naming.regular[instance.0 as usize] as usize);
        let all = grammar.alternatives(instance)[..regular].iter().filter(|alternative| alternative.minimum.is_finite());
        all.map(|alternative| grammar.children(alternative)[0].symbol)
    }

    /// Returns the children of an instance with this choice, or `None` if parameters forbid it. Instances of calls have no children here.
    pub fn children(&self, instance: SymbolId, choice: u32) -> Option<&'a [Child]> {
        let grammar = self.grammar;
        match &grammar[instance].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let alternative = &grammar.alternatives[(alternatives.start + choice) as usize];
                alternative.minimum.is_finite().then(|| &grammar.children[span(&alternative.children)])
            }
            Kind::Repeat { element, .. } => Some(std::slice::from_ref(element)),
            _ => Some(&[]),
        }
    }
}

impl EmptyParts {
    /// Finds the instances of all symbols that derive the empty text.
    pub fn new(all: Instances<'_>, tables: &ParserTables) -> EmptyParts {
        let erased = all.grammar.erased();
        let (mut rows, mut words) = (Vec::with_capacity(tables.empty.len()), 0);
        for at in 0..tables.empty.len() {
            rows.push(words as u32);
            words += if tables.empty[at] { all.words(SymbolId(at as u32)) } else { 0 };
        }
        let mut found = EmptyParts { rows, bits: vec![0; words] };
        loop {
            let mut has_changed = false;
            for symbol in (0..tables.empty.len() as u32).map(SymbolId).filter(|symbol| tables.empty[symbol.0 as usize]) {
                let (first, count) = all.ranges[symbol.0 as usize];
                for at in 0..count {
                    let instance = SymbolId(first + at);
                    let is_empty = match &erased[symbol].kind {
                        _ if has(&found.bits, found.rows[symbol.0 as usize], at) => continue,
                        Kind::Nonterminal { .. } => {
                            let choices = 0..erased.alternatives(symbol).len() as u32;
                            choices.into_iter().any(|choice| found.fits(all, tables, (symbol, instance), choice))
                        }
                        _ => true,
                    };
                    if is_empty {
                        found.bits[found.rows[symbol.0 as usize] as usize + at as usize / 64] |= 1 << (at % 64);
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
    pub fn fits(&self, all: Instances<'_>, tables: &ParserTables, (symbol, instance): (SymbolId, SymbolId), choice: u32) -> bool {
        let erased = all.grammar.erased();
        let children = erased.children(&erased.alternatives(symbol)[choice as usize]);
        if !children.iter().all(|child| tables.empty[child.symbol.0 as usize]) {
            return false;
        }
        if let Some(called) = all.called(symbol) {
            return match all.number(symbol, instance) {
                Some(_) => all.values(instance).any(|value| self.has(all, called, value)),
                None => self.has(all, called, instance),
            };
        }
        let Some(own) = all.children(instance, choice) else { return false };
        children.iter().zip(own).all(|(child, own)| self.has(all, child.symbol, own.symbol))
    }

    /// Returns whether an instance derives the empty text. It stands at a symbol that does.
    fn has(&self, all: Instances<'_>, mut symbol: SymbolId, instance: SymbolId) -> bool {
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
    /// Finds the instances of all parts that the start symbol has over the whole text. `whole` is the start symbol.
    ///
    /// # Errors
    /// If that takes too many steps.
    pub fn new(
        all: Instances<'a>,
        empty: &'a EmptyParts,
        input: ParseInput<'a>,
        chart: &'a Chart,
        whole: Span,
    ) -> Result<PossibleInstances<'a>, Error> {
        let (items, parts) = chart.counts();
        let (items, parts) = (vec![UNKNOWN; items], vec![UNKNOWN; parts]);
        let mut possible = PossibleInstances { all, empty, input, chart, bits: Vec::new(), items, parts, row: Vec::new() };
        if whole.done != NONE && input.tables.terminal(whole.symbol).is_none() {
            possible.find(whole)?;
        }
        Ok(possible)
    }

    /// Returns whether a part can be this instance.
    pub fn fits(&self, mut part: Span, instance: SymbolId) -> bool {
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
            let Some(called) = self.called_in(part) else { return false };
            part = called;
        }
    }

    /// Returns whether the children before the dot of an item fit an instance. An instance of another symbol than the item's is one of the
    /// symbol that it calls.
    pub fn fits_item(&self, symbol: SymbolId, item: u32, instance: SymbolId) -> bool {
        self.all.number(symbol, instance).is_none_or(|at| has(&self.bits, self.items[item as usize], at))
    }

    /// Returns whether an alternative of a part without text fits an instance.
    pub fn fits_empty(&self, symbol: SymbolId, instance: SymbolId, choice: u32) -> bool {
        self.empty.fits(self.all, self.input.tables, (symbol, instance), choice)
    }

    /// Returns the instance that a child has in an instance of its parent.
    pub fn child(&self, parent: SymbolId, instance: SymbolId, (choice, position): (u32, usize), part: Span) -> SymbolId {
        let all = self.all;
        match all.called(parent) {
            Some(_) if all.number(parent, instance).is_none() => instance,
            Some(_) => all.values(instance).find(|&value| self.fits(part, value)).unwrap_or(instance),
            None => all.children(instance, choice).and_then(|own| own.get(position)).map_or(instance, |child| child.symbol),
        }
    }

    /// Returns what a call derives.
    fn called_in(&self, call: Span) -> Option<Span> {
        let symbol = self.all.called(call.symbol)?;
        if call.done == NONE {
            return Some(Span { symbol, ..call });
        }
        let Advance { part, .. } = self.chart.item(self.chart.done(call.done).how).step()?;
        Some(Span { symbol, done: part, to: call.to })
    }

    /// Computes the instances of a part and of all parts and items below it, with a stack instead of recursion.
    fn find(&mut self, whole: Span) -> Result<(), Error> {
        let (chart, input) = (self.chart, self.input);
        let mut open = vec![Task::Part(whole)];
        let mut needed = Vec::new();
        while let Some(&task) = open.last() {
            input.fuel.spend(1);
            let (state, to) = match task {
                Task::Part(part) => (self.parts[part.done as usize], part.to),
                Task::Item(item, to) => (self.items[item as usize], to),
            };
            if state < OPEN {
                open.pop();
                continue;
            }
            if state == UNKNOWN {
                match task {
                    Task::Part(part) => {
                        self.parts[part.done as usize] = OPEN;
                        needed.extend(chart.same(part.done).map(|done| Task::Item(done.how, to)));
                    }
                    Task::Item(item, _) => {
                        self.items[item as usize] = OPEN;
                        each_step(input, chart, (item, to), |before, part| {
                            needed.push(Task::Item(before, part.from(chart)));
                            if part.done != NONE && input.tables.terminal(part.symbol).is_none() {
                                needed.push(Task::Part(part));
                            }
                        });
                    }
                }
                open.append(&mut needed);
                input.fuel.check(chart.sets[to as usize].token as usize)?;
                continue;
            }
            open.pop();
            let row = self.bits.len() as u32;
            match task {
                Task::Part(part) => {
                    self.bits.resize(row as usize + self.all.words(part.symbol), 0);
                    for done in chart.same(part.done) {
                        self.join(row, self.items[done.how as usize], part.symbol);
                    }
                    self.parts[part.done as usize] = row;
                }
                Task::Item(item, to) => {
                    self.item(item, to);
                    self.items[item as usize] = row;
                }
            }
            input.fuel.check_memory(size_of_val(&self.bits[..]));
        }
        Ok(())
    }

    /// Adds the bits of one row to those of another.
    fn join(&mut self, into: u32, from: u32, symbol: SymbolId) {
        for word in 0..if from < OPEN { self.all.words(symbol) } else { 0 } {
            self.bits[into as usize + word] |= self.bits[from as usize + word];
        }
    }

    /// Appends the row of an item.
    fn item(&mut self, item: u32, to: u32) {
        let (all, tables) = (self.all, self.input.tables);
        let dot_id = self.chart.item(item).dot();
        let Dot { symbol, choice, .. } = tables.dots[dot_id as usize];
        let (first, count) = all.ranges[symbol.0 as usize];
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.resize(all.words(symbol), 0);
        let is_repeat = matches!(self.input.grammar[symbol].kind, Kind::Repeat { .. });
        let position = if is_repeat { choice } else { dot_id - tables.entries(symbol)[choice as usize] };
        let is_call = all.called(symbol).is_some();
        let allows = |instance| is_call || is_repeat || all.children(instance, choice).is_some();
        if position == 0 {
            for at in (0..count).filter(|&at| allows(SymbolId(first + at))) {
                row[at as usize / 64] |= 1 << (at % 64);
            }
        } else {
            let position = if is_repeat { 0 } else { position as usize - 1 };
            each_step(self.input, self.chart, (item, to), |before, part| {
                let before = self.items[before as usize];
                self.input.fuel.spend(count as usize / 8);
                for at in (0..count).filter(|&at| has(&self.bits, before, at)) {
                    let instance = SymbolId(first + at);
                    let fits = match all.children(instance, choice) {
                        _ if is_call => all.values(instance).any(|value| self.fits(part, value)),
                        Some(own) => self.fits(part, own[position].symbol),
                        None => false,
                    };
                    row[at as usize / 64] |= u64::from(fits) << (at % 64);
                }
            });
        }
        self.bits.extend_from_slice(&row);
        self.row = row;
    }
}

impl Span {
    /// Returns the set where the part begins.
    pub fn from(self, chart: &Chart) -> u32 {
        if self.done == NONE { self.to } else { chart.done(self.done).origin }
    }
}

/// Calls a function with each way in which an item of the set `to` was made: with the item before, and the child over which its dot was
/// moved.
pub fn each_step(
    ParseInput { tables, fuel, .. }: ParseInput<'_>,
    chart: &Chart,
    (item, to): (u32, u32),
    mut found: impl FnMut(u32, Span),
) {
    let item = chart.item(item);
    let dot = item.dot();
    // In a repetition, an element can also have the same dot before and after it.
    let is_loop = tables.dots[dot as usize].after == dot && tables.dots[dot as usize].next.is_some();
    let Some(before) = dot.checked_sub(1).filter(|&before| tables.dots[before as usize].after == dot) else { return };
    let Some(child) = tables.dots[before as usize].next else { return };
    if let Some(Advance { before, part }) = item.step() {
        return found(before, Span { symbol: child.symbol, done: part, to });
    }
    let key_at = |from: u32| {
        let adjoins = child.is_adjacent || from == item.origin && item.adjoins();
        key(child.symbol, chart.sets[from as usize].splits && adjoins)
    };
    for dot in is_loop.then_some(dot).into_iter().chain([before]) {
        let mut find = |from: u32, done: u32| {
            let before = (dot << 1 | u32::from(item.adjoins()), item.origin);
            if let Some(before) = chart.find((from, key_at(from)), before, fuel) {
                found(before, Span { symbol: child.symbol, done, to });
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
