//! Tokens that a grammar does not define, by a table that the user gives.
//!
//! Each line of the table has the name of a token, blanks, and a regular expression. `%layout` instead of a
//! name is white space or a comment; then layout that the reader of the grammar has only supposed, which has no
//! place in the grammar, does not count. Empty lines and lines that begin with `#` mean nothing.

use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourcePlace, Tokenization,
};
use super::regex;
use super::sources::Sources;

/// Adds the tokens of a table. A token of the table replaces a token of the grammar with that name.
pub fn add(grammar: &mut ForeignGrammar, sources: &Sources, file: usize) -> Result<(), Finding> {
    let mut at = 0;
    for line in sources.text(file).split_inclusive('\n') {
        let place = |from: usize, to: usize| SourcePlace {
            file,
            span: at + from..at + to,
        };
        let content = line.trim_end();
        if content.is_empty() || content.starts_with('#') {
            at += line.len();
            continue;
        }
        let Some((name, expression)) = content.split_once([' ', '\t']) else {
            return Err(Finding {
                place: place(0, content.len()),
                message: "a token without a regular expression".into(),
                label: "write the name of a token, a blank, and a regular expression".into(),
            });
        };
        let expression = expression.trim_start();
        let from = content.len() - expression.len();
        let (body, _) = regex::read(expression, false).map_err(|error| Finding {
            place: place(from, content.len()),
            message: "not a regular expression of the regex crate".into(),
            label: error,
        })?;
        let (name, kind) = match name {
            "%layout" => ("layout", ForeignKind::Layout(0)),
            // Words come before patterns, as in most lexers.
            name if matches!(body, Expression::Literal { .. }) => (name, ForeignKind::Token(1)),
            name => (name, ForeignKind::Token(0)),
        };
        if kind == ForeignKind::Layout(0) {
            // Layout without a place, or with a warning, is supposed by the reader.
            let is_supposed = |rule: &ForeignRule| {
                matches!(rule.kind, ForeignKind::Layout(_))
                    && (rule.place.span.is_empty() || !rule.warnings.is_empty())
            };
            grammar.rules.retain(|rule| !is_supposed(rule));
        } else {
            grammar
                .rules
                .retain(|rule| rule.name != name || rule.kind == ForeignKind::Syntax);
        }
        grammar.rules.push(ForeignRule {
            name: name.into(),
            kind,
            comments: Vec::new(),
            place: place(0, content.len()),
            body,
            warnings: Vec::new(),
        });
        at += line.len();
    }
    if grammar.tokenization == Tokenization::None {
        grammar.tokenization = Tokenization::Longest;
    }
    Ok(())
}
