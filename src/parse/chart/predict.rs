//! A cache of predictions. A prediction has the alternatives of a symbol that can begin with one of
//! the terminals of a lookahead set.
//!
//! A text has few different pairs of a symbol and a lookahead set, so most predictions come from
//! the cache.

use super::NONE;
use crate::grammar::SymbolId;
use crate::parse::stamped_map::StampedMap;
use crate::parse::tables::{DotId, ParserTables};

/// The maximum number of dots, and of words of terminal sets, in the cache. The cache is cleared
/// when it has more.
const MAX_CACHED: usize = 1 << 20;

/// The number of a lookahead set: the set of the terminals that come next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lookahead(u32);

/// The cache of predictions. It must only be used with one grammar.
#[derive(Debug, Default)]
pub struct Predictions {
    /// The number of each lookahead set, by hash.
    lookaheads: StampedMap,
    /// The words of all lookahead sets, concatenated.
    sets: Vec<u64>,
    /// For each pair of a lookahead set and a symbol, the index in `dots` where its prediction
    /// begins.
    known: StampedMap,
    /// The dots of all predictions. `NONE` ends each of them.
    dots: Vec<DotId>,
}

impl Predictions {
    /// Returns the numbers of two lookahead sets. The numbers are valid until the next call.
    pub fn lookaheads(&mut self, sets: [&[u64]; 2]) -> [Lookahead; 2] {
        if self.dots.len() > MAX_CACHED || self.sets.len() > MAX_CACHED || self.sets.is_empty() {
            self.lookaheads.forget();
            self.known.forget();
            self.sets.clear();
            self.dots.clear();
        }
        let [adjacent, any] = sets;
        let lookahead = self.lookahead(any);
        [
            if adjacent == any {
                lookahead
            } else {
                self.lookahead(adjacent)
            },
            lookahead,
        ]
    }

    /// Returns the number of a lookahead set. Adds the set if it is new.
    fn lookahead(&mut self, set: &[u64]) -> Lookahead {
        let next = (self.sets.len() / set.len()) as u32;
        let mut hash = set.iter().fold(0_u64, |hash, word| {
            (hash.rotate_left(5) ^ word).wrapping_mul(0x517C_C1B7_2722_0A95)
        });
        loop {
            match self.lookaheads.add(hash, next) {
                None => {
                    self.sets.extend_from_slice(set);
                    return Lookahead(next);
                }
                Some(known) if &self.sets[known as usize * set.len()..][..set.len()] == set => {
                    return Lookahead(known);
                }
                Some(_) => hash = hash.wrapping_add(1),
            }
        }
    }

    /// Returns the index where the prediction of a symbol begins, for use with
    /// [`dot`](Predictions::dot). The other dots of the prediction follow it.
    #[inline(always)]
    pub fn beginnings(
        &mut self,
        tables: &ParserTables,
        symbol: SymbolId,
        lookahead: Lookahead,
    ) -> usize {
        let next = self.dots.len() as u32;
        let known = self
            .known
            .add(u64::from(lookahead.0) << 32 | u64::from(symbol.0), next);
        if known.is_none() {
            self.find(tables, symbol, lookahead);
        }
        known.unwrap_or(next) as usize
    }

    /// Computes a prediction and appends it to `dots`.
    #[cold]
    fn find(&mut self, tables: &ParserTables, symbol: SymbolId, lookahead: Lookahead) {
        let words = tables.words();
        let set = &self.sets[lookahead.0 as usize * words..][..words];
        self.dots.extend(
            tables
                .entries(symbol)
                .iter()
                .filter(|&&dot| tables.begins_with(dot, set)),
        );
        self.dots.push(NONE);
    }

    /// Returns the dot at an index, or `None` at the end of a prediction.
    #[inline(always)]
    pub fn dot(&self, at: usize) -> Option<DotId> {
        Some(self.dots[at]).filter(|&dot| dot != NONE)
    }
}
