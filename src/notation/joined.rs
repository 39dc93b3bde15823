//! Warns of tokens that are written together and read as one: a keyword and the name after it, which
//! is probably a forgotten `@skip`, and two tokens with a `~` between them that are always one token.

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use crate::grammar::{Kind, Nfa, PASS_WORK, SymbolId, is_one_token, span};

/// Reports the warnings of this module.
pub fn joined(builder: &GrammarBuilder, report: &mut Report) {
    match builder.has_layout() {
        false => keywords(builder, report),
        true => adjacent(builder, report),
    }
}

/// Reports a warning for the first keyword, a literal of several letters, that a name follows
/// directly, if the grammar has no layout.
fn keywords(builder: &GrammarBuilder, report: &mut Report) {
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

/// Reports a warning for each `~` between two tokens whose texts, written together, always are a
/// text of one of the two. A lexer reads such a text as one token.
fn adjacent(builder: &GrammarBuilder, report: &mut Report) {
    let body = |symbol: SymbolId| match builder.kind(symbol) {
        Kind::Lexeme { body, .. } => Some(*body),
        _ => None,
    };
    let mut pairs = Vec::new();
    for alternative in &builder.alternatives {
        for pair in builder.children[span(&alternative.children)].windows(2) {
            if let (true, Some(first), Some(second)) = (
                pair[1].is_adjacent,
                body(pair[0].symbol),
                body(pair[1].symbol),
            ) {
                pairs.push((pair[1].symbol, [first, second]));
            }
        }
    }
    let mut work = PASS_WORK;
    for (at, tokens) in pairs {
        let mut nfa = Nfa::new(builder.tables(0), builder.bytes, true);
        nfa.set_work(work);
        let starts = tokens.map(|token| nfa.add(token, 0));
        let is_one = match starts {
            [Ok(first), Ok(second)] => [first, second].into_iter().any(|one| {
                let is_empty = |&start: &u32| {
                    let states = nfa.closure(vec![start]);
                    states.iter().any(|&state| nfa.accepts(state))
                };
                ![first, second].iter().any(is_empty) && is_one_token(&nfa, [first, second], one)
            }),
            _ => false,
        };
        work = nfa.work_left();
        if is_one {
            let message = "without layout before it, this token is part of the token before it";
            let label = "together they are one token; write one `@token` rule, or leave out `~`";
            report.warning(SyntaxError::new(builder.span(at), message, label));
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

    #[test]
    fn two_tokens_that_are_always_one_are_a_warning() {
        let warnings = |rules: &str| {
            let tokens = "@identifier n = [a-z]+ ; @token d = [0-9]+ ; @token e = [0-9]* ;";
            let source = format!("{rules} @skip w = \" \" ; {tokens}");
            let mut report = Report::new("g", &source);
            joined(&lowered(&source), &mut report);
            report.to_string()
        };
        for (rules, column) in [
            ("s = n ~ n ;", 9),
            ("s = \"x\" ( d ~ d )* ;", 15),
            ("s = \"a\" ~ n ;", 11),
            ("s = n ~ \"a\" ;", 9),
        ] {
            let place = format!("g:1:{column}: warning: without layout before it");
            let found = warnings(rules);
            assert!(found.starts_with(&place), "{rules}\n{found}");
        }
        for right in [
            "s = n ~ d ;",
            "s = d ~ n ;",
            "s = n n ;",
            "s = n ~ \".\" ~ n ;",
            "s = \">\" ~ \">\" ;",
            "s = d ~ e ;",
            "s = n ( ~ n )* ;",
            "s = \"A\" ~ n ;",
        ] {
            assert_eq!(warnings(right), "", "{right}");
        }
    }
}
