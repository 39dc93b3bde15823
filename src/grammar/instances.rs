//! Finds the instances of all symbols of a grammar with names and parameters.
//!
//! An instance is a symbol with values for all parameters that it depends on. All instances of a
//! symbol have the same alternatives in the same order. Those that the values forbid contain a
//! symbol that derives nothing.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::annotations::{Annotation, Annotations, Argument, Pattern, Value};
use super::instantiate::Problem;
use super::{Child, Grammar, Graph, Kind, SymbolId, parts, span};

/// The maximum number of symbols of all instances.
const MAX_SYMBOLS: usize = 300_000;

/// The maximum number of alternatives of all instances, and of their children.
const MAX_ALTERNATIVES: usize = 1_000_000;

/// The maximum number of values of an argument list that is a choice.
const MAX_COMBINATIONS: usize = 65_536;

/// The value of a parameter that a symbol does not depend on.
const UNUSED: Value = Value::MAX;

/// The values of the parameters of an instance.
pub(super) type Environment = Box<[Value]>;

/// An alternative of an instance.
pub(super) struct NewAlternative {
    /// A range of [`Tables::children`].
    pub children: Range<u32>,
    /// The alternative that it is an instance of.
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

/// The instances that are found so far, numbered in this order.
struct Found {
    /// By symbol and values.
    ids: Vec<BTreeMap<Environment, SymbolId>>,
    keys: Vec<(SymbolId, Environment)>,
}

impl Found {
    /// Returns the number of an instance.
    fn id(&mut self, symbol: SymbolId, values: Environment) -> SymbolId {
        let ids = &mut self.ids[symbol.0 as usize];
        if let Some(&id) = ids.get(&values) {
            return id;
        }
        let id = SymbolId(self.keys.len() as u32);
        self.keys.push((symbol, values.clone()));
        ids.insert(values, id);
        id
    }
}

/// The children of an alternative of an instance, or [`None`] if the values forbid it.
type Children = Option<Vec<(SymbolId, Environment, bool)>>;

/// Finds the instances of all symbols.
pub(super) struct Instances<'a> {
    pub erased: &'a Grammar,
    pub annotations: &'a Annotations,
    /// From each symbol to those in its definition.
    parts: Graph,
    /// By symbol: the parameters that it depends on, as bits.
    used: Vec<u32>,
    /// The value with these parts, by constructor.
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

    /// Returns the parameters that a symbol sees.
    fn owner(&self, symbol: SymbolId) -> u32 {
        self.annotations.owners[symbol.0 as usize]
    }

