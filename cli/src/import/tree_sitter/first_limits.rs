//! Makes rules whose sentences do not begin with the given tokens.

use std::collections::{HashMap, HashSet};

use super::super::names;
use super::build::{any, named, repeat, sequence, with_content};
use super::first_tokens::FirstTokens;
use super::json::Json;
use super::operands::nodes::{can_be_empty, elements, type_of};

pub struct FirstLimits<'a> {
    members: &'a [(String, Json)],
    first: &'a FirstTokens<'a>,
    without: &'a HashSet<String>,
    /// The new names of rules.
    names: HashMap<String, String>,
    /// The rules whose new bodies are not made yet.
    open: Vec<String>,
}

impl<'a> FirstLimits<'a> {
    pub fn new(
        members: &'a [(String, Json)],
        first: &'a FirstTokens<'a>,
        without: &'a HashSet<String>,
    ) -> FirstLimits<'a> {
        FirstLimits {
            members,
            first,
            without,
            names: HashMap::new(),
            open: Vec::new(),
        }
    }

    /// Returns a node for the texts that are not empty and begin with another token. Returns [`None`]
    /// if nothing is left.
    pub fn limited(&mut self, node: &Json, taken: &mut HashSet<String>) -> Option<Json> {
        let content = node.get("content");
        match type_of(node) {
            "BLANK" => None,
            "SYMBOL" => self.symbol(node, taken),
            "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => {
                (!self.begins(node)).then(|| node.clone())
            }
            "CHOICE" => {
                let all = elements(node).iter();
                let left: Vec<Json> = all.filter_map(|one| self.limited(one, taken)).collect();
                (!left.is_empty()).then(|| any(node, left))
            }
            "SEQ" => {
                let mut left = Vec::new();
                for (at, one) in elements(node).iter().enumerate() {
                    if let Some(first) = self.limited(one, taken) {
                        let rest = elements(node)[at + 1..].iter().cloned();
                        left.push(sequence(node, std::iter::once(first).chain(rest).collect()));
                    }
                    if !can_be_empty(one) {
                        break;
                    }
                }
                (!left.is_empty()).then(|| any(node, left))
            }
            "REPEAT" | "REPEAT1" => {
                let first = self.limited(content?, taken)?;
                let list = repeat("REPEAT", content?);
                Some(sequence(node, vec![first, list]))
            }
            _ => Some(with_content(node, self.limited(content?, taken)?)),
        }
    }

    fn symbol(&mut self, node: &Json, taken: &mut HashSet<String>) -> Option<Json> {
        if !self.begins(node) {
            return Some(node.clone());
        }
        let name = node.text_of("name")?;
        if !self.members.iter().any(|(rule, _)| rule == name) {
            return None;
        }
        if let Some(new) = self.names.get(name) {
            return Some(named(node, new));
        }
        let new = names::take(&format!("{name}_limited"), taken);
        self.names.insert(name.into(), new.clone());
        self.open.push(name.into());
        Some(named(node, &new))
    }

    /// Returns the new rules that the nodes refer to.
    pub fn rules(&mut self, taken: &mut HashSet<String>) -> Vec<(String, Json)> {
        let mut rules = Vec::new();
        while let Some(name) = self.open.pop() {
            let rule = self.members.iter().find(|(rule, _)| *rule == name);
            let (_, body) = rule.expect("only names of rules are open");
            let limited = self.limited(body, taken);
            let limited = limited.unwrap_or_else(|| any(body, Vec::new()));
            rules.push((self.names[&name].clone(), limited));
        }
        rules
    }

    fn begins(&self, node: &Json) -> bool {
        !self.first.of_node(node).is_disjoint(self.without)
    }
}

#[cfg(test)]
mod tests {
    use super::super::first_tokens;
    use super::super::testing::{rules, shown};
    use super::*;

    #[test]
    fn the_rules_at_the_beginning_lack_the_token() {
        let members = rules(&[
            ("value", "[ object | sum | x ]"),
            ("sum", "( [ ! | ? ] value + value )"),
            ("object", "( { } )"),
        ]);
        let first = first_tokens::of(&members);
        let without = HashSet::from(["{".to_string()]);
        let mut limits = FirstLimits::new(&members, &first, &without);
        let mut taken = HashSet::new();
        assert!(limits.limited(&members[2].1, &mut taken).is_none());
        let limited = limits.limited(&members[0].1, &mut taken).unwrap();
        assert_eq!(shown(&limited), "(object_limited|sum_limited|x)");
        let found = limits.rules(&mut taken);
        let sum = found
            .iter()
            .find(|(name, _)| name == "sum_limited")
            .unwrap();
        assert_eq!(
            shown(&sum.1),
            "(((!) value + value)|(value_limited + value))"
        );
    }
}
