//! The syntax tree of a grammar as it is written: names are text, nothing is checked.

use std::ops::Range;

/// Where in the source, in bytes.
pub type Span = Range<usize>;

/// A whole file.
pub type File = Vec<Item>;

/// One statement.
#[derive(Debug)]
pub enum Item {
    /// `@bytes;`
    Bytes,
    /// A rule.
    Rule(Rule),
}

/// What an `@` word makes of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// No word: layout may stand between its symbols.
    Syntax,
    /// `@start`: a syntax rule, and where sentences start.
    Start,
    /// `@token`
    Token,
    /// `@skip`
    Skip,
    /// `@identifier`
    Identifier,
}

/// `@token name = alternatives;`
#[derive(Debug)]
pub struct Rule {
    pub kind: RuleKind,
    pub name: String,
    pub span: Span,
    pub body: Vec<Alternative>,
}

/// `@3 term term`
#[derive(Debug)]
pub struct Alternative {
    pub weight: Option<(f64, Span)>,
    pub terms: Vec<Term>,
}

/// `~ expression`
#[derive(Debug)]
pub struct Term {
    pub adjoins: bool,
    pub expression: Expression,
}

/// An expression and where it stands.
#[derive(Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExpressionKind {
    /// `"text"` or `"text"i`
    Literal { text: Vec<u8>, insensitive: bool },
    /// `[a-z]`, brackets included
    Class(String),
    /// `name`
    Name(String),
    /// `( alternatives )`
    Group(Vec<Alternative>),
    /// `expression{2,5}`; no upper limit is `None`
    Repeat { element: Box<Expression>, at_least: u32, at_most: Option<u32> },
    /// `expression - expression`
    Difference(Box<Expression>, Box<Expression>),
}
