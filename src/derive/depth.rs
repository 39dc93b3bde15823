//! The depth bound: how often a nonterminal may be expanded on a path, and what that leaves.
//!
//! An option is allowed iff it can be completed in the grammar without the nonterminals used up on the path. What that
//! grammar derives at least is computed once for every set of nonterminals used up, and kept. (Bonsai's Algorithm 1 does not
//! look ahead and may exceed its depth.) Nonterminals that cannot be reached any more are left out of the sets.

use std::collections::HashMap;

use crate::grammar::{Grammar, Graph, Size, SymbolId, minimum_sizes, parts};

/// Memory for the tables, in bytes, checked between sentences.
const MEMORY: usize = 64 << 20;

/// Which set of nonterminals is used up; 0 is the empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct SetId(u32);

/// Least sizes in the grammar without a set of nonterminals.
#[derive(Debug)]
struct BannedSet {
    banned: Box<[SymbolId]>,
    symbols: Vec<Size>,
    alternatives: Vec<Size>,
}

/// The path's counts and the tables.
#[derive(Debug, Default)]
pub(super) struct Depth {
    limit: u32,
    current: SetId,
    counts: Vec<u32>,
    fingerprint: Option<u64>,
    sets: Vec<BannedSet>,
    known: HashMap<Box<[SymbolId]>, SetId>,
    steps: HashMap<(SetId, SymbolId, bool), SetId>,
    reachable: HashMap<SymbolId, Vec<bool>>,
    memory: usize,
}

impl Depth {
    /// Begins a sentence.
    pub fn begin(&mut self, grammar: &Grammar, limit: u32) {
        if self.fingerprint != Some(grammar.fingerprint()) || self.memory > MEMORY {
            *self = Depth { fingerprint: Some(grammar.fingerprint()), ..Depth::default() };
            let empty = BannedSet { banned: Box::default(), symbols: Vec::new(), alternatives: Vec::new() };
            self.sets.push(empty);
            self.known.insert(Box::default(), SetId(0));
        }
        self.limit = limit;
        self.current = SetId(0);
        self.counts.clear();
        self.counts.resize(grammar.symbols.len(), 0);
    }

    /// The least size of a symbol here.
    #[inline(always)]
    pub fn minimum(&self, grammar: &Grammar, symbol: SymbolId) -> Size {
        let BannedSet { symbols, .. } = &self.sets[self.current.0 as usize];
        symbols.get(symbol.0 as usize).copied().unwrap_or(grammar[symbol].minimum)
    }

    /// The least size of an alternative here.
    #[inline(always)]
    pub fn alternative(&self, grammar: &Grammar, alternative: u32) -> Size {
        let BannedSet { alternatives, .. } = &self.sets[self.current.0 as usize];
        alternatives.get(alternative as usize).copied().unwrap_or(grammar.alternatives[alternative as usize].minimum)
    }

    /// The path goes through a counted nonterminal; what was current before.
    #[inline(always)]
    pub fn enter(&mut self, grammar: &Grammar, symbol: SymbolId) -> SetId {
        let outer = self.current;
        let count = &mut self.counts[symbol.0 as usize];
        *count += 1;
        let step = (self.current, symbol, *count >= self.limit);
        self.current = match self.steps.get(&step) {
            Some(&known) => known,
            None => self.step(grammar, step),
        };
        outer
    }

    /// The path comes back out of a counted nonterminal, to what was current before.
    #[inline(always)]
    pub fn leave(&mut self, symbol: SymbolId, outer: SetId) {
        self.counts[symbol.0 as usize] -= 1;
        self.current = outer;
    }

    #[cold]
    #[inline(never)]
    fn step(&mut self, grammar: &Grammar, step: (SetId, SymbolId, bool)) -> SetId {
        let (from, symbol, used_up) = step;
        let reachable = self.reachable.entry(symbol).or_insert_with(|| reachable(grammar, symbol));
        let mut banned: Vec<SymbolId> = self.sets[from.0 as usize].banned.to_vec();
        banned.extend(used_up.then_some(symbol));
        banned.retain(|symbol| reachable[symbol.0 as usize]);
        banned.sort_unstable();
        banned.dedup();
        let next = SetId(self.sets.len() as u32);
        let id = *self.known.entry(banned.into()).or_insert_with_key(|banned| {
            let (symbols, alternatives) = minimum_sizes(grammar.tables(), |symbol| banned.binary_search(&symbol).is_ok());
            self.memory += (symbols.len() + alternatives.len()) * size_of::<Size>();
            self.sets.push(BannedSet { banned: banned.clone(), symbols, alternatives });
            next
        });
        self.steps.insert(step, id);
        id
    }
}

/// What can come inside a symbol.
fn reachable(grammar: &Grammar, symbol: SymbolId) -> Vec<bool> {
    let graph = Graph::new(grammar.symbols.len(), &parts(grammar.tables()));
    // Inside, so not the symbol itself unless it comes back.
    let mut inside = vec![false; grammar.symbols.len()];
    for &child in graph.successors(symbol.0) {
        if !inside[child as usize] {
            inside.iter_mut().zip(graph.reachable(child)).for_each(|(inside, reached)| *inside |= reached);
        }
    }
    inside
}
