//! Finds the keywords that are also names. The lexer of tree-sitter reads a keyword only where the grammar allows it,
//! so these keywords are not excluded from the token for words.

use std::collections::HashSet;

use super::json::Json;

/// Returns the keywords that are names wherever they could be mistaken for one: those that the grammar renames to the
/// token for words, and those that stand only as a whole beside a word, such as `_` in patterns.
pub fn find(members: &[(String, Json)], word: &str) -> HashSet<String> {
    let words = words(members, word);
    let mut found = HashSet::new();
    let mut beside = HashSet::new();
    let mut other = HashSet::new();
    for (name, body) in members {
        // The rule for words has no keywords in it.
        if name == word {
            continue;
        }
        each(body, &mut |node| match node.text_of("type") {
            Some("ALIAS") if node.text_of("value") == Some(word) => {
                each(node, &mut |part| found.extend(text(part)));
            }
            Some("CHOICE") => {
                let all = node.get("members").map(Json::elements).unwrap_or_default();
                let has_word = all.iter().any(|one| is_word(one, word, &words));
                for one in all {
                    let texts = text(one);
                    match has_word {
                        true => beside.extend(texts),
                        false => other.extend(texts),
                    }
                }
            }
            _ => {
                let all = node.get("members").map(Json::elements).unwrap_or_default();
                other.extend(all.iter().chain(node.get("content")).filter_map(text));
            }
        });
        other.extend(text(body));
    }
    found.extend(beside.into_iter().filter(|text| !other.contains(text)));
    found
}

/// The text of a node that is a literal.
fn text(node: &Json) -> Option<String> {
    let is_literal = node.text_of("type") == Some("STRING");
    node.text_of("value")
        .filter(|_| is_literal)
        .map(ToString::to_string)
}

/// Calls `visit` for a node and all nodes in it.
fn each(node: &Json, visit: &mut dyn FnMut(&Json)) {
    visit(node);
    let members = node.get("members").map(Json::elements).unwrap_or_default();
    for part in members.iter().chain(node.get("content")) {
        each(part, visit);
    }
}

/// The names of the rules that derive a word and nothing else.
fn words(members: &[(String, Json)], word: &str) -> HashSet<String> {
    let mut words = HashSet::new();
    loop {
        let before = words.len();
        for (name, body) in members {
            if is_word(body, word, &words) {
                words.insert(name.clone());
            }
        }
        if words.len() == before {
            return words;
        }
    }
}

/// Whether a node can be a word alone.
fn is_word(node: &Json, word: &str, words: &HashSet<String>) -> bool {
    let members = node.get("members").map(Json::elements).unwrap_or_default();
    let is_one = |node: &Json| is_word(node, word, words);
    match node.text_of("type").unwrap_or_default() {
        "SYMBOL" => node
            .text_of("name")
            .is_some_and(|name| name == word || words.contains(name)),
        "CHOICE" => members.iter().any(is_one),
        "SEQ" => {
            let mut filled = members.iter().filter(|one| !can_be_empty(one));
            filled.next().is_some_and(is_one) && filled.next().is_none()
        }
        "BLANK" | "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => false,
        _ => node.get("content").is_some_and(is_one),
    }
}

/// Whether a node can be empty by itself.
fn can_be_empty(node: &Json) -> bool {
    let members = node.get("members").map(Json::elements).unwrap_or_default();
    match node.text_of("type").unwrap_or_default() {
        "BLANK" | "REPEAT" => true,
        "CHOICE" => members.iter().any(can_be_empty),
        "SEQ" => members.iter().all(can_be_empty),
        "SYMBOL" | "STRING" | "PATTERN" | "TOKEN" | "IMMEDIATE_TOKEN" => false,
        _ => node.get("content").is_some_and(can_be_empty),
    }
}

#[cfg(test)]
mod tests {
    use super::super::json;
    use super::*;

    fn found(rules: &str) -> Vec<String> {
        let source = json::parse(&format!("{{{rules}}}")).unwrap();
        let mut found: Vec<String> = find(source.members(), "word").into_iter().collect();
        found.sort();
        found
    }

    #[test]
    fn keywords_beside_words_are_names() {
        let word = r#"{"type": "SYMBOL", "name": "word"}"#;
        let text = |text: &str| format!(r#"{{"type": "STRING", "value": "{text}"}}"#);
        let node = |kind: &str, members: &[String]| {
            let members = members.join(",");
            format!(r#"{{"type": "{kind}", "members": [{members}]}}"#)
        };
        let path = node("SEQ", &[word.into(), r#"{"type": "BLANK"}"#.into()]);
        let path = format!(r#""path": {path}"#);
        let of_path = r#"{"type": "SYMBOL", "name": "path"}"#.to_string();
        let pattern = node("CHOICE", &[of_path, text("_")]);
        let statement = node("SEQ", &[text("if"), word.into()]);
        let rules = format!(r#"{path}, "p": {pattern}, "s": {statement}"#);
        assert_eq!(found(&rules), ["_"]);
        let more = node("SEQ", &[text("_"), text(";")]);
        assert!(found(&format!(r#"{rules}, "t": {more}"#)).is_empty());
        let content = text("match");
        let alias = format!(
            r#""a": {{"type": "ALIAS", "content": {content}, "named": true, "value": "word"}}"#
        );
        assert_eq!(found(&alias), ["match"]);
    }
}
