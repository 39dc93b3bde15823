//! ANTLR 4. Classes are rules of the lexer, all others rules of the parser.

use std::collections::BTreeMap;
use std::fmt::Write;

use zester::grammar::ClassId;

use super::plain::{PlainGrammar, RuleBody, SequencePart};

/// Words that no rule can have as its name.
const RESERVED: [&str; 17] = [
    "catch",
    "channels",
    "finally",
    "fragment",
    "grammar",
    "import",
    "lexer",
    "locals",
    "mode",
    "options",
    "parser",
    "private",
    "protected",
    "public",
    "returns",
    "throws",
    "tokens",
];

/// Returns the grammar with this name.
pub fn write(plain: &mut PlainGrammar<'_>, name: &str) -> String {
    let of_name = |char: char| {
        if char.is_ascii_alphanumeric() {
            char
        } else {
            '_'
        }
    };
    let mut title: String = name.chars().map(of_name).collect();
    if !title.starts_with(|char: char| char.is_ascii_alphabetic()) {
        title.insert(0, 'G');
    }
    title[..1].make_ascii_uppercase();
    let mut text = format!("// By zester export.\ngrammar {title};\n\n");
    let mut classes = BTreeMap::new();
    while let Some((name, body)) = plain.next() {
        let mut part = |part: &SequencePart| match part {
            SequencePart::Rule(rule) => rule_name(plain.name(*rule)),
            SequencePart::Text(text) => literal(text),
            SequencePart::Class(class) => {
                classes.insert(class.0, *class);
                format!("C{}", class.0)
            }
        };
        let right = match &body {
            RuleBody::Alternatives(all) => {
                let sequence = |parts: &Vec<SequencePart>| {
                    let parts: Vec<String> = parts.iter().map(&mut part).collect();
                    parts.join(" ")
                };
                let all: Vec<String> = all.iter().map(sequence).collect();
                all.join("\n    | ")
            }
            RuleBody::Repeat {
                element,
                at_least,
                at_most,
            } => {
                let element = part(element);
                let mut parts = vec![element.clone(); *at_least as usize];
                match at_most {
                    None => parts.push(format!("{element}*")),
                    Some(most) => {
                        let more = (*at_least..*most)
                            .fold(String::new(), |inner, _| format!("({element} {inner})?"));
                        parts.push(more);
                    }
                }
                parts.join(" ")
            }
        };
        _ = writeln!(
            text,
            "{}\n    : {}\n    ;\n",
            rule_name(&name),
            right.trim_end()
        );
    }
    if plain.has_bytes() {
        plain.warn("bytes are exported as the characters of the same numbers");
    }
    for (number, class) in classes {
        _ = writeln!(text, "C{number}: {};", set(plain, class));
    }
    text
}

/// Returns the name of a rule of the parser.
fn rule_name(name: &str) -> String {
    match RESERVED.contains(&name) {
        true => format!("{name}_"),
        false => name.to_owned(),
    }
}

/// Returns a literal.
fn literal(text: &[u8]) -> String {
    let mut escaped = String::from("'");
    let characters: Vec<char> = match std::str::from_utf8(text) {
        Ok(text) => text.chars().collect(),
        Err(_) => text.iter().map(|&byte| char::from(byte)).collect(),
    };
    for char in characters {
        match char {
            '\'' | '\\' => escaped.extend(['\\', char]),
            ' '..='~' => escaped.push(char),
            _ => escaped += &escape(char.into()),
        }
    }
    escaped + "'"
}

/// Returns the set of a class.
fn set(plain: &PlainGrammar<'_>, class: ClassId) -> String {
    let end = |number: u32| match char::from_u32(number) {
        Some(char) if char.is_ascii_alphanumeric() => char.to_string(),
        _ => escape(number),
    };
    let range = |&(from, to): &(u32, u32)| match from == to {
        true => end(from),
        false => format!("{}-{}", end(from), end(to)),
    };
    let ranges: String = plain.ranges(class).iter().map(range).collect();
    format!("[{ranges}]")
}

/// Returns an escape of a character.
fn escape(number: u32) -> String {
    format!("\\u{{{number:X}}}")
}
