//! Sets of instances of a symbol. Each set is stored once, and is kept from text to text.
//!
//! The instances that a part of a text can be depend only on its alternative and on the instances
//! that its children can be. So most parts of a text have a set that was found before. Together, the
//! stored sets and masks are a deterministic bottom-up tree automaton for the parameters of the
//! grammar, of which only the states and the transitions exist that texts needed.

use super::chart::NONE;
use super::instances::{InstanceTable, has};
use super::stamped_map::StampedMap;
use super::tables::{Dot, DotId};
use crate::grammar::SymbolId;

/// The set of a token, which can be any instance of a token.
pub const TOKEN: u32 = u32::MAX - 2;

/// The set of a part that can be no instance but that of a token.
pub const NOTHING: u32 = u32::MAX - 1;

/// The memory in bytes above which the sets are not kept for the next text.
const KEPT: usize = 16 << 20;

/// One set.
#[derive(Clone, Copy, Debug)]
struct InstanceSet {
    symbol: SymbolId,
    /// The set of what a call derives. `NONE` if the symbol is no call.
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
    /// By dot and set of the child after it: the index of the first word in `bits`.
    masks: StampedMap,
    /// One bit for each instance of a symbol, as `sets` and `masks` refer to them.
    bits: Vec<u64>,
}

impl InstanceSets {
    /// Prepares for the next text. The sets of texts before it are no longer valid.
    pub fn begin(&mut self) {
        let used = size_of_val(&self.bits[..]) + size_of_val(&self.sets[..]);
        if self.sets.is_empty() || used > KEPT {
            self.sets.clear();
            self.bits.clear();
            self.known.forget();
            self.masks.forget();
        }
    }

    /// Returns the set of these instances of a symbol. `called` is the set of what the symbol
    /// calls, or `NONE`.
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

    /// Removes the instances from a row of a set's symbol that the set does not have.
    pub fn intersect(&self, set: u32, row: &mut [u64]) {
        and(row, &self.bits[self.sets[set as usize].row as usize..]);
    }

    /// Returns whether a set has the instance of its symbol with this number.
    pub fn has(&self, set: u32, number: u32) -> bool {
        self.sets
            .get(set as usize)
            .is_some_and(|set| has(&self.bits, set.row, number))
    }

    /// Returns whether a part with this set can be no instance.
    pub fn is_nothing(&self, all: InstanceTable<'_>, set: u32) -> bool {
        self.sets.get(set as usize).map_or(set == NOTHING, |own| {
            let row = &self.bits[own.row as usize..][..all.words(own.symbol)];
            !row.is_empty() && row.iter().all(|&word| word == 0)
        })
    }

    /// Returns whether a part with this set can be an instance. An instance of another symbol than
    /// the part's is one of the symbol that the part calls, or a call.
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

    /// Removes the instances from a row that a child with this set, after a dot, does not fit.
    pub fn restrict(&mut self, all: InstanceTable<'_>, dot: DotId, child: u32, row: &mut [u64]) {
        let new = self.bits.len() as u32;
        let mask = self.masks.add(u64::from(dot) << 32 | u64::from(child), new);
        if mask.is_none() {
            self.mask(all, dot, child);
        }
        and(row, &self.bits[mask.unwrap_or(new) as usize..]);
    }

    /// Removes the instances from a row whose parameters do not allow the alternative that begins
    /// with a dot.
    pub fn allow(&mut self, all: InstanceTable<'_>, dot: DotId, row: &mut [u64]) {
        self.restrict(all, dot, NONE, row);
    }

    /// Appends the row of the instances that a child fits. With the child `NONE`, they are those
    /// that allow the alternative.
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
