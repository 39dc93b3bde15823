//! The instances of the symbols of a grammar with arguments of rules, and which of them derive the
//! empty text.
//!
//! The parser reads a text by the *erased* grammar, whose rules take no arguments. An instance of a
//! symbol of that grammar is the symbol with values for its arguments.

use std::collections::HashMap;
use std::sync::Arc;

use super::tables::{Dot, DotId, ParserTables};
use crate::grammar::{Alternative, Child, Grammar, Kind, Naming, SymbolId, span};

/// A grammar with arguments of rules, and the instances of each symbol of its erased grammar.
#[derive(Clone, Copy)]
pub struct InstanceTable<'a> {
    pub grammar: &'a Grammar,
    pub naming: &'a Naming,
    /// The tables of the erased grammar.
    pub tables: &'a ParserTables,
    /// By symbol of the erased grammar: its first instance, and the number of its instances.
    pub ranges: &'a [(u32, u32)],
}

/// For each symbol that derives the empty text: the instances that derive it.
#[derive(Debug)]
pub struct EmptyParts {
    /// By symbol of the erased grammar: the index of its first word in `bits`.
    rows: Vec<u32>,
    bits: Vec<u64>,
}

/// Returns a bit of the row that begins at index `row`.
pub fn has(bits: &[u64], row: u32, at: u32) -> bool {
    bits[row as usize + at as usize / 64] >> (at % 64) & 1 != 0
}

impl<'a> InstanceTable<'a> {
    /// Returns the number of 64-bit words of a row, which has one bit for each instance of a
    /// symbol.
    pub fn words(&self, symbol: SymbolId) -> usize {
        self.ranges[symbol.0 as usize].1.div_ceil(64) as usize
    }

    /// Returns the index of an instance among the instances of a symbol. `None` if it is an
    /// instance of another symbol.
    pub fn number(&self, symbol: SymbolId, instance: SymbolId) -> Option<u32> {
        let (first, count) = self.ranges[symbol.0 as usize];
        let is_origin = self.naming.origins[instance.0 as usize] == symbol;
        instance
            .0
            .checked_sub(first)
            .filter(|&at| is_origin && at < count)
    }

    /// Returns whether an instance is a token or a part of one. Tokens fit everywhere.
    pub fn is_token(&self, instance: SymbolId) -> bool {
        matches!(
            self.grammar[instance].kind,
            Kind::Lexeme { .. } | Kind::Identifier { .. }
        )
    }

    /// Returns whether an instance is one of a call.
    pub fn is_call(&self, instance: SymbolId) -> bool {
        self.naming.calls[self.naming.origins[instance.0 as usize].0 as usize]
    }

    /// Returns the position of the child after a dot in its alternative. It is 0 in a repetition.
    pub fn position(&self, dot: DotId) -> usize {
        let Dot { symbol, choice, .. } = self.tables.dots[dot as usize];
        match self.grammar.erased()[symbol].kind {
            Kind::Repeat { .. } => 0,
            _ => (dot - self.tables.entries(symbol)[choice as usize]) as usize,
        }
    }

    /// Returns the symbol that a call of the erased grammar derives.
    pub fn called(&self, call: SymbolId) -> Option<SymbolId> {
        self.tables.called(call)
    }

    /// Returns whether arguments allow an alternative of an instance of a symbol.
    pub fn allows(&self, symbol: SymbolId, instance: SymbolId, choice: u32) -> bool {
        let is_instance = self.number(symbol, instance).is_some();
        is_instance && (self.called(symbol).is_some() || self.children(instance, choice).is_some())
    }

