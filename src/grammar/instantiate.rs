//! Makes the instances of a grammar with names and parameters.
//!
//! An instance is a symbol with values for all parameters that it depends on. All instances of a
//! symbol have the same alternatives in the same order. Those that the values forbid contain a
//! symbol that derives nothing.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::annotations::{Annotation, Annotations, Argument, Pattern, Value, ValueTerm};
use super::copies::{add_copies, split_repetitions};
use super::declared::{self, declared};
use super::naming::{Effect, Naming};
use super::products::completion;
use super::sizes::SizeTable;
use super::{
    Alternative, Child, Grammar, GrammarTables, Kind, Size, Symbol, SymbolId, fingerprint,
    minimum_sizes, minimum_sizes_without_names, roles, span,
};

/// The maximum number of symbols of all instances.
const MAX_SYMBOLS: usize = 300_000;

/// The maximum number of alternatives of all instances, and of their children.
const MAX_ALTERNATIVES: usize = 1_000_000;

/// The maximum number of values of an argument list that is a choice.
const MAX_COMBINATIONS: usize = 65_536;

/// The maximum number of instances of kinds that are declared. While a sentence is decoded, each
/// has a word with its visible names.
const MAX_INSTANCES: usize = 4_096;

/// The value of a parameter that a symbol does not depend on.
const UNUSED: Value = Value::MAX;

/// Why a grammar has no instances: a symbol, a message and an explanation.
pub(crate) struct Problem {
    pub symbol: SymbolId,
    pub message: String,
    pub label: String,
}

/// The values of the parameters of an instance.
type Environment = Box<[Value]>;

/// A new alternative: its children, and the alternative that it is an instance of.
struct NewAlternative {
    children: Vec<(SymbolId, Environment, bool)>,
    of: usize,
    is_forbidden: bool,
}

/// The work of making instances.
struct Instances<'a> {
    erased: &'a Grammar,
    annotations: &'a Annotations,
    /// By symbol: the parameters that it depends on, as bits.
    used: Vec<u32>,
    /// The value with these parts, by constructor.
    terms: HashMap<(u16, &'a [Value]), Value>,
}

/// An instance of a kind: its index and its values.
type KindInstance = (u32, Vec<Value>);

/// Makes the instances of all symbols of a grammar with annotations.
///
/// # Errors
/// If there are too many, or if no sentence can be derived.
pub(crate) fn instantiate(erased: Grammar, annotations: Annotations) -> Result<Grammar, Problem> {
    let grammar = all_instances(&erased, &annotations)?;
    // Elements that need names become alternatives, so that they can be forbidden where no name is
    // visible.
    let (erased, annotations) = split_repetitions(erased, annotations, &grammar);
    let grammar = all_instances(&erased, &annotations)?;
    let mut grammar = add_copies(grammar);
    if let Some(naming) = &mut grammar.naming {
        naming.erased = Some(Box::new(erased));
    }
    grammar.fingerprint = fingerprint(&grammar);
    Ok(grammar)
}

/// Makes the instances of all symbols, with what they need.
fn all_instances(erased: &Grammar, annotations: &Annotations) -> Result<Grammar, Problem> {
    let terms = (0..).zip(&annotations.values).filter_map(|(value, term)| {
        term.constructor
            .map(|constructor| ((constructor, &*term.parts), value))
    });
    let mut work = Instances {
        erased,
        annotations,
        used: Vec::new(),
        terms: terms.collect(),
    };
    work.used = work.find_used();
    let tables = work.all()?;
    let naming = work.naming(&tables)?;
    let mut grammar = assemble(erased, annotations, &tables, naming);
    if !grammar[grammar.start].minimum.is_finite() {
        return Err(Problem {
            symbol: erased.start,
            message: "no sentence can be derived with the parameters of its rules".into(),
            label:
                "each alternative of some rule is forbidden by the arguments, or contains itself"
                    .into(),
        });
    }
    if let Some(mut naming) = grammar.naming.take() {
        find_completion(
            GrammarTables {
                separator: 0,
                ..grammar.tables()
            },
            &mut naming,
        );
        grammar.naming = Some(naming);
    }
    Ok(grammar)
}

