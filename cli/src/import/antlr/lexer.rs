//! The tokens of an ANTLR grammar file.

use std::ops::Range;

use crate::import::code::{comment_length, quoted_length};
use crate::import::expression::{Finding, SourceLocation};

/// A token of a grammar file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum G4Token {
    Name(String),
    /// A literal, with its escapes replaced.
    Literal(String),
    /// The text between the brackets of a set of characters.
    Set(String),
    /// `{ … }` with code.
    Action,
    /// `[ … ]` with arguments of a rule.
    Arguments,
    Number,
    /// `->`
    Arrow,
    /// `+=`
    Append,
    /// `..`
    Dots,
    Sign(char),
}

/// A token with its position and with the comments before it.
#[derive(Clone, Debug)]
pub struct LocatedG4Token {
    pub token: G4Token,
    pub span: Range<usize>,
    pub comments: Vec<String>,
}

/// Returns the tokens of a file.
pub fn tokens(text: &str, file: usize) -> Result<Vec<LocatedG4Token>, Finding> {
    let mut lexer = G4Lexer {
        text,
        file,
        at: 0,
        statement: Statement::None,
        braces: false,
    };
    let mut all = Vec::new();
    loop {
        let comments = lexer.blank()?;
        let from = lexer.at;
        let Some(token) = lexer.next()? else {
            return Ok(all);
        };
        lexer.note(&token);
        all.push(LocatedG4Token {
            token,
            span: from..lexer.at,
            comments,
        });
    }
}

/// The beginning of the current statement. It decides what brackets mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    None,
    /// The name of a lexer rule.
    LexerRule,
    /// The name of a parser rule, or `grammar`.
    Other,
    /// `@`, `catch` or `finally`, which end with an action.
    Code,
    /// `options`, `tokens` or `channels`, which end with `}`.
    Braces,
}

struct G4Lexer<'a> {
    text: &'a str,
    file: usize,
    at: usize,
    statement: Statement,
    /// Whether a block of options, tokens or channels is open.
    braces: bool,
}

impl G4Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error(&self, from: usize, message: &str) -> Finding {
        Finding::new(
            SourceLocation::new(self.file, from..self.text.len().min(from + 1).max(from)),
            message,
            "it begins here",
        )
    }

    /// Skips white space. Returns the comments in it.
    fn blank(&mut self) -> Result<Vec<String>, Finding> {
        let mut comments = Vec::new();
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
            let skipped = rest.len() - trimmed.len();
            self.at += skipped;
            let rest = self.rest();
            if let Some(line) = rest.strip_prefix("//") {
                let line = line.split('\n').next().unwrap_or_default();
                let length = line.len() + 2;
                comments.push(line.trim().to_string());
                self.at += length;
            } else if let Some(block) = rest.strip_prefix("/*") {
                let Some(end) = block.find("*/") else {
                    return Err(self.error(self.at, "a comment has no end"));
                };
                let lines = block[..end]
                    .lines()
                    .map(|line| line.trim().trim_start_matches('*').trim().to_string());
                let mut lines: Vec<String> = lines.collect();
                while lines.last().is_some_and(String::is_empty) {
                    lines.pop();
                }
                let empty = lines.iter().take_while(|line| line.is_empty()).count();
                comments.extend(lines.drain(empty..));
                self.at += end + 4;
            } else {
                return Ok(comments);
            }
        }
    }

    fn next(&mut self) -> Result<Option<G4Token>, Finding> {
        let from = self.at;
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        if first.is_alphabetic() || first == '_' {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            let name = rest[..end].to_string();
            self.at += end;
            return Ok(Some(G4Token::Name(name)));
        }
        if first.is_ascii_digit() {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            self.at += end;
            return Ok(Some(G4Token::Number));
        }
        for (text, token) in [
            ("->", G4Token::Arrow),
            ("+=", G4Token::Append),
            ("..", G4Token::Dots),
            ("::", G4Token::Sign(':')),
        ] {
            if rest.starts_with(text) {
                self.at += text.len();
                return Ok(Some(token));
            }
        }
        let token = match first {
            '\'' => {
                let end = self.quoted('\'')?;
                let raw = &self.text[from + 1..end];
                let text = unescaped(raw).ok_or_else(|| {
                    self.error(from, "a literal has an escape that stands for no character")
                })?;
                self.at = end + 1;
                G4Token::Literal(text)
            }
            '[' if self.statement == Statement::LexerRule => {
                let end = self.quoted(']')?;
                let raw = self.text[from + 1..end].to_string();
                self.at = end + 1;
                G4Token::Set(raw)
            }
            '[' => {
                self.at = self.code('[', ']')?;
                G4Token::Arguments
            }
            '{' if self.statement == Statement::Braces || self.opens_options() => {
                self.at += 1;
                self.braces = true;
                G4Token::Sign('{')
            }
            '{' => {
                self.at = self.code('{', '}')?;
                G4Token::Action
            }
            c => {
                self.at += c.len_utf8();
                G4Token::Sign(c)
            }
        };
        Ok(Some(token))
    }

    /// Whether `options` stands before the current position.
    fn opens_options(&self) -> bool {
        self.text[..self.at].trim_end().ends_with("options")
    }

    /// Updates the statement after a token.
    fn note(&mut self, token: &G4Token) {
        if self.braces {
            if *token == G4Token::Sign('}') {
                self.braces = false;
                if self.statement == Statement::Braces {
                    self.statement = Statement::None;
                }
            }
            return;
        }
        match (self.statement, token) {
            (_, G4Token::Sign(';')) => self.statement = Statement::None,
            (Statement::None, G4Token::Name(name)) => {
                self.statement = match &**name {
                    "fragment" | "public" | "private" | "protected" => Statement::None,
                    "options" | "tokens" | "channels" => Statement::Braces,
                    "catch" | "finally" => Statement::Code,
                    name if name.starts_with(char::is_uppercase) => Statement::LexerRule,
                    _ => Statement::Other,
                };
            }
            (Statement::None, G4Token::Sign('@')) => self.statement = Statement::Code,
            (Statement::Code, G4Token::Action) => self.statement = Statement::None,
            _ => {}
        }
    }

    /// Returns the end of the quoted text at the current position.
    fn quoted(&self, close: char) -> Result<usize, Finding> {
        let what = if close == ']' { "a set" } else { "a literal" };
        let length = quoted_length(self.rest(), close);
        let length = length.ok_or_else(|| self.error(self.at, &format!("{what} has no end")))?;
        Ok(self.at + length - 1)
    }

    /// Returns the end of the code in brackets at the current position. Brackets in strings and comments
    /// do not count.
    fn code(&self, open: char, close: char) -> Result<usize, Finding> {
        let mut depth = 0_usize;
        let mut rest = self.rest();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(self.text.len() - rest.len() + length);
                }
            } else if c == '\\' {
                length += rest[length..].chars().next().map_or(0, char::len_utf8);
            } else if rest.starts_with("//") || rest.starts_with("/*") {
                length = comment_length(rest).unwrap_or(rest.len());
            } else if c == '"' || c == '\'' {
                // A quotation mark without a second one in its line does not begin a literal.
                length = quoted_length(rest, c).unwrap_or(1);
            }
            rest = &rest[length..];
        }
        Err(self.error(self.at, &format!("`{open}` has no `{close}`")))
    }
}

