//! Finds the texts of tokens of Yacc by their aliases and names.

/// The text of a token, if the grammar shows it.
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
    "builtin",
];

/// Prefixes of the names of tokens that are keywords.
const PREFIXES: &[&str] = &[
    "T_",
    "TOK_",
    "TOKEN_",
    "KW_",
    "K_",
    "KEYWORD_",
    "keyword_",
    "KEY_",
    "tok_",
    "kw_",
    "LEX_",
    "modifier_",
];

/// Whether an alias has quotation marks around the text, as in `"'if'"`.
pub fn has_marks(alias: &str) -> bool {
    without_marks(alias).is_some()
}

/// The text between quotation marks, also of "`if' modifier".
fn without_marks(alias: &str) -> Option<&str> {
    let inner = alias.strip_prefix(['\'', '`', '"'])?;
    let end = inner
        .find(" '")
        .is_none()
        .then(|| inner.rfind(['\'', '"']))??;
    let rest = &inner[end + 1..];
    (end > 0 && (rest.is_empty() || rest.starts_with(' '))).then_some(&inner[..end])
}

/// Returns the text of a token. `marked` says whether the aliases that are texts have quotation marks.
pub fn text_of(name: &str, alias: Option<&str>, marked: bool) -> TokenText {
    if let Some(alias) = alias {
        if let Some(inner) = without_marks(alias) {
            return match inner.contains(char::is_whitespace) {
                true => TokenText::Unknown,
                false => TokenText::Known(inner.into()),
            };
        }
        // The sign of "unary-" is a text.
        if let Some(sign) = alias.strip_prefix("unary") {
            let sign = match sign.trim() {
                "plus" => "+",
                "minus" => "-",
                sign => sign,
            };
            let is_sign = !sign.is_empty() && sign.chars().all(|c| c.is_ascii_punctuation());
            return if is_sign {
                TokenText::Guessed(sign.into())
            } else {
                TokenText::Unknown
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
            && !DESCRIPTIONS.contains(&alias.to_ascii_lowercase().trim_end_matches(':'));
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
        let sign = sign(&name.to_ascii_lowercase());
        return sign.map_or(TokenText::Unknown, |sign| TokenText::Guessed(sign.into()));
    };
    if let Some(sign) = sign(&word) {
        return TokenText::Guessed(sign.into());
    }
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    match is_word && !word.is_empty() && !DESCRIPTIONS.contains(&&*word) {
        true => TokenText::Guessed(word),
        false => TokenText::Unknown,
    }
}

/// Returns the text of a token whose name is that of a sign, such as `comma`.
fn sign(word: &str) -> Option<&'static str> {
    Some(match word {
        "lparen" | "left_paren" | "open_paren" => "(",
        "rparen" | "right_paren" | "close_paren" => ")",
        "lbrace" | "lcurly" | "left_brace" => "{",
        "rbrace" | "rcurly" | "right_brace" => "}",
        "lbrack" | "lbracket" | "left_bracket" => "[",
        "rbrack" | "rbracket" | "right_bracket" => "]",
        "comma" => ",",
        "semicolon" | "semi" => ";",
        "colon" => ":",
        "dot" | "period" => ".",
        "plus" | "add" => "+",
        "minus" | "subtract" => "-",
        "star" | "multiply" | "asterisk" => "*",
        "slash" | "divide" => "/",
        "percent" => "%",
        "increment" | "plusplus" => "++",
        "decrement" | "minusminus" => "--",
        "question" | "qmark" => "?",
        "arrow" => "->",
        "pipe" => "|",
        "ampersand" => "&",
        "neq" => "!=",
        "newline" | "nl" | "eol" => "\n",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_names_show_texts() {
        let known = |text: &str| TokenText::Known(text.into());
        assert_eq!(text_of("T_IF", Some("'if'"), true), known("if"));
        assert_eq!(text_of("m_if", Some("`if' modifier"), true), known("if"));
        assert_eq!(
            text_of("T_STRING", Some("identifier"), true),
            TokenText::Unknown
        );
        assert_eq!(text_of("tPOW", Some("**"), true), known("**"));
        assert_eq!(
            text_of("tUPLUS", Some("unary+"), true),
            TokenText::Guessed("+".into())
        );
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
