//! Exports a grammar in the JSON of Nautilus. This is a list of rules. A rule is a pair of a nonterminal and a text. In
//! the text, `{NAME}` is a nonterminal.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::plain::{PlainGrammar, SequencePart};

/// The maximum number of characters of a class that are exported. Each character is a rule.
const MAX_CHARACTERS: u32 = 64;

/// The name of the nonterminal that derives a backslash. It contains a hyphen, which names of the grammar's rules do
/// not contain.
const BACKSLASH: &str = "C-BACKSLASH";

/// Returns the rules as JSON, one on each line.
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
                "at most {MAX_CHARACTERS} characters of a class are exported"
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

/// Escapes a text. A backslash before each brace makes the brace a character of the text. Nautilus has no escape
/// for a backslash itself. A nonterminal may follow the text, and a backslash would escape its brace. So each backslash
/// at the end of the text becomes the nonterminal `{C-BACKSLASH}`.
fn escaped(text: &str) -> String {
    let start = text.trim_end_matches('\\');
    let end = format!("{{{BACKSLASH}}}").repeat(text.len() - start.len());
    start.replace('{', "\\{").replace('}', "\\}") + &end
}
