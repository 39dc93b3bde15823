//! The texts of the tokens of Yacc, as their aliases and their names show them.

/// What a token is, as far as the grammar shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenText {
    /// The text that the alias gives.
    Known(String),
    /// A word that the name suggests.
    Guessed(String),
    Unknown,
}

/// Words that describe a token and are not its text.
const DESCRIPTIONS: &[&str] = &[
    "identifier",
    "ident",
    "id",
    "string",
    "variable",
    "var_name",
    "number",
    "num",
    "integer",
    "int_literal",
    "float",
    "name",
    "literal",
    "constant",
    "comment",
    "newline",
    "eof",
    "epilogue",
    "character",
    "char",
    "lnumber",
    "dnumber",
    "regexp",
    "symbol",
    "word",
    "field",
    "token",
    "error",
    "end_of_file",
    "eol",
    "nl",
    "fformat",
    "format",
    "binding",
    "whitespace",
    "ws",
    "space",
    "real",
    "decimal",
    "hex",
    "label",
    "prologue",
    "tag",
];

/// Prefixes of the names of tokens that are keywords.
const PREFIXES: &[&str] = &[
    "T_", "TOK_", "TOKEN_", "KW_", "K_", "KEYWORD_", "keyword_", "KEY_", "tok_", "kw_",
];

/// Whether an alias has quotation marks around the text, as in `"'if'"`.
pub fn has_marks(alias: &str) -> bool {
    without_marks(alias).is_some()
}

fn without_marks(alias: &str) -> Option<&str> {
    let inner = alias.strip_prefix(['\'', '`', '"'])?;
    let inner = inner.strip_suffix(['\'', '"'])?;
    (!inner.is_empty()).then_some(inner)
}

/// The text of a token. `marked` says whether aliases of the grammar have quotation marks around texts.
pub fn text_of(name: &str, alias: Option<&str>, marked: bool) -> TokenText {
    if let Some(alias) = alias {
        if let Some(inner) = without_marks(alias) {
            return match inner.contains(char::is_whitespace) {
                true => TokenText::Unknown,
                false => TokenText::Known(inner.into()),
            };
        }
        let has_letters = alias.contains(char::is_alphanumeric);
        let is_framed = alias.starts_with(['<', '[', '{']) && alias.len() > 2
            || has_letters && alias.ends_with(['>', ']', '}'])
            || alias.len() > 3 && alias.contains("...");
        let is_text = !alias.is_empty()
            && !alias.contains(char::is_whitespace)
            && !(has_letters && (marked || is_framed))
            && !(is_framed && alias.contains("..."))
            && !DESCRIPTIONS.contains(&&*alias.to_ascii_lowercase());
        return if is_text {
            TokenText::Known(alias.into())
        } else {
            TokenText::Unknown
        };
    }
    let small_prefix = |prefix: char| {
        let rest = name.strip_prefix(prefix)?;
        let is_upper = |c: char| c.is_ascii_uppercase() || c == '_';
        (rest.len() > 1 && rest.chars().all(is_upper)).then_some(rest)
    };
    let word = PREFIXES
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .or_else(|| small_prefix('t'))
        .or_else(|| small_prefix('k'));
    let Some(word) = word.map(str::to_ascii_lowercase) else {
        return TokenText::Unknown;
    };
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    match is_word && !word.is_empty() && !DESCRIPTIONS.contains(&&*word) {
        true => TokenText::Guessed(word),
        false => TokenText::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_names_show_texts() {
        let known = |text: &str| TokenText::Known(text.into());
        assert_eq!(text_of("T_IF", Some("'if'"), true), known("if"));
        assert_eq!(
            text_of("T_STRING", Some("identifier"), true),
            TokenText::Unknown
        );
        assert_eq!(text_of("tPOW", Some("**"), true), known("**"));
        assert_eq!(text_of("tUPLUS", Some("unary+"), true), TokenText::Unknown);
        assert_eq!(
            text_of("END", Some("end of file"), false),
            TokenText::Unknown
        );
        assert_eq!(text_of("TAG", Some("<tag>"), false), TokenText::Unknown);
        assert_eq!(text_of("BRACED", Some("{...}"), false), TokenText::Unknown);
        assert_eq!(text_of("A", Some("%token"), false), known("%token"));
        assert_eq!(text_of("DOTS", Some("..."), false), known("..."));
        assert_eq!(
            text_of("KW_IF", None, false),
            TokenText::Guessed("if".into())
        );
        assert_eq!(text_of("tIF", None, false), TokenText::Guessed("if".into()));
        assert_eq!(text_of("T_STRING", None, false), TokenText::Unknown);
        assert_eq!(text_of("IF", None, false), TokenText::Unknown);
    }
}
