//! Splits a reason into words of the message and details, such as numbers and quoted parts.

use std::mem;
use std::sync::LazyLock;

use regex::Regex;

/// A part of a reason that a placeholder replaces in the pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    pub kind: DetailKind,
    /// The text without quotation marks.
    pub text: String,
}

/// The kind of a detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailKind {
    Number,
    Quoted,
    /// A line and a column, an offset, or a path. Output calls it `place`.
    Location,
    /// A word that the sentence has.
    Name,
}

impl DetailKind {
    /// Returns the placeholder of the kind.
    pub fn placeholder(self) -> &'static str {
        match self {
            DetailKind::Number => "‹number›",
            DetailKind::Quoted => "‹quoted›",
            DetailKind::Location => "‹place›",
            DetailKind::Name => "‹name›",
        }
    }

    /// Returns the kind as one word.
    pub fn name(self) -> &'static str {
        self.placeholder().trim_matches(['‹', '›'])
    }
}

/// A part of a reason.
#[derive(Debug)]
pub enum ReasonPart {
    /// Words and punctuation of the message.
    Text(String),
    Detail(Detail),
}

impl ReasonPart {
    /// Makes a name a part of the message.
    pub fn keep_name(&mut self) {
        if let ReasonPart::Detail(detail) = self
            && detail.kind == DetailKind::Name
        {
            *self = ReasonPart::Text(mem::take(&mut detail.text));
        }
    }
}

