//! The result of every reader of a notation: rules that consist of expressions.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::class::CharacterClass;

/// The maximum number of groups inside each other. Readers refuse more, so functions over
/// expressions can be recursive.
pub const MAX_NESTING: usize = 150;

/// A grammar in another notation, as one of the readers returns it.
#[derive(Debug, Default)]
pub struct ForeignGrammar {
    /// The rules, in the order of the source.
    pub rules: Vec<ForeignRule>,
    /// The name of the start rule. If there is none, it is the first syntax rule.
    pub start: Option<String>,
    pub tokenization: Tokenization,
    /// Whether the grammar describes bytes, not characters. Then code points are bytes.
    pub bytes: bool,
    /// The lines of the comment at the beginning of the file, without comment signs.
    pub comments: Vec<String>,
    /// The tokens whose texts are names, if the notation says so.
    pub identifiers: Vec<String>,
    /// The modes of the lexer in which it reads tokens, as numbers from 1. Tokens without a number are
    /// of its first mode. Tokens of different modes do not compete for a text.
    pub modes: HashMap<String, u32>,
    /// The tokens that a lexer reads only where a condition holds. They take no texts from other tokens.
    pub conditional: HashSet<String>,
    /// The literals that are also texts of other tokens, where the grammar does not allow them as literals.
    pub contextual: HashSet<String>,
    /// The opening and the closing brackets between which the end of a line is layout, if there is a rule of the
    /// kind [`ForeignKind::Line`].
    pub brackets: Vec<[&'static str; 2]>,
    /// Warnings about what was not converted, outside of rules.
    pub warnings: Vec<Finding>,
}

/// How the parser that the grammar is written for finds tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenization {
    /// It reads characters; there are no tokens. Examples are ABNF and PEGs.
    #[default]
    None,
    /// A lexer reads the longest token, whatever the grammar allows there. Of two tokens for the
    /// same text, the one with the higher priority wins, then the one that stands first.
    Longest,
    /// As [`Tokenization::Longest`], of the tokens of the mode that the lexer is in.
    Modes,
    /// A lexer reads the longest of the tokens that the grammar allows.
    Contextual,
}

/// A location in one of the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The index of the file.
    pub file: usize,
    /// The range in bytes.
    pub span: Range<usize>,
}

impl SourceLocation {
    pub fn new(file: usize, span: Range<usize>) -> SourceLocation {
        SourceLocation { file, span }
    }
}

/// An error, or something that could not be carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub location: SourceLocation,
    /// What the source has, in one line, such as "a predicate was left out".
    pub message: String,
    /// What it means for the sentences, or what to do.
    pub label: String,
}

impl Finding {
    pub fn new(
        location: SourceLocation,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Finding {
        Finding {
            location,
            message: message.into(),
            label: label.into(),
        }
    }

    /// Adds the finding to others that have no message like it.
    pub fn add_once(self, all: &mut Vec<Finding>) {
        if all.iter().all(|one| one.message != self.message) {
            all.push(self);
        }
    }
}

/// A rule in another notation.
#[derive(Clone, Debug)]
pub struct ForeignRule {
    pub name: String,
    pub kind: ForeignKind,
    /// The lines of the comment before the rule, without comment signs.
    pub comments: Vec<String>,
    pub location: SourceLocation,
    pub body: Expression,
    /// Warnings about what was not converted, which become notes before the rule.
    pub warnings: Vec<Finding>,
}

impl ForeignRule {
    /// Returns a rule that is not in the source: without comments, location and warnings.
    pub fn new(name: impl Into<String>, kind: ForeignKind, body: Expression) -> ForeignRule {
        ForeignRule {
            name: name.into(),
            kind,
            comments: Vec::new(),
            location: SourceLocation::default(),
            body,
            warnings: Vec::new(),
        }
    }

