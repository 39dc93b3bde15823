//! The tokens that sentences of rules and nodes begin with.

use std::collections::{HashMap, HashSet};

use super::json::{Json, JsonValue};

/// The limit of the steps; after it, some tokens are missing.
const MAX_STEPS: usize = 200;

/// The tokens that the sentences of each rule begin with.
pub struct FirstTokens<'a> {
    rules: HashMap<&'a str, HashSet<String>>,
}

/// Finds the tokens at the beginning of all rules.
pub fn of(members: &[(String, Json)]) -> FirstTokens<'_> {
    let names = members.iter().map(|(name, _)| (&**name, HashSet::new()));
    let mut found = FirstTokens {
        rules: names.collect(),
    };
    for _ in 0..MAX_STEPS {
        let mut is_complete = true;
        for (name, body) in members {
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

impl FirstTokens<'_> {
    /// Returns the tokens at the beginning of a sequence, unless it can be empty.
    pub fn of_rest(&self, nodes: &[Json]) -> Option<HashSet<String>> {
        let mut tokens = HashSet::new();
        let is_empty = nodes.iter().all(|node| self.add(node, &mut tokens));
        (!is_empty).then_some(tokens)
    }

    /// Returns the tokens at the beginning of a node. A token is its text, or the name of its rule.
    pub fn of_node(&self, node: &Json) -> HashSet<String> {
        let mut tokens = HashSet::new();
        self.add(node, &mut tokens);
        tokens
    }

    /// Adds the tokens at the beginning of a node. Returns whether the node can be empty.
    fn add(&self, node: &Json, tokens: &mut HashSet<String>) -> bool {
        let content = node.get("content");
        let members = node.get("members").map(Json::elements);
        let members = members.unwrap_or_default();
        match node.text_of("type").unwrap_or_default() {
            "BLANK" => true,
            "SYMBOL" => {
                let name = node.text_of("name").unwrap_or_default();
                match self.rules.get(name) {
                    Some(more) => tokens.extend(more.iter().cloned()),
                    None => drop(tokens.insert(name.into())),
                }
                false
            }
            "STRING" | "PATTERN" => {
                if let Some(JsonValue::Text(text)) = node.get("value").map(|value| &value.value) {
                    tokens.insert(text.clone());
                }
                false
            }
            "CHOICE" => {
                let mut is_empty = false;
                for member in members {
                    is_empty |= self.add(member, tokens);
                }
                is_empty
            }
            "SEQ" => members.iter().all(|member| self.add(member, tokens)),
            "TOKEN" | "IMMEDIATE_TOKEN" => {
                let mut inner = content;
                while let Some(next) = inner.and_then(|inner| inner.get("content")) {
                    inner = Some(next);
                }
                match inner.and_then(|inner| inner.text_of("value")) {
                    Some(text) => tokens.insert(text.into()),
                    None => tokens.insert(format!("token at {}", node.span.start)),
                };
                false
            }
            kind => {
                let is_empty = content.is_none_or(|content| self.add(content, tokens));
                is_empty || kind == "REPEAT"
            }
        }
    }
}
