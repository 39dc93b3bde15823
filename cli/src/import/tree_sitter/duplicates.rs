//! Joins rules that were made for limits and that are equal, and removes those that nothing needs.
//!
//! Each limit makes its own rules. So two limits can make the same rule twice, and a later one can replace the only use of a
//! rule that an earlier one made.

use std::collections::{HashMap, HashSet};

use super::json::{Json, JsonValue};
use super::operands::nodes::{children_mut, type_of};

/// Returns the rules without duplicates. The rules that `source` has stay.
pub fn remove(mut members: Vec<(String, Json)>, source: &[(String, Json)]) -> Vec<(String, Json)> {
    let source: HashSet<&str> = source.iter().map(|(name, _)| &**name).collect();
    loop {
        members = needed(members, &source);
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut names: HashMap<String, String> = HashMap::new();
        let new = members.iter().enumerate();
        for (at, (name, body)) in new.filter(|(_, (name, _))| !source.contains(&**name)) {
            let mut text = String::new();
            write(body, &mut text);
            let same = *first.entry(text).or_insert(at);
            if same != at {
                names.insert(name.clone(), members[same].0.clone());
            }
        }
        if names.is_empty() {
            return members;
        }
        members.retain(|(name, _)| !names.contains_key(name));
        for (_, body) in &mut members {
            rename(body, &names);
        }
    }
}

/// Returns the rules of the source, and those that they need.
fn needed(members: Vec<(String, Json)>, source: &HashSet<&str>) -> Vec<(String, Json)> {
    let index: HashMap<&str, usize> = members
        .iter()
        .enumerate()
        .map(|(at, (name, _))| (&**name, at))
        .collect();
    let is_source = |at: &usize| source.contains(&*members[*at].0);
    let mut found: HashSet<usize> = (0..members.len()).filter(is_source).collect();
    let mut open: Vec<&Json> = found.iter().map(|at| &members[*at].1).collect();
    while let Some(node) = open.pop() {
        let rule = node.text_of("name").and_then(|name| index.get(name));
        if let Some(&rule) = rule.filter(|rule| found.insert(**rule)) {
            open.push(&members[rule].1);
        }
        open.extend(node.members().iter().map(|(_, value)| value));
        open.extend(node.elements());
    }
    let all = members.iter().enumerate();
    let all = all.filter(|(at, _)| found.contains(at));
    all.map(|(_, rule)| rule.clone()).collect()
}

/// Writes a node without its place.
fn write(node: &Json, text: &mut String) {
    match &node.value {
        JsonValue::Object(members) => {
            text.push('{');
            for (name, value) in members {
                text.push_str(name);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        JsonValue::List(all) => {
            text.push('[');
            all.iter().for_each(|one| write(one, text));
            text.push(']');
        }
        value => text.push_str(&format!("{value:?},")),
    }
}

/// Renames the rules in a node.
fn rename(node: &mut Json, names: &HashMap<String, String>) {
    if type_of(node) == "SYMBOL" {
        for (member, value) in node.members_mut() {
            if let ("name", JsonValue::Text(name)) = (&**member, &mut value.value) {
                if let Some(new) = names.get(name) {
                    name.clone_from(new);
                }
            }
        }
    }
    children_mut(node).for_each(|one| rename(one, names));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, shown};
    use super::*;

    #[test]
    fn equal_rules_are_one_and_the_others_stay() {
        let rules = rules(&[
            ("s", "( one two three )"),
            ("source", "( a )"),
            ("one", "( x four )"),
            ("two", "( x five )"),
            ("three", "( a )"),
            ("four", "( b )"),
            ("five", "( b )"),
            ("none", "( none b )"),
        ]);
        let found = remove(rules.clone(), &rules[..2]).into_iter();
        let lines: Vec<String> = found
            .map(|(name, body)| format!("{name} = {}", shown(&body)))
            .collect();
        let expected = [
            "s = (one one three)",
            "source = (a)",
            "one = (x four)",
            "three = (a)",
            "four = (b)",
        ];
        assert_eq!(lines, expected);
    }
}
