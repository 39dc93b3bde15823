//! Warns of two tokens that a lexer would read as one, because they are written without layout
//! between them. In a grammar without layout, the warning is about two words or numbers, because a
//! `@skip` rule is probably missing. In a grammar with layout, it is about two tokens with a `~`
//! between them.

use std::collections::{HashMap, HashSet};

use super::builder::GrammarBuilder;
use super::lexer::SyntaxError;
use super::report::Report;
use crate::grammar::{ClassId, Kind, Nfa, PASS_WORK, SymbolId, is_one_token, span};

pub fn joined(builder: &GrammarBuilder, report: &mut Report) {
    match builder.has_layout() {
        false => keywords(builder, report),
        true => adjacent(builder, report),
    }
}

/// Returns the body of a token.
fn body(builder: &GrammarBuilder, symbol: SymbolId) -> Option<SymbolId> {
    match builder.kind(symbol) {
        Kind::Lexeme { body, .. } => Some(*body),
        _ => None,
    }
}

/// For a grammar without layout: reports a warning for the first word that directly follows another
/// word or a keyword. [`is_long_word`] defines words. A keyword is a literal of several letters.
fn keywords(builder: &GrammarBuilder, report: &mut Report) {
    let is_keyword = |symbol: SymbolId| match builder.kind(symbol) {
        Kind::Literal { text } | Kind::Insensitive { text, .. } => {
            let text = &builder.texts[span(text)];
            text.len() > 1 && text.iter().all(u8::is_ascii_alphabetic)
        }
        _ => false,
    };
    let mut words: HashMap<SymbolId, bool> = HashMap::new();
    let mut is_word = |symbol| {
        *words
            .entry(symbol)
            .or_insert_with(|| is_long_word(builder, symbol))
    };
    for alternative in &builder.alternatives {
        for pair in builder.children[span(&alternative.children)].windows(2) {
            let [Some(one), Some(other)] = [0, 1].map(|at| body(builder, pair[at].symbol)) else {
                continue;
            };
            if pair[1].is_adjacent || !is_word(other) {
                continue;
            }
            let message = match is_keyword(one) {
                true if matches!(builder.kind(other), Kind::Identifier { .. }) => {
                    "a keyword and a name are written without a blank between them".into()
                }
                true => {
                    let other = builder.label(other);
                    format!("a keyword and `{other}` are written without a blank between them")
                }
                false if is_word(one) => {
                    let (one, other) = (builder.label(one), builder.label(other));
                    format!("`{one}` and `{other}` are written without a blank between them")
                }
                false => continue,
            };
            let at = builder.span(pair[0].symbol);
            let label = "the grammar has no layout; `@skip blank = [ \\n]+ ;` declares it";
            return report.warning(SyntaxError::new(at, message, label));
        }
    }
}

/// Returns whether a token is a name, or an unbounded number of letters, digits and `_`.
fn is_long_word(builder: &GrammarBuilder, token: SymbolId) -> bool {
    if let Kind::Identifier { .. } = builder.kind(token) {
        return true;
    }
    let is_of_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_class_of_word = |class: ClassId| {
        let ranges = builder.classes[class.0 as usize].ranges();
        let is_of_word = |code: u32| u8::try_from(code).is_ok_and(is_of_word);
        (ranges.iter()).all(|&(from, to)| to < 128 && (from..=to).all(is_of_word))
    };
    let (mut open, mut seen, mut is_long) = (vec![token], HashSet::from([token]), false);
    while let Some(symbol) = open.pop() {
        let mut parts = Vec::new();
        let is_word = match builder.kind(symbol) {
            Kind::Literal { text } | Kind::Insensitive { text, .. } => {
                builder.texts[span(text)].iter().copied().all(is_of_word)
            }
            Kind::Same { of, .. } => {
                parts.push(*of);
                true
            }
            Kind::Class(class) => is_class_of_word(*class),
            Kind::Run { class, at_most, .. } => {
                is_long |= *at_most == u32::MAX;
                is_class_of_word(*class)
            }
            Kind::Repeat {
                element, at_most, ..
            } => {
                is_long |= *at_most == u32::MAX;
                parts.push(element.symbol);
                true
            }
            Kind::Nonterminal { alternatives, .. } => {
                let all = builder.alternatives[span(alternatives)].iter();
                let children = all.flat_map(|one| &builder.children[span(&one.children)]);
                parts.extend(children.map(|child| child.symbol));
                true
            }
            Kind::Identifier { escape, .. } => {
                parts.push(*escape);
                true
            }
            Kind::Lexeme { .. } => false,
        };
        if !is_word {
            return false;
        }
        open.extend(parts.into_iter().filter(|&part| seen.insert(part)));
    }
    is_long
}

/// Reports a warning for each `~` between two tokens if the concatenation of their texts is always
/// a text of one of them. A lexer reads such a text as one token.
fn adjacent(builder: &GrammarBuilder, report: &mut Report) {
    let mut pairs = Vec::new();
    for alternative in &builder.alternatives {
        for pair in builder.children[span(&alternative.children)].windows(2) {
            if let (true, Some(first), Some(second)) = (
                pair[1].is_adjacent,
                body(builder, pair[0].symbol),
                body(builder, pair[1].symbol),
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
        let numbers =
            "@token d = [0-9]+ ; @token hex = [0-9a-f] ; @token text = [\"] [a-z]* [\"] ;";
        for (rules, tokens) in [
            (r#"s = "(" d n ")" ;"#, "`d` and `n`"),
            (r#"s = "-" d | n d ;"#, "`n` and `d`"),
            (r#"s = t d ; t = "let" d ;"#, "a keyword and `d`"),
        ] {
            let found = warnings(&format!("{rules} {name} {numbers}"));
            assert!(
                found.contains(&format!("warning: {tokens} are written")),
                "{found}"
            );
            assert_eq!(found.matches("warning").count(), 1, "{found}");
        }
        for right in [
            r#"s = hex hex hex ;"#,
            r#"s = n text n "=" d ;"#,
            r#"s = d ~ d ;"#,
        ] {
            assert_eq!(warnings(&format!("{right} {name} {numbers}")), "");
        }
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
            let position = format!("g:1:{column}: warning: without layout before it");
            let found = warnings(rules);
            assert!(found.starts_with(&position), "{rules}\n{found}");
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
