//! The lexer of LALRPOP's notation. The Rust code of actions is one token.

use std::ops::Range;

/// A token of a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrammarToken<'a> {
    /// An identifier or a keyword.
    Word(&'a str),
    /// An identifier with `<` directly after it: a macro with arguments.
    MacroName(&'a str),
    Lifetime,
    /// A literal, without quotation marks and escapes.
    Literal(String),
    /// A regular expression, without its quotation marks.
    Regex(&'a str),
    Sign(&'static str),
    /// `=>` or `=>?` with the code behind it.
    Code {
        is_fallible: bool,
        code: &'a str,
    },
    /// A whole `use …;` or `#![…]`.
    Skipped,
    End,
}

/// A token with its range in bytes.
#[derive(Clone, Debug)]
pub struct LocatedToken<'a> {
    pub token: GrammarToken<'a>,
    pub span: Range<usize>,
}

/// The range and the reason of an error.
pub type LexicalError = (Range<usize>, &'static str);

/// The signs; the longer ones first.
const SIGNS: [&str; 29] = [
    "=>@L", "=>@R", "==", "!=", "!~", "~~", "->", "::", "..", "@L", "@R", "!", "#", "&", "(", ")",
    "*", "+", ",", ":", ";", "<", "=", ">", "?", "[", "]", "{", "}",
];

/// Splits a grammar into tokens. The last one is [`GrammarToken::End`].
pub fn tokens(text: &str) -> Result<Vec<LocatedToken<'_>>, LexicalError> {
    let mut all = Vec::new();
    let mut at = 0;
    loop {
        at = after_layout(text, at)?;
        if at == text.len() {
            all.push(LocatedToken {
                token: GrammarToken::End,
                span: at..at,
            });
            return Ok(all);
        }
        let (token, end) = token(text, at)?;
        all.push(LocatedToken {
            token,
            span: at..end,
        });
        at = end;
    }
}

/// Returns the token at an offset, and where it ends.
fn token(text: &str, at: usize) -> Result<(GrammarToken<'_>, usize), LexicalError> {
    let rest = &text[at..];
    if rest.starts_with("#![") {
        let end = code_end(text, at + 3)?;
        return Ok((GrammarToken::Skipped, text.len().min(end + 1)));
    }
    if rest.starts_with('"') {
        let end = string_end(text, at)?;
        return Ok((
            GrammarToken::Literal(unescaped(&text[at + 1..end - 1])),
            end,
        ));
    }
    if let Some(content) = raw_string(text, at) {
        let content = content?;
        let hashes = rest[1..].find('"').unwrap_or(0);
        return Ok((
            GrammarToken::Regex(&text[content.clone()]),
            content.end + 1 + hashes,
        ));
    }
    if let Some(escaped) = rest.strip_prefix('`') {
        let Some(length) = escaped.find('`') else {
            return Err((at..at + 1, "this name does not end"));
        };
        return Ok((GrammarToken::Word(&escaped[..length]), at + length + 2));
    }
    if let Some(name) = rest.strip_prefix('\'') {
        return Ok((GrammarToken::Lifetime, at + 1 + word_length(name)));
    }
    let length = word_length(rest);
    if length > 0 {
        let end = at + length;
        return Ok(match &rest[..length] {
            "use" => (GrammarToken::Skipped, use_end(text, end)),
            word if text[end..].starts_with('<') => (GrammarToken::MacroName(word), end),
            word => (GrammarToken::Word(word), end),
        });
    }
    if rest.starts_with("=>") && !rest.starts_with("=>@L") && !rest.starts_with("=>@R") {
        let is_fallible = rest.starts_with("=>?");
        let start = at + if is_fallible { 3 } else { 2 };
        let end = code_end(text, start)?;
        let code = &text[start..end];
        return Ok((GrammarToken::Code { is_fallible, code }, end));
    }
    let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
    let sign = sign.ok_or((at..at + 1, "no token of LALRPOP begins with this character"))?;
    Ok((GrammarToken::Sign(sign), at + sign.len()))
}

/// The number of bytes of the word at the beginning of a text.
fn word_length(text: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Returns the end of a declaration `use …;`.
fn use_end(text: &str, at: usize) -> usize {
    text[at..]
        .find(';')
        .map_or(text.len(), |length| at + length + 1)
}

/// Skips white space and comments.
fn after_layout(text: &str, mut at: usize) -> Result<usize, LexicalError> {
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        at += blank;
        match comment_end(text, at) {
            Some(end) => at = end?,
            None if blank == 0 => return Ok(at),
            None => {}
        }
    }
}

/// Returns the end of the comment at an offset, if there is one.
fn comment_end(text: &str, at: usize) -> Option<Result<usize, LexicalError>> {
    let rest = &text[at..];
    if rest.starts_with("//") {
        return Some(Ok(rest.find('\n').map_or(text.len(), |length| at + length)));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let bytes = rest.as_bytes();
    let (mut depth, mut offset) = (0, 0);
    while offset + 1 < bytes.len() {
        match &bytes[offset..offset + 2] {
            b"/*" => (depth, offset) = (depth + 1, offset + 2),
            b"*/" => (depth, offset) = (depth - 1, offset + 2),
            _ => offset += 1,
        }
        if depth == 0 {
            return Some(Ok(at + offset));
        }
    }
    Some(Err((at..at + 2, "this comment does not end")))
}

/// Returns the end of the string at an offset, behind its quotation mark.
fn string_end(text: &str, at: usize) -> Result<usize, LexicalError> {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 2,
            b'"' => return Ok(end + 1),
            _ => end += 1,
        }
    }
    Err((at..at + 1, "this literal does not end"))
}

/// Returns the range of the content of `r"…"` or `r#"…"#` at an offset, if there is one.
fn raw_string(text: &str, at: usize) -> Option<Result<Range<usize>, LexicalError>> {
    let rest = text[at..].strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let content = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let start = at + 2 + hashes;
    Some(match content.find(&close) {
        Some(length) => Ok(start..start + length),
        None => Err((at..at + 1, "this regular expression does not end")),
    })
}

/// Returns the end of Rust code: the `,`, `;` or closing bracket that is outside all of its brackets.
fn code_end(text: &str, from: usize) -> Result<usize, LexicalError> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = from;
    while at < bytes.len() {
        if let Some(end) = comment_end(text, at) {
            at = end?;
            continue;
        }
        match bytes[at] {
            b'"' => {
                at = string_end(text, at)?;
                continue;
            }
            b'r' => {
                if let Some(content) = raw_string(text, at) {
                    let hashes = text[at + 1..].find('"').unwrap_or(0);
                    at = content?.end + 1 + hashes;
                    continue;
                }
                at += 1;
            }
            b'\'' => at = character_end(text, at),
            b'(' | b'[' | b'{' => (depth, at) = (depth + 1, at + 1),
            b')' | b']' | b'}' | b',' | b';' if depth == 0 => return Ok(at),
            b')' | b']' | b'}' => (depth, at) = (depth - 1, at + 1),
            first if first.is_ascii_alphabetic() || first == b'_' => at += word_length(&text[at..]),
            first if first.is_ascii() => at += 1,
            _ => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if depth > 0 {
        return Err((from..from, "the brackets of this code do not end"));
    }
    Ok(at)
}

/// Returns the end of a character literal or of a lifetime.
fn character_end(text: &str, at: usize) -> usize {
    let mut characters = text[at + 1..].char_indices();
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((offset, escaped))) => {
            let rest = at + 1 + offset + escaped.len_utf8();
            text[rest..]
                .find('\'')
                .map_or(rest, |length| rest + length + 1)
        }
        (Some(_), Some((offset, '\''))) => at + 1 + offset + 1,
        _ => at + 1,
    }
}

