//! Translates the patterns of Flex to regular expressions of the regex crate.

use std::collections::HashMap;

/// The maximum length of a pattern with its definitions.
const LONGEST: usize = 1 << 16;

/// The maximum number of definitions inside each other.
const DEEPEST: usize = 20;

/// Translates a pattern. Returns [`None`] if it has something that regular expressions have not.
pub fn translate(pattern: &str, definitions: &HashMap<String, String>) -> Option<String> {
    let mut result = String::new();
    add(pattern, definitions, 0, &mut result)?;
    Some(result)
}

fn add(
    pattern: &str,
    definitions: &HashMap<String, String>,
    depth: usize,
    result: &mut String,
) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let mut at = 0;
    while let Some(c) = pattern[at..].chars().next() {
        if result.len() > LONGEST {
            return None;
        }
        let rest = &pattern[at..];
        match c {
            '"' => {
                let length = super::scan::quoted_length(rest)?;
                let text = super::scan::unescaped(&rest[1..length - 1]);
                let text: String = text.chars().map(escaped).collect();
                // A repetition is for the whole text.
                result.push_str(&format!("(?:{text})"));
                at += length;
            }
            '\\' => {
                let length = escape_length(rest)?;
                result.extend(super::scan::unescaped(&rest[..length]).chars().map(escaped));
                at += length;
            }
            '[' => at += class(rest, result)?,
            '{' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
                let end = rest.find('}')?;
                result.push_str("(?:");
                add(
                    definitions.get(&rest[1..end])?,
                    definitions,
                    depth + 1,
                    result,
                )?;
                result.push(')');
                at += end + 1;
            }
            // Trailing context.
            '/' => return None,
            '.' => {
                result.push_str("[^\\n]");
                at += 1;
            }
            '^' | '$' => at += 1,
            _ => {
                if matches!(c, '|' | '(' | ')' | '*' | '+' | '?' | '{' | '}')
                    || c.is_alphanumeric()
                    || c == ':'
                    || c == ','
                {
                    result.push(c);
                } else {
                    result.push_str(&escaped(c));
                }
                at += c.len_utf8();
            }
        }
    }
    Some(())
}

/// Copies a class. Returns its length.
fn class(text: &str, result: &mut String) -> Option<usize> {
    let mut at = 1;
    result.push('[');
    if text[at..].starts_with('^') {
        result.push('^');
        at += 1;
    }
    let first = at;
    loop {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        match c {
            ']' if at > first => {
                result.push(']');
                return Some(at + 1);
            }
            '[' if rest.starts_with("[:") && rest.contains(":]") => {
                let end = rest.find(":]")? + 2;
                result.push_str(&rest[..end]);
                at += end;
            }
            '\\' => {
                let length = escape_length(rest)?;
                result.extend(super::scan::unescaped(&rest[..length]).chars().map(escaped));
                at += length;
            }
            '-' if at > first && !rest.starts_with("-]") => {
                result.push('-');
                at += 1;
            }
            _ => {
                result.push_str(&escaped(c));
                at += c.len_utf8();
            }
        }
    }
}

/// The length of the escape at the beginning of a text.
fn escape_length(text: &str) -> Option<usize> {
    let second = text[1..].chars().next()?;
    let digits = |from: usize, limit: usize, radix: u32| {
        text[from..]
            .chars()
            .take(limit)
            .take_while(|c| c.is_digit(radix))
            .count()
    };
    Some(match second {
        'x' => 2 + digits(2, 2, 16),
        '0'..='7' => 1 + digits(1, 3, 8),
        c => 1 + c.len_utf8(),
    })
}

/// A character in a regular expression.
fn escaped(c: char) -> String {
    match c {
        _ if c.is_alphanumeric() || c == '_' => c.into(),
        _ => format!("\\x{{{:X}}}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::regex;
    use super::*;

    #[test]
    fn patterns_become_regular_expressions() {
        let definitions = HashMap::from([("D".to_string(), "[0-9]".to_string())]);
        let same = |pattern: &str, expected: &str| {
            let translated = translate(pattern, &definitions).unwrap();
            assert_eq!(
                regex::read(&translated, false),
                regex::read(expected, false),
                "{pattern}"
            );
        };
        same("\"//\"", "//");
        same("{D}+(\\.{D}*)?", r"[0-9]+(\.[0-9]*)?");
        same("[^]\\n\"-]", r#"[^\]\n"\-]"#);
        same("[[:alpha:]_]{2,3}", "[[:alpha:]_]{2,3}");
        same(".", r"[^\n]");
        assert_eq!(translate("a/b", &definitions), None);
        assert_eq!(translate("{X}", &definitions), None);
        let cyclic = HashMap::from([("A".to_string(), "{A}{A}".to_string())]);
        assert_eq!(translate("{A}", &cyclic), None);
    }
}
