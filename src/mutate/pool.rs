//! The pool of donors: subtrees by symbol, from inputs that libFuzzer kept.
//!
//! The bytes of subtrees stand in a ring, where new ones overwrite the oldest. A slot whose bytes were overwritten counts as empty.
//! Subtrees of valid inputs take slots from others; others only take empty slots.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::hash::hash;
use crate::grammar::{Grammar, Role, SymbolId};
use crate::parameters::Tree;

/// The size of the ring in bytes.
const RING: usize = 4 << 20;

/// How many subtrees of a symbol are kept.
const SLOTS: usize = 64;

/// The most bytes of parameters of a subtree that is kept.
const MAX_LENGTH: usize = 512;

/// How many subtrees are drawn before the search for one that differs from the replaced one ends.
const DRAWS: usize = 4;

/// Where a subtree stands; its length is 0 if the slot was never filled.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// How many bytes had been written to the ring before it.
    from: u64,
    length: u32,
    hash: u32,
    valid: bool,
}

/// The subtrees that were kept, by symbol.
#[derive(Debug, Default)]
pub struct Pool {
    /// The row in `slots` of every symbol; symbols without a choice of their own have none.
    rows: Vec<Option<u32>>,
    slots: Vec<[Slot; SLOTS]>,
    /// How many slots of each row were ever filled, from the first on.
    filled: Vec<u32>,
    ring: Vec<u8>,
    /// How many bytes were ever written to the ring.
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

    /// Adds the subtrees of a sentence; `valid` says whether the subject accepted it.
    pub fn add(&mut self, tree: &Tree, valid: bool) {
        for (at, node) in tree.derivation().nodes().iter().enumerate() {
            let Some(&Some(row)) = self.rows.get(node.symbol.0 as usize) else { continue };
            let bytes = &tree.parameters()[tree.span(at)];
            if !bytes.is_empty() && bytes.len() <= MAX_LENGTH {
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
                // One of the next eight slots that hold no subtree of a valid input, or the first of the eight.
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

    /// Draws the parameters of a subtree of a symbol that differ from `own`; none if a few draws find none.
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

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::bounds::Caps;
    use crate::notation;
    use crate::parameters::{self, Settings};

    #[test]
    fn donors_have_the_symbol_and_differ() {
        let source = "list = item* ; item = [a-z] | \"(\" list \")\" ;";
        let (grammar, _) = notation::read("lists", source.as_bytes(), &Caps::default()).unwrap();
        let (mut pool, mut rng) = (Pool::new(&grammar), SmallRng::seed_from_u64(1));
        let item = (0..grammar.symbols().len() as u32).map(SymbolId).find(|&symbol| grammar.label(symbol) == "item").unwrap();
        assert_eq!(pool.draw(&mut rng, item, &[]), None);
        // A list of `a` and `b`.
        let mut tree = Tree::default();
        parameters::read(&grammar, &Settings::default(), &[2, 0, 0, 0, 1], &mut Default::default(), &mut tree);
        assert_eq!(tree.derivation().text(), b"ab");
        pool.add(&tree, false);
        for _ in 0..20 {
            let donor = pool.draw(&mut rng, item, &[0, 0]);
            assert!(donor.is_none_or(|donor| donor == [0, 1]), "{donor:?}");
        }
    }

    #[test]
    fn overwritten_subtrees_are_never_drawn() {
        let (grammar, _) = notation::read("words", b"s = [a-z]{1,400} ;", &Caps::default()).unwrap();
        let (mut pool, mut rng, mut tree) = (Pool::new(&grammar), SmallRng::seed_from_u64(1), Tree::default());
        let mut bytes = vec![252, 255, 255];
        bytes.resize(400, 0);
        for round in 0..2 * RING as u32 / 300 {
            bytes[4..8].copy_from_slice(&round.to_le_bytes().map(|byte| byte % 26));
            parameters::read(&grammar, &Settings::default(), &bytes, &mut Default::default(), &mut tree);
            pool.add(&tree, true);
        }
        for _ in 0..1_000 {
            let Some(donor) = pool.draw(&mut rng, grammar.start(), &[]) else { continue };
            parameters::read(&grammar, &Settings::default(), donor, &mut Default::default(), &mut tree);
            assert_eq!(tree.parameters(), donor, "no canonical parameters of a subtree");
        }
    }
}
