//! Finds the effect of each instance of a grammar on names.

use std::collections::BTreeSet;
use std::ops::Range;

use super::annotations::{Annotation, Pattern, Value};
use super::instances::{Instances, Problem, Tables};
use super::naming::{Effect, Naming};
use crate::grammar::{Kind, SymbolId, span};

/// The maximum number of declared instances of kinds. While a sentence is derived, each instance
/// takes a machine word for its visible names.
const MAX_INSTANCES: usize = 4_096;

/// An instance of a kind: its index and its values.
type KindInstance = (u32, Vec<Value>);

impl Instances<'_> {
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
                        "with all values of arguments there are more than {MAX_INSTANCES} kinds of names"
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

    /// Finds the effect of each instance on names.
    pub fn naming(&self, tables: &Tables) -> Result<Naming, Problem> {
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
                (
                    Some(Annotation::Use {
                        pattern,
                        once,
                        roles,
                    }),
                    Kind::Identifier { escape, names },
                ) => Effect::Use {
                    namespace: namespace(*escape, names),
                    instances: list(instances(pattern, values)),
                    once: *once,
                    roles: list(all_instances(roles, values)),
                },
                // A use of a kind without names only needs the kind to be declared.
                (Some(Annotation::Use { pattern, .. }), _) => Effect::Use {
                    namespace: u32::MAX,
                    instances: list(instances(pattern, values)),
                    once: false,
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
                && !of_use.is_empty()
            {
                roles[*namespace as usize].extend(lists[span(of_use)].iter().copied());
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
