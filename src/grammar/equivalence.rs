//! Equivalences: changes of a sentence after which a program should give the same answer.

use super::{Grammar, Graph, Kind, SymbolId, parts};

/// An equivalence of a grammar: `@equal sum: a:product "+" b:product ~ b "+" a ;`, or
/// `@unordered object: member ;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalence {
    /// The rule and both sides, such as `sum ‹a› + ‹b› ~ ‹b› + ‹a›`, or the parts without order.
    pub name: Box<str>,
    /// The rule whose nodes are changed.
    pub(crate) rule: RulePattern,
    pub(crate) change: EquivalentChange,
}

/// How an equivalence changes a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EquivalentChange {
    /// The form of one side is replaced by that of the other.
    Sides(EquivalentSides),
    /// Two parts of this rule that follow each other are exchanged.
    Exchange(RulePattern),
}

/// Two equivalent forms of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EquivalentSides {
    /// Both forms.
    pub both: [Box<[SidePart]>; 2],
    /// Whether only the left side is replaced.
    pub is_directed: bool,
    /// The number of holes and of fresh names.
    pub holes: usize,
}

/// An equivalence of every grammar, unless its source switches it off. It needs no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltInEquivalence {
    /// Another separator in place of all layout.
    Layout,
    /// Another name for what is declared.
    Names,
}

impl BuiltInEquivalence {
    /// All of them.
    pub const ALL: [BuiltInEquivalence; 2] =
        [BuiltInEquivalence::Layout, BuiltInEquivalence::Names];

    /// Returns the word for it in a source.
    pub fn word(self) -> &'static str {
        match self {
            BuiltInEquivalence::Layout => "layout",
            BuiltInEquivalence::Names => "names",
        }
    }

    /// Returns its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            BuiltInEquivalence::Layout => "other layout",
            BuiltInEquivalence::Names => "other names",
        }
    }
}

/// The nodes of a rule, or of a rule with these values of its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RulePattern {
    /// The symbol of the erased grammar.
    pub rule: SymbolId,
    /// The label of the symbol with its values.
    pub label: Option<Box<str>>,
}

/// A part of a side of an equivalence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidePart {
    pub kind: PartKind,
    /// Whether layout is allowed before it. It has no meaning for the first part.
    pub is_separated: bool,
}

/// What a part of a side stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A token with this text, or a part of a token.
    Text(Box<[u8]>),
    /// A node of a rule, or any number of nodes that follow each other.
    Hole {
        /// The index of the hole. Holes with one index have one text.
        hole: usize,
        rule: RulePattern,
        is_list: bool,
        /// The rules of the erased grammar of which it must contain no node.
        without: Box<[SymbolId]>,
    },
    /// A name of an identifier terminal that the sentence does not contain.
    Fresh { hole: usize, rule: SymbolId },
}

impl Grammar {
    /// Returns whether a text of one rule of the erased grammar may have parts that another one derives.
    pub(crate) fn has_part(&self, rule: SymbolId, part: SymbolId) -> bool {
        let erased = self.erased();
        let edges = parts(erased.tables());
        let reachable = Graph::new(erased.symbols().len(), &edges).reachable(rule.0);
        let is_part = |symbol| erased.is_of_rule(SymbolId(symbol), part);
        (edges.iter()).any(|&(from, to)| reachable[from as usize] && is_part(to))
    }

    /// Returns whether a symbol is of a rule.
    pub(crate) fn is_of(&self, symbol: SymbolId, pattern: &RulePattern) -> bool {
        let is_of = |symbol| {
            self.erased().is_of_rule(self.origin(symbol), pattern.rule)
                && (pattern.label.as_deref()).is_none_or(|label| label == self.label(symbol))
        };
        match self[symbol].kind {
            Kind::Lexeme { body, .. } => is_of(body),
            _ => is_of(symbol),
        }
    }

    /// Returns whether a symbol of a grammar without parameters is that of a rule, or a declaration or use of
    /// a name that the rule derives.
    pub(crate) fn is_of_rule(&self, symbol: SymbolId, rule: SymbolId) -> bool {
        let is_name = |symbol: SymbolId| matches!(self[symbol].kind, Kind::Identifier { .. });
        symbol == rule || is_name(symbol) && is_name(rule) && self.label(symbol) == self.label(rule)
    }
}
