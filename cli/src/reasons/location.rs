//! Finds the offset in a sentence that a location of a reason names.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A line and a column: `line 3, column 17`, `line 3`.
static LINE: LazyLock<Regex> = LazyLock::new(|| expression(r"(?i)^lines?\D*(\d+)(?:\D+(\d+))?$"));

/// A byte offset, or the first of two: `12`, `12..15`, `offset 12`, `byte 12`.
static OFFSET: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"(?i)^(?:byte offset|offset|position|byte)?:?\s*(\d+)(?:\.\.=?\d+)?$")
});

/// A line and a column, after the name of a file if there is one: `3:17`, `file.c:3:17`, `3:17-4:1`.
static COLUMN: LazyLock<Regex> =
    LazyLock::new(|| expression(r"^(?:.*?:)?(\d+):(\d+)(?:(?:-|\.\.=?)[\d:]+)?$"));

/// A line after the name of a file: `file.c:3`.
static FILE: LazyLock<Regex> = LazyLock::new(|| expression(r":(\d+)$"));

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("the expression is correct")
}

/// Returns the offset in a sentence that a location names. A location is a line and a column, both
/// from 1, or a byte offset. Columns are counted in bytes; column 0 means the same as column 1. A line
/// without a column means its first byte that is not blank.
///
/// Returns [`None`] if the location is only a path, or if it is not inside the sentence.
pub fn offset(location: &str, sentence: &[u8]) -> Option<usize> {
    let number =
        |captures: &Captures<'_>, at| -> Option<usize> { captures.get(at)?.as_str().parse().ok() };
    let found = if let Some(captures) = OFFSET.captures(location) {
        number(&captures, 1)?
    } else {
        let captures = [&*LINE, &*COLUMN, &*FILE]
            .iter()
            .find_map(|expression| expression.captures(location))?;
        let (from, line) = line(number(&captures, 1)?, sentence)?;
        let has_column = captures.get(2).is_some();
        let within = match has_column {
            true => number(&captures, 2)?.saturating_sub(1),
            false => line.iter().position(|byte| !byte.is_ascii_whitespace())?,
        };
        // A location at the end of a line is that of its line break.
        if within > line.len() {
            return None;
        }
        from + within
    };
    (found < sentence.len()).then_some(found)
}

/// Returns a line of a sentence, counted from 1, and the offset of its beginning.
fn line(number: usize, sentence: &[u8]) -> Option<(usize, &[u8])> {
    let mut from = 0;
    let mut lines = sentence.split(|&byte| byte == b'\n');
    for _ in 1..number {
        from += lines.next()?.len() + 1;
    }
    lines.next().filter(|_| number > 0).map(|line| (from, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_offsets() {
        let sentence = b"ab\n  cd\nef";
        for (location, expected) in [
            ("1:1", Some(0)),
            ("1:2", Some(1)),
            ("1:3", Some(2)),
            ("1:4", None),
            ("2:3", Some(5)),
            ("2:0", Some(3)),
            ("3:2", Some(9)),
            ("3:3", None),
            ("4:1", None),
            ("0:1", None),
            ("2:3-2:5", Some(5)),
            ("2:3..5", Some(5)),
            ("a.c:2:3", Some(5)),
            ("/tmp/a1.c:2:3", Some(5)),
            ("<string>:2", Some(5)),
            ("z:3", Some(8)),
            ("[string \"1:2\"]:3", Some(8)),
            ("line 2, column 3", Some(5)),
            ("line 2 col 3", Some(5)),
            ("Line 2", Some(5)),
            ("line: 2", Some(5)),
            ("line 2:3", Some(5)),
            ("0..2", Some(0)),
            ("9..=9", Some(9)),
            ("9", Some(9)),
            ("10", None),
            ("offset 4", Some(4)),
            ("byte offset: 4", Some(4)),
            ("/a/b.c", None),
            ("99999999999999999999999:1", None),
            ("", None),
        ] {
            assert_eq!(offset(location, sentence), expected, "{location}");
        }
        assert_eq!(offset("1:1", b""), None);
        assert_eq!(offset("line 1", b"  \n"), None);
    }
}
