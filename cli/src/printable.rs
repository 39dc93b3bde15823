//! Texts that come from programs, corpora and file names, as a terminal may show them.

/// Whether a character controls the terminal, or the direction of the text around it.
pub fn is_control(char: char) -> bool {
    let is_direction = matches!(
        char,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    );
    is_direction || char.is_control() && char != '\t'
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
            printable("a\tä\u{1B}]0;\u{7}\n\u{202E}b"),
            "a\tä\\u{1b}]0;\\u{7}\\n\\u{202e}b"
        );
    }
}
