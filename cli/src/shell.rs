//! Words of the shell, for commands that users copy.

use std::path::Path;

use crate::problem::shown;

/// Returns an argument as the shell reads it.
pub fn argument(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "-_./=,:@%+".contains(char);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Returns a path as the shell reads it. A path that begins with a dash would be an option.
pub fn path(path: &Path) -> String {
    let text = shown(path);
    match text.starts_with('-') {
        true => format!("'./{}'", text.replace('\'', "'\\''")),
        false => argument(&text),
    }
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
}