    /// Adds a warning at the location of the rule.
    pub fn warn(&mut self, message: impl Into<String>, label: impl Into<String>) {
        let warning = Finding::new(self.location.clone(), message, label);
        self.warnings.push(warning);
    }
}

/// Returns the bodies of rules by their names. To change the rules while automata are built from the bodies, call it
/// for a copy.
pub fn by_name(rules: &[ForeignRule]) -> HashMap<&str, &Expression> {
    rules.iter().map(|rule| (&*rule.name, &rule.body)).collect()
}

/// Returns the names of the rules that are reachable from `names`, including themselves. `bodies` has the rules by
/// their names.
pub fn reached<'a>(
    bodies: &HashMap<&'a str, &'a Expression>,
    mut names: Vec<&'a str>,
) -> HashSet<&'a str> {
    let mut reached = HashSet::new();
    while let Some(name) = names.pop() {
        if let Some(body) = bodies.get(name).filter(|_| reached.insert(name)) {
            names.extend(body.names());
        }
    }
    reached
}

/// The kind of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignKind {
    /// A rule of the parser: layout is allowed between its tokens.
    Syntax,
    /// A token, with its priority: of two tokens for the same text, a lexer takes the one with the
    /// larger number.
    Token(i32),
    /// A part of tokens, which is never a token itself.
    Fragment,
    /// Layout, such as white space and comments, with its priority as a token.
    Layout(i32),
    /// The end of a line, with blank lines. A grammar has at most one.
    Line,
}

/// The priority of literals in syntax rules.
pub const LITERAL: i32 = 1;

/// An expression, which derives texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A literal text. In a grammar of bytes, a character up to U+00FF is a byte.
    Literal {
        text: String,
        /// Whether ASCII letters may be upper or lower case.
        insensitive: bool,
    },
    /// One character of a class.
    Class(CharacterClass),
    /// A reference to the rule of this name.
    Name(String),
    /// One expression after the other. The empty sequence derives the empty text.
    Sequence(Vec<Expression>),
    /// One of the expressions. An empty choice derives nothing, and an alternative that contains it is left out.
    Choice(Vec<Expression>),
    Repeat {
        element: Box<Expression>,
        at_least: u32,
        at_most: Option<u32>,
    },
    /// The expression without layout before it. The flag has no meaning within a token.
    Adjacent(Box<Expression>),
    /// The texts of the first expression that the second one does not derive. Both are regular.
    Difference(Box<Expression>, Box<Expression>),
    /// The beginning of lines that are indented more. It has no text.
    Indent,
    /// The end of these lines.
    Dedent,
    /// A text that [`Expression::Same`] of this name repeats, in the same sequence.
    Capture(String, Box<Expression>),
    /// The text of the capture of this name.
    Same(String),
}

impl Expression {
    /// The expression that derives the empty text.
    pub fn empty() -> Expression {
        Expression::Sequence(Vec::new())
    }

    /// The expression that derives nothing.
    pub fn never() -> Expression {
        Expression::Choice(Vec::new())
    }

    pub fn literal(text: impl Into<String>) -> Expression {
        Expression::Literal {
            text: text.into(),
            insensitive: false,
        }
    }

    pub fn name(name: impl Into<String>) -> Expression {
        Expression::Name(name.into())
    }

