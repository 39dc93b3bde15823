//! Texts that come from programs, corpora and file names, as a terminal may show them.

/// Whether a character controls the terminal or the direction of the text around it, or is not seen or not told from a
/// blank.
pub fn is_control(char: char) -> bool {
    !matches!(char, '\t' | '\\' | '"' | '\'') && char.escape_debug().len() > 1
}

/// Returns a text in which such characters are escaped, line feeds, too.
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
