//! Makes rules without some of their alternatives.

use std::collections::{HashMap, HashSet};

use super::nodes::NewNames;
use super::rules::{AlternativeSet, OperandRules, RuleAlternative};
use crate::import::names;

/// A rule without some alternatives.
pub struct Variant {
    pub name: String,
    /// The rule that it is made of.
    pub of: usize,
    /// The alternatives that it keeps, with the new names of the rules that are all of them.
    pub alternatives: Vec<(usize, NewNames)>,
}

/// The rules that are made without some alternatives.
pub struct Variants<'a> {
    rules: &'a OperandRules<'a>,
    /// The names of the variants, by what they lack.
    names: HashMap<(usize, AlternativeSet), String>,
    pub new: Vec<Variant>,
    /// The length of what has been copied.
    pub copied: usize,
}

impl<'a> Variants<'a> {
    pub fn new(rules: &'a OperandRules<'a>) -> Variants<'a> {
        Variants {
            rules,
            names: HashMap::new(),
            new: Vec::new(),
            copied: 0,
        }
    }

    /// Returns the name of a rule without some alternatives, unless nothing is left.
    pub fn variant(
        &mut self,
        rule: usize,
        excluded: &AlternativeSet,
        taken: &mut HashSet<String>,
    ) -> Option<String> {
        let OperandRules {
            rules,
            names,
            units,
            ..
        } = self.rules;
        let lacks = |rule: usize| -> AlternativeSet {
            let within = excluded.iter().filter(|(of, _)| units[rule].contains(of));
            within.copied().collect()
        };
        let left = self.left(rule, excluded);
        if !left.contains(&rule) {
            return None;
        }
        let mut open = vec![rule];
        while let Some(one) = open.pop() {
            let key = (one, lacks(one));
            if self.names.contains_key(&key) {
                continue;
            }
            let length: usize = rules[one].iter().map(|one| one.node.span.len()).sum();
            self.copied = self.copied.saturating_add(length);
            let name = names::unused(&format!("{}_operand", names[one]), taken);
            taken.insert(name.clone());
            self.names.insert(key, name.clone());
            self.new.push(Variant {
                name,
                of: one,
                alternatives: Vec::new(),
            });
            let kept =
                |at: &usize| !excluded.contains(&(one, *at)) && is_left(&rules[one][*at], &left);
            let all = (0..rules[one].len()).filter(kept);
            for unit in all.filter_map(|at| rules[one][at].unit) {
                if left.contains(&unit) && !lacks(unit).is_empty() {
                    open.push(unit);
                }
            }
        }
        for variant in self
            .new
            .iter_mut()
            .filter(|variant| variant.alternatives.is_empty())
        {
            for (at, alternative) in rules[variant.of].iter().enumerate() {
                if excluded.contains(&(variant.of, at)) || !is_left(alternative, &left) {
                    continue;
                }
                let mut renamed = HashMap::new();
                if let Some(unit) = alternative.unit {
                    if let Some(name) = self.names.get(&(unit, lacks(unit))) {
                        renamed.insert(names[unit].to_string(), Some(name.clone()));
                    }
                }
                variant.alternatives.push((at, renamed));
            }
        }
        self.names.get(&(rule, lacks(rule))).cloned()
    }

    /// Returns the rules within a rule that have alternatives left.
    fn left(&self, rule: usize, excluded: &AlternativeSet) -> HashSet<usize> {
        let mut left = HashSet::new();
        loop {
            let has_alternative = |one: &&usize| {
                let mut all = self.rules.rules[**one].iter().enumerate();
                all.any(|(at, alternative)| {
                    !excluded.contains(&(**one, at)) && is_left(alternative, &left)
                })
            };
            let units = self.rules.units[rule].iter();
            let new = units
                .filter(|one| !left.contains(*one))
                .filter(has_alternative);
            let new: Vec<usize> = new.copied().collect();
            if new.is_empty() {
                return left;
            }
            left.extend(new);
        }
    }
}

/// Whether something of an alternative is left if `left` are the rules with alternatives.
fn is_left(alternative: &RuleAlternative, left: &HashSet<usize>) -> bool {
    alternative.unit.is_none_or(|unit| left.contains(&unit))
}
