//! The lexer of the notation, which splits a source into tokens for the generated parser.
//!
//! The lexer reads the source once, from the beginning to the end. At the first error it returns a
//! [`SyntaxError`], and the parser stops.

use super::syntax::{Span, SyntaxWeight};

/// The label of an error at `#`, which begins a comment in other notations.
pub const COMMENTS: &str = "a comment begins with `//`";

/// The maximum depth of nested groups, lists in `<>` and classes. It bounds the recursion over the syntax tree.
const MAX_NESTING: u32 = 200;

/// A token of the notation.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Name(String),
    Literal(Vec<u8>),
    Insensitive(Vec<u8>),
    Class(String),
    Integer(u32),
    Weight(SyntaxWeight),
    Bytes,
    Longest,
    Brackets,
    Equal,
    Unordered,
    Fresh,
    Start,
    Lexical,
    Skip,
    Identifier,
    Line,
    Domain,
    Kind,
    Declare,
    Use,
    Hide,
    Scope,
    After,
    Indent,
    Dedent,
    Capture,
    Same,
    As,
    Once,
    Equals,
    Semicolon,
    Bar,
    Tilde,
    Minus,
    Question,
    Star,
    Plus,
    Comma,
    Colon,
    Less,
    Greater,
    Open,
    Close,
    OpenBrace,
    CloseBrace,
}

/// An error or a warning about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The part of the source that has the error.
    pub span: Span,
    /// The message, in one line.
    pub message: String,
    /// The explanation, which is printed below the source, beside the underline.
    pub label: String,
}

impl SyntaxError {
    /// Returns an error or a warning about a part of the source.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> SyntaxError {
        SyntaxError {
            span,
            message: message.into(),
            label: label.into(),
        }
    }
}

/// An iterator over the tokens of a source, each with its start and its end as offsets in bytes.
pub struct Lexer<'a> {
    source: &'a str,
    /// The offset of the next byte.
    at: usize,
    /// The number of open groups and lists in `<>`.
    nesting: u32,
}

