//! Sets of characters in ANTLR grammars.

use super::lexer::escape;
use crate::import::class::CharacterClass;

/// The class of `'a'..'z'`.
pub fn range(from: &str, to: &str) -> Option<CharacterClass> {
    let only = |text: &str| {
        let mut characters = text.chars();
        let first = characters.next()?;
        characters.next().is_none().then_some(u32::from(first))
    };
    let (from, to) = (only(from)?, only(to)?);
    (from <= to).then(|| CharacterClass::new([(from, to)]))
}

/// Reads what stands between the brackets of a set.
pub fn parse(raw: &str) -> Option<CharacterClass> {
    let mut classes: Vec<CharacterClass> = Vec::new();
    let mut characters = raw.chars();
    // The character that may begin a range.
    let mut last: Option<u32> = None;
    while let Some(c) = characters.next() {
        if c == '-' && last.is_some() && !characters.as_str().is_empty() {
            let from = last.take()?;
            let to = match characters.next()? {
                '\\' => escape(&mut characters)?,
                c => c.into(),
            };
            if from > to {
                return None;
            }
            classes.push(CharacterClass::new([(from, to)]));
            continue;
        }
        let rest = characters.as_str();
        if c == '\\' && rest.starts_with(['p', 'P']) {
            let end = rest.find('}')?;
            classes.push(property(&rest[..=end])?);
            characters = rest[end + 1..].chars();
            last = None;
            continue;
        }
        let code = match c {
            '\\' => escape(&mut characters)?,
            c => c.into(),
        };
        classes.push(CharacterClass::new([(code, code)]));
        last = Some(code);
    }
    Some(CharacterClass::union_of(&classes))
}

/// Returns the class of a property, such as `p{Lu}`.
fn property(text: &str) -> Option<CharacterClass> {
    let name = text[1..].strip_prefix('{')?.strip_suffix('}')?;
    let sign = &text[..1];
    CharacterClass::parse(&format!("\\{sign}{{{name}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_ranges_escapes_and_properties() {
        let class = parse(r"a-c\]\-\\\u0041\u{1F600}_-").unwrap();
        for c in "abc]-\\A\u{1F600}_".chars() {
            assert!(class.contains(c), "{c}");
        }
        assert!(!class.contains('d') && !class.contains('['));
        assert!(parse(r"\p{Lu}0").unwrap().contains('Ä'));
        assert_eq!(parse(r"\p{Nonsense}"), None);
        assert_eq!(parse(r"\u00"), None);
        assert_eq!(range("a", "z").unwrap().ranges(), [(97, 122)]);
        assert_eq!(range("ab", "z"), None);
    }
}
