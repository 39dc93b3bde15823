//! The pool of donors: subtrees of inputs that libFuzzer kept, by symbol.
//!
//! The parameters of the subtrees are in a ring buffer, where new ones overwrite the oldest. Every
//! symbol that derives several texts and is a token or contains tokens has 64 slots. A slot refers
//! to bytes in the ring buffer. A slot whose bytes were overwritten counts as empty. A subtree of a
//! valid input may replace another subtree. A subtree of any other input needs an empty slot.

use rand::RngExt;
use rand::rngs::SmallRng;

use super::hash::hash;
use crate::grammar::{Grammar, Role, SymbolId};
use crate::parameters::Tree;

/// The size of the ring buffer in bytes.
const RING: usize = 4 << 20;

/// The number of slots for each symbol.
const SLOTS: usize = 64;

/// The maximum size of a stored subtree, in bytes of parameters.
const MAX_LENGTH: usize = 512;

/// The maximum number of subtrees that are drawn until one differs from the subtree that it is to
/// replace.
const DRAWS: usize = 4;

/// The location of a subtree in the ring buffer. The length is 0 if the slot was never filled.
#[derive(Clone, Copy, Debug, Default)]
struct PoolSlot {
    /// The number of bytes that had been written to the ring buffer before the subtree.
    from: u64,
    /// The length in bytes.
    length: u32,
    /// The lower half of the hash of the bytes.
    hash: u32,
    /// Whether the subtree is from a valid input.
    valid: bool,
}

#[derive(Debug, Default)]
pub struct Pool {
    /// For each symbol, its index in `slots`. [`None`] if the symbol has no slots: it derives only
    /// one text, or it is a part of a token.
    rows: Vec<Option<u32>>,
    /// The slots of each symbol that has slots.
    slots: Vec<[PoolSlot; SLOTS]>,
    /// The number of slots of each symbol that were ever filled. Slots fill up from the first.
    filled: Vec<u32>,
    ring: Vec<u8>,
    /// The total number of bytes that were written to the ring buffer.
    written: u64,
}

impl Pool {
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
        let slots = vec![[PoolSlot::default(); SLOTS]; count as usize];
        Pool {
            rows,
            slots,
            filled: vec![0; count as usize],
            ring: vec![0; RING],
            written: 0,
        }
    }

    /// Adds the subtrees of a sentence that have 1 to 512 bytes of parameters. `valid` is whether
    /// the program under test accepted the sentence.
    pub fn add(&mut self, tree: &Tree, valid: bool) {
        for (at, node) in tree.derivation().nodes().iter().enumerate() {
            let Some(&Some(row)) = self.rows.get(node.symbol.0 as usize) else {
                continue;
            };
            let bytes = &tree.parameters()[tree.span(at)];
            if !bytes.is_empty() && bytes.len() <= MAX_LENGTH {
                self.insert(row as usize, bytes, valid);
            }
        }
    }

    /// Adds a subtree of the symbol whose index in `slots` is `row`. Does nothing if the subtree is
    /// already stored, or if there is no slot for it.
    fn insert(&mut self, row: usize, bytes: &[u8], valid: bool) {
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
                // Look at eight slots. Take the first one whose subtree is not from a valid input.
                // If there is none, take the first slot.
                let from = (hash >> 32) as usize % SLOTS;
                (from..from + 8)
                    .map(|at| at % SLOTS)
                    .find(|&at| !slots[at].valid)
                    .unwrap_or(from)
            }
            None => return,
        };
        slots[at] = PoolSlot {
            from: self.written,
            length: bytes.len() as u32,
            hash: short,
            valid,
        };
        // The bytes of a subtree never wrap around the end of the ring buffer.
        let room = RING - (self.written % RING as u64) as usize;
        if room < bytes.len() {
            self.written += room as u64;
            slots[at].from = self.written;
        }
        let from = (self.written % RING as u64) as usize;
        self.ring[from..from + bytes.len()].copy_from_slice(bytes);
        self.written += bytes.len() as u64;
    }

    /// Draws a subtree of a symbol. Returns its parameters, which differ from `own`. Returns
    /// [`None`] if a few draws find none.
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
        let item = (0..grammar.symbols().len() as u32)
            .map(SymbolId)
            .find(|&symbol| grammar.label(symbol) == "item")
            .unwrap();
        assert_eq!(pool.draw(&mut rng, item, &[]), None);
        // The parameters of a list of two items, `a` and `b`.
        let mut tree = Tree::default();
        parameters::read(
            &grammar,
            &Settings::default(),
            &[2, 0, 0, 0, 1],
            &mut Default::default(),
            &mut tree,
        );
        assert_eq!(tree.derivation().text(), b"ab");
        pool.add(&tree, false);
        for _ in 0..20 {
            let donor = pool.draw(&mut rng, item, &[0, 0]);
            assert!(donor.is_none_or(|donor| donor == [0, 1]), "{donor:?}");
        }
    }

    #[test]
    fn overwritten_subtrees_are_never_drawn() {
        let (grammar, _) =
            notation::read("words", b"s = [a-z]{1,400} ;", &Caps::default()).unwrap();
        let (mut pool, mut rng, mut tree) = (
            Pool::new(&grammar),
            SmallRng::seed_from_u64(1),
            Tree::default(),
        );
        let mut bytes = vec![252, 255, 255];
        bytes.resize(400, 0);
        for round in 0..2 * RING as u32 / 300 {
            bytes[4..8].copy_from_slice(&round.to_le_bytes().map(|byte| byte % 26));
            parameters::read(
                &grammar,
                &Settings::default(),
                &bytes,
                &mut Default::default(),
                &mut tree,
            );
            pool.add(&tree, true);
        }
        for _ in 0..1_000 {
            let Some(donor) = pool.draw(&mut rng, grammar.start(), &[]) else {
                continue;
            };
            parameters::read(
                &grammar,
                &Settings::default(),
                donor,
                &mut Default::default(),
                &mut tree,
            );
            assert_eq!(
                tree.parameters(),
                donor,
                "not the canonical parameters of a subtree"
            );
        }
    }
}