impl<'a> Lexer<'a> {
    /// A lexer for a source. A byte order mark at its beginning is ignored.
    pub fn new(source: &'a str) -> Lexer<'a> {
        Lexer {
            source,
            at: if source.starts_with('\u{FEFF}') { 3 } else { 0 },
            nesting: 0,
        }
    }

    /// The part of the source that is not read yet.
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Reads characters as long as `member` returns `true`.
    fn take_while(&mut self, member: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !member(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Skips whitespace and comments.
    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                let from = self.at;
                match self.rest()[2..].find("*/") {
                    Some(length) => self.at += length + 4,
                    None => {
                        return Err(SyntaxError::new(
                            from..from + 2,
                            "unterminated comment",
                            "it begins here",
                        ));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Reads the token that begins with `first`.
    fn token(&mut self, first: char) -> Result<Token, SyntaxError> {
        let from = self.at;
        match first {
            'a'..='z' | 'A'..='Z' | '_' => return Ok(Token::Name(self.word().into())),
            '0'..='9' => return self.integer(),
            '"' | '\'' => return self.literal(first),
            '[' => return self.class(),
            '@' => return self.annotation(),
            _ => {}
        }
        self.at += first.len_utf8();
        Ok(match first {
            '=' => Token::Equals,
            ';' => Token::Semicolon,
            '|' => Token::Bar,
            '~' => Token::Tilde,
            '-' => Token::Minus,
            '?' => Token::Question,
            '*' => Token::Star,
            '+' => Token::Plus,
            ',' => Token::Comma,
            ':' => Token::Colon,
            '<' => {
                self.enter(
                    from,
                    "lists of arguments",
                    "write fewer levels of arguments",
                )?;
                Token::Less
            }
            '>' => {
                self.nesting = self.nesting.saturating_sub(1);
                Token::Greater
            }
            '{' => Token::OpenBrace,
            '}' => Token::CloseBrace,
            '(' => {
                self.enter(from, "groups", "give an inner group a rule of its own")?;
                Token::Open
            }
            ')' => {
                self.nesting = self.nesting.saturating_sub(1);
                Token::Close
            }
            _ => {
                return Err(SyntaxError::new(
                    from..self.at,
                    format!("unexpected character {first:?}"),
                    match first {
                        '#' => COMMENTS,
                        '.' => {
                            "limits of a repetition are `{2,5}`, and any character but the end of a line is `[^\\n]`"
                        }
                        '/' => "a regular expression is written without slashes, as in `[0-9]+`",
                        _ => "not part of the notation",
                    },
                ));
            }
        })
    }

    /// Counts an opening bracket at `from`. Returns an error if brackets nest too deep. `what`
    /// names the nested construct in the error, and `label` says how to avoid it.
    fn enter(&mut self, from: usize, what: &str, label: &str) -> Result<(), SyntaxError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep(from, what, label));
        }
        Ok(())
    }

    /// Reads letters, digits and `_`.
    fn word(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Reads an integer: a limit of a repetition, or the number of values of a member of a domain.
    /// `u32::MAX` is reserved, because it means no limit.
    fn integer(&mut self) -> Result<Token, SyntaxError> {
        let from = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(value) if value < u32::MAX => Ok(Token::Integer(value)),
            _ => Err(SyntaxError::new(
                from..self.at,
                "number too large",
                format!("at most {}", u32::MAX - 1),
            )),
        }
    }

    /// Reads a weight, a percentage or an `@` word.
    fn annotation(&mut self) -> Result<Token, SyntaxError> {
        let from = self.at;
        self.at += 1;
        if self
            .rest()
            .starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
            let is_percentage = self.rest().starts_with('%');
            self.at += usize::from(is_percentage);
            return match digits.parse() {
                Ok(number) if is_percentage && (0.0..=100.0).contains(&number) => {
                    Ok(Token::Weight(SyntaxWeight::Percentage(number)))
                }
                _ if is_percentage => Err(SyntaxError::new(
                    from..self.at,
                    "not a percentage",
                    "percentages are numbers from 0 to 100, such as @30% or @2.5%",
                )),
                Ok(weight) if f64::is_finite(weight) && weight >= 0.0 => {
                    Ok(Token::Weight(SyntaxWeight::Relative(weight)))
                }
                _ => Err(SyntaxError::new(
                    from..self.at,
                    "not a weight",
                    "weights are finite numbers from 0, such as @3 or @0.5",
                )),
            };
        }
        match self.word() {
            "bytes" => Ok(Token::Bytes),
            "longest" => Ok(Token::Longest),
            "brackets" => Ok(Token::Brackets),
            "equal" => Ok(Token::Equal),
            "unordered" => Ok(Token::Unordered),
            "fresh" => Ok(Token::Fresh),
            "start" => Ok(Token::Start),
            "token" => Ok(Token::Lexical),
            "skip" => Ok(Token::Skip),
            "identifier" => Ok(Token::Identifier),
            "line" => Ok(Token::Line),
            "domain" => Ok(Token::Domain),
            "kind" => Ok(Token::Kind),
            "declare" => Ok(Token::Declare),
            "use" => Ok(Token::Use),
            "hide" => Ok(Token::Hide),
            "scope" => Ok(Token::Scope),
            "after" => Ok(Token::After),
            "indent" => Ok(Token::Indent),
            "dedent" => Ok(Token::Dedent),
            "capture" => Ok(Token::Capture),
            "same" => Ok(Token::Same),
            "as" => Ok(Token::As),
            "once" => Ok(Token::Once),
            word => Err(SyntaxError::new(
                from..self.at.max(from + 1),
                format!("unknown word `@{word}`"),
                "expected @bytes, @longest, @brackets, @equal, @unordered, @fresh, @start, @token, @skip, @identifier, @line, @domain, @kind, @declare, @use, @hide, @scope, @after, @indent, @dedent, @capture, @same, @as, @once, a weight such as @3 or a percentage such as @30%",
            )),
        }
    }

    /// Reads a class up to its closing bracket. The pass `flatten` parses its content.
    fn class(&mut self) -> Result<Token, SyntaxError> {
        let (from, mut depth, mut escaped) = (self.at, 0, false);
        // The first bracket that nests too deep.
        let mut deep = None;
        for (offset, c) in self.rest().char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth > MAX_NESTING {
                deep = deep.or(Some(from + offset));
            }
            if depth == 0 {
                if let Some(deep) = deep {
                    let label = "write the class with fewer brackets";
                    return Err(too_deep(deep, "classes", label));
                }
                self.at += offset + 1;
                return Ok(Token::Class(self.source[from..self.at].into()));
            }
        }
        Err(SyntaxError::new(
            from..from + 1,
            "unterminated character class",
            "it begins here; write a `[` inside a class as `\\[`",
        ))
    }

