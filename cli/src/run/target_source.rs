//! The source file of a fuzz target: the body of its `fuzz_target!`.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::fuzz_crate::FuzzCrate;

/// What the body of a target takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Text,
    Bytes,
}

/// Writes the type in Rust.
impl fmt::Display for InputKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            InputKind::Text => "&str",
            InputKind::Bytes => "&[u8]",
        })
    }
}

/// The source of a fuzz target.
#[derive(Debug, PartialEq, Eq)]
pub struct TargetSource {
    pub kind: InputKind,
    /// The name of the parameter of the body.
    pub parameter: String,
    /// The body: a block or another expression.
    pub body: String,
    /// The other items of the file, such as `use` and functions.
    pub others: String,
}

impl TargetSource {
    /// Finds the source of a built target: `fuzz_targets/NAME.rs` in a directory above the program, or
    /// in the fuzz crate of the current directory.
    pub fn find(target: &Path) -> Option<TargetSource> {
        let mut file = PathBuf::from(target.file_name()?);
        file.set_extension("rs");
        let program = target.canonicalize().ok()?;
        let above = program.ancestors().skip(1).map(Path::to_path_buf);
        let own = FuzzCrate::find(None).ok().map(|found| found.directory);
        let files = above
            .chain(own)
            .map(|directory| directory.join("fuzz_targets").join(&file));
        let text = files
            .into_iter()
            .find_map(|file| std::fs::read_to_string(file).ok())?;
        TargetSource::parse(&text)
    }

    /// Parses the source of a target. Returns [`None`] if it has no `fuzz_target!` whose body takes
    /// a text or bytes.
    fn parse(text: &str) -> Option<TargetSource> {
        let is_code = code(text);
        let start = text
            .match_indices("fuzz_target!")
            .map(|(at, _)| at)
            .find(|&at| is_code[at])?;
        let open = start + text[start..].find(['(', '{', '['])?;
        let close = closing(text, &is_code, open)?;
        let inside = &text[open + 1..close];
        let (before, kind, after) = [(": &str|", InputKind::Text), (": &[u8]|", InputKind::Bytes)]
            .iter()
            .find_map(|(parameter, kind)| {
                let (before, after) = inside.split_once(parameter)?;
                Some((before, *kind, after))
            })?;
        let (_, parameter) = before.rsplit_once('|')?;
        let body = after.trim().trim_end_matches(',').trim_end();
        // The call begins with a path such as `zester::`, and ends with a semicolon.
        let head = text[..start]
            .trim_end_matches(|char: char| char.is_alphanumeric() || char == '_' || char == ':');
        let tail = text[close + 1..].trim_start_matches([' ', ';']);
        Some(TargetSource {
            kind,
            parameter: parameter.trim().into(),
            body: body.into(),
            others: items(head, tail),
        })
    }
}

/// Returns the items of a source file without its attributes and its documentation.
fn items(head: &str, tail: &str) -> String {
    let is_item = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("#![") && !line.starts_with("//!")
    };
    let [head, tail] = [head, tail].map(|text| {
        let lines: Vec<&str> = text.lines().filter(is_item).collect();
        lines.join("\n")
    });
    format!("{}\n\n{}", head.trim(), tail.trim()).trim().into()
}

/// Returns for each byte of a source text whether it is code, and neither in a comment nor in a string
/// or character literal.
fn code(text: &str) -> Vec<bool> {
    let bytes = text.as_bytes();
    let mut is_code = vec![true; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let is_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        let length = match rest {
            [b'/', b'/', ..] => find(rest, b"\n", 2),
            [b'/', b'*', ..] => comment(rest),
            [b'"', ..] => quoted(rest),
            [b'r', b'"' | b'#', ..] if !is_word => raw(rest).unwrap_or(0),
            [b'b', b'r', b'"' | b'#', ..] if !is_word => {
                raw(&rest[1..]).map_or(0, |length| length + 1)
            }
            // A lifetime is no character literal.
            [b'\'', b'\\', ..] => find(rest, b"'", 3),
            [b'\'', ..] => character(&text[at..]).unwrap_or(0),
            _ => 0,
        };
        let end = (at + length).min(bytes.len());
        is_code[at..end].fill(false);
        at = end.max(at + 1);
    }
    is_code
}

/// Returns the length of the bytes up to the end of `wanted`, which is searched from an offset.
fn find(bytes: &[u8], wanted: &[u8], from: usize) -> usize {
    let windows = bytes.get(from..).unwrap_or_default().windows(wanted.len());
    windows
        .into_iter()
        .position(|found| found == wanted)
        .map_or(bytes.len(), |at| from + at + wanted.len())
}

/// Returns the length of a comment that begins with `/*`. It may contain others.
fn comment(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Returns the length of a character literal without an escape sequence.
fn character(text: &str) -> Option<usize> {
    let length = 1 + text[1..].chars().next()?.len_utf8();
    text[length..].starts_with('\'').then_some(length + 1)
}

/// Returns the length of a string literal.
fn quoted(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Returns the length of a raw string literal, which begins with `r`. Returns [`None`] if it is a raw
/// identifier.
fn raw(bytes: &[u8]) -> Option<usize> {
    let hashes = bytes[1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(1 + hashes) != Some(&b'"') {
        return None;
    }
    let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
    Some(find(bytes, &end, hashes + 2))
}

/// Returns the position of the bracket that closes the one at `open`.
fn closing(text: &str, is_code: &[bool], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' if is_code[at] => depth += 1,
            b')' | b']' | b'}' if is_code[at] => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_found() {
        let source = r##"//! Runs rules. fuzz_target!(no)
#![no_main]
use rules::evaluate;

zester::fuzz_target!(grammar: "../a(.ebnf", post_process: f, |text: &str| {
    // An unbalanced ) in a comment, in a string and as a character.
    /* /* Nested. */ ) */
    let all = ("):", ')', r#"")"#, 'a', ['é',')','é']);
    evaluate(text, all)
});

fn f<'a>(_: &'a mut String) {}
"##;
        let found = TargetSource::parse(source).unwrap();
        assert_eq!((found.kind, &*found.parameter), (InputKind::Text, "text"));
        assert!(found.body.starts_with("{\n    // An"), "{}", found.body);
        assert!(
            found.body.ends_with("evaluate(text, all)\n}"),
            "{}",
            found.body
        );
        assert_eq!(
            found.others,
            "use rules::evaluate;\n\nfn f<'a>(_: &'a mut String) {}"
        );
    }

    #[test]
    fn an_expression_is_a_body_and_values_have_none() {
        let found =
            TargetSource::parse("fuzz_target!(grammar: \"a\", |data: &[u8]| parse(data, \"|\"),);");
        let found = found.unwrap();
        assert_eq!(
            (found.kind, &*found.body),
            (InputKind::Bytes, "parse(data, \"|\")")
        );
        assert_eq!(found.others, "");
        for other in [
            "fuzz_target!(|calls: Vec<Call>| f(calls));",
            "fn main() {}",
            "fuzz_target!((",
        ] {
            assert_eq!(TargetSource::parse(other), None, "{other}");
        }
    }
}
