//! The kind of the difference of two texts, such as the `{:?}` forms of two values.
//!
//! The kind says what each text has at the first position where the two differ, and in which field
//! that position is. The kind contains no values of the input. So disagreements with the same cause
//! mostly have the same kind.

use std::cmp::Ordering;
use std::fmt;

/// The maximum length of a name that is part of a kind.
const MAX_NAME: usize = 32;

/// The number of bytes before and after the first difference that [`BothValues`] shows.
const BEFORE: usize = 200;
const AFTER: usize = 800;

/// Returns the kind of the difference of two texts, such as
/// `a number against a greater one in limit`. It is one line without `: `.
pub fn kind(left: &str, right: &str) -> String {
    let at = first_difference(left, right);
    let mut context = FieldContext::of(&left[..at]);
    let continues = |text: &str| text[at..].starts_with(is_of_word);
    if !context.is_in_string && !continues(left) && !continues(right) {
        context.start = at;
    }
    let sides = [left, right].map(|text| DifferingToken::at(text, &context));
    let mut is_in_text = context.is_in_string;
    let kind = match &sides {
        [DifferingToken::Number(one), DifferingToken::Number(other)] => {
            match one.partial_cmp(other) {
                Some(Ordering::Less) => "a number against a greater one".into(),
                Some(Ordering::Greater) => "a number against a smaller one".into(),
                _ => "a number against another form of it".into(),
            }
        }
        [one, other] if is_in_text && one.is_value() && other.is_value() => {
            is_in_text = false;
            let than = match [left, right].map(|text| text[at..].starts_with('"')) {
                [true, _] => "a longer one",
                [_, true] => "a shorter one",
                _ => "another one",
            };
            format!("a text against {than}")
        }
        [DifferingToken::ClosingBracket, other] if !other.is_end() => {
            "fewer elements against more".into()
        }
        [one, DifferingToken::ClosingBracket] if !one.is_end() => {
            "more elements against fewer".into()
        }
        [one, other] => format!("{one} against {other}"),
    };
    match (context.field, is_in_text) {
        (Some(field), true) => format!("{kind} in the text of {field}"),
        (Some(field), false) => format!("{kind} in {field}"),
        (None, true) => format!("{kind} in a text"),
        (None, false) => kind,
    }
}

/// Returns the offset of the first character that differs.
fn first_difference(left: &str, right: &str) -> usize {
    let differs = left.chars().zip(right.chars()).position(|(a, b)| a != b);
    let same = |count| left.chars().take(count).map(char::len_utf8).sum();
    differs.map_or(left.len().min(right.len()), same)
}

/// The context at the end of a prefix of a `{:?}` form.
struct FieldContext<'t> {
    /// The offset at which the last token begins.
    start: usize,
    /// Whether the end is in a string.
    is_in_string: bool,
    /// The name of the innermost field or constructor around the end.
    field: Option<&'t str>,
}

impl<'t> FieldContext<'t> {
    /// Reads a text.
    fn of(text: &'t str) -> FieldContext<'t> {
        // The names of the open parts, each with the name of its current field.
        let mut open: Vec<(&str, Option<&str>)> = vec![("", None)];
        let (mut word, mut start, mut string) = (0..0, text.len(), None);
        let mut chars = text.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            if string == Some(char) {
                string = None;
                start = text.len();
                continue;
            }
            if string.is_some() {
                if char == '\\' {
                    chars.next();
                } else if is_of_word(char) {
                    if word.end != at {
                        word.start = at;
                    }
                    word.end = at + char.len_utf8();
                }
                continue;
            }
            if char == '\'' {
                // A character, such as `'"'`, does not begin a string.
                let end = at + character_literal(&text[at..]).unwrap_or(0);
                while chars.next_if(|&(at, _)| at < end).is_some() {}
                continue;
            }
            if is_of_word(char) {
                if word.end != at {
                    word.start = at;
                }
                word.end = at + char.len_utf8();
                continue;
            }
            let name = &text[word.clone()];
            match char {
                '"' => (string, start) = (Some(char), at),
                '{' | '(' | '[' => {
                    let is_named = word.end == text[..at].trim_end().len();
                    open.push((if is_named { name } else { "" }, None));
                }
                '}' | ')' | ']' if open.len() > 1 => {
                    open.pop();
                }
                ':' => open.last_mut().expect("the first is never removed").1 = Some(name),
                ',' => open.last_mut().expect("the first is never removed").1 = None,
                _ => {}
            }
        }
        if word.end == text.len() {
            start = word.start;
        } else if string.is_some() {
            start = text.len();
        }
        let named = open.into_iter().rev();
        let mut fields = named.map(|(name, field)| field.unwrap_or(name));
        FieldContext {
            start,
            is_in_string: string.is_some(),
            field: fields.find(|name| is_name(name)),
        }
    }
}

