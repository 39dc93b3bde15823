//! The token at which a parser stopped: a literal of the grammar, or a class of tokens.

use zester::grammar::{Grammar, Kind};

/// The token at which a parser stopped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopToken {
    End,
    NotUtf8,
    /// A literal of the grammar, or an unknown word.
    Literal(String),
    /// A character that no token of a usual kind begins with.
    Character(char),
    /// A word that is no literal of the grammar.
    Name,
    Number,
    /// A text in quotation marks.
    String,
}

impl std::fmt::Display for StopToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StopToken::End => formatter.write_str("the end of the file"),
            StopToken::NotUtf8 => formatter.write_str("bytes that are not UTF-8"),
            StopToken::Literal(text) => write!(formatter, "{text:?}"),
            StopToken::Character(char) => write!(formatter, "{:?}", char.to_string()),
            StopToken::Name => formatter.write_str("a name"),
            StopToken::Number => formatter.write_str("a number"),
            StopToken::String => formatter.write_str("a string"),
        }
    }
}

/// The literals of a grammar, by which tokens are recognised.
pub struct LiteralTexts {
    /// The literals, the longest first, each with whether its case is ignored.
    all: Vec<(Vec<u8>, bool)>,
}

impl LiteralTexts {
    /// Returns the literals of a grammar.
    pub fn of(grammar: &Grammar) -> LiteralTexts {
        // Literals inside other tokens, such as an `e` in a number, are no tokens.
        let of_token = |symbol: usize| match &grammar.symbols()[symbol].kind {
            Kind::Lexeme { body, .. } => match &grammar.symbols()[body.0 as usize].kind {
                Kind::Literal { text } => Some((grammar.text(text).to_vec(), false)),
                Kind::Insensitive { text, .. } => Some((grammar.text(text).to_vec(), true)),
                _ => None,
            },
            _ => None,
        };
        let mut all: Vec<_> = (0..grammar.symbols().len()).filter_map(of_token).collect();
        all.retain(|(text, _)| !text.is_empty());
        all.sort_by(|one, other| (other.0.len(), &one.0).cmp(&(one.0.len(), &other.0)));
        all.dedup();
        LiteralTexts { all }
    }

    /// Returns whether a text is a literal.
    pub fn contains(&self, text: &[u8]) -> bool {
        self.all
            .iter()
            .any(|(literal, any_case)| is_like(literal, text, *any_case))
    }

    /// Returns the token at an offset of a text, and its text.
    pub fn token_at(&self, text: &[u8], at: usize) -> (StopToken, String) {
        let rest = &text[at.min(text.len())..];
        let rest = &rest[..rest.len().min(1 << 10)];
        let Some(chunk) = rest.utf8_chunks().next() else {
            return (StopToken::End, String::new());
        };
        let valid = chunk.valid();
        let Some(first) = valid.chars().next() else {
            return (StopToken::NotUtf8, String::new());
        };
        let word = valid.find(|char| !is_word(char)).unwrap_or(valid.len());
        let literal = self.all.iter().find(|(literal, any_case)| {
            let begins = rest
                .get(..literal.len())
                .is_some_and(|start| is_like(literal, start, *any_case));
            // A word is a literal only as a whole.
            let ends_word = literal.iter().all(|&byte| is_word(byte.into()));
            begins && (!ends_word || literal.len() == word)
        });
        let text = |length: usize| valid[..length.min(valid.len())].to_string();
        match (literal, first) {
            (Some((literal, _)), _) => {
                let literal = String::from_utf8_lossy(literal).into_owned();
                (StopToken::Literal(literal.clone()), literal)
            }
            (None, '0'..='9') => (StopToken::Number, text(number(valid))),
            (None, quote @ ('"' | '\'')) => {
                let end = valid[1..].find(quote).map_or(valid.len(), |end| end + 2);
                (StopToken::String, text(end))
            }
            (None, first) if is_word(first) => (StopToken::Name, text(word)),
            (None, first) => (StopToken::Character(first), first.to_string()),
        }
    }
}

fn is_like(literal: &[u8], text: &[u8], any_case: bool) -> bool {
    literal == text || any_case && literal.eq_ignore_ascii_case(text)
}

/// Returns the length of a number at the beginning of a text. It can have a point before a digit.
fn number(text: &str) -> usize {
    let is_in = |&(at, byte): &(usize, u8)| {
        let next = text.as_bytes().get(at + 1);
        byte.is_ascii_alphanumeric()
            || byte == b'_'
            || byte == b'.' && next.is_some_and(u8::is_ascii_digit)
    };
    text.bytes().enumerate().take_while(is_in).count()
}

/// Returns whether a character can be in a name.
pub fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use zester::bounds::Caps;
    use zester::notation;

    use super::*;

    #[test]
    fn tokens_are_literals_or_classes() {
        let source = br#"s = ( "let" | "<" | "<<" | "end"i | n ) s? ; @token n = [0-9]+ "e" ;"#;
        let (grammar, _) = notation::read("g", source, &Caps::default()).unwrap();
        let literals = LiteralTexts::of(&grammar);
        let literal = |text: &str| StopToken::Literal(text.into());
        for (text, token, spelled) in [
            ("let x", literal("let"), "let"),
            ("letter x", StopToken::Name, "letter"),
            ("e", StopToken::Name, "e"),
            ("END.", literal("end"), "end"),
            ("<<=", literal("<<"), "<<"),
            ("<=", literal("<"), "<"),
            ("12lu;", StopToken::Number, "12lu"),
            ("1.5f.x", StopToken::Number, "1.5f"),
            ("'ü' x", StopToken::String, "'ü'"),
            ("\"x", StopToken::String, "\"x"),
            ("§ x", StopToken::Character('§'), "§"),
            ("", StopToken::End, ""),
        ] {
            let found = literals.token_at(format!("ü {text}").as_bytes(), 3);
            assert_eq!(found, (token, spelled.to_string()), "{text}");
        }
        assert_eq!(literals.token_at(b"\xFF", 0).0, StopToken::NotUtf8);
        assert!(literals.contains(b"End") && !literals.contains(b"Let"));
    }
}
