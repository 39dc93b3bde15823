//! Rust tests of inputs that failed, for `zester run --as-test`.

use std::collections::BTreeSet;
use std::path::Path;

use super::target_source::{InputKind, TargetSource};
use crate::problem::shown;

/// The maximum number of characters of a file name in the name of a test.
const MAX_NAME: usize = 24;

/// An input that failed.
pub struct FailedInput {
    /// The name of its file.
    pub name: String,
    /// The bytes that the body of the target got.
    pub text: Vec<u8>,
    /// How it failed.
    pub outcome: String,
}

/// Returns a source file with a test of each input. `source` is the source of the target, if it was
/// found.
pub fn rust_tests(target: &Path, source: Option<&TargetSource>, inputs: &[FailedInput]) -> String {
    let is_text = inputs
        .iter()
        .all(|input| std::str::from_utf8(&input.text).is_ok());
    let kind = match source {
        Some(source) => source.kind,
        None if is_text => InputKind::Text,
        None => InputKind::Bytes,
    };
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut file = format!(
        "//! Inputs for which the fuzz target {} failed. `zester run --as-test` wrote this file.\n\n",
        shown(Path::new(&*name))
    );
    match source {
        Some(source) => file.push_str(&body(source)),
        None => file.push_str(&format!(
            "/// Runs the program under test.\n\
             fn run(input: {kind}) {{\n    \
             // The source of the fuzz target was not found. Call the program under test here.\n    \
             todo!(\"call the program under test with {{input:?}}\")\n}}\n"
        )),
    }
    let mut used = BTreeSet::from(["run".to_owned()]);
    for input in inputs {
        let outcome = input.outcome.replace('\n', " ");
        let name = test_name(&input.name, &mut used);
        let literal = literal(&input.text, kind);
        file.push_str(&format!(
            "\n/// {outcome}\n#[test]\nfn {name}() {{\n    run({literal});\n}}\n"
        ));
    }
    file
}

/// Returns the function that runs the body of a target, after the other items of its source.
fn body(source: &TargetSource) -> String {
    let TargetSource {
        kind,
        parameter,
        body,
        others,
    } = source;
    let mut text = others.clone();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("/// The body of the fuzz target.\n");
    let call = match body.starts_with('{') {
        // The body may have `return` and `?`.
        true => {
            text.push_str("#[allow(clippy::redundant_closure_call)]\n");
            format!("(move || {body})()")
        }
        false => body.clone(),
    };
    text + &format!("fn run({parameter}: {kind}) {{\n    let _ = {call};\n}}\n")
}

/// Returns an unused name for the test of a file.
fn test_name(file: &str, used: &mut BTreeSet<String>) -> String {
    let word = |char: char| match char.is_ascii_alphanumeric() {
        true => char.to_ascii_lowercase(),
        false => '_',
    };
    let mut name: String = file.chars().map(word).take(MAX_NAME).collect();
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        name = format!("input_{name}");
    }
    let name = name.trim_end_matches('_').to_owned();
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.clone())
        .chain(numbered)
        .find(|name| used.insert(name.clone()));
    free.unwrap_or(name)
}

/// Returns a text as a literal of Rust.
fn literal(text: &[u8], kind: InputKind) -> String {
    match (kind, std::str::from_utf8(text)) {
        (InputKind::Text, Ok(text)) => {
            // Invisible characters and those that change the direction of text are escaped.
            let is_plain = |char: char| {
                char.is_ascii_graphic()
                    || char.is_alphanumeric()
                    || [' ', '\t', '\n'].contains(&char)
            };
            match text.chars().all(is_plain) {
                true => raw(text, ""),
                false => escaped(text),
            }
        }
        (InputKind::Bytes, Ok(text))
            if text
                .bytes()
                .all(|byte| byte.is_ascii_graphic() || b" \t\n".contains(&byte)) =>
        {
            raw(text, "b")
        }
        _ => format!("b\"{}\"", text.escape_ascii()),
    }
}

/// Returns a string literal without escape sequences.
fn raw(text: &str, prefix: &str) -> String {
    if !text.contains(['"', '\\', '\n']) {
        return format!("{prefix}\"{text}\"");
    }
    // The text must not contain the end of the literal.
    let hashes = (0..).map(|count| "#".repeat(count));
    let hashes = hashes
        .into_iter()
        .find(|hashes| !text.contains(&format!("\"{hashes}")));
    let hashes = hashes.unwrap_or_default();
    format!("{prefix}r{hashes}\"{text}\"{hashes}")
}

/// Returns a string literal with escape sequences.
fn escaped(text: &str) -> String {
    let mut literal = String::from("\"");
    for char in text.chars() {
        match char.is_alphanumeric() {
            true => literal.push(char),
            false => literal.extend(char.escape_default()),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_bytes_of_the_text() {
        for (text, kind, expected) in [
            ("a b", InputKind::Text, r#""a b""#),
            (r"a\b", InputKind::Text, r#"r"a\b""#),
            (r#"say "x""#, InputKind::Text, r##"r#"say "x""#"##),
            (r##""#"##, InputKind::Text, r####"r##""#"##"####),
            ("é\r\n", InputKind::Text, r#""é\r\n""#),
            ("\u{202e}", InputKind::Text, r#""\u{202e}""#),
            ("a\"b", InputKind::Bytes, r##"br#"a"b"#"##),
            ("é", InputKind::Bytes, r#"b"\xc3\xa9""#),
        ] {
            assert_eq!(literal(text.as_bytes(), kind), expected, "{text:?}");
        }
        assert_eq!(literal(b"\xFF\"", InputKind::Bytes), r#"b"\xff\"""#);
    }

    #[test]
    fn names_of_tests_are_identifiers_and_differ() {
        let mut used = BTreeSet::from(["run".to_owned()]);
        for (file, expected) in [
            (
                "crash-0123456789abcdef0123456789abcdef",
                "crash_0123456789abcdef01",
            ),
            ("run", "run_2"),
            ("1.json", "input_1_json"),
            ("1.json", "input_1_json_2"),
            ("É!", "input"),
        ] {
            assert_eq!(test_name(file, &mut used), expected);
        }
    }
}
