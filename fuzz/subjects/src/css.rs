//! The subject `css`: lightningcss reads a style sheet, minifies it and prints it.
//!
//! A text is valid if lightningcss reads it without error recovery, minifies and prints it. CSS
//! allows almost any value, so validity says little about declarations. A valid style sheet is also
//! compiled for old browsers, because most of lightningcss' rewriting happens there. The result of
//! that does not count.

use lightningcss::stylesheet::{
    MinifyOptions, ParserFlags, ParserOptions, PrinterOptions, StyleSheet,
};
use lightningcss::targets::{Browsers, Features, Targets};

/// Reads, minifies and prints the text, then compiles it for old browsers.
pub fn run(text: &str) -> Result<(), String> {
    outcome(text).map(drop)
}

/// Reads, minifies and prints the text, then compiles it for old browsers. Returns the minified
/// text without the conditions of `@supports`, because lightningcss does not minify these.
pub fn outcome(text: &str) -> Result<String, String> {
    // Custom media queries are the only names that lightningcss resolves.
    let minified = compile(
        text,
        Targets {
            include: Features::CustomMediaQueries,
            ..Default::default()
        },
    )?;
    let browsers = Browsers {
        chrome: Some(49 << 16),
        firefox: Some(45 << 16),
        ie: Some(11 << 16),
        safari: Some(9 << 16),
        ..Default::default()
    };
    // Nesting is excluded, because expanding nested rules doubles a selector for each `&` in it.
    let _ = compile(
        text,
        Targets {
            browsers: Some(browsers),
            exclude: Features::Nesting,
            ..Default::default()
        },
    );
    Ok(without_conditions(&minified))
}

/// Removes the text between `supports` and the next `{` or `;` outside of brackets.
fn without_conditions(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("supports") {
        let (before, condition) = rest.split_at(at + "supports".len());
        kept.push_str(before);
        rest = &condition[end_of_condition(condition)..];
    }
    kept + rest
}

fn end_of_condition(text: &str) -> usize {
    let (mut depth, mut quote) = (0, None);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' | b'\'' if quote.is_none() => quote = Some(byte),
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'{' | b';' if depth == 0 => return at,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn compile(text: &str, targets: Targets) -> Result<String, String> {
    let options = ParserOptions {
        flags: ParserFlags::CUSTOM_MEDIA,
        ..Default::default()
    };
    let mut sheet = StyleSheet::parse(text, options).map_err(|error| error.to_string())?;
    let options = MinifyOptions {
        targets,
        ..Default::default()
    };
    sheet.minify(options).map_err(|error| error.to_string())?;
    let options = PrinterOptions {
        minify: true,
        targets,
        ..Default::default()
    };
    let printed = sheet.to_css(options).map_err(|error| error.to_string())?;
    Ok(printed.code)
}

/// Prefixes of messages that do not mean that CSS's grammar does not derive the text. They are from
/// lightningcss 1.0.0-alpha.65, `src/error.rs`.
const MEANING: [&str; 5] = [
    "Circular custom media query",
    "Custom media query ",
    "Boolean logic with media types in @custom-media rules",
    // A limit: brackets may be nested 500 deep.
    "Overflowed the maximum nesting depth",
    "Expected namespace: ",
];

/// Returns whether a message of [`run`] means that CSS's grammar does not derive the text.
pub fn is_syntax_error(message: &str) -> bool {
    !MEANING.iter().any(|start| message.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;

    #[test]
    fn accepts_valid_texts() {
        judge::accepts(
            run,
            &[
                "",
                "/* a */ a:hover > .b::before { color: red !important; margin: 0 auto }",
                "@layer a, b; @import url(a.css) layer(b) supports(display: grid) screen; @media (width >= 1px) { a { --b: {} } }",
                "@keyframes a { from { opacity: 0 } 50% { opacity: calc(1 / 2) } } @font-face { font-family: a; src: url(b) }",
                "@custom-media --a (hover); @media (--a) { a { &:is(b, c) { color: color-mix(in lab, red, blue) } } }",
                "@unknown a { b }",
            ],
        );
    }

    #[test]
    fn outcomes_are_minified() {
        let text = "a::before { COLOR : #ff0000; margin: 0.50px 0.50px }";
        assert_eq!(outcome(text).unwrap(), "a:before{color:red;margin:.5px}");
        let text = "@supports (--a: {';'}) { b { c: d } }";
        assert_eq!(outcome(text).unwrap(), "@supports{b{c:d}}");
    }

    #[test]
    fn rejects_by_syntax() {
        judge::rejects_by_syntax(
            run,
            is_syntax_error,
            &[
                "}",
                "a",
                "a { b }",
                "a: { }",
                "@media (",
                "a { b: \"\n }",
                "@import a;",
                "a { color: ) }",
                ":not( {}",
            ],
        );
    }

    #[test]
    fn rejects_by_meaning() {
        let deep = format!("a {{ b: {}{} }}", "(".repeat(502), ")".repeat(502));
        judge::rejects_by_meaning(
            run,
            is_syntax_error,
            &[
                "@media (--a) { a { b: c } }",
                "@custom-media --a (--b); @custom-media --b (--a); @media (--a) { a { b: c } }",
                "@custom-media --a print, screen; @media not (--a) { a { b: c } }",
                &deep,
            ],
        );
    }
}
