//! The beginnings of symbols that fit what comes next, remembered: the same few symbols meet the same few terminals all over.

use super::NONE;
use crate::grammar::SymbolId;
use crate::parse::known::Known;
use crate::parse::tables::{DotId, Tables};

/// Beginnings that are remembered; beyond, all are forgotten.
const MOST: usize = 1 << 20;

/// A set of terminals that come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look(u32);

/// See the module's text. It belongs to one grammar.
#[derive(Debug, Default)]
pub struct Predictions {
    looks: Known,
    /// All sets, one after the other.
    sets: Vec<u64>,
    /// By set and symbol, where the beginnings are among the dots; `NONE` ends them.
    known: Known,
    dots: Vec<DotId>,
}

impl Predictions {
    /// Sets of terminals, of which there are few; they are good until this is called again.
    pub fn looks(&mut self, sets: [&[u64]; 2]) -> [Look; 2] {
        if self.dots.len() > MOST || self.sets.len() > MOST || self.sets.is_empty() {
            self.looks.forget();
            self.known.forget();
            self.sets.clear();
            self.dots.clear();
        }
        let [adjoining, any] = sets;
        let look = self.look(any);
        [if adjoining == any { look } else { self.look(adjoining) }, look]
    }

    fn look(&mut self, set: &[u64]) -> Look {
        let next = (self.sets.len() / set.len()) as u32;
        let mut hash = set.iter().fold(0_u64, |hash, word| (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95));
        loop {
            match self.looks.add(hash, next) {
                None => {
                    self.sets.extend_from_slice(set);
                    return Look(next);
                }
                Some(known) if &self.sets[known as usize * set.len()..][..set.len()] == set => return Look(known),
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }

    /// Where the beginnings of a symbol are that fit a set of terminals.
    #[inline(always)]
    pub fn beginnings(&mut self, tables: &Tables, symbol: SymbolId, look: Look) -> usize {
        let next = self.dots.len() as u32;
        let known = self.known.add(u64::from(look.0) << 32 | u64::from(symbol.0), next);
        if known.is_none() {
            self.find(tables, symbol, look);
        }
        known.unwrap_or(next) as usize
    }

    #[cold]
    fn find(&mut self, tables: &Tables, symbol: SymbolId, look: Look) {
        let words = tables.words();
        let set = &self.sets[look.0 as usize * words..][..words];
        self.dots.extend(tables.entries(symbol).iter().filter(|&&dot| tables.begins_with(dot, set)));
        self.dots.push(NONE);
    }

    /// The beginning that is there, if any is left.
    #[inline(always)]
    pub fn dot(&self, at: usize) -> Option<DotId> {
        Some(self.dots[at]).filter(|&dot| dot != NONE)
    }
}
