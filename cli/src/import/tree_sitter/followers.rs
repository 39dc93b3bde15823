//! Limits the tokens after a rule that ends with a repetition.
//!
//! The parser reads whatever the repetition can begin with as its next element. So in C, an `extern "C" { }` after
//! `case 1:` is an error, because a statement of the case can begin with `extern`, too. Where such rules are elements of a
//! list, the next element is another one of them, or one that begins with other tokens.

use std::collections::HashSet;

use super::super::names;
use super::build::{named, repeat, sequence};
use super::first_tokens::{self, FirstTokens};
use super::json::Json;
use super::operands::nodes::{
    children, children_mut, choice, elements, symbol, type_of, unwrapped,
};

/// The maximum number of alternatives of an element.
const MAX_ALTERNATIVES: usize = 200;

/// The maximum number of rules that are added.
const MAX_GROUPS: usize = 50;

/// Returns the rules with limited lists, and the rules for the groups of their elements.
pub fn limit(members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut taken: HashSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let groups = {
        let first = first_tokens::of(&members);
        let contents = repeated(&members).into_iter().take(MAX_GROUPS);
        let groups = contents.filter_map(|name| group(name, &members, &first, &mut taken));
        groups.collect::<Vec<ElementGroup>>()
    };
    let mut members = members;
    for group in groups {
        let name = names::take(&format!("{}_group", group.content), &mut taken);
        for (_, body) in &mut members {
            replace(body, &group, &name);
        }
        members.push((name, group.body));
        members.extend(group.parts);
    }
    members
}

/// Rules with their names.
type NewRules = Vec<(String, Json)>;

/// The rule that replaces the elements of a list.
struct ElementGroup {
    /// The rule of the elements.
    content: String,
    /// The rule that ends with a repetition.
    greedy: String,
    /// An element, or greedy ones with one that can follow them.
    body: Json,
    /// Rules that the body needs.
    parts: NewRules,
}

/// The names of the rules that lists repeat.
fn repeated(members: &[(String, Json)]) -> Vec<&str> {
    let mut open: Vec<&Json> = members.iter().map(|(_, body)| body).collect();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        if let Some(name) = repeated_rule(node).filter(|name| !found.contains(name)) {
            found.push(name);
        }
        open.extend(children(node));
    }
    found
}

/// The rule that a node repeats any number of times.
fn repeated_rule(node: &Json) -> Option<&str> {
    let content = node
        .get("content")
        .filter(|content| type_of(content) == "SYMBOL");
    content
        .filter(|_| type_of(node) == "REPEAT")?
        .text_of("name")
}

/// Finds the group for a list of a rule, if it needs one.
fn group(
    name: &str,
    members: &[(String, Json)],
    first: &FirstTokens,
    taken: &mut HashSet<String>,
) -> Option<ElementGroup> {
    let alternatives = alternatives(name, members)?;
    for greedy in &alternatives {
        let Some(greedy_name) = symbol(greedy) else {
            continue;
        };
        let Some(tail) = tail(body(greedy_name, members)?) else {
            continue;
        };
        let tokens = first.of_node(tail);
        let within = expanded(vec![tail], members)?;
        let within: HashSet<&str> = within.into_iter().filter_map(symbol).collect();
        if within.contains(greedy_name) {
            continue;
        }
        let is_greedy = |one: &&Json| symbol(one) == Some(greedy_name);
        let is_free = |one: &Json| first.of_node(one).is_disjoint(&tokens);
        let others: Vec<&Json> = alternatives
            .iter()
            .filter(|one| !is_greedy(one))
            .copied()
            .collect();
        let is_taken =
            |one: &&Json| !is_free(one) && symbol(one).is_none_or(|name| !within.contains(name));
        if !others.iter().any(is_taken) {
            continue;
        }
        let followers: Vec<Json> = others
            .iter()
            .filter(|one| is_free(one))
            .map(|one| (*one).clone())
            .collect();
        let (mut all, parts) = without(body(name, members)?, greedy_name, members, taken)?;
        if !followers.is_empty() {
            let list = repeat("REPEAT1", greedy);
            let followers = choice(greedy, followers);
            all.push(sequence(greedy, vec![list, followers]));
        }
        return Some(ElementGroup {
            content: name.into(),
            greedy: greedy_name.into(),
            body: choice(greedy, all),
            parts,
        });
    }
    None
}

