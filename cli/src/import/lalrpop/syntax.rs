//! The syntax tree of a grammar of LALRPOP.

use std::ops::Range;

/// A grammar.
#[derive(Debug, Default)]
pub struct LalrpopGrammar {
    pub nonterminals: Vec<Nonterminal>,
    /// The blocks of `match`, the ones with the highest priority first.
    pub blocks: Vec<Vec<MatchEntry>>,
    /// The tokens of an external lexer, if there is one.
    pub external: Option<Vec<ExternalToken>>,
    pub comments: Vec<String>,
}

/// A rule, or a macro if it has parameters.
#[derive(Clone, Debug)]
pub struct Nonterminal {
    pub name: String,
    pub parameters: Vec<String>,
    pub is_public: bool,
    pub alternatives: Vec<Alternative>,
    pub comments: Vec<String>,
    pub span: Range<usize>,
}

/// An alternative of a rule.
#[derive(Clone, Debug, Default)]
pub struct Alternative {
    pub symbols: Vec<GrammarSymbol>,
    pub condition: Option<Condition>,
    /// The value of `#[precedence(level="…")]`.
    pub level: Option<String>,
    /// The value of `#[assoc(side="…")]`.
    pub side: Option<String>,
    /// Whether its action is `=>?`, which may refuse a text.
    pub is_fallible: bool,
    pub span: Range<usize>,
}

/// `if parameter == "text"`
#[derive(Clone, Debug)]
pub struct Condition {
    pub parameter: String,
    pub operator: &'static str,
    pub text: String,
    pub span: Range<usize>,
}

/// A symbol of an alternative.
#[derive(Clone, Debug)]
pub enum GrammarSymbol {
    Literal(String),
    Regex(String, Range<usize>),
    /// A rule, a macro with its arguments, a parameter or a token.
    Use {
        name: String,
        arguments: Vec<GrammarSymbol>,
        span: Range<usize>,
    },
    Group(Vec<GrammarSymbol>),
    /// A symbol with `?`, `*` or `+`.
    Repeated(Box<GrammarSymbol>, &'static str),
    /// `!`, where the parser recovers from an error.
    Recovery(Range<usize>),
}

/// An entry of a `match` block.
#[derive(Debug)]
pub struct MatchEntry {
    /// [`None`] for `_`.
    pub pattern: Option<TokenPattern>,
    pub mapping: Mapping,
    pub span: Range<usize>,
}

/// The pattern of a token of the built-in lexer.
#[derive(Debug)]
pub enum TokenPattern {
    Literal(String),
    Regex(String),
}

/// How the grammar uses a token of the built-in lexer.
#[derive(Debug, PartialEq, Eq)]
pub enum Mapping {
    Itself,
    /// The token is layout.
    Skip,
    /// A name, and whether it is in quotation marks.
    Name(String, bool),
}

/// A token of an external lexer.
#[derive(Debug)]
pub struct ExternalToken {
    pub name: String,
    pub is_quoted: bool,
    /// Whether the lexer gives it a value, so that it may have several texts.
    pub has_value: bool,
}
