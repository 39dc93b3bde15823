//! Warns of keywords that are joined with the name after them, which is probably a forgotten
//! `@skip`.

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use crate::grammar::{Kind, SymbolId, span};

/// Reports a warning for the first keyword, a literal of several letters, that a name follows
/// directly, if the grammar has no layout.
pub fn joined(builder: &GrammarBuilder, report: &mut Report) {
    if builder.has_layout() {
        return;
    }
    let token = |symbol: SymbolId| match builder.kind(symbol) {
        Kind::Lexeme { body, .. } => Some(builder.kind(*body)),
        _ => None,
    };
    let is_keyword = |symbol: SymbolId| match token(symbol) {
        Some(Kind::Literal { text, .. }) => {
            let text = &builder.texts[span(text)];
            text.len() > 1 && text.iter().all(u8::is_ascii_alphabetic)
        }
        _ => false,
    };
    let is_name = |symbol: SymbolId| matches!(token(symbol), Some(Kind::Identifier { .. }));
    for alternative in &builder.alternatives {
        for pair in builder.children[span(&alternative.children)].windows(2) {
            if !pair[1].is_adjacent && is_keyword(pair[0].symbol) && is_name(pair[1].symbol) {
                let at = builder.spans[pair[0].symbol.0 as usize].clone();
                let message = "a keyword and a name are written without a blank between them";
                let label = "the grammar has no layout; `@skip blank = [ \\n]+ ;` declares it";
                return report.warning(SyntaxError::new(at, message, label));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::testing::lowered;

    #[test]
    fn a_forgotten_layout_is_a_warning() {
        let warnings = |source: &str| {
            let mut report = Report::new("g", source);
            joined(&lowered(source), &mut report);
            report.to_string()
        };
        let name = "@identifier n = [a-z]+ ;";
        assert!(
            warnings(&format!(r#"s = "let" n ; {name}"#))
                .starts_with("g:1:5: warning: a keyword and a name")
        );
        let declared = format!(r#"@kind k: n ; s = ( "x" | "let" @declare k )* ; {name}"#);
        assert!(
            warnings(&declared).starts_with("g:1:26: warning"),
            "{}",
            warnings(&declared)
        );
        for right in [
            r#"@skip w = " " ; s = "let" n ;"#,
            r#"s = "$let" n ;"#,
            r#"s = "d" n ;"#,
            r#"s = "let" ~ n ;"#,
            r#"s = n "end" ;"#,
        ] {
            assert_eq!(warnings(&format!("{right} {name}")), "");
        }
    }
}
