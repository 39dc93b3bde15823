//! The JSON of Nautilus: a list of pairs of a nonterminal and a text, in which `{NAME}` is a nonterminal.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::plain::{PlainGrammar, SequencePart};

/// The maximum number of characters of a class that are exported, each as a rule.
const MAX_CHARACTERS: u32 = 64;

/// The name of the rule of a backslash. It has a hyphen, as the names that are made here do and those of the grammar's
/// rules do not.
const BACKSLASH: &str = "C-BACKSLASH";

/// Returns the rules, one a line.
pub fn write(plain: &mut PlainGrammar<'_>) -> String {
    let (mut rules, mut classes) = (Vec::new(), BTreeMap::new());
    while let Some(rule) = plain.next() {
        let name = rule.name.to_ascii_uppercase();
        let mut shown = |part: &SequencePart| match part {
            SequencePart::Rule(rule) => format!("{{{}}}", plain.name(*rule).to_ascii_uppercase()),
            SequencePart::Text(text) => escaped(&String::from_utf8_lossy(text)),
            SequencePart::Class(class) => {
                classes.insert(class.0, *class);
                format!("{{C-{}}}", class.0)
            }
        };
        for sequence in &rule.alternatives {
            let text: String = sequence.parts.iter().map(&mut shown).collect();
            let Some(repeated) = &sequence.repeated else {
                rules.push(json!([name, text]));
                continue;
            };
            let more = format!("{name}-MORE");
            rules.push(json!([name, text + &format!("{{{more}}}")]));
            rules.push(json!([more, ""]));
            rules.push(json!([more, shown(repeated) + &format!("{{{more}}}")]));
        }
    }
    if plain.has_bytes() {
        plain.warn("bytes that are not UTF-8 are exported as replacement characters");
    }
    for (number, class) in classes {
        let (characters, has_more) = plain.members(class, MAX_CHARACTERS);
        if has_more {
            plain.warn(format!(
                "classes are exported with {MAX_CHARACTERS} characters at most"
            ));
        }
        for char in characters {
            rules.push(json!([format!("C-{number}"), escaped(&char.to_string())]));
        }
    }
    let mut lines: Vec<String> = rules.iter().map(Value::to_string).collect();
    if lines.iter().any(|line| line.contains(BACKSLASH)) {
        lines.push(json!([BACKSLASH, "\\"]).to_string());
    }
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Returns a text with escaped braces, which would be nonterminals. Nautilus has no escape of a backslash: it is
/// itself, except before a brace. So those at the end of a text, where a nonterminal may follow, are nonterminals.
fn escaped(text: &str) -> String {
    let start = text.trim_end_matches('\\');
    let end = format!("{{{BACKSLASH}}}").repeat(text.len() - start.len());
    start.replace('{', "\\{").replace('}', "\\}") + &end
}
