//! The elements of ANTLR grammar files.

use std::collections::HashMap;

use crate::import::class::CharacterClass;
use crate::import::expression::{Finding, SourceLocation};

/// A grammar file.
#[derive(Debug, Default)]
pub struct G4File {
    pub name: String,
    pub kind: G4Kind,
    pub options: HashMap<String, String>,
    /// The names of the imported grammars.
    pub imports: Vec<(String, SourceLocation)>,
    pub rules: Vec<G4Rule>,
    pub comments: Vec<String>,
    pub warnings: Vec<Finding>,
}

/// The kind of a grammar file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum G4Kind {
    #[default]
    Combined,
    Parser,
    Lexer,
}

/// A rule of the parser or of the lexer.
#[derive(Clone, Debug)]
pub struct G4Rule {
    pub name: String,
    pub is_fragment: bool,
    /// The mode of a lexer rule.
    pub mode: String,
    pub case_insensitive: Option<bool>,
    /// The alternatives, with the commands of the lexer.
    pub alternatives: Vec<(Element, Vec<LexerCommand>)>,
    pub location: SourceLocation,
    pub comments: Vec<String>,
    pub warnings: Vec<Finding>,
}

impl G4Rule {
    /// Whether the rule is one of the lexer.
    pub fn is_token(&self) -> bool {
        self.name.starts_with(char::is_uppercase)
    }
}

/// A command of a lexer rule, such as `pushMode(A)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexerCommand {
    pub name: String,
    pub argument: Option<String>,
}

/// A part of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    Literal(String),
    /// A set of characters.
    Set(CharacterClass),
    /// `.`
    Any,
    /// `~`
    Not(Box<Element>),
    Name(String),
    /// `EOF`
    End,
    /// `{ … }?`: code that decides whether the alternative is possible. It reads nothing.
    Predicate,
    Sequence(Vec<Element>),
    Choice(Vec<Element>),
    Repeat {
        element: Box<Element>,
        at_least: u32,
        at_most: Option<u32>,
        greedy: bool,
    },
}

impl Element {
    /// Returns some elements and all of their parts, from the last one to the first.
    pub fn all<'a>(elements: impl IntoIterator<Item = &'a Element>) -> Vec<&'a Element> {
        let mut open: Vec<&Element> = elements.into_iter().collect();
        let mut all = Vec::new();
        while let Some(element) = open.pop() {
            all.push(element);
            match element {
                Element::Sequence(parts) | Element::Choice(parts) => open.extend(parts),
                Element::Repeat { element, .. } | Element::Not(element) => open.push(element),
                _ => {}
            }
        }
        all
    }
}
