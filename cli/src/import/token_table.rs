//! Tokens that a grammar does not define, or defines otherwise, by a table that the user gives.
//!
//! Each line of the table has the name of a token, blanks, and a regular expression. `%layout` instead of a
//! name is white space or a comment. It replaces layout that the reader of the grammar only assumed. Empty
//! lines and lines that begin with `#` are ignored. A token whose expression matches nothing, as `[^\s\S]`, is
//! left out, with the alternatives that need it.

use std::collections::HashSet;

use super::expression::{
    Expression, Finding, ForeignGrammar, ForeignKind, ForeignRule, SourceLocation, Tokenization,
};
use super::regex;
use super::sources::Sources;

/// The tokens of a table, in its order.
#[derive(Debug, Default)]
pub struct TokenTable {
    rules: Vec<ForeignRule>,
    /// The names of the tokens; layout has none.
    names: HashSet<String>,
}

impl TokenTable {
    /// Reads a table.
    pub fn read(sources: &Sources, file: usize) -> Result<TokenTable, Finding> {
        let mut table = TokenTable::default();
        let mut at = 0;
        for line in sources.text(file).split_inclusive('\n') {
            let content = line.trim_end();
            if !content.is_empty() && !content.starts_with('#') {
                let location =
                    |from: usize| SourceLocation::new(file, at + from..at + content.len());
                let rule = token(content, location)?;
                if !is_layout(&rule) && !table.names.insert(rule.name.clone()) {
                    return Err(Finding::new(
                        rule.location,
                        format!("the token `{}` is twice in the table", rule.name),
                        "`|` in one regular expression separates its texts",
                    ));
                }
                table.rules.push(rule);
            }
            at += line.len();
        }
        Ok(table)
    }

    /// Whether the table has a token of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds the tokens to a grammar. A token of the table replaces a token of the grammar with that name.
    pub fn add(self, grammar: &mut ForeignGrammar) {
        if self.rules.is_empty() {
            return;
        }
        if self.rules.iter().any(is_layout) {
            // The reader has only assumed layout without a location, or with a warning.
            grammar.rules.retain(|rule| {
                !is_layout(rule) || !rule.location.span.is_empty() && rule.warnings.is_empty()
            });
        }
        grammar
            .rules
            .retain(|rule| rule.kind == ForeignKind::Syntax || !self.has(&rule.name));
        grammar.rules.extend(self.rules);
        if grammar.tokenization == Tokenization::None {
            grammar.tokenization = Tokenization::Longest;
        }
    }
}

fn is_layout(rule: &ForeignRule) -> bool {
    matches!(rule.kind, ForeignKind::Layout(_))
}

/// Reads a line of a table. `location` returns the location from a byte of the line to its end.
fn token(line: &str, location: impl Fn(usize) -> SourceLocation) -> Result<ForeignRule, Finding> {
    let Some((name, expression)) = line.split_once([' ', '\t']) else {
        return Err(Finding::new(
            location(0),
            "a token without a regular expression",
            "write the name of a token, a blank, and a regular expression",
        ));
    };
    let expression = expression.trim_start();
    let (body, _) = regex::read(expression, false).map_err(|error| {
        Finding::new(
            location(line.len() - expression.len()),
            "not a regular expression of the regex crate",
            error,
        )
    })?;
    let (name, kind) = match name {
        "%layout" => ("layout", ForeignKind::Layout(0)),
        // Words come before patterns, as in most lexers.
        name if matches!(body, Expression::Literal { .. }) => (name, ForeignKind::Token(1)),
        name => (name, ForeignKind::Token(0)),
    };
    Ok(ForeignRule {
        location: location(0),
        ..ForeignRule::new(name, kind, body)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn read(text: &str) -> Result<TokenTable, Finding> {
        let mut sources = Sources::default();
        let file = sources.add(Path::new("tokens.txt"), text.into());
        TokenTable::read(&sources, file)
    }

    #[test]
    fn tokens_of_a_table_replace_those_of_the_grammar() {
        let table = read("# tokens\nID [a-z]+\n\n%layout [ ]\n%layout #[a-z]*\nIF if\n").unwrap();
        assert!(table.has("IF") && !table.has("layout"));
        let rule = |name: &str, kind| ForeignRule::new(name, kind, Expression::empty());
        let mut grammar = ForeignGrammar {
            rules: vec![
                rule("IF", ForeignKind::Syntax),
                rule("ID", ForeignKind::Token(0)),
                rule("blanks", ForeignKind::Layout(-1)),
            ],
            ..ForeignGrammar::default()
        };
        TokenTable::default().add(&mut grammar);
        assert_eq!(grammar.rules.len(), 3);
        assert_eq!(grammar.tokenization, Tokenization::None);
        table.add(&mut grammar);
        assert_eq!(grammar.tokenization, Tokenization::Longest);
        let names: Vec<&str> = grammar.rules.iter().map(|rule| &*rule.name).collect();
        assert_eq!(names, ["IF", "ID", "layout", "layout", "IF"]);
        assert_eq!(grammar.rules[4].kind, ForeignKind::Token(1));
    }

    #[test]
    fn an_error_has_its_location() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("A a\nB\n").location.span, 4..5);
        assert_eq!(error("A a\nB  (\n").location.span, 7..8);
        let twice = error("A a\nA b\n");
        assert_eq!(
            (twice.location.span, &*twice.message),
            (4..7, "the token `A` is twice in the table")
        );
    }
}
