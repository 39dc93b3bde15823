//! Makes rules in whose sentences the optional part at the end is always present.

use std::collections::{HashMap, HashSet};

use super::super::names;
use super::build::{any, named, repeat, sequence, with_content};
use super::first_tokens::FirstTokens;
use super::json::Json;
use super::operands::nodes::{can_be_empty, elements, type_of};
use super::tails::TailTokens;

/// Makes rules whose optional ends are always present, if these begin with one of the given tokens.
pub struct ClosedEnds<'a> {
    members: &'a [(String, Json)],
    first: &'a FirstTokens<'a>,
    tails: &'a TailTokens<'a>,
    tokens: &'a HashSet<String>,
    /// The new names of rules.
    names: HashMap<String, String>,
    /// The rules whose new bodies are not made yet.
    open: Vec<String>,
}

/// What the parser completes after a node, before it reads what follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndScope {
    /// Nothing: the next symbol is in the same sequence.
    Sequence,
    /// The rule that the node ends.
    Rule,
}

impl<'a> ClosedEnds<'a> {
    pub fn new(
        members: &'a [(String, Json)],
        first: &'a FirstTokens<'a>,
        tails: &'a TailTokens<'a>,
        tokens: &'a HashSet<String>,
    ) -> ClosedEnds<'a> {
        ClosedEnds {
            members,
            first,
            tails,
            tokens,
            names: HashMap::new(),
            open: Vec::new(),
        }
    }

    /// Returns what a part of a sequence derives that is not empty and has a closed end. Only a rule at the end of the
    /// part can have an open end: the parser completes no rule between the part and what follows it. Returns [`None`]
    /// if nothing is left.
    pub fn closed_part(&mut self, node: &Json, taken: &mut HashSet<String>) -> Option<Json> {
        self.closed(node, EndScope::Sequence, taken)
    }

    fn closed(
        &mut self,
        node: &Json,
        scope: EndScope,
        taken: &mut HashSet<String>,
    ) -> Option<Json> {
        if type_of(node) == "BLANK" {
            return None;
        }
        let tails = match scope {
            EndScope::Sequence => self.tails.of_operands(node),
            EndScope::Rule => self.tails.of_node(node),
        };
        if !can_be_empty(node) && tails.is_disjoint(self.tokens) {
            return Some(node.clone());
        }
        let content = node.get("content");
        match type_of(node) {
            "SYMBOL" => {
                let name = node.text_of("name")?;
                let operations = self.tails.of_operations(name);
                if operations.is_some_and(|tokens| !tokens.is_disjoint(self.tokens)) {
                    return None;
                }
                if let Some(new) = self.names.get(name) {
                    return Some(named(node, new));
                }
                let new = names::take(&format!("{name}_closed"), taken);
                self.names.insert(name.into(), new.clone());
                self.open.push(name.into());
                Some(named(node, &new))
            }
            "CHOICE" => {
                let all = elements(node).iter();
                let left: Vec<Json> = all
                    .filter_map(|one| self.closed(one, scope, taken))
                    .collect();
                (!left.is_empty()).then(|| any(node, left))
            }
            "SEQ" => {
                let mut left = Vec::new();
                for (at, one) in elements(node).iter().enumerate().rev() {
                    if let Some(last) = self.closed(one, scope, taken) {
                        let before = elements(node)[..at].iter().cloned();
                        left.push(sequence(node, before.chain([last]).collect()));
                    }
                    if !can_be_empty(one) || (scope == EndScope::Rule && self.begins(one)) {
                        break;
                    }
                }
                (!left.is_empty()).then(|| any(node, left))
            }
            "REPEAT" | "REPEAT1" => {
                if scope == EndScope::Rule && self.begins(content?) {
                    return None;
                }
                let last = self.closed(content?, scope, taken)?;
                Some(sequence(node, vec![repeat("REPEAT", content?), last]))
            }
            _ => Some(with_content(node, self.closed(content?, scope, taken)?)),
        }
    }

    /// Returns the new rules that the nodes refer to.
    pub fn rules(&mut self, taken: &mut HashSet<String>) -> Vec<(String, Json)> {
        let mut rules = Vec::new();
        while let Some(name) = self.open.pop() {
            let rule = self.members.iter().find(|(rule, _)| *rule == name);
            let (_, body) = rule.expect("only rules have tails");
            let closed = self.closed(body, EndScope::Rule, taken);
            let closed = closed.unwrap_or_else(|| any(body, Vec::new()));
            rules.push((self.names[&name].clone(), closed));
        }
        rules
    }

    fn begins(&self, node: &Json) -> bool {
        !self.first.of_node(node).is_disjoint(self.tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::super::first_tokens;
    use super::super::testing::{rules, shown};
    use super::*;

    #[test]
    fn what_is_optional_at_the_end_is_there() {
        let members = rules(&[
            ("item", "[ type | query ]"),
            ("type", "( type name [ fields | ? ] )"),
            ("fields", "( { } )"),
            ("query", "( query expression )"),
            ("expression", "[ call | x ]"),
            ("call", "( expression { x } )"),
        ]);
        let first = first_tokens::of(&members);
        let none = HashSet::new();
        let tokens = HashSet::from(["{".to_string()]);
        let closed = |tails: &TailTokens| {
            let mut ends = ClosedEnds::new(&members, &first, tails, &tokens);
            let mut taken = HashSet::new();
            let item = ends
                .closed(&members[0].1, EndScope::Rule, &mut taken)
                .unwrap();
            let rules = ends.rules(&mut taken).into_iter();
            let rules: Vec<String> = rules
                .map(|(name, body)| format!("{name} = {}", shown(&body)))
                .collect();
            (shown(&item), rules)
        };
        let tails = TailTokens::new(&members, &first, &none);
        let (item, rules) = closed(&tails);
        assert_eq!(item, "(type_closed|query)");
        assert_eq!(rules, ["type_closed = ((type name (fields)))"]);
        // An operation goes on with an expression, so nothing is left of a query.
        let (_, rules) = closed(&tails.with_operations(&members, &none));
        assert!(
            rules.contains(&"query_closed = ()".to_string()),
            "{rules:?}"
        );
    }

    #[test]
    fn a_list_in_a_sequence_goes_on_and_its_last_rule_is_closed() {
        let members = rules(&[
            ("list", "( item ( , item ) * )"),
            ("item", "[ yield | x ]"),
            ("yield", "( yield [ , | ? ] )"),
        ]);
        let first = first_tokens::of(&members);
        let tails = TailTokens::new(&members, &first, &HashSet::new());
        let tokens = HashSet::from([",".to_string()]);
        let mut ends = ClosedEnds::new(&members, &first, &tails, &tokens);
        let closed = ends.closed_part(&members[0].1, &mut HashSet::new());
        assert_eq!(
            shown(&closed.unwrap()),
            "((item ((, item)* ((, item_closed))))|(item_closed))"
        );
    }
}