/// Returns the length of the `{:?}` form of a character at the start of a text, if there is one.
fn character_literal(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    let length = match first {
        '\\' => 1 + inside[1..].chars().next()?.len_utf8(),
        _ => first.len_utf8(),
    };
    let rest = &inside[length..];
    let end = match inside.starts_with("\\u{") {
        true => rest.find('\'')?,
        false => 0,
    };
    rest[end..]
        .starts_with('\'')
        .then_some(1 + length + end + 1)
}

/// Returns whether a character belongs to a word or to a number.
fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '.' | '-' | '+')
}

/// Returns whether a word is a name of the program and not a value of the input, as far as one can
/// tell.
fn is_name(word: &str) -> bool {
    let is_of_name = |char: char| char.is_ascii_alphabetic() || char == '_';
    !word.is_empty() && word.len() <= MAX_NAME && word.chars().all(is_of_name)
}

/// The token at a position of a text.
enum DifferingToken<'t> {
    End,
    Number(f64),
    Text,
    /// The name of a constructor, or a constant.
    Name(&'t str),
    Word,
    ClosingBracket,
    Character,
}

impl<'t> DifferingToken<'t> {
    /// Returns whether the token is anything other than the name of a constructor or a constant.
    fn is_value(&self) -> bool {
        !matches!(self, DifferingToken::Name(_))
    }

    /// Returns whether the token ends the list or the whole value.
    fn is_end(&self) -> bool {
        matches!(self, DifferingToken::End | DifferingToken::ClosingBracket)
    }

    /// Returns the token of a text that begins at the start of the last token of the context.
    fn at(text: &'t str, context: &FieldContext<'_>) -> DifferingToken<'t> {
        let rest = &text[context.start.min(text.len())..];
        let Some(first) = rest.chars().next() else {
            return DifferingToken::End;
        };
        match (context.is_in_string, first) {
            (true, '"') => return DifferingToken::End,
            (false, '"') => return DifferingToken::Text,
            _ => {}
        }
        let end = rest.find(|char| !is_of_word(char)).unwrap_or(rest.len());
        let word = &rest[..end];
        match word.parse() {
            Ok(number) if word.contains(|char: char| char.is_ascii_digit()) => {
                DifferingToken::Number(number)
            }
            _ if word.is_empty() && matches!(first, ']' | ')' | '}') => {
                DifferingToken::ClosingBracket
            }
            _ if word.is_empty() => DifferingToken::Character,
            // A string can have any word of the input. But a word before `(`, as in `"Ok(1)"`, is the
            // constructor of a printed value.
            _ if is_constant(word, !context.is_in_string || rest[end..].starts_with('(')) => {
                DifferingToken::Name(word)
            }
            _ => DifferingToken::Word,
        }
    }
}

/// Returns whether a name is a constant of many languages or, if `may_be_type`, looks like a constructor
/// in Rust.
fn is_constant(name: &str, may_be_type: bool) -> bool {
    const CONSTANTS: [&str; 8] = [
        "true",
        "false",
        "null",
        "nil",
        "none",
        "nan",
        "inf",
        "undefined",
    ];
    let is_camel_case = is_name(name)
        && name.starts_with(|char: char| char.is_ascii_uppercase())
        && name.contains(|char: char| char.is_ascii_lowercase());
    let unsigned = name.trim_start_matches(['-', '+']);
    let mut constants = CONSTANTS.iter();
    may_be_type && is_camel_case || constants.any(|one| one.eq_ignore_ascii_case(unsigned))
}

impl fmt::Display for DifferingToken<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferingToken::End => formatter.write_str("the end"),
            DifferingToken::Number(_) => formatter.write_str("a number"),
            DifferingToken::Text => formatter.write_str("a text"),
            DifferingToken::Name(name) => formatter.write_str(name),
            DifferingToken::Word => formatter.write_str("a word"),
            DifferingToken::ClosingBracket => formatter.write_str("a closing bracket"),
            DifferingToken::Character => formatter.write_str("a character"),
        }
    }
}

/// Displays both values of a disagreement, one after the other. For long values, shows only the
/// part around the first difference.
pub struct BothValues<'t> {
    left: (&'t str, &'t str),
    right: (&'t str, &'t str),
}

impl<'t> BothValues<'t> {
    /// Returns the values with their names, such as `left`.
    pub fn new(left: (&'t str, &'t str), right: (&'t str, &'t str)) -> BothValues<'t> {
        BothValues { left, right }
    }
}

impl fmt::Display for BothValues<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((one, left), (other, right)) = (self.left, self.right);
        let at = first_difference(left, right);
        let width = one.len().max(other.len());
        writeln!(formatter, "  {one:>width$}: {}", excerpt(left, at))?;
        write!(formatter, "  {other:>width$}: {}", excerpt(right, at))
    }
}

