//! Finds the instances of all symbols of a grammar with names and arguments.
//!
//! An instance is a symbol with values for all arguments that it depends on. All instances of a
//! symbol have the same alternatives in the same order. An alternative that the values forbid has
//! one child, which derives nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::annotations::{Annotation, Annotations, Argument, Pattern, Value};
use crate::grammar::{Child, Grammar, Graph, Kind, SymbolId, parts, span};

/// The maximum number of symbols of all instances.
const MAX_SYMBOLS: usize = 300_000;

/// The maximum number of alternatives of all instances plus children of these alternatives.
const MAX_ALTERNATIVES: usize = 1_000_000;

/// The maximum number of combinations of values of one argument list.
const MAX_COMBINATIONS: usize = 65_536;

/// The value of an argument that a symbol does not depend on.
const UNUSED: Value = Value::MAX;

/// Why a grammar has no instances: a symbol, a message and an explanation.
pub(crate) struct Problem {
    pub symbol: SymbolId,
    pub message: String,
    pub label: String,
}

/// The values of the arguments of an instance.
pub(super) type Environment = Box<[Value]>;

/// An alternative of an instance.
pub(super) struct NewAlternative {
    /// A range of [`Tables::children`].
    pub children: Range<u32>,
    /// The index of its alternative in the erased grammar.
    pub of: usize,
    pub is_forbidden: bool,
}

/// All instances, ordered by their symbols and values.
pub(super) struct Tables {
    /// The symbol of the erased grammar and the values of each instance.
    pub keys: Vec<(SymbolId, Environment)>,
    /// The alternatives of each instance, as a range of `alternatives`.
    pub ranges: Vec<Range<u32>>,
    pub alternatives: Vec<NewAlternative>,
    pub children: Vec<Child>,
    /// The new child of each repetition, lexeme and identifier.
    pub parts: Vec<Option<SymbolId>>,
    pub start: SymbolId,
    pub layout: Option<SymbolId>,
}

impl Tables {
    /// Changes the instances of repetitions `x*` that `split_repetitions` replaced by `"" | x+`.
    /// `erased` is the changed grammar. Its last symbols are the repetitions `x+`.
    pub fn split(&mut self, erased: &Grammar, repetitions: &BTreeSet<SymbolId>) {
        let first = erased.symbols.len() - repetitions.len();
        for (&symbol, repeated) in repetitions.iter().zip(first as u32..) {
            let Kind::Nonterminal { alternatives, .. } = &erased[symbol].kind else {
                continue;
            };
            let from = self.keys.partition_point(|(other, _)| *other < symbol);
            let to = self.keys.partition_point(|(other, _)| *other <= symbol);
            for at in from..to {
                let child = self.children.len() as u32;
                self.children.push(Child {
                    symbol: SymbolId(self.keys.len() as u32),
                    is_adjacent: false,
                });
                let values = self.keys[at].1.clone();
                self.keys.push((SymbolId(repeated), values));
                let part = self.parts[at].take();
                self.parts.push(part);
                self.ranges.push(0..0);
                let new = self.alternatives.len() as u32;
                self.ranges[at] = new..new + 2;
                for (of, children) in span(alternatives).zip([child..child, child..child + 1]) {
                    self.alternatives.push(NewAlternative {
                        children,
                        of,
                        is_forbidden: false,
                    });
                }
            }
        }
    }
}

/// The instances found so far, numbered in the order in which they were found, and their
/// alternatives.
struct FoundInstances {
    /// By symbol and values.
    ids: Vec<BTreeMap<Environment, SymbolId>>,
    keys: Vec<(SymbolId, Environment)>,
    alternatives: Vec<NewAlternative>,
    children: Vec<Child>,
}

impl FoundInstances {
    /// Returns the number of an instance. Adds the instance if it is new.
    fn id(&mut self, symbol: SymbolId, values: &[Value]) -> SymbolId {
        let ids = &mut self.ids[symbol.0 as usize];
        if let Some(&id) = ids.get(values) {
            return id;
        }
        let id = SymbolId(self.keys.len() as u32);
        self.keys.push((symbol, values.into()));
        ids.insert(values.into(), id);
        id
    }