/// Replaces the escapes of a literal.
fn unescaped(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = raw.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.push(char::from_u32(escape(&mut characters)?)?),
            c => text.push(c),
        }
    }
    Some(text)
}

/// Reads an escape after its backslash. Returns the code point.
pub fn escape(characters: &mut std::str::Chars) -> Option<u32> {
    Some(match characters.next()? {
        'n' => 10,
        'r' => 13,
        't' => 9,
        'b' => 8,
        'f' => 12,
        'u' => {
            let rest = characters.as_str();
            let (digits, length) = match rest.strip_prefix('{') {
                Some(rest) => {
                    let end = rest.find('}')?;
                    (&rest[..end], end + 2)
                }
                None => (rest.get(..4)?, 4),
            };
            let code = u32::from_str_radix(digits, 16).ok()?;
            *characters = rest[length..].chars();
            code
        }
        c => c.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<G4Token> {
        let tokens = tokens(text, 0).unwrap();
        tokens.into_iter().map(|token| token.token).collect()
    }

    #[test]
    fn brackets_are_sets_in_lexer_rules_and_arguments_in_parser_rules() {
        let all = kinds("@header { a; '}' } options { a = b; } r[int[] x] : A ; A : [\\]a] {b} ;");
        let count = |token| all.iter().filter(|one| **one == token).count();
        assert_eq!(count(G4Token::Arguments), 1);
        assert_eq!(count(G4Token::Action), 2);
        assert_eq!(count(G4Token::Set("\\]a".into())), 1);
    }

    #[test]
    fn escapes_of_literals_are_replaced() {
        assert_eq!(
            kinds(r"'\n\u0041\u{1F600}\\\''"),
            [G4Token::Literal("\nA\u{1F600}\\'".into())]
        );
    }

    #[test]
    fn what_has_no_end_is_an_error() {
        for text in [
            "A : 'a",
            "A : [a",
            "r : {",
            "/* a",
            "A : '\\uZZZZ'",
            "r : {\\",
        ] {
            assert!(tokens(text, 0).is_err(), "{text}");
        }
    }
}
