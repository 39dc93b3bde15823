//! The bound of depth: the maximum number of expansions of one nonterminal on a path from the root.
//! Only nonterminals of named, recursive syntax rules are *counted*.
//!
//! A nonterminal with that many expansions on the path is *banned*. An option is allowed if it can
//! be completed without the banned nonterminals. (Bonsai's Algorithm 1 does not look ahead and may
//! exceed its depth.)
//!
//! For each set of banned nonterminals that occurs, the minimum sizes of all symbols and
//! alternatives in the grammar without these nonterminals are computed once and stored. The banned
//! set of a path omits the nonterminals that cannot occur inside the last nonterminal of the path.
//!
//! In a grammar with arguments of rules, all instances of a rule are counted together and banned
//! together. There is one exception: if an instance without the other ones is larger than the size
//! that was reserved for it, only this instance is banned.

use std::collections::HashMap;

use crate::grammar::{Grammar, Graph, Kind, Size, SymbolId, parts, span};

/// If the stored minimum sizes take more bytes than this when a sentence begins, all tables are
/// discarded.
const MAX_MEMORY: usize = 64 << 20;

/// The index of a set of banned nonterminals. 0 is the empty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct BannedSetId(u32);

/// A banned nonterminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Ban {
    /// All instances of a rule. The rule is a symbol of the erased grammar.
    Rule(SymbolId),
    Instance(SymbolId),
}

impl Ban {
    /// The banned rule, or the rule of the banned instance.
    fn rule(self, grammar: &Grammar) -> SymbolId {
        match self {
            Ban::Rule(rule) => rule,
            Ban::Instance(symbol) => grammar.origin(symbol),
        }
    }
}

/// A set of banned nonterminals, and the minimum sizes of the grammar without them.
#[derive(Debug)]
struct BannedSet {
    /// The banned nonterminals, sorted.
    banned: Box<[Ban]>,
    /// The minimum size of each symbol. Empty for the empty set, because its sizes are those of the
    /// grammar.
    symbols: Vec<Size>,
    /// The minimum size of each alternative. Empty for the empty set.
    alternatives: Vec<Size>,
}

/// The state of the bound of depth: the current path, and the stored minimum sizes.
#[derive(Debug, Default)]
pub(super) struct Depth {
    /// The maximum number of expansions.
    limit: u32,
    /// The banned set of the current path.
    current: BannedSetId,
    /// For each rule, the number of its expansions on the path.
    counts: Vec<u32>,
    /// The fingerprint of the grammar that the tables belong to.
    fingerprint: Option<u64>,
    sets: Vec<BannedSet>,
    ids: HashMap<Box<[Ban]>, BannedSetId>,
    /// The banned set after a nonterminal is entered. The key is the previous banned set, the
    /// nonterminal, and whether this expansion reaches the limit.
    steps: HashMap<(BannedSetId, SymbolId, bool), BannedSetId>,
    /// For a rule, the symbols of the erased grammar that can occur inside it.
    reachable: HashMap<SymbolId, Vec<bool>>,
    /// The memory of the minimum sizes in `sets`, in bytes.
    memory: usize,
}

impl Depth {
    /// Begins an empty path, for a new sentence. `limit` is the bound of depth.
    pub fn begin(&mut self, grammar: &Grammar, limit: u32) {
        if self.fingerprint != Some(grammar.fingerprint()) || self.memory > MAX_MEMORY {
            *self = Depth {
                fingerprint: Some(grammar.fingerprint()),
                ..Depth::default()
            };
            let empty = BannedSet {
                banned: Box::default(),
                symbols: Vec::new(),
                alternatives: Vec::new(),
            };
            self.sets.push(empty);
            self.ids.insert(Box::default(), BannedSetId(0));
        }
        self.limit = limit;
        self.current = BannedSetId(0);
        self.counts.clear();
        self.counts.resize(grammar.erased().symbols.len(), 0);
    }

    /// Returns the minimum size of a symbol at the end of the current path, without the banned
    /// nonterminals.
    #[inline(always)]
    pub fn minimum(&self, grammar: &Grammar, symbol: SymbolId) -> Size {
        let BannedSet { symbols, .. } = &self.sets[self.current.0 as usize];
        symbols
            .get(symbol.0 as usize)
            .copied()
            .unwrap_or(grammar[symbol].minimum)
    }

