//! ANTLR 4. Classes are rules of the lexer, all others rules of the parser.

use std::collections::BTreeMap;
use std::fmt::Write;

use zester::grammar::ClassId;

use super::plain::{PlainGrammar, SequencePart, identifier};

/// Returns the grammar with this name.
pub fn write(plain: &mut PlainGrammar<'_>, name: &str) -> String {
    let mut title = identifier(name, "G");
    title[..1].make_ascii_uppercase();
    let mut text = format!("// By zester export.\ngrammar {title};\n\n");
    let mut classes = BTreeMap::new();
    while let Some(rule) = plain.next() {
        let mut shown = |part: &SequencePart| match part {
            SequencePart::Rule(rule) => rule_name(plain.name(*rule)),
            SequencePart::Text(text) => literal(text),
            SequencePart::Class(class) => {
                classes.insert(class.0, *class);
                format!("C{}", class.0)
            }
        };
        let mut alternatives = Vec::new();
        for sequence in &rule.alternatives {
            let mut parts: Vec<String> = sequence.parts.iter().map(&mut shown).collect();
            let repeated = sequence.repeated.as_ref();
            parts.extend(repeated.map(|part| shown(part) + "*"));
            alternatives.push(parts.join(" "));
        }
        let right = alternatives.join("\n    | ");
        _ = writeln!(text, "{}\n    : {right}\n    ;\n", rule_name(&rule.name));
    }
    if plain.has_bytes() {
        plain.warn("bytes are exported as the characters of the same numbers");
    }
    for (number, class) in classes {
        _ = writeln!(text, "C{number}: {};", set(plain, class));
    }
    text
}

/// Returns the name of a rule. No keyword of ANTLR or of the language that it generates begins in this way, nor does a
/// name in Grammarinator's generators.
fn rule_name(name: &str) -> String {
    format!("r_{name}")
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
