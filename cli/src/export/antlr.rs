//! Writes a grammar in the notation of ANTLR 4. Character classes become lexer rules. All other rules
//! become parser rules.

use std::fmt::Write;

use zester::grammar::ClassId;

use super::plain::{PartStyle, PlainGrammar, identifier, literal};

/// Returns the grammar file. `name` becomes the name of the ANTLR grammar.
pub fn write(plain: &mut PlainGrammar<'_>, name: &str) -> String {
    let mut title = identifier(name, "G");
    title[..1].make_ascii_uppercase();
    let mut text = format!("// By zester export.\ngrammar {title};\n\n");
    let (rules, classes) = plain.written(&PartStyle {
        rule: rule_name,
        literal: |text| literal(text, escape),
        class: |number| format!("C{number}"),
    });
    for (name, alternatives) in rules {
        let right = alternatives.join("\n    | ");
        _ = writeln!(text, "{name}\n    : {right}\n    ;\n");
    }
    for class in classes {
        _ = writeln!(text, "C{}: {};", class.0, set(plain, class));
    }
    text
}

/// Returns the name of a rule: it begins with `r_`. So it differs from ANTLR's keywords, from the keywords of the
/// language in which ANTLR writes the parser, and from the names in Grammarinator's generators.
fn rule_name(name: &str) -> String {
    format!("r_{name}")
}

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
