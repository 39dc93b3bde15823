//! Keeps signs after an operand in its line where the external scanner ends statements with lines.
//!
//! The scanner inserts a semicolon before a sign on a new line, unless the sign could not begin a statement. So in
//! JavaScript, `++` on a new line belongs to the next operand. The scanner decides which signs these are, and the
//! grammar does not tell it. So no layout is allowed before signs after an operand.
// NOTE: Blanks before these signs are left out, too, as the notation has no layout without line feeds at one position only.

use std::collections::HashSet;

use super::json::{Json, JsonValue};
use super::operands::nodes::{
    can_be_empty, children, children_mut, elements, elements_mut, type_of,
};
use super::units;

/// Returns the rules with the signs as immediate tokens.
pub fn limit(source: &Json, mut members: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let Some(ends) = StatementEnds::find(source) else {
        return members;
    };
    let source = members.clone();
    let units = units::of(&source);
    let mut arguments = HashSet::new();
    for (name, body) in &mut members {
        let is_operand = |node: &Json| {
            let symbol = node.text_of("name").filter(|_| type_of(node) == "SYMBOL");
            let units = |symbol| units.get(symbol).into_iter().flatten();
            symbol.is_some_and(|symbol| symbol == name || units(symbol).any(|unit| unit == name))
        };
        in_alternatives(body, &mut |node| {
            let Some(after) = after_operand(node, &is_operand) else {
                return;
            };
            let parts = elements_mut(node);
            if let [sign] = &mut parts[after..]
                && is_sign(sign)
            {
                immediate(sign);
            }
            for part in &parts[after..] {
                add_symbols(part, &mut arguments);
            }
        });
    }
    if ends == StatementEnds::Lines {
        let rules = members.iter_mut();
        for (_, body) in rules.filter(|(name, _)| arguments.contains(name)) {
            in_alternatives(body, &mut |node| {
                let first = elements_mut(node).first_mut();
                let is_open = |part: &&mut Json| {
                    type_of(part) == "STRING" && part.text_of("value") == Some("(")
                };
                if let Some(first) = first.filter(is_open) {
                    immediate(first);
                }
            });
        }
    }
    members
}

/// Where the scanner ends statements.
#[derive(PartialEq)]
enum StatementEnds {
    /// At signs that cannot go on with the statement.
    Signs,
    /// At the ends of lines. An opening parenthesis on a new line begins a statement.
    Lines,
}

impl StatementEnds {
    fn find(source: &Json) -> Option<StatementEnds> {
        let externals = source.get("externals").map(Json::elements)?;
        let mut found = None;
        for name in externals.iter().filter_map(|token| token.text_of("name")) {
            match name.trim_start_matches('_') {
                "automatic_semicolon" => found = Some(StatementEnds::Signs),
                "semi" | "implicit_semi" => return Some(StatementEnds::Lines),
                _ => {}
            }
        }
        found
    }
}

/// Calls a function with the alternatives of a rule that are sequences.
fn in_alternatives(node: &mut Json, change: &mut dyn FnMut(&mut Json)) {
    let kind = type_of(node).to_string();
    if kind == "SEQ" {
        change(node);
        return;
    }
    if kind.ends_with("TOKEN") || kind.starts_with("REPEAT") {
        return;
    }
    children_mut(node).for_each(|one| in_alternatives(one, change));
}

/// The index after the operand at the beginning of a sequence.
fn after_operand(node: &Json, is_operand: &dyn Fn(&Json) -> bool) -> Option<usize> {
    let parts = elements(node);
    let at = parts.iter().position(|part| !can_be_empty(part))?;
    let mut operand = &parts[at];
    while let Some(content) = operand.get("content") {
        operand = content;
    }
    let is_any = match type_of(operand) {
        "CHOICE" => elements(operand).iter().any(is_operand),
        _ => is_operand(operand),
    };
    is_any.then_some(at + 1)
}

/// Whether a node derives signs only.
fn is_sign(node: &Json) -> bool {
    match type_of(node) {
        "STRING" => {
            let text = node.text_of("value").unwrap_or_default();
            !text.contains(char::is_alphanumeric)
        }
        "CHOICE" => elements(node).iter().all(is_sign),
        "FIELD" | "ALIAS" => node.get("content").is_some_and(is_sign),
        _ => false,
    }
}

/// Makes immediate tokens of the texts in a node.
fn immediate(node: &mut Json) {
    if type_of(node) == "STRING" {
        let json = |value| Json {
            span: node.span.clone(),
            value,
        };
        let kind = json(JsonValue::Text("IMMEDIATE_TOKEN".into()));
        let members = vec![("type".into(), kind), ("content".into(), node.clone())];
        *node = json(JsonValue::Object(members));
        return;
    }
    children_mut(node).for_each(immediate);
}

/// Adds the rules in a node.
fn add_symbols(node: &Json, found: &mut HashSet<String>) {
    if type_of(node) == "SYMBOL" {
        found.extend(node.text_of("name").map(ToString::to_string));
    }
    let all = children(node);
    all.for_each(|one| add_symbols(one, found));
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::super::testing::rules;
    use super::*;

    /// The first rules in which a text is an immediate token.
    fn immediate_rules(external: &str) -> Vec<String> {
        let rules = rules(&[
            ("statement", "( expression ; )"),
            ("expression", "[ update | call | x ]"),
            (
                "update",
                "[ ( expression [ ++ | -- ] ) | ( ++ expression ) ]",
            ),
            ("call", "( expression arguments )"),
            ("arguments", "( `( expression `) )"),
        ]);
        let source = format!(r#"{{"externals": [{{"type": "SYMBOL", "name": "{external}"}}]}}"#);
        let limited = limit(&json::parse(&source).unwrap(), rules).into_iter();
        let is_changed = |(name, body): (String, Json)| {
            format!("{body:?}").contains("IMMEDIATE").then_some(name)
        };
        limited.filter_map(is_changed).collect()
    }

    #[test]
    fn signs_after_an_operand_stay_in_its_line() {
        assert_eq!(immediate_rules("_automatic_semicolon"), ["update"]);
        assert_eq!(immediate_rules("_semi"), ["update", "arguments"]);
        assert!(immediate_rules("string").is_empty());
    }
}
