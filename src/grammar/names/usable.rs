//! Finds which names the derivations of each symbol can use, and which names they can hide.

use super::naming::{Effect, Naming};
use crate::grammar::sets::{self, Distinct, Sets};
use crate::grammar::{GrammarTables, Graph, components, parts};

/// A set of instances for each symbol.
#[derive(Default)]
pub(super) struct InstancesBySymbol {
    /// By symbol: the index of its set.
    set_of: Vec<u32>,
    /// Sets of instances, as bits. Equal ones are stored once. The first one is empty.
    sets: Sets,
}

/// Returns, for each symbol, the instances from which the symbol can use names. `is_nameless` says
/// which symbols can be completed without any name. Such a symbol has no instances.
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

/// Returns, for each symbol, the instances whose names the symbol can all hide in the scope around
/// it. With `once`, the result also has the instances from which the symbol can hide one name.
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
        let mut set = vec![0; words];
        let mut distinct = Distinct::new(words);
        distinct.index_of(&set);
        let count = tables.symbols.len();
        let mut set_of = vec![0; count];
        if (0..count as u32).all(|symbol| own(symbol).is_empty()) {
            let sets = distinct.into_sets();
            return InstancesBySymbol { set_of, sets };
        }
        let mut edges = parts(tables);
        edges.retain(|&(symbol, part)| contributes(symbol, part));
        let graph = Graph::new(count, &edges);
        let (component, _) = components(&graph);
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|&symbol| component[symbol as usize]);
        let of = |&symbol: &u32| component[symbol as usize];
        // Each component comes after the components of its parts.
        for members in order.chunk_by(|one, other| of(one) == of(other)) {
            set.fill(0);
            for &symbol in members {
                for &instance in own(symbol) {
                    sets::add(&mut set, instance.into());
                }
                for &part in graph.successors(symbol) {
                    let part = set_of[part as usize];
                    if part > 0 {
                        sets::join(&mut set, distinct.get(part));
                    }
                }
            }
            let index = distinct.index_of(&set);
            for &symbol in members {
                set_of[symbol as usize] = index;
            }
        }
        let sets = distinct.into_sets();
        InstancesBySymbol { set_of, sets }
    }

    /// Returns those of the instances that are in the set of a symbol.
    pub fn among(&self, symbol: u32, instances: &[u16]) -> Vec<u16> {
        let instances = instances.iter().copied();
        instances
            .filter(|&instance| self.has(symbol, instance))
            .collect()
    }

    pub fn has(&self, symbol: u32, instance: u16) -> bool {
        let set = self.set_of[symbol as usize] as usize;
        self.sets.has(set, instance.into())
    }

    pub fn is_empty(&self, symbol: u32) -> bool {
        self.set_of[symbol as usize] == 0
    }

    /// Returns the instances in the set of a symbol, sorted.
    pub fn list(&self, symbol: u32) -> Vec<u16> {
        let set = self.sets.get(self.set_of[symbol as usize] as usize);
        sets::numbers(set).map(|number| number as u16).collect()
    }
}
