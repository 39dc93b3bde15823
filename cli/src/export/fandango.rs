//! Writes a grammar as a Fandango specification. Character classes become regular expressions of
//! Python.

use std::fmt::Write;

use super::plain::{PartStyle, PlainGrammar, literal};

/// Returns the specification. Its start is `<start>`.
pub fn write(plain: &mut PlainGrammar<'_>) -> String {
    let (rules, classes) = plain.written(&PartStyle {
        rule: rule_name,
        literal: |text| literal(text, escape),
        class: |number| format!("<c_{number}>"),
    });
    let mut text = String::from("# By zester export.\n");
    for (at, (name, mut alternatives)) in rules.into_iter().enumerate() {
        if at == 0 {
            _ = writeln!(text, "<start> ::= {name}");
        }
        let empty = alternatives.iter_mut().filter(|one| one.is_empty());
        empty.for_each(|one| *one = "''".into());
        _ = writeln!(text, "{name} ::= {}", alternatives.join(" | "));
    }
    for class in classes {
        let range = |&(from, to): &(u32, u32)| match from == to {
            true => escape(from),
            false => format!("{}-{}", escape(from), escape(to)),
        };
        let ranges: String = plain.ranges(class).iter().map(range).collect();
        _ = writeln!(text, "<c_{}> ::= r'[{ranges}]'", class.0);
    }
    text
}

fn rule_name(name: &str) -> String {
    format!("<r_{name}>")
}

/// Returns a character as it is written in literals and regular expressions: ASCII letters and digits
/// as they are, others as an escape.
fn escape(number: u32) -> String {
    match char::from_u32(number) {
        Some(char) if char.is_ascii_alphanumeric() => char.to_string(),
        _ if number > 0xFFFF => format!("\\U{number:08x}"),
        _ => format!("\\u{number:04x}"),
    }
}
