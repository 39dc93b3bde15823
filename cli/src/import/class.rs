//! Sets of characters.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// The largest code point.
const LAST: u32 = 0x10_FFFF;

/// A set of characters: sorted ranges of code points that do not touch each other. A range may go over the
/// surrogates, which are no characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CharacterClass {
    ranges: Vec<(u32, u32)>,
    /// The class in the syntax of the regex crate, if it was written with names of properties.
    named: Option<String>,
}

impl From<&ClassUnicode> for CharacterClass {
    fn from(class: &ClassUnicode) -> CharacterClass {
        let ranges = class.iter();
        CharacterClass {
            ranges: ranges
                .map(|range| (range.start().into(), range.end().into()))
                .collect(),
            named: None,
        }
    }
}

/// The set of some ranges. Surrogates are left out.
fn unicode(ranges: impl IntoIterator<Item = (u32, u32)>) -> ClassUnicode {
    let characters = ranges.into_iter().filter_map(|(from, to)| {
        let to = to.min(LAST);
        let is_range = from <= to;
        let from = char::from_u32(from).unwrap_or('\u{E000}');
        let to = char::from_u32(to).unwrap_or('\u{D7FF}');
        (is_range && from <= to).then(|| ClassUnicodeRange::new(from, to))
    });
    ClassUnicode::new(characters)
}

impl CharacterClass {
    /// The class of some ranges, both ends included. Ranges from a larger to a smaller code point
    /// are empty, and surrogates are left out.
    pub fn new(ranges: impl IntoIterator<Item = (u32, u32)>) -> CharacterClass {
        CharacterClass::from(&unicode(ranges))
    }

    /// The class after an operation on its set, without its name.
    fn with(&self, operation: impl FnOnce(&mut ClassUnicode)) -> CharacterClass {
        let mut set = unicode(self.ranges.iter().copied());
        operation(&mut set);
        CharacterClass::from(&set)
    }

    /// The class of some characters.
    pub fn of(characters: &str) -> CharacterClass {
        CharacterClass::new(characters.chars().map(|c| (c.into(), c.into())))
    }

    pub fn any() -> CharacterClass {
        CharacterClass::new([(0, LAST)])
    }

    /// Reads a class in the syntax of the regex crate, such as `[a-z]`, `\d` or `\p{Letter}`.
    /// Returns [`None`] if it is no class.
    pub fn parse(text: &str) -> Option<CharacterClass> {
        let hir = regex_syntax::ParserBuilder::new()
            .build()
            .parse(text)
            .ok()?;
        let mut class = match hir.kind() {
            HirKind::Class(Class::Unicode(class)) => CharacterClass::from(class),
            // A class of one character.
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).ok()?;
                (text.chars().count() == 1).then(|| CharacterClass::of(text))?
            }
            _ => return None,
        };
        if class.ranges.len() > 8 && text.contains("\\p") {
            class.named = Some(text.trim_start_matches('[').trim_end_matches(']').into());
            if text.starts_with('[') != text.ends_with(']') || text.contains("[^") {
                class.named = None;
            }
        }
        Some(class)
    }

    /// The ranges of code points.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Whether the class contains no character.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The only character of the class, if it has one.
    pub fn only(&self) -> Option<char> {
        match self.ranges[..] {
            [(from, to)] if from == to => char::from_u32(from),
            _ => None,
        }
    }

    /// Whether the class contains a character.
    pub fn contains(&self, character: char) -> bool {
        let code = u32::from(character);
        let at = self.ranges.partition_point(|range| range.1 < code);
        self.ranges.get(at).is_some_and(|range| range.0 <= code)
    }

    /// The characters of either class.
    pub fn union(&self, other: &CharacterClass) -> CharacterClass {
        CharacterClass::union_of(&[self.clone(), other.clone()])
    }

    /// Whether the classes share a character.
    pub fn meets(&self, other: &CharacterClass) -> bool {
        let set = unicode(other.ranges.iter().copied());
        !self.with(|all| all.intersect(&set)).is_empty()
    }

    /// Whether the other class has all characters of this one.
    pub fn is_within(&self, other: &CharacterClass) -> bool {
        self.minus(other).is_empty()
    }

    /// The union of classes. Sorts their ranges only once.
    pub fn union_of(classes: &[CharacterClass]) -> CharacterClass {
        let ranges = classes.iter().flat_map(|class| &class.ranges).copied();
        let mut all = CharacterClass::new(ranges);
        if classes.iter().any(|class| class.named.is_some()) {
            let names = classes
                .iter()
                .map(|class| class.named.clone().unwrap_or_else(|| class.items(false)));
            all.named = Some(names.collect());
        }
        all
    }

    /// All other characters.
    pub fn complement(&self) -> CharacterClass {
        let mut complement = self.with(ClassUnicode::negate);
        complement.named = self.named.as_ref().map(|text| {
            text.strip_prefix('^')
                .map_or_else(|| format!("^{text}"), Into::into)
        });
        complement
    }

    /// The characters of this class that the other one does not contain.
    pub fn minus(&self, other: &CharacterClass) -> CharacterClass {
        let set = unicode(other.ranges.iter().copied());
        self.with(|all| all.difference(&set))
    }

    /// The class with the upper and the lower case of its ASCII letters.
    pub fn with_both_cases(&self) -> CharacterClass {
        let letters = ('A'..='Z').zip('a'..='z');
        self.with_cases(letters.flat_map(|(upper, lower)| [[upper, lower], [lower, upper]]))
    }

    /// The class with the upper and the lower case of all of its letters: those that Unicode maps to one
    /// character, as ANTLR does it.
    pub fn with_all_cases(&self) -> CharacterClass {
        self.with_cases(case_pairs().iter().copied())
    }

    /// The class with the other case of its letters. Each pair is a letter and its other case.
    fn with_cases(&self, pairs: impl Iterator<Item = [char; 2]>) -> CharacterClass {
        let other = pairs
            .filter(|pair| self.contains(pair[0]))
            .map(|pair| (pair[1].into(), pair[1].into()));
        let mut class = CharacterClass::new(self.ranges.iter().copied().chain(other));
        class.named = self.named.clone().filter(|_| class.ranges == self.ranges);
        class
    }

    /// The class in zester's notation. In a grammar of `bytes`, code points are bytes.
    pub fn written(&self, bytes: bool) -> String {
        if let (Some(named), false) = (&self.named, bytes) {
            return format!("[{named}]");
        }
        let last = if bytes { '\u{FF}' } else { char::MAX };
        let all = CharacterClass::new([(0, last.into())]);
        let others = all.minus(self);
        match self.contains(last) && !others.is_empty() {
            true => format!("[^{}]", others.items(bytes)),
            false => format!("[{}]", all.minus(&others).items(bytes)),
        }
    }

    /// What stands between the brackets.
    fn items(&self, bytes: bool) -> String {
        let mut text = String::new();
        for &(from, to) in &self.ranges {
            character(from, bytes, &mut text);
            match to - from {
                0 => {}
                1 => character(to, bytes, &mut text),
                _ => {
                    text.push('-');
                    character(to, bytes, &mut text);
                }
            }
        }
        text
    }
}

