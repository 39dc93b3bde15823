//! The syntax tree of a grammar, as the generated parser returns it. Names are not resolved, and no rules are checked.

use std::ops::Range;

/// A part of the source, as offsets in bytes.
pub type Span = Range<usize>;

/// The statements of a source, in order.
pub type File = Vec<Statement>;

/// A statement.
#[derive(Debug)]
pub enum Statement {
    /// `@bytes;`
    Bytes,
    /// A rule.
    Rule(Rule),
}

/// The kind of a rule: the `@` word before its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// No `@` word. Layout is allowed between the symbols of the rule.
    Syntax,
    /// `@start`: the syntax rule that derives whole sentences.
    Start,
    /// `@token`: text without layout inside.
    Token,
    /// `@skip`: layout.
    Skip,
    /// `@identifier`: a user-defined name.
    Identifier,
}

/// A rule: `@token name = alternatives ;`
#[derive(Debug)]
pub struct Rule {
    pub kind: RuleKind,
    pub name: String,
    /// The span of the name.
    pub span: Span,
    pub body: Vec<SyntaxAlternative>,
}

/// An alternative: `@3 term term`
#[derive(Debug)]
pub struct SyntaxAlternative {
    /// The static weight and its span, if the source has one.
    pub weight: Option<(f64, Span)>,
    pub terms: Vec<Term>,
}

/// A term of a sequence: `expression` or `~ expression`
#[derive(Debug)]
pub struct Term {
    /// Whether `~` comes before it, which forbids layout there.
    pub is_adjacent: bool,
    pub expression: Expression,
}

/// An expression and its span.
#[derive(Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExpressionKind {
    /// `"text"` or `"text"i`
    Literal { text: Vec<u8>, insensitive: bool },
    /// `[a-z]`, as written, with the brackets
    Class(String),
    /// `name`
    Name(String),
    /// `( alternatives )`
    Group(Vec<SyntaxAlternative>),
    /// `expression{2,5}`; `at_most` is `None` if there is no upper limit
    Repeat { element: Box<Expression>, at_least: u32, at_most: Option<u32> },
    /// `expression - expression`
    Difference(Box<Expression>, Box<Expression>),
}
