//! Sets of instances of a symbol. Each set is stored once, and later texts reuse it.
//!
//! An *instance* is a symbol with values for its arguments. The instances that a part of a text
//! fits depend only on its alternative and on the instances that its children fit. So most parts of
//! a text have a set that is already stored. The sets and masks form a deterministic bottom-up tree
//! automaton for the arguments of the grammar, which is built lazily.

use super::chart::NONE;
use super::instances::{InstanceTable, has};
use super::stamped_map::StampedMap;
use super::tables::{Dot, DotId};
use crate::grammar::SymbolId;

/// The set of a token, which fits every instance of a token.
pub const TOKEN: u32 = u32::MAX - 2;

/// The set of a part that fits no instance. An instance of a token fits it nevertheless, because
/// tokens fit everywhere.
pub const NOTHING: u32 = u32::MAX - 1;

/// The memory in bytes above which the sets are cleared for the next text.
const KEPT: usize = 16 << 20;

#[derive(Clone, Copy, Debug)]
struct InstanceSet {
    symbol: SymbolId,
    /// If the symbol is a call, the set of the symbol that it calls, otherwise `NONE`.
    called: u32,
    /// The index of the first word in `bits`.
    row: u32,
}

/// All sets that were found so far.
#[derive(Debug, Default)]
pub struct InstanceSets {
    sets: Vec<InstanceSet>,
    /// The sets by the hash of their content.
    known: StampedMap,
    /// By dot and set of the child after the dot: the mask, as the index of its first word in
    /// `bits`. A mask has the instances in which such a child fits.
    masks: StampedMap,
    /// The rows of `sets` and `masks`. A row has one bit for each instance of a symbol.
    bits: Vec<u64>,
}

impl InstanceSets {
    /// Prepares for the next text. Clears all sets if they take more than [`KEPT`] bytes.
    pub fn begin(&mut self) {
        let used = size_of_val(&self.bits[..]) + size_of_val(&self.sets[..]);
        if self.sets.is_empty() || used > KEPT {
            self.sets.clear();
            self.bits.clear();
            self.known.forget();
            self.masks.forget();
        }
    }

    /// Returns the set of the instances of a symbol in `row`. `called` is the set of the symbol
    /// that it calls, or `NONE`.
    pub fn add(&mut self, symbol: SymbolId, called: u32, row: &[u64]) -> u32 {
        let mix = |hash: u64, word: &u64| {
            (hash.rotate_left(29) ^ word).wrapping_mul(0x2545_F491_4F6C_DD1D)
        };
        let head = u64::from(symbol.0) << 32 | u64::from(called);
        let mut hash = row.iter().fold(head, mix);
        loop {
            let new = self.sets.len() as u32;
            let Some(at) = self.known.add(hash, new) else {
                let first = self.bits.len() as u32;
                self.bits.extend_from_slice(row);
                self.sets.push(InstanceSet {
                    symbol,
                    called,
                    row: first,
                });
                return new;
            };
            let set = self.sets[at as usize];
            if (set.symbol, set.called) == (symbol, called)
                && self.bits[set.row as usize..].starts_with(row)
            {
                return at;
            }
            hash = hash.wrapping_add(1);
        }
    }

    /// Removes from a row the instances that a set does not have. Both must be of one symbol.
    pub fn intersect(&self, set: u32, row: &mut [u64]) {
        and(row, &self.bits[self.sets[set as usize].row as usize..]);
    }

    /// Returns whether a set has the instance of its symbol with this number.
    pub fn has(&self, set: u32, number: u32) -> bool {
        self.sets
            .get(set as usize)
            .is_some_and(|set| has(&self.bits, set.row, number))
    }

    /// Returns whether a part with this set fits no instance.
    pub fn is_nothing(&self, all: InstanceTable<'_>, set: u32) -> bool {
        self.sets.get(set as usize).map_or(set == NOTHING, |own| {
            let row = &self.bits[own.row as usize..][..all.words(own.symbol)];
            !row.is_empty() && row.iter().all(|&word| word == 0)
        })
    }

    /// Returns whether a part with this set fits an instance. The instance is of the part's symbol,
    /// of a symbol that the part calls, or of a call.
    pub fn fits(&self, all: InstanceTable<'_>, mut set: u32, instance: SymbolId) -> bool {
        if all.is_token(instance) {
            return true;
        }
        loop {
            let own = self.sets.get(set as usize);
            if let Some(at) = own.and_then(|own| all.number(own.symbol, instance)) {
                return self.has(set, at);
            }
            if all.is_call(instance) && set != NOTHING {
                return all
                    .values(instance)
                    .any(|(_, value)| self.fits(all, set, value));
            }
            match own {
                Some(own) if own.called != NONE => set = own.called,
                _ => return false,
            }
        }
    }

    /// Removes from a row the instances in which a child with this set does not fit at a dot.
    pub fn restrict(&mut self, all: InstanceTable<'_>, dot: DotId, child: u32, row: &mut [u64]) {
        let new = self.bits.len() as u32;
        let mask = self.masks.add(u64::from(dot) << 32 | u64::from(child), new);
        if mask.is_none() {
            self.mask(all, dot, child);
        }
        and(row, &self.bits[mask.unwrap_or(new) as usize..]);
    }

    /// Removes from a row the instances whose arguments forbid the alternative that begins with a
    /// dot.
    pub fn allow(&mut self, all: InstanceTable<'_>, dot: DotId, row: &mut [u64]) {
        self.restrict(all, dot, NONE, row);
    }

    /// Appends the row of the instances in which a child fits. If `child` is `NONE`, appends the
    /// row of the instances that allow the alternative.
    #[cold]
    fn mask(&mut self, all: InstanceTable<'_>, dot: DotId, child: u32) {
        let Dot { symbol, choice, .. } = all.tables.dots[dot as usize];
        let (first, count) = all.ranges[symbol.0 as usize];
        let from = self.bits.len();
        self.bits.resize(from + all.words(symbol), 0);
        for at in 0..count {
            let instance = SymbolId(first + at);
            let fits = if child == NONE {
                all.allows(symbol, instance, choice)
            } else if all.called(symbol).is_some() {
                all.values(instance)
                    .any(|(_, value)| self.fits(all, child, value))
            } else {
                all.children(instance, choice)
                    .is_some_and(|own| self.fits(all, child, own[all.position(dot)].symbol))
            };
            if fits {
                self.bits[from + at as usize / 64] |= 1 << (at % 64);
            }
        }
    }
}

/// Keeps the bits of a row that another row has.
fn and(row: &mut [u64], other: &[u64]) {
    row.iter_mut()
        .zip(other)
        .for_each(|(word, other)| *word &= other);
}
