//! Quotes arguments of shell commands that users copy.

use std::path::Path;

use crate::problem::shown;

/// Returns an argument, quoted if necessary.
pub fn argument(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./=,:@%+".contains(char);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Returns a path, quoted if necessary. A path that begins with a dash gets the prefix `./`, so that it is no option.
pub fn path(path: &Path) -> String {
    let text = shown(path);
    match text.starts_with('-') {
        true => format!("'./{}'", text.replace('\'', "'\\''")),
        false => argument(&text),
    }
}

/// Returns the prefix `ZESTER_EQUAL=… ` for printed commands, or nothing if the variable is not set. Without it, the
/// commands would not find differences of equivalent sentences again.
pub fn own_setting() -> String {
    let equal = std::env::var_os("ZESTER_EQUAL").filter(|value| !value.is_empty());
    equal.map_or(String::new(), |value| {
        format!("ZESTER_EQUAL={} ", argument(&shown(Path::new(&value))))
    })
}

/// Returns whether a text is UTF-8 without control characters, except line feeds and tabs.
pub fn is_visible(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        text.chars()
            .all(|char| char == '\n' || char == '\t' || !char.is_control())
    })
}

/// Returns a shell command that writes these bytes to FILE.
pub fn printf(text: &[u8]) -> String {
    let mut format = String::new();
    for &byte in text {
        match byte {
            b'%' => format.push_str("%%"),
            b' '..=b'~' if !matches!(byte, b'\\' | b'\'') => format.push(byte.into()),
            byte => format.push_str(&format!("\\{byte:03o}")),
        }
    }
    let end_of_options = if text.starts_with(b"-") { "-- " } else { "" };
    format!("printf {end_of_options}'{format}' > FILE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_gets_the_argument() {
        assert_eq!(path(Path::new("a/crash-1")), "a/crash-1");
        assert_eq!(path(Path::new("my 'x'")), "'my '\\''x'\\'''");
        assert_eq!(path(Path::new("-x")), "'./-x'");
        assert_eq!(argument("-runs=7"), "-runs=7");
        assert_eq!(argument(""), "''");
    }

    #[test]
    fn the_shell_gets_the_bytes() {
        for text in [&b"50% \\n'\x00\xFF7\n"[..], b"-x"] {
            let command = printf(text).replace(" > FILE", "");
            let output = std::process::Command::new("sh")
                .args(["-c", &command])
                .output()
                .unwrap();
            assert_eq!(output.stdout, text);
        }
        assert!(is_visible("é\n\tx".as_bytes()) && !is_visible(b"\x1b[3m") && !is_visible(b"\xff"));
    }
}
