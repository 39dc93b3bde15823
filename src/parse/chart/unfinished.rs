//! The innermost unfinished symbols of a text that is no sentence: those in which the parser stopped.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Chart, Key, NONE, key};
use crate::grammar::SymbolId;
use crate::parse::tables::ParserTables;

/// The maximum number of symbols that are examined.
const CANDIDATES: usize = 64;

/// The set where a symbol begins, and the key of the symbol.
type Begun = (u32, Key);

impl Chart {
    /// Returns the innermost symbol that every partial derivation leaves unfinished at the last
    /// set, with its alternative. The alternative is [`None`] if several are possible. If there is
    /// no such symbol, returns the symbols that begin last among those that cannot end here.
    ///
    /// For example, `return f` can end there, or go on as the call `return f()`. So the unfinished
    /// symbol is the `return` statement, not the call.
    pub fn unfinished(&self, tables: &ParserTables) -> Vec<(SymbolId, Option<u32>)> {
        let Some(last) = self.sets.last() else {
            return Vec::new();
        };
        let now = self.sets.len() as u32 - 1;
        // The symbols that have a part before the last set and one after it.
        let mut begun: BTreeMap<Begun, (bool, BTreeSet<u32>)> = BTreeMap::new();
        for item in &self.items[last.kernel[0].0 as usize..] {
            let dot = tables.dots[item.dot() as usize];
            if dot.next.is_some() && item.origin < now {
                let begun = begun
                    .entry((item.origin, key(dot.symbol, item.is_adjacent())))
                    .or_default();
                begun.0 |= !tables.may_be_empty(item.dot());
                begun.1.insert(dot.choice);
            }
        }
        let leaves: Vec<Begun> = begun.keys().copied().collect();
        let around = self.around(&leaves, tables);
        // The innermost symbol begins last. Of several, prefer one that cannot end here.
        let mut candidates = leaves.clone();
        candidates.sort_by_key(|begin| (Reverse(begin.0), !begun[begin].0));
        candidates.truncate(CANDIDATES);
        let common = candidates
            .iter()
            .position(|&candidate| is_around_all(candidate, &leaves, &around));
        let found = match common {
            Some(at) => &candidates[at..=at],
            None => {
                candidates.retain(|candidate| begun[candidate].0);
                let first = candidates.first().map_or(0, |begun| begun.0);
                let count = candidates.iter().take_while(|begun| begun.0 == first);
                &candidates[..count.count()]
            }
        };
        let of_symbol = |found: &Begun| {
            let choices = &begun[found].1;
            let choice = choices.first().copied().filter(|_| choices.len() == 1);
            (SymbolId(found.1 >> 1), choice)
        };
        found.iter().map(of_symbol).collect()
    }

    /// Returns a map from each symbol to the symbols that have it as a child at its place. It has
    /// the `leaves` and all symbols around them. The start symbol has no such parents.
    fn around(&self, leaves: &[Begun], tables: &ParserTables) -> BTreeMap<Begun, Vec<Begun>> {
        let mut around = BTreeMap::new();
        let mut open = leaves.to_vec();
        while let Some(begun) = open.pop() {
            if around.contains_key(&begun) {
                continue;
            }
            let (mut at, mut outer) = (self.waiting(begun.0, begun.1), Vec::new());
            while at != NONE {
                let item = self.item(at);
                let symbol = tables.dots[item.dot() as usize].symbol;
                outer.push((item.origin, key(symbol, item.is_adjacent())));
                at = item.link;
            }
            open.extend(&outer);
            around.insert(begun, outer);
        }
        around
    }
}

/// Returns whether each path from the leaves up to the start symbol leads through `candidate`.
fn is_around_all(candidate: Begun, leaves: &[Begun], around: &BTreeMap<Begun, Vec<Begun>>) -> bool {
    let mut open: Vec<Begun> = leaves.to_vec();
    let mut known = BTreeSet::from([candidate]);
    while let Some(begun) = open.pop() {
        if known.insert(begun) {
            let outer = &around[&begun];
            if outer.is_empty() {
                return false;
            }
            open.extend(outer);
        }
    }
    true
}
