//! Leaves out lists at the ends of rules that the parser never begins.
//!
//! The list has no precedence of its own. So where its element can also follow the rule, a rule with a precedence is
//! completed first. In R, the line feeds after `a$` are none of the operation `$`, but end the expression.

use std::collections::HashSet;

use super::build::{sequence, with_content};
use super::json::{Json, JsonValue};
use super::operands::nodes::{
    can_be_empty, children, children_mut, elements, is_wrapper, symbol, type_of, unwrapped,
};

/// Returns the rules without these lists.
pub fn remove(mut members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let mut separators = HashSet::new();
    let bodies: Vec<&Json> = members.iter().map(|(_, body)| body).collect();
    let mut open = bodies.clone();
    while let Some(node) = open.pop() {
        let list = node
            .get("content")
            .filter(|_| type_of(node).starts_with("REPEAT"));
        let choice = list.map(unwrapped).filter(|list| type_of(list) == "CHOICE");
        separators.extend(choice.into_iter().flat_map(elements).filter_map(symbol));
        open.extend(children(node));
    }
    let names: HashSet<&str> = members.iter().map(|(name, _)| &**name).collect();
    // Tokens of the scanner that are elements of a list.
    let separators: HashSet<String> = separators
        .into_iter()
        .filter(|name| !names.contains(name))
        .map(ToString::to_string)
        .collect();
    for (_, body) in &mut members {
        *body = without(body, false, &separators);
    }
    members
}

/// The node without lists of the separators in sequences with a precedence.
fn without(node: &Json, is_strong: bool, separators: &HashSet<String>) -> Json {
    if type_of(node) == "SEQ" && is_strong {
        let parts = elements(node);
        let fixed = parts.iter().rposition(|part| !can_be_empty(part));
        let first = fixed.map_or(0, |fixed| fixed + 1);
        let is_list = |part: &Json| {
            let content = part.get("content").filter(|_| type_of(part) == "REPEAT");
            content
                .and_then(symbol)
                .is_some_and(|name| separators.contains(name))
        };
        let is_kept = |(at, part): &(usize, &Json)| *at < first || !is_list(part);
        let parts = parts.iter().enumerate().filter(is_kept);
        return sequence(node, parts.map(|(_, part)| part.clone()).collect());
    }
    let is_strong = match node.get("value").map(|value| &value.value) {
        Some(JsonValue::Number(number)) => type_of(node).starts_with("PREC") && *number > 0.0,
        _ => false,
    };
    let mut node = node.clone();
    if let Some(content) = node.get("content").filter(|_| is_wrapper(&node)) {
        let content = without(content, is_strong, separators);
        return with_content(&node, content);
    }
    if type_of(&node) == "CHOICE" {
        for one in children_mut(&mut node) {
            *one = without(one, false, separators);
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rules, shown};
    use super::*;

    #[test]
    fn a_separator_after_an_operation_is_none_of_it() {
        let found = |precedence: &str| {
            let operation = format!("{precedence}( x $ _newline * [ x | ? ] )");
            let rules = rules(&[
                ("file", "[ operation | _newline ] *"),
                ("operation", &operation),
            ]);
            shown(&remove(rules)[1].1)
        };
        assert_eq!(found("+ "), "(x $ (x|?))");
        assert_eq!(found(""), "(x $ _newline* (x|?))");
    }
}