    /// Reads a literal, whose first character is `quote`.
    fn literal(&mut self, quote: char) -> Result<Token, SyntaxError> {
        let from = self.at;
        let mut text = Vec::new();
        self.at += 1;
        loop {
            let plain = self.take_while(|c| c != quote && c != '\\' && c != '\n');
            text.extend_from_slice(plain.as_bytes());
            match self.rest().chars().next() {
                Some('\\') => self.escape(&mut text)?,
                Some(c) if c == quote => break,
                _ => {
                    return Err(SyntaxError::new(
                        from..from + 1,
                        "unterminated literal",
                        "it begins here",
                    ));
                }
            }
        }
        self.at += 1;
        let insensitive = self.rest().starts_with('i')
            && !self.rest()[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if insensitive {
            self.at += 1;
            return Ok(Token::Insensitive(text));
        }
        Ok(Token::Literal(text))
    }

    /// Reads an escape, and appends its bytes to `text`.
    fn escape(&mut self, text: &mut Vec<u8>) -> Result<(), SyntaxError> {
        let from = self.at;
        let rest = &self.rest()[1..];
        let unknown = |length: usize| {
            let label = "expected \\n \\r \\t \\0 \\\\ \\\" \\' \\xNN or \\u{...}";
            SyntaxError::new(from..from + 1 + length, "unknown escape", label)
        };
        let first = rest.chars().next().ok_or_else(|| unknown(0))?;
        let mut length = 1;
        match first {
            'n' => text.push(b'\n'),
            'r' => text.push(b'\r'),
            't' => text.push(b'\t'),
            '0' => text.push(0),
            '\\' | '"' | '\'' => text.push(first as u8),
            'x' => {
                let digits = rest
                    .get(1..3)
                    .filter(|d| hexadecimal(d))
                    .ok_or_else(|| unknown(1))?;
                text.push(u8::from_str_radix(digits, 16).map_err(|_| unknown(1))?);
                length = 3;
            }
            'u' => {
                let end = rest.find('}').ok_or_else(|| unknown(1))?;
                let digits = rest
                    .get(2..end)
                    .filter(|d| rest[1..].starts_with('{') && hexadecimal(d))
                    .ok_or_else(|| unknown(1))?;
                let character = u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                    .ok_or_else(|| unknown(end + 1))?;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                length = end + 1;
            }
            _ => return Err(unknown(first.len_utf8())),
        }
        self.at += 1 + length;
        Ok(())
    }
}

impl Iterator for Lexer<'_> {
    type Item = Result<(usize, Token, usize), SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.skip_blanks() {
            return Some(Err(error));
        }
        let from = self.at;
        let first = self.rest().chars().next()?;
        Some(self.token(first).map(|token| (from, token, self.at)))
    }
}

/// Returns the error that brackets nest too deep, at the opening bracket.
fn too_deep(bracket: usize, what: &str, label: &str) -> SyntaxError {
    let message = format!("{what} nest deeper than {MAX_NESTING}");
    SyntaxError::new(bracket..bracket + 1, message, label)
}