/// Finds what all alternatives and symbols declare, and how they can be completed. `tables` have no
/// separators, because the sizes are compared with lengths of texts.
fn find_completion(tables: GrammarTables<'_>, naming: &mut Naming) {
    let all = declared(tables, naming);
    // What cannot be completed would declare all names.
    let when = |size: Size, bits: u64| if size.is_finite() { bits } else { 0 };
    let of_symbol = |(symbol, declared): (&Symbol, &declared::Declared)| {
        when(symbol.minimum, declared.namespaces)
    };
    naming.symbol_declares = tables.symbols.iter().zip(&all).map(of_symbol).collect();
    let of_alternative = |(at, alternative): (usize, &Alternative)| {
        when(
            alternative.minimum,
            declared::of_alternative(tables, &all, at).namespaces,
        )
    };
    naming.alternative_declares = tables
        .alternatives
        .iter()
        .enumerate()
        .map(of_alternative)
        .collect();
    // First without declarations of earlier children, which matter only to symbols that need names.
    let count = tables.symbols.len();
    let without = SizeTable::new(&completion(tables, naming, &all, vec![true; count]).0);
    let is_nameless = (0..count as u32)
        .map(|symbol| without.vertex(symbol).is_finite())
        .collect();
    let (completion, product_of) = completion(tables, naming, &all, is_nameless);
    naming.base = SizeTable::new(&completion);
    (naming.completion, naming.product_of) = (completion, product_of.into());
}

/// The tables of all instances.
struct Tables {
    /// The symbol of the erased grammar and the values of each instance. The last symbol derives
    /// nothing.
    keys: Vec<(SymbolId, Environment)>,
    alternatives: Vec<Vec<NewAlternative>>,
    ids: HashMap<(SymbolId, Environment), SymbolId>,
    /// The new child of each repetition, lexeme and identifier.
    parts: Vec<Option<SymbolId>>,
    layout: Option<SymbolId>,
}

