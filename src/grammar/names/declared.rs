//! Computes which names and instances all derivations of a symbol declare.
//!
//! The result is a greatest fixed point: at first every symbol declares everything, then the sets
//! only shrink. The strongly connected components of the grammar are visited one after another. A
//! component comes after the components that it contains as parts. A component that is not stable
//! after [`MAX_ROUNDS`] is treated as if it declared nothing, which is safe.

use super::naming::{Effect, Naming};
use super::usable::InstancesBySymbol;
use crate::grammar::{GrammarTables, Graph, Kind, components, parts, span};

/// The maximum number of times that the symbols of a component are visited.
const MAX_ROUNDS: usize = 64;

/// The maximum number of instances that a symbol declares. Further instances are omitted, which is
/// safe.
const MAX_INSTANCES: usize = 64;

/// What every derivation of a symbol declares in the scope around the symbol. Instances that a
/// later part of the symbol may hide are omitted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declared {
    /// The identifier terminals of which a name is declared, as bits. Terminals after the first 64
    /// have no bit.
    pub namespaces: u64,
    /// The instances, sorted. [`None`] means all instances, for symbols without a finite
    /// derivation.
    pub instances: Option<Vec<u16>>,
}

impl Declared {
    const EVERYTHING: Declared = Declared {
        namespaces: u64::MAX,
        instances: None,
    };
    const NOTHING: Declared = Declared {
        namespaces: 0,
        instances: Some(Vec::new()),
    };

    /// Adds everything that another symbol declares.
    pub fn add(&mut self, other: &Declared) {
        self.namespaces |= other.namespaces;
        match (&mut self.instances, &other.instances) {
            (Some(own), Some(other)) => add(own, other),
            _ => self.instances = None,
        }
    }

    /// Removes the instances that a symbol may hide.
    fn hide(&mut self, hidden: &InstancesBySymbol, symbol: u32) {
        if let (Some(own), false) = (&mut self.instances, hidden.is_empty(symbol)) {
            own.retain(|&instance| !hidden.has(symbol, instance));
        }
    }

    /// Removes everything that another symbol does not declare.
    fn retain(&mut self, other: &Declared) {
        self.namespaces &= other.namespaces;
        match (&mut self.instances, &other.instances) {
            (Some(own), Some(other)) => {
                own.retain(|instance| other.binary_search(instance).is_ok())
            }
            (own @ None, _) => own.clone_from(&other.instances),
            (_, None) => {}
        }
    }
}

/// Adds instances to a sorted list of them.
pub(super) fn add(all: &mut Vec<u16>, more: &[u16]) {
    if !more.is_empty() {
        all.extend_from_slice(more);
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_INSTANCES);
    }
}

/// Returns what all derivations of each symbol declare. `hidden` has the instances that they may
/// hide.
pub(super) fn declared(
    tables: GrammarTables<'_>,
    naming: &Naming,
    hidden: &InstancesBySymbol,
) -> Vec<Declared> {
    let graph = Graph::new(tables.symbols.len(), &parts(tables));
    let (component, _) = components(&graph);
    let mut order: Vec<usize> = (0..component.len()).collect();
    order.sort_by_key(|&symbol| component[symbol]);
    let mut all = vec![Declared::EVERYTHING; order.len()];
    for members in order.chunk_by(|&one, &other| component[one] == component[other]) {
        // A symbol that does not contain itself is visited once.
        let is_recursive = match members {
            [symbol] => graph.successors(*symbol as u32).contains(&(*symbol as u32)),
            _ => true,
        };
        let mut visit = || {
            let mut has_changed = false;
            for &symbol in members {
                let mut own = of_symbol((tables, naming, hidden), &all, symbol);
                own.retain(&all[symbol]);
                has_changed |= own != all[symbol];
                all[symbol] = own;
            }
            has_changed && is_recursive
        };
        if !(0..MAX_ROUNDS).any(|_| !visit()) {
            members
                .iter()
                .for_each(|&symbol| all[symbol] = Declared::NOTHING);
        }
    }
    all
}

/// Returns what all derivations of a symbol declare, given in `all` what its parts declare.
fn of_symbol(
    (tables, naming, hidden): (GrammarTables<'_>, &Naming, &InstancesBySymbol),
    all: &[Declared],
    symbol: usize,
) -> Declared {
    match (&naming.effects[symbol], &tables.symbols[symbol].kind) {
        (Effect::Scope, _) => Declared::NOTHING,
        (Effect::Mark { instances }, _) => declaration(naming.list(instances), 0),
        (Effect::Use { roles, .. }, _) => declaration(naming.list(roles), 0),
        (
            Effect::Declare {
                namespace,
                instances,
            },
            _,
        ) => declaration(
            naming.list(instances),
            1_u64.checked_shl(*namespace).unwrap_or(0),
        ),
        (_, Kind::Nonterminal { alternatives, .. }) => {
            let mut own = Declared::EVERYTHING;
            for at in span(alternatives).filter(|&at| tables.alternatives[at].minimum.is_finite()) {
                own.retain(&of_alternative(tables, hidden, all, at));
            }
            own
        }
        (
            _,
            Kind::Repeat {
                element,
                at_least: 1..,
                ..
            },
        ) => all[element.symbol.0 as usize].clone(),
        (_, Kind::Lexeme { body, .. }) => all[body.0 as usize].clone(),
        _ => Declared::NOTHING,
    }
}

fn declaration(instances: &[u16], namespaces: u64) -> Declared {
    let mut all = Vec::new();
    add(&mut all, instances);
    Declared {
        namespaces,
        instances: Some(all),
    }
}

/// Returns what all derivations of an alternative declare.
pub(super) fn of_alternative(
    tables: GrammarTables<'_>,
    hidden: &InstancesBySymbol,
    all: &[Declared],
    alternative: usize,
) -> Declared {
    let mut own = Declared::NOTHING;
    for child in &tables.children[span(&tables.alternatives[alternative].children)] {
        own.hide(hidden, child.symbol.0);
        own.add(&all[child.symbol.0 as usize]);
    }
    own
}
