//! The syntax tree of a grammar, as the generated parser returns it. Names are not resolved, and no
//! rules are checked.

use std::ops::Range;

use crate::grammar::LineMark;

/// A part of the source, as offsets in bytes.
pub type Span = Range<usize>;

/// The statements of a source, in order.
pub type File = Vec<Statement>;

#[derive(Debug)]
pub enum Statement {
    /// `@bytes;`
    Bytes,
    /// `@longest;`, `@longest literals;`
    Longest(Option<Named>),
    /// `@brackets "(" ")" | "[" "]" ;`
    Brackets(Vec<SyntaxAlternative>, Span),
    /// `@equal sum: a:product "+" b:product ~ b "+" a ;`
    Equal(Equality),
    /// `@equal - layout, names ;`
    Unequal(Vec<Named>),
    /// `@unordered object: member ;`
    Unordered(Unordered),
    /// `@domain type = int | bool ;`
    Domain(Domain),
    /// `@kind variable<type>: name, loop ;`
    Kinds(Vec<KindDeclaration>),
    /// A rule.
    Rule(Rule),
}

/// A name and its span.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: String,
    pub span: Span,
}

/// An equivalence: `@equal sum: a:product "+" "0" ~> a ;`
#[derive(Debug)]
pub struct Equality {
    pub rule: RuleReference,
    pub sides: [Vec<EqualPart>; 2],
    /// Whether only the left side is replaced.
    pub is_directed: bool,
    pub span: Span,
}

/// Parts of a rule that may be in any order: `@unordered object: member ;`
#[derive(Debug)]
pub struct Unordered {
    pub rule: RuleReference,
    pub element: RuleReference,
    pub span: Span,
}

/// The name of a rule with arguments: `expression<int>`
#[derive(Debug)]
pub struct RuleReference {
    pub name: Named,
    pub arguments: Vec<SyntaxArgument>,
}

/// A part of a side of an equivalence.
#[derive(Debug)]
pub enum EqualPart {
    /// `"text"`
    Text(Vec<u8>, Span),
    /// `a:product`, `a:statement*`, `a:product - call`
    Hole {
        name: Named,
        rule: RuleReference,
        /// Whether the hole stands for any number of consecutive nodes.
        is_list: bool,
        /// Rules that the hole must not contain.
        without: Vec<Named>,
    },
    /// `a`: the text of a hole again.
    Again(Named),
    /// `n:@fresh name`
    Fresh { name: Named, rule: Named },
}

impl EqualPart {
    /// Returns the span of the text, or of the name of the hole.
    pub fn span(&self) -> &Span {
        match self {
            EqualPart::Text(_, span) => span,
            EqualPart::Again(name)
            | EqualPart::Hole { name, .. }
            | EqualPart::Fresh { name, .. } => &name.span,
        }
    }
}

/// A finite set of values: `@domain type = int | record{3} | list<scalar> | other ;`
#[derive(Debug)]
pub struct Domain {
    pub name: Named,
    pub members: Vec<DomainMember>,
}

/// A member of a domain.
///
/// * `name`: a value, or all values of another domain.
/// * `name{3}`: the values `name1`, `name2` and `name3`.
/// * `name<member>`: for each value of `member`, a value with this part.
/// * `name<member>{2}`: also the values nested once more, such as `name<name<int>>`.
#[derive(Debug)]
pub struct DomainMember {
    pub name: Named,
    pub parts: Vec<DomainMember>,
    pub count: Option<u32>,
}

/// A kind of names: `variable<type>: name`
#[derive(Debug)]
pub struct KindDeclaration {
    pub name: Named,
    /// The domain of each argument.
    pub domains: Vec<Named>,
    /// The identifier terminal that derives the names of the kind. Without one, the kind has no
    /// names and is only visible or not.
    pub terminal: Option<Named>,
}

/// An argument in the definition of a rule, or a part of one: a variable with a domain (`t: type`),
/// one value or all values of a domain (`int`), or values with parts (`list<t>`).
#[derive(Debug)]
pub struct ArgumentPattern {
    pub variable: Option<Named>,
    /// A domain, a value, or a constructor if there are parts. In a part, it can also be a variable.
    pub domain: Named,
    pub parts: Vec<ArgumentPattern>,
}

