//! The units of a rule: the rules that it derives alone, as `value` in `expression = value | expression
//! "+" value`.

use std::collections::{HashMap, HashSet};

use super::json::Json;
use super::operands::nodes::{elements, is_wrapper, type_of};

/// Returns the units of each rule.
pub fn of(members: &[(String, Json)]) -> HashMap<&str, HashSet<&str>> {
    let mut units: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (name, body) in members {
        let mut found = HashSet::new();
        add(body, &mut found);
        units.insert(&**name, found);
    }
    let reached = |name: &str| {
        let mut found: HashSet<&str> = HashSet::new();
        let mut open: Vec<&str> = units.get(name).into_iter().flatten().copied().collect();
        while let Some(one) = open.pop() {
            if found.insert(one) {
                open.extend(units.get(one).into_iter().flatten());
            }
        }
        found
    };
    let names = members.iter().map(|(name, _)| (&**name, reached(name)));
    names.collect()
}

/// Adds the rules that a node derives alone.
pub fn add<'a>(node: &'a Json, found: &mut HashSet<&'a str>) {
    match type_of(node) {
        "SYMBOL" => found.extend(node.text_of("name")),
        "CHOICE" => elements(node).iter().for_each(|one| add(one, found)),
        _ if is_wrapper(node) => {
            let content = node.get("content");
            content.iter().for_each(|one| add(one, found));
        }
        _ => {}
    }
}