/// The alternatives of a choice without those of the greedy rule. Choices within stay rules of their own, so that each
/// alternative keeps its probability.
fn without(
    node: &Json,
    greedy: &str,
    members: &[(String, Json)],
    taken: &mut HashSet<String>,
) -> Option<(Vec<Json>, NewRules)> {
    let (mut all, mut rules) = (Vec::new(), Vec::new());
    for one in elements(unwrapped(node)) {
        let parts = expanded(vec![one], members)?;
        let is_other = |part: &&Json| symbol(part) != Some(greedy);
        let others: Vec<Json> = parts.iter().copied().filter(is_other).cloned().collect();
        if others.len() == parts.len() {
            all.push(one.clone());
        } else if !others.is_empty() {
            let base = symbol(one).unwrap_or(greedy);
            let name = names::take(&format!("{base}_other"), taken);
            all.push(named(one, &name));
            rules.push((name, choice(one, others)));
        }
    }
    Some((all, rules))
}

/// Replaces the lists of a rule.
fn replace(node: &mut Json, group: &ElementGroup, name: &str) {
    if repeated_rule(node) == Some(&group.content) {
        let list = |kind: &str, name: &str| repeat(kind, &named(node, name));
        let parts = vec![list("REPEAT", name), list("REPEAT", &group.greedy)];
        *node = sequence(node, parts);
        return;
    }
    children_mut(node).for_each(|one| replace(one, group, name));
}

fn body<'a>(name: &str, members: &'a [(String, Json)]) -> Option<&'a Json> {
    let rule = members.iter().find(|(rule, _)| rule == name);
    rule.map(|(_, body)| body)
}

/// The node that a rule repeats at its end.
fn tail(body: &Json) -> Option<&Json> {
    let last = elements(unwrapped(body))
        .last()
        .filter(|_| type_of(unwrapped(body)) == "SEQ");
    let last = unwrapped(last?);
    last.get("content").filter(|_| type_of(last) == "REPEAT")
}

/// The alternatives of a rule that is a choice. [`None`] if there are too many.
fn alternatives<'a>(name: &str, members: &'a [(String, Json)]) -> Option<Vec<&'a Json>> {
    expanded(vec![body(name, members)?], members)
}

/// The alternatives of nodes. Rules that are choices are replaced by theirs.
fn expanded<'a>(mut open: Vec<&'a Json>, members: &'a [(String, Json)]) -> Option<Vec<&'a Json>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    while let Some(node) = open.pop() {
        let content = unwrapped(node);
        let rule = symbol(node).and_then(|name| body(name, members));
        match rule.filter(|body| type_of(unwrapped(body)) == "CHOICE") {
            Some(body) => {
                if symbol(node).is_some_and(|name| seen.insert(name)) {
                    open.push(body);
                }
            }
            None if type_of(content) == "CHOICE" => open.extend(elements(content).iter().rev()),
            None => found.push(node),
        }
        if found.len() + open.len() > MAX_ALTERNATIVES {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::super::testing::shown;
    use super::*;

    /// The rules of a grammar in which a case has the statements `tail`.
    fn limited(tail: &str) -> Vec<(String, String)> {
        let symbol = |name: &str| format!(r#"{{"type": "SYMBOL", "name": "{name}"}}"#);
        let text = |text: &str| format!(r#"{{"type": "STRING", "value": "{text}"}}"#);
        let list = |kind: &str, parts: &[String]| {
            format!(r#"{{"type": "{kind}", "members": [{}]}}"#, parts.join(","))
        };
        let repeat = |name: &str| format!(r#"{{"type": "REPEAT", "content": {}}}"#, symbol(name));
        let items = ["case", "variable", "function", "directive"].map(symbol);
        let rules = [
            ("file", repeat("item")),
            ("item", list("CHOICE", &items)),
            ("case", list("SEQ", &[text("case"), repeat(tail)])),
            ("variable", list("SEQ", &[text("int"), text(";")])),
            ("function", list("SEQ", &[text("int"), text("{")])),
            ("directive", list("SEQ", &[text("#"), text("if")])),
        ];
        let rules = rules.map(|(name, body)| format!("\"{name}\": {body}"));
        let source = json::parse(&format!("{{{}}}", rules.join(","))).unwrap();
        let limited = limit(source.members().to_vec()).into_iter();
        limited.map(|(name, body)| (name, shown(&body))).collect()
    }

    #[test]
    fn elements_after_a_case_begin_with_other_tokens() {
        let rules = limited("variable");
        assert_eq!(rules[0].1, "(item_group* case*)");
        let (name, body) = rules.last().unwrap();
        assert_eq!(name, "item_group");
        assert_eq!(body, "(variable|function|directive|(case+ directive))");
    }

    #[test]
    fn lists_without_conflicts_stay() {
        let rules = limited("directive");
        assert_eq!((rules.len(), &*rules[0].1), (6, "item*"));
    }
}