impl ArgumentPattern {
    /// Returns whether the pattern is `_`, which means any value.
    pub fn is_any(&self) -> bool {
        self.variable.is_none() && self.parts.is_empty() && self.domain.name == "_"
    }
}

/// An argument of the call of a rule, or of the use of a kind.
#[derive(Debug)]
pub enum SyntaxArgument {
    /// `_`: any value.
    Any,
    /// A value, a domain or a variable.
    Name(Named),
    /// A value with parts: `list<t>`.
    Term(Named, Vec<SyntaxArgument>),
}

impl SyntaxArgument {
    /// Returns the argument that a name stands for.
    pub fn from_name(name: Named) -> SyntaxArgument {
        if name.name == "_" {
            SyntaxArgument::Any
        } else {
            SyntaxArgument::Name(name)
        }
    }
}

/// A kind of names with arguments: `variable<int>`
#[derive(Debug)]
pub struct KindPattern {
    pub name: Named,
    pub arguments: Vec<SyntaxArgument>,
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
    /// `@line`: the end of a line. The pass `lines` changes the rule to a token rule.
    Line,
}

/// A rule: `@token name = alternatives ;` or `name<t: type> = alternatives ;`
#[derive(Debug)]
pub struct Rule {
    pub kind: RuleKind,
    pub name: String,
    /// The span of the name.
    pub span: Span,
    /// The arguments that the rule takes.
    pub arguments: Vec<ArgumentPattern>,
    pub body: Vec<SyntaxAlternative>,
}

/// The static weight of an alternative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SyntaxWeight {
    /// `@3`: in relation to the other alternatives.
    Relative(f64),
    /// `@30%`: the probability in per cent. The pass `percentages` changes it to a relative weight.
    Percentage(f64),
}

/// An alternative: `@3 term term` or `@30% term term`
#[derive(Debug)]
pub struct SyntaxAlternative {
    /// The static weight and its span, if the source has one.
    pub weight: Option<(SyntaxWeight, Span)>,
    pub terms: Vec<Term>,
}

impl SyntaxAlternative {
    /// The span of the terms. [`None`] if there are no terms.
    pub fn span(&self) -> Option<Span> {
        let (first, last) = (self.terms.first()?, self.terms.last()?);
        Some(first.expression.span.start..last.expression.span.end)
    }
}

/// A term of a sequence: `expression` or `~ expression`
#[derive(Debug)]
pub struct Term {
    /// Whether `~` comes before the term, which forbids layout there.
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
    /// `name` or `name<int>`
    Name(String, Vec<SyntaxArgument>),
    /// `@use variable<int>`, `@use outer<t> @as variable<t>` (the name is then also visible as a
    /// `variable<t>`), or `@use field @once` (the name is then no longer visible)
    Use {
        pattern: KindPattern,
        once: bool,
        roles: Vec<KindPattern>,
    },
    /// `@declare variable<int>`
    Declare(Vec<KindPattern>),
    /// `@hide variable<int>`
    Hide(KindPattern),
    /// `@scope( alternatives )`
    Scope(Vec<SyntaxAlternative>),
    /// `@after( alternatives )`
    After(Vec<SyntaxAlternative>),
    /// `@indent`
    Indent,
    /// `@dedent`
    Dedent,
    /// `@capture label( alternatives )`
    Capture(Named, Vec<SyntaxAlternative>),
    /// `@same label`
    Same(Named),
    /// A mark of the pass `lines`.
    Mark(LineMark),
    /// `( alternatives )`
    Group(Vec<SyntaxAlternative>),
    /// `expression{2,5}`; `at_most` is `None` if there is no upper limit
    Repeat {
        element: Box<Expression>,
        at_least: u32,
        at_most: Option<u32>,
    },
    /// `expression - expression`
    Difference(Box<Expression>, Box<Expression>),
}
