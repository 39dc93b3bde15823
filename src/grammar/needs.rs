//! What must be visible so that a symbol can be completed with declared names only.
//!
//! The answer is a conjunction of conditions "one of these instances of kinds is visible". For a sequence it is the conjunction for its
//! children, without what the children before certainly declare. For alternatives it is the disjunction, multiplied out. Both are least
//! fixed points over the grammar. Large conjunctions lose conditions: then decoding may have to write an undeclared name.

use std::collections::BTreeMap;

use super::naming::{Effect, Naming, Needs};
use super::{GrammarTables, Kind, Size, span};

/// The maximum number of conditions of a conjunction. Others are dropped.
const MAX_CONDITIONS: usize = 16;

/// The maximum number of times that all symbols are looked at.
const MAX_ROUNDS: usize = 100;

/// A condition: one of these instances is visible. Sorted.
type Condition = Vec<u16>;

/// A conjunction of conditions. [`None`] if the symbol cannot be completed at all.
type Conjunction = Option<Vec<Condition>>;

/// Adds a condition to a conjunction, unless one of its conditions implies it.
fn add(all: &mut Vec<Condition>, condition: Condition) {
    let implies = |one: &Condition, other: &Condition| one.iter().all(|instance| other.binary_search(instance).is_ok());
    if all.iter().any(|other| implies(other, &condition)) {
        return;
    }
    all.retain(|other| !implies(&condition, other));
    all.push(condition);
}

/// Drops the weakest conditions of a conjunction that is too large.
fn limit(all: &mut Vec<Condition>) {
    all.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    all.truncate(MAX_CONDITIONS);
}

/// Returns what holds if one of two conjunctions holds.
fn either(one: &Conjunction, other: &Conjunction) -> Conjunction {
    let (Some(one), Some(other)) = (one, other) else { return one.clone().or_else(|| other.clone()) };
    let mut all = Vec::new();
    for left in one {
        for right in other {
            let mut both = [&left[..], &right[..]].concat();
            both.sort_unstable();
            both.dedup();
            add(&mut all, both);
        }
    }
    limit(&mut all);
    Some(all)
}

/// A set of instances, a bit for each.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(instances: u32, all: bool) -> Set {
        Set(vec![if all { u64::MAX } else { 0 }; instances.div_ceil(64) as usize])
    }

    fn insert(&mut self, instance: u16) {
        self.0[instance as usize / 64] |= 1 << (instance % 64);
    }

    fn contains(&self, instance: u16) -> bool {
        self.0[instance as usize / 64] >> (instance % 64) & 1 != 0
    }

    fn unite(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    fn intersect(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

/// The analysis.
struct Analysis<'a> {
    tables: GrammarTables<'a>,
    naming: &'a Naming,
    /// By symbol: the identifier terminals of which all of its derivations declare a name, as bits.
    declares: Vec<u64>,
    /// By symbol: the instances that all of its derivations declare.
    declared: Vec<Set>,
    needs: Vec<Conjunction>,
}

impl Analysis<'_> {
    /// Returns what an alternative certainly declares.
    fn declared_by(&self, alternative: usize) -> Set {
        let mut all = Set::new(self.naming.instances, false);
        for child in &self.tables.children[span(&self.tables.alternatives[alternative].children)] {
            all.unite(&self.declared[child.symbol.0 as usize]);
        }
        all
    }

    /// Returns what a symbol certainly declares.
    fn declared(&self, symbol: usize) -> Set {
        let none = || Set::new(self.naming.instances, false);
        match &self.naming.effects[symbol] {
            Effect::Declare { instances, .. } | Effect::Mark { instances } => {
                let mut all = none();
                self.naming.list(instances).iter().for_each(|&instance| all.insert(instance));
                return all;
            }
            Effect::Scope => return none(),
            _ => {}
        }
        match &self.tables.symbols[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let mut all = Set::new(self.naming.instances, true);
                let possible = span(alternatives).filter(|&at| self.tables.alternatives[at].minimum.is_finite());
                possible.for_each(|at| all.intersect(&self.declared_by(at)));
                all
            }
            Kind::Repeat { element, at_least: 1.., .. } => self.declared[element.symbol.0 as usize].clone(),
            Kind::Lexeme { body, .. } => self.declared[body.0 as usize].clone(),
            _ => none(),
        }
    }

    /// Returns the identifier terminals of which an alternative certainly declares a name.
    fn alternative_declares(&self, alternative: usize) -> u64 {
        let children = &self.tables.children[span(&self.tables.alternatives[alternative].children)];
        children.iter().fold(0, |bits, child| bits | self.declares[child.symbol.0 as usize])
    }

    /// Returns the identifier terminals of which a symbol certainly declares a name.
    fn declares(&self, symbol: usize) -> u64 {
        match (&self.naming.effects[symbol], &self.tables.symbols[symbol].kind) {
            (Effect::Declare { namespace, .. }, _) => 1_u64.checked_shl(*namespace).unwrap_or(0),
            (Effect::Scope, _) => 0,
            (_, Kind::Nonterminal { alternatives, .. }) => {
                let possible = span(alternatives).filter(|&at| self.tables.alternatives[at].minimum.is_finite());
                possible.fold(u64::MAX, |bits, at| bits & self.alternative_declares(at))
            }
            (_, Kind::Repeat { element, at_least: 1.., .. }) => self.declares[element.symbol.0 as usize],
            (_, Kind::Lexeme { body, .. }) => self.declares[body.0 as usize],
            _ => 0,
        }
    }

    /// Returns what an alternative needs. `accumulates` is whether what its children declare is visible for the others.
    fn needs_of_alternative(&self, alternative: usize, accumulates: bool) -> Conjunction {
        if !self.tables.alternatives[alternative].minimum.is_finite() {
            return None;
        }
        let (mut all, mut visible) = (Vec::new(), Set::new(self.naming.instances, false));
        for child in &self.tables.children[span(&self.tables.alternatives[alternative].children)] {
            for condition in self.needs[child.symbol.0 as usize].as_ref()? {
                if !condition.iter().any(|&instance| visible.contains(instance)) {
                    add(&mut all, condition.clone());
                }
            }
            if accumulates {
                visible.unite(&self.declared[child.symbol.0 as usize]);
            }
        }
        limit(&mut all);
        Some(all)
    }

    fn needs(&self, symbol: usize) -> Conjunction {
        let effect = &self.naming.effects[symbol];
        if let Effect::Use { instances, .. } = effect {
            let mut condition = self.naming.list(instances).to_vec();
            condition.sort_unstable();
            return Some(vec![condition]);
        }
        match &self.tables.symbols[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let all = span(alternatives).map(|at| self.needs_of_alternative(at, *effect != Effect::After));
                all.fold(None, |all, next| either(&all, &next))
            }
            Kind::Repeat { element, at_least: 1.., .. } => self.needs[element.symbol.0 as usize].clone(),
            Kind::Lexeme { body, .. } => self.needs[body.0 as usize].clone(),
            _ => Some(Vec::new()),
        }
    }
}

