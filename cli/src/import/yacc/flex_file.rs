//! Finds the lexer of Lex or Flex that belongs to a grammar of Yacc.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Words in the names of grammars and of lexers that do not tell one language from another.
const GRAMMARS: &[&str] = &["parser", "parse", "grammar", "gram", "yacc", "bison"];
const LEXERS: &[&str] = &["scanner", "scan", "lexer", "tokens", "toke", "lex"];

/// Returns the lexer in the folder of a grammar. Its name is that of the grammar, differs by words such as
/// `parser` and `scanner`, is only such a word, or ends with `_scanner` or `_lexer`.
pub fn beside(grammar: &Path) -> Option<PathBuf> {
    let stem = stem(grammar)?;
    let of_grammar = language(&stem, GRAMMARS);
    let parent = grammar.parent()?;
    let folder = if parent == Path::new("") {
        Path::new(".")
    } else {
        parent
    };
    let rank = |path: &PathBuf| {
        let name = self::stem(path)?;
        let extension = path.extension().and_then(OsStr::to_str)?;
        if !["l", "ll", "lex", "flex"].contains(&extension) {
            None
        } else if name == stem {
            Some(0)
        } else if language(&name, LEXERS) == of_grammar {
            Some(1)
        } else if language(&name, LEXERS).is_empty() {
            Some(2)
        } else if name.ends_with("_scanner") || name.ends_with("_lexer") {
            Some(3)
        } else {
            None
        }
    };
    let entries = std::fs::read_dir(folder).ok()?;
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.is_file())
        .filter_map(|path| Some((rank(&path)?, path)))
        .min()
        .map(|(_, path)| path)
}

/// Returns a file's name up to its first dot: `grammar` for `grammar.y.in`.
fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    Some(name.split('.').next().unwrap_or_default().to_string())
}

/// Returns a name without the first of `words` at its beginning or end: `gml` for `gmlparse`, and nothing for
/// `scanner`.
fn language(stem: &str, words: &[&str]) -> String {
    let name = stem.to_ascii_lowercase();
    let mut rests = words
        .iter()
        .filter_map(|word| name.strip_prefix(word).or_else(|| name.strip_suffix(word)));
    let rest = rests.next().unwrap_or(&name);
    rest.trim_matches(['-', '_']).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_name_of_a_lexer_is_that_of_the_grammar() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for name in [
            "gmlscan.l",
            "scan.l",
            "scan-gram.l",
            "zconf.l",
            "other.l",
            "x.y",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        let beside = |grammar: &str| {
            let path = beside(&folder.join(grammar))?;
            Some(path.file_name()?.to_str()?.to_string())
        };
        let expected = [
            ("gmlparse.y", "gmlscan.l"),
            ("parse-gram.y", "scan-gram.l"),
            ("grammar.y.in", "scan.l"),
            ("zconf.y", "zconf.l"),
            ("unknown.y", "scan.l"),
        ];
        for (grammar, lexer) in expected {
            assert_eq!(beside(grammar).as_deref(), Some(lexer), "{grammar}");
        }
    }
}
