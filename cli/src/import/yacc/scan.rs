//! Splits a grammar of Yacc or Bison into lexemes.

use super::super::code::{comment_length, quoted_length};
use super::super::expression::{Finding, SourceLocation};

/// A lexeme, without its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum YaccLexeme {
    /// The name of a token or of a rule.
    Name(String),
    /// A word after `%`, such as `token` or `prec`.
    Directive(String),
    /// A character literal, without its quotation marks.
    Character(String),
    /// A string, without its quotation marks.
    Text(String),
    /// A type, such as `<number>`, or `-> Result<f64, String>` of grmtools.
    Tag,
    /// Code in braces, and whether it refuses the sentence.
    Code(Refusal),
    /// A name in brackets.
    Reference,
    Number(String),
    /// `%%`
    Section,
    /// Any other character.
    Sign(char),
}

/// Whether code refuses the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Never,
    Perhaps,
    Always,
}

/// A lexeme with its location and the comments before it.
#[derive(Clone, Debug)]
pub struct Scanned {
    pub lexeme: YaccLexeme,
    pub location: SourceLocation,
    pub comments: Vec<String>,
}

/// Reads a text up to its second `%%`.
pub fn scan(text: &str, file: usize) -> Result<Vec<Scanned>, Finding> {
    let mut scanner = LexemeScanner { text, file, at: 0 };
    let mut all: Vec<Scanned> = Vec::new();
    let mut sections = 0;
    let mut comments = Vec::new();
    while scanner.layout(&mut comments)? {
        let from = scanner.at;
        let Some(lexeme) = scanner.lexeme()? else {
            // The comment at the beginning of the file stands before the prologue.
            if !all.is_empty() {
                comments.clear();
            }
            continue;
        };
        sections += usize::from(lexeme == YaccLexeme::Section);
        if sections == 2 {
            break;
        }
        all.push(Scanned {
            lexeme,
            location: scanner.location(from),
            comments: std::mem::take(&mut comments),
        });
    }
    if sections == 0 {
        return Err(Finding::new(
            scanner.location(text.len()),
            "a grammar without rules",
            "the line `%%` before the rules is missing",
        ));
    }
    Ok(all)
}

/// The state of the scanner.
struct LexemeScanner<'a> {
    text: &'a str,
    file: usize,
    at: usize,
}

impl<'a> LexemeScanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn location(&self, from: usize) -> SourceLocation {
        SourceLocation::new(self.file, from..self.at.max(from))
    }

    /// The error that something that begins at `from` has no end.
    fn no_end(&self, from: usize, what: &str) -> Finding {
        let first = self.text[from..].chars().next().map_or(0, char::len_utf8);
        Finding::new(
            SourceLocation::new(self.file, from..from + first),
            format!("{what} without an end"),
            "it begins here",
        )
    }

    /// Skips white space and comments. Returns whether there is more.
    fn layout(&mut self, comments: &mut Vec<String>) -> Result<bool, Finding> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
            let is_first = self.text[..self.at]
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim().is_empty());
            if rest.starts_with("/*") {
                let length =
                    comment_length(rest).ok_or_else(|| self.no_end(self.at, "a comment"))?;
                let inner = rest[2..length].strip_suffix("*/").unwrap_or_default();
                let lines = inner.lines().map(|line| {
                    let line = line.trim();
                    let line = line.trim_start_matches('*');
                    line.strip_suffix('*').unwrap_or(line).trim().to_string()
                });
                comments.extend(lines.filter(|line| !line.is_empty()));
                self.at += length;
            } else if rest.starts_with("//") || rest.starts_with('#') && is_first {
                let length = rest.find('\n').unwrap_or(rest.len());
                if rest.starts_with('/') {
                    comments.push(rest[2..length].trim().into());
                }
                self.at += length;
            } else {
                return Ok(!rest.is_empty());
            }
        }
    }

    /// Reads a lexeme. Returns [`None`] after a prologue.
    fn lexeme(&mut self) -> Result<Option<YaccLexeme>, Finding> {
        let from = self.at;
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        if rest.starts_with("%{") {
            let end = rest
                .find("%}")
                .ok_or_else(|| self.no_end(from, "a prologue"))?;
            self.at += end + 2;
            return Ok(None);
        }
        if rest.starts_with("%%") {
            self.at += 2;
            return Ok(Some(YaccLexeme::Section));
        }
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let word = |text: &'a str, dashes: bool| {
            let end = text.find(|c| !(is_name(c) || dashes && c == '-'));
            &text[..end.unwrap_or(text.len())]
        };
        let lexeme = match first {
            '%' => {
                let name = word(&rest[1..], true);
                self.at += 1 + name.len();
                if name.is_empty() {
                    // `%?{ … }`, `%<`, `%>`, `%=`: the sign is the name.
                    let sign = self.rest().chars().next().unwrap_or_default();
                    self.at += self.rest().chars().next().map_or(0, char::len_utf8);
                    YaccLexeme::Directive(sign.into())
                } else {
                    YaccLexeme::Directive(name.replace('_', "-"))
                }
            }
            '{' => self.code()?,
            '\'' | '"' => {
                let length =
                    quoted_length(rest, first).ok_or_else(|| self.no_end(from, "a literal"))?;
                self.at += length;
                let text = unescaped(&rest[1..length - 1]);
                if first == '"' {
                    YaccLexeme::Text(text)
                } else {
                    YaccLexeme::Character(text)
                }
            }
            '<' => {
                let end = rest
                    .find(['>', '\n'])
                    .filter(|&end| rest[end..].starts_with('>'));
                let Some(end) = end else {
                    return Err(self.no_end(from, "a type"));
                };
                self.at += end + 1 + usize::from(rest[end..].starts_with(">>"));
                YaccLexeme::Tag
            }
            '-' if rest.starts_with("->") => {
                let end = single_colon(rest).ok_or_else(|| self.no_end(from, "a type"))?;
                self.at += end;
                YaccLexeme::Tag
            }
            '[' => {
                let end = rest
                    .find(']')
                    .ok_or_else(|| self.no_end(from, "a name in brackets"))?;
                self.at += end + 1;
                YaccLexeme::Reference
            }
            c if c.is_ascii_digit() => {
                let text = word(rest, false);
                self.at += text.len();
                YaccLexeme::Number(text.into())
            }
            c if is_name(c) => {
                let name = word(rest, true).trim_end_matches('-');
                self.at += name.len();
                YaccLexeme::Name(name.into())
            }
            c => {
                self.at += c.len_utf8();
                YaccLexeme::Sign(c)
            }
        };
        Ok(Some(lexeme))
    }

    /// Reads code in braces.
    fn code(&mut self) -> Result<YaccLexeme, Finding> {
        let from = self.at;
        let mut depth = 0_usize;
        // The code without its comments and literals.
        let mut code = String::new();
        while let Some(c) = self.rest().chars().next() {
            let rest = self.rest();
            let skipped = match c {
                '"' | '\'' => quoted_length(rest, c),
                '/' => comment_length(rest),
                _ => None,
            };
            code.push(if skipped.is_some() { ' ' } else { c });
            self.at += skipped.unwrap_or(c.len_utf8());
            depth += usize::from(c == '{');
            depth -= usize::from(c == '}');
            if depth == 0 {
                return Ok(YaccLexeme::Code(refusal(&code)));
            }
        }
        Err(self.no_end(from, "code"))
    }
}