/// The parts of a reason. At each position, the first alternative that matches is taken. Words are
/// matched as a whole, so no other part begins inside a word: `can't` has no quoted part, and `a1` no
/// number.
static PART: LazyLock<Regex> = LazyLock::new(|| {
    let location = r#"
          lines?:?\ \d+ (?: :\d+ | ,?\ (?:column|col|character|char|position|pos)\b[.:]?\ ?\d+ )?
        | (?: byte\ offset | offset | position | byte ):?\ \d+ (?: \.\.=?\d+ )?
        | \[string\ "[^"]*"\] (?: :\d+ )+
        | [\w./\\~<+-]* [\w>] :\d+:\d+\b (?: (?: - | \.\.=? ) \d+ (?: :\d+ )? )?
        | ^ \w+ :\d+\b
        | [\w/\\~<+-]* [./\\<] [\w./\\<+-]* [\w>] :\d+\b
        | \d+:\d+\b (?: (?: - | \.\.=? ) \d+ (?: :\d+ )? )?
        | \b{start-half} (?: ~ | \.\.? ) (?: /[\w.+@-]+ )+
        | \b{start-half} (?: /[\w.+@-]+ ){2,}
        | \w[\w.+@-]* (?: /[\w.+@-]+ )* / [\w+-]+ \. [a-z]\w*
    "#;
    let quoted = r#"
          """ | "(?:[^"\\]|\\.)*" | "[^"]*" | "[^"]*$
        | ''' | '[^'\s]*(?:'\w[^'\s]*)*'\b{end-half} | '[^']*'
        | `[^`']*[`'] | `[^`']*$
        | \\[\w\\'"`]
        | ‘[^’]*’ | ‘[^’]*$ | “[^”]*” | “[^”]*$ | „[^“”]*[“”] | «[^»]*» | «[^»]*$ | ‹[^›]*›
    "#;
    let number = r"
          \d+\.\.=?\d+
        | (?: \b{start-half} - )? (?: 0x[0-9a-f]+ | 0b[01]+ | \d[\d_]* (?: \.\d+ )? (?: e[+-]?\d+ )? )
    ";
    let word = r"\w+(?:['’]\w+)*['’]?";
    let all = format!(
        r"(?ix) (?<time> \d+:\d+:\d+ ) | (?<location> {location} ) | (?<quoted> {quoted} ) | (?<number> {number} ) | (?<word> {word} )"
    );
    Regex::new(&all).expect("the expression is correct")
});

/// Words that a name follows, sorted: `function f`, `column a`.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "attribute", "class", "column", "constant", "constructor", "extension", "field", "filter",
    "function", "functions", "identifier", "index", "keyword", "label", "macro", "member", "method",
    "module", "name", "named", "operator", "option", "parameter", "pragma", "procedure", "property",
    "schema", "struct", "symbol", "table", "trigger", "type", "variable", "view",
];

/// Where a word stands in a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPosition {
    /// Alone between punctuation, as in `no such column: a`.
    Alone,
    /// After a word of [`NOUNS`], as in `column a`, or before `()`.
    Named,
    Other,
}

/// Splits a line. `is_name` says whether a word is a name.
pub fn split(line: &str, is_name: &dyn Fn(&str, WordPosition) -> bool) -> Vec<ReasonPart> {
    let (mut parts, mut text, mut end) = (Vec::new(), String::new(), 0);
    let mut add = |text: &mut String, kind, detail: &str| {
        if !text.is_empty() {
            parts.push(ReasonPart::Text(mem::take(text)));
        }
        let text = detail.into();
        parts.push(ReasonPart::Detail(Detail { kind, text }));
    };
    for captures in PART.captures_iter(line) {
        let part = captures.get_match();
        text.push_str(&line[end..part.start()]);
        end = part.end();
        let (before, part, after) = (&line[..part.start()], part.as_str(), &line[end..]);
        if captures.name("location").is_some() {
            add(&mut text, DetailKind::Location, part);
        } else if captures.name("quoted").is_some() {
            add(&mut text, DetailKind::Quoted, unquoted(part));
        } else if captures.name("number").is_some() || captures.name("time").is_some() {
            let is_location =
                follows_at(before) && part.bytes().all(|b| b == b'.' || b.is_ascii_digit());
            let kind = match is_location {
                true => DetailKind::Location,
                false => DetailKind::Number,
            };
            add(&mut text, kind, part);
        } else {
            let word = part.trim_end_matches(['\'', '’']);
            let position = if stands_alone(before, after) {
                WordPosition::Alone
            } else if follows_noun(before) || after.starts_with("()") {
                WordPosition::Named
            } else {
                WordPosition::Other
            };
            if is_name(word, position) {
                add(&mut text, DetailKind::Name, word);
                text.push_str(&part[word.len()..]);
            } else {
                text.push_str(part);
            }
        }
    }
    text.push_str(&line[end..]);
    if !text.is_empty() {
        parts.push(ReasonPart::Text(text));
    }
    parts
}

/// Returns the words of a text: runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !is_of_word(char))
        .filter(|word| !word.is_empty())
}

/// Returns whether the word before a number is `at`, so that the number is an offset.
fn follows_at(before: &str) -> bool {
    let last = before
        .strip_suffix(' ')
        .and_then(|before| words(before).last());
    last.is_some_and(|word| word.eq_ignore_ascii_case("at")) && !before.ends_with(": ")
}

/// Returns whether a word between these texts follows a colon, and punctuation or nothing follows it.
/// A part of a path such as `main.t` does if the path does.
fn stands_alone(before: &str, after: &str) -> bool {
    let mut before = before;
    while let Some(path) = before.strip_suffix('.').or(before.strip_suffix("::")) {
        before = path.trim_end_matches(is_of_word);
    }
    before.trim_end().ends_with(':') && !after.trim_start().starts_with(char::is_alphanumeric)
}

/// Returns whether a word after this text follows a word of [`NOUNS`].
fn follows_noun(before: &str) -> bool {
    let noun = |before: &str| {
        let noun = words(before).last()?.to_lowercase();
        Some(NOUNS.binary_search(&&*noun).is_ok())
    };
    before
        .strip_suffix(' ')
        .filter(|before| before.ends_with(is_of_word))
        .and_then(noun)
        == Some(true)
}

/// Returns whether a character can be part of a word.
fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Returns a quoted part without its quotation marks. The second mark is missing if the reason was
/// cut.
fn unquoted(part: &str) -> &str {
    let mut chars = part.chars();
    let first = chars.next();
    let inner = chars.as_str();
    let closing: &[char] = match first {
        Some('`') => &['`', '\''],
        Some('‘') => &['’'],
        Some('“') => &['”'],
        Some('„') => &['“', '”'],
        Some('«') => &['»'],
        Some('‹') => &['›'],
        Some('\'') => &['\''],
        _ => &['"'],
    };
    inner.strip_suffix(closing).unwrap_or(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nouns_are_sorted() {
        assert!(NOUNS.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn words_have_positions() {
        for (before, after, expected) in [
            ("no such table: ", "", WordPosition::Alone),
            ("no such table: main.", "", WordPosition::Alone),
            ("no such table: ", " here", WordPosition::Other),
            ("function ", " is unknown", WordPosition::Named),
            ("call of ", "()", WordPosition::Named),
            ("function: of ", " is", WordPosition::Other),
            ("", " is", WordPosition::Other),
        ] {
            let position = std::cell::Cell::new(None);
            let note = |word: &str, found: WordPosition| {
                if word == "x" {
                    position.set(Some(found));
                }
                false
            };
            split(&format!("{before}x{after}"), &note);
            assert_eq!(position.get(), Some(expected), "{before}x{after}");
        }
    }
}