/// Whether all characters are hexadecimal digits.
fn hexadecimal(digits: &str) -> bool {
    digits.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> Result<Vec<Token>, SyntaxError> {
        Lexer::new(source)
            .map(|token| token.map(|(_, token, _)| token))
            .collect()
    }

    #[test]
    fn every_token_of_the_notation_is_read() {
        use Token::*;
        let literal = |text: &str| Literal(text.into());
        for (source, expected) in [
            ("", vec![]),
            (
                "\u{FEFF}a _b2 // c\n /* d * / */ e",
                vec![Name("a".into()), Name("_b2".into()), Name("e".into())],
            ),
            (
                "@bytes@longest@start @token @skip @identifier @line",
                vec![Bytes, Longest, Start, Lexical, Skip, Identifier, Line],
            ),
            (
                "@domain @kind@declare @use @hide @scope @after @as",
                vec![Domain, Kind, Declare, Use, Hide, Scope, After, As],
            ),
            ("= ; | ~ - ? * + , ( ) { }", {
                vec![
                    Equals, Semicolon, Bar, Tilde, Minus, Question, Star, Plus, Comma, Open, Close,
                    OpenBrace, CloseBrace,
                ]
            }),
            ("a<_, b: c>", {
                vec![
                    Name("a".into()),
                    Less,
                    Name("_".into()),
                    Comma,
                    Name("b".into()),
                    Colon,
                    Name("c".into()),
                    Greater,
                ]
            }),
            ("12 @3 @0.25%", {
                vec![
                    Integer(12),
                    Weight(SyntaxWeight::Relative(3.0)),
                    Weight(SyntaxWeight::Percentage(0.25)),
                ]
            }),
            ("'a\"' \"b'\"", vec![literal("a\""), literal("b'")]),
            (
                "\"ab\"i 'c'ix",
                vec![Insensitive(b"ab".to_vec()), literal("c"), Name("ix".into())],
            ),
            (
                r#""\n\r\t\0\\\"\'\x41\u{e9}""#,
                vec![literal("\n\r\t\0\\\"'Aé")],
            ),
            (r#""\xFF""#, vec![Literal(vec![0xFF])]),
            (
                r"[a-z] [^\]\\] [[:alpha:]0]",
                vec![
                    Class("[a-z]".into()),
                    Class(r"[^\]\\]".into()),
                    Class("[[:alpha:]0]".into()),
                ],
            ),
        ] {
            assert_eq!(tokens(source), Ok(expected), "{source}");
        }
    }

    #[test]
    fn tokens_have_the_offsets_of_their_source() {
        let source = "é = \"ü\"i | [a-z]{2} ;".replacen('é', "e", 1);
        let texts: Vec<&str> = Lexer::new(&source)
            .map(|token| token.unwrap())
            .map(|(from, _, to)| &source[from..to])
            .collect();
        assert_eq!(
            texts,
            ["e", "=", "\"ü\"i", "|", "[a-z]", "{", "2", "}", ";"]
        );
    }

    #[test]
    fn errors_have_the_offsets_of_their_cause() {
        for (source, span, message) in [
            ("a /* b", 2..4, "unterminated comment"),
            ("a \"b\nc\"", 2..3, "unterminated literal"),
            ("[[a]", 0..1, "unterminated character class"),
            ("\"a\\qb\"", 2..4, "unknown escape"),
            ("\"\\x4\"", 1..3, "unknown escape"),
            ("\"\\u{110000}\"", 1..11, "unknown escape"),
            ("4294967295", 0..10, "number too large"),
            ("a @1.2.3", 2..8, "not a weight"),
            ("a @1.2.3%", 2..9, "not a percentage"),
            ("a @100.5%", 2..9, "not a percentage"),
            ("a @30 %", 6..7, "unexpected character '%'"),
            ("a @stary", 2..8, "unknown word `@stary`"),
            ("a $", 2..3, "unexpected character '$'"),
        ] {
            let error = tokens(source).unwrap_err();
            assert_eq!(
                (error.span, error.message.as_str()),
                (span, message),
                "{source}"
            );
        }
    }

    #[test]
    fn brackets_nest_to_a_maximum() {
        for (open, close, what) in [
            ("(", ")", "groups"),
            ("f<", ">", "lists of arguments"),
            ("[", "]", "classes"),
        ] {
            let nested = |depth| open.repeat(depth) + &close.repeat(depth);
            assert!(tokens(&nested(200)).is_ok(), "{what}");
            let error = tokens(&nested(201)).unwrap_err();
            assert_eq!(error.message, format!("{what} nest deeper than 200"));
            let end = 201 * open.len();
            assert_eq!(error.span, end - 1..end, "{what}");
            // A closed bracket does not count.
            assert!(tokens(&nested(1).repeat(201)).is_ok(), "{what}");
        }
        let unterminated = tokens(&"[".repeat(201)).unwrap_err();
        assert_eq!(unterminated.message, "unterminated character class");
    }
}
