//! Finds which names the derivations of each symbol can use, and which they can hide.

use std::collections::HashMap;

use super::naming::{Effect, Naming};
use crate::grammar::{GrammarTables, Graph, components, parts};

/// A set of instances for each symbol.
#[derive(Default)]
pub(super) struct InstancesBySymbol {
    /// By symbol: the index of its set.
    set_of: Vec<u32>,
    /// Sets of instances, as bits. Equal ones are stored once. The first one is empty.
    sets: Vec<Box<[u64]>>,
}

/// Returns the instances of which each symbol can use names. Symbols that can be completed without
/// any name use none; `is_nameless` says which these are.
pub(super) fn usable(
    tables: GrammarTables<'_>,
    naming: &Naming,
    is_nameless: &[bool],
) -> InstancesBySymbol {
    let needs = |symbol: u32| !is_nameless[symbol as usize];
    let own = |symbol: u32| match &naming.effects[symbol as usize] {
        Effect::Use { instances, .. } if needs(symbol) => naming.list(instances),
        _ => &[],
    };
    let contributes = |symbol: u32, part: u32| needs(symbol) && needs(part);
    InstancesBySymbol::new(tables, naming, &own, &contributes)
}

/// Returns the instances of which each symbol can hide all names in the scope around it. With
/// `once`, also the instances of which it can hide one name.
pub(super) fn hidden(tables: GrammarTables<'_>, naming: &Naming, once: bool) -> InstancesBySymbol {
    let own = |symbol: u32| match &naming.effects[symbol as usize] {
        Effect::Hide { instances } => naming.list(instances),
        Effect::Use {
            instances,
            once: true,
            ..
        } if once => naming.list(instances),
        _ => &[],
    };
    let is_scope = |symbol: u32| naming.effects[symbol as usize] == Effect::Scope;
    InstancesBySymbol::new(tables, naming, &own, &|symbol, _| !is_scope(symbol))
}

impl InstancesBySymbol {
    /// Returns for each symbol its own instances and those of its parts. `contributes` says whether
    /// the instances of a part count.
    fn new<'n>(
        tables: GrammarTables<'_>,
        naming: &Naming,
        own: &dyn Fn(u32) -> &'n [u16],
        contributes: &dyn Fn(u32, u32) -> bool,
    ) -> InstancesBySymbol {
        let words = (naming.instances as usize).div_ceil(64);
        let empty: Box<[u64]> = vec![0; words].into();
        let count = tables.symbols.len();
        let mut all = InstancesBySymbol {
            set_of: vec![0; count],
            sets: vec![empty.clone()],
        };
        if (0..count as u32).all(|symbol| own(symbol).is_empty()) {
            return all;
        }
        let mut edges = parts(tables);
        edges.retain(|&(symbol, part)| contributes(symbol, part));
        let graph = Graph::new(count, &edges);
        let (component, _) = components(&graph);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|&symbol| component[symbol as usize]);
        let mut ids = HashMap::from([(empty, 0)]);
        let mut set = vec![0; words];
        let of = |&symbol: &u32| component[symbol as usize];
        // The parts of a component come before it.
        for members in order.chunk_by(|one, other| of(one) == of(other)) {
            set.fill(0);
            for &symbol in members {
                for &instance in own(symbol) {
                    set[usize::from(instance) / 64] |= 1_u64 << (instance % 64);
                }
                for &part in graph.successors(symbol) {
                    let id = all.set_of[part as usize];
                    if id > 0 {
                        for (word, more) in set.iter_mut().zip(&all.sets[id as usize]) {
                            *word |= more;
                        }
                    }
                }
            }
            let next = all.sets.len() as u32;
            let id = match set.iter().all(|&word| word == 0) {
                true => 0,
                false => *ids.entry(set.clone().into()).or_insert(next),
            };
            if id == next {
                all.sets.push(set.clone().into());
            }
            for &symbol in members {
                all.set_of[symbol as usize] = id;
            }
        }
        all
    }

    /// Filters instances by the set of a symbol.
    pub fn among(&self, symbol: u32, instances: &[u16]) -> Vec<u16> {
        let instances = instances.iter().copied();
        instances
            .filter(|&instance| self.has(symbol, instance))
            .collect()
    }

    pub fn has(&self, symbol: u32, instance: u16) -> bool {
        let set = &self.sets[self.set_of[symbol as usize] as usize];
        set[usize::from(instance) / 64] >> (instance % 64) & 1 != 0
    }

    pub fn is_empty(&self, symbol: u32) -> bool {
        self.set_of[symbol as usize] == 0
    }

    /// Returns the instances in the set of a symbol, sorted.
    pub fn list(&self, symbol: u32) -> Vec<u16> {
        if self.is_empty(symbol) {
            return Vec::new();
        }
        let set = &self.sets[self.set_of[symbol as usize] as usize];
        (0..set.len() as u16 * 64)
            .filter(|&instance| self.has(symbol, instance))
            .collect()
    }
}
