//! Regular expressions of tokens, in the syntax of the regex crate, which LALRPOP and tree-sitter use.

use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

use super::expression::Expression;

/// The maximum nesting depth of groups.
const NESTING: u32 = 100;

/// Reads a regular expression. Anchors and word boundaries match no characters, so they are left out.
/// The second result says whether there were any.
///
/// # Errors
/// If it is not a regular expression: the message of the regex crate, in one line.
pub fn read(text: &str, insensitive: bool) -> Result<(Expression, bool), String> {
    read_with_groups(text, insensitive, &|_| None)
}

/// Reads a regular expression as [`read`] does. `group` returns the expression of a named group.
///
/// # Errors
/// If it is not a regular expression: the message of the regex crate, in one line.
pub fn read_with_groups(
    text: &str,
    insensitive: bool,
    group: &dyn Fn(&str) -> Option<Expression>,
) -> Result<(Expression, bool), String> {
    let hir = regex_syntax::ParserBuilder::new()
        .nest_limit(NESTING)
        .case_insensitive(insensitive)
        .build()
        .parse(text)
        .map_err(|error| {
            let message = error.to_string();
            message
                .lines()
                .last()
                .unwrap_or_default()
                .trim()
                .to_string()
        })?;
    let mut reader = RegexReader {
        group,
        has_looks: false,
    };
    let expression = reader.expression(&hir);
    Ok((expression, reader.has_looks))
}

/// Converts the parsed form of the regex crate.
struct RegexReader<'a> {
    group: &'a dyn Fn(&str) -> Option<Expression>,
    has_looks: bool,
}

impl RegexReader<'_> {
    fn expression(&mut self, hir: &Hir) -> Expression {
        match hir.kind() {
            HirKind::Empty => Expression::empty(),
            HirKind::Literal(literal) => {
                Expression::literal(String::from_utf8_lossy(&literal.0).into_owned())
            }
            HirKind::Class(Class::Unicode(class)) => Expression::Class(class.into()),
            HirKind::Class(Class::Bytes(class)) => {
                // The parser allows no bytes outside of ASCII.
                let class = class.to_unicode_class();
                Expression::Class((&class.unwrap_or_else(ClassUnicode::empty)).into())
            }
            HirKind::Look(_) => {
                self.has_looks = true;
                Expression::empty()
            }
            HirKind::Repetition(repetition) => self
                .expression(&repetition.sub)
                .repeat(repetition.min, repetition.max),
            HirKind::Capture(capture) => {
                let named = capture.name.as_deref().and_then(self.group);
                named.unwrap_or_else(|| self.expression(&capture.sub))
            }
            HirKind::Concat(parts) => {
                let parts = parts.iter().map(|part| self.expression(part)).collect();
                Expression::sequence(letters(parts))
            }
            HirKind::Alternation(parts) => {
                Expression::choice(parts.iter().map(|part| self.expression(part)))
            }
        }
    }
}

/// Joins classes of both cases of one letter, as in `[iI][fF]`, to literals.
fn letters(parts: Vec<Expression>) -> Vec<Expression> {
    let letter = |part: &Expression| match part {
        Expression::Class(class) => {
            let mut ascii = ('a'..='z')
                .filter(|&c| class.contains(c) && class.contains(c.to_ascii_uppercase()));
            let only = ascii.next()?;
            let count: u32 = class.ranges().iter().map(|(from, to)| to - from + 1).sum();
            // The regex crate adds U+017F and U+212A, which are other cases of `s` and `k`.
            (ascii.next().is_none() && (count == 2 || count == 3 && matches!(only, 's' | 'k')))
                .then_some(only)
        }
        _ => None,
    };
    let mut joined: Vec<Expression> = Vec::new();
    for part in parts {
        let Some(letter) = letter(&part) else {
            joined.push(part);
            continue;
        };
        match joined.last_mut() {
            Some(Expression::Literal {
                text,
                insensitive: true,
            }) => text.push(letter),
            _ => joined.push(Expression::Literal {
                text: letter.into(),
                insensitive: true,
            }),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::class::CharacterClass;

    #[test]
    fn regular_expressions_become_expressions() {
        let class = |text: &str| Expression::Class(CharacterClass::parse(text).unwrap());
        assert_eq!(
            read(r"[a-z]+(\.x)?$", false).unwrap(),
            (
                Expression::sequence([
                    class("[a-z]").repeat(1, None),
                    Expression::literal(".x").optional(),
                    Expression::empty(),
                ]),
                true
            )
        );
        assert_eq!(
            read("if", true).unwrap().0,
            Expression::Literal {
                text: "if".into(),
                insensitive: true
            }
        );
        assert_eq!(
            read("[iI][sS]", false).unwrap().0,
            Expression::Literal {
                text: "is".into(),
                insensitive: true
            }
        );
        assert!(read("(", false).unwrap_err().contains("unclosed group"));
    }
}
