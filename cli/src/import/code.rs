//! Comments and literals in code, as in C, Java and Rust.

/// The length of the comment at the beginning of a text, if there is one with an end.
pub fn comment_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inner = text.strip_prefix("/*")?;
    Some(inner.find("*/")? + 4)
}

/// The length of the literal at the beginning of a text, with its quotation marks, if `close` ends it in this line.
pub fn quoted_length(text: &str, close: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return None,
            c if c == close => return Some(at + 1),
            _ => {}
        }
    }
    None
}
