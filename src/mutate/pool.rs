//! Subtrees to put elsewhere, by symbol, from inputs that are worth keeping.
//!
//! Memory is a ring: what is new overwrites what is oldest, and a slot whose bytes were overwritten is empty again. Subtrees of
//! inputs that were reported valid take slots from others; others only take empty ones.

use rand::RngExt;
use rand::rngs::SmallRng;

use crate::grammar::{Grammar, Role, SymbolId};
use crate::parameters::Tree;

use super::experience::hash;

/// Bytes of the ring.
const RING: usize = 4 << 20;

/// Subtrees kept of a symbol.
const SLOTS: usize = 64;

/// Bytes of a subtree's parameters.
const LONGEST: usize = 512;

/// Draws for a subtree that differs from what it would replace.
const DRAWS: usize = 4;

/// A subtree; of length 0 if there never was one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Where its bytes begin, in all that was ever written to the ring.
    from: u64,
    length: u32,
    hash: u32,
    valid: bool,
}

/// Subtrees by symbol.
#[derive(Debug, Default)]
pub struct Pool {
    /// The row of every symbol's slots, if it has one.
    rows: Vec<Option<u32>>,
    slots: Vec<[Slot; SLOTS]>,
    /// How many slots of each row were ever filled.
    filled: Vec<u32>,
    ring: Vec<u8>,
    written: u64,
}

impl Pool {
    /// An empty pool for a grammar.
    pub fn new(grammar: &Grammar) -> Pool {
        let symbols = (0..grammar.symbols().len() as u32).map(SymbolId);
        let mut count = 0;
        let rows = symbols.map(|symbol| {
            matches!(grammar.role(symbol), Role::Syntax | Role::Token).then(|| {
                count += 1;
                count - 1
            })
        });
        let rows = rows.collect();
        let slots = vec![[Slot::default(); SLOTS]; count as usize];
        Pool { rows, slots, filled: vec![0; count as usize], ring: vec![0; RING], written: 0 }
    }

    /// Adds the subtrees of a sentence.
    pub fn add(&mut self, tree: &Tree, valid: bool) {
        for (at, node) in tree.derivation().nodes().iter().enumerate() {
            let Some(&Some(row)) = self.rows.get(node.symbol.0 as usize) else { continue };
            let bytes = &tree.parameters()[tree.span(at)];
            if !bytes.is_empty() && bytes.len() <= LONGEST {
                self.keep(row as usize, bytes, valid);
            }
        }
    }

    fn keep(&mut self, row: usize, bytes: &[u8], valid: bool) {
        let hash = hash(bytes);
        let (short, filled) = (hash as u32, self.filled[row] as usize);
        let oldest = self.written.saturating_sub(RING as u64);
        let slots = &mut self.slots[row];
        let mut stale = None;
        for (at, slot) in slots[..filled].iter_mut().enumerate() {
            if slot.from < oldest {
                stale = Some(at);
            } else if (slot.hash, slot.length) == (short, bytes.len() as u32) {
                slot.valid |= valid;
                return;
            }
        }
        let at = match stale {
            Some(at) => at,
            None if filled < SLOTS => {
                self.filled[row] += 1;
                filled
            }
            None if valid => {
                // Any of another origin in reach, or just any.
                let from = (hash >> 32) as usize % SLOTS;
                (from..from + 8).map(|at| at % SLOTS).find(|&at| !slots[at].valid).unwrap_or(from)
            }
            None => return,
        };
        slots[at] = Slot { from: self.written, length: bytes.len() as u32, hash: short, valid };
        // A subtree never lies across the end of the ring.
        let room = RING - (self.written % RING as u64) as usize;
        if room < bytes.len() {
            self.written += room as u64;
            slots[at].from = self.written;
        }
        let from = (self.written % RING as u64) as usize;
        self.ring[from..from + bytes.len()].copy_from_slice(bytes);
        self.written += bytes.len() as u64;
    }

    /// The parameters of a subtree of a symbol, other than `own`; none if there is none in a few draws.
    pub fn draw(&self, rng: &mut SmallRng, symbol: SymbolId, own: &[u8]) -> Option<&[u8]> {
        let row = (*self.rows.get(symbol.0 as usize)?)? as usize;
        let filled = self.filled[row] as usize;
        if filled == 0 {
            return None;
        }
        let oldest = self.written.saturating_sub(RING as u64);
        (0..DRAWS).find_map(|_| {
            let slot = self.slots[row][rng.random_range(0..filled)];
            let from = (slot.from % RING as u64) as usize;
            let bytes = &self.ring[from..from + slot.length as usize];
            (slot.from >= oldest && bytes != own).then_some(bytes)
        })
    }
}
