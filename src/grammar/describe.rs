//! Symbols as people write them.

use super::{Alternative, Class, Grammar, Kind, SymbolId};

/// Ranges of a class that are told.
const RANGES: usize = 6;

impl Grammar {
    /// What to call a symbol where it stands in a rule: a rule's name, or what it says.
    pub fn describe(&self, symbol: SymbolId) -> String {
        let text = |literal| format!("{:?}", String::from_utf8_lossy(self.text(literal)));
        match &self[symbol].kind {
            Kind::Lexeme { body, .. } => self.describe(*body),
            Kind::Literal { text: literal } if literal.is_empty() => "the end".into(),
            Kind::Literal { text: literal } | Kind::Insensitive { text: literal, .. } => text(literal),
            // A rule of its own.
            _ if !self.label(symbol).contains('/') => self.label(symbol).into(),
            Kind::Class(class) => ranges(&self[*class]),
            &Kind::Run { class, at_least, at_most } => format!("{}{}", ranges(&self[class]), times(at_least, at_most)),
            &Kind::Repeat { element, at_least, at_most, .. } => {
                format!("{}{}", self.describe(element.symbol), times(at_least, at_most))
            }
            Kind::Nonterminal { .. } | Kind::Identifier { .. } => self.label(symbol).into(),
        }
    }

    /// The sequence of an alternative.
    pub fn describe_alternative(&self, alternative: &Alternative) -> String {
        let parts: Vec<String> = self.children(alternative).iter().map(|child| self.describe(child.symbol)).collect();
        if parts.is_empty() { "nothing".into() } else { parts.join(" ") }
    }
}

fn times(at_least: u32, at_most: u32) -> String {
    match (at_least, at_most) {
        (0, 1) => "?".into(),
        (0, u32::MAX) => "*".into(),
        (1, u32::MAX) => "+".into(),
        (least, u32::MAX) => format!("{{{least},}}"),
        (least, most) if least == most => format!("{{{least}}}"),
        (least, most) => format!("{{{least},{most}}}"),
    }
}

fn ranges(class: &Class) -> String {
    let char = |code: u32| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).escape_debug().to_string();
    let range = |&(from, to): &(u32, u32)| if from == to { char(from) } else { format!("{}-{}", char(from), char(to)) };
    let ranges = class.ranges();
    let told: String = ranges.iter().take(RANGES).map(range).collect();
    format!("[{told}{}]", if ranges.len() > RANGES { "…" } else { "" })
}
