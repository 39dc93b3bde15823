//! The patterns of Flex and their definitions, such as `DIGIT [0-9]`.

use std::collections::{HashMap, HashSet};

use super::super::class::CharacterClass;
use super::super::code;
use super::super::expression::{
    Expression, ForeignKind, ForeignRule, SourceLocation, by_name, reached,
};
use super::super::regex;
use super::scan;

/// The maximum number of passes over the definitions. A pass reads those that use only known ones.
const PASSES: usize = 20;

/// The bytes of characters outside of ASCII.
const BYTES: (u32, u32) = (0x80, 0xFF);

/// The characters outside of ASCII.
const CHARACTERS: (u32, u32) = (0x80, 0x10_FFFF);

/// The definitions of a lexer, and how its patterns are read.
#[derive(Debug, Default)]
pub struct FlexPatterns {
    /// The rules of the definitions that are read.
    definitions: Vec<ForeignRule>,
    /// The indices of definitions, by their names in the source.
    index: HashMap<String, usize>,
    /// Whether the lexer has the option `case-insensitive`.
    insensitive: bool,
}

impl FlexPatterns {
    /// Reads definitions: names, patterns and locations. Definitions that regular expressions cannot express are
    /// left out. `unused` returns a name for the rule of a definition.
    pub fn new(
        mut all: Vec<(String, String, SourceLocation)>,
        insensitive: bool,
        mut unused: impl FnMut(&str) -> String,
    ) -> FlexPatterns {
        let mut patterns = FlexPatterns {
            insensitive,
            ..FlexPatterns::default()
        };
        for _ in 0..PASSES {
            let before = all.len();
            all.retain(|(name, pattern, location)| {
                if patterns.index.contains_key(name) {
                    return false;
                }
                let Some(body) = patterns.read(pattern) else {
                    return true;
                };
                let at = patterns.definitions.len();
                patterns.index.insert(name.clone(), at);
                patterns.definitions.push(ForeignRule {
                    location: location.clone(),
                    ..ForeignRule::new(unused(name), ForeignKind::Fragment, body)
                });
                false
            });
            if all.len() == before {
                break;
            }
        }
        patterns
    }

    /// Reads a pattern. Returns [`None`] if it uses an unknown definition, or something that regular expressions
    /// lack.
    pub fn read(&self, pattern: &str) -> Option<Expression> {
        let mut translation = Translation {
            index: &self.index,
            text: String::new(),
            groups: 0,
        };
        translation.add(pattern)?;
        let group = |name: &str| {
            let (_, at) = name.split_once('_')?;
            let rule = self.definitions.get(at.parse::<usize>().ok()?)?;
            Some(match rule.body {
                // A short body is written instead of its name.
                Expression::Class(_) | Expression::Literal { .. } => rule.body.clone(),
                _ => Expression::name(rule.name.clone()),
            })
        };
        let (mut expression, _) =
            regex::read_with_groups(&translation.text, self.insensitive, &group).ok()?;
        expression.visit_mut(&mut decode);
        Some(expression)
    }

    /// Returns the definitions that some rules use, in the order of the source.
    pub fn used_by(mut self, rules: &[ForeignRule]) -> Vec<ForeignRule> {
        let names = rules.iter().flat_map(|rule| rule.body.names()).collect();
        let used = reached(&by_name(&self.definitions), names).into_iter();
        let used: HashSet<String> = used.map(String::from).collect();
        self.definitions.retain(|rule| used.contains(&rule.name));
        self.definitions
            .sort_by_key(|rule| rule.location.span.start);
        self.definitions
    }
}

/// Changes bytes from 0x80 on to characters: Flex sees the bytes of UTF-8.
///
/// A class with all of these bytes gets all characters outside of ASCII. If a class has only some of these
/// bytes, they are removed.
fn decode(part: &mut Expression) {
    match part {
        Expression::Class(class) => {
            let bytes = CharacterClass::new([(0, BYTES.1)]);
            let high = CharacterClass::new([BYTES]);
            let class_of_bytes = class.minus(&bytes.complement());
            let missing = high.minus(&class_of_bytes);
            let ascii = class_of_bytes.minus(&high);
            *class = match missing.is_empty() {
                true => ascii.union(&CharacterClass::new([CHARACTERS])),
                false => ascii,
            };
        }
        Expression::Literal { text, .. } if !text.is_ascii() => {
            let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
            if let Some(decoded) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
                *text = decoded;
            }
        }
        _ => {}
    }
}

