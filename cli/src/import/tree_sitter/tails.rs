//! The tokens with which the parser goes on with a sentence of a rule that could end.

use std::collections::{HashMap, HashSet};

use super::first_tokens::FirstTokens;
use super::json::Json;
use super::operands::nodes::{can_be_empty, elements, is_wrapper, type_of};

/// The limit of the steps; after it, some tokens are missing.
const MAX_STEPS: usize = 200;

/// For each rule, the tokens of what is optional at the ends of its sentences.
pub struct TailTokens<'a> {
    rules: HashMap<&'a str, HashSet<String>>,
    first: &'a FirstTokens<'a>,
}

impl<'a> TailTokens<'a> {
    /// Finds the tokens of all rules. A rule for which the parser tries several derivations, because it is in
    /// `conflicts`, has none.
    pub fn new(
        members: &'a [(String, Json)],
        first: &'a FirstTokens<'a>,
        conflicts: &HashSet<&str>,
    ) -> TailTokens<'a> {
        let names = members.iter().map(|(name, _)| (&**name, HashSet::new()));
        let mut found = TailTokens {
            rules: names.collect(),
            first,
        };
        for _ in 0..MAX_STEPS {
            let mut is_complete = true;
            for (name, body) in members {
                if conflicts.contains(&**name) {
                    continue;
                }
                let tokens = found.of_node(body);
                let old = found.rules.entry(name).or_default();
                if old.len() < tokens.len() {
                    *old = tokens;
                    is_complete = false;
                }
            }
            if is_complete {
                break;
            }
        }
        found
    }

    /// Returns the tokens of what is optional at the end of a node.
    pub fn of_node(&self, node: &Json) -> HashSet<String> {
        let of_content = || node.get("content").map(|content| self.of_node(content));
        match type_of(node) {
            "SYMBOL" => {
                let name = node.text_of("name").unwrap_or_default();
                self.rules.get(name).cloned().unwrap_or_default()
            }
            "CHOICE" => {
                let all = elements(node).iter();
                all.flat_map(|one| self.of_node(one)).collect()
            }
            "SEQ" => {
                let mut tokens = HashSet::new();
                for one in elements(node).iter().rev() {
                    tokens.extend(self.of_node(one));
                    if !can_be_empty(one) {
                        break;
                    }
                    tokens.extend(self.first.of_node(one));
                }
                tokens
            }
            "REPEAT" | "REPEAT1" => {
                let mut tokens = of_content().unwrap_or_default();
                tokens.extend(self.first.of_node(node));
                tokens
            }
            _ if is_wrapper(node) => of_content().unwrap_or_default(),
            _ => HashSet::new(),
        }
    }
}
