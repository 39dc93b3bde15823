//! The JSON of Nautilus: a list of pairs of a nonterminal and a text, in which `{NAME}` is a nonterminal.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::plain::{PlainGrammar, RuleBody, SequencePart};

/// The maximum number of characters of a class that are exported, each as a rule.
const MAX_CHARACTERS: u32 = 64;

/// Returns the rules, one a line.
pub fn write(plain: &mut PlainGrammar<'_>) -> String {
    let (mut rules, mut classes) = (Vec::new(), BTreeMap::new());
    while let Some((name, body)) = plain.next() {
        let name = name.to_ascii_uppercase();
        let mut part = |part: &SequencePart| match part {
            SequencePart::Rule(rule) => format!("{{{}}}", plain.name(*rule).to_ascii_uppercase()),
            SequencePart::Text(text) => escaped(&String::from_utf8_lossy(text)),
            SequencePart::Class(class) => {
                classes.insert(class.0, *class);
                format!("{{C-{}}}", class.0)
            }
        };
        match &body {
            RuleBody::Alternatives(all) => {
                for parts in all {
                    let text: String = parts.iter().map(&mut part).collect();
                    rules.push(json!([name, text]));
                }
            }
            RuleBody::Repeat {
                element,
                at_least,
                at_most,
            } => {
                let element = part(element);
                let least = element.repeat(*at_least as usize);
                match at_most {
                    // More elements are a rule of their own.
                    None => {
                        rules.push(json!([name, format!("{least}{{{name}-MORE}}")]));
                        rules.push(json!([format!("{name}-MORE"), ""]));
                        rules.push(json!([
                            format!("{name}-MORE"),
                            format!("{element}{{{name}-MORE}}")
                        ]));
                    }
                    Some(most) => {
                        let counts = *at_least..=*most;
                        rules.extend(
                            counts.map(|count| json!([name, element.repeat(count as usize)])),
                        );
                    }
                }
            }
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
    let lines: Vec<String> = rules.iter().map(Value::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Returns a text with escaped braces, which would be nonterminals.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('{', "\\{")
        .replace('}', "\\}")
}
