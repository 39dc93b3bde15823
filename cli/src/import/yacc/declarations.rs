//! Reads the declarations of a grammar of Yacc: its tokens and its precedence.

use std::collections::HashMap;

use super::super::expression::{Finding, SourceLocation};
use super::scan::{Scanned, YaccLexeme};

/// A token that is declared.
#[derive(Clone, Debug, Default)]
pub struct DeclaredToken {
    pub alias: Option<String>,
    /// Whether its number is 0: the end of the file.
    pub is_end: bool,
    pub location: SourceLocation,
}

#[derive(Debug, Default)]
pub struct Declarations {
    /// The tokens by their names.
    pub tokens: HashMap<String, DeclaredToken>,
    /// The names of the tokens by their aliases.
    pub aliases: HashMap<String, String>,
    /// The levels of precedence; operators of a larger number bind tighter. The flag says whether the
    /// operators of the level are not associative.
    pub levels: HashMap<String, (u32, bool)>,
    pub start: Option<String>,
    pub warnings: Vec<Finding>,
}

/// Declarations that do not change what the grammar derives.
const WITHOUT_MEANING: &[&str] = &[
    "code",
    "debug",
    "default-prec",
    "define",
    "defines",
    "destructor",
    "empty",
    "error-verbose",
    "expect",
    "expect-rr",
    "expect-unused",
    "file-prefix",
    "glr-parser",
    "header",
    "initial-action",
    "language",
    "lex-param",
    "locations",
    "name-prefix",
    "no-default-prec",
    "no-lines",
    "nondeterministic-parser",
    "nterm",
    "output",
    "param",
    "parse-param",
    "printer",
    "pure-parser",
    "require",
    "skeleton",
    "token-table",
    "type",
    "union",
    "verbose",
    "yacc",
    "fixed-output-files",
    "no-parser",
    "raw",
    "semantic-parser",
    "parser",
];

/// Reads all declarations. Returns the index after the `%%`.
pub fn read(all: &[Scanned]) -> (Declarations, usize) {
    let mut declarations = Declarations::default();
    let is_next =
        |one: &Scanned| matches!(one.lexeme, YaccLexeme::Directive(_) | YaccLexeme::Section);
    let mut at = 0;
    let mut level = 0;
    while at < all.len() {
        let first = &all[at];
        at += 1;
        let length = all[at..].iter().position(is_next).unwrap_or(all.len() - at);
        let content = &all[at..at + length];
        at += length;
        let directive = match &first.lexeme {
            YaccLexeme::Section => return (declarations, at - length),
            YaccLexeme::Directive(directive) => &**directive,
            _ => continue,
        };
        match directive {
            "token" | "term" => declarations.tokens(content, None),
            "left" | "right" | "precedence" | "nonassoc" | "binary" | "<" | ">" | "2" => {
                level += 1;
                let is_not = matches!(directive, "nonassoc" | "binary" | "2");
                declarations.tokens(content, Some((level, is_not)));
            }
            "start" => {
                declarations.start = content.iter().find_map(|one| match &one.lexeme {
                    YaccLexeme::Name(name) => Some(name.clone()),
                    _ => None,
                });
            }
            _ if WITHOUT_MEANING.contains(&directive) => {}
            _ => declarations.warnings.push(Finding::new(
                first.location.clone(),
                format!("the declaration `%{directive}` is not known"),
                "it was left out",
            )),
        }
    }
    (declarations, at)
}

impl Declarations {
    /// Reads a list of tokens, which may have a level of precedence.
    fn tokens(&mut self, content: &[Scanned], level: Option<(u32, bool)>) {
        let mut last: Option<String> = None;
        let mut parentheses = 0_usize;
        for (at, one) in content.iter().enumerate() {
            match &one.lexeme {
                YaccLexeme::Sign('(') => parentheses += 1,
                YaccLexeme::Sign(')') => parentheses = parentheses.saturating_sub(1),
                // `_("text")` is a text to be translated; `MACRO(…)` is a number.
                YaccLexeme::Name(_) if parentheses > 0 => {}
                YaccLexeme::Name(_)
                    if content
                        .get(at + 1)
                        .is_some_and(|next| next.lexeme == YaccLexeme::Sign('(')) => {}
                YaccLexeme::Name(name) => {
                    let token = self.tokens.entry(name.clone()).or_default();
                    if token.location == SourceLocation::default() {
                        token.location = one.location.clone();
                    }
                    last = Some(name.clone());
                    self.levels.extend(level.map(|level| (name.clone(), level)));
                }
                YaccLexeme::Number(number) => {
                    if let Some(token) = last.as_ref().and_then(|name| self.tokens.get_mut(name)) {
                        token.is_end |= number == "0";
                    }
                }
                YaccLexeme::Text(text) => match (&last, level) {
                    (Some(name), None) => {
                        self.aliases.insert(text.clone(), name.clone());
                        self.tokens.entry(name.clone()).or_default().alias = Some(text.clone());
                    }
                    _ => {
                        let name = self.aliases.get(text).unwrap_or(text).clone();
                        self.levels.extend(level.map(|level| (name, level)));
                    }
                },
                YaccLexeme::Character(text) => {
                    last = None;
                    self.levels
                        .extend(level.map(|level| (format!("'{text}'"), level)));
                }
                _ => {}
            }
        }
    }
}
