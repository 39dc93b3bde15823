//! Locations of parts of a grammar in messages: file, line, column, and the source.

use super::parts::{Part, Parts};

/// The maximum number of characters of an excerpt.
const MAX_EXCERPT: usize = 70;

/// The source of a grammar.
pub struct Source<'a> {
    /// Its name in messages.
    pub name: String,
    pub text: &'a str,
}

impl Source<'_> {
    /// Returns the line and the column of an offset in bytes, from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..boundary(self.text, offset)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// Returns the location of a part: `calc.ebnf:3:9`.
    pub fn location(&self, part: &Part) -> String {
        let (line, column) = self.position(part.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// Returns the source of a part on one line, cut if it is long.
    pub fn excerpt(&self, part: &Part) -> String {
        let (start, end) = (
            boundary(self.text, part.start),
            boundary(self.text, part.end),
        );
        let words: Vec<&str> = self.text[start..end].split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(MAX_EXCERPT) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    /// Returns the rule and the source of a part: `atom = "(" sum ")"`.
    pub fn described(&self, parts: &Parts<'_>, part: u32) -> String {
        format!("{} = {}", parts.rule(part), self.excerpt(parts.get(part)))
    }
}

/// Returns the greatest offset up to this one that is not inside a character.
fn boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns bytes of a sentence as one line: line ends, control characters and bytes that are not
/// UTF-8 are escaped.
pub fn one_line(text: &[u8]) -> String {
    text.utf8_chunks()
        .flat_map(|chunk| {
            let valid = chunk.valid().chars().flat_map(|char| match char {
                '"' | '\'' | '\\' => vec![char],
                char => char.escape_debug().collect(),
            });
            let invalid = chunk
                .invalid()
                .iter()
                .flat_map(|byte| format!("\\x{byte:02X}").into_bytes());
            valid.chain(invalid.map(char::from)).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::parts::PartKind;
    use super::*;

    #[test]
    fn locations_have_lines_and_columns_from_1() {
        let source = Source {
            name: "g.ebnf".into(),
            text: "a = \"ü\" |\n    b  c ;",
        };
        let part = |start, end| Part {
            start,
            end,
            kind: PartKind::Alternative,
        };
        assert_eq!(source.location(&part(4, 8)), "g.ebnf:1:5");
        assert_eq!(source.location(&part(15, 19)), "g.ebnf:2:5");
        assert_eq!(source.excerpt(&part(15, 19)), "b c");
        assert_eq!(source.position(usize::MAX).0, 2);
    }

    #[test]
    fn texts_are_shown_on_one_line() {
        assert_eq!(one_line(b"a\n\"b\xFF\x07"), "a\\n\"b\\xFF\\u{7}");
    }
}