    /// Returns the minimum size of an alternative at the end of the current path, without the
    /// banned nonterminals.
    #[inline(always)]
    pub fn minimum_of_alternative(&self, grammar: &Grammar, alternative: u32) -> Size {
        let BannedSet { alternatives, .. } = &self.sets[self.current.0 as usize];
        alternatives
            .get(alternative as usize)
            .copied()
            .unwrap_or(grammar.alternatives[alternative as usize].minimum)
    }

    /// Extends the path by a counted nonterminal. Returns the previous banned set, which
    /// [`Depth::leave`] needs.
    #[inline(always)]
    pub fn enter(&mut self, grammar: &Grammar, symbol: SymbolId) -> BannedSetId {
        let outer = self.current;
        let count = &mut self.counts[grammar.origin(symbol).0 as usize];
        *count += 1;
        let step = (self.current, symbol, *count >= self.limit);
        self.current = match self.steps.get(&step) {
            Some(&id) => id,
            None => self.step(grammar, step),
        };
        outer
    }

    /// Removes a counted nonterminal from the end of the path. `outer` is what [`Depth::enter`]
    /// returned.
    #[inline(always)]
    pub fn leave(&mut self, grammar: &Grammar, symbol: SymbolId, outer: BannedSetId) {
        self.counts[grammar.origin(symbol).0 as usize] -= 1;
        self.current = outer;
    }

    /// Computes a missing entry of `steps`: the banned set after a nonterminal is entered.
    #[cold]
    #[inline(never)]
    fn step(&mut self, grammar: &Grammar, step: (BannedSetId, SymbolId, bool)) -> BannedSetId {
        let (outer, symbol, is_banned) = step;
        let rule = grammar.origin(symbol);
        let reachable = self
            .reachable
            .entry(rule)
            .or_insert_with(|| reachable(grammar.erased(), rule));
        let mut outer: Vec<Ban> = self.sets[outer.0 as usize].banned.to_vec();
        outer.retain(|ban| reachable[ban.rule(grammar).0 as usize]);
        let is_inside = reachable[rule.0 as usize];
        let mut id = self.set(
            grammar,
            &outer,
            (is_banned && is_inside).then_some(Ban::Rule(rule)),
        );
        if is_banned && grammar.has_names() && !self.fits(grammar, symbol, id) {
            id = self.set(grammar, &outer, is_inside.then_some(Ban::Instance(symbol)));
        }
        self.steps.insert(step, id);
        id
    }

    /// Returns whether a nonterminal has an alternative that fits into the size reserved for it, if
    /// the nonterminals of the banned set `id` are excluded. The reserved size is its minimum size
    /// at the end of the current path.
    fn fits(&self, grammar: &Grammar, symbol: SymbolId, id: BannedSetId) -> bool {
        let Kind::Nonterminal { alternatives, .. } = &grammar[symbol].kind else {
            return true;
        };
        let sizes = &self.sets[id.0 as usize].alternatives;
        let reserved = self.minimum(grammar, symbol);
        let fits = |size: &Size| size.bytes <= reserved.bytes && size.nodes <= reserved.nodes;
        sizes.is_empty() || sizes[span(alternatives)].iter().any(fits)
    }

    /// Returns the banned set that consists of `outer` and `also`. Computes its minimum sizes if it
    /// is new.
    fn set(&mut self, grammar: &Grammar, outer: &[Ban], also: Option<Ban>) -> BannedSetId {
        let mut banned: Vec<Ban> = outer.iter().copied().chain(also).collect();
        banned.sort_unstable();
        banned.dedup();
        let next = BannedSetId(self.sets.len() as u32);
        *self.ids.entry(banned.into()).or_insert_with_key(|banned| {
            let has = |ban: Ban| banned.binary_search(&ban).is_ok();
            let (symbols, alternatives) = grammar.minimum_sizes_without(&|symbol| {
                has(Ban::Rule(grammar.origin(symbol))) || has(Ban::Instance(symbol))
            });
            self.memory += (symbols.len() + alternatives.len()) * size_of::<Size>();
            self.sets.push(BannedSet {
                banned: banned.clone(),
                symbols,
                alternatives,
            });
            next
        })
    }
}

/// Returns for each symbol whether it can occur inside `symbol`.
fn reachable(grammar: &Grammar, symbol: SymbolId) -> Vec<bool> {
    let graph = Graph::new(grammar.symbols.len(), &parts(grammar.tables()));
    // A symbol is inside itself only if it is recursive.
    let mut inside = vec![false; grammar.symbols.len()];
    for &child in graph.successors(symbol.0) {
        if !inside[child as usize] {
            inside
                .iter_mut()
                .zip(graph.reachable(child))
                .for_each(|(inside, reached)| *inside |= reached);
        }
    }
    inside
}