    /// Adds an alternative that has the children from this index on.
    fn add(&mut self, of: usize, first: usize, is_forbidden: bool) {
        self.alternatives.push(NewAlternative {
            children: first as u32..self.children.len() as u32,
            of,
            is_forbidden,
        });
    }
}

/// The child of an alternative of an instance: its symbol, and its values as a range of a list.
struct NewChild {
    symbol: SymbolId,
    values: Range<usize>,
    is_adjacent: bool,
}

/// Finds the instances of all symbols.
pub(super) struct Instances<'a> {
    pub erased: &'a Grammar,
    pub annotations: &'a Annotations,
    /// From each symbol to the symbols in its definition.
    parts: Graph,
    /// By symbol: the arguments that it depends on, as bits.
    used: Vec<u32>,
    /// By constructor and parts: the value.
    terms: HashMap<(u16, &'a [Value]), Value>,
}

impl<'a> Instances<'a> {
    pub fn new(erased: &'a Grammar, annotations: &'a Annotations) -> Instances<'a> {
        let terms = (0..).zip(&annotations.values).filter_map(|(value, term)| {
            term.constructor
                .map(|constructor| ((constructor, &*term.parts), value))
        });
        let mut work = Instances {
            erased,
            annotations,
            parts: Graph::new(erased.symbols.len(), &parts(erased.tables())),
            used: Vec::new(),
            terms: terms.collect(),
        };
        work.used = work.find_used();
        work
    }

    /// Returns the symbols in a symbol's definition.
    fn parts(&self, symbol: SymbolId) -> impl Iterator<Item = SymbolId> + '_ {
        self.parts
            .successors(symbol.0)
            .iter()
            .copied()
            .map(SymbolId)
    }

    /// Returns the start symbol of the rule that a call derives.
    fn called(&self, call: SymbolId) -> SymbolId {
        SymbolId(self.parts.successors(call.0)[0])
    }

    /// Returns the index of the arguments of a symbol's rule.
    fn owner(&self, symbol: SymbolId) -> u32 {
        self.annotations.owners[symbol.0 as usize]
    }

    /// Finds the arguments that each symbol depends on.
    fn find_used(&self) -> Vec<u32> {
        let count = self.erased.symbols.len();
        let own = |at: usize| {
            let symbol = SymbolId(at as u32);
            let of = |arguments: &[Argument]| {
                arguments
                    .iter()
                    .fold(0, |bits, argument| bits | argument.passed())
            };
            let bits = match self.annotations.symbols.get(&symbol) {
                Some(Annotation::Use { pattern, roles, .. }) => {
                    roles.iter().fold(of(&pattern.arguments), |bits, role| {
                        bits | of(&role.arguments)
                    })
                }
                Some(Annotation::Hide(pattern)) => of(&pattern.arguments),
                Some(Annotation::Declare(patterns)) => patterns
                    .iter()
                    .fold(0, |bits, pattern| bits | of(&pattern.arguments)),
                _ => 0,
            };
            let Some(guards) = self.annotations.guards.get(&symbol) else {
                return bits;
            };
            let domains = &self.annotations.arguments[self.owner(symbol) as usize];
            let restricts = |at: usize| {
                guards
                    .iter()
                    .any(|guard| guard[at].len() < domains[at].len())
            };
            bits | (0..domains.len())
                .filter(|&at| restricts(at))
                .fold(0, |bits, at| bits | 1 << at)
        };
        let mut used: Vec<u32> = (0..count).map(own).collect();
        loop {
            let mut has_changed = false;
            for at in (0..count).rev() {
                let symbol = SymbolId(at as u32);
                let mut bits = used[at];
                match self.annotations.symbols.get(&symbol) {
                    Some(Annotation::Call(arguments)) => {
                        let called = used[self.called(symbol).0 as usize];
                        for (to, argument) in arguments.iter().enumerate() {
                            // The existence of a value with these parts depends on the passed
                            // values, too.
                            let is_term = matches!(argument, Argument::Term { .. });
                            if called >> to & 1 != 0 || is_term {
                                bits |= argument.passed();
                            }
                        }
                    }
                    _ => {
                        let parts = self
                            .parts(symbol)
                            .filter(|&part| self.owner(part) == self.owner(symbol));
                        parts.for_each(|part| bits |= used[part.0 as usize]);
                    }
                }
                has_changed |= bits != used[at];
                used[at] = bits;
            }
            if !has_changed {
                return used;
            }
        }
    }

    /// Returns the part of a value to which a path leads.
    fn part(&self, value: Value, path: &[u8]) -> Option<Value> {
        let values = &self.annotations.values;
        path.iter().try_fold(value, |value, &part| {
            values[value as usize].parts.get(part as usize).copied()
        })
    }

    /// Returns the values that an argument can have. The result is empty if no domain has such a
    /// value.
    pub fn choices(&self, argument: &Argument, values: &[Value]) -> Vec<Value> {
        match argument {
            Argument::Value(value) => vec![*value],
            Argument::Passed { index, path } => {
                let value = self.part(values[*index as usize], path);
                value.into_iter().collect()
            }
            Argument::Any(values) => values.to_vec(),
            Argument::Term { constructor, parts } => {
                let mut all: Vec<Vec<Value>> = vec![Vec::new()];
                for part in parts {
                    let choices = self.choices(part, values);
                    all = all
                        .iter()
                        .flat_map(|before| {
                            choices
                                .iter()
                                .map(move |&value| [&before[..], &[value]].concat())
                        })
                        .collect();
                }
                let term = |parts: Vec<Value>| self.terms.get(&(*constructor, &*parts)).copied();
                all.into_iter().filter_map(term).collect()
            }
        }
    }

    /// Returns the values that an argument can have, without those that are not in `among`. `among`
    /// must be sorted.
    fn choices_among(&self, argument: &Argument, values: &[Value], among: &[Value]) -> Vec<Value> {
        let mut all = self.choices(argument, values);
        all.retain(|value| among.binary_search(value).is_ok());
        all
    }

    /// Returns whether an argument can have a value.
    pub fn can_be(&self, argument: &Argument, value: Value, values: &[Value]) -> bool {
        match argument {
            Argument::Any(all) => all.contains(&value),
            Argument::Term { constructor, parts } => {
                let term = &self.annotations.values[value as usize];
                term.constructor == Some(*constructor)
                    && parts
                        .iter()
                        .zip(&term.parts)
                        .all(|(argument, &part)| self.can_be(argument, part, values))
            }
            Argument::Value(only) => *only == value,
            Argument::Passed { index, path } => {
                self.part(values[*index as usize], path) == Some(value)
            }
        }
    }

    /// Returns all combinations of the values of an argument list.
    fn combinations(
        &self,
        symbol: SymbolId,
        called: SymbolId,
        arguments: &[Argument],
        values: &[Value],
    ) -> Result<Vec<Environment>, Problem> {
        let used = self.used[called.0 as usize];
        let domains = &self.annotations.arguments[self.owner(called) as usize];
        let (mut count, mut all) = (1, Vec::with_capacity(arguments.len()));
        for (at, argument) in arguments.iter().enumerate() {
            let mut choices = match (argument, used >> at & 1) {
                (Argument::Term { .. }, _) => self.choices_among(argument, values, &domains[at]),
                (_, 0) => vec![UNUSED],
                _ => self.choices(argument, values),
            };
            if used >> at & 1 == 0 && !choices.is_empty() {
                choices = vec![UNUSED];
            }
            count *= choices.len();
            if count > MAX_COMBINATIONS {
                let message =
                    format!("`_` stands for more than {MAX_COMBINATIONS} combinations of values");
                let label = "use fewer values, or fewer arguments `_`".into();
                return Err(Problem {
                    symbol,
                    message,
                    label,
                });
            }
            all.push(choices);
        }
        // The last argument changes first.
        let combination = |at: usize| {
            let mut rest = at;
            let mut values = vec![UNUSED; all.len()];
            for (value, choices) in values.iter_mut().zip(&all).rev() {
                *value = choices[rest % choices.len()];
                rest /= choices.len();
            }
            let is_used = values.iter().any(|&value| value != UNUSED);
            if is_used {
                values.into()
            } else {
                Environment::default()
            }
        };
        Ok((0..count).map(combination).collect())
    }

    /// Returns the symbol of a child in an instance, and appends the values of the child to `to`.
    /// For a call without a choice, the child is the start symbol of the called rule. [`None`] if
    /// an argument of the symbol has no value.
    fn child(
        &self,
        of: SymbolId,
        symbol: SymbolId,
        values: &[Value],
        to: &mut Vec<Value>,
    ) -> Option<SymbolId> {
        let all_possible = |patterns: &[Pattern]| {
            let mut all = patterns.iter();
            all.all(|pattern| self.is_possible(pattern, values))
        };
        match self.annotations.symbols.get(&symbol) {
            Some(Annotation::Call(arguments)) => {
                let called = self.called(symbol);
                let used = self.used[called.0 as usize];
                let domains = &self.annotations.arguments[self.owner(called) as usize];
                if !self.exist(arguments, domains, values) {
                    return None;
                }
                let mut all = arguments.iter().enumerate();
                if !all.any(|(at, argument)| argument.is_choice() && used >> at & 1 != 0) {
                    let from = to.len();
                    for (at, argument) in arguments.iter().enumerate() {
                        to.push(match used >> at & 1 {
                            0 => UNUSED,
                            _ => self.only_choice(argument, values, &domains[at])?,
                        });
                    }
                    drop_unused(to, from);
                    return Some(called);
                }
            }
            Some(Annotation::Use { pattern, roles, .. })
                if !self.is_possible(pattern, values) || !all_possible(roles) =>
            {
                return None;
            }
            Some(Annotation::Declare(patterns)) if !all_possible(patterns) => return None,
            _ => {}
        }
        if self.owner(of) == self.owner(symbol) {
            let used = self.used[symbol.0 as usize];
            let from = to.len();
            let value = |(at, &value)| if used >> at & 1 != 0 { value } else { UNUSED };
            to.extend(values.iter().enumerate().map(value));
            drop_unused(to, from);
        }
        Some(symbol)
    }

    /// Returns the only value of an argument of a call. The argument must be no choice.
    fn only_choice(
        &self,
        argument: &Argument,
        values: &[Value],
        domain: &[Value],
    ) -> Option<Value> {
        match argument {
            Argument::Value(value) => Some(*value),
            Argument::Passed { index, path } => self.part(values[*index as usize], path),
            _ => self.choices_among(argument, values, domain).pop(),
        }
    }

    /// Returns whether each argument that is a term has a value in its domain.
    fn exist(&self, arguments: &[Argument], domains: &[Box<[Value]>], values: &[Value]) -> bool {
        let mut all = arguments.iter().zip(domains);
        all.all(|(argument, domain)| match argument {
            Argument::Term { .. } => !self.choices_among(argument, values, domain).is_empty(),
            _ => true,
        })
    }

    /// Returns whether each argument of a kind has a value.
    fn is_possible(&self, pattern: &Pattern, values: &[Value]) -> bool {
        let domains = &self.annotations.kinds[pattern.kind as usize].domains;
        self.exist(&pattern.arguments, domains, values)
    }

    /// Adds the alternatives of an instance of a nonterminal.
    fn add_alternatives(
        &self,
        symbol: SymbolId,
        values: &[Value],
        found: &mut FoundInstances,
    ) -> Result<(), Problem> {
        let Kind::Nonterminal { alternatives, .. } = &self.erased[symbol].kind else {
            return Ok(());
        };
        if let Some(Annotation::Call(arguments)) = self.annotations.symbols.get(&symbol) {
            let called = self.called(symbol);
            for values in self.combinations(symbol, called, arguments, values)? {
                let symbol = found.id(called, &values);
                let first = found.children.len();
                found.children.push(Child {
                    symbol,
                    is_adjacent: false,
                });
                found.add(alternatives.start as usize, first, false);
            }
            return Ok(());
        }
        let guards = self.annotations.guards.get(&symbol);
        let (mut children, mut list) = (Vec::new(), Vec::new());
        for of in span(alternatives) {
            let alternative = &self.erased.alternatives[of];
            let guard = guards
                .zip(alternative.source)
                .map(|(guards, source)| &guards[source as usize]);
            let is_allowed =
                |(value, allowed): (&Value, &[Value])| *value == UNUSED || allowed.contains(value);
            let is_guarded = guard.is_some_and(|guard| {
                let allowed = guard.iter().map(|allowed| &**allowed);
                !values.iter().zip(allowed).all(is_allowed)
            });
            children.clear();
            list.clear();
            let parts = self.erased.children(alternative);
            let new = |child: &Child| {
                let from = list.len();
                let symbol = self.child(symbol, child.symbol, values, &mut list)?;
                Some(NewChild {
                    symbol,
                    values: from..list.len(),
                    is_adjacent: child.is_adjacent,
                })
            };
            if !is_guarded {
                children.extend(parts.iter().map_while(new));
            }
            let is_forbidden = is_guarded || children.len() < parts.len();
            let first = found.children.len();
            if !is_forbidden {
                for child in &children {
                    let symbol = found.id(child.symbol, &list[child.values.clone()]);
                    let is_adjacent = child.is_adjacent;
                    found.children.push(Child {
                        symbol,
                        is_adjacent,
                    });
                }
            }
            found.add(of, first, is_forbidden);
        }
        Ok(())
    }

    /// Makes all instances that the start symbol needs.
    pub fn all(&self) -> Result<Tables, Problem> {
        let mut found = FoundInstances {
            ids: vec![BTreeMap::new(); self.erased.symbols.len()],
            keys: Vec::new(),
            alternatives: Vec::new(),
            children: Vec::new(),
        };
        let start = found.id(self.erased.start, &[]);
        let layout = self.erased.layout.as_ref();
        let layout = layout.map(|layout| found.id(layout.token, &[]));
        let (mut ranges, mut parts) = (Vec::new(), Vec::new());
        let mut list = Vec::new();
        // The loop adds instances to `found`.
        while let Some((symbol, values)) = found.keys.get(ranges.len()).cloned() {
            let from = found.alternatives.len() as u32;
            self.add_alternatives(symbol, &values, &mut found)?;
            ranges.push(from..found.alternatives.len() as u32);
            let part = match self.erased[symbol].kind {
                Kind::Nonterminal { .. } => None,
                _ => self.parts(symbol).next(),
            };
            list.clear();
            let part = part.and_then(|part| self.child(symbol, part, &values, &mut list));
            parts.push(part.map(|part| found.id(part, &list)));
            if found.keys.len() > MAX_SYMBOLS
                || found.alternatives.len() + found.children.len() > MAX_ALTERNATIVES
            {
                return Err(self.too_many(&found));
            }
        }
        let order: Vec<usize> = found
            .ids
            .iter()
            .flat_map(BTreeMap::values)
            .map(|id| id.0 as usize)
            .collect();
        let mut ids = vec![SymbolId(0); order.len()];
        for (new, &old) in (0..).zip(&order) {
            ids[old] = SymbolId(new);
        }
        let id = |old: SymbolId| ids[old.0 as usize];
        for child in &mut found.children {
            child.symbol = id(child.symbol);
        }
        let keys = (0..)
            .map(SymbolId)
            .zip(found.ids)
            .flat_map(|(symbol, instances)| {
                let all = instances.into_keys();
                all.map(move |values| (symbol, values))
            });
        Ok(Tables {
            keys: keys.collect(),
            ranges: order.iter().map(|&old| ranges[old].clone()).collect(),
            parts: order.iter().map(|&old| parts[old].map(id)).collect(),
            alternatives: found.alternatives,
            children: found.children,
            start: id(start),
            layout: layout.map(id),
        })
    }

    /// Returns the error of too many instances. It names the symbol with the most instances.
    fn too_many(&self, found: &FoundInstances) -> Problem {
        let instances = |symbol: &u32| found.ids[*symbol as usize].len();
        let most = (0..found.ids.len() as u32).max_by_key(instances);
        let symbol = most.map_or(self.erased.start, SymbolId);
        Problem {
            symbol,
            message: format!(
                "too many combinations of values: `{}` and others",
                self.erased.label(symbol)
            ),
            label: format!(
                "with all values there are more than {MAX_SYMBOLS} symbols or {MAX_ALTERNATIVES} alternatives"
            ),
        }
    }
}

/// Removes the values from index `from` on if all of them are [`UNUSED`].
fn drop_unused(list: &mut Vec<Value>, from: usize) {
    if list[from..].iter().all(|&value| value == UNUSED) {
        list.truncate(from);
    }
}
