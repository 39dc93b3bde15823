//! The rules that pest defines itself.

use crate::import::class::CharacterClass;
use crate::import::expression::Expression;

/// The classes of ASCII characters.
const ASCII: [(&str, &str); 10] = [
    ("ASCII_DIGIT", "[0-9]"),
    ("ASCII_NONZERO_DIGIT", "[1-9]"),
    ("ASCII_BIN_DIGIT", "[01]"),
    ("ASCII_OCT_DIGIT", "[0-7]"),
    ("ASCII_HEX_DIGIT", "[0-9A-Fa-f]"),
    ("ASCII_ALPHA_LOWER", "[a-z]"),
    ("ASCII_ALPHA_UPPER", "[A-Z]"),
    ("ASCII_ALPHA", "[A-Za-z]"),
    ("ASCII_ALPHANUMERIC", "[0-9A-Za-z]"),
    ("ASCII", r"[\x00-\x7F]"),
];

/// Returns what a rule of pest derives. `POP` and the like are not among these rules.
pub fn builtin(name: &str) -> Option<Expression> {
    match name {
        "ANY" => return Some(Expression::Class(CharacterClass::any())),
        "SOI" | "EOI" | "DROP" => return Some(Expression::empty()),
        "NEWLINE" => {
            let ends = ["\n", "\r\n", "\r"];
            return Some(Expression::choice(ends.map(Expression::literal)));
        }
        _ => {}
    }
    let ascii = ASCII.iter().find(|(ascii, _)| *ascii == name);
    let class = match ascii {
        Some((_, class)) => CharacterClass::parse(class),
        None if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
            CharacterClass::parse(&format!("[\\p{{{name}}}]"))
        }
        None => None,
    };
    class.map(Expression::Class)
}