/// A regular expression of the regex crate, in which named groups stand for definitions.
struct Translation<'a> {
    index: &'a HashMap<String, usize>,
    text: String,
    /// The number of groups, because the regex crate allows each name once.
    groups: usize,
}

impl Translation<'_> {
    fn add(&mut self, pattern: &str) -> Option<()> {
        let mut at = 0;
        while let Some(c) = pattern[at..].chars().next() {
            let rest = &pattern[at..];
            match c {
                '"' => {
                    let length = code::quoted_length(rest, '"')?;
                    let text = scan::unescaped(&rest[1..length - 1]);
                    let text: String = text.chars().map(escaped).collect();
                    // A repetition after it repeats the whole text.
                    self.text.push_str(&format!("(?:{text})"));
                    at += length;
                }
                '\\' => {
                    let length = escape_length(rest)?;
                    let text = scan::unescaped(&rest[..length]);
                    self.text.extend(text.chars().map(escaped));
                    at += length;
                }
                '[' => at += class(rest, &mut self.text)?,
                '{' if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
                    let end = rest.find('}')?;
                    let definition = self.index.get(&rest[1..end])?;
                    // The group is not empty, because the regex crate drops repetitions of empty groups.
                    let group = format!("(?<d{}_{definition}>d)", self.groups);
                    self.text.push_str(&group);
                    self.groups += 1;
                    at += end + 1;
                }
                // Trailing context.
                '/' => return None,
                '.' => {
                    self.text.push_str("[^\\n]");
                    at += 1;
                }
                '^' | '$' => at += 1,
                _ => {
                    if matches!(c, '|' | '(' | ')' | '*' | '+' | '?' | '{' | '}')
                        || c.is_alphanumeric()
                        || c == ':'
                        || c == ','
                    {
                        self.text.push(c);
                    } else {
                        self.text.push_str(&escaped(c));
                    }
                    at += c.len_utf8();
                }
            }
        }
        Some(())
    }
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
    use super::*;

    fn patterns(definitions: &[(&str, &str)]) -> FlexPatterns {
        let all = definitions.iter().map(|(name, pattern)| {
            (
                name.to_string(),
                pattern.to_string(),
                SourceLocation::default(),
            )
        });
        FlexPatterns::new(all.collect(), false, str::to_string)
    }

    #[test]
    fn patterns_become_expressions() {
        let patterns = patterns(&[("D", "[0-9]")]);
        let same = |pattern: &str, expected: &str| {
            let (expected, _) = regex::read(expected, false).unwrap();
            assert_eq!(patterns.read(pattern), Some(expected), "{pattern}");
        };
        same("\"//\"", "//");
        same("{D}+(\\.{D}*)?", r"[0-9]+(\.[0-9]*)?");
        same("[^]\\n\"-]", r#"[^\]\n"\-]"#);
        same("[[:alpha:]_]{2,3}", "[[:alpha:]_]{2,3}");
        same(".", r"[^\n]");
        assert_eq!(patterns.read("a/b"), None);
        assert_eq!(patterns.read("{X}"), None);
    }

    #[test]
    fn definitions_become_rules_if_a_rule_uses_them() {
        // B is defined after its use, and C by itself.
        let patterns = patterns(&[("A", "{B}x"), ("B", "b+"), ("C", "{C}c"), ("D", "d+")]);
        assert_eq!(patterns.read("{C}"), None);
        let body = patterns.read("{A}|{B}").unwrap();
        assert_eq!(
            body,
            Expression::choice([Expression::name("A"), Expression::name("B")])
        );
        let rules = [ForeignRule::new("T", ForeignKind::Token(0), body)];
        let used = patterns.used_by(&rules);
        let names: Vec<&str> = used.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names.len(), 2);
        assert!(names.contains(&"A") && names.contains(&"B"));
    }

    #[test]
    fn bytes_are_characters() {
        let patterns = patterns(&[]);
        let class = |text: &str| Some(Expression::Class(CharacterClass::parse(text).unwrap()));
        assert_eq!(
            patterns.read("[a\\200-\\377]"),
            class("[a\\x{80}-\\x{10FFFF}]")
        );
        assert_eq!(
            patterns.read("[^a-z\\x80-\\xff]"),
            class("[\\x00-\\x7F&&[^a-z]]")
        );
        assert_eq!(
            patterns.read("[\\xC2-\\xDF]"),
            Some(Expression::Class(CharacterClass::new([])))
        );
        assert_eq!(
            patterns.read("\"\\xEF\\xBB\\xBF\""),
            Some(Expression::literal("\u{FEFF}"))
        );
    }
}
