//! The words that a grammar spells, such as keywords.

use std::collections::HashSet;

use zester::grammar::{Grammar, Kind};

use super::parts::words;

/// The words of the literals of a grammar.
#[derive(Default)]
pub struct FixedWords {
    exact: HashSet<String>,
    /// The words of literals whose case does not matter, in lower case.
    lower_case: HashSet<String>,
}

impl FixedWords {
    /// Returns the words of a grammar. The names of its identifiers are not among them.
    pub fn of(grammar: &Grammar) -> FixedWords {
        let mut fixed = FixedWords::default();
        for symbol in grammar.symbols() {
            match &symbol.kind {
                Kind::Literal { text } => {
                    let text = String::from_utf8_lossy(grammar.text(text));
                    fixed.exact.extend(words(&text).map(String::from));
                }
                Kind::Insensitive { text, .. } => {
                    let text = String::from_utf8_lossy(grammar.text(text)).to_ascii_lowercase();
                    fixed.lower_case.extend(words(&text).map(String::from));
                }
                _ => {}
            }
        }
        fixed
    }

    /// Returns whether a word is spelled in the grammar.
    pub fn contains(&self, word: &str) -> bool {
        self.exact.contains(word) || self.lower_case.contains(&word.to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use zester::bounds::Caps;
    use zester::notation;

    use super::*;

    #[test]
    fn literals_are_fixed_and_identifiers_are_not() {
        let source = b"s = \"let mut\" \"select\"i name ;\n@identifier name = [a-z]+ ;";
        let (grammar, _) = notation::read_from("g", source, None, &Caps::default()).unwrap();
        let fixed = FixedWords::of(&grammar);
        for (word, expected) in [
            ("let", true),
            ("mut", true),
            ("LET", false),
            ("SELECT", true),
            ("sel", false),
            ("a", false),
        ] {
            assert_eq!(fixed.contains(word), expected, "{word}");
        }
    }
}
