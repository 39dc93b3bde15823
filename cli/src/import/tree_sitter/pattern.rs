//! The regular expressions of tree-sitter: those of JavaScript, as tree-sitter reads them.

use super::super::class::CharacterClass;
use super::super::expression::Expression;
use super::super::regex;

/// Reads a regular expression. The second result says whether it has anchors or word boundaries.
///
/// # Errors
/// If it is not a regular expression: why not.
pub fn read(text: &str, flags: &str) -> Result<(Expression, bool), String> {
    let (mut expression, has_looks) = regex::read(&rewritten(text), flags.contains('i'))?;
    without_backslashes(&mut expression);
    Ok((expression, has_looks))
}

/// Leaves the backslash out of large classes if the expression also has a backslash outside of a
/// class: that one begins an escape or a line continuation.
fn without_backslashes(expression: &mut Expression) {
    const LARGE: u32 = 200;
    let mut has = false;
    expression.visit(&mut |part| {
        if let Expression::Literal { text, .. } = part {
            has |= text.contains('\\');
        }
    });
    let backslash = CharacterClass::of("\\");
    expression.visit_mut(&mut |part| match part {
        Expression::Class(class) if has => {
            let count: u32 = class.ranges().iter().map(|(from, to)| to - from + 1).sum();
            if count > LARGE {
                *class = class.minus(&backslash);
            }
        }
        _ => {}
    });
}

/// Writes a regular expression in the syntax of the regex crate. `\d`, `\s` and `\w` match ASCII
/// only, and braces that are no repetition are characters.
fn rewritten(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let mut is_in_class = false;
    // Whether this is the inner class of an intersection, `[a-z&&[^x]]`.
    let mut is_in_operand = false;
    while at < characters.len() {
        let c = characters[at];
        let next = characters.get(at + 1).copied();
        match (c, next) {
            ('\\', Some(escaped)) => {
                at += 1;
                match escaped {
                    's' => out.push_str(if is_in_class {
                        "\\x09-\\x0D\\x20"
                    } else {
                        "[\\x09-\\x0D\\x20]"
                    }),
                    'S' => out.push_str("[^\\x09-\\x0D\\x20]"),
                    'd' => out.push_str(if is_in_class { "0-9" } else { "[0-9]" }),
                    'D' => out.push_str("[^0-9]"),
                    'w' => out.push_str(if is_in_class {
                        "0-9A-Za-z_"
                    } else {
                        "[0-9A-Za-z_]"
                    }),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    'b' if is_in_class => out.push_str("\\x08"),
                    '0' => out.push_str("\\x00"),
                    'p' | 'P' | 'x' | 'u' => {
                        // These braces belong to the escape.
                        out.extend(['\\', escaped]);
                        if characters.get(at + 1) == Some(&'{') {
                            while at + 1 < characters.len() && characters[at] != '}' {
                                at += 1;
                                out.push(characters[at]);
                            }
                        }
                    }
                    'a'..='z' | 'A'..='Z' | '1'..='9' => out.extend(['\\', escaped]),
                    _ if escaped.is_ascii_punctuation() && !"<>".contains(escaped) => {
                        out.extend(['\\', escaped]);
                    }
                    _ => out.push(escaped),
                }
            }
            ('[', _) if !is_in_class => {
                is_in_class = true;
                out.push('[');
                if next == Some('^') && characters.get(at + 2) == Some(&']') {
                    out.push_str("\\x00-\\u{10FFFF}");
                    at += 1;
                }
            }
            ('&', Some('&')) if is_in_class && characters.get(at + 2) == Some(&'[') => {
                at += 2;
                is_in_operand = true;
                out.push_str("&&[");
            }
            ('[', _) => out.push_str("\\["),
            (']', _) => {
                is_in_class = std::mem::take(&mut is_in_operand);
                out.push(']');
            }
            ('&' | '~' | '-', Some(other)) if is_in_class && other == c => out.extend(['\\', c]),
            ('{' | '}', _) if !is_in_class => {
                let rest: String = characters[at + 1..]
                    .iter()
                    .take_while(|c| **c != '}')
                    .collect();
                let close = at + 1 + rest.chars().count();
                let is_repetition = c == '{'
                    && close < characters.len()
                    && rest.starts_with(|c: char| c.is_ascii_digit())
                    && rest.chars().all(|c| c.is_ascii_digit() || c == ',');
                if is_repetition {
                    out.push('{');
                    out.push_str(&rest);
                    out.push('}');
                    at = close;
                } else {
                    out.extend(['\\', c]);
                }
            }
            _ => out.push(c),
        }
        at += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_is_rewritten() {
        for (text, expected) in [
            (r"\s|\\\r?\n", "[\\x09-\\x0D\\x20]|\\\\\\r?\\n"),
            (r"[^\s\d-]", r"[^\x09-\x0D\x200-9-]"),
            (r"\/{2,3}{x}", r"\/{2,3}\{x\}"),
            ("a{2", r"a\{2"),
            (r"\p{L}\u{1F}\x41", r"\p{L}\u{1F}\x41"),
            ("[^]", r"[\x00-\u{10FFFF}]"),
            ("[[]", r"[\[]"),
            ("[a-z&&[^0-9#]](x)", "[a-z&&[^0-9#]](x)"),
            ("[a&&b]", r"[a\&&b]"),
        ] {
            assert_eq!(rewritten(text), expected);
            assert!(read(text, "").is_ok(), "{text}");
        }
        assert!(read("(", "").is_err());
    }
}
