//! Limits the tokens after an element of a list, if the end of the element is optional.
//!
//! The parser reads whatever the optional end can begin with as that end. So in GraphQL, `{ b }` after `type A` are the
//! fields of the type, never a query. Where a list has such elements, an element without the optional end is followed by
//! one that begins with other tokens.

use std::collections::{HashMap, HashSet};

use super::super::names;
use super::build::{any, named, optional, repeat, sequence};
use super::closed_ends::ClosedEnds;
use super::first_limits::FirstLimits;
use super::first_tokens;
use super::json::Json;
use super::operands::nodes::{children, children_mut, type_of};
use super::tails::TailTokens;

/// The maximum number of lists that are limited.
const MAX_LISTS: usize = 10;

/// Returns the rules with limited lists, and the rules that these need.
pub fn limit(members: Vec<(String, Json)>, conflicts: &HashSet<&str>) -> Vec<(String, Json)> {
    let mut taken: HashSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let mut lists = HashMap::new();
    let mut new = Vec::new();
    {
        let first = first_tokens::of(&members);
        let tails = TailTokens::new(&members, &first, conflicts);
        let tails = tails.with_operations(&members, conflicts);
        for element in repeated(&members) {
            if lists.len() >= MAX_LISTS {
                break;
            }
            let tokens: HashSet<String> = first
                .of_node(element)
                .intersection(&tails.of_node(element))
                .cloned()
                .collect();
            let name = element.text_of("name").unwrap_or_default();
            if tokens.is_empty() || lists.contains_key(name) {
                continue;
            }
            let mut ends = ClosedEnds::new(&members, &first, &tails, &tokens);
            let mut limits = FirstLimits::new(&members, &first, &tokens);
            let closed = ends.closed_part(element, &mut taken);
            let after = limits.limited(element, &mut taken);
            let closed_rules = ends.rules(&mut taken);
            let all: Vec<(String, Json)> = members.iter().chain(&closed_rules).cloned().collect();
            let all_first = first_tokens::of(&all);
            let mut both = FirstLimits::new(&all, &all_first, &tokens);
            let closed_after = closed
                .as_ref()
                .and_then(|one| both.limited(one, &mut taken));
            let both_rules = both.rules(&mut taken);
            new.extend(limits.rules(&mut taken));
            new.extend(both_rules);
            new.extend(closed_rules);
            let parts = ListParts {
                element: element.clone(),
                closed,
                after,
                closed_after,
            };
            let group = names::take(&format!("{name}_group"), &mut taken);
            new.push((group.clone(), parts.group()));
            lists.insert(name.to_string(), (parts, group));
        }
    }
    let mut members = members;
    members.extend(new);
    for (_, body) in &mut members {
        replace(body, &lists);
    }
    members
}

/// The symbols of the rules that lists repeat.
fn repeated(members: &[(String, Json)]) -> Vec<&Json> {
    let mut open: Vec<&Json> = members.iter().rev().map(|(_, body)| body).collect();
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        if let Some(content) = element(node) {
            found.push(content);
        }
        open.extend(children(node));
    }
    found
}

/// The symbol that a node repeats.
fn element(node: &Json) -> Option<&Json> {
    let content = node
        .get("content")
        .filter(|content| type_of(content) == "SYMBOL");
    content.filter(|_| type_of(node).starts_with("REPEAT"))
}

/// The forms of an element.
struct ListParts {
    element: Json,
    /// An element without an open end.
    closed: Option<Json>,
    /// An element that can follow an open end.
    after: Option<Json>,
    /// A closed element that can follow an open end.
    closed_after: Option<Json>,
}

impl ListParts {
    /// A closed element, or open ones up to the next closed element.
    fn group(&self) -> Json {
        let source = &self.element;
        let mut all: Vec<Json> = self.closed.iter().cloned().collect();
        if let Some(last) = &self.closed_after {
            let mut parts = self.open();
            parts.push(last.clone());
            all.push(sequence(source, parts));
        }
        any(source, all)
    }

    /// Elements each of which can follow an open end, except for the first one.
    fn open(&self) -> Vec<Json> {
        let after = self.after.iter().map(|after| repeat("REPEAT", after));
        std::iter::once(self.element.clone()).chain(after).collect()
    }
}

fn replace(node: &mut Json, lists: &HashMap<String, (ListParts, String)>) {
    let list = element(node).and_then(|element| element.text_of("name"));
    if let Some((parts, group)) = list.and_then(|name| lists.get(name)) {
        let group = named(node, group);
        let open = sequence(node, parts.open());
        let last = match type_of(node) {
            "REPEAT" => optional(open),
            _ => any(node, vec![open, group.clone()]),
        };
        *node = sequence(node, vec![repeat("REPEAT", &group), last]);
        return;
    }
    children_mut(node).for_each(|one| replace(one, lists));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, shown};
    use super::*;

    fn limited(kind: &str) -> Vec<(String, String)> {
        let rules = rules(&[
            ("file", "item *"),
            ("item", "[ query | kind ]"),
            ("query", "( { a } )"),
            ("kind", kind),
            ("fields", "( { b } )"),
        ]);
        let limited = limit(rules, &HashSet::new()).into_iter();
        limited.map(|(name, body)| (name, shown(&body))).collect()
    }

    #[test]
    fn after_an_open_end_other_tokens_begin() {
        let found = limited("( type [ fields | ? ] )");
        let body = |name: &str| {
            let rule = found.iter().find(|(rule, _)| rule == name);
            &*rule.unwrap().1
        };
        assert_eq!(body("file"), "(item_group* ((item item_limited*)|?))");
        assert!(body("item_group").starts_with("(item_closed|(item item_limited* item_closed_"));
        assert_eq!(body("item_closed"), "(query|kind_closed)");
        assert_eq!(body("kind_closed"), "((type (fields)))");
        assert_eq!(body("item_limited"), "(query_limited_2|kind)");
    }

    #[test]
    fn other_lists_stay() {
        assert_eq!(limited("( type fields )").len(), 5);
        assert_eq!(limited("( type [ b | ? ] )").len(), 5);
    }
}