    /// Returns the values of a call: the index and the child of each of its alternatives that
    /// arguments allow.
    pub fn values(&self, instance: SymbolId) -> impl Iterator<Item = (u32, SymbolId)> + use<'a> {
        let grammar = self.grammar;
        let regular = self.naming.regular[instance.0 as usize] as usize;
        let all = (0..).zip(&grammar.alternatives(instance)[..regular]);
        let all = all.filter(|(_, alternative)| alternative.minimum.is_finite());
        all.map(|(index, alternative)| (index, grammar.children(alternative)[0].symbol))
    }

    /// Returns the children of an instance with this choice, or `None` if arguments forbid it.
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
    pub fn new(all: InstanceTable<'_>) -> EmptyParts {
        let tables = all.tables;
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
                                .any(|choice| found.fits(all, (symbol, instance), choice))
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
        (symbol, instance): (SymbolId, SymbolId),
        choice: u32,
    ) -> bool {
        let erased = all.grammar.erased();
        let children = erased.children(&erased.alternatives(symbol)[choice as usize]);
        if !children
            .iter()
            .all(|child| all.tables.empty[child.symbol.0 as usize])
        {
            return false;
        }
        if let Some(called) = all.called(symbol) {
            return match all.number(symbol, instance) {
                Some(_) => all
                    .values(instance)
                    .any(|(_, value)| self.has(all, called, value)),
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

    /// Returns whether an instance derives the empty text. `symbol` is the symbol of the part, and
    /// must also derive the empty text.
    pub fn has(&self, all: InstanceTable<'_>, mut symbol: SymbolId, instance: SymbolId) -> bool {
        loop {
            match (all.number(symbol, instance), all.called(symbol)) {
                _ if all.is_token(instance) => return true,
                (Some(at), _) => return has(&self.bits, self.rows[symbol.0 as usize], at),
                (None, Some(called)) => symbol = called,
                (None, None) => {
                    return all.is_call(instance)
                        && all
                            .values(instance)
                            .any(|(_, value)| self.has(all, symbol, value));
                }
            }
        }
    }

    /// Returns the row of the instances of a symbol that derive the empty text.
    pub fn row(&self, all: InstanceTable<'_>, symbol: SymbolId) -> &[u64] {
        let row = self.rows[symbol.0 as usize] as usize;
        &self.bits[row..row + all.words(symbol)]
    }
}

/// Returns for each symbol of the erased grammar its first instance and the number of its
/// instances. The result is empty for a grammar without names.
pub fn ranges(grammar: &Grammar) -> Arc<[(u32, u32)]> {
    let Some(naming) = grammar.naming.as_deref() else {
        return Arc::default();
    };
    let count = naming
        .erased
        .as_ref()
        .map_or(0, |erased| erased.symbols().len());
    let mut ranges = vec![(0, 0); count];
    // The last symbol derives nothing.
    let used = naming.origins.len() - 1;
    for (at, origin) in naming.origins[..used].iter().enumerate().rev() {
        let (first, count) = &mut ranges[origin.0 as usize];
        *first = at as u32;
        *count += 1;
    }
    ranges.into()
}

/// Returns for each alternative of a grammar the alternatives of the same symbol that derive the
/// same texts, itself included, or nothing if there is no other one. The children of such
/// alternatives differ only in the arguments of calls and the kinds of names.
pub fn alike(erased: &Grammar, naming: &Naming) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); erased.alternatives.len()];
    let key = |alternative: &Alternative| {
        let of = |child: &Child| {
            let mut symbol = child.symbol;
            while let (true, [only]) =
                (naming.calls[symbol.0 as usize], erased.alternatives(symbol))
            {
                let [called] = erased.children(only) else {
                    break;
                };
                symbol = called.symbol;
            }
            let part = match erased[symbol].kind {
                Kind::Lexeme {
                    position, layout, ..
                } => (true, erased.boundaries.terminal(position).0, layout),
                _ => (false, symbol.0, false),
            };
            (child.is_adjacent, part)
        };
        erased
            .children(alternative)
            .iter()
            .map(of)
            .collect::<Vec<_>>()
    };
    for symbol in erased.symbols() {
        let Kind::Nonterminal { alternatives, .. } = &symbol.kind else {
            continue;
        };
        let mut classes: HashMap<_, Vec<u32>> = HashMap::new();
        for (index, at) in (0..).zip(span(alternatives)) {
            classes
                .entry(key(&erased.alternatives[at]))
                .or_default()
                .push(index);
        }
        for class in classes.into_values().filter(|class| class.len() > 1) {
            class
                .iter()
                .for_each(|&index| all[(alternatives.start + index) as usize].clone_from(&class));
        }
    }
    all
}
