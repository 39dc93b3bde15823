//! Looks at the nodes of rules, and changes them.

use std::collections::HashMap;

use super::super::build::any;
use super::super::json::{Json, JsonValue};
use super::super::precedence::RulePrecedence;

/// The new names of rules; a rule without one is left out where there is a choice.
pub type NewNames = HashMap<String, Option<String>>;

pub fn type_of(node: &Json) -> &str {
    node.text_of("type").unwrap_or_default()
}

pub fn elements(node: &Json) -> &[Json] {
    node.get("members").map(Json::elements).unwrap_or_default()
}

/// The elements of a sequence or a choice, to be changed.
pub fn elements_mut(node: &mut Json) -> &mut [Json] {
    let members = node.members_mut().iter_mut();
    let mut lists = members.filter(|(name, _)| name == "members");
    lists
        .next()
        .map_or(&mut [], |(_, list)| list.elements_mut())
}

pub fn children(node: &Json) -> impl Iterator<Item = &Json> {
    elements(node).iter().chain(node.get("content"))
}

/// The children of a node, to be changed.
pub fn children_mut(node: &mut Json) -> impl Iterator<Item = &mut Json> {
    let members = node.members_mut().iter_mut();
    members.flat_map(|(name, value)| match &**name {
        "content" => std::slice::from_mut(value),
        "members" => value.elements_mut(),
        _ => &mut [],
    })
}

/// Returns the node within nodes that do not change the texts.
pub fn unwrapped(mut node: &Json) -> &Json {
    while let Some(content) = node.get("content").filter(|_| is_wrapper(node)) {
        node = content;
    }
    node
}

/// The name of the rule or token that a node is.
pub fn symbol(node: &Json) -> Option<&str> {
    let node = unwrapped(node);
    node.text_of("name").filter(|_| type_of(node) == "SYMBOL")
}

/// Whether a node has another one as its content that derives the same texts.
pub fn is_wrapper(node: &Json) -> bool {
    let kind = type_of(node);
    kind.starts_with("PREC") || ["FIELD", "ALIAS", "RESERVED"].contains(&kind)
}

/// Finds the alternatives of a rule with their precedences.
pub fn flatten<'a>(
    node: &'a Json,
    precedence: RulePrecedence,
    found: &mut Vec<(&'a Json, RulePrecedence)>,
) {
    match type_of(node) {
        "CHOICE" => {
            for member in elements(node) {
                flatten(member, precedence.clone(), found);
            }
        }
        _ => match node.get("content").filter(|_| is_wrapper(node)) {
            Some(content) => flatten(content, precedence.within(node), found),
            None => found.push((node, precedence)),
        },
    }
}

/// Finds the names that can stand at the end of a node, or at its beginning.
pub fn edge<'a>(node: &'a Json, at_end: bool, is_optional: bool, found: &mut Vec<(&'a str, bool)>) {
    match type_of(node) {
        "SYMBOL" => found.push((node.text_of("name").unwrap_or_default(), is_optional)),
        "CHOICE" => {
            let is_optional = is_optional || can_be_empty(node);
            for member in elements(node) {
                edge(member, at_end, is_optional, found);
            }
        }
        "SEQ" => {
            let count = elements(node).len();
            for at in 0..count {
                let member = &elements(node)[if at_end { count - 1 - at } else { at }];
                edge(member, at_end, is_optional, found);
                if !can_be_empty(member) {
                    break;
                }
            }
        }
        kind => {
            let is_transparent = is_wrapper(node) || kind.starts_with("REPEAT");
            if let Some(content) = node.get("content").filter(|_| is_transparent) {
                edge(content, at_end, is_optional || kind == "REPEAT", found);
            }
        }
    }
}

/// Whether a node derives the empty text. A reference to a rule counts as not empty.
pub fn can_be_empty(node: &Json) -> bool {
    match type_of(node) {
        "BLANK" | "REPEAT" => true,
        "CHOICE" => elements(node).iter().any(can_be_empty),
        "SEQ" => elements(node).iter().all(can_be_empty),
        kind if is_wrapper(node) || kind == "REPEAT1" => {
            node.get("content").is_some_and(can_be_empty)
        }
        _ => false,
    }
}

/// Renames the rules at the beginning of a node.
pub fn rename_first(node: &mut Json, names: &NewNames) {
    rename(node, names, false);
}

/// Renames the rules at the end of a node.
pub fn rename_last(node: &mut Json, names: &NewNames) {
    rename(node, names, true);
}

/// Renames the rules at the end of a part of a sequence.
pub fn rename_part(node: &mut Json, at: usize, names: &NewNames) {
    if let Some(part) = elements_mut(node).get_mut(at) {
        rename(part, names, true);
    }
}

fn rename(node: &mut Json, names: &NewNames, at_end: bool) {
    let kind = type_of(node).to_string();
    if kind.ends_with("TOKEN") || kind.starts_with("REPEAT") {
        return;
    }
    let JsonValue::Object(members) = &mut node.value else {
        return;
    };
    for (member, value) in members {
        match (&**member, &mut value.value) {
            ("name", JsonValue::Text(name)) if kind == "SYMBOL" => {
                if let Some(Some(new)) = names.get(name) {
                    name.clone_from(new);
                }
            }
            ("content", _) => rename(value, names, at_end),
            ("members", JsonValue::List(list)) => {
                let (count, all) = (list.len(), kind == "CHOICE");
                let edge = if at_end { count.saturating_sub(1) } else { 0 };
                let is_left = |one: &Json| {
                    let name = unwrapped(one).text_of("name");
                    name.is_none_or(|name| names.get(name) != Some(&None))
                };
                if kind == "CHOICE" && list.iter().any(is_left) {
                    list.retain(is_left);
                }
                let edges = list.iter_mut().enumerate();
                let edges = edges.filter(|(at, _)| all || *at == edge);
                edges.for_each(|(_, one)| rename(one, names, at_end));
            }
            _ => {}
        }
    }
}

pub fn choice(source: &Json, mut alternatives: Vec<Json>) -> Json {
    if alternatives.len() == 1 {
        return alternatives.remove(0);
    }
    any(source, alternatives)
}