    /// A sequence; nested sequences are joined.
    pub fn sequence(parts: impl IntoIterator<Item = Expression>) -> Expression {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Expression::Sequence(parts) => all.extend(parts),
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.remove(0),
            _ => Expression::Sequence(all),
        }
    }

    /// A choice; nested choices are joined.
    pub fn choice(parts: impl IntoIterator<Item = Expression>) -> Expression {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Expression::Choice(parts) => all.extend(parts),
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.remove(0),
            _ => Expression::Choice(all),
        }
    }

    /// A repetition. A limit that zester's notation cannot write means no limit. If the lower limit is above the
    /// upper one, nothing is derived.
    pub fn repeat(self, at_least: u32, at_most: Option<u32>) -> Expression {
        if at_most.is_some_and(|most| at_least > most) {
            return Expression::never();
        }
        Expression::Repeat {
            element: Box::new(self),
            at_least: at_least.min(u32::MAX - 1),
            at_most: at_most.filter(|most| *most < u32::MAX),
        }
    }

    /// `self?`
    pub fn optional(self) -> Expression {
        self.repeat(0, Some(1))
    }

    pub fn adjacent(self) -> Expression {
        match self {
            Expression::Adjacent(_) => self,
            other => Expression::Adjacent(Box::new(other)),
        }
    }

    /// The shortest text that ends with `end`: characters of `class` without `end` in them, then
    /// `end`. This is `class*? end` of lexers with non-greedy loops.
    pub fn until(class: &CharacterClass, end: &str) -> Expression {
        let characters: Vec<char> = end.chars().collect();
        let one = |c: char| CharacterClass::new([(c.into(), c.into())]);
        let (close, body) = match characters[..] {
            [] => return Expression::empty(),
            [a] => (
                Expression::literal(end),
                Expression::Class(class.minus(&one(a))).repeat(0, None),
            ),
            [a, b] if a != b => {
                let other = Expression::Class(class.minus(&one(a)));
                let neither = Expression::Class(class.minus(&one(a)).minus(&one(b)));
                let first = || Expression::literal(a);
                let inner = Expression::sequence([first().repeat(1, None), neither]);
                let close = [first().repeat(1, None), Expression::literal(b)];
                (
                    Expression::sequence(close),
                    Expression::choice([other.repeat(1, None), inner]).repeat(0, None),
                )
            }
            _ => {
                let any = || Expression::Class(class.clone()).repeat(0, None);
                let with = Expression::sequence([any(), Expression::literal(end), any()]);
                // A text that ends with a part of `end` must not complete it together with `end`.
                let mut forbidden = vec![with];
                for at in 1..characters.len() {
                    if characters[..characters.len() - at] == characters[at..] {
                        let border: String = characters[..at].iter().collect();
                        forbidden.push(Expression::sequence([any(), Expression::literal(border)]));
                    }
                }
                let without = Expression::choice(forbidden);
                (
                    Expression::literal(end),
                    Expression::Difference(Box::new(any()), Box::new(without)),
                )
            }
        };
        Expression::sequence([body, close])
    }

    pub fn parts(&self) -> Vec<&Expression> {
        match self {
            Expression::Literal { .. }
            | Expression::Class(_)
            | Expression::Name(_)
            | Expression::Indent
            | Expression::Dedent
            | Expression::Same(_) => Vec::new(),
            Expression::Sequence(parts) | Expression::Choice(parts) => parts.iter().collect(),
            Expression::Repeat { element, .. }
            | Expression::Adjacent(element)
            | Expression::Capture(_, element) => vec![element],
            Expression::Difference(from, without) => vec![from, without],
        }
    }

    /// The parts of the expression, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Expression::Literal { .. }
            | Expression::Class(_)
            | Expression::Name(_)
            | Expression::Indent
            | Expression::Dedent
            | Expression::Same(_) => Vec::new(),
            Expression::Sequence(parts) | Expression::Choice(parts) => parts.iter_mut().collect(),
            Expression::Repeat { element, .. }
            | Expression::Adjacent(element)
            | Expression::Capture(_, element) => vec![element],
            Expression::Difference(from, without) => vec![from, without],
        }
    }

    /// The names of rules in the expression.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.visit(&mut |part| {
            if let Expression::Name(name) = part {
                names.push(name);
            }
        });
        names
    }

    /// The nesting depth of the expression.
    pub fn depth(&self) -> usize {
        let parts = self.parts().into_iter().map(Expression::depth);
        1 + parts.max().unwrap_or_default()
    }

    /// Calls `each` for the expression and all of its parts, the outer ones first.
    pub fn visit<'a>(&'a self, each: &mut impl FnMut(&'a Expression)) {
        each(self);
        self.parts().into_iter().for_each(|part| part.visit(each));
    }

    /// Calls `each` for all parts of the expression, and then for itself, to change them.
    pub fn visit_mut(&mut self, each: &mut impl FnMut(&mut Expression)) {
        self.parts_mut()
            .into_iter()
            .for_each(|part| part.visit_mut(each));
        each(self);
    }
}
