//! Finds which names the derivations of a symbol can use, of symbols that need names.

use std::collections::HashMap;

use super::naming::{Effect, Naming};
use super::{GrammarTables, Graph, components, parts};

/// The instances of which each symbol can use names. Symbols that can be completed without any name
/// use none.
#[derive(Default)]
pub(super) struct Usable {
    /// By symbol: the index of its set.
    set_of: Vec<u32>,
    /// Sets of instances, as bits. Equal ones are stored once.
    sets: Vec<Box<[u64]>>,
}

impl Usable {
    /// `is_nameless` says which symbols can be completed without any name.
    pub fn new(tables: GrammarTables<'_>, naming: &Naming, is_nameless: &[bool]) -> Usable {
        let words = (naming.instances as usize).div_ceil(64);
        let empty: Box<[u64]> = vec![0; words].into();
        let mut usable = Usable {
            set_of: vec![0; tables.symbols.len()],
            sets: vec![empty.clone()],
        };
        if is_nameless.iter().all(|&is_nameless| is_nameless) {
            return usable;
        }
        let needs = |symbol: u32| !is_nameless[symbol as usize];
        let mut edges = parts(tables);
        edges.retain(|&(symbol, part)| needs(symbol) && needs(part));
        let graph = Graph::new(tables.symbols.len(), &edges);
        let (component, _) = components(&graph);
        let mut order: Vec<u32> = (0..component.len() as u32)
            .filter(|&at| needs(at))
            .collect();
        order.sort_by_key(|&symbol| component[symbol as usize]);
        let mut ids = HashMap::from([(empty, 0)]);
        let mut set = vec![0; words];
        let of = |&symbol: &u32| component[symbol as usize];
        // The parts of a component come before it.
        for members in order.chunk_by(|one, other| of(one) == of(other)) {
            set.fill(0);
            for &symbol in members {
                if let Effect::Use { instances, .. } = &naming.effects[symbol as usize] {
                    for &instance in naming.list(instances) {
                        set[usize::from(instance) / 64] |= 1_u64 << (instance % 64);
                    }
                }
                for &part in graph.successors(symbol) {
                    let of_part = &usable.sets[usable.set_of[part as usize] as usize];
                    for (word, more) in set.iter_mut().zip(of_part) {
                        *word |= more;
                    }
                }
            }
            let next = usable.sets.len() as u32;
            let id = *ids.entry(set.clone().into()).or_insert(next);
            if id == next {
                usable.sets.push(set.clone().into());
            }
            for &symbol in members {
                usable.set_of[symbol as usize] = id;
            }
        }
        usable
    }

    /// Returns those of some instances of which a symbol can use names.
    pub fn among(&self, symbol: u32, instances: &[u16]) -> Box<[u16]> {
        let set = &self.sets[self.set_of[symbol as usize] as usize];
        let has = |instance: &u16| set[usize::from(*instance) / 64] >> (instance % 64) & 1 != 0;
        instances.iter().copied().filter(has).collect()
    }
}
