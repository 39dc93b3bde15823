//! Texts that come from programs, corpora and file names, as a terminal may show them.

/// Returns whether a character is a control character, bidirectional, invisible, combining, or a blank other than
/// space and tab.
pub fn is_control(char: char) -> bool {
    !matches!(char, '\t' | '\\' | '"' | '\'') && char.escape_debug().len() > 1
}

/// Escapes the characters of a text for which [`is_control`] is true. Line feeds are escaped, too.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for char in text.chars() {
        match is_control(char) {
            true => printable.extend(char.escape_default()),
            false => printable.push(char),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        assert_eq!(
            printable("a\tä\"'\\\u{1B}]0;\u{7}\n\u{202E}b\u{A0}\u{200B}"),
            "a\tä\"'\\\\u{1b}]0;\\u{7}\\n\\u{202e}b\\u{a0}\\u{200b}"
        );
    }
}
