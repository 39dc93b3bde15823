//! Makes rules without some of their alternatives.

use std::collections::{HashMap, HashSet};

use super::nodes::NewNames;
use super::rules::{AlternativeSet, OperandRules, RuleAlternative};
use crate::import::names;

/// A rule without some alternatives.
pub struct Variant {
    pub name: String,
    /// The index of the original rule.
    pub of: usize,
    /// The alternatives that it keeps.
    pub alternatives: Vec<VariantAlternative>,
}

pub struct VariantAlternative {
    /// The index of the alternative in the original rule.
    pub at: usize,
    /// The new name of the rule, if the alternative is only the name of a rule.
    pub unit: NewNames,
    /// The new names of the rules at its end.
    pub ends: NewNames,
}

/// Where a variant lacks the alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum VariantDepth {
    /// Only where they are a whole sentence.
    Whole,
    /// At the end of its sentences, too: where the parser does not complete an alternative, it does not complete it within
    /// another one either. So in JavaScript, `!a` is not complete before `++`, and `++!a++` is no operation of `++!a`.
    Ends,
}

/// The variants of all rules.
pub struct Variants<'a> {
    rules: &'a OperandRules<'a>,
    /// The names of the variants, by rule, missing alternatives and depth.
    names: HashMap<(usize, AlternativeSet, VariantDepth), String>,
    pub new: Vec<Variant>,
    /// The length of the copied rules in bytes of the source.
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

    /// Returns the name of a rule without the excluded alternatives. Returns [`None`] if nothing is left.
    pub fn variant(
        &mut self,
        rule: usize,
        excluded: &AlternativeSet,
        depth: VariantDepth,
        taken: &mut HashSet<String>,
    ) -> Option<String> {
        let OperandRules { rules, names, .. } = self.rules;
        let of_grammar = self.rules;
        let lacks = |rule: usize| lacking(of_grammar, rule, excluded, depth);
        let mut left = self.left(rule, excluded);
        if !left.contains(&rule) {
            return None;
        }
        let mut open = vec![rule];
        while let Some(one) = open.pop() {
            let key = (one, lacks(one), depth);
            if self.names.contains_key(&key) {
                continue;
            }
            let length: usize = rules[one].iter().map(|one| one.node.span.len()).sum();
            self.copied = self.copied.saturating_add(length);
            let name = names::take(&format!("{}_operand", names[one]), taken);
            self.names.insert(key, name.clone());
            self.new.push(Variant {
                name,
                of: one,
                alternatives: Vec::new(),
            });
            for (at, alternative) in rules[one].iter().enumerate() {
                if excluded.contains(&(one, at)) || !is_left(alternative, &left) {
                    continue;
                }
                let units = alternative.unit.filter(|unit| left.contains(unit));
                open.extend(units.filter(|unit| !lacks(*unit).is_empty()));
                for end in ends(alternative, depth).filter(|end| !lacks(*end).is_empty()) {
                    let of_end = self.left(end, excluded);
                    if of_end.contains(&end) {
                        left.extend(of_end);
                        open.push(end);
                    }
                }
            }
        }
        let renamed = |rule: usize| {
            let new = self.names.get(&(rule, lacks(rule), depth));
            new.map(|new| (names[rule].to_string(), Some(new.clone())))
        };
        for variant in self
            .new
            .iter_mut()
            .filter(|variant| variant.alternatives.is_empty())
        {
            for (at, alternative) in rules[variant.of].iter().enumerate() {
                if !excluded.contains(&(variant.of, at)) && is_left(alternative, &left) {
                    variant.alternatives.push(VariantAlternative {
                        at,
                        unit: alternative.unit.and_then(renamed).into_iter().collect(),
                        ends: ends(alternative, depth).filter_map(renamed).collect(),
                    });
                }
            }
        }
        self.names.get(&(rule, lacks(rule), depth)).cloned()
    }

    /// Returns the units of a rule that have alternatives left.
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

/// Whether an alternative is left, if only the rules in `left` have alternatives.
fn is_left(alternative: &RuleAlternative, left: &HashSet<usize>) -> bool {
    alternative.unit.is_none_or(|unit| left.contains(&unit))
}

/// The rules at the end of an alternative, if the depth includes them.
fn ends(alternative: &RuleAlternative, depth: VariantDepth) -> impl Iterator<Item = usize> {
    let last = alternative.last.iter().map(|(last, _)| *last);
    last.filter(move |_| depth == VariantDepth::Ends)
}

/// Returns the excluded alternatives that a rule derives alone or, depending on the depth, at its end.
fn lacking(
    rules: &OperandRules,
    rule: usize,
    excluded: &AlternativeSet,
    depth: VariantDepth,
) -> AlternativeSet {
    let mut within = rules.units[rule].clone();
    let mut open: Vec<usize> = within.iter().copied().collect();
    while let Some(one) = open.pop() {
        for alternative in &rules.rules[one] {
            let next = ends(alternative, depth).chain(alternative.unit);
            open.extend(next.filter(|next| within.insert(*next)));
        }
    }
    let is_within = |(of, _): &&(usize, usize)| within.contains(of);
    excluded.iter().filter(is_within).copied().collect()
}