/// Returns the part of a text around an offset.
fn excerpt(text: &str, at: usize) -> String {
    let on_boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let from = on_boundary(at.min(text.len()).saturating_sub(BEFORE));
    let to = on_boundary(text.len().min(at + AFTER));
    let [before, after] = [from > 0, to < text.len()].map(|is_cut| if is_cut { "…" } else { "" });
    format!("{before}{}{after}", &text[from..to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    #[allow(dead_code, reason = "they are formatted")]
    enum Expression {
        Number(f64),
        Name(&'static str),
        Sum {
            left: Box<Expression>,
            limit: Option<u8>,
        },
    }
    use Expression::{Name, Number, Sum};

    fn sum(left: Expression, limit: Option<u8>) -> String {
        let left = Box::new(left);
        format!("{:?}", Sum { left, limit })
    }

    #[test]
    fn the_kind_says_the_field_and_both_sides() {
        let cases = [
            (
                sum(Number(1.0), None),
                sum(Number(12.5), None),
                "a number against a greater one in Number",
            ),
            (
                sum(Number(-1.0), None),
                sum(Number(-1.5), None),
                "a number against a smaller one in Number",
            ),
            (
                sum(Number(1.0), Some(3)),
                sum(Number(1.0), None),
                "Some against None in limit",
            ),
            (
                sum(Name("a"), None),
                sum(Number(1.0), None),
                "Name against Number in left",
            ),
            (
                sum(Name("a b"), None),
                sum(Name("a c{"), None),
                "a text against another one in Name",
            ),
            (
                sum(Name("a\"{"), Some(1)),
                sum(Name("a\"{"), Some(2)),
                "a number against a greater one in Some",
            ),
            (
                format!("{:?}", "Ok(1)"),
                format!("{:?}", "Err(Refused)"),
                "Ok against Err in a text",
            ),
            ("[1, 2]".into(), "[1]".into(), "more elements against fewer"),
            (
                format!("{:?}", [Some("ab")]),
                format!("{:?}", [Some("a!")]),
                "a text against another one in Some",
            ),
            (
                format!("{:?}", [Some("ab")]),
                format!("{:?}", [Some("abc")]),
                "a text against a longer one in Some",
            ),
            (
                format!("{:?}", Vec::<u8>::new()),
                format!("{:?}", [Some(1)]),
                "fewer elements against more",
            ),
            (
                "[1, 2".into(),
                "[1, 2]".into(),
                "the end against a closing bracket",
            ),
            ("".into(), "".into(), "the end against the end"),
            (
                "1.0".into(),
                "1.00".into(),
                "a number against another form of it",
            ),
            ("NaN".into(), "0".into(), "NaN against a number"),
            ("-inf".into(), "inf".into(), "-inf against inf"),
            (
                "F(-inf)".into(),
                "F(2.0)".into(),
                "-inf against a number in F",
            ),
            (
                format!("{:?}", (Some('"'), Some(true))),
                format!("{:?}", (Some('"'), Some(false))),
                "true against false in Some",
            ),
            (
                "{ quote: '\\'', escape: '\\u{1}', is_set: true }".into(),
                "{ quote: '\\'', escape: '\\u{1}', is_set: false }".into(),
                "true against false in is_set",
            ),
            (
                "select a".into(),
                "select b".into(),
                "a word against a word",
            ),
            ("ä".into(), "ö".into(), "a word against a word"),
            (
                "a \u{1}".into(),
                "a \u{2}".into(),
                "a character against a character",
            ),
        ];
        for (left, right, expected) in cases {
            assert_eq!(kind(&left, &right), expected, "{left} {right}");
        }
    }

    #[test]
    fn any_two_texts_have_a_kind_of_one_line() {
        use rand::rngs::SmallRng;
        use rand::{RngExt, SeedableRng};
        let mut rng = SmallRng::seed_from_u64(1);
        let parts = [
            "a", "1", "\"", "'", "\\", "{", "}", "(", ")", ": ", ", ", "ü", "\n", "-", "Some",
        ];
        for _ in 0..20_000 {
            let [left, right]: [String; 2] = std::array::from_fn(|_| {
                let count = rng.random_range(0..12);
                let parts = (0..count).map(|_| parts[rng.random_range(0..parts.len())]);
                parts.collect()
            });
            let kind = kind(&left, &right);
            assert!(!kind.contains(": ") && !kind.contains('\n'), "{kind}");
        }
    }

    #[test]
    fn of_long_values_the_part_with_the_difference_is_shown() {
        let long = |end: &str| "ü".repeat(1_000) + end + &"x".repeat(1_000);
        let values = BothValues::new(("left", "1"), ("right", "2")).to_string();
        assert_eq!(values, "   left: 1\n  right: 2");
        let values = BothValues::new(("a", &long("1")), ("b", &long("2"))).to_string();
        let lines: Vec<&str> = values.lines().collect();
        assert!(
            lines[0].contains("ü1x") && lines[1].contains("ü2x"),
            "{values}"
        );
        assert!(lines.iter().all(|line| line.len() < BEFORE + AFTER + 20));
    }
}