/// Returns the index of the first colon that is not part of `::`.
fn single_colon(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_colon = |at: usize| bytes.get(at) == Some(&b':');
    (1..bytes.len()).find(|&at| is_colon(at) && !is_colon(at - 1) && !is_colon(at + 1))
}

/// Whether code without comments and literals refuses the sentence. If it reports an error and has a condition, it may refuse it.
fn refusal(code: &str) -> Refusal {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = code.split(|c| !is_name(c));
    let errors = ["YYERROR", "YYABORT", "yyerror", "yyerror1"];
    let conditions = ["if", "else", "for", "while", "switch"];
    let refuses = words.clone().any(|word| errors.contains(&word));
    let has_condition = words.any(|word| conditions.contains(&word)) || code.contains(['?', '#']);
    match (refuses, has_condition) {
        (false, _) => Refusal::Never,
        (true, true) => Refusal::Perhaps,
        (true, false) => Refusal::Always,
    }
}

/// Replaces the escapes of C.
pub fn unescaped(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        let Some(c) = rest.next() else { break };
        let mut number = |radix: u32, first: u32, limit: usize| {
            let mut value = first;
            for _ in 0..limit {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else {
                    break;
                };
                value = value * radix + digit;
                rest.next();
            }
            char::from_u32(value).unwrap_or('\u{FFFD}')
        };
        result.push(match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0C',
            'v' => '\x0B',
            'x' => number(16, 0, 2),
            '0'..='7' => number(8, c.to_digit(8).unwrap_or(0), 2),
            c => c,
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_comments_are_skipped() {
        let text = "%{ int a; %}\n/* One.\n * Two. */ %token <n> A 3 \"a\\\"\" %%\na[x]: '\\n' { if ('}') /* } */ \"}\"; }\n%% }";
        let all = scan(text, 0).unwrap();
        let lexemes: Vec<YaccLexeme> = all.iter().map(|one| one.lexeme.clone()).collect();
        assert_eq!(
            lexemes,
            [
                YaccLexeme::Directive("token".into()),
                YaccLexeme::Tag,
                YaccLexeme::Name("A".into()),
                YaccLexeme::Number("3".into()),
                YaccLexeme::Text("a\"".into()),
                YaccLexeme::Section,
                YaccLexeme::Name("a".into()),
                YaccLexeme::Reference,
                YaccLexeme::Sign(':'),
                YaccLexeme::Character("\n".into()),
                YaccLexeme::Code(Refusal::Never),
            ]
        );
        assert_eq!(all[0].comments, ["One.", "Two."]);
    }

    #[test]
    fn comments_and_strings_refuse_nothing() {
        for (code, refusal) in [
            ("{ /* no yyerror here */ }", Refusal::Never),
            ("{ // YYABORT\n }", Refusal::Never),
            ("{ f(\"yyerror\"); }", Refusal::Never),
            ("{ yyerror(\"what?\"); /* if */ }", Refusal::Always),
            ("{ if (x) YYERROR; }", Refusal::Perhaps),
        ] {
            let last = scan(&format!("%% a: {code}"), 0).unwrap().pop();
            assert_eq!(last.unwrap().lexeme, YaccLexeme::Code(refusal), "{code}");
        }
    }

    #[test]
    fn what_has_no_end_is_an_error() {
        for text in [
            "%% a: { {",
            "%% a: 'b",
            "/* a",
            "%{ a",
            "%token <a",
            "%token A",
        ] {
            assert!(scan(text, 0).is_err(), "{text}");
        }
        assert!(scan(&format!("%% a: {}", "{".repeat(1 << 20)), 0).is_err());
    }
}