/// Computes what all alternatives and symbols need, and stores it in `naming`. Alternatives without a finite size are forbidden.
pub(crate) fn find_needs(tables: GrammarTables<'_>, naming: &mut Naming) {
    let count = tables.symbols.len();
    let mut analysis = Analysis {
        tables,
        naming,
        declares: vec![u64::MAX; count],
        declared: vec![Set::new(naming.instances, true); count],
        needs: vec![None; count],
    };
    // Small symbols first, because larger ones are made of them.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&at| tables.symbols[at].minimum);
    until_stable(&order, |at| {
        let declares = analysis.declares(at);
        std::mem::replace(&mut analysis.declares[at], declares) != declares
    });
    until_stable(&order, |at| {
        let declared = analysis.declared(at);
        std::mem::replace(&mut analysis.declared[at], declared) != analysis.declared[at]
    });
    until_stable(&order, |at| {
        let needs = analysis.needs(at);
        std::mem::replace(&mut analysis.needs[at], needs) != analysis.needs[at]
    });
    let of_alternative: Vec<Conjunction> = {
        let mut all = vec![None; tables.alternatives.len()];
        for (symbol, effect) in tables.symbols.iter().zip(&analysis.naming.effects) {
            if let Kind::Nonterminal { alternatives, .. } = &symbol.kind {
                span(alternatives).for_each(|at| all[at] = analysis.needs_of_alternative(at, *effect != Effect::After));
            }
        }
        all
    };
    // What cannot be completed would declare all names.
    let when = |size: Size, bits: u64| if size.is_finite() { bits } else { 0 };
    let sizes = tables.alternatives.iter().map(|alternative| alternative.minimum);
    let alternative_declares = (0..).zip(sizes).map(|(at, size)| when(size, analysis.alternative_declares(at))).collect();
    let Analysis { needs: of_symbol, declares, .. } = analysis;
    let symbol_declares = declares.into_iter().zip(tables.symbols).map(|(bits, symbol)| when(symbol.minimum, bits)).collect();
    (naming.alternative_declares, naming.symbol_declares) = (alternative_declares, symbol_declares);
    let mut pool = Pool { words: naming.words(), clauses: Vec::new(), known: BTreeMap::new() };
    naming.alternative_needs = of_alternative.iter().map(|needs| pool.add(needs)).collect();
    naming.symbol_needs = of_symbol.iter().map(|needs| pool.add(needs)).collect();
    naming.clauses = pool.clauses.into();
}

/// Updates all symbols in turn until none changes, but at most [`MAX_ROUNDS`] times. `update` returns whether a symbol has changed.
fn until_stable(order: &[usize], mut update: impl FnMut(usize) -> bool) {
    for _ in 0..MAX_ROUNDS {
        let mut has_changed = false;
        for &at in order {
            has_changed |= update(at);
        }
        if !has_changed {
            return;
        }
    }
}

/// Stores equal conjunctions once.
struct Pool {
    /// The number of words of a set.
    words: usize,
    clauses: Vec<u64>,
    known: BTreeMap<Vec<Condition>, Needs>,
}

impl Pool {
    /// Adds a conjunction. What cannot be completed needs nothing: its size forbids it.
    fn add(&mut self, needs: &Conjunction) -> Needs {
        let Some(conditions) = needs.as_ref().filter(|conditions| !conditions.is_empty()) else { return Needs::default() };
        if let Some(&known) = self.known.get(conditions) {
            return known;
        }
        let first = (self.clauses.len() / self.words) as u32;
        for condition in conditions {
            let from = self.clauses.len();
            self.clauses.resize(from + self.words, 0);
            condition.iter().for_each(|&instance| self.clauses[from + instance as usize / 64] |= 1 << (instance % 64));
        }
        let needs = Needs { first, count: conditions.len() as u32 };
        self.known.insert(conditions.clone(), needs);
        needs
    }
}