/// All letters with another case, each with that case.
fn case_pairs() -> &'static [[char; 2]] {
    static PAIRS: OnceLock<Vec<[char; 2]>> = OnceLock::new();
    PAIRS.get_or_init(|| {
        let only = |mut all: Box<dyn Iterator<Item = char>>| {
            let first = all.next()?;
            all.next().is_none().then_some(first)
        };
        let cases = |c: char| {
            let lower = only(Box::new(c.to_lowercase()));
            let both = [lower, only(Box::new(c.to_uppercase()))];
            both.into_iter().flatten().map(move |other| [c, other])
        };
        let all = '\0'..=char::MAX;
        all.flat_map(cases)
            .filter(|[one, other]| one != other)
            .collect()
    })
}

/// Writes a character of a class.
fn character(code: u32, bytes: bool, text: &mut String) {
    match char::from_u32(code) {
        Some('\n') => text.push_str("\\n"),
        Some('\r') => text.push_str("\\r"),
        Some('\t') => text.push_str("\\t"),
        Some(c) if c.is_ascii_alphanumeric() || c == '_' || c == ' ' => text.push(c),
        Some(c) if c.is_ascii_graphic() => {
            if matches!(c, '\\' | ']' | '[' | '^' | '-' | '&' | '~') {
                text.push('\\');
            }
            text.push(c);
        }
        _ if code <= 0x7F || bytes => text.push_str(&format!("\\x{code:02X}")),
        _ => text.push_str(&format!("\\u{{{code:X}}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_classes_are_read_as_the_same_class() {
        for text in [
            "[a-z]",
            "[^a]",
            "[0-9A-Za-z_]",
            r"[\]\[\\^\-&~]",
            r"\p{L}",
            r"[^\p{L}\d]",
            "[^\"\\\\\n]",
            r"[\u{80}-\u{10FFFF}]",
            "[é]",
            "(?s:.)",
        ] {
            let class = CharacterClass::parse(text).unwrap();
            let written = class.written(false);
            assert_eq!(
                CharacterClass::parse(&written).unwrap().ranges(),
                class.ranges(),
                "{text}: {written}"
            );
            let other = class.complement();
            assert_eq!(
                CharacterClass::parse(&other.written(false))
                    .unwrap_or(CharacterClass::new([]))
                    .ranges(),
                other.ranges(),
                "{text}"
            );
        }
        assert_eq!(CharacterClass::of("cab").written(false), "[a-c]");
        assert_eq!(
            CharacterClass::parse("[a-c]")
                .unwrap()
                .with_both_cases()
                .written(false),
            "[A-Ca-c]"
        );
        let cases = CharacterClass::of("aЖäßK").with_all_cases();
        assert_eq!(cases, CharacterClass::of("aAЖжäÄßKk"));
        let around = CharacterClass::new([(0xD000, 0xD800), (0xDFFF, 0xE001), (0xDC00, 0xDD00)]);
        assert_eq!(around.ranges(), [(0xD000, 0xD7FF), (0xE000, 0xE001)]);
        let (one, other) = (CharacterClass::of("abx"), CharacterClass::of("bcdy"));
        assert_eq!(one.minus(&other), CharacterClass::of("ax"));
        assert!(one.meets(&other) && !one.is_within(&other));
        assert_eq!(
            CharacterClass::any()
                .minus(&CharacterClass::of("\n"))
                .written(true),
            "[^\\n]"
        );
        assert_eq!(
            CharacterClass::parse(r"[\p{L}_]")
                .unwrap()
                .union(&CharacterClass::of("-"))
                .written(false),
            r"[\p{L}_\-]"
        );
    }
}