    /// Finds the parameters that each symbol depends on.
    fn find_used(&self) -> Vec<u32> {
        let count = self.erased.symbols.len();
        let own = |at: usize| {
            let symbol = SymbolId(at as u32);
            let of = |arguments: &[Argument]| {
                arguments
                    .iter()
                    .fold(0, |bits, argument| bits | argument.parameters())
            };
            let bits = match self.annotations.symbols.get(&symbol) {
                Some(Annotation::Use { pattern, roles }) => {
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
            let domains = &self.annotations.parameters[self.owner(symbol) as usize];
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
                            // Whether a value with these parts exists depends on them, too.
                            let is_term = matches!(argument, Argument::Term { .. });
                            if called >> to & 1 != 0 || is_term {
                                bits |= argument.parameters();
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

    /// Returns the values of the parameters that a symbol depends on.
    fn project(&self, symbol: SymbolId, values: &[Value]) -> Environment {
        let used = self.used[symbol.0 as usize];
        environment(
            values
                .iter()
                .enumerate()
                .map(|(at, &value)| if used >> at & 1 != 0 { value } else { UNUSED })
                .collect(),
        )
    }

    /// Returns the environment of a part of a symbol's definition, which is no call.
    fn inner(&self, symbol: SymbolId, part: SymbolId, values: &[Value]) -> Environment {
        if self.owner(symbol) != self.owner(part) {
            return Box::default();
        }
        self.project(part, values)
    }

    /// Returns the part of a value at the end of a path.
    fn part(&self, value: Value, path: &[u8]) -> Option<Value> {
        let values = &self.annotations.values;
        path.iter().try_fold(value, |value, &part| {
            values[value as usize].parts.get(part as usize).copied()
        })
    }

    /// Returns the values that an argument can have. There are none if it is a value with parts that
    /// no domain has.
    pub fn choices(&self, argument: &Argument, values: &[Value]) -> Vec<Value> {
        match argument {
            Argument::Value(value) => vec![*value],
            Argument::Parameter { index, path } => {
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

    /// Returns the values of an argument that are in `among`, which is sorted.
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
            Argument::Parameter { index, path } => {
                self.part(values[*index as usize], path) == Some(value)
            }
        }
    }

    /// Returns the values of an argument list. An argument that is a choice has all values of the
    /// parameter.
    fn combinations(
        &self,
        symbol: SymbolId,
        called: SymbolId,
        arguments: &[Argument],
        values: &[Value],
    ) -> Result<Vec<Environment>, Problem> {
        let used = self.used[called.0 as usize];
        let domains = &self.annotations.parameters[self.owner(called) as usize];
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
            environment(values)
        };
        Ok((0..count).map(combination).collect())
    }

    /// Returns the child that stands for a symbol in an instance of another one. A call without a
    /// choice is left out. [`None`] if an argument of the symbol has no value.
    fn child(
        &self,
        of: SymbolId,
        symbol: SymbolId,
        values: &[Value],
    ) -> Result<Option<(SymbolId, Environment)>, Problem> {
        match self.annotations.symbols.get(&symbol) {
            Some(Annotation::Call(arguments)) => {
                let called = self.called(symbol);
                let used = self.used[called.0 as usize];
                let is_choice = |(at, argument): (usize, &Argument)| {
                    argument.is_choice() && used >> at & 1 != 0
                };
                let domains = &self.annotations.parameters[self.owner(called) as usize];
                if !self.exist(arguments, domains, values) {
                    return Ok(None);
                }
                if !arguments.iter().enumerate().any(is_choice) {
                    let mut all = self.combinations(symbol, called, arguments, values)?;
                    return Ok(all.pop().map(|environment| (called, environment)));
                }
            }
            Some(Annotation::Use { pattern, roles })
                if !std::iter::once(pattern)
                    .chain(roles)
                    .all(|pattern| self.is_possible(pattern, values)) =>
            {
                return Ok(None);
            }
            Some(Annotation::Declare(patterns))
                if !patterns
                    .iter()
                    .all(|pattern| self.is_possible(pattern, values)) =>
            {
                return Ok(None);
            }
            _ => {}
        }
        Ok(Some((symbol, self.inner(of, symbol, values))))
    }

    /// Returns whether the domains have the values with parts among some arguments.
    fn exist(&self, arguments: &[Argument], domains: &[Box<[Value]>], values: &[Value]) -> bool {
        let mut all = arguments.iter().zip(domains);
        all.all(|(argument, domain)| match argument {
            Argument::Term { .. } => !self.choices_among(argument, values, domain).is_empty(),
            _ => true,
        })
    }

    /// Returns whether a kind has arguments that exist.
    fn is_possible(&self, pattern: &Pattern, values: &[Value]) -> bool {
        let domains = &self.annotations.kinds[pattern.kind as usize].domains;
        self.exist(&pattern.arguments, domains, values)
    }

    /// Returns the alternatives of an instance of a nonterminal.
    fn alternatives(
        &self,
        symbol: SymbolId,
        values: &[Value],
    ) -> Result<Vec<(usize, Children)>, Problem> {
        let Kind::Nonterminal { alternatives, .. } = &self.erased[symbol].kind else {
            return Ok(Vec::new());
        };
        if let Some(Annotation::Call(arguments)) = self.annotations.symbols.get(&symbol) {
            let (of, called) = (alternatives.start as usize, self.called(symbol));
            let all = self.combinations(symbol, called, arguments, values)?;
            let new = |environment| (of, Some(vec![(called, environment, false)]));
            return Ok(all.into_iter().map(new).collect());
        }
        let guards = self.annotations.guards.get(&symbol);
        let mut all = Vec::new();
        for of in span(alternatives) {
            let alternative = &self.erased.alternatives[of];
            let guard = guards
                .zip(alternative.source)
                .map(|(guards, source)| &guards[source as usize]);
            let is_allowed =
                |(value, allowed): (&Value, &[Value])| *value == UNUSED || allowed.contains(value);
            if guard.is_some_and(|guard| {
                !values
                    .iter()
                    .zip(guard.iter().map(|allowed| &**allowed))
                    .all(is_allowed)
            }) {
                all.push((of, None));
                continue;
            }
            let mut children = Some(Vec::new());
            for child in self.erased.children(alternative) {
                let new = self.child(symbol, child.symbol, values)?;
                children = children
                    .zip(new)
                    .map(|(mut children, (symbol, environment))| {
                        children.push((symbol, environment, child.is_adjacent));
                        children
                    });
            }
            all.push((of, children));
        }
        Ok(all)
    }

    /// Makes all instances that the start symbol needs.
    pub fn all(&self) -> Result<Tables, Problem> {
        let mut found = Found {
            ids: vec![BTreeMap::new(); self.erased.symbols.len()],
            keys: Vec::new(),
        };
        let start = found.id(self.erased.start, Environment::default());
        let layout = self.erased.layout.as_ref();
        let layout = layout.map(|layout| found.id(layout.token, Environment::default()));
        let (mut alternatives, mut children) = (Vec::new(), Vec::new());
        let (mut ranges, mut parts) = (Vec::new(), Vec::new());
        // Instances are added on the way.
        while let Some((symbol, values)) = found.keys.get(ranges.len()).cloned() {
            let from = alternatives.len() as u32;
            for (of, new) in self.alternatives(symbol, &values)? {
                let first = children.len() as u32;
                let is_forbidden = new.is_none();
                let new = new.into_iter().flatten();
                children.extend(new.map(|(symbol, values, is_adjacent)| Child {
                    symbol: found.id(symbol, values),
                    is_adjacent,
                }));
                alternatives.push(NewAlternative {
                    children: first..children.len() as u32,
                    of,
                    is_forbidden,
                });
            }
            ranges.push(from..alternatives.len() as u32);
            let part = match self.erased[symbol].kind {
                Kind::Nonterminal { .. } => None,
                _ => self.parts(symbol).next(),
            };
            let part = part
                .map(|part| self.child(symbol, part, &values))
                .transpose()?;
            parts.push(part.flatten().map(|(part, values)| found.id(part, values)));
            if found.keys.len() > MAX_SYMBOLS
                || alternatives.len() + children.len() > MAX_ALTERNATIVES
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
        for child in &mut children {
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
            alternatives,
            children,
            start: id(start),
            layout: layout.map(id),
        })
    }

    /// Returns the error of too many instances. It names the symbol with the most instances.
    fn too_many(&self, found: &Found) -> Problem {
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

/// Returns the environment with these values. It is empty if no parameter is used.
fn environment(values: Vec<Value>) -> Environment {
    match values.iter().all(|&value| value == UNUSED) {
        true => Environment::default(),
        false => values.into(),
    }
}