/// Replaces the escapes of a literal.
fn unescaped(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        let mut characters = rest[at + 1..].chars();
        let escaped = characters.next().unwrap_or('\\');
        rest = characters.as_str();
        match escaped {
            'n' => result.push('\n'),
            'r' => result.push('\r'),
            't' => result.push('\t'),
            '0' => result.push('\0'),
            'x' if rest.len() >= 2 && rest.is_char_boundary(2) => {
                let code = u8::from_str_radix(&rest[..2], 16).unwrap_or(b'x');
                result.push(char::from(code));
                rest = &rest[2..];
            }
            'u' if rest.starts_with('{') => {
                let end = rest.find('}').unwrap_or(rest.len() - 1);
                let code = u32::from_str_radix(&rest[1..end.max(1)], 16).ok();
                result.extend(code.and_then(char::from_u32));
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            other => result.push(other),
        }
    }
    result + rest
}

/// Returns the comments of a text between two tokens: a list of lines, without comment signs, for each
/// group without an empty line in it; and whether the last group stands directly before the next token.
/// Comments in the line of the token before do not count.
pub fn comment_groups(text: &str, is_first: bool) -> (Vec<Vec<String>>, bool) {
    let mut groups: Vec<Vec<String>> = Vec::new();
    let mut is_open = false;
    let mut is_block = false;
    let lines = text.split('\n').count();
    for (number, line) in text.split('\n').enumerate() {
        let line = line.trim();
        if number == 0 && !is_first {
            is_block = line.contains("/*") && !line.contains("*/");
            continue;
        }
        if line.is_empty() && !is_block {
            // The last line is the one of the next token.
            is_open &= number + 1 == lines;
            continue;
        }
        is_block = (is_block || line.starts_with("/*")) && !line.ends_with("*/");
        let content = line
            .trim_end_matches("*/")
            .trim_start_matches(['/', '!', '*']);
        if !is_open {
            groups.push(Vec::new());
        }
        is_open = true;
        if let Some(group) = groups.last_mut() {
            group.push(content.trim().into());
        }
    }
    (groups, is_open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(text: &str) -> Vec<GrammarToken<'_>> {
        let all = tokens(text).unwrap();
        all.into_iter().map(|located| located.token).collect()
    }

    #[test]
    fn code_ends_at_the_end_of_an_alternative() {
        let code = |code| GrammarToken::Code {
            is_fallible: false,
            code,
        };
        let text = "=> f('}', '\\'', \"}\\\"\", r#\"}\"#, &'a x) /* } */ + { 1; 2 }, r\"x\"";
        let end = text.rfind(',').unwrap();
        assert_eq!(
            lexed(text),
            [
                code(&text[2..end]),
                GrammarToken::Sign(","),
                GrammarToken::Regex("x"),
                GrammarToken::End
            ]
        );
        assert!(tokens("=> { 'a }").is_ok());
        assert!(tokens("=> { ( }").is_err());
        assert!(tokens("=> { {").is_err());
    }

    #[test]
    fn literals_and_names() {
        assert_eq!(
            lexed(r##"use a::{b}; #![x] A<"\"\n\u{e4}"> r#"a"b"# `if` 'a => ä, =>@L"##),
            [
                GrammarToken::Skipped,
                GrammarToken::Skipped,
                GrammarToken::MacroName("A"),
                GrammarToken::Sign("<"),
                GrammarToken::Literal("\"\nä".into()),
                GrammarToken::Sign(">"),
                GrammarToken::Regex("a\"b"),
                GrammarToken::Word("if"),
                GrammarToken::Lifetime,
                GrammarToken::Code {
                    is_fallible: false,
                    code: " ä"
                },
                GrammarToken::Sign(","),
                GrammarToken::Sign("=>@L"),
                GrammarToken::End
            ]
        );
    }

    #[test]
    fn texts_without_an_end_are_errors() {
        for text in [
            "\"a", "r\"a", "/* /* */", "`a", "\"\\", "=> \"", "§", "#![x",
        ] {
            let result = tokens(text);
            assert!(result.is_err() || text == "#![x", "{text}");
        }
    }

    #[test]
    fn comments_are_grouped() {
        let text = " // no\n// a\n// b\n\n/* c\n * d */\n";
        let groups = vec![
            vec!["a".to_string(), "b".into()],
            vec!["c".into(), "d".into()],
        ];
        assert_eq!(comment_groups(text, false), (groups, true));
        assert!(!comment_groups("\n// a\n\n", false).1);
    }
}