impl Instances<'_> {
    /// Returns the parameters that a symbol sees.
    fn owner(&self, symbol: SymbolId) -> u32 {
        self.annotations.owners[symbol.0 as usize]
    }

    /// Returns the symbols in a symbol's definition.
    fn parts(&self, symbol: SymbolId) -> Vec<SymbolId> {
        match &self.erased[symbol].kind {
            Kind::Nonterminal { alternatives, .. } => {
                let all = self.erased.alternatives[span(alternatives)].iter();
                all.flat_map(|alternative| self.erased.children(alternative))
                    .map(|child| child.symbol)
                    .collect()
            }
            Kind::Repeat { element, .. } => vec![element.symbol],
            Kind::Lexeme { body, .. } => vec![*body],
            Kind::Identifier { escape, .. } => vec![*escape],
            _ => Vec::new(),
        }
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
                        let called = used[self.parts(symbol)[0].0 as usize];
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
                            .into_iter()
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
    fn project(&self, symbol: SymbolId, values: impl Iterator<Item = Value>) -> Environment {
        let used = self.used[symbol.0 as usize];
        let all: Vec<Value> = values
            .enumerate()
            .map(|(at, value)| if used >> at & 1 != 0 { value } else { UNUSED })
            .collect();
        if all.iter().all(|&value| value == UNUSED) {
            Box::default()
        } else {
            all.into()
        }
    }

    /// Returns the environment of a part of a symbol's definition, which is no call.
    fn inner(&self, symbol: SymbolId, part: SymbolId, values: &[Value]) -> Environment {
        if self.owner(symbol) != self.owner(part) {
            return Box::default();
        }
        self.project(part, values.iter().copied())
    }

    /// Returns the values that an argument can have. There are none if it is a value with parts that
    /// no domain has.
    fn choices(&self, argument: &Argument, values: &[Value]) -> Vec<Value> {
        match argument {
            Argument::Value(value) => vec![*value],
            Argument::Parameter { index, path } => {
                let mut value = values[*index as usize];
                for &part in path {
                    let parts = &self.annotations.values[value as usize].parts;
                    match parts.get(part as usize) {
                        Some(&part) => value = part,
                        None => return Vec::new(),
                    }
                }
                vec![value]
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
    fn can_be(&self, argument: &Argument, value: Value, values: &[Value]) -> bool {
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
            argument => self.choices(argument, values).contains(&value),
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
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for (at, argument) in arguments.iter().enumerate() {
            let mut choices = match (argument, used >> at & 1) {
                (Argument::Term { .. }, _) => self.choices_among(argument, values, &domains[at]),
                (_, 0) => vec![UNUSED],
                _ => self.choices(argument, values),
            };
            if used >> at & 1 == 0 && !choices.is_empty() {
                choices = vec![UNUSED];
            }
            if all.len() * choices.len() > MAX_COMBINATIONS {
                let message =
                    format!("`_` stands for more than {MAX_COMBINATIONS} combinations of values");
                let label = "use fewer values, or fewer arguments `_`".into();
                return Err(Problem {
                    symbol,
                    message,
                    label,
                });
            }
            all = all
                .iter()
                .flat_map(|before| {
                    choices
                        .iter()
                        .map(move |&value| [&before[..], &[value]].concat())
                })
                .collect();
        }
        Ok(all
            .into_iter()
            .map(|values| self.project(called, values.into_iter()))
            .collect())
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
                let called = self.parts(symbol)[0];
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
    ) -> Result<Vec<NewAlternative>, Problem> {
        let Kind::Nonterminal { alternatives, .. } = &self.erased[symbol].kind else {
            return Ok(Vec::new());
        };
        if let Some(Annotation::Call(arguments)) = self.annotations.symbols.get(&symbol) {
            let (of, called) = (alternatives.start as usize, self.parts(symbol)[0]);
            let all = self.combinations(symbol, called, arguments, values)?;
            let new = |environment| NewAlternative {
                children: vec![(called, environment, false)],
                of,
                is_forbidden: false,
            };
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
                all.push(NewAlternative {
                    children: Vec::new(),
                    of,
                    is_forbidden: true,
                });
                continue;
            }
            let mut children = Vec::new();
            let mut is_forbidden = false;
            for child in self.erased.children(alternative) {
                match self.child(symbol, child.symbol, values)? {
                    Some((symbol, environment)) => {
                        children.push((symbol, environment, child.is_adjacent));
                    }
                    None => is_forbidden = true,
                }
            }
            if is_forbidden {
                children.clear();
            }
            all.push(NewAlternative {
                children,
                of,
                is_forbidden,
            });
        }
        Ok(all)
    }

    /// Makes all instances that the start symbol needs.
    fn all(&self) -> Result<Tables, Problem> {
        let none = Environment::default();
        let mut open = vec![(self.erased.start, none.clone())];
        open.extend(
            self.erased
                .layout
                .as_ref()
                .map(|layout| (layout.token, none)),
        );
        let mut found: HashMap<(SymbolId, Environment), Vec<NewAlternative>> = HashMap::new();
        let mut parts: HashMap<(SymbolId, Environment), (SymbolId, Environment)> = HashMap::new();
        let mut alternatives_in_all = 0;
        while let Some(key) = open.pop() {
            if found.contains_key(&key) {
                continue;
            }
            let alternatives = self.alternatives(key.0, &key.1)?;
            alternatives_in_all += alternatives
                .iter()
                .map(|alternative| 1 + alternative.children.len())
                .sum::<usize>();
            open.extend(
                alternatives
                    .iter()
                    .flat_map(|new| &new.children)
                    .map(|(symbol, values, _)| (*symbol, values.clone())),
            );
            if !matches!(self.erased[key.0].kind, Kind::Nonterminal { .. }) {
                for part in self.parts(key.0) {
                    if let Some(part) = self.child(key.0, part, &key.1)? {
                        open.push(part.clone());
                        parts.insert(key.clone(), part);
                    }
                }
            }
            if found.len() > MAX_SYMBOLS || alternatives_in_all > MAX_ALTERNATIVES {
                let message = format!(
                    "too many combinations of values: `{}` and others",
                    self.erased.label(key.0)
                );
                let label = format!(
                    "with all values there are more than {MAX_SYMBOLS} symbols or {MAX_ALTERNATIVES} alternatives"
                );
                return Err(Problem {
                    symbol: key.0,
                    message,
                    label,
                });
            }
            found.insert(key, alternatives);
        }
        let mut keys: Vec<(SymbolId, Environment)> = found.keys().cloned().collect();
        keys.sort();
        let ids: HashMap<_, _> = keys.iter().cloned().zip((0..).map(SymbolId)).collect();
        let alternatives = keys
            .iter()
            .map(|key| found.remove(key).unwrap_or_default())
            .collect();
        let parts = keys
            .iter()
            .map(|key| parts.get(key).map(|part| ids[part]))
            .collect();
        let layout = self
            .erased
            .layout
            .as_ref()
            .map(|layout| ids[&(layout.token, Environment::default())]);
        Ok(Tables {
            keys,
            alternatives,
            ids,
            parts,
            layout,
        })
    }

    /// Returns the instances of kinds that the symbols declare, sorted.
    fn declared_instances(&self, tables: &Tables) -> Result<Vec<KindInstance>, Problem> {
        let mut all = BTreeSet::new();
        for (symbol, values) in &tables.keys {
            let Some(
                Annotation::Declare(patterns)
                | Annotation::Use {
                    roles: patterns, ..
                },
            ) = self.annotations.symbols.get(symbol)
            else {
                continue;
            };
            for pattern in patterns {
                // The arguments of a declaration are no choices.
                let choices = |argument| self.choices(argument, values).first().copied();
                let instance: Option<Vec<Value>> = pattern.arguments.iter().map(choices).collect();
                all.extend(instance.map(|values| (pattern.kind, values)));
            }
            if all.len() > MAX_INSTANCES {
                return Err(Problem {
                    symbol: *symbol,
                    message: "names of too many different kinds are declared".into(),
                    label: format!(
                        "with all values of parameters there are more than {MAX_INSTANCES} kinds of names"
                    ),
                });
            }
        }
        Ok(all.into_iter().collect())
    }

    /// Returns the indices of the declared instances that match a pattern.
    fn instances(
        &self,
        pattern: &Pattern,
        values: &[Value],
        declared: &[KindInstance],
    ) -> Vec<u16> {
        let from = declared.partition_point(|(kind, _)| *kind < pattern.kind);
        let to = declared.partition_point(|(kind, _)| *kind <= pattern.kind);
        let matches = |instance: &KindInstance| {
            let mut all = pattern.arguments.iter().zip(&instance.1);
            all.all(|(argument, &value)| self.can_be(argument, value, values))
        };
        (from..to)
            .filter(|&at| matches(&declared[at]))
            .map(|at| at as u16)
            .collect()
    }

    /// Finds what each instance does with names.
    fn naming(&self, tables: &Tables) -> Result<Naming, Problem> {
        let all = self.declared_instances(tables)?;
        let instances = |pattern: &Pattern, values: &[Value]| self.instances(pattern, values, &all);
        let all_instances = |patterns: &[Pattern], values: &[Value]| {
            let each = patterns.iter();
            each.flat_map(|pattern| instances(pattern, values))
                .collect()
        };
        let (mut lists, mut effects, mut namespaces) = (Vec::new(), Vec::new(), Vec::new());
        for (symbol, values) in &tables.keys {
            let mut list = |all: Vec<u16>| {
                let from = lists.len() as u32;
                lists.extend(all);
                from..lists.len() as u32
            };
            let mut namespace = |escape: SymbolId, names: &Range<u32>| {
                let at = namespaces.iter().position(|&(known, _)| known == escape);
                at.unwrap_or_else(|| {
                    namespaces.push((escape, names.end - names.start));
                    namespaces.len() - 1
                }) as u32
            };
            let kind = &self.erased[*symbol].kind;
            effects.push(match (self.annotations.symbols.get(symbol), kind) {
                (Some(Annotation::Use { pattern, roles }), Kind::Identifier { escape, names }) => {
                    Effect::Use {
                        namespace: namespace(*escape, names),
                        instances: list(instances(pattern, values)),
                        roles: list(all_instances(roles, values)),
                    }
                }
                // Without a name, only what it needs counts.
                (Some(Annotation::Use { pattern, .. }), _) => Effect::Use {
                    namespace: u32::MAX,
                    instances: list(instances(pattern, values)),
                    roles: 0..0,
                },
                (Some(Annotation::Declare(patterns)), kind) => {
                    let instances = list(all_instances(patterns, values));
                    match kind {
                        Kind::Identifier { escape, names } => Effect::Declare {
                            namespace: namespace(*escape, names),
                            instances,
                        },
                        _ => Effect::Mark { instances },
                    }
                }
                (Some(Annotation::Hide(pattern)), _) => Effect::Hide {
                    instances: list(instances(pattern, values)),
                },
                (Some(Annotation::Scope), _) => Effect::Scope,
                (Some(Annotation::After), _) => Effect::After,
                (Some(Annotation::Call(_)) | None, _) => Effect::None,
            });
        }
        // The symbol that derives nothing.
        effects.push(Effect::None);
        let mut roles = vec![BTreeSet::new(); namespaces.len()];
        for effect in &effects {
            if let Effect::Use {
                namespace,
                roles: of_use,
                ..
            } = effect
            {
                if !of_use.is_empty() {
                    roles[*namespace as usize].extend(lists[span(of_use)].iter().copied());
                }
            }
        }
        let mut range_of = |instances: BTreeSet<u16>| {
            let from = lists.len() as u32;
            lists.extend(instances);
            from..lists.len() as u32
        };
        let roles = roles.into_iter().map(&mut range_of).collect();
        Ok(Naming {
            origins: tables
                .keys
                .iter()
                .map(|(symbol, _)| *symbol)
                .chain([self.erased.start])
                .collect(),
            calls: (0..self.erased.symbols.len() as u32)
                .map(|at| {
                    matches!(
                        self.annotations.symbols.get(&SymbolId(at)),
                        Some(Annotation::Call(_))
                    )
                })
                .collect(),
            effects: effects.into(),
            instances: all.len() as u32,
            namespaces: namespaces.into_iter().map(|(_, names)| names).collect(),
            roles,
            lists: lists.into(),
            ..Naming::default()
        })
    }
}

/// Returns the grammar of all instances, without what they need.
fn assemble(
    erased: &Grammar,
    annotations: &Annotations,
    new: &Tables,
    mut naming: Naming,
) -> Grammar {
    let nothing = SymbolId(new.keys.len() as u32);
    let (mut symbols, mut alternatives, mut children): (Vec<Symbol>, Vec<Alternative>, Vec<Child>) =
        Default::default();
    let mut labels: Vec<Box<str>> = Vec::new();
    let mut sources = Vec::new();
    for (at, (origin, values)) in new.keys.iter().enumerate() {
        let mut symbol = erased[*origin].clone();
        match &mut symbol.kind {
            Kind::Nonterminal {
                alternatives: range,
                ..
            } => {
                let from = alternatives.len() as u32;
                let first_source = range.start;
                for alternative in &new.alternatives[at] {
                    sources.push(alternative.of as u32 - first_source);
                    let first = children.len() as u32;
                    match alternative.is_forbidden {
                        true => children.push(Child {
                            symbol: nothing,
                            is_adjacent: false,
                        }),
                        false => children.extend(alternative.children.iter().map(
                            |(symbol, values, is_adjacent)| Child {
                                symbol: new.ids[&(*symbol, values.clone())],
                                is_adjacent: *is_adjacent,
                            },
                        )),
                    }
                    let children = first..children.len() as u32;
                    alternatives.push(Alternative {
                        children,
                        ..erased.alternatives[alternative.of].clone()
                    });
                }
                *range = from..alternatives.len() as u32;
            }
            Kind::Repeat { element, .. } => element.symbol = new.parts[at].unwrap_or(nothing),
            Kind::Lexeme { body, .. } => *body = new.parts[at].unwrap_or(nothing),
            Kind::Identifier { escape, .. } => *escape = new.parts[at].unwrap_or(nothing),
            _ => {}
        }
        symbols.push(symbol);
        labels.push(label(erased.label(*origin), values, &annotations.values));
    }
    // It is never allowed. Its empty alternative ends a derivation that begins with it.
    let from = alternatives.len() as u32;
    let end = children.len() as u32;
    alternatives.push(Alternative {
        children: end..end,
        minimum: Size::NEVER,
        min_bytes: u32::MAX,
        source: None,
        weight: 1.0,
    });
    sources.push(0);
    let kind = Kind::Nonterminal {
        alternatives: from..from + 1,
        counted: false,
    };
    symbols.push(Symbol {
        kind,
        minimum: Size::NEVER,
        min_bytes: u32::MAX,
        max_bytes: 0,
    });
    labels.push("nothing".into());
    let start = new.ids[&(erased.start, Environment::default())];
    naming.sources = sources.into();
    let mut grammar = Grammar {
        symbols: symbols.into(),
        alternatives: alternatives.into(),
        children: children.into(),
        labels: labels.into(),
        start,
        layout: erased.layout.clone(),
        naming: Some(Box::new(naming)),
        ..erased.clone()
    };
    if let (Some(layout), Some(token)) = (&mut grammar.layout, new.layout) {
        layout.token = token;
    }
    let longest = grammar.layout.as_ref().map_or(0, |layout| layout.longest);
    let tables = |separator| GrammarTables {
        separator,
        ..grammar.tables()
    };
    let is_nothing = |symbol| symbol == nothing;
    // Kinds without names cost nothing.
    let is_name = |symbol: SymbolId| matches!(grammar[symbol].kind, Kind::Identifier { .. });
    let uses_name = |symbol: SymbolId| {
        grammar
            .naming
            .as_ref()
            .is_some_and(|naming| naming.uses_name(symbol))
            && is_name(symbol)
    };
    let sizes = minimum_sizes(tables(longest), &is_nothing);
    // The lengths of texts are estimates for generators, which often have no visible name to use.
    let texts = minimum_sizes_without_names(tables(0), &is_nothing, &uses_name);
    for (symbol, (size, text)) in grammar
        .symbols
        .iter_mut()
        .zip(sizes.0.into_iter().zip(texts.0))
    {
        (symbol.minimum, symbol.min_bytes) = (size, text.bytes);
    }
    for (alternative, (size, text)) in grammar
        .alternatives
        .iter_mut()
        .zip(sizes.1.into_iter().zip(texts.1))
    {
        (alternative.minimum, alternative.min_bytes) = (size, text.bytes);
    }
    // What cannot be completed ends at once, wherever a derivation begins.
    let child = grammar.children.len() as u32;
    grammar.children = grammar
        .children
        .iter()
        .copied()
        .chain([Child {
            symbol: nothing,
            is_adjacent: false,
        }])
        .collect();
    for (at, alternative) in (0..).zip(&mut grammar.alternatives) {
        if !alternative.minimum.is_finite() && at != from {
            alternative.children = child..child + 1;
        }
    }
    grammar.roles = roles(grammar.tables(), grammar.start);
    grammar
}

/// Adds the values to the label of a symbol.
fn label(label: &str, values: &[Value], all: &[ValueTerm]) -> Box<str> {
    if values.is_empty() {
        return label.into();
    }
    let values: Vec<&str> = values
        .iter()
        .map(|&value| all.get(value as usize).map_or("_", |term| &*term.name))
        .collect();
    format!("{label}<{}>", values.join(", ")).into()
}
