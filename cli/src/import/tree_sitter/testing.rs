//! Rules in a short notation, for tests.

use std::collections::HashSet;

use super::json::{self, Json};
use super::operands::nodes::{elements, type_of};

/// Reads rules whose symbols are separated by blanks: `( a b )`, `[ a | b ]` and `a *`; `?` is the empty text. `-`
/// before a node gives it the precedence -1, and `--` the precedence -2. A symbol that is no rule is a text, or an
/// external token if it begins with `_`. A backtick before a text makes it a text even if it is a sign of this
/// notation.
pub fn rules(all: &[(&str, &str)]) -> Vec<(String, Json)> {
    let names: HashSet<&str> = all.iter().map(|(name, _)| *name).collect();
    let body = |text: &str| {
        let mut words: Vec<&str> = text.split(' ').rev().collect();
        node(&mut words, &names)
    };
    let members = all
        .iter()
        .map(|(name, text)| format!("\"{name}\": {}", body(text)));
    let members: Vec<String> = members.collect();
    let source = json::parse(&format!("{{{}}}", members.join(","))).unwrap();
    source.members().to_vec()
}

fn node(words: &mut Vec<&str>, names: &HashSet<&str>) -> String {
    let first = words.pop().unwrap();
    let mut text = match first {
        "(" | "[" => {
            let mut parts = Vec::new();
            while ![")", "]"].contains(words.last().unwrap()) {
                if *words.last().unwrap() == "|" {
                    words.pop();
                }
                parts.push(node(words, names));
            }
            words.pop();
            let kind = if first == "(" { "SEQ" } else { "CHOICE" };
            format!(r#"{{"type": "{kind}", "members": [{}]}}"#, parts.join(","))
        }
        "-" | "--" if words.last().is_some_and(|next| ["(", "["].contains(next)) => {
            let content = node(words, names);
            let value = first.len();
            format!(r#"{{"type": "PREC", "value": -{value}, "content": {content}}}"#)
        }
        "?" => r#"{"type": "BLANK"}"#.to_string(),
        name if names.contains(name) || name.starts_with('_') => {
            format!(r#"{{"type": "SYMBOL", "name": "{name}"}}"#)
        }
        text => {
            let text = text.strip_prefix('`').unwrap_or(text);
            format!(r#"{{"type": "STRING", "value": "{text}"}}"#)
        }
    };
    while words.last() == Some(&"*") {
        words.pop();
        text = format!(r#"{{"type": "REPEAT", "content": {text}}}"#);
    }
    text
}

/// Writes a node.
pub fn shown(node: &Json) -> String {
    let all = |between: &str| {
        let parts = elements(node).iter().map(shown).collect::<Vec<_>>();
        format!("({})", parts.join(between))
    };
    match type_of(node) {
        "SYMBOL" => node.text_of("name").unwrap().into(),
        "STRING" => node.text_of("value").unwrap().into(),
        "BLANK" => "?".into(),
        "SEQ" => all(" "),
        "CHOICE" => all("|"),
        "REPEAT" => shown(node.get("content").unwrap()) + "*",
        "REPEAT1" => shown(node.get("content").unwrap()) + "+",
        _ => shown(node.get("content").unwrap()),
    }
}
