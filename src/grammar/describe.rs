//! Short descriptions of symbols and alternatives, for messages and tables.

use super::{Alternative, Class, Grammar, Kind, SymbolId};

/// The maximum number of ranges of a class in a description.
const RANGES: usize = 6;

/// The maximum depth of nested groups that a description writes out.
const DEPTH: usize = 2;

/// The maximum length of the description of a group, in bytes. A longer one is replaced by the
/// label of the group.
const LONGEST: usize = 60;

impl Grammar {
    /// A short description of a symbol: the name of its rule, or its definition if the symbol is
    /// not a rule.
    pub(crate) fn describe(&self, symbol: SymbolId) -> String {
        self.describe_within(symbol, 0)
    }

    fn describe_within(&self, symbol: SymbolId, depth: usize) -> String {
        match &self[symbol].kind {
            Kind::Lexeme { body, .. } => self.describe_within(*body, depth),
            Kind::Literal { text } if text.is_empty() => "the end".into(),
            Kind::Literal { text } | Kind::Insensitive { text, .. } => {
                format!("{:?}", String::from_utf8_lossy(self.text(text)))
            }
            // The symbol has a rule of its own.
            _ if !self.label(symbol).contains('/') => self.label(symbol).into(),
            Kind::Class(class) => ranges(&self[*class]),
            &Kind::Run {
                class,
                at_least,
                at_most,
            } => format!("{}{}", ranges(&self[class]), times(at_least, at_most)),
            &Kind::Repeat {
                element,
                at_least,
                at_most,
                ..
            } => {
                format!(
                    "{}{}",
                    self.describe_within(element.symbol, depth),
                    times(at_least, at_most)
                )
            }
            Kind::Identifier { .. } => self.label(symbol).into(),
            Kind::Same { of, .. } if depth < DEPTH => {
                format!("the same {}", self.describe_within(*of, depth + 1))
            }
            Kind::Same { .. } => self.label(symbol).into(),
            Kind::Nonterminal { .. } if depth < DEPTH => {
                let parts: Vec<String> = self
                    .listed(symbol)
                    .take(LONGEST)
                    .map(|(_, alternative)| self.describe_sequence(alternative, depth + 1))
                    .collect();
                let group = format!("( {} )", parts.join(" | "));
                if group.len() <= LONGEST {
                    group
                } else {
                    self.label(symbol).into()
                }
            }
            Kind::Nonterminal { .. } => self.label(symbol).into(),
        }
    }

    /// A short description of an alternative: the descriptions of its symbols.
    pub(crate) fn describe_alternative(&self, alternative: &Alternative) -> String {
        self.describe_sequence(alternative, 0)
    }

    fn describe_sequence(&self, alternative: &Alternative, depth: usize) -> String {
        let parts = self
            .children(alternative)
            .iter()
            .map(|child| self.describe_within(child.symbol, depth));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            "nothing".into()
        } else {
            parts.join(" ")
        }
    }
}

/// The repetition operator for these limits.
fn times(at_least: u32, at_most: u32) -> String {
    match (at_least, at_most) {
        (0, 1) => "?".into(),
        (0, u32::MAX) => "*".into(),
        (1, u32::MAX) => "+".into(),
        (min, u32::MAX) => format!("{{{min},}}"),
        (min, max) if min == max => format!("{{{min}}}"),
        (min, max) => format!("{{{min},{max}}}"),
    }
}

/// A class in brackets, with at most [`RANGES`] ranges.
fn ranges(class: &Class) -> String {
    let char = |code: u32| {
        char::from_u32(code)
            .unwrap_or(char::REPLACEMENT_CHARACTER)
            .escape_debug()
            .to_string()
    };
    let range = |&(from, to): &(u32, u32)| {
        if from == to {
            char(from)
        } else {
            format!("{}-{}", char(from), char(to))
        }
    };
    let ranges = class.ranges();
    let shown: String = ranges.iter().take(RANGES).map(range).collect();
    format!("[{shown}{}]", if ranges.len() > RANGES { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    #[test]
    fn descriptions_use_names_of_rules_and_are_short() {
        let describe = |rule: &str| {
            let source =
                format!("@skip w = \" \" ; s = {rule} ; t = \"t\" ; @token long = [a-z]+ ;");
            let (grammar, _) =
                crate::notation::read("g", source.as_bytes(), &Default::default()).unwrap();
            let rule = grammar.children(&grammar.alternatives(grammar.start())[0])[0].symbol;
            grammar.describe_alternative(&grammar.alternatives(rule)[0])
        };
        for (rule, expected) in [
            (r#"t long "x""#, r#"t long "x""#),
            (r#"t? long{2,} t{3}"#, "t? long{2,} t{3}"),
            (r#"( t | "a" [0-9] )"#, r#"( t | "a" [0-9] )"#),
            (r#"( t t | long )+"#, "( long | t t )+"),
            (
                r#"( t ( t ( t t | long ) | long ) )+"#,
                "( t ( long | t s/4 ) )+",
            ),
            (r#"[acegikmoqsuwy]{2}"#, "[acegikmoqsuwy]{2}"),
            // The source of a class is its label. A label with a slash is not a name, so the ranges
            // are written.
            (r#"[/acegikmoqsuwy]"#, "[/acegi…]"),
            (
                r#"( "aaaaaaaaaaaaaaaaaaaaaaaaa" t "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" t )+"#,
                "s/2+",
            ),
            ("", "nothing"),
        ] {
            assert_eq!(describe(rule), expected, "{rule}");
        }
    }
}
