//! Makes nodes.

use super::json::{Json, JsonValue};

fn node(source: &Json, kind: &str, member: &str, value: JsonValue) -> Json {
    let json = |value| Json {
        span: source.span.clone(),
        value,
    };
    json(JsonValue::Object(vec![
        ("type".into(), json(JsonValue::Text(kind.into()))),
        (member.into(), json(value)),
    ]))
}

pub fn sequence(source: &Json, parts: Vec<Json>) -> Json {
    node(source, "SEQ", "members", JsonValue::List(parts))
}

pub fn named(source: &Json, name: &str) -> Json {
    node(source, "SYMBOL", "name", JsonValue::Text(name.into()))
}

pub fn repeat(kind: &str, content: &Json) -> Json {
    node(content, kind, "content", content.value.clone())
}

/// A choice. Without alternatives, it derives nothing.
pub fn any(source: &Json, alternatives: Vec<Json>) -> Json {
    node(source, "CHOICE", "members", JsonValue::List(alternatives))
}

/// The content of a node, or the empty text.
pub fn optional(content: Json) -> Json {
    let source = content.clone();
    let empty = node(&source, "BLANK", "value", JsonValue::Word);
    any(&source, vec![content, empty])
}

/// A copy of the node with another content.
pub fn with_content(node: &Json, content: Json) -> Json {
    let mut node = node.clone();
    if let JsonValue::Object(members) = &mut node.value {
        for (name, value) in members {
            if name == "content" {
                *value = content.clone();
            }
        }
    }
    node
}
